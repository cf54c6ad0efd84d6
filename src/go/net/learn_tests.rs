//! The way back against differences, and the way there against the layers that play.

use super::*;
use crate::{
    base::Rng,
    go::net::{Net, Shape, Workspace, tests::inputs},
};

const SHAPE: Shape = Shape { blocks: 2, channels: 20, heads: 7, pooled: 6 };

/// A network whose every number has a say.
fn model(seed: u64) -> Model {
    let rng = &mut Rng::new(seed);
    let mut model = Model::random("test", SHAPE, rng);
    model.parts().into_iter().flatten().for_each(|number| *number += 0.05 * rng.normal() as f32);
    model
}

fn examples(size: usize, count: usize, seed: u64) -> Vec<Example> {
    let rng = &mut Rng::new(seed);
    let one = |input: Input| {
        let area = size * size;
        let win = rng.unit() as f32 * 0.9;
        let none = if input.may_be_endless() { 0.1 } else { 0.0 };
        Example {
            policy: vec![(rng.below(area), 0.5), (rng.below(area), 0.3), (area, 0.2)],
            value: [win, 1.0 - win - none, none],
            score: [10.0, 5.0, -30.0].map(|score| score * rng.unit() as f32),
            ownership: (0..area).map(|_| 2.0 * rng.unit() as f32 - 1.0).collect(),
            input,
        }
    };
    inputs(size, count, seed).into_iter().map(one).collect()
}

#[test]
fn training_hears_what_the_network_says() {
    let model = model(1);
    let net = Net::new(model.clone());
    for size in [5, 9] {
        let examples = examples(size, 3, 7);
        let mut room = Room::default();
        let mut run = Run { kernel: Kernel::chosen(), places: Places::new(size, 3), model: &model, room: &mut room };
        run.trunk(&examples);
        for (said, example) in run.heads().into_iter().zip(&examples) {
            let output = net.evaluate(std::slice::from_ref(&example.input), &mut Workspace::default()).remove(0);
            let close = |a: f32, b: f32| (a - b).abs() < 1e-3;
            assert!(said.policy.iter().zip(&output.policy).all(|(&a, &b)| close(a, b)));
            assert!(said.ownership.iter().zip(&output.ownership).all(|(&a, &b)| close(a.tanh(), b)));
            assert!(close(softplus(said.score[1]) * SCORE_UNIT, output.deviation));
        }
    }
}

/// For every part of the network: going along its slope changes the error as the slope says.
#[test]
fn slopes_are_those_of_the_errors() {
    for (kernel, size) in Kernel::available().zip([4, 6, 5]) {
        let examples = examples(size, 3, 11);
        let mut model = model(2);
        let mut gradient = model.zeros();
        let mut room = Room::default();
        learn_with(kernel, &model, &examples, &mut gradient, &mut room);
        let names = gradient.parts().len();
        for part in 0..names {
            let slopes = gradient.parts()[part].clone();
            let square: f64 = slopes.iter().map(|slope| f64::from(slope * slope)).sum();
            if part == 0 {
                assert!(square > 0.0);
            }
            if square < 1e-10 {
                continue;
            }
            // A small way, so that few units come over zero.
            let step = 2e-3 / square.sqrt();
            let mut total = |factor: f64| {
                let own = model.parts()[part].clone();
                model.parts()[part].iter_mut().zip(&slopes).for_each(|(n, slope)| *n += (factor * step) as f32 * slope);
                let mut unused = model.zeros();
                let errors = learn_with(kernel, &model, &examples, &mut unused, &mut room).total();
                *model.parts()[part] = own;
                errors
            };
            let found = (total(1.0) - total(-1.0)) / (2.0 * step);
            let ratio = found / square;
            assert!((0.9..1.1).contains(&ratio), "{kernel:?}, part {part}: {found} found, {square} said");
        }
    }
}

#[test]
fn every_part_of_a_network_learns() {
    let model = model(3);
    let mut gradient = model.zeros();
    for size in [5, 7] {
        learn(&model, &examples(size, 6, 3), &mut gradient, &mut Room::default());
    }
    let still: Vec<usize> = gradient
        .parts()
        .iter()
        .enumerate()
        .filter(|(_, part)| part.iter().all(|n| *n == 0.0))
        .map(|(n, _)| n)
        .collect();
    assert!(still.is_empty(), "{still:?}");
}

/// In the same room with boards of another size before it, and in parts, the sums are the same.
#[test]
fn parts_add_up() {
    let model = model(4);
    let examples = examples(6, 6, 5);
    let mut room = Room::default();
    let mut whole = model.zeros();
    let errors = learn(&model, &examples, &mut whole, &mut room);
    learn(&model, &self::examples(9, 2, 1), &mut model.zeros(), &mut room);
    let mut parts = model.zeros();
    let sum = examples.chunks(4).map(|part| learn(&model, part, &mut parts, &mut room));
    let sum = sum.fold(Errors::default(), Errors::join);
    assert!((sum.total() - errors.total()).abs() < 1e-4 * errors.total());
    for (a, b) in whole.parts().into_iter().flatten().zip(parts.parts().into_iter().flatten()) {
        assert!((*a - *b).abs() < 1e-3 * (1.0 + b.abs()), "{a} {b}");
    }
}
