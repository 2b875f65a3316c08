//! The transposition table that the threads of a process share: [`Table`].
//!
//! Lock-free: an entry is two words, the packed data and the key xored with it, so that an entry torn
//! by two writers does not match any key (Hyatt and Mann 2002). The data is mixed for that: otherwise two
//! entries that differ in few bits, torn, would match the key of a third position where keys differ in few
//! bits too.

use crate::fresh::Fresh;
use game::{Entry, Finding};
use std::collections::TryReserveError;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Entries a position may be in; together one cache line.
const BUCKET: usize = 4;
const BUCKET_BYTES: usize = BUCKET * 16;
/// Generations are counted modulo this; they and the mark of foreign entries fill the spare bits.
const GENERATIONS: u8 = 32;
const GENERATION_SHIFT: u32 = 56;
/// Marks what another process found out.
const FOREIGN: u64 = 1 << 61;

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    packed: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The entry.
    pub entry: Entry,
    /// Whether another process found it out.
    pub foreign: bool,
}

/// A fixed-size hash table from position keys to entries.
#[derive(Debug)]
pub struct Table {
    buckets: Vec<Bucket>,
    generation: AtomicU8,
    mib: u32,
    fresh: Fresh,
}

impl Table {
    /// An empty table of `mib` MiB, at least one bucket. The process ends if there is no memory for
    /// it; a size that somebody else chose is for [`Table::try_new`].
    #[must_use]
    pub fn new(mib: u32) -> Table {
        Table::filled(mib, Vec::with_capacity(Table::buckets_of(mib)))
    }

    /// An empty table of `mib` MiB, at least one bucket.
    ///
    /// # Errors
    /// If the system does not give so much memory.
    pub fn try_new(mib: u32) -> Result<Table, TryReserveError> {
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(Table::buckets_of(mib))?;
        Ok(Table::filled(mib, buckets))
    }

    fn buckets_of(mib: u32) -> usize {
        (mib as usize).saturating_mul((1 << 20) / BUCKET_BYTES).max(1)
    }

    fn filled(mib: u32, mut buckets: Vec<Bucket>) -> Table {
        buckets.resize_with(Table::buckets_of(mib), Bucket::default);
        Table { buckets, generation: AtomicU8::new(0), mib, fresh: Fresh::default() }
    }

    /// The size it was made with, in MiB.
    #[must_use]
    pub fn mib(&self) -> u32 {
        self.mib
    }

    /// Begins a new search: what earlier ones stored stays usable but is overwritten first, and is not told
    /// to others.
    pub fn age(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
        self.fresh.end();
    }

    /// Everything it knows. What is stored meanwhile may be among it or not; an entry that is torn by that is
    /// left out, for it is not where its key belongs (or else as good as any: no position has such a key).
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.buckets.iter().enumerate().flat_map(move |(index, bucket)| {
            bucket.0.iter().filter_map(move |slot| {
                let (key, packed) = slot.load();
                let entry = Entry::from_bits(packed).filter(|_| self.index(key) == index)?;
                Some(Finding { key, entry })
            })
        })
    }

    /// Puts back what a table knew before, unless all that would have to go for it has more plies remaining.
    pub fn restore(&self, Finding { key, entry }: Finding) {
        let bucket = self.bucket(key);
        let worse = |slot: &Slot| {
            let (of, packed) = slot.load();
            packed == 0 || of == key || Entry::remaining_in(packed) <= entry.remaining
        };
        if bucket.0.iter().any(worse) {
            self.put(key, entry, 0);
        }
    }

    /// What is known of the position.
    #[must_use]
    pub fn probe(&self, key: u64) -> Option<Known> {
        self.bucket(key).0.iter().find_map(|slot| {
            let (of, packed) = slot.load();
            if of != key {
                return None;
            }
            let entry = Entry::from_bits(packed)?;
            Some(Known { entry, foreign: packed & FOREIGN != 0 })
        })
    }

    /// Remembers what was found out about the position. Returns whether others will be told of it.
    pub fn store(&self, key: u64, entry: Entry) -> bool {
        self.put(key, entry, 0);
        self.fresh.offer(Finding { key, entry })
    }

    /// Remembers what another process found out, unless as much is known already. Returns whether it was new.
    pub fn learn(&self, Finding { key, entry }: Finding) -> bool {
        let enough =
            |known: Known| known.entry.depth == entry.depth && known.entry.value == entry.value;
        let new = !self.probe(key).is_some_and(enough);
        if new {
            self.put(key, entry, FOREIGN);
        }
        new
    }

    /// Begins to collect for others what is stored with at least so many plies remaining, unless that
    /// has begun already.
    pub fn share_from(&self, remaining: u8) {
        self.fresh.begin(remaining);
    }

    /// The weightiest of what was collected for others, at most so many. If far more were left, only weightier
    /// entries are collected from now on, and lighter ones if there were far fewer.
    #[must_use]
    pub fn take_fresh(&self, most: usize) -> Vec<Finding> {
        self.fresh.take(most)
    }

    /// An older entry of the same position goes first, then one of an earlier search, then the one
    /// with the least remaining plies.
    fn put(&self, key: u64, entry: Entry, mark: u64) {
        let generation = self.generation.load(Relaxed);
        let bucket = self.bucket(key);
        let keep = |slot: &&Slot| {
            let (of, packed) = slot.load();
            if packed == 0 || of == key {
                return 0;
            }
            let current = u16::from(generation_of(packed) == generation);
            1 + current * 256 + u16::from(Entry::remaining_in(packed))
        };
        if let Some(slot) = bucket.0.iter().min_by_key(keep) {
            let packed = entry.to_bits() | u64::from(generation) << GENERATION_SHIFT | mark;
            slot.check.store(key ^ mixed(packed), Relaxed);
            slot.packed.store(packed, Relaxed);
        }
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[self.index(key)]
    }

    /// Spreads keys over the buckets by their high bits (Lemire 2016).
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }
}

