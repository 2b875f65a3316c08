//! A [`Comparison`] and a [`Scaling`] as tables for a terminal or a page.

use crate::{Comparison, Count, Row, Scaling, Step, Traffic};
use comfy_table::{CellAlignment, Table, presets};
use std::collections::{BTreeMap, BTreeSet};

/// How tables are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// With rules, for a terminal.
    Terminal,
    /// For a Markdown page.
    Markdown,
}

/// The terms by number of processors.
#[must_use]
pub fn terms_table(comparison: &Comparison, style: Style) -> String {
    let heads = [
        "P",
        "time s",
        "fastest-slowest",
        "nodes",
        "S",
        "S/P",
        "SO",
        "LO",
        "PE",
        "P·LO·PE/(1+SO)",
        "pushed",
        "cut",
        "discarded",
    ];
    let mut table = empty(&heads, style);
    if let Some(baseline) = comparison.baseline() {
        let mut all: Vec<f64> = comparison.baselines.iter().map(|run| run.seconds).collect();
        all.sort_by(f64::total_cmp);
        let mut cells = vec!["seq".into(), time(baseline.seconds), spread(&all)];
        cells.push(grouped(baseline.nodes));
        cells.push("1.00".into());
        cells.resize(heads.len(), String::new());
        table.add_row(cells);
    }
    for row in comparison.rows() {
        table.add_row(terms_cells(&row));
    }
    align(&mut table, 0);
    table.to_string()
}

/// The steps by number of processors.
#[must_use]
pub fn scaling_table(scaling: &Scaling, style: Style) -> String {
    let heads = [
        "P",
        "seeds",
        "seq. nodes",
        "S mean",
        "S worst",
        "S best",
        "S/P",
        "SO",
        "LO",
        "PE",
        "coord.",
        "messages/s",
        "bytes/s",
    ];
    let mut table = empty(&heads, style);
    for step in scaling.steps() {
        table.add_row(step_cells(&step));
    }
    align(&mut table, 0);
    table.to_string()
}

fn step_cells(step: &Step) -> Vec<String> {
    let Step { processors, seeds, speed_up, .. } = step;
    let rounded = |number: f64| grouped(number.round() as u64);
    let mut cells = vec![processors.to_string(), seeds.to_string(), rounded(step.sequential_nodes)];
    cells.extend([speed_up.mean, speed_up.least, speed_up.most].map(|s| format!("{s:.2}")));
    let shares =
        [step.efficiency, step.search_overhead, step.load, step.performance, step.coordinator_load];
    cells.extend(shares.map(percent));
    cells.extend([step.messages_per_second, step.bytes_per_second].map(rounded));
    cells
}

/// Messages and bytes by kind, and how long windows took, one column per number of processors.
#[must_use]
pub fn traffic_table(comparison: &Comparison, style: Style) -> String {
    let rows = comparison.rows();
    let mut heads = vec!["direction".to_string(), "messages (bytes)".to_string()];
    heads.extend(rows.iter().map(|row| format!("P = {}", row.cost.processors)));
    let mut table = empty(&heads, style);
    add_kinds(&mut table, "to workers", &rows, |traffic| &traffic.to_workers);
    add_kinds(&mut table, "from workers", &rows, |traffic| &traffic.from_workers);
    let mut total = vec!["both".to_string(), "all".to_string()];
    total.extend(rows.iter().map(|row| count_text(row.traffic.total())));
    let mut rate = vec!["both".to_string(), "all per second".to_string()];
    rate.extend(rows.iter().map(|row| rate_text(row.traffic.total(), row.cost.seconds)));
    table.add_row(total);
    table.add_row(rate);
    let delay = |name: &str, of: fn(&Row) -> Option<u32>| {
        let cells = rows.iter().map(|row| of(row).map_or("-".into(), milliseconds));
        ["windows", name].map(str::to_string).into_iter().chain(cells).collect::<Vec<_>>()
    };
    table.add_row(delay("applied after ms, median", |row| row.window_delay_median_us));
    table.add_row(delay("applied after ms, p99", |row| row.window_delay_p99_us));
    align(&mut table, 2);
    table.to_string()
}

/// One row per kind of message in the direction that `pick` picks.
fn add_kinds(
    table: &mut Table,
    direction: &str,
    rows: &[Row],
    pick: fn(&Traffic) -> &BTreeMap<String, Count>,
) {
    let kinds: BTreeSet<&String> = rows.iter().flat_map(|row| pick(&row.traffic).keys()).collect();
    for kind in kinds {
        let mut cells = vec![direction.to_string(), kind.clone()];
        let count = |row: &Row| pick(&row.traffic).get(kind).copied().unwrap_or_default();
        cells.extend(rows.iter().map(|row| count_text(count(row))));
        table.add_row(cells);
    }
}

