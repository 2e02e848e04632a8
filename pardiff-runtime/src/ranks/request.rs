//! Messages that do not wait, with the names that the crate `mpi` has for them.

use super::communicator::Status;
use super::data::{Buffer, BufferMut};
use super::threads::Rank;
use std::cell::Cell;
use std::marker::PhantomData;

/// Where requests end.
pub trait Scope<'a> {
    /// One more request.
    fn register(&self);
    /// One that has ended.
    fn unregister(&self);
}

/// A scope in which requests begin and end.
#[derive(Debug)]
pub struct LocalScope<'a> {
    requests: Cell<usize>,
    buffers: PhantomData<Cell<&'a ()>>,
}

impl<'a> Scope<'a> for &LocalScope<'a> {
    fn register(&self) {
        self.requests.set(self.requests.get() + 1);
    }

    fn unregister(&self) {
        self.requests.set(self.requests.get() - 1);
    }
}

/// The scope of buffers that are there for ever.
#[derive(Clone, Copy, Debug)]
pub struct StaticScope;

impl Scope<'static> for StaticScope {
    fn register(&self) {}

    fn unregister(&self) {}
}

/// Runs a function in which requests begin and end.
///
/// # Panics
///
/// Where one has not ended.
pub fn scope<'a, F, R>(f: F) -> R
where
    F: FnOnce(&LocalScope<'a>) -> R,
{
    let scope = LocalScope { requests: Cell::new(0), buffers: PhantomData };
    let result = f(&scope);
    assert_eq!(scope.requests.get(), 0, "a request is not waited for before its scope ends");
    result
}

/// The same with a collection of requests.
///
/// # Panics
///
/// Where one has not ended.
pub fn multiple_scope<'a, F, R, D>(reserve: usize, f: F) -> R
where
    D: 'a + ?Sized,
    F: FnOnce(&LocalScope<'a>, &mut RequestCollection<'a, D>) -> R,
{
    scope(|scope| {
        let mut requests = RequestCollection { waits: Vec::with_capacity(reserve) };
        let result = f(scope, &mut requests);
        assert!(
            requests.waits.iter().all(Option::is_none),
            "a request is not waited for before its scope ends"
        );
        result
    })
}

/// How a message ends, and what its buffer is then.
type Wait<'a, D> = Box<dyn FnOnce() -> (Status, &'a D) + 'a>;

/// A message that has begun.
///
/// # Panics
///
/// Where it is dropped before it has ended.
#[must_use = "a request is waited for"]
pub struct Request<'a, D: ?Sized, S: Scope<'a> = StaticScope> {
    wait: Option<Wait<'a, D>>,
    scope: S,
}

impl<'a, D: ?Sized, S: Scope<'a>> Request<'a, D, S> {
    fn new(scope: S, wait: Wait<'a, D>) -> Request<'a, D, S> {
        scope.register();
        Request { wait: Some(wait), scope }
    }

    fn into_wait(mut self) -> Wait<'a, D> {
        self.scope.unregister();
        self.wait.take().expect("a request ends once")
    }

    /// Waits for the end of the message.
    pub fn wait(self) -> Status {
        self.into_wait()().0
    }

    /// The same.
    pub fn wait_without_status(self) {
        self.wait();
    }

    /// Waits for the end of the message; its buffer.
    pub fn wait_for_data(self) -> &'a D {
        self.into_wait()().1
    }
}

impl<'a, D: ?Sized, S: Scope<'a>> Drop for Request<'a, D, S> {
    fn drop(&mut self) {
        if self.wait.is_some() && !std::thread::panicking() {
            panic!("a request is dropped before it has ended");
        }
    }
}

/// A request that is waited for when this is dropped.
pub struct WaitGuard<'a, D: ?Sized, S: Scope<'a> = StaticScope>(Option<Request<'a, D, S>>);

impl<'a, D: ?Sized, S: Scope<'a>> From<Request<'a, D, S>> for WaitGuard<'a, D, S> {
    fn from(request: Request<'a, D, S>) -> WaitGuard<'a, D, S> {
        WaitGuard(Some(request))
    }
}

impl<'a, D: ?Sized, S: Scope<'a>> Drop for WaitGuard<'a, D, S> {
    fn drop(&mut self) {
        if let Some(request) = self.0.take().filter(|_| !std::thread::panicking()) {
            request.wait();
        }
    }
}

/// Requests that are waited for together.
pub struct RequestCollection<'a, D: ?Sized> {
    waits: Vec<Option<Wait<'a, D>>>,
}

impl<'a, D: ?Sized> RequestCollection<'a, D> {
    /// Adds a request; its position.
    pub fn add<S: Scope<'a>>(&mut self, request: Request<'a, D, S>) -> usize {
        self.waits.push(Some(request.into_wait()));
        self.waits.len() - 1
    }

    /// Waits for all that have not ended: the position, the status and the buffer of each.
    pub fn wait_all(&mut self, result: &mut Vec<(usize, Status, &'a D)>) {
        result.clear();
        for (at, wait) in self.waits.iter_mut().enumerate() {
            if let Some(wait) = wait.take() {
                let (status, data) = wait();
                result.push((at, status, data));
            }
        }
    }
}

/// Begins to send.
pub(super) fn send<'a, D, S>(rank: &Rank, scope: S, data: &'a D, to: i32, tag: i32) -> Request<'a, D, S>
where
    D: Buffer + ?Sized,
    S: Scope<'a>,
{
    let sent = rank.start_send(to, tag, data.scalars(), "");
    let rank = rank.clone();
    let wait: Wait<'a, D> = Box::new(move || {
        rank.finish_send(sent, "");
        (Status::new(to, tag), data)
    });
    Request::new(scope, wait)
}

/// Begins to receive.
pub(super) fn receive<'a, D, S>(
    rank: &Rank,
    scope: S,
    data: &'a mut D,
    from: i32,
    tag: i32,
) -> Request<'a, D, S>
where
    D: BufferMut + ?Sized,
    S: Scope<'a>,
{
    let posted = rank.start_receive(from, tag, "");
    let rank = rank.clone();
    let wait: Wait<'a, D> = Box::new(move || {
        rank.finish_receive(posted, data.scalars_mut(), "");
        (Status::new(from, tag), &*data)
    });
    Request::new(scope, wait)
}
