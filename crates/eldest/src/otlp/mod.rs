//! Spans for an OpenTelemetry collector: search, job, hand-over, and window updates as events of jobs.
//!
//! Every job has a span of the coordinator and one of the worker below it, both in the trace of their search.
//! The context is carried once, in the metadata of a worker's session: the identity of the coordinator's run.
//! From it, and the names of search and job, both sides compute the same ids, so that no message
//! grows by what nobody may ever look at.

#[cfg(feature = "otlp")]
mod coordinator;
#[cfg(feature = "otlp")]
mod export;
#[cfg(feature = "otlp")]
mod ids;
#[cfg(feature = "otlp")]
mod worker;

use crate::Failure;
use clap::Args;
use cluster::{Observer, WorkerObserver};

/// The option that asks for spans.
#[derive(Args, Debug)]
pub(crate) struct OtlpArgs {
    /// Send spans to the OpenTelemetry collector at this address over gRPC, as in
    /// http://localhost:4317; needs a program built with `--features otlp`
    #[arg(long, value_name = "URL", env = "ELDEST_OTLP")]
    otlp: Option<String>,
}

/// What makes and sends spans, if any are wanted.
pub(crate) struct Spans<O> {
    /// Is told what happens.
    pub(crate) observer: O,
    /// What workers are to be told, of a coordinator that makes spans.
    pub(crate) traceparent: Option<String>,
    #[cfg(feature = "otlp")]
    exporter: Option<export::Exporter>,
}

#[cfg(feature = "otlp")]
impl OtlpArgs {
    /// The spans of a coordinator.
    pub(crate) fn coordinator(&self) -> Result<Spans<Observer>, Failure> {
        let Some(url) = &self.otlp else { return Ok(Spans::none()) };
        let exporter = export::Exporter::start(url, "eldest-coordinator")?;
        let run = ids::Run::new()?;
        let observer = coordinator::observer(run, exporter.sender());
        let traceparent = Some(run.traceparent());
        Ok(Spans { observer, traceparent, exporter: Some(exporter) })
    }

    /// The spans of a worker.
    pub(crate) fn worker(&self) -> Result<Spans<WorkerObserver>, Failure> {
        let Some(url) = &self.otlp else { return Ok(Spans::none()) };
        let exporter = export::Exporter::start(url, "eldest-worker")?;
        let observer = worker::observer(exporter.sender());
        Ok(Spans { observer, traceparent: None, exporter: Some(exporter) })
    }
}

#[cfg(feature = "otlp")]
impl<O: Default> Spans<O> {
    fn none() -> Spans<O> {
        Spans { observer: O::default(), traceparent: None, exporter: None }
    }

    /// Sends what is left.
    pub(crate) fn finish(self) {
        drop(self.observer);
        if let Some(exporter) = self.exporter {
            exporter.finish();
        }
    }
}

#[cfg(not(feature = "otlp"))]
impl OtlpArgs {
    /// No spans, or a refusal to make some.
    pub(crate) fn coordinator(&self) -> Result<Spans<Observer>, Failure> {
        self.none()
    }

    /// No spans, or a refusal to make some.
    pub(crate) fn worker(&self) -> Result<Spans<WorkerObserver>, Failure> {
        self.none()
    }

    fn none<O: Default>(&self) -> Result<Spans<O>, Failure> {
        match &self.otlp {
            Some(url) => Err(Failure::given(format!(
                "--otlp {url}: this program was built without it; build it with `cargo build --release \
                 --features otlp`"
            ))),
            None => Ok(Spans { observer: O::default(), traceparent: None }),
        }
    }
}

#[cfg(not(feature = "otlp"))]
impl<O> Spans<O> {
    /// There is nothing to send.
    pub(crate) fn finish(self) {}
}
