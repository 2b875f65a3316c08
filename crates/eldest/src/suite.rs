//! Positions with known scores: [`Suite`].

use game::Score;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The suites that come with the program, by name.
const BUILT_IN: [(&str, &str, &str); 1] = [("ffo", "othello", include_str!("../data/ffo.tsv"))];

/// Largest suite file, in bytes.
pub(crate) const MAX_SUITE_BYTES: u64 = 16 << 20;

/// Positions of one game, in the order of their file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Suite {
    /// The game, if the suite says.
    pub(crate) game: Option<String>,
    /// The positions, at least one.
    pub(crate) entries: Vec<Entry>,
}

/// One position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    /// Its number in the suite, or its line.
    pub(crate) id: u32,
    /// In the game's notation.
    pub(crate) position: String,
    /// Its true value for the side to move.
    pub(crate) score: Score,
}

impl Suite {
    /// The built-in suite of that name.
    pub(crate) fn built_in(name: &str) -> Option<Suite> {
        let (_, game, text) = BUILT_IN.iter().find(|(known, ..)| *known == name)?;
        let entries = read_entries(text).ok()?;
        Some(Suite { game: Some((*game).to_string()), entries })
    }

    /// Reads a suite: lines of the Othello table (`id, squares, side to move, empties, score`,
    /// split by tabs), of `position`, tab, `score`, or of `moves score`. Empty lines and those that
    /// begin with `#` or `id` do not count.
    ///
    /// The error says which line is wrong and what would be right.
    pub(crate) fn read(text: &str) -> Result<Suite, String> {
        let entries = read_entries(text)?;
        if entries.is_empty() {
            return Err("holds no position; give lines of position, tab, score".into());
        }
        Ok(Suite { game: None, entries })
    }

    /// Keeps the entries that `only` names, in their order. A range may span lines without a position,
    /// but not reach beyond the suite's ends.
    pub(crate) fn keep(mut self, only: &Selection) -> Result<Suite, String> {
        let ids = self.entries.iter().map(|entry| entry.id);
        let (Some(least), Some(most)) = (ids.clone().min(), ids.clone().max()) else {
            return Err("the suite holds no position".into());
        };
        let has = |range: &&RangeInclusive<u32>| {
            let within = least <= *range.start() && *range.end() <= most;
            within && ids.clone().any(|id| range.contains(&id))
        };
        if let Some(missing) = only.0.iter().find(|range| !has(range)) {
            let (first, last) = (missing.start(), missing.end());
            let named = if first == last { first.to_string() } else { format!("{first}-{last}") };
            return Err(format!("{named}: no such positions; the suite has {least} to {most}"));
        }
        self.entries.retain(|entry| only.contains(entry.id));
        Ok(self)
    }
}

fn read_entries(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') || line.starts_with("id\t") {
            continue;
        }
        let entry = read_entry(line, number);
        entries.push(entry.map_err(|wrong| format!("line {number}: {wrong}"))?);
    }
    Ok(entries)
}

fn read_entry(line: &str, number: u32) -> Result<Entry, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let (id, position, score) = match fields.as_slice() {
        [id, squares, side, _empties, score, ..] => {
            let id = id.trim().parse();
            let id = id.map_err(|_| format!("id {:?} must be a whole number", fields[0]))?;
            (id, format!("{} {}", squares.trim(), side.trim()), *score)
        }
        [position, score] => (number, position.trim().to_string(), *score),
        [only] => match only.rsplit_once(' ') {
            Some((moves, score)) => (number, moves.trim().to_string(), score),
            None => return Err(format!("{only:?} must be a position, a tab and its score")),
        },
        _ => {
            return Err(format!("{} fields; give position, tab, score", fields.len()));
        }
    };
    let points = score.trim().parse().ok().and_then(Score::checked);
    let score = points.ok_or_else(|| format!("score {score:?} must be a whole number"))?;
    Ok(Entry { id, position, score })
}

/// Numbers of positions, as in `40-44,47`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Selection(Vec<RangeInclusive<u32>>);

impl Selection {
    fn contains(&self, id: u32) -> bool {
        self.0.iter().any(|range| range.contains(&id))
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Selection, String> {
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        ranges
            .map(Selection)
            .ok_or_else(|| "must be numbers and ascending ranges, as in 40-44,47".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, id: u32, position: &str, score: i32) {
        let suite = Suite::read(text).unwrap();
        let score = Score::new(score);
        let position = position.to_string();
        assert_eq!(suite.entries, [Entry { id, position, score }]);
    }

    #[test]
    fn every_form_of_line_is_read() {
        check("id\tsquares\n40\tO--X\tX\t20\t+38\ta2:+38\n", 40, "O--X X", 38);
        check("40\tO--X\tO\t20\t-4", 40, "O--X O", -4);
        check("# a comment\n\n445\t-2\n", 3, "445", -2);
        check("32164625 11\r\n", 1, "32164625", 11);
        check("O--X X\t7", 1, "O--X X", 7);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let check = |text: &str, complaint: &str| {
            let error = Suite::read(text).unwrap_err();
            assert!(error.contains(complaint), "{text:?}: {error}");
        };
        check("", "holds no position");
        check("445", "line 1: \"445\" must be a position, a tab and its score");
        check("445 1\n445 x", "line 2: score \"x\" must be a whole number");
        check("a\tb\tc", "line 1: 3 fields");
        check("x\tO--X\tX\t20\t+38", "line 1: id \"x\"");
        check("445 99999999999", "line 1: score");
    }

    #[test]
    fn the_built_in_suite_is_whole() {
        let suite = Suite::built_in("ffo").unwrap();
        let ids: Vec<u32> = suite.entries.iter().map(|entry| entry.id).collect();
        assert_eq!(ids, (20..=59).collect::<Vec<u32>>());
        assert_eq!(suite.entries[20].score, Score::new(38));
        assert!(Suite::built_in("fool").is_none());
    }

    #[test]
    fn a_selection_keeps_its_positions() {
        let kept = |only: &str| {
            let suite = Suite::built_in("ffo").unwrap().keep(&only.parse().unwrap())?;
            Ok(suite.entries.iter().map(|entry| entry.id).collect::<Vec<u32>>())
        };
        assert_eq!(kept("40-42"), Ok(vec![40, 41, 42]));
        assert_eq!(kept("47, 20"), Ok(vec![20, 47]));
        let refused =
            |only: &str| Err(format!("{only}: no such positions; the suite has 20 to 59"));
        for only in ["1", "19-20", "58-70", "60-70"] {
            assert_eq!(kept(only), refused(only));
        }
        for wrong in ["", "4-", "44-40", "a", "1,,2"] {
            assert!(wrong.parse::<Selection>().is_err(), "{wrong}");
        }
    }
}
