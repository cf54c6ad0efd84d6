//! A tiny network of random numbers, written and read, and its layers against plain sums.

use super::{file::GLOBALS, model::*, *};
use crate::{
    base::{Colour, Control, Limits, Rng},
    go::{
        config::{Config, PlayerKind},
        game::GoGame,
        notation::parse_picture,
        point::Point,
        report::{Choice, Report},
        rules::Rules,
    },
};

fn numbers(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| (rng.below(2001) as f32 - 1000.0) / 4000.0).collect()
}

fn conv(rng: &mut Rng, side: usize, inputs: usize, outputs: usize) -> Conv {
    Conv { side, inputs, outputs, weights: numbers(rng, side * side * inputs * outputs) }
}

fn norm(rng: &mut Rng, channels: usize) -> Norm {
    let scale = numbers(rng, channels).iter().map(|n| n + 0.5).collect();
    Norm { scale, bias: numbers(rng, channels) }
}

fn fully(rng: &mut Rng, inputs: usize, outputs: usize) -> Dense {
    Dense { inputs, outputs, weights: numbers(rng, inputs * outputs) }
}

/// The file of a tiny network.
pub fn tiny_file(seed: u64) -> Vec<u8> {
    write::write(&tiny(seed))
}

/// Two blocks of odd widths, one of them with pooling.
fn tiny(seed: u64) -> Model {
    let rng = &mut Rng::new(seed);
    let (channels, middle, pooled) = (20, 40, 6);
    let block = |rng: &mut Rng, pools: bool| {
        let first_outputs = if pools { middle - pooled } else { middle };
        model::Block {
            before: norm(rng, channels),
            first: conv(rng, 3, channels, first_outputs),
            pooling: pools.then(|| Pooling {
                conv: conv(rng, 3, channels, pooled),
                norm: norm(rng, pooled),
                to_bias: fully(rng, 3 * pooled, first_outputs),
            }),
            between: norm(rng, first_outputs),
            second: conv(rng, 3, first_outputs, channels),
        }
    };
    let blocks = vec![block(rng, false), block(rng, true)];
    Model {
        name: "tiny".into(),
        version: 8,
        first: conv(rng, 5, PLANES, channels),
        first_global: fully(rng, GLOBALS, channels),
        blocks,
        last: norm(rng, channels),
        policy: PolicyHead {
            points: conv(rng, 1, channels, 9),
            board: conv(rng, 1, channels, 8),
            board_norm: norm(rng, 8),
            board_to_points: fully(rng, 24, 9),
            norm: norm(rng, 9),
            last: conv(rng, 1, 9, 1),
            pass: fully(rng, 24, 1),
        },
        value: ValueHead {
            first: conv(rng, 1, channels, 10),
            norm: norm(rng, 10),
            hidden: fully(rng, 30, 12),
            hidden_bias: numbers(rng, 12),
            value: fully(rng, 12, 3),
            value_bias: numbers(rng, 3),
            score: fully(rng, 12, 4),
            score_bias: numbers(rng, 4),
            ownership: conv(rng, 1, 10, 1),
        },
    }
}

/// Inputs of random games of one size.
pub fn inputs(size: usize, count: usize, seed: u64) -> Vec<Input> {
    let rng = &mut Rng::new(seed);
    let mut ladders = Ladders::default();
    (0..count)
        .map(|number| {
            let rules = Rules::ALL[number % Rules::ALL.len()];
            let mut game = GoGame::new(size, rules, 6.5).expect("a size");
            for _ in 0..rng.below(size * size) {
                let points = game.legal_points();
                let Some(&p) = rng.pick(&points) else { break };
                game.play(game.to_move(), p).expect("legal");
            }
            Input::new(&Recent::of(&game).situation(&game), &mut ladders)
        })
        .collect()
}

/// The network in plain sums, point by point.
mod plain {
    use super::*;

    type Points = Vec<Vec<f32>>;

    fn conv(from: &Points, size: usize, conv: &Conv) -> Points {
        let reach = (conv.side / 2) as isize;
        let one = |point: usize| {
            let mut sums = vec![0.0f32; conv.outputs];
            for dy in -reach..=reach {
                for dx in -reach..=reach {
                    let (x, y) = ((point % size) as isize + dx, (point / size) as isize + dy);
                    if x < 0 || y < 0 || x >= size as isize || y >= size as isize {
                        continue;
                    }
                    let tap = ((dy + reach) * conv.side as isize + dx + reach) as usize;
                    for (input, value) in from[(y * size as isize + x) as usize].iter().enumerate() {
                        for (output, sum) in sums.iter_mut().enumerate() {
                            *sum += value * conv.weights[(tap * conv.inputs + input) * conv.outputs + output];
                        }
                    }
                }
            }
            sums
        };
        (0..size * size).map(one).collect()
    }

