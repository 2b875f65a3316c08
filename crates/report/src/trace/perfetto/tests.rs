//! What is written is read as Perfetto reads it, and makes sense there.

use super::EventType;
use super::packets::{TracePacket, TrackEvent};
use crate::trace::{Fate, Story};
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

/// The trace holds what the story tells so many times over: tracks are described before they are used,
/// slices end and nest, times do not run backwards, and every arrow has both ends.
pub(crate) fn check_perfetto(bytes: &[u8], story: &Story, times: usize) {
    let trace = Trace::decode(bytes).expect("it is a trace");
    let mut tracks = BTreeSet::new();
    let mut events: BTreeMap<u64, Vec<(u64, TrackEvent)>> = BTreeMap::new();
    for packet in trace.packet {
        assert_eq!(packet.trusted_packet_sequence_id, Some(1));
        if let Some(descriptor) = packet.track_descriptor {
            if let Some(parent) = descriptor.parent_uuid {
                assert!(tracks.contains(&parent), "{descriptor:?}");
            }
            assert!(tracks.insert(descriptor.uuid.expect("a track has a name")));
        }
        if let Some(event) = packet.track_event {
            let track = event.track_uuid.expect("an event has a track");
            assert!(tracks.contains(&track), "{event:?}");
            let at = packet.timestamp.expect("an event has a time");
            events.entry(track).or_default().push((at, event));
        }
    }
    let slices: usize = events.values_mut().map(|events| check_track(events)).sum();
    let ran = story.jobs.iter().filter(|job| job.began.is_some()).count();
    let searches = story.searches.len();
    let depths: usize = story.searches.iter().map(|search| search.depths.len()).sum();
    assert_eq!(slices, times * (ran + searches + depths));
    let all: Vec<&(u64, TrackEvent)> = events.values().flatten().collect();
    check_flows(&all);
    let named = |start: &str| {
        all.iter().filter(|(_, e)| e.name.as_deref().is_some_and(|n| n.starts_with(start))).count()
    };
    let arrived = |u: &&crate::trace::Update| matches!(u.fate, Fate::Arrived { .. });
    assert_eq!(named("push "), times * story.updates.len());
    assert_eq!(named("window "), times * story.updates.iter().filter(arrived).count());
}

/// Slices on a track nest and end. Returns how many there are.
fn check_track(events: &mut [(u64, TrackEvent)]) -> usize {
    // As Perfetto does: by time, and as written where times are equal.
    events.sort_by_key(|&(at, _)| at);
    let (mut open, mut slices, mut last) = (0_i64, 0, 0);
    for (at, event) in events {
        assert!(*at >= last);
        last = *at;
        match event.kind.and_then(|kind| EventType::try_from(kind).ok()) {
            Some(EventType::SliceBegin) => {
                (open, slices) = (open + 1, slices + 1);
                assert_eq!(open, 1, "jobs of a slot do not overlap: {event:?}");
            }
            Some(EventType::SliceEnd) => open -= 1,
            Some(EventType::Instant) => assert!(event.name.is_some()),
            Some(EventType::Counter) => assert!(event.counter_value.is_some()),
            Some(EventType::Unspecified) | None => panic!("{event:?}"),
        }
        assert!(open >= 0, "{event:?}");
    }
    assert_eq!(open, 0);
    slices
}

/// Every arrow leads from one event to another one that is not earlier.
fn check_flows(events: &[&(u64, TrackEvent)]) {
    let mut begin: BTreeMap<u64, u64> = BTreeMap::new();
    let mut end: BTreeMap<u64, u64> = BTreeMap::new();
    for (at, event) in events {
        for &flow in &event.flow_ids {
            assert_eq!(begin.insert(flow, *at), None);
        }
        for &flow in &event.terminating_flow_ids {
            assert_eq!(end.insert(flow, *at), None);
        }
    }
    assert!(begin.keys().eq(end.keys()));
    for (flow, from) in &begin {
        assert!(from <= &end[flow], "flow {flow}");
    }
}
