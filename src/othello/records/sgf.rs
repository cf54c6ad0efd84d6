//! SGF for Othello: `FF[4]GM[2]`, moves like `B[f5]`, variations as the game's branches.

use super::{BadEntry, BadRecord, Ending, GameResult, Record};
use crate::{
    base::{
        Colour, ParseError,
        sgf::{self, BadValue, Node, Tree},
    },
    othello::{BitBoard, Game, Move, Position, Square, game::Ply, notation::moves},
};
use nom::{
    Parser,
    character::complete::{char, one_of},
};

/// How many variations are followed: a bound for hostile files.
const MOST_BRANCHES: usize = 1000;

/// One game and nothing else.
pub fn parse(text: &str) -> Result<Record, BadRecord> {
    let mut trees = sgf::games(text);
    match trees.next() {
        Some(tree) => record(&tree?),
        None => Err(ParseError::at(text, "", "`(`").into()),
    }
}

/// The games of a file.
pub fn games(text: &str) -> impl Iterator<Item = Result<Record, BadEntry>> + '_ {
    sgf::games(text).enumerate().map(|(i, tree)| {
        let bad = |line, error| BadEntry { number: i + 1, line, error };
        let tree = tree.map_err(|error| bad(Some(error.line), error.into()))?;
        record(&tree).map_err(|error| bad(None, error))
    })
}

pub fn record(tree: &Tree) -> Result<Record, BadRecord> {
    let root = tree.root();
    if let Some(game) = root.get("GM").map(str::trim).filter(|&game| game != "2") {
        return Err(BadRecord::Unsupported(format!("a game of kind GM[{game}]: Othello is GM[2]")));
    }
    if let Some(size) = root.get("SZ").map(str::trim).filter(|&size| !matches!(size, "8" | "8:8")) {
        return Err(BadRecord::Unsupported(format!("a board of size {size}: only 8×8 is played here")));
    }
    let mut game = Game::without_auto_pass(start_of(root)?);
    let main: Vec<usize> = tree.main_line().collect();
    let leaves = tree.leaves();
    for &leaf in leaves.iter().filter(|&leaf| main.last() != Some(leaf)).take(MOST_BRANCHES) {
        play_line(&mut game, tree, &tree.path(leaf))?;
        game.keep_branch();
    }
    play_line(&mut game, tree, &main)?;
    let text = |name| root.get(name).unwrap_or_default().trim().to_string();
    let rating = |name| root.get(name).and_then(|r| r.trim().parse().ok()).filter(|r: &f64| r.is_finite());
    Ok(Record {
        names: [text("PB"), text("PW")],
        ratings: [rating("BR"), rating("WR")],
        place: text("PC"),
        event: text("EV"),
        date: text("DT"),
        result: root.get("RE").and_then(|value| result(value.trim())),
        memo: root.get("GC").or(root.get("C")).unwrap_or_default().trim().to_string(),
        extra: extra(root),
        ..Record::new(game)
    })
}

/// Properties of the root that have a place of their own, or belong to the program that wrote the file.
const KNOWN: [&str; 22] = [
    "FF", "GM", "CA", "AP", "SZ", "PB", "PW", "BR", "WR", "PC", "EV", "DT", "RE", "GC", "AB", "AW", "AE", "PL", "B",
    "W", "V", "KO",
];

/// Everything else that the root says, such as rules or a round.
fn extra(root: &Node) -> Vec<(String, String)> {
    let is_memo = |name: &str| name == "C" && !root.has("GC");
    let others = root.properties.iter().filter(|p| !KNOWN.contains(&p.name.as_str()) && !is_memo(&p.name));
    others.flat_map(|p| p.values.iter().map(|value| (p.name.clone(), value.clone()))).collect()
}

/// Names that SGF allows and that mean nothing else here.
fn is_free(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase()) && !KNOWN.contains(&name)
}

fn start_of(root: &Node) -> Result<Position, BadRecord> {
    let side = match root.get("PL").map(str::trim) {
        None => Colour::Black,
        Some(value) => match value.chars().next().map(|c| c.to_ascii_lowercase()) {
            Some('b') => Colour::Black,
            Some('w') => Colour::White,
            _ => return Err(bad_value(0, "PL", value, "B or W").into()),
        },
    };
    if !root.has("AB") && !root.has("AW") {
        return Ok(Position::START.with_side(side));
    }
    let discs = |name: &str| -> Result<BitBoard, BadRecord> {
        let squares = root.values(name).iter().map(|value| square(value).ok_or_else(|| bad_square(0, name, value)));
        Ok(squares.collect::<Result<_, _>>()?)
    };
    let position = Position::new(discs("AB")?, discs("AW")?, side);
    position.map_err(|error| BadRecord::Unsupported(format!("the set-up is not a position: {error}")))
}

