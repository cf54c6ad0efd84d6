//! Finished games as text for other programs, with the values and times of the moves.

use super::{
    options::RecordFormat,
    record::{GameRecord, Ply, Reason},
    referee::{GameKind, OTHELLO_START},
};
use crate::base::Colour;

/// One game on one line.
pub fn text(record: &GameRecord, names: &[String], game: GameKind, format: RecordFormat) -> String {
    let players = record.players.map(|player| names[player].as_str());
    match format {
        RecordFormat::Ggf => ggf(record, players),
        RecordFormat::Sgf => sgf(record, players, game),
    }
}

/// What ended the game and is not in its score.
fn remark(record: &GameRecord) -> Option<String> {
    match (record.verdict.reason, record.verdict.detail.as_str()) {
        (Reason::End, "") => None,
        (reason, "") => Some(reason.to_string()),
        (reason, detail) => Some(format!("{reason}: {detail}")),
    }
}

fn ggf(record: &GameRecord, [black, white]: [&str; 2]) -> String {
    let clean = |text: &str| text.replace(['[', ']', ';', '(', ')', '\n'], "_");
    let position = record.position.as_deref().unwrap_or(OTHELLO_START).replace('X', "*");
    let (squares, side) = position.split_at(position.len().min(64));
    // The format wants a number for every end: a forfeit counts as a lost board, with its letter behind it.
    let verdict = &record.verdict;
    let score = verdict.score.unwrap_or(if verdict.winner == Some(Colour::Black) { 64.0 } else { -64.0 });
    let letter = match verdict.reason {
        Reason::End | Reason::Solved | Reason::Length => "",
        Reason::Resignation => ":r",
        Reason::Timeout => ":t",
        _ => ":l",
    };
    let mut text = format!(
        "(;GM[Othello]PC[Shirokuro]DT[{} GMT]PB[{}]PW[{}]RE[{score:+.3}{letter}]TY[8]",
        date(record.started),
        clean(black),
        clean(white),
    );
    if let Some(remark) = remark(record) {
        text += &format!("CO[{}]", clean(&remark));
    }
    text += &format!("BO[8 {squares} {side}]");
    for ply in &record.plies {
        text += &format!("{}[{}]", ply.colour.letter().to_ascii_uppercase(), ggf_move(ply));
    }
    text + ";)\n"
}

/// `F5/1.20/0.300`, as GGF and NBoard write moves; a pass is `PA`.
pub fn ggf_move(ply: &Ply) -> String {
    let text = if ply.is_pass() { "PA".to_owned() } else { ply.text.to_uppercase() };
    match (ply.value, ply.seconds) {
        (None, None) => text,
        (Some(value), None) => format!("{text}/{value:.2}"),
        (value, Some(seconds)) => {
            let value = value.map(|value| format!("{value:.2}")).unwrap_or_default();
            format!("{text}/{value}/{seconds:.3}")
        }
    }
}

fn sgf(record: &GameRecord, [black, white]: [&str; 2], game: GameKind) -> String {
    let clean = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]").replace('\n', " ");
    let number = if game == GameKind::Othello { 2 } else { 1 };
    let mut text = format!(
        "(;FF[4]GM[{number}]CA[UTF-8]AP[Shirokuro]SZ[{}]DT[{}]PB[{}]PW[{}]RE[{}]",
        game.size(),
        &date(record.started)[..10],
        clean(black),
        clean(white),
        record.verdict,
    );
    if let GameKind::Go { komi, .. } = game {
        text += &format!("KM[{komi}]");
    }
    if let Some(remark) = remark(record) {
        text += &format!("C[{}]", clean(&remark));
    }
    if game == GameKind::Othello {
        text += &sgf_setup(record.position.as_deref().unwrap_or(OTHELLO_START));
    }
    for ply in &record.plies {
        text += &format!(";{}[{}]", ply.colour.letter().to_ascii_uppercase(), sgf_vertex(ply, game));
        let mut comment = Vec::new();
        comment.extend(ply.value.map(|value| format!("value {value:+.2}")));
        comment.extend(ply.depth.as_ref().map(|depth| format!("depth {depth}")));
        comment.extend(ply.seconds.map(|seconds| format!("{seconds:.3} s")));
        if !comment.is_empty() {
            text += &format!("C[{}]", clean(&comment.join(", ")));
        }
    }
    text + ")\n"
}

