//! Jobs shared out to many machines by a NATS server with JetStream. A queue is a stream of jobs, from which each goes
//! when its result is stored, a stream of results, one of what is known about both, and the list of dead jobs.
//!
//! Without the cargo feature `fleet` only the names of the commands are here.

#[cfg(feature = "fleet")]
mod collect;
#[cfg(feature = "fleet")]
mod queue;
#[cfg(feature = "fleet")]
mod status;
#[cfg(feature = "fleet")]
mod submit;
#[cfg(feature = "fleet")]
mod work;

use super::pool::{Kinds, Recipe, job::Fields};
use crate::{base::signals::Signal, engine::CommandError};
use crossbeam_channel::Receiver;
use std::{io, path::PathBuf, sync::atomic::AtomicBool};

#[derive(clap::Args, Debug)]
pub struct SubmitArgs {
    /// The server and the name of a queue: nats://HOST:PORT/QUEUE
    url: String,
    /// Jobs, one JSON object a line, as `batch` takes them
    #[arg(value_name = "JOBS")]
    jobs: PathBuf,
    /// For a new queue: a worker that is not heard of for so long has lost its jobs
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    ack_wait: u64,
}

#[derive(clap::Args, Debug)]
pub struct WorkArgs {
    /// The server and the name of a queue: nats://HOST:PORT/QUEUE
    url: String,
    /// Jobs done at the same time [default: as many as the cores have room for]
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Take only jobs of these kinds, e.g. question,solve
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,
    /// The name shown by `fleet status` [default: host and process]
    #[arg(long)]
    name: Option<String>,
    /// End when there was nothing to do for so long
    #[arg(long, value_name = "SECONDS")]
    idle: Option<f64>,
}

#[derive(clap::Args, Debug)]
pub struct CollectArgs {
    /// The server and the name of a queue: nats://HOST:PORT/QUEUE
    url: String,
    /// Where the results go, one a line; a file that is there is gone on with
    #[arg(short, long, value_name = "RESULTS")]
    output: PathBuf,
    /// Take what is there and do not wait for the rest
    #[arg(long)]
    now: bool,
}

#[derive(clap::Subcommand, Debug)]
pub enum FleetTool {
    /// Show how many jobs wait, run, are done and dead, and the workers with their speed
    Status {
        /// The server and the name of a queue: nats://HOST:PORT/QUEUE
        url: String,
        /// One JSON object for programs
        #[arg(long)]
        json: bool,
    },
    /// List the jobs that ended their worker three times, one JSON object a line
    Dead {
        /// The server and the name of a queue: nats://HOST:PORT/QUEUE
        url: String,
    },
    /// Put dead jobs back into the queue: those with these keys, or all
    Requeue {
        /// The server and the name of a queue: nats://HOST:PORT/QUEUE
        url: String,
        /// Keys of jobs as `dead` lists them
        keys: Vec<String>,
        /// All dead jobs
        #[arg(long, conflicts_with = "keys")]
        all: bool,
    },
    /// Remove a queue with its jobs and results from the server
    Remove {
        /// The server and the name of a queue: nats://HOST:PORT/QUEUE
        url: String,
    },
}

#[cfg_attr(not(feature = "fleet"), expect(dead_code, reason = "only made by a fleet"))]
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("this build has no fleet: `cargo install --path . --features fleet` makes one that has")]
    NotBuilt,
    #[error("{0}: a queue is written nats://HOST:PORT/QUEUE, its name of letters, digits, - and _")]
    Url(String),
    #[error("{0}")]
    Server(String),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {}", path.display(), complaints.join("\n  "))]
    Lines { path: PathBuf, complaints: Vec<String> },
    #[error("the queue is for {theirs}, and this program has {ours}: results would not be those of one engine")]
    Other { theirs: String, ours: String },
    #[error("there is no kind of job called `{0}`")]
    Kind(String),
    #[error("{0} jobs ended their worker three times: `fleet dead` lists them")]
    Dead(usize),
    #[error("stopped")]
    Stopped,
    #[error("there is no queue of this name on the server")]
    NoQueue,
    #[error("name the keys of jobs, or say --all")]
    NoKeys,
    #[error(transparent)]
    Option(#[from] CommandError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Results(#[from] super::batch::BatchError),
}

