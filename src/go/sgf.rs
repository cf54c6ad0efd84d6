//! SGF for Go, `FF[4]GM[1]`: records with all their variations, read into games and written back.

use super::board::{Board, Forbidden};
use super::game::GoGame;
use super::notation::Vertex;
use super::point::{Geometry, Point};
use super::rules::Rules;
use super::surroundings::Cell;
use crate::base::sgf::{self, BadValue, Node, Tree};
use crate::base::{Colour, ParseError};

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadSgf {
    #[error(transparent)]
    Syntax(#[from] ParseError),
    #[error(transparent)]
    Value(#[from] BadValue),
    #[error("{0}")]
    Unsupported(String),
    #[error("move {number}, {colour} at {vertex}: {why}")]
    Illegal { number: usize, colour: Colour, vertex: String, why: Forbidden },
}

/// What a record says beside the moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    pub black: String,
    pub white: String,
    /// As in the file: `B+3.5`, `W+R`, `0`.
    pub result: String,
    pub date: String,
    pub event: String,
}

/// A record: the whole tree, whose main line is the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub tree: Tree,
    pub info: Info,
}

/// Reads the first game of a text.
pub fn parse(text: &str) -> Result<Record, BadSgf> {
    let tree = sgf::games(text).next().unwrap_or_else(|| Err(ParseError::at(text, "", "`(`")))?;
    let root = tree.root();
    if let Some(kind) = root.get("GM").map(str::trim).filter(|&kind| kind != "1") {
        return Err(BadSgf::Unsupported(format!("a game of kind GM[{kind}]: Go is GM[1]")));
    }
    let text = |name| root.get(name).unwrap_or_default().trim().to_string();
    let info = Info { black: text("PB"), white: text("PW"), result: text("RE"), date: text("DT"), event: text("EV") };
    Ok(Record { tree, info })
}

impl Record {
    /// The game of the main line, or its first `moves` moves.
    pub fn game(&self, moves: Option<usize>) -> Result<GoGame, BadSgf> {
        let nodes: Vec<usize> = self.tree.main_line().collect();
        play(&self.tree, &nodes, moves)
    }

    /// The game that leads to a node of the tree.
    pub fn game_to(&self, node: usize) -> Result<GoGame, BadSgf> {
        play(&self.tree, &self.tree.path(node), None)
    }

    /// The record with the moves of a game as its main line: what was there already stays, as variations where it
    /// differs. `None` if the game does not begin as the record does, or ends in the middle of it.
    pub fn with_line(&self, game: &GoGame) -> Option<Record> {
        let mut record = self.clone();
        let tree = &mut record.tree;
        // The game begins where stones were last put down in the main line.
        let has_stones = |node: &Node| ["AB", "AW", "AE"].iter().any(|name| node.has(name));
        let mut at = tree.main_line().filter(|&id| has_stones(tree.node(id))).last().unwrap_or(0);
        let start = self.game_to(at).ok()?;
        if start.board().stones_hash() != game.start().stones_hash() || start.size() != game.size() {
            return None;
        }
        for play in game.plays() {
            let name = if play.colour == Colour::Black { "B" } else { "W" };
            let is_it =
                |node: &Node| node.get(name).and_then(|value| move_of(game.geometry(), value)) == Some(play.point);
            // Nodes that only say something lie between moves.
            let mut next = at;
            let found = loop {
                let children = tree.node(next).children();
                if let Some(&child) = children.iter().find(|&&child| is_it(tree.node(child))) {
                    break Some(child);
                }
                match children.first() {
                    Some(&child) if !tree.node(child).has("B") && !tree.node(child).has("W") => next = child,
                    _ => break None,
                }
            };
            at = match found {
                Some(node) => node,
                None => tree.add(at, Node::new().with(name, letters(game.geometry(), play.point))),
            };
            tree.promote(at);
        }
        let is_move = |id: usize| tree.node(id).has("B") || tree.node(id).has("W");
        let goes_on = tree.main_line().skip_while(|&id| id != at).skip(1).any(is_move);
        if goes_on { None } else { Some(record) }
    }
}

fn bad(node: usize, property: &str, value: &str, expected: &'static str) -> BadValue {
    BadValue { node, property: property.into(), value: value.into(), expected }
}