fn bad_value(node: usize, property: &str, value: &str, expected: &'static str) -> BadValue {
    BadValue { node, property: property.into(), value: value.into(), expected }
}

fn bad_square(node: usize, property: &str, value: &str) -> BadValue {
    bad_value(node, property, value, "a square (a1 to h8)")
}

/// `f5`, or two letters as in Go: column and row from the top left.
fn square(value: &str) -> Option<Square> {
    let letters = |text: &str| match *text.as_bytes() {
        [column @ b'a'..=b'h', row @ b'a'..=b'h'] => Square::at(column - b'a', row - b'a'),
        _ => None,
    };
    value.trim().parse().ok().or_else(|| letters(value.trim()))
}

fn move_of(value: &str) -> Option<Move> {
    match value.trim() {
        "" | "tt" => Some(Move::Pass),
        text => square(text).map(Move::Place).or_else(|| moves::parse_move(text).ok()),
    }
}

/// Plays the moves of the nodes from the start of the game.
fn play_line(game: &mut Game, tree: &Tree, nodes: &[usize]) -> Result<(), BadRecord> {
    game.go_to(0);
    game.forget_future();
    for &number in nodes {
        let node = tree.node(number);
        if number > 0 && ["AB", "AW", "AE"].into_iter().any(|name| node.has(name)) {
            return Err(BadRecord::Unsupported(format!("node {number} sets up discs in the middle of a game")));
        }
        for (name, colour) in [("B", Colour::Black), ("W", Colour::White)] {
            let Some(value) = node.get(name) else { continue };
            let mv = move_of(value).ok_or_else(|| bad_value(number, name, value, "a square (a1 to h8) or a pass"))?;
            if mv == Move::Pass && game.is_over() {
                continue;
            }
            game.play(Some(colour), mv).map_err(|error| BadRecord::Move {
                at: format!("node {number}"),
                mv: format!("{name}[{value}]"),
                error,
            })?;
            let black_value: Option<f64> =
                node.get("V").and_then(|v| v.trim().parse().ok()).filter(|v: &f64| v.is_finite());
            game.annotate(black_value.map(|v| seen_by(colour, v)), None);
        }
    }
    Ok(())
}

/// SGF's values are black's.
fn seen_by(colour: Colour, value: f64) -> f64 {
    if colour == Colour::Black { value } else { -value }
}

fn result(text: &str) -> Option<GameResult> {
    if matches!(text.to_ascii_lowercase().as_str(), "0" | "draw" | "jigo") {
        return Some(GameResult::from_score(0.0));
    }
    let (how, (letter, _)) = (one_of::<_, _, nom::error::Error<&str>>("BWbw"), char('+')).parse(text).ok()?;
    let winner = if letter.eq_ignore_ascii_case(&'b') { Colour::Black } else { Colour::White };
    let (ending, margin) = match how.chars().next().map(|c| c.to_ascii_uppercase()) {
        Some('R') => (Ending::Resigned, None),
        Some('T') => (Ending::Timeout, None),
        Some('F') => (Ending::Left, None),
        None => (Ending::Played, None),
        _ => (Ending::Played, Some(how.parse::<f64>().ok().filter(|m| m.is_finite() && *m > 0.0)?)),
    };
    Some(GameResult { winner: Some(winner), margin, ending })
}

/// The game and its branches as a tree.
pub fn tree(record: &Record) -> Tree {
    let game = &record.game;
    let mut tree = Tree::new(root(record));
    add_line(&mut tree, game.played());
    for branch in game.branches() {
        add_line(&mut tree, &branch.plies);
    }
    tree
}

/// Who writes the file.
const PROGRAM: &str = concat!("Shirokuro:", env!("CARGO_PKG_VERSION"));

fn root(record: &Record) -> Node {
    let start = record.game.start();
    let mut root = Node::new().with("FF", "4").with("GM", "2").with("CA", "UTF-8").with("AP", PROGRAM).with("SZ", "8");
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            root.push(name, value);
        }
    };
    put("PB", &record.names[0]);
    put("PW", &record.names[1]);
    put("BR", &record.ratings[0].map_or(String::new(), |r| r.to_string()));
    put("WR", &record.ratings[1].map_or(String::new(), |r| r.to_string()));
    put("PC", &record.place);
    put("EV", &record.event);
    put("DT", &record.date);
    put("RE", &record.final_result().map_or(String::new(), |result| result.to_string()));
    put("GC", &record.memo);
    for (name, value) in record.extra.iter().filter(|(name, _)| is_free(name)) {
        put(name, value);
    }
    if start != Position::START {
        for (name, discs) in [("AB", start.black()), ("AW", start.white())] {
            discs.into_iter().for_each(|square| put(name, &square.to_string()));
        }
        put("PL", if start.side == Colour::Black { "B" } else { "W" });
    }
    root
}

