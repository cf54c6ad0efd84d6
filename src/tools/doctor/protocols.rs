//! Short dialogues with sessions in this process, one for each protocol.

use super::{Finding, MakeEngine, State};
use crate::{
    engine::Game,
    protocol::{self, Line, ProtocolKind},
    session::{End, Games, Session},
};
use crossbeam_channel::{never, unbounded};

struct Dialogue {
    name: &'static str,
    protocol_kind: ProtocolKind,
    game: Game,
    lines: &'static [&'static str],
    /// Everything the session says.
    answer: &'static str,
}

const DIALOGUES: &[Dialogue] = &[
    Dialogue {
        name: "console",
        protocol_kind: ProtocolKind::Console,
        game: Game::Othello,
        lines: &["play f5", "board", "quit"],
        answer: "---------------------------OX------XXX-------------------------- O\n",
    },
    Dialogue {
        name: "gtp",
        protocol_kind: ProtocolKind::Gtp,
        game: Game::Othello,
        lines: &["1 protocol_version", "2 play b f5", "3 known_command genmove", "4 quit"],
        answer: "=1 2\n\n=2 \n\n=3 true\n\n=4 \n\n",
    },
    Dialogue {
        name: "gtp, Go",
        protocol_kind: ProtocolKind::Gtp,
        game: Game::Go,
        lines: &["1 boardsize 9", "2 play b e5", "3 play w e5", "4 komi 7.5", "5 quit"],
        answer: "=1 \n\n=2 \n\n?3 illegal move\n\n=4 \n\n=5 \n\n",
    },
    Dialogue {
        name: "nboard",
        protocol_kind: ProtocolKind::Nboard,
        game: Game::Othello,
        lines: &["nboard 2", "ping 7", "quit"],
        answer: "set myname Shirokuro\npong 7\n",
    },
    Dialogue {
        name: "uci",
        protocol_kind: ProtocolKind::Uci,
        game: Game::Othello,
        lines: &["isready", "position startpos moves P@f4 P@a1", "quit"],
        answer: "readyok\ninfo string error: move 2, P@a1, is illegal\n",
    },
    Dialogue {
        name: "json",
        protocol_kind: ProtocolKind::Json,
        game: Game::Othello,
        lines: &[r#"{"id":1,"command":"play f5"}"#, r#"{"id":2,"command":"board"}"#],
        answer: concat!(
            r#"{"id":1,"type":"answer"}"#,
            "\n",
            r#"{"id":2,"type":"answer","text":"---------------------------OX------XXX-------------------------- O"}"#,
            "\n"
        ),
    },
    // The last moves are solved: the search answers, too.
    Dialogue {
        name: "standalone",
        protocol_kind: ProtocolKind::Standalone,
        game: Game::Othello,
        lines: &["0", "1000.011", "01000011", "..101111", "11111011", "11110001", "11111101", "00111001", "..110.01"],
        answer: "2 0 -34\n",
    },
];

/// Options for a dialogue; the other game does not know all of them.
const OPTIONS: [(&str, &str); 4] = [("threads", "1"), ("hash", "12"), ("book", "none"), ("level", "10")];

pub fn test(make: MakeEngine<'_>) -> Vec<Finding> {
    DIALOGUES.iter().map(|dialogue| hold(dialogue, make)).collect()
}

fn hold(dialogue: &Dialogue, make: MakeEngine<'_>) -> Finding {
    let mut engine = make(dialogue.game);
    let known: Vec<&str> = engine.settings().iter().map(|row| row.name).collect();
    for (name, value) in OPTIONS.iter().filter(|(name, _)| known.contains(name)) {
        if let Err(refusal) = engine.set(name, value) {
            return wrong(dialogue, &refusal.message);
        }
    }
    let (send, lines) = unbounded();
    dialogue.lines.iter().for_each(|line| send.send(Line::new(*line)).unwrap_or(()));
    drop(send);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let session =
        Session::new(protocol::new_protocol(dialogue.protocol_kind), engine, Games::none(), &mut out, &mut err);
    let closed = session.run(&lines, &never());
    let said = String::from_utf8_lossy(&out);
    match closed.end {
        Ok(End::Quit | End::OfInput) if said == dialogue.answer => {
            Finding::ok("protocol", dialogue.name, format!("{} lines answered as they should be", dialogue.lines.len()))
        }
        Ok(_) => wrong(dialogue, &format!("answered {said:?} instead of {:?}", dialogue.answer)),
        Err(error) => wrong(dialogue, &error.to_string()),
    }
}

fn wrong(dialogue: &Dialogue, why: &str) -> Finding {
    Finding::new(State::Wrong, "protocol", dialogue.name, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::dummy::Dummy;

    #[test]
    fn an_engine_that_answers_otherwise_is_noticed() {
        let findings = test(&|_| Box::new(Dummy::default()));
        let state = |name| findings.iter().find(|f| f.name == name).map(|f| f.state);
        assert_eq!(state("json"), Some(State::Wrong), "{findings:#?}");
        assert_eq!(state("standalone"), Some(State::Wrong));
    }
}
