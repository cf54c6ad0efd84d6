//! The checksum of files: CRC-32 as in gzip.

pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_value_of_the_algorithm() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
    }
}
