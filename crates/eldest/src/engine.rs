//! Where searches are made: [`Engine`].

use crate::Failure;
use crate::output::Progress;
use crate::question::Question;
use cluster::{Answer, Client, Observer, SearchOrder, SearchUpdate, Standing, TableFile};
use game::Setup;
use report::Facts;
use search::{Catalogue, Solution};
use std::future::Future;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use ybw::Outcome;

/// Something that searches.
pub(crate) enum Engine {
    /// The plain sequential program, on a thread of this process.
    Sequential {
        /// The games.
        catalogue: Catalogue,
        /// Where its table is kept.
        table_file: Option<TableFile>,
    },
    /// The machines of a cluster, without sockets, on threads of this process.
    Here {
        /// The games.
        catalogue: Catalogue,
        /// Search threads.
        threads: u16,
        /// Who is told of everything that happens.
        observer: Observer,
        /// Where the table of its threads is kept.
        table_file: Option<TableFile>,
    },
    /// A cluster.
    Remote {
        /// The connection to its coordinator.
        client: Client,
        /// The slots that may work at one search; 0 for all.
        processors: u32,
    },
}

impl Engine {
    /// The plain sequential program.
    pub(crate) fn sequential(catalogue: Catalogue) -> Engine {
        Engine::Sequential { catalogue, table_file: None }
    }

    /// An engine of so many threads of this process; all cores if it is not said.
    pub(crate) fn here(catalogue: Catalogue, threads: Option<u16>, observer: Observer) -> Engine {
        let threads = threads.unwrap_or_else(cores);
        Engine::Here { catalogue, threads, observer, table_file: None }
    }

    /// Keeps the table in this file, if there is one and it is a table of this process.
    pub(crate) fn keeping_table_in(mut self, file: Option<TableFile>) -> Engine {
        match &mut self {
            Engine::Here { table_file, .. } | Engine::Sequential { table_file, .. } => {
                *table_file = file;
            }
            Engine::Remote { .. } => {}
        }
        self
    }

    /// Connects to the coordinator at `url`, whose cluster must have so many `processors`.
    pub(crate) async fn remote(
        url: &str,
        patience: Duration,
        processors: u32,
    ) -> Result<Engine, Failure> {
        let client = connect(url, patience, processors).await?;
        Ok(Engine::Remote { client, processors })
    }

    /// Searches a position until it is solved or `limit` has passed. `name` is shown while it goes on.
    pub(crate) async fn solve(
        &self,
        question: &Question,
        limit: Option<Duration>,
        name: &str,
    ) -> Result<Answer, Failure> {
        let (setup, mut progress) = (question.setup.clone(), Progress::new(name));
        let mut pace = Pace::default();
        match self {
            Engine::Sequential { catalogue, table_file } => {
                let (catalogue, file) = (catalogue.clone(), table_file.clone());
                progress.show("");
                on_a_thread(limit, move |stop| {
                    solve_plainly(&catalogue, &setup, file.as_ref(), stop)
                })
                .await
            }
            Engine::Here { catalogue, threads, observer, table_file } => {
                let (catalogue, threads, observer) =
                    (catalogue.clone(), *threads, observer.clone());
                let file = table_file.clone();
                let order = SearchOrder { setup, processors: 0, limit };
                on_a_thread(None, move |stop| {
                    let watch = |update| progress.show(&pace.text(&update, Instant::now()));
                    let file = file.as_ref();
                    Ok(cluster::solve_here(
                        &catalogue, order, threads, file, stop, observer, watch,
                    )?)
                })
                .await
            }
            Engine::Remote { client, processors } => {
                let order = SearchOrder { setup, processors: *processors, limit };
                let mut followed = client.clone().submit(order).await?;
                let mut desertion = Desertion::default();
                let watch = |update| {
                    if let Some(news) = desertion.note(&update, Instant::now()) {
                        progress.say(&news);
                    }
                    progress.show(&pace.text(&update, Instant::now()));
                };
                Ok(followed.answer(watch).await?)
            }
        }
    }
}

