//! Scenes that a program may live through, each made from a seed: who talks to it, how it is treated, how it ends.

use super::{
    cases::Speech,
    disks,
    stage::{Outcome, Stage},
    talk::talk,
};
use crate::base::Rng;

pub struct Scene {
    pub name: &'static str,
    /// How often, against the others.
    pub weight: usize,
    pub play: fn(&mut Stage<'_>) -> Outcome,
}

pub const SCENES: &[Scene] = &[
    Scene { name: "random client: console", weight: 4, play: |stage| talk(stage, Speech::Console) },
    Scene { name: "random client: gtp", weight: 6, play: |stage| talk(stage, Speech::Gtp) },
    Scene { name: "random client: nboard", weight: 3, play: |stage| talk(stage, Speech::Nboard) },
    Scene { name: "random client: json", weight: 3, play: |stage| talk(stage, Speech::Json) },
    Scene { name: "random client: uci", weight: 3, play: |stage| talk(stage, Speech::Uci) },
    Scene { name: "random client: katago", weight: 3, play: |stage| talk(stage, Speech::Katago) },
    Scene { name: "random client: standalone", weight: 1, play: |stage| talk(stage, Speech::Standalone) },
    Scene { name: "killed while it saves a book", weight: 3, play: disks::killed_while_saving },
    Scene { name: "two processes on one book", weight: 3, play: disks::two_on_one_book },
    Scene { name: "files that change under it", weight: 3, play: disks::changing_files },
    Scene { name: "limit on the size of files", weight: 2, play: disks::file_limit },
    Scene { name: "full file system", weight: 1, play: disks::full_file_system },
    Scene { name: "output to a full device", weight: 1, play: disks::full_output },
];

/// The scene of this seed.
pub fn of_seed(seed: u64) -> (&'static Scene, Rng) {
    let mut rng = Rng::new(seed);
    let all: usize = SCENES.iter().map(|scene| scene.weight).sum();
    let mut place = rng.below(all);
    for scene in SCENES {
        match place.checked_sub(scene.weight) {
            Some(rest) => place = rest,
            None => return (scene, rng),
        }
    }
    unreachable!("the place is below the sum of the weights")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_makes_the_same_scene_and_every_scene_has_its_turn() {
        let name = |seed| of_seed(seed).0.name;
        let all: std::collections::BTreeSet<&str> = (0..500).map(name).collect();
        assert_eq!(all.len(), SCENES.len());
        assert!((0..50).all(|seed| name(seed) == name(seed)));
    }
}
