//! The top of the split tree as it is now: [`LiveTree`].

use game::{Move, NodeKind, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Plies below the root that are shown.
const MAX_PLIES: usize = 3;
/// Nodes that are shown; later ones are left out.
const MAX_NODES: usize = 400;

/// Where a node of the split tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// Its children are resolved one by one.
    Open,
    /// A worker has it.
    Running,
    /// It came back without a result.
    Waiting,
    /// It came to a value.
    Resolved,
    /// It became unwanted.
    Cancelled,
}

/// A node as it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NodeNow {
    /// The moves from the root in the game's notation; empty for the root.
    pub path: String,
    /// Plies below the root.
    pub ply: usize,
    /// The expected kind, if a job began there.
    pub kind: Option<NodeKind>,
    /// Where it is.
    pub state: NodeState,
    /// Its value, for the side to move there.
    pub value: Option<String>,
    /// Positions entered at it and below, as far as accounts have come.
    pub nodes: u64,
}

#[derive(Clone, Debug)]
struct Node {
    kind: Option<NodeKind>,
    state: NodeState,
    value: Option<Value>,
    nodes: u64,
}

/// Nodes by path, parents before children.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveTree(BTreeMap<Vec<Move>, Node>);

impl LiveTree {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// A worker got the node.
    pub(super) fn run(&mut self, path: &[Move], kind: NodeKind) {
        if let Some(node) = self.node(path) {
            (node.kind, node.state, node.value) = (Some(kind), NodeState::Running, None);
        }
        self.open_above(path);
    }

    /// A worker goes on with the node; those above it are open.
    pub(super) fn open(&mut self, path: &[Move], kind: NodeKind) {
        self.run(path, kind);
    }

    /// The node came to a value.
    pub(super) fn resolve(&mut self, path: &[Move], value: Value) {
        if let Some(node) = self.node(path) {
            (node.state, node.value) = (NodeState::Resolved, Some(value));
        }
        let below = self.0.range_mut(path.to_vec()..).take_while(|(p, _)| p.starts_with(path));
        for (_, node) in below.filter(|(_, node)| is_open(node.state)) {
            node.state = NodeState::Cancelled;
        }
    }

    /// The job at the node is gone.
    pub(super) fn leave(&mut self, path: &[Move], state: NodeState) {
        if let Some(node) = self.node(path)
            && node.state == NodeState::Running
        {
            node.state = state;
        }
    }

    /// Positions were entered at the node or below.
    pub(super) fn spend(&mut self, path: &[Move], nodes: u64) {
        for plies in 0..=path.len().min(MAX_PLIES) {
            if let Some(node) = self.0.get_mut(&path[..plies]) {
                node.nodes += nodes;
            }
        }
    }

    /// The nodes as they are shown, parents before children.
    pub(super) fn nodes(&self, spell: &impl Fn(&[Move]) -> String) -> Vec<NodeNow> {
        let shown = |(path, node): (&Vec<Move>, &Node)| NodeNow {
            path: spell(path),
            ply: path.len(),
            kind: node.kind,
            state: node.state,
            value: node.value.map(|value| value.to_string()),
            nodes: node.nodes,
        };
        self.0.iter().map(shown).collect()
    }

    fn open_above(&mut self, path: &[Move]) {
        for plies in 0..path.len().min(MAX_PLIES + 1) {
            if let Some(node) = self.node(&path[..plies])
                && node.state != NodeState::Resolved
            {
                node.state = NodeState::Open;
            }
        }
    }

    fn node(&mut self, path: &[Move]) -> Option<&mut Node> {
        let known = self.0.contains_key(path);
        if path.len() > MAX_PLIES || !known && self.0.len() >= MAX_NODES {
            return None;
        }
        let node = Node { kind: None, state: NodeState::Open, value: None, nodes: 0 };
        Some(self.0.entry(path.to_vec()).or_insert(node))
    }
}

fn is_open(state: NodeState) -> bool {
    matches!(state, NodeState::Open | NodeState::Running | NodeState::Waiting)
}
