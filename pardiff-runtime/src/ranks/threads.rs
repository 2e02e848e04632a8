//! Ranks as threads of one process.
//!
//! The n-th message that a rank sends to another with a tag is the n-th that is received. Numbers of all ranks are
//! reduced in the order of ranks. A rank that waits says for what; where all wait that have not ended, nobody can
//! go on.

use super::data::{Number, Op};
use super::message::{Message, scanned};
use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The numbers of a message: a vector of its type.
type Packet = Arc<dyn Any + Send + Sync>;

/// How much ranks sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Messages that were sent, and for each rank its part in an operation of all.
    pub messages: usize,
    /// Of numbers in the messages, and in each part what is longer, what it gives or what it gets.
    pub bytes: usize,
}

/// Who sends to whom, with which tag.
type Line = (i32, i32, i32);

#[derive(Default)]
struct State {
    /// By the number of the message.
    mail: HashMap<(Line, usize), (Packet, usize, &'static str)>,
    /// How many messages ranks began to receive, and to send, of each line.
    received: HashMap<Line, usize>,
    sent: HashMap<Line, usize>,
    /// For what each rank waits.
    waiting: Vec<Option<String>>,
    ended: usize,
    /// Why nobody goes on.
    failed: bool,
    traffic: Traffic,
    /// What ranks bring to the operation of all that is going on: its name, a length and numbers.
    brought: Vec<Option<(&'static str, usize, Packet)>>,
    round: usize,
    published: Arc<Vec<Packet>>,
}

/// What the ranks share.
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    size: i32,
    /// Whether a message is sent when it is received.
    rendezvous: bool,
}

/// What a rank ends with because another one has failed.
struct Ended;

/// A message that was put on its way.
#[derive(Clone, Copy)]
pub(super) struct Sent {
    line: Line,
    number: usize,
}

/// A message that a rank receives.
#[derive(Clone, Copy)]
pub(super) struct Posted {
    line: Line,
    number: usize,
}

/// A rank of the shared state.
#[derive(Clone)]
pub(super) struct Rank {
    shared: Arc<Shared>,
    rank: i32,
}

/// Runs a function on each of so many ranks.
pub(super) fn run<R: Send>(
    size: usize,
    rendezvous: bool,
    of: impl Fn(Rank) -> R + Sync,
) -> (Vec<R>, Traffic) {
    let state =
        State { waiting: vec![None; size], brought: (0..size).map(|_| None).collect(), ..State::default() };
    let size = i32::try_from(size).expect("more ranks than an `i32` counts");
    let (state, changed) = (Mutex::new(state), Condvar::new());
    let shared = Arc::new(Shared { state, changed, size, rendezvous });
    let results: Vec<_> = std::thread::scope(|scope| {
        let start = |rank| {
            let (shared, of) = (shared.clone(), &of);
            scope.spawn(move || {
                let own = Rank { shared: shared.clone(), rank };
                let result = catch_unwind(AssertUnwindSafe(|| of(own)));
                shared.leave(result.is_err());
                result
            })
        };
        let ranks: Vec<_> = (0..size).map(start).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap_or_else(Err)).collect()
    });
    let traffic = shared.lock().traffic;
    let mut values = Vec::new();
    let mut ended = None;
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(panic) if panic.is::<Ended>() => ended = Some(panic),
            Err(panic) => resume_unwind(panic),
        }
    }
    match ended {
        Some(panic) => resume_unwind(panic),
        None => (values, traffic),
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A rank ends.
    fn leave(&self, failed: bool) {
        let mut state = self.lock();
        state.ended += 1;
        state.failed |= failed;
        self.moved(&mut state);
    }

    /// Something has changed: who waits looks again before it counts as waiting.
    fn moved(&self, state: &mut State) {
        state.waiting.fill(None);
        self.changed.notify_all();
    }

    /// For whom all wait, if nobody can go on.
    fn deadlock(&self, state: &State) -> Option<String> {
        let waiting = state.waiting.iter().flatten().count();
        if waiting + state.ended < self.size as usize {
            return None;
        }
        let all = state.waiting.iter().enumerate();
        let all: Vec<String> = all
            .map(|(rank, waits)| match waits {
                Some(waits) => format!("rank {rank} waits for {waits}"),
                None => format!("rank {rank} has ended"),
            })
            .collect();
        Some(format!("deadlock: {}", all.join("; ")))
    }
}

