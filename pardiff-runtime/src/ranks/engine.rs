//! Communicators as generated code takes them: those of an engine that the caller chooses.

use super::communicator::Communicator;
use super::data::{Data, DataMut, typed};
use super::message::{Message, Messages, owners};

/// A communicator of the engine `Over`. The engine follows from the traits that the communicator has, so that code that is
/// generic over one of them calls generated code as it is.
pub trait Engine<Over> {
    /// Carries out an operation, as [`Messages::message`] says, but for [`Message::Owners`].
    fn carry_out(&self, message: Message, send: Option<Data<'_>>, receive: Option<DataMut<'_>>, at: &str);

    /// This rank.
    fn own_rank(&self) -> i32;

    /// The number of ranks.
    fn ranks(&self) -> i32;

    /// A panic goes through generated code: the others must not wait for this rank.
    fn panics(&self) {}
}

/// What nothing is: a function whose result may be that of all ranks or a share of it has no gradient before that is said.
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

    fn own_rank(&self) -> i32 {
        self.rank()
    }

    fn ranks(&self) -> i32 {
        self.size()
    }
}

/// A communicator while generated code runs.
pub struct Adapted<'a, C: ?Sized + Engine<Over>, Over> {
    communicator: &'a C,
    /// Whether there was a panic before.
    panicking: bool,
    over: std::marker::PhantomData<Over>,
}

/// A communicator for generated code.
pub fn adapted<Over, C: ?Sized + Engine<Over>>(communicator: &C) -> Adapted<'_, C, Over> {
    Adapted { communicator, panicking: std::thread::panicking(), over: std::marker::PhantomData }
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
            message => self.communicator.carry_out(message, send, receive, at),
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
