//! The pages for people in a real browser: keys, clicks, no complaint on the console and nothing from the network.

mod chromium;

use crate::process::Process;
use chromium::Browser;
use std::{io::Write, path::Path, process::Command};

/// A browser, or a loud word that there is none.
fn browser() -> Option<Browser> {
    let found = chromium::find().filter(|_| cfg!(unix));
    if found.is_none() {
        // Past the test harness, which keeps back what tests print that pass.
        let _ = writeln!(
            std::io::stderr(),
            "\n*** LEFT OUT: there is no Chromium here, so the HTML pages were NOT tested in a browser. ***\n\
             *** Install the package `chromium`, or name the program in the variable CHROMIUM.      ***\n"
        );
    }
    found.map(|program| Browser::start(&program))
}

const MOVES: &str = "e6f4d3e7f3f2f5f6g4e3g5h6";

fn write_page(folder: &Path) -> std::path::PathBuf {
    let page = folder.join("game.html");
    let mut process = Process::start(&["console", "--level", "2", "--threads", "1", "--book", "none"]);
    process.send("name black \"Ann </script> Lee\"");
    process.send("name white 林");
    process.send(MOVES);
    process.send(&format!("analyze \"{}\"", page.display()));
    process.send("echo done");
    assert_eq!(process.line().as_deref(), Some("done"));
    page
}

#[test]
fn a_game_is_stepped_through_by_keys_and_clicks() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    browser.open(&write_page(folder.path()));
    let now = |browser: &mut Browser, start: &str| {
        let text = browser.text("#now");
        assert!(text.starts_with(start), "{text} does not begin with {start}");
    };
    let last = MOVES.len() / 2;
    now(&mut browser, &format!("{last}. ○h6"));
    for (key, start) in [
        ("Home", "0. "),
        ("ArrowRight", "1. ●e6"),
        ("ArrowRight", "2. ○f4"),
        ("ArrowLeft", "1. ●e6"),
        ("End", "12. ○h6"),
        ("ArrowRight", "12. ○h6"),
    ] {
        browser.key(key);
        now(&mut browser, start);
    }
    for (button, start) in [
        ("#first", "0. "),
        ("#forward", "1. ●e6"),
        ("#last", "12. "),
        ("#back", "11. ●g5"),
        ("#moves tr:nth-child(5)", "5. ●f3"),
    ] {
        browser.click(button, None);
        now(&mut browser, start);
    }
    // In both graphs, where the third move and the ninth are.
    for (graph, ply) in [(0, 3), (1, 9)] {
        let place = format!(
            "(() => {{ const svg = document.querySelectorAll('svg.graph')[{graph}]; \
             const data = JSON.parse(document.getElementById('data').textContent); \
             return data.graphs[{graph}][{ply}] / svg.viewBox.baseVal.width * svg.getBoundingClientRect().width; }})()"
        );
        let right = browser.value(&place).as_f64();
        browser.click(&format!("svg.graph[data-graph='{graph}']"), right);
        now(&mut browser, &format!("{ply}. "));
    }
    let discs = browser.value("document.querySelectorAll('#board circle').length");
    assert_eq!(discs, 4 + 9 + 1, "the discs after nine moves, and the mark on the last");
    assert_eq!(browser.text("h1"), "Ann </script> Lee – 林");
    for (code, side) in [("ja", "白番"), ("zh", "轮到白方"), ("en", "white to move")] {
        browser.click("#language", None);
        assert_eq!(browser.value("document.documentElement.lang"), code);
        assert!(browser.text("#now").contains(side), "{}", browser.text("#now"));
        let graph = browser.text("svg.graph");
        assert_eq!(graph.contains("midgame"), code == "en", "the words of a graph in {code}: {graph}");
    }
    browser.click("#mono", None);
    let field = "getComputedStyle(document.documentElement).getPropertyValue('--board').trim()";
    assert_eq!(browser.value(field), "#fff", "a board without colours");
    browser.widen(360);
    let width = browser.value("document.documentElement.scrollWidth").as_f64().unwrap_or(f64::MAX);
    assert!(width <= 360.0, "on a phone the page is {width} pixels wide");
    assert_eq!(browser.complaints, [] as [String; 0]);
}

#[test]
fn a_league_is_sorted_by_clicks() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let games = "f5d6c3d3c4 6 3 ? Ann Bob\nf5f6e6f4 4 4 ? Bob Cid\nf5d6c5f4e3 6 3 ? Cid Ann\n";
    std::fs::write(folder.path().join("games.txt"), games).expect("a file");
    let page = folder.path().join("league.html");
    let status = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .args(["report", "--level", "1", "--threads", "1", "-o"])
        .arg(&page)
        .arg(folder.path().join("games.txt"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .expect("the built program starts");
    assert!(status.success());
    browser.open(&page);
    let names =
        "[...document.querySelector('table.sortable').tBodies[0].rows].map(row => row.cells[0].textContent).join()";
    browser.click("table.sortable th:nth-child(1) button", None);
    let one = browser.value(names);
    browser.click("table.sortable th:nth-child(1) button", None);
    let other = browser.value(names);
    let mut both = [one.as_str().unwrap_or_default(), other.as_str().unwrap_or_default()];
    both.sort_unstable();
    assert_eq!(both, ["Ann,Bob,Cid", "Cid,Bob,Ann"]);
    browser.until_loaded(|browser| browser.click("a[href='league-games/2.html']", None));
    assert!(browser.text("#now").starts_with("4. ○f4"), "{}", browser.text("#now"));
    assert_eq!(browser.complaints, [] as [String; 0]);
}
