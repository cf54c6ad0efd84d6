//! Go for the runner.

use super::referee::{BadMove, Referee};
use crate::{
    base::Colour,
    go::{
        Board, GoGame, Point, Rules,
        notation::{Vertex, parse_vertex, picture},
        score::{final_score, owners},
    },
};

pub struct GoReferee {
    game: GoGame,
}

impl GoReferee {
    pub fn new(size: u8, rules: Rules, komi: f64) -> Result<GoReferee, BadMove> {
        let bad = |error: crate::go::point::BadSize| BadMove::NotAPosition(error.to_string());
        GoGame::new(usize::from(size), rules, komi as f32).map(|game| GoReferee { game }).map_err(bad)
    }

    fn name(&self, point: Point) -> String {
        Vertex(self.game.geometry(), point).to_string()
    }

    fn score(&self, dead: &[Point]) -> f64 {
        f64::from(final_score(&self.game, dead))
    }

    fn points(&self, names: &[String]) -> Vec<Point> {
        names.iter().filter_map(|name| parse_vertex(self.game.geometry(), name).ok()).collect()
    }

    fn board(&self) -> &Board {
        self.game.board()
    }
}

impl Referee for GoReferee {
    fn to_move(&self) -> Colour {
        self.game.to_move()
    }

    fn play(&mut self, text: &str) -> Result<String, BadMove> {
        let text = text.trim();
        let point = parse_vertex(self.game.geometry(), text).map_err(|_| BadMove::NotAMove(text.into()))?;
        let (colour, ply) = (self.to_move(), self.game.plays().len());
        let name = self.name(point);
        match self.game.play(colour, point) {
            Ok(()) => Ok(name),
            Err(why) => Err(BadMove::Illegal { text: format!("{name} ({why})"), colour, ply }),
        }
    }

    fn moves(&self) -> Vec<String> {
        self.game.legal_points().into_iter().map(|point| self.name(point)).collect()
    }

    fn must_pass(&self) -> bool {
        false
    }

    fn result(&self) -> Option<f64> {
        self.game.is_over().then(|| self.score(&[]))
    }

    fn empties(&self) -> Option<u32> {
        None
    }

    fn solve(&self) -> Option<f64> {
        None
    }

    fn score_now(&self) -> f64 {
        self.score(&[])
    }

    fn score_without(&self, dead: &[Vec<String>]) -> Option<f64> {
        // What the players call dead counts only if it makes the same owners for all of them.
        let mut lists = dead.iter().map(|names| self.points(names));
        let first = lists.next()?;
        let same = |list: &Vec<Point>| {
            let (a, b) = (owners(self.board(), &first), owners(self.board(), list));
            self.game.geometry().points().all(|point| a[point] == b[point])
        };
        lists.all(|list| same(&list)).then(|| self.score(&first))
    }

    fn position(&self) -> String {
        picture(self.board())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(moves: &str) -> GoReferee {
        let mut referee = GoReferee::new(5, Rules::CHINESE, 0.5).unwrap();
        for text in moves.split(' ') {
            referee.play(text).unwrap();
        }
        referee
    }

    #[test]
    fn two_passes_end_the_game() {
        let mut referee = played("C3 pass B2");
        assert_eq!(referee.result(), None);
        assert_eq!(referee.to_move(), Colour::White);
        assert!(matches!(referee.play("c3"), Err(BadMove::Illegal { .. })));
        assert!(matches!(referee.play("i9"), Err(BadMove::NotAMove(_))));
        assert_eq!(referee.play("PASS").as_deref(), Ok("pass"));
        assert_eq!(referee.play("pass").as_deref(), Ok("pass"));
        assert_eq!(referee.result(), Some(24.5));
    }

    #[test]
    fn dead_stones_count_if_all_agree() {
        // A wall of black with one white stone lost behind it.
        let referee = played("C1 E1 C2 D1 C3 E2 C4 D2 C5 A1 pass E3 pass pass");
        let whole = referee.result().unwrap();
        let dead = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(referee.score_without(&[dead(&["A1"])]), Some(whole + 11.0));
        assert_eq!(referee.score_without(&[dead(&["A1"]), dead(&["a1"])]), Some(whole + 11.0));
        assert_eq!(referee.score_without(&[dead(&["A1"]), dead(&[])]), None);
        assert_eq!(referee.score_without(&[]), None);
    }
}
