//! What is written is read again as the same game, in every format; what gets lost is no more than the format has no
//! place for.

use super::{
    Format, Record, egaroucid,
    lost::{Part, lost},
    samples,
};
use crate::othello::{Game, Move, Position};
use proptest::prelude::*;

/// What has no place in each format.
const HOMELESS: &[(Format, &[Part])] = &[
    (Format::Ggf, &[Part::Branches]),
    (Format::Sgf, &[Part::Clocks, Part::Times]),
    (Format::Pgn, &[Part::Clocks, Part::Memo, Part::Result, Part::Values, Part::Times, Part::Branches]),
    (
        Format::Json,
        &[Part::Ratings, Part::Clocks, Part::Occasion, Part::Result, Part::Fractions, Part::Branches, Part::Tags],
    ),
    (Format::Gam, BARE),
    (Format::Text, BARE),
];

/// What moves alone do not say.
const BARE: &[Part] = &[
    Part::Names,
    Part::Ratings,
    Part::Clocks,
    Part::Occasion,
    Part::Memo,
    Part::Result,
    Part::Values,
    Part::Times,
    Part::Branches,
    Part::Tags,
];

/// A game with a second line in it, if there is another move at this place.
fn branched(game: &Game, at: usize) -> Game {
    let mut game = game.clone();
    game.go_to(at % (game.ply() + 1));
    let next = game.future().first().map(|ply| ply.mv);
    let other = game.position().legal().into_iter().find(|mv| Some(*mv) != next && *mv != Move::Pass);
    if let (Some(_), Some(other)) = (next, other) {
        game.play(None, other).unwrap();
        let number = game.branches().len() - 1;
        game.switch_branch(number);
    }
    let end = game.plies().len();
    game.go_to(end);
    game
}

fn records() -> impl Strategy<Value = Record> {
    let tags = prop::collection::vec(("[X-Z]{2}", "[\\p{L}\\p{N}]{1,6}"), 0..3);
    (samples::records(), tags, any::<usize>(), any::<bool>()).prop_map(|(record, mut extra, at, branch)| {
        extra.sort();
        extra.dedup_by(|a, b| a.0 == b.0);
        let game = if branch { branched(&record.game, at) } else { record.game.clone() };
        Record { game, extra, ..record }
    })
}

proptest! {
    #[test]
    fn every_format_gives_back_what_it_can_hold(record in records()) {
        for (format, homeless) in HOMELESS {
            let text = format.write(&record).unwrap();
            let gone = lost(&record, &text, *format);
            let from_elsewhere = *format == Format::Gam && record.game.start() != Position::START;
            if from_elsewhere {
                continue;
            }
            for part in &gone {
                prop_assert!(homeless.contains(part), "{format:?} has lost {part:?}: {text}");
            }
            // What was read once is written and read without any loss.
            let Some(Ok(again)) = format.read(text.clone().into_bytes()).into_iter().next() else {
                prop_assert!(record.game.plies().is_empty(), "{format:?}: {text}");
                continue;
            };
            let second = format.write(&again).unwrap();
            prop_assert_eq!(lost(&again, &second, *format), vec![], "{:?}: {}", format, second);
            prop_assert_eq!(&second, &text, "{:?}", format);
        }
    }

    #[test]
    fn a_record_line_keeps_names_of_one_word(record in records()) {
        let text = egaroucid::text(&record);
        let gone = lost(&record, &text, Format::Text);
        prop_assert!(!gone.contains(&Part::Moves), "{text}");
        let one_word = |name: &String| !name.contains(char::is_whitespace);
        if record.names.iter().all(one_word) {
            prop_assert!(!gone.contains(&Part::Names), "{text}");
        }
    }
}

#[test]
fn what_is_lost_is_told() {
    let mut record = Record { names: ["Ann Lee".into(), "林".into()], ..Record::new(samples::game(3, false)) };
    let lost_in = |record: &Record, format: Format| lost(record, &format.write(record).unwrap(), format);
    assert_eq!(lost_in(&record, Format::Sgf), []);
    assert_eq!(lost_in(&record, Format::Text), [Part::Names]);
    record.extra = vec![("RU".into(), "x".into()), ("Annotator".into(), "y".into())];
    assert_eq!(lost_in(&record, Format::Ggf), [Part::Tags], "a name of nine letters is no tag of GGF");
    assert_eq!(lost_in(&record, Format::Pgn), []);
    record.memo = "a]b".into();
    assert_eq!(lost_in(&record, Format::Ggf), [Part::Memo, Part::Tags]);
    record.game = samples::game(3, true);
    assert_eq!(lost_in(&record, Format::Gam), [Part::Moves]);
}
