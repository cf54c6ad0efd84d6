//! Whether this processor has what the binary was built for.

/// A clear sentence when it has not; otherwise the first vector instruction would kill the process without a word.
pub fn complaint() -> Option<String> {
    let missing = missing();
    (!missing.is_empty()).then(|| {
        format!(
            "shirokuro: this binary was built for a processor with {}; build it on this machine with `cargo build --release`",
            missing.join(", ")
        )
    })
}

#[cfg(target_arch = "x86_64")]
fn missing() -> Vec<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    // `is_x86_feature_detected!` answers yes without looking when the feature was switched on at build time, so the
    // processor is asked directly. Each leaf is asked for only if the processor has it.
    let highest = __cpuid(0).eax;
    let one = __cpuid(1);
    let seven = if highest >= 7 { Some(__cpuid_count(7, 0)) } else { None };
    let extended = if __cpuid(0x8000_0000).eax >= 0x8000_0001 { __cpuid(0x8000_0001).ecx } else { 0 };
    let ebx7 = seven.map_or(0, |leaf| leaf.ebx);
    let bit = |register: u32, n: u32| register >> n & 1 == 1;
    [
        (cfg!(target_feature = "sse4.2"), bit(one.ecx, 20), "SSE4.2"),
        (cfg!(target_feature = "popcnt"), bit(one.ecx, 23), "POPCNT"),
        (cfg!(target_feature = "avx"), bit(one.ecx, 28), "AVX"),
        (cfg!(target_feature = "fma"), bit(one.ecx, 12), "FMA"),
        (cfg!(target_feature = "lzcnt"), bit(extended, 5), "LZCNT"),
        (cfg!(target_feature = "bmi1"), bit(ebx7, 3), "BMI1"),
        (cfg!(target_feature = "avx2"), bit(ebx7, 5), "AVX2"),
        (cfg!(target_feature = "bmi2"), bit(ebx7, 8), "BMI2"),
        (cfg!(target_feature = "avx512f"), bit(ebx7, 16), "AVX-512F"),
        (cfg!(target_feature = "avx512cd"), bit(ebx7, 28), "AVX-512CD"),
        (cfg!(target_feature = "avx512bw"), bit(ebx7, 30), "AVX-512BW"),
        (cfg!(target_feature = "avx512vl"), bit(ebx7, 31), "AVX-512VL"),
    ]
    .into_iter()
    .filter(|&(built_in, there, _)| built_in && !there)
    .map(|(_, _, name)| name)
    .collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn missing() -> Vec<&'static str> {
    vec![]
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_that_built_it_can_run_it() {
        assert_eq!(super::complaint(), None);
    }
}
