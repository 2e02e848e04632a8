//! Messages that generated code has begun and not ended.
//!
//! The derivative of a message goes the other way, and begins where the function waited. Both sides may wait in
//! orders of their own, so the first message that is sent is not the first that is received. So each message of a
//! function has a number: that of those to one rank with one tag. Its derivative goes by a tag that follows from
//! both:
//!
//! ```text
//! 2^14 + 64 (tag mod 256) + number mod 64
//! ```
//!
//! MPI has all tags up to 2^15 - 1, so those of the function itself are below 2^14. Messages whose tags are alike
//! in this way match in the order in which they begin; on both sides that must be that of falling numbers, and then
//! tags. It is where fewer than 64 messages of a line are under way at once, and tags are below 256 or rise as the
//! function runs.

use super::engine::Pending;
use super::message::Line;
use std::collections::{HashMap, VecDeque};

/// A message that has begun and not ended.
struct UnderWay<'c> {
    sends: bool,
    line: Line,
    /// The tag by which it goes.
    tag: i32,
    pending: Box<dyn Pending + 'c>,
}

/// Tags of the function are below, those of derivatives are not.
const REVERSED: i32 = 1 << 14;
/// How many numbers are told apart, and how many tags.
const NUMBERS: i32 = 64;
const TAGS: i32 = REVERSED / NUMBERS;

/// Messages of a rank.
#[derive(Default)]
pub(super) struct Requests<'c> {
    /// How many messages a line has had: whether they are sent, to or from whom, with which tag.
    counts: HashMap<(bool, i32, i32), i32>,
    /// Those that have not ended, in the order in which they began.
    under_way: VecDeque<UnderWay<'c>>,
    /// The last derivative of each tag: its number and the function's tag.
    last: HashMap<(bool, i32, i32), (i32, i32)>,
}

impl<'c> Requests<'c> {
    /// The number of the next message of a line.
    pub(super) fn next(&mut self, sends: bool, peer: i32, tag: i32) -> i32 {
        let count = self.counts.entry((sends, peer, tag)).or_default();
        *count = count.checked_add(1).expect("more messages than an `i32` counts");
        *count - 1
    }

    /// The tag of a message that begins.
    ///
    /// # Panics
    ///
    /// Where it could be taken for another one.
    pub(super) fn tag(&mut self, sends: bool, line: Line, place: impl Fn() -> String) -> i32 {
        let Line { peer, tag, number, reversed } = line;
        if !(0..REVERSED).contains(&tag) {
            panic!("{}: the tag {tag} is not below {REVERSED}, where derivatives have theirs", place());
        }
        if !reversed {
            return tag;
        }
        let class = REVERSED + NUMBERS * (tag % TAGS) + number % NUMBERS;
        let last = self.last.insert((sends, peer, class), (number, tag));
        if last.is_some_and(|last| last < (number, tag)) {
            panic!(
                "{}: the derivatives of two messages with rank {peer} could be taken for each other; let fewer than \
                 {NUMBERS} be under way at once, with tags below {TAGS}",
                place()
            );
        }
        class
    }

    pub(super) fn begin(&mut self, sends: bool, line: Line, tag: i32, pending: Box<dyn Pending + 'c>) {
        self.under_way.push_back(UnderWay { sends, line, tag, pending });
    }

    /// The first message of a line that has begun. Those that began to be received before it, from the same rank with
    /// the same tag, have arrived, as [`arrive`](Requests::arrive) says.
    pub(super) fn end(&mut self, sends: bool, line: Line) -> Option<Box<dyn Pending + 'c>> {
        let at = self.under_way.iter().position(|it| it.sends == sends && it.line == line)?;
        if !sends {
            self.arrive_before(at, line.peer, self.under_way[at].tag);
        }
        Some(self.under_way.remove(at)?.pending)
    }

    /// Waits for what is to be received from a rank with a tag, before a message that waits is received from it with
    /// that tag.
    ///
    /// MPI gives the first message to the receive that began first, which some engines do only where that is waited for
    /// first. Since messages of one tag do not overtake each other, nothing waits longer.
    pub(super) fn arrive(&mut self, from: i32, tag: i32) {
        self.arrive_before(self.under_way.len(), from, tag);
    }

    fn arrive_before(&mut self, end: usize, from: i32, tag: i32) {
        let before = self.under_way.iter_mut().take(end);
        for it in before.filter(|it| !it.sends && it.line.peer == from && it.tag == tag) {
            it.pending.arrive();
        }
    }
}