    fn norm(from: &Points, norm: &Norm) -> Points {
        let one =
            |row: &Vec<f32>| row.iter().enumerate().map(|(c, n)| (n * norm.scale[c] + norm.bias[c]).max(0.0)).collect();
        from.iter().map(one).collect()
    }

    fn dense(from: &[f32], dense: &Dense) -> Vec<f32> {
        let one = |output| from.iter().enumerate().map(|(i, n)| n * dense.weights[i * dense.outputs + output]).sum();
        (0..dense.outputs).map(one).collect()
    }

    fn add(to: &mut Points, biases: &[f32]) {
        to.iter_mut().for_each(|row| row.iter_mut().zip(biases).for_each(|(n, b)| *n += b));
    }

    fn pool(from: &Points, size: usize, for_value: bool) -> Vec<f32> {
        let channels = from[0].len();
        let mean = |c: usize| from.iter().map(|row| row[c]).sum::<f32>() / from.len() as f32;
        let most = |c: usize| from.iter().map(|row| row[c]).fold(0.0, f32::max);
        let width = (size as f32 - 14.0) / 10.0;
        let third = |c| if for_value { mean(c) * (width * width - 0.1) } else { most(c) };
        (0..channels).map(mean).chain((0..channels).map(|c| mean(c) * width)).chain((0..channels).map(third)).collect()
    }

    /// Policy logits, value logits, score outputs and ownership before its last function.
    pub fn run(model: &Model, input: &Input) -> (Vec<f32>, Vec<f32>, Vec<f32>, Vec<f32>) {
        let size = input.size;
        let planes: Points = input.planes.chunks(PLANES).map(<[f32]>::to_vec).collect();
        let mut trunk = conv(&planes, size, &model.first);
        add(&mut trunk, &dense(&input.globals, &model.first_global));
        for block in &model.blocks {
            let normal = norm(&trunk, &block.before);
            let mut middle = conv(&normal, size, &block.first);
            if let Some(pooling) = &block.pooling {
                let pooled = norm(&conv(&normal, size, &pooling.conv), &pooling.norm);
                add(&mut middle, &dense(&pool(&pooled, size, false), &pooling.to_bias));
            }
            let more = conv(&norm(&middle, &block.between), size, &block.second);
            trunk.iter_mut().zip(more).for_each(|(row, more)| row.iter_mut().zip(more).for_each(|(n, m)| *n += m));
        }
        let trunk = norm(&trunk, &model.last);
        let p = &model.policy;
        let pooled = pool(&norm(&conv(&trunk, size, &p.board), &p.board_norm), size, false);
        let mut points = conv(&trunk, size, &p.points);
        add(&mut points, &dense(&pooled, &p.board_to_points));
        let mut policy: Vec<f32> = conv(&norm(&points, &p.norm), size, &p.last).concat();
        policy.extend(dense(&pooled, &p.pass));
        let v = &model.value;
        let first = norm(&conv(&trunk, size, &v.first), &v.norm);
        let plus = |sums: Vec<f32>, bias: &[f32]| -> Vec<f32> { sums.iter().zip(bias).map(|(s, b)| s + b).collect() };
        let hidden = plus(dense(&pool(&first, size, true), &v.hidden), &v.hidden_bias);
        let hidden: Vec<f32> = hidden.iter().map(|n| n.max(0.0)).collect();
        let value = plus(dense(&hidden, &v.value), &v.value_bias);
        let score = plus(dense(&hidden, &v.score), &v.score_bias);
        (policy, value, score, conv(&first, size, &v.ownership).concat())
    }
}

fn close(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-3 * (1.0 + b.abs())
}

#[test]
fn every_kernel_says_what_plain_sums_say() {
    let model = tiny(1);
    let net = Net::new(model.clone());
    for size in [2, 5, 9, 13] {
        let inputs = inputs(size, 4, size as u64);
        for kernel in Kernel::available() {
            // All together, and one after the other in a room that has been used.
            let mut room = Workspace::default();
            let together = net.evaluate_with(kernel, &inputs, &mut room);
            for (input, output) in inputs.iter().zip(&together) {
                let (policy, value, score, ownership) = plain::run(&model, input);
                assert_eq!(output.policy.len(), size * size + 1);
                assert!(output.policy.iter().zip(policy).all(|(&a, b)| close(a, b)), "{kernel:?} {size}");
                let endless = if input.may_be_endless() { value[2] } else { f32::NEG_INFINITY };
                let [win, loss, none] = shares([value[0], value[1], endless]);
                assert!(close(output.win, win) && close(output.loss, loss) && close(output.no_result, none));
                assert!(close(output.score, score[0] * 20.0 * (1.0 - none)));
                assert!(close(output.deviation, softplus(score[1]) * 20.0));
                assert!(close(output.lead, score[2] * 20.0 * (1.0 - none)));
                assert!(output.ownership.iter().zip(ownership).all(|(&a, b)| close(a, b.tanh())));
                let alone = &net.evaluate_with(kernel, std::slice::from_ref(input), &mut room)[0];
                assert!(alone.policy.iter().zip(&output.policy).all(|(&a, &b)| close(a, b)));
            }
        }
    }
}

