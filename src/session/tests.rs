//! The session with a dummy player behind it and real protocols before it.

use super::*;
use crate::protocol::{Id, dummy::Dummy, gtp::Gtp, nboard::NBoard};
use crossbeam_channel::{Sender, unbounded};
use std::{
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// A writer whose text can be read while the session goes on.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Talk {
    lines: Option<Sender<Line>>,
    signals: Sender<Signal>,
    out: Paper,
    err: Paper,
    session: JoinHandle<Closed>,
}

impl Talk {
    fn new(protocol: impl Protocol + 'static, engine: Dummy) -> Talk {
        let (lines, input) = unbounded();
        let (signals, interrupts) = unbounded();
        let (out, err) = (Paper::default(), Paper::default());
        let (mut out_end, mut err_end) = (out.clone(), err.clone());
        let session = std::thread::spawn(move || {
            Session::new(Box::new(protocol), Box::new(engine), Games::none(), &mut out_end, &mut err_end)
                .run(&input, &interrupts)
        });
        Talk { lines: Some(lines), signals, out, err, session }
    }

    fn say(&self, text: &str) {
        for line in text.lines() {
            self.lines.as_ref().unwrap().send(Line::new(line)).unwrap();
        }
    }

    /// Waits until the output holds this.
    fn hear(&self, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.out.text().contains(text) {
            assert!(Instant::now() < deadline, "waited for {text:?}, heard {:?}", self.out.text());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the input and returns all that was said.
    fn end(mut self) -> (End, String) {
        drop(self.lines.take());
        let end = self.session.join().unwrap().end.unwrap();
        (end, self.out.text())
    }
}

#[test]
fn answers_keep_the_order_and_the_ids_of_questions() {
    let talk = Talk::new(Gtp::new(), Dummy::default());
    talk.say("1 name\n2 genmove b\n\n# nothing\n3 nonsense\n007 play w b1\n5\n6 play w b1\n7 name extra");
    let (end, said) = talk.end();
    assert_eq!(end, End::OfInput);
    let expected = "=1 Shirokuro\n\n=2 A1\n\n?3 unknown command\n\n=007 \n\n?5 unknown command\n\n?6 illegal move\n\n=7 Shirokuro\n\n";
    assert_eq!(said, expected);
}

#[test]
fn commands_wait_for_a_search_and_an_interrupt_ends_it() {
    let talk = Talk::new(Gtp::new(), Dummy::slow());
    talk.say("1 genmove b\n2 play w b1");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(talk.out.text(), "", "nothing may be answered before the search");
    talk.say("# interrupt");
    talk.hear("=1 A1\n\n=2 \n\n");
    // The next search is not stopped by what stopped this one.
    talk.say("3 genmove b");
    std::thread::sleep(Duration::from_millis(50));
    assert!(!talk.out.text().contains("=3"));
    talk.signals.send(Signal::Interrupt).unwrap();
    talk.hear("=3 C1\n\n");
    assert_eq!(talk.end().0, End::OfInput);
}

#[test]
fn a_signal_with_nothing_running_ends_the_session() {
    let talk = Talk::new(Gtp::new(), Dummy::default());
    talk.say("name");
    talk.hear("= Shirokuro\n\n");
    talk.signals.send(Signal::Interrupt).unwrap();
    assert_eq!(talk.session.join().unwrap().end.unwrap(), End::Signal(Signal::Interrupt));
}

#[test]
fn an_interrupt_before_quit_answers_and_leaves() {
    let talk = Talk::new(Gtp::new(), Dummy::slow());
    talk.say("1 genmove b\n2 genmove w");
    std::thread::sleep(Duration::from_millis(200));
    talk.say("# interrupt\n3 quit\n4 name");
    let (end, said) = talk.end();
    assert_eq!(end, End::Quit);
    assert_eq!(said, "=1 A1\n\n=2 B1\n\n=3 \n\n");
}

#[test]
fn quit_hurries_nobody_whenever_it_comes() {
    for pause in [0, 250] {
        let talk = Talk::new(Gtp::new(), Dummy::slow());
        talk.say("1 genmove b");
        std::thread::sleep(Duration::from_millis(pause));
        talk.say("2 quit");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(talk.out.text(), "");
        talk.signals.send(Signal::Interrupt).unwrap();
        assert_eq!(talk.end(), (End::Quit, "=1 A1\n\n=2 \n\n".into()));
    }
}

#[test]
fn any_line_ends_a_live_analysis() {
    for line in ["name", "\n", "# a remark", "nonsense"] {
        let talk = Talk::new(Gtp::new(), Dummy::default());
        talk.say("1 lz-analyze 1");
        talk.hear("=1 \ninfo move A1");
        talk.say(line);
        let deadline = Instant::now() + Duration::from_secs(20);
        while !talk.out.text().contains("\n\n") {
            assert!(Instant::now() < deadline, "{line:?} did not end it");
            std::thread::sleep(Duration::from_millis(1));
        }
        talk.say("9 version");
        talk.hear("=9 ");
        assert_eq!(talk.end().0, End::OfInput);
    }
}

#[test]
fn a_live_analysis_behind_a_search_is_ended_by_what_waits_behind_it() {
    let talk = Talk::new(Gtp::new(), Dummy::slow());
    talk.say("1 genmove b\n2 lz-analyze 1\n3 name");
    std::thread::sleep(Duration::from_millis(30));
    talk.signals.send(Signal::Interrupt).unwrap();
    talk.hear("=3 Shirokuro\n\n");
    assert_eq!(talk.end().0, End::OfInput);
}

#[test]
fn the_end_of_input_ends_what_would_never_end() {
    let talk = Talk::new(Gtp::new(), Dummy::default());
    talk.say("1 kata-analyze b 1");
    let (end, said) = talk.end();
    assert_eq!(end, End::OfInput);
    assert!(said.starts_with("=1 \ninfo move") && said.ends_with("\n\n"), "{said}");
}

#[test]
fn three_go_and_a_ping() {
    let talk = Talk::new(NBoard::new(), Dummy::slow());
    talk.say("nboard 2\ngo\ngo\ngo\nping 3");
    talk.hear("pong 3");
    let (_, said) = talk.end();
    let lines: Vec<&str> = said.lines().filter(|l| l.starts_with("===") || l.starts_with("pong")).collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[..3].iter().all(|l| l.starts_with("=== ")) && lines[3] == "pong 3", "{said}");
    assert!(said.ends_with("pong 3\n"), "nothing may come after the pong: {said}");
}

#[test]
fn a_second_ping_ends_the_first_go() {
    let talk = Talk::new(NBoard::new(), Dummy::slow());
    talk.say("ping 2\ngo");
    talk.hear("pong 2");
    std::thread::sleep(Duration::from_millis(20));
    talk.say("ping 3\ngo");
    talk.hear("pong 3");
    let before = talk.out.text();
    assert_eq!(before.matches("=== ").count(), 1, "{before}");
    talk.say("move a1");
    talk.say("ping 4");
    talk.hear("pong 4");
    assert_eq!(talk.out.text().matches("=== ").count(), 2);
    assert_eq!(talk.end().0, End::OfInput);
}

#[test]
fn a_fault_in_one_answer_is_not_the_end() {
    let talk = Talk::new(Gtp::new(), Dummy::default());
    talk.say("1 shirokuro-echo panic\n2 name");
    let (_, said) = talk.end();
    assert_eq!(said, "?1 internal error; please report it\n\n=2 Shirokuro\n\n");
}

#[test]
fn bad_lines_of_any_length_are_answered() {
    let talk = Talk::new(Gtp::new(), Dummy::default());
    let long = "x".repeat(Line::LONGEST);
    let lines = talk.lines.as_ref().unwrap();
    lines.send(Line { text: long.clone(), cut: true }).unwrap();
    lines.send(Line { text: format!("1 play b {long}"), cut: true }).unwrap();
    lines.send(Line { text: format!("#{long}"), cut: true }).unwrap();
    lines.send(Line::new("2 \u{0}na\u{1f}me\r")).unwrap();
    let (_, said) = talk.end();
    assert_eq!(said, "? unknown command\n\n?1 syntax error\n\n=2 Shirokuro\n\n");
}

#[test]
fn live_graphics_are_cleared_before_the_answer() {
    let talk = Talk::new(Gtp::new(), Dummy::default());
    talk.say("shirokuro-live_gfx on\n1 genmove b");
    talk.hear("=1 A1\n\n");
    let drawn = talk.err.text();
    assert!(drawn.starts_with("gogui-gfx:\nVAR b A1\nTEXT A1 +0.00, depth 1"), "{drawn}");
    assert!(drawn.ends_with("\n\ngogui-gfx: CLEAR\n"), "{drawn}");
    talk.say("shirokuro-param live-gfx 0\n2 genmove w");
    talk.hear("=2 B1\n\n");
    assert_eq!(talk.err.text(), drawn, "switched off");
    talk.end();
}

/// `7 go`, `8 stop 7`, `9 stop`: enough to stop by number.
struct Numbers;

impl Protocol for Numbers {
    fn parse(&mut self, line: &Line, _: Table) -> Option<Request> {
        let words: Vec<&str> = line.text.split(' ').collect();
        let number = |i: usize| words.get(i).map(|w| Id::Number(w.parse().unwrap()));
        let command = match words[1] {
            "go" => Command::Work(Job::Move { colour: None, play: false }),
            _ => Command::Stop(number(2).map_or(Target::All, Target::Id)),
        };
        Some(Request { id: number(0)?, word: "", command: Ok(command) })
    }

    fn interrupts(&self, _: &Request, _: &Request) -> bool {
        false
    }

    fn answers_stop_at_once(&self) -> bool {
        true
    }

    fn look(&mut self, _: &Request, _: &str, _: &dyn Engine) -> Answer<Reply> {
        Ok(Reply::Done(vec![]))
    }

    fn render(&mut self, request: &Request, _: &Reply, out: &mut Output) {
        out.out.push_str(&format!("{:?}\n", request.id));
    }

    fn progress(&mut self, _: &Request, _: &crate::engine::Progress, _: &mut Output) {}
}

#[test]
fn a_stop_by_number_hits_the_one_it_names() {
    let talk = Talk::new(Numbers, Dummy::slow());
    talk.say("1 go\n2 go\n3 go\n4 stop 2");
    talk.hear("Number(4)\n");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(talk.out.text(), "Number(4)\n", "the first still runs");
    talk.say("5 stop 1");
    talk.hear("Number(1)\nNumber(2)\n");
    std::thread::sleep(Duration::from_millis(50));
    assert!(!talk.out.text().contains("Number(3)"), "the third runs on");
    talk.say("6 stop 77\n7 stop");
    talk.hear("Number(3)\n");
    assert_eq!(talk.end().0, End::OfInput);
}
