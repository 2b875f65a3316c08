//! Traces of simulated searches, told, written and read.

use super::perfetto::tests::check_perfetto;
use super::*;
use crate::{Facts, Fold};
use game::{Policy, Setup};
use search::Catalogue;
use sim::{Breach, Finished, Group, Plan, Sight, Witness};
use ybw::{Moment, Traced, WindowEffect};

/// Keeps every event.
#[derive(Default)]
struct Events(Vec<Traced>);

impl Witness for Events {
    fn see(&mut self, _: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::Traced(traced) = sight {
            self.0.push(traced.clone());
        }
        Ok(())
    }

    fn end(&mut self, _: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}

/// A search of a badly ordered tree by four workers of two slots each.
pub(crate) fn events(policy: Policy) -> Vec<Traced> {
    let game = "synthetic:b=8,d=7,kind=edges,order=random,seed=6";
    let setup = Setup { policy, min_split: 2, table_mib: 0, ..Setup::new(game) };
    let workers = vec![Group { slots: 2, ..Group::steady(4) }];
    let steady = Plan::steady(setup, 4, 50_000);
    let plan = Plan { workers, latency_ns: 20_000..=90_000, nodes_per_poll: 50, ..steady };
    let mut events = Events::default();
    sim::run(&plan, &Catalogue::standard(), &mut events).expect("the plan is sound");
    events.0
}

pub(crate) fn facts_of(events: &[Traced]) -> Facts {
    let mut fold = Fold::new(sim::SEARCH);
    events.iter().for_each(|traced| fold.note(traced));
    fold.finish()
}

fn header() -> Header {
    Header::new("a simulated search", ClockKind::Virtual)
}

pub(crate) fn story_of(events: &[Traced]) -> Story {
    let mut telling = Telling::new(header());
    events.iter().for_each(|traced| telling.note(traced));
    telling.finish()
}

#[test]
fn a_story_accounts_for_every_window_and_node() {
    for policy in [Policy::Ybw, Policy::PvSplit] {
        let events = events(policy);
        let (facts, story) = (facts_of(&events), story_of(&events));
        let totals = UpdateTotals::of(&story.updates);
        let counted = (totals.pushed, totals.applied, totals.cut, totals.waiting, totals.late);
        let known = (
            facts.windows_pushed,
            facts.windows_applied,
            facts.windows_cut,
            facts.windows_waiting,
            facts.windows_late,
        );
        assert_eq!(counted, known, "{policy:?}");
        assert!(totals.pushed > 5 && totals.applied > 0, "{policy:?}: {totals:?}");
        let arrived = totals.applied + totals.waiting + totals.late;
        assert_eq!(totals.pushed, arrived + totals.overtaken + totals.moot, "{policy:?}");
        assert_eq!(totals.under_way, 0, "{policy:?}");
        let nodes: u64 = story.jobs.iter().map(JobStory::nodes).sum();
        assert_eq!(nodes, facts.nodes(), "{policy:?}");
        assert!(story.jobs.iter().all(|job| job.end.is_some()), "{policy:?}");
    }
}

#[test]
fn an_update_names_its_cause_and_arrives_between_push_and_word_of_it() {
    let story = story_of(&events(Policy::Ybw));
    for update in &story.updates {
        let told = story.jobs.iter().find(|job| job.job == update.job).expect("it was assigned");
        assert_eq!(told.worker, update.worker);
        assert!(story.jobs.iter().any(|job| job.job == update.cause), "{update:?}");
        if let Some(raised_by) = &update.raised_by {
            assert!(!raised_by.is_empty(), "{update:?}");
        }
        if let Fate::Arrived { arrived, heard, .. } = update.fate {
            assert!(update.pushed <= arrived && arrived <= heard, "{update:?}");
            // One way takes 20 to 90 us; what is estimated is right within the difference.
            let us = update.delay_ns().expect("it arrived") / 1_000;
            assert!((10..2_000).contains(&us), "{us} us: {update:?}");
        }
    }
    let saved = story.updates.iter().filter(|update| update.saved() > 0);
    let effects = saved.map(|update| update.fate);
    for fate in effects {
        assert!(matches!(fate, Fate::Arrived { effect: WindowEffect::Applied(_), .. }));
    }
}

#[test]
fn a_slot_has_one_job_at_a_time() {
    let story = story_of(&events(Policy::Ybw));
    let mut slices: Vec<_> = story
        .jobs
        .iter()
        .filter_map(|job| {
            let ((began, slot), (ended, _)) = job.began.zip(job.end)?;
            Some((job.worker, slot, began, ended))
        })
        .collect();
    slices.sort_unstable();
    assert!(slices.iter().any(|&(_, slot, ..)| slot == 1));
    for pair in slices.windows(2) {
        let [(worker, slot, _, ended), (next_worker, next_slot, began, _)] = pair else { continue };
        let same = (worker, slot) == (next_worker, next_slot);
        assert!(!same || ended <= began, "{pair:?}");
        assert!(*slot < 2);
    }
}

#[test]
fn what_is_written_is_read_back_and_a_cut_off_line_is_left_out() {
    let mut lines = vec![Line::Header(header())];
    lines.extend(events(Policy::Ybw).into_iter().map(Line::Event));
    lines.insert(7, Line::Lost { lost: 3 });
    let text: String = lines.iter().map(Line::json).collect();
    let read = |text: &str| {
        let mut back = Vec::new();
        read_trace(text.as_bytes(), |line| back.push(line)).map(|reading| (back, reading))
    };
    let (back, reading) = read(&text).unwrap();
    assert_eq!(back, lines);
    let whole = Reading { lines: lines.len() as u64, unknown: 0, lost: 3, cut_off: false };
    assert_eq!(reading, whole);
    let (back, reading) = read(&text[..text.len() - 9]).unwrap();
    assert_eq!(back, lines[..lines.len() - 1]);
    assert!(reading.cut_off);
}

#[test]
fn traces_of_newer_programs_are_read_as_far_as_they_are_understood() {
    let header = Line::Header(header()).json();
    let read = |text: String| {
        let mut lines = 0;
        read_trace(text.as_bytes(), |_| lines += 1).map(|reading| (lines, reading.unknown))
    };
    let news = r#"{"at":5,"event":"worker-slept","worker":3}"#;
    let more = r#"{"at":6,"event":"split-wished","job":3,"next":4,"why":"idle slots"}"#;
    assert_eq!(read(format!("{header}{news}\n{more}\n")).unwrap(), (2, 1));
    let check = |text: String, wrong: &str| {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    };
    check(String::new(), "is not an Eldest trace");
    check(format!("{news}\n"), "is not an Eldest trace");
    check("GIF89a\u{1}".into(), "is not an Eldest trace");
    let wrong = r#"{"at":6,"event":"split-wished","job":"three","next":4}"#;
    check(format!("{header}{wrong}\n{news}\n"), "line 2: ");
    check(format!("{header}nonsense\n{news}\n"), "line 2: ");
}

#[test]
fn every_event_is_known_by_its_name() {
    for traced in events(Policy::Ybw) {
        let json = serde_json::to_value(&traced).unwrap();
        let name = json["event"].as_str().unwrap();
        assert!(file::KNOWN_EVENTS.contains(&name), "{name}");
    }
}

#[test]
fn perfetto_shows_every_job_and_update_with_its_arrows() {
    let events = events(Policy::Ybw);
    let story = story_of(&events);
    let mut writer = PerfettoWriter::new(Vec::new(), Box::new(spell_codes));
    // Two coordinators, one after the other.
    for _ in 0..2 {
        writer.note(&Line::Header(header())).unwrap();
        for traced in &events {
            writer.note(&Line::Event(traced.clone())).unwrap();
        }
    }
    check_perfetto(&writer.finish().unwrap(), &story, 2);
}

#[test]
fn pictures_and_tables_show_every_slot_and_update() {
    let story = story_of(&events(Policy::Ybw));
    let search = &story.searches[0];
    let span = Span { from: search.started, to: story.last };
    let svg = timeline_svg(&story, span).unwrap();
    for worker in story.workers.values() {
        assert!(svg.contains(&worker.name), "{}: {svg}", worker.name);
    }
    let later = Span { from: story.last, to: Moment(story.last.0 + 1) };
    assert!(timeline_svg(&story, later).is_err());
    let speller: Speller = Box::new(spell_codes);
    let updates: Vec<_> = story.updates.iter().collect();
    let table = windows_table(&story, &updates, &speller, crate::Style::Markdown);
    assert_eq!(table.lines().count(), updates.len() + 2);
    let jobs: Vec<_> = story.jobs.iter().collect();
    let table = jobs_table(&story, &jobs, &speller, crate::Style::Markdown);
    assert_eq!(table.lines().count(), jobs.len() + 2);
    let view = SplitView::new(&story, 0, 1);
    let spell = spell_codes(&search.setup);
    let text = split_text(&view, &spell);
    let nodes = crate::grouped(search.facts.nodes());
    assert!(text.starts_with("root pv: ") && text.contains(&format!("({nodes} nodes")), "{text}");
    assert_eq!(split_dot(&view, &spell).matches(" -> ").count(), text.lines().count() - 1);
}

#[test]
fn a_search_is_compared_with_the_sequential_one_in_the_trace() {
    let parallel = story_of(&events(Policy::Ybw));
    let mut plain = parallel.clone();
    let search = &mut plain.searches[0];
    let setup = Setup { policy: Policy::Sequential, ..(*search.setup).clone() };
    search.setup = std::sync::Arc::new(setup);
    search.facts.elapsed_ns *= 3;
    let rows = search_rows(&[plain, parallel.clone()]);
    let terms = rows[1].terms.expect("there is a baseline");
    assert!((terms.speed_up - 3.0).abs() < 1e-9 && terms.search_overhead.abs() < 1e-9);
    assert_eq!(search_rows(&[parallel])[0].terms, None);
    assert!(summary_table(&rows, crate::Style::Markdown).contains("| 3.00 | 0.0 % |"));
}
