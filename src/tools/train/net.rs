//! Training of the network that completes the sum of weights.
//!
//! Stochastic gradient descent on the squared error of sum and network together. The rows take steps that shrink with
//! what they have seen (Adagrad, one scale for each row), so that seldom seen rows still learn and the others settle;
//! all begin at zero, so that what was never seen says nothing. The layers behind them are few numbers and take Adam's
//! steps.
//!
//! A batch belongs to one stage of the game. Its slopes are found in parts of fixed size, then every table takes those
//! that concern it, in the order of the batch: any number of threads gives the same network.

use super::{
    TrainError,
    fit::Errors,
    progress,
    samples::{self, Labelling, ROW, Sample},
};
use crate::{
    base::Rng,
    othello::eval::{
        DISC, PHASES, Packing, Parameters, Weights,
        net::{
            INNER, INNER_UNIT, LARGEST, Layers, NetParameters, RESULT_UNIT, ROW_UNIT, Row, STAGES, UNIT_UNIT, WIDTH,
            stage,
        },
        phase,
    },
};
use rayon::prelude::*;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct NetOptions {
    /// Weights to complete; a network that they have is trained on
    #[arg(long, value_name = "FILE")]
    eval: PathBuf,
    /// Where to write the weights with the network, after every round
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A remark kept in the weights file
    #[arg(long, default_value = "")]
    about: String,
    /// Rounds through all positions
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Size of the first steps; they become smaller and smaller up to the last round
    #[arg(long, default_value_t = 0.01)]
    rate: f32,
    /// Part of a search's score in the label of a position; the rest is the score the game led to
    #[arg(long, default_value_t = 0.7)]
    search_share: f32,
    /// Positions that the sum of weights puts so many discs from a draw count half, those further off still less; 0: all
    /// count alike
    #[arg(long, default_value_t = 0.0)]
    focus: f32,
    /// Hold out one game in so many
    #[arg(long, default_value_t = 20)]
    hold_out: u64,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Worked on at a time; the result does not depend on it
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of training games
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// Positions that share a step, and how many of them are worked on in one piece.
const BATCH: usize = 256;
const PART: usize = 64;

/// Results are counted in so many discs, so that all numbers stay near 1.
const SCALE: f32 = 32.0;

/// The rate of the layers in terms of that of the rows.
const LAYERS_RATE: f32 = 0.05;
/// The part of all batches in which steps grow to their full size.
const WARM_UP: f32 = 0.01;
/// The rate at the end in terms of that at the beginning.
const LAST_RATE: f32 = 0.02;

pub fn run(options: &NetOptions) -> Result<(), TrainError> {
    let older = super::parameters_of(&options.eval)?;
    let packing = Packing::shared();
    let sum = Weights::from_parameters(&Parameters { net: None, ..older.clone() }, packing);
    let games = super::read_games(&options.games)?;
    let labelling = Labelling { search_share: options.search_share, hold_out: options.hold_out };
    let mut split = samples::split(&games, labelling);
    if options.focus > 0.0 {
        samples::focus(&mut split.learn, &sum, options.focus);
    }
    crate::say_line!(
        "{} games, {} positions to learn from, {} to judge by",
        games.len(),
        split.learn.len(),
        split.judge.len()
    );
    drop(games);
    let before = errors(&sum, &split.judge);
    let learn = by_stage(&split.learn, packing, &sum);
    drop(std::mem::take(&mut split.learn));
    let mut model = Model::new(packing, older.net.as_ref(), options.seed);
    let mut rng = Rng::new(options.seed);
    let pool = super::pool(options.threads)?;
    for round in 0..options.rounds {
        pool.install(|| model.learn(&learn, (round, options.rounds), options.rate, &mut rng));
        let parameters = Parameters { net: Some(model.parameters()), about: options.about.clone(), ..older.clone() };
        let after = errors(&Weights::from_parameters(&parameters, packing), &split.judge);
        print_errors(&before, &after, round + 1 == options.rounds);
        let bytes = super::write_weights(&options.output, &parameters)?;
        crate::say_line!("round {}: {bytes} bytes written to {}", round + 1, options.output.display());
    }
    Ok(())
}

/// By phase, on samples that were not learnt from.
fn errors(weights: &Weights, samples: &[Sample]) -> Vec<Errors> {
    let empty = || vec![Errors::default(); PHASES];
    let add = |mut errors: Vec<Errors>, s: &Sample| {
        errors[phase(s.board.empty_count())].add(weights.discs(s.board) - f64::from(s.label));
        errors
    };
    let join = |a: Vec<Errors>, b: Vec<Errors>| a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect();
    samples.par_iter().fold(empty, add).reduce(empty, join)
}

fn print_errors(before: &[Errors], after: &[Errors], all: bool) {
    if all {
        crate::say_line!("phase  empties  held out  RMSE of the sum  with the network    MAE    bias");
        for (p, (b, a)) in before.iter().zip(after).enumerate().filter(|(_, (b, _))| b.count > 0) {
            let empties: Vec<u32> = (0..=60).filter(|&e| phase(e) == p).collect();
            let (low, high) = (empties.first().unwrap_or(&0), empties.last().unwrap_or(&0));
            let (mae, bias) = (a.mae(), a.bias());
            let (b_rmse, a_rmse) = (b.rmse(), a.rmse());
            crate::say_line!(
                "{p:5}  {low:2} to {high:2} {:9} {b_rmse:16.3} {a_rmse:17.3} {mae:6.3} {bias:+7.3}",
                b.count
            );
        }
    }
    let total = |e: &[Errors]| e.iter().copied().fold(Errors::default(), Errors::join);
    let (b, a) = (total(before), total(after));
    crate::say_line!("all {} held out: RMSE of the sum {:.3}, with the network {:.3}", b.count, b.rmse(), a.rmse());
}

/// The samples of one stage, ready to learn from.
#[derive(Default)]
struct StageSamples {
    /// For every sample the parameters it uses, each relative to the first of its table.
    features: Vec<u16>,
    /// What the sum of weights leaves to explain, in units of [`SCALE`].
    target: Vec<f32>,
    weight: Vec<f32>,
}

fn by_stage(samples: &[Sample], packing: &Packing, sum: &Weights) -> Vec<StageSamples> {
    let starts = samples::starts(packing);
    let collect = |own: usize| {
        let mut out = StageSamples::default();
        for s in samples.iter().filter(|s| stage(s.board.empty_count()) == own) {
            let parameters = packing.parameters_of(s.board);
            out.features.extend(parameters.iter().zip(&starts).map(|(n, start)| (n - start) as u16));
            out.target.push((s.label - sum.discs(s.board) as f32) / SCALE);
            out.weight.push(s.weight);
        }
        out
    };
    (0..STAGES).into_par_iter().map(collect).collect()
}

type RowSum = [f32; WIDTH];

/// The rows of one kind of pattern, or of one count.
struct Table {
    rows: Vec<RowSum>,
    /// The sum of squared slopes of each row.
    seen: Vec<f32>,
    /// The places in a sample that point here.
    features: std::ops::Range<usize>,
}

/// The layers of a stage, or slopes for them.
#[derive(Clone)]
struct Behind {
    start: RowSum,
    inner: [RowSum; INNER],
    inner_start: [f32; INNER],
    last: [f32; INNER],
    last_start: f32,
}

impl Behind {
    const ZERO: Behind = Behind {
        start: [0.0; WIDTH],
        inner: [[0.0; WIDTH]; INNER],
        inner_start: [0.0; INNER],
        last: [0.0; INNER],
        last_start: 0.0,
    };

    fn numbers(&mut self) -> impl Iterator<Item = &mut f32> {
        let inner = self.inner.iter_mut().flatten();
        let others = self.inner_start.iter_mut().chain(&mut self.last).chain([&mut self.last_start]);
        self.start.iter_mut().chain(inner).chain(others)
    }

    /// The same for all stages, different for all units.
    fn random(rng: &mut Rng) -> Behind {
        let mut unit = || (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32;
        let spread = (1.0 / WIDTH as f32).sqrt();
        Behind {
            start: std::array::from_fn(|_| 0.2 + 0.6 * unit()),
            inner: std::array::from_fn(|_| std::array::from_fn(|_| (2.0 * unit() - 1.0) * spread)),
            inner_start: std::array::from_fn(|_| 0.3 * unit()),
            last: std::array::from_fn(|_| (2.0 * unit() - 1.0) * 0.25),
            last_start: 0.0,
        }
    }

    fn from_layers(layers: &Layers) -> Behind {
        let unit = INNER_UNIT * UNIT_UNIT;
        let last = SCALE * DISC as f32 * RESULT_UNIT;
        Behind {
            start: layers.start.map(|n| f32::from(n) / ROW_UNIT),
            inner: layers.inner.map(|row| row.map(|n| f32::from(n) / INNER_UNIT)),
            inner_start: layers.inner_start.map(|n| n as f32 / unit),
            last: layers.last.map(|n| n as f32 * UNIT_UNIT / last),
            last_start: layers.last_start as f32 / last,
        }
    }

    fn to_layers(&self) -> Layers {
        // Both shifts cut off what is behind the point: half a step is added to their sums.
        let half = RESULT_UNIT / 2.0;
        let most = (LARGEST - 1) as f32;
        let whole = |x: f32| x.round().clamp(-most, most) as i32;
        let unit = INNER_UNIT * UNIT_UNIT;
        let last = SCALE * DISC as f32 * RESULT_UNIT;
        Layers {
            start: self.start.map(|x| (x * ROW_UNIT).round() as i16),
            inner: self.inner.map(|row| row.map(|x| (x * INNER_UNIT).round() as i8)),
            inner_start: self.inner_start.map(|x| whole(x * unit + half)),
            last: self.last.map(|x| whole(x * last / UNIT_UNIT)),
            last_start: whole(self.last_start * last + half),
        }
    }
}

/// Adam's two means of the slopes of a stage.
struct Memory {
    slope: Behind,
    square: Behind,
}

struct Model {
    tables: Vec<Table>,
    stages: Vec<Behind>,
    memory: Vec<Memory>,
}

impl Model {
    fn new(packing: &Packing, older: Option<&NetParameters>, seed: u64) -> Model {
        let starts = samples::starts(packing);
        let mut tables: Vec<Table> = Vec::new();
        let mut first = 0;
        for feature in 1..=ROW {
            let end = starts.get(feature).map_or(packing.len(), |&s| s as usize);
            let start = starts[first] as usize;
            if end != start {
                let row = |n: usize| older.map_or([0.0; WIDTH], |net| net.rows[n].0.map(|x| f32::from(x) / ROW_UNIT));
                let rows: Vec<RowSum> = (start..end).map(row).collect();
                let seen = vec![1e-3; rows.len()];
                tables.push(Table { rows, seen, features: first..feature });
                first = feature;
            }
        }
        let random = Behind::random(&mut Rng::new(seed));
        let behind = |s: usize| older.map_or(random.clone(), |net| Behind::from_layers(&net.stages[s]));
        let memory = || Memory { slope: Behind::ZERO, square: Behind::ZERO };
        Model { tables, stages: (0..STAGES).map(behind).collect(), memory: (0..STAGES).map(|_| memory()).collect() }
    }

    /// One round of several through all samples.
    fn learn(&mut self, samples: &[StageSamples], (round, rounds): (usize, usize), rate: f32, rng: &mut Rng) {
        let mut orders: Vec<Vec<u32>> = samples.iter().map(|s| (0..s.target.len() as u32).collect()).collect();
        orders.iter_mut().for_each(|order| rng.shuffle(order));
        let batches = orders.iter().enumerate().flat_map(|(stage, o)| o.chunks(BATCH).map(move |batch| (stage, batch)));
        let mut batches: Vec<(usize, &[u32])> = batches.collect();
        rng.shuffle(&mut batches);
        let bar = progress(batches.len() as u64, "batches");
        for (done, &(stage, batch)) in batches.iter().enumerate() {
            let part = (round as f32 + done as f32 / batches.len() as f32) / rounds as f32;
            let rate = rate * (1.0 - part).max(LAST_RATE) * (part / WARM_UP).min(1.0);
            self.step(&samples[stage], stage, batch, rate);
            bar.inc(1);
        }
        bar.finish();
    }

    fn step(&mut self, samples: &StageSamples, stage: usize, batch: &[u32], rate: f32) {
        let parts: Vec<(Vec<RowSum>, Behind)> = batch
            .par_chunks(PART)
            .map(|part| {
                let mut sum = Behind::ZERO;
                let slopes = part.iter().map(|&i| self.slopes(samples, stage, i as usize, &mut sum)).collect();
                (slopes, sum)
            })
            .collect();
        let mut sum = Behind::ZERO;
        let mut slopes = Vec::with_capacity(batch.len());
        for (own, mut behind) in parts {
            slopes.extend(own);
            sum.numbers().zip(behind.numbers()).for_each(|(s, b)| *s += *b);
        }
        self.tables.par_iter_mut().for_each(|table| {
            for (&i, slope) in batch.iter().zip(&slopes) {
                let row = &samples.features[i as usize * ROW..][..ROW];
                table.step(&row[table.features.clone()], slope, rate);
            }
        });
        self.memory[stage].step(&mut self.stages[stage], &mut sum, batch.len() as f32, rate * LAYERS_RATE);
    }

    /// The slope of a sample's error along the sum of its rows; that along everything behind is added to `sum`.
    fn slopes(&self, samples: &StageSamples, stage: usize, i: usize, sum: &mut Behind) -> RowSum {
        let behind = &self.stages[stage];
        let features = &samples.features[i * ROW..(i + 1) * ROW];
        let mut hidden = behind.start;
        for table in &self.tables {
            for &n in &features[table.features.clone()] {
                hidden.iter_mut().zip(&table.rows[usize::from(n)]).for_each(|(h, r)| *h += r);
            }
        }
        let cut = hidden.map(|h| h.clamp(0.0, 1.0));
        let units: [f32; INNER] = std::array::from_fn(|u| behind.inner_start[u] + dot(&behind.inner[u], &cut));
        let cut_units = units.map(|u| u.clamp(0.0, 1.0));
        let result = behind.last_start + dot(&behind.last, &cut_units);

        let slope = (result - samples.target[i]) * samples.weight[i];
        let mut below = [0.0; WIDTH];
        sum.last_start += slope;
        for u in 0..INNER {
            sum.last[u] += slope * cut_units[u];
            if units[u] > 0.0 && units[u] < 1.0 {
                let slope = slope * behind.last[u];
                sum.inner_start[u] += slope;
                for w in 0..WIDTH {
                    sum.inner[u][w] += slope * cut[w];
                    below[w] += slope * behind.inner[u][w];
                }
            }
        }
        for w in 0..WIDTH {
            if hidden[w] <= 0.0 || hidden[w] >= 1.0 {
                below[w] = 0.0;
            }
            sum.start[w] += below[w];
        }
        below
    }

    /// Rounded to what the weights file holds.
    fn parameters(&self) -> NetParameters {
        let row = |row: &RowSum| Row(row.map(|x| (x * ROW_UNIT).round().clamp(-127.0, 127.0) as i8));
        NetParameters {
            rows: self.tables.iter().flat_map(|t| t.rows.iter().map(row)).collect(),
            stages: self.stages.iter().map(Behind::to_layers).collect(),
        }
    }
}

fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Table {
    #[inline]
    fn step(&mut self, rows: &[u16], slope: &RowSum, rate: f32) {
        let square = dot(slope, slope) / WIDTH as f32;
        if square == 0.0 {
            return;
        }
        for &n in rows {
            let seen = &mut self.seen[usize::from(n)];
            *seen += square;
            let step = rate / seen.sqrt();
            self.rows[usize::from(n)].iter_mut().zip(slope).for_each(|(r, s)| *r -= step * s);
        }
    }
}

impl Memory {
    fn step(&mut self, behind: &mut Behind, sum: &mut Behind, count: f32, rate: f32) {
        let means = self.slope.numbers().zip(self.square.numbers());
        for ((number, slope), (mean, square)) in behind.numbers().zip(sum.numbers()).zip(means) {
            let slope = *slope / count;
            *mean = 0.9 * *mean + 0.1 * slope;
            *square = 0.999 * *square + 0.001 * slope * slope;
            *number -= rate * *mean / (square.sqrt() + 1e-8);
        }
        // What a byte can hold.
        let most = 127.0 / INNER_UNIT;
        behind.inner.iter_mut().flatten().for_each(|x| *x = x.clamp(-most, most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Board;

    /// Positions of random games, worth more or less by whether the own corners are even in number.
    fn samples(count: usize) -> Vec<Sample> {
        let mut rng = Rng::new(11);
        let mut out = Vec::new();
        while out.len() < count {
            let mut board = Board::START;
            while !board.is_over() {
                let moves: Vec<_> = board.moves().into_iter().collect();
                board = match rng.pick(&moves) {
                    Some(&square) => board.play(square).unwrap(),
                    None => board.pass(),
                };
                if (16..24).contains(&board.empty_count()) {
                    let corners = (board.player & 0x8100_0000_0000_0081).count_ones();
                    let label = if corners.is_multiple_of(2) { 8.0 } else { -8.0 };
                    out.push(Sample { board, label, weight: 1.0 });
                }
            }
        }
        out
    }

    fn nothing() -> Parameters {
        let len = Packing::shared().len();
        Parameters { about: String::new(), constants: vec![0; 61], phases: vec![vec![0; len]; PHASES], net: None }
    }

    fn trained(threads: usize, rounds: usize, samples: &[Sample]) -> NetParameters {
        let packing = Packing::shared();
        let learn = by_stage(samples, packing, &Weights::from_parameters(&nothing(), packing));
        let mut model = Model::new(packing, None, 3);
        let mut rng = Rng::new(3);
        let pool = super::super::pool(threads).unwrap();
        for round in 0..rounds {
            pool.install(|| model.learn(&learn, (round, rounds), 0.02, &mut rng));
        }
        model.parameters()
    }

    #[test]
    fn it_learns_what_its_samples_are_worth() {
        let samples = samples(22_000);
        let (learn, judge) = samples.split_at(20_000);
        let net = trained(2, 10, learn);
        let weights = Weights::from_parameters(&Parameters { net: Some(net), ..nothing() }, Packing::shared());
        let rmse = errors(&weights, judge).into_iter().fold(Errors::default(), Errors::join).rmse();
        assert!(rmse < 6.5, "{rmse}: having learnt nothing it is 8");
    }

    #[test]
    fn threads_do_not_change_it() {
        let samples = samples(1500);
        assert!(trained(1, 1, &samples) == trained(3, 1, &samples));
    }

    #[test]
    fn rounded_layers_come_back() {
        let layers = Behind::random(&mut Rng::new(5)).to_layers();
        let again = Behind::from_layers(&layers);
        assert_eq!(again.to_layers().inner, layers.inner);
        assert_eq!(again.to_layers().start, layers.start);
        assert_eq!(again.to_layers().last, layers.last);
        assert_eq!(Layers::from_numbers(layers.numbers()), Some(layers));
    }
}
