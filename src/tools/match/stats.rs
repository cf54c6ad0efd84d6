//! What the results say about strength: Elo with its interval, likelihood of superiority, the sequential test.
//!
//! Two games of one opening with colours exchanged are one observation, a pair: their results depend on each other,
//! and counting them as two independent games would claim too much or too little. A pair scores 0, ½, 1, 1½ or 2
//! points; the numbers of these five outcomes (the pentanomial counts) are all the mathematics here needs.

use std::{fmt, str::FromStr};

/// Two-sided 95 % of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;
/// Keeps Elo finite for a clean sweep.
const EDGE: f64 = 1e-6;

/// Wins, draws and losses of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl Tally {
    /// Adds a game by its score for this side in half points: 2, 1 or 0.
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Points per game; a half when nothing was played.
    pub fn score(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / f64::from(self.games()) }
    }

    pub fn reversed(&self) -> Tally {
        Tally { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub mean: f64,
    pub error: f64,
}

impl Mean {
    /// Of independent numbers; `None` of none, no error known for a single one.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        let error = if values.len() > 1 { (spread / (n - 1.0) / n).sqrt() } else { f64::NAN };
        Some(Mean { mean, error })
    }
}

/// How often a pair of games brought 0, ½, 1, 1½ and 2 points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pairs(pub [u32; 5]);

impl Pairs {
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    pub fn count(&self) -> u32 {
        self.0.iter().sum()
    }

    pub fn reversed(&self) -> Pairs {
        let mut counts = self.0;
        counts.reverse();
        Pairs(counts)
    }

    /// Score per game, and the error of that mean from the spread of the pairs.
    pub fn score(&self) -> Option<Mean> {
        let n = f64::from(self.count());
        if n == 0.0 {
            return None;
        }
        let value = |i: usize| i as f64 / 4.0;
        let sum = |f: &dyn Fn(usize) -> f64| (0..5).map(|i| f64::from(self.0[i]) * f(i)).sum::<f64>();
        let mean = sum(&value) / n;
        let variance = sum(&|i| (value(i) - mean).powi(2)) / n;
        Some(Mean { mean, error: (variance / n).sqrt() })
    }

    /// The chance that this side is the better one, given the results; `None` while all pairs ended alike, for then
    /// nothing is known about their spread.
    pub fn superiority(&self) -> Option<f64> {
        let score = self.score()?;
        (score.error > 0.0).then(|| normal_cdf((score.mean - 0.5) / score.error))
    }
}

/// The Elo difference that makes `score` the expected score per game.
pub fn elo(score: f64) -> f64 {
    let score = score.clamp(EDGE, 1.0 - EDGE);
    400.0 * (score / (1.0 - score)).log10()
}

/// The score per game expected from an Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// An Elo difference with the ends of its 95 % interval; infinite where the score reaches 0 or 1. The interval is not a
/// number while nothing is known about the spread of the results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloRange {
    pub low: f64,
    pub elo: f64,
    pub high: f64,
}

impl EloRange {
    pub fn of(score: Mean) -> EloRange {
        let bound = |s: f64| match s {
            s if s.is_nan() => s,
            s if s <= 0.0 => f64::NEG_INFINITY,
            s if s >= 1.0 => f64::INFINITY,
            s => elo(s),
        };
        let half = if score.error > 0.0 { Z95 * score.error } else { f64::NAN };
        EloRange { low: bound(score.mean - half), elo: bound(score.mean), high: bound(score.mean + half) }
    }
}

impl fmt::Display for EloRange {
    /// `+12.3 [-4.5, +29.1]`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}, {}]", Signed(self.elo), Signed(self.low), Signed(self.high))
    }
}

struct Signed(f64);

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            v if v.is_nan() => f.write_str("?"),
            v if v == f64::INFINITY => f.write_str("+inf"),
            v if v == f64::NEG_INFINITY => f.write_str("-inf"),
            v => write!(f, "{v:+.1}"),
        }
    }
}

