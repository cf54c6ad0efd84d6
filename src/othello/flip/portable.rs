//! Plain integer arithmetic, on every machine.

use super::rays::RAYS;

pub use super::lanes::portable::Lanes;

/// Everything but the columns a and h: a run of opponent discs sideways or aslant never includes those.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The opponent's discs turned by `player` playing on square number `square`; 0 when the move is not legal.
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square & 63];
    let mut turned = 0;
    for (up, down) in rays.up.into_iter().zip(rays.down) {
        // Upwards the first square that is not the opponent's is the lowest bit of what is left of the ray. All below it is
        // turned if it is the player's.
        let open = up & !opponent;
        let anchor = open & open.wrapping_neg() & player;
        turned |= up & anchor.wrapping_sub(u64::from(anchor != 0));
        // Downwards it is the highest bit; the bit that is added keeps the shift below 64 and is no square of the ray
        // that the player could hold. All above it: minus twice the bit.
        let open = down & !opponent;
        let anchor = (1 << 63) >> (open | 1).leading_zeros() & player & down;
        turned |= down & (anchor << 1).wrapping_neg();
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
