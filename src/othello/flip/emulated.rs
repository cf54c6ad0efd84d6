//! The kernels for AVX-512 with each instruction written out as its manual describes it: what they calculate can be
//! tested on any processor.
#![expect(non_camel_case_types, reason = "the names are those of the instructions")]

use super::rays::RAYS;
use std::array::from_fn;

type __m128i = [u64; 2];
type __m256i = [u64; 4];
type __m512i = [u64; 8];

super::avx512_kernels::kernels!();

fn load(lanes: &[u64; 4]) -> __m256i {
    *lanes
}

fn _mm256_set1_epi64x(n: i64) -> __m256i {
    [n as u64; 4]
}

fn _mm256_setzero_si256() -> __m256i {
    [0; 4]
}

fn _mm256_and_si256(a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| a[i] & b[i])
}

/// The first operand is the one that is negated.
fn _mm256_andnot_si256(a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| !a[i] & b[i])
}

fn _mm256_or_si256(a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| a[i] | b[i])
}

fn _mm256_xor_si256(a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| a[i] ^ b[i])
}

fn _mm256_add_epi64(a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| a[i].wrapping_add(b[i]))
}

fn _mm256_sub_epi64(a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| a[i].wrapping_sub(b[i]))
}

/// A bit for each lane in which both have a bit in common.
fn _mm256_test_epi64_mask(a: __m256i, b: __m256i) -> u8 {
    (0..4).map(|i| u8::from(a[i] & b[i] != 0) << i).sum()
}

/// Lanes whose bit is not in the mask are zero.
fn _mm256_maskz_and_epi64(mask: u8, a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| if mask >> i & 1 == 1 { a[i] & b[i] } else { 0 })
}

/// Lanes whose bit is not in the mask are those of `source`.
fn _mm256_mask_or_epi64(source: __m256i, mask: u8, a: __m256i, b: __m256i) -> __m256i {
    from_fn(|i| if mask >> i & 1 == 1 { a[i] | b[i] } else { source[i] })
}

/// A bit for each lane in which the first is greater, both without a sign.
fn _mm256_cmpgt_epu64_mask(a: __m256i, b: __m256i) -> u8 {
    (0..4).map(|i| u8::from(a[i] > b[i]) << i).sum()
}

/// A shift by 64 or more leaves nothing.
fn _mm256_srlv_epi64(a: __m256i, count: __m256i) -> __m256i {
    from_fn(|i| if count[i] < 64 { a[i] >> count[i] } else { 0 })
}

/// 64 for zero.
fn _mm256_lzcnt_epi64(a: __m256i) -> __m256i {
    a.map(|n| n.leading_zeros().into())
}

fn _mm256_castsi256_si128(a: __m256i) -> __m128i {
    [a[0], a[1]]
}

fn _mm256_extracti128_si256(a: __m256i, half: usize) -> __m128i {
    [a[2 * half], a[2 * half + 1]]
}

fn _mm_or_si128(a: __m128i, b: __m128i) -> __m128i {
    [a[0] | b[0], a[1] | b[1]]
}

fn _mm_unpackhi_epi64(a: __m128i, b: __m128i) -> __m128i {
    [a[1], b[1]]
}

fn _mm_cvtsi128_si64(a: __m128i) -> i64 {
    a[0] as i64
}

/// The highest lane comes first.
#[expect(clippy::too_many_arguments, reason = "as many as there are lanes")]
fn _mm512_set_epi64(h: i64, g: i64, f: i64, e: i64, d: i64, c: i64, b: i64, a: i64) -> __m512i {
    [a, b, c, d, e, f, g, h].map(|n| n as u64)
}

fn _mm512_set1_epi64(n: i64) -> __m512i {
    [n as u64; 8]
}

fn _mm512_and_si512(a: __m512i, b: __m512i) -> __m512i {
    from_fn(|i| a[i] & b[i])
}

fn _mm512_or_si512(a: __m512i, b: __m512i) -> __m512i {
    from_fn(|i| a[i] | b[i])
}

fn _mm512_rolv_epi64(a: __m512i, count: __m512i) -> __m512i {
    from_fn(|i| a[i].rotate_left(count[i] as u32 % 64))
}

fn _mm512_reduce_or_epi64(a: __m512i) -> i64 {
    a.iter().fold(0, |all, n| all | n) as i64
}
