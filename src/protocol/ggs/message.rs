//! What the Othello service of GGS says, as data. A message is a line `/os: …`, perhaps followed by lines that begin
//! with `|`.

use crate::{
    base::{Clock, Colour},
    othello::{BitBoard, Move, Position, Square, notation::parse_move},
};
use std::time::Duration;

/// The kind of a game: `8`, `8b`, `s8r20`, `10`, `8k`, `8a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    pub text: String,
    /// Two games at once, with the colours exchanged.
    pub synchro: bool,
    size: u32,
    komi: bool,
    anti: bool,
}

impl Kind {
    fn read(text: &str) -> Kind {
        let (synchro, rest) = text.strip_prefix('s').map_or((false, text), |rest| (true, rest));
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let size = rest[..digits].parse().unwrap_or(0);
        let has = |letter| rest[digits..].contains(letter);
        Kind { text: text.into(), synchro, size, komi: has('k'), anti: has('a') }
    }

    /// Why it is not played here, if it is not.
    pub fn obstacle(&self) -> Option<&'static str> {
        match self {
            Kind { size: 8, komi: false, anti: false, .. } => None,
            Kind { size: 8, komi: true, .. } => Some("komi games are not played here"),
            Kind { size: 8, .. } => Some("anti games are not played here"),
            _ => Some("only games on 8x8 are played here"),
        }
    }
}

/// A player of a game that goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    pub name: String,
    pub colour: Colour,
    pub clock: Clock,
}

/// How a game stands.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub id: String,
    pub kind: Kind,
    pub players: Vec<Player>,
    /// The beginning and all moves, where the whole game is told.
    pub whole: Option<(Position, Vec<Move>)>,
    /// The last move, where only that is told.
    pub last: Option<Move>,
    pub position: Position,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Somebody wants to play somebody.
    Request {
        id: String,
        from: String,
        to: String,
        kind: Kind,
    },
    Withdrawn {
        id: String,
    },
    Begins {
        id: String,
        players: [String; 2],
        kind: Kind,
    },
    Ends {
        id: String,
        players: [String; 2],
        result: String,
    },
    /// One of two games at once is over.
    GameEnds {
        id: String,
    },
    State(Box<State>),
    /// The service has come.
    Service,
    /// Everything else, for a person to read.
    Other(String),
}

impl Message {
    /// Reads the lines of a message; `None` for what says nothing.
    pub fn read(lines: &[String]) -> Option<Message> {
        let first = lines.first()?.trim();
        if first.is_empty() {
            return None;
        }
        if first == ": + /os 1" {
            return Some(Message::Service);
        }
        let other = || Message::Other(lines.join("\n"));
        let words: Vec<&str> = first.split_whitespace().collect();
        Some(match words.as_slice() {
            ["/os:", "+", "match", id, _, a, _, b, kind, ..] => {
                Message::Begins { id: (*id).into(), players: [(*a).into(), (*b).into()], kind: Kind::read(kind) }
            }
            ["/os:", "-", "match", id, _, a, _, b, _, _, result @ ..] => {
                Message::Ends { id: (*id).into(), players: [(*a).into(), (*b).into()], result: result.join(" ") }
            }
            ["/os:", "end", id, ..] => Message::GameEnds { id: (*id).into() },
            ["/os:", "+", id, _, from, _, kind, _, _, to, ..] if id.starts_with('.') => {
                Message::Request { id: (*id).into(), from: (*from).into(), to: (*to).into(), kind: Kind::read(kind) }
            }
            ["/os:", "-", id, ..] if id.starts_with('.') => Message::Withdrawn { id: (*id).into() },
            ["/os:", "join" | "update", id, kind, ..] => {
                let kind = Kind::read(kind);
                match state(id, &kind, words[1] == "join", &lines[1..]) {
                    Some(state) => Message::State(Box::new(state)),
                    None => other(),
                }
            }
            _ => other(),
        })
    }
}

