//! The fit: a conditional logit model, its weights found by steps of AdaGrad, one position after another.

use super::games::HumanGame;
use crate::{
    base::{Rng, checksum::crc32, files},
    othello::{
        eval::Weights,
        human::{
            HumanModel,
            features::{self, Candidate, DENSE},
            model::{UNIT, WellKnown, softmax},
        },
    },
};
use rayon::prelude::*;
use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

/// Games whose features are found at the same time.
const BATCH: usize = 512;
/// What the sum of squares begins with: entries that are seldom seen move little.
const DAMPING: f32 = 1.0;
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Sum of −ln p over positions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Losses {
    pub sum: f64,
    pub positions: u64,
}

impl Losses {
    pub fn join(self, other: Losses) -> Losses {
        Losses { sum: self.sum + other.sum, positions: self.positions + other.positions }
    }

    pub fn mean(self) -> f64 {
        self.sum / self.positions.max(1) as f64
    }
}

/// Weights and their sums of squared gradients.
struct Slope {
    weights: Vec<f32>,
    squares: Vec<f32>,
}

impl Slope {
    fn new(len: usize) -> Slope {
        Slope { weights: vec![0.0; len], squares: vec![DAMPING; len] }
    }

    fn descend(&mut self, index: usize, gradient: f32, rate: f32) {
        let squares = &mut self.squares[index];
        *squares += gradient * gradient;
        self.weights[index] -= rate * gradient / squares.sqrt();
    }
}

pub struct Fit {
    tables: Slope,
    /// Base weights, then slopes with the rating.
    dense: Slope,
    rate: f32,
    seed: u64,
    games: usize,
    epoch: u32,
    done: usize,
    order: Vec<u32>,
    saved: Instant,
}

/// A position with the features of its moves, the one that was played, and the scaled rating.
struct Sample {
    candidates: Vec<Candidate>,
    played: usize,
    strength: f32,
}

impl Fit {
    pub fn begin(rate: f32, seed: u64, games: usize) -> Fit {
        let (tables, dense) = (Slope::new(features::table_len()), Slope::new(2 * DENSE));
        let mut fit = Fit { tables, dense, rate, seed, games, epoch: 0, done: 0, order: vec![], saved: Instant::now() };
        fit.shuffle();
        fit
    }

    fn shuffle(&mut self) {
        self.order = (0..self.games as u32).collect();
        Rng::new(self.seed.wrapping_add(u64::from(self.epoch))).shuffle(&mut self.order);
    }

    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    pub fn done(&self) -> usize {
        self.done
    }

    /// Learns from the next games; `None` when all have been seen once more.
    pub fn step(&mut self, games: &[HumanGame], weights: &Weights) -> Option<Losses> {
        if self.done == self.games {
            (self.epoch, self.done) = (self.epoch + 1, 0);
            self.shuffle();
            return None;
        }
        let batch = &self.order[self.done..(self.done + BATCH).min(self.games)];
        let samples: Vec<Vec<Sample>> = batch
            .par_iter()
            .map(|&number| {
                let played = games[number as usize].played();
                let samples = played.filter_map(|(board, square, rating)| {
                    let candidates = features::candidates(board, weights);
                    let played = candidates.iter().position(|candidate| candidate.square == square)?;
                    Some(Sample { candidates, played, strength: rating.scaled() })
                });
                samples.collect()
            })
            .collect();
        self.done += batch.len();
        let mut losses = Losses::default();
        for sample in samples.iter().flatten() {
            losses = losses.join(self.learn(sample));
        }
        Some(losses)
    }

    fn learn(&mut self, sample: &Sample) -> Losses {
        let scores: Vec<f32> =
            sample.candidates.iter().map(|candidate| self.score(candidate, sample.strength)).collect();
        let probabilities = softmax(&scores);
        for (i, (candidate, p)) in sample.candidates.iter().zip(&probabilities).enumerate() {
            let gradient = if i == sample.played { p - 1.0 } else { *p };
            for &index in &candidate.patterns {
                self.tables.descend(index as usize, gradient, self.rate);
            }
            for &index in &candidate.dense {
                self.dense.descend(usize::from(index), gradient, self.rate);
                self.dense.descend(DENSE + usize::from(index), gradient * sample.strength, self.rate);
            }
        }
        Losses { sum: -f64::from(probabilities[sample.played].max(1e-9).ln()), positions: 1 }
    }

