//! Spans of coordinator and worker as a real collector receives them.

#![cfg(feature = "otlp")]

mod program;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use program::{ELDEST, check_refused, printed};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// A collector that keeps what it receives, with the name of the service that sent it.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<(String, Span)>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut spans = self.0.lock().expect("nobody panicked");
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.map(|r| r.attributes).unwrap_or_default();
            let service = value(&attributes, "service.name").expect("a service has a name");
            let all = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            spans.extend(all.map(|span| (service.clone(), span)));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Listens on a thread of its own. Returns its address.
    fn start(&self) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("it can wait");
        let address = listener.local_addr().expect("it has one");
        let service = TraceServiceServer::new(self.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("it can be made").block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it listens");
                let incoming = TcpListenerStream::new(listener);
                let server = tonic::transport::Server::builder().add_service(service);
                server.serve_with_incoming(incoming).await
            })
        });
        format!("http://{address}")
    }

    fn of(&self, service: &str) -> Vec<Span> {
        let spans = self.0.lock().expect("nobody panicked");
        spans.iter().filter(|(name, _)| name == service).map(|(_, span)| span.clone()).collect()
    }
}

fn value(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some(text.clone()),
        any_value::Value::IntValue(number) => Some(number.to_string()),
        _ => None,
    }
}

fn start(arguments: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut command = Command::new(ELDEST);
    command.args(arguments).env_remove("ELDEST_LOG").stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    let log = BufReader::new(child.stderr.take().expect("it was asked for"));
    (child, log)
}

/// Ends a process as a supervisor does, so that it sends what is left.
fn end(mut child: Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill is there").success());
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn spans_of_both_processes_join_into_one_trace() {
    let collector = Collector::default();
    let otlp = collector.start();
    let listen = ["coordinator", "--listen", "127.0.0.1:0", "--threads", "0", "--otlp", &otlp];
    let (coordinator, log) = start(&listen);
    let listens = log.lines().map_while(Result::ok).find(|line| line.contains("listens"));
    let listens = listens.expect("it says where it listens");
    let (_, address) = listens.split_once("address=").expect("it names it");
    let url = format!("http://{}", address.split_whitespace().next().expect("it is not empty"));
    let names = ["left", "right"];
    let workers = names.map(|name| {
        let worker = ["worker", "--coordinator", &url, "--threads", "1", "--name", name];
        let (child, log) = start(&[&worker[..], &["--otlp", &otlp]].concat());
        let joined = log.lines().map_while(Result::ok).find(|line| line.contains("joined"));
        assert!(joined.is_some());
        child
    });
    printed(&["solve", "--suite", "ffo", "--only", "40", "--coordinator", &url]);
    workers.into_iter().for_each(end);
    end(coordinator);

    let (theirs, ours) = (collector.of("eldest-coordinator"), collector.of("eldest-worker"));
    let searches: Vec<&Span> = theirs.iter().filter(|span| span.name == "search").collect();
    assert_eq!(searches.len(), 1);
    assert_eq!(value(&searches[0].attributes, "eldest.outcome").as_deref(), Some("38"));
    assert!(searches[0].parent_span_id.is_empty());
    let trace = &searches[0].trace_id;
    assert!(theirs.iter().chain(&ours).all(|span| span.trace_id == *trace));
    let known: BTreeSet<&Vec<u8>> = theirs.iter().map(|span| &span.span_id).collect();
    assert_eq!(known.len(), theirs.len(), "no id is used twice");
    assert!(ours.len() > 10 && theirs.iter().any(|span| span.name == "hand-over"));
    for span in theirs.iter().chain(&ours).filter(|span| span.name != "search") {
        assert!(known.contains(&span.parent_span_id), "{span:?}");
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{span:?}");
    }
    let events: Vec<_> = theirs.iter().flat_map(|span| &span.events).collect();
    let pushed: Vec<_> = events.iter().filter(|event| event.name == "window pushed").collect();
    assert!(!pushed.is_empty());
    for event in pushed {
        for key in ["eldest.window.old", "eldest.window.new", "eldest.window.cause"] {
            assert!(value(&event.attributes, key).is_some(), "{key}: {event:?}");
        }
    }
    let arrived = events.iter().filter(|event| event.name == "window arrived");
    assert!(arrived.clone().count() > 0);
    for event in arrived {
        assert!(value(&event.attributes, "eldest.window.effect").is_some(), "{event:?}");
    }
}

#[test]
fn a_collector_that_is_not_there_is_no_harm_and_nonsense_is_refused() {
    let nowhere = ["coordinator", "--listen", "127.0.0.1:0", "--otlp", "http://127.0.0.1:1"];
    let (coordinator, log) = start(&nowhere);
    let listens = log.lines().map_while(Result::ok).find(|line| line.contains("listens"));
    let listens = listens.expect("it says where it listens");
    let (_, address) = listens.split_once("address=").expect("it names it");
    let url = format!("http://{}", address.split_whitespace().next().expect("it is not empty"));
    printed(&["solve", "--game", "connect:4x4", "--coordinator", &url]);
    end(coordinator);
    check_refused(&["coordinator", "--listen", "127.0.0.1:0", "--otlp", "::"], "--otlp ::");
}
