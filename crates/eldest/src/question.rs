//! What `solve` and `bench` search, from their options: [`QuestionArgs`] and [`Question`].

use crate::choices::{self, ALGORITHMS, ORDERS, POLICIES, SHARINGS, SWITCH, one_of};
use crate::suite::{MAX_SUITE_BYTES, Selection, Suite};
use crate::{Failure, files};
use clap::Args;
use game::{
    Algorithm, Bound, Depth, GameSpec, Order, Policy, Score, Setup, Sharing, Value, Window,
};
use search::Catalogue;
use std::path::Path;

/// Options that say what is searched and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct QuestionArgs {
    /// The game: name[:size][,key=value...]; `eldest games` lists them
    #[arg(long, value_name = "GAMESPEC")]
    pub(crate) game: Option<String>,
    /// The position in the game's notation [default: the game's usual start]
    #[arg(long, conflicts_with = "suite", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,
    /// Positions with known scores: `ffo`, or a file of position, tab, score
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) suite: Option<String>,
    /// Positions of the suite by number or line, as in 40-44,47
    #[arg(long, value_name = "NUMBERS", requires = "suite")]
    only: Option<Selection>,
    /// How the tree is searched
    #[arg(long, default_value = "pvs", value_parser = one_of(ALGORITHMS))]
    algorithm: Algorithm,
    /// How the children of a node are ordered
    #[arg(long, default_value = "static", value_parser = one_of(ORDERS))]
    order: Order,
    /// Plies to be searched, or `full`: to the end of the game
    #[arg(long, value_name = "D|full", default_value = "full", value_parser = choices::depth)]
    depth: Depth,
    /// Search only for scores between these [default: all]
    #[arg(long, value_name = "A,B", value_parser = choices::window, allow_hyphen_values = true)]
    window: Option<Window>,
    /// Transposition table of each process in MiB; 0 for none
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(wire::MAX_TABLE_MIB)))]
    table: u32,
    /// Who shares a table: no two threads, those of a process, or all processes of the cluster
    #[arg(long, value_name = "off|process|cluster", default_value = "cluster")]
    #[arg(value_parser = one_of(SHARINGS))]
    table_sharing: Sharing,
    /// Deepest search of noisy moves below the depth, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    quiescence: u8,
    /// Search to smaller depths first, so many plies apart [1 if no number is given], each ordering
    /// the next and guessing its value; needs a fixed --depth
    #[arg(long, value_name = "PLIES", num_args = 0..=1, require_equals = true)]
    #[arg(default_value_t = 0, default_missing_value = "1", hide_default_value = true)]
    deepening: u8,
    /// Where young brothers may be searched in parallel; `sequential` is the plain program
    #[arg(long, default_value = "ybw", value_parser = one_of(POLICIES))]
    pub(crate) policy: Policy,
    /// Whether narrowed windows are sent to running jobs
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = one_of(SWITCH))]
    #[arg(action = clap::ArgAction::Set)]
    narrowing: bool,
    /// Nodes with fewer plies remaining are never split [default: the game's own]
    #[arg(long, value_name = "PLIES")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..))]
    min_split: Option<u8>,
}

/// One position to be searched.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Question {
    /// Its number in the suite it comes from.
    pub(crate) id: Option<u32>,
    /// What to search and how.
    pub(crate) setup: Setup,
    /// Its true value for the side to move, if that is known.
    pub(crate) expected: Option<Score>,
}

impl Question {
    /// The position's name for a person.
    pub(crate) fn label(&self) -> String {
        match self.id {
            Some(id) => format!("{} #{id}", self.game_name()),
            None => self.game_name().to_string(),
        }
    }

    /// The game without its size and options.
    pub(crate) fn game_name(&self) -> &str {
        let game = self.setup.game.as_str();
        game.split_once(':').map_or(game, |(name, _)| name)
    }

    /// Whether `value` is true if the expected score is; nothing is expected, everything is.
    pub(crate) fn agrees(&self, value: Value) -> bool {
        self.expected.is_none_or(|expected| match value.bound {
            Bound::Exact => value.score == expected,
            Bound::Lower => value.score <= expected,
            Bound::Upper => value.score >= expected,
        })
    }
}

impl QuestionArgs {
    /// Whether nothing says what is to be searched.
    pub(crate) fn names_nothing(&self) -> bool {
        self.game.is_none() && self.suite.is_none() && self.position.is_none()
    }

    /// Takes the positions of a suite instead of what was given.
    pub(crate) fn choose_suite(&mut self, name: &str, only: &str) -> Result<(), Failure> {
        self.suite = Some(name.to_string());
        self.only = Some(only.parse().map_err(Failure::Given)?);
        Ok(())
    }

    /// The positions, each of which `catalogue` can prepare, with the minimum split depth resolved.
    pub(crate) fn questions(&self, catalogue: &Catalogue) -> Result<Vec<Question>, Failure> {
        let mut questions = match &self.suite {
            Some(name) => self.suite_questions(name)?,
            None => vec![self.single_question()?],
        };
        for question in &mut questions {
            let prepared = catalogue.prepare(&question.setup);
            let problem = prepared.map_err(|error| match question.id {
                Some(id) => Failure::given(format!("position {id} of the suite: {error}")),
                None => error.into(),
            })?;
            question.setup.min_split = self.min_split.unwrap_or(problem.split_floor());
        }
        Ok(questions)
    }

