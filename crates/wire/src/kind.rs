//! The kinds of messages, by which traffic is counted: [`Kind`].

use crate::v1::{self, coordinator_message, worker_message};
use ybw::{FromWorker, ToWorker};

/// A message of some kind.
pub trait Kind {
    /// The kind's name, the same for a message of the machines and its form on the wire.
    fn kind(&self) -> &'static str;
}

impl Kind for ToWorker {
    fn kind(&self) -> &'static str {
        match self {
            ToWorker::Prepare { .. } => "prepare",
            ToWorker::Assign(_) => "assign",
            ToWorker::Narrow { .. } => "narrow",
            ToWorker::Cancel { .. } => "cancel",
            ToWorker::Split { .. } => "split",
            ToWorker::Forget { .. } => "forget",
            ToWorker::Peers { .. } => "peers",
            ToWorker::Learn { .. } => "learn",
        }
    }
}

impl Kind for FromWorker {
    fn kind(&self) -> &'static str {
        match self {
            FromWorker::Result { .. } => "result",
            FromWorker::Offer { .. } => "offer",
            FromWorker::Stopped { .. } => "stopped",
            FromWorker::Progress { .. } => "progress",
            FromWorker::Narrowed { .. } => "narrowed",
            FromWorker::Returned { .. } => "returned",
            FromWorker::Leaving => "leaving",
            FromWorker::Unfit { .. } => "unfit",
        }
    }
}

impl Kind for v1::CoordinatorMessage {
    fn kind(&self) -> &'static str {
        use coordinator_message::Message;
        match &self.message {
            None => "unknown",
            Some(Message::Welcome(_)) => "welcome",
            Some(Message::Prepare(_)) => "prepare",
            Some(Message::Assign(_)) => "assign",
            Some(Message::Narrow(_)) => "narrow",
            Some(Message::Cancel(_)) => "cancel",
            Some(Message::Split(_)) => "split",
            Some(Message::Forget(_)) => "forget",
            Some(Message::Peers(_)) => "peers",
            Some(Message::Learn(_)) => "learn",
            Some(Message::Goodbye(_)) => "goodbye",
        }
    }
}

impl Kind for v1::WorkerMessage {
    fn kind(&self) -> &'static str {
        use worker_message::Message;
        match &self.message {
            None => "unknown",
            Some(Message::Hello(_)) => "hello",
            Some(Message::JobResult(_)) => "result",
            Some(Message::Offer(_)) => "offer",
            Some(Message::Stopped(_)) => "stopped",
            Some(Message::Progress(_)) => "progress",
            Some(Message::Narrowed(_)) => "narrowed",
            Some(Message::Returned(_)) => "returned",
            Some(Message::Leaving(_)) => "leaving",
            Some(Message::Unfit(_)) => "unfit",
            Some(Message::Goodbye(_)) => "goodbye",
        }
    }
}