fn state(id: &str, kind: &Kind, whole: bool, lines: &[String]) -> Option<State> {
    let (mut players, mut positions, mut moves) = (Vec::<Player>::new(), vec![], Vec::<(usize, Move)>::new());
    let mut rows: Vec<&str> = vec![];
    for line in lines {
        let text = line.strip_prefix('|')?.trim();
        if let Some(player) = player(text) {
            players.retain(|known| known.colour != player.colour);
            players.push(player);
        } else if let Some(side) = text.strip_suffix("to move") {
            positions.push(position(&rows, disc(side.trim())??)?);
            rows.clear();
        } else if let Some((number, mv)) = numbered(text) {
            moves.push((number, mv));
        } else if text.starts_with(|c: char| c.is_ascii_digit()) && text.len() > 16 {
            rows.push(text);
        }
    }
    // The last move is told once more with the present position; number 0 says that there was none.
    moves.retain(|(number, _)| *number > 0);
    moves.dedup_by_key(|(number, _)| *number);
    let moves: Vec<Move> = moves.into_iter().map(|(_, mv)| mv).collect();
    let position = *positions.last()?;
    let whole = whole.then(|| (positions[0], moves.clone()));
    Some(State { id: id.into(), kind: kind.clone(), players, whole, last: moves.last().copied(), position })
}

/// `alice    (1720.0 *) 00:56,1:0//02:00,1:0`.
fn player(text: &str) -> Option<Player> {
    let (name, rest) = text.split_once('(')?;
    let (rating, times) = rest.split_once(')')?;
    let colour = disc(rating.split_whitespace().last()?)??;
    let mut times = times.trim().split('/').map(|field| time(field.split(',').next().unwrap_or_default()));
    let left = times.next()??;
    let increment = times.next().flatten().unwrap_or_default();
    let extra = times.next().flatten().unwrap_or_default();
    // Who has used up the main time may go on in the extra time.
    let left = if left.is_zero() { extra } else { left };
    Some(Player { name: name.trim().into(), colour, clock: Clock { left, increment, byoyomi: None } })
}

/// `SS`, `MM:SS`, `HH:MM:SS` or `DD.HH:MM:SS`; what is overstepped counts as nothing.
fn time(text: &str) -> Option<Duration> {
    let text = text.trim();
    if text.starts_with('-') {
        return Some(Duration::ZERO);
    }
    let (days, rest) = text.split_once('.').unwrap_or(("0", text));
    let fields: Vec<u64> = rest.split(':').map(|field| field.trim().parse().ok()).collect::<Option<_>>()?;
    let hours_and_less = fields.iter().fold(0u64, |sum, field| sum.saturating_mul(60).saturating_add(*field));
    let days: u64 = days.parse().ok()?;
    (fields.len() <= 3).then(|| Duration::from_secs(days.min(1000) * 86_400 + hours_and_less.min(86_400 * 1000)))
}

/// `Some(None)` is an empty square.
fn disc(text: &str) -> Option<Option<Colour>> {
    match text {
        "*" => Some(Some(Colour::Black)),
        "O" => Some(Some(Colour::White)),
        "-" => Some(None),
        _ => None,
    }
}

/// Rows like `4 - - - O * - - - 4`.
fn position(rows: &[&str], side: Colour) -> Option<Position> {
    let (mut black, mut white) = (BitBoard::EMPTY, BitBoard::EMPTY);
    for (row, text) in (0u8..).zip(rows) {
        let cells: Vec<&str> = text.split_whitespace().skip(1).collect();
        if cells.len() != 9 || cells[8].parse() != Ok(row + 1) {
            return None;
        }
        for (column, cell) in (0u8..).zip(&cells[..8]) {
            let square = Square::at(column, row)?;
            match disc(cell)? {
                Some(Colour::Black) => black = black.with(square),
                Some(Colour::White) => white = white.with(square),
                None => {}
            }
        }
    }
    (rows.len() == 8).then(|| Position::new(black, white, side).ok()).flatten()
}

