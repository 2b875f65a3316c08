//! A table in whose buckets many more positions meet than there is room for, under keys that differ in few bits.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_search::{Catalogue, Problem, Run, Table};
use game::{
    Algorithm, Connect, ConnectPosition, Depth, Game, GameError, Move, MoveList, NodeKind,
    Question, Score, Setup, Subtree, Tally, Window,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Bits that keys begin with, and so buckets that are used.
const BUCKET_BITS: u32 = 8;
/// Bits that keys end with; those between are the same in all of them.
const REST_BITS: u32 = 24 - BUCKET_BITS;

/// Positions numbered in the order they are first seen.
type Numbers = Arc<Mutex<HashMap<u64, u64>>>;

/// Connect Four with keys of 24 bits, of which all but 16 choose the bucket.
#[derive(Clone)]
struct Crowded {
    inner: Connect,
    numbers: Numbers,
}

impl Game for Crowded {
    type Position = ConnectPosition;

    fn start(&self) -> ConnectPosition {
        self.inner.start()
    }

    fn parse_position(&self, text: &str) -> Result<ConnectPosition, GameError> {
        self.inner.parse_position(text)
    }

    fn position_text(&self, position: &ConnectPosition) -> String {
        self.inner.position_text(position)
    }

    fn move_text(&self, position: &ConnectPosition, mv: Move) -> String {
        self.inner.move_text(position, mv)
    }

    fn final_score(&self, position: &ConnectPosition) -> Option<Score> {
        self.inner.final_score(position)
    }

    fn moves(&self, position: &ConnectPosition, moves: &mut MoveList) {
        self.inner.moves(position, moves);
    }

    fn play(&self, position: &ConnectPosition, mv: Move) -> ConnectPosition {
        self.inner.play(position, mv)
    }

    fn evaluate(&self, position: &ConnectPosition) -> Score {
        self.inner.evaluate(position)
    }

    fn key(&self, position: &ConnectPosition) -> u64 {
        let mut numbers = self.numbers.lock().unwrap();
        let next = numbers.len() as u64;
        let number = *numbers.entry(self.inner.key(position)).or_insert(next);
        assert!(number < 1 << (BUCKET_BITS + REST_BITS), "every position has a key of its own");
        number.rotate_right(BUCKET_BITS)
    }

    fn plies_left(&self, position: &ConnectPosition) -> u32 {
        self.inner.plies_left(position)
    }

    fn promise(&self, position: &ConnectPosition, mv: Move) -> i32 {
        self.inner.promise(position, mv)
    }
}

fn free(_: game::LeafCost) {}

fn catalogue() -> Catalogue {
    let numbers = Numbers::default();
    Catalogue::standard().with("crowded", move |spec| {
        let spec = format!("connect:{}", spec.size.join(",")).parse()?;
        Ok(Crowded { inner: Connect::from_spec(&spec)?, numbers: numbers.clone() })
    })
}

fn problem(catalogue: &Catalogue, game: &str, position: &str) -> Arc<dyn Problem> {
    let setup = Setup { position: position.to_string(), ..Setup::new(game) };
    catalogue.prepare(&setup).unwrap()
}

fn solve(problem: &dyn Problem, table: Option<Arc<Table>>) -> (Score, Tally) {
    let mut slot = problem.slot(table, free);
    let question = Question { window: Window::FULL, kind: NodeKind::Pv };
    let (path, hint) = (Vec::new(), Vec::new());
    slot.start(&Subtree { path, depth: Depth::FULL, question, hint }).unwrap();
    loop {
        if let Run::Done { value, .. } = slot.run(1_000) {
            return (value.score, slot.take_tally());
        }
    }
}

/// Threads that solve neighbouring positions overwrite each other's entries all the time.
#[test]
fn no_entry_of_a_crowded_bucket_is_believed_for_another_position() {
    let catalogue = catalogue();
    let positions = ["", "1", "2", "3", "4", "12", "22", "31"];
    let table = Arc::new(Table::new(1));
    let check = |position: &str| {
        let truth =
            solve(&*problem(&catalogue, "connect:4x4", position), Some(Table::new(8).into()));
        let (score, tally) =
            solve(&*problem(&catalogue, "crowded:4x4", position), Some(table.clone()));
        assert_eq!(score, truth.0, "{position:?}");
        tally
    };
    let tallies = std::thread::scope(|scope| {
        let threads = positions.map(|position| {
            scope.spawn({
                let check = &check;
                move || check(position)
            })
        });
        threads.map(|thread| thread.join().unwrap())
    });
    let mut tally = Tally::default();
    tallies.into_iter().for_each(|each| tally += each);
    assert!(tally.table_cutoffs > 1_000, "the table is of use: {tally:?}");
    let held = table.findings().count();
    assert!(held <= 4 << BUCKET_BITS, "{held} entries are in the buckets that are used");
    assert!(tally.interior > 10 * held as u64, "most are overwritten soon: {tally:?}");
}

/// The truth that the test above compares with is that of a search without any table.
#[test]
fn a_table_of_good_keys_changes_no_score() {
    let catalogue = Catalogue::standard();
    for position in ["1122", "2233", "41"] {
        let setup = Setup { position: position.to_string(), ..Setup::new("connect:4x4") };
        let plain = Setup { algorithm: Algorithm::AlphaBeta, table_mib: 0, ..setup };
        let (truth, _) = solve(&*catalogue.prepare(&plain).unwrap(), None);
        let with =
            solve(&*problem(&catalogue, "connect:4x4", position), Some(Table::new(8).into()));
        assert_eq!(with.0, truth, "{position}");
    }
}
