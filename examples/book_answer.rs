//! Answers from the opening book: the value of every move that the book knows after some moves.
//!
//! `cargo run --release --example book_answer -- MOVES`

use shirokuro::othello::{Book, read_game};
use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let game = read_game(&env::args().nth(1).unwrap_or("f5d6c3".into()))?;
    let (book, board) = (Book::builtin(), game.position().board);
    let known = board.moves().into_iter().filter_map(|square| Some((square, book.get(board.play(square)?)?)));
    let mut moves: Vec<_> = known.map(|(square, entry)| (-i32::from(entry.value), square)).collect();
    moves.sort_by_key(|(value, _)| -value);
    match moves.as_slice() {
        [] => println!("the book knows nothing here"),
        moves => moves.iter().for_each(|(value, square)| println!("{square} {value:+}")),
    }
    Ok(())
}
