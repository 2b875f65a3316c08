//! Scores, windows, moves, setups and counts: what every message is made of.

use crate::error::{Malformed, present};
use crate::{MAX_POSITION, MAX_REASON, MAX_TABLE_MIB, v1};
use game::{
    Algorithm, Bound, CUTOFF_PLACES, Depth, GameSpec, Move, NodeKind, Order, Policy, Score, Setup,
    Sharing, Tally, Value, Window,
};
use ybw::{MAX_PATH, Outcome};

/// An enumeration of ours beside the generated one, in both directions.
macro_rules! same_names {
    ($ours:ident, $part:literal, $($name:ident),+) => {
        impl From<$ours> for v1::$ours {
            fn from(ours: $ours) -> v1::$ours {
                match ours { $($ours::$name => v1::$ours::$name),+ }
            }
        }

        impl TryFrom<v1::$ours> for $ours {
            type Error = Malformed;
            fn try_from(theirs: v1::$ours) -> Result<$ours, Malformed> {
                match theirs {
                    v1::$ours::Unspecified => Err(Malformed::Missing { part: $part }),
                    $(v1::$ours::$name => Ok($ours::$name)),+
                }
            }
        }
    };
}

same_names!(Algorithm, "the algorithm", Minimax, AlphaBeta, Pvs);
same_names!(Order, "the order", Static, LeftToRight, CentreFirst, BestFirst, WorstFirst);
same_names!(Policy, "the policy", Sequential, RootSplit, PvSplit, Ybw, Aspiring);
same_names!(Sharing, "the sharing of tables", Off, Process, Cluster);
same_names!(NodeKind, "the kind of node", Pv, All, Cut);
same_names!(Bound, "the bound", Exact, Lower, Upper);

