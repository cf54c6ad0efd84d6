//! Plain integer arithmetic, on every machine.

/// Everything but the columns a and h: a run of opponent discs sideways or aslant never includes those.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The opponent's discs turned by `player` playing on square number `square`; 0 when the move is not legal.
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let from = 1u64 << square;
    let inner = opponent & INNER;
    let mut turned = 0;
    for (shift, mask) in [(1, inner), (7, inner), (8, opponent), (9, inner)] {
        let mut run = 0;
        let mut at = (from << shift) & mask;
        while at != 0 {
            run |= at;
            let next = at << shift;
            if next & player != 0 {
                turned |= run;
            }
            at = next & mask;
        }
        let mut run = 0;
        let mut at = (from >> shift) & mask;
        while at != 0 {
            run |= at;
            let next = at >> shift;
            if next & player != 0 {
                turned |= run;
            }
            at = next & mask;
        }
    }
    turned
}

/// The squares where `player` may move.
#[inline]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER;
    let mut found = 0;
    for (shift, mask) in [(1, inner), (7, inner), (8, opponent), (9, inner)] {
        let pairs_up = mask & (mask << shift);
        let pairs_down = mask & (mask >> shift);
        let mut up = mask & (player << shift);
        let mut down = mask & (player >> shift);
        up |= mask & (up << shift);
        down |= mask & (down >> shift);
        up |= pairs_up & (up << (2 * shift));
        down |= pairs_down & (down >> (2 * shift));
        up |= pairs_up & (up << (2 * shift));
        down |= pairs_down & (down >> (2 * shift));
        found |= (up << shift) | (down >> shift);
    }
    found & !(player | opponent)
}
