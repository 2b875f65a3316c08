//! Two clocks related by the messages between them: [`ClockOffset`].

use ybw::Moment;

/// What is known of a worker's clock less the coordinator's, in nanoseconds.
///
/// Something that the coordinator caused at `p`, that happened at `w` on the worker's clock, and that
/// the coordinator heard of at `h`, happened between `p` and `h`, so that the offset lies between
/// `w - h` and `w - p`. Every such round trip narrows it (Cristian 1989). Clocks that drift apart may
/// contradict an older round trip; then the newest counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ClockOffset(Option<(i128, i128)>);

impl ClockOffset {
    /// Takes in a round trip.
    pub(crate) fn note(&mut self, pushed: Moment, worker_at: Moment, heard: Moment) {
        let worker = i128::from(worker_at.0);
        let (low, high) = (worker - i128::from(heard.0), worker - i128::from(pushed.0));
        self.0 = match self.0 {
            Some((l, h)) if l.max(low) <= h.min(high) => Some((l.max(low), h.min(high))),
            _ => Some((low, high)),
        };
    }

    /// A moment of the worker's on the coordinator's clock, as well as it is known, but not before
    /// `earliest` nor after `latest`.
    pub(crate) fn translate(self, worker_at: Moment, earliest: Moment, latest: Moment) -> Moment {
        let Some((low, high)) = self.0 else { return latest };
        let at = i128::from(worker_at.0) - (low + high) / 2;
        let at = at.clamp(i128::from(earliest.0), i128::from(latest.0.max(earliest.0)));
        Moment(u64::try_from(at).unwrap_or(latest.0))
    }

    /// By how much it may be wrong, in nanoseconds; `None` if nothing is known.
    pub(crate) fn uncertainty_ns(self) -> Option<u64> {
        self.0.map(|(low, high)| u64::try_from((high - low) / 2).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_narrow_the_offset() {
        let mut offset = ClockOffset::default();
        assert_eq!(offset.translate(Moment(70), Moment(5), Moment(9)), Moment(9));
        // The worker's clock is 1,000 ahead; ways of 10 and 90, then of 60 and 20.
        offset.note(Moment(100), Moment(1_110), Moment(200));
        offset.note(Moment(300), Moment(1_360), Moment(380));
        assert_eq!(offset.uncertainty_ns(), Some(15));
        assert_eq!(offset.translate(Moment(1_110), Moment(100), Moment(200)), Moment(115));
        assert_eq!(offset.translate(Moment(1_110), Moment(120), Moment(200)), Moment(120));
    }

    #[test]
    fn a_clock_that_jumped_is_believed_from_then_on() {
        let mut offset = ClockOffset::default();
        offset.note(Moment(100), Moment(1_150), Moment(200));
        offset.note(Moment(300), Moment(9_350), Moment(400));
        assert_eq!(offset.translate(Moment(9_360), Moment(300), Moment(400)), Moment(360));
    }
}
