//! Egaroucid up to 6.2: `.egbk`. Only read.
//!
//! An i32 count, then 17 bytes for each position: own discs, opponent's discs (u64), and one byte 64 + the value as the
//! *opponent* sees it. There is no level and no mark by which to know the file: its length and its first board must do.

use super::{Fault, Faults, ReadError, bytes, imported};
use crate::othello::{
    Board,
    book::entry::{Entry, Level},
};

const RECORD: usize = 17;
const CENTRE: u64 = 0x0000_0018_1800_0000;

pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let mut at = bytes::Cursor::new(bytes, 0);
    let Some(Ok(told)) = at.i32().map(usize::try_from) else { return false };
    if told == 0 {
        return bytes.len() == 4;
    }
    let (Some(player), Some(opponent), Some(raw)) = (at.u64(), at.u64(), at.u8()) else { return false };
    player & opponent == 0 && (player | opponent) & CENTRE == CENTRE && raw <= 128
}

pub(super) fn read(bytes: &[u8], level: Level, faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let told = bytes::Cursor::new(bytes, 0).i32().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    bytes::fixed_records(bytes, 4, RECORD, told, faults, |record, offset, faults| {
        let mut at = bytes::Cursor::new(record, 0);
        let (Some(player), Some(opponent), Some(raw)) = (at.u64(), at.u64(), at.u8()) else { return Ok(None) };
        if player & opponent != 0 {
            return faults.note(Fault::Overlap, offset).map(|()| None);
        }
        if raw > 128 {
            return faults.note(Fault::ValueRange, offset + 16).map(|()| None);
        }
        Ok(Some(imported(Board::new(player, opponent), 64 - i32::from(raw), level)))
    })
}
