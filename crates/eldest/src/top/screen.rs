//! The picture that `eldest top` draws: [`Screen`].

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Gauge, Paragraph, Row, Table};
use report::grouped;
use report::live::{FinishedSearch, JobNow, SearchNow, Snapshot, UpdateNow, WorkerNow};

/// The tables that can be scrolled, in the order in which Tab visits them.
const TABLES: [&str; 4] = ["window updates", "jobs", "workers", "finished searches"];

/// What is shown, and which part of it.
pub(super) struct Screen {
    coordinator: String,
    snapshot: Option<Snapshot>,
    /// Why the coordinator is not there, if it is not.
    lost: Option<String>,
    /// The table that the keys scroll.
    table: usize,
    /// Rows that each table is scrolled by.
    offsets: [usize; TABLES.len()],
}

impl Screen {
    pub(super) fn new(coordinator: &str) -> Screen {
        let coordinator = coordinator.to_string();
        Screen { coordinator, snapshot: None, lost: None, table: 0, offsets: [0; TABLES.len()] }
    }

    pub(super) fn take(&mut self, snapshot: Snapshot) {
        self.snapshot = Some(snapshot);
        self.lost = None;
    }

    pub(super) fn lose(&mut self, why: &str) {
        self.lost = Some(why.to_string());
    }

    pub(super) fn scroll(&mut self, rows: isize) {
        let offset = &mut self.offsets[self.table];
        *offset = offset.saturating_add_signed(rows);
    }

    pub(super) fn next_table(&mut self) {
        self.table = (self.table + 1) % TABLES.len();
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let rows = [
            Constraint::Length(1),
            Constraint::Length(4),
            Constraint::Length(1),
            Constraint::Fill(3),
            Constraint::Fill(2),
            Constraint::Fill(2),
            Constraint::Length(1),
        ];
        let [title, search, bar, updates, middle, finished, help] =
            Layout::vertical(rows).areas(frame.area());
        frame.render_widget(self.title(), title);
        let help_line = "q ends   Tab next table   Up Down PgUp PgDn scroll it";
        frame.render_widget(Paragraph::new(help_line).style(dim()), help);
        let Some(snapshot) = self.snapshot.take() else { return };
        frame.render_widget(search_text(&snapshot), search);
        frame.render_widget(busy_bar(snapshot.search.as_ref()), bar);
        let halves = [Constraint::Fill(3), Constraint::Fill(2)];
        let [jobs, workers] = Layout::horizontal(halves).areas(middle);
        self.draw_table(frame, updates, 0, update_rows(&snapshot));
        self.draw_table(frame, jobs, 1, job_rows(&snapshot.jobs));
        self.draw_table(frame, workers, 2, worker_rows(&snapshot.workers));
        self.draw_table(frame, finished, 3, finished_rows(&snapshot.finished));
        self.snapshot = Some(snapshot);
    }

    fn title(&self) -> Line<'_> {
        let name = Span::styled("eldest top ", Style::new().add_modifier(Modifier::BOLD));
        let place = Span::styled(&*self.coordinator, dim());
        match &self.lost {
            Some(why) => {
                let text = format!("  gone: {why}; trying again");
                Line::from(vec![name, place, Span::styled(text, Style::new().fg(Color::Red))])
            }
            None => Line::from(vec![name, place]),
        }
    }

    fn draw_table(&mut self, frame: &mut Frame<'_>, area: Rect, number: usize, shown: Shown) {
        let Shown { heads, widths, rows } = shown;
        let room = usize::from(area.height.saturating_sub(2));
        let most = rows.len().saturating_sub(room);
        self.offsets[number] = self.offsets[number].min(most);
        let offset = self.offsets[number];
        let count = rows.len();
        let title = if count > room {
            format!("{} {}-{} of {count}", TABLES[number], offset + 1, (offset + room).min(count))
        } else {
            TABLES[number].to_string()
        };
        let chosen = if number == self.table { Style::new().fg(Color::Cyan) } else { dim() };
        let block = Block::new().borders(Borders::TOP).title(title).border_style(chosen);
        let head = Row::new(heads.iter().map(|head| Cell::from(*head))).style(dim());
        let rows = rows.into_iter().skip(offset).take(room);
        frame.render_widget(Table::new(rows, widths).header(head).block(block), area);
    }
}

