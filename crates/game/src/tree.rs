//! Any tree, spelled out: [`Tree`].

use crate::hash::scramble;
use crate::{Game, GameError, GameSpec, MAX_MOVES, Move, MoveList, Score};
use serde_json::Value as Json;
use std::sync::Arc;

/// A tree given as nested JSON lists whose leaves are integers, worth so much to the side that
/// moves at the root.
///
/// A position is the path to it: indices of children counted from 0, separated by dots. Move codes are
/// those indices.
///
/// ```
/// use eldest_game::{Game, Score, Tree};
/// let tree = Tree::from_json("[[9, 6], [4, 7]]").unwrap();
/// let position = tree.parse_position("0.1").unwrap();
/// assert_eq!(tree.final_score(&position), Some(Score::new(6)));
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Arc<[Node]>,
}

/// A position of [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreePosition {
    node: u32,
    /// Distance from the root.
    ply: u8,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// The longest way down from here.
    height: u8,
    content: Content,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    Leaf(Score),
    /// Children lie side by side.
    Inner {
        first: u32,
        children: u16,
    },
}

const ROOT: u32 = 0;

impl Tree {
    /// Deepest tree, in plies.
    pub const MAX_DEPTH: u8 = 64;

    /// The tree that `spec` describes: `tree:[[9,6],[4,7]]`.
    ///
    /// # Errors
    /// As [`Tree::from_json`], or if the tree is missing.
    pub fn from_spec(spec: &GameSpec) -> Result<Tree, GameError> {
        spec.expect(true, &[])?;
        let Some(json) = spec.only_size("one tree as JSON")? else {
            return Err(spec.wrong("give nested JSON lists of integers, as in tree:[[9,6],[4,7]]"));
        };
        Tree::from_json(json)
    }

    /// The tree that nested JSON lists describe; a bare integer is a tree too.
    ///
    /// # Errors
    /// If it is not JSON, or has an empty list, a list that is too long, a leaf that is not an
    /// integer or out of range, or too many plies.
    pub fn from_json(json: &str) -> Result<Tree, GameError> {
        let refuse = |wrong: String| GameError::spec(format!("tree:{json}"), wrong);
        let root: Json = serde_json::from_str(json)
            .map_err(|error| refuse(format!("must be nested JSON lists of integers; {error}")))?;
        let mut nodes = read_nodes(&root).map_err(refuse)?;
        set_heights(&mut nodes);
        Ok(Tree { nodes: nodes.into() })
    }

    fn node(&self, position: &TreePosition) -> &Node {
        &self.nodes[position.node as usize]
    }

    fn children(&self, position: &TreePosition) -> u16 {
        match self.node(position).content {
            Content::Leaf(_) => 0,
            Content::Inner { children, .. } => children,
        }
    }
}

/// Reads the tree breadth first, so that the children of a node lie side by side.
fn read_nodes(root: &Json) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    let mut generation = vec![(ROOT, root)];
    for ply in 0.. {
        if ply > u32::from(Tree::MAX_DEPTH) {
            return Err(format!("must be at most {} plies deep", Tree::MAX_DEPTH));
        }
        let mut next = Vec::new();
        let end = nodes.len() + generation.len();
        for (parent, json) in generation {
            let node = nodes.len() as u32;
            let content = read_content(json, (end + next.len()) as u32)?;
            nodes.push(Node { parent, height: 0, content });
            next.extend(json.as_array().into_iter().flatten().map(|child| (node, child)));
        }
        if next.is_empty() {
            break;
        }
        generation = next;
    }
    Ok(nodes)
}

fn read_content(json: &Json, first: u32) -> Result<Content, String> {
    match json {
        Json::Array(list) if list.is_empty() => {
            Err("a list is empty; every list needs a child".into())
        }
        Json::Array(list) if list.len() > MAX_MOVES => {
            Err(format!("a list has {} children; at most {MAX_MOVES}", list.len()))
        }
        Json::Array(list) => Ok(Content::Inner { first, children: list.len() as u16 }),
        Json::Number(number) => {
            let most = Score::LIMIT - 1;
            let score = number.as_i64().and_then(Score::checked);
            let score = score.filter(|score| score.points().abs() <= most);
            let score = score.ok_or_else(|| {
                format!("leaf {number} must be an integer between -{most} and {most}")
            })?;
            Ok(Content::Leaf(score))
        }
        _ => Err(format!("leaf {json} must be an integer")),
    }
}

fn set_heights(nodes: &mut [Node]) {
    for index in (1..nodes.len()).rev() {
        let Node { parent, height, .. } = nodes[index];
        let above = &mut nodes[parent as usize].height;
        *above = (*above).max(height + 1);
    }
}

impl Game for Tree {
    type Position = TreePosition;

    fn start(&self) -> TreePosition {
        TreePosition { node: ROOT, ply: 0 }
    }

