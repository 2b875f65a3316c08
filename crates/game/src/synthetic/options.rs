//! The options of [`Synthetic`].

use super::{First, Kind, Synthetic};
use crate::{GameError, GameSpec, LeafCost};
use std::str::FromStr;
use std::time::Duration;

const OPTIONS: [&str; 8] = ["b", "d", "seed", "kind", "range", "order", "cost", "noisy"];
/// Longest wait per value: more is a mistake.
const MAX_SLEEP: Duration = Duration::from_secs(10);

/// The tree that `spec` describes.
pub(super) fn read(spec: &GameSpec) -> Result<Synthetic, GameError> {
    spec.expect(false, &OPTIONS)?;
    Ok(Synthetic {
        children: spec.option("b", 8, "from 1 to 256", |text| {
            read_within(text, 1, Synthetic::MAX_CHILDREN)
        })?,
        depth: spec
            .option("d", 6, "from 0 to 60", |text| read_within(text, 0, Synthetic::MAX_DEPTH))?,
        seed: spec.option("seed", 1, "a number below 2^64", |text| text.parse().ok())?,
        kind: spec.option("kind", Kind::Leaves, "leaves or edges", read_kind)?,
        range: spec.option("range", 100, "from 1 to 125000", |text| {
            read_within(text, 1, Synthetic::MAX_RANGE)
        })?,
        first: spec.option("order", First::Any, "random, perfect or from 0 to 1", read_order)?,
        cost: spec.option("cost", LeafCost::Free, COSTS, read_cost)?,
        noisy: spec.option("noisy", 0.0, "from 0 to 1", |text| read_within(text, 0.0, 1.0))?,
    })
}

const COSTS: &str = "none, busy:ROUNDS, or sleep:TIME with a time in us, ms or s of at most 10s";

fn read_within<T: FromStr + PartialOrd>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().ok().filter(|number| (least..=most).contains(number))
}

fn read_kind(text: &str) -> Option<Kind> {
    match text {
        "leaves" => Some(Kind::Leaves),
        "edges" => Some(Kind::Edges),
        _ => None,
    }
}

fn read_order(text: &str) -> Option<First> {
    match text {
        "random" => Some(First::Any),
        "perfect" => Some(First::Best(1.0)),
        _ => read_within(text, 0.0, 1.0).map(First::Best),
    }
}

fn read_cost(text: &str) -> Option<LeafCost> {
    match text.split_once(':') {
        None if text == "none" => Some(LeafCost::Free),
        Some(("busy", rounds)) => rounds.parse().ok().map(LeafCost::Busy),
        Some(("sleep", time)) => read_time(time).map(LeafCost::Sleep),
        _ => None,
    }
}

fn read_time(text: &str) -> Option<Duration> {
    let unit = text.find(|symbol: char| !symbol.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit);
    let number = number.parse().ok()?;
    let time = match unit {
        "us" => Duration::from_micros(number),
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        _ => return None,
    };
    (time <= MAX_SLEEP).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, plain};

    #[test]
    fn costs_are_read() {
        let cost = |text: &str| {
            let spec = format!("synthetic:cost={text}").parse().unwrap();
            Synthetic::from_spec(&spec).unwrap().leaf_cost()
        };
        assert_eq!(cost("none"), LeafCost::Free);
        assert_eq!(cost("busy:50"), LeafCost::Busy(50));
        assert_eq!(cost("sleep:1ms"), LeafCost::Sleep(Duration::from_millis(1)));
        assert_eq!(cost("sleep:250us"), LeafCost::Sleep(Duration::from_micros(250)));
    }

    #[test]
    fn wrong_options_are_refused() {
        let check =
            |text, complaint| plain::check_spec_refused(Synthetic::from_spec, text, complaint);
        check("synthetic:b=0", "b=0 must be from 1 to 256");
        check("synthetic:b=257", "b=257 must be from 1 to 256");
        check("synthetic:d=61", "d=61 must be from 0 to 60");
        check("synthetic:seed=-1", "seed=-1 must be a number below 2^64");
        check("synthetic:kind=nodes", "kind=nodes must be leaves or edges");
        check("synthetic:range=125001", "range=125001 must be from 1 to 125000");
        check("synthetic:order=best", "order=best must be random, perfect or from 0 to 1");
        check("synthetic:order=1.5", "order=1.5 must be random, perfect or from 0 to 1");
        check("synthetic:order=NaN", "order=NaN must be");
        check("synthetic:cost=sleep:1m", "cost=sleep:1m must be none, busy:ROUNDS");
        check("synthetic:cost=sleep:11s", "at most 10s");
        check("synthetic:noisy=2", "noisy=2 must be from 0 to 1");
        check("synthetic:depth=4", "unknown option \"depth\"; the options of synthetic are b, d");
        check("synthetic:20", "unexpected \"20\"; synthetic has no size");
    }
}
