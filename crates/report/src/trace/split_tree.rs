//! The split tree of a search as text and as a graph: [`SplitView`].

use super::Spell;
use super::story::{JobEnd, JobStory, Story};
use super::tables::{end_text, or_root};
use crate::grouped;
use game::{Move, NodeKind, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The split tree of one search down to some depth: every subtree that was ever a job, and the nodes
/// above them.
#[derive(Clone, Debug, Default)]
pub struct SplitView {
    root: Node,
    plies: usize,
}

/// A subtree: what its jobs came to, those of its own and those below.
#[derive(Clone, Debug, Default)]
struct Node {
    kind: Option<NodeKind>,
    /// The value of the node, for the side to move there, from the split tree.
    value: Option<Value>,
    /// How the last job at this very subtree ended.
    last: Option<String>,
    cancelled: bool,
    jobs: u64,
    nodes: u64,
    updates: u64,
    children: BTreeMap<Move, Node>,
}

impl SplitView {
    /// The split tree of the search at this place of the story, its root and so many plies below.
    #[must_use]
    pub fn new(story: &Story, search: usize, plies: usize) -> SplitView {
        let mut view = SplitView { root: Node::default(), plies };
        for job in story.jobs.iter().filter(|job| job.search == search) {
            view.note_job(job);
        }
        for node in story.nodes.iter().filter(|node| node.search == search) {
            let shown = node.path.len() <= plies;
            if shown {
                view.root.below(&node.path).value = Some(node.value);
            }
        }
        view
    }

    fn note_job(&mut self, job: &JobStory) {
        let mut node = &mut self.root;
        node.note_cost(job);
        for mv in job.path.iter().take(self.plies) {
            node = node.children.entry(*mv).or_default();
            node.note_cost(job);
        }
        if job.path.len() <= self.plies {
            node.kind = Some(job.kind);
            node.last = Some(end_text(job));
            node.cancelled = matches!(job.end, Some((_, JobEnd::Cancelled { .. })));
        }
    }
}

impl Node {
    fn below(&mut self, path: &[Move]) -> &mut Node {
        path.iter().fold(self, |node, mv| node.children.entry(*mv).or_default())
    }

    fn note_cost(&mut self, job: &JobStory) {
        self.jobs += 1;
        self.nodes += job.nodes();
        self.updates += u64::from(job.updates);
    }

    fn verdict(&self) -> String {
        match (&self.value, &self.last) {
            (Some(value), _) => value.to_string(),
            (None, Some(last)) => last.clone(),
            (None, None) => "open".into(),
        }
    }

    fn costs(&self) -> String {
        let Node { jobs, updates, .. } = self;
        format!("{} nodes, {jobs} jobs, {updates} windows", grouped(self.nodes))
    }

    fn kind_text(&self) -> String {
        self.kind.map_or(String::new(), |kind| format!(" {}", format!("{kind:?}").to_lowercase()))
    }
}

/// The tree as indented lines, one a subtree, moves in the game's notation.
#[must_use]
pub fn split_text(view: &SplitView, spell: &Spell) -> String {
    let mut text = String::new();
    write_text(&mut text, &view.root, &mut Vec::new(), spell);
    text.truncate(text.trim_end().len());
    text
}

fn write_text(text: &mut String, node: &Node, path: &mut Vec<Move>, spell: &Spell) {
    let name = name_of(path, spell);
    let indent = "  ".repeat(path.len());
    let _ =
        writeln!(text, "{indent}{name}{}: {} ({})", node.kind_text(), node.verdict(), node.costs());
    for (&mv, child) in &node.children {
        path.push(mv);
        write_text(text, child, path, spell);
        path.pop();
    }
}

/// The last move of a path.
fn name_of(path: &[Move], spell: &Spell) -> String {
    let whole = spell(path);
    or_root(whole.split(' ').next_back().unwrap_or_default().to_string())
}

/// The tree as a graph for Graphviz; what was cancelled is grey.
#[must_use]
pub fn split_dot(view: &SplitView, spell: &Spell) -> String {
    let mut text = String::from(
        "digraph split_tree {\n  rankdir=LR;\n  node [shape=box, style=filled, fontname=\"sans-serif\", \
         fillcolor=\"#dbe7ff\"];\n",
    );
    write_dot(&mut text, &view.root, "n", &mut Vec::new(), spell);
    text.push('}');
    text
}

fn write_dot(text: &mut String, node: &Node, id: &str, path: &mut Vec<Move>, spell: &Spell) {
    let name = name_of(path, spell).replace('\\', "\\\\").replace('"', "\\\"");
    let grey = if node.cancelled { ", fillcolor=\"#e0e0e0\", fontcolor=\"#707070\"" } else { "" };
    let _ = writeln!(
        text,
        "  {id} [label=\"{name}{}\\n{}\\n{} nodes\"{grey}];",
        node.kind_text(),
        node.verdict(),
        grouped(node.nodes)
    );
    for (&mv, child) in &node.children {
        let below = format!("{id}_{}", mv.0);
        let _ = writeln!(text, "  {id} -> {below};");
        path.push(mv);
        write_dot(text, child, &below, path, spell);
        path.pop();
    }
}
