//! Least squares for all phases at once, by preconditioned conjugate gradients.
//!
//! Minimised is the sum of squared errors, plus a prior that pulls every weight to zero with the force of `ridge`
//! observations (so the seldom seen stay small: that is the count-aware part), plus one that pulls it to the same
//! weight of the neighbouring phases with the force of `smooth` observations. Where older weights are given, all this
//! holds for the difference from them.

use super::samples::{self, PhaseSamples, ROW};
use crate::othello::eval::{DISC, PHASES, Packing, Parameters};
use rayon::prelude::*;

/// Constants by the number of empty squares stand behind the pattern parameters of a phase.
const CONSTANTS: usize = 61;

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub ridge: f32,
    pub smooth: f32,
    pub iterations: usize,
}

/// The least-squares problem over the samples of every phase.
pub struct Problem<'a> {
    phases: &'a [PhaseSamples],
    starts: [u32; ROW],
    patterns: usize,
    settings: Settings,
}

/// One vector of unknowns for each phase.
pub type Unknowns = Vec<Vec<f32>>;

impl<'a> Problem<'a> {
    pub fn new(phases: &'a [PhaseSamples], packing: &Packing, settings: Settings) -> Problem<'a> {
        Problem { phases, starts: samples::starts(packing), patterns: packing.len(), settings }
    }

    fn unknowns(&self) -> usize {
        self.patterns + CONSTANTS
    }

    pub fn zero(&self) -> Unknowns {
        vec![vec![0.0; self.unknowns()]; self.phases.len()]
    }

    /// Which unknowns sample `i` uses.
    #[inline]
    fn used<'b>(&'b self, phase: &'b PhaseSamples, i: usize) -> impl Iterator<Item = usize> + 'b {
        let row = &phase.features[i * ROW..(i + 1) * ROW];
        let constant = self.patterns + usize::from(phase.empties[i]);
        row.iter().zip(&self.starts).map(|(&n, &start)| (start + u32::from(n)) as usize).chain([constant])
    }

    /// What the model says about every sample of a phase.
    fn predictions(&self, phase: &PhaseSamples, weights: &[f32]) -> Vec<f32> {
        (0..phase.len()).map(|i| self.used(phase, i).map(|n| weights[n]).sum()).collect()
    }

    /// Sends each sample's value back to its unknowns.
    fn spread(&self, phase: &PhaseSamples, values: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.unknowns()];
        for (i, &value) in values.iter().enumerate() {
            for n in self.used(phase, i) {
                sums[n] += value;
            }
        }
        sums
    }

    /// The normal matrix times `x`.
    fn apply(&self, x: &Unknowns) -> Unknowns {
        let mut out: Unknowns = (0..self.phases.len())
            .into_par_iter()
            .map(|p| {
                let phase = &self.phases[p];
                let mut values = self.predictions(phase, &x[p]);
                values.iter_mut().zip(&phase.weight).for_each(|(v, w)| *v *= w);
                self.spread(phase, &values)
            })
            .collect();
        out.par_iter_mut().enumerate().for_each(|(p, out)| {
            let Settings { ridge, smooth, .. } = self.settings;
            for n in 0..self.patterns {
                let mut prior = ridge * x[p][n];
                for q in neighbours(p, x.len()) {
                    prior += smooth * (x[p][n] - x[q][n]);
                }
                out[n] += prior;
            }
            for n in self.patterns..self.unknowns() {
                out[n] += 0.01 * x[p][n];
            }
        });
        out
    }

    /// What is left to explain behind `older`.
    fn right_side(&self, older: &Unknowns) -> Unknowns {
        let phases = self.phases.par_iter().zip(older).map(|(phase, older)| {
            let mut values = self.predictions(phase, older);
            let labels = phase.label.iter().zip(&phase.weight);
            values.iter_mut().zip(labels).for_each(|(v, (label, weight))| *v = (label - *v) * weight);
            self.spread(phase, &values)
        });
        phases.collect()
    }

    /// The diagonal of the normal matrix: its inverse is the preconditioner.
    fn diagonal(&self) -> Unknowns {
        let phases = self.phases.par_iter().enumerate().map(|(p, phase)| {
            let mut sums = self.spread(phase, &phase.weight);
            let prior = self.settings.ridge + self.settings.smooth * neighbours(p, self.phases.len()).count() as f32;
            sums[..self.patterns].iter_mut().for_each(|s| *s += prior);
            sums[self.patterns..].iter_mut().for_each(|s| *s += 0.01);
            sums
        });
        phases.collect()
    }