#[test]
fn a_network_that_was_written_reads_the_same() {
    let mut model = tiny(2);
    let mut read = file::read(&write::write(&model)).expect("our own file");
    let again = file::read(&write::write(&read)).expect("our own file");
    assert_eq!(read.parameters(), model.parameters());
    assert_eq!(read, again);
    for (a, b) in read.last.scale.iter().zip(&model.last.scale) {
        assert!(close(*a, *b));
    }
    assert_eq!((read.first, read.value.ownership), (model.first, model.value.ownership));
}

#[test]
fn damaged_networks_are_refused_with_the_reason() {
    let whole = write::write(&tiny(3));
    for cut in [0, 3, 40, 300, whole.len() / 2, whole.len() - 300] {
        let error = file::read(&whole[..cut]).expect_err("cut short").to_string();
        assert!(error.contains("ends in the middle") || error.contains("not a network"), "{cut}: {error}");
    }
    let text = |from: &str, to: &str| {
        let at = whole.windows(from.len()).position(|w| w == from.as_bytes()).expect("it is there");
        [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat()
    };
    let refused = |bytes: Vec<u8>| file::read(&bytes).expect_err("damaged").to_string();
    assert_eq!(refused(text("tiny\n8\n", "tiny\n14\n")), NetError::Version(14).to_string());
    assert!(refused(text("ordinary_block", "strange_block")).contains("ordinary_block or gpool_block expected"));
    assert!(refused(text("conv1\n5\n5\n22", "conv1\n5\n5\n21")).contains("`conv1`: the number of inputs is 21"));
    let mut infinite = whole.clone();
    let at = whole.windows(5).position(|w| w == b"@BIN@").expect("a block") + 5;
    infinite[at..at + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(refused(infinite), "`conv1`: a number is not finite");
    assert_eq!(refused(b"GIF89a".to_vec()), NetError::NotOne.to_string());
}

/// A search with a network for so many visits.
fn searched(net: &Net, cache: &Cache, game: &GoGame, config: &Config, visits: u64, choose: bool) -> Report {
    let limits = Limits { nodes: Some(visits), ..Limits::NONE };
    let request = search::Request { game, config, net, cache, restrictions: &[], limits, choose };
    search::search(&request, Control::alone())
}

#[test]
fn a_search_visits_legal_moves_and_counts_them() {
    let net = Net::new(tiny(4));
    for (size, threads, rules) in [(5, 1, Rules::CHINESE), (9, 2, Rules::JAPANESE), (7, 3, Rules::TROMP_TAYLOR)] {
        let mut game = GoGame::new(size, rules, 5.5).expect("a size");
        let config = Config { threads, early_stop: false, ..Config::named(PlayerKind::Net) };
        let cache = Cache::new(1 << 20);
        while !game.is_over() && game.plays().len() < 40 {
            let report = searched(&net, &cache, &game, &config, 60, true);
            let visits: u64 = report.moves.iter().map(|m| m.visits).sum();
            // The root itself takes the first visit.
            assert!(report.complete && report.playouts == 60, "{}", report.playouts);
            assert_eq!(visits, report.playouts - 1);
            let priors: f64 = report.moves.iter().map(|m| m.prior).sum();
            assert!((priors - 1.0).abs() < 1e-3);
            assert!(report.moves.iter().all(|m| m.line[0] == m.point && (0.0..=1.0).contains(&m.win_rate)));
            let Choice::Play(p) = report.choice else { panic!("it gave up") };
            game.play(game.to_move(), p).expect("a legal move");
        }
    }
}

#[test]
fn a_win_is_found_where_the_game_ends_by_a_pass() {
    // Both sides have settled what is theirs and white has just passed: black is ahead, so a pass wins at once.
    let board = parse_picture(".XXO.\nXXXOO\nX.XO.\nXXXOO\n.XXO.").expect("a picture");
    let mut game = GoGame::from_board(board, Rules::TROMP_TAYLOR, 0.5);
    game.play(Colour::Black, Point::PASS).expect("a pass");
    game.play(Colour::White, Point::PASS).expect("a pass");
    game.back_to(1);
    let net = Net::new(tiny(4));
    let config = Config { threads: 1, ..Config::named(PlayerKind::Net) };
    let report = searched(&net, &Cache::new(1 << 20), &game, &config, 400, false);
    let pass = report.moves.iter().find(|m| m.point.is_pass()).expect("a pass is a move");
    assert!(pass.visits == 0 || pass.win_rate < 0.01, "white loses by passing: {pass:?}");
    assert!(matches!(report.choice, Choice::Play(_)));
}
