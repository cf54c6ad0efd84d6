//! Refuses, with one clear line, to run on a processor that lacks what the binary was built for.
//!
//! The whole program is compiled with the instructions of the processor it is built on, `main` included, so the first
//! function to run may already be one too many for a lesser processor. The check is therefore written in plain
//! assembly of the oldest 64-bit processors, and the loader calls it before anything of ours.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod first_stage {
    #![expect(unsafe_code, reason = "runs before main, in assembly")]

    use std::{arch::naked_asm, ffi::c_void};

    /// What the compiler was allowed to use: the register that tells (see `lacking`), the bit, the name.
    const FEATURES: [(bool, Register, u32, &str); 19] = [
        (cfg!(target_feature = "sse3"), Register::One, 0, "SSE3"),
        (cfg!(target_feature = "ssse3"), Register::One, 9, "SSSE3"),
        (cfg!(target_feature = "fma"), Register::One, 12, "FMA"),
        (cfg!(target_feature = "sse4.1"), Register::One, 19, "SSE4.1"),
        (cfg!(target_feature = "sse4.2"), Register::One, 20, "SSE4.2"),
        (cfg!(target_feature = "movbe"), Register::One, 22, "MOVBE"),
        (cfg!(target_feature = "popcnt"), Register::One, 23, "POPCNT"),
        (cfg!(target_feature = "avx"), Register::One, 27, "an operating system that keeps AVX registers"),
        (cfg!(target_feature = "avx"), Register::One, 28, "AVX"),
        (cfg!(target_feature = "f16c"), Register::One, 29, "F16C"),
        (cfg!(target_feature = "bmi1"), Register::Seven, 3, "BMI1"),
        (cfg!(target_feature = "avx2"), Register::Seven, 5, "AVX2"),
        (cfg!(target_feature = "bmi2"), Register::Seven, 8, "BMI2"),
        (cfg!(target_feature = "avx512f"), Register::Seven, 16, "AVX-512F"),
        (cfg!(target_feature = "avx512dq"), Register::Seven, 17, "AVX-512DQ"),
        (cfg!(target_feature = "avx512cd"), Register::Seven, 28, "AVX-512CD"),
        (cfg!(target_feature = "avx512bw"), Register::Seven, 30, "AVX-512BW"),
        (cfg!(target_feature = "avx512vl"), Register::Seven, 31, "AVX-512VL"),
        (cfg!(target_feature = "lzcnt"), Register::Extended, 5, "LZCNT"),
    ];

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Register {
        /// ecx of leaf 1
        One,
        /// ebx of leaf 7
        Seven,
        /// ecx of leaf 0x8000_0001
        Extended,
    }

    const fn needed(register: Register) -> u32 {
        let mut bits = 0;
        let mut i = 0;
        while i < FEATURES.len() {
            if FEATURES[i].0 && FEATURES[i].1 as u8 == register as u8 {
                bits |= 1 << FEATURES[i].2;
            }
            i += 1;
        }
        bits
    }

    const BEGINNING: &str = "shirokuro: this binary was built for a better processor than this one, with ";
    const END: &str = "; build it on this machine with `cargo build --release`\n";

    /// The line to print, put together while compiling: nothing can be put together when it is needed.
    const MESSAGE: ([u8; 512], usize) = {
        let mut text = ([0; 512], 0);
        text = joined(text, BEGINNING);
        let mut i = 0;
        let mut first = true;
        while i < FEATURES.len() {
            if FEATURES[i].0 {
                text = joined(text, if first { "" } else { ", " });
                text = joined(text, FEATURES[i].3);
                first = false;
            }
            i += 1;
        }
        joined(text, END)
    };
    static MESSAGE_BYTES: [u8; 512] = MESSAGE.0;

    const fn joined((mut bytes, mut length): ([u8; 512], usize), more: &str) -> ([u8; 512], usize) {
        let mut i = 0;
        while i < more.len() {
            bytes[length] = more.as_bytes()[i];
            length += 1;
            i += 1;
        }
        (bytes, length)
    }

    // SAFETY: the C library that every such program is linked with has these two, of these types.
    unsafe extern "C" {
        fn write(file: i32, bytes: *const c_void, length: usize) -> isize;
        fn _exit(code: i32) -> !;
    }

    /// The loader calls what stands in this section before `main`.
    #[used]
    // SAFETY: the section holds addresses of functions of this kind; the function needs nothing that `main` sets up.
    #[unsafe(link_section = ".init_array")]
    static CHECK: extern "C" fn() = check;

    // SAFETY: it keeps the stack as it found it and touches no register that a caller counts on.
    #[unsafe(naked)]
    extern "C" fn check() {
        naked_asm!(
            "sub rsp, 8",
            "mov edi, {one}",
            "mov esi, {seven}",
            "mov edx, {extended}",
            "call {lacking}",
            "add rsp, 8",
            "test eax, eax",
            "jne 2f",
            "ret",
            "2:",
            "sub rsp, 8",
            "mov edi, 2",
            "lea rsi, [rip + {message}]",
            "mov edx, {length}",
            "call [rip + {write}@GOTPCREL]",
            "mov edi, 1",
            "call [rip + {exit}@GOTPCREL]",
            "ud2",
            one = const needed(Register::One),
            seven = const needed(Register::Seven),
            extended = const needed(Register::Extended),
            lacking = sym lacking,
            message = sym MESSAGE_BYTES,
            length = const MESSAGE.1,
            write = sym write,
            exit = sym _exit,
        )
    }

    /// Which of the needed bits the processor has not: zero if it has all. A leaf it does not know has no bits.
    // SAFETY: of the registers that a caller counts on it touches only rbx, and puts that back.
    #[unsafe(naked)]
    extern "sysv64" fn lacking(one: u32, seven: u32, extended: u32) -> u32 {
        naked_asm!(
            "push rbx", // cpuid overwrites eax, ebx, ecx, edx
            "mov r8d, edi",
            "mov r9d, esi",
            "mov r10d, edx",
            "xor eax, eax",
            "cpuid",
            "mov r11d, eax", // the highest leaf
            "mov eax, 1",
            "cpuid",
            "not ecx",
            "and r8d, ecx",
            "xor ebx, ebx",
            "cmp r11d, 7",
            "jb 2f",
            "mov eax, 7",
            "xor ecx, ecx",
            "cpuid",
            "2:",
            "not ebx",
            "and r9d, ebx",
            "mov eax, 0x80000000",
            "cpuid",
            "xor ecx, ecx",
            "cmp eax, 0x80000001",
            "jb 3f",
            "mov eax, 0x80000001",
            "cpuid",
            "3:",
            "not ecx",
            "and r10d, ecx",
            "mov eax, r8d",
            "or eax, r9d",
            "or eax, r10d",
            "pop rbx",
            "ret",
        )
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_machine_that_built_it_can_run_it() {
            assert_eq!(lacking(needed(Register::One), needed(Register::Seven), needed(Register::Extended)), 0);
        }

        #[test]
        fn a_missing_bit_is_noticed_in_each_register() {
            // Bit 16 of leaf 1 and bit 31 of the extended leaf were never given out; no processor has all of leaf 7.
            assert_eq!(lacking(1 << 16, 0, 0), 1 << 16);
            assert_eq!(lacking(0, 0, 1 << 31), 1 << 31);
            assert_ne!(lacking(0, u32::MAX, 0), 0);
        }

        #[test]
        fn the_line_names_what_was_built_in() {
            let line = std::str::from_utf8(&MESSAGE_BYTES[..MESSAGE.1]).expect("plain text");
            assert!(line.starts_with(BEGINNING) && line.ends_with(END), "{line}");
            assert_eq!(line.lines().count(), 1);
            for (built_in, _, _, name) in FEATURES {
                assert_eq!(line.split([' ', ',', ';']).any(|word| word == name), built_in && !name.contains(' '));
            }
        }
    }
}
