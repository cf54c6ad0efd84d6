//! As `avx2`, with the leading-zero count for the rays that run downwards and all eight directions of the mobility in
//! one 512-bit register.
//!
//! A macro, so that the tests can put the same lines together with instructions written out in plain Rust: few
//! processors have the real ones.

macro_rules! kernels {
    ($(#[$feature:meta])*) => {
        /// As [`super::portable::flips`].
        $(#[$feature])*
        #[inline]
        pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
            let rays = &RAYS[square & 63];
            let (up, down) = (load(&rays.up), load(&rays.down));
            let player = _mm256_set1_epi64x(player as i64);
            let opponent = _mm256_set1_epi64x(opponent as i64);

            // Upwards the first square that is not the opponent's is the lowest bit of what is left of the ray; all before
            // it is turned if it is the player's.
            let open = _mm256_andnot_si256(opponent, up);
            let first = _mm256_and_si256(open, _mm256_sub_epi64(_mm256_setzero_si256(), open));
            let held = _mm256_test_epi64_mask(first, player);
            let before = _mm256_andnot_si256(open, _mm256_add_epi64(open, _mm256_set1_epi64x(-1)));
            let turned_up = _mm256_maskz_and_epi64(held, up, before);

            // Downwards it is the highest bit, and it is the player's if the player's part of the ray is the greater number.
            // From there on the ray is shaded; the bit that is added keeps the shift below 64 and is turned by nobody.
            let open = _mm256_andnot_si256(opponent, down);
            let own = _mm256_and_si256(player, down);
            let held = _mm256_cmpgt_epu64_mask(own, _mm256_xor_si256(open, own));
            let first = _mm256_lzcnt_epi64(_mm256_or_si256(open, _mm256_set1_epi64x(1)));
            let shade = _mm256_srlv_epi64(_mm256_set1_epi64x(-1), first);
            let lanes = _mm256_mask_or_epi64(turned_up, held, turned_up, _mm256_andnot_si256(shade, down));
            let two = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
            _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))) as u64
        }

        /// As [`super::portable::moves`].
        $(#[$feature])*
        #[inline]
        pub fn moves(player: u64, opponent: u64) -> u64 {
            // Rotations serve both ways. What they carry round the edge never lands in a run: a run sideways leaves out the
            // columns a and h, a run along a column the rows 1 and 8, a run aslant both.
            let turn = _mm512_set_epi64(64 - 9, 64 - 8, 64 - 7, 64 - 1, 9, 8, 7, 1);
            let twice = _mm512_set_epi64(64 - 18, 64 - 16, 64 - 14, 64 - 2, 18, 16, 14, 2);
            const ROW: i64 = 0x7E7E_7E7E_7E7E_7E7E;
            const COLUMN: i64 = 0x00FF_FFFF_FFFF_FF00;
            const ASLANT: i64 = ROW & COLUMN;
            let inner = _mm512_set_epi64(ASLANT, COLUMN, ASLANT, ROW, ASLANT, COLUMN, ASLANT, ROW);
            let own = _mm512_set1_epi64(player as i64);
            let other = _mm512_and_si512(_mm512_set1_epi64(opponent as i64), inner);

            let mut run = _mm512_and_si512(other, _mm512_rolv_epi64(own, turn));
            run = _mm512_or_si512(run, _mm512_and_si512(other, _mm512_rolv_epi64(run, turn)));
            let pairs = _mm512_and_si512(other, _mm512_rolv_epi64(other, turn));
            run = _mm512_or_si512(run, _mm512_and_si512(pairs, _mm512_rolv_epi64(run, twice)));
            run = _mm512_or_si512(run, _mm512_and_si512(pairs, _mm512_rolv_epi64(run, twice)));
            _mm512_reduce_or_epi64(_mm512_rolv_epi64(run, turn)) as u64 & !(player | opponent)
        }
    };
}
pub(super) use kernels;
