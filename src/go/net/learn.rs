//! What training needs of a network: how far it is from what it should say, and the slope of that along every number that
//! it has learned. The way there uses the layers of `layers.rs`, the way back those of `slopes.rs`.
//!
//! There is no batch normalisation: the second convolution of each block begins at zero, so that a network begins as its
//! first layer and grows from there.

use super::portable;
use super::{
    Dense, Input, Norm, SCORE_UNIT, add_to_board, dense,
    file::{GLOBALS, PLANES},
    model::{Conv, Model, Pooling},
    normalise,
    plane::{BLOCK, Packed, Places, Plane},
    pool, pool_for_value, shares, softplus, width,
};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::base::kernel::{Kernel, dispatch};

/// How much each part of the error counts.
const VALUE_WEIGHT: f64 = 1.2;
const SCORE_WEIGHT: f64 = 0.5;
const OWNERSHIP_WEIGHT: f64 = 1.0;
/// Errors of the score larger than this (in units of 20 points) count by their size, not by their square.
const LARGE_ERROR: f32 = 0.5;

/// A position and what is to be said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub input: Input,
    /// Moves (the pass comes after all points) and their shares of one.
    pub policy: Vec<(usize, f32)>,
    /// Win, loss, no result.
    pub value: [f32; 3],
    /// Score, its deviation and lead, in points.
    pub score: [f32; 3],
    /// From −1 to 1.
    pub ownership: Vec<f32>,
}

/// Errors, summed over positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Errors {
    pub count: u64,
    pub policy: f64,
    pub value: f64,
    pub score: f64,
    pub ownership: f64,
}

impl Errors {
    /// What training makes smaller.
    pub fn total(&self) -> f64 {
        self.policy + VALUE_WEIGHT * self.value + SCORE_WEIGHT * self.score + OWNERSHIP_WEIGHT * self.ownership
    }

    pub fn join(self, other: Errors) -> Errors {
        Errors {
            count: self.count + other.count,
            policy: self.policy + other.policy,
            value: self.value + other.value,
            score: self.score + other.score,
            ownership: self.ownership + other.ownership,
        }
    }
}

/// What goes through the network on the way there is needed on the way back.
#[derive(Default)]
pub struct Room {
    input: Plane,
    /// Before each block, and after the last.
    trunk: Vec<Plane>,
    normal: Vec<Plane>,
    middle: Vec<Plane>,
    inner: Vec<Plane>,
    pooled: Vec<[Plane; 2]>,
    points: [Plane; 2],
    board: [Plane; 2],
    value: [Plane; 2],
    single: Plane,
    /// Slopes on the way back.
    of_trunk: Plane,
    of_normal: Plane,
    of_middle: Plane,
    of_inner: Plane,
    of_pooled: [Plane; 2],
    of_single: Plane,
}

/// What the network says of one board, before the last functions; on the way back the slopes of that.
#[derive(Debug, Clone)]
struct Said {
    policy: Vec<f32>,
    value: Vec<f32>,
    score: Vec<f32>,
    ownership: Vec<f32>,
    /// Pooled for the policy, pooled for the value, and what the value's hidden units say.
    board: Vec<f32>,
    pooled: Vec<f32>,
    hidden: Vec<f32>,
}

/// The errors of a network on some examples of one size; their slopes are added to `gradient`.
pub fn learn(model: &Model, examples: &[Example], gradient: &mut Model, room: &mut Room) -> Errors {
    learn_with(Kernel::chosen(), model, examples, gradient, room)
}

fn learn_with(kernel: Kernel, model: &Model, examples: &[Example], gradient: &mut Model, room: &mut Room) -> Errors {
    let Some(size) = examples.first().map(|example| example.input.size) else { return Errors::default() };
    debug_assert!(examples.iter().all(|example| example.input.size == size));
    let mut run = Run { kernel, places: Places::new(size, examples.len()), model, room };
    run.trunk(examples);
    let mut said = run.heads();
    let errors = said.iter_mut().zip(examples).map(|(said, example)| judge(said, example));
    let errors = errors.fold(Errors::default(), Errors::join);
    run.back_through_heads(&said, gradient);
    run.back_through_trunk(examples, gradient);
    errors
}

