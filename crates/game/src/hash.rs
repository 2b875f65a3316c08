//! Hashing that is the same on every machine: [`scramble`] and [`combine`].

/// An odd constant without pattern: 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes 64 bits so that each result bit depends on each given bit. Invertible, so different inputs
/// never collide.
///
/// The finalizer of `SplitMix64` (Steele, Lea and Flood 2014), constants by David Stafford.
pub(crate) const fn scramble(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A hash of a hash and one more number. For one `hash`, different numbers never collide.
pub(crate) const fn combine(hash: u64, number: u64) -> u64 {
    scramble(hash.wrapping_add(number.wrapping_add(1).wrapping_mul(GOLDEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_same_on_every_machine() {
        assert_eq!(scramble(0), 0);
        assert_eq!(scramble(GOLDEN), 0xE220_A839_7B1D_CDAF, "first output of SplitMix64, seed 0");
        assert_eq!(combine(0, 0), scramble(GOLDEN));
    }
}
