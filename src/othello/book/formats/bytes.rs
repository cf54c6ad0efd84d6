//! Walking through the bytes of a file.

use super::{Entry, Fault, Faults, ReadError};
use rayon::prelude::*;

/// A place in a file from which numbers are taken; `None` when they run out.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at }
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn i8(&mut self) -> Option<i8> {
        self.array().map(i8::from_le_bytes)
    }

    pub fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_le_bytes)
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }
}

/// Reads records of one size over all threads. `read` gets a record and its offset in the file.
pub fn fixed_records<F>(
    bytes: &[u8],
    start: usize,
    size: usize,
    told: usize,
    faults: &mut Faults,
    read: F,
) -> Result<Vec<Entry>, ReadError>
where
    F: Fn(&[u8], usize, &mut Faults) -> Result<Option<Entry>, ReadError> + Sync,
{
    const AT_ONCE: usize = 1 << 16;
    let records = &bytes[start.min(bytes.len())..];
    let here = records.len() / size;
    if here < told {
        faults.note(Fault::Truncated, start + here * size)?;
    }
    if records.len() > told * size {
        faults.note(Fault::TrailingBytes, start + told * size)?;
    }
    let records = &records[..here.min(told) * size];
    let shared = &*faults;
    let parts: Vec<(Vec<Entry>, Faults)> = records
        .par_chunks(AT_ONCE * size)
        .enumerate()
        .map(|(part, chunk)| {
            let mut found = Vec::with_capacity(chunk.len() / size);
            let mut faults = shared.for_part();
            for (i, record) in chunk.chunks_exact(size).enumerate() {
                let offset = start + (part * AT_ONCE + i) * size;
                if let Some(entry) = read(record, offset, &mut faults)? {
                    faults.keep(&mut found, entry, offset);
                }
            }
            Ok((found, faults))
        })
        .collect::<Result<_, ReadError>>()?;
    let mut all = Vec::with_capacity(here.min(told));
    for (found, met) in parts {
        all.extend(found);
        faults.join(met);
    }
    Ok(all)
}