fn terms_cells(row: &Row) -> Vec<String> {
    let cost = &row.cost;
    let mut cells = vec![
        cost.processors.to_string(),
        time(cost.seconds),
        spread(&row.all_seconds),
        grouped(cost.nodes),
    ];
    match &row.terms {
        Some(terms) => cells.extend([
            format!("{:.2}", terms.speed_up),
            percent(terms.efficiency),
            percent(terms.search_overhead),
            percent(terms.load),
            percent(terms.performance),
            format!("{:.2}", terms.product(cost.processors)),
        ]),
        None => cells.extend(vec!["-".to_string(); 6]),
    }
    cells.extend([row.windows_pushed, row.windows_cut, row.discarded_nodes].map(grouped));
    cells
}

pub(crate) fn empty<T: ToString>(heads: &[T], style: Style) -> Table {
    let mut table = Table::new();
    match style {
        Style::Terminal => table.load_style(presets::UTF8_FULL_CONDENSED),
        Style::Markdown => table.load_style(presets::ASCII_MARKDOWN),
    };
    table.set_header(heads.iter().map(ToString::to_string));
    table
}

/// Numbers to the right, the first `names` columns to the left.
pub(crate) fn align(table: &mut Table, names: usize) {
    for column in table.column_iter_mut().skip(names) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn time(seconds: f64) -> String {
    format!("{seconds:.3}")
}

/// The ends of ascending times.
fn spread(seconds: &[f64]) -> String {
    match seconds {
        [] => String::new(),
        [only] => time(*only),
        [fastest, .., slowest] => format!("{fastest:.3}-{slowest:.3}"),
    }
}

fn milliseconds(us: u32) -> String {
    format!("{:.3}", f64::from(us) / 1e3)
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn count_text(count: Count) -> String {
    if count == Count::default() {
        return "-".into();
    }
    format!("{} ({})", grouped(count.messages), grouped(count.bytes))
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn rate_text(count: Count, seconds: f64) -> String {
    if seconds <= 0.0 {
        return "-".into();
    }
    let rate = |amount: u64| amount as f64 / seconds;
    format!("{:.0} ({:.0})", rate(count.messages), rate(count.bytes))
}

/// A number with its digits in groups of three.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::comparison;

    #[test]
    fn markdown_tables_hold_every_term() {
        let table = terms_table(&comparison(), Style::Markdown);
        let lines: Vec<String> =
            table.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert!(lines[0].starts_with("| P | time s |"), "{table}");
        assert!(lines[2].starts_with("| seq | 8.000 | 7.500-9.000 | 1,000,000 | 1.00 |"));
        let row = "| 2 | 4.000 | 4.000-4.200 | 1,050,000 | 2.00 | 100.0 % | 5.0 % | 90.0 % | \
                   116.7 % | 2.00 | 8 | 0 | 0 |";
        assert_eq!(lines[4], row, "{table}");
    }

    #[test]
    fn traffic_has_a_column_per_number_of_processors() {
        let table = traffic_table(&comparison(), Style::Markdown);
        assert!(table.contains("P = 1"), "{table}");
        assert!(table.contains("6 (140)"), "{table}");
        let delays: Vec<_> = table.lines().filter(|line| line.contains("applied after")).collect();
        assert!(delays[0].contains("0.008") && delays[1].contains("0.040"), "{table}");
        assert_eq!(table.lines().count(), 2 + 1 + 2 + 2, "{table}");
    }

    #[test]
    fn a_step_is_a_line_of_the_table() {
        let table = scaling_table(&crate::scaling::tests::scaling(), Style::Markdown);
        let last = table.lines().last().unwrap_or_default();
        let last = last.split_whitespace().collect::<Vec<_>>().join(" ");
        let row = "| 4 | 2 | 1,000,000 | 3.60 | 3.20 | 4.00 | 90.0 % | 10.0 % | 90.0 % | 110.0 % | \
                   22.5 % | 3 | 63 |";
        assert_eq!(last, row, "{table}");
    }

    #[test]
    fn digits_are_grouped() {
        let check = |number, text| assert_eq!(grouped(number), text);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(1_234_567, "1,234,567");
    }
}
