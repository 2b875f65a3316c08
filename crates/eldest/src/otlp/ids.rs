//! Ids that coordinator and workers compute alike: [`Run`].

use crate::Failure;
use ybw::{JobId, SearchId};

/// The identity of one run of a coordinator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run(u128);

/// Sets spans of different makers apart.
const OF_SEARCHES: u64 = 0x5ea2_c4e5_0000_0000;
const OF_JOBS: u64 = 0x70b5_0000_0000_0000;
const OF_WORKERS: u64 = 0x3025_e250_0000_0000;

impl Run {
    /// A new one, at random.
    pub(super) fn new() -> Result<Run, Failure> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| Failure::run(format!("no random bytes for trace ids: {error}")))?;
        // An id of zeros alone is none.
        Ok(Run(u128::from_be_bytes(bytes) | 1))
    }

    /// Reads what another process calls `traceparent`.
    pub(super) fn parse(traceparent: &str) -> Option<Run> {
        let mut parts = traceparent.split('-');
        let (version, run) = (parts.next()?, parts.next()?);
        let well_formed = version == "00" && run.len() == 32;
        u128::from_str_radix(run, 16).ok().filter(|&run| well_formed && run != 0).map(Run)
    }

    /// What other processes are told: version, this run, its span, and that it is recorded.
    pub(super) fn traceparent(self) -> String {
        let Run(run) = self;
        format!("00-{run:032x}-{:016x}-01", mixed(run as u64))
    }

    /// The trace of a search.
    pub(super) fn trace(self, search: SearchId) -> Vec<u8> {
        (self.0 ^ u128::from(mixed(search.0))).to_be_bytes().to_vec()
    }
}

/// The coordinator's span of a search.
pub(super) fn search_span(search: SearchId) -> Vec<u8> {
    span(OF_SEARCHES ^ search.0)
}

/// The coordinator's span of a job.
pub(super) fn job_span(job: JobId) -> Vec<u8> {
    span(OF_JOBS ^ job.0)
}

/// The worker's span of a job.
pub(super) fn worker_span(job: JobId) -> Vec<u8> {
    span(OF_WORKERS ^ job.0)
}

fn span(number: u64) -> Vec<u8> {
    mixed(number).max(1).to_be_bytes().to_vec()
}

/// Spreads numbers that lie close together (Steele, Lea and Flood 2014).
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_compute_the_same_ids() {
        let run = Run::new().unwrap();
        let told = Run::parse(&run.traceparent()).unwrap();
        assert_eq!(told, run);
        assert_eq!(told.trace(SearchId(3)), run.trace(SearchId(3)));
        assert_ne!(run.trace(SearchId(3)), run.trace(SearchId(4)));
        let spans = [job_span(JobId(7)), worker_span(JobId(7)), search_span(SearchId(7))];
        assert!(spans.iter().all(|span| span.len() == 8));
        assert!(spans[0] != spans[1] && spans[1] != spans[2] && spans[0] != spans[2]);
        for wrong in ["", "00-12-34-01", "nonsense", &format!("00-{:032x}-0-01", 0)] {
            assert_eq!(Run::parse(wrong), None, "{wrong}");
        }
    }
}
