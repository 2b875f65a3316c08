//! What the coordinator says: [`CoordinatorSaid`].

use crate::error::{Malformed, present};
use crate::findings::{findings_in, findings_out};
use crate::v1::{self, coordinator_message::Message as Wire};
use crate::vocabulary::{byte, depth, line_out, moves, named, reason_in, reason_out, window};
use crate::{MAX_NAME, MAX_PEERS};
use game::{NodeKind, Question, Subtree};
use std::sync::Arc;
use ybw::{Assignment, JobId, MAX_PATH, Peer, SearchId, ToWorker, Wish, WorkerId};

/// Anything the coordinator can say.
#[derive(Clone, PartialEq, Debug)]
pub enum CoordinatorSaid {
    /// The first message of a session.
    Welcome(WorkerId),
    /// For the worker machine.
    Machine(ToWorker),
    /// The last message of a session.
    Goodbye {
        /// Why, in words for a person.
        reason: String,
    },
}

impl From<CoordinatorSaid> for v1::CoordinatorMessage {
    fn from(said: CoordinatorSaid) -> v1::CoordinatorMessage {
        let message = match said {
            CoordinatorSaid::Welcome(worker) => Wire::Welcome(v1::Welcome { worker: worker.0 }),
            CoordinatorSaid::Goodbye { reason } => {
                Wire::Goodbye(v1::Goodbye { reason: reason_out(reason) })
            }
            CoordinatorSaid::Machine(message) => machine_out(message),
        };
        v1::CoordinatorMessage { message: Some(message) }
    }
}

fn machine_out(message: ToWorker) -> Wire {
    match message {
        ToWorker::Prepare { search, setup } => {
            Wire::Prepare(v1::Prepare { search: search.0, setup: Some((&*setup).into()) })
        }
        ToWorker::Assign(assignment) => Wire::Assign(assignment.into()),
        ToWorker::Narrow { job, window } => {
            Wire::Narrow(v1::Narrow { job: job.0, window: Some(window.into()) })
        }
        ToWorker::Cancel { job } => Wire::Cancel(v1::Cancel { job: job.0 }),
        ToWorker::Split { job, wish: Wish { next, grain } } => {
            Wire::Split(v1::Split { job: job.0, next: next.0, grain: grain.into() })
        }
        ToWorker::Forget { search } => Wire::Forget(v1::Forget { search: search.0 }),
        ToWorker::Peers { search, own, members, joined, gone } => Wire::Peers(v1::Peers {
            search: search.0,
            own: own.0,
            members,
            joined: joined.into_iter().map(v1::Peer::from).collect(),
            gone: gone.into_iter().map(|worker| worker.0).collect(),
        }),
        ToWorker::Learn { search, findings } => {
            Wire::Learn(v1::Learn { search: search.0, findings: Some(findings_out(&findings)) })
        }
    }
}

impl From<Peer> for v1::Peer {
    fn from(peer: Peer) -> v1::Peer {
        v1::Peer { worker: peer.worker.0, address: peer.address.to_string() }
    }
}

fn peers_in(peers: v1::Peers) -> Result<ToWorker, Malformed> {
    let v1::Peers { search, joined, gone, own, members } = peers;
    Malformed::if_longer("the number of peers", joined.len().max(gone.len()), MAX_PEERS)?;
    let peer = |v1::Peer { worker, address }| {
        Malformed::if_longer("the length of a peer's address", address.len(), MAX_NAME)?;
        Ok(Peer { worker: WorkerId(worker), address: address.into() })
    };
    Ok(ToWorker::Peers {
        search: SearchId(search),
        own: WorkerId(own),
        members,
        joined: joined.into_iter().map(peer).collect::<Result<_, Malformed>>()?,
        gone: gone.into_iter().map(WorkerId).collect(),
    })
}

impl TryFrom<v1::CoordinatorMessage> for CoordinatorSaid {
    type Error = Malformed;
    fn try_from(message: v1::CoordinatorMessage) -> Result<CoordinatorSaid, Malformed> {
        let message = present(message.message, "a known kind of message from a coordinator")?;
        let machine = match message {
            Wire::Welcome(welcome) => {
                return Ok(CoordinatorSaid::Welcome(WorkerId(welcome.worker)));
            }
            Wire::Goodbye(goodbye) => {
                return Ok(CoordinatorSaid::Goodbye { reason: reason_in(goodbye.reason)? });
            }
            Wire::Prepare(v1::Prepare { search, setup }) => ToWorker::Prepare {
                search: SearchId(search),
                setup: Arc::new(present(setup, "the setup")?.try_into()?),
            },
            Wire::Assign(assign) => ToWorker::Assign(assign.try_into()?),
            Wire::Narrow(narrow) => {
                ToWorker::Narrow { job: JobId(narrow.job), window: window(narrow.window)? }
            }
            Wire::Cancel(cancel) => ToWorker::Cancel { job: JobId(cancel.job) },
            Wire::Split(v1::Split { job, next, grain }) => {
                let grain = byte("the grain of a split", grain, 0)?;
                ToWorker::Split { job: JobId(job), wish: Wish { next: JobId(next), grain } }
            }
            Wire::Forget(forget) => ToWorker::Forget { search: SearchId(forget.search) },
            Wire::Peers(peers) => peers_in(peers)?,
            Wire::Learn(v1::Learn { search, findings }) => {
                ToWorker::Learn { search: SearchId(search), findings: findings_in(findings)? }
            }
        };
        Ok(CoordinatorSaid::Machine(machine))
    }
}

impl From<Assignment> for v1::Assign {
    fn from(assignment: Assignment) -> v1::Assign {
        let Assignment { job, search, subtree } = assignment;
        v1::Assign {
            job: job.0,
            search: search.0,
            path: subtree.path.iter().map(|mv| mv.0.into()).collect(),
            depth: subtree.depth.code().into(),
            window: Some(subtree.question.window.into()),
            kind: v1::NodeKind::from(subtree.question.kind).into(),
            hint: line_out(&subtree.hint),
        }
    }
}

impl TryFrom<v1::Assign> for Assignment {
    type Error = Malformed;
    fn try_from(assign: v1::Assign) -> Result<Assignment, Malformed> {
        let kind = named::<v1::NodeKind, NodeKind>(assign.kind, "the kind of node")?;
        let subtree = Subtree {
            path: moves("the length of the path", &assign.path, MAX_PATH)?,
            depth: depth(assign.depth)?,
            question: Question { window: window(assign.window)?, kind },
            hint: moves("the length of the hint", &assign.hint, MAX_PATH)?,
        };
        Ok(Assignment { job: JobId(assign.job), search: SearchId(assign.search), subtree })
    }
}
