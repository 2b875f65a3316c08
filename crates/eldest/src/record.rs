//! What `eldest solve --json` prints: [`Record`] and [`Summary`].

use crate::question::Question;
use game::{Bound, Depth, Policy, Tally, Value};
use report::Facts;
use serde::Serialize;
use wire::Answer;
use ybw::Outcome;

/// One searched position.
///
/// `score` and `bound` are null if the search was given up. `best_move` is null then, if the game is over
/// in the position, and if the bound is `upper`: nothing is known of the moves but that none is worth more.
/// `nodes + quiescence == interior + leaves + table_cutoffs`.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct Record {
    /// Its number in the suite it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    game: String,
    position: String,
    depth: String,
    policy: Policy,
    score: Option<i32>,
    bound: Option<Bound>,
    best_move: Option<String>,
    pv: Vec<String>,
    nodes: u64,
    interior: u64,
    leaves: u64,
    table_cutoffs: u64,
    quiescence: u64,
    seconds: f64,
    /// The known score.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<i32>,
    /// Whether score and bound are true if the known score is.
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
    run: Facts,
}

impl Record {
    /// The answer to `question` about `position`, which is written out.
    pub(crate) fn new(question: &Question, position: String, mut answer: Answer) -> Record {
        let value = value_of(&answer.facts);
        if value.is_some_and(|value| value.bound == Bound::Upper) {
            // It begins with a move of which more is known than of others, not with one that is better.
            answer.line_text.clear();
        }
        let expected = question.expected.filter(|_| value.is_some());
        let Tally { nodes, interior, leaves, table_cutoffs, quiescence, .. } = answer.facts.tally;
        Record {
            id: question.id,
            game: question.setup.game.clone(),
            position,
            depth: question.setup.depth.to_string(),
            policy: question.setup.policy,
            score: value.map(|value| value.score.points()),
            bound: value.map(|value| value.bound),
            best_move: answer.line_text.first().cloned(),
            pv: answer.line_text,
            nodes,
            interior,
            leaves,
            table_cutoffs,
            quiescence,
            seconds: answer.facts.seconds(),
            expected: question.expected.map(game::Score::points),
            agrees: value.filter(|_| expected.is_some()).map(|value| question.agrees(value)),
            run: answer.facts,
        }
    }

    /// The record as one line of JSON.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers and texts can be written as JSON")
    }

    /// The record for a person.
    pub(crate) fn text(&self) -> String {
        let known = match (self.expected, self.agrees) {
            (Some(_), Some(true)) => ", as expected".to_string(),
            (Some(expected), Some(false)) => format!(", but {expected} was expected"),
            _ => String::new(),
        };
        let answer = match value_of(&self.run) {
            Some(value) => format!("{value}{known}"),
            None => "none".to_string(),
        };
        let cut = |text: &str| {
            let mut cut: String = text.chars().take(MAX_SHOWN).collect();
            if cut.len() < text.len() {
                cut += "...";
            }
            cut
        };
        let position = if self.position.is_empty() { "start" } else { &self.position };
        let id = self.id.map_or(String::new(), |id| format!(" #{id}"));
        let mut lines = vec![
            format!("{}{id}  {position}", cut(&self.game)),
            format!("  score  {answer}"),
            format!("  line   {}", self.pv.join(" ")),
            format!("  nodes  {}", self.counts()),
            format!("  time   {:.3} s{}", self.seconds, self.speed()),
        ];
        if self.run.jobs_assigned > 0 {
            lines.push(format!("  jobs   {}", self.work()));
        }
        if self.depth != Depth::FULL.to_string() {
            lines.insert(1, format!("  depth  {}", self.depth));
        }
        lines.join("\n")
    }

    fn counts(&self) -> String {
        let quiescence = match self.quiescence {
            0 => String::new(),
            nodes => format!(" + quiescence {}", report::grouped(nodes)),
        };
        let [nodes, interior, leaves, cutoffs] =
            [self.nodes, self.interior, self.leaves, self.table_cutoffs].map(report::grouped);
        format!(
            "{nodes}{quiescence} (interior {interior}, leaves {leaves}, table cutoffs {cutoffs})"
        )
    }

    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    fn speed(&self) -> String {
        if self.seconds < MIN_TIMED_SECONDS {
            return String::new();
        }
        let millions = self.run.nodes() as f64 / self.seconds / 1e6;
        format!(", {millions:.2} million nodes/s")
    }

    fn work(&self) -> String {
        let run = &self.run;
        let [jobs, pushed, cut, discarded] =
            [run.jobs_assigned, run.windows_pushed, run.windows_cut, run.discarded_nodes]
                .map(report::grouped);
        format!(
            "{jobs} on {} slots; windows pushed {pushed}, cut off {cut}; nodes discarded {discarded}",
            run.slots
        )
    }
}

/// Longest game that [`Record::text`] shows in full.
const MAX_SHOWN: usize = 80;
/// Shorter searches say nothing about speed.
const MIN_TIMED_SECONDS: f64 = 0.001;

/// The value of the root, if the search came to its end.
pub(crate) fn value_of(facts: &Facts) -> Option<Value> {
    match &facts.outcome {
        Outcome::Solved { value, .. } => Some(*value),
        Outcome::Aborted | Outcome::Failed { .. } => None,
    }
}