fn new_game(root: &Node) -> Result<GoGame, BadSgf> {
    let size = match root.get("SZ").map(str::trim) {
        None => 19,
        Some(text) => {
            let (width, height) = text.split_once(':').unwrap_or((text, text));
            let square = (width.trim() == height.trim()).then(|| width.trim().parse::<usize>().ok()).flatten();
            square
                .filter(|&size| Geometry::new(size).is_ok())
                .ok_or_else(|| BadSgf::Unsupported(format!("a board of size {text}: 2 to 25 can be played here")))?
        }
    };
    // Rules with unknown names, and there are many, are taken as the most common ones.
    let rules = root.get("RU").and_then(|name| name.parse().ok()).unwrap_or(Rules::CHINESE);
    let number = |name: &'static str| match root.get(name).map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(0.0),
        Some(text) => match text.replace(',', ".").parse::<f32>() {
            Ok(n) if n.is_finite() && n.abs() < 10_000.0 => Ok(n),
            _ => Err(bad(0, name, text, "a number")),
        },
    };
    let komi = number("KM")?;
    let mut game = GoGame::new(size, rules, komi).map_err(|e| BadSgf::Unsupported(e.to_string()))?;
    game.set_handicap(number("HA")?.max(0.0) as usize);
    Ok(game)
}

fn play(tree: &Tree, nodes: &[usize], moves: Option<usize>) -> Result<GoGame, BadSgf> {
    let mut game = new_game(tree.root())?;
    let mut number = 0;
    for &id in nodes {
        let node = tree.node(id);
        set_up(&mut game, id, node)?;
        for (name, colour) in [("B", Colour::Black), ("W", Colour::White)] {
            let Some(value) = node.get(name) else { continue };
            if moves.is_some_and(|most| number >= most) {
                return Ok(game);
            }
            number += 1;
            let point = move_of(game.geometry(), value)
                .ok_or_else(|| bad(id, name, value, "a point of the board, or nothing for a pass"))?;
            game.play_despite_superko(colour, point).map_err(|why| {
                let vertex = Vertex(game.geometry(), point).to_string();
                BadSgf::Illegal { number, colour, vertex, why }
            })?;
        }
    }
    Ok(game)
}

/// Stones put down or taken away: the game begins anew from there.
fn set_up(game: &mut GoGame, id: usize, node: &Node) -> Result<(), BadSgf> {
    let g = game.geometry();
    let side = match node.get("PL").map(|value| (value, value.trim().to_ascii_lowercase())) {
        None => None,
        Some((_, side)) if side.starts_with(['b', '1']) => Some(Colour::Black),
        Some((_, side)) if side.starts_with(['w', '2']) => Some(Colour::White),
        Some((value, _)) => return Err(bad(id, "PL", value, "B or W").into()),
    };
    let mut cells: Vec<(Point, Option<Colour>)> = Vec::new();
    for (name, cell) in [("AB", Some(Colour::Black)), ("AW", Some(Colour::White)), ("AE", None)] {
        for value in node.values(name) {
            let points = points_of(g, value).ok_or_else(|| bad(id, name, value, "points of the board"))?;
            cells.extend(points.into_iter().map(|p| (p, cell)));
        }
    }
    if cells.is_empty() {
        if let Some(side) = side {
            game.set_to_move(side);
        }
        return Ok(());
    }
    let mut stones: Vec<Option<Colour>> = g.points().map(|p| game.board().cell(p).colour()).collect();
    for (p, cell) in &cells {
        if let Some(place) = g.points().position(|q| q == *p) {
            stones[place] = *cell;
        }
    }
    let stones = g.points().zip(stones).filter_map(|(p, cell)| Some((p, cell?)));
    let mut board = Board::with_stones(g, stones)
        .map_err(|_| BadSgf::Unsupported(format!("node {id} sets up a chain without liberties")))?;
    let handicap = game.handicap();
    let only_black = cells.iter().all(|(_, cell)| *cell == Some(Colour::Black));
    let white_first = handicap >= 2 && only_black && game.plays().is_empty();
    board.set_to_move(side.unwrap_or(if white_first { Colour::White } else { game.to_move() }));
    let mut fresh = GoGame::from_board(board, game.rules(), game.komi());
    fresh.set_handicap(handicap);
    *game = fresh;
    Ok(())
}

