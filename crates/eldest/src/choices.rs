//! Values of options as text: what clap does not know how to read.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use game::{Algorithm, Depth, Order, Policy, Score, Sharing, Window};
use std::time::Duration;

/// The algorithms by name.
pub(crate) const ALGORITHMS: [(&str, Algorithm); 3] = [
    ("minimax", Algorithm::Minimax),
    ("alpha-beta", Algorithm::AlphaBeta),
    ("pvs", Algorithm::Pvs),
];

/// The move orders by name.
pub(crate) const ORDERS: [(&str, Order); 5] = [
    ("static", Order::Static),
    ("left-to-right", Order::LeftToRight),
    ("centre-first", Order::CentreFirst),
    ("best-first", Order::BestFirst),
    ("worst-first", Order::WorstFirst),
];

/// The policies by name.
pub(crate) const POLICIES: [(&str, Policy); 5] = [
    ("root-split", Policy::RootSplit),
    ("pv-split", Policy::PvSplit),
    ("ybw", Policy::Ybw),
    ("aspiring", Policy::Aspiring),
    ("sequential", Policy::Sequential),
];

/// Who shares a table, by name.
pub(crate) const SHARINGS: [(&str, Sharing); 3] =
    [("off", Sharing::Off), ("process", Sharing::Process), ("cluster", Sharing::Cluster)];

/// On and off.
pub(crate) const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];

/// Reads one of the names in `table`.
pub(crate) fn one_of<T, const N: usize>(
    table: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = table.each_ref().map(|(name, _)| *name);
    PossibleValuesParser::new(names).try_map(move |given| {
        let found = table.iter().find(|(name, _)| *name == given);
        found.map(|(_, value)| *value).ok_or(format!("no choice is called {given}"))
    })
}

/// The name of one of the values in `table`.
pub(crate) fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("?", |(name, _)| name)
}

/// Reads a fixed depth in plies or `full`.
pub(crate) fn depth(text: &str) -> Result<Depth, String> {
    if text == "full" {
        return Ok(Depth::FULL);
    }
    let plies = text.parse().ok().and_then(Depth::plies);
    plies.ok_or_else(|| format!("must be full or plies from 0 to {}", Depth::MAX_FIXED))
}

/// Reads a window `ALPHA,BETA`; `-inf` and `inf` leave an end open.
pub(crate) fn window(text: &str) -> Result<Window, String> {
    let right = "must be ALPHA,BETA, two whole numbers, the first below the second, as in -2,2";
    let ends = text.split_once(',').and_then(|(alpha, beta)| {
        let (alpha, beta) = (score_or_infinity(alpha)?, score_or_infinity(beta)?);
        Window::new(alpha, beta)
    });
    ends.ok_or_else(|| right.to_string())
}

fn score_or_infinity(text: &str) -> Option<Score> {
    match text.trim() {
        "-inf" => Some(-Score::INFINITY),
        "inf" | "+inf" => Some(Score::INFINITY),
        number => score(number).ok(),
    }
}

/// Reads a score.
pub(crate) fn score(text: &str) -> Result<Score, String> {
    let points = text.trim().parse().ok().and_then(Score::checked);
    points.ok_or_else(|| format!("must be a whole number of at most {} in magnitude", Score::LIMIT))
}

/// Reads a time that is not zero, as in `30s` or `1m 30s`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time.is_zero() => Err("must be longer than nothing".into()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; give a number and a unit, as in 30s")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::to_value;

    #[test]
    fn depths_are_plies_or_full() {
        assert_eq!(depth("full"), Ok(Depth::FULL));
        assert_eq!(depth("0"), Ok(Depth::ZERO));
        assert_eq!(depth("254").ok(), Depth::plies(254));
        for wrong in ["", "255", "-1", "all", "1.5"] {
            assert!(depth(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn windows_are_two_ascending_ends() {
        let check = |text, alpha, beta| {
            let ends = window(text).map(|window| (window.alpha(), window.beta()));
            assert_eq!(ends, Ok((alpha, beta)), "{text}");
        };
        check("-2,2", Score::new(-2), Score::new(2));
        check("0, inf", Score::ZERO, Score::INFINITY);
        check("-inf,+inf", -Score::INFINITY, Score::INFINITY);
        for wrong in ["", "2", "2,2", "3,2", "a,b", "1,2,3", "9000000,9000001"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        for wrong in ["", "30", "0s", "-1s", "soon"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_those_of_the_wire_and_reports() {
        for (name, algorithm) in ALGORITHMS {
            assert_eq!(to_value(algorithm).unwrap(), name);
        }
        for (name, order) in ORDERS {
            assert_eq!(to_value(order).unwrap(), name);
        }
        for (name, sharing) in SHARINGS {
            assert_eq!(to_value(sharing).unwrap(), name);
        }
        for (name, policy) in POLICIES {
            assert_eq!(to_value(policy).unwrap(), name);
        }
    }
}