impl Rank {
    pub(super) fn rank(&self) -> i32 {
        self.rank
    }

    pub(super) fn size(&self) -> i32 {
        self.shared.size
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.shared.lock().traffic
    }

    fn count(&self, bytes: usize) {
        let mut state = self.shared.lock();
        state.traffic.messages += 1;
        state.traffic.bytes += bytes;
    }

    pub(super) fn start_send<T: Number>(&self, to: i32, tag: i32, send: &[T], at: &str) -> Sent {
        self.count(size_of_val(send));
        Call { rank: self, at }.post(to, tag, send)
    }

    pub(super) fn finish_send(&self, sent: Sent, at: &str) {
        Call { rank: self, at }.delivered(sent);
    }

    pub(super) fn start_receive(&self, from: i32, tag: i32, at: &str) -> Posted {
        Call { rank: self, at }.await_message(from, tag)
    }

    pub(super) fn finish_receive<T: Number>(&self, posted: Posted, to: &mut [T], at: &str) {
        Call { rank: self, at }.take(posted, to);
    }

    /// Carries out an operation.
    pub(super) fn run<T: Number>(
        &self,
        message: Message,
        send: Option<&[T]>,
        receive: Option<&mut [T]>,
        at: &str,
    ) {
        let [gives, gets] = [send.map_or(0, <[T]>::len), receive.as_ref().map_or(0, |receive| receive.len())];
        let longer = gives.max(gets);
        match message {
            Message::Receive { .. } => {}
            Message::Send { .. } | Message::Exchange { .. } => self.count(gives * size_of::<T>()),
            _ => self.count(longer * size_of::<T>()),
        }
        let call = Call { rank: self, at };
        let sent = send.unwrap_or_default();
        let mut empty: [T; 0] = [];
        let received = receive.unwrap_or(&mut empty);
        match message {
            Message::Send { to, tag } => {
                let sent = call.post(to, tag, sent);
                call.delivered(sent);
            }
            Message::Receive { from, tag } => {
                let posted = call.await_message(from, tag);
                call.take(posted, received);
            }
            Message::Exchange { to, send_tag, from, receive_tag } => {
                let sent = call.post(to, send_tag, sent);
                let posted = call.await_message(from, receive_tag);
                call.take(posted, received);
                call.delivered(sent);
            }
            Message::AllReduce(op) => call.reduced("all_reduce", op, sent, received),
            Message::Reduce(op, root) => {
                call.check_rank(root);
                let mut own = vec![T::ZERO; sent.len()];
                call.reduced("reduce", op, sent, &mut own);
                match self.rank == root {
                    true => call.copy(&own, received),
                    false => received.fill(T::ZERO),
                }
            }
            Message::Broadcast(root) => {
                call.check_rank(root);
                let own = if self.rank == root { sent } else { &[] };
                let all = call.all("broadcast", longer, own);
                call.copy(&all[root as usize], received);
            }
            Message::Gather(root) => {
                call.check_rank(root);
                let all = call.all("gather", sent.len(), sent);
                match self.rank == root {
                    true => call.copy(&concatenated(&all), received),
                    false => received.fill(T::ZERO),
                }
            }
            Message::Scatter(root) => {
                call.check_rank(root);
                let own = if self.rank == root { sent } else { &[] };
                let all = call.all("scatter", received.len(), own);
                call.part(&all[root as usize], received);
            }
            Message::AllGather => {
                let all = call.all("all_gather", sent.len(), sent);
                call.copy(&concatenated(&all), received);
            }
            Message::ReduceScatter => {
                let mut sum = vec![T::ZERO; sent.len()];
                call.reduced("reduce_scatter", Op::Sum, sent, &mut sum);
                call.part(&sum, received);
            }
            Message::AllToAll => {
                let all = call.all("all_to_all", sent.len(), sent);
                let parts: Vec<&[T]> = all.iter().map(|whole| call.own_part(whole)).collect();
                call.copy(&parts.concat(), received);
            }
            Message::Scan { inclusive, reversed } => {
                let all = call.all("scan", sent.len(), sent);
                let all: Vec<&[T]> = all.iter().map(|own| &own[..]).collect();
                call.copy(&scanned(&all, self.rank as usize, inclusive, reversed), received);
            }
            Message::Barrier => {
                call.all::<T>("barrier", 0, &[]);
            }
            Message::Owners(_)
            | Message::Number { .. }
            | Message::StartSend(_)
            | Message::StartReceive(..)
            | Message::FinishSend(_)
            | Message::FinishReceive(_) => panic!("it consists of other operations"),
        }
    }
}

