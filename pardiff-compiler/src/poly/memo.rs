//! Emptiness of sets that were asked about before.
//!
//! The passes ask the same questions of each version of a loop, and each pass asks them again of its own analysis. A set
//! is empty or not whatever its symbols stand for, so they are numbered as they appear, and the answers are shared by all
//! analyses of a thread.

use super::affine::{Affine, Sym};
use super::set::{Answer, Constraint};
use super::solver::System;
use crate::limits::{ANSWER_LISTS, FORMS_NOT_ZERO, KEPT_ANSWERS};
use crate::steps;
use std::cell::RefCell;

/// A set without the names of its symbols: of each constraint the kind, the number of terms and the constant, and of each
/// term the symbol's number and the coefficient. Short to write, to compare and to look up in a build without
/// optimisation, which users' builds of this crate are; most sets are known.
struct Question {
    numbers: Vec<i128>,
    fingerprint: u64,
}

#[derive(Default)]
struct Answers {
    lists: Vec<Vec<(Question, Answer)>>,
    count: usize,
}

thread_local! {
    static ANSWERS: RefCell<Answers> = RefCell::default();
}

/// Whether no integer point satisfies the constraints.
pub(super) fn emptiness(constraints: &[&Constraint]) -> Answer {
    steps::count(constraints.len());
    let (question, symbols) = Question::of(constraints);
    let list = question.fingerprint as usize % ANSWER_LISTS;
    let known = |answers: &Answers| {
        let is_same = |(known, _): &&(Question, Answer)| {
            known.fingerprint == question.fingerprint && known.numbers == question.numbers
        };
        answers.lists.get(list)?.iter().find(is_same).map(|&(_, answer)| answer)
    };
    if let Some(answer) = ANSWERS.with_borrow(known) {
        return answer;
    }
    let answer = match constraints.iter().position(|it| matches!(it, Constraint::NonZero(_))) {
        None => System::new(&symbols, constraints.iter().copied()).map_or(Answer::Unknown, System::emptiness),
        Some(at) => on_both_sides(constraints, at),
    };
    ANSWERS.with_borrow_mut(|answers| answers.keep(list, question, answer));
    answer
}

/// Whether no integer point satisfies the constraints, of which the one at `at` is the first to say that a form is not zero:
/// it is above or below. Where more than [`FORMS_NOT_ZERO`] say so, only those behind them are asked about: the set without them
/// is larger.
fn on_both_sides(constraints: &[&Constraint], at: usize) -> Answer {
    let apart = constraints.iter().filter(|it| matches!(it, Constraint::NonZero(_))).count();
    let mut rest = Vec::with_capacity(constraints.len());
    let mut left_out = 0;
    for &constraint in constraints {
        if matches!(constraint, Constraint::NonZero(_))
            && left_out < apart.saturating_sub(FORMS_NOT_ZERO).max(1)
        {
            left_out += 1;
        } else {
            rest.push(constraint);
        }
    }
    let without = emptiness(&rest);
    if without != Answer::No || apart > FORMS_NOT_ZERO {
        return if without.is_yes() { Answer::Yes } else { Answer::Unknown };
    }
    let form = constraints[at].form();
    let side = |form: Option<Affine>| {
        let beyond = form.and_then(|form| form.offset(-1)).map(Constraint::NonNegative);
        beyond.map_or(Answer::Unknown, |beyond| emptiness(&[&rest[..], &[&beyond]].concat()))
    };
    match side(Some(form.clone())) {
        Answer::Yes => side(form.scale(-1)),
        Answer::No => Answer::No,
        Answer::Unknown => match side(form.scale(-1)) {
            Answer::No => Answer::No,
            _ => Answer::Unknown,
        },
    }
}

impl Question {
    /// The question, and the symbols by their numbers.
    fn of(constraints: &[&Constraint]) -> (Question, Vec<Sym>) {
        let mut length = 0;
        for constraint in constraints {
            length += 2 + 2 * constraint.form().terms().len();
        }
        let mut numbers = vec![0; length];
        let mut symbols = Vec::new();
        let (places, mut next): (&mut [i128], usize) = (&mut numbers, 0);
        for constraint in constraints {
            let form = constraint.form();
            let kind = match constraint {
                Constraint::NonNegative(_) => 0,
                Constraint::Zero(_) => 1,
                Constraint::NonZero(_) => 2,
            };
            places[next] = 3 * form.terms().len() as i128 + kind;
            places[next + 1] = form.constant();
            next += 2;
            for &(sym, coefficient) in form.terms() {
                places[next] = number_of(sym, &mut symbols) as i128;
                places[next + 1] = coefficient;
                next += 2;
            }
        }
        let fingerprint = fingerprint(&numbers);
        (Question { numbers, fingerprint }, symbols)
    }
}

/// The number of a symbol, which is a new one if it has none.
fn number_of(sym: Sym, symbols: &mut Vec<Sym>) -> usize {
    match sym.position_in(symbols) {
        Some(number) => number,
        None => {
            symbols.push(sym);
            symbols.len() - 1
        }
    }
}

fn fingerprint(numbers: &[i128]) -> u64 {
    let (mut mixed, mut at) = (0_u64, 0);
    while at < numbers.len() {
        mixed = (mixed.rotate_left(5) ^ numbers[at] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // a product's upper bits are the better ones
        mixed ^= mixed >> 32;
        at += 1;
    }
    mixed
}

impl Answers {
    fn keep(&mut self, list: usize, question: Question, answer: Answer) {
        if self.count == KEPT_ANSWERS || self.lists.is_empty() {
            self.lists.clear();
            self.lists.resize_with(ANSWER_LISTS, Vec::new);
            self.count = 0;
        }
        self.lists[list].push((question, answer));
        self.count += 1;
    }
}
