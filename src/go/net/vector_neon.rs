//! 8 numbers at a time with NEON, in two registers.
#![expect(unsafe_code, reason = "vector instructions")]

use crate::base::kernel::for_neon as tuned;
use macro_rules_attribute::apply;
use std::arch::aarch64::{float32x4x2_t, vdupq_n_f32, vfmaq_f32, vld1q_f32, vst1q_f32};

pub const LANES: usize = 8;
/// Points whose sums are kept in registers together: 24 of the 32 hold sums.
pub const POINTS: usize = 6;

pub type Vector = float32x4x2_t;

#[apply(tuned)]
#[inline]
pub fn splat(n: f32) -> Vector {
    float32x4x2_t(vdupq_n_f32(n), vdupq_n_f32(n))
}

#[apply(tuned)]
#[inline]
pub fn load(from: &[f32; LANES]) -> Vector {
    let start = from.as_ptr();
    // SAFETY: the reference covers the numbers read.
    unsafe { float32x4x2_t(vld1q_f32(start), vld1q_f32(start.add(4))) }
}

#[apply(tuned)]
#[inline]
pub fn store(vector: Vector, to: &mut [f32; LANES]) {
    let start = to.as_mut_ptr();
    // SAFETY: the reference covers the numbers written.
    unsafe {
        vst1q_f32(start, vector.0);
        vst1q_f32(start.add(4), vector.1);
    }
}

/// `a * b + c`
#[apply(tuned)]
#[inline]
pub fn multiply_add(a: Vector, b: Vector, c: Vector) -> Vector {
    float32x4x2_t(vfmaq_f32(c.0, a.0, b.0), vfmaq_f32(c.1, a.1, b.1))
}