/// The normal distribution function, by the error function's continued fraction and series: good to 1e-12.
pub fn normal_cdf(x: f64) -> f64 {
    let t = x.abs();
    let density = (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let upper = if t > 38.0 {
        0.0
    } else if t > 3.0 {
        // Laplace's continued fraction for the tail, from the inside out.
        let fraction = (1..=100).rev().fold(t, |acc, k| t + f64::from(k) / acc);
        density / fraction
    } else {
        let (mut term, mut sum) = (t, t);
        for k in 1..100 {
            term *= t * t / (2.0 * f64::from(k) + 1.0);
            sum += term;
        }
        0.5 - density * sum
    };
    if x > 0.0 { 1.0 - upper } else { upper }
}

/// The sequential probability ratio test between two hypotheses about the Elo difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// Chance of taking H1 when H0 holds.
    pub alpha: f64,
    /// Chance of taking H0 when H1 holds.
    pub beta: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The difference is elo0 or less.
    H0,
    /// The difference is elo1 or more.
    H1,
}

impl Sprt {
    /// Below the first H0 is accepted, above the second H1.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The generalised log-likelihood ratio: each hypothesis is represented by the distribution over the five
    /// outcomes with its expected score under which the observed counts are most likely.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        // An outcome never seen gets a trace, so that every expected score can be reached.
        let counts = pairs.0.map(|n| f64::from(n).max(1e-3));
        let total: f64 = counts.iter().sum();
        let share = counts.map(|n| n / total);
        let p0 = most_likely(&share, expected_score(self.elo0));
        let p1 = most_likely(&share, expected_score(self.elo1));
        (0..5).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }

    pub fn verdict(&self, pairs: &Pairs) -> Option<Verdict> {
        let (low, high) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= high => Some(Verdict::H1),
            llr if llr <= low => Some(Verdict::H0),
            _ => None,
        }
    }
}

/// Among all distributions over 0, ¼, ½, ¾, 1 with the given mean, the one that makes the observed shares most
/// likely. By Lagrange it is `share / (1 + x (value - mean))` for the one `x` that makes the mean come out right.
fn most_likely(share: &[f64; 5], mean: f64) -> [f64; 5] {
    let value = |i: usize| i as f64 / 4.0 - mean;
    // The sum falls from +∞ to -∞ between these ends, where a denominator becomes 0.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let x = (low + high) / 2.0;
        let excess: f64 = (0..5).map(|i| share[i] * value(i) / (1.0 + x * value(i))).sum();
        if excess > 0.0 { low = x } else { high = x }
    }
    let x = (low + high) / 2.0;
    std::array::from_fn(|i| share[i] / (1.0 + x * value(i)))
}

impl FromStr for Sprt {
    type Err = String;

    /// `elo0=0 elo1=10 alpha=0.05 beta=0.05`, separated by blanks or commas; what is missing keeps these values.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not NAME=NUMBER"))?;
            let number: f64 = value.parse().map_err(|_| format!("`{value}` is not a number"))?;
            *match key {
                "elo0" => &mut sprt.elo0,
                "elo1" => &mut sprt.elo1,
                "alpha" => &mut sprt.alpha,
                "beta" => &mut sprt.beta,
                _ => return Err(format!("`{key}` is none of elo0, elo1, alpha, beta")),
            } = number;
        }
        let chance = |p: f64| p > 0.0 && p < 0.5;
        match sprt {
            s if !(s.elo0 < s.elo1 && s.elo0 > -1000.0 && s.elo1 < 1000.0) => Err("elo0 must be below elo1".into()),
            s if !chance(s.alpha) || !chance(s.beta) => Err("alpha and beta lie between 0 and 0.5".into()),
            s => Ok(s),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elo0={} elo1={} alpha={} beta={}", self.elo0, self.elo1, self.alpha, self.beta)
    }
}

