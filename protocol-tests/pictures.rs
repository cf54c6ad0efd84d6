//! Pictures against those kept in `pictures/`: SVG as text with rounded numbers, PNG pixel by pixel with a tolerance.
//! `UPDATE=1` writes them anew: look at them before keeping them.

use crate::process::Process;
use resvg::tiny_skia::Pixmap;
use std::path::{Path, PathBuf};

/// What is typed before a picture, and what draws it. Every value here is exact or comes with the game.
const PICTURES: &[(&str, &[&str], &str)] = &[
    ("order.svg", &[GAME, "goto 20"], "order last next legal"),
    ("order.png", &[GAME, "goto 20"], "order last next legal size 400"),
    (
        "marks.svg",
        &[GAME, "goto 4"],
        "marks c3:circle,d3:\"A\",e3>f5,c4:square d4:triangle e4:cross f4:filled theme mono",
    ),
    ("cvd.png", &[GAME, "goto 50"], "stable last theme cvd size 400"),
    ("end.png", &[GAME, END], "values last size 400"),
    ("strip.svg", &[GAME], "every 20"),
    ("strip.png", &[GAME], "every 20 size 900 theme mono"),
];

const GRAPHS: &[(&str, &str)] = &[
    ("value.svg", ""),
    ("value.png", "size 500"),
    ("loss.svg", "loss theme cvd"),
    ("loss.png", "loss theme mono size 500"),
];

const GO: &[(&str, &str)] =
    &[("go.svg", "order last marks A1:circle,C3:A,B7>F2"), ("go.png", "order next marks G7:cross theme cvd size 400")];

/// A whole game.
const GAME: &str = "e6f4d3e7f3f2f5f6g4e3g5h6h5d6e2g6f1h4d7g3h2c2c4d1e8h3h7e1c1d8c8c7d2c6c5c3f8g7b4b3g1a4a3b2a5f7g8g2h1b7a8a7b8b5b1a6b6a2a1";

/// Ten squares are empty: every value is exact.
const END: &str = "goto 50";

/// Values for the graphs; with the second line of the game the graph has a branch.
const VALUED: &str = "setboard (;GM[Othello]PB[A]PW[B]TY[8]B[F5/1]W[D6/-1]B[C3/0.5]W[D3/2]B[C4/-2.5]W[F4/2.5]B[F6/-6]W[F3/6]B[E6/-5]W[E7/-3];)";