/// The errors on one board; what was said becomes the slopes of the total.
fn judge(said: &mut Said, example: &Example) -> Errors {
    let mut errors = Errors { count: 1, ..Errors::default() };
    let most = said.policy.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = said.policy.iter().map(|logit| (logit - most).exp()).sum();
    let whole: f32 = example.policy.iter().map(|(_, share)| share).sum();
    errors.policy =
        example.policy.iter().map(|&(p, share)| f64::from(share * (sum.ln() + most - said.policy[p]))).sum();
    said.policy.iter_mut().for_each(|logit| *logit = whole * (*logit - most).exp() / sum);
    example.policy.iter().for_each(|&(p, share)| said.policy[p] -= share);

    let endless = if example.input.may_be_endless() { said.value[2] } else { f32::NEG_INFINITY };
    let chances = shares([said.value[0], said.value[1], endless]);
    for ((logit, chance), target) in said.value.iter_mut().zip(chances).zip(example.value) {
        if target > 0.0 && chance > 0.0 {
            errors.value -= f64::from(target * chance.ln());
        }
        *logit = VALUE_WEIGHT as f32 * (chance - target);
    }
    if !example.input.may_be_endless() {
        said.value[2] = 0.0;
    }

    let weight = SCORE_WEIGHT as f32;
    for (number, target) in example.score.iter().enumerate() {
        let found = if number == 1 { softplus(said.score[1]) } else { said.score[number] };
        let error = found - target / SCORE_UNIT;
        let far = error.abs().min(LARGE_ERROR);
        errors.score += f64::from(far * (error.abs() - 0.5 * far));
        let inner = if number == 1 { 1.0 / (1.0 + (-said.score[1]).exp()) } else { 1.0 };
        said.score[number] = weight * error.clamp(-LARGE_ERROR, LARGE_ERROR) * inner;
    }
    said.score[3..].fill(0.0);

    let each = 1.0 / example.ownership.len() as f32;
    for (logit, own) in said.ownership.iter_mut().zip(&example.ownership) {
        // tanh(x) is 2 s − 1 with s the logistic function of 2 x.
        let (double, target) = (2.0 * *logit, 0.5 + 0.5 * own);
        errors.ownership += f64::from(each * (softplus(double) - target * double));
        *logit = OWNERSHIP_WEIGHT as f32 * each * 2.0 * (1.0 / (1.0 + (-double).exp()) - target);
    }
    errors
}

struct Run<'a> {
    kernel: Kernel,
    places: Places,
    model: &'a Model,
    room: &'a mut Room,
}

