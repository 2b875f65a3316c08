//! The searches that this process is ready for: [`Searches`] and [`Prepared`].

use crate::memory::make_table;
use crate::{Error, TableFile};
use game::{Finding, Setup, Sharing};
use search::{Problem, SlotSearch, Table};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use ybw::{Moment, Peer, Relay, SearchId, WorkerId};

/// All of them, known to the crew and to whoever hears what other processes found out.
#[derive(Clone, Default, Debug)]
pub(crate) struct Searches(Arc<Mutex<BTreeMap<SearchId, Arc<Prepared>>>>);

impl Searches {
    pub(crate) fn find(&self, search: SearchId) -> Option<Arc<Prepared>> {
        self.all().get(&search).cloned()
    }

    pub(crate) fn insert(&self, prepared: Prepared) {
        self.all().insert(prepared.search, Arc::new(prepared));
    }

    pub(crate) fn remove(&self, search: SearchId) {
        self.all().remove(&search);
    }

    /// Removes one, until there is none.
    pub(crate) fn pop(&self) -> Option<SearchId> {
        self.all().pop_first().map(|(search, _)| search)
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<SearchId, Arc<Prepared>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One search, ready to be searched by every thread of this process.
pub(crate) struct Prepared {
    search: SearchId,
    problem: Arc<dyn Problem>,
    sharing: Sharing,
    table_mib: u32,
    /// Where tables come from that outlive the search.
    table_file: Option<TableFile>,
    /// Made by the first thread that needs it. Without a file it lives as long as the search, so that equal
    /// searches begin equally and cost the same.
    table: OnceLock<Result<Option<Arc<Table>>, String>>,
    /// Whether anybody wants to be told what is found out.
    told: AtomicBool,
    relay: Mutex<Relay>,
}

impl Prepared {
    /// For so many threads of this process. What they share is kept in the file, if there is one.
    pub(crate) fn new(
        search: SearchId,
        problem: Arc<dyn Problem>,
        setup: &Setup,
        threads: u32,
        table_file: Option<TableFile>,
    ) -> Prepared {
        let Setup { sharing, table_mib: all, .. } = *setup;
        let table_mib = match sharing {
            Sharing::Off if all > 0 => (all / threads.max(1)).max(1),
            Sharing::Off | Sharing::Process | Sharing::Cluster => all,
        };
        let (table, told, relay) = (OnceLock::new(), AtomicBool::new(false), Mutex::default());
        Prepared { search, problem, sharing, table_mib, table_file, table, told, relay }
    }

    pub(crate) fn search(&self) -> SearchId {
        self.search
    }

    /// A searcher for one thread, or why there can be none.
    pub(crate) fn slot(&self) -> Result<Box<dyn SlotSearch>, String> {
        let text = |error: Error| error.to_string();
        if self.sharing == Sharing::Off {
            return Ok(self.problem.slot(make_table(self.table_mib).map_err(text)?, crate::pay));
        }
        let make = || match &self.table_file {
            Some(file) => file.table(self.table_mib).map_err(text),
            None => make_table(self.table_mib).map_err(text),
        };
        let table = self.table.get_or_init(make).clone()?;
        self.collect();
        Ok(self.problem.slot(table, crate::pay))
    }

    /// Takes in whom to tell what is found out, and begins to collect it.
    pub(crate) fn tell(&self, joined: &[Peer], gone: &[WorkerId], members: u32) {
        self.relay().change(joined.iter().map(|peer| peer.worker), gone, members);
        self.told.store(true, SeqCst);
        self.collect();
    }

    fn collect(&self) {
        if let Some(table) = self.table()
            && self.told.load(SeqCst)
        {
            table.share_from(self.problem.split_floor());
        }
    }

    /// What every neighbour is to be told now.
    pub(crate) fn take_news(&self, now: Moment) -> Vec<(WorkerId, Vec<Finding>)> {
        let mut relay = self.relay();
        if let Some(table) = self.table() {
            let own = table.take_fresh(relay.allowance(now));
            relay.found(&own);
        }
        relay.take()
    }

    /// Stores what a neighbour told, to be told to the other ones as far as it is new.
    pub(crate) fn learn(&self, from: WorkerId, mut findings: Vec<Finding>) {
        if let Some(table) = self.table() {
            findings.retain(|&finding| table.learn(finding));
        }
        self.relay().heard(from, &findings);
    }

    /// Stores what this process is the first to know.
    pub(crate) fn store(&self, findings: &[Finding]) {
        if let Some(table) = self.table() {
            for &Finding { key, entry } in findings {
                table.store(key, entry);
            }
        }
    }

    fn relay(&self) -> MutexGuard<'_, Relay> {
        self.relay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table that all threads share, once it is made.
    fn table(&self) -> Option<&Table> {
        self.table.get()?.as_ref().ok()?.as_deref()
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prepared").field(&self.search).finish()
    }
}
