//! Plans as TOML: what is left out has a default, what is unknown is refused.

use super::{Group, MAX_NS, MAX_TABLES_MIB, MAX_WORKERS, Mishap, Plan, What};
use game::{Algorithm, Depth, Order, Policy, Score, Setup, Sharing, Window};
use search::Catalogue;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use ybw::Relay;

/// Why a plan cannot be run.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The text is not a plan.
    #[error("{0}")]
    Text(#[from] toml::de::Error),
    /// A knob is out of its range.
    #[error("{knob} = {given} must be {right}")]
    Knob {
        /// Which.
        knob: &'static str,
        /// What it is.
        given: String,
        /// What would be right.
        right: String,
    },
    /// The game or the position cannot be read.
    #[error(transparent)]
    Game(#[from] game::GameError),
}

/// A plan as typed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanText {
    #[serde(default = "first_seed")]
    seed: u64,
    #[serde(default)]
    shared_table: bool,
    #[serde(default)]
    processors: u32,
    #[serde(default)]
    latency_ns: (u64, u64),
    bytes_per_s: Option<u64>,
    #[serde(default)]
    message_in_ns: u64,
    #[serde(default)]
    message_out_ns: u64,
    #[serde(default = "tell_interval_ns")]
    tell_interval_ns: u64,
    #[serde(default = "peer_message_ns")]
    peer_message_ns: u64,
    #[serde(default = "finding_ns")]
    finding_ns: u64,
    #[serde(default = "nodes_per_poll")]
    nodes_per_poll: u64,
    #[serde(default = "silence_ns")]
    silence_ns: u64,
    abort_ns: Option<u64>,
    setup: SetupText,
    workers: Vec<Group>,
}

/// A setup as typed. Without a depth the whole game is searched, without a window all scores matter,
/// and the minimum split depth is the game's own.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetupText {
    game: String,
    #[serde(default)]
    position: String,
    depth: Option<u8>,
    window: Option<(i64, i64)>,
    #[serde(default)]
    algorithm: Algorithm,
    #[serde(default)]
    order: Order,
    #[serde(default)]
    quiescence: u8,
    #[serde(default)]
    deepening: u8,
    #[serde(default)]
    policy: Policy,
    min_split: Option<u8>,
    #[serde(default = "yes")]
    narrowing: bool,
    #[serde(default)]
    table_mib: u32,
    #[serde(default)]
    sharing: Sharing,
}

fn first_seed() -> u64 {
    1
}

fn tell_interval_ns() -> u64 {
    Relay::INTERVAL_NS
}

fn peer_message_ns() -> u64 {
    Plan::PEER_MESSAGE_NS
}

fn finding_ns() -> u64 {
    Plan::FINDING_NS
}

fn nodes_per_poll() -> u64 {
    Plan::NODES_PER_POLL
}

fn silence_ns() -> u64 {
    Plan::SILENCE_NS
}

fn yes() -> bool {
    true
}

impl Plan {
    /// Reads a plan whose game `catalogue` knows.
    ///
    /// # Errors
    /// If the text is not TOML, a knob is unknown or out of range, or the game cannot be prepared.
    pub fn from_toml(text: &str, catalogue: &Catalogue) -> Result<Plan, PlanError> {
        let typed: PlanText = toml::from_str(text)?;
        let (low, high) = typed.latency_ns;
        let plan = Plan {
            setup: typed.setup.resolved(catalogue)?,
            shared_table: typed.shared_table,
            workers: typed.workers,
            processors: typed.processors,
            latency_ns: low..=high,
            bytes_per_s: typed.bytes_per_s,
            message_in_ns: typed.message_in_ns,
            message_out_ns: typed.message_out_ns,
            tell_interval_ns: typed.tell_interval_ns,
            peer_message_ns: typed.peer_message_ns,
            finding_ns: typed.finding_ns,
            nodes_per_poll: typed.nodes_per_poll,
            silence_ns: typed.silence_ns,
            seed: typed.seed,
            abort_ns: typed.abort_ns,
        };
        plan.check()?;
        Ok(plan)
    }

