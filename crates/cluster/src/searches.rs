//! The searches that this process is ready for: [`Searches`] and [`Prepared`].

use crate::memory::make_table;
use game::{Finding, Setup, Sharing};
use search::{Problem, SlotSearch, Table};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use ybw::SearchId;

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
    /// Made by the first thread that needs it. It lives as long as the search, so that equal
    /// searches begin equally and cost the same.
    table: OnceLock<Result<Option<Arc<Table>>, String>>,
    /// Whether anybody wants to be told what is found out.
    told: AtomicBool,
}

impl Prepared {
    /// For so many threads of this process.
    pub(crate) fn new(
        search: SearchId,
        problem: Arc<dyn Problem>,
        setup: &Setup,
        threads: u32,
    ) -> Prepared {
        let Setup { sharing, table_mib: all, .. } = *setup;
        let table_mib = match sharing {
            Sharing::Off if all > 0 => (all / threads.max(1)).max(1),
            Sharing::Off | Sharing::Process | Sharing::Cluster => all,
        };
        let (table, told) = (OnceLock::new(), AtomicBool::new(false));
        Prepared { search, problem, sharing, table_mib, table, told }
    }

    pub(crate) fn search(&self) -> SearchId {
        self.search
    }

    /// A searcher for one thread, or why there can be none.
    pub(crate) fn slot(&self) -> Result<Box<dyn SlotSearch>, String> {
        let make = || make_table(self.table_mib).map_err(|error| error.to_string());
        if self.sharing == Sharing::Off {
            return Ok(self.problem.slot(make()?, crate::pay));
        }
        let table = self.table.get_or_init(make).clone()?;
        self.collect();
        Ok(self.problem.slot(table, crate::pay))
    }

    /// Begins to collect what others want to be told.
    pub(crate) fn begin_to_tell(&self) {
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

    /// What was found out since the last call; see [`Table::take_fresh`].
    pub(crate) fn take_fresh(&self, most: usize) -> Vec<Finding> {
        self.table().map_or_else(Vec::new, |table| table.take_fresh(most))
    }

    /// Stores what other processes found out.
    pub(crate) fn learn(&self, findings: &[Finding]) {
        if let Some(table) = self.table() {
            findings.iter().for_each(|&finding| table.learn(finding));
        }
    }

    /// Stores what this process is the first to know.
    pub(crate) fn store(&self, findings: &[Finding]) {
        if let Some(table) = self.table() {
            for &Finding { key, entry } in findings {
                table.store(key, entry);
            }
        }
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
