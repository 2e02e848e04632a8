//! Communicators as generated code takes them: those of an engine that the caller chooses.

use super::communicator::Communicator;
use super::data::{Data, DataMut, typed};
use super::message::{Line, Message, Messages, owners};
use super::requests::Requests;
use super::threads::{Posted, Rank, Sent};
use std::cell::RefCell;

/// A communicator of the engine `Over`. The engine follows from the traits that the communicator has, so that code
/// that is generic over one of them calls generated code as it is.
pub trait Engine<Over> {
    /// Carries out an operation, as [`Messages::message`] says, but for [`Message::Owners`] and messages that do
    /// not wait.
    fn carry_out(&self, message: Message, send: Option<Data<'_>>, receive: Option<DataMut<'_>>, at: &str);

    /// Begins to send a copy of what is sent.
    fn start_send<'c>(&'c self, to: i32, tag: i32, send: Data<'_>, at: &str) -> Box<dyn Pending + 'c>;

    /// Begins to receive so many numbers, of the type of `of`.
    fn start_receive<'c>(
        &'c self,
        from: i32,
        tag: i32,
        len: usize,
        of: Data<'_>,
        at: &str,
    ) -> Box<dyn Pending + 'c>;

    /// This rank.
    fn own_rank(&self) -> i32;

    /// The number of ranks.
    fn ranks(&self) -> i32;

    /// A panic goes through generated code: the others must not wait for this rank.
    fn panics(&self) {}
}

/// A message that has begun.
pub trait Pending {
    /// Waits until it has arrived, where the engine gives messages to those that wait for them first.
    fn arrive(&mut self) {}

    /// Waits for its end; what arrives is copied.
    fn finish(self: Box<Self>, receive: Option<DataMut<'_>>, at: &str);
}

/// What nothing is: a function whose result may be that of all ranks or a share of it has no gradient before that
/// is said.
#[diagnostic::on_unimplemented(
    message = "whose result does each rank return: a share of one number, or all the same number?",
    label = "with a seed of one on every rank, a number that all ranks return alike would be counted once a rank",
    note = "write `#[differentiate(result = \"partial\")]` where the result is the sum over ranks of what they return, and \
            `result = \"replicated\"` where all return the same; or call `vjp`, and give the seed of each rank"
)]
pub trait SaysWhoseResultItIs {}

/// The engine of ranks that are threads of one process.
pub enum Threads {}

impl<C: Communicator + ?Sized> Engine<Threads> for C {
    fn carry_out(&self, message: Message, send: Option<Data<'_>>, receive: Option<DataMut<'_>>, at: &str) {
        let own = self.as_simple().own();
        typed!(send, receive, |send, receive| own.run(message, send, receive, at));
    }

    fn start_send<'c>(&'c self, to: i32, tag: i32, send: Data<'_>, at: &str) -> Box<dyn Pending + 'c> {
        let own = self.as_simple().own();
        typed!(Some(send), None, |send, _nothing| {
            let sent = own.start_send(to, tag, send.unwrap_or_default(), at);
            Box::new(PendingSend { own, sent })
        })
    }

    fn start_receive<'c>(
        &'c self,
        from: i32,
        tag: i32,
        _len: usize,
        _of: Data<'_>,
        at: &str,
    ) -> Box<dyn Pending + 'c> {
        let own = self.as_simple().own();
        Box::new(PendingReceive { own, posted: own.start_receive(from, tag, at) })
    }

    fn own_rank(&self) -> i32 {
        self.rank()
    }

    fn ranks(&self) -> i32 {
        self.size()
    }
}

/// A message that a rank sends.
struct PendingSend<'c> {
    own: &'c Rank,
    sent: Sent,
}

impl Pending for PendingSend<'_> {
    fn finish(self: Box<Self>, _receive: Option<DataMut<'_>>, at: &str) {
        self.own.finish_send(self.sent, at);
    }
}

/// A message that a rank receives.
struct PendingReceive<'c> {
    own: &'c Rank,
    posted: Posted,
}

impl Pending for PendingReceive<'_> {
    fn finish(self: Box<Self>, receive: Option<DataMut<'_>>, at: &str) {
        typed!(None, receive, |_nothing, receive| {
            self.own.finish_receive(self.posted, receive.unwrap_or_default(), at);
        });
    }
}

/// A communicator while generated code runs.
pub struct Adapted<'a, C: ?Sized + Engine<Over>, Over> {
    communicator: &'a C,
    requests: RefCell<Requests<'a>>,
    /// Whether there was a panic before.
    panicking: bool,
    over: std::marker::PhantomData<Over>,
}

/// A communicator for generated code.
pub fn adapted<Over, C: ?Sized + Engine<Over>>(communicator: &C) -> Adapted<'_, C, Over> {
    Adapted {
        communicator,
        requests: RefCell::default(),
        panicking: std::thread::panicking(),
        over: std::marker::PhantomData,
    }
}

impl<C: ?Sized + Engine<Over>, Over> Adapted<'_, C, Over> {
    fn place(&self, at: &str) -> String {
        format!("{at} on rank {}", self.communicator.own_rank())
    }

    fn end(&self, sends: bool, line: Line, receive: Option<DataMut<'_>>, at: &str) {
        let pending = self.requests.borrow_mut().end(sends, line);
        match pending {
            Some(pending) => pending.finish(receive, at),
            None => panic!("{}: a message ends that has not begun", self.place(at)),
        }
    }
}

impl<C: ?Sized + Engine<Over>, Over> Messages for Adapted<'_, C, Over> {
    fn rank(&self) -> i32 {
        self.communicator.own_rank()
    }

    fn size(&self) -> i32 {
        self.communicator.ranks()
    }

    fn message(&self, message: Message, send: Option<Data<'_>>, receive: Option<DataMut<'_>>, at: &str) {
        match message {
            Message::Owners(op) => owners(self, op, send, receive, at),
            Message::Number { sends, peer, tag } => {
                let Some(DataMut::I32([number])) = receive else { panic!("a number is an `i32`") };
                *number = self.requests.borrow_mut().next(sends, peer, tag);
            }
            Message::StartSend(line) => {
                let tag = self.requests.borrow_mut().tag(true, line, || self.place(at));
                let Some(send) = send else { panic!("a message without numbers") };
                let pending = self.communicator.start_send(line.peer, tag, send, at);
                self.requests.borrow_mut().begin(true, line, tag, pending);
            }
            Message::StartReceive(line, len) => {
                let tag = self.requests.borrow_mut().tag(false, line, || self.place(at));
                let Some(of) = send else { panic!("a message without a type") };
                let Ok(len) = usize::try_from(len) else {
                    panic!("{}: more numbers than a message has", self.place(at))
                };
                let pending = self.communicator.start_receive(line.peer, tag, len, of, at);
                self.requests.borrow_mut().begin(false, line, tag, pending);
            }
            Message::FinishSend(line) => self.end(true, line, receive, at),
            Message::FinishReceive(line) => self.end(false, line, receive, at),
            message => {
                // beside requests an exchange is two messages
                if let Message::Receive { from, tag } = message {
                    self.requests.borrow_mut().arrive(from, tag);
                }
                self.communicator.carry_out(message, send, receive, at);
            }
        }
    }
}

impl<C: ?Sized + Engine<Over>, Over> Drop for Adapted<'_, C, Over> {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.panicking {
            self.communicator.panics();
        }
    }
}
