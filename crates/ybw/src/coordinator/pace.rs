//! How long jobs take, and how long slots wait for them: [`Pace`].

/// Plies remaining that are told apart.
const PLIES: usize = 64;
/// Jobs over which a mean is taken, about.
const MEMORY: f64 = 64.0;
/// Jobs of which a mean says something.
const ENOUGH: f64 = 8.0;
/// A job should take so many times as long as its slot waited for it.
const WORTH: f64 = 2.0;

/// The means of the last jobs of a search.
#[derive(Debug)]
pub(super) struct Pace {
    /// What whole jobs took, by the plies that remained at their roots.
    busy: [Mean; PLIES],
    /// From the moment a job was sent to an idle slot until its result was there, less the time it took.
    wait: Mean,
}

#[derive(Clone, Copy, Default, Debug)]
struct Mean {
    ns: f64,
    count: f64,
}

impl Mean {
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
    fn learn(&mut self, ns: u64) {
        self.count = (self.count + 1.0).min(MEMORY);
        self.ns += (ns as f64 - self.ns) / self.count;
    }
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace { busy: [Mean::default(); PLIES], wait: Mean::default() }
    }

    /// Takes in how long a job took that was searched by one slot from beginning to end.
    pub(super) fn learn_busy(&mut self, remaining: u8, ns: u64) {
        if let Some(mean) = self.busy.get_mut(usize::from(remaining)) {
            mean.learn(ns);
        }
    }

    /// Takes in how long an idle slot waited in all for a job and for what came after it.
    pub(super) fn learn_wait(&mut self, ns: u64) {
        self.wait.learn(ns);
    }

    /// The plies that must remain at a node whose brothers are worth a message, at least `floor`. The longer
    /// slots wait, as they do for a coordinator that has too much to do, the coarser is the grain; but slots that
    /// are idle anyway have nothing better to do than small jobs.
    pub(super) fn grain(&self, floor: u8, busy_share: f64) -> u8 {
        let least = WORTH * self.wait.ns * busy_share;
        let fine = |&plies: &u8| {
            let brothers = usize::from(plies.saturating_sub(1));
            self.busy.get(brothers).is_some_and(|busy| busy.count >= ENOUGH && busy.ns < least)
        };
        floor + (floor..u8::MAX).take_while(fine).count() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_long_wants_larger_jobs() {
        let mut pace = Pace::new();
        assert_eq!(pace.grain(4, 1.0), 4, "nothing is known yet");
        for _ in 0..10 {
            for (remaining, ns) in [(3, 100), (4, 1_000), (5, 10_000)] {
                pace.learn_busy(remaining, ns);
            }
            pace.learn_wait(40);
        }
        assert_eq!(pace.grain(4, 1.0), 4);
        (0..500).for_each(|_| pace.learn_wait(400));
        assert_eq!(pace.grain(4, 1.0), 5);
        (0..500).for_each(|_| pace.learn_wait(4_000));
        assert_eq!(pace.grain(4, 1.0), 6);
        (0..500).for_each(|_| pace.learn_wait(40_000));
        assert_eq!(pace.grain(4, 1.0), 7, "how long those take is not known");
        assert_eq!(pace.grain(4, 0.1), 6, "most slots are idle");
    }
}
