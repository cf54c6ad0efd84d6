//! The way back through the layers, for training: compiled once for each kernel, like the way there.

use super::tuned;
use super::vector::{LANES, POINTS, Vector, load, multiply_add, splat, store};
use crate::go::net::plane::{BLOCK, Places, Plane};
use macro_rules_attribute::apply;

const VECTORS: usize = 2;
const WIDTH: usize = VECTORS * LANES;

/// The slopes of the weights of a convolution, in the order of packed weights.
#[apply(tuned)]
pub fn correlate(from: &Plane, slopes: &Plane, side: usize, places: &Places, sums: &mut [f32]) {
    let taps: &[isize] = match side {
        1 => &[0],
        3 => &places.three,
        _ => &places.five,
    };
    let (inputs, outputs) = (from.channels, slopes.channels);
    let blocks = sums.chunks_exact_mut(taps.len() * inputs * BLOCK);
    for (block, sums) in blocks.enumerate() {
        for part in (0..BLOCK).step_by(WIDTH) {
            let first = block * BLOCK + part;
            if first >= outputs {
                break;
            }
            for (&tap, sums) in taps.iter().zip(sums.chunks_exact_mut(inputs * BLOCK)) {
                for start in (0..inputs).step_by(POINTS) {
                    // The last ones may overlap with those before them: they come out the same.
                    let start = start.min(from.stride - POINTS);
                    let found = products(from, slopes, tap, &places.points, start, first);
                    for (input, found) in (start..inputs).zip(&found) {
                        for (vector, &sum) in found.iter().enumerate() {
                            let at = input * BLOCK + part + vector * LANES;
                            store(sum, sums[at..].first_chunk_mut().expect("whole vectors"));
                        }
                    }
                }
            }
        }
    }
}

/// The sums over all points of some inputs multiplied with some slopes.
#[apply(tuned)]
#[inline(never)]
fn products(
    from: &Plane,
    slopes: &Plane,
    tap: isize,
    points: &[usize],
    start: usize,
    first: usize,
) -> [[Vector; VECTORS]; POINTS] {
    let mut sums = [[splat(0.0); VECTORS]; POINTS];
    for &point in points {
        let row: &[f32; POINTS] = from.numbers[point.wrapping_add_signed(tap) * from.stride + start..]
            .first_chunk()
            .expect("rows are padded");
        let slopes: &[f32; WIDTH] =
            slopes.numbers[point * slopes.stride + first..].first_chunk().expect("rows are padded");
        let slopes: [Vector; VECTORS] =
            [load(slopes.first_chunk().expect("two vectors")), load(slopes.last_chunk().expect("two vectors"))];
        for (sums, &value) in sums.iter_mut().zip(row) {
            let value = splat(value);
            for (sum, slope) in sums.iter_mut().zip(slopes) {
                *sum = multiply_add(value, slope, *sum);
            }
        }
    }
    sums
}

/// Back through a normalisation: from the slopes of what came out to those of what went in, which are written or added
/// to; those of scale and bias are added.
#[apply(tuned)]
#[expect(clippy::too_many_arguments, reason = "one layer with all that belongs to it")]
pub fn back_through_norm(
    before: &Plane,
    after: &Plane,
    scale: &[f32],
    slopes: &Plane,
    to: &mut Plane,
    add: bool,
    (scale_slopes, bias_slopes): (&mut [f32], &mut [f32]),
    places: &Places,
) {
    let channels = before.channels;
    let keep = f32::from(u8::from(add));
    let (scale, scale_slopes, bias_slopes) =
        (&scale[..channels], &mut scale_slopes[..channels], &mut bias_slopes[..channels]);
    for &point in &places.points {
        let before = &before.numbers[point * before.stride..][..channels];
        let after = &after.numbers[point * after.stride..][..channels];
        let slopes = &slopes.numbers[point * slopes.stride..][..channels];
        let to = &mut to.numbers[point * to.stride..][..channels];
        for c in 0..channels {
            let slope = if after[c] > 0.0 { slopes[c] } else { 0.0 };
            scale_slopes[c] += slope * before[c];
            bias_slopes[c] += slope;
            to[c] = keep * to[c] + slope * scale[c];
        }
    }
}
