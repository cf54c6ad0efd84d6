//! The layers of a network at work, compiled once for each kernel.

use super::tuned;
use super::vector::{LANES, POINTS, Vector, load, multiply_add, splat, store};
use crate::go::net::plane::{BLOCK, Packed, Places, Plane};
use macro_rules_attribute::apply;

/// Vectors of outputs whose sums are kept in registers together.
const VECTORS: usize = 2;
const WIDTH: usize = VECTORS * LANES;
const _: () = assert!(BLOCK.is_multiple_of(WIDTH));

/// The convolution of every point; added to what is there already if asked.
#[apply(tuned)]
pub fn convolve(from: &Plane, conv: &Packed, to: &mut Plane, places: &Places, add: bool) {
    debug_assert!(from.channels == conv.inputs && to.channels == conv.outputs);
    let taps: &[isize] = match conv.side {
        1 => &[0],
        3 => &places.three,
        _ => &places.five,
    };
    for block in 0..conv.outputs.div_ceil(BLOCK) {
        let weights = conv.block(block);
        for part in (0..BLOCK).step_by(WIDTH) {
            let first = block * BLOCK + part;
            if first >= conv.outputs {
                break;
            }
            for points in places.points.chunks(POINTS) {
                // The last point may be done several times at once: it comes out the same.
                let last = points[points.len() - 1];
                let points: [usize; POINTS] = std::array::from_fn(|i| points.get(i).copied().unwrap_or(last));
                tile(from, conv.inputs, weights, part, taps, points, to, first, add);
            }
        }
    }
}

/// The sums of a few points and outputs, in registers from beginning to end.
#[apply(tuned)]
#[expect(clippy::too_many_arguments, reason = "one step of the loop above, in a function so that it is compiled well")]
#[inline(never)]
fn tile(
    from: &Plane,
    inputs: usize,
    weights: &[f32],
    part: usize,
    taps: &[isize],
    points: [usize; POINTS],
    to: &mut Plane,
    first: usize,
    add: bool,
) {
    let start = |point: usize, vector: usize| point * to.stride + first + vector * LANES;
    let mut sums = [[splat(0.0); VECTORS]; POINTS];
    if add {
        for (sums, &point) in sums.iter_mut().zip(&points) {
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = load(lanes(&to.numbers, start(point, vector)));
            }
        }
    }
    for (&tap, weights) in taps.iter().zip(weights.chunks_exact(inputs * BLOCK)) {
        let rows: [&[f32]; POINTS] = std::array::from_fn(|i| {
            let start = points[i].wrapping_add_signed(tap) * from.stride;
            &from.numbers[start..start + inputs]
        });
        for (input, weights) in weights.as_chunks::<BLOCK>().0.iter().enumerate() {
            let weights: [Vector; VECTORS] = [load(lanes(weights, part)), load(lanes(weights, part + LANES))];
            for (sums, row) in sums.iter_mut().zip(&rows) {
                let value = splat(row[input]);
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = multiply_add(value, weight, *sum);
                }
            }
        }
    }
    for (sums, &point) in sums.iter().zip(&points) {
        for (vector, &sum) in sums.iter().enumerate() {
            let start = start(point, vector);
            store(sum, lanes_mut(&mut to.numbers, start));
        }
    }
}

#[inline(always)]
fn lanes(numbers: &[f32], start: usize) -> &[f32; LANES] {
    numbers[start..].first_chunk().expect("whole vectors")
}

#[inline(always)]
fn lanes_mut(numbers: &mut [f32], start: usize) -> &mut [f32; LANES] {
    numbers[start..].first_chunk_mut().expect("whole vectors")
}

/// Scale and bias of every channel, cut off below zero. What is not a point stays zero.
#[apply(tuned)]
pub fn normalise(from: &Plane, scale: &[f32], bias: &[f32], to: &mut Plane, places: &Places) {
    let channels = from.channels;
    let (scale, bias) = (&scale[..channels], &bias[..channels]);
    for &point in &places.points {
        let row = &from.numbers[point * from.stride..][..channels];
        let out = &mut to.numbers[point * to.stride..][..channels];
        for c in 0..channels {
            out[c] = (row[c] * scale[c] + bias[c]).max(0.0);
        }
    }
}

/// Adds a number to each channel of every point of one board.
#[apply(tuned)]
pub fn add_to_all(plane: &mut Plane, biases: &[f32], points: &[usize]) {
    let channels = plane.channels;
    for &point in points {
        let row = &mut plane.numbers[point * plane.stride..][..channels];
        for (number, bias) in row.iter_mut().zip(&biases[..channels]) {
            *number += bias;
        }
    }
}

/// Sum and maximum of every channel over the points of one board.
#[apply(tuned)]
pub fn sum_and_most(plane: &Plane, points: &[usize], sums: &mut [f32], most: &mut [f32]) {
    let channels = plane.channels;
    sums.fill(0.0);
    // Nothing that is pooled lies below zero.
    most.fill(0.0);
    for &point in points {
        let row = &plane.numbers[point * plane.stride..][..channels];
        for c in 0..channels {
            sums[c] += row[c];
            most[c] = most[c].max(row[c]);
        }
    }
}

/// All inputs to all outputs, added to what is there.
#[apply(tuned)]
pub fn multiply(inputs: &[f32], weights: &[f32], to: &mut [f32]) {
    for (&input, row) in inputs.iter().zip(weights.chunks_exact(to.len())) {
        for (sum, weight) in to.iter_mut().zip(row) {
            *sum += input * weight;
        }
    }
}
