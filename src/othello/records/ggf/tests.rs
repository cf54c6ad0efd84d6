use super::*;
use crate::othello::{position::Turn, records::samples};
use proptest::prelude::*;

/// As NBoard sends a game.
const NBOARD: &str = "(;GM[Othello]PC[NBoard]DT[2026-11-16 00:54:28 GMT]PB[root]PW[Abigail1]RE[?]TI[5:00]TY[8]\
BO[8 ---------------------------O*------*O--------------------------- *]B[F5//34.959]W[F4/-1.78/0.3];)";

#[test]
fn a_game_as_nboard_sends_it() {
    let record = parse(NBOARD).unwrap();
    assert_eq!(record.names, ["root", "Abigail1"]);
    assert_eq!((record.place.as_str(), record.result), ("NBoard", None));
    let notes: Vec<_> = record.game.played().iter().map(|ply| (ply.mv.to_string(), ply.value, ply.seconds)).collect();
    assert_eq!(notes, [("f5".into(), None, Some(34.959)), ("f4".into(), Some(-1.78), Some(0.3))]);
    let left = |colour| record.clock_left(colour).unwrap().left.as_secs_f64();
    assert!((left(Colour::Black) - 265.041).abs() < 1e-6 && (left(Colour::White) - 299.7).abs() < 1e-6);
    assert_eq!(record.game.turn(), Turn::Move);
    assert_eq!(parse(&text(&record)).unwrap(), record);
}

#[test]
fn clocks_of_all_kinds() {
    let seconds = |text| {
        let clock = read_all(text, clock).unwrap();
        [clock.main, clock.increment, clock.grace].map(|time| time.as_secs_f64())
    };
    assert_eq!(seconds("15:00//02:00"), [900.0, 0.0, 120.0]);
    assert_eq!(seconds("5:00/10/2:00"), [300.0, 10.0, 120.0]);
    assert_eq!(seconds("0//0"), [0.0, 0.0, 0.0]);
    assert_eq!(seconds("1.02:03:04.5"), [93784.5, 0.0, 120.0]);
    assert_eq!(seconds("0.5"), [0.5, 0.0, 120.0]);
    assert_eq!(seconds("05:00,N/00:10,M/02:00"), [300.0, 10.0, 120.0]);
    assert_eq!(seconds(""), [0.0, 0.0, 120.0]);
    assert!(read_all("a", clock).is_err() && read_all("-5", clock).is_err() && read_all("1:2:3:4", clock).is_err());
    let gone = parse(&NBOARD.replace("34.959", "310").replace("TI[5:00]", "TB[5:00/1/0:30]")).unwrap();
    assert_eq!(gone.clock_left(Colour::Black).unwrap().left, Duration::from_secs(21));
    assert_eq!(gone.clock_left(Colour::White), None);
}

#[test]
fn moves_in_all_spellings() {
    let read = |text| TimedMove::parse(text).map(|m| (m.mv.to_string(), m.value, m.seconds));
    for (text, value, seconds) in [
        ("F5", None, None),
        ("f5/1.00", Some(1.0), None),
        ("F5//34.9", None, Some(34.9)),
        ("d6 -1.00 0.0", Some(-1.0), Some(0.0)),
        ("F5/-.5/1:02", Some(-0.5), Some(62.0)),
        ("F5/?/x", None, None),
        ("F5 / 2 / 3", Some(2.0), Some(3.0)),
    ] {
        assert_eq!(read(text).map(|(_, value, seconds)| (value, seconds)), Ok((value, seconds)), "{text}");
    }
    for text in ["PA", "pass", "--", "P", "PASS/1.0/2"] {
        assert_eq!(read(text).unwrap().0, "pass", "{text}");
    }
    for text in ["", "F9", "F5x", "Z1"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_refused_and_why() {
    let say = |text: &str| parse(text).unwrap_err().to_string();
    let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
    let column = NBOARD.find("F4").unwrap() + 1;
    let occupied = format!("line 1, column {column}: F5/-1.78/0.3: illegal move: f5 is occupied");
    assert_eq!(say(&NBOARD.replace("F4", "F5")), occupied);
    assert_eq!(say("(;GM[Go];)"), "a game of Go, not of Othello");
    assert_eq!(say("(;TY[10];)"), "a game of type 10: only Othello on 8×8 is played here");
    assert!(say("(;TY[8a];)").contains("type 8a") && say("(;TY[88];)").contains("type 88"));
    assert!(say("(;BO[10 ---];)").contains("size 10"));
    for fine in ["8", "8r20", "s8r18", "8k", "8b", "8w", "s8"] {
        assert!(parse(&format!("(;TY[{fine}]{board};)")).is_ok(), "{fine}");
    }
    assert_eq!(say("(;BO[8 --?];)"), "line 1: row 1, column 3 (c1): `?` is not a square");
    assert_eq!(say("(;PB[x"), "column 7: expected `]`, found the end");
    assert_eq!(say("(;PB[x]"), "column 8: expected a tag or `;)`, found the end");
    assert_eq!(say("(;\nTI[abc];)"), "line 2, column 4: expected the end, found `a`");
    assert_eq!(say("(;B[F5]"), "column 8: expected a tag or `;)`, found the end");
    assert_eq!(say("(;B[XX];)"), "column 5: expected a square (a1 to h8) or a pass, found `X`");
    assert_eq!(say("(;W[F5];)"), "line 1, column 5: F5: it is not white's turn");
    assert_eq!(say("(;PB[a];) more"), "column 11: expected the end, found `m`");
}

#[test]
fn a_file_with_a_bad_game_and_a_synchro_pair() {
    let good = "(;GM[Othello]B[F5];)";
    let file = format!("noise\n{good}\n(;GM[Othello]B[F5]W[F5];)\n2 {good}(;B[D3]\n;)\n(;TI[\n{good}");
    let found: Vec<_> = games(&file).collect();
    let good: Vec<_> = found.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, false, true, true, false, true]);
    let bad: Vec<_> = found.iter().filter_map(|g| g.as_ref().err()).map(|e| (e.number, e.line)).collect();
    assert_eq!(bad, [(2, Some(3)), (5, Some(6))]);
}

#[test]
fn unknown_tags_are_kept_and_zeros_are_white() {
    let record =
        parse("(;GM[Othello]XX[y]BO[8 ---------------------------0*------*0--------------------------- *];)").unwrap();
    assert_eq!(record.extra, [("XX".to_string(), "y".to_string())]);
    assert_eq!(record.game.start(), Position::START);
    assert!(text(&record).contains("XX[y]"));
}

proptest! {
    #[test]
    fn printed_and_read_again(record in samples::records()) {
        let text = text(&record);
        prop_assert_eq!(parse(&text), Ok(record));
    }

    #[test]
    fn any_text_is_answered(text in any::<String>(), at in 0usize..300, c in any::<char>()) {
        let _ = (parse(&text), games(&text).count(), TimedMove::parse(&text));
        let mut spoilt: Vec<char> = NBOARD.chars().collect();
        let at = at % spoilt.len();
        spoilt[at] = c;
        let spoilt: String = spoilt.into_iter().collect();
        let _ = (parse(&spoilt), games(&spoilt).count());
    }
}