/// Connects to the coordinator at `url`, and refuses a cluster of fewer slots than `processors`.
pub(crate) async fn connect(
    url: &str,
    patience: Duration,
    processors: u32,
) -> Result<Client, Failure> {
    let mut client = Client::connect(url, patience).await?;
    // Whoever names no number takes what comes, and may come before the workers.
    let slots = if processors == 0 { 0 } else { slots(&mut client).await? };
    if slots < processors {
        return Err(Failure::given(format!(
            "--processors {processors}, but the cluster at {url} has {slots} slots; start more \
             workers or give at most that"
        )));
    }
    Ok(client)
}

/// The slots of all workers of a cluster.
pub(crate) async fn slots(client: &mut Client) -> Result<u32, Failure> {
    let status = client.status().await?;
    Ok(status.workers.iter().map(|worker| worker.slots).sum())
}

/// The cores of this host.
pub(crate) fn cores() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    u16::try_from(cores).unwrap_or(u16::MAX)
}

/// Runs `work` unless Ctrl-C comes first, which drops it.
pub(crate) async fn interruptible<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::select! {
        done = work => done,
        heard = tokio::signal::ctrl_c() => match heard {
            Ok(()) => Err(Failure::Interrupted),
            Err(error) => Err(Failure::run(format!("cannot listen for Ctrl-C: {error}"))),
        },
    }
}

/// Lets a thread search, and tells it to stop after `limit` or when nobody waits any more.
async fn on_a_thread(
    limit: Option<Duration>,
    search: impl FnOnce(&Arc<AtomicBool>) -> Result<Answer, Failure> + Send + 'static,
) -> Result<Answer, Failure> {
    let stop = StopOnDrop(Arc::new(AtomicBool::new(false)));
    let flag = stop.0.clone();
    let (sender, mut receiver) = oneshot::channel();
    let thread =
        cluster::spawn_search_thread("search".into(), move || drop(sender.send(search(&flag))));
    thread.map_err(|error| Failure::run(format!("cannot start a search thread: {error}")))?;
    let timed_out = async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let done = tokio::select! {
        done = &mut receiver => done,
        () = timed_out => {
            stop.0.store(true, Ordering::Relaxed);
            receiver.await
        }
    };
    done.map_err(|_| Failure::run("the search thread died"))?
}

/// Stops the search thread when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The time of the answer includes making the table, as it does on a cluster.
fn solve_plainly(
    catalogue: &Catalogue,
    setup: &Setup,
    table_file: Option<&TableFile>,
    stop: &Arc<AtomicBool>,
) -> Result<Answer, Failure> {
    let problem = catalogue.prepare(setup)?;
    let started = Instant::now();
    let table = match table_file {
        Some(file) => file.table(setup.table_mib)?,
        None => cluster::make_table(setup.table_mib)?,
    };
    let solution = problem.solve(table, cluster::pay, stop);
    let elapsed_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Ok(match solution {
        Ok(Solution { value, line, tally }) => Answer {
            line_text: problem.line_text(&line),
            facts: Facts::sequential(Outcome::Solved { value, line }, elapsed_ns, tally),
        },
        Err(tally) => Answer {
            line_text: Vec::new(),
            facts: Facts::sequential(Outcome::Aborted, elapsed_ns, tally),
        },
    })
}

/// Tells the user of a cluster without workers, where a search waits for the first.
#[derive(Debug, Default)]
struct Desertion {
    since: Option<Instant>,
    told: bool,
}

impl Desertion {
    /// How long there may be nobody before it is worth a word; workers reconnect faster.
    const SILENCE: Duration = Duration::from_secs(1);

