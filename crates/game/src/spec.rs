//! A game named in text, with its size and options: [`GameSpec`].

use crate::GameError;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A game as text: `name`, or `name:part,part,...`, where a part `key=value` is an option and any
/// other part belongs to the size.
///
/// For `tree` everything after the colon is one part of the size: nested JSON lists.
///
/// ```
/// use eldest_game::GameSpec;
/// let spec: GameSpec = "connect:4x3,scoring=outcome".parse().unwrap();
/// assert_eq!(spec.name, "connect");
/// assert_eq!(spec.size, ["4x3"]);
/// assert_eq!(spec.options["scoring"], "outcome");
/// assert_eq!(spec.to_string(), "connect:4x3,scoring=outcome");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameSpec {
    /// Which game: one of [`GameSpec::NAMES`] if it is one of ours.
    pub name: String,
    /// The parts of the size, in the order given.
    pub size: Vec<String>,
    /// The options by name.
    pub options: BTreeMap<String, String>,
}

impl GameSpec {
    /// The games of this crate.
    pub const NAMES: [&str; 6] = ["connect", "othello", "tictactoe", "nim", "tree", "synthetic"];

    /// Longest text of a game, in bytes. Only a tree of many leaves comes near it.
    pub const MAX_TEXT: usize = 1 << 20;

    /// The error that says that no game has this name.
    #[must_use]
    pub fn unknown_name(&self) -> GameError {
        let known = Self::NAMES.join(", ");
        self.wrong(format!("no game is called {:?}; there are {known}", self.name))
    }

    /// An error about this game.
    #[must_use]
    pub fn wrong(&self, wrong: impl Into<String>) -> GameError {
        GameError::spec(self.to_string(), wrong)
    }

    /// The only part of the size, if there is one; `right` says what it may be.
    ///
    /// # Errors
    /// If there are more parts.
    pub fn only_size(&self, right: &str) -> Result<Option<&str>, GameError> {
        match self.size.as_slice() {
            [] => Ok(None),
            [size] => Ok(Some(size)),
            [_, second, ..] => Err(self.wrong(format!("unexpected {second:?}; give {right}"))),
        }
    }

    /// Refuses every option but those in `known`, and any size if `sized` is false.
    ///
    /// # Errors
    /// On the first unknown option or unexpected size, listing what is known.
    pub fn expect(&self, sized: bool, known: &[&str]) -> Result<(), GameError> {
        let options = match known {
            [] => format!("{} has no options", self.name),
            _ => format!("the options of {} are {}", self.name, known.join(", ")),
        };
        if let (false, Some(size)) = (sized, self.size.first()) {
            let wrong = format!("unexpected {size:?}; {} has no size and {options}", self.name);
            return Err(self.wrong(wrong));
        }
        match self.options.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self.wrong(format!("unknown option {key:?}; {options}"))),
            None => Ok(()),
        }
    }

    /// The option `key`, read by `read`, or `default` if it is not given; `right` says what it
    /// may be.
    ///
    /// # Errors
    /// If it is given and `read` refuses it.
    pub fn option<T>(
        &self,
        key: &str,
        default: T,
        right: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, GameError> {
        let Some(text) = self.options.get(key) else {
            return Ok(default);
        };
        read(text).ok_or_else(|| self.wrong(format!("{key}={text} must be {right}")))
    }
}

impl FromStr for GameSpec {
    type Err = GameError;

    fn from_str(text: &str) -> Result<GameSpec, GameError> {
        let wrong = |wrong: String| Err(GameError::spec(text, wrong));
        if text.len() > Self::MAX_TEXT {
            return wrong(format!("{} bytes are too many; at most {}", text.len(), Self::MAX_TEXT));
        }
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name.trim(), Some(rest)),
            None => (text.trim(), None),
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return wrong("must begin with the game's name, as in connect:6x7".into());
        }
        let mut spec = GameSpec { name: name.into(), ..GameSpec::default() };
        let parts: Vec<&str> = match rest {
            None => Vec::new(),
            Some(rest) if name == "tree" => vec![rest],
            Some(rest) => rest.split(',').collect(),
        };
        for part in parts {
            if part.trim().is_empty() {
                return wrong("nothing stands after a colon or comma".into());
            }
            let Some((key, value)) = part.split_once('=') else {
                spec.size.push(part.trim().into());
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() || value.is_empty() {
                return wrong(format!("option {part:?} must be key=value"));
            }
            if spec.options.insert(key.into(), value.into()).is_some() {
                return wrong(format!("option {key:?} is given twice"));
            }
        }
        Ok(spec)
    }
}

impl fmt::Display for GameSpec {
    /// The canonical text: the size as given, then the options by name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let options = self.options.iter().map(|(key, value)| format!("{key}={value}"));
        for (index, part) in self.size.iter().cloned().chain(options).enumerate() {
            write!(f, "{}{part}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, canonical: &str) {
        let spec: GameSpec = text.parse().unwrap();
        assert_eq!(spec.to_string(), canonical);
        assert_eq!(canonical.parse::<GameSpec>().unwrap(), spec);
    }

    #[test]
    fn text_round_trips_in_canonical_form() {
        check("othello", "othello");
        check("connect:6x7", "connect:6x7");
        check("nim:3,4,5", "nim:3,4,5");
        check("connect: scoring=outcome, 4x3", "connect:4x3,scoring=outcome");
        check("synthetic:seed=1,b=20", "synthetic:b=20,seed=1");
        check("synthetic:cost=sleep:1ms", "synthetic:cost=sleep:1ms");
        check("tree:[[9,6],[4,7]]", "tree:[[9,6],[4,7]]");
    }

    fn check_refused(text: &str, complaint: &str) {
        let error = text.parse::<GameSpec>().unwrap_err().to_string();
        assert!(error.contains(complaint), "{text}: {error}");
    }

    #[test]
    fn malformed_text_is_refused_in_one_line() {
        check_refused("", "must begin with the game's name");
        check_refused(":6x7", "must begin with the game's name");
        check_refused("Connect", "must begin with the game's name");
        check_refused("connect:", "nothing stands after");
        check_refused("nim:3,,4", "nothing stands after");
        check_refused("synthetic:b=", "must be key=value");
        check_refused("synthetic:b=1,b=2", "given twice");
        let long = format!("tree:{}", "[".repeat(GameSpec::MAX_TEXT));
        check_refused(&long, "bytes are too many");
        assert!(long.parse::<GameSpec>().unwrap_err().to_string().len() < 300);
    }

    #[test]
    fn unknown_names_and_options_are_refused_with_the_known_ones() {
        let spec: GameSpec = "conect:6x7,size=3".parse().unwrap();
        assert!(spec.unknown_name().to_string().contains("there are connect, othello"));
        let error = spec.expect(true, &["scoring"]).unwrap_err().to_string();
        assert!(error.contains("unknown option \"size\"; the options of conect are scoring"));
        let error = spec.expect(false, &[]).unwrap_err().to_string();
        assert!(error.contains("unexpected \"6x7\"; conect has no size and conect has no options"));
    }
}
