//! The standings as text: the running score and the tables at the end.

use super::{
    referee::GameKind,
    standings::{Duel, Standings},
    stats::{Mean, Sprt, Verdict},
};
use std::fmt::Write;

/// A table with aligned columns: the first to the left, the others to the right.
pub struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    pub fn new<const N: usize>(head: [&str; N]) -> Columns {
        Columns { rows: vec![head.map(String::from).to_vec()] }
    }

    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| self.rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[c] - cell.chars().count());
                let _ = if c == 0 { write!(line, "{cell}{pad}") } else { write!(line, "  {pad}{cell}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// `+3.21 ± 0.80`
pub fn margin(values: &[f64]) -> String {
    match Mean::of(values) {
        None => "-".into(),
        Some(Mean { mean, error }) if error.is_nan() => format!("{mean:+.2}"),
        Some(Mean { mean, error }) => format!("{mean:+.2} ± {error:.2}"),
    }
}

pub fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// `self-l10 - grhino: 12-3-5, 67.5 %, Elo +127.0 [+10.1, +280.2]`
pub fn running(standings: &Standings, [a, b]: [usize; 2]) -> String {
    let duel = standings.duel(a, b).unwrap_or_default();
    let tally = duel.tally;
    let elo = duel.elo().map(|elo| format!(", Elo {elo}")).unwrap_or_default();
    let (a, b) = (&standings.names[a], &standings.names[b]);
    format!("{a} - {b}: {}-{}-{}, {}{elo}", tally.wins, tally.draws, tally.losses, percent(tally.score()))
}

/// Where the sequential test stands.
pub fn sprt_line(sprt: &Sprt, duel: &Duel) -> String {
    let (low, high) = sprt.bounds();
    let verdict = match sprt.verdict(&duel.pairs) {
        Some(Verdict::H1) => format!("H1 accepted: the difference is {} Elo or more", sprt.elo1),
        Some(Verdict::H0) => format!("H0 accepted: the difference is {} Elo or less", sprt.elo0),
        None => "undecided".into(),
    };
    format!("SPRT {sprt}: LLR {:.2} ({low:.2}, {high:.2}), {verdict}", sprt.llr(&duel.pairs))
}

/// Everything about the match so far.
pub fn full(standings: &Standings, game: GameKind, sprt: Option<&Sprt>) -> String {
    let mut text = duel_table(standings, game);
    if let (Some(sprt), Some(duel)) = (sprt, standings.duel(0, 1)) {
        text += &format!("\n{}\n", sprt_line(sprt, &duel));
    }
    if standings.names.len() > 2 {
        text += &format!("\n{}", rating_table(standings, game));
    }
    text += &format!("\n{}", behaviour_table(standings));
    for line in warnings(standings) {
        text += &format!("warning: {line}\n");
    }
    text
}

fn duel_table(standings: &Standings, game: GameKind) -> String {
    let mut table = Columns::new([
        "match",
        "games",
        "win",
        "draw",
        "loss",
        "score",
        game.unit(),
        "Elo [95 %]",
        "LOS",
        "pairs 0 ½ 1 1½ 2",
    ]);
    for (&[a, b], duel) in &standings.duels {
        let pairs: Vec<String> = duel.pairs.0.iter().map(u32::to_string).collect();
        table.row([
            format!("{} - {}", standings.names[a], standings.names[b]),
            duel.tally.games().to_string(),
            duel.tally.wins.to_string(),
            duel.tally.draws.to_string(),
            duel.tally.losses.to_string(),
            percent(duel.tally.score()),
            margin(&duel.margins),
            duel.elo().map_or("-".into(), |elo| elo.to_string()),
            duel.pairs.superiority().map_or("-".into(), percent),
            pairs.join(" "),
        ]);
    }
    table.text()
}

fn rating_table(standings: &Standings, game: GameKind) -> String {
    let mut table = Columns::new(["rank", "engine", "rating", "games", "win", "draw", "loss", "score", game.unit()]);
    let ratings = standings.ratings();
    for (place, i) in standings.ranking().into_iter().enumerate() {
        let engine = &standings.engines[i];
        table.row([
            (place + 1).to_string(),
            standings.names[i].clone(),
            ratings[i].map_or("-".into(), |rating| format!("{rating:+.1}")),
            engine.tally.games().to_string(),
            engine.tally.wins.to_string(),
            engine.tally.draws.to_string(),
            engine.tally.losses.to_string(),
            percent(engine.tally.score()),
            margin(&engine.margins),
        ]);
    }
    table.text()
}

/// From this factor on, the times of two engines are called unequal.
const UNEQUAL: f64 = 3.0;
/// Seconds for a move below which time is that of the machine, not of the player.
const NOTICEABLE: f64 = 0.02;

/// What keeps the numbers from meaning what they seem to.
pub fn warnings(standings: &Standings) -> Vec<String> {
    let mut lines = Vec::new();
    if standings.disputed > 0 {
        lines.push(format!(
            "{} of {} games ended without agreement on dead stones and were counted as they stood",
            standings.disputed, standings.games
        ));
    }
    for &[a, b] in standings.duels.keys() {
        let time = |i: usize| standings.engines[i].seconds_per_move();
        let (Some(first), Some(second)) = (time(a), time(b)) else { continue };
        let (slow, fast, more, less) = if first >= second { (a, b, first, second) } else { (b, a, second, first) };
        if more >= NOTICEABLE && more >= UNEQUAL * less {
            let unit = standings.clock.seconds();
            let (slow, fast) = (&standings.names[slow], &standings.names[fast]);
            lines.push(format!(
                "{fast} used {less:.3} {unit} a move and {slow} {more:.3} {unit}: their conditions are not equal"
            ));
        }
    }
    lines
}

fn behaviour_table(standings: &Standings) -> String {
    let seconds = format!("{}/move", standings.clock.seconds());
    let mut table = Columns::new(["engine", "moves", &seconds, "slowest", "depth", "nodes/move", "faults"]);
    for (name, engine) in standings.names.iter().zip(&standings.engines) {
        let faults: Vec<String> = engine.faults.iter().map(|(word, count)| format!("{count} {word}")).collect();
        table.row([
            name.clone(),
            engine.moves.to_string(),
            engine.seconds_per_move().map_or("-".into(), |s| format!("{s:.3}")),
            format!("{:.3}", engine.slowest),
            engine.mean_depth().map_or("-".into(), |depth| format!("{depth:.1}")),
            if engine.nodes > 0 { (engine.nodes / engine.moves.max(1)).to_string() } else { "-".into() },
            if faults.is_empty() { "none".into() } else { faults.join(", ") },
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::Colour,
        tools::tournament::{
            clock::ClockSource,
            record::{GameRecord, Ply, Reason, Verdict as GameVerdict},
        },
    };
    use expect_test::expect;

    #[test]
    fn the_tables_of_a_small_match() {
        let mut standings = Standings::new(&["ours".into(), "theirs".into()], ClockSource::Wall);
        let scores = [12.0, -8.0, 0.0, 2.0, -20.0, 6.0];
        for (index, score) in scores.into_iter().enumerate() {
            let mut ply = Ply::given(Colour::Black, "f5");
            (ply.seconds, ply.depth, ply.nodes) = (Some(0.25 * (index + 1) as f64), Some("8".into()), Some(1000));
            let verdict = match index {
                4 => GameVerdict::forfeit(Colour::Black, Reason::Silence, String::new()),
                _ => GameVerdict::scored(score, Reason::End),
            };
            standings.add(&GameRecord {
                index,
                opening: index / 2,
                players: if index % 2 == 0 { [0, 1] } else { [1, 0] },
                position: None,
                plies: vec![ply],
                opening_plies: 0,
                verdict,
                started: 0,
                seconds: 1.0,
            });
        }
        let sprt = "elo0=0 elo1=50".parse().unwrap();
        expect![[r#"
            match          games  win  draw  loss   score         discs            Elo [95 %]     LOS  pairs 0 ½ 1 1½ 2
            ours - theirs      6    2     1     3  41.7 %  +2.40 ± 3.31  -58.5 [-inf, +376.9]  36.7 %         1 1 0 0 1

            SPRT elo0=0 elo1=50 alpha=0.05 beta=0.05: LLR -0.13 (-2.94, 2.94), undecided

            engine  moves  s/move  slowest  depth  nodes/move     faults
            ours        3   0.750    1.250    8.0        1000  1 silence
            theirs      3   1.000    1.500    8.0        1000       none
        "#]]
        .assert_eq(&full(&standings, GameKind::Othello, Some(&sprt)));
        assert_eq!(warnings(&standings), [] as [String; 0]);
        let mut unequal = standings.clone();
        unequal.disputed = 2;
        unequal.engines[0].seconds = 0.3;
        assert_eq!(
            warnings(&unequal),
            [
                "2 of 6 games ended without agreement on dead stones and were counted as they stood",
                "ours used 0.100 s a move and theirs 1.000 s: their conditions are not equal",
            ]
        );
        unequal.clock = ClockSource::Cpu;
        assert!(behaviour_table(&unequal).starts_with("engine  moves  CPU s/move  slowest"));
        assert!(warnings(&unequal)[1].contains("used 0.100 CPU s a move"));
        expect!["ours - theirs: 2-1-3, 41.7 %, Elo -58.5 [-inf, +376.9]"].assert_eq(&running(&standings, [0, 1]));
    }
}