    /// The plan as text that [`Plan::from_toml`] reads.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let text = PlanText {
            seed: self.seed,
            shared_table: self.shared_table,
            processors: self.processors,
            latency_ns: (*self.latency_ns.start(), *self.latency_ns.end()),
            bytes_per_s: self.bytes_per_s,
            message_in_ns: self.message_in_ns,
            message_out_ns: self.message_out_ns,
            tell_interval_ns: self.tell_interval_ns,
            peer_message_ns: self.peer_message_ns,
            finding_ns: self.finding_ns,
            nodes_per_poll: self.nodes_per_poll,
            silence_ns: self.silence_ns,
            abort_ns: self.abort_ns,
            setup: SetupText::from(&self.setup),
            workers: self.workers.clone(),
        };
        toml::to_string(&text).expect("numbers and texts can be written as TOML")
    }

    /// Refuses what no world can be made of.
    ///
    /// # Errors
    /// If a knob is out of its range.
    pub fn check(&self) -> Result<(), PlanError> {
        let workers: u64 = self.workers.iter().map(|group| u64::from(group.count)).sum();
        within("workers: the sum of count", workers, 1, u64::from(MAX_WORKERS))?;
        let tables = if self.shared_table { 1 } else { workers };
        let mib = u64::from(self.setup.table_mib) * tables;
        within("setup.table_mib of all workers together", mib, 0, MAX_TABLES_MIB)?;
        let (low, high) = (*self.latency_ns.start(), *self.latency_ns.end());
        within("the end of latency_ns", high, low, MAX_NS)?;
        within("bytes_per_s", self.bytes_per_s.unwrap_or(1), 1, u64::MAX)?;
        within("message_in_ns", self.message_in_ns, 0, MAX_NS)?;
        within("message_out_ns", self.message_out_ns, 0, MAX_NS)?;
        within("tell_interval_ns", self.tell_interval_ns, 1, MAX_NS)?;
        within("peer_message_ns", self.peer_message_ns, 0, MAX_NS)?;
        within("finding_ns", self.finding_ns, 0, MAX_NS)?;
        within("nodes_per_poll", self.nodes_per_poll, 1, MAX_NS)?;
        within("silence_ns", self.silence_ns, 1, MAX_NS)?;
        within("abort_ns", self.abort_ns.unwrap_or(0), 0, MAX_NS)?;
        self.workers.iter().try_for_each(Group::check)
    }
}

impl Group {
    fn check(&self) -> Result<(), PlanError> {
        within("workers.count", u64::from(self.count), 1, u64::from(MAX_WORKERS))?;
        within("workers.slots", u64::from(self.slots), 1, u64::from(u16::MAX))?;
        within("workers.node_ns", self.node_ns, 1, MAX_NS)?;
        within("workers.joins_ns", self.joins_ns, 0, MAX_NS)?;
        within("workers.spread_ns", self.spread_ns, 0, MAX_NS)?;
        self.mishaps.iter().try_for_each(Mishap::check)
    }
}

impl Mishap {
    fn check(&self) -> Result<(), PlanError> {
        within("workers.mishaps.at_ns", self.at_ns, 0, MAX_NS)?;
        let times = match self.what {
            What::Killed { unnoticed_ns } => [unnoticed_ns, 0, 0],
            What::Drains => [0; 3],
            What::Stalls { for_ns } => [for_ns, 0, 0],
            What::Breaks { coordinator_notices_ns, worker_notices_ns, rejoins_ns } => {
                [coordinator_notices_ns, worker_notices_ns, rejoins_ns]
            }
        };
        times.into_iter().try_for_each(|ns| within("a time of workers.mishaps", ns, 0, MAX_NS))
    }
}

fn within(knob: &'static str, given: u64, least: u64, most: u64) -> Result<(), PlanError> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let right = format!("from {least} to {most}");
    Err(PlanError::Knob { knob, given: given.to_string(), right })
}

impl SetupText {
    fn resolved(self, catalogue: &Catalogue) -> Result<Setup, PlanError> {
        let depth = match self.depth {
            None => Depth::FULL,
            Some(plies) => Depth::plies(plies).ok_or_else(|| PlanError::Knob {
                knob: "setup.depth",
                given: plies.to_string(),
                right: format!("from 0 to {}, or left out: to the end", Depth::MAX_FIXED),
            })?,
        };
        if self.deepening > 0 && depth == Depth::FULL {
            return Err(PlanError::Knob {
                knob: "setup.deepening",
                given: self.deepening.to_string(),
                right: "left out, or setup.depth be given".into(),
            });
        }
        within("setup.min_split", u64::from(self.min_split.unwrap_or(1)), 1, u64::from(u8::MAX))?;
        let mut setup = Setup {
            game: self.game,
            position: self.position,
            depth,
            window: read_window(self.window)?,
            algorithm: self.algorithm,
            order: self.order,
            quiescence: self.quiescence,
            deepening: self.deepening,
            policy: self.policy,
            min_split: 1,
            narrowing: self.narrowing,
            table_mib: self.table_mib,
            sharing: self.sharing,
        };
        let problem = catalogue.prepare(&setup)?;
        setup.min_split = self.min_split.unwrap_or(problem.split_floor());
        Ok(setup)
    }
}

