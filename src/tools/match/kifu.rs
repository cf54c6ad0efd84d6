//! Finished games as text for other programs, with the values and times of the moves.

use super::{
    options::RecordFormat,
    record::{GameRecord, Ply, Reason, Verdict},
    referee::{GameKind, othello_position},
};
use crate::{
    base::{
        Colour,
        sgf::{Node, Tree},
    },
    othello::{
        Game, Position,
        notation::parse_move,
        records::{Ending, GameResult, Record, ggf, sgf},
    },
};

/// One game on one line.
pub fn text(record: &GameRecord, names: &[String], game: GameKind, format: RecordFormat) -> String {
    let players = record.players.map(|player| names[player].as_str());
    match (game, format) {
        (GameKind::Othello, RecordFormat::Ggf) => ggf::text(&othello_record(record, players)) + "\n",
        (GameKind::Othello, RecordFormat::Sgf) => {
            let mut tree = sgf::tree(&othello_record(record, players));
            let nodes: Vec<usize> = tree.main_line().skip(1).collect();
            for (node, ply) in nodes.into_iter().zip(&record.plies) {
                add_comment(tree.node_mut(node), ply);
            }
            format!("{tree}\n")
        }
        (GameKind::Go { size, komi, rules }, _) => {
            let root = Node::new()
                .with("FF", "4")
                .with("GM", "1")
                .with("CA", "UTF-8")
                .with("AP", concat!("Shirokuro:", env!("CARGO_PKG_VERSION")))
                .with("SZ", size.to_string())
                .with("KM", komi.to_string())
                .with("RU", rules.name);
            format!("{}\n", go_tree(root, record, players, size))
        }
    }
}

/// What ended the game and is not in its score.
fn remark(record: &GameRecord) -> String {
    match (record.verdict.reason, record.verdict.detail.as_str()) {
        (Reason::End, "") => String::new(),
        (reason, "") => reason.to_string(),
        (reason, detail) => format!("{reason}: {detail}"),
    }
}

/// A game of Othello as far as `plies` can be played; all of them can, unless a results file was tampered with.
pub fn othello_game(position: Option<&str>, plies: &[Ply]) -> Game {
    let start = position.and_then(|text| othello_position(text).ok()).unwrap_or(Position::START);
    let mut game = Game::without_auto_pass(start);
    for ply in plies {
        let Ok(mv) = parse_move(&ply.text) else { break };
        if game.play(Some(ply.colour), mv).is_err() {
            break;
        }
        // More digits than an engine's would only make the line longer.
        let rounded = |value: f64, unit: f64| (value * unit).round() / unit;
        game.annotate(ply.value.map(|value| rounded(value, 1e2)), ply.seconds.map(|seconds| rounded(seconds, 1e3)));
    }
    game
}

fn othello_record(record: &GameRecord, names: [&str; 2]) -> Record {
    Record {
        names: names.map(str::to_owned),
        place: "Shirokuro".into(),
        date: format!("{} GMT", date(record.started)),
        result: Some(result(&record.verdict)),
        memo: remark(record),
        ..Record::new(othello_game(record.position.as_deref(), &record.plies))
    }
}

fn result(verdict: &Verdict) -> GameResult {
    let ending = match verdict.reason {
        Reason::End | Reason::Disputed | Reason::Solved | Reason::Length => Ending::Played,
        Reason::Resignation => Ending::Resigned,
        Reason::Timeout => Ending::Timeout,
        _ => Ending::Left,
    };
    GameResult { winner: verdict.winner, margin: verdict.score.map(f64::abs), ending }
}

fn add_comment(node: &mut Node, ply: &Ply) {
    let mut words = Vec::new();
    words.extend(ply.value.map(|value| format!("value {value:+.2}")));
    words.extend(ply.depth.as_ref().map(|depth| format!("depth {depth}")));
    words.extend(ply.seconds.map(|seconds| format!("{seconds:.3} s")));
    if !words.is_empty() {
        node.push("C", words.join(", "));
    }
}

