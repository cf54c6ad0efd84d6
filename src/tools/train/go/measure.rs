//! `train go-net-report`: how well networks say what labelled positions say.

use super::{
    super::{TrainError, pool},
    labels::{self, Sample},
};
use crate::go::net::{Net, Output, Workspace};
use rayon::prelude::*;
use std::{collections::BTreeMap, path::PathBuf};

#[derive(clap::Args, Debug)]
pub struct ReportOptions {
    /// A network to measure: its file; may be named several times
    #[arg(long, value_name = "FILE", required = true)]
    net: Vec<PathBuf>,
    /// Measure one game in so many, those that training held out; 0: all
    #[arg(long, default_value_t = 20)]
    hold_out: u64,
    /// Measured at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of labelled positions
    #[arg(required = true)]
    labels: Vec<PathBuf>,
}

/// What a network said beside what it was to say, summed over positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measures {
    positions: u64,
    /// Positions whose best move it names first.
    best: u64,
    /// The policy's cross entropy less the label's entropy.
    divergence: f64,
    /// Positions with a move that was played, and those in which it names that one first.
    played: u64,
    found: u64,
    /// Errors of the chance to win, of the lead in points and of the ownership of each point.
    win: f64,
    lead: f64,
    ownership: f64,
    /// Positions of games that ended, and the squared error of the chance to win.
    ended: u64,
    result: f64,
}

impl Measures {
    fn of(sample: &Sample, output: &Output) -> Measures {
        let most = output.policy.iter().copied().fold(f32::MIN, f32::max);
        let sum: f32 = output.policy.iter().map(|logit| (logit - most).exp()).sum();
        let whole: f32 = sample.policy.iter().map(|(_, share)| f32::from(*share)).sum();
        let divergence = sample.policy.iter().filter(|(_, share)| *share > 0).map(|&(p, share)| {
            let share = f32::from(share) / whole;
            f64::from(share * (share.ln() - (output.policy[usize::from(p)] - most - sum.ln())))
        });
        let first = (0..output.policy.len()).max_by(|&a, &b| output.policy[a].total_cmp(&output.policy[b]));
        let is_first = |p: Option<u16>| p.map(usize::from) == first && p.is_some();
        let chance = |win: f32, none: f32| f64::from(win + 0.5 * none);
        let win = chance(output.win, output.no_result);
        let pairs = output.ownership.iter().zip(&sample.ownership);
        let ownership: f64 = pairs.map(|(own, label)| f64::from((own - f32::from(*label) / 127.0).abs())).sum();
        let ended = sample.result != 0;
        Measures {
            positions: 1,
            best: is_first(sample.best()).into(),
            divergence: divergence.sum(),
            played: sample.played.is_some().into(),
            found: is_first(sample.played).into(),
            win: (win - chance(sample.heads[0], sample.heads[2])).abs(),
            lead: f64::from((output.lead - sample.heads[5]).abs()),
            ownership: ownership / sample.area() as f64,
            ended: ended.into(),
            result: if ended { (win - f64::from(sample.result.max(0))).powi(2) } else { 0.0 },
        }
    }

    pub fn join(self, other: Measures) -> Measures {
        Measures {
            positions: self.positions + other.positions,
            best: self.best + other.best,
            divergence: self.divergence + other.divergence,
            played: self.played + other.played,
            found: self.found + other.found,
            win: self.win + other.win,
            lead: self.lead + other.lead,
            ownership: self.ownership + other.ownership,
            ended: self.ended + other.ended,
            result: self.result + other.result,
        }
    }

