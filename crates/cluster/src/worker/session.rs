//! One connection of a worker to its coordinator: [`Session`].

use super::{WorkerConfig, WorkerFact, WorkerObserver};
use crate::Error;
use crate::crew::Crew;
use crate::link::TRACEPARENT;
use crate::outbox::{Outbox, Overflow};
use crate::peers::TELL_INTERVAL;
use crate::slots::SlotReport;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_stream::StreamExt;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};
use wire::v1::coordinator_service_client::CoordinatorServiceClient;
use wire::v1::{SessionRequest, SessionResponse, WorkerMessage};
use wire::{CoordinatorSaid, Greeting, MAX_MESSAGE_BYTES, WorkerSaid};
use ybw::{FromWorker, Slot, WorkerInput};

/// How long the coordinator may take to answer a Hello.
const WELCOME_PATIENCE: Duration = Duration::from_secs(10);
/// How long the coordinator may take to answer a goodbye.
const GOODBYE_PATIENCE: Duration = Duration::from_secs(2);
/// Reports of threads taken in before the outbox is given a chance to be emptied.
const MAX_BATCH: usize = 256;

/// How a session ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// This worker left.
    Drained,
    /// The coordinator said goodbye.
    Dismissed { reason: String },
    /// The connection broke, or the coordinator did.
    Lost { cause: String },
}

