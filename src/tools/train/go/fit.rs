//! `train go-net`: a network learns from labelled positions.
//!
//! Stochastic gradient descent with Adam's steps, on boards turned and mirrored at random. A batch is of one size; which
//! positions are in it depends on the seed and its number alone, so training goes on where it stopped. A batch is worked on
//! in parts whose slopes are added in order: any number of threads gives the same network.

use super::{
    super::{TrainError, at, pool, progress, write_file},
    labels::{self, Sample},
    measure::{self, Measures},
};
use crate::{
    base::{Rng, files},
    go::net::{
        Input, Model, Net, Shape,
        file::PLANES,
        learn::{self, Errors, Example, Room},
        write,
    },
};
use flate2::{Compression, Crc, write::GzEncoder};
use rayon::prelude::*;
use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

#[derive(clap::Args, Debug)]
pub struct NetOptions {
    /// Where to write the network, packed by gzip; what is needed to go on is kept beside it with `.state` at the end
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Positions to learn from, one after the other; a network that has learned fewer goes on
    #[arg(long, default_value_t = 1_000_000)]
    positions: u64,
    /// Blocks of a new network
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=40))]
    blocks: u16,
    /// Channels of a new network
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=512))]
    channels: u16,
    /// Its name in the file
    #[arg(long, default_value = "shirokuro", value_parser = name)]
    name: String,
    /// Positions that share a step
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    batch: u16,
    /// Size of the first steps; they become smaller and smaller up to the last position
    #[arg(long, default_value_t = 0.003)]
    rate: f32,
    /// Part of the move that was played in what the policy is to say; the rest is what the label says
    #[arg(long, default_value_t = 0.2)]
    people_share: f32,
    /// Hold out one game in so many
    #[arg(long, default_value_t = 20)]
    hold_out: u64,
    /// Write and measure the network after so many positions
    #[arg(long, default_value_t = 50_000)]
    every: u64,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Worked on at a time; the result does not depend on it
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of labelled positions
    #[arg(required = true)]
    labels: Vec<PathBuf>,
}

/// The part of all positions in which steps grow to their full size, and the rate at the end.
const WARM_UP: f64 = 0.005;
const LAST_RATE: f64 = 0.01;
/// Points of the boards in a part of a batch.
const PART: usize = 2048;
/// Held-out positions that are measured on the way.
const MEASURED: usize = 2000;

fn name(text: &str) -> Result<String, String> {
    let fits = (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    if fits { Ok(text.into()) } else { Err("a word of at most 64 letters and signs expected".into()) }
}

pub fn run(options: &NetOptions) -> Result<(), TrainError> {
    let (learn, judge) = labels::read_split(&options.labels, options.hold_out)?;
    crate::say_line!("{} positions to learn from, {} to judge by", learn.len(), judge.len());
    let judge = measure::thin_out(judge, MEASURED);
    let state_path = files::with_suffix(&options.output, ".state");
    let mut state = match state_path.exists() {
        true => {
            let bytes = files::read(&state_path, u64::MAX).map_err(at(&state_path))?;
            let error = || TrainError::Games { path: state_path.clone(), error: "not the state of a training".into() };
            State::from_bytes(&bytes, &options.name).ok_or_else(error)?
        }
        false => {
            let (channels, blocks) = (usize::from(options.channels), usize::from(options.blocks));
            let shape = Shape { blocks, channels, heads: channels, pooled: channels.div_ceil(2) };
            State::new(shape, options.seed, &options.name)
        }
    };
    crate::say_line!(
        "{} numbers to learn, {} positions learned from so far",
        state.model.parameters(),
        state.positions
    );
    let trainer = Trainer::new(&learn, options);
    let pool = pool(options.threads)?;
    let bar = progress(options.positions, "positions");
    let mut errors = Errors::default();
    let mut next = (state.positions / options.every + 1) * options.every;
    while state.positions < options.positions {
        errors = errors.join(pool.install(|| trainer.step(&mut state)));
        bar.set_position(state.positions);
        if !errors.total().is_finite() {
            return Err(TrainError::Games {
                path: options.output.clone(),
                error: "training went wrong: the errors are not finite; try a lower --rate".into(),
            });
        }
        if state.positions >= next || state.positions >= options.positions {
            next += options.every;
            write_net(&options.output, &state.model)?;
            write_file(&state_path, &state.bytes())?;
            let held_out = measure::measure(&Net::new(state.model.clone()), &judge, &pool);
            let sum = held_out.into_values().fold(Measures::default(), Measures::join);
            let each = |error: f64| error / errors.count as f64;
            crate::say_line!(
                "{:9} positions: learned policy {:.3} value {:.3} score {:.3} ownership {:.3}, held out {}",
                state.positions,
                each(errors.policy),
                each(errors.value),
                each(errors.score),
                each(errors.ownership),
                sum.line()
            );
            errors = Errors::default();
        }
    }
    bar.finish();
    Ok(())
}

fn write_net(path: &Path, model: &Model) -> Result<(), TrainError> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let bytes = packer.write_all(&write(model)).and_then(|()| packer.finish()).map_err(at(path))?;
    write_file(path, &bytes)
}

