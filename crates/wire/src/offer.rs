//! Open nodes, as compact as they can be: what is not known of a child is not sent.

use crate::error::{Malformed, present};
use crate::v1;
use crate::vocabulary::{byte, line_out, moves, named, score, window};
use game::{Brother, Handover, Interval, MAX_MOVES, Move, NodeKind, OpenNode};
use ybw::{MAX_OFFERED_BROTHERS, MAX_OFFERED_NODES, MAX_PATH};

impl From<&Handover> for v1::OpenNode {
    fn from(handover: &Handover) -> v1::OpenNode {
        let Handover { node, current } = handover;
        let brothers = &node.brothers;
        let keyed = brothers.iter().any(|brother| brother.key != 0);
        v1::OpenNode {
            window: Some(node.window.into()),
            kind: v1::NodeKind::from(node.kind).into(),
            remaining: node.remaining.into(),
            moves: brothers.iter().map(|brother| brother.mv.0.into()).collect(),
            keys: if keyed { brothers.iter().map(|b| b.key).collect() } else { Vec::new() },
            known: (0..).zip(brothers).filter_map(known_out).collect(),
            line: line_out(&node.line),
            current: u32::try_from(*current).unwrap_or(u32::MAX),
        }
    }
}

fn known_out((index, brother): (u32, &Brother)) -> Option<v1::Known> {
    let Interval { low, high } = brother.known;
    let low = (low != Interval::UNKNOWN.low).then_some(low.points());
    let high = (high != Interval::UNKNOWN.high).then_some(high.points());
    (low.is_some() || high.is_some()).then_some(v1::Known { index, low, high })
}

/// The open nodes of one offer.
pub(crate) fn handovers(nodes: Vec<v1::OpenNode>) -> Result<Vec<Handover>, Malformed> {
    let (most, count) = (MAX_OFFERED_NODES as u64, nodes.len() as u64);
    Malformed::unless_within("the number of open nodes in an offer", count, 1, most)?;
    let brothers = nodes.iter().map(|node| node.moves.len()).sum();
    Malformed::if_longer("the number of brothers in an offer", brothers, MAX_OFFERED_BROTHERS)?;
    nodes.into_iter().map(Handover::try_from).collect()
}

impl TryFrom<v1::OpenNode> for Handover {
    type Error = Malformed;
    fn try_from(node: v1::OpenNode) -> Result<Handover, Malformed> {
        let children = moves("the number of children", &node.moves, MAX_MOVES)?;
        let last = (children.len() as u64).saturating_sub(1);
        let current = Malformed::unless_within(
            "the index of the current child",
            node.current.into(),
            0,
            last,
        )?;
        let brothers = brothers(children, &node.keys, &node.known)?;
        let kind = named::<v1::NodeKind, NodeKind>(node.kind, "the kind of node")?;
        let line = moves("the length of the line", &node.line, MAX_PATH)?;
        let remaining = byte("the remaining plies", node.remaining, 1)?;
        let node = OpenNode::restored(window(node.window)?, kind, remaining, brothers, line);
        let node = present(node, "any child of an open node")?;
        // Bounded by MAX_MOVES, so it fits.
        Ok(Handover { node, current: usize::try_from(current).unwrap_or(usize::MAX) })
    }
}

fn brothers(
    moves: Vec<Move>,
    keys: &[u64],
    known: &[v1::Known],
) -> Result<Vec<Brother>, Malformed> {
    let count = moves.len() as u64;
    if !keys.is_empty() {
        Malformed::unless_within("the number of keys", keys.len() as u64, count, count)?;
    }
    let unknown = |(index, mv)| Brother {
        mv,
        key: keys.get(index).copied().unwrap_or(0),
        known: Interval::UNKNOWN,
    };
    let mut brothers: Vec<Brother> = moves.into_iter().enumerate().map(unknown).collect();
    for known in known {
        let (index, most) = (known.index, count.saturating_sub(1));
        let brother = brothers.get_mut(index as usize).ok_or(Malformed::Number {
            part: "the index of a known child",
            given: index.into(),
            low: 0,
            high: most,
        })?;
        let low = known.low.map_or(Ok(Interval::UNKNOWN.low), score)?;
        let high = known.high.map_or(Ok(Interval::UNKNOWN.high), score)?;
        if low > high {
            return Err(Malformed::Known { index, low, high });
        }
        brother.known = Interval { low, high };
    }
    Ok(brothers)
}
