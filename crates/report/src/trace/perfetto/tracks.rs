//! Packets on tracks: [`Tracks`] and the [`Mark`]s put on them.

use super::EventType;
use super::packets::{
    AnnotationValue, CounterDescriptor, DebugAnnotation, INCREMENTAL_STATE_CLEARED,
    ProcessDescriptor, TracePacket, TrackDescriptor, TrackEvent,
};
use prost::Message;
use std::collections::BTreeMap;
use std::io::{self, Write};
use ybw::WorkerId;

/// The field of a trace that holds its packets: number 1, length-delimited.
const PACKET_TAG: u8 = 0x0a;
/// All packets are of one writer.
const SEQUENCE: u32 = 1;

/// A slice or an instant: its name, what is known of it, and the arrows that end or begin there.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    name: String,
    category: Option<&'static str>,
    annotations: Vec<DebugAnnotation>,
    flows_in: Vec<u64>,
    flows_out: Vec<u64>,
}

impl Mark {
    pub(super) fn new(name: impl Into<String>) -> Mark {
        Mark { name: name.into(), ..Mark::default() }
    }

    pub(super) fn category(self, category: &'static str) -> Mark {
        Mark { category: Some(category), ..self }
    }

    pub(super) fn text(self, name: &str, value: impl Into<String>) -> Mark {
        self.annotate(name, AnnotationValue::Text(value.into()))
    }

    pub(super) fn count(self, name: &str, value: u64) -> Mark {
        self.annotate(name, AnnotationValue::Uint(value))
    }

    fn annotate(mut self, name: &str, value: AnnotationValue) -> Mark {
        let (name, value) = (Some(name.to_string()), Some(value));
        self.annotations.push(DebugAnnotation { value, name });
        self
    }

    /// An arrow ends here.
    pub(super) fn flow_in(mut self, flow: u64) -> Mark {
        self.flows_in.push(flow);
        self
    }

    /// An arrow begins here.
    pub(super) fn flow_out(mut self, flow: u64) -> Mark {
        self.flows_out.push(flow);
        self
    }
}

/// Writes packets, and describes each track before it is used.
pub(super) struct Tracks<W> {
    out: W,
    last_uuid: u64,
    last_flow: u64,
    pid: i32,
    coordinator: u64,
    searches: u64,
    depths: u64,
    process: u64,
    counters: BTreeMap<&'static str, u64>,
    workers: BTreeMap<WorkerId, u64>,
    slots: BTreeMap<(WorkerId, usize), u64>,
    title: String,
    began: bool,
}

impl<W: Write> Tracks<W> {
    pub(super) fn new(out: W) -> Tracks<W> {
        Tracks {
            out,
            last_uuid: 0,
            last_flow: 0,
            pid: 0,
            coordinator: 0,
            searches: 0,
            depths: 0,
            process: 0,
            counters: BTreeMap::new(),
            workers: BTreeMap::new(),
            slots: BTreeMap::new(),
            title: String::new(),
            began: false,
        }
    }