/// A network on its way, with what Adam remembers.
struct State {
    shape: Shape,
    seed: u64,
    positions: u64,
    model: Model,
    mean: Model,
    square: Model,
}

const MARK: &[u8; 4] = b"SKGS";

impl State {
    fn new(shape: Shape, seed: u64, name: &str) -> State {
        let model = Model::random(name, shape, &mut Rng::new(seed));
        let (mean, square) = (model.zeros(), model.zeros());
        State { shape, seed, positions: 0, model, mean, square }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        let Shape { blocks, channels, heads, pooled } = self.shape;
        bytes.extend([blocks, channels, heads, pooled].iter().flat_map(|n| (*n as u32).to_le_bytes()));
        bytes.extend([self.seed, self.positions].iter().flat_map(|n| n.to_le_bytes()));
        for model in [&mut self.model, &mut self.mean, &mut self.square] {
            bytes.extend(model.parts().into_iter().flatten().flat_map(|n| n.to_le_bytes()));
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8], name: &str) -> Option<State> {
        let (bytes, crc) = bytes.split_last_chunk::<4>()?;
        let (mark, rest) = bytes.split_first_chunk::<4>()?;
        if mark != MARK || u32::from_le_bytes(*crc) != checksum(bytes) {
            return None;
        }
        let (head, rest) = rest.split_first_chunk::<32>()?;
        let word = |n: usize| Some(u32::from_le_bytes(*head[4 * n..].first_chunk()?) as usize);
        let long = |n: usize| Some(u64::from_le_bytes(*head[16 + 8 * n..].first_chunk()?));
        let shape = Shape { blocks: word(0)?, channels: word(1)?, heads: word(2)?, pooled: word(3)? };
        let mut state = State::new(shape, long(0)?, name);
        state.positions = long(1)?;
        let mut numbers = rest.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        for model in [&mut state.model, &mut state.mean, &mut state.square] {
            for number in model.parts().into_iter().flatten() {
                *number = numbers.next()?;
            }
        }
        numbers.next().is_none().then_some(state)
    }

