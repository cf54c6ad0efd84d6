//! The option `net`, and the commands that ask a network.

use super::{commands::GoCommand, tests::engine, *};
use crate::{
    base::Report as Answered,
    engine::GameCommand,
    go::{PlayerKind, net::tests::tiny_file},
};

fn ask(engine: &mut GoEngine, command: GoCommand) -> Answer<Answered> {
    match engine.work(&Job::Command(GameCommand::new("net", command)), Control::alone())? {
        Outcome::Report(report) => Ok(report),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_network_is_read_used_and_put_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.bin");
    std::fs::write(&path, tiny_file(1)).expect("a file");
    let path = path.to_str().expect("a plain name");
    let mut engine = engine(5, &[]);
    assert!(ask(&mut engine, GoCommand::NetValue).is_err(), "no network yet");
    engine.set("net", path).expect("a network");
    assert_eq!(engine.config.kind, PlayerKind::Net);
    let Ok(Answered::Points(policy)) = ask(&mut engine, GoCommand::NetPolicy) else { panic!("no policy") };
    let sum: f32 = policy.values.iter().flatten().sum();
    assert!(sum > 50.0 && sum < 100.1, "{sum}");
    let Ok(Answered::Points(owners)) = ask(&mut engine, GoCommand::NetOwnership) else { panic!("no ownership") };
    assert!(owners.values.iter().flatten().all(|own| own.abs() <= 1.0));
    let Outcome::Move { .. } = engine.work(&Job::Move { colour: None, play: true }, Control::alone()).expect("a move")
    else {
        panic!("not a move")
    };
    assert_eq!(engine.game.plays().len(), 1);
    engine.set("net", "").expect("none");
    assert_eq!(engine.config.kind, PlayerKind::Rave);
}

#[test]
fn the_player_net_without_a_file_takes_the_network_in_the_box() {
    for (name, value) in [("player", "net"), ("net", "own")] {
        let mut engine = engine(5, &[]);
        engine.set(name, value).expect("it is in the box");
        assert_eq!((engine.config.kind, engine.options.net.as_str()), (PlayerKind::Net, "own"));
        assert!(ask(&mut engine, GoCommand::NetValue).is_ok());
        engine.set("player", "rave").expect("another player");
        engine.set("player", "net").expect("back again");
        engine.set("net", "").expect("none");
        assert_eq!((engine.config.kind, engine.options.net.as_str()), (PlayerKind::Rave, ""));
    }
}

#[test]
fn a_file_that_is_no_network_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("half.bin");
    let whole = tiny_file(1);
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("a file");
    let mut engine = engine(5, &[]);
    let before = engine.settings();
    let error = engine.set("net", path.to_str().expect("a plain name")).expect_err("cut short");
    assert_eq!(error.field.as_deref(), Some("net"));
    assert!(error.message.contains("ends in the middle"), "{}", error.message);
    assert!(engine.set("net", "/no/such/file").is_err());
    assert_eq!(engine.settings(), before);
}

#[test]
fn the_hash_tells_positions_and_two_passes_bring_it_back() {
    let mut engine = engine(9, &[]);
    let mut hash = || match ask(&mut engine, GoCommand::PositionHash) {
        Ok(Answered::Table(table)) => format!("{:?}", table.rows),
        other => panic!("{other:?}"),
    };
    let first = hash();
    assert_eq!(first, hash());
    let mut passes = Vec::new();
    for _ in 0..2 {
        engine.play(&[(None, "pass".into())]).expect("a pass");
        passes.push(match ask(&mut engine, GoCommand::PositionHash) {
            Ok(Answered::Table(table)) => format!("{:?}", table.rows),
            other => panic!("{other:?}"),
        });
    }
    assert!(passes[0] != first && passes[1] == first);
}
