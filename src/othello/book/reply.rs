//! What the book answers: structures, and their view as tables.

use super::{
    Settings,
    accuracy::Grade,
    commands::VERBS,
    entry::{Entry, Leaf, Level},
    formats::{ReadReport, WriteReport},
    info::Info,
    learn::{
        Learned,
        games::{BadLine, Checked},
    },
    lookup::Choosing,
    maintain::{cut::Cut, leaves::Searched, merge::Merged, sweep::Swept, verify::Verified},
    umigame::Umigame,
};
use crate::{
    base::{Cell, Report, Table, files::lock::Holder},
    othello::{Move, Square, notation},
};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub enum BookReply {
    /// All verbs, or one.
    Help(Option<&'static str>),
    Settings(Settings),
    Shown(Shown),
    /// The entry of the position that was changed.
    Set(Entry),
    Learned(Learned),
    /// Nothing was begun: these lines of the file are no games.
    BadGames(Vec<BadLine>),
    Swept(Swept),
    Searched(Searched),
    Cut(Cut),
    Merged {
        read: ReadReport,
        merged: Merged,
    },
    Loaded {
        read: ReadReport,
        /// Who writes the file at present.
        holder: Option<Holder>,
    },
    Saved {
        file: PathBuf,
        positions: usize,
    },
    Exported {
        file: PathBuf,
        report: WriteReport,
    },
    Info(Info),
    Checked(Checked),
    Extracted {
        lines: Vec<Vec<Move>>,
        file: Option<PathBuf>,
    },
    Umigame(Vec<(Square, i32, Umigame)>),
    Verified(Verified),
    New,
    Reverted {
        positions: usize,
    },
}

/// A position as the book knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// `None`: the position itself is not in the book.
    pub entry: Option<Entry>,
    pub grade: Option<Grade>,
    pub umigame: Umigame,
    /// Best first.
    pub moves: Vec<ShownMove>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ShownMove {
    pub square: Square,
    /// For the side to move.
    pub value: i32,
    pub level: Level,
    pub lines: u32,
    pub grade: Option<Grade>,
    pub umigame: Umigame,
    /// Of the position after the move, for the side that moves there.
    pub leaf: Option<Leaf>,
    pub source: &'static str,
}

fn discs(value: impl Into<f64>) -> Cell {
    Cell::Discs(value.into())
}

fn word(text: impl ToString) -> Cell {
    Cell::Text(text.to_string())
}

/// A table of names and values.
fn facts(title: &str, rows: Vec<(&'static str, Cell)>) -> Table {
    Table {
        title: title.into(),
        columns: vec!["what", "value"],
        rows: rows.into_iter().map(|(name, value)| vec![Cell::phrase(name), value]).collect(),
        notes: vec![],
    }
}

fn yes_no(yes: bool) -> Cell {
    Cell::phrase(if yes { "yes" } else { "no" })
}

impl BookReply {
    /// The answer as tables with named columns.
    pub fn report(&self) -> Report {
        match self {
            BookReply::Help(verb) => Report::Table(help(*verb)),
            BookReply::Settings(settings) => Report::Table(settings_table(settings)),
            BookReply::Shown(shown) => shown.report(),
            BookReply::Set(entry) => Report::Table(facts("set", entry_rows(entry))),
            BookReply::Learned(learned) => Report::Table(learned_table(learned)),
            BookReply::BadGames(lines) => Report::Table(bad_games(lines)),
            BookReply::Swept(swept) => Report::Table(swept_table(swept)),
            BookReply::Searched(searched) => Report::Table(facts(
                "leaves",
                vec![
                    ("positions visited", searched.visited.into()),
                    ("searched", searched.searched.into()),
                    ("values changed", searched.values_changed.into()),
                    ("finished", yes_no(!searched.stopped)),
                ],
            )),
            BookReply::Cut(cut) => Report::Table(facts(
                "cut",
                vec![
                    ("deleted", cut.deleted.into()),
                    ("leaves made", cut.leaves_made.into()),
                    ("positions", cut.positions.into()),
                    ("finished", yes_no(!cut.stopped)),
                ],
            )),
            BookReply::Merged { read, merged } => {
                let rows = vec![
                    ("added", merged.added.into()),
                    ("changed", merged.changed.into()),
                    ("unchanged", merged.same.into()),
                    ("positions", merged.positions.into()),
                ];
                Report::Several(vec![Report::Table(read_table(read)), Report::Table(facts("merged", rows))])
            }
            BookReply::Loaded { read, holder } => {
                let mut table = read_table(read);
                table.notes.extend(holder.iter().map(|holder| format!("{holder}; opened read-only")));
                Report::Table(table)
            }
            BookReply::Saved { file, positions } => {
                Report::Table(facts("saved", vec![("file", word(file.display())), ("positions", (*positions).into())]))
            }
            BookReply::Exported { file, report } => Report::Table(exported(file, report)),
            BookReply::Info(info) => info_report(info),
            BookReply::Checked(checked) => Report::Table(checked_table(checked)),
            BookReply::Extracted { lines, file } => extracted(lines, file),
            BookReply::Umigame(moves) => Report::Table(umigame_table(moves)),
            BookReply::Verified(found) => Report::Table(verified(found)),
            BookReply::New => Report::Nothing,
            BookReply::Reverted { positions } => {
                Report::Table(facts("reverted", vec![("positions", (*positions).into())]))
            }
        }
    }
}

fn help(verb: Option<&str>) -> Table {
    if let Some(verb) = VERBS.iter().find(|own| Some(own.name) == verb) {
        let example = format!("Example: {}", verb.example);
        let mut notes = vec![verb.help.to_owned(), verb.defaults.to_owned(), example];
        notes.retain(|note| !note.is_empty());
        return Table { title: format!("book {}", verb.usage), notes, ..Table::default() };
    }
    Table {
        title: "book".into(),
        columns: vec!["usage", "help"],
        rows: VERBS.iter().map(|verb| vec![format!("book {}", verb.usage).into(), Cell::phrase(verb.help)]).collect(),
        notes: vec![],
    }
}

fn settings_table(settings: &Settings) -> Table {
    let (error, variation) = match settings.choosing {
        Choosing::Error(discs) => (Cell::from(discs), Cell::Nothing),
        Choosing::Variation(level) => (Cell::Nothing, Cell::from(level)),
    };
    facts(
        "book",
        vec![
            ("used", yes_no(settings.on)),
            ("error", error),
            ("variation", variation),
            ("trusted", yes_no(settings.trust)),
            ("saved by itself", yes_no(settings.autosave)),
            ("every minutes", (settings.autosave_every.as_secs() / 60).into()),
        ],
    )
}

fn entry_rows(entry: &Entry) -> Vec<(&'static str, Cell)> {
    let mut rows = vec![
        ("value", discs(entry.value)),
        ("level", word(entry.level)),
        ("lines", entry.lines.into()),
        ("source", Cell::phrase(entry.source.name())),
    ];
    if let Some(leaf) = entry.leaf {
        rows.push(("leaf", word(leaf.square)));
        rows.push(("leaf value", discs(leaf.value)));
        rows.push(("leaf level", word(leaf.level)));
    }
    rows
}

impl Shown {
    fn report(&self) -> Report {
        let mut position = facts("position", self.entry.as_ref().map(entry_rows).unwrap_or_default());
        if self.entry.is_some() {
            let mut more = vec![("accuracy", self.grade.map(word).unwrap_or(Cell::Nothing))];
            more.push(("umigame black", self.umigame.black.into()));
            more.push(("umigame white", self.umigame.white.into()));
            position.rows.extend(more.into_iter().map(|(name, value)| vec![Cell::phrase(name), value]));
        } else {
            position.notes.push("this position is not in the book".into());
        }
        Report::Several(vec![Report::Table(position), Report::Table(self.moves_table())])
    }

    fn moves_table(&self) -> Table {
        let row = |m: &ShownMove| {
            vec![
                word(m.square),
                discs(m.value),
                word(m.level),
                m.lines.into(),
                m.grade.map(word).unwrap_or(Cell::Nothing),
                m.umigame.black.into(),
                m.umigame.white.into(),
                m.leaf.map(|leaf| word(leaf.square)).unwrap_or(Cell::Nothing),
                m.leaf.map(|leaf| discs(leaf.value)).unwrap_or(Cell::Nothing),
                Cell::phrase(m.source),
            ]
        };
        Table {
            title: "moves".into(),
            columns: vec![
                "move",
                "value",
                "level",
                "lines",
                "accuracy",
                "black",
                "white",
                "leaf",
                "leaf value",
                "source",
            ],
            rows: self.moves.iter().map(row).collect(),
            notes: vec![],
        }
    }
}

fn learned_table(learned: &Learned) -> Table {
    facts(
        "learned",
        vec![
            ("added", learned.added.into()),
            ("leaves searched", learned.leaves.into()),
            ("rounds", learned.rounds.into()),
            ("positions", learned.positions.into()),
            ("finished", yes_no(!learned.unfinished)),
        ],
    )
}

fn bad_games(lines: &[BadLine]) -> Table {
    Table {
        title: "bad lines".into(),
        columns: vec!["line", "problem"],
        rows: lines.iter().map(|line| vec![line.number.into(), Cell::phrase(line.reason.clone())]).collect(),
        notes: vec!["nothing was done: fix or remove these lines first".into()],
    }
}

fn swept_table(swept: &Swept) -> Table {
    let mut table = facts(
        "fixed",
        vec![
            ("positions", swept.positions.into()),
            ("links", swept.links.into()),
            ("values changed", swept.values_changed.into()),
            ("lines changed", swept.lines_changed.into()),
            ("leaves dropped", swept.leaves_dropped.into()),
            ("orphans deleted", swept.orphans_deleted.into()),
            ("finished", yes_no(!swept.stopped)),
        ],
    );
    if swept.no_start {
        table.notes.push("the start is not in the book: orphans cannot be found and stay".into());
    }
    if swept.stopped {
        table.notes.push("stopped: nothing has changed".into());
    }
    table
}

fn read_table(read: &ReadReport) -> Table {
    let mut table = facts("read", vec![("format", word(read.format)), ("positions", read.positions.into())]);
    for (fault, tally) in &read.faults {
        let (count, fault) = (tally.count, fault.text());
        table.notes.push(match tally.first_offset {
            0 => format!("{count} x {fault}"),
            offset => format!("{count} x {fault} (first at byte {offset})"),
        });
    }
    table
}

fn exported(file: &std::path::Path, report: &WriteReport) -> Table {
    let rows =
        vec![("file", word(file.display())), ("format", word(report.format)), ("positions", report.positions.into())];
    let mut table = facts("exported", rows);
    table.notes = report.lost.iter().map(|loss| format!("not kept: {} ({})", loss.what, loss.count)).collect();
    table
}

fn info_report(info: &Info) -> Report {
    let mut totals = facts(
        "book",
        vec![
            ("positions", info.positions.into()),
            ("leaves", info.leaves.into()),
            ("file", info.file.as_ref().map(|file| word(file.display())).unwrap_or(Cell::Nothing)),
            ("unsaved changes", yes_no(info.changed)),
        ],
    );
    if info.damaged > 0 {
        totals.notes.push(format!("{} damaged blocks of the file were left out", info.damaged));
    }
    let counts = |title: &str, column, rows: Vec<(Cell, u64)>| {
        Report::Table(Table {
            title: title.into(),
            columns: vec![column, "positions"],
            rows: rows.into_iter().map(|(name, count)| vec![name, count.into()]).collect(),
            notes: vec![],
        })
    };
    let levels = info.by_level.iter().map(|(level, n)| (word(level), *n)).collect();
    let plies = info.by_ply.iter().map(|(ply, n)| ((*ply).into(), *n)).collect();
    Report::Several(vec![Report::Table(totals), counts("by level", "level", levels), counts("by ply", "ply", plies)])
}

fn checked_table(checked: &Checked) -> Table {
    facts(
        "checked",
        vec![
            ("games", checked.games.into()),
            ("positions", checked.positions.into()),
            ("not in the book", checked.missing.into()),
            ("best moves", checked.best.into()),
            ("good moves", checked.good.into()),
            ("bad moves", checked.bad.into()),
            ("moves outside", checked.outside.into()),
            ("moves in the book per game", Cell::Real(checked.moves_in_book as f64 / checked.games.max(1) as f64, 1)),
        ],
    )
}

fn extracted(lines: &[Vec<Move>], file: &Option<PathBuf>) -> Report {
    match file {
        Some(file) => {
            Report::Table(facts("extracted", vec![("file", word(file.display())), ("lines", lines.len().into())]))
        }
        None => Report::Text(lines.iter().map(|line| transcript(line)).collect::<Vec<_>>().join("\n")),
    }
}

/// A line of moves the way files of games have it.
pub fn transcript(line: &[Move]) -> String {
    notation::transcript(line.iter().copied(), notation::Passes::LeftOut, "", false)
}

fn umigame_table(moves: &[(Square, i32, Umigame)]) -> Table {
    Table {
        title: "umigame".into(),
        columns: vec!["move", "value", "black", "white"],
        rows: moves
            .iter()
            .map(|(square, value, number)| vec![word(square), discs(*value), number.black.into(), number.white.into()])
            .collect(),
        notes: vec![],
    }
}

fn verified(found: &Verified) -> Table {
    let rows = vec![
        ("positions", found.positions.into()),
        ("damaged blocks", found.damaged.len().into()),
        ("values that differ from what lies below", found.wrong_values.into()),
        ("leaves that are no free moves", found.wrong_leaves.into()),
        ("lines counted wrong", found.wrong_lines.into()),
    ];
    let mut table = facts("verified", rows);
    table.notes = found.damaged.iter().map(|offset| format!("damaged at byte {offset}")).collect();
    table
}
