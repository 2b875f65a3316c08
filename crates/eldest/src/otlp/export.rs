//! Sends spans to a collector: [`Exporter`], and the [`Open`] spans that become some.

use crate::Failure;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::{Event, SpanKind};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc::{self, Receiver};
use tonic::transport::{Channel, Endpoint};

/// Spans that may wait to be sent; more are left out and counted.
const MAX_WAITING: usize = 1 << 14;
/// Spans that are sent at once.
const MAX_BATCH: usize = 512;
/// How long a span may wait for others.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long the collector may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is said, at most, that spans cannot be sent.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(60);

/// Sends spans in batches, on a thread of its own.
pub(super) struct Exporter {
    sender: Sender,
    thread: JoinHandle<()>,
}

/// Where spans are put to be sent. Never waits.
#[derive(Clone)]
pub(super) struct Sender {
    spans: mpsc::Sender<Span>,
    dropped: Arc<AtomicU64>,
}

impl Sender {
    pub(super) fn send(&self, span: Span) {
        if self.spans.try_send(span).is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
    }
}

impl Exporter {
    /// Sends to the collector at `url` in the name of `service`. A collector that is not there (yet)
    /// is no error: what cannot be sent is left out, and the log says so.
    pub(super) fn start(url: &str, service: &'static str) -> Result<Exporter, Failure> {
        let endpoint = Endpoint::from_shared(url.to_string()).map_err(|error| {
            let right = "give the address of a collector, as in http://localhost:4317";
            Failure::given(format!("--otlp {url}: {error}; {right}"))
        })?;
        let endpoint = endpoint.connect_timeout(PATIENCE).timeout(PATIENCE);
        let (spans, waiting) = mpsc::channel(MAX_WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = dropped.clone();
        let thread = std::thread::Builder::new().name("otlp".into()).spawn(move || {
            let sending = cluster::block_on(send(endpoint, service, waiting, &counted));
            if let Err(error) = sending {
                tracing::error!(%error, "no spans are sent");
            }
        });
        let thread =
            thread.map_err(|error| Failure::run(format!("cannot start a thread: {error}")))?;
        Ok(Exporter { sender: Sender { spans, dropped }, thread })
    }

    pub(super) fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Sends what waits. All other senders must be gone.
    pub(super) fn finish(self) {
        drop(self.sender);
        if self.thread.join().is_err() {
            tracing::error!("the thread that sends spans died");
        }
    }
}

async fn send(
    endpoint: Endpoint,
    service: &'static str,
    mut waiting: Receiver<Span>,
    dropped: &AtomicU64,
) {
    let mut client = TraceServiceClient::new(endpoint.connect_lazy());
    let mut complained: Option<Instant> = None;
    loop {
        let mut spans = Vec::new();
        let Some(first) = waiting.recv().await else { return };
        spans.push(first);
        let until = tokio::time::Instant::now() + INTERVAL;
        while spans.len() < MAX_BATCH {
            match tokio::time::timeout_at(until, waiting.recv()).await {
                Ok(Some(span)) => spans.push(span),
                Ok(None) | Err(_) => break,
            }
        }
        let number = spans.len();
        if let Err(error) = export(&mut client, service, spans).await {
            dropped.fetch_add(number as u64, Relaxed);
            if complained.is_none_or(|then| then.elapsed() >= COMPLAINT_INTERVAL) {
                let dropped = dropped.load(Relaxed);
                tracing::warn!(%error, dropped, "spans cannot be sent to the collector");
                complained = Some(Instant::now());
            }
            if waiting.is_closed() {
                // The process ends; it does not wait for a collector that does not answer.
                return;
            }
        }
    }
}

async fn export(
    client: &mut TraceServiceClient<Channel>,
    service: &str,
    spans: Vec<Span>,
) -> Result<(), tonic::Status> {
    let version = env!("CARGO_PKG_VERSION").to_string();
    let scope = InstrumentationScope { name: "eldest".into(), version, ..Default::default() };
    let scope_spans = vec![ScopeSpans { scope: Some(scope), spans, ..Default::default() }];
    let attributes = vec![text("service.name", service)];
    let resource = Some(Resource { attributes, ..Default::default() });
    let resource_spans = vec![ResourceSpans { resource, scope_spans, ..Default::default() }];
    client.export(ExportTraceServiceRequest { resource_spans }).await.map(drop)
}

/// A span that has begun.
pub(super) struct Open(Span);

impl Open {
    pub(super) fn new(
        trace: Vec<u8>,
        span: Vec<u8>,
        parent: Vec<u8>,
        name: impl Into<String>,
        began: u64,
    ) -> Open {
        Open(Span {
            trace_id: trace,
            span_id: span,
            parent_span_id: parent,
            name: name.into(),
            kind: SpanKind::Internal.into(),
            start_time_unix_nano: began,
            ..Default::default()
        })
    }

    pub(super) fn with(mut self, attribute: KeyValue) -> Open {
        self.0.attributes.push(attribute);
        self
    }

    pub(super) fn note(&mut self, at: u64, name: &str, attributes: Vec<KeyValue>) {
        let name = name.to_string();
        self.0.events.push(Event { time_unix_nano: at, name, attributes, ..Default::default() });
    }

    pub(super) fn end(self, at: u64, attributes: Vec<KeyValue>) -> Span {
        let Open(mut span) = self;
        span.end_time_unix_nano = at.max(span.start_time_unix_nano);
        span.attributes.extend(attributes);
        span
    }
}

pub(super) fn text(key: &str, value: impl Into<String>) -> KeyValue {
    attribute(key, any_value::Value::StringValue(value.into()))
}

pub(super) fn count(key: &str, value: u64) -> KeyValue {
    attribute(key, any_value::Value::IntValue(i64::try_from(value).unwrap_or(i64::MAX)))
}

fn attribute(key: &str, value: any_value::Value) -> KeyValue {
    let value = Some(AnyValue { value: Some(value) });
    KeyValue { key: key.to_string(), value, ..Default::default() }
}

/// Nanoseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
