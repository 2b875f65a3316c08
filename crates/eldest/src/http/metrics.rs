//! Metrics for Prometheus: `GET /metrics`, and what writes them, [`Exposition`].

use axum::Router;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use axum::routing::get;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode as encode_open_metrics;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder};
use prometheus_client::encoding::{EncodeLabelSet, NoLabelSet, prometheus_text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use report::Delays;
use std::fmt;
use std::sync::Arc;

/// Upper ends of the buckets of delays: 15 us, 31 us, ... 32 s. Delays are counted in buckets that end there.
const DELAY_BUCKETS: std::ops::RangeInclusive<u32> = 4..=25;

/// The page at `/metrics`: what `collector` has to say, in the format that is asked for.
pub(crate) fn routes(collector: impl Collector) -> Router {
    let mut registry = Registry::with_prefix("eldest");
    registry.register_collector(Box::new(collector));
    let registry = Arc::new(registry);
    Router::new().route("/metrics", get(async move |headers: HeaderMap| show(&registry, &headers)))
}

fn show(registry: &Registry, headers: &HeaderMap) -> ([(HeaderName, &'static str); 1], String) {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut text = String::new();
    let (written, kind) = if accepted.contains("application/openmetrics-text") {
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        (encode_open_metrics(&mut text, registry), kind)
    } else {
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        (prometheus_text::encode(&mut text, registry), kind)
    };
    written.expect("a text has room for more");
    ([(CONTENT_TYPE, kind)], text)
}

/// Writes metrics one after the other.
pub(crate) struct Exposition<'a>(DescriptorEncoder<'a>);

impl<'a> Exposition<'a> {
    pub(crate) fn new(encoder: DescriptorEncoder<'a>) -> Exposition<'a> {
        Exposition(encoder)
    }

    /// Something that only grows.
    pub(crate) fn counter(&mut self, name: &str, help: &str, count: u64) -> fmt::Result {
        self.one(name, help, None, MetricType::Counter, &ConstCounter::new(count))
    }

    /// Time that only grows, in nanoseconds; shown in seconds.
    pub(crate) fn seconds(&mut self, name: &str, help: &str, ns: u64) -> fmt::Result {
        let seconds = ConstCounter::new(seconds(ns));
        self.one(name, help, Some(&Unit::Seconds), MetricType::Counter, &seconds)
    }

    /// Something that grows and shrinks.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        self.one(name, help, None, MetricType::Gauge, &ConstGauge::new(value))
    }

    /// What a program is, as labels.
    pub(crate) fn info(&mut self, name: &str, help: &str, label: (&str, &str)) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, None, MetricType::Gauge)?;
        let labels = [label];
        ConstGauge::new(1_i64).encode(encoder.encode_family(&labels)?)
    }

    /// Counters that differ in one label.
    pub(crate) fn counters<'b>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        counts: impl IntoIterator<Item = (&'b str, u64)>,
    ) -> fmt::Result {
        self.family(name, help, counts.into_iter().map(|(value, count)| ([(label, value)], count)))
    }

    /// Counters that differ in their labels.
    pub(crate) fn family<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        counts: impl IntoIterator<Item = (L, u64)>,
    ) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (labels, count) in counts {
            ConstCounter::new(count).encode(encoder.encode_family(&labels)?)?;
        }
        Ok(())
    }

    /// How long something took, many times.
    pub(crate) fn delays(&mut self, name: &str, help: &str, delays: &Delays) -> fmt::Result {
        let unit = Unit::Seconds;
        let mut encoder =
            self.0.encode_descriptor(name, help, Some(&unit), MetricType::Histogram)?;
        let (mut buckets, mut sum) = (Vec::new(), 0.0);
        let mut all = delays.buckets().peekable();
        for bits in DELAY_BUCKETS {
            let end = (1_u32 << bits) - 1;
            let mut number = 0;
            while let Some((us, count)) = all.next_if(|&(us, _)| us <= end) {
                number += count;
                sum += f64::from(us) / 1e6 * number_of(count);
            }
            buckets.push((f64::from(end) / 1e6, number));
        }
        let rest: u64 = all
            .map(|(us, count)| {
                sum += f64::from(us) / 1e6 * number_of(count);
                count
            })
            .sum();
        buckets.push((f64::INFINITY, rest));
        encoder.encode_histogram::<NoLabelSet>(sum, delays.number(), &buckets, None)
    }

    fn one(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        kind: MetricType,
        metric: &impl EncodeMetric,
    ) -> fmt::Result {
        let encoder: MetricEncoder<'_> = self.0.encode_descriptor(name, help, unit, kind)?;
        metric.encode(encoder)
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn number_of(count: u64) -> f64 {
    count as f64
}