/// All positions of a suite together.
#[derive(Serialize, Clone, PartialEq, Debug, Default)]
pub(crate) struct Summary {
    /// Always true: tells the summary from a record.
    summary: bool,
    positions: u64,
    solved: u64,
    agree: u64,
    disagree: u64,
    nodes: u64,
    interior: u64,
    leaves: u64,
    table_cutoffs: u64,
    quiescence: u64,
    seconds: f64,
}

impl Summary {
    pub(crate) fn new() -> Summary {
        Summary { summary: true, ..Summary::default() }
    }

    /// Counts one position.
    pub(crate) fn add(&mut self, record: &Record) {
        self.positions += 1;
        self.solved += u64::from(record.score.is_some());
        self.agree += u64::from(record.agrees == Some(true));
        self.disagree += u64::from(record.agrees == Some(false));
        self.nodes += record.nodes;
        self.interior += record.interior;
        self.leaves += record.leaves;
        self.table_cutoffs += record.table_cutoffs;
        self.quiescence += record.quiescence;
        self.seconds += record.seconds;
    }

    /// The summary as one line of JSON.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers can be written as JSON")
    }

    /// The summary for a person.
    pub(crate) fn text(&self) -> String {
        let nodes = report::grouped(self.nodes);
        format!(
            "{} positions: {} as expected, {} not, {} given up; {nodes} nodes in {:.3} s",
            self.positions,
            self.agree,
            self.disagree,
            self.positions - self.solved,
            self.seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Score, Setup};
    use serde_json::json;

    fn record(value: Option<Value>, expected: Option<i32>) -> Record {
        let outcome = match value {
            Some(value) => Outcome::Solved { value, line: Vec::new() },
            None => Outcome::Aborted,
        };
        let (interior, leaves, table_cutoffs) = (500, 900, 120);
        let counted = Tally { nodes: 1_500, interior, leaves, table_cutoffs, ..Tally::default() };
        let tally = Tally { quiescence: 20, ..counted };
        let facts = Facts::sequential(outcome, 2_000_000, tally);
        let question = Question {
            id: Some(40),
            setup: Setup { policy: Policy::Sequential, ..Setup::new("othello") },
            expected: expected.map(Score::new),
        };
        let answer = Answer { line_text: vec!["a2".into(), "b1".into()], facts };
        Record::new(&question, "O--X X".into(), answer)
    }

    #[test]
    fn a_record_is_one_object_of_this_shape() {
        let record = record(Some(Value::exact(Score::new(38))), Some(38));
        let mut object: serde_json::Value = serde_json::from_str(&record.json()).unwrap();
        let run = object.as_object_mut().unwrap().remove("run").unwrap();
        let golden = json!({
            "id": 40, "game": "othello", "position": "O--X X", "depth": "full",
            "policy": "sequential", "score": 38, "bound": "exact", "best_move": "a2",
            "pv": ["a2", "b1"], "nodes": 1500, "interior": 500, "leaves": 900,
            "table_cutoffs": 120, "quiescence": 20, "seconds": 0.002, "expected": 38, "agrees": true,
        });
        assert_eq!(object, golden);
        assert_eq!(run["outcome"], "solved");
        assert_eq!(run["elapsed_ns"], 2_000_000);
        assert_eq!(run["tally"]["nodes"], 1500);
    }

    #[test]
    fn the_counts_of_the_text_add_up_before_the_reader() {
        let text = record(Some(Value::exact(Score::new(38))), None).text();
        let counts = "1,500 + quiescence 20 (interior 500, leaves 900, table cutoffs 120)";
        assert!(text.contains(counts), "{text}");
    }

    #[test]
    fn an_upper_bound_has_no_best_move() {
        let check = |value, best: serde_json::Value| {
            let json = record(Some(value), None).json();
            let object: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(object["best_move"], best, "{value}");
            assert_eq!(object["pv"].as_array().unwrap().is_empty(), best.is_null(), "{value}");
        };
        check(Value::lower(Score::new(38)), json!("a2"));
        check(Value::exact(Score::new(38)), json!("a2"));
        check(Value::upper(Score::new(38)), json!(null));
    }

    #[test]
    fn a_search_that_was_given_up_has_no_score() {
        let object: serde_json::Value =
            serde_json::from_str(&record(None, Some(38)).json()).unwrap();
        assert_eq!(object["score"], json!(null));
        assert_eq!(object.get("agrees"), None);
        assert_eq!(object["run"]["outcome"], "aborted");
    }

    #[test]
    fn a_summary_adds_up() {
        let mut summary = Summary::new();
        summary.add(&record(Some(Value::exact(Score::new(38))), Some(38)));
        summary.add(&record(Some(Value::lower(Score::new(38))), Some(36)));
        summary.add(&record(None, Some(38)));
        let object: serde_json::Value = serde_json::from_str(&summary.json()).unwrap();
        let golden = json!({
            "summary": true, "positions": 3, "solved": 2, "agree": 1, "disagree": 1,
            "nodes": 4500, "interior": 1500, "leaves": 2700, "table_cutoffs": 360,
            "quiescence": 60, "seconds": 0.006,
        });
        assert_eq!(object, golden);
    }
}
