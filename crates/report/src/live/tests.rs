//! The live picture of simulated searches.

use super::*;
use crate::trace::tests::{events, facts_of};
use crate::trace::{UpdateTotals, spell_codes, tests::story_of};
use game::Score;

fn live() -> Live {
    Live::new(Box::new(spell_codes))
}

fn told(events: &[Traced]) -> Live {
    let mut live = live();
    events.iter().for_each(|traced| live.note(traced));
    live
}

#[test]
fn after_a_search_the_ledger_holds_its_facts_and_nothing_runs() {
    let events = events(Policy::Ybw);
    let (live, facts) = (told(&events), facts_of(&events));
    let sums = live.ledger().facts();
    assert_eq!(Facts { outcome: facts.outcome.clone(), ..sums }, facts);
    assert_eq!(live.ledger().searches()["solved"], 1);
    let totals = UpdateTotals::of(&story_of(&events).updates);
    assert_eq!(live.ledger().saved_nodes(), totals.saved_nodes);
    let ended = live.ledger().jobs().values().sum::<u64>();
    assert_eq!(ended, story_of(&events).jobs.len() as u64);
    let snapshot = live.snapshot(live.last());
    assert!(snapshot.search.is_none() && snapshot.jobs.is_empty(), "{snapshot:?}");
    assert_eq!(snapshot.updates_pushed, facts.windows_pushed);
    // Workers are credited with what jobs reported while they were wanted.
    let credited = snapshot.workers.iter().map(|worker| worker.nodes).sum::<u64>();
    assert!(credited <= facts.nodes() && credited >= facts.nodes() - facts.discarded_nodes);
    assert_eq!(snapshot.finished.len(), 1);
    assert_eq!(snapshot.finished[0].nodes, facts.nodes());
}

#[test]
fn during_a_search_slots_jobs_updates_and_the_tree_are_shown() {
    let (mut most_nodes, mut greyed, mut seen_updates) = (0, false, false);
    let mut live = live();
    let events = [Policy::Ybw, Policy::PvSplit, Policy::RootSplit].map(events).concat();
    for traced in &events {
        live.note(traced);
        let snapshot = live.snapshot(traced.at);
        let Some(search) = &snapshot.search else { continue };
        assert!(search.busy_slots <= search.slots && search.slots <= 8, "{search:?}");
        assert!(search.load.is_none_or(|load| (0.0..=1.0).contains(&load)), "{search:?}");
        let jobs = snapshot.workers.iter().map(|worker| worker.jobs as usize);
        assert_eq!(snapshot.jobs.len(), jobs.sum::<usize>());
        most_nodes = most_nodes.max(snapshot.tree.len());
        greyed |= snapshot.tree.iter().any(|node| node.state == NodeState::Cancelled);
        seen_updates |= snapshot.updates.iter().any(|update| update.effect == "cut");
        let parents = snapshot.tree.iter().scan(Vec::new(), |path: &mut Vec<usize>, node| {
            path.truncate(node.ply);
            path.push(node.ply);
            Some(path.len() == node.ply + 1)
        });
        assert!(parents.into_iter().all(|has_parent| has_parent), "{:?}", snapshot.tree);
    }
    assert!(most_nodes > 10 && greyed && seen_updates, "{most_nodes} {greyed} {seen_updates}");
}

#[test]
fn a_snapshot_survives_json() {
    let events = events(Policy::PvSplit);
    let mut live = live();
    for traced in &events[..events.len() / 2] {
        live.note(traced);
    }
    let snapshot = live.snapshot(live.last());
    assert!(snapshot.search.is_some() && !snapshot.tree.is_empty());
    let text = serde_json::to_string(&snapshot).unwrap();
    let back: Snapshot = serde_json::from_str(&text).unwrap();
    assert_eq!((&back.tree, &back.workers), (&snapshot.tree, &snapshot.workers));
    let kept = |shown: &Snapshot| shown.updates.iter().map(|u| (u.number, u.new.clone())).collect();
    let (told, known): (Vec<_>, Vec<_>) = (kept(&back), kept(&snapshot));
    assert_eq!(told, known);
}

#[test]
fn a_search_is_compared_with_the_sequential_one_before_it() {
    let parallel = events(Policy::Ybw);
    let setup = parallel.iter().find_map(|traced| match &traced.event {
        TraceEvent::SearchStarted { setup, .. } => Some(setup.clone()),
        _ => None,
    });
    let plain = Setup { policy: Policy::Sequential, ..(*setup.unwrap()).clone() };
    let search = SearchId(9);
    let value = game::Value::exact(Score::ZERO);
    let tally = game::Tally { nodes: facts_of(&parallel).nodes(), ..game::Tally::default() };
    let job = JobId(1);
    let spent = Spent { tally, busy_ns: 1 };
    let worker = WorkerId(77);
    let solved = Outcome::Solved { value, line: Vec::new() };
    let mut live = live();
    let before = [
        TraceEvent::SearchStarted { search, setup: Arc::new(plain), processors: 1 },
        TraceEvent::JobResolved { job, worker, value, spent },
        TraceEvent::SearchEnded { search, outcome: solved },
        TraceEvent::SearchSettled { search, tally },
    ];
    for (at, event) in before.into_iter().enumerate() {
        live.note(&Traced { at: Moment(at as u64 * 1_000_000_000), event });
    }
    for traced in &parallel {
        let at = Moment(10_000_000_000 + traced.at.0);
        live.note(&Traced { at, event: traced.event.clone() });
    }
    let snapshot = live.snapshot(live.last());
    assert_eq!(snapshot.finished[1].terms, None);
    let terms = snapshot.finished[0].terms.expect("there is a baseline");
    assert!(terms.search_overhead.abs() < 1e-9, "{terms:?}");
    assert!((terms.product(8) / terms.speed_up - 1.0).abs() < 1e-9, "{terms:?}");
}
