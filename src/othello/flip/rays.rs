//! The eight rays from every square, lane i of `up` and `down` along the row, the two diagonals and the column.

/// Bit distance of a step along the row, the two diagonals and the column.
#[cfg(target_arch = "x86_64")]
pub(super) const STEPS: [i64; 4] = [1, 7, 8, 9];

/// All squares seen from one square, upwards (rising bit numbers) and downwards, a lane for each line.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Rays {
    pub up: [u64; 4],
    pub down: [u64; 4],
}

pub static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    // (column, row) of a step upwards, in the order of STEPS.
    const UP: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut all = [Rays { up: [0; 4], down: [0; 4] }; 64];
    let mut square = 0;
    while square < 64 {
        let mut lane = 0;
        while lane < 4 {
            let (column, row) = UP[lane];
            all[square as usize].up[lane] = ray(square, column, row);
            all[square as usize].down[lane] = ray(square, -column, -row);
            lane += 1;
        }
        square += 1;
    }
    all
}

const fn ray(square: i32, column_step: i32, row_step: i32) -> u64 {
    let mut found = 0;
    let mut column = square % 8 + column_step;
    let mut row = square / 8 + row_step;
    while 0 <= column && column < 8 && 0 <= row && row < 8 {
        found |= 1 << (row * 8 + column);
        column += column_step;
        row += row_step;
    }
    found
}
