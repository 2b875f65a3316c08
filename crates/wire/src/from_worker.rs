//! What workers say: [`WorkerSaid`].

use crate::error::{Malformed, present};
use crate::offer::handovers;
use crate::v1::{self, worker_message::Message as Wire};
use crate::vocabulary::{count, line_out, moves, nanoseconds, reason_in, reason_out};
use crate::{MAX_GAMES, MAX_NAME, MAX_SLOTS};
use game::Cutback;
use ybw::{FromWorker, JobId, MAX_PATH, Moment, SearchId, Spent, WindowEffect};

/// Anything a worker can say.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerSaid {
    /// The first message of a session.
    Hello(Greeting),
    /// For the coordinator machine.
    Machine(FromWorker),
    /// The last message of a session.
    Goodbye {
        /// Why, in words for a person.
        reason: String,
    },
}

/// How a worker introduces itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Greeting {
    /// The version of the protocol that it speaks.
    pub version: u32,
    /// Its search threads, at least 1.
    pub slots: u16,
    /// What people call it.
    pub name: String,
    /// The names of the games it can search.
    pub games: Vec<String>,
    /// Where other workers tell it what they found out, if it shares that.
    pub address: Option<String>,
}

impl From<WorkerSaid> for v1::WorkerMessage {
    fn from(said: WorkerSaid) -> v1::WorkerMessage {
        let message = match said {
            WorkerSaid::Hello(greeting) => Wire::Hello(v1::Hello {
                protocol_version: greeting.version,
                slots: greeting.slots.into(),
                name: greeting.name,
                games: greeting.games,
                address: greeting.address,
            }),
            WorkerSaid::Goodbye { reason } => {
                Wire::Goodbye(v1::Goodbye { reason: reason_out(reason) })
            }
            WorkerSaid::Machine(message) => machine_out(message),
        };
        v1::WorkerMessage { message: Some(message) }
    }
}

fn machine_out(message: FromWorker) -> Wire {
    let cost = |spent: Spent| Some(spent.into());
    match message {
        FromWorker::Result { job, value, line, spent } => Wire::JobResult(v1::JobResult {
            job: job.0,
            value: Some(value.into()),
            line: line_out(&line),
            spent: cost(spent),
        }),
        FromWorker::Offer { job, next, nodes, spent } => Wire::Offer(v1::Offer {
            job: job.0,
            next: next.0,
            nodes: nodes.iter().map(v1::OpenNode::from).collect(),
            spent: cost(spent),
        }),
        FromWorker::Stopped { job, spent } => {
            Wire::Stopped(v1::Stopped { job: job.0, spent: cost(spent) })
        }
        FromWorker::Progress { job, spent } => {
            Wire::Progress(v1::Progress { job: job.0, spent: cost(spent) })
        }
        FromWorker::Narrowed { job, window, effect, at } => Wire::Narrowed(v1::Narrowed {
            job: job.0,
            window: Some(window.into()),
            effect: Some(effect_out(effect)),
            at_ns: at.0,
        }),
        FromWorker::Returned { job, spent } => {
            Wire::Returned(v1::Returned { job: job.0, spent: cost(spent) })
        }
        FromWorker::Leaving => Wire::Leaving(v1::Leaving {}),
        FromWorker::Unfit { search, reason } => {
            Wire::Unfit(v1::Unfit { search: search.0, reason: reason_out(reason) })
        }
    }
}

