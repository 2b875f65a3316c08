//! A [`Comparison`] and a [`Scaling`] as JSON and CSV, and files that are whole or not there.

use crate::{Baseline, Comparison, Row, Scaling, Step};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;

/// The columns of [`csv`], in order. The baseline's row has 0 processors and no traffic.
pub const CSV_COLUMNS: [&str; 19] = [
    "processors",
    "runs",
    "seconds",
    "seconds_fastest",
    "seconds_slowest",
    "nodes",
    "busy_seconds",
    "speed_up",
    "efficiency",
    "search_overhead",
    "load",
    "performance",
    "windows_pushed",
    "windows_cut",
    "discarded_nodes",
    "jobs_assigned",
    "jobs_cancelled",
    "messages",
    "bytes",
];

#[derive(Serialize)]
struct Document<'a> {
    problem: &'a str,
    baseline: Option<Baseline>,
    rows: Vec<Row>,
    measured: &'a Comparison,
}

/// The rows with their terms, and everything that was measured.
#[must_use]
pub fn json(comparison: &Comparison) -> String {
    let document = Document {
        problem: &comparison.problem,
        baseline: comparison.baseline(),
        rows: comparison.rows(),
        measured: comparison,
    };
    let text = serde_json::to_string_pretty(&document);
    text.expect("numbers and texts can be written as JSON") + "\n"
}

/// The rows of the table, one line each, under [`CSV_COLUMNS`].
#[must_use]
pub fn csv(comparison: &Comparison) -> String {
    let mut text = CSV_COLUMNS.join(",") + "\n";
    if let Some(baseline) = comparison.baseline() {
        let all = comparison.baselines.iter().map(|run| run.seconds);
        let (fastest, slowest) = ends(all.clone());
        let Baseline { seconds, nodes } = baseline;
        let runs = all.count();
        let line = format!("0,{runs},{seconds},{fastest},{slowest},{nodes},{seconds},1,1,0,1,1");
        let _ = writeln!(text, "{line},0,0,0,0,0,0,0");
    }
    for row in comparison.rows() {
        text += &csv_line(&row);
    }
    text
}

fn csv_line(row: &Row) -> String {
    let cost = &row.cost;
    let (fastest, slowest) = ends(row.all_seconds.iter().copied());
    let mut cells = vec![cost.processors.to_string(), row.all_seconds.len().to_string()];
    cells.extend([cost.seconds, fastest, slowest].map(|seconds| seconds.to_string()));
    cells.extend([cost.nodes.to_string(), cost.busy_seconds.to_string()]);
    match &row.terms {
        Some(terms) => cells.extend(
            [
                terms.speed_up,
                terms.efficiency,
                terms.search_overhead,
                terms.load,
                terms.performance,
            ]
            .map(|term| term.to_string()),
        ),
        None => cells.extend(vec![String::new(); 5]),
    }
    let total = row.traffic.total();
    let counts = [
        row.windows_pushed,
        row.windows_cut,
        row.discarded_nodes,
        row.jobs_assigned,
        row.jobs_cancelled,
        total.messages,
        total.bytes,
    ];
    cells.extend(counts.map(|count| count.to_string()));
    cells.join(",") + "\n"
}

/// The columns of [`scaling_csv`], in order.
pub const SCALING_COLUMNS: [&str; 14] = [
    "processors",
    "seeds",
    "speed_up",
    "speed_up_worst",
    "speed_up_best",
    "efficiency",
    "search_overhead",
    "load",
    "performance",
    "coordinator_load",
    "sequential_nodes",
    "seconds",
    "messages_per_second",
    "bytes_per_second",
];

/// The steps, and every run behind them.
#[must_use]
pub fn scaling_json(scaling: &Scaling) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        problem: &'a str,
        steps: Vec<Step>,
        samples: &'a [crate::Sample],
    }
    let Scaling { problem, samples } = scaling;
    let text = serde_json::to_string_pretty(&Document { problem, steps: scaling.steps(), samples });
    text.expect("numbers and texts can be written as JSON") + "\n"
}

/// The steps, one line each, under [`SCALING_COLUMNS`].
#[must_use]
pub fn scaling_csv(scaling: &Scaling) -> String {
    let mut text = SCALING_COLUMNS.join(",") + "\n";
    for step in scaling.steps() {
        let Step { processors, seeds, speed_up, .. } = step;
        let numbers = [
            speed_up.mean,
            speed_up.least,
            speed_up.most,
            step.efficiency,
            step.search_overhead,
            step.load,
            step.performance,
            step.coordinator_load,
            step.sequential_nodes,
            step.seconds,
            step.messages_per_second,
            step.bytes_per_second,
        ];
        let numbers = numbers.map(|number| number.to_string()).join(",");
        let _ = writeln!(text, "{processors},{seeds},{numbers}");
    }
    text
}

fn ends(seconds: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (seconds.clone().fold(f64::INFINITY, f64::min), seconds.fold(0.0, f64::max))
}

/// Where a file is to be written: found out and tried while there is nothing to write yet.
///
/// Two are equal if they are the same place, by whatever path it was named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Destination {
    /// Without links, but for a device or a pipe.
    path: PathBuf,
    /// A device or a pipe is written to, not replaced.
    in_place: bool,
}