/// `dd`: column from the left and row from the top.
fn point_of(geometry: Geometry, value: &str) -> Option<Point> {
    let &[column @ b'a'..=b'z', row @ b'a'..=b'z'] = value.trim().as_bytes() else { return None };
    let row = geometry.size().checked_sub(1 + usize::from(row - b'a'))?;
    geometry.point(usize::from(column - b'a'), row)
}

/// A point, or a rectangle from its upper left to its lower right: `aa:cc`.
fn points_of(geometry: Geometry, value: &str) -> Option<Vec<Point>> {
    let (from, to) = value.split_once(':').unwrap_or((value, value));
    let (from, to) = (point_of(geometry, from)?, point_of(geometry, to)?);
    let span = |a: usize, b: usize| a.min(b)..=a.max(b);
    let rows = span(geometry.row(from), geometry.row(to));
    let columns = span(geometry.column(from), geometry.column(to));
    Some(rows.flat_map(|row| columns.clone().filter_map(move |column| geometry.point(column, row))).collect())
}

fn move_of(geometry: Geometry, value: &str) -> Option<Point> {
    match value.trim() {
        "" => Some(Point::PASS),
        // Old files pass like this on boards where it is no point.
        "tt" if geometry.size() <= 19 => Some(Point::PASS),
        text => point_of(geometry, text),
    }
}

/// A point as SGF writes it; the pass is empty.
pub fn letters(geometry: Geometry, p: Point) -> String {
    if p.is_pass() {
        return String::new();
    }
    let letter = |n: usize| char::from(b'a' + n as u8);
    [letter(geometry.column(p)), letter(geometry.size() - 1 - geometry.row(p))].iter().collect()
}

/// A game as a record with one line. `comments` may say something about each move.
pub fn record(game: &GoGame, info: &Info, comments: impl Fn(usize) -> Option<String>) -> Record {
    let g = game.geometry();
    let mut root = Node::new()
        .with("FF", "4")
        .with("GM", "1")
        .with("CA", "UTF-8")
        .with("AP", concat!("Shirokuro:", env!("CARGO_PKG_VERSION")));
    root.push("SZ", g.size().to_string());
    root.push("KM", game.komi().to_string());
    root.push("RU", game.rules().name);
    for (name, text) in [("PB", &info.black), ("PW", &info.white), ("DT", &info.date), ("EV", &info.event)] {
        if !text.is_empty() {
            root.push(name, text.as_str());
        }
    }
    if game.handicap() > 0 {
        root.push("HA", game.handicap().to_string());
    }
    let start = game.start();
    for p in g.points_from_top() {
        match start.cell(p) {
            Cell::Black => root.push("AB", letters(g, p)),
            Cell::White => root.push("AW", letters(g, p)),
            Cell::Empty | Cell::Edge => {}
        }
    }
    if root.has("AB") || root.has("AW") {
        root.push("PL", if start.to_move() == Colour::Black { "B" } else { "W" });
    }
    if !info.result.is_empty() {
        root.push("RE", info.result.as_str());
    }
    let mut tree = Tree::new(root);
    let mut last = 0;
    for (number, play) in game.plays().iter().enumerate() {
        let name = if play.colour == Colour::Black { "B" } else { "W" };
        let mut node = Node::new().with(name, letters(g, play.point));
        if let Some(comment) = comments(number) {
            node.push("C", comment);
        }
        last = tree.add(last, node);
    }
    Record { tree, info: info.clone() }
}

