//! Discs on the edges that can never be turned again, for all states of an edge.

use std::sync::LazyLock;

/// Own discs of an edge that no further play on that edge can turn, for each of its 3^8 states.
pub(super) struct Edges {
    /// Base three weight of a set of eight squares.
    trits: [u16; 256],
    stable: Box<[u8; 6561]>,
}

pub(super) static EDGES: LazyLock<Edges> = LazyLock::new(Edges::new);

impl Edges {
    fn new() -> Edges {
        let mut trits = [0u16; 256];
        for (set, trit) in trits.iter_mut().enumerate() {
            *trit = (0..8).filter(|i| set >> i & 1 != 0).map(|i| 3u16.pow(i)).sum();
        }
        let mut known: Box<[Option<u8>; 6561]> = Box::new([None; 6561]);
        for own in 0..256usize {
            for other in (0..256usize).filter(|other| own & other == 0) {
                Self::survive(own as u8, other as u8, &trits, &mut known);
            }
        }
        let mut stable = Box::new([0u8; 6561]);
        for (cell, value) in stable.iter_mut().zip(known.iter()) {
            *cell = value.unwrap_or(0);
        }
        Edges { trits, stable }
    }

    /// The discs of `own` that survive whatever either side plays on the empty squares of the edge, with or without
    /// turning discs (a move may also be legal because of another line).
    fn survive(own: u8, other: u8, trits: &[u16; 256], known: &mut [Option<u8>; 6561]) -> u8 {
        let index = usize::from(trits[usize::from(own)] + 2 * trits[usize::from(other)]);
        if let Some(found) = known[index] {
            return found;
        }
        let mut stable = own;
        let empty = !(own | other);
        for at in (0..8).filter(|at| empty >> at & 1 != 0) {
            let turned = edge_flips(at, own, other);
            stable &= Self::survive(own | turned | 1 << at, other & !turned, trits, known);
            let turned = edge_flips(at, other, own);
            stable &= Self::survive(own & !turned, other | turned | 1 << at, trits, known);
            if stable == 0 {
                break;
            }
        }
        known[index] = Some(stable);
        stable
    }

    /// The stable discs of `own`.
    #[inline]
    pub fn of(&self, own: u64, other: u64) -> u64 {
        let index = usize::from(self.trits[own as usize & 255]) + 2 * usize::from(self.trits[other as usize & 255]);
        // Own and other never share a square, so the index is below 6561; `get` says so without a check that panics.
        u64::from(self.stable.get(index).copied().unwrap_or(0))
    }
}

fn edge_flips(at: u32, own: u8, other: u8) -> u8 {
    let mut turned = 0;
    for up in [true, false] {
        let step = |bit: u8| if up { bit << 1 } else { bit >> 1 };
        let (mut run, mut bit) = (0, step(1 << at));
        while bit & other != 0 {
            run |= bit;
            bit = step(bit);
        }
        if bit & own != 0 {
            turned |= run;
        }
    }
    turned
}