fn go_tree(mut root: Node, record: &GameRecord, [black, white]: [&str; 2], size: u8) -> Tree {
    root.push("DT", &date(record.started)[..10]);
    root.push("PB", black);
    root.push("PW", white);
    root.push("RE", record.verdict.to_string());
    if !remark(record).is_empty() {
        root.push("GC", remark(record));
    }
    let mut tree = Tree::new(root);
    let mut at = 0;
    for ply in &record.plies {
        let name = if ply.colour == Colour::Black { "B" } else { "W" };
        let mut node = Node::new().with(name, go_point(ply, size));
        add_comment(&mut node, ply);
        at = tree.add(at, node);
    }
    tree
}

/// Column and row as letters from the top left corner; a pass is empty.
fn go_point(ply: &Ply, size: u8) -> String {
    let mut chars = ply.text.chars();
    let (Some(column), Ok(row)) = (chars.next(), chars.as_str().parse::<usize>()) else { return String::new() };
    let column = usize::from((column.to_ascii_lowercase() as u8).saturating_sub(b'a'));
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    // Names leave out the letter i and count rows from the bottom.
    let column = if column > 8 { column - 1 } else { column };
    format!("{}{}", letter(column), letter(usize::from(size).saturating_sub(row)))
}

/// `2026-01-31 12:34:56` of seconds since 1970.
pub fn date(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Count from the first of March of year 0, so that the leap day is the last of a year.
    let z = days as i64 + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(verdict: Verdict) -> GameRecord {
        let mut second = Ply::given(Colour::White, "d6");
        (second.value, second.seconds, second.depth) = (Some(-1.5), Some(0.25), Some("12".into()));
        GameRecord {
            index: 0,
            opening: 0,
            players: [0, 1],
            position: None,
            plies: vec![Ply::given(Colour::Black, "f5"), second],
            opening_plies: 1,
            verdict,
            started: 1_709_210_096,
            seconds: 1.0,
        }
    }

    fn names() -> [String; 2] {
        ["a".into(), "b]".into()]
    }

    #[test]
    fn ggf_with_values_times_and_reason() {
        let end = record(Verdict::scored(-6.0, Reason::End));
        assert_eq!(
            text(&end, &names(), GameKind::Othello, RecordFormat::Ggf),
            "(;GM[Othello]PC[Shirokuro]DT[2024-02-29 12:34:56 GMT]PB[a]PW[b ]RE[-6]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6/-1.5/0.25];)\n"
        );
        let late = record(Verdict::forfeit(Colour::White, Reason::Timeout, "b moved after 2 s".into()));
        let line = text(&late, &names(), GameKind::Othello, RecordFormat::Ggf);
        assert!(line.contains("RE[+64:t]") && line.contains("CO[timeout: b moved after 2 s]"), "{line}");
        let again = ggf::parse(&line).unwrap();
        assert_eq!(again.game.played()[1].seconds, Some(0.25));
        assert_eq!(again.result.unwrap().winner, Some(Colour::Black));
    }

    #[test]
    fn sgf_of_both_games() {
        let end = record(Verdict::scored(-6.0, Reason::End));
        let line = text(&end, &names(), GameKind::Othello, RecordFormat::Sgf);
        assert!(line.contains(";B[f5];W[d6]V[1.5]C[value -1.50, depth 12, 0.250 s]"), "{line}");
        let again = sgf::parse(&line).unwrap();
        assert_eq!(again.game.ply(), 2);
        assert_eq!(again.names[1], "b]");
        let ply = |text: &str| Ply::given(Colour::Black, text);
        assert_eq!((go_point(&ply("J9"), 9), go_point(&ply("A1"), 9)), ("ia".into(), "ai".into()));
        assert_eq!(go_point(&ply("pass"), 9), "");
        let go = GameKind::Go { size: 9, komi: 7.0, rules: crate::go::Rules::CHINESE };
        assert!(text(&end, &names(), go, RecordFormat::Sgf).contains("SZ[9]KM[7]RU[chinese]"));
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date(4_102_444_799), "2099-12-31 23:59:59");
    }
}
