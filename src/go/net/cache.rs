//! What a network has said, so that it is not asked again.

use super::Output;
use crate::go::point::Point;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A position as the search wants it.
pub struct Judgement {
    /// The moves that may be made and how likely each is.
    pub moves: Vec<(Point, f32)>,
    /// The chance to win and the expected lead of the side to move.
    pub win: f32,
    pub score: f32,
    pub ownership: Vec<f32>,
}

/// What an output takes in the table beside itself.
const OVERHEAD: usize = 128;

/// Outputs by position. Two generations: when the younger one is full the older one goes.
pub struct Cache {
    generations: Mutex<[HashMap<u64, Arc<Output>>; 2]>,
    /// Bytes that one generation may take.
    most: usize,
}

impl Cache {
    pub fn new(bytes: usize) -> Cache {
        Cache { generations: Mutex::default(), most: bytes / 2 }
    }

    fn lock(&self) -> MutexGuard<'_, [HashMap<u64, Arc<Output>>; 2]> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, key: u64) -> Option<Arc<Output>> {
        let generations = self.lock();
        generations.iter().find_map(|generation| generation.get(&key).cloned())
    }

    pub fn put(&self, key: u64, output: Output) -> Arc<Output> {
        let bytes = OVERHEAD + size_of::<Output>() + size_of::<f32>() * (output.policy.len() + output.ownership.len());
        let output = Arc::new(output);
        let mut generations = self.lock();
        if (generations[0].len() + 1) * bytes > self.most {
            generations.swap(0, 1);
            generations[0].clear();
        }
        generations[0].insert(key, output.clone());
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_goes_when_there_is_no_more_room() {
        let output = |n: f32| Output {
            policy: vec![n; 10],
            win: n,
            loss: 0.0,
            no_result: 0.0,
            score: 0.0,
            deviation: 0.0,
            lead: 0.0,
            ownership: vec![0.0; 9],
        };
        let cache = Cache::new(2 * 10 * (OVERHEAD + size_of::<Output>() + 76));
        for key in 0..25 {
            cache.put(key, output(key as f32));
        }
        assert_eq!(cache.get(24).map(|output| output.win), Some(24.0));
        assert!(cache.get(12).is_some() && cache.get(3).is_none());
    }
}
