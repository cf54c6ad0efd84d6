//! Networks that judge a position: which moves are likely, who wins and by how much, whose each point will be.
//!
//! [`Net`] is the door: it reads a file (`file`), takes positions as the networks were taught to see them (`input`, with
//! `ladder` and `area`) and runs the layers, which are compiled once for each kernel (`layers`). `search` is the tree search
//! that a network leads.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "calls of code for instructions that the processor has")
)]

mod area;
mod cache;
pub mod file;
pub mod input;
mod ladder;
pub mod learn;
mod model;
mod plane;
mod random;
pub mod search;
mod write;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

#[cfg(test)]
pub mod tests;

pub use cache::Cache;
pub use file::NetError;
pub use input::{Input, Recent};
pub use ladder::Ladders;
pub use model::Model;
pub use random::Shape;
pub use write::write;

use crate::base::kernel::{Kernel, dispatch};
use file::PLANES;
use model::{Dense, Norm};
use plane::{Packed, Places, Plane};
use std::path::Path;

/// What a network says of a position, seen by the side to move.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// For each point (rows from the top), then the pass: the logarithm of how likely it is, up to a constant.
    pub policy: Vec<f32>,
    /// The chances to win, to lose and to have no result.
    pub win: f32,
    pub loss: f32,
    pub no_result: f32,
    /// The expected difference of the scores, and how far it may be off.
    pub score: f32,
    pub deviation: f32,
    /// Points that would make the game even.
    pub lead: f32,
    /// For each point from −1 (the other side's) to 1.
    pub ownership: Vec<f32>,
}

/// Scores are told in units of this many points.
const SCORE_UNIT: f32 = 20.0;
/// The width of a board on which pooled numbers are as they were learned.
const USUAL_SIZE: f32 = 14.0;

struct Block {
    before: Norm,
    first: Packed,
    pooling: Option<(Packed, Norm, Dense)>,
    between: Norm,
    second: Packed,
}

/// A network ready to be asked.
pub struct Net {
    name: String,
    parameters: usize,
    first: Packed,
    first_global: Dense,
    blocks: Vec<Block>,
    last: Norm,
    policy: Policy,
    value: Value,
}

struct Policy {
    points: Packed,
    board: Packed,
    board_norm: Norm,
    board_to_points: Dense,
    norm: Norm,
    last: Packed,
    pass: Dense,
}

struct Value {
    first: Packed,
    norm: Norm,
    hidden: Dense,
    hidden_bias: Vec<f32>,
    value: Dense,
    value_bias: Vec<f32>,
    score: Dense,
    score_bias: Vec<f32>,
    ownership: Packed,
}

impl std::fmt::Debug for Net {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Net({})", self.name)
    }
}

/// Room to calculate in, kept from one evaluation to the next.
#[derive(Default)]
pub struct Workspace {
    input: Plane,
    trunk: Plane,
    normal: Plane,
    middle: Plane,
    pooled: Plane,
    pooled_normal: Plane,
    single: Plane,
}

/// The word for the network in the box where the name of a file may stand.
pub const OWN: &str = "own";
static OWN_FILE: &[u8] = include_bytes!("../../../resources/go/net.bin.gz");

impl Net {
    /// The network in the box.
    pub fn own() -> Result<Net, NetError> {
        file::read_packed(OWN_FILE.to_vec(), Path::new(OWN)).map(Net::new)
    }

    /// Reads a network file of KataGo.
    pub fn from_file(path: &Path) -> Result<Net, NetError> {
        file::read_file(path).map(Net::new)
    }

    /// Makes a network ready.
    pub fn new(mut model: Model) -> Net {
        let parameters = model.parameters();
        let Model { name, first, first_global, blocks, last, policy, value, .. } = model;
        let blocks = blocks.into_iter().map(|block| Block {
            before: block.before,
            first: (&block.first).into(),
            pooling: block.pooling.map(|pooling| ((&pooling.conv).into(), pooling.norm, pooling.to_bias)),
            between: block.between,
            second: (&block.second).into(),
        });
        Net {
            name,
            parameters,
            first: (&first).into(),
            first_global,
            blocks: blocks.collect(),
            last,
            policy: Policy {
                points: (&policy.points).into(),
                board: (&policy.board).into(),
                board_norm: policy.board_norm,
                board_to_points: policy.board_to_points,
                norm: policy.norm,
                last: (&policy.last).into(),
                pass: policy.pass,
            },
            value: Value {
                first: (&value.first).into(),
                norm: value.norm,
                hidden: value.hidden,
                hidden_bias: value.hidden_bias,
                value: value.value,
                value_bias: value.value_bias,
                score: value.score,
                score_bias: value.score_bias,
                ownership: (&value.ownership).into(),
            },
        }
    }