/// Our enumeration from the code on the wire.
pub(crate) fn named<Theirs, Ours>(code: i32, part: &'static str) -> Result<Ours, Malformed>
where
    Theirs: TryFrom<i32>,
    Ours: TryFrom<Theirs, Error = Malformed>,
{
    let theirs = Theirs::try_from(code).map_err(|_| Malformed::Code { part, given: code })?;
    Ours::try_from(theirs)
}

pub(crate) fn score(points: i32) -> Result<Score, Malformed> {
    Score::checked(points.into()).ok_or(Malformed::Score { given: points })
}

impl From<Window> for v1::Window {
    fn from(window: Window) -> v1::Window {
        v1::Window { alpha: window.alpha().points(), beta: window.beta().points() }
    }
}

impl TryFrom<v1::Window> for Window {
    type Error = Malformed;
    fn try_from(window: v1::Window) -> Result<Window, Malformed> {
        Ok(Window::try_from((score(window.alpha)?, score(window.beta)?))?)
    }
}

pub(crate) fn window(window: Option<v1::Window>) -> Result<Window, Malformed> {
    present(window, "the window")?.try_into()
}

impl From<Value> for v1::Value {
    fn from(value: Value) -> v1::Value {
        v1::Value { score: value.score.points(), bound: v1::Bound::from(value.bound).into() }
    }
}

impl TryFrom<v1::Value> for Value {
    type Error = Malformed;
    fn try_from(value: v1::Value) -> Result<Value, Malformed> {
        let bound = named::<v1::Bound, Bound>(value.bound, "the bound")?;
        Ok(Value { score: score(value.score)?, bound })
    }
}

/// A number of at most 8 bits.
pub(crate) fn byte(part: &'static str, given: u32, low: u8) -> Result<u8, Malformed> {
    let wrong =
        Malformed::Number { part, given: given.into(), low: low.into(), high: u8::MAX.into() };
    u8::try_from(given).ok().filter(|&byte| byte >= low).ok_or(wrong)
}

pub(crate) fn depth(code: u32) -> Result<Depth, Malformed> {
    byte("the depth", code, 0).map(Depth::from_code)
}

/// Moves as they are sent; what follows the first [`MAX_PATH`] is left out.
pub(crate) fn line_out(line: &[Move]) -> Vec<u32> {
    line.iter().take(MAX_PATH).map(|mv| mv.0.into()).collect()
}

pub(crate) fn moves(
    part: &'static str,
    codes: &[u32],
    limit: usize,
) -> Result<Vec<Move>, Malformed> {
    Malformed::if_longer(part, codes.len(), limit)?;
    codes.iter().map(|&code| mv(code)).collect()
}

fn mv(code: u32) -> Result<Move, Malformed> {
    let wrong =
        Malformed::Number { part: "a move", given: code.into(), low: 0, high: u16::MAX.into() };
    u16::try_from(code).map(Move).map_err(|_| wrong)
}

/// A reason for a person, cut to [`MAX_REASON`] bytes.
pub(crate) fn reason_out(mut reason: String) -> String {
    let end = (0..=MAX_REASON.min(reason.len())).rev().find(|&at| reason.is_char_boundary(at));
    reason.truncate(end.unwrap_or(0));
    reason
}

pub(crate) fn reason_in(reason: String) -> Result<String, Malformed> {
    Malformed::if_longer("the length of a reason", reason.len(), MAX_REASON)?;
    Ok(reason)
}

impl From<&Setup> for v1::Setup {
    fn from(setup: &Setup) -> v1::Setup {
        v1::Setup {
            game: setup.game.clone(),
            position: setup.position.clone(),
            depth: setup.depth.code().into(),
            window: Some(setup.window.into()),
            algorithm: v1::Algorithm::from(setup.algorithm).into(),
            order: v1::Order::from(setup.order).into(),
            quiescence: setup.quiescence.into(),
            deepening: setup.deepening.into(),
            policy: v1::Policy::from(setup.policy).into(),
            min_split: setup.min_split.into(),
            narrowing: setup.narrowing,
            table_mib: setup.table_mib,
            sharing: v1::Sharing::from(setup.sharing).into(),
        }
    }
}

impl TryFrom<v1::Setup> for Setup {
    type Error = Malformed;
    fn try_from(setup: v1::Setup) -> Result<Setup, Malformed> {
        Malformed::if_longer("the length of the game", setup.game.len(), GameSpec::MAX_TEXT)?;
        Malformed::if_longer("the length of the position", setup.position.len(), MAX_POSITION)?;
        let mib = u64::from(setup.table_mib);
        Malformed::unless_within("the table's size in MiB", mib, 0, MAX_TABLE_MIB.into())?;
        Ok(Setup {
            depth: depth(setup.depth)?,
            window: window(setup.window)?,
            algorithm: named::<v1::Algorithm, _>(setup.algorithm, "the algorithm")?,
            order: named::<v1::Order, _>(setup.order, "the order")?,
            quiescence: byte("the quiescence depth", setup.quiescence, 0)?,
            deepening: byte("the plies between iterations", setup.deepening, 0)?,
            policy: named::<v1::Policy, _>(setup.policy, "the policy")?,
            min_split: byte("the minimum split depth", setup.min_split, 1)?,
            narrowing: setup.narrowing,
            table_mib: setup.table_mib,
            sharing: named::<v1::Sharing, _>(setup.sharing, "the sharing of tables")?,
            game: setup.game,
            position: setup.position,
        })
    }
}

impl From<Tally> for v1::Tally {
    fn from(tally: Tally) -> v1::Tally {
        let used = tally.cutoffs.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        v1::Tally {
            nodes: tally.nodes,
            interior: tally.interior,
            leaves: tally.leaves,
            quiescence: tally.quiescence,
            probes: tally.probes,
            hits: tally.hits,
            table_cutoffs: tally.table_cutoffs,
            cutoffs: tally.cutoffs[..used].to_vec(),
            shared_hits: tally.shared_hits,
            shared_cutoffs: tally.shared_cutoffs,
            shared: tally.shared,
        }
    }
}

impl TryFrom<v1::Tally> for Tally {
    type Error = Malformed;
    fn try_from(tally: v1::Tally) -> Result<Tally, Malformed> {
        Malformed::if_longer("the number of cutoff places", tally.cutoffs.len(), CUTOFF_PLACES)?;
        let mut cutoffs = [0; CUTOFF_PLACES];
        for (ours, theirs) in cutoffs.iter_mut().zip(&tally.cutoffs) {
            *ours = count(*theirs)?;
        }
        Ok(Tally {
            nodes: count(tally.nodes)?,
            interior: count(tally.interior)?,
            leaves: count(tally.leaves)?,
            quiescence: count(tally.quiescence)?,
            probes: count(tally.probes)?,
            hits: count(tally.hits)?,
            table_cutoffs: count(tally.table_cutoffs)?,
            shared_hits: count(tally.shared_hits)?,
            shared_cutoffs: count(tally.shared_cutoffs)?,
            shared: count(tally.shared)?,
            cutoffs,
        })
    }
}

/// A count that sums of counts cannot overflow with.
pub(crate) fn count(given: u64) -> Result<u64, Malformed> {
    Malformed::unless_within("a count", given, 0, MAX_COUNT)
}

/// Largest count in one message of a worker, so that no sum of them overflows: nodes of half a year
/// at 256 million a second.
const MAX_COUNT: u64 = 1 << 52;

/// Nanoseconds: a moment, or what many slots needed together.
pub(crate) fn nanoseconds(given: u64) -> Result<u64, Malformed> {
    Malformed::unless_within("nanoseconds", given, 0, MAX_NANOSECONDS)
}

/// 146 years, of one slot or of many together.
const MAX_NANOSECONDS: u64 = 1 << 62;

impl From<Outcome> for v1::Outcome {
    fn from(outcome: Outcome) -> v1::Outcome {
        let outcome = match outcome {
            Outcome::Solved { value, line } => v1::outcome::Outcome::Solved(v1::Solved {
                value: Some(value.into()),
                line: line_out(&line),
            }),
            Outcome::Aborted => v1::outcome::Outcome::Aborted(v1::Aborted {}),
            Outcome::Failed { reason } => {
                v1::outcome::Outcome::Failed(v1::Failed { reason: reason_out(reason) })
            }
        };
        v1::Outcome { outcome: Some(outcome) }
    }
}

impl TryFrom<v1::Outcome> for Outcome {
    type Error = Malformed;
    fn try_from(outcome: v1::Outcome) -> Result<Outcome, Malformed> {
        Ok(match present(outcome.outcome, "the outcome")? {
            v1::outcome::Outcome::Solved(v1::Solved { value, line }) => Outcome::Solved {
                value: present(value, "the value")?.try_into()?,
                line: moves("the length of the line", &line, MAX_PATH)?,
            },
            v1::outcome::Outcome::Aborted(v1::Aborted {}) => Outcome::Aborted,
            v1::outcome::Outcome::Failed(v1::Failed { reason }) => {
                Outcome::Failed { reason: reason_in(reason)? }
            }
        })
    }
}
