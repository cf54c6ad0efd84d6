//! Eight numbers at a time in plain Rust.

pub const LANES: usize = 8;
/// Points whose sums are kept in registers together.
pub const POINTS: usize = 3;

#[derive(Clone, Copy)]
pub struct Vector([f32; LANES]);

#[inline(always)]
pub fn splat(n: f32) -> Vector {
    Vector([n; LANES])
}

#[inline(always)]
pub fn load(from: &[f32; LANES]) -> Vector {
    Vector(*from)
}

#[inline(always)]
pub fn store(vector: Vector, to: &mut [f32; LANES]) {
    *to = vector.0;
}

/// `a * b + c`
#[inline(always)]
pub fn multiply_add(a: Vector, b: Vector, c: Vector) -> Vector {
    Vector(std::array::from_fn(|i| a.0[i] * b.0[i] + c.0[i]))
}
