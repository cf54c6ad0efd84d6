//! One binary for every processor. Code that lives from vector and bit instructions is compiled once for each
//! [`Kernel`], and the best one that the processor has is taken when the program starts.
//!
//! A room with such code has a module for each kernel. The modules bring in one of the macros [`for_portable`],
//! `for_avx2`, `for_avx512` and `for_neon` under the name `tuned`; functions marked `#[apply(tuned)]` are compiled for
//! it. They call each other without further ado. From outside they are called with [`dispatch`].

use std::sync::OnceLock;

/// A kind of processor that code is compiled for, lesser ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// Nothing that is not in every processor of this architecture.
    Portable,
    /// AVX2 and the bit instructions that came with it (x86-64-v3).
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 as every processor with more than the foundation has it (x86-64-v4).
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// The vectors of 128 bits that every processor of 64-bit ARM has.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// The environment variable that asks for a lesser kernel than the processor could run: for tests and comparisons.
pub const VARIABLE: &str = "SHIROKURO_KERNEL";

/// A kernel that was asked for and cannot be had.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE}: `{asked}` is not a kernel of this processor: it has {available}")]
pub struct NoSuchKernel {
    asked: String,
    available: String,
}

static CHOSEN: OnceLock<Kernel> = OnceLock::new();

impl Kernel {
    /// All that this binary has, lesser ones first.
    pub const ALL: &[Kernel] = &[
        Kernel::Portable,
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2,
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512,
        #[cfg(target_arch = "aarch64")]
        Kernel::Neon,
    ];

    /// The kernel in use: the best one, unless [`Kernel::choose`] was told otherwise.
    #[inline]
    pub fn chosen() -> Kernel {
        *CHOSEN.get_or_init(|| Kernel::asked_for().unwrap_or_else(|_| Kernel::best()))
    }

    /// Decides on the kernel, with a message if the environment asks for one that cannot be had.
    pub fn choose() -> Result<Kernel, NoSuchKernel> {
        let asked = Kernel::asked_for()?;
        Ok(*CHOSEN.get_or_init(|| asked))
    }

    fn asked_for() -> Result<Kernel, NoSuchKernel> {
        std::env::var(VARIABLE).map_or(Ok(Kernel::best()), |name| Kernel::named(&name))
    }

    fn named(name: &str) -> Result<Kernel, NoSuchKernel> {
        let found = Kernel::available().find(|kernel| kernel.word() == name);
        found.ok_or_else(|| NoSuchKernel {
            asked: name.to_owned(),
            available: Kernel::available().map(Kernel::word).collect::<Vec<_>>().join(", "),
        })
    }

    /// The best one that this processor can run.
    pub fn best() -> Kernel {
        Kernel::available().last().unwrap_or(Kernel::Portable)
    }

    /// Those that this processor can run, lesser ones first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        Kernel::ALL.iter().copied().filter(|kernel| kernel.is_available())
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => "AVX-512",
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => "NEON",
        }
    }

    /// Its name in [`VARIABLE`].
    pub const fn word(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => "neon",
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        true
    }
}

/// A macro that compiles functions for these instructions, and whether the processor has them all.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($dollar:tt $($macro_name:ident $has:ident: [$($feature:tt)*];)*) => {$(
        macro_rules! $macro_name {
            ($dollar($dollar item:tt)*) => { $(#[target_feature(enable = $feature)])* $dollar($dollar item)* };
        }
        pub(crate) use $macro_name;

        fn $has() -> bool {
            $(std::arch::is_x86_feature_detected!($feature))&&*
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
instructions! { $
    for_avx2 has_avx2: ["avx2" "bmi1" "bmi2" "fma" "lzcnt" "movbe" "popcnt"];
    for_avx512 has_avx512: [
        "avx2" "bmi1" "bmi2" "fma" "lzcnt" "movbe" "popcnt"
        "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    ];
}

/// Compiles functions for vectors of 128 bits. The whole architecture has them: the attribute is what lets the vector
/// instructions be called without `unsafe`.
#[cfg(target_arch = "aarch64")]
macro_rules! for_neon {
    ($($item:tt)*) => { #[target_feature(enable = "neon")] $($item)* };
}
#[cfg(target_arch = "aarch64")]
pub(crate) use for_neon;

/// Compiles functions as they are.
macro_rules! for_portable {
    ($($item:tt)*) => { $($item)* };
}
pub(crate) use for_portable;

#[cfg(target_arch = "x86_64")]
impl Kernel {
    fn is_available(self) -> bool {
        match self {
            Kernel::Portable => true,
            Kernel::Avx2 => has_avx2(),
            Kernel::Avx512 => has_avx512(),
        }
    }
}

/// Calls a function of the modules `portable`, `avx2`, `avx512` and `neon`: in the one of a given kernel, or of the one in use.
/// The file has to say that it expects `unsafe`.
macro_rules! dispatch {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::base::kernel::dispatch!($crate::base::kernel::Kernel::chosen(), $function($($argument),*))
    };
    ($kernel:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $kernel {
            $crate::base::kernel::Kernel::Portable => portable::$function($($argument),*),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: there is such a value only where the processor has these instructions.
            $crate::base::kernel::Kernel::Avx2 => unsafe { avx2::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            $crate::base::kernel::Kernel::Avx512 => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every processor of this architecture has these instructions.
            $crate::base::kernel::Kernel::Neon => unsafe { neon::$function($($argument),*) },
        }
    };
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_kernel_is_one_of_those_there_are() {
        assert_eq!(Kernel::available().next(), Some(Kernel::Portable));
        assert!(Kernel::available().any(|kernel| kernel == Kernel::chosen()));
        assert!(Kernel::available().all(|kernel| kernel <= Kernel::best()));
    }

    #[test]
    fn kernels_are_asked_for_by_name() {
        for kernel in Kernel::available() {
            assert_eq!(Kernel::named(kernel.word()), Ok(kernel));
        }
        let error = Kernel::named("abacus").expect_err("no such kernel").to_string();
        assert!(error.starts_with("SHIROKURO_KERNEL: `abacus` is not a kernel of this processor: it has portable"));
        // Those of other architectures are refused as well.
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        assert!(Kernel::named(foreign).is_err());
    }
}