/// What ties a queue to one engine: jobs are worth the same only where these are the same.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    pub game: String,
    pub weights: String,
}

#[cfg_attr(not(feature = "fleet"), expect(dead_code, reason = "only read by a fleet"))]
impl Identity {
    fn of(engine: &dyn crate::engine::Engine) -> Identity {
        let weights = format!("{:08x}", crate::othello::Weights::builtin_fingerprint());
        Identity { game: engine.game().name().into(), weights }
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} with weights {}", self.game, self.weights)
    }
}

/// How a worker or a collector ended.
#[cfg_attr(not(feature = "fleet"), expect(dead_code, reason = "only made by a fleet"))]
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    Done,
    /// Some results are errors, or there are jobs that have none.
    Failed,
    Stopped(Signal),
}

impl Ending {
    pub const fn exit_code(&self) -> u8 {
        match self {
            Ending::Done => 0,
            Ending::Failed => 1,
            Ending::Stopped(signal) => signal.exit_code(),
        }
    }
}

#[cfg(feature = "fleet")]
pub use entries::{collect, fleet, submit, work};
#[cfg(feature = "fleet")]
pub use submit::Asker;

#[cfg(feature = "fleet")]
mod entries {
    use super::*;
    use std::io::Write;

    pub fn submit(args: &SubmitArgs, recipe: Recipe, kinds: Kinds, out: &mut dyn Write) -> Result<(), FleetError> {
        super::submit::run(args, recipe, kinds, out)
    }

    pub fn work(
        args: &WorkArgs,
        recipe: Recipe,
        kinds: Kinds,
        signals: Receiver<Signal>,
    ) -> Result<Ending, FleetError> {
        super::work::run(args, recipe, kinds, signals)
    }

    pub fn collect(args: &CollectArgs, signals: &Receiver<Signal>) -> Result<Ending, FleetError> {
        super::collect::run(args, signals)
    }

    pub fn fleet(tool: &FleetTool, out: &mut dyn Write) -> Result<(), FleetError> {
        super::status::run(tool, out)
    }
}

#[cfg(not(feature = "fleet"))]
pub use without::{Asker, collect, fleet, submit, work};

/// Says that this build has none of it.
#[cfg(not(feature = "fleet"))]
mod without {
    use super::*;
    use std::io::Write;

    pub fn submit(_: &SubmitArgs, _: Recipe, _: Kinds, _: &mut dyn Write) -> Result<(), FleetError> {
        Err(FleetError::NotBuilt)
    }

    pub fn work(_: &WorkArgs, _: Recipe, _: Kinds, _: Receiver<Signal>) -> Result<Ending, FleetError> {
        Err(FleetError::NotBuilt)
    }

    pub fn collect(_: &CollectArgs, _: &Receiver<Signal>) -> Result<Ending, FleetError> {
        Err(FleetError::NotBuilt)
    }

    pub fn fleet(_: &FleetTool, _: &mut dyn Write) -> Result<(), FleetError> {
        Err(FleetError::NotBuilt)
    }

    pub struct Asker;

    impl Asker {
        pub fn connect(_: &str) -> Result<Asker, FleetError> {
            Err(FleetError::NotBuilt)
        }

        pub fn ask(
            &self,
            _: Vec<Fields>,
            _: &AtomicBool,
            _: &mut dyn FnMut(usize, Fields) -> Result<(), FleetError>,
        ) -> Result<(), FleetError> {
            Err(FleetError::NotBuilt)
        }
    }
}

/// The results of jobs, each handed to `take` with its number as it comes, whoever has done it.
pub fn ask(
    url: &str,
    jobs: Vec<Fields>,
    stop: &AtomicBool,
    take: &mut dyn FnMut(usize, Fields) -> Result<(), FleetError>,
) -> Result<(), FleetError> {
    Asker::connect(url)?.ask(jobs, stop, take)
}
