//! Networks that know nothing yet.

use super::{
    file::{GLOBALS, PLANES},
    model::{Block, Conv, Dense, Model, Norm, PolicyHead, Pooling, ValueHead},
};
use crate::base::Rng;

/// How large a network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub blocks: usize,
    pub channels: usize,
    /// Channels of the heads.
    pub heads: usize,
    /// Channels that blocks pool.
    pub pooled: usize,
}

impl Model {
    /// A network that knows nothing. Every third block sees the whole board.
    pub fn random(name: &str, shape: Shape, rng: &mut Rng) -> Model {
        let Shape { blocks, channels, heads, pooled } = shape;
        // Only few of the inputs are not zero.
        let first = conv(rng, 5, PLANES, channels, 2.0);
        let first_global = fully(rng, GLOBALS, channels, 0.5);
        let block = |number: usize| Block {
            before: norm(channels),
            first: conv(rng, 3, channels, channels, 1.0),
            pooling: (number % 3 == 1).then(|| Pooling {
                conv: conv(rng, 3, channels, pooled, 1.0),
                norm: norm(pooled),
                to_bias: fully(rng, 3 * pooled, channels, 0.5),
            }),
            between: norm(channels),
            second: conv(rng, 3, channels, channels, 0.0),
        };
        let blocks = (0..blocks).map(block).collect();
        let policy = PolicyHead {
            points: conv(rng, 1, channels, heads, 1.0),
            board: conv(rng, 1, channels, heads, 1.0),
            board_norm: norm(heads),
            board_to_points: fully(rng, 3 * heads, heads, 0.5),
            norm: norm(heads),
            last: conv(rng, 1, heads, 1, 0.2),
            pass: fully(rng, 3 * heads, 1, 0.2),
        };
        let value = ValueHead {
            first: conv(rng, 1, channels, heads, 1.0),
            norm: norm(heads),
            hidden: fully(rng, 3 * heads, 2 * heads, 1.0),
            hidden_bias: vec![0.0; 2 * heads],
            value: fully(rng, 2 * heads, 3, 0.2),
            value_bias: vec![0.0; 3],
            score: fully(rng, 2 * heads, 4, 0.2),
            score_bias: vec![0.0; 4],
            ownership: conv(rng, 1, heads, 1, 0.2),
        };
        Model { name: name.into(), version: 8, first, first_global, blocks, last: norm(channels), policy, value }
    }

    /// The same with nothing but zeros.
    pub fn zeros(&self) -> Model {
        let mut zeros = self.clone();
        zeros.parts().into_iter().for_each(|part| part.fill(0.0));
        zeros
    }
}

/// Numbers that keep the size of what goes through, times a factor.
fn numbers(rng: &mut Rng, count: usize, inputs: usize, factor: f64) -> Vec<f32> {
    let spread = factor * (2.0 / inputs as f64).sqrt();
    (0..count).map(|_| (spread * rng.normal().clamp(-3.0, 3.0)) as f32).collect()
}

fn conv(rng: &mut Rng, side: usize, inputs: usize, outputs: usize, factor: f64) -> Conv {
    let each = side * side * inputs;
    Conv { side, inputs, outputs, weights: numbers(rng, each * outputs, each, factor) }
}

fn fully(rng: &mut Rng, inputs: usize, outputs: usize, factor: f64) -> Dense {
    Dense { inputs, outputs, weights: numbers(rng, inputs * outputs, inputs, factor) }
}

fn norm(channels: usize) -> Norm {
    Norm { scale: vec![1.0; channels], bias: vec![0.0; channels] }
}
