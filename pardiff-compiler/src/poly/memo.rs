//! Emptiness of sets that were asked about before.
//!
//! The passes ask the same questions of each version of a loop, and each pass asks them again of its own analysis. A set
//! is empty or not whatever its symbols stand for, so they are numbered as they appear, and the answers are shared by all
//! analyses of a thread.

use super::affine::Sym;
use super::set::{Answer, Constraint};
use super::solver::System;
use std::cell::RefCell;

/// Answers that are kept; when there are more, all are forgotten.
const KEPT: usize = 1 << 13;
/// Lists that they are kept in, by fingerprint.
const LISTS: usize = 1 << 10;

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

/// Whether no integer point satisfies the constraints and one more.
pub(super) fn emptiness(constraints: &[Constraint], more: Option<&Constraint>) -> Answer {
    let mut symbols = Vec::new();
    let mut question = Question { numbers: Vec::with_capacity(8 * constraints.len()), fingerprint: 0 };
    constraints.iter().for_each(|constraint| question.add(constraint, &mut symbols));
    more.into_iter().for_each(|constraint| question.add(constraint, &mut symbols));
    let list = question.fingerprint as usize % LISTS;
    let known = |answers: &Answers| {
        let is_same = |(known, _): &&(Question, Answer)| {
            known.fingerprint == question.fingerprint && known.numbers == question.numbers
        };
        answers.lists.get(list)?.iter().find(is_same).map(|&(_, answer)| answer)
    };
    if let Some(answer) = ANSWERS.with_borrow(known) {
        return answer;
    }
    let system = System::new(&symbols, constraints.iter().chain(more));
    let answer = system.map_or(Answer::Unknown, System::emptiness);
    ANSWERS.with_borrow_mut(|answers| answers.keep(list, question, answer));
    answer
}

impl Question {
    fn add(&mut self, constraint: &Constraint, symbols: &mut Vec<Sym>) {
        let form = constraint.form();
        let is_zero = matches!(constraint, Constraint::Zero(_));
        self.push((2 * form.terms().len() + usize::from(is_zero)) as i128);
        self.push(form.constant());
        for &(sym, coefficient) in form.terms() {
            let number = match sym.position_in(symbols) {
                Some(number) => number,
                None => {
                    symbols.push(sym);
                    symbols.len() - 1
                }
            };
            self.push(number as i128);
            self.push(coefficient);
        }
    }

    fn push(&mut self, number: i128) {
        self.numbers.push(number);
        let mixed = self.fingerprint.rotate_left(5) ^ number as u64;
        self.fingerprint = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // a product's upper bits are the better ones
        self.fingerprint ^= self.fingerprint >> 32;
    }
}

impl Answers {
    fn keep(&mut self, list: usize, question: Question, answer: Answer) {
        if self.count == KEPT || self.lists.is_empty() {
            self.lists.clear();
            self.lists.resize_with(LISTS, Vec::new);
            self.count = 0;
        }
        self.lists[list].push((question, answer));
        self.count += 1;
    }
}
