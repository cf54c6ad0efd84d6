//! The database of the Fédération française d'Othello: games (`.wtb`), players (`.jou`) and tournaments (`.trn`).

use super::{BadEntry, BadRecord, GameResult, Record, lines};
use crate::othello::{Game, Move, Position, Square};
use nom::{
    IResult, Parser,
    bytes::complete::take,
    number::complete::{le_u8, le_u16, le_u32},
};

/// What all three kinds of files begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// When the file was made: century, year in it, month, day.
    pub made: [u8; 4],
    pub games: u32,
    /// Players or tournaments.
    pub names: u16,
    /// Of the games.
    pub year: u16,
    /// Of the board; old files have 0 for 8.
    pub size: u8,
    pub solitaire: bool,
    /// The number of empty squares from which the theoretical score is.
    pub depth: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WthorGame {
    pub tournament: u16,
    pub black: u16,
    pub white: u16,
    /// Black's discs, empty squares to the winner: 0 to 64.
    pub score: u8,
    /// The same with best play from `Header::depth` empty squares.
    pub theoretical: u8,
    /// 10·row + column, a1 being 11; passes are left out; 0 for no move.
    pub moves: [u8; 60],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wthor {
    pub header: Header,
    pub games: Vec<WthorGame>,
}

/// A file is not what its header says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWthor {
    #[error("a WTHOR file has a header of 16 bytes, this one ends at byte {0}")]
    NoHeader(usize),
    #[error("games on a board of size {0}: only 8×8 is played here")]
    Size(u8),
    #[error("the header tells of {told} entries, the file ends in entry {whole} at byte {length}")]
    Short { told: usize, whole: usize, length: usize },
}

#[cfg(test)]
const HEADER: usize = 16;
const GAME: usize = 68;
const PLAYER: usize = 20;
const TOURNAMENT: usize = 26;

fn header(input: &[u8]) -> IResult<&[u8], Header> {
    let (rest, (made, games, names, year)) = (take(4usize), le_u32, le_u16, le_u16).parse(input)?;
    let (rest, (size, kind, depth, _)) = (le_u8, le_u8, le_u8, le_u8).parse(rest)?;
    let mut date = [0; 4];
    date.copy_from_slice(made);
    Ok((rest, Header { made: date, games, names, year, size, solitaire: kind == 1, depth }))
}

fn game(input: &[u8]) -> IResult<&[u8], WthorGame> {
    let (rest, (tournament, black, white)) = (le_u16, le_u16, le_u16).parse(input)?;
    let (rest, (score, theoretical, list)) = (le_u8, le_u8, take(60usize)).parse(rest)?;
    let mut moves = [0; 60];
    moves.copy_from_slice(list);
    Ok((rest, WthorGame { tournament, black, white, score, theoretical, moves }))
}

/// The header and exactly the entries it tells of.
fn entries(bytes: &[u8], count: impl Fn(&Header) -> usize, size: usize) -> Result<(Header, &[u8]), BadWthor> {
    let (rest, header) = header(bytes).map_err(|_| BadWthor::NoHeader(bytes.len()))?;
    let told = count(&header);
    match told.checked_mul(size).and_then(|length| rest.get(..length)) {
        Some(entries) => Ok((header, entries)),
        None => Err(BadWthor::Short { told, whole: rest.len() / size + 1, length: bytes.len() }),
    }
}

impl Wthor {
    pub fn parse(bytes: &[u8]) -> Result<Wthor, BadWthor> {
        let (header, entries) = entries(bytes, |header| header.games as usize, GAME)?;
        if !matches!(header.size, 0 | 8) {
            return Err(BadWthor::Size(header.size));
        }
        let games = entries.chunks_exact(GAME).filter_map(|entry| game(entry).ok()).map(|(_, game)| game);
        Ok(Wthor { header, games: games.collect() })
    }

    #[cfg(test)]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header_bytes(&Header { games: self.games.len() as u32, names: 0, ..self.header });
        for game in &self.games {
            for number in [game.tournament, game.black, game.white] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend([game.score, game.theoretical]);
            bytes.extend(game.moves);
        }
        bytes
    }
}

#[cfg(test)]
fn header_bytes(header: &Header) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER);
    bytes.extend(header.made);
    bytes.extend(header.games.to_le_bytes());
    bytes.extend(header.names.to_le_bytes());
    bytes.extend(header.year.to_le_bytes());
    bytes.extend([header.size, u8::from(header.solitaire), header.depth, 0]);
    bytes
}

impl WthorGame {
    /// The squares played, and the number of the first byte that is none.
    fn squares(&self) -> Result<Vec<Move>, usize> {
        let played = self.moves.iter().take_while(|&&byte| byte != 0).enumerate();
        played
            .map(|(i, &byte)| {
                let square = (byte % 10).checked_sub(1).zip((byte / 10).checked_sub(1));
                square.and_then(|(column, row)| Square::at(column, row)).map(Move::Place).ok_or(i)
            })
            .collect()
    }

    pub fn record(&self) -> Result<Record, BadRecord> {
        let moves = self.squares().map_err(|i| {
            BadRecord::Unsupported(format!("move {} is the number {}, which is no square", i + 1, self.moves[i]))
        })?;
        let mut game = Game::without_auto_pass(Position::START);
        lines::play_all(&mut game, &moves)?;
        let result = GameResult::from_score(f64::from(self.score) * 2.0 - 64.0);
        Ok(Record { result: Some(result), ..Record::new(game) })
    }
}

