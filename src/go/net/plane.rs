//! Numbers for every point of one or more boards, with a frame of zeros around each, and weights in the order that the
//! kernels read them.

use super::model::Conv;

/// Outputs that lie together in packed weights; channels are padded to whole blocks.
pub const BLOCK: usize = 32;
/// Cells without a point around a board: half of the largest convolution.
const FRAME: usize = 2;

/// The points of some boards of one size, one board after the other.
pub struct Places {
    pub size: usize,
    pub boards: usize,
    /// The cells of all points: rows from the top.
    pub points: Vec<usize>,
    /// From a cell to its neighbours of a convolution with three and five points on a side.
    pub three: Vec<isize>,
    pub five: Vec<isize>,
    cells: usize,
}

impl Places {
    pub fn new(size: usize, boards: usize) -> Places {
        // The cells to the right of a row are also those to the left of the next.
        let stride = size + FRAME;
        let board = (size + 2 * FRAME) * stride + 2 * FRAME;
        let point = |number: usize| (number / size + FRAME) * stride + number % size + FRAME;
        let points = (0..boards).flat_map(|b| (0..size * size).map(move |n| b * board + point(n))).collect();
        let taps = |reach: isize| -> Vec<isize> {
            (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| y * stride as isize + x)).collect()
        };
        Places { size, boards, points, three: taps(1), five: taps(2), cells: boards * board }
    }

    pub fn area(&self) -> usize {
        self.size * self.size
    }

    /// The cells of one board.
    pub fn of(&self, board: usize) -> &[usize] {
        &self.points[board * self.area()..][..self.area()]
    }
}

/// Channels of every cell.
#[derive(Default)]
pub struct Plane {
    pub channels: usize,
    /// From one cell to the next.
    pub stride: usize,
    pub numbers: Vec<f32>,
    /// The size of the boards that its frame is for.
    size: usize,
}

impl Plane {
    /// Makes room for so many channels of these places. The frame is zero afterwards; what is on the points is not said.
    pub fn reset(&mut self, channels: usize, places: &Places) {
        let stride = channels.next_multiple_of(BLOCK);
        if stride != self.stride || places.size != self.size || self.numbers.len() != stride * places.cells {
            self.numbers.clear();
            self.numbers.resize(stride * places.cells, 0.0);
        }
        (self.channels, self.stride, self.size) = (channels, stride, places.size);
    }

    pub fn row(&self, cell: usize) -> &[f32] {
        &self.numbers[cell * self.stride..][..self.channels]
    }

    pub fn row_mut(&mut self, cell: usize) -> &mut [f32] {
        &mut self.numbers[cell * self.stride..][..self.channels]
    }
}

/// Weights of a convolution: by block of outputs, neighbour, input, output.
pub struct Packed {
    pub side: usize,
    pub inputs: usize,
    pub outputs: usize,
    weights: Vec<f32>,
}

impl Packed {
    /// What one block of outputs takes of all neighbours and inputs.
    pub fn block(&self, block: usize) -> &[f32] {
        let length = self.side * self.side * self.inputs * BLOCK;
        &self.weights[block * length..][..length]
    }
}

impl Packed {
    /// The convolution that brings slopes of outputs back to inputs: everything the other way round.
    pub fn backwards(conv: &Conv) -> Packed {
        let &Conv { side, inputs, outputs, ref weights } = conv;
        let mut turned = Vec::with_capacity(weights.len());
        for tap in weights.chunks_exact(inputs * outputs).rev() {
            for output in 0..outputs {
                turned.extend(tap.iter().skip(output).step_by(outputs));
            }
        }
        Packed::from(&Conv { side, inputs: outputs, outputs: inputs, weights: turned })
    }
}

impl From<&Conv> for Packed {
    fn from(conv: &Conv) -> Packed {
        let &Conv { side, inputs, outputs, ref weights } = conv;
        let mut packed = Vec::with_capacity(weights.len().next_multiple_of(BLOCK));
        for first in (0..outputs).step_by(BLOCK) {
            for row in weights.chunks_exact(outputs) {
                let some = &row[first..outputs.min(first + BLOCK)];
                packed.extend_from_slice(some);
                packed.extend(std::iter::repeat_n(0.0, BLOCK - some.len()));
            }
        }
        Packed { side, inputs, outputs, weights: packed }
    }
}