    fn score(&self, candidate: &Candidate, strength: f32) -> f32 {
        let tables: f32 = candidate.patterns.iter().map(|&index| self.tables.weights[index as usize]).sum();
        let dense = candidate.dense.iter().map(|&index| {
            let index = usize::from(index);
            self.dense.weights[index] + strength * self.dense.weights[DENSE + index]
        });
        tables + dense.sum::<f32>()
    }

    pub fn model(&self, about: String, known: WellKnown) -> HumanModel {
        let stored = |&weight: &f32| (weight / UNIT).round().clamp(-127.0, 127.0) as i8;
        let dense = (0..DENSE).map(|i| [self.dense.weights[i], self.dense.weights[DENSE + i]]);
        HumanModel { about, tables: self.tables.weights.iter().map(stored).collect(), dense: dense.collect(), known }
    }

    pub fn saves_now(&self) -> bool {
        self.saved.elapsed() > SAVE_EVERY
    }

    /// What the state belongs to: another one is not gone on with.
    fn task(&self) -> [u64; 4] {
        [self.seed, self.games as u64, self.rate.to_bits().into(), features::fingerprint().into()]
    }

    pub fn save(&mut self, path: &Path) -> io::Result<()> {
        let mut bytes: Vec<u8> = self.task().into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(self.epoch.to_le_bytes());
        bytes.extend((self.done as u32).to_le_bytes());
        for list in [&self.tables, &self.dense] {
            bytes.extend(list.weights.iter().chain(&list.squares).flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend(crc32(&bytes).to_le_bytes());
        self.saved = Instant::now();
        files::replace_with(path, files::Backup::None, |out| out.write_all(&bytes))
    }

    /// Goes on where the state ends; false if there is none, an error if it is of another task or damaged.
    pub fn resume(&mut self, path: &Path) -> io::Result<bool> {
        if !path.exists() {
            return Ok(false);
        }
        let bytes = files::read(path, files::LARGEST)?;
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let lists = [&self.tables, &self.dense].map(|list| 8 * list.weights.len()).iter().sum::<usize>();
        if bytes.len() != 32 + 8 + lists + 4
            || crc32(&bytes[..bytes.len() - 4]).to_le_bytes() != bytes[bytes.len() - 4..]
        {
            return Err(wrong("the state of an earlier training is damaged: remove it to begin again"));
        }
        let task: Vec<u8> = self.task().into_iter().flat_map(u64::to_le_bytes).collect();
        if bytes[..32] != task[..] {
            return Err(wrong("the state of a training with other games or options: remove it to begin again"));
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        (self.epoch, self.done) = (word(32), word(36) as usize);
        let mut at = 40;
        for list in [&mut self.tables, &mut self.dense] {
            for x in list.weights.iter_mut().chain(&mut list.squares) {
                *x = f32::from_bits(word(at));
                at += 4;
            }
        }
        self.shuffle();
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Square, human::Rating};

    fn games() -> Vec<HumanGame> {
        let lines = ["f5d6c3d3c4f4c5b3c2", "f5f6e6f4e3c5c4e7c6", "f5d6c5f4e3c6d3f6e6d7"];
        let squares = |line: &str| -> Vec<Square> {
            line.as_bytes().chunks(2).map(|p| std::str::from_utf8(p).unwrap().parse().unwrap()).collect()
        };
        lines.iter().map(|line| HumanGame { squares: squares(line), ratings: [Rating::MEAN; 2] }).collect()
    }

    #[test]
    fn it_learns_and_goes_on_from_a_state() {
        let (games, weights) = (games(), Weights::builtin());
        let mut fit = Fit::begin(0.3, 1, games.len());
        let mut means = vec![];
        for _ in 0..8 {
            let mut losses = Losses::default();
            while let Some(some) = fit.step(&games, &weights) {
                losses = losses.join(some);
            }
            means.push(losses.mean());
        }
        assert!(means[7] < 0.5 * means[0], "{means:?}");

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fit.save(&path).unwrap();
        let mut other = Fit::begin(0.3, 1, games.len());
        assert!(other.resume(&path).unwrap());
        assert_eq!((other.epoch(), &other.tables.weights), (8, &fit.tables.weights));
        let error = Fit::begin(0.3, 2, games.len()).resume(&path).unwrap_err();
        assert!(error.to_string().contains("other games or options"), "{error}");
        std::fs::write(&path, b"short").unwrap();
        assert!(Fit::begin(0.3, 1, games.len()).resume(&path).is_err());
    }
}
