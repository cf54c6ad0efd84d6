//! The files that commands are tried on.

use crate::{
    base::Rng,
    othello::{
        Board,
        book::{
            Table,
            formats::{self, Format, WriteOptions},
            synth,
        },
    },
};
use std::{fs, io, path::Path, sync::atomic::AtomicBool};

/// Large enough that whatever walks through it takes long.
const LARGE: usize = 150_000;
const GAMES: usize = 2000;

const GO_GAME: &str = "(;GM[1]FF[4]SZ[19]KM[6.5];B[pd];W[dp];B[pq];W[dd])";
const GOPAL: &str = include_str!("../../../resources/gopal/figure1.gopal");

/// What [`super::cases`] names, all in one folder.
pub fn for_stops(folder: &Path) -> io::Result<()> {
    book(&folder.join("big.skbook"), Format::Own, LARGE, 1)?;
    book(&folder.join("other.egbk3"), Format::Egbk3, LARGE, 2)?;
    for_scenes(folder, GAMES, &mut Rng::new(1))
}

/// Small files of every kind.
pub fn for_scenes(folder: &Path, games: usize, rng: &mut Rng) -> io::Result<()> {
    let games: Vec<String> = (0..games).map(|_| random_game(rng)).collect();
    fs::write(folder.join("games.txt"), games.join("\n") + "\n")?;
    fs::write(folder.join("over.txt"), &games[0])?;
    fs::write(folder.join("go.sgf"), GO_GAME)?;
    fs::write(folder.join("own.gopal"), GOPAL)
}

/// A book with made-up values.
pub fn book(path: &Path, format: Format, positions: usize, seed: u64) -> io::Result<()> {
    let table = Table::from_entries(synth::entries(positions, seed), 0);
    let written = formats::write_file(path, &table, format, WriteOptions::default(), &AtomicBool::new(false));
    written.map(drop).map_err(io::Error::other)
}

/// The moves of a game to its end.
pub fn random_game(rng: &mut Rng) -> String {
    let (mut board, mut moves) = (Board::START, String::new());
    loop {
        let legal: Vec<_> = board.moves().into_iter().collect();
        match rng.pick(&legal).and_then(|&square| Some((square, board.play(square)?))) {
            Some((square, next)) => {
                moves += &square.to_string();
                board = next;
            }
            None if board.is_over() => return moves,
            None => board = board.pass(),
        }
    }
}