    /// The name in its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many numbers it has learned.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// How many blocks its trunk has.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Channels of its trunk.
    pub fn channels(&self) -> usize {
        self.last.scale.len()
    }

    /// What it says of some positions, all of one size.
    pub fn evaluate(&self, inputs: &[Input], workspace: &mut Workspace) -> Vec<Output> {
        self.evaluate_with(Kernel::chosen(), inputs, workspace)
    }

    fn evaluate_with(&self, kernel: Kernel, inputs: &[Input], workspace: &mut Workspace) -> Vec<Output> {
        let Some(size) = inputs.first().map(|input| input.size) else { return Vec::new() };
        debug_assert!(inputs.iter().all(|input| input.size == size));
        let mut run = Run { kernel, places: Places::new(size, inputs.len()), net: self, room: workspace };
        run.trunk(inputs);
        run.heads(inputs)
    }
}

/// One evaluation.
struct Run<'a> {
    kernel: Kernel,
    places: Places,
    net: &'a Net,
    room: &'a mut Workspace,
}

impl Run<'_> {
    fn trunk(&mut self, inputs: &[Input]) {
        let Run { kernel, places, net, room } = self;
        let kernel = *kernel;
        room.input.reset(PLANES, places);
        let told = inputs.iter().flat_map(|input| input.planes.chunks_exact(PLANES));
        for (&cell, planes) in places.points.iter().zip(told) {
            room.input.row_mut(cell).copy_from_slice(planes);
        }
        let channels = net.first.outputs;
        room.trunk.reset(channels, places);
        dispatch!(kernel, convolve(&room.input, &net.first, &mut room.trunk, places, false));
        for (board, input) in inputs.iter().enumerate() {
            let mut biases = vec![0.0; channels];
            dispatch!(kernel, multiply(&input.globals, &net.first_global.weights, &mut biases));
            dispatch!(kernel, add_to_all(&mut room.trunk, &biases, places.of(board)));
        }
        for block in &net.blocks {
            room.normal.reset(channels, places);
            normalise(kernel, &room.trunk, &block.before, &mut room.normal, places);
            room.middle.reset(block.first.outputs, places);
            dispatch!(kernel, convolve(&room.normal, &block.first, &mut room.middle, places, false));
            if let Some((conv, norm, to_bias)) = &block.pooling {
                room.pooled.reset(conv.outputs, places);
                room.pooled_normal.reset(conv.outputs, places);
                dispatch!(kernel, convolve(&room.normal, conv, &mut room.pooled, places, false));
                normalise(kernel, &room.pooled, norm, &mut room.pooled_normal, places);
                for board in 0..places.boards {
                    let pooled = pool(kernel, &room.pooled_normal, places, board);
                    let mut biases = vec![0.0; to_bias.outputs];
                    dispatch!(kernel, multiply(&pooled, &to_bias.weights, &mut biases));
                    dispatch!(kernel, add_to_all(&mut room.middle, &biases, places.of(board)));
                }
            }
            room.pooled.reset(block.first.outputs, places);
            normalise(kernel, &room.middle, &block.between, &mut room.pooled, places);
            dispatch!(kernel, convolve(&room.pooled, &block.second, &mut room.trunk, places, true));
        }
        room.normal.reset(channels, places);
        normalise(kernel, &room.trunk, &net.last, &mut room.normal, places);
    }

    /// From the normalised trunk to the outputs of each board.
    fn heads(&mut self, inputs: &[Input]) -> Vec<Output> {
        let Run { kernel, places, net, room } = self;
        let kernel = *kernel;
        let policy = &net.policy;
        room.middle.reset(policy.points.outputs, places);
        dispatch!(kernel, convolve(&room.normal, &policy.points, &mut room.middle, places, false));
        room.pooled.reset(policy.board.outputs, places);
        dispatch!(kernel, convolve(&room.normal, &policy.board, &mut room.pooled, places, false));
        room.pooled_normal.reset(policy.board.outputs, places);
        normalise(kernel, &room.pooled, &policy.board_norm, &mut room.pooled_normal, places);
        let mut passes = Vec::new();
        for board in 0..places.boards {
            let pooled = pool(kernel, &room.pooled_normal, places, board);
            let mut biases = vec![0.0; policy.board_to_points.outputs];
            dispatch!(kernel, multiply(&pooled, &policy.board_to_points.weights, &mut biases));
            dispatch!(kernel, add_to_all(&mut room.middle, &biases, places.of(board)));
            passes.push(dense(kernel, &pooled, &policy.pass, &[0.0])[0]);
        }
        room.pooled.reset(policy.points.outputs, places);
        normalise(kernel, &room.middle, &policy.norm, &mut room.pooled, places);
        room.single.reset(1, places);
        dispatch!(kernel, convolve(&room.pooled, &policy.last, &mut room.single, places, false));
        let single = |plane: &Plane, board: usize| -> Vec<f32> {
            places.of(board).iter().map(|&cell| plane.row(cell)[0]).collect()
        };
        let mut logits: Vec<Vec<f32>> = (0..places.boards).map(|board| single(&room.single, board)).collect();
        logits.iter_mut().zip(passes).for_each(|(points, pass)| points.push(pass));

        let value = &net.value;
        room.middle.reset(value.first.outputs, places);
        dispatch!(kernel, convolve(&room.normal, &value.first, &mut room.middle, places, false));
        room.pooled_normal.reset(value.first.outputs, places);
        normalise(kernel, &room.middle, &value.norm, &mut room.pooled_normal, places);
        dispatch!(kernel, convolve(&room.pooled_normal, &value.ownership, &mut room.single, places, false));
        let outputs = logits.into_iter().enumerate().map(|(board, policy)| {
            let pooled = pool_for_value(kernel, &room.pooled_normal, places, board);
            let mut hidden = dense(kernel, &pooled, &value.hidden, &value.hidden_bias);
            hidden.iter_mut().for_each(|unit| *unit = unit.max(0.0));
            let results = dense(kernel, &hidden, &value.value, &value.value_bias);
            let scores = dense(kernel, &hidden, &value.score, &value.score_bias);
            // Where no position may come back every game has a result.
            let endless = if inputs[board].may_be_endless() { results[2] } else { f32::NEG_INFINITY };
            let [win, loss, no_result] = shares([results[0], results[1], endless]);
            Output {
                policy,
                win,
                loss,
                no_result,
                score: scores[0] * SCORE_UNIT * (1.0 - no_result),
                deviation: softplus(scores[1]) * SCORE_UNIT,
                lead: scores[2] * SCORE_UNIT * (1.0 - no_result),
                ownership: single(&room.single, board).into_iter().map(f32::tanh).collect(),
            }
        });
        outputs.collect()
    }
}

