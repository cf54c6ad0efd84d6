//! 8 numbers at a time with AVX2.
#![expect(unsafe_code, reason = "vector instructions")]

use crate::base::kernel::for_avx2 as tuned;
use macro_rules_attribute::apply;
use std::arch::x86_64::{__m256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_storeu_ps};

pub const LANES: usize = 8;
/// Points whose sums are kept in registers together.
pub const POINTS: usize = 6;

pub type Vector = __m256;

#[apply(tuned)]
#[inline]
pub fn splat(n: f32) -> Vector {
    _mm256_set1_ps(n)
}

#[apply(tuned)]
#[inline]
pub fn load(from: &[f32; LANES]) -> Vector {
    // SAFETY: the reference covers the numbers read; the instruction asks for no alignment.
    unsafe { _mm256_loadu_ps(from.as_ptr()) }
}

#[apply(tuned)]
#[inline]
pub fn store(vector: Vector, to: &mut [f32; LANES]) {
    // SAFETY: the reference covers the numbers written; the instruction asks for no alignment.
    unsafe { _mm256_storeu_ps(to.as_mut_ptr(), vector) }
}

/// `a * b + c`
#[apply(tuned)]
#[inline]
pub fn multiply_add(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm256_fmadd_ps(a, b, c)
}