fn draw(lines: &[&str], args: &[&str], folder: &Path) {
    let mut process = Process::start_in(args, folder);
    lines.iter().for_each(|line| process.send(line));
    process.send("echo done");
    let said = process.lines_until(|line| line == "done");
    let errors: Vec<&String> = said.iter().filter(|line| line.starts_with("error: ")).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// Numbers to one decimal: what nobody can see makes no difference.
fn normal(svg: &str) -> String {
    let (mut text, mut rest) = (String::new(), svg);
    let in_number = |c: char| c.is_ascii_digit() || c == '.';
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[start..].find(|c| !in_number(c)).unwrap_or(rest.len() - start);
        let (before, number) = (&rest[..start], &rest[start..start + length]);
        // A colour is no number.
        let colour = before.rfind('#').is_some_and(|at| before[at + 1..].chars().all(|c| c.is_ascii_hexdigit()));
        text += before;
        match number.parse::<f64>() {
            Ok(value) if !colour => text += &format!("{value:.1}"),
            _ => text += number,
        }
        rest = &rest[start + length..];
    }
    (text + rest).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn same_svg(new: &[u8], old: &[u8]) -> Result<(), String> {
    let [new, old] = [new, old].map(|bytes| normal(&String::from_utf8_lossy(bytes)));
    if new == old {
        return Ok(());
    }
    let at = new.chars().zip(old.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| text.chars().skip(at.saturating_sub(40)).take(100).collect::<String>();
    Err(format!("new: …{}…\n  old: …{}…", around(&new), around(&old)))
}

/// Edges may be smoothed a little otherwise.
fn same_png(new: &[u8], old: &[u8]) -> Result<(), String> {
    let [new, old] = [new, old].map(Pixmap::decode_png);
    let (Ok(new), Ok(old)) = (new, old) else { return Err("not a PNG file".into()) };
    if (new.width(), new.height()) != (old.width(), old.height()) {
        return Err(format!("{}x{} pixels instead of {}x{}", new.width(), new.height(), old.width(), old.height()));
    }
    let differences: Vec<u32> = new.data().iter().zip(old.data()).map(|(a, b)| u32::from(a.abs_diff(*b))).collect();
    let mean = f64::from(differences.iter().sum::<u32>()) / differences.len() as f64;
    let far = differences.iter().filter(|difference| **difference > 64).count() as f64 / differences.len() as f64;
    if mean < 0.5 && far < 0.002 { Ok(()) } else { Err(format!("mean difference {mean:.3}, far off {far:.4}")) }
}

#[test]
fn pictures_look_as_they_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let othello = ["console", "--level", "10", "--threads", "1", "--book", "none"];
    for (name, lines, look) in PICTURES {
        let command = format!("draw {name} {look}");
        draw(&[*lines, &[command.as_str()]].concat(), &othello, folder.path());
    }
    let graphs: Vec<String> = GRAPHS
        .iter()
        .map(|(name, look)| match look.split_once(' ') {
            Some(("loss", rest)) => format!("graph loss {name} {rest}"),
            _ => format!("graph {name} {look}"),
        })
        .collect();
    let lines: Vec<&str> = [VALUED].into_iter().chain(graphs.iter().map(String::as_str)).collect();
    draw(&lines, &othello, folder.path());
    let go: Vec<String> = GO.iter().map(|(name, look)| format!("draw {name} {look}")).collect();
    let lines: Vec<&str> = GO_GAME.iter().copied().chain(go.iter().map(String::as_str)).collect();
    draw(&lines, &["console", "--game", "go"], folder.path());

    let kept: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests/pictures");
    let names = PICTURES.iter().map(|(name, _, _)| name).chain(GRAPHS.iter().map(|(name, _)| name));
    let mut wrong = vec![];
    for name in names.chain(GO.iter().map(|(name, _)| name)) {
        let new = std::fs::read(folder.path().join(name)).expect("it was drawn");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(&kept).expect("a folder");
            std::fs::write(kept.join(name), new).expect("a file");
            continue;
        }
        let old = std::fs::read(kept.join(name)).unwrap_or_default();
        let same = if name.ends_with(".svg") { same_svg } else { same_png };
        if let Err(difference) = same(&new, &old) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "pictures differ (UPDATE=1 writes them anew):\n{}", wrong.join("\n"));
}

/// On a small board, with a move that was taken back.
const GO_GAME: &[&str] = &["setboard (;GM[1]SZ[9];B[cc];W[cg];B[gc];W[gg];B[ee];W[de];B[dd];W[ed];B[fe])", "undo 1"];

#[test]
fn what_differs_is_seen() {
    assert!(same_svg(b"<a x=\"1.01\"/>", b"<a  x=\"1.04\"/>\n").is_ok());
    assert!(same_svg(b"<a x=\"1.2\"/>", b"<a x=\"1.04\"/>").is_err());
    assert!(same_svg(b"<a fill=\"#123456\"/>", b"<a fill=\"#123457\"/>").is_err());
    let picture = |red: u8| {
        let mut pixels = Pixmap::new(8, 8).expect("a size");
        pixels.fill(resvg::tiny_skia::Color::from_rgba8(red, 0, 0, 255));
        pixels.encode_png().expect("a picture")
    };
    assert!(same_png(&picture(100), &picture(101)).is_ok());
    assert!(same_png(&picture(100), &picture(110)).is_err());
}
