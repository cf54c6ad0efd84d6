//! Games as JSON: Egaroucid 7's, and those of Othello Quest, one or many in a file.

use super::{BadEntry, BadRecord, Ending, GameClock, GameResult, Record, egaroucid_json, lines};
use crate::othello::{Game, Move, Position, notation::parse_move};
use serde_json::Value;
use std::time::Duration;

/// The games of a file: an object, an array of objects, or objects one after the other.
pub fn games(text: &str) -> Vec<Result<Record, BadEntry>> {
    let mut found = vec![];
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let number = found.len() + 1;
        match value {
            Ok(Value::Array(list)) => {
                let entries = list.iter().enumerate();
                found.extend(entries.map(|(i, value)| record(value).map_err(|e| bad(number + i, None, e))));
            }
            Ok(value) => found.push(record(&value).map_err(|e| bad(number, None, e))),
            Err(error) => {
                let message = BadRecord::Unsupported(error.to_string());
                found.push(Err(bad(number, Some(error.line()), message)));
                break;
            }
        }
    }
    found
}

fn bad(number: usize, line: Option<usize>, error: BadRecord) -> BadEntry {
    BadEntry { number, line, error }
}

/// One game.
pub fn parse(text: &str) -> Result<Record, BadRecord> {
    match games(text).into_iter().next() {
        Some(game) => game.map_err(|entry| entry.error),
        None => Err(BadRecord::Unsupported("there is no game in the text".into())),
    }
}

fn record(value: &Value) -> Result<Record, BadRecord> {
    if egaroucid_json::looks_like(value) {
        return egaroucid_json::record(value);
    }
    // The game alone, or the message it came in.
    let game = value.get("args").and_then(|args| args.get(0)).unwrap_or(value);
    match game.get("position").and_then(|position| position.get("moves")).and_then(Value::as_array) {
        Some(moves) => quest(game, moves),
        None => Err(BadRecord::Unsupported("neither a game of Egaroucid nor one of Othello Quest".into())),
    }
}

fn quest(value: &Value, moves: &[Value]) -> Result<Record, BadRecord> {
    if let Some(kind) = value.get("gtype").and_then(Value::as_str).filter(|kind| !kind.starts_with("reversi")) {
        return Err(BadRecord::Unsupported(format!("a game of {kind}, not of Othello")));
    }
    let mut record = Record::new(Game::without_auto_pass(Position::START));
    for (i, entry) in moves.iter().enumerate() {
        let text = entry.get("m").and_then(Value::as_str).unwrap_or_default();
        // How a game was given up may stand among the moves.
        if matches!(text, "" | "-") {
            continue;
        }
        let wrong = |what: String| BadRecord::Unsupported(format!("move {}: {what}", i + 1));
        let mv = parse_move(text).map_err(|error| wrong(error.to_string()))?;
        if mv == Move::Pass {
            continue;
        }
        lines::play_all(&mut record.game, &[mv]).map_err(|error| match error {
            BadRecord::Move { mv, error, .. } => BadRecord::Move { at: format!("move {}", i + 1), mv, error },
            other => other,
        })?;
        let seconds = entry.get("t").and_then(Value::as_f64).filter(|t| *t >= 0.0).map(|t| t / 1000.0);
        record.game.annotate(None, seconds);
    }
    let player = |i: usize| value.get("players").and_then(|players| players.get(i));
    let name = |i| player(i).and_then(|p| p.get("name")).and_then(Value::as_str).unwrap_or_default().to_string();
    let rating = |i| player(i).and_then(|p| p.get("oldR")).and_then(Value::as_f64);
    record.names = [name(0), name(1)];
    record.ratings = [rating(0), rating(1)];
    record.date = value.get("created").and_then(Value::as_str).unwrap_or_default().to_string();
    record.place = "Othello Quest".into();
    let clock = value.get("tcb").and_then(Value::as_u64).map(|milliseconds| GameClock {
        main: Duration::from_millis(milliseconds),
        increment: Duration::ZERO,
        grace: Duration::ZERO,
    });
    record.clocks = [clock; 2];
    record.result = match record.game.is_over() {
        true => Some(GameResult::from_score(record.game.score().difference().into())),
        false => None.or_else(|| given_up(value)),
    };
    Ok(record)
}

/// The winner of a game that was not played out, where the file says it.
fn given_up(value: &Value) -> Option<GameResult> {
    let winner = value.get("position")?.get("winner").or_else(|| value.get("winner"))?.as_str()?;
    let black = match winner {
        "b" | "black" => 64.0,
        "w" | "white" => -64.0,
        _ => return None,
    };
    Some(GameResult { margin: None, ending: Ending::Left, ..GameResult::from_score(black) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    const QUEST: &str = r#"{"name":"player","args":[{"attrs":["opp:human"],"id":"x","gtype":"reversi1","players":[
        {"id":"b","name":"黒さん","oldR":1500.0,"newR":1510.5},{"id":"w","name":"Bob","oldR":1490}],
        "position":{"moves":[{"t":1,"m":"e6"},{"t":218,"m":"f6"},{"t":3000,"m":"f5"},{"m":"-"}]},
        "tcb":60000,"created":"2024-05-06T07:08:09Z"}]}"#;

    #[test]
    fn a_game_of_othello_quest() {
        let record = parse(QUEST).unwrap();
        assert_eq!((record.names, record.ratings), (["黒さん".into(), "Bob".into()], [Some(1500.0), Some(1490.0)]));
        assert_eq!((record.game.ply(), record.game.played()[2].seconds), (3, Some(3.0)));
        assert_eq!(record.date, "2024-05-06T07:08:09Z");
        assert_eq!(record.clocks[1].map(|clock| clock.main), Some(Duration::from_secs(60)));
        let inner = &QUEST[QUEST.find("[{\"attrs").unwrap() + 1..QUEST.rfind(']').unwrap()];
        let several = format!("[{inner},{inner}] {QUEST}");
        assert_eq!(games(&several).iter().filter(|game| game.is_ok()).count(), 3);
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(say(&QUEST.replace("f6", "f5")), "move 2: f5: illegal move: white on f5 turns nothing");
        assert!(say(&QUEST.replace("\"f6\"", "\"z9\"")).starts_with("move 2: "));
        assert_eq!(say(&QUEST.replace("reversi1", "shogi")), "a game of shogi, not of Othello");
        assert_eq!(say("{}"), "neither a game of Egaroucid nor one of Othello Quest");
        assert!(say("{").contains("line 1"), "{}", say("{"));
        assert_eq!(say(" "), "there is no game in the text");
    }

    proptest! {
        #[test]
        fn any_game_is_read_with_passes_or_without(game in samples::games(false), passes: bool, names: [String; 2]) {
            let named = |mv: Move| match mv {
                Move::Place(square) => square.to_string(),
                Move::Pass => "-".into(),
            };
            let moves = game.moves().filter(|mv| passes || *mv != Move::Pass);
            let moves: Vec<Value> = moves.map(|mv| serde_json::json!({ "t": 5, "m": named(mv) })).collect();
            let players = names.each_ref().map(|name| serde_json::json!({ "name": name }));
            let text = serde_json::json!({ "players": players, "position": { "moves": moves } }).to_string();
            let record = parse(&text).unwrap();
            prop_assert_eq!(samples::without_passes(&record.game), samples::without_passes(&game));
            prop_assert_eq!(record.names, names);
        }
    }
}
