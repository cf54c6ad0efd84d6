//! Every call of a save is made to fail, or to be the last before the power goes: the old or the new file is whole.
//!
//! The disk here is a model with the worst habits that real ones are allowed: contents that were not synced are cut
//! anywhere, and names that were not synced are as before, or as after any number of the calls, in their order.

use super::{Backup, Disk, backup_of, replace_on};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    rc::Rc,
};

type Names = BTreeMap<PathBuf, usize>;

#[derive(Debug, Clone, Default)]
struct Inode {
    data: Vec<u8>,
    synced: bool,
}

#[derive(Debug, Clone, Default)]
struct Model {
    inodes: Vec<Inode>,
    names: Names,
    /// The directory as it was after each call since it was last synced.
    history: Vec<Names>,
    calls: usize,
    /// The call with this number fails.
    fails: Option<usize>,
    /// Every call from this one on fails: the power is gone.
    dead_from: Option<usize>,
    no_links: bool,
}

impl Model {
    fn call(&mut self) -> io::Result<()> {
        let number = self.calls;
        self.calls += 1;
        let fails = self.fails == Some(number) || self.dead_from.is_some_and(|dead| number >= dead);
        if fails { Err(io::Error::other("no")) } else { Ok(()) }
    }

    fn rename_done(&mut self) {
        self.history.push(self.names.clone());
    }

    fn new_inode(&mut self, name: &Path, data: &[u8]) -> usize {
        self.inodes.push(Inode { data: data.to_vec(), synced: false });
        self.names.insert(name.into(), self.inodes.len() - 1);
        self.rename_done();
        self.inodes.len() - 1
    }
}

#[derive(Clone, Default)]
struct Faulty(Rc<RefCell<Model>>);

struct Temp {
    disk: Faulty,
    inode: usize,
    at: usize,
    name: Option<PathBuf>,
}

impl Write for Temp {
    /// A failing write has written half.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = self.disk.0.borrow_mut();
        let allowed = disk.call();
        let bytes = if allowed.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
        let inode = &mut disk.inodes[self.inode];
        let end = self.at + bytes.len();
        inode.data.resize(inode.data.len().max(end), 0);
        inode.data[self.at..end].copy_from_slice(bytes);
        inode.synced = false;
        self.at = end;
        allowed.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Temp {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else { return Err(io::ErrorKind::Unsupported.into()) };
        self.at = at as usize;
        Ok(at)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if let Some(name) = self.name.take() {
            self.disk.remove(&name).ok();
        }
    }
}

impl Disk for Faulty {
    type Temp = Temp;

    fn create(&self, path: &Path) -> io::Result<Temp> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        let name = path.with_extension(format!("tmp-{}", model.calls));
        let inode = model.new_inode(&name, b"");
        Ok(Temp { disk: self.clone(), inode, at: 0, name: Some(name) })
    }

    fn dress(&self, _: &Temp, _: &Path) -> io::Result<()> {
        self.0.borrow_mut().call()
    }

    fn sync(&self, file: &mut Temp) -> io::Result<()> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        model.inodes[file.inode].synced = true;
        Ok(())
    }

    fn persist(&self, mut file: Temp, path: &Path) -> io::Result<()> {
        let from = file.name.clone().unwrap_or_default();
        self.rename(&from, path)?;
        file.name = None;
        Ok(())
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.borrow().names.contains_key(path)
    }

    fn open(&self, path: &Path) -> io::Result<impl Read> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        let inode = *model.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Cursor::new(model.inodes[inode].data.clone()))
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        if model.no_links {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let inode = *model.names.get(path).ok_or(io::ErrorKind::NotFound)?;
        let name = path.with_extension(format!("tmp-{}", model.calls));
        model.names.insert(name.clone(), inode);
        model.rename_done();
        Ok(name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        let inode = *model.names.get(from).ok_or(io::ErrorKind::NotFound)?;
        // Between two names of one file nothing happens, as POSIX has it.
        if model.names.insert(to.into(), inode) != Some(inode) {
            model.names.remove(from);
        }
        model.rename_done();
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        model.names.remove(path).ok_or(io::ErrorKind::NotFound)?;
        model.rename_done();
        Ok(())
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        let mut model = self.0.borrow_mut();
        model.call()?;
        model.history = vec![model.names.clone()];
        Ok(())
    }
}