fn normalise(kernel: Kernel, from: &Plane, norm: &Norm, to: &mut Plane, places: &Places) {
    dispatch!(kernel, normalise(from, &norm.scale, &norm.bias, to, places));
}

fn dense(kernel: Kernel, inputs: &[f32], dense: &Dense, bias: &[f32]) -> Vec<f32> {
    let mut sums = bias.to_vec();
    dispatch!(kernel, multiply(inputs, &dense.weights, &mut sums));
    sums
}

fn add_to_board(kernel: Kernel, plane: &mut Plane, biases: &[f32], places: &Places, board: usize) {
    dispatch!(kernel, add_to_all(plane, biases, places.of(board)));
}

/// How much wider or narrower a board is than usual.
fn width(places: &Places) -> f32 {
    (places.size as f32 - USUAL_SIZE) * 0.1
}

/// For each channel of a board its mean, the same by the width of the board, and its maximum.
fn pool(kernel: Kernel, plane: &Plane, places: &Places, board: usize) -> Vec<f32> {
    let (mut sums, mut most) = (vec![0.0; plane.channels], vec![0.0; plane.channels]);
    dispatch!(kernel, sum_and_most(plane, places.of(board), &mut sums, &mut most));
    let means = sums.iter().map(|sum| sum / places.area() as f32);
    means.clone().chain(means.map(|mean| mean * width(places))).chain(most).collect()
}

/// For each channel of a board its mean, and the same by the width of the board and by its square.
fn pool_for_value(kernel: Kernel, plane: &Plane, places: &Places, board: usize) -> Vec<f32> {
    let (mut sums, mut most) = (vec![0.0; plane.channels], vec![0.0; plane.channels]);
    dispatch!(kernel, sum_and_most(plane, places.of(board), &mut sums, &mut most));
    let means = sums.iter().map(|sum| sum / places.area() as f32);
    let width = width(places);
    let by_square = means.clone().map(|mean| mean * (width * width - 0.1));
    means.clone().chain(means.map(|mean| mean * width)).chain(by_square).collect()
}

/// Logits as shares of one.
fn shares(logits: [f32; 3]) -> [f32; 3] {
    let most = logits.into_iter().fold(f32::MIN, f32::max);
    let powers = logits.map(|logit| (logit - most).exp());
    let sum: f32 = powers.iter().sum();
    powers.map(|power| power / sum)
}

fn softplus(x: f32) -> f32 {
    if x > 20.0 { x } else { x.exp().ln_1p() }
}