/// A table before it is cut to what is visible.
struct Shown {
    heads: Vec<&'static str>,
    widths: Vec<Constraint>,
    rows: Vec<Row<'static>>,
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn search_text(snapshot: &Snapshot) -> Paragraph<'static> {
    let slots: u32 = snapshot.workers.iter().map(|worker| u32::from(worker.slots)).sum();
    let workers = format!("{} workers, {slots} slots", snapshot.workers.len());
    let Some(search) = &snapshot.search else {
        return Paragraph::new(format!("{workers}; nothing is being searched"));
    };
    Paragraph::new(vec![
        Line::from(format!("{workers}; {} {} {}", search.search, search.game, search.position)),
        Line::from(format!(
            "depth {}   {:.1} s   {} nodes   {}/s   load so far {}",
            search.depth.as_deref().unwrap_or("-"),
            search.seconds,
            grouped(search.nodes),
            grouped(search.nodes_per_second),
            search.load.map_or("-".into(), |load| format!("{:.1} %", 100.0 * load)),
        )),
        Line::from(format!(
            "{} jobs   {} brothers wait   {} nodes discarded",
            search.jobs,
            search.waiting_brothers,
            grouped(search.discarded_nodes),
        )),
        Line::from(format!(
            "windows: {} pushed, {} applied, {} cut something off",
            search.windows_pushed, search.windows_applied, search.windows_cut
        )),
    ])
}

fn busy_bar(search: Option<&SearchNow>) -> Gauge<'static> {
    let (busy, slots) = search.map_or((0, 0), |search| (search.busy_slots, search.slots));
    let ratio = if slots > 0 { f64::from(busy) / f64::from(slots) } else { 0.0 };
    Gauge::default()
        .gauge_style(Style::new().fg(Color::Green).bg(Color::DarkGray))
        .ratio(ratio.min(1.0))
        .label(format!("{busy} of {slots} slots busy"))
}

fn update_rows(snapshot: &Snapshot) -> Shown {
    let name = |update: &UpdateNow| {
        let known = snapshot.workers.iter().find(|worker| worker.worker == update.worker);
        format!("{} {}", update.worker, known.map_or("", |worker| &worker.name))
    };
    let row = |update: &UpdateNow| {
        let style = match &*update.effect {
            "cut" | "ended" => Style::new().fg(Color::Green),
            "late" | "waiting" => dim(),
            _ => Style::new(),
        };
        let raised_by = update.raised_by.clone().unwrap_or_else(|| "-".into());
        let cells = [
            format!("{:.3}", update.at_seconds),
            update.cause.to_string(),
            raised_by,
            format!("{} to {}", update.old, update.new),
            update.job.to_string(),
            name(update),
            update.round_trip_ms.map_or("-".into(), |ms| format!("{ms:.2}")),
            update.effect.clone(),
            grouped(update.saved_nodes),
        ];
        Row::new(cells).style(style)
    };
    let widths = [9, 8, 18, 26, 8, 14, 9, 10, 10].map(Constraint::Length);
    Shown {
        heads: vec![
            "at s",
            "cause",
            "raised by",
            "window",
            "job",
            "worker",
            "heard ms",
            "effect",
            "saved",
        ],
        widths: widths.to_vec(),
        rows: snapshot.updates.iter().map(row).collect(),
    }
}

