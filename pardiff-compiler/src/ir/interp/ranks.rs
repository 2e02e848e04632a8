//! What ranks share while they run: messages under way, and what each has brought to operations of all.
//!
//! A rank runs until it must wait for another one. Then it stops, and runs again from its start when others have
//! gone on: what it got from them is written down, and it sends nothing twice. So no rank needs a thread.

use super::Value;
use crate::ir::{Operation, Side, Sweep};
use std::collections::HashMap;

/// Messages of one line come in the order in which they are sent: from whom, to whom, with which tag, and for
/// derivatives of messages that do not wait the number.
pub(super) type Line = (usize, usize, i128, Option<i128>);

/// What ranks share.
pub(super) struct World<N> {
    pub(super) size: usize,
    /// Whether a message is sent when somebody receives it.
    rendezvous: bool,
    mail: HashMap<(Line, usize), Vec<Value<N>>>,
    sent: HashMap<Line, usize>,
    received: HashMap<Line, usize>,
    /// What ranks brought to each operation of all, in order.
    rounds: Vec<Vec<Option<Brought<N>>>>,
    /// What each rank got, in order.
    pub(super) events: Vec<Vec<Event<N>>>,
}

/// What a rank brings to an operation of all ranks.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Brought<N> {
    pub(super) operation: Operation,
    pub(super) root: Option<i128>,
    pub(super) sent: Vec<Value<N>>,
}

/// What a rank does with others.
pub(super) enum Step<N> {
    Send(Line, Vec<Value<N>>),
    Receive(Line),
    /// Waits until a message is sent, by its number in its line.
    Sent(Line, usize),
    Received(Line, usize),
    Bring(usize, Brought<N>),
    Brought(usize),
}

/// What comes of it.
#[derive(Clone, Debug)]
pub(super) enum Event<N> {
    Done,
    /// The number of a message in its line.
    Number(usize),
    Values(Vec<Value<N>>),
    All(Vec<Brought<N>>),
}

impl<N: Copy> World<N> {
    pub(super) fn new(size: usize, rendezvous: bool) -> World<N> {
        World {
            size,
            rendezvous,
            mail: HashMap::new(),
            sent: HashMap::new(),
            received: HashMap::new(),
            rounds: Vec::new(),
            events: (0..size).map(|_| Vec::new()).collect(),
        }
    }

    /// Takes a step of a rank; `None` while it must wait.
    pub(super) fn step(&mut self, rank: usize, step: Step<N>) -> Option<Event<N>> {
        Some(match step {
            Step::Send(line, values) => {
                let number = count(&mut self.sent, line);
                self.mail.insert((line, number), values);
                Event::Number(number)
            }
            Step::Receive(line) => Event::Number(count(&mut self.received, line)),
            Step::Sent(line, number) => {
                let is_there = self.received.get(&line).is_some_and(|&count| count > number);
                (is_there || !self.rendezvous).then_some(Event::Done)?
            }
            Step::Received(line, number) => Event::Values(self.mail.remove(&(line, number))?),
            Step::Bring(round, brought) => {
                if self.rounds.len() <= round {
                    self.rounds.push((0..self.size).map(|_| None).collect());
                }
                self.rounds[round][rank] = Some(brought);
                Event::Done
            }
            Step::Brought(round) => {
                let all: Option<Vec<Brought<N>>> =
                    self.rounds[round].iter().map(|it| it.as_ref().map(Brought::clone_of)).collect();
                Event::All(all?)
            }
        })
    }
}

impl<N: Copy> Brought<N> {
    fn clone_of(&self) -> Brought<N> {
        Brought { operation: self.operation, root: self.root, sent: self.sent.clone() }
    }
}

/// The next number of a line.
fn count(counts: &mut HashMap<Line, usize>, line: Line) -> usize {
    let count = counts.entry(line).or_default();
    *count += 1;
    *count - 1
}

/// A rank while it runs.
#[derive(Default)]
pub(super) struct Rank {
    pub(super) rank: usize,
    /// How many of its events it has come to.
    pub(super) at: usize,
    /// How many operations of all.
    pub(super) round: usize,
    /// How many messages that do not wait it has begun, to or from a rank with a tag.
    pub(super) numbers: HashMap<(Side, i128, i128), i128>,
    /// Those that have not ended, by side, line and sweep: their numbers in the line.
    pub(super) begun: HashMap<(Side, Line, Sweep), Vec<usize>>,
}
