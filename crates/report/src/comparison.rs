//! Measured runs against the sequential baseline: [`Comparison`] and the rows of its table.

use crate::facts::seconds;
use crate::{Baseline, Cost, Delays, Facts, Terms, Traffic};
use serde::{Deserialize, Serialize};

/// One pass over all positions of a problem with so many processors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Slots that searched.
    pub processors: u32,
    /// One search per position.
    pub searches: Vec<Facts>,
}

impl Run {
    /// A quantity summed over the positions.
    #[must_use]
    pub fn total(&self, quantity: fn(&Facts) -> u64) -> u64 {
        self.searches.iter().map(quantity).sum()
    }

    /// How long the searches took.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        seconds(self.total(|facts| facts.elapsed_ns))
    }

    /// What they cost.
    #[must_use]
    pub fn cost(&self) -> Cost {
        Cost {
            processors: self.processors,
            seconds: self.seconds(),
            nodes: self.total(Facts::nodes),
            busy_seconds: seconds(self.total(|facts| facts.busy_ns)),
        }
    }

    /// How long its windows took to be applied.
    #[must_use]
    pub fn window_delays(&self) -> Delays {
        let mut delays = Delays::default();
        for facts in &self.searches {
            delays += &facts.window_delays;
        }
        delays
    }

    /// Messages and bytes of all searches.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        for facts in &self.searches {
            traffic += &facts.traffic;
        }
        traffic
    }
}

/// Everything measured for one problem.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// What was searched, in words for a person.
    pub problem: String,
    /// The sequential passes over all positions.
    pub baselines: Vec<Baseline>,
    /// The parallel passes, in any order.
    pub runs: Vec<Run>,
}

/// The median run with so many processors, and its terms.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// The terms; none if the problem was too small to be timed.
    #[serde(flatten)]
    pub terms: Option<Terms>,
    /// The times of all runs in ascending order.
    pub all_seconds: Vec<f64>,
    /// Narrowed windows sent to running jobs.
    pub windows_pushed: u64,
    /// Windows that reached a running search.
    pub windows_applied: u64,
    /// Windows that reached a job that waited for a slot.
    pub windows_waiting: u64,
    /// Applied windows that cut off at least one open node at once.
    pub windows_cut: u64,
    /// Windows that arrived when their job had ended or moved on.
    pub windows_late: u64,
    /// Median of [`Facts::window_delays`], in microseconds; none if no window was applied.
    pub window_delay_median_us: Option<u32>,
    /// The delay in microseconds that 99 of 100 applied windows did not exceed.
    pub window_delay_p99_us: Option<u32>,
    /// Positions entered by jobs that became unwanted.
    pub discarded_nodes: u64,
    /// Subtrees handed to workers.
    pub jobs_assigned: u64,
    /// Jobs that became unwanted.
    pub jobs_cancelled: u64,
    /// Open nodes that moved from workers to the coordinator.
    pub nodes_adopted: u64,
    /// Answers that did not suffice, so that the brother was asked again.
    pub brothers_reopened: u64,
    /// Workers that left or were lost.
    pub workers_lost: u64,
    /// Messages and bytes by kind.
    pub traffic: Traffic,
}

impl Comparison {
    /// The median sequential pass, `None` if there is none.
    #[must_use]
    pub fn baseline(&self) -> Option<Baseline> {
        median(self.baselines.iter().copied(), |baseline| baseline.seconds)
    }

