//! The game of Egaroucid 7 as JSON: keys for the players, the memo and the result, and one object for every number of
//! discs on the board, `"4"` to `"64"`.

use super::{BadRecord, GameResult, Record};
use crate::{
    base::Colour,
    othello::{BitBoard, Game, Move, Position, Square},
};
use serde_json::{Map, Value, json};

/// A value for a position, as the file holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued {
    /// For black.
    pub black: f64,
    pub level: u8,
}

/// No value, no level, no square.
const UNKNOWN: i64 = -126;
const NONE: i64 = -1;

/// Is this text a game of this kind?
pub fn looks_like(value: &Value) -> bool {
    value.get("black_player").is_some() || value.get("black_discs").is_some() && value.get("4").is_some()
}

/// The game of a file. Values of positions become those of the moves that led there.
pub fn record(value: &Value) -> Result<Record, BadRecord> {
    let mut nodes = (4..=64u32).filter_map(|discs| Some((discs, value.get(discs.to_string())?)));
    let (first, root) = nodes.next().ok_or_else(|| BadRecord::Unsupported("the file holds no position".into()))?;
    let mut game = Game::without_auto_pass(position(first, root)?);
    for (discs, node) in nodes {
        let here = position(discs, node)?;
        let policy = node.get("policy").and_then(Value::as_i64).unwrap_or(NONE);
        let square = square(policy).ok_or_else(|| at(discs, "its move is no square"))?;
        game.play_sequence([(None, Move::Place(square))]).map_err(|e| BadRecord::Move {
            at: format!("with {discs} discs"),
            mv: square.to_string(),
            error: e.error,
        })?;
        note(&mut game, node);
        if game.position().side != here.side && game.position().board.must_pass() {
            let pass = game.play(None, Move::Pass);
            pass.map_err(|error| BadRecord::Move { at: format!("with {discs} discs"), mv: "pass".into(), error })?;
        }
        if game.position() != here && !game.is_over() {
            return Err(at(discs, "the position does not follow from the moves"));
        }
    }
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_string();
    let discs = |name: &str| value.get(name).and_then(Value::as_i64).filter(|n| (0..=64).contains(n));
    let result = discs("black_discs").zip(discs("white_discs"));
    Ok(Record {
        names: [text("black_player"), text("white_player")],
        date: text("date"),
        memo: text("memo"),
        result: result.map(|(black, white)| GameResult::from_score((black - white) as f64)),
        ..Record::new(game)
    })
}

fn at(discs: u32, what: &str) -> BadRecord {
    BadRecord::Unsupported(format!("with {discs} discs: {what}"))
}

/// The note on the move that was just played: value and time.
fn note(game: &mut Game, node: &Value) {
    let Some(mover) = game.played().iter().rev().find(|ply| ply.mv != Move::Pass).map(|ply| ply.colour) else { return };
    let number = |name: &str| node.get(name).and_then(Value::as_f64);
    let value = number("value").filter(|v| v.abs() <= 64.0);
    let clock = if mover == Colour::Black { "black_time_msec" } else { "white_time_msec" };
    let seconds = number(clock).filter(|ms| *ms >= 0.0).map(|ms| ms / 1000.0);
    if value.is_some() || seconds.is_some() {
        game.annotate(value.map(|v| if mover == Colour::Black { v } else { -v }), seconds);
    }
}

fn position(discs: u32, node: &Value) -> Result<Position, BadRecord> {
    let bits = |name: &str| node.get(name).and_then(Value::as_u64).map(|bits| BitBoard(bits.reverse_bits()));
    let (player, opponent) =
        bits("board_player").zip(bits("board_opponent")).ok_or_else(|| at(discs, "there is no board"))?;
    let side = match node.get("player").and_then(Value::as_i64) {
        Some(0) => Colour::Black,
        Some(1) => Colour::White,
        _ => return Err(at(discs, "the player is neither 0 nor 1")),
    };
    let (black, white) = if side == Colour::Black { (player, opponent) } else { (opponent, player) };
    Position::new(black, white, side).map_err(|error| at(discs, &error.to_string()))
}

/// Egaroucid counts squares from h8.
fn square(policy: i64) -> Option<Square> {
    u8::try_from(policy).ok().filter(|n| *n < 64).and_then(|n| Square::new(63 - n))
}

