//! The order of a node's moves in the last layers: which of up to sixteen keys is the least.
//!
//! A loop over so few keys ends at another place each time, which no processor foresees; so the keys lie in registers, and
//! one instruction finds the least of eight.

/// The most keys there is room for.
pub(super) const MOST: usize = 16;

/// What stands where there is no key, or no longer one.
const NONE: u16 = u16::MAX;

pub(super) mod portable {
    use super::{MOST, NONE};

    pub struct Keys {
        keys: [u16; MOST],
        count: usize,
    }

    impl Keys {
        pub const EMPTY: Keys = Keys { keys: [NONE; MOST], count: 0 };

        /// How many have been pushed.
        #[inline]
        pub fn count(&self) -> usize {
            self.count
        }

        /// Adds a key below [`NONE`]; there must be room for it.
        #[inline]
        pub fn push(&mut self, key: u16) {
            self.keys[self.count % MOST] = key;
            self.count += 1;
        }

        /// Takes out the least key, of equal ones the first; tells how many had been pushed before it. There must be one.
        #[inline]
        pub fn take_least(&mut self) -> usize {
            let mut at = 0;
            for (i, &key) in self.keys[..self.count].iter().enumerate() {
                if key < self.keys[at] {
                    at = i;
                }
            }
            self.keys[at] = NONE;
            at
        }
    }
}

/// Only for functions that are compiled for SSE 4.1 or more: these are put into them, and must never be called by others.
#[cfg(target_arch = "x86_64")]
pub(super) mod vector {
    #![expect(unsafe_code, reason = "vector instructions")]

    use super::{MOST, NONE};
    use std::arch::x86_64::{
        __m128i, _mm_alignr_epi8, _mm_cvtsi128_si32, _mm_insert_epi16, _mm_load_si128, _mm_minpos_epu16, _mm_or_si128,
        _mm_srli_si128,
    };

    /// Two registers of eight, moved on by one place with every key: the last one pushed is the highest of the second.
    pub struct Keys {
        halves: [__m128i; 2],
        count: usize,
    }

    /// All ones in one place of eight.
    #[repr(align(16))]
    struct Place([u16; 8]);

    static PLACES: [Place; 8] = {
        let mut places = [const { Place([0; 8]) }; 8];
        let mut i = 0;
        while i < 8 {
            places[i].0[i] = NONE;
            i += 1;
        }
        places
    };

    #[inline(always)]
    fn least(half: __m128i) -> (u32, usize) {
        // SAFETY: whoever has the type runs on a processor with SSE 4.1.
        let found = unsafe { _mm_cvtsi128_si32(_mm_minpos_epu16(half)) } as u32;
        (found & 0xFFFF, (found >> 16 & 7) as usize)
    }

    #[inline(always)]
    fn without(half: __m128i, place: usize) -> __m128i {
        // SAFETY: as above; a place is 16 bytes, aligned to 16.
        unsafe { _mm_or_si128(half, _mm_load_si128((&raw const PLACES[place & 7]).cast())) }
    }

    impl Keys {
        // SAFETY: all ones are a value of the type.
        pub const EMPTY: Keys =
            Keys { halves: [unsafe { std::mem::transmute::<[u16; 8], __m128i>([NONE; 8]) }; 2], count: 0 };

        /// How many have been pushed.
        #[inline(always)]
        pub fn count(&self) -> usize {
            self.count
        }

        /// Adds a key below [`NONE`]; there must be room for it.
        #[inline(always)]
        pub fn push(&mut self, key: u16) {
            let [low, high] = self.halves;
            // SAFETY: whoever has the type runs on a processor with SSE 4.1.
            self.halves = unsafe {
                [_mm_alignr_epi8::<2>(high, low), _mm_insert_epi16::<7>(_mm_srli_si128::<2>(high), key.into())]
            };
            self.count += 1;
        }

        /// Takes out the least key, of equal ones the first; tells how many had been pushed before it. There must be one.
        #[inline(always)]
        pub fn take_least(&mut self) -> usize {
            let [low, high] = self.halves;
            let (key, place) = least(high);
            if self.count > 8 {
                let (lower_key, lower_place) = least(low);
                if lower_key <= key {
                    self.halves[0] = without(low, lower_place);
                    return (lower_place + self.count).wrapping_sub(MOST);
                }
            }
            self.halves[1] = without(high, place);
            (place + self.count).wrapping_sub(8)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    /// The keys come out in order, equal ones as they were pushed.
    macro_rules! takes_the_least_first {
        ($keys:ty) => {
            let mut rng = Rng::new(4);
            for round in 0..20_000 {
                let count = 1 + round % MOST;
                let mut keys = <$keys>::EMPTY;
                let mut left: Vec<(u16, usize)> = Vec::new();
                for place in 0..count {
                    // Often equal ones, and now and then the greatest there is.
                    let key = if rng.below(50) == 0 { NONE - 1 } else { rng.below(12) as u16 };
                    keys.push(key);
                    left.push((key, place));
                }
                assert_eq!(keys.count(), count);
                left.sort();
                for (_, place) in left {
                    assert_eq!(keys.take_least(), place);
                }
            }
        };
    }

    #[test]
    fn portable_keys_come_out_in_order() {
        takes_the_least_first!(portable::Keys);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn keys_in_registers_come_out_in_order() {
        if std::arch::is_x86_feature_detected!("sse4.1") {
            takes_the_least_first!(vector::Keys);
        }
    }
}
