//! What connections and threads have to say to the desk: [`Event`].

use crate::Error;
use crate::desk::{Desk, NotNow, Watcher};
use crate::outbox::Outbox;
use crate::slots::SlotReport;
use search::Problem;
use std::sync::Arc;
use tokio::sync::oneshot;
use tonic::Status;
use wire::v1::{CoordinatorMessage, StatusResponse};
use wire::{Greeting, SearchOrder};
use ybw::{Departure, FromWorker, SearchId, Slot, WorkerId};

/// One thing said.
pub(super) enum Event {
    /// A worker is there.
    Joined {
        greeting: Greeting,
        outbox: Arc<Outbox<CoordinatorMessage>>,
        reply: oneshot::Sender<WorkerId>,
    },
    /// A worker said this.
    Said { worker: WorkerId, messages: Vec<FromWorker> },
    /// A worker's stream ended.
    Departed { worker: WorkerId, departure: Departure },
    /// A worker said what no worker says.
    Breached { worker: WorkerId, last_word: Status },
    /// One of the coordinator's own threads did something.
    Reported { slot: Slot, report: SlotReport },
    /// A client wants something searched.
    Submitted {
        order: SearchOrder,
        problem: Arc<dyn Problem>,
        watcher: Watcher,
        reply: oneshot::Sender<Result<SearchId, NotNow>>,
    },
    /// A client gives a search up.
    Aborted { search: SearchId, reply: oneshot::Sender<bool> },
    /// The client that waited for a search is gone.
    Unwatched { search: SearchId },
    /// Somebody wants to know who is there.
    Asked { reply: oneshot::Sender<StatusResponse> },
}

impl Event {
    /// Hands it over. A reply that nobody waits for any more is dropped.
    pub(super) fn tell(self, desk: &mut Desk) -> Result<(), Error> {
        match self {
            Event::Joined { greeting, outbox, reply } => {
                let Greeting { name, slots, address, .. } = greeting;
                let _ = reply.send(desk.join(name, slots, address.map(Arc::from), outbox));
            }
            Event::Said { worker, messages } => desk.received(worker, messages),
            Event::Departed { worker, departure } => desk.departed(worker, departure),
            Event::Breached { worker, last_word } => desk.send_away(worker, last_word),
            Event::Reported { slot, report } => desk.reported(slot, report)?,
            Event::Submitted { order, problem, watcher, reply } => {
                let _ = reply.send(desk.submit(order, problem, watcher));
            }
            Event::Aborted { search, reply } => {
                let _ = reply.send(desk.abort(search));
            }
            Event::Unwatched { search } => {
                desk.abort(search);
            }
            Event::Asked { reply } => {
                let _ = reply.send(desk.status());
            }
        }
        Ok(())
    }
}