    /// What has to be added to `older`, in discs. `watch` sees the number of steps done, this so far and the remaining
    /// gradient.
    pub fn solve(&self, older: &Unknowns, mut watch: impl FnMut(usize, &Unknowns, f64)) -> Unknowns {
        let diagonal = self.diagonal();
        let mut x = self.zero();
        let mut residual = self.right_side(older);
        let mut z = divided(&residual, &diagonal);
        let mut direction = z.clone();
        let mut rz = dot(&residual, &z);
        for step in 1..=self.settings.iterations {
            let image = self.apply(&direction);
            let along = dot(&direction, &image);
            if along <= 0.0 || rz <= 0.0 {
                break;
            }
            let length = rz / along;
            add_scaled(&mut x, &direction, length as f32);
            add_scaled(&mut residual, &image, -length as f32);
            z = divided(&residual, &diagonal);
            let next = dot(&residual, &z);
            watch(step, &x, next.sqrt());
            let turn = (next / rz) as f32;
            direction.par_iter_mut().zip(&z).for_each(|(d, z)| {
                d.iter_mut().zip(z).for_each(|(d, z)| *d = z + turn * *d);
            });
            rz = next;
        }
        x
    }

    /// Weights of a file as unknowns.
    pub fn unknowns_of(&self, parameters: &Parameters) -> Unknowns {
        let discs = |w: &i16| f32::from(*w) / DISC as f32;
        let constants: Vec<f32> = parameters.constants.iter().map(discs).collect();
        let phase = |weights: &Vec<i16>| weights.iter().map(discs).chain(constants.iter().copied()).collect();
        parameters.phases.iter().map(phase).collect()
    }

    /// Errors of the weights on other samples, phase by phase.
    pub fn errors(&self, weights: &Unknowns, samples: &[PhaseSamples]) -> Vec<Errors> {
        samples
            .par_iter()
            .zip(weights)
            .map(|(phase, weights)| {
                let mut errors = Errors::default();
                for (prediction, label) in self.predictions(phase, weights).iter().zip(&phase.label) {
                    errors.add(f64::from(prediction.clamp(-64.0, 64.0) - label));
                }
                errors
            })
            .collect()
    }

    /// Rounded to what the weights file holds.
    pub fn parameters(&self, weights: &Unknowns, about: String) -> Parameters {
        let round = |w: f32| (w * DISC as f32).round().clamp(-32767.0, 32767.0) as i16;
        let constant = |empties: usize| {
            let phase = crate::othello::eval::phase(empties as u32);
            round(weights[phase][self.patterns + empties])
        };
        Parameters {
            about,
            constants: (0..CONSTANTS).map(constant).collect(),
            phases: weights.iter().map(|w| w[..self.patterns].iter().map(|&w| round(w)).collect()).collect(),
            net: None,
        }
    }
}

fn neighbours(p: usize, count: usize) -> impl Iterator<Item = usize> {
    [p.checked_sub(1), Some(p + 1).filter(|&q| q < count)].into_iter().flatten()
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Errors {
    pub count: u64,
    pub absolute: f64,
    pub squared: f64,
    pub sum: f64,
}

impl Errors {
    pub fn add(&mut self, error: f64) {
        self.count += 1;
        self.absolute += error.abs();
        self.squared += error * error;
        self.sum += error;
    }

    pub fn join(self, other: Errors) -> Errors {
        Errors {
            count: self.count + other.count,
            absolute: self.absolute + other.absolute,
            squared: self.squared + other.squared,
            sum: self.sum + other.sum,
        }
    }

    pub fn mae(&self) -> f64 {
        self.absolute / self.count.max(1) as f64
    }

    pub fn rmse(&self) -> f64 {
        (self.squared / self.count.max(1) as f64).sqrt()
    }

    pub fn bias(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

/// `x` and `factor` times `y`.
pub fn sum(x: &Unknowns, y: &Unknowns, factor: f32) -> Unknowns {
    let mut sum = x.clone();
    add_scaled(&mut sum, y, factor);
    sum
}

fn add_scaled(x: &mut Unknowns, y: &Unknowns, factor: f32) {
    x.par_iter_mut().zip(y).for_each(|(x, y)| x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y));
}

fn divided(x: &Unknowns, by: &Unknowns) -> Unknowns {
    x.par_iter().zip(by).map(|(x, by)| x.iter().zip(by).map(|(x, by)| x / by).collect()).collect()
}

fn dot(x: &Unknowns, y: &Unknowns) -> f64 {
    let phases = x.par_iter().zip(y);
    phases.map(|(x, y)| x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>()).sum()
}

const _: () = assert!(PHASES <= 60);
