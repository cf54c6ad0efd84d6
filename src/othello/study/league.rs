//! What many games say about their players.

use super::{
    analysis::{DISAGREE, MISTAKE},
    openings::Names,
    review::Reviewed,
};
use crate::{
    base::Colour,
    othello::{Move, records::Record},
    report::league::{self, League, Opening, Player, Worst},
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What is kept of a game that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    pub game: league::Game,
    pub japanese: String,
    pub moves: Vec<Loss>,
}

/// A move that was somebody's choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    pub white: bool,
    /// Moves before it, passes not counted.
    pub number: usize,
    pub played: String,
    pub better: String,
    pub loss: f64,
}

impl Loss {
    fn colour(&self) -> usize {
        usize::from(self.white)
    }
}

/// The number of the move and what it lost.
type Losses = Vec<(usize, f64)>;

/// The worst moves of a league that are listed.
const WORST: usize = 20;

/// The first `given` plies were not the players' choice.
pub fn game_result(record: &Record, reviews: &[Reviewed], given: usize) -> GameResult {
    let moves: Vec<Loss> = reviews
        .iter()
        .filter(|reviewed| reviewed.ply >= given)
        .filter_map(|reviewed| {
            let (played, loss) = (reviewed.played?, reviewed.loss()?);
            let better = reviewed.best().filter(|_| loss >= DISAGREE);
            let line = better.map_or(vec![], |best| best.line.iter().take(6).map(Move::to_string).collect());
            Some(Loss {
                white: reviewed.side() == Colour::White,
                number: (reviewed.position.board.disc_count() as usize).saturating_sub(4),
                played: played.to_string(),
                better: line.join(" "),
                loss,
            })
        })
        .collect();
    let mut game = record.game.clone();
    game.go_to(game.plies().len());
    let name = |names: &'static Names| names.reached(&game).map_or(String::new(), |(name, _)| name.to_string());
    let lost = [0, 1].map(|side| moves.iter().filter(|m| m.colour() == side).map(|m| m.loss).sum());
    let game = league::Game {
        names: record.names.clone(),
        event: record.event.clone(),
        date: record.date.clone(),
        result: record.final_result().map(|result| result.black_margin().round() as i32),
        opening: name(Names::english()),
        lost,
        page: None,
    };
    GameResult { game, japanese: name(Names::japanese()), moves }
}

/// Everything together; players in the order of their mean loss.
pub fn league(title: &str, level: u8, results: &[GameResult]) -> League {
    let mut players: HashMap<&str, (Player, Losses)> = HashMap::new();
    let mut openings: HashMap<&str, (Opening, Vec<f64>)> = HashMap::new();
    let mut worst = vec![];
    for (number, result) in results.iter().enumerate() {
        for side in [0, 1] {
            let name = result.game.names[side].as_str();
            let (player, losses) = players.entry(name).or_default();
            player.name = name.to_string();
            player.games += 1;
            match result.game.result.map(|lead| if side == 0 { lead } else { -lead }) {
                Some(lead) if lead > 0 => player.wins += 1,
                Some(0) => player.draws += 1,
                Some(_) => player.losses += 1,
                None => {}
            }
            let own = result.moves.iter().filter(|m| m.colour() == side);
            losses.extend(own.map(|m| (m.number, m.loss)));
        }
        let (opening, leads) = openings.entry(result.game.opening.as_str()).or_default();
        (opening.name, opening.japanese) = (result.game.opening.clone(), result.japanese.clone());
        opening.games += 1;
        leads.extend(result.game.result.map(f64::from));
        worst.extend(result.moves.iter().filter(|m| m.loss >= MISTAKE).map(|m| Worst {
            player: result.game.names[m.colour()].clone(),
            game: number + 1,
            ply: m.number + 1,
            played: m.played.clone(),
            better: m.better.clone(),
            loss: m.loss,
        }));
    }
    worst.sort_by(|a, b| b.loss.total_cmp(&a.loss).then(a.game.cmp(&b.game)));
    worst.truncate(WORST);
    let mut players: Vec<Player> = players.into_values().map(|(player, losses)| with_means(player, &losses)).collect();
    let order = |player: &Player| player.mean.unwrap_or(f64::INFINITY);
    players.sort_by(|a, b| order(a).total_cmp(&order(b)).then(a.name.cmp(&b.name)));
    let mut openings: Vec<Opening> =
        openings.into_values().map(|(opening, leads)| Opening { mean: mean(leads.into_iter()), ..opening }).collect();
    openings.sort_by(|a, b| b.games.cmp(&a.games).then(a.name.cmp(&b.name)));
    let games = results.iter().map(|result| result.game.clone()).collect();
    League { title: title.into(), players, worst, openings, games, level }
}

fn with_means(player: Player, losses: &[(usize, f64)]) -> Player {
    let phase = |phase: usize| losses.iter().filter(move |(n, _)| (n / 20).min(2) == phase).map(|(_, loss)| *loss);
    Player {
        mean: mean(losses.iter().map(|(_, loss)| *loss)),
        phases: [0, 1, 2].map(|number| mean(phase(number))),
        mistakes: losses.iter().filter(|(_, loss)| *loss >= MISTAKE).count(),
        ..player
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_counted_over_all_their_games() {
        let loss = |white, number, loss| Loss { white, number, played: "a1".into(), better: "b1".into(), loss };
        let result = |names: [&str; 2], lead, moves| GameResult {
            game: league::Game {
                names: names.map(str::to_string),
                result: Some(lead),
                opening: "Tiger".into(),
                ..league::Game::default()
            },
            japanese: String::new(),
            moves,
        };
        let results = [
            result(["Ann", "Bob"], 4, vec![loss(false, 0, 1.0), loss(true, 25, 9.0)]),
            result(["Bob", "Ann"], 0, vec![loss(false, 45, 5.0), loss(true, 1, 2.0)]),
        ];
        let league = league("x", 10, &results);
        let [ann, bob] = &league.players[..] else { panic!("two players") };
        assert_eq!((ann.name.as_str(), ann.mean, ann.phases), ("Ann", Some(1.5), [Some(1.5), None, None]));
        assert_eq!((ann.wins, ann.draws, ann.losses, bob.losses, bob.mistakes), (1, 1, 0, 1, 2));
        assert_eq!(bob.phases, [None, Some(9.0), Some(5.0)]);
        assert_eq!(
            league.worst.iter().map(|w| (w.player.as_str(), w.game)).collect::<Vec<_>>(),
            [("Bob", 1), ("Bob", 2)]
        );
        assert_eq!((league.openings[0].games, league.openings[0].mean), (2, Some(2.0)));
    }
}