fn job_rows(jobs: &[JobNow]) -> Shown {
    let row = |job: &JobNow| {
        let path = if job.path.is_empty() { "root".into() } else { job.path.clone() };
        Row::new([
            job.job.to_string(),
            job.worker.to_string(),
            path,
            format!("{:?}", job.kind).to_lowercase(),
            job.window.clone(),
            format!("{:.2}", job.seconds),
            grouped(job.nodes),
        ])
    };
    let widths = [
        Constraint::Length(8),
        Constraint::Length(5),
        Constraint::Fill(1),
        Constraint::Length(4),
        Constraint::Length(14),
        Constraint::Length(7),
        Constraint::Length(12),
    ];
    Shown {
        heads: vec!["job", "worker", "path", "kind", "window", "s", "nodes"],
        widths: widths.to_vec(),
        rows: jobs.iter().map(row).collect(),
    }
}

fn worker_rows(workers: &[WorkerNow]) -> Shown {
    let row = |worker: &WorkerNow| {
        Row::new([
            format!("{} {}", worker.worker, worker.name),
            worker.slots.to_string(),
            worker.jobs.to_string(),
            grouped(worker.ended_jobs),
            grouped(worker.nodes),
        ])
    };
    let widths = [
        Constraint::Fill(1),
        Constraint::Length(5),
        Constraint::Length(5),
        Constraint::Length(8),
        Constraint::Length(15),
    ];
    Shown {
        heads: vec!["worker", "slots", "jobs", "ended", "nodes"],
        widths: widths.to_vec(),
        rows: workers.iter().map(row).collect(),
    }
}

fn finished_rows(finished: &[FinishedSearch]) -> Shown {
    let row = |search: &FinishedSearch| {
        let value = search.value.clone().unwrap_or_else(|| search.outcome.clone());
        let speed_up = search.terms.map_or("-".into(), |terms| format!("{:.2}", terms.speed_up));
        Row::new([
            search.search.to_string(),
            format!("{} {}", search.game, search.position),
            value,
            format!("{:.3}", search.seconds),
            grouped(search.nodes),
            search.slots.to_string(),
            speed_up,
            load_text(search),
            format!("{} ({})", search.windows_pushed, search.windows_cut),
        ])
    };
    let widths = [
        Constraint::Length(5),
        Constraint::Fill(1),
        Constraint::Length(8),
        Constraint::Length(9),
        Constraint::Length(15),
        Constraint::Length(5),
        Constraint::Length(6),
        Constraint::Length(7),
        Constraint::Length(13),
    ];
    Shown {
        heads: vec![
            "",
            "problem",
            "value",
            "seconds",
            "nodes",
            "slots",
            "S",
            "load",
            "windows (cut)",
        ],
        widths: widths.to_vec(),
        rows: finished.iter().map(row).collect(),
    }
}

fn load_text(search: &FinishedSearch) -> String {
    let time = f64::from(search.slots) * search.seconds;
    if time <= 0.0 {
        return "-".into();
    }
    format!("{:.1} %", 100.0 * search.busy_seconds / time)
}

/// The same in a few plain lines.
pub(super) fn lines(snapshot: &Snapshot) -> String {
    let mut text = Vec::new();
    match &snapshot.search {
        Some(search) => text.push(format!(
            "search {}: {} {}, depth {}, {:.1} s, {} nodes, {}/s, {} of {} slots busy, {} jobs, {} brothers \
             wait",
            search.search,
            search.game,
            search.position,
            search.depth.as_deref().unwrap_or("-"),
            search.seconds,
            grouped(search.nodes),
            grouped(search.nodes_per_second),
            search.busy_slots,
            search.slots,
            search.jobs,
            search.waiting_brothers,
        )),
        None => text.push("nothing is being searched".to_string()),
    }
    for worker in &snapshot.workers {
        text.push(format!(
            "worker {} {}: {} slots, {} jobs, {} ended, {} nodes",
            worker.worker,
            worker.name,
            worker.slots,
            worker.jobs,
            grouped(worker.ended_jobs),
            grouped(worker.nodes)
        ));
    }
    text.push(format!("{} windows pushed since the start", snapshot.updates_pushed));
    text.join("\n")
}