/// An operation of a rank, at a place of the program.
struct Call<'a> {
    rank: &'a Rank,
    at: &'a str,
}

impl Call<'_> {
    fn fail(&self, what: &str) -> ! {
        let Call { rank, at } = self;
        match at.is_empty() {
            true => panic!("rank {}: {what}", rank.rank),
            false => panic!("{at} on rank {}: {what}", rank.rank),
        }
    }

    fn check_rank(&self, rank: i32) {
        if !(0..self.rank.size()).contains(&rank) {
            self.fail(&format!("there is no rank {rank} among {}", self.rank.size()));
        }
    }

    /// Waits until there is something.
    fn until<R>(&self, what: impl Fn() -> String, mut ready: impl FnMut(&mut State) -> Option<R>) -> R {
        let Rank { shared, rank } = self.rank;
        let mut state = shared.lock();
        loop {
            if state.failed {
                drop(state);
                resume_unwind(Box::new(Ended));
            }
            if let Some(found) = ready(&mut state) {
                shared.moved(&mut state);
                return found;
            }
            let own = &mut state.waiting[*rank as usize];
            if own.is_none() {
                let place = if self.at.is_empty() { String::new() } else { format!(" ({})", self.at) };
                *own = Some(format!("{}{place}", what()));
            }
            if let Some(why) = shared.deadlock(&state) {
                state.failed = true;
                shared.changed.notify_all();
                drop(state);
                self.fail(&why);
            }
            state = shared.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Puts a message on its way.
    fn post<T: Number>(&self, to: i32, tag: i32, data: &[T]) -> Sent {
        self.check_rank(to);
        let mut state = self.rank.shared.lock();
        let line = (self.rank.rank, to, tag);
        let packet: Packet = Arc::new(data.to_vec());
        let number = state.sent.entry(line).or_default();
        *number += 1;
        let sent = Sent { line, number: *number };
        state.mail.insert((line, sent.number), (packet, data.len(), T::NAME));
        self.rank.shared.moved(&mut state);
        sent
    }

    /// Waits until somebody receives a message, where sending waits for that.
    fn delivered(&self, sent: Sent) {
        if !self.rank.shared.rendezvous {
            return;
        }
        let Sent { line, number } = sent;
        let is_there =
            |state: &mut State| state.received.get(&line).is_some_and(|&it| it >= number).then_some(());
        let (_, to, tag) = line;
        self.until(|| format!("rank {to} to receive with tag {tag}"), is_there);
    }

    /// Begins to receive a message.
    fn await_message(&self, from: i32, tag: i32) -> Posted {
        self.check_rank(from);
        let mut state = self.rank.shared.lock();
        let line = (from, self.rank.rank, tag);
        let number = state.received.entry(line).or_default();
        *number += 1;
        let posted = Posted { line, number: *number };
        self.rank.shared.moved(&mut state);
        posted
    }

    fn take<T: Number>(&self, posted: Posted, to: &mut [T]) {
        let Posted { line, number } = posted;
        let (from, _, tag) = line;
        let (packet, len, name) = self.until(
            || format!("a message of rank {from} with tag {tag}"),
            |state| state.mail.remove(&(line, number)),
        );
        match packet.downcast::<Vec<T>>() {
            Ok(packet) if packet.len() == to.len() => to.copy_from_slice(&packet),
            _ => {
                let want = format!("{} numbers of `{}`", to.len(), T::NAME);
                self.fail(&format!(
                    "the message of rank {from} with tag {tag} has {len} numbers of `{name}`, and {want} are received"
                ));
            }
        }
    }

    /// What all ranks bring to an operation, in the order of ranks; all bring the same length.
    fn all<T: Number>(&self, name: &'static str, len: usize, own: &[T]) -> Vec<Arc<Vec<T>>> {
        let Rank { shared, rank } = self.rank;
        let round = {
            let mut state = shared.lock();
            state.brought[*rank as usize] = Some((name, len, Arc::new(own.to_vec())));
            let round = state.round;
            if state.brought.iter().all(Option::is_some) {
                let brought: Vec<_> = state.brought.iter_mut().filter_map(Option::take).collect();
                let first = (brought[0].0, brought[0].1);
                let other = brought.iter().position(|it| (it.0, it.1) != first);
                if let Some(other) = other {
                    let ((a, n), (b, m)) = (first, (brought[other].0, brought[other].1));
                    drop(state);
                    self.fail(&format!(
                        "rank 0 is in `{a}` with {n} numbers, rank {other} in `{b}` with {m}: all ranks must do the same"
                    ));
                }
                state.published = Arc::new(brought.into_iter().map(|(.., packet)| packet).collect());
                state.round += 1;
                shared.moved(&mut state);
            }
            round
        };
        let published = self.until(
            || format!("the others in `{name}`"),
            |state| (state.round > round).then(|| state.published.clone()),
        );
        let typed = published.iter().map(|packet| packet.clone().downcast::<Vec<T>>());
        match typed.collect::<Result<Vec<_>, _>>() {
            Ok(all) => all,
            Err(_) => self.fail(&format!("in `{name}` not all ranks have numbers of `{}`", T::NAME)),
        }
    }

    fn reduced<T: Number>(&self, name: &'static str, op: Op, own: &[T], to: &mut [T]) {
        let all = self.all(name, own.len(), own);
        let all = (0..own.len()).map(|at| {
            let mut numbers = all.iter().map(|own| own[at]);
            let first = numbers.next().unwrap_or(T::ZERO);
            numbers.fold(first, |sum, number| sum.reduce(op, number))
        });
        self.copy(&all.collect::<Vec<T>>(), to);
    }

    fn copy<T: Number>(&self, from: &[T], to: &mut [T]) {
        if from.len() != to.len() {
            self.fail(&format!("{} numbers arrive where {} are received", from.len(), to.len()));
        }
        to.copy_from_slice(from);
    }

    /// The part of this rank.
    fn part<T: Number>(&self, whole: &[T], to: &mut [T]) {
        if whole.len() != to.len() * self.rank.size() as usize {
            let (size, n) = (self.rank.size(), to.len());
            self.fail(&format!("{} numbers are not {size} parts of {n}", whole.len()));
        }
        to.copy_from_slice(self.own_part(whole));
    }

    /// The same of an array of equal parts.
    fn own_part<'a, T>(&self, whole: &'a [T]) -> &'a [T] {
        let size = self.rank.size() as usize;
        if !whole.len().is_multiple_of(size) {
            self.fail(&format!("{} numbers are not {size} equal parts", whole.len()));
        }
        let each = whole.len() / size;
        &whole[self.rank.rank as usize * each..][..each]
    }
}

fn concatenated<T: Number>(all: &[Arc<Vec<T>>]) -> Vec<T> {
    all.iter().flat_map(|own| own.iter().copied()).collect()
}
