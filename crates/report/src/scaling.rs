//! Runs over several seeds, each against its own sequential search: [`Scaling`].

use crate::facts::seconds;
use crate::{Baseline, Count, Run, Terms};
use serde::{Deserialize, Serialize};

/// One run and the sequential search of the same tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// What was drawn, the tree included, came from this.
    pub seed: u64,
    /// The sequential search of the same positions.
    pub baseline: Baseline,
    /// The run.
    pub run: Run,
    /// How long the coordinator was busy with messages.
    pub coordinator_busy_ns: u64,
}

/// Runs with several numbers of processors and seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scaling {
    /// What was searched, in words for a person.
    pub problem: String,
    /// The runs, in any order.
    pub samples: Vec<Sample>,
}

/// A quantity over several seeds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// The arithmetic mean.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// All runs with so many processors. All but the speed-up are means over the seeds; S = P × LO × PE /
/// (1 + SO) holds for each run, and only nearly for their means.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Slots that searched.
    pub processors: u32,
    /// Runs.
    pub seeds: u32,
    /// Time of the sequential search over time of the run.
    pub speed_up: Spread,
    /// Mean speed-up / P.
    pub efficiency: f64,
    /// Positions entered over those of the sequential search, less 1.
    pub search_overhead: f64,
    /// The share of the processors' time during which they had jobs.
    pub load: f64,
    /// Positions per busy second over those of the sequential search.
    pub performance: f64,
    /// The share of its time during which the coordinator was busy with messages.
    pub coordinator_load: f64,
    /// Positions of the sequential search.
    pub sequential_nodes: f64,
    /// Time of a run.
    pub seconds: f64,
    /// Messages in both directions, per second.
    pub messages_per_second: f64,
    /// Bytes in both directions, per second.
    pub bytes_per_second: f64,
    /// Narrowed windows sent to running jobs, per second.
    pub windows_pushed_per_second: f64,
    /// Windows that reached a running search, per second.
    pub windows_applied_per_second: f64,
    /// Applied windows that cut off at least one open node at once, per second.
    pub windows_cut_per_second: f64,
}

impl Sample {
    /// The terms, none if there was nothing to compare.
    #[must_use]
    pub fn terms(&self) -> Option<Terms> {
        Terms::new(&self.baseline, &self.run.cost())
    }
}

impl Scaling {
    /// One step per number of processors, in ascending order. Runs too small to be compared are left out.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let mut counts: Vec<u32> = self.samples.iter().map(|s| s.run.processors).collect();
        counts.sort_unstable();
        counts.dedup();
        counts.into_iter().filter_map(|processors| self.step(processors)).collect()
    }

    fn step(&self, processors: u32) -> Option<Step> {
        let alike = self.samples.iter().filter(|sample| sample.run.processors == processors);
        let all: Vec<(&Sample, Terms)> = alike.filter_map(|s| Some((s, s.terms()?))).collect();
        let speed_up = spread(all.iter().map(|(_, terms)| terms.speed_up))?;
        let mean = |quantity: &dyn Fn(&Sample, &Terms) -> f64| {
            spread(all.iter().map(|(sample, terms)| quantity(sample, terms))).map(|s| s.mean)
        };
        let rate = |count: u64, sample: &Sample| number(count) / sample.run.seconds();
        let traffic = |sample: &Sample| -> Count { sample.run.traffic().total() };
        Some(Step {
            processors,
            seeds: u32::try_from(all.len()).unwrap_or(u32::MAX),
            efficiency: speed_up.mean / f64::from(processors),
            speed_up,
            search_overhead: mean(&|_, terms| terms.search_overhead)?,
            load: mean(&|_, terms| terms.load)?,
            performance: mean(&|_, terms| terms.performance)?,
            coordinator_load: mean(&|s, _| seconds(s.coordinator_busy_ns) / s.run.seconds())?,
            sequential_nodes: mean(&|sample, _| number(sample.baseline.nodes))?,
            seconds: mean(&|sample, _| sample.run.seconds())?,
            messages_per_second: mean(&|s, _| rate(traffic(s).messages, s))?,
            bytes_per_second: mean(&|s, _| rate(traffic(s).bytes, s))?,
            windows_pushed_per_second: mean(&|s, _| rate(s.run.total(|f| f.windows_pushed), s))?,
            windows_applied_per_second: mean(&|s, _| rate(s.run.total(|f| f.windows_applied), s))?,
            windows_cut_per_second: mean(&|s, _| rate(s.run.total(|f| f.windows_cut), s))?,
        })
    }
}

fn spread(values: impl ExactSizeIterator<Item = f64> + Clone) -> Option<Spread> {
    let count = u32::try_from(values.len()).ok().filter(|&count| count > 0)?;
    Some(Spread {
        mean: values.clone().sum::<f64>() / f64::from(count),
        least: values.clone().fold(f64::INFINITY, f64::min),
        most: values.fold(f64::NEG_INFINITY, f64::max),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::comparison::tests::run;

    pub(crate) fn scaling() -> Scaling {
        let sample = |seed, processors, millis| Sample {
            seed,
            baseline: Baseline { seconds: 8.0, nodes: 1_000_000 },
            run: run(processors, millis, 1_100_000),
            coordinator_busy_ns: 500_000_000,
        };
        let samples = vec![sample(1, 4, 2_500), sample(2, 4, 2_000), sample(1, 2, 4_000)];
        Scaling { problem: "a tree".into(), samples }
    }

    #[test]
    fn a_step_says_what_its_seeds_came_to() {
        let steps = scaling().steps();
        assert_eq!(steps.iter().map(|step| step.processors).collect::<Vec<_>>(), [2, 4]);
        let step = &steps[1];
        assert_eq!(step.seeds, 2);
        assert_eq!(step.speed_up, Spread { mean: 3.6, least: 3.2, most: 4.0 });
        assert!((step.efficiency - 0.9).abs() < 1e-12, "{step:?}");
        assert!((step.search_overhead - 0.1).abs() < 1e-12, "{step:?}");
        assert!((step.load - 0.9).abs() < 1e-12, "{step:?}");
        assert!((step.coordinator_load - 0.225).abs() < 1e-12, "{step:?}");
        assert!((step.messages_per_second - 2.7).abs() < 1e-12, "{step:?}");
    }
}
