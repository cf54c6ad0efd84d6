//! Four 64-bit numbers under one operation: a board in each lane.
//!
//! Written out as an array of four the same code is left scalar by the compiler, several times slower.

pub mod portable {
    use std::ops::{Add, BitAnd, BitOr, BitXor};

    #[derive(Clone, Copy)]
    pub struct Lanes([u64; 4]);

    impl Lanes {
        #[inline(always)]
        pub fn new(lanes: [u64; 4]) -> Lanes {
            Lanes(lanes)
        }

        #[inline(always)]
        pub fn splat(n: u64) -> Lanes {
            Lanes([n; 4])
        }

        #[inline(always)]
        pub fn to_array(self) -> [u64; 4] {
            self.0
        }

        #[inline(always)]
        pub fn up<const BY: i32>(self) -> Lanes {
            Lanes(self.0.map(|n| n << BY))
        }

        #[inline(always)]
        pub fn down<const BY: i32>(self) -> Lanes {
            Lanes(self.0.map(|n| n >> BY))
        }

        /// Each lane by its own distance, below 64.
        #[inline(always)]
        pub fn up_by(self, by: Lanes) -> Lanes {
            Lanes(std::array::from_fn(|i| self.0[i].wrapping_shl(by.0[i] as u32)))
        }

        #[inline(always)]
        pub fn down_by(self, by: Lanes) -> Lanes {
            Lanes(std::array::from_fn(|i| self.0[i].wrapping_shr(by.0[i] as u32)))
        }

        /// The bits of `self` that are not in `other`.
        #[inline(always)]
        pub fn without(self, other: Lanes) -> Lanes {
            Lanes(std::array::from_fn(|i| self.0[i] & !other.0[i]))
        }
    }

    macro_rules! lane_by_lane {
        ($($operator:ident $method:ident $number_method:path;)*) => {$(
            impl $operator for Lanes {
                type Output = Lanes;
                #[inline(always)]
                fn $method(self, other: Lanes) -> Lanes {
                    Lanes(std::array::from_fn(|i| $number_method(self.0[i], other.0[i])))
                }
            }
        )*};
    }

    lane_by_lane! {
        BitAnd bitand BitAnd::bitand;
        BitOr bitor BitOr::bitor;
        BitXor bitxor BitXor::bitxor;
        Add add u64::wrapping_add;
    }
}

/// Only for functions that are compiled for AVX2: these are put into them, and must never be called by others.
#[cfg(target_arch = "x86_64")]
pub mod avx2 {
    #![expect(unsafe_code, reason = "vector instructions")]

    use std::{
        arch::x86_64::*,
        ops::{Add, BitAnd, BitOr, BitXor},
    };

    #[derive(Clone, Copy)]
    pub struct Lanes(__m256i);

    // SAFETY of every block here: whoever has the type runs on a processor with AVX2, and no operation but the two copies
    // touches memory.
    impl Lanes {
        #[inline(always)]
        pub fn new(lanes: [u64; 4]) -> Lanes {
            // SAFETY: the array has the 32 bytes read; the instruction asks for no alignment.
            Lanes(unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) })
        }

        #[inline(always)]
        pub fn splat(n: u64) -> Lanes {
            // SAFETY: AVX2 is there.
            Lanes(unsafe { _mm256_set1_epi64x(n as i64) })
        }

        #[inline(always)]
        pub fn to_array(self) -> [u64; 4] {
            let mut lanes = [0; 4];
            // SAFETY: the array has the 32 bytes written; the instruction asks for no alignment.
            unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) };
            lanes
        }

        #[inline(always)]
        pub fn up<const BY: i32>(self) -> Lanes {
            // SAFETY: AVX2 is there.
            Lanes(unsafe { _mm256_slli_epi64::<BY>(self.0) })
        }

        #[inline(always)]
        pub fn down<const BY: i32>(self) -> Lanes {
            // SAFETY: AVX2 is there.
            Lanes(unsafe { _mm256_srli_epi64::<BY>(self.0) })
        }

        /// Each lane by its own distance, below 64.
        #[inline(always)]
        pub fn up_by(self, by: Lanes) -> Lanes {
            // SAFETY: AVX2 is there.
            Lanes(unsafe { _mm256_sllv_epi64(self.0, by.0) })
        }

        #[inline(always)]
        pub fn down_by(self, by: Lanes) -> Lanes {
            // SAFETY: AVX2 is there.
            Lanes(unsafe { _mm256_srlv_epi64(self.0, by.0) })
        }

        /// The bits of `self` that are not in `other`.
        #[inline(always)]
        pub fn without(self, other: Lanes) -> Lanes {
            // SAFETY: AVX2 is there.
            Lanes(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
    }

    macro_rules! lane_by_lane {
        ($($operator:ident $method:ident $instruction:ident;)*) => {$(
            impl $operator for Lanes {
                type Output = Lanes;
                #[inline(always)]
                fn $method(self, other: Lanes) -> Lanes {
                    // SAFETY: AVX2 is there.
                    Lanes(unsafe { $instruction(self.0, other.0) })
                }
            }
        )*};
    }

    lane_by_lane! {
        BitAnd bitand _mm256_and_si256;
        BitOr bitor _mm256_or_si256;
        BitXor bitxor _mm256_xor_si256;
        Add add _mm256_add_epi64;
    }
}