    fn parse_position(&self, text: &str) -> Result<TreePosition, GameError> {
        let mut position = self.start();
        if text.trim().is_empty() {
            return Ok(position);
        }
        for step in text.trim().split('.') {
            let children = self.children(&position);
            match step.parse() {
                Ok(index) if index < children => position = self.play(&position, Move(index)),
                _ => {
                    let place = self.position_text(&position);
                    let wrong = format!("no child {step:?} at {place:?}, which has {children}");
                    return Err(GameError::position(text, wrong));
                }
            }
        }
        Ok(position)
    }

    fn position_text(&self, position: &TreePosition) -> String {
        let mut path = Vec::new();
        let mut node = position.node;
        while node != ROOT {
            let parent = self.nodes[node as usize].parent;
            if let Content::Inner { first, .. } = self.nodes[parent as usize].content {
                path.push((node - first).to_string());
            }
            node = parent;
        }
        path.reverse();
        path.join(".")
    }

    fn move_text(&self, _position: &TreePosition, mv: Move) -> String {
        mv.0.to_string()
    }

    fn final_score(&self, position: &TreePosition) -> Option<Score> {
        match self.node(position).content {
            Content::Leaf(score) if position.ply.is_multiple_of(2) => Some(score),
            Content::Leaf(score) => Some(-score),
            Content::Inner { .. } => None,
        }
    }

    fn moves(&self, position: &TreePosition, moves: &mut MoveList) {
        moves.extend((0..self.children(position)).map(Move));
    }

    fn play(&self, position: &TreePosition, mv: Move) -> TreePosition {
        let Content::Inner { first, .. } = self.node(position).content else {
            unreachable!("a leaf has no moves")
        };
        TreePosition { node: first + u32::from(mv.0), ply: position.ply + 1 }
    }

    /// Zero: a tree says nothing of its inner nodes.
    fn evaluate(&self, _position: &TreePosition) -> Score {
        Score::ZERO
    }

    fn key(&self, position: &TreePosition) -> u64 {
        scramble(u64::from(position.node) + 1)
    }

    fn plies_left(&self, position: &TreePosition) -> u32 {
        u32::from(self.node(position).height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain;

    /// A textbook tree: binary, four plies deep.
    const TEXTBOOK: &str = "[[[[9,6],[4,7]],[[7,6],[1,-9]]],[[[1,9],[0,-4]],[[4,-1],[2,-3]]]]";

    #[test]
    fn alpha_beta_evaluates_seven_of_the_sixteen_textbook_leaves() {
        let tree = Tree::from_json(TEXTBOOK).unwrap();
        let found = plain::alpha_beta(&tree, &tree.start());
        assert_eq!((found.score, found.leaves), (Score::new(6), 7));
        assert_eq!(plain::value(&tree, &tree.start()), Score::new(6));
        assert_eq!(plain::perft(&tree, &tree.start(), 4), 16);
    }

    #[test]
    fn trees_may_have_any_shape() {
        let tree = Tree::from_spec(&"tree:[3,[5,[-2,8]],[[1],4]]".parse().unwrap()).unwrap();
        assert_eq!(plain::value(&tree, &tree.start()), Score::new(5));
        assert_eq!(tree.plies_left(&tree.start()), 3);
        plain::check_positions(&tree, 50, 3);
        let leaf = Tree::from_json("-7").unwrap();
        assert_eq!(leaf.final_score(&leaf.start()), Some(Score::new(-7)));
        assert_eq!(leaf.plies_left(&leaf.start()), 0);
    }

    #[test]
    fn malformed_trees_and_paths_are_refused() {
        let check = |text: &str, complaint| {
            plain::check_spec_refused(Tree::from_spec, text, complaint);
        };
        check("tree", "give nested JSON lists");
        check("tree:[1,2", "must be nested JSON lists of integers; EOF");
        check("tree:[1,[]]", "a list is empty");
        check("tree:[1,2.5]", "leaf 2.5 must be an integer");
        check("tree:[1,\"a\"]", "leaf \"a\" must be an integer");
        check("tree:[8000000]", "leaf 8000000 must be an integer between -7999999 and 7999999");
        check(&format!("tree:[{}1]", "1,".repeat(256)), "a list has 257 children; at most 256");
        let deep = |plies| format!("tree:{}1{}", "[".repeat(plies), "]".repeat(plies));
        check(&deep(65), "at most 64 plies deep");
        assert!(Tree::from_spec(&deep(64).parse().unwrap()).is_ok());
        let tree = Tree::from_json(TEXTBOOK).unwrap();
        plain::check_refused(&tree, "0.2", "no child \"2\" at \"0\", which has 2");
        plain::check_refused(&tree, "0.1.0.0.0", "no child \"0\" at \"0.1.0.0\", which has 0");
    }
}