/// The whole line of the game. `value` says what is known of the position after so many plies.
pub fn text(record: &Record, value: impl Fn(usize) -> Option<Valued>) -> String {
    let game = &record.game;
    let mut root = Map::new();
    let mut put = |name: &str, value: Value| _ = root.insert(name.into(), value);
    put("date", json!(record.date));
    put("black_player", json!(record.names[0]));
    put("white_player", json!(record.names[1]));
    put("memo", json!(record.memo));
    let end = game.position_at(game.plies().len()).filter(|position| position.is_over());
    let score = end.map(|position| position.score());
    put("black_discs", json!(score.map_or(NONE, |score| score.black.into())));
    put("white_discs", json!(score.map_or(NONE, |score| score.white.into())));
    let policy = |mv: Option<Square>| mv.map_or(NONE, |square| 63 - square.index() as i64);
    for ply in 0..=game.plies().len() {
        let Some(position) = game.position_at(ply) else { continue };
        // A position with a pass to come is followed by one with as many discs, which replaces it.
        let placed = |mv: &Move| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        };
        let before = game.plies()[..ply].iter().rev().find(|ply| ply.mv != Move::Pass);
        let next = game.plies()[ply..].iter().find_map(|ply| placed(&ply.mv));
        let own = before.and_then(|ply| Some(Valued { black: side_value(ply.colour, ply.value?), level: 0 }));
        let known = value(ply).or(own);
        let milliseconds = |colour: Colour| {
            let seconds = before.filter(|ply| ply.colour == colour).and_then(|ply| ply.seconds);
            seconds.map_or(NONE, |seconds| (seconds * 1000.0).round() as i64)
        };
        let node = json!({
            "board_player": position.board.player.reverse_bits(),
            "board_opponent": position.board.opponent.reverse_bits(),
            "player": position.side.index(),
            "value": known.map_or(json!(UNKNOWN), |known| whole(known.black)),
            "level": known.map_or(NONE, |known| known.level.into()),
            "policy": policy(before.and_then(|ply| placed(&ply.mv))),
            "next_policy": policy(next),
            "black_time_msec": milliseconds(Colour::Black),
            "white_time_msec": milliseconds(Colour::White),
            "is_random_generated_position": false,
        });
        put(&position.board.disc_count().to_string(), node);
    }
    format!("{:#}\n", Value::Object(root))
}

fn side_value(side: Colour, value: f64) -> f64 {
    if side == Colour::Black { value } else { -value }
}

/// As Egaroucid writes it where it can be: a whole number.
fn whole(value: f64) -> Value {
    json!(value.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    #[test]
    fn boards_are_those_of_egaroucid() {
        let mut game = Game::new();
        game.play(None, Move::Place("f5".parse().unwrap())).unwrap();
        let value: Value = serde_json::from_str(&text(&Record::new(game), |_| None)).unwrap();
        assert_eq!(value["4"]["board_player"], json!(0x0000_0008_1000_0000u64));
        assert_eq!(value["4"]["next_policy"], json!(26), "f5, counted from h8");
        assert_eq!((&value["5"]["player"], &value["5"]["policy"]), (&json!(1), &json!(26)));
        assert_eq!((&value["black_discs"], &value["5"]["value"]), (&json!(-1), &json!(-126)));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let say = |text: &str| record(&serde_json::from_str(text).unwrap()).unwrap_err().to_string();
        assert_eq!(say("{}"), "the file holds no position");
        assert_eq!(say(r#"{"4":{}}"#), "with 4 discs: there is no board");
        let board = r#""board_player":34628173824,"board_opponent":68853694464"#;
        assert_eq!(say(&format!(r#"{{"4":{{{board},"player":2}}}}"#)), "with 4 discs: the player is neither 0 nor 1");
        let four = format!(r#""4":{{{board},"player":0}}"#);
        let bad = say(&format!(r#"{{{four},"5":{{{board},"player":1,"policy":0}}}}"#));
        assert_eq!(bad, "with 5 discs: h8: illegal move: black on h8 turns nothing");
    }

    proptest! {
        #[test]
        fn printed_and_read_again(game in samples::games(true), names in any::<[String; 2]>(), memo in any::<String>()) {
            let names = names.map(|name| name.trim().to_string());
            let record = Record { names, memo: memo.trim().into(), ..Record::new(game) };
            let known = Valued { black: 3.0, level: 21 };
            let text = text(&record, |ply| (ply > 0).then_some(known));
            let again = super::record(&serde_json::from_str(&text).unwrap()).unwrap();
            prop_assert_eq!(samples::without_passes(&again.game), samples::without_passes(&record.game));
            prop_assert_eq!(again.game.start().with_side(record.game.start().side), record.game.start());
            prop_assert_eq!((&again.names, &again.memo), (&record.names, &record.memo));
            let noted = again.game.played().iter().filter(|ply| ply.mv != Move::Pass);
            for ply in noted {
                prop_assert_eq!(ply.value.map(|v| side_value(ply.colour, v)), Some(3.0));
            }
        }
    }
}
