//! 16 numbers at a time with AVX-512.
#![expect(unsafe_code, reason = "vector instructions")]

use crate::base::kernel::for_avx512 as tuned;
use macro_rules_attribute::apply;
use std::arch::x86_64::{__m512, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_storeu_ps};

pub const LANES: usize = 16;
/// Points whose sums are kept in registers together.
pub const POINTS: usize = 12;

pub type Vector = __m512;

#[apply(tuned)]
#[inline]
pub fn splat(n: f32) -> Vector {
    _mm512_set1_ps(n)
}

#[apply(tuned)]
#[inline]
pub fn load(from: &[f32; LANES]) -> Vector {
    // SAFETY: the reference covers the numbers read; the instruction asks for no alignment.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

#[apply(tuned)]
#[inline]
pub fn store(vector: Vector, to: &mut [f32; LANES]) {
    // SAFETY: the reference covers the numbers written; the instruction asks for no alignment.
    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), vector) }
}

/// `a * b + c`
#[apply(tuned)]
#[inline]
pub fn multiply_add(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fmadd_ps(a, b, c)
}