impl TryFrom<v1::WorkerMessage> for WorkerSaid {
    type Error = Malformed;
    fn try_from(message: v1::WorkerMessage) -> Result<WorkerSaid, Malformed> {
        let machine = match present(message.message, "a known kind of message from a worker")? {
            Wire::Hello(hello) => return Ok(WorkerSaid::Hello(hello.try_into()?)),
            Wire::Goodbye(goodbye) => {
                return Ok(WorkerSaid::Goodbye { reason: reason_in(goodbye.reason)? });
            }
            Wire::JobResult(result) => FromWorker::Result {
                job: JobId(result.job),
                value: present(result.value, "the value")?.try_into()?,
                line: moves("the length of the line", &result.line, MAX_PATH)?,
                spent: spent(result.spent)?,
            },
            Wire::Offer(offer) => FromWorker::Offer {
                job: JobId(offer.job),
                next: JobId(offer.next),
                nodes: handovers(offer.nodes)?,
                spent: spent(offer.spent)?,
            },
            Wire::Stopped(v1::Stopped { job, spent: cost }) => {
                FromWorker::Stopped { job: JobId(job), spent: spent(cost)? }
            }
            Wire::Progress(v1::Progress { job, spent: cost }) => {
                FromWorker::Progress { job: JobId(job), spent: spent(cost)? }
            }
            Wire::Narrowed(v1::Narrowed { job, window, effect, at_ns }) => FromWorker::Narrowed {
                job: JobId(job),
                window: present(window, "the window")?.try_into()?,
                effect: effect_in(present(effect, "what the window did")?)?,
                at: Moment(nanoseconds(at_ns)?),
            },
            Wire::Returned(v1::Returned { job, spent: cost }) => {
                FromWorker::Returned { job: JobId(job), spent: spent(cost)? }
            }
            Wire::Leaving(v1::Leaving {}) => FromWorker::Leaving,
            Wire::Unfit(v1::Unfit { search, reason }) => {
                FromWorker::Unfit { search: SearchId(search), reason: reason_in(reason)? }
            }
        };
        Ok(WorkerSaid::Machine(machine))
    }
}

fn effect_out(effect: WindowEffect) -> v1::narrowed::Effect {
    match effect {
        WindowEffect::Waiting => v1::narrowed::Effect::Waiting(v1::WindowWaiting {}),
        WindowEffect::Applied(Cutback { open_nodes, saved, ended }) => {
            v1::narrowed::Effect::Applied(v1::Cutback { open_nodes, saved, ended })
        }
        WindowEffect::Late => v1::narrowed::Effect::Late(v1::WindowLate {}),
    }
}

fn effect_in(effect: v1::narrowed::Effect) -> Result<WindowEffect, Malformed> {
    Ok(match effect {
        v1::narrowed::Effect::Waiting(v1::WindowWaiting {}) => WindowEffect::Waiting,
        v1::narrowed::Effect::Applied(v1::Cutback { open_nodes, saved, ended }) => {
            WindowEffect::Applied(Cutback { open_nodes, saved: count(saved)?, ended })
        }
        v1::narrowed::Effect::Late(v1::WindowLate {}) => WindowEffect::Late,
    })
}

impl TryFrom<v1::Hello> for Greeting {
    type Error = Malformed;
    fn try_from(hello: v1::Hello) -> Result<Greeting, Malformed> {
        let slots = hello.slots.into();
        Malformed::unless_within("the number of slots", slots, 1, MAX_SLOTS.into())?;
        Malformed::if_longer("the length of the worker's name", hello.name.len(), MAX_NAME)?;
        Malformed::if_longer("the number of games", hello.games.len(), MAX_GAMES)?;
        let address = hello.address.as_ref().map_or(0, String::len);
        Malformed::if_longer("the length of the worker's address", address, MAX_NAME)?;
        for game in &hello.games {
            Malformed::if_longer("the length of a game's name", game.len(), MAX_NAME)?;
        }
        Ok(Greeting {
            version: hello.protocol_version,
            // Bounded by MAX_SLOTS, so it fits.
            slots: u16::try_from(slots).unwrap_or(u16::MAX),
            name: hello.name,
            games: hello.games,
            address: hello.address,
        })
    }
}

impl From<Spent> for v1::Spent {
    fn from(spent: Spent) -> v1::Spent {
        v1::Spent { tally: Some(spent.tally.into()), busy_ns: spent.busy_ns }
    }
}

/// A cost; one that is absent is nothing.
fn spent(spent: Option<v1::Spent>) -> Result<Spent, Malformed> {
    let Some(spent) = spent else {
        return Ok(Spent::default());
    };
    Ok(Spent { tally: spent.tally.unwrap_or_default().try_into()?, busy_ns: count(spent.busy_ns)? })
}