fn add_line(tree: &mut Tree, plies: &[Ply]) {
    let mut at = 0;
    for ply in plies {
        let name = if ply.colour == Colour::Black { "B" } else { "W" };
        let value = match ply.mv {
            Move::Place(square) => square.to_string(),
            Move::Pass => String::new(),
        };
        let known = tree.node(at).children().iter().copied().find(|&child| tree.node(child).get(name) == Some(&value));
        at = known.unwrap_or_else(|| {
            let mut node = Node::new().with(name, value);
            if let Some(value) = ply.value {
                node.push("V", seen_by(ply.colour, value).to_string());
            }
            tree.add(at, node)
        });
    }
}

pub fn text(record: &Record) -> String {
    tree(record).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    #[test]
    fn a_game_with_a_variation() {
        let text = "(;FF[4]GM[2]SZ[8]PB[Ann]PW[Bob]RE[B+4]C[hello];B[f5];W[d6]V[-1.5](;B[c3];W[d3])(;B[c5];W[f4]))";
        let record = parse(text).unwrap();
        assert_eq!((record.game.ply(), record.game.branches().len()), (4, 1));
        assert_eq!(record.game.played()[1].value, Some(1.5));
        assert_eq!(record.names, ["Ann", "Bob"]);
        assert_eq!(record.result, Some(GameResult::from_score(4.0)));
        let again = parse(&self::text(&record)).unwrap();
        assert_eq!(again, record);
    }

    #[test]
    fn go_style_points_set_up_and_passes() {
        let discs = Position::START;
        let record = parse("(;GM[2]AB[d5][e4]AW[d4][e5]PL[W];W[c5])").unwrap();
        assert_eq!((record.game.start(), record.game.ply()), (discs.pass(), 1));
        assert_eq!(parse("(;GM[2];B[fe])").unwrap().game.position(), discs.play("f5".parse().unwrap()).unwrap());
    }

    #[test]
    fn what_is_refused_and_why() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(say("(;GM[1])"), "a game of kind GM[1]: Othello is GM[2]");
        assert_eq!(say("(;GM[2]SZ[10])"), "a board of size 10: only 8×8 is played here");
        assert_eq!(say("(;GM[2];B[z9])"), "B[z9] in node 1: expected a square (a1 to h8) or a pass");
        assert_eq!(say("(;GM[2];B[f5];W[f5])"), "node 2: W[f5]: illegal move: f5 is occupied");
        assert_eq!(say("(;GM[2]AB[a1]AW[a1])"), "the set-up is not a position: black and white both have a disc on a1");
        assert_eq!(say("(;GM[2];B[f5]"), "column 14: expected `;`, `(`, `)` or a property, found the end");
        assert_eq!(say(""), "column 1: expected `(`, found the end");
        assert!(say("(;GM[2];AB[a1])").contains("in the middle"));
        assert!(say("(;PL[x])").contains("PL[x] in node 0: expected B or W"));
        let found: Vec<_> = games("(;GM[2];B[f5])\n(;GM[3])\n(;GM[2];B[d3])").map(|g| g.is_ok()).collect();
        assert_eq!(found, [true, false, true]);
    }

    #[test]
    fn results() {
        for (text, expected) in
            [("B+4", 4.0), ("W+10.0", -10.0), ("0", 0.0), ("Draw", 0.0), ("W+R", -64.0), ("B+", 64.0)]
        {
            assert_eq!(result(text).unwrap().black_margin(), expected, "{text}");
        }
        for text in ["", "?", "Void", "B+x", "+4", "B+-1"] {
            assert_eq!(result(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn printed_and_read_again(mut record in samples::records(), odd in any::<String>()) {
            // Not in SGF: clocks and times. The margin of a game that was not played out is not written either.
            record.clocks = [None; 2];
            record.memo = odd.trim().into();
            if let Some(result) = &mut record.result && result.ending != Ending::Played {
                result.margin = None;
            }
            let text = text(&record);
            let again = parse(&text).unwrap();
            prop_assert_eq!(samples::moves(&again.game), samples::moves(&record.game));
            let values = |game: &Game| game.played().iter().map(|ply| ply.value).collect::<Vec<_>>();
            prop_assert_eq!(values(&again.game), values(&record.game));
            prop_assert_eq!(self::text(&again), text);
            let plain = |record: &Record| Record { game: Game::new(), ..record.clone() };
            prop_assert_eq!(plain(&again), plain(&record));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), seed in any::<u64>()) {
            let _ = games(&text).count();
            let mut rng = crate::base::Rng::new(seed);
            const PIECES: [&str; 12] = ["(", ")", ";", "B[f5]", "W[d6]", "W[f4]", "B[]", "AB[a1]", "PL[W]", "V[x]", "RE[", "]"];
            let nearly: String = (0..20).map(|_| PIECES[rng.below(PIECES.len())]).collect();
            let _ = games(&format!("(;GM[2]{nearly})")).count();
        }
    }
}