impl Run<'_> {
    fn trunk(&mut self, examples: &[Example]) {
        let Run { kernel, places, model, room } = self;
        let (kernel, channels) = (*kernel, model.first.outputs);
        room.input.reset(PLANES, places);
        let told = examples.iter().flat_map(|example| example.input.planes.chunks_exact(PLANES));
        for (&cell, planes) in places.points.iter().zip(told) {
            room.input.row_mut(cell).copy_from_slice(planes);
        }
        let blocks = model.blocks.len();
        room.trunk.resize_with(blocks + 1, Plane::default);
        room.normal.resize_with(blocks + 1, Plane::default);
        room.middle.resize_with(blocks, Plane::default);
        room.inner.resize_with(blocks, Plane::default);
        room.pooled.resize_with(blocks, Default::default);
        room.trunk[0].reset(channels, places);
        convolve(kernel, &room.input, &model.first, &mut room.trunk[0], places, false);
        for (board, example) in examples.iter().enumerate() {
            let biases = dense(kernel, &example.input.globals, &model.first_global, &vec![0.0; channels]);
            add_to_board(kernel, &mut room.trunk[0], &biases, places, board);
        }
        for (n, block) in model.blocks.iter().enumerate() {
            let (normal, middle, inner) = (&mut room.normal[n], &mut room.middle[n], &mut room.inner[n]);
            normal.reset(channels, places);
            normalise(kernel, &room.trunk[n], &block.before, normal, places);
            middle.reset(block.first.outputs, places);
            convolve(kernel, normal, &block.first, middle, places, false);
            if let Some(Pooling { conv, norm, to_bias }) = &block.pooling {
                let [pooled, pooled_normal] = &mut room.pooled[n];
                pooled.reset(conv.outputs, places);
                pooled_normal.reset(conv.outputs, places);
                convolve(kernel, normal, conv, pooled, places, false);
                normalise(kernel, pooled, norm, pooled_normal, places);
                for board in 0..places.boards {
                    let pooled = pool(kernel, pooled_normal, places, board);
                    let biases = dense(kernel, &pooled, to_bias, &vec![0.0; to_bias.outputs]);
                    add_to_board(kernel, middle, &biases, places, board);
                }
            }
            inner.reset(block.first.outputs, places);
            normalise(kernel, middle, &block.between, inner, places);
            let (before, after) = room.trunk.split_at_mut(n + 1);
            after[0].reset(channels, places);
            after[0].numbers.copy_from_slice(&before[n].numbers);
            convolve(kernel, inner, &block.second, &mut after[0], places, true);
        }
        room.normal[blocks].reset(channels, places);
        normalise(kernel, &room.trunk[blocks], &model.last, &mut room.normal[blocks], places);
    }

    fn heads(&mut self) -> Vec<Said> {
        let Run { kernel, places, model, room } = self;
        let kernel = *kernel;
        let normal = &room.normal[model.blocks.len()];
        let (policy, value) = (&model.policy, &model.value);
        let ([points, points_normal], [board_plane, board_normal]) = (&mut room.points, &mut room.board);
        points.reset(policy.points.outputs, places);
        points_normal.reset(policy.points.outputs, places);
        board_plane.reset(policy.board.outputs, places);
        board_normal.reset(policy.board.outputs, places);
        convolve(kernel, normal, &policy.points, points, places, false);
        convolve(kernel, normal, &policy.board, board_plane, places, false);
        normalise(kernel, board_plane, &policy.board_norm, board_normal, places);
        let boards: Vec<Vec<f32>> = (0..places.boards).map(|n| pool(kernel, board_normal, places, n)).collect();
        for (number, board) in boards.iter().enumerate() {
            let biases = dense(kernel, board, &policy.board_to_points, &vec![0.0; points.channels]);
            add_to_board(kernel, points, &biases, places, number);
        }
        normalise(kernel, points, &policy.norm, points_normal, places);
        let single = |plane: &Plane, board: usize| -> Vec<f32> {
            places.of(board).iter().map(|&cell| plane.row(cell)[0]).collect()
        };
        room.single.reset(1, places);
        convolve(kernel, points_normal, &policy.last, &mut room.single, places, false);
        let mut logits: Vec<Vec<f32>> = (0..places.boards).map(|board| single(&room.single, board)).collect();

        let [first, first_normal] = &mut room.value;
        first.reset(value.first.outputs, places);
        first_normal.reset(value.first.outputs, places);
        convolve(kernel, normal, &value.first, first, places, false);
        normalise(kernel, first, &value.norm, first_normal, places);
        convolve(kernel, first_normal, &value.ownership, &mut room.single, places, false);
        let all = boards.into_iter().enumerate().map(|(number, board)| {
            let mut policy_logits = std::mem::take(&mut logits[number]);
            policy_logits.push(dense(kernel, &board, &policy.pass, &[0.0])[0]);
            let pooled = pool_for_value(kernel, first_normal, places, number);
            let mut hidden = dense(kernel, &pooled, &value.hidden, &value.hidden_bias);
            hidden.iter_mut().for_each(|unit| *unit = unit.max(0.0));
            Said {
                policy: policy_logits,
                value: dense(kernel, &hidden, &value.value, &value.value_bias),
                score: dense(kernel, &hidden, &value.score, &value.score_bias),
                ownership: single(&room.single, number),
                board,
                pooled,
                hidden,
            }
        });
        all.collect()
    }

    /// From the slopes of what was said to those of the normalised trunk.
    fn back_through_heads(&mut self, said: &[Said], gradient: &mut Model) {
        let Run { kernel, places, model, room } = self;
        let kernel = *kernel;
        let normal = &room.normal[model.blocks.len()];
        room.of_normal.reset(model.first.outputs, places);
        room.of_single.reset(1, places);

        let (policy, slopes) = (&model.policy, &mut gradient.policy);
        let [of_board, of_board_normal] = &mut room.of_pooled;
        for (number, said) in said.iter().enumerate() {
            for (&cell, &slope) in places.of(number).iter().zip(&said.policy) {
                room.of_single.row_mut(cell)[0] = slope;
            }
        }
        let channels = policy.points.outputs;
        room.of_inner.reset(channels, places);
        room.of_middle.reset(channels, places);
        let [points, points_normal] = &room.points;
        back(
            kernel,
            &policy.last,
            points_normal,
            &room.of_single,
            Some((&mut room.of_inner, false)),
            &mut slopes.last,
            places,
        );
        back_through_norm(
            kernel,
            [points, points_normal],
            &policy.norm,
            &room.of_inner,
            (&mut room.of_middle, false),
            &mut slopes.norm,
            places,
        );
        let [board, board_normal] = &room.board;
        of_board.reset(board.channels, places);
        of_board_normal.reset(board.channels, places);
        clear(of_board_normal);
        for (number, said) in said.iter().enumerate() {
            let mut of_pooled = vec![0.0; said.board.len()];
            let biases = sums(&room.of_middle, places, number);
            back_through_dense(
                &policy.board_to_points,
                &said.board,
                &biases,
                &mut of_pooled,
                &mut slopes.board_to_points,
            );
            let pass = &said.policy[places.area()..];
            back_through_dense(&policy.pass, &said.board, pass, &mut of_pooled, &mut slopes.pass);
            spread(&of_pooled, board_normal, places, number, of_board_normal);
        }
        back_through_norm(
            kernel,
            [board, board_normal],
            &policy.board_norm,
            of_board_normal,
            (of_board, false),
            &mut slopes.board_norm,
            places,
        );
        back(
            kernel,
            &policy.points,
            normal,
            &room.of_middle,
            Some((&mut room.of_normal, false)),
            &mut slopes.points,
            places,
        );
        back(kernel, &policy.board, normal, of_board, Some((&mut room.of_normal, true)), &mut slopes.board, places);

        let (value, slopes) = (&model.value, &mut gradient.value);
        let [first, first_normal] = &room.value;
        room.of_inner.reset(first.channels, places);
        room.of_middle.reset(first.channels, places);
        for (number, said) in said.iter().enumerate() {
            for (&cell, &slope) in places.of(number).iter().zip(&said.ownership) {
                room.of_single.row_mut(cell)[0] = slope;
            }
        }
        back(
            kernel,
            &value.ownership,
            first_normal,
            &room.of_single,
            Some((&mut room.of_inner, false)),
            &mut slopes.ownership,
            places,
        );
        for (number, said) in said.iter().enumerate() {
            let mut of_hidden = vec![0.0; said.hidden.len()];
            back_through_dense(&value.value, &said.hidden, &said.value, &mut of_hidden, &mut slopes.value);
            back_through_dense(&value.score, &said.hidden, &said.score, &mut of_hidden, &mut slopes.score);
            add(&mut slopes.value_bias, &said.value);
            add(&mut slopes.score_bias, &said.score);
            of_hidden
                .iter_mut()
                .zip(&said.hidden)
                .filter(|(_, unit)| **unit <= 0.0)
                .for_each(|(slope, _)| *slope = 0.0);
            add(&mut slopes.hidden_bias, &of_hidden);
            let mut of_pooled = vec![0.0; said.pooled.len()];
            back_through_dense(&value.hidden, &said.pooled, &of_hidden, &mut of_pooled, &mut slopes.hidden);
            spread_for_value(&of_pooled, places, number, &mut room.of_inner);
        }
        back_through_norm(
            kernel,
            [first, first_normal],
            &value.norm,
            &room.of_inner,
            (&mut room.of_middle, false),
            &mut slopes.norm,
            places,
        );
        back(
            kernel,
            &value.first,
            normal,
            &room.of_middle,
            Some((&mut room.of_normal, true)),
            &mut slopes.first,
            places,
        );
    }

    fn back_through_trunk(&mut self, examples: &[Example], gradient: &mut Model) {
        let Run { kernel, places, model, room } = self;
        let (kernel, channels) = (*kernel, model.first.outputs);
        let blocks = model.blocks.len();
        room.of_trunk.reset(channels, places);
        let ends = [&room.trunk[blocks], &room.normal[blocks]];
        back_through_norm(
            kernel,
            ends,
            &model.last,
            &room.of_normal,
            (&mut room.of_trunk, false),
            &mut gradient.last,
            places,
        );
        for (n, (block, slopes)) in model.blocks.iter().zip(&mut gradient.blocks).enumerate().rev() {
            let (normal, middle, inner) = (&room.normal[n], &room.middle[n], &room.inner[n]);
            room.of_inner.reset(inner.channels, places);
            room.of_middle.reset(inner.channels, places);
            back(
                kernel,
                &block.second,
                inner,
                &room.of_trunk,
                Some((&mut room.of_inner, false)),
                &mut slopes.second,
                places,
            );
            back_through_norm(
                kernel,
                [middle, inner],
                &block.between,
                &room.of_inner,
                (&mut room.of_middle, false),
                &mut slopes.between,
                places,
            );
            back(
                kernel,
                &block.first,
                normal,
                &room.of_middle,
                Some((&mut room.of_normal, false)),
                &mut slopes.first,
                places,
            );
            if let (Some(pooling), Some(slopes)) = (&block.pooling, &mut slopes.pooling) {
                let [pooled, pooled_normal] = &room.pooled[n];
                let [of_pooled, of_pooled_normal] = &mut room.of_pooled;
                of_pooled.reset(pooled.channels, places);
                of_pooled_normal.reset(pooled.channels, places);
                clear(of_pooled_normal);
                for board in 0..places.boards {
                    let found = pool(kernel, pooled_normal, places, board);
                    let mut of_found = vec![0.0; found.len()];
                    let biases = sums(&room.of_middle, places, board);
                    back_through_dense(&pooling.to_bias, &found, &biases, &mut of_found, &mut slopes.to_bias);
                    spread(&of_found, pooled_normal, places, board, of_pooled_normal);
                }
                back_through_norm(
                    kernel,
                    [pooled, pooled_normal],
                    &pooling.norm,
                    of_pooled_normal,
                    (of_pooled, false),
                    &mut slopes.norm,
                    places,
                );
                back(
                    kernel,
                    &pooling.conv,
                    normal,
                    of_pooled,
                    Some((&mut room.of_normal, true)),
                    &mut slopes.conv,
                    places,
                );
            }
            back_through_norm(
                kernel,
                [&room.trunk[n], normal],
                &block.before,
                &room.of_normal,
                (&mut room.of_trunk, true),
                &mut slopes.before,
                places,
            );
        }
        for (board, example) in examples.iter().enumerate() {
            let biases = sums(&room.of_trunk, places, board);
            back_through_dense(
                &model.first_global,
                &example.input.globals,
                &biases,
                &mut [0.0; GLOBALS],
                &mut gradient.first_global,
            );
        }
        back(kernel, &model.first, &room.input, &room.of_trunk, None, &mut gradient.first, places);
    }
}