/// Ratings of several players from the points each took off each other (Bradley and Terry, a draw as half a win),
/// with mean 0. `points[i][j]` is what `i` took off `j`. `None` for a player who has not played.
pub fn ratings(points: &[Vec<f64>]) -> Vec<Option<f64>> {
    let n = points.len();
    let games = |i: usize, j: usize| points[i][j] + points[j][i];
    let played: Vec<bool> = (0..n).map(|i| (0..n).any(|j| i != j && games(i, j) > 0.0)).collect();
    let mut strength = vec![1.0f64; n];
    // Half a drawn game with each opponent met keeps a clean sweep finite.
    const PRIOR: f64 = 0.5;
    for _ in 0..10_000 {
        let mut change = 0.0f64;
        for i in (0..n).filter(|&i| played[i]) {
            let (mut won, mut expected) = (0.0, 0.0);
            for j in (0..n).filter(|&j| j != i && games(i, j) > 0.0) {
                won += points[i][j] + PRIOR / 2.0;
                expected += (games(i, j) + PRIOR) / (strength[i] + strength[j]);
            }
            let new = won / expected;
            change = change.max((new / strength[i]).ln().abs());
            strength[i] = new;
        }
        if change < 1e-9 {
            break;
        }
    }
    let logs: Vec<f64> = strength.iter().map(|s| 400.0 * s.log10()).collect();
    let count = played.iter().filter(|&&p| p).count().max(1) as f64;
    let mean = (0..n).filter(|&i| played[i]).map(|i| logs[i]).sum::<f64>() / count;
    (0..n).map(|i| played[i].then(|| logs[i] - mean)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() < tolerance, "{a} is not {b}");
    }

    #[test]
    fn elo_by_hand() {
        close(elo(0.5), 0.0, 1e-12);
        // 10 to 1 is 400 points by definition.
        close(elo(10.0 / 11.0), 400.0, 1e-9);
        // 3 to 1: 400 · log10 3.
        close(elo(0.75), 190.848_501_887_865, 1e-9);
        close(expected_score(190.848_501_887_865), 0.75, 1e-12);
        close(expected_score(-400.0), 1.0 / 11.0, 1e-12);
    }

    #[test]
    fn normal_distribution_by_the_tables() {
        close(normal_cdf(0.0), 0.5, 1e-15);
        close(normal_cdf(1.0), 0.841_344_746_068_543, 1e-12);
        close(normal_cdf(-1.0), 0.158_655_253_931_457, 1e-12);
        close(normal_cdf(1.959_963_984_540_054), 0.975, 1e-12);
        close(normal_cdf(3.1), 0.999_032_396_786_782, 1e-12);
        close(normal_cdf(-4.0), 3.167_124_183_311_99e-5, 1e-15);
        assert_eq!(normal_cdf(100.0), 1.0);
    }

    #[test]
    fn pairs_by_hand() {
        // 10 pairs: 1 lost 0:2, 4 shared 1:1, 5 won 2:0. Points per game: (0 + 4·0.5 + 5·1) / 10 = 0.7.
        // Variance: (0.49 + 4·0.04 + 5·0.09) / 10 = 0.11; error √(0.11 / 10) = 0.104881.
        let pairs = Pairs([1, 0, 4, 0, 5]);
        let score = pairs.score().unwrap();
        close(score.mean, 0.7, 1e-12);
        close(score.error, 0.104_880_884_817, 1e-9);
        // Φ(0.2 / 0.104881) = Φ(1.906925)
        close(pairs.superiority().unwrap(), 0.971_735, 1e-5);
        close(pairs.reversed().superiority().unwrap(), 1.0 - 0.971_735, 1e-5);
        let range = EloRange::of(score);
        close(range.elo, 147.190, 1e-3);
        // 0.7 ± 1.959964 · 0.104881 = 0.494437 … 0.905563
        close(range.low, -3.866, 1e-2);
        close(range.high, 392.71, 2e-2);
        assert_eq!(Pairs::default().score(), None);
        assert_eq!(Pairs([0, 0, 0, 0, 3]).superiority(), None);
        let swept = EloRange::of(Pairs([0, 0, 0, 0, 3]).score().unwrap());
        assert_eq!(swept.to_string(), "+inf [?, ?]");
        assert_eq!(EloRange::of(Pairs([0, 0, 3, 0, 0]).score().unwrap()).to_string(), "+0.0 [?, ?]");
    }

    #[test]
    fn mean_and_error_by_hand() {
        // 2, 4, 9: mean 5, squares 9 + 1 + 16 = 26, error √(26 / 2 / 3).
        let mean = Mean::of(&[2.0, 4.0, 9.0]).unwrap();
        close(mean.mean, 5.0, 1e-12);
        close(mean.error, (26.0f64 / 6.0).sqrt(), 1e-12);
        assert!(Mean::of(&[]).is_none());
        assert!(Mean::of(&[1.0]).unwrap().error.is_nan());
    }

    #[test]
    fn sprt_bounds_by_hand() {
        let sprt: Sprt = "elo0=0 elo1=10 alpha=0.05 beta=0.05".parse().unwrap();
        let (low, high) = sprt.bounds();
        close(high, 19.0f64.ln(), 1e-12);
        close(low, -19.0f64.ln(), 1e-12);
        assert_eq!("elo1=5,alpha=0.1".parse::<Sprt>().unwrap().alpha, 0.1);
        for bad in ["elo0=10 elo1=0", "alpha=0", "beta=0.7", "x=1", "elo0", "elo0=x", "elo0=nan"] {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
        assert_eq!(sprt.to_string().parse(), Ok(sprt));
    }

    #[test]
    fn llr_of_clean_pairs_is_the_binomial_one() {
        // With pairs won or lost outright only, each hypothesis is a coin:
        // LLR = wins · ln(s1 / s0) + losses · ln((1 - s1) / (1 - s0)). The trace of the other outcomes is small.
        let sprt = Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05 };
        let (s0, s1) = (0.5, expected_score(100.0));
        close(s1, 0.640_065, 1e-6);
        let by_hand = 60.0 * (s1 / s0).ln() + 40.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        close(by_hand, 14.816_6 - 13.147_3, 2e-2);
        close(sprt.llr(&Pairs([40, 0, 0, 0, 60])), by_hand, 5e-3);
    }

    #[test]
    fn llr_agrees_with_the_normal_approximation_near_equality() {
        // (s1 - s0) (2 s - s0 - s1) n / (2 variance), the usual hand formula.
        let sprt = Sprt { elo0: 0.0, elo1: 4.0, alpha: 0.05, beta: 0.05 };
        let pairs = Pairs([250, 1000, 2500, 1100, 260]);
        let score = pairs.score().unwrap();
        let n = f64::from(pairs.count());
        let (s0, s1) = (0.5, expected_score(4.0));
        let by_hand = (s1 - s0) * (2.0 * score.mean - s0 - s1) / (2.0 * score.error.powi(2) * n) * n;
        close(sprt.llr(&pairs), by_hand, 0.01);
        assert_eq!(sprt.verdict(&pairs), None);
        assert_eq!(sprt.verdict(&Pairs([100, 400, 1000, 800, 300])), Some(Verdict::H1));
        assert_eq!(sprt.verdict(&Pairs([300, 800, 1000, 400, 100])), Some(Verdict::H0));
        assert_eq!(sprt.verdict(&Pairs::default()), None);
    }

    #[test]
    fn most_likely_has_the_mean_and_sums_to_one() {
        let share = [0.1, 0.2, 0.4, 0.2, 0.1];
        for mean in [0.3, 0.5, 0.62] {
            let p = most_likely(&share, mean);
            close(p.iter().sum(), 1.0, 1e-9);
            close((0..5).map(|i| p[i] * i as f64 / 4.0).sum(), mean, 1e-9);
        }
    }

    #[test]
    fn ratings_of_two_are_their_elo_difference() {
        // 300 to 100 with the half drawn game: 300.25 to 100.25.
        let r = ratings(&[vec![0.0, 300.0], vec![100.0, 0.0]]);
        let difference = r[0].unwrap() - r[1].unwrap();
        close(difference, 400.0 * (300.25f64 / 100.25).log10(), 1e-3);
        close(r[0].unwrap() + r[1].unwrap(), 0.0, 1e-9);
    }

    #[test]
    fn ratings_add_up_over_a_chain_and_leave_out_who_did_not_play() {
        let mut points = vec![vec![0.0; 4]; 4];
        (points[0][1], points[1][0]) = (7500.0, 2500.0);
        (points[1][2], points[2][1]) = (7500.0, 2500.0);
        let r = ratings(&points);
        close(r[0].unwrap() - r[2].unwrap(), 2.0 * 190.85, 0.1);
        assert_eq!(r[3], None);
        assert!(ratings(&[]).is_empty());
    }
}