impl Destination {
    /// The place that `path` names, behind all links, even if no file is there yet.
    ///
    /// # Errors
    /// If a file cannot be written there, because the folder does not exist, say.
    pub fn new(path: &Path) -> io::Result<Destination> {
        let there = fs::metadata(path);
        if there.is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            return Ok(Destination { path: path.to_path_buf(), in_place: true });
        }
        let destination = Destination { path: behind_links(path)?, in_place: false };
        if destination.path.exists() {
            File::options().write(true).open(&destination.path)?;
        }
        let temporary = destination.temporary();
        File::create(&temporary).and_then(|_| fs::remove_file(&temporary))?;
        Ok(destination)
    }

    /// The place.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `text` there, so that whoever looks sees the old file or the whole new one.
    ///
    /// # Errors
    /// If the system fails to.
    pub fn write(&self, text: &str) -> io::Result<()> {
        if self.in_place {
            return File::options().write(true).open(&self.path)?.write_all(text.as_bytes());
        }
        let temporary = self.temporary();
        let written = self.write_synced(&temporary, text);
        let written = written.and_then(|()| fs::rename(&temporary, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    fn write_synced(&self, temporary: &Path, text: &str) -> io::Result<()> {
        let mut file = File::create(temporary)?;
        if let Ok(old) = fs::metadata(&self.path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    /// A name in the same folder, so that it can be renamed, of this process only.
    fn temporary(&self) -> PathBuf {
        let mut hidden = OsString::from(".");
        hidden.push(self.path.file_name().unwrap_or_default());
        hidden.push(format!(".{}.tmp", process::id()));
        self.path.with_file_name(hidden)
    }
}

/// Most links that are followed from one to the next, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The path without links. Unlike [`fs::canonicalize`] it needs no file at its end.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the path names no file"));
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        let place = folder.join(name);
        match fs::read_link(&place) {
            Ok(target) => path = folder.join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "its links lead nowhere"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::comparison;

    #[test]
    fn csv_has_a_line_per_row_with_every_column() {
        let text = csv(&comparison());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 1 + 2);
        for line in &lines {
            assert_eq!(line.split(',').count(), CSV_COLUMNS.len(), "{line}");
        }
        assert!(lines[1].starts_with("0,3,8,7.5,9,1000000,8,1,1,0,1,1,"), "{}", lines[1]);
        assert!(lines[3].starts_with("2,2,4,4,4.2,1050000,7.2,2,1,"), "{}", lines[3]);
        assert!(lines[3].ends_with(",12,280") || lines[3].ends_with(",6,140"), "{}", lines[3]);
    }

    #[test]
    fn json_holds_rows_and_measurements() {
        let document: serde_json::Value = serde_json::from_str(&json(&comparison())).unwrap();
        assert_eq!(document["problem"], "othello, 2 positions");
        assert_eq!(document["baseline"]["seconds"], 8.0);
        assert_eq!(document["rows"][1]["speed_up"], 2.0);
        assert_eq!(document["rows"][1]["traffic"]["to_workers"]["assign"]["messages"], 6);
        let measured: Comparison = serde_json::from_value(document["measured"].clone()).unwrap();
        assert_eq!(measured, comparison());
    }

    fn write(path: &Path, text: &str) {
        Destination::new(path).unwrap().write(text).unwrap();
    }

    #[test]
    fn scaling_is_written_by_steps_and_samples() {
        let scaling = crate::scaling::tests::scaling();
        let text = scaling_csv(&scaling);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[2].split(',').count(), SCALING_COLUMNS.len(), "{text}");
        assert!(lines[2].starts_with("4,2,3.6,3.2,4,0.9,"), "{text}");
        let document: serde_json::Value = serde_json::from_str(&scaling_json(&scaling)).unwrap();
        assert_eq!(document["steps"][1]["speed_up"]["mean"], 3.6);
        assert_eq!(document["samples"][2]["seed"], 1);
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench.json");
        write(&path, "old");
        write(&path, "new");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_found_out_before_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench.json");
        Destination::new(&path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        for wrong in [folder.path(), &folder.path().join("none/bench.json"), Path::new("/")] {
            assert!(Destination::new(wrong).is_err(), "{}", wrong.display());
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_even_to_nothing_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("target", place("link")).unwrap();
        std::os::unix::fs::symlink("link", place("link to link")).unwrap();
        std::os::unix::fs::symlink("circle", place("circle")).unwrap();
        for text in ["new", "newer"] {
            write(&place("link to link"), text);
            assert_eq!(fs::read_to_string(place("target")).unwrap(), text);
            assert!(fs::symlink_metadata(place("link")).unwrap().is_symlink());
        }
        assert!(Destination::new(&place("circle")).is_err());
        write(Path::new("/dev/null"), "gone");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    #[cfg(unix)]
    fn one_place_by_two_names_is_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("file", place("link")).unwrap();
        let at = |name| Destination::new(&place(name)).unwrap();
        assert_eq!(at("file"), at("./file"));
        assert_eq!(at("file"), at("link"));
        assert_ne!(at("file"), at("other"));
    }
}
