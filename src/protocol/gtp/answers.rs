//! What GTP answers by looking at the engine.

use super::{
    Gtp, PREFIX,
    table::{self, TABLE},
};
use crate::{
    base::{
        Colour,
        settings::{Kind, SettingView, Value},
    },
    engine::{
        Answer, CommandError, CommandErrorKind, Engine, Game, View,
        command::{About, Chart, Picture, Table},
    },
    protocol::{tables::score_text, words},
};
use std::fmt::Write;

/// The name of a game's own command: those that GTP programs know keep their names, ours carry a prefix.
pub fn name_of(about: &About) -> String {
    let name = about.name;
    let standard = name.contains('_') || ["kgs-", "kata-", "lz-", "gogui-"].iter().any(|p| name.starts_with(p));
    if standard { name.into() } else { format!("{PREFIX}{name}") }
}

/// What the game calls the command with this name in GTP.
pub fn own_name(own: Table, name: &str) -> Option<&'static str> {
    own.list().iter().find(|about| name_of(about) == name).map(|about| about.name)
}

/// The game's own commands that the table does not have already.
fn own_commands(engine: &dyn Engine) -> impl Iterator<Item = About> {
    engine.commands().list().into_iter().filter(|about| table::find(&name_of(about)).is_none())
}

pub fn names(engine: &dyn Engine) -> Vec<String> {
    let game = engine.game();
    let ours = TABLE.iter().filter(|entry| entry.is_listed_for(game)).map(|entry| entry.name.to_string());
    ours.chain(own_commands(engine).map(|about| name_of(&about))).collect()
}

pub fn is_known(engine: &dyn Engine, name: &str) -> bool {
    let ours = table::find(name).is_some_and(|entry| entry.is_answered_for(engine.game()));
    ours || own_commands(engine).any(|about| name_of(&about) == name)
}

pub fn rules_only(gtp: &mut Gtp, _: &str, _: &dyn Engine) -> Answer<String> {
    gtp.rules_only = true;
    Ok(String::new())
}

pub fn help(_: &mut Gtp, name: &str, engine: &dyn Engine) -> Answer<String> {
    let ours =
        TABLE.iter().filter(|e| e.is_answered_for(engine.game())).map(|e| (e.name.to_string(), e.usage(), e.help));
    let own = own_commands(engine).map(|about| {
        let name = name_of(&about);
        let usage = name.clone() + about.usage.strip_prefix(about.name).unwrap_or("");
        (name, usage, about.help)
    });
    let mut lines = Vec::new();
    for (command, usage, help) in ours.chain(own) {
        if name.is_empty() || name == command || table::find(name).is_some_and(|e| e.name == command) {
            lines.push(format!("{usage}: {help}"));
        }
    }
    if lines.is_empty() {
        Err(CommandError::new(CommandErrorKind::Unsupported, "unknown command"))
    } else {
        Ok(lines.join("\n"))
    }
}

/// `type/label/command` for everything that can be looked at. A command that changes the game would leave GoGui with
/// another board than ours, so only those that the game calls charts are here.
pub fn menu(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let mut lines = Vec::new();
    for entry in TABLE.iter().filter(|e| e.is_answered_for(engine.game())) {
        lines.extend(entry.own.menu.map(|menu| format!("{menu}/{}", entry.name)));
    }
    for about in own_commands(engine) {
        for Chart { label, picture, args } in about.chart.iter().chain(about.charts) {
            let kind = match picture {
                Picture::Values => "dboard",
                Picture::Labels => "sboard",
                Picture::Points => "plist",
                Picture::Moves => "var",
                Picture::Text => "hpstring",
            };
            let command = format!("{} {args}", name_of(&about));
            lines.push(format!("{kind}/{label}/{}", command.trim_end()));
        }
    }
    Ok(lines.join("\n"))
}

/// A move as GTP writes it: points in capitals, `pass` and `resign` small.
pub fn vertex(name: &str) -> String {
    if ["pass", "resign"].iter().any(|w| name.eq_ignore_ascii_case(w)) {
        name.to_ascii_lowercase()
    } else {
        name.to_ascii_uppercase()
    }
}

pub fn final_score(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let result = engine.view().result;
    result.map(score_text).ok_or_else(|| CommandError::new(CommandErrorKind::Illegal, "the game is not over"))
}

pub fn final_result(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let view = engine.view();
    let count = || format!("{} : {}", view.count[0], view.count[1]);
    Ok(match view.result {
        None if view.over => "The game is over, but it was not judged".into(),
        None => "The game is not over".into(),
        Some(0.0) => format!("Draw, {}", count()),
        Some(r) => {
            let winner = if r > 0.0 { "Black" } else { "White" };
            match view.game {
                Game::Othello => format!("{winner} wins by {}, {}", r.abs(), count()),
                Game::Go => format!("{winner} wins by {}", r.abs()),
            }
        }
    })
}

/// The rows of a board as it is printed, top row first.
fn rows(view: &View) -> impl Iterator<Item = &[Option<Colour>]> {
    view.cells.chunks(view.size.max(1))
}

fn disc(cell: Option<Colour>) -> char {
    match cell {
        Some(Colour::Black) => 'X',
        Some(Colour::White) => 'O',
        None => '.',
    }
}

