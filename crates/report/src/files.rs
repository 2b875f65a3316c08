//! A [`Comparison`] and a [`Scaling`] as JSON and CSV, and files that are whole or not there.

use crate::{Baseline, Comparison, Row, Scaling, Step};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

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

/// Writes `text` to `path`, so that whoever looks sees the old file or the whole new one. A symbolic
/// link stays one; a device or a pipe is written to, not replaced.
///
/// # Errors
/// If the folder does not exist or cannot be written to.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(&target).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return File::options().write(true).open(&target)?.write_all(text.as_bytes());
    }
    let path = target.as_path();
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(hidden);
    let written = write_synced(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
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
        write_whole(&path, "old").unwrap();
        write_whole(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_whole(&folder.path().join("none/bench.json"), "x").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_and_devices_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_whole(Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
