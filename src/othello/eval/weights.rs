//! The weights as the search uses them, and the shorter list of parameters they unfold from.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "calls of code for instructions that the processor has")
)]

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::{
    DISC, PHASES, Tracker,
    file::{self, WeightsError},
    net::{Net, NetParameters},
    patterns::{self, COUNT_SIZE, COUNTS, FEATURES, KINDS, TABLES},
    phase, portable,
};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::{
    base::{checksum::crc32, files, kernel::dispatch},
    othello::Board,
};
use once_cell::sync::OnceCell;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Entries from the tables of one phase to those of the next: whole cache lines, with room for the zero that unused
/// lanes point to.
pub(super) const STRIDE: usize = (TABLES + 2).next_multiple_of(32);

/// The network seldom adds or takes more.
pub(super) const NET_REACHES: i32 = 8 * DISC;

static BUILTIN: &[u8] = shirokuro_weights::EVAL;

/// The evaluation: pattern weights and the network's rows. The built-in set is [`Weights::builtin`].
pub struct Weights {
    /// For each phase the tables of all kinds one after another, then zeros up to STRIDE.
    pub(super) tables: Box<[i16]>,
    /// For each phase the tables of the counts.
    pub(super) counts: Vec<[[i32; COUNT_SIZE]; COUNTS]>,
    /// Added by the number of empty squares.
    pub(super) constants: [i32; 65],
    pub(super) net: Option<Net>,
    about: String,
}

static LOADED: OnceCell<Arc<Weights>> = OnceCell::new();
static BEGUN: AtomicBool = AtomicBool::new(false);

impl Weights {
    /// Begins to unfold the weights in the binary, so that a first move with little time does not wait for them. False if
    /// that has begun before.
    pub fn prepare_builtin() -> bool {
        if BEGUN.swap(true, Ordering::Relaxed) {
            return false;
        }
        // Without the thread the first search does it.
        let begun = std::thread::Builder::new().name("weights".into()).spawn(Weights::builtin);
        if begun.is_err() {
            Weights::builtin();
        }
        true
    }

