//! Emptiness of systems that were asked about before.
//!
//! The passes ask the same questions of each version of a loop, and each pass asks them again of its own analysis. A
//! system is the same whatever its variables stand for, so the answers are shared by all analyses of a thread.

use super::set::Answer;
use super::solver::{Row, System};
use std::cell::RefCell;
use std::collections::HashMap;

/// Answers that are kept; when there are more, all are forgotten.
const KEPT: usize = 1 << 13;

/// Systems of the same fingerprint, and the answers.
type Answers = HashMap<u64, Vec<(System, Answer)>>;

thread_local! {
    static ANSWERS: RefCell<Answers> = RefCell::default();
}

/// Whether the system has no integer point.
pub(super) fn emptiness(system: System) -> Answer {
    let print = system.rows().fold(0, fingerprint);
    let known = |answers: &Answers| {
        let (_, answer) = answers.get(&print)?.iter().find(|(known, _)| *known == system)?;
        Some(*answer)
    };
    if let Some(answer) = ANSWERS.with_borrow(known) {
        return answer;
    }
    let answer = system.clone().emptiness();
    ANSWERS.with_borrow_mut(|answers| {
        if answers.len() == KEPT {
            answers.clear();
        }
        answers.entry(print).or_default().push((system, answer));
    });
    answer
}

/// A hash that is short to compute in a build without optimisation, which users' builds of this crate are.
fn fingerprint(so_far: u64, row: &Row) -> u64 {
    let step =
        |hash: u64, &number: &i128| (hash.rotate_left(5) ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    row.iter().fold(so_far, step)
}