    /// One row per number of processors, in ascending order. Each is one whole run, the (lower)
    /// median by time, so that its terms multiply to its speed-up.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let Some(baseline) = self.baseline() else {
            return Vec::new();
        };
        let mut processors: Vec<u32> = self.runs.iter().map(|run| run.processors).collect();
        processors.sort_unstable();
        processors.dedup();
        processors.into_iter().filter_map(|count| self.row(&baseline, count)).collect()
    }

    fn row(&self, baseline: &Baseline, processors: u32) -> Option<Row> {
        let runs = self.runs.iter().filter(|run| run.processors == processors);
        let mut all_seconds: Vec<f64> = runs.clone().map(Run::seconds).collect();
        all_seconds.sort_by(f64::total_cmp);
        let run = median(runs, |run| run.seconds())?;
        let (cost, delays) = (run.cost(), run.window_delays());
        Some(Row {
            cost,
            terms: Terms::new(baseline, &cost),
            all_seconds,
            windows_pushed: run.total(|facts| facts.windows_pushed),
            windows_applied: run.total(|facts| facts.windows_applied),
            windows_waiting: run.total(|facts| facts.windows_waiting),
            windows_cut: run.total(|facts| facts.windows_cut),
            windows_late: run.total(|facts| facts.windows_late),
            window_delay_median_us: delays.percentile(50),
            window_delay_p99_us: delays.percentile(99),
            discarded_nodes: run.total(|facts| facts.discarded_nodes),
            jobs_assigned: run.total(|facts| facts.jobs_assigned),
            jobs_cancelled: run.total(|facts| facts.jobs_cancelled),
            nodes_adopted: run.total(|facts| facts.nodes_adopted),
            brothers_reopened: run.total(|facts| facts.brothers_reopened),
            workers_lost: run.total(|facts| facts.workers_lost),
            traffic: run.traffic(),
        })
    }
}

/// The lower median of `items` by `key`: always one of them, never a mean of two.
fn median<T>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> f64) -> Option<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by(|a, b| key(a).total_cmp(&key(b)));
    let middle = items.len().checked_sub(1)? / 2;
    items.into_iter().nth(middle)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Count, Fold};
    use ybw::SearchId;

    /// A run of two positions that took `millis` in all.
    pub(crate) fn run(processors: u32, millis: u64, nodes: u64) -> Run {
        let mut facts = Fold::new(SearchId(1)).finish();
        facts.elapsed_ns = millis * 500_000;
        facts.busy_ns = facts.elapsed_ns * u64::from(processors) * 9 / 10;
        facts.tally.nodes = nodes / 2;
        facts.windows_pushed = 4;
        facts.window_delays = [(8, 3), (40, 1)].into_iter().collect();
        let count = Count { messages: 3, bytes: 70 };
        facts.traffic.to_workers.insert("assign".into(), count);
        Run { processors, searches: vec![facts.clone(), facts] }
    }

    pub(crate) fn comparison() -> Comparison {
        let baseline = |seconds| Baseline { seconds, nodes: 1_000_000 };
        Comparison {
            problem: "othello, 2 positions".into(),
            baselines: vec![baseline(8.0), baseline(7.5), baseline(9.0)],
            runs: vec![
                run(2, 4_200, 1_100_000),
                run(1, 8_100, 1_000_000),
                run(2, 4_000, 1_050_000),
                run(1, 8_200, 1_000_000),
            ],
        }
    }

    #[test]
    fn each_row_is_one_whole_run_whose_terms_multiply_to_its_speed_up() {
        let rows = comparison().rows();
        let processors: Vec<u32> = rows.iter().map(|row| row.cost.processors).collect();
        assert_eq!(processors, [1, 2]);
        assert_eq!(rows[1].cost.nodes, 1_050_000);
        assert_eq!(rows[1].all_seconds, [4.0, 4.2]);
        let terms = rows[1].terms.unwrap();
        assert!((terms.speed_up - 2.0).abs() < 1e-12, "{terms:?}");
        assert!((terms.product(2) - 2.0).abs() < 1e-12, "{terms:?}");
        assert!((terms.load - 0.9).abs() < 1e-12, "{terms:?}");
        assert_eq!(rows[1].traffic.to_workers["assign"], Count { messages: 6, bytes: 140 });
    }

    #[test]
    fn the_median_is_the_lower_one_and_of_nothing_there_is_none() {
        let check = |items: &[f64], middle| assert_eq!(median(items.iter(), |&&x| x), middle);
        check(&[], None);
        check(&[3.0], Some(&3.0));
        check(&[3.0, 1.0], Some(&1.0));
        check(&[3.0, 1.0, 2.0], Some(&2.0));
        check(&[4.0, 3.0, 1.0, 2.0], Some(&2.0));
    }
}
