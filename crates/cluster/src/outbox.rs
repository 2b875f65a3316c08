//! Messages that wait to be sent: [`Outbox`].
//!
//! Two queues. Urgent messages keep their order. Windows come after them and only the latest of
//! each job is kept, so that a slow reader finds fresh windows instead of old ones, and no window
//! overtakes the message that made its job known.

use prost::Message;
use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio_stream::Stream;
use tonic::Status;
use wire::MAX_FRAME_BYTES;
use ybw::JobId;

/// Most urgent messages that may wait for one peer.
pub(crate) const MAX_OUTBOX_MESSAGES: usize = 1 << 16;
/// Most bytes of urgent messages that may wait for one peer.
pub(crate) const MAX_OUTBOX_BYTES: usize = 64 << 20;

/// The peer does not read what it is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Overflow;

/// What waits for one peer.
#[derive(Debug)]
pub(crate) struct Outbox<M> {
    inner: Mutex<Inner<M>>,
}

#[derive(Debug)]
struct Inner<M> {
    urgent: VecDeque<(M, usize)>,
    urgent_bytes: usize,
    windows: BTreeMap<JobId, M>,
    closed: bool,
    /// Said at the very end.
    last_word: Option<Status>,
    reader: Option<Waker>,
}

impl<M: Message> Outbox<M> {
    pub(crate) fn new() -> Arc<Outbox<M>> {
        Arc::new(Outbox {
            inner: Mutex::new(Inner {
                urgent: VecDeque::new(),
                urgent_bytes: 0,
                windows: BTreeMap::new(),
                closed: false,
                last_word: None,
                reader: None,
            }),
        })
    }

    /// Appends a message. One for a closed outbox is dropped.
    pub(crate) fn push(&self, message: M) -> Result<(), Overflow> {
        let mut inner = self.lock();
        if inner.closed {
            return Ok(());
        }
        let bytes = message.encoded_len();
        inner.urgent_bytes += bytes;
        inner.urgent.push_back((message, bytes));
        let full =
            inner.urgent.len() > MAX_OUTBOX_MESSAGES || inner.urgent_bytes > MAX_OUTBOX_BYTES;
        inner.wake();
        if full { Err(Overflow) } else { Ok(()) }
    }

    /// Puts the job's window in the place of an earlier one.
    pub(crate) fn push_window(&self, job: JobId, message: M) {
        let mut inner = self.lock();
        if !inner.closed {
            inner.windows.insert(job, message);
            inner.wake();
        }
    }

    /// Takes the job's window back, if it still waits.
    pub(crate) fn drop_window(&self, job: JobId) {
        self.lock().windows.remove(&job);
    }

    /// Ends the stream when everything that waits is sent.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.wake();
    }

    /// Ends the stream at once with a last word.
    pub(crate) fn fail(&self, last_word: Status) {
        let mut inner = self.lock();
        inner.urgent.clear();
        inner.windows.clear();
        inner.closed = true;
        inner.last_word = Some(last_word);
        inner.wake();
    }

    /// Whether nothing more will be sent than what waits.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// What waits, frame by frame, until the outbox is closed. Only one reader may read.
    pub(crate) fn frames(self: &Arc<Self>) -> Frames<M> {
        Frames(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Inner<M>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Message> Inner<M> {
    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// As much of what waits as fits into a frame, but at least one message if any waits.
    fn take_frame(&mut self) -> Vec<M> {
        let (mut frame, mut size) = (Vec::new(), 0);
        while let Some((message, bytes)) = self.urgent.pop_front() {
            if size > 0 && size + bytes > MAX_FRAME_BYTES {
                self.urgent.push_front((message, bytes));
                return frame;
            }
            size += bytes;
            self.urgent_bytes -= bytes;
            frame.push(message);
        }
        while size < MAX_FRAME_BYTES
            && let Some((_, message)) = self.windows.pop_first()
        {
            size += message.encoded_len();
            frame.push(message);
        }
        frame
    }
}

/// The stream of frames from an outbox.
#[derive(Debug)]
pub(crate) struct Frames<M>(Arc<Outbox<M>>);

impl<M: Message> Stream for Frames<M> {
    type Item = Result<Vec<M>, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut inner = self.0.lock();
        let frame = inner.take_frame();
        if !frame.is_empty() {
            return Poll::Ready(Some(Ok(frame)));
        }
        if inner.closed {
            return Poll::Ready(inner.last_word.take().map(Err));
        }
        inner.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_stream::StreamExt;
    use wire::v1::{self, coordinator_message::Message as Kind};

    fn message(kind: Kind) -> v1::CoordinatorMessage {
        v1::CoordinatorMessage { message: Some(kind) }
    }

    fn cancel(job: u64) -> v1::CoordinatorMessage {
        message(Kind::Cancel(v1::Cancel { job }))
    }

    fn narrow(job: u64, alpha: i32) -> v1::CoordinatorMessage {
        let window = Some(v1::Window { alpha, beta: 9 });
        message(Kind::Narrow(v1::Narrow { job, window }))
    }

    async fn rest(outbox: &Arc<Outbox<v1::CoordinatorMessage>>) -> Vec<v1::CoordinatorMessage> {
        outbox.close();
        let frames: Vec<_> = outbox.frames().map(Result::unwrap).collect().await;
        frames.concat()
    }

    #[tokio::test]
    async fn the_latest_window_of_each_job_comes_after_what_is_urgent() {
        let outbox = Outbox::new();
        outbox.push_window(JobId(2), narrow(2, 1));
        outbox.push_window(JobId(1), narrow(1, 5));
        outbox.push(cancel(7)).unwrap();
        outbox.push_window(JobId(2), narrow(2, 0));
        assert_eq!(rest(&outbox).await, [cancel(7), narrow(1, 5), narrow(2, 0)]);
    }

    #[tokio::test]
    async fn a_window_can_be_taken_back() {
        let outbox = Outbox::new();
        outbox.push_window(JobId(2), narrow(2, 1));
        outbox.drop_window(JobId(2));
        assert_eq!(rest(&outbox).await, []);
    }

    #[tokio::test]
    async fn frames_are_filled_up_to_their_limit() {
        let outbox = Outbox::new();
        let game = "x".repeat(MAX_FRAME_BYTES * 2 / 5);
        let setup = Some(v1::Setup { game, ..v1::Setup::default() });
        let large = message(Kind::Prepare(v1::Prepare { search: 1, setup }));
        for _ in 0..5 {
            outbox.push(large.clone()).unwrap();
        }
        outbox.close();
        let frames: Vec<_> = outbox.frames().map(|frame| frame.unwrap().len()).collect().await;
        assert_eq!(frames, [2, 2, 1]);
    }

    #[tokio::test]
    async fn a_peer_that_does_not_read_is_found_out_and_gets_a_last_word() {
        let outbox = Outbox::new();
        let pushed = (0..).take_while(|&job| outbox.push(cancel(job)).is_ok()).count();
        assert_eq!(pushed, MAX_OUTBOX_MESSAGES);
        outbox.fail(Status::resource_exhausted("read"));
        let frames: Vec<_> = outbox.frames().collect().await;
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].as_ref().unwrap_err().code(), tonic::Code::ResourceExhausted);
    }
}