fn convolve(kernel: Kernel, from: &Plane, conv: &Conv, to: &mut Plane, places: &Places, add: bool) {
    dispatch!(kernel, convolve(from, &Packed::from(conv), to, places, add));
}

/// Back through a convolution: the slopes of its weights are added, those of what went in are written or added to.
fn back(
    kernel: Kernel,
    conv: &Conv,
    from: &Plane,
    slopes: &Plane,
    to: Option<(&mut Plane, bool)>,
    gradient: &mut Conv,
    places: &Places,
) {
    if let Some((to, add)) = to {
        dispatch!(kernel, convolve(slopes, &Packed::backwards(conv), to, places, add));
    }
    let rows = conv.side * conv.side * conv.inputs;
    let mut sums = vec![0.0; conv.outputs.next_multiple_of(BLOCK) * rows];
    dispatch!(kernel, correlate(from, slopes, conv.side, places, &mut sums));
    for (block, sums) in sums.chunks_exact(rows * BLOCK).enumerate() {
        let first = block * BLOCK;
        for (row, sums) in gradient.weights.chunks_exact_mut(conv.outputs).zip(sums.chunks_exact(BLOCK)) {
            add(&mut row[first..], sums);
        }
    }
}

fn back_through_norm(
    kernel: Kernel,
    [before, after]: [&Plane; 2],
    norm: &Norm,
    slopes: &Plane,
    (to, add): (&mut Plane, bool),
    gradient: &mut Norm,
    places: &Places,
) {
    let sums = (&mut gradient.scale[..], &mut gradient.bias[..]);
    dispatch!(kernel, back_through_norm(before, after, &norm.scale, slopes, to, add, sums, places));
}