fn sgf_setup(position: &str) -> String {
    let stones = |disc: char| -> String {
        let square = |i: usize| format!("[{}{}]", letter(i % 8), letter(i / 8));
        position.chars().take(64).enumerate().filter(|&(_, c)| c == disc).map(|(i, _)| square(i)).collect()
    };
    let side = if position.ends_with('O') { "W" } else { "B" };
    let list = |name: &str, stones: String| if stones.is_empty() { stones } else { format!("{name}{stones}") };
    format!("{}{}PL[{side}]", list("AB", stones('X')), list("AW", stones('O')))
}

fn letter(n: usize) -> char {
    char::from(b'a' + (n % 26) as u8)
}

/// Column and row as letters from the top left corner; a pass is empty.
fn sgf_vertex(ply: &Ply, game: GameKind) -> String {
    let mut chars = ply.text.chars();
    let (Some(column), Ok(row)) = (chars.next(), chars.as_str().parse::<usize>()) else { return String::new() };
    let column = (column.to_ascii_lowercase() as u8).saturating_sub(b'a') as usize;
    match game {
        GameKind::Othello => format!("{}{}", letter(column), letter(row.saturating_sub(1))),
        // Go names leave out the letter i and count rows from the bottom.
        GameKind::Go { size, .. } => {
            let column = if column > 8 { column - 1 } else { column };
            format!("{}{}", letter(column), letter(usize::from(size).saturating_sub(row)))
        }
    }
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
    use crate::tools::tournament::record::Verdict;

    fn record(verdict: Verdict) -> GameRecord {
        let mut second = Ply::given(Colour::White, "d6");
        (second.value, second.seconds, second.depth) = (Some(-1.5), Some(0.25), Some("12".into()));
        GameRecord {
            index: 0,
            opening: 0,
            players: [0, 1],
            position: None,
            plies: vec![Ply::given(Colour::Black, "f5"), second, Ply::given(Colour::Black, "pass")],
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
            "(;GM[Othello]PC[Shirokuro]DT[2024-02-29 12:34:56 GMT]PB[a]PW[b_]RE[-6.000]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6/-1.50/0.250]B[PA];)\n"
        );
        let late = record(Verdict::forfeit(Colour::White, Reason::Timeout, "b moved after 2 s".into()));
        let ggf = text(&late, &names(), GameKind::Othello, RecordFormat::Ggf);
        assert!(ggf.contains("RE[+64.000:t]TY[8]CO[timeout: b moved after 2 s]BO"), "{ggf}");
    }

    #[test]
    fn sgf_of_both_games() {
        let end = record(Verdict::scored(-6.0, Reason::End));
        assert_eq!(
            text(&end, &names(), GameKind::Othello, RecordFormat::Sgf),
            "(;FF[4]GM[2]CA[UTF-8]AP[Shirokuro]SZ[8]DT[2024-02-29]PB[a]PW[b\\]]RE[W+6]\
             AB[ed][de]AW[dd][ee]PL[B];B[fe];W[df]C[value -1.50, depth 12, 0.250 s];B[])\n"
        );
        let go = GameKind::Go { size: 9, komi: 7.0, rules: crate::go::Rules::CHINESE };
        assert_eq!(sgf_vertex(&Ply::given(Colour::Black, "J9"), go), "ia");
        assert_eq!(sgf_vertex(&Ply::given(Colour::Black, "A1"), go), "ai");
        assert!(text(&end, &names(), go, RecordFormat::Sgf).contains("GM[1]CA[UTF-8]AP[Shirokuro]SZ[9]"));
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(date(4_102_444_799), "2099-12-31 23:59:59");
    }
}
