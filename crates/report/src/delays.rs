//! How long something took, many times: [`Delays`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Delays in microseconds, counted in buckets: exact up to 31 µs, from there on rounded up by at most a
/// sixteenth. As JSON a list of pairs, delay and number, in ascending order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, u64)>", into = "Vec<(u32, u64)>")]
pub struct Delays(BTreeMap<u32, u64>);

/// Bits of a delay that are kept.
const KEPT_BITS: u32 = 5;

impl Delays {
    /// Most buckets that there can be.
    pub const MAX_BUCKETS: usize = 512;

    /// Counts `number` delays of `us` microseconds.
    pub fn note(&mut self, us: u32, number: u64) {
        let bits = u32::BITS - us.leading_zeros();
        let low = (1 << bits.saturating_sub(KEPT_BITS)) - 1;
        *self.0.entry(us.saturating_add(low) & !low).or_default() += number;
    }

    /// How many there are.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.0.values().sum()
    }

    /// The delay in microseconds that so many of a hundred do not exceed; `None` if there is none.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<u32> {
        let wanted = (self.number() * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let reaches = |(&us, number): (&u32, &u64)| {
            seen += number;
            (seen >= wanted).then_some(us)
        };
        self.0.iter().find_map(reaches)
    }

    /// Every bucket: its delay and how many there are.
    pub fn buckets(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.0.iter().map(|(&us, &number)| (us, number))
    }
}

impl FromIterator<(u32, u64)> for Delays {
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(counted: I) -> Delays {
        let mut delays = Delays::default();
        counted.into_iter().for_each(|(us, number)| delays.note(us, number));
        delays
    }
}

impl From<Vec<(u32, u64)>> for Delays {
    fn from(counted: Vec<(u32, u64)>) -> Delays {
        counted.into_iter().collect()
    }
}

impl From<Delays> for Vec<(u32, u64)> {
    fn from(delays: Delays) -> Vec<(u32, u64)> {
        delays.buckets().collect()
    }
}

impl AddAssign<&Delays> for Delays {
    fn add_assign(&mut self, other: &Delays) {
        other.buckets().for_each(|(us, number)| self.note(us, number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentiles_are_delays_that_so_many_do_not_exceed() {
        let delays: Delays = (1..=30).map(|us| (us, 1)).collect();
        assert_eq!((delays.percentile(50), delays.percentile(99)), (Some(15), Some(30)));
        let one: Delays = [(7, 1)].into_iter().collect();
        assert_eq!((one.percentile(50), one.percentile(99)), (Some(7), Some(7)));
        assert_eq!(Delays::default().percentile(50), None);
    }

    #[test]
    fn delays_survive_json_and_add_up() {
        let mut delays: Delays = [(3, 2), (1_000, 1)].into_iter().collect();
        assert_eq!(serde_json::to_string(&delays).unwrap(), "[[3,2],[1024,1]]");
        assert_eq!(serde_json::from_str::<Delays>("[[3,2],[1024,1]]").unwrap(), delays);
        delays += &delays.clone();
        assert_eq!((delays.number(), delays.percentile(50)), (6, Some(3)));
    }

    proptest! {
        #[test]
        fn buckets_are_few_and_round_up_by_a_sixteenth_at_most(bits in 1..32_u32, us in any::<u32>()) {
            let us = us >> bits;
            let delays: Delays = [(us, 1)].into_iter().collect();
            let rounded = delays.percentile(50).unwrap();
            prop_assert!(rounded >= us && rounded - us <= us / 16);
            let again: Delays = [(rounded, 1)].into_iter().collect();
            prop_assert_eq!(again, delays);
        }
    }
}