    /// One step of Adam.
    fn step(&mut self, gradient: &mut Model, count: u64, rate: f32) {
        const MEAN: f32 = 0.9;
        const SQUARE: f32 = 0.999;
        let parts = self.model.parts().into_iter().zip(gradient.parts());
        let memory = self.mean.parts().into_iter().zip(self.square.parts());
        for ((numbers, slopes), (means, squares)) in parts.zip(memory) {
            for ((number, slope), (mean, square)) in numbers.iter_mut().zip(slopes).zip(means.iter_mut().zip(squares)) {
                let slope = *slope / count as f32;
                *mean = MEAN * *mean + (1.0 - MEAN) * slope;
                *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
                *number -= rate * *mean / (square.sqrt() + 1e-8);
            }
        }
        self.positions += count;
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

struct Trainer<'a> {
    /// By size of the board.
    samples: Vec<(usize, Vec<&'a Sample>)>,
    count: usize,
    positions: u64,
    batch: usize,
    rate: f32,
    people_share: f32,
    rooms: Mutex<Vec<Room>>,
}

impl<'a> Trainer<'a> {
    fn new(learn: &'a [Sample], options: &NetOptions) -> Trainer<'a> {
        let mut samples: Vec<(usize, Vec<&Sample>)> = Vec::new();
        for size in 0..=19 {
            let of_size: Vec<&Sample> = learn.iter().filter(|sample| sample.size == size).collect();
            if !of_size.is_empty() {
                samples.push((size, of_size));
            }
        }
        Trainer {
            samples,
            count: learn.len(),
            positions: options.positions,
            batch: usize::from(options.batch),
            rate: options.rate,
            people_share: options.people_share,
            rooms: Mutex::default(),
        }
    }

    fn step(&self, state: &mut State) -> Errors {
        let mut rng = Rng::new(state.seed ^ state.positions.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut number = rng.below(self.count);
        let of_size = self.samples.iter().find(|(_, samples)| {
            let found = number < samples.len();
            number = number.wrapping_sub(if found { 0 } else { samples.len() });
            found
        });
        let Some((size, samples)) = of_size else { return Errors::default() };
        let examples: Vec<(usize, u8)> =
            (0..self.batch).map(|_| (rng.below(samples.len()), rng.below(8) as u8)).collect();
        let model = &state.model;
        let part = |part: &[(usize, u8)]| {
            let examples: Vec<Example> =
                part.iter().map(|&(n, symmetry)| example(samples[n], symmetry, self.people_share)).collect();
            let mut gradient = model.zeros();
            let lock = || self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
            let mut room = lock().pop().unwrap_or_default();
            let errors = learn::learn(model, &examples, &mut gradient, &mut room);
            lock().push(room);
            (gradient, errors)
        };
        let parts: Vec<(Model, Errors)> =
            examples.par_chunks((PART / (size * size)).clamp(1, self.batch)).map(part).collect();
        let mut gradient = model.zeros();
        let mut errors = Errors::default();
        for (mut slopes, more) in parts {
            errors = errors.join(more);
            for (sum, part) in gradient.parts().into_iter().zip(slopes.parts()) {
                sum.iter_mut().zip(part).for_each(|(sum, slope)| *sum += *slope);
            }
        }
        let done = state.positions as f64 / self.positions as f64;
        let falling = LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
        let rate = f64::from(self.rate) * falling * (done / WARM_UP).min(1.0);
        state.step(&mut gradient, examples.len() as u64, rate as f32);
        errors
    }
}

/// The point that one of the eight symmetries brings to a point.
fn turned(symmetry: u8, size: usize, point: usize) -> usize {
    let (mut row, mut column) = (point / size, point % size);
    if symmetry & 1 != 0 {
        row = size - 1 - row;
    }
    if symmetry & 2 != 0 {
        column = size - 1 - column;
    }
    if symmetry & 4 != 0 {
        (row, column) = (column, row);
    }
    row * size + column
}

/// A sample as the network learns it, turned or mirrored.
fn example(sample: &Sample, symmetry: u8, people_share: f32) -> Example {
    let area = sample.area();
    let mut planes = vec![0.0; area * PLANES];
    let mut ownership = vec![0.0; area];
    for (point, (&bits, &own)) in sample.points.iter().zip(&sample.ownership).enumerate() {
        let to = turned(symmetry, sample.size, point);
        for (plane, value) in planes[to * PLANES..][..PLANES].iter_mut().enumerate() {
            *value = ((bits >> plane) & 1) as f32;
        }
        ownership[to] = f32::from(own) / 127.0;
    }
    let to = |point: u16| match usize::from(point) {
        point if point < area => turned(symmetry, sample.size, point),
        pass => pass,
    };
    let people_share = if sample.played.is_some() { people_share } else { 0.0 };
    let sum: f32 = sample.policy.iter().map(|(_, share)| f32::from(*share)).sum();
    let shares = sample.policy.iter().map(|&(p, share)| (to(p), (1.0 - people_share) * f32::from(share) / sum));
    let policy = shares.chain(sample.played.map(|p| (to(p), people_share))).collect();
    let [win, loss, none, score, deviation, lead] = sample.heads;
    let input = Input { size: sample.size, planes, globals: sample.globals };
    Example { input, policy, value: [win, loss, none], score: [score, deviation, lead], ownership }
}

#[cfg(test)]
mod tests {
    use super::{super::labels::tests::sample, *};

    fn options(positions: u64) -> NetOptions {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            options: NetOptions,
        }
        let words =
            ["train", "-o", "net", "--batch", "16", "--people-share", "0", "--positions", &positions.to_string(), "x"];
        <Line as clap::Parser>::try_parse_from(words).unwrap().options
    }

    fn samples() -> Vec<Sample> {
        let rng = &mut Rng::new(1);
        let one = |n: usize, rng: &mut Rng| {
            let mut sample = sample(if n < 4 { 5 } else { 3 }, rng);
            sample.globals[6] = 1.0;
            sample.globals[9] = 0.0;
            sample.policy = Box::new([(rng.below(9) as u16, 65535)]);
            sample.heads = [[1.0, 0.0], [0.0, 1.0]][n % 2]
                .into_iter()
                .chain([0.0, 5.0, 5.0, 5.0])
                .collect::<Vec<_>>()
                .try_into()
                .unwrap();
            sample
        };
        (0..8).map(|n| one(n, rng)).collect()
    }

    fn state() -> State {
        State::new(Shape { blocks: 2, channels: 16, heads: 16, pooled: 8 }, 3, "test")
    }

    #[test]
    fn a_few_positions_are_learned_by_heart() {
        let samples = samples();
        let mut state = state();
        let trainer = Trainer::new(&samples, &options(12_000));
        let mut last = Errors::default();
        while state.positions < 12_000 {
            let errors = trainer.step(&mut state);
            if state.positions > 11_000 {
                last = last.join(errors);
            }
        }
        let policy = last.policy / last.count as f64;
        let value = last.value / last.count as f64;
        assert!(policy < 0.5 && value < 0.2, "policy {policy} of {}, value {value} of 0.69", 26f64.ln());
    }

    #[test]
    fn training_goes_on_where_it_stopped_with_any_number_of_threads() {
        let samples = samples();
        let options = options(1_000);
        let trainer = Trainer::new(&samples, &options);
        let mut through = state();
        for _ in 0..6 {
            trainer.step(&mut through);
        }
        let mut stopped = state();
        for threads in [1, 3] {
            super::super::super::pool(threads).unwrap().install(|| {
                (0..3).for_each(|_| {
                    trainer.step(&mut stopped);
                })
            });
            stopped = State::from_bytes(&stopped.bytes(), "test").unwrap();
        }
        assert!(through.model == stopped.model && through.positions == 96);
        let bytes = stopped.bytes();
        assert!(State::from_bytes(&bytes[..bytes.len() - 4], "test").is_none());
    }

    #[test]
    fn turning_takes_everything_along() {
        let sample = sample(5, &mut Rng::new(2));
        for symmetry in 0..8 {
            let example = example(&sample, symmetry, 0.5);
            let mut all: Vec<usize> = (0..25).map(|p| turned(symmetry, 5, p)).collect();
            for (from, &to) in all.iter().enumerate() {
                let bits =
                    (0..PLANES).map(|p| u32::from(example.input.planes[to * PLANES + p] != 0.0) << p).sum::<u32>();
                assert_eq!(bits, sample.points[from]);
                assert_eq!(example.ownership[to], f32::from(sample.ownership[from]) / 127.0);
            }
            all.sort_unstable();
            assert_eq!(all, (0..25).collect::<Vec<_>>());
            let sum: f32 = example.policy.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-4);
        }
    }
}