    /// What is to be said about it, if anything.
    fn note(&mut self, update: &SearchUpdate, now: Instant) -> Option<String> {
        let SearchUpdate::Progress(Standing { slots, .. }) = update else { return None };
        if *slots > 0 {
            self.since = None;
            let news = || format!("goes on with {slots} slots");
            return std::mem::take(&mut self.told).then(news);
        }
        let since = *self.since.get_or_insert(now);
        if self.told || now.saturating_duration_since(since) < Desertion::SILENCE {
            return None;
        }
        self.told = true;
        Some("waits for workers; the coordinator has none".to_string())
    }
}

/// How fast a search is, from what it tells of itself now and then.
#[derive(Debug, Default)]
struct Pace {
    last: Option<(Instant, u64)>,
}

impl Pace {
    /// How a search stands, for a person.
    fn text(&mut self, update: &SearchUpdate, now: Instant) -> String {
        match update {
            SearchUpdate::Accepted(search) => format!("search {search}"),
            SearchUpdate::Queued { ahead } => format!("{ahead} searches are before it"),
            SearchUpdate::Progress(standing) => {
                let Standing { depth, tally, slots, idle_slots, jobs, line_text, .. } = standing;
                let nodes = tally.nodes + tally.quiescence;
                let speed = self.speed(now, nodes);
                let nodes = report::grouped(nodes);
                let busy = slots.saturating_sub(*idle_slots);
                let line = line_text.iter().take(MAX_SHOWN_MOVES).cloned().collect::<Vec<_>>();
                let line = line.join(" ");
                format!(
                    "depth {depth}, {nodes} nodes{speed}, {busy} of {slots} slots, {jobs} jobs  {line}"
                )
            }
            SearchUpdate::Answer(_) => String::new(),
        }
    }

    /// Positions per second since the last call, in words; nothing the first time.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn speed(&mut self, now: Instant, nodes: u64) -> String {
        let last = self.last.replace((now, nodes));
        let Some((then, before)) = last.filter(|(then, _)| *then < now) else {
            return String::new();
        };
        let per_second = nodes.saturating_sub(before) as f64 / (now - then).as_secs_f64();
        format!(", {:.1} million/s", per_second / 1e6)
    }
}

/// Moves of the best line that are shown while a search goes on.
const MAX_SHOWN_MOVES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Depth, Tally};

    fn progress(slots: u32) -> SearchUpdate {
        let (depth, tally, line_text) = (Depth::FULL, Tally::default(), Vec::new());
        let (idle_slots, jobs, waiting) = (slots, 0, 1);
        SearchUpdate::Progress(Standing {
            depth,
            tally,
            slots,
            idle_slots,
            jobs,
            waiting,
            line_text,
        })
    }

    #[test]
    fn a_cluster_without_workers_is_told_of_once_and_so_is_its_end() {
        let began = Instant::now();
        let mut desertion = Desertion::default();
        let mut note = |slots, ms| {
            let news = desertion.note(&progress(slots), began + Duration::from_millis(ms));
            news.map(|news| news.split(' ').next().map(str::to_string))
        };
        let word = |word: &str| Some(Some(word.to_string()));
        assert_eq!((note(0, 0), note(0, 999)), (None, None));
        assert_eq!((note(0, 1_000), note(0, 5_000)), (word("waits"), None));
        assert_eq!((note(3, 5_250), note(3, 5_500)), (word("goes"), None));
        assert_eq!((note(0, 6_000), note(2, 6_500), note(0, 6_750)), (None, None, None));
        assert_eq!((note(0, 7_749), note(0, 7_750)), (None, word("waits")));
    }

    #[test]
    fn a_plain_search_that_is_given_up_says_what_it_counted() {
        let stop = Arc::new(AtomicBool::new(true));
        let setup = Setup { table_mib: 0, ..Setup::new("connect:5x5") };
        let answer = solve_plainly(&Catalogue::standard(), &setup, None, &stop).unwrap();
        assert_eq!(answer.facts.outcome, Outcome::Aborted);
        let tally = answer.facts.tally;
        assert!(tally.nodes > 0, "{tally:?}");
        assert_eq!(tally.nodes, tally.interior + tally.leaves + tally.table_cutoffs);
    }
}
