//! Two lines at a time in a 128-bit register. One instruction turns the order of bits in a number round, so that what runs
//! downwards is done as what runs upwards, on the board seen from the other end.
#![expect(unsafe_code, reason = "vector instructions")]

use super::rays::RAYS;
use crate::base::kernel::for_neon as tuned;
use macro_rules_attribute::apply;
use std::arch::aarch64::*;

pub use super::lanes::neon::Lanes;

/// As [`super::portable::flips`].
#[apply(tuned)]
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let square = square & 63;
    let up = upwards(&RAYS[square].up, player, opponent);
    let down = upwards(&RAYS[63 - square].up, player.reverse_bits(), opponent.reverse_bits());
    join(vorrq_u64(up, reverse(down)))
}

/// What is turned along the four rays that run upwards, two of them in each lane.
#[apply(tuned)]
#[inline]
fn upwards(rays: &[u64; 4], player: u64, opponent: u64) -> uint64x2_t {
    let (player, opponent) = (vdupq_n_u64(player), vdupq_n_u64(opponent));
    let start = rays.as_ptr();
    // SAFETY: the reference covers the four numbers read.
    let rays = unsafe { [vld1q_u64(start), vld1q_u64(start.add(2))] };
    let [two, more] = rays.map(|ray| {
        // The first square that is not the opponent's is the lowest bit of what is left of the ray.
        let open = vbicq_u64(ray, opponent);
        let lowest = vreinterpretq_u64_s64(vnegq_s64(vreinterpretq_s64_u64(open)));
        let anchor = vandq_u64(vandq_u64(open, player), lowest);
        // All below the anchor: its number less one; nothing when there is none.
        let below = vaddq_u64(anchor, vtstq_u64(anchor, anchor));
        vandq_u64(below, ray)
    });
    vorrq_u64(two, more)
}

/// As [`super::portable::moves`].
#[apply(tuned)]
#[inline]
pub fn moves(player: u64, opponent: u64) -> u64 {
    // The board in one lane and seen from the other end in the other: all eight directions run upwards.
    let (own, other) = (both_ways(player), both_ways(opponent));
    // A run sideways or aslant never includes the columns a and h.
    let inner = vandq_u64(other, vdupq_n_u64(0x7E7E_7E7E_7E7E_7E7E));
    // Along a row a run is a carry: added to its first disc it clears itself and sets the square behind it. Runs that
    // nobody holds stay, on squares that are taken.
    let row = vaddq_u64(inner, vandq_u64(inner, vshlq_n_u64::<1>(own)));
    let aslant = vorrq_u64(ends::<7, 14>(own, inner), ends::<9, 18>(own, inner));
    let found = vorrq_u64(vorrq_u64(row, ends::<8, 16>(own, other)), aslant);
    join(vcombine_u64(vget_low_u64(found), vget_high_u64(reverse(found)))) & !(player | opponent)
}

/// The squares behind runs of `other` that `own` holds from below; `TWICE` is twice the `STEP`.
#[apply(tuned)]
#[inline]
fn ends<const STEP: i32, const TWICE: i32>(own: uint64x2_t, other: uint64x2_t) -> uint64x2_t {
    let mut run = vandq_u64(other, vshlq_n_u64::<STEP>(own));
    run = vorrq_u64(run, vandq_u64(other, vshlq_n_u64::<STEP>(run)));
    let pairs = vandq_u64(other, vshlq_n_u64::<STEP>(other));
    run = vorrq_u64(run, vandq_u64(pairs, vshlq_n_u64::<TWICE>(run)));
    run = vorrq_u64(run, vandq_u64(pairs, vshlq_n_u64::<TWICE>(run)));
    vshlq_n_u64::<STEP>(run)
}

#[apply(tuned)]
#[inline]
fn both_ways(board: u64) -> uint64x2_t {
    vcombine_u64(vcreate_u64(board), vcreate_u64(board.reverse_bits()))
}

/// Turns the order of the bits in each lane round.
#[apply(tuned)]
#[inline]
fn reverse(lanes: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vrev64q_u8(vrbitq_u8(vreinterpretq_u8_u64(lanes))))
}

/// The union of the two lanes.
#[apply(tuned)]
#[inline]
fn join(lanes: uint64x2_t) -> u64 {
    vget_lane_u64::<0>(vorr_u64(vget_low_u64(lanes), vget_high_u64(lanes)))
}
