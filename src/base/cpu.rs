//! Processor time: of this thread, of this process, and of another process with all that it started.

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "two calls of the C library that no crate wraps"))]

use std::{io, time::Duration};

/// Why processor time cannot be had.
pub const UNKNOWN: &str = "this system does not say how much processor time a thread or a process has used";

/// What this thread has used; `None` where the system does not say.
#[cfg(unix)]
pub fn of_thread() -> Option<Duration> {
    Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).ok()
}

/// What all threads of this process have used, those that have ended included.
#[cfg(unix)]
pub fn of_process() -> Option<Duration> {
    Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime)).ok()
}

#[cfg(not(unix))]
pub fn of_thread() -> Option<Duration> {
    None
}

#[cfg(not(unix))]
pub fn of_process() -> Option<Duration> {
    None
}

/// What the process `id` has used, user and system time, with everything it started: the processes that are running,
/// and those that have ended and were waited for.
#[cfg(target_os = "linux")]
pub fn of(id: u32) -> io::Result<Duration> {
    let mut sum = Duration::ZERO;
    let mut waiting = vec![id];
    while let Some(next) = waiting.pop() {
        match own_time(next).and_then(|own| Ok(own + reaped_time(next)?)) {
            Ok(used) => sum += used,
            Err(error) if next == id => return Err(error),
            // A child that ended between two looks is in the time that its parent has reaped, or soon will be.
            Err(_) => {}
        }
        waiting.extend(children(next));
    }
    Ok(sum)
}

#[cfg(not(target_os = "linux"))]
pub fn of(_id: u32) -> io::Result<Duration> {
    Err(io::Error::new(io::ErrorKind::Unsupported, UNKNOWN))
}

/// The time of a process itself. `/proc/ID/stat` has it too, but only in hundredths of a second.
#[cfg(target_os = "linux")]
fn own_time(id: u32) -> io::Result<Duration> {
    let id = libc::pid_t::try_from(id).map_err(io::Error::other)?;
    let mut clock = 0;
    // SAFETY: the call writes one `clockid_t`, and `clock` is one.
    let error = unsafe { libc::clock_getcpuclockid(id, &raw mut clock) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one `timespec`, and `time` is one; a clock that is gone is an error.
    match unsafe { libc::clock_gettime(clock, &raw mut time) } {
        0 => Ok(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The time of the children that a process has waited for, and of theirs.
#[cfg(target_os = "linux")]
fn reaped_time(id: u32) -> io::Result<Duration> {
    /// What Linux calls USER_HZ: the same on every machine it runs on.
    const TICKS: u64 = 100;
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The name of the program stands in brackets and may hold anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = |field: usize| fields.split_whitespace().nth(field)?.parse::<u64>().ok();
    match (ticks(13), ticks(14)) {
        (Some(user), Some(system)) => Ok(Duration::from_millis((user + system) * 1000 / TICKS)),
        _ => Err(io::Error::other(format!("/proc/{id}/stat cannot be read"))),
    }
}

/// The children of all threads of a process. None where the kernel does not list them: then they count when they end.
#[cfg(target_os = "linux")]
fn children(id: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return vec![] };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::{
        process::{Child, Command, Stdio},
        thread,
        time::Instant,
    };

    /// Keeps this thread busy until it has used so much.
    fn work(much: Duration) {
        let until = of_thread().unwrap() + much;
        while of_thread().unwrap() < until {}
    }

    fn sh(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).stdout(Stdio::null()).spawn().unwrap()
    }

    /// Waits until `used` is at least `least`, but not for ever.
    fn reaches(least: Duration, used: impl Fn() -> Duration) -> bool {
        let began = Instant::now();
        while used() < least && began.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(5));
        }
        used() >= least
    }

    const LITTLE: Duration = Duration::from_millis(30);

    #[test]
    fn threads_and_the_process_are_told_apart() {
        let (thread_before, process_before) = (of_thread().unwrap(), of_process().unwrap());
        thread::spawn(|| work(LITTLE)).join().unwrap();
        assert!(of_thread().unwrap() - thread_before < LITTLE, "the other thread worked");
        assert!(of_process().unwrap() - process_before >= LITTLE, "a thread that has ended still counts");
        assert!(of(std::process::id()).unwrap() >= process_before + LITTLE);
    }

    #[test]
    fn sleep_costs_nothing_and_work_does() {
        let mut idle = sh("sleep 30");
        thread::sleep(Duration::from_millis(100));
        assert!(of(idle.id()).unwrap() < Duration::from_millis(80));
        let _ = idle.kill();
        let _ = idle.wait();
        assert!(of(idle.id()).is_err(), "it is gone");
        let mut busy = sh("while :; do :; done");
        assert!(reaches(LITTLE, || of(busy.id()).unwrap()));
        let _ = busy.kill();
        let _ = busy.wait();
    }

    #[test]
    fn what_a_wrapper_starts_is_counted_while_it_runs_and_after() {
        // The inner shell works for a while and ends; the outer one waits for it and lives on.
        let script = "sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'; sleep 30 & wait";
        let mut wrapper = sh(script);
        let id = wrapper.id();
        let inner = || children(id).first().is_some_and(|&child| own_time(child).is_ok_and(|time| time >= LITTLE));
        let began = Instant::now();
        while !inner() && reaped_time(id).unwrap() < LITTLE && began.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(of(id).unwrap() >= LITTLE);
        assert!(reaches(LITTLE, || reaped_time(id).unwrap()), "what was waited for stays counted");
        assert!(of(id).unwrap() >= LITTLE);
        let _ = Command::new("sh").args(["-c", &format!("kill {}", children(id)[0])]).status();
        let _ = wrapper.kill();
        let _ = wrapper.wait();
    }
}
