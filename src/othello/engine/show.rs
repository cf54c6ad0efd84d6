//! What `show` shows: discs, moves and values on the board, as `draw` puts them in a picture.

use super::OthelloEngine;
use crate::{
    base::{
        Args, BadArgs, OnBoard, PerLabel, PerPoint, Report,
        svg::board::{Mark, Shape},
    },
    othello::{
        BitBoard, Move, Square,
        book::{
            accuracy::Grader,
            graph::{self, Positions},
            umigame::{self, Counter},
        },
        search,
        study::{analysis, picture},
    },
    report::signed,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    Stable,
    Order,
    Next,
    Last,
    Legal,
    Values,
    Umigame,
    Accuracy,
    Marks(Vec<Mark>),
}

pub fn read(args: &mut Args) -> Result<Shown, BadArgs> {
    let shown = args.parsed("something to show", |word| {
        Some(match word.to_ascii_lowercase().as_str() {
            "stable" => Shown::Stable,
            "order" => Shown::Order,
            "next" => Shown::Next,
            "last" => Shown::Last,
            "legal" => Shown::Legal,
            "values" => Shown::Values,
            "umigame" => Shown::Umigame,
            "accuracy" => Shown::Accuracy,
            "marks" => Shown::Marks(vec![]),
            _ => return None,
        })
    })?;
    let Shown::Marks(mut marks) = shown else { return Ok(shown) };
    if args.is_empty() {
        return Err(BadArgs::Missing("a mark like c3:circle, d3:A or e3>f5"));
    }
    while let Some(word) = args.next_word() {
        marks.extend(read_marks(&word)?);
    }
    Ok(Shown::Marks(marks))
}

/// Marks with commas between them.
pub fn read_marks(word: &str) -> Result<Vec<Mark>, BadArgs> {
    let bad = |part: &str| BadArgs::Wrong { found: part.into(), expected: "a mark like c3:circle, d3:A or e3>f5" };
    let parts = word.split(',').filter(|part| !part.is_empty());
    parts.map(|part| picture::mark(part).ok_or_else(|| bad(part))).collect()
}

/// What stands for a mark where there are only letters.
fn letters(mark: &Mark) -> (usize, String) {
    match mark {
        Mark::Shape(at, shape) => (
            *at,
            match shape {
                Shape::Circle => "@",
                Shape::Square => "#",
                Shape::Triangle => "^",
                Shape::Cross => "+",
                Shape::Filled => "*",
            }
            .into(),
        ),
        Mark::Label(at, text) => (*at, text.clone()),
        Mark::Arrow(from, to) => (
            *from,
            format!(">{}", u8::try_from(*to).ok().and_then(Square::new).map_or(String::new(), |s| s.to_string())),
        ),
    }
}

impl OthelloEngine {
    pub(super) fn shown(&self, shown: &Shown) -> Report {
        let position = self.position();
        let placed = |mv: Move| match mv {
            Move::Place(square) => Some(BitBoard::EMPTY.with(square)),
            Move::Pass => None,
        };
        match shown {
            Shown::Stable => self.squares(search::stable_discs(position)),
            Shown::Last => {
                self.squares(self.game.played().iter().rev().find_map(|p| placed(p.mv)).unwrap_or(BitBoard::EMPTY))
            }
            Shown::Next => {
                self.squares(self.game.future().iter().find_map(|p| placed(p.mv)).unwrap_or(BitBoard::EMPTY))
            }
            Shown::Legal => self.squares(position.moves()),
            Shown::Order => {
                let squares: Vec<BitBoard> = self.game.moves().filter_map(placed).collect();
                let number = |square| Some(squares.iter().position(|s| s.contains(square))? as f32 + 1.0);
                self.numbers(0, &number, &|value| value.to_string())
            }
            Shown::Values => {
                let value = |square| {
                    let known = self.findings.get(position.play(square)?)?;
                    Some(analysis::for_black(position.side, known.black) as f32)
                };
                self.numbers(1, &value, &|value| signed(value.into()))
            }
            Shown::Umigame => {
                let mut counter = Counter::new(self.book.store(), umigame::Reach::default());
                self.labels(|square| self.umigame_number(&mut counter, square))
            }
            Shown::Accuracy => {
                let mut grader = Grader::new(self.book.store());
                self.labels(|square| Some(grader.grade(position.play(square)?.board)?.to_string()))
            }
            Shown::Marks(marks) => {
                let marks: Vec<(usize, String)> = marks.iter().map(letters).collect();
                self.labels(|square| marks.iter().rev().find(|(at, _)| *at == square.index()).map(|m| m.1.clone()))
            }
        }
    }

    /// Umigame's number of a book move: games that black and white have to remember.
    pub(super) fn umigame_number<P: Positions + ?Sized>(
        &self,
        counter: &mut Counter<'_, P>,
        square: Square,
    ) -> Option<String> {
        let after = self.position().play(square)?;
        self.book.store().find(graph::key(after.board))?;
        let number = counter.count(after.board, after.side);
        Some(format!("{}/{}", number.black, number.white))
    }

    fn on_board(&self, report: Report, labels: Vec<Option<String>>) -> Report {
        let discs = Square::all().map(|square| self.position().disc_at(square)).collect();
        Report::OnBoard(Box::new(OnBoard { report, discs, labels: PerLabel { width: 8, labels } }))
    }

    /// Programs get the names of the squares.
    fn squares(&self, squares: BitBoard) -> Report {
        let names = squares.into_iter().map(|square| square.to_string()).collect();
        let labels = Square::all().map(|square| squares.contains(square).then(|| "*".into())).collect();
        self.on_board(Report::Names(names), labels)
    }

    fn numbers(&self, decimals: u8, value: &dyn Fn(Square) -> Option<f32>, label: &dyn Fn(f32) -> String) -> Report {
        let values: Vec<Option<f32>> = Square::all().map(value).collect();
        let labels = values.iter().map(|value| value.map(label)).collect();
        self.on_board(Report::Points(PerPoint { width: 8, values, decimals }), labels)
    }

    fn labels(&self, label: impl FnMut(Square) -> Option<String>) -> Report {
        let labels: Vec<Option<String>> = Square::all().map(label).collect();
        self.on_board(Report::Labels(PerLabel { width: 8, labels: labels.clone() }), labels)
    }
}
