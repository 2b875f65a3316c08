//! Heaps of stones: [`Nim`].

use crate::hash::combine;
use crate::{Game, GameError, GameSpec, MAX_MOVES, Move, MoveList, Score};
use arrayvec::ArrayVec;

/// Take stones from one heap; whoever takes the last stone wins and scores 1.
///
/// A position is the heaps, separated by commas: `3,4,5`. A move is written `heap:stones`, heaps
/// counted from 1; its code is `heap * 4096 + stones`, heaps counted from 0.
#[derive(Clone, Debug)]
pub struct Nim {
    start: NimPosition,
}

/// A position of [`Nim`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NimPosition {
    heaps: ArrayVec<u16, { Nim::MAX_HEAPS }>,
}

impl Nim {
    /// Most heaps.
    pub const MAX_HEAPS: usize = 15;
    /// Most stones of all heaps together: each is a legal move.
    pub const MAX_STONES: usize = MAX_MOVES;
    /// The codes of moves of neighbouring heaps lie so far apart.
    const HEAP_CODES: u16 = 4096;

    /// The game that `spec` describes: `nim:3,4,5`.
    ///
    /// # Errors
    /// If heaps are missing, malformed or too large, or there are options.
    pub fn from_spec(spec: &GameSpec) -> Result<Nim, GameError> {
        spec.expect(true, &[])?;
        if spec.size.is_empty() {
            return Err(spec.wrong("give the heaps, as in nim:3,4,5"));
        }
        let heaps = read_heaps(spec.size.iter().map(String::as_str));
        Ok(Nim { start: heaps.map_err(|wrong| spec.wrong(wrong))? })
    }
}

impl Game for Nim {
    type Position = NimPosition;

    fn start(&self) -> NimPosition {
        self.start.clone()
    }

    fn parse_position(&self, text: &str) -> Result<NimPosition, GameError> {
        if text.trim().is_empty() {
            return Ok(self.start());
        }
        read_heaps(text.split(',')).map_err(|wrong| GameError::position(text, wrong))
    }

    fn position_text(&self, position: &NimPosition) -> String {
        let heaps: Vec<String> = position.heaps.iter().map(u16::to_string).collect();
        heaps.join(",")
    }

    fn move_text(&self, _position: &NimPosition, mv: Move) -> String {
        let (heap, stones) = (mv.0 / Self::HEAP_CODES, mv.0 % Self::HEAP_CODES);
        format!("{}:{stones}", heap + 1)
    }

    fn final_score(&self, position: &NimPosition) -> Option<Score> {
        position.heaps.iter().all(|&heap| heap == 0).then_some(Score::new(-1))
    }

    fn moves(&self, position: &NimPosition, moves: &mut MoveList) {
        for (heap, &stones) in (0..).zip(&position.heaps) {
            moves.extend((1..=stones).map(|taken| Move(heap * Self::HEAP_CODES + taken)));
        }
    }

    fn play(&self, position: &NimPosition, mv: Move) -> NimPosition {
        let mut child = position.clone();
        child.heaps[usize::from(mv.0 / Self::HEAP_CODES)] -= mv.0 % Self::HEAP_CODES;
        child
    }

    fn evaluate(&self, _position: &NimPosition) -> Score {
        Score::ZERO
    }

    fn key(&self, position: &NimPosition) -> u64 {
        position.heaps.iter().fold(0, |hash, &heap| combine(hash, u64::from(heap)))
    }

    fn plies_left(&self, position: &NimPosition) -> u32 {
        position.heaps.iter().map(|&heap| u32::from(heap)).sum()
    }
}

fn read_heaps<'a>(texts: impl Iterator<Item = &'a str>) -> Result<NimPosition, String> {
    let mut heaps = ArrayVec::new();
    let mut total = 0;
    for text in texts {
        let Ok(heap) = text.trim().parse::<u16>() else {
            return Err(format!("heap {text:?} must be a number of stones"));
        };
        total += usize::from(heap);
        if total > Nim::MAX_STONES {
            return Err(format!("the heaps must have at most {} stones together", Nim::MAX_STONES));
        }
        if heaps.try_push(heap).is_err() {
            return Err(format!("there must be at most {} heaps", Nim::MAX_HEAPS));
        }
    }
    Ok(NimPosition { heaps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain;

    fn nim(text: &str) -> Nim {
        Nim::from_spec(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_first_player_wins_unless_the_xor_is_zero() {
        for (a, b, c) in heaps_below(5) {
            let nim = nim(&format!("nim:{a},{b},{c}"));
            let expected = Score::new(if a ^ b ^ c == 0 { -1 } else { 1 });
            assert_eq!(plain::alpha_beta(&nim, &nim.start()).score, expected, "{a},{b},{c}");
        }
    }

    fn heaps_below(end: u16) -> impl Iterator<Item = (u16, u16, u16)> {
        (0..end * end * end).map(move |code| (code / end / end, code / end % end, code % end))
    }

    #[test]
    fn the_largest_game_fits_the_move_list() {
        let nim = nim("nim:0,0,0,0,0,0,0,0,0,0,0,0,0,0,256");
        let mut moves = MoveList::new();
        nim.moves(&nim.start(), &mut moves);
        assert_eq!(moves.len(), MAX_MOVES);
        assert_eq!(nim.move_text(&nim.start(), moves[255]), "15:256");
        assert_eq!(nim.plies_left(&nim.play(&nim.start(), moves[99])), 156);
    }

    #[test]
    fn positions_round_trip_and_bad_ones_are_refused() {
        let nim = nim("nim:3,4,5");
        plain::check_positions(&nim, 200, 12);
        plain::check_refused(&nim, "3,x", "heap \"x\" must be a number");
        plain::check_refused(&nim, "200,57", "at most 256 stones together");
        plain::check_spec_refused(Nim::from_spec, "nim", "give the heaps");
        plain::check_spec_refused(Nim::from_spec, "nim:1,-1", "heap \"-1\"");
        plain::check_spec_refused(Nim::from_spec, "nim:3,misere=1", "nim has no options");
        let sixteen = format!("nim:1{}", ",1".repeat(15));
        plain::check_spec_refused(Nim::from_spec, &sixteen, "at most 15 heaps");
    }
}
