//! One operation between ranks, and who carries it out.

use super::data::{Data, DataMut, Number, Op, typed};

/// An operation between ranks. It is a linear map, from what ranks send to what they receive, but for smallest and
/// largest numbers; what is received is overwritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// To a rank, with a tag.
    Send {
        /// The rank.
        to: i32,
        /// The tag.
        tag: i32,
    },
    /// From a rank, with a tag.
    Receive {
        /// The rank.
        from: i32,
        /// The tag.
        tag: i32,
    },
    /// Both at once: neither side waits for the other to begin.
    Exchange {
        /// Who receives.
        to: i32,
        /// The tag of what is sent.
        send_tag: i32,
        /// Who sends.
        from: i32,
        /// The tag of what is received.
        receive_tag: i32,
    },
    /// All ranks get the numbers of all, reduced one by one.
    AllReduce(Op),
    /// One rank gets them; others that receive get zeros.
    Reduce(Op, i32),
    /// All ranks get what one rank sends.
    Broadcast(i32),
    /// One rank gets what all ranks send, in the order of ranks; others that receive get zeros.
    Gather(i32),
    /// Each rank gets its part of what one rank sends.
    Scatter(i32),
    /// All ranks get what all ranks send, in the order of ranks.
    AllGather,
    /// Each rank gets its part of the sum of what all send.
    ReduceScatter,
    /// Each rank gets, in the order of ranks, the part that each of them sends to it.
    AllToAll,
    /// Each rank gets the sum of what the ranks before it send.
    Scan {
        /// And of what it sends itself; without, the first rank gets zeros.
        inclusive: bool,
        /// Of those behind it.
        reversed: bool,
    },
    /// For each number the first rank whose number is the smallest, or the largest; ranks are `i32`.
    Owners(Op),
    /// Nobody goes on before all are there.
    Barrier,
    /// The number of the next message to or from a rank, with a tag.
    Number {
        /// Whether it is sent.
        sends: bool,
        /// The rank.
        peer: i32,
        /// The tag.
        tag: i32,
    },
    /// Begins to send, with a copy of what is sent.
    StartSend(Line),
    /// Begins to receive so many numbers, of the type of what is sent.
    StartReceive(Line, i32),
    /// Waits until a message is sent.
    FinishSend(Line),
    /// Waits for a message.
    FinishReceive(Line),
}

/// A message that does not wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    /// To whom it is sent, or from whom it is received.
    pub peer: i32,
    /// The tag.
    pub tag: i32,
    /// The number of the function's message.
    pub number: i32,
    /// Whether it is the derivative of that, which goes the other way.
    pub reversed: bool,
}

/// Ranks that exchange messages, as generated code sees them.
pub trait Messages {
    /// This rank.
    fn rank(&self) -> i32;

    /// The number of ranks.
    fn size(&self) -> i32;

    /// Carries out an operation, which is at a place of the program that messages name.
    ///
    /// # Panics
    ///
    /// Where lengths of the two sides differ, a rank does not exist, all ranks wait, or another rank panicked.
    fn message(&self, message: Message, send: Option<Data<'_>>, receive: Option<DataMut<'_>>, at: &str);
}

/// Elements as generated code sends them.
pub fn data<T: Number>(elements: &[T]) -> Option<Data<'_>> {
    Some(T::data(elements))
}

/// Elements as generated code receives them.
pub fn data_mut<T: Number>(elements: &mut [T]) -> Option<DataMut<'_>> {
    Some(T::data_mut(elements))
}

/// [`Message::Owners`] by two other operations.
pub(super) fn owners<M: Messages + ?Sized>(
    ranks: &M,
    op: Op,
    send: Option<Data<'_>>,
    receive: Option<DataMut<'_>>,
    at: &str,
) {
    let Some(DataMut::I32(owners)) = receive else { panic!("ranks are `i32`") };
    typed!(send, None, |sent, _nothing| {
        let sent = sent.unwrap_or_default();
        let mut best = sent.to_vec();
        ranks.message(Message::AllReduce(op), data(sent), data_mut(&mut best), at);
        // no rank has a NaN: the first one then has it
        let own = |(sent, best): (_, _)| if sent == best { ranks.rank() } else { ranks.size() };
        let mine: Vec<i32> = sent.iter().zip(&best).map(own).collect();
        ranks.message(Message::AllReduce(Op::Min), data(&mine), data_mut(owners), at);
        owners.iter_mut().filter(|owner| **owner == ranks.size()).for_each(|owner| *owner = 0);
    });
}

/// What the ranks up to one bring, or those from it on, in one sum.
pub(super) fn scanned<T: Number>(all: &[&[T]], rank: usize, inclusive: bool, reversed: bool) -> Vec<T> {
    let of = match reversed {
        false => &all[..rank + usize::from(inclusive)],
        true => &all[rank + usize::from(!inclusive)..],
    };
    let len = all.first().map_or(0, |own| own.len());
    let sum = |at: usize| {
        let mut numbers = of.iter().map(|own| own[at]);
        let first = numbers.next().unwrap_or(T::ZERO);
        numbers.fold(first, T::plus)
    };
    (0..len).map(sum).collect()
}