    fn single_question(&self) -> Result<Question, Failure> {
        let Some(game) = &self.game else {
            return Err(Failure::given("say what to search: --game GAMESPEC or --suite ffo"));
        };
        Ok(Question {
            id: None,
            setup: self.setup(inline_tree(game)?, self.position.clone().unwrap_or_default())?,
            expected: None,
        })
    }

    fn suite_questions(&self, name: &str) -> Result<Vec<Question>, Failure> {
        let wrong = |wrong: String| Failure::given(format!("suite {name:?}: {wrong}"));
        let mut suite = match Suite::built_in(name) {
            Some(suite) => suite,
            None => {
                let text = files::read(Path::new(name), MAX_SUITE_BYTES).map_err(wrong)?;
                Suite::read(&text).map_err(wrong)?
            }
        };
        if let Some(only) = &self.only {
            suite = suite.keep(only).map_err(|error| Failure::given(format!("--only {error}")))?;
        }
        let game = match (&self.game, suite.game) {
            (Some(given), _) => inline_tree(given)?,
            (None, Some(own)) => own,
            (None, None) => return Err(wrong("say of which game it is: --game GAMESPEC".into())),
        };
        let question = |entry: crate::suite::Entry| {
            Ok(Question {
                id: Some(entry.id),
                setup: self.setup(game.clone(), entry.position)?,
                expected: Some(entry.score),
            })
        };
        suite.entries.into_iter().map(question).collect()
    }

    fn setup(&self, game: String, position: String) -> Result<Setup, Failure> {
        if self.suite.is_some() && self.depth != Depth::FULL {
            let wrong = "the scores of a suite are those of full solves; leave --depth out";
            return Err(Failure::given(wrong));
        }
        if self.deepening > 0 && self.depth == Depth::FULL {
            return Err(Failure::given("--deepening needs a fixed depth, as in --depth 12"));
        }
        Ok(Setup {
            position,
            depth: self.depth,
            window: self.window.unwrap_or(Window::FULL),
            algorithm: self.algorithm,
            order: self.order,
            quiescence: self.quiescence,
            deepening: self.deepening,
            policy: self.policy,
            narrowing: self.narrowing,
            table_mib: self.table,
            sharing: self.table_sharing,
            ..Setup::new(game)
        })
    }
}

/// Replaces the file in `tree:FILE` by what it holds, so that the game is complete in itself.
pub(crate) fn inline_tree(game: &str) -> Result<String, Failure> {
    let Some(rest) = game.strip_prefix("tree:") else { return Ok(game.to_string()) };
    let inline = rest.trim_start().starts_with('[') || rest.trim().parse::<i64>().is_ok();
    if inline || rest.trim().is_empty() {
        return Ok(game.to_string());
    }
    let wrong = |wrong: String| Failure::given(format!("tree file {rest:?}: {wrong}"));
    let text = files::read(Path::new(rest), GameSpec::MAX_TEXT as u64).map_err(wrong)?;
    let tree: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("{error}; give nested JSON lists of integers")))?;
    Ok(format!("tree:{tree}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(expected: Option<i32>) -> Question {
        Question {
            id: Some(40),
            setup: Setup::new("connect:4x3,scoring=outcome"),
            expected: expected.map(Score::new),
        }
    }

    #[test]
    fn a_bound_agrees_if_it_is_a_true_statement() {
        let check = |value, expected, agrees| {
            assert_eq!(question(expected).agrees(value), agrees, "{value} {expected:?}");
        };
        check(Value::exact(Score::new(3)), Some(3), true);
        check(Value::exact(Score::new(3)), Some(4), false);
        check(Value::lower(Score::new(3)), Some(4), true);
        check(Value::lower(Score::new(3)), Some(2), false);
        check(Value::upper(Score::new(3)), Some(2), true);
        check(Value::upper(Score::new(3)), Some(4), false);
        check(Value::exact(Score::new(3)), None, true);
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(question(None).label(), "connect #40");
    }

    #[test]
    fn trees_are_read_from_files_and_written_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.json");
        std::fs::write(&path, "[[9, 6],\n [4, 7]]\n").unwrap();
        let game = format!("tree:{}", path.display());
        assert_eq!(inline_tree(&game).unwrap(), "tree:[[9,6],[4,7]]");
        for same in ["tree:[[9,6],[4,7]]", "tree:-3", "tree:", "othello"] {
            assert_eq!(inline_tree(same).unwrap(), same);
        }
        std::fs::write(&path, "[[9, 6], [4, 7").unwrap();
        let error = inline_tree(&game).unwrap_err().to_string();
        assert!(error.contains("tree.json") && error.contains("line 1"), "{error}");
        let error = inline_tree("tree:nowhere.json").unwrap_err().to_string();
        assert!(error.contains("nowhere.json"), "{error}");
    }
}