/// `3: e6//1.51`.
fn numbered(text: &str) -> Option<(usize, Move)> {
    let (number, mv) = text.split_once(':')?;
    let mv = parse_move(mv.split('/').next()?.trim()).ok()?;
    Some((number.trim().parse().ok()?, mv))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Message {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Message::read(&lines).expect("a message")
    }

    const JOIN: &str = "/os: join .5 8b K?\n|0 move(s)\n|  0: PASS\n\
        |alice    (1720.0 *) 00:59,0:0//02:00,0:0\n|bob      (1720.0 O) 01:00,0:0/00:05/02:00,0:0\n|\n\
        |   A B C D E F G H\n| 1 - - - - - - - - 1\n| 2 - - - - - - - - 2\n| 3 - - - - - - - - 3\n\
        | 4 - - - O * - - - 4\n| 5 - - - * O - - - 5\n| 6 - - - - - - - - 6\n| 7 - - - - - - - - 7\n\
        | 8 - - - - - - - - 8\n|   A B C D E F G H\n|\n|* to move";

    #[test]
    fn a_game_begins() {
        let Message::State(state) = read(JOIN) else { panic!() };
        assert_eq!((state.id.as_str(), state.position), (".5", Position::START));
        assert_eq!(state.whole, Some((Position::START, vec![])));
        let [alice, bob] = &state.players[..] else { panic!("{:?}", state.players) };
        assert_eq!(
            (alice.name.as_str(), alice.colour, alice.clock.left),
            ("alice", Colour::Black, Duration::from_secs(59))
        );
        assert_eq!((bob.colour, bob.clock.increment), (Colour::White, Duration::from_secs(5)));
    }

    #[test]
    fn a_game_that_goes_on_is_told_whole() {
        let (head, board) = JOIN.split_once("|alice").unwrap();
        let head = head.replace("|0 move(s)", "|2 move(s)");
        let after = board
            .replace("| 5 - - - * O - - - 5\n| 6 - - - - - - - - 6", "| 5 - - - * O * - - 5\n| 6 - - - - - O - - 6");
        let whole =
            format!("{head}|alice{board}\n|  1: f5//3.47\n|  2: f6/1.00/1.50\n|  2: f6/1.00/1.50\n|alice{after}");
        let Message::State(state) = read(&whole) else { panic!() };
        let moves: Vec<String> = state.whole.unwrap().1.iter().map(Move::to_string).collect();
        assert_eq!((moves, state.position.board.disc_count()), (vec!["f5".into(), "f6".into()], 6));
    }

    #[test]
    fn requests_and_kinds() {
        let text = "/os: +   .8 1720.0 alice    01:00//02:00       s8r20 R 1720.0 bob";
        let Message::Request { id, from, to, kind } = read(text) else { panic!() };
        assert_eq!((id.as_str(), from.as_str(), to.as_str(), kind.synchro), (".8", "alice", "bob", true));
        for (text, playable) in
            [("8", true), ("8b", true), ("s8r18", true), ("10", false), ("8k", false), ("8a", false)]
        {
            assert_eq!(Kind::read(text).obstacle().is_none(), playable, "{text}");
        }
        assert_eq!(read("/os: -   .8 1720.0 alice 01:00 8 R 1 bob"), Message::Withdrawn { id: ".8".into() });
    }

    #[test]
    fn beginnings_ends_and_the_rest() {
        let begins = read("/os: + match .5 1720 alice 1720 bob 8b U");
        assert!(matches!(begins, Message::Begins { id, .. } if id == ".5"));
        let ends = read("/os: - match .5 1720 alice 1720 bob 8b U -64.00");
        assert!(matches!(ends, Message::Ends { result, .. } if result == "-64.00"));
        assert!(matches!(read("/os: end .5.0"), Message::GameEnds { .. }));
        assert_eq!(read(": + /os 1"), Message::Service);
        assert_eq!(read("bob: hello"), Message::Other("bob: hello".into()));
        // A board that is cut off is no board.
        let cut: String = JOIN.lines().take(9).map(|line| format!("{line}\n")).collect();
        assert!(matches!(read(&cut), Message::Other(_)));
    }

    proptest::proptest! {
        /// Whatever the server says, it is a message or nothing.
        #[test]
        fn no_line_is_too_strange(
            head in r"(/os: )?([+-] |join |update |end )?(match )?\.?[0-9a-z :]{0,30}",
            lines in proptest::collection::vec(r"\|[ -~é]{0,40}|\| [1-8]( [-*O]){8} [1-8]|\|[*O] to move|\|  [0-9]: [a-i][0-9]//", 0..30),
        ) {
            let block: Vec<String> = std::iter::once(head).chain(lines).collect();
            let _ = Message::read(&block);
        }
    }

    #[test]
    fn times_of_every_form() {
        let seconds = |text| time(text).map(|time| time.as_secs());
        assert_eq!(seconds("07"), Some(7));
        assert_eq!(seconds("01:05"), Some(65));
        assert_eq!(seconds("1:00:01"), Some(3601));
        assert_eq!(seconds("2.00:00:01"), Some(172_801));
        assert_eq!(seconds("-00:05"), Some(0));
        for bad in ["", "x", "1:2:3:4", "1:x"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
