//! The processor, its threads and the memory.

use super::{Finding, State};
use crate::{
    base::{
        files,
        kernel::{Kernel, VARIABLE},
    },
    othello::{
        engine::settings::{HASH_BITS, Options},
        search::hash_bytes,
    },
};
use std::path::Path;

const AREA: &str = "machine";

pub fn examine() -> Vec<Finding> {
    let system = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
    let mut findings = vec![Finding::ok(AREA, "system", system)];
    if let Some(model) = field("/proc/cpuinfo", "model name") {
        findings.push(Finding::ok(AREA, "processor", model));
    }
    findings.extend([features(), kernel(), threads()]);
    findings.extend(memory());
    findings
}

/// A feature of processors: its name, whether the binary needs it, whether this processor has it.
struct Feature {
    name: &'static str,
    needed: bool,
    present: bool,
}

macro_rules! features {
    ($detect:ident: $($name:tt)*) => {
        vec![$(Feature {
            name: $name,
            needed: cfg!(target_feature = $name),
            present: std::arch::$detect!($name),
        }),*]
    };
}

#[cfg(target_arch = "x86_64")]
fn known_features() -> Vec<Feature> {
    features!(is_x86_feature_detected:
        "sse4.1" "sse4.2" "popcnt" "lzcnt" "bmi1" "bmi2" "avx" "avx2" "fma"
        "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vnni")
}

#[cfg(target_arch = "aarch64")]
fn known_features() -> Vec<Feature> {
    features!(is_aarch64_feature_detected: "neon" "dotprod" "sve")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn known_features() -> Vec<Feature> {
    Vec::new()
}

fn features() -> Finding {
    describe(&known_features())
}

fn describe(features: &[Feature]) -> Finding {
    let names = |chosen: fn(&Feature) -> bool| -> String {
        let names: Vec<&str> = features.iter().filter(|f| chosen(f)).map(|f| f.name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(" ") }
    };
    let lacking = features.iter().any(|f| f.needed && !f.present);
    let present = names(|f| f.present);
    if lacking {
        let lacking = names(|f| f.needed && !f.present);
        return Finding::new(State::Wrong, AREA, "features", format!("{present}; the binary needs also: {lacking}"));
    }
    Finding::ok(AREA, "features", present)
}

fn kernel() -> Finding {
    let (chosen, best) = (Kernel::chosen(), Kernel::best());
    if chosen == best {
        return Finding::ok(AREA, "kernel", chosen.name());
    }
    let value = format!("{}, as {VARIABLE} asks; the best here is {}", chosen.name(), best.name());
    Finding::new(State::Note, AREA, "kernel", value)
}

fn threads() -> Finding {
    match std::thread::available_parallelism() {
        Ok(threads) => Finding::ok(AREA, "threads", threads.to_string()),
        Err(error) => Finding::new(State::Note, AREA, "threads", format!("unknown ({error}); one is used")),
    }
}

/// Memory that is free for us, and the largest hash table that leaves a quarter of it.
fn memory() -> Vec<Finding> {
    let Some(available) = available_memory() else {
        return vec![Finding::new(State::Note, AREA, "memory", "unknown on this system")];
    };
    let free = Finding::ok(AREA, "memory", format!("{} MiB available", available >> 20));
    vec![free, largest_hash(available)]
}

fn largest_hash(available: u64) -> Finding {
    let bits = HASH_BITS.rev().find(|bits| hash_bytes(*bits) <= available / 4 * 3);
    match bits {
        Some(bits) => {
            let value = format!("{bits} at most, {} MiB", hash_bytes(bits) >> 20);
            let state = if bits < Options::default().hash { State::Note } else { State::Ok };
            Finding::new(state, AREA, "hash", value)
        }
        None => Finding::new(State::Wrong, AREA, "hash", "there is no memory for the smallest table"),
    }
}

/// What the system has, or what this process may have if that is less.
fn available_memory() -> Option<u64> {
    let kibibytes = field("/proc/meminfo", "MemAvailable")?;
    let system = kibibytes.trim_end_matches("kB").trim().parse::<u64>().ok()? << 10;
    let group = files::read_text(Path::new("/sys/fs/cgroup/memory.max"), 4096).ok();
    let limit = group.and_then(|text| text.trim().parse::<u64>().ok());
    Some(limit.map_or(system, |limit| limit.min(system)))
}

/// The value of a line `name: value` in a file of the system.
fn field(path: &str, name: &str) -> Option<String> {
    let text = files::read_text(Path::new(path), 1 << 22).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_feature_is_wrong_and_named() {
        let feature = |name, needed, present| Feature { name, needed, present };
        let sound = describe(&[feature("a", true, true), feature("b", false, false), feature("c", false, true)]);
        assert_eq!((sound.state, sound.value.as_str()), (State::Ok, "a c"));
        let lacking = describe(&[feature("a", true, true), feature("b", true, false)]);
        assert_eq!((lacking.state, lacking.value.as_str()), (State::Wrong, "a; the binary needs also: b"));
    }

    #[test]
    fn the_hash_leaves_a_quarter_of_the_memory() {
        assert_eq!(largest_hash(1 << 30).value, "24 at most, 512 MiB");
        assert_eq!(largest_hash(200 << 20).value, "22 at most, 128 MiB");
        assert_eq!(largest_hash(100 << 20).state, State::Note);
        assert_eq!(largest_hash(1 << 10).state, State::Wrong);
        assert!(largest_hash(u64::MAX).value.starts_with("30 at most"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_its_memory() {
        assert!(available_memory().is_some_and(|bytes| bytes > 1 << 20));
    }
}
