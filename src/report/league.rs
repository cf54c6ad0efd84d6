//! Many games on one page: what every player lost and when, the worst moves, the openings.

use super::{page, say};
use maud::html;

const SCRIPT: &str = include_str!("../../resources/report/league.js");

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct League {
    pub title: String,
    pub players: Vec<Player>,
    pub worst: Vec<Worst>,
    pub openings: Vec<Opening>,
    pub games: Vec<Game>,
    /// How hard the games were looked at.
    pub level: u8,
}

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Player {
    pub name: String,
    pub games: usize,
    pub wins: usize,
    pub draws: usize,
    pub losses: usize,
    /// Mean loss of a move: all, and the moves 1 to 20, 21 to 40, from 41 on.
    pub mean: Option<f64>,
    pub phases: [Option<f64>; 3],
    pub mistakes: usize,
}

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Worst {
    pub player: String,
    /// In the list of games, from 1.
    pub game: usize,
    pub ply: usize,
    pub played: String,
    pub better: String,
    pub loss: f64,
}

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Opening {
    pub name: String,
    pub japanese: String,
    pub games: usize,
    /// Black's mean lead.
    pub mean: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Game {
    pub names: [String; 2],
    pub event: String,
    pub date: String,
    pub result: Option<i32>,
    pub opening: String,
    pub lost: [f64; 2],
    /// The page of the game, beside this one.
    pub page: Option<String>,
}

fn mean(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.2}"))
}

impl League {
    pub fn html(&self) -> String {
        let body = html! {
            p { (self.games.len()) " " (say("games")) ", " (self.players.len()) " " (say("players")) ", "
                (say("level")) " " (self.level) }
            h2 { (say("Players")) }
            div .scroll { table .sortable {
                thead { tr { @for head in ["player", "games", "wins", "draws", "losses", "mean loss", "moves 1–20",
                    "moves 21–40", "moves 41–60", "mistakes"] { th { button type="button" { (say(head)) } } } } }
                tbody { @for player in &self.players { tr {
                    th { (player.name) } td { (player.games) } td { (player.wins) } td { (player.draws) }
                    td { (player.losses) } td { (mean(player.mean)) }
                    @for phase in player.phases { td { (mean(phase)) } }
                    td { (player.mistakes) }
                } } }
            } }
            h2 { (say("Worst moves")) }
            ol { @for worst in &self.worst { li {
                (worst.player) ": " (worst.ply) ". " (worst.played) " −" (format!("{:.1}", worst.loss)) ", "
                (say("better:")) " " (worst.better) " ("
                @match self.games.get(worst.game.wrapping_sub(1)).and_then(|game| game.page.as_ref()) {
                    Some(page) => { a href=(page) { (say("game")) " " (worst.game) } },
                    None => { (say("game")) " " (worst.game) },
                } ")"
            } } }
            h2 { (say("Openings")) }
            div .scroll { table .sortable {
                thead { tr { @for head in ["opening", "games", "mean result"] { th { button type="button" { (say(head)) } } } } }
                tbody { @for opening in &self.openings { tr {
                    th { span data-ja=(opening.japanese) data-zh=(opening.name) { (opening.name) } } td { (opening.games) }
                    td { (opening.mean.map_or("–".into(), |mean| format!("{mean:+.1}"))) }
                } } }
            } }
            h2 { (say("Games")) }
            div .scroll { table .sortable {
                thead { tr { @for head in ["game", "black", "white", "result", "black lost", "white lost", "opening", "event", "date"] {
                    th { button type="button" { (say(head)) } } } } }
                tbody { @for (i, game) in self.games.iter().enumerate() { tr {
                    td { @match &game.page { Some(page) => { a href=(page) { (i + 1) } }, None => { (i + 1) } } }
                    th { (game.names[0]) } th { (game.names[1]) }
                    td { (game.result.map_or("?".into(), |result| format!("{result:+}"))) }
                    td { (format!("{:.1}", game.lost[0])) } td { (format!("{:.1}", game.lost[1])) }
                    th { (game.opening) } th { (game.event) } th { (game.date) }
                } } }
            } }
        };
        page(&self.title, body, &[SCRIPT])
    }

    /// The table of players as CSV.
    pub fn csv(&self) -> String {
        let mut text =
            String::from("player,games,wins,draws,losses,mean loss,moves 1-20,moves 21-40,moves 41-60,mistakes\n");
        for p in &self.players {
            let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
            let [one, two, three] = p.phases.map(number);
            let name = p.name.replace('"', "\"\"");
            text += &format!(
                "\"{name}\",{},{},{},{},{},{one},{two},{three},{}\n",
                p.games,
                p.wins,
                p.draws,
                p.losses,
                number(p.mean),
                p.mistakes
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_table_hold_everybody() {
        let player = |name: &str, mean| Player { name: name.into(), games: 2, mean: Some(mean), ..Player::default() };
        let league = League {
            title: "Cup <1>".into(),
            players: vec![player("Ann \"A\"", 0.5), player("Bob", 1.25)],
            games: vec![Game { names: ["Ann".into(), "Bob".into()], page: Some("x-1.html".into()), ..Game::default() }],
            worst: vec![Worst {
                player: "Bob".into(),
                game: 1,
                ply: 12,
                played: "a2".into(),
                better: "c3".into(),
                loss: 9.5,
            }],
            ..League::default()
        };
        let html = league.html();
        for said in ["Cup &lt;1&gt;", "<th>Bob</th>", "href=\"x-1.html\"", "−9.5", "1.25"] {
            assert!(html.contains(said), "{said}");
        }
        assert_eq!(league.csv().lines().nth(1), Some("\"Ann \"\"A\"\"\",2,0,0,0,0.5000,,,,0"));
        let json = serde_json::to_string(&league).unwrap();
        assert_eq!(serde_json::from_str::<League>(&json).unwrap(), league);
    }
}
