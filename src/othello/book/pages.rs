//! The blocks of a large book file, read one at a time and checked when they are read.

use super::image::{BLOCK, Header, OpenError, crc32, u32_at};
use std::{
    cell::RefCell,
    fs::{File, Metadata},
    io,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::SystemTime,
};

/// Bytes of blocks that stay in memory.
const MOST_KEPT: usize = 1 << 30;

pub(super) struct Pages {
    file: File,
    header: Header,
    /// Checksums and directory.
    tail: Vec<u8>,
    /// Blocks that were read, as far as there is room: some are asked for again and again.
    kept: Vec<OnceLock<Box<[u8]>>>,
    /// How many more blocks may be kept.
    room: AtomicUsize,
    /// As the file was when it was opened.
    stamp: (u64, Option<SystemTime>),
    /// Tells the pages of one file from those of another.
    id: u64,
    lost: AtomicBool,
}

/// The block that a thread has read last.
#[derive(Default)]
struct Page {
    /// 0: nothing is here.
    file: u64,
    block: usize,
    data: Vec<u8>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

static FILES: AtomicU64 = AtomicU64::new(1);

fn stamp(about: &Metadata) -> (u64, Option<SystemTime>) {
    (about.len(), about.modified().ok())
}

impl Pages {
    /// Reads what is needed to find anything.
    pub fn open(file: File) -> Result<Pages, OpenError> {
        let about = file.metadata()?;
        let mut first = vec![0; BLOCK.min(usize::try_from(about.len()).unwrap_or(BLOCK))];
        read_exact_at(&file, &mut first, 0)?;
        let header = Header::decode_first(&first, about.len())?;
        let mut tail = Vec::new();
        let length = header.file_length() as usize - header.checksums_at();
        tail.try_reserve_exact(length).map_err(io::Error::from)?;
        tail.resize(length, 0);
        read_exact_at(&file, &mut tail, header.checksums_at() as u64)?;
        let id = FILES.fetch_add(1, Ordering::Relaxed);
        let kept = (0..header.blocks()).map(|_| OnceLock::new()).collect();
        let (room, lost) = (AtomicUsize::new(MOST_KEPT / BLOCK), AtomicBool::new(false));
        Ok(Pages { file, header, tail, kept, room, stamp: stamp(&about), id, lost })
    }

    pub fn header(&self) -> Header {
        self.header
    }

    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Something made of a block that fits its checksum; `make` must not ask for another block.
    pub fn with_block<T>(&self, block: usize, make: impl FnOnce(&[u8]) -> T) -> Option<T> {
        if let Some(data) = self.kept[block].get() {
            return Some(make(data));
        }
        PAGE.with_borrow_mut(|page| {
            if (page.file, page.block) != (self.id, block) {
                page.file = 0;
                page.data.resize(BLOCK, 0);
                if !self.read(block, &mut page.data) {
                    return None;
                }
                (page.file, page.block) = (self.id, block);
                self.keep(block, &page.data);
            }
            Some(make(&page.data))
        })
    }

    fn keep(&self, block: usize, data: &[u8]) {
        let room = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(1));
        if room.is_ok() {
            self.kept[block].set(data.into()).ok();
        }
    }

    fn read(&self, block: usize, data: &mut [u8]) -> bool {
        let read = read_exact_at(&self.file, data, (BLOCK + block * BLOCK) as u64);
        let fits = read.is_ok() && crc32(data) == u32_at(&self.tail, 4 * block);
        if !fits && !self.is_as_it_was() {
            self.give_up();
        }
        fits
    }

    /// A block that was sound is not any more, or the file is another.
    pub fn give_up(&self) {
        if !self.lost.swap(true, Ordering::Relaxed) {
            log::error!("the file of the book was changed by another program while it was in use");
        }
    }

    fn is_as_it_was(&self) -> bool {
        self.file.metadata().is_ok_and(|about| stamp(&about) == self.stamp)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        match file.seek_read(bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => (bytes, at) = (&mut bytes[n..], at + n as u64),
        }
    }
    Ok(())
}
