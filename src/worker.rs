//! One thread that owns the engine while it works and hands it back with the answer.

use crate::{
    base::{Control, Stopwatch, TimeSource, control::unless_stopped, files},
    engine::{self, Answer, CommandError, CommandErrorKind, Engine, Job, Outcome, Progress, Step},
};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// The largest game file that is read.
const LARGEST_FILE: u64 = 64 << 20;

struct Order {
    engine: Box<dyn Engine>,
    job: Job,
    stop: Arc<AtomicBool>,
}

pub enum Event {
    News(Progress),
    /// `cpu`: the processor time of the search thread, where the system knows it.
    Home {
        engine: Box<dyn Engine>,
        outcome: Answer<Outcome>,
        cpu: Option<Duration>,
    },
}

/// Stops one job, and no other: each has a flag of its own.
#[derive(Clone)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub struct Worker {
    orders: Sender<Order>,
    pub events: Receiver<Event>,
}

impl Worker {
    pub fn spawn() -> Worker {
        let (orders, inbox) = bounded::<Order>(1);
        let (out, events) = unbounded();
        std::thread::Builder::new()
            .name("search".into())
            .stack_size(64 << 20)
            .spawn(move || {
                for order in inbox {
                    if out.send(carry_out(order, &out)).is_err() {
                        return;
                    }
                }
            })
            .expect("the system has room for one thread");
        Worker { orders, events }
    }

    /// Sends the engine away. With `hurry` it is told to stop before it starts, and comes back with a quick answer.
    pub fn start(&self, engine: Box<dyn Engine>, job: Job, hurry: bool) -> StopHandle {
        let stop = Arc::new(AtomicBool::new(hurry));
        let order = Order { engine, job, stop: stop.clone() };
        self.orders.send(order).unwrap_or_else(|_| unreachable!("the search thread lives as long as the worker"));
        StopHandle(stop)
    }
}

fn carry_out(Order { mut engine, job, stop }: Order, out: &Sender<Event>) -> Event {
    let tell = |news: &Progress| {
        let _ = out.send(Event::News(news.clone()));
    };
    let watch = TimeSource::Thread.is_known().then(|| Stopwatch::start(TimeSource::Thread));
    // A fault in one answer must not take the process, the game and everything queued with it.
    let outcome = catch_unwind(AssertUnwindSafe(|| work(engine.as_mut(), &job, Control::new(&stop, &tell))))
        .unwrap_or_else(|_| Err(CommandError::new(CommandErrorKind::Unsupported, "internal error; please report it")));
    Event::Home { engine, outcome, cpu: watch.map(|watch| watch.elapsed()) }
}

/// Files are read and written here, away from the session, which goes on listening.
fn work(engine: &mut dyn Engine, job: &Job, control: Control<'_, Progress>) -> Answer<Outcome> {
    match job {
        Job::Load { path, ply } => load(engine, path, *ply, control),
        Job::Save { path, form, here } => {
            let (text, notices) = engine.saved(form, *here)?;
            files::replace(path, |file| file.write_all(text.as_bytes())).map_err(|e| in_file(path, e))?;
            Ok(Outcome::Done(notices))
        }
        Job::Set(pairs) => engine::set_each(engine, pairs, control).map(|()| Outcome::Done(vec![])),
        job => engine.work(job, control),
    }
}

fn load(engine: &mut dyn Engine, path: &Path, ply: Option<usize>, control: Control<'_, Progress>) -> Answer<Outcome> {
    let own = path.to_path_buf();
    let text = unless_stopped(control.stop_flag(), move |_| files::read_text(&own, LARGEST_FILE));
    let Some(text) = text.filter(|_| !control.stopped()) else {
        return Err(CommandError::new(CommandErrorKind::Illegal, "stopped; the game is as it was"));
    };
    let text = text.map_err(|e| in_file(path, e))?;
    if text.trim().is_empty() {
        return Err(in_file(path, io::Error::other("no game or position in the file")));
    }
    let refused = |r: CommandError| CommandError::new(r.kind, format!("{}: {r}", path.display()));
    let notices = match engine.open_list(path, &text, control)? {
        Some(notices) => notices,
        None => engine.import_until(&text, control).map_err(refused)?,
    };
    if let Some(ply) = ply {
        // Past the end of the game means its end, as with GTP's `loadsgf`.
        let _ = engine.step(Step::To(ply));
    }
    Ok(Outcome::Done(notices))
}

fn in_file(path: &Path, error: io::Error) -> CommandError {
    CommandError::new(CommandErrorKind::File, format!("{}: {error}", path.display()))
}
