//! Tables that outlive their process: [`TableFile`].
//!
//! Keys cover the position, the game and the settings an entry depends on, so one file serves any search.
//! It holds, all numbers with their low bytes first: eight letters, the format's version, the program's
//! version, the number of entries, each as its key and its bits, and a CRC-32 of all that.

mod format;

use crate::Error;
use crate::memory::make_table;
use format::Stamp;
use rustix::fs::{FlockOperation, flock};
use search::Table;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Another process may rename the new file while it is being locked; then it is tried again.
const MOST_TRIES: usize = 8;

/// A file that a table of this process is filled from, and saved to in the end. Clones are the same file.
#[derive(Clone, Debug)]
pub struct TableFile(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    path: PathBuf,
    /// What was there at the start, until a table was filled from it.
    old: Option<(File, Stamp)>,
    /// What will replace it; locked, so that no other process does the same.
    new: Option<File>,
    /// The table of all searches, once there is one.
    table: Option<Arc<Table>>,
}

impl TableFile {
    /// Checks the file at `path` from beginning to end if there is one, and that it can be replaced.
    ///
    /// # Errors
    /// [`Error::TableFile`] if it is damaged, or of another program or version, if another process uses
    /// it, or if nothing can be written where it is.
    pub fn open(path: impl Into<PathBuf>) -> Result<TableFile, Error> {
        let path = path.into();
        let wrong = |wrong| Error::TableFile { path: path.clone(), wrong };
        let new = lock(&new_path(&path)).map_err(wrong)?;
        // Made at once, so that the new file goes again if the old one is no good.
        let mut state = State { path: path.clone(), old: None, new: Some(new), table: None };
        match File::open(&path) {
            Ok(mut old) => {
                let stamp = format::check(&mut old).map_err(wrong)?;
                state.old = Some((old, stamp));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
        }
        Ok(TableFile(Arc::new(Mutex::new(state))))
    }

    /// The table for another search, of `mib` MiB: with everything that the file and earlier searches
    /// knew, as far as there is room. `None` for 0.
    ///
    /// # Errors
    /// [`Error::Table`] if there is no memory for it, [`Error::TableFile`] if the file changed meanwhile.
    pub fn table(&self, mib: u32) -> Result<Option<Arc<Table>>, Error> {
        let mut state = self.lock();
        if state.table.as_ref().is_none_or(|table| table.mib() != mib) {
            let Some(table) = make_table(mib)? else { return Ok(None) };
            state.fill(&table)?;
            state.table = Some(table);
        }
        let table = state.table.clone();
        table.iter().for_each(|table| table.age());
        Ok(table)
    }

    /// Writes what is known now into a new file that then takes the place of the old one, at once or not
    /// at all. Returns the number of entries, or `None` if there has been no table, or it is saved already.
    ///
    /// # Errors
    /// [`Error::TableUnsaved`]; the old file is as it was.
    pub fn save(&self) -> Result<Option<u64>, Error> {
        let mut state = self.lock();
        let Some(table) = state.table.clone() else { return Ok(None) };
        let Some(mut new) = state.new.take() else { return Ok(None) };
        let saved = replace(&mut new, &table, &state.path);
        if saved.is_err() {
            let _ = fs::remove_file(new_path(&state.path));
        }
        let unsaved = |source| Error::TableUnsaved { path: state.path.clone(), source };
        saved.map(Some).map_err(unsaved)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fill(&mut self, table: &Table) -> Result<(), Error> {
        if let Some(before) = &self.table {
            before.findings().for_each(|finding| table.restore(finding));
        }
        let Some((old, stamp)) = &mut self.old else { return Ok(()) };
        let read = format::read(old, *stamp, |finding| table.restore(finding));
        read.map_err(|wrong| Error::TableFile { path: self.path.clone(), wrong })?;
        self.old = None;
        Ok(())
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if self.new.is_some() {
            // It is empty, and whoever comes next makes one of its own.
            let _ = fs::remove_file(new_path(&self.path));
        }
    }
}

fn replace(new: &mut File, table: &Table, path: &Path) -> io::Result<u64> {
    new.set_len(0)?;
    new.rewind()?;
    let count = format::write(new, table.findings())?;
    new.sync_all()?;
    fs::rename(new_path(path), path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(count)
}

/// Where a file is written before it takes the place of the old one: beside it.
fn new_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".new");
    name.into()
}

/// Makes a file, or takes over what a process that was killed left behind, and locks it.
fn lock(path: &Path) -> Result<File, String> {
    let failed = |error: io::Error| {
        let path = path.display();
        format!("cannot write {path}: {error}; give a file in a folder that can be written to")
    };
    for _ in 0..MOST_TRIES {
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let file = options.open(path).map_err(failed)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            break;
        }
        let ours = file.metadata().map_err(failed)?;
        if fs::metadata(path)
            .is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()))
        {
            return Ok(file);
        }
    }
    Err("another process uses it; give each process a file of its own".to_string())
}