/// GoGui draws row 1 at the bottom, also in Othello: so its highest row comes first, and all names stay true.
pub fn rules_board(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let view = engine.view();
    let line = |row: &[Option<Colour>]| row.iter().map(|&c| disc(c).to_string()).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = rows(&view).map(line).collect();
    if view.game == Game::Othello {
        lines.reverse();
    }
    Ok(format!("\n{}", lines.join("\n")))
}

/// The green of the board, and a lighter one where a disc may be put.
pub fn rules_board_gfx(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let view = engine.view();
    let all: Vec<String> = (0..view.cells.len()).map(|i| point(&view, i)).collect();
    let legal = points(&view);
    let mut text =
        format!("COLOR #4f9d69 {}", all.iter().filter(|p| !legal.contains(p)).cloned().collect::<Vec<_>>().join(" "));
    if !legal.is_empty() {
        let _ = write!(text, "\nCOLOR #7fc498 {}", legal.join(" "));
    }
    Ok(text)
}

/// Columns are lettered without I.
fn column(i: usize) -> char {
    let letter = b'A' + u8::try_from(i).unwrap_or(0);
    char::from(if letter >= b'I' { letter + 1 } else { letter })
}

/// The number of a row as it is printed.
fn row_number(view: &View, i: usize) -> usize {
    match view.game {
        Game::Othello => i + 1,
        Game::Go => view.size - i,
    }
}

fn point(view: &View, cell: usize) -> String {
    format!("{}{}", column(cell % view.size), row_number(view, cell / view.size))
}

fn points(view: &View) -> Vec<String> {
    view.legal.iter().filter(|m| !m.eq_ignore_ascii_case("pass")).map(|m| vertex(m)).collect()
}

pub fn legal_moves(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let view = engine.view();
    Ok(view.legal.iter().map(|m| vertex(m)).collect::<Vec<_>>().join(" "))
}

/// Squares or points only, for GoGui to mark.
pub fn legal_points(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    Ok(points(&engine.view()).join(" "))
}

pub fn count(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let View { count: [black, white], empties, .. } = engine.view();
    Ok(format!("black {black}, white {white}, empty {empties}"))
}

pub fn show_board(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let view = engine.view();
    let header: String = (0..view.size).map(|i| format!(" {}", column(i))).collect();
    let mut text = format!("\n  {header}\n");
    for (i, row) in rows(&view).enumerate() {
        let cells: String = row.iter().map(|&c| format!(" {}", disc(c))).collect();
        let number = row_number(&view, i);
        let _ = writeln!(text, "{number:2}{cells} {number}");
    }
    let turn = match view.result {
        Some(result) if view.over => format!("the game is over: {}", score_text(result)),
        None if view.over => "the game is over".into(),
        _ => format!("{} to move", view.to_move),
    };
    let _ = write!(text, "  {header}\nblack (X) {}, white (O) {}, {turn}", view.count[0], view.count[1]);
    if view.game == Game::Go {
        let _ = write!(text, "\ncaptured by black {}, by white {}", view.captured[0], view.captured[1]);
    }
    Ok(text)
}

pub fn title(_: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let level = engine.settings().into_iter().find(|s| s.name == "level");
    let level = level.map_or(String::new(), |s| format!(", level {}", s.value));
    Ok(format!("{}: Shirokuro{level}", engine.game()))
}

/// The processor time of all threads; `None` where the system does not tell it in this way.
pub fn cpu_seconds() -> Option<f64> {
    /// What Linux calls USER_HZ: the same on every machine it runs on.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in brackets and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

pub fn cpu_time(_: &mut Gtp, _: &str, _: &dyn Engine) -> Answer<String> {
    cpu_seconds()
        .map(|s| format!("{s:.2}"))
        .ok_or_else(|| CommandError::new(CommandErrorKind::Unsupported, "the processor time is not known here"))
}

/// The options in the form of GoGui's dialog.
pub fn param(gtp: &mut Gtp, _: &str, engine: &dyn Engine) -> Answer<String> {
    let line = |s: &SettingView| match (&s.kind, &s.value) {
        (_, Value::Flag(on)) => format!("[bool] {} {}", s.name, u8::from(*on)),
        (Kind::Choice(words), value) => format!("[list/{}] {} {value}", words.join("/"), s.name),
        (_, value) => format!("[string] {} {value}", s.name),
    };
    let mut lines: Vec<String> = engine.settings().iter().chain(&gtp.session_settings.settings()).map(line).collect();
    lines.push(format!("[bool] {LIVE_GFX} {}", u8::from(gtp.live_gfx)));
    Ok(lines.join("\n"))
}

/// The one option that is the protocol's own.
pub const LIVE_GFX: &str = "live-gfx";

/// Shows or changes it.
pub fn live_gfx(gtp: &mut Gtp, args: &str, _: &dyn Engine) -> Answer<String> {
    if args.is_empty() {
        return Ok(Value::Flag(gtp.live_gfx).to_string());
    }
    let value = Kind::Flag.parse(args).ok_or_else(words::syntax_error)?;
    gtp.live_gfx = value.flag();
    Ok(String::new())
}
