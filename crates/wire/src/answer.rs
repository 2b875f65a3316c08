//! How a search ended and what it cost: [`Answer`].

use crate::error::{Malformed, present};
use crate::vocabulary::{count, nanoseconds};
use crate::{MAX_KINDS, v1};
use report::{Count, Delays, Facts, Traffic};
use std::collections::BTreeMap;
use ybw::MAX_PATH;

/// The last thing a client is told of its search.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The best line in the game's notation, as far as it is known.
    pub line_text: Vec<String>,
    /// How it ended and what it cost.
    pub facts: Facts,
}

impl From<Answer> for v1::Answer {
    fn from(answer: Answer) -> v1::Answer {
        v1::Answer { line_text: answer.line_text, facts: Some(answer.facts.into()) }
    }
}

impl TryFrom<v1::Answer> for Answer {
    type Error = Malformed;
    fn try_from(answer: v1::Answer) -> Result<Answer, Malformed> {
        Malformed::if_longer("the length of the line", answer.line_text.len(), MAX_PATH)?;
        let facts = present(answer.facts, "the facts")?.try_into()?;
        Ok(Answer { line_text: answer.line_text, facts })
    }
}

impl From<Facts> for v1::Facts {
    fn from(facts: Facts) -> v1::Facts {
        v1::Facts {
            outcome: Some(facts.outcome.into()),
            elapsed_ns: facts.elapsed_ns,
            slots: facts.slots,
            tally: Some(facts.tally.into()),
            discarded_nodes: facts.discarded_nodes,
            busy_ns: facts.busy_ns,
            windows_pushed: facts.windows_pushed,
            windows_applied: facts.windows_applied,
            windows_cut: facts.windows_cut,
            windows_waiting: facts.windows_waiting,
            windows_late: facts.windows_late,
            jobs_assigned: facts.jobs_assigned,
            splits_wished: facts.splits_wished,
            nodes_adopted: facts.nodes_adopted,
            jobs_cancelled: facts.jobs_cancelled,
            brothers_reopened: facts.brothers_reopened,
            late_messages: facts.late_messages,
            workers_lost: facts.workers_lost,
            traffic: Some(facts.traffic.into()),
            window_delays: delays_out(&facts.window_delays),
        }
    }
}

impl TryFrom<v1::Facts> for Facts {
    type Error = Malformed;
    fn try_from(facts: v1::Facts) -> Result<Facts, Malformed> {
        Ok(Facts {
            outcome: present(facts.outcome, "the outcome")?.try_into()?,
            elapsed_ns: nanoseconds(facts.elapsed_ns)?,
            slots: facts.slots,
            tally: facts.tally.unwrap_or_default().try_into()?,
            discarded_nodes: count(facts.discarded_nodes)?,
            busy_ns: nanoseconds(facts.busy_ns)?,
            windows_pushed: count(facts.windows_pushed)?,
            windows_applied: count(facts.windows_applied)?,
            windows_cut: count(facts.windows_cut)?,
            windows_waiting: count(facts.windows_waiting)?,
            windows_late: count(facts.windows_late)?,
            jobs_assigned: count(facts.jobs_assigned)?,
            splits_wished: count(facts.splits_wished)?,
            nodes_adopted: count(facts.nodes_adopted)?,
            jobs_cancelled: count(facts.jobs_cancelled)?,
            brothers_reopened: count(facts.brothers_reopened)?,
            late_messages: count(facts.late_messages)?,
            workers_lost: count(facts.workers_lost)?,
            traffic: facts.traffic.unwrap_or_default().try_into()?,
            window_delays: delays_in(&facts.window_delays)?,
        })
    }
}

fn delays_out(delays: &Delays) -> Vec<v1::Delay> {
    delays.buckets().map(|(us, number)| v1::Delay { us, number }).collect()
}

fn delays_in(delays: &[v1::Delay]) -> Result<Delays, Malformed> {
    Malformed::if_longer("the number of different delays", delays.len(), Delays::MAX_BUCKETS)?;
    delays.iter().map(|delay| Ok((delay.us, count(delay.number)?))).collect()
}

impl From<Traffic> for v1::Traffic {
    fn from(traffic: Traffic) -> v1::Traffic {
        let out = |counts: BTreeMap<String, Count>| {
            let one = |(kind, Count { messages, bytes })| (kind, v1::Count { messages, bytes });
            counts.into_iter().map(one).collect()
        };
        v1::Traffic { to_workers: out(traffic.to_workers), from_workers: out(traffic.from_workers) }
    }
}

impl TryFrom<v1::Traffic> for Traffic {
    type Error = Malformed;
    fn try_from(traffic: v1::Traffic) -> Result<Traffic, Malformed> {
        let within =
            |counts: BTreeMap<String, v1::Count>| -> Result<BTreeMap<String, Count>, Malformed> {
                Malformed::if_longer("the number of kinds of messages", counts.len(), MAX_KINDS)?;
                let one = |(kind, v1::Count { messages, bytes })| {
                    let count = Count { messages: count(messages)?, bytes: count(bytes)? };
                    Ok((kind, count))
                };
                counts.into_iter().map(one).collect()
            };
        Ok(Traffic {
            to_workers: within(traffic.to_workers)?,
            from_workers: within(traffic.from_workers)?,
        })
    }
}