fn back_through_dense(dense: &Dense, from: &[f32], slopes: &[f32], to: &mut [f32], gradient: &mut Dense) {
    let rows = dense.weights.chunks_exact(dense.outputs).zip(gradient.weights.chunks_exact_mut(dense.outputs));
    for ((weights, gradient), (from, to)) in rows.zip(from.iter().zip(to)) {
        for ((weight, gradient), slope) in weights.iter().zip(gradient).zip(slopes) {
            *to += weight * slope;
            *gradient += from * slope;
        }
    }
}

fn add(to: &mut [f32], numbers: &[f32]) {
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to += number);
}

fn clear(plane: &mut Plane) {
    plane.numbers.fill(0.0);
}

/// The sum of each channel over one board.
fn sums(plane: &Plane, places: &Places, board: usize) -> Vec<f32> {
    let mut sums = vec![0.0; plane.channels];
    places.of(board).iter().for_each(|&cell| add(&mut sums, plane.row(cell)));
    sums
}

/// Slopes of means and maxima, added to the points that they come from.
fn spread(slopes: &[f32], plane: &Plane, places: &Places, board: usize, to: &mut Plane) {
    let channels = plane.channels;
    let (means, most) = slopes.split_at(2 * channels);
    spread_means(&means[..channels], &means[channels..], &[], places, board, to);
    for (channel, slope) in most.iter().enumerate() {
        let value = |cell: usize| plane.row(cell)[channel];
        // Of equal ones the first; what is zero has been cut off and has no slope.
        let highest = places.of(board).iter().copied().rev().max_by(|&a, &b| value(a).total_cmp(&value(b)));
        if let Some(cell) = highest {
            to.row_mut(cell)[channel] += slope;
        }
    }
}

fn spread_for_value(slopes: &[f32], places: &Places, board: usize, to: &mut Plane) {
    let (means, rest) = slopes.split_at(slopes.len() / 3);
    let (by_width, by_square) = rest.split_at(means.len());
    spread_means(means, by_width, by_square, places, board, to);
}

fn spread_means(means: &[f32], by_width: &[f32], by_square: &[f32], places: &Places, board: usize, to: &mut Plane) {
    let (width, area) = (width(places), places.area() as f32);
    let square = |channel: usize| by_square.get(channel).map_or(0.0, |slope| slope * (width * width - 0.1));
    let each = means.iter().zip(by_width).enumerate();
    let each: Vec<f32> = each.map(|(channel, (mean, by))| (mean + by * width + square(channel)) / area).collect();
    places.of(board).iter().for_each(|&cell| add(to.row_mut(cell), &each));
}

#[cfg(test)]
#[path = "learn_tests.rs"]
mod tests;