const OLDER: &[u8] = b"the one before the old one";
const OLD: &[u8] = b"the old contents";
const NEW: &[u8] = b"THE NEW CONTENTS, longer than the old";
const PATH: &str = "/b/a.skbook";

/// A disk that holds the old file and its backup, all on the platter.
fn prepared(with_old: bool) -> Faulty {
    let disk = Faulty::default();
    if with_old {
        let mut model = disk.0.borrow_mut();
        for (name, data) in [(PathBuf::from(PATH), OLD), (backup_of(Path::new(PATH)), OLDER)] {
            let inode = model.new_inode(&name, data);
            model.inodes[inode].synced = true;
        }
        model.history = vec![model.names.clone()];
    }
    disk
}

/// In two pieces and with a step back, as a book is written.
fn save(disk: &Faulty, backup: Backup) -> io::Result<()> {
    replace_on(disk, Path::new(PATH), backup, |file| {
        file.write_all(&[0; 9])?;
        file.write_all(&NEW[9..])?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&NEW[..9])
    })
}

/// What a name may hold after the power has come back; `None`: there is no such file.
fn after_power_cut(model: &Model, name: &Path) -> Vec<Option<Vec<u8>>> {
    let mut found = Vec::new();
    for names in &model.history {
        let Some(&inode) = names.get(name) else {
            found.push(None);
            continue;
        };
        let Inode { data, synced } = &model.inodes[inode];
        let shortest = if *synced { data.len() } else { 0 };
        found.extend((shortest..=data.len()).map(|length| Some(data[..length].to_vec())));
    }
    found
}

fn check(model: &Model, with_old: bool, what: &str) {
    let whole = |found: &Option<Vec<u8>>| match found.as_deref() {
        None => !with_old,
        Some(data) => data == NEW || with_old && data == OLD,
    };
    let now = model.names.get(Path::new(PATH)).map(|&inode| model.inodes[inode].data.clone());
    assert!(whole(&now), "{what}: {now:?}");
    for found in after_power_cut(model, Path::new(PATH)) {
        assert!(whole(&found), "{what}, after a power cut: {found:?}");
    }
    for found in after_power_cut(model, &backup_of(Path::new(PATH))).into_iter().flatten() {
        assert!(found == OLDER || found == OLD, "{what}: the backup is {found:?}");
    }
}

#[test]
fn whatever_call_fails_or_is_the_last_a_whole_file_is_there() {
    let mut cases = 0;
    for (with_old, backup, no_links) in [
        (true, Backup::Keep, false),
        (true, Backup::Keep, true),
        (true, Backup::None, false),
        (false, Backup::Keep, false),
    ] {
        let disk = prepared(with_old);
        disk.0.borrow_mut().no_links = no_links;
        save(&disk, backup).unwrap();
        check(&disk.0.borrow(), with_old, "nothing fails");
        assert_eq!(disk.0.borrow().history.len(), 1, "all names are synced in the end");
        let kept = disk.0.borrow().names.len();
        assert_eq!(kept, if with_old { 2 } else { 1 }, "no litter");
        for call in 0..disk.0.borrow().calls {
            for dead in [false, true] {
                let disk = prepared(with_old);
                {
                    let mut model = disk.0.borrow_mut();
                    model.no_links = no_links;
                    (model.fails, model.dead_from) = if dead { (None, Some(call)) } else { (Some(call), None) };
                }
                let saved = save(&disk, backup);
                let what = format!("call {call} dead {dead} links {}: {saved:?}", !no_links);
                check(&disk.0.borrow(), with_old, &what);
                let model = disk.0.borrow();
                let new = model.names.get(Path::new(PATH)).is_some_and(|&inode| model.inodes[inode].data == NEW);
                assert!(saved.is_err() || new, "{what}: called a success and is none");
                cases += 1;
            }
        }
    }
    assert!(cases > 60, "{cases}");
}

#[test]
fn the_model_would_notice_a_careless_save() {
    let disk = prepared(true);
    let mut file = disk.create(Path::new(PATH)).unwrap();
    file.write_all(NEW).unwrap();
    disk.persist(file, Path::new(PATH)).unwrap();
    let model = disk.0.borrow();
    assert!(after_power_cut(&model, Path::new(PATH)).iter().any(|found| found.as_deref() == Some(&NEW[..5])));
}