/// All games of a file as records, without names. A file that is not one is a single bad entry.
pub fn records(bytes: &[u8]) -> Vec<Result<Record, BadEntry>> {
    records_with(bytes, &[], &[])
}

/// All games of a file as records, with the names of players and tournaments as far as they are in these lists.
pub fn records_with(bytes: &[u8], players: &[String], tournaments: &[String]) -> Vec<Result<Record, BadEntry>> {
    let bad = |number, error| BadEntry { number, line: None, error };
    let name = |list: &[String], number: u16| list.get(usize::from(number)).cloned().unwrap_or_default();
    match Wthor::parse(bytes) {
        Err(error) => vec![Err(bad(1, BadRecord::Unsupported(error.to_string())))],
        Ok(Wthor { header, games }) => {
            let year = if header.year == 0 { String::new() } else { header.year.to_string() };
            let records = games.iter().enumerate().map(|(i, game)| {
                let record = game.record().map_err(|error| bad(i + 1, error))?;
                let names = [name(players, game.black), name(players, game.white)];
                Ok(Record { date: year.clone(), names, event: name(tournaments, game.tournament), ..record })
            });
            records.collect()
        }
    }
}

/// The names of players, by number.
pub fn players(bytes: &[u8]) -> Result<Vec<String>, BadWthor> {
    names(bytes, PLAYER)
}

/// The names of tournaments, by number.
pub fn tournaments(bytes: &[u8]) -> Result<Vec<String>, BadWthor> {
    names(bytes, TOURNAMENT)
}

fn names(bytes: &[u8], size: usize) -> Result<Vec<String>, BadWthor> {
    let (_, entries) = entries(bytes, |header| header.names.into(), size)?;
    let latin1 = |entry: &[u8]| entry.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect();
    Ok(entries.chunks_exact(size).map(latin1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    fn file(games: Vec<WthorGame>) -> Wthor {
        let count = games.len() as u32;
        let made = [20, 26, 1, 2];
        Wthor {
            header: Header { made, games: count, names: 0, year: 2025, size: 8, solitaire: false, depth: 24 },
            games,
        }
    }

    fn entry(game: &Game) -> WthorGame {
        let mut moves = [0; 60];
        let squares = game.moves().filter_map(|mv| match mv {
            Move::Place(square) => Some(10 * (square.row() + 1) + square.column() + 1),
            Move::Pass => None,
        });
        moves.iter_mut().zip(squares).for_each(|(byte, square)| *byte = square);
        let score = game.score().with_empties().black as u8;
        WthorGame { tournament: 1, black: 2, white: 3, score, theoretical: score, moves }
    }

    #[test]
    fn bad_files_and_bad_games() {
        assert_eq!(Wthor::parse(b"short"), Err(BadWthor::NoHeader(5)));
        let mut wthor = file(vec![entry(&samples::game(1, false)), entry(&samples::game(2, false))]);
        let short = wthor.to_bytes();
        assert_eq!(
            Wthor::parse(&short[..150]).unwrap_err().to_string(),
            "the header tells of 2 entries, the file ends in entry 2 at byte 150"
        );
        wthor.games[0].moves[1] = wthor.games[0].moves[0];
        wthor.games[1].moves[2] = 99;
        let errors: Vec<_> =
            records(&wthor.to_bytes()).into_iter().filter_map(Result::err).map(|e| e.to_string()).collect();
        assert!(errors[0].starts_with("entry 1: move 2: ") && errors[0].ends_with("is occupied"), "{errors:?}");
        assert_eq!(errors[1], "entry 2: move 3 is the number 99, which is no square");
        wthor.header.size = 10;
        assert_eq!(Wthor::parse(&wthor.to_bytes()), Err(BadWthor::Size(10)));
    }

    #[test]
    fn names_are_latin1_and_end_with_a_zero() {
        let mut bytes = header_bytes(&Header { names: 2, games: 0, ..file(vec![]).header });
        for name in [b"Caf\xe9\0rubbish", b"Somebody\0\0\0\0"] {
            let mut entry = name.to_vec();
            entry.resize(PLAYER, b'z');
            bytes.extend(entry);
        }
        assert_eq!(players(&bytes).unwrap(), ["Café", "Somebody"]);
        assert!(tournaments(&bytes).is_err());
    }

    proptest! {
        #[test]
        fn written_and_read_again(seeds in prop::collection::vec(any::<u64>(), 0..5)) {
            let games: Vec<_> = seeds.iter().map(|&seed| samples::game(seed, false)).collect();
            let wthor = file(games.iter().map(entry).collect());
            let bytes = wthor.to_bytes();
            prop_assert_eq!(bytes.len(), HEADER + GAME * games.len());
            let again = Wthor::parse(&bytes).unwrap();
            prop_assert_eq!(&again, &wthor);
            for (record, game) in again.games.iter().map(WthorGame::record).zip(&games) {
                prop_assert_eq!(samples::without_passes(&record.unwrap().game), samples::without_passes(game));
            }
        }

        #[test]
        fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = (records(&bytes), players(&bytes), tournaments(&bytes));
            let mut nearly = file(vec![entry(&samples::game(3, false))]).to_bytes();
            for (i, byte) in bytes.iter().enumerate().take(3) {
                let at = (i * 89 + *byte as usize) % nearly.len();
                nearly[at] = *byte;
            }
            let _ = records(&nearly);
        }
    }
}