    /// Waits for the weights in the binary unless `stopped` first; true if they are there.
    pub fn wait_for_builtin(stopped: impl Fn() -> bool) -> bool {
        while LOADED.get().is_none() {
            Weights::prepare_builtin();
            if stopped() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// The weights in the binary, unfolded at the first call.
    pub fn builtin() -> Arc<Weights> {
        let loaded = LOADED.get_or_try_init(|| Weights::from_bytes(BUILTIN).map(Arc::new));
        Arc::clone(loaded.expect("a test opens the built-in weights"))
    }

    /// The checksum of the weights in the binary: tells versions of them apart.
    pub fn builtin_fingerprint() -> u32 {
        crc32(BUILTIN)
    }

    /// Reads the weights in the binary again and says what is wrong with them.
    pub fn check_builtin() -> Result<(), WeightsError> {
        file::read(BUILTIN).map(|_| ())
    }

    /// Reads a weights file.
    pub fn from_file(path: &Path) -> Result<Weights, WeightsError> {
        let bytes =
            files::read(path, files::LARGEST).map_err(|source| WeightsError::Read { path: path.into(), source })?;
        Weights::from_bytes(&bytes)
    }

    /// Reads weights from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        Ok(Weights::from_parameters(&file::read(bytes)?, Packing::shared()))
    }

    /// Makes weights from trained parameters.
    pub fn from_parameters(parameters: &Parameters, packing: &Packing) -> Weights {
        let mut tables = vec![0; STRIDE * PHASES].into_boxed_slice();
        let phases = tables.chunks_exact_mut(STRIDE).zip(&parameters.phases).collect();
        let net = std::thread::scope(|scope| {
            let net = parameters.net.as_ref().map(|net| scope.spawn(|| Net::new(net, packing)));
            side_by_side(phases, |(tables, packed)| packing.unfold(packed, tables));
            net.map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
        });
        let mut constants = [0; 65];
        for (constant, &value) in constants.iter_mut().zip(&parameters.constants) {
            *constant = i32::from(value);
        }
        let counts = parameters.phases.iter().map(|packed| {
            let own = |c: usize, n: usize| i32::from(packed[packing.len - (COUNTS - c) * COUNT_SIZE + n]);
            std::array::from_fn(|c| std::array::from_fn(|n| own(c, n)))
        });
        let counts = counts.collect();
        Weights { tables, counts, constants, net, about: parameters.about.clone() }
    }

    /// What was written about these weights when they were made.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The expected result for the side to move, in units of `DISC`, never beyond ±64 discs.
    pub fn value(&self, board: Board, tracker: &Tracker) -> i32 {
        dispatch!(value(self, board, tracker))
    }

    /// The parts of the evaluation in discs, by what they look at. The network sees the patterns together and stands by
    /// itself; all parts together are [`Weights::value`], as long as that is not cut off.
    pub fn shares(&self, board: Board) -> Vec<(&'static str, f64)> {
        let (tracker, empties) = (Tracker::new(board), board.empty_count());
        let (inside, counts) = (portable::inside(&tracker.lanes), patterns::counts(board));
        let start = phase(empties) * STRIDE;
        let mut sums = [0; patterns::GROUPS.len()];
        for (feature, placement) in patterns::PLACEMENTS.iter().enumerate() {
            let centre = patterns::CENTRE[feature] as usize;
            let entry = start + centre.wrapping_add_signed(inside.0[feature].into());
            sums[patterns::GROUP_OF_KIND[placement.kind]] += i32::from(self.tables[entry]);
        }
        let mobility: i32 = self.counts[phase(empties)].iter().zip(counts).map(|(table, count)| table[count]).sum();
        let net = self.net.as_ref().map_or(0, |net| portable::net_value(net, &inside, counts, empties));
        let rest = [("mobility", mobility), ("network", net), ("turn", self.constants[empties as usize])];
        let discs = |(name, units): (&'static str, i32)| (name, f64::from(units) / f64::from(DISC));
        patterns::GROUPS.into_iter().zip(sums).chain(rest).map(discs).collect()
    }

    /// [`Weights::value`] in discs.
    pub fn discs(&self, board: Board) -> f64 {
        f64::from(self.value(board, &Tracker::new(board))) / f64::from(DISC)
    }
}

/// Does the parts of a work on all cores. The threads are its own: those who wait for the weights may be rayon's, all
/// of them.
pub(super) fn side_by_side<T: Send, R: Send>(parts: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = parts.len().div_ceil(cores).max(1);
    let mut parts = parts.into_iter();
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        loop {
            let own: Vec<T> = parts.by_ref().take(share).collect();
            if own.is_empty() {
                break;
            }
            threads.push(scope.spawn(|| own.into_iter().map(&work).collect::<Vec<R>>()));
        }
        let results = threads.into_iter().map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
        results.flatten().collect()
    })
}

/// What is stored: one number for every set of table entries that the symmetries make equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    pub about: String,
    /// By the number of empty squares, 0 to 60.
    pub constants: Vec<i16>,
    /// For each phase [`Packing::len`] numbers.
    pub phases: Vec<Vec<i16>>,
    pub net: Option<NetParameters>,
}

/// Which parameter each table entry takes.
pub struct Packing {
    number: Vec<u32>,
    len: usize,
}

impl Packing {
    /// Made once.
    pub fn shared() -> &'static Packing {
        static MADE: OnceCell<Packing> = OnceCell::new();
        MADE.get_or_init(Packing::new)
    }

    pub fn new() -> Packing {
        let mut number = Vec::with_capacity(TABLES);
        let mut len = 0;
        for kind in 0..KINDS.len() {
            let (own, count) = patterns::shared(kind);
            number.extend(own.iter().map(|&n| len as u32 + u32::from(n)));
            len += count;
        }
        Packing { number, len: len + COUNTS * COUNT_SIZE }
    }

    /// Gives every table entry what belongs to its parameter.
    pub fn unfold<T: Copy>(&self, packed: &[T], tables: &mut [T]) {
        for (entry, &number) in tables.iter_mut().zip(&self.number) {
            *entry = packed[number as usize];
        }
    }

    /// Parameters in a phase.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The parameters of one position, one per feature and count.
    pub fn parameters_of(&self, board: Board) -> [u32; FEATURES + COUNTS] {
        let lanes = patterns::indices(board);
        let counts = patterns::counts(board);
        std::array::from_fn(|feature| {
            if feature >= FEATURES {
                return self.start_of(feature) + counts[feature - FEATURES] as u32;
            }
            let entry = patterns::CENTRE[feature].wrapping_add_signed(i32::from(lanes.0[feature]));
            self.number[entry as usize]
        })
    }

    /// The first parameter of the kind of a feature, or of a count.
    pub fn start_of(&self, feature: usize) -> u32 {
        if feature >= FEATURES {
            return (self.len - (FEATURES + COUNTS - feature) * COUNT_SIZE) as u32;
        }
        let before: usize = (0..patterns::PLACEMENTS[feature].kind).map(patterns::table_size).sum();
        self.number[before]
    }
}