    fn cells(&self) -> [String; 7] {
        let share = |part: f64, whole: u64| if whole == 0 { f64::NAN } else { part / whole as f64 };
        let text = |value: f64, digits: usize, factor: f64| match value.is_nan() {
            true => "-".into(),
            false => format!("{:.digits$}", factor * value),
        };
        [
            text(share(self.best as f64, self.positions), 1, 100.0),
            text(share(self.divergence, self.positions), 3, 1.0),
            text(share(self.found as f64, self.played), 1, 100.0),
            text(share(self.win, self.positions), 3, 1.0),
            text(share(self.lead, self.positions), 2, 1.0),
            text(share(self.ownership, self.positions), 3, 1.0),
            text(share(self.result, self.ended), 4, 1.0),
        ]
    }

    /// All in one line.
    pub fn line(&self) -> String {
        let [best, divergence, found, win, lead, ownership, result] = self.cells();
        format!(
            "best {best}% divergence {divergence} played {found}% win {win} lead {lead} ownership {ownership} result {result}"
        )
    }
}

/// At most so many samples, evenly from all.
pub fn thin_out(samples: Vec<Sample>, most: usize) -> Vec<Sample> {
    let step = samples.len().div_ceil(most).max(1);
    samples.into_iter().step_by(step).collect()
}

/// What a network says of samples, by size of the board.
pub fn measure(net: &Net, samples: &[Sample], pool: &rayon::ThreadPool) -> BTreeMap<usize, Measures> {
    let one = |room: &mut Workspace, sample: &Sample| {
        let output = net.evaluate(&[sample.input()], room).remove(0);
        (sample.size, Measures::of(sample, &output))
    };
    let all: Vec<(usize, Measures)> = pool.install(|| samples.par_iter().map_init(Workspace::default, one).collect());
    let mut sums: BTreeMap<usize, Measures> = BTreeMap::new();
    for (size, measures) in all {
        let sum = sums.entry(size).or_default();
        *sum = sum.join(measures);
    }
    sums
}

pub fn run(options: &ReportOptions) -> Result<(), TrainError> {
    let (learn, judge) = labels::read_split(&options.labels, options.hold_out)?;
    let samples = if options.hold_out == 0 { learn } else { judge };
    if samples.is_empty() {
        return Err(TrainError::NoGames);
    }
    let pool = pool(options.threads)?;
    for path in &options.net {
        let net =
            Net::from_file(path).map_err(|error| TrainError::Net { path: path.clone(), error: error.to_string() })?;
        crate::say_line!(
            "{}: {} blocks, {} channels, {} numbers",
            net.name(),
            net.blocks(),
            net.channels(),
            net.parameters()
        );
        crate::say_line!("size  positions  best move %  divergence  played %  win chance  lead  ownership  result");
        for (size, sum) in measure(&net, &samples, &pool) {
            let [best, divergence, found, win, lead, ownership, result] = sum.cells();
            crate::say_line!(
                "{size:4} {:10} {best:>12} {divergence:>11} {found:>9} {win:>11} {lead:>5} {ownership:>10} {result:>7}",
                sum.positions
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::labels::tests::sample, *};
    use crate::base::Rng;

    #[test]
    fn who_says_what_the_label_says_makes_no_error() {
        let mut sample = sample(5, &mut Rng::new(1));
        (sample.policy, sample.played, sample.result) = (Box::new([(3, 30000), (25, 20000)]), Some(25), -1);
        let [win, loss, no_result, score, deviation, lead] = sample.heads;
        let mut policy = vec![-50.0; 26];
        (policy[3], policy[25]) = (3f32.ln(), 2f32.ln());
        let ownership = sample.ownership.iter().map(|own| f32::from(*own) / 127.0).collect();
        let output = Output { policy, win, loss, no_result, score, deviation, lead, ownership };
        let found = Measures::of(&sample, &output);
        assert_eq!((found.positions, found.best, found.played, found.found, found.ended), (1, 1, 1, 0, 1));
        assert!(found.divergence.abs() < 1e-4 && found.win < 1e-6 && found.lead == 0.0 && found.ownership < 1e-6);
        let win = f64::from(win + 0.5 * no_result);
        assert!((found.result - win * win).abs() < 1e-6);
    }
}
