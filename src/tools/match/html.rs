//! The match as one page that needs nothing else: tables, a graph of the score, the list of games.

use super::{
    record::GameRecord,
    referee::GameKind,
    report::{margin, percent, sprt_line},
    standings::{Duel, Standings},
    stats::{Mean, Sprt},
};
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8885;--a:#2563eb;--band:#2563eb33}\
body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;margin:.5rem 0 1.5rem}\
th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:right;font-variant-numeric:tabular-nums}\
th:first-child,td:first-child{text-align:left}\
td.moves{text-align:left;font:12px/1.4 ui-monospace,monospace;word-break:break-all;max-width:40rem}\
svg{width:100%;max-width:60rem;height:auto}svg text{fill:currentColor;font:11px system-ui,sans-serif}\
.scroll{overflow-x:auto}";

/// The page. `games` are all finished games in the order of the schedule.
pub fn page(title: &str, standings: &Standings, games: &[GameRecord], game: GameKind, sprt: Option<&Sprt>) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>{STYLE}</style></head>\
         <body><h1>{0}</h1><p>{1}, {2} games.</p>",
        escape(title),
        escape(&game.to_string()),
        standings.games,
    );
    page += "<h2>Cross table</h2>";
    cross_table(&mut page, standings);
    page += "<h2>Results</h2>";
    duel_table(&mut page, standings, game);
    if let (Some(sprt), Some(duel)) = (sprt, standings.duel(0, 1)) {
        let _ = write!(page, "<p>{}</p>", escape(&sprt_line(sprt, &duel)));
    }
    page += "<h2>Score game by game</h2>";
    for (&[a, b], duel) in &standings.duels {
        let _ = write!(page, "<h3>{} – {}</h3>", escape(&standings.names[a]), escape(&standings.names[b]));
        score_graph(&mut page, duel);
    }
    page += "<h2>Engines</h2>";
    engine_table(&mut page, standings);
    page += "<h2>Games</h2>";
    game_table(&mut page, standings, games);
    page + "</body></html>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn row<'a>(page: &mut String, tag: &str, cells: impl IntoIterator<Item = &'a str>) {
    *page += "<tr>";
    for cell in cells {
        let _ = write!(page, "<{tag}>{}</{tag}>", escape(cell));
    }
    *page += "</tr>";
}

fn open_table(page: &mut String, head: &[&str]) {
    *page += "<div class=\"scroll\"><table>";
    row(page, "th", head.iter().copied());
}

fn close_table(page: &mut String) {
    *page += "</table></div>";
}

fn cross_table(page: &mut String, standings: &Standings) {
    let order = standings.ranking();
    let ratings = standings.ratings();
    let mut head = vec!["engine", "rating", "score"];
    head.extend(order.iter().map(|&i| standings.names[i].as_str()));
    open_table(page, &head);
    for &i in &order {
        let tally = standings.engines[i].tally;
        let rating = ratings[i].map_or("-".into(), |rating| format!("{rating:+.0}"));
        let mut cells = vec![standings.names[i].clone(), rating, format!("{}/{}", tally.points(), tally.games())];
        for &j in &order {
            cells.push(match standings.duel(i, j) {
                Some(duel) if i != j => format!("{}/{}", duel.tally.points(), duel.tally.games()),
                _ => "·".into(),
            });
        }
        row(page, "td", cells.iter().map(String::as_str));
    }
    close_table(page);
}

fn duel_table(page: &mut String, standings: &Standings, game: GameKind) {
    let head = ["match", "win", "draw", "loss", "score", game.unit(), "Elo [95 %]", "LOS", "pairs 0 ½ 1 1½ 2"];
    open_table(page, &head);
    for (&[a, b], duel) in &standings.duels {
        let pairs: Vec<String> = duel.pairs.0.iter().map(u32::to_string).collect();
        let cells = [
            format!("{} – {}", standings.names[a], standings.names[b]),
            duel.tally.wins.to_string(),
            duel.tally.draws.to_string(),
            duel.tally.losses.to_string(),
            percent(duel.tally.score()),
            margin(&duel.margins),
            duel.elo().map_or("-".into(), |elo| elo.to_string()),
            duel.pairs.superiority().map_or("-".into(), percent),
            pairs.join(" "),
        ];
        row(page, "td", cells.iter().map(String::as_str));
    }
    close_table(page);
}

fn engine_table(page: &mut String, standings: &Standings) {
    let seconds = format!("{}/move", standings.clock.seconds());
    open_table(page, &["engine", "moves", &seconds, "slowest", "depth", "nodes/move", "faults"]);
    for (name, engine) in standings.names.iter().zip(&standings.engines) {
        let faults: Vec<String> = engine.faults.iter().map(|(word, count)| format!("{count} {word}")).collect();
        let cells = [
            name.clone(),
            engine.moves.to_string(),
            engine.seconds_per_move().map_or("-".into(), |s| format!("{s:.3}")),
            format!("{:.3}", engine.slowest),
            engine.mean_depth().map_or("-".into(), |depth| format!("{depth:.1}")),
            if engine.nodes > 0 { (engine.nodes / engine.moves.max(1)).to_string() } else { "-".into() },
            if faults.is_empty() { "none".into() } else { faults.join(", ") },
        ];
        row(page, "td", cells.iter().map(String::as_str));
    }
    close_table(page);
}