/// A result as SGF writes it: black's lead with `B+`, white's with `W+`, or `0`.
pub fn result(score: f32) -> String {
    match score {
        s if s > 0.0 => format!("B+{s}"),
        s if s < 0.0 => format!("W+{}", -s),
        _ => "0".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;
    use crate::go::notation::picture;

    #[test]
    fn a_record_with_everything() {
        let text = "(;FF[4]GM[1]SZ[9]KM[6,5]HA[2]AB[cc][gg]RU[Japanese]PB[Shūsaku]PW[N.]RE[W+R]\n;W[ee];B[];W[tt](;B[ab])(;B[ba]))";
        let record = parse(text).unwrap();
        assert_eq!((record.info.black.as_str(), record.info.result.as_str()), ("Shūsaku", "W+R"));
        let game = record.game(None).unwrap();
        assert_eq!((game.size(), game.komi(), game.handicap()), (9, 6.5, 2));
        assert_eq!(game.rules(), Rules::JAPANESE);
        assert_eq!(game.plays().len(), 4);
        assert_eq!(game.plays()[0].colour, Colour::White);
        assert_eq!(record.game(Some(2)).unwrap().plays().len(), 2);
        let ends: Vec<GoGame> = record.tree.leaves().into_iter().map(|leaf| record.game_to(leaf).unwrap()).collect();
        assert_eq!(ends.len(), 2, "both variations can be played");
        assert_ne!(ends[0].board().hash(), ends[1].board().hash());
        assert_eq!(parse(&record.tree.to_string()).unwrap(), record, "variations are kept");
    }

    #[test]
    fn a_line_that_goes_another_way_becomes_the_main_line() {
        let record = parse("(;GM[1]SZ[5]C[x];B[aa](;W[bb]C[y];B[cc])(;W[dd]))").unwrap();
        let mut game = record.game(Some(2)).unwrap();
        assert_eq!(record.with_line(&game), None, "the file goes on");
        game.undo();
        for name in ["d4", "e5"] {
            let point = crate::go::notation::parse_vertex(game.geometry(), name).unwrap();
            game.play(game.to_move(), point).unwrap();
        }
        let whole = record.with_line(&game).unwrap();
        assert_eq!(whole.game(None).unwrap().plays(), game.plays());
        assert_eq!(whole.tree.leaves().len(), 3, "{}", whole.tree);
        assert!(whole.tree.to_string().contains("W[bb]C[y]"));
        let other = GoGame::new(7, Rules::CHINESE, 0.0).unwrap();
        assert_eq!(whole.with_line(&other), None);
    }

    #[test]
    fn set_up_in_the_middle_and_rectangles() {
        let record = parse("(;GM[1]SZ[5];B[aa];AE[aa]AW[ae:ce]PL[W];W[dd])").unwrap();
        let game = record.game(None).unwrap();
        assert_eq!(picture(game.board()), ".....\n.....\n.....\n...O.\nOOO..\n");
        assert_eq!(game.plays().len(), 1);
    }

    #[test]
    fn errors_say_what_and_where() {
        let error = |text: &str| parse(text).and_then(|r| r.game(None)).unwrap_err().to_string();
        assert!(error("(;GM[2])").contains("GM[2]"));
        assert!(error("(;GM[1]SZ[26])").contains("26"));
        assert!(error("(;GM[1]SZ[9:7])").contains("9:7"));
        assert!(error("(;GM[1]SZ[9];B[zz])").contains("zz"));
        assert_eq!(error("(;GM[1]SZ[9];B[ee];W[ee])"), "move 2, white at E5: the point is occupied");
        assert!(error("(;GM[1]\n  SZ[9];B[aa)").contains("line 2") || error("(;GM[1]\n SZ[9]X").contains("line 2"));
        assert!(error("").contains('('));
    }

    #[test]
    fn games_are_written_and_read_back() {
        let mut rng = Rng::new(11);
        for size in [2, 5, 9, 19, 25] {
            let mut game = GoGame::new(size, Rules::CHINESE, 7.5).unwrap();
            for _ in 0..2 * size {
                let legal = game.legal_points();
                let p = rng.pick(&legal).copied().unwrap_or(Point::PASS);
                game.play(game.to_move(), p).unwrap();
            }
            game.play(game.to_move(), Point::PASS).unwrap();
            let info = Info { black: "a]b\\c".into(), result: result(3.5), ..Info::default() };
            let text = record(&game, &info, |n| (n == 0).then(|| "first".into())).tree.to_string();
            let read = parse(&text).unwrap();
            assert_eq!(read.info, info);
            let again = read.game(None).unwrap();
            assert_eq!(again.plays(), game.plays());
            assert_eq!((again.board().hash(), again.komi()), (game.board().hash(), 7.5));
        }
    }

    #[test]
    fn handicap_and_set_up_survive() {
        let mut game = GoGame::new(9, Rules::CHINESE, 0.5).unwrap();
        game.place_handicap(&crate::go::handicap::fixed(game.geometry(), 3).unwrap()).unwrap();
        let text = record(&game, &Info::default(), |_| None).tree.to_string();
        let again = parse(&text).unwrap().game(None).unwrap();
        assert_eq!((again.handicap(), again.to_move()), (3, Colour::White));
        assert_eq!(again.board().hash(), game.board().hash());
    }

    #[test]
    fn results() {
        assert_eq!([result(3.5), result(-0.5), result(0.0)], ["B+3.5", "W+0.5", "0"]);
    }
}