/// A session, from Hello to Goodbye.
#[derive(Debug)]
pub(super) struct Session<'a> {
    crew: &'a mut Crew,
    reports: &'a mut UnboundedReceiver<(Slot, SlotReport)>,
    config: &'a WorkerConfig,
    observer: &'a WorkerObserver,
    joined: &'a watch::Sender<bool>,
    outbox: Arc<Outbox<WorkerMessage>>,
    welcomed: bool,
    /// Set once the worker is leaving: when it leaves at the latest.
    leaves_by: Option<Instant>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        crew: &'a mut Crew,
        reports: &'a mut UnboundedReceiver<(Slot, SlotReport)>,
        config: &'a WorkerConfig,
        observer: &'a WorkerObserver,
        joined: &'a watch::Sender<bool>,
    ) -> Session<'a> {
        let (outbox, welcomed, leaves_by) = (Outbox::new(), false, None);
        Session { crew, reports, config, observer, joined, outbox, welcomed, leaves_by }
    }

    pub(super) fn was_welcomed(&self) -> bool {
        self.welcomed
    }

    /// Works until the end. Nothing of the connection is left then, on either side of it.
    pub(super) async fn run(
        &mut self,
        channel: Channel,
        greeting: &Greeting,
        shutdown: &CancellationToken,
    ) -> Result<Ended, Error> {
        let inbound = match self.open(channel, greeting).await {
            Ok(inbound) => inbound,
            Err(status) => return self.not_opened(&status),
        };
        let ended = self.work(inbound, shutdown).await;
        self.outbox.close();
        ended
    }

    async fn open(
        &mut self,
        channel: Channel,
        greeting: &Greeting,
    ) -> Result<Streaming<SessionResponse>, Status> {
        self.say(WorkerSaid::Hello(greeting.clone()))?;
        let requests = self.outbox.frames().map_while(Result::ok);
        let requests = requests.map(|messages| SessionRequest { messages });
        let mut client =
            CoordinatorServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES);
        let late = |_| Status::deadline_exceeded("it did not answer the Hello");
        let response =
            timeout(WELCOME_PATIENCE, client.session(requests)).await.map_err(late)??;
        let traceparent = response.metadata().get(TRACEPARENT);
        let traceparent = traceparent.and_then(|value| value.to_str().ok());
        self.observer.note(WorkerFact::Opened { traceparent });
        Ok(response.into_inner())
    }

    fn not_opened(&self, status: &Status) -> Result<Ended, Error> {
        self.outbox.close();
        let reason = match status.code() {
            Code::FailedPrecondition => status.message().to_string(),
            Code::Unimplemented => "it is no coordinator of Eldest".to_string(),
            _ => return Ok(Ended::Lost { cause: said(status) }),
        };
        Err(Error::Refused { url: self.config.coordinator.clone(), reason })
    }

    async fn work(
        &mut self,
        mut inbound: Streaming<SessionResponse>,
        shutdown: &CancellationToken,
    ) -> Result<Ended, Error> {
        let mut telling = interval(TELL_INTERVAL);
        telling.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.may_leave() {
                return Ok(self.leave(inbound).await);
            }
            let last_moment = self.leaves_by.unwrap_or_else(Instant::now);
            let step = tokio::select! {
                frame = inbound.message() => self.heard(frame),
                Some((slot, report)) = self.reports.recv() => self.reported(slot, report)?,
                _ = telling.tick(), if self.crew.has_peers() => {
                    self.crew.tell_peers();
                    Ok(())
                }
                () = shutdown.cancelled(), if self.leaves_by.is_none() => self.begin_to_leave(),
                () = tokio::time::sleep_until(last_moment.into()), if self.leaves_by.is_some() => {
                    tracing::warn!("some jobs could not be given back in time");
                    return Ok(self.leave(inbound).await);
                }
            };
            if let Err(ended) = step {
                return Ok(ended);
            }
        }
    }

    /// Takes in a frame from the coordinator.
    fn heard(&mut self, frame: Result<Option<SessionResponse>, Status>) -> Result<(), Ended> {
        let frame = match frame {
            Ok(Some(frame)) => frame,
            Ok(None) => return Err(lost("it ended the session without a goodbye")),
            Err(status) => return Err(lost(&said(&status))),
        };
        for message in frame.messages {
            match CoordinatorSaid::try_from(message) {
                Ok(CoordinatorSaid::Machine(message)) => {
                    self.observer.note(WorkerFact::Heard(&message));
                    let messages = self.crew.handle(WorkerInput::Received(message));
                    self.pass_on(messages)?;
                }
                Ok(CoordinatorSaid::Welcome(worker)) => {
                    self.welcomed = true;
                    self.joined.send_replace(true);
                    self.observer.note(WorkerFact::Joined(worker));
                    let coordinator = &self.config.coordinator;
                    tracing::info!(%worker, coordinator, slots = self.config.threads, "joined");
                }
                Ok(CoordinatorSaid::Goodbye { reason }) => return Err(Ended::Dismissed { reason }),
                Err(malformed) => return Err(lost(&format!("it made no sense: {malformed}"))),
            }
        }
        Ok(())
    }

    /// Takes in what threads report, everything that waits at once.
    fn reported(&mut self, slot: Slot, report: SlotReport) -> Result<Result<(), Ended>, Error> {
        let mut messages = self.crew.reported(slot, report)?;
        for _ in 1..MAX_BATCH {
            let Ok((slot, report)) = self.reports.try_recv() else { break };
            messages.extend(self.crew.reported(slot, report)?);
        }
        Ok(self.pass_on(messages))
    }

    fn begin_to_leave(&mut self) -> Result<(), Ended> {
        tracing::info!("leaving: jobs go back to the coordinator");
        self.leaves_by = Some(Instant::now() + self.config.grace);
        let messages = self.crew.handle(WorkerInput::Draining);
        self.pass_on(messages)
    }

    fn may_leave(&self) -> bool {
        self.leaves_by.is_some() && self.crew.is_idle()
    }

    /// Says goodbye and waits until the coordinator has heard it.
    async fn leave(&mut self, mut inbound: Streaming<SessionResponse>) -> Ended {
        let reason = "the worker ends".to_string();
        if self.say(WorkerSaid::Goodbye { reason }).is_ok() {
            self.outbox.close();
            let heard = async { while let Ok(Some(_)) = inbound.message().await {} };
            if timeout(GOODBYE_PATIENCE, heard).await.is_err() {
                tracing::debug!("the coordinator did not answer the goodbye");
            }
        }
        Ended::Drained
    }

    fn pass_on(&mut self, messages: Vec<FromWorker>) -> Result<(), Ended> {
        for message in messages {
            self.observer.note(WorkerFact::Said(&message));
            self.say(WorkerSaid::Machine(message)).map_err(|status| lost(&said(&status)))?;
        }
        Ok(())
    }

    fn say(&self, what: WorkerSaid) -> Result<(), Status> {
        let full = |Overflow| Status::resource_exhausted("it does not read what it is sent");
        self.outbox.push(what.into()).map_err(full)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // A coordinator notices the end only if both directions end.
        self.outbox.close();
    }
}

fn lost(cause: &str) -> Ended {
    Ended::Lost { cause: cause.to_string() }
}

/// What a status says, with its cause if it has one.
fn said(status: &Status) -> String {
    crate::error::status_text(status)
}