impl From<&Setup> for SetupText {
    fn from(setup: &Setup) -> SetupText {
        let ends = (setup.window.alpha().points(), setup.window.beta().points());
        SetupText {
            game: setup.game.clone(),
            position: setup.position.clone(),
            depth: (setup.depth != Depth::FULL).then_some(setup.depth.code()),
            window: (setup.window != Window::FULL).then_some((ends.0.into(), ends.1.into())),
            algorithm: setup.algorithm,
            order: setup.order,
            quiescence: setup.quiescence,
            deepening: setup.deepening,
            policy: setup.policy,
            min_split: Some(setup.min_split),
            narrowing: setup.narrowing,
            table_mib: setup.table_mib,
            sharing: setup.sharing,
        }
    }
}

fn read_window(ends: Option<(i64, i64)>) -> Result<Window, PlanError> {
    let Some((alpha, beta)) = ends else {
        return Ok(Window::FULL);
    };
    let scores = Score::checked(alpha).zip(Score::checked(beta));
    scores.and_then(|(alpha, beta)| Window::new(alpha, beta)).ok_or_else(|| PlanError::Knob {
        knob: "setup.window",
        given: format!("[{alpha}, {beta}]"),
        right: format!(
            "two whole numbers of at most {} in magnitude, the first below the second",
            Score::LIMIT
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"
        seed = 7
        latency_ns = [50_000, 150_000]
        bytes_per_s = 125_000_000
        message_in_ns = 1_000
        message_out_ns = 2_000

        [setup]
        game = "synthetic:b=8,d=6"
        depth = 5
        window = [-3, 4]
        algorithm = "alpha-beta"

        [[workers]]
        count = 3
        slots = 2

        [[workers]]
        node_ns = 4_000
        joins_ns = 1_000_000
        mishaps = [
            { at_ns = 2_000_000, what = "stalls", for_ns = 5_000 },
            { at_ns = 3_000_000, what = "killed", unnoticed_ns = 9_000 },
        ]
    "#;

    #[test]
    fn a_plan_is_read_and_written() {
        let catalogue = Catalogue::standard();
        let plan = Plan::from_toml(PLAN, &catalogue).unwrap();
        assert_eq!(plan.slots(), 7);
        assert_eq!(plan.fastest_node_ns(), 1_000);
        assert_eq!(plan.latency_ns, 50_000..=150_000);
        assert_eq!(plan.setup.depth, Depth::from_code(5));
        assert_eq!(plan.setup.min_split, 5, "the game's own, which needs 256 minimal leaves");
        assert_eq!(plan.workers[1].mishaps[0].what, What::Stalls { for_ns: 5_000 });
        assert_eq!(Plan::from_toml(&plan.to_toml(), &catalogue).unwrap(), plan);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |from: &str, to: &str, complaint: &str| {
            assert!(PLAN.contains(from), "{from}");
            let error = Plan::from_toml(&PLAN.replace(from, to), &Catalogue::standard());
            let error = error.err().unwrap_or_else(|| panic!("{to} was accepted")).to_string();
            assert!(error.contains(complaint), "{to}: {error}");
        };
        check("count = 3", "count = 0", "workers.count = 0 must be from 1 to 65536");
        check("count = 3", "cuont = 3", "unknown field `cuont`");
        check("seed = 7", "seed = -7", "invalid value");
        check("[50_000, 150_000]", "[5, 4]", "the end of latency_ns = 4 must be from 5 to");
        check("[-3, 4]", "[4, 4]", "setup.window = [4, 4] must be two whole numbers");
        check("b=8,d=6", "b=0", "b=0 must be from 1 to 256");
        check("depth = 5", "depth = 255", "setup.depth = 255 must be from 0 to 254");
        check("depth = 5", "deepening = 1", "setup.deepening = 1 must be left out");
        check("stalls", "sleeps", "unknown variant `sleeps`");
        check("depth = 5", "table_mib = 9000", "together = 36000 must be from 0 to 16384");
    }
}