/// As `avx2`, in two registers.
#[cfg(target_arch = "aarch64")]
pub mod neon {
    #![expect(unsafe_code, reason = "vector instructions")]

    use std::{
        arch::aarch64::*,
        ops::{Add, BitAnd, BitOr, BitXor},
    };

    #[derive(Clone, Copy)]
    pub struct Lanes([uint64x2_t; 2]);

    // SAFETY of every block here: all processors of this architecture have NEON, and no operation but the two copies touches
    // memory.
    impl Lanes {
        #[inline(always)]
        pub fn new(lanes: [u64; 4]) -> Lanes {
            let start = lanes.as_ptr();
            // SAFETY: the array has the four numbers read.
            Lanes(unsafe { [vld1q_u64(start), vld1q_u64(start.add(2))] })
        }

        #[inline(always)]
        pub fn splat(n: u64) -> Lanes {
            // SAFETY: NEON is there.
            Lanes([unsafe { vdupq_n_u64(n) }; 2])
        }

        #[inline(always)]
        pub fn to_array(self) -> [u64; 4] {
            let mut lanes = [0; 4];
            let start: *mut u64 = lanes.as_mut_ptr();
            // SAFETY: the array has room for the four numbers written.
            unsafe {
                vst1q_u64(start, self.0[0]);
                vst1q_u64(start.add(2), self.0[1]);
            }
            lanes
        }

        #[inline(always)]
        pub fn up<const BY: i32>(self) -> Lanes {
            // SAFETY: NEON is there.
            Lanes(self.0.map(|two| unsafe { vshlq_n_u64::<BY>(two) }))
        }

        #[inline(always)]
        pub fn down<const BY: i32>(self) -> Lanes {
            // SAFETY: NEON is there.
            Lanes(self.0.map(|two| unsafe { vshrq_n_u64::<BY>(two) }))
        }

        /// Each lane by its own distance, below 64.
        #[inline(always)]
        pub fn up_by(self, by: Lanes) -> Lanes {
            // SAFETY: NEON is there.
            self.pairwise(by, |two, by| unsafe { vshlq_u64(two, vreinterpretq_s64_u64(by)) })
        }

        #[inline(always)]
        pub fn down_by(self, by: Lanes) -> Lanes {
            // SAFETY: NEON is there.
            self.pairwise(by, |two, by| unsafe { vshlq_u64(two, vnegq_s64(vreinterpretq_s64_u64(by))) })
        }

        /// The bits of `self` that are not in `other`.
        #[inline(always)]
        pub fn without(self, other: Lanes) -> Lanes {
            // SAFETY: NEON is there.
            self.pairwise(other, |a, b| unsafe { vbicq_u64(a, b) })
        }

        #[inline(always)]
        fn pairwise(self, other: Lanes, work: impl Fn(uint64x2_t, uint64x2_t) -> uint64x2_t) -> Lanes {
            Lanes([work(self.0[0], other.0[0]), work(self.0[1], other.0[1])])
        }
    }

    macro_rules! lane_by_lane {
        ($($operator:ident $method:ident $instruction:ident;)*) => {$(
            impl $operator for Lanes {
                type Output = Lanes;
                #[inline(always)]
                fn $method(self, other: Lanes) -> Lanes {
                    // SAFETY: NEON is there.
                    self.pairwise(other, |a, b| unsafe { $instruction(a, b) })
                }
            }
        )*};
    }

    lane_by_lane! {
        BitAnd bitand vandq_u64;
        BitOr bitor vorrq_u64;
        BitXor bitxor veorq_u64;
        Add add vaddq_u64;
    }
}
