//! A cluster on this host for one pass: [`Loopback`].

use crate::Failure;
use crate::engine::{Engine, slots};
use cluster::{Client, Coordinator, CoordinatorConfig, Observer};
use search::Catalogue;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long the processes of a pass may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked whether all workers have joined.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// A coordinator without search threads in this process, on a port of its own, and worker processes that
/// reach it over gRPC. Dropping it kills the workers; when this process dies they end by themselves.
pub(super) struct Loopback {
    client: Client,
    workers: Vec<Child>,
    /// Ends the coordinator.
    coordinator: DropGuard,
    /// Told when the coordinator has ended.
    ended: oneshot::Receiver<()>,
}

impl Loopback {
    /// Starts coordinator and workers, and waits until all have joined.
    pub(super) async fn start(
        catalogue: Catalogue,
        workers: u32,
        threads: u16,
        observer: Observer,
    ) -> Result<Loopback, Failure> {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let coordinator = Coordinator::bind(CoordinatorConfig::new(listen, 0), catalogue)?;
        let coordinator = coordinator.observed_by(observer);
        let url = format!("http://{}", coordinator.local_addr());
        let shutdown = CancellationToken::new();
        let guard = shutdown.clone().drop_guard();
        let thread = std::thread::Builder::new().name("coordinator".into());
        let (ends, ended) = oneshot::channel();
        let thread = thread.spawn(move || {
            let result = cluster::block_on(coordinator.run(shutdown));
            // Nobody waits for it if the pass was given up.
            let _ = ends.send(());
            result
        });
        thread.map_err(|error| Failure::run(format!("cannot start a thread: {error}")))?;
        let mut loopback = Loopback {
            client: Client::connect(&url, PATIENCE).await?,
            workers: Vec::new(),
            coordinator: guard,
            ended,
        };
        for number in 1..=workers {
            loopback.workers.push(spawn_worker(&url, threads, number)?);
        }
        let joined = timeout(PATIENCE, loopback.all_join(workers * u32::from(threads))).await;
        joined
            .map_err(|_| Failure::run(format!("not all workers joined within {PATIENCE:?}")))??;
        Ok(loopback)
    }

    /// All slots of this cluster.
    pub(super) fn engine(&self) -> Engine {
        Engine::Remote { client: self.client.clone(), processors: 0 }
    }

    /// Ends the workers, then the coordinator, and waits for both.
    pub(super) async fn stop(mut self) -> Result<(), Failure> {
        for worker in &mut self.workers {
            drop(worker.stdin.take());
        }
        for worker in &mut self.workers {
            let ended = timeout(PATIENCE, worker.wait()).await;
            match ended {
                Ok(Ok(status)) if status.success() => {}
                Ok(Ok(status)) => {
                    return Err(Failure::run(format!("a worker ended with {status}")));
                }
                Ok(Err(error)) => return Err(Failure::run(format!("a worker is lost: {error}"))),
                Err(_) => {
                    return Err(Failure::run(format!("a worker did not end within {PATIENCE:?}")));
                }
            }
        }
        drop(self.coordinator);
        let ended = timeout(PATIENCE, self.ended).await;
        ended
            .map(drop)
            .map_err(|_| Failure::run(format!("the coordinator did not end within {PATIENCE:?}")))
    }

    async fn all_join(&mut self, wanted: u32) -> Result<(), Failure> {
        while slots(&mut self.client).await? < wanted {
            for worker in &mut self.workers {
                if let Ok(Some(status)) = worker.try_wait() {
                    return Err(Failure::run(format!("a worker ended at its start with {status}")));
                }
            }
            sleep(LOOK_INTERVAL).await;
        }
        Ok(())
    }
}

/// The worker ends when this process does: its standard input is a pipe that nobody else holds.
fn spawn_worker(url: &str, threads: u16, number: u32) -> Result<Child, Failure> {
    let failed = |error| Failure::run(format!("cannot start a worker process: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    Command::new(program)
        .args(["worker", "--while-stdin", "--log", "warn", "--coordinator", url])
        .args(["--threads", &threads.to_string(), "--name", &format!("bench-{number}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)
}