impl Slot {
    /// The key and the packed data; a key that nobody has if they are torn.
    fn load(&self) -> (u64, u64) {
        let packed = self.packed.load(Relaxed);
        (self.check.load(Relaxed) ^ mixed(packed), packed)
    }
}

/// Spreads a difference in any bit over many, so that nothing that is torn looks like a key nearby.
fn mixed(packed: u64) -> u64 {
    (packed ^ packed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn generation_of(packed: u64) -> u8 {
    (packed >> GENERATION_SHIFT) as u8 & (GENERATIONS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Depth, Move, Score, Value};

    fn entry(points: i32, remaining: u8) -> Entry {
        Entry {
            value: Value::lower(Score::new(points)),
            depth: Depth::FULL,
            best: Move(u16::MAX),
            remaining,
        }
    }

    fn finding(key: u64, remaining: u8) -> Finding {
        Finding { key, entry: entry(key as i32, remaining) }
    }

    fn known(table: &Table, key: u64) -> Option<Entry> {
        table.probe(key).map(|known| known.entry)
    }

    #[test]
    fn what_others_found_out_is_marked_and_not_told_again() {
        let table = Table::new(0);
        table.share_from(5);
        assert!(table.learn(Finding { key: 1, entry: entry(3, 9) }));
        assert!(!table.learn(Finding { key: 1, entry: entry(3, 9) }));
        assert_eq!(table.probe(1), Some(Known { entry: entry(3, 9), foreign: true }));
        assert!(table.store(2, entry(4, 5)) && !table.store(3, entry(4, 4)));
        assert_eq!(table.take_fresh(8), [Finding { key: 2, entry: entry(4, 5) }]);
        assert!(!table.learn(Finding { key: 2, entry: entry(4, 5) }));
        assert_eq!(table.probe(2), Some(Known { entry: entry(4, 5), foreign: false }));
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let table = Table::new(1);
        for points in [-Score::LIMIT, -1, 0, 1, Score::LIMIT] {
            table.store(points as u64, entry(points, 9));
            assert_eq!(known(&table, points as u64), Some(entry(points, 9)));
        }
    }

    #[test]
    fn a_table_beyond_all_memory_is_an_error() {
        assert!(Table::try_new(u32::MAX).is_err());
        assert_eq!(Table::try_new(1).unwrap().buckets.len(), Table::new(1).buckets.len());
    }

    #[test]
    fn an_empty_table_knows_nothing_even_of_key_zero() {
        assert_eq!(Table::new(1).probe(0), None);
    }

    #[test]
    fn a_key_that_shares_the_bucket_is_not_mistaken_for_another() {
        let table = Table::new(0);
        for key in 1..=3 {
            table.store(key, entry(key as i32, 5));
        }
        for key in 1..=3 {
            assert_eq!(known(&table, key), Some(entry(key as i32, 5)));
        }
        assert_eq!(table.probe(4), None);
    }

    #[test]
    fn the_least_valuable_entry_is_overwritten() {
        let table = Table::new(0);
        for (key, remaining) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.store(key, entry(0, remaining));
        }
        table.store(5, entry(0, 6));
        assert_eq!(table.probe(2), None);
        table.age();
        table.store(6, entry(0, 1));
        table.store(7, entry(0, 1));
        assert!(table.probe(6).is_some(), "an entry of this search outlives older ones");
    }

    #[test]
    fn a_torn_entry_matches_no_key() {
        let (mine, theirs) = (0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321);
        let table = Table::new(0);
        table.store(mine, entry(1, 1));
        let slot = &table.buckets[0].0[0];
        slot.packed.store(entry(-7, 2).to_bits(), Relaxed);
        assert_eq!(table.probe(mine), None);
        assert_eq!(table.probe(theirs), None);
    }
    #[test]
    fn what_a_table_knew_can_be_put_back_into_one_of_any_size() {
        let table = Table::new(1);
        let spread = |number: u64| number << 50;
        for number in 1..=1_000 {
            table.store(spread(number), entry(number as i32, number as u8));
        }
        let all: Vec<Finding> = table.findings().collect();
        assert_eq!(all.len(), 1_000);
        for mib in [0, 1, 3] {
            let other = Table::new(mib);
            for &finding in &all {
                other.restore(finding);
            }
            let known = |finding: &Finding| known(&other, finding.key) == Some(finding.entry);
            let held = all.iter().filter(|&finding| known(finding)).count();
            assert_eq!(held, if mib == 0 { BUCKET } else { 1_000 }, "{mib} MiB");
        }
    }

    #[test]
    fn what_is_put_back_does_not_displace_what_weighs_more_and_is_nobody_elses() {
        let table = Table::new(0);
        table.share_from(1);
        for (key, remaining) in [(1, 9), (2, 7), (3, 8), (4, 6), (5, 5)] {
            table.restore(finding(key, remaining));
        }
        let mut held: Vec<Finding> = table.findings().collect();
        held.sort_by_key(|finding| finding.key);
        assert_eq!(held, [finding(1, 9), finding(2, 7), finding(3, 8), finding(4, 6)]);
        assert_eq!(table.take_fresh(9), [], "others are not told again");
        let heard = Finding { key: 1, entry: entry(7, 9) };
        assert!(table.learn(heard) && table.probe(1).is_some_and(|known| known.foreign));
        table.restore(finding(1, 2));
        assert!(table.probe(1).is_some_and(|known| !known.foreign));
    }

    #[test]
    fn a_new_search_tells_nothing_of_the_one_before() {
        let table = Table::new(0);
        table.share_from(1);
        assert!(table.store(1, entry(1, 9)));
        table.age();
        assert!(!table.store(2, entry(1, 9)), "nobody asked yet");
        assert_eq!(table.take_fresh(9), []);
        table.share_from(1);
        assert!(table.store(3, entry(1, 9)));
    }

    #[test]
    fn a_torn_entry_matches_none_of_the_keys_nearby() {
        const KEYS: u64 = 64;
        let near = |number: u64| entry(number as i32, (number % 7) as u8);
        for (a, b) in (0..KEYS).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let [torn, other] = [a, b].map(|key| {
                let table = Table::new(0);
                table.store(key, near(key));
                table
            });
            let packed = other.buckets[0].0[0].packed.load(Relaxed);
            torn.buckets[0].0[0].packed.store(packed, Relaxed);
            for key in 0..KEYS {
                assert_eq!(known(&torn, key), None, "{a} torn by {b} is taken for {key}");
            }
        }
    }

    #[test]
    fn threads_that_fight_for_a_bucket_find_only_what_belongs_to_the_key() {
        const KEYS: u64 = 64;
        const ROUNDS: u64 = 200_000;
        let table = Table::new(0);
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (table, start) = (&table, &start);
                scope.spawn(move || {
                    start.wait();
                    for round in 0..ROUNDS {
                        let number = (round + thread).wrapping_mul(0x5851_f42d_4c95_7f2d) >> 32;
                        let stored = number % KEYS;
                        table.store(stored, entry(stored as i32, (round % 5) as u8));
                        let asked = number / KEYS % KEYS;
                        if let Some(entry) = known(table, asked) {
                            assert_eq!(entry.value.score, Score::new(asked as i32));
                        }
                    }
                });
            }
        });
    }
}