impl Default for Packing {
    fn default() -> Packing {
        Packing::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use super::{
        super::net::{INNER, Layers, Row, STAGES, WIDTH},
        patterns::PLACEMENTS,
    };
    use crate::{
        base::{Rng, kernel::Kernel},
        othello::eval::LIMIT,
    };

    fn random_parameters(seed: u64) -> Parameters {
        let mut rng = Rng::new(seed);
        let len = Packing::new().len();
        let mut number = || (rng.next_u64() >> 56) as i16 - 128;
        Parameters {
            about: "noise".into(),
            constants: (0..61).map(|_| number()).collect(),
            phases: (0..PHASES).map(|_| (0..len).map(|_| number()).collect()).collect(),
            net: Some(random_net(seed)),
        }
    }

    fn random_net(seed: u64) -> NetParameters {
        let mut rng = Rng::new(seed);
        let mut number = |spread: usize| rng.below(2 * spread + 1) as i32 - spread as i32;
        let mut layers = || {
            let numbers = (0..Layers::COUNT).map(|i| match i {
                0..WIDTH => number(300),
                i if i < WIDTH * (1 + INNER) => number(127),
                _ => number(2000),
            });
            Layers::from_numbers(numbers.collect::<Vec<_>>().into_iter()).unwrap()
        };
        let stages = (0..STAGES).map(|_| layers()).collect();
        let rows = (0..Packing::shared().len()).map(|_| Row(std::array::from_fn(|_| number(40) as i8))).collect();
        NetParameters { rows, stages }
    }

    /// All numbers as large as they can be, with one sign.
    fn extreme_net(weight: i16) -> NetParameters {
        let sign = i32::from(weight.signum());
        let numbers = (0..Layers::COUNT).map(|i| match i {
            0..WIDTH => i16::MAX.into(),
            i if i < WIDTH * (1 + INNER) => 127,
            i if i < WIDTH * (1 + INNER) + INNER => (1 << 20) - 1,
            _ => sign * ((1 << 20) - 1),
        });
        let layers = Layers::from_numbers(numbers).unwrap();
        NetParameters { rows: vec![Row([127; WIDTH]); Packing::shared().len()], stages: vec![layers; STAGES] }
    }

    fn random_boards(seed: u64, count: usize) -> Vec<Board> {
        let mut rng = Rng::new(seed);
        let mut boards = Vec::new();
        while boards.len() < count {
            let mut board = Board::START;
            while !board.is_over() {
                let moves: Vec<_> = board.moves().into_iter().collect();
                board = match rng.pick(&moves) {
                    Some(&square) => board.play(square).unwrap(),
                    None => board.pass(),
                };
                boards.push(board);
            }
        }
        boards
    }

    #[test]
    fn the_builtin_weights_open() {
        assert!(!Weights::builtin().about().is_empty());
        assert_eq!(Weights::builtin().value(Board::START, &Tracker::new(Board::START)).abs() / (8 * DISC), 0);
    }

    #[test]
    fn all_images_of_a_board_have_one_value() {
        let weights = Weights::from_parameters(&random_parameters(1), &Packing::new());
        let mut values = std::collections::BTreeSet::new();
        for board in random_boards(2, 500) {
            let value = weights.value(board, &Tracker::new(board));
            for s in 1..8 {
                let image = board.symmetry(s);
                assert_eq!(weights.value(image, &Tracker::new(image)), value, "{board:?} {s}");
            }
            values.insert(value);
        }
        assert!(values.len() > 300);
    }

    #[test]
    fn all_kernels_sum_and_update_alike() {
        let weights = Weights::from_parameters(&random_parameters(3), &Packing::new());
        for board in random_boards(4, 1000) {
            let tracker = Tracker::new(board);
            let start = phase(board.empty_count()) * STRIDE;
            let tables = &weights.tables[start..start + STRIDE];
            let naive: i32 = Packing::new_tables_sum(&tracker, tables);
            let inside = portable::inside(&tracker.lanes);
            assert_eq!(portable::sum(&inside, tables), naive);
            for kernel in Kernel::available() {
                assert!(dispatch!(kernel, inside(&tracker.lanes)) == inside);
                assert_eq!(dispatch!(kernel, sum(&inside, tables)), naive);
                for square in board.moves() {
                    let flips = board.flips(square).0;
                    let after = portable::after(&tracker.lanes, square, flips);
                    assert!(dispatch!(kernel, after(&tracker.lanes, square, flips)) == after);
                }
            }
        }
    }

    #[test]
    fn all_kernels_run_the_network_alike() {
        let net = Net::new(&random_net(6), Packing::shared());
        let mut seen = std::collections::BTreeSet::new();
        for board in random_boards(7, 2000) {
            let (inside, counts) = (portable::inside(&Tracker::new(board).lanes), patterns::counts(board));
            let plain = net.plain_value(board);
            for kernel in Kernel::available() {
                let value = dispatch!(kernel, net_value(&net, &inside, counts, board.empty_count()));
                assert_eq!(plain, value, "{kernel:?} {board:?}");
            }
            seen.insert(plain);
        }
        assert!(seen.len() > 500, "{}", seen.len());
    }

    #[test]
    fn the_network_is_left_out_only_far_from_the_bound() {
        let parameters = random_parameters(8);
        let weights = Weights::from_parameters(&parameters, Packing::shared());
        let sums = Weights::from_parameters(&Parameters { net: None, ..parameters }, Packing::shared());
        let mut differing = 0;
        for board in random_boards(9, 500) {
            let tracker = Tracker::new(board);
            let (full, sum) = (weights.value(board, &tracker), sums.value(board, &tracker));
            differing += usize::from(full != sum);
            for kernel in Kernel::available() {
                assert_eq!(dispatch!(kernel, value_near(&weights, board, &tracker, sum)), full);
                assert_eq!(dispatch!(kernel, value_near(&weights, board, &tracker, sum + LIMIT)), sum);
                assert_eq!(dispatch!(kernel, value_near(&sums, board, &tracker, 0)), sum);
                assert_eq!(dispatch!(kernel, rough_value(&weights, board, &tracker)), sum);
            }
        }
        assert!(differing > 400, "{differing}");
    }

    #[test]
    fn the_shares_make_up_the_value() {
        let weights = Weights::builtin();
        for board in random_boards(4, 200) {
            let sum: f64 = weights.shares(board).iter().map(|(_, discs)| discs).sum();
            let value = weights.discs(board);
            assert!(value.abs() > 63.9 || (sum - value).abs() < 1e-9, "{board:?}: {sum} and {value}");
        }
    }

    #[test]
    fn extreme_weights_neither_overflow_nor_leave_the_range() {
        let len = Packing::new().len();
        for (weight, bound) in [(i16::MAX, LIMIT), (i16::MIN, -LIMIT)] {
            let parameters = Parameters {
                about: "extreme".into(),
                constants: vec![weight; 61],
                phases: vec![vec![weight; len]; PHASES],
                net: Some(extreme_net(weight)),
            };
            let weights = Weights::from_parameters(&parameters, &Packing::new());
            for board in [Board::START, Board::new(!0, 0), Board::new(0, !0), Board::new(0, 0)] {
                assert_eq!(weights.value(board, &Tracker::new(board)), bound);
            }
        }
    }

    #[test]
    fn nonsense_moves_do_no_harm() {
        let weights = Weights::from_parameters(&random_parameters(5), &Packing::new());
        let mut tracker = Tracker::new(Board::START);
        for square in crate::othello::Square::all() {
            tracker = tracker.after(square, !0);
            let value = weights.value(Board::START, &tracker);
            assert!((-LIMIT..=LIMIT).contains(&value));
        }
    }

    impl Packing {
        /// The sum looked up feature by feature, without any of the tricks.
        fn new_tables_sum(tracker: &Tracker, tables: &[i16]) -> i32 {
            let mut sum = 0;
            for (feature, placement) in PLACEMENTS.iter().enumerate() {
                let before: usize = (0..placement.kind).map(patterns::table_size).sum();
                let middle = patterns::table_size(placement.kind) / 2;
                let entry = (before + middle) as i64 + i64::from(tracker.lanes.0[feature]);
                sum += i32::from(tables[entry as usize]);
            }
            sum
        }
    }
}
