//! Zeroed memory straight from the system: there at once however much it is, and in big pages where those exist, which
//! spares most of the cost of a look-up far away.
#![expect(unsafe_code, reason = "mapped memory seen as atomic numbers")]

use memmap2::{MmapMut, MmapOptions};
use std::{marker::PhantomData, sync::atomic::AtomicU64};

/// A type that is nothing but [`AtomicU64`]s: all zeros are a value of it, and it may be shared.
///
/// # Safety
/// The implementing type must consist of `AtomicU64` fields only, and be no more than 4096 bytes.
pub(super) unsafe trait Words: Sync {}

// SAFETY: that is what it says.
unsafe impl<const N: usize> Words for [AtomicU64; N] {}

/// A long array of `T`, at first all zeros.
pub(super) struct Memory<T> {
    map: MmapMut,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Words> Memory<T> {
    /// As many as asked for, or as many fewer (by halves) as can be had.
    pub fn new(mut length: usize) -> Option<Memory<T>> {
        while length > 0 {
            if let Ok(map) = MmapOptions::new().len(length * size_of::<T>()).map_anon() {
                #[cfg(target_os = "linux")]
                let _ = map.advise(memmap2::Advice::HugePage); // A wish: nothing is lost when it is not granted.
                return Some(Memory { map, length, kind: PhantomData });
            }
            length /= 2;
        }
        None
    }

    /// Whether so many can be had at present.
    pub fn fits(length: usize) -> bool {
        length.checked_mul(size_of::<T>()).is_some_and(|bytes| MmapOptions::new().len(bytes).map_anon().is_ok())
    }

    /// Asks for a value to be brought near: it will be read soon.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(value) = self.get(index) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the address is that of a value; a prefetch changes nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(value) = self.get(index) {
            let address = std::ptr::from_ref(value);
            // SAFETY: the address is that of a value; a prefetch changes nothing.
            unsafe {
                std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(readonly, nostack, preserves_flags));
            }
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let _ = index;
    }

    /// All zeros again; afterwards every page is there.
    pub fn clear(&mut self) {
        self.map.fill(0);
    }
}

impl<T: Words> std::ops::Deref for Memory<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `length` values, begins at a page and so is aligned for any T up to a page, was
        // zeroed by the system (a value of T), and lives as long as self. All writing goes through atomics.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
}
