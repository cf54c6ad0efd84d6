//! Pictures of a position, and of a game as a strip of positions.

use crate::{
    base::{
        Colour,
        svg::{
            Svg,
            board::{Board as Drawing, Grid, Mark, Shape, Theme, Value},
        },
    },
    othello::{BitBoard, Game, Move, Position, Square},
};

/// What is shown on a board besides its discs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    pub order: bool,
    pub last: bool,
    pub next: bool,
    pub legal: bool,
    pub stable: bool,
    pub values: bool,
    pub umigame: bool,
    pub accuracy: bool,
    /// How likely people are to play each move.
    pub human: bool,
    pub marks: Vec<Mark>,
    pub theme: Theme,
}

/// Reads a mark: `c3:circle`, `d3:A`, `e3>f5`.
pub fn mark(word: &str) -> Option<Mark> {
    let square = |text: &str| text.trim().parse::<Square>().ok().map(Square::index);
    if let Some((from, to)) = word.split_once('>') {
        let (from, to) = (square(from)?, square(to)?);
        return (from != to).then_some(Mark::Arrow(from, to));
    }
    let (at, what) = word.split_once(':')?;
    let (at, what) = (square(at)?, what.trim_matches('"'));
    match Shape::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(what)) {
        Some((_, shape)) => Some(Mark::Shape(at, *shape)),
        None => (1..=4).contains(&what.chars().count()).then(|| Mark::Label(at, what.into())),
    }
}

/// The present position of a game. `values` are those of the legal moves, for the side to move.
pub fn board(game: &Game, look: &Look, stable: BitBoard, values: &[(Square, Value)]) -> Drawing {
    let position = game.position();
    let index = |mv: Move| match mv {
        Move::Place(square) => Some(square.index()),
        Move::Pass => None,
    };
    let last = game.played().iter().rev().find_map(|ply| index(ply.mv));
    let next = game.future().iter().find_map(|ply| Some((index(ply.mv)?, ply.colour)));
    let squares = |squares: BitBoard| squares.into_iter().map(Square::index).collect::<Vec<_>>();
    Drawing {
        columns: ('a'..='h').map(String::from).collect(),
        rows: (1..=8).map(|row| row.to_string()).collect(),
        grid: Grid::Squares,
        discs: Square::all().map(|square| position.disc_at(square)).collect(),
        dots: ["b2", "f2", "b6", "f6"]
            .iter()
            .filter_map(|name| name.parse::<Square>().ok())
            .map(Square::index)
            .collect(),
        order: if look.order { order(game) } else { vec![] },
        last: last.filter(|_| look.last),
        next: next.filter(|_| look.next),
        legal: if look.legal { squares(position.moves()) } else { vec![] },
        stable: if look.stable { squares(stable) } else { vec![] },
        values: values.iter().map(|(square, value)| (square.index(), value.clone())).collect(),
        owners: vec![],
        marks: look.marks.clone(),
        title: title(position),
        caption: String::new(),
        theme: look.theme,
    }
}

/// The number of the move on each square, passes not counted.
fn order(game: &Game) -> Vec<(usize, usize)> {
    let placed = game.played().iter().filter_map(|ply| match ply.mv {
        Move::Place(square) => Some(square.index()),
        Move::Pass => None,
    });
    placed.enumerate().map(|(i, square)| (square, i + 1)).collect()
}

/// What the picture shows, for those who do not see it.
fn title(position: Position) -> String {
    let squares = |colour: Colour| {
        let names: Vec<String> = position.discs(colour).into_iter().map(|square| square.to_string()).collect();
        names.join(" ")
    };
    let [black, white] = Colour::BOTH.map(squares);
    format!("Othello, {} to move. Black: {black}. White: {white}.", position.side)
}

/// Boards side by side, four in a row: the start and every `every` moves, and the last position.
pub fn strip(game: &Game, every: usize, theme: Theme) -> Svg {
    let every = every.max(1);
    let end = game.plies().len();
    let stops = (0..end).step_by(every).chain([end]);
    let boards: Vec<Svg> = stops
        .map(|ply| {
            let mut game = game.clone();
            game.go_to(ply);
            let look = Look { last: true, theme, ..Look::default() };
            let score = game.score();
            let caption = format!("{ply}: {} – {}", score.black, score.white);
            Drawing { caption, ..board(&game, &look, BitBoard::EMPTY, &[]) }.draw()
        })
        .collect();
    let (width, height) = boards.first().map_or((1.0, 1.0), Svg::size);
    let columns = boards.len().clamp(1, 4);
    let rows = boards.len().div_ceil(columns);
    let mut svg = Svg::new(width * columns as f64, height * rows as f64).titled("the positions of a game");
    svg.background("#ffffff");
    for (i, board) in boards.iter().enumerate() {
        svg.place(board, (i % columns) as f64 * width, (i / columns) as f64 * height);
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::lines;

    #[test]
    fn marks_are_read_or_refused() {
        let at = |name: &str| name.parse::<Square>().unwrap().index();
        assert_eq!(mark("c3:circle"), Some(Mark::Shape(at("c3"), Shape::Circle)));
        assert_eq!(mark("d3:\"A\""), Some(Mark::Label(at("d3"), "A".into())));
        assert_eq!(mark("e3>f5"), Some(Mark::Arrow(at("e3"), at("f5"))));
        for bad in ["", "c3", "z9:A", "c3:", "e3>", "e3>e3", "c3:words too long"] {
            assert_eq!(mark(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_picture_knows_last_next_and_order() {
        let mut game = lines::parse("f5d6c3d3c4").unwrap();
        game.go_to(3);
        let look = Look { order: true, last: true, next: true, legal: true, ..Look::default() };
        let drawing = board(&game, &look, BitBoard::EMPTY, &[]);
        let at = |name: &str| name.parse::<Square>().unwrap().index();
        assert_eq!(drawing.order, [(at("f5"), 1), (at("d6"), 2), (at("c3"), 3)]);
        assert_eq!((drawing.last, drawing.next), (Some(at("c3")), Some((at("d3"), Colour::White))));
        assert_eq!(drawing.legal.len(), 4);
        let plain = board(&game, &Look::default(), BitBoard::EMPTY, &[]);
        assert!(plain.order.is_empty() && plain.last.is_none() && plain.next.is_none() && plain.legal.is_empty());
    }

    #[test]
    fn a_strip_has_start_stops_and_end() {
        let game = lines::parse("f5d6c3d3c4").unwrap();
        let text = strip(&game, 2, Theme::Mono).document();
        for caption in [">0: 2 – 2<", ">2: 3 – 3<", ">4: 4 – 4<", ">5: 6 – 3<"] {
            assert!(text.contains(caption), "{caption}");
        }
        assert_eq!(text.matches("<g ").count(), 4);
    }
}