fn game_table(page: &mut String, standings: &Standings, games: &[GameRecord]) {
    open_table(page, &["game", "opening", "black", "white", "result", "why", "moves"]);
    for game in games {
        let [black, white] = game.players.map(|player| standings.names[player].as_str());
        let why = match game.verdict.detail.as_str() {
            "" => game.verdict.reason.to_string(),
            detail => format!("{}: {detail}", game.verdict.reason),
        };
        let number = (game.index + 1).to_string();
        let opening = (game.opening + 1).to_string();
        let result = game.verdict.to_string();
        row(page, "td", [number.as_str(), &opening, black, white, &result, &why]);
        // The last cell has a style of its own, so it goes in before the row's end.
        page.truncate(page.len() - "</tr>".len());
        let moves: Vec<&str> = game.plies.iter().map(|ply| ply.text.as_str()).collect();
        let start = game.position.as_deref().map(|position| format!("[{position}] ")).unwrap_or_default();
        let _ = write!(page, "<td class=\"moves\">{}{}</td></tr>", escape(&start), escape(&moves.join(" ")));
    }
    close_table(page);
}

/// The score after each game in per cent with its 95 % band.
fn score_graph(page: &mut String, duel: &Duel) {
    const WIDTH: f64 = 900.0;
    const HEIGHT: f64 = 220.0;
    const LEFT: f64 = 40.0;
    const MOST_POINTS: usize = 450;
    let n = duel.history.len();
    if n < 2 {
        return;
    }
    let x = |game: usize| LEFT + (WIDTH - LEFT - 10.0) * (game as f64 - 1.0) / (n as f64 - 1.0);
    let y = |score: f64| 10.0 + (HEIGHT - 30.0) * (1.0 - score.clamp(0.0, 1.0));
    let (mut line, mut upper, mut lower) = (String::new(), String::new(), Vec::new());
    let step = n.div_ceil(MOST_POINTS);
    let (mut sum, mut squares) = (0.0, 0.0);
    for (i, &half) in duel.history.iter().enumerate() {
        let points = f64::from(half) / 2.0;
        sum += points;
        squares += points * points;
        if i % step != 0 && i + 1 != n {
            continue;
        }
        let count = (i + 1) as f64;
        let mean = sum / count;
        let error = ((squares / count - mean * mean).max(0.0) / count).sqrt();
        let Mean { mean, error } = Mean { mean, error: 1.96 * error };
        let _ = write!(line, "{:.1},{:.1} ", x(i + 1), y(mean));
        let _ = write!(upper, "{:.1},{:.1} ", x(i + 1), y(mean + error));
        lower.push(format!("{:.1},{:.1}", x(i + 1), y(mean - error)));
    }
    lower.reverse();
    let _ = write!(page, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"score after each game\">");
    for score in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let _ = write!(
            page,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"var(--line)\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>",
            WIDTH - 10.0,
            LEFT - 5.0,
            y(score) + 4.0,
            score * 100.0,
            y = y(score),
        );
    }
    let _ = write!(
        page,
        "<polygon points=\"{upper}{}\" fill=\"var(--band)\"/>\
         <polyline points=\"{}\" fill=\"none\" stroke=\"var(--a)\" stroke-width=\"2\"/>\
         <text x=\"{LEFT}\" y=\"{2}\">1</text><text x=\"{3}\" y=\"{2}\" text-anchor=\"end\">{n} games</text></svg>",
        lower.join(" "),
        line.trim_end(),
        HEIGHT - 4.0,
        WIDTH - 10.0,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tournament::{
        clock::ClockSource,
        record::{Reason, Verdict},
    };

    #[test]
    fn the_page_stands_alone_and_names_are_escaped() {
        let mut standings = Standings::new(&["<a>".into(), "b&c".into()], ClockSource::Wall);
        let games: Vec<GameRecord> = (0..4)
            .map(|index| GameRecord {
                index,
                opening: 0,
                players: if index % 2 == 0 { [0, 1] } else { [1, 0] },
                position: None,
                plies: Vec::new(),
                opening_plies: 0,
                verdict: Verdict::scored(index as f64 - 1.0, Reason::End),
                started: 0,
                seconds: 0.0,
            })
            .collect();
        games.iter().for_each(|game| standings.add(game));
        let page = page("a match", &standings, &games, GameKind::Othello, None);
        assert!(page.contains("&lt;a&gt;") && page.contains("b&amp;c") && !page.contains("<a>"));
        assert!(page.contains("<polyline") && page.contains("<td>W+1</td>"));
        for outside in ["http:", "https:", "<script", "src=", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for tag in ["table", "tr", "td", "th", "div", "svg", "p", "h1"] {
            let open = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