    pub(super) fn into_inner(self) -> W {
        self.out
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Begins the tracks of another coordinator.
    pub(super) fn begin(&mut self, title: &str) -> io::Result<()> {
        self.title = title.to_string();
        self.counters.clear();
        self.workers.clear();
        self.slots.clear();
        self.process = self.describe_process("coordinator")?;
        self.searches = self.describe("searches", self.process, None)?;
        self.depths = self.describe("depths", self.process, None)?;
        self.coordinator = self.describe("messages", self.process, None)?;
        Ok(())
    }

    /// The track of what the coordinator says and hears.
    pub(super) fn coordinator(&self) -> u64 {
        self.coordinator
    }

    /// The track of searches.
    pub(super) fn searches(&self) -> u64 {
        self.searches
    }

    /// The track of the depths of a search.
    pub(super) fn depths(&self) -> u64 {
        self.depths
    }

    /// Describes a worker.
    pub(super) fn worker(&mut self, worker: WorkerId, name: &str) -> io::Result<()> {
        let uuid = self.describe_process(&format!("{worker} {name}"))?;
        self.workers.insert(worker, uuid);
        Ok(())
    }

    /// The track of a worker as a whole.
    pub(super) fn worker_itself(&mut self, worker: WorkerId) -> io::Result<u64> {
        if !self.workers.contains_key(&worker) {
            self.worker(worker, "")?;
        }
        Ok(self.workers[&worker])
    }

    /// The track of a slot.
    pub(super) fn slot(&mut self, worker: WorkerId, slot: usize) -> io::Result<u64> {
        if let Some(&uuid) = self.slots.get(&(worker, slot)) {
            return Ok(uuid);
        }
        let parent = self.worker_itself(worker)?;
        let uuid = self.describe(&format!("slot {slot}"), parent, None)?;
        self.slots.insert((worker, slot), uuid);
        Ok(uuid)
    }

    /// A new arrow.
    pub(super) fn flow(&mut self) -> u64 {
        self.last_flow += 1;
        self.last_flow
    }

    /// Something that took from `began` to `ended`; the arrows in `out` begin where it ends.
    pub(super) fn slice(
        &mut self,
        began: u64,
        ended: u64,
        track: u64,
        mut mark: Mark,
        out: Vec<u64>,
    ) -> io::Result<()> {
        mark.flows_out.extend(out);
        self.event(began, track, EventType::SliceBegin, mark)?;
        self.event(ended.max(began), track, EventType::SliceEnd, Mark::default())
    }

    /// Something that happened at once.
    pub(super) fn instant(&mut self, at: u64, track: u64, mark: Mark) -> io::Result<()> {
        self.event(at, track, EventType::Instant, mark)
    }

    /// The value of a counter from now on.
    pub(super) fn count(&mut self, at: u64, name: &'static str, value: u64) -> io::Result<()> {
        let track = match self.counters.get(name) {
            Some(&track) => track,
            None => {
                let unit_name = Some(name.to_string());
                let counter = Some(CounterDescriptor { unit_name });
                let track = self.describe(name, self.process, counter)?;
                self.counters.insert(name, track);
                track
            }
        };
        let event = TrackEvent {
            kind: Some(EventType::Counter.into()),
            track_uuid: Some(track),
            counter_value: Some(i64::try_from(value).unwrap_or(i64::MAX)),
            ..TrackEvent::default()
        };
        self.packet(TracePacket {
            timestamp: Some(at),
            track_event: Some(event),
            ..TracePacket::default()
        })
    }

    fn event(&mut self, at: u64, track: u64, kind: EventType, mark: Mark) -> io::Result<()> {
        let Mark { name, category, annotations, flows_in, flows_out } = mark;
        let event = TrackEvent {
            debug_annotations: annotations,
            kind: Some(kind.into()),
            track_uuid: Some(track),
            categories: category.map(str::to_string).into_iter().collect(),
            name: (kind != EventType::SliceEnd).then_some(name),
            counter_value: None,
            flow_ids: flows_out,
            terminating_flow_ids: flows_in,
        };
        self.packet(TracePacket {
            timestamp: Some(at),
            track_event: Some(event),
            ..TracePacket::default()
        })
    }

    fn describe_process(&mut self, name: &str) -> io::Result<u64> {
        self.pid += 1;
        let name =
            if self.title.is_empty() { name.into() } else { format!("{}: {name}", self.title) };
        let process = ProcessDescriptor { pid: Some(self.pid), process_name: Some(name) };
        self.last_uuid += 1;
        let descriptor = TrackDescriptor {
            uuid: Some(self.last_uuid),
            process: Some(process),
            ..TrackDescriptor::default()
        };
        self.describe_as(descriptor)
    }

    fn describe(
        &mut self,
        name: &str,
        parent: u64,
        counter: Option<CounterDescriptor>,
    ) -> io::Result<u64> {
        self.last_uuid += 1;
        self.describe_as(TrackDescriptor {
            uuid: Some(self.last_uuid),
            name: Some(name.to_string()),
            process: None,
            parent_uuid: Some(parent),
            counter,
        })
    }

    fn describe_as(&mut self, descriptor: TrackDescriptor) -> io::Result<u64> {
        let uuid = self.last_uuid;
        self.packet(TracePacket { track_descriptor: Some(descriptor), ..TracePacket::default() })?;
        Ok(uuid)
    }

    fn packet(&mut self, packet: TracePacket) -> io::Result<()> {
        let first = !std::mem::replace(&mut self.began, true);
        let packet = TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: first.then_some(INCREMENTAL_STATE_CLEARED),
            ..packet
        };
        let mut bytes = vec![PACKET_TAG];
        packet.encode_length_delimited(&mut bytes).map_err(io::Error::other)?;
        self.out.write_all(&bytes)
    }
}
