//! The device on which the gradients of workloads are computed, and how their arguments come there.

use pardiff::cuda::{Buffer, Element, Error, Gpu};
use pardiff::runtime::cuda::Launch;
use std::cell::{Cell, RefCell};

thread_local! {
    static GPU: RefCell<Option<Gpu>> = const { RefCell::new(None) };
    static NARROW: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static LAUNCHES: RefCell<Option<Vec<Launch>>> = const { RefCell::new(None) };
    static SECONDS: Cell<f64> = const { Cell::new(f64::INFINITY) };
}

/// Runs `work`, whose gradients are computed on the device, with numbers of 32 bits if `narrow`.
pub fn with<R>(gpu: &Gpu, narrow: bool, work: impl FnOnce() -> R) -> R {
    GPU.set(Some(gpu.clone()));
    NARROW.set(narrow);
    let result = work();
    GPU.set(None);
    result
}

/// The least seconds that a gradient took, of so many calls more, by the clock of the device; `work` is inside of [`with`].
pub fn timed<R>(calls: usize, work: impl FnOnce() -> R) -> (R, f64) {
    CALLS.set(calls);
    SECONDS.set(f64::INFINITY);
    let result = work();
    CALLS.set(0);
    (result, SECONDS.get())
}

/// What a gradient launches; `work` is inside of [`with`], and computes it once more.
pub fn profiled<R>(work: impl FnOnce() -> R) -> (R, Vec<Launch>) {
    LAUNCHES.set(Some(Vec::new()));
    let result = work();
    (result, LAUNCHES.take().unwrap_or_default())
}

/// The device of [`with`].
pub(crate) fn gpu() -> Gpu {
    GPU.with_borrow(Clone::clone).expect("a device")
}

pub(crate) fn is_narrow() -> bool {
    NARROW.get()
}

pub(crate) fn answer<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn time(gpu: &Gpu, mut work: impl FnMut() -> Result<(), Error>) {
    for _ in 0..CALLS.get() {
        let seconds = answer(gpu.time(&mut work));
        SECONDS.set(SECONDS.get().min(seconds));
    }
    LAUNCHES.with_borrow_mut(|launches| {
        if let Some(launches) = launches {
            launches.extend(answer(gpu.profile(&mut work)));
        }
    });
}

/// A value in the form of another type: with floats of another width.
pub(crate) trait Like<T> {
    fn like(&self) -> T;
}

impl Like<f32> for f64 {
    fn like(&self) -> f32 {
        *self as f32
    }
}

impl Like<f64> for f32 {
    fn like(&self) -> f64 {
        f64::from(*self)
    }
}

macro_rules! same {
    ($($ty:ty)*) => { $(
        impl Like<$ty> for $ty {
            fn like(&self) -> $ty {
                *self
            }
        }
    )* };
}

same! { f64 u32 i32 usize bool }

impl<A: Like<B>, B, const N: usize> Like<[B; N]> for [A; N] {
    fn like(&self) -> [B; N] {
        std::array::from_fn(|at| self[at].like())
    }
}

pub(crate) fn upload<A: Like<B>, B: Element>(gpu: &Gpu, elements: &[A]) -> Buffer<B> {
    let elements: Vec<B> = elements.iter().map(Like::like).collect();
    answer(gpu.upload(&elements))
}

pub(crate) fn download<A: Element + Like<B>, B>(from: &Buffer<A>, to: &mut [B]) {
    for (to, from) in to.iter_mut().zip(answer(from.download())) {
        *to = from.like();
    }
}

/// What starts from zero.
pub(crate) trait Zero {
    fn zero(&mut self);
}

impl Zero for f64 {
    fn zero(&mut self) {
        *self = 0.0;
    }
}

impl<T: Zero> Zero for [T] {
    fn zero(&mut self) {
        self.iter_mut().for_each(Zero::zero);
    }
}

impl<T: Zero, const N: usize> Zero for [T; N] {
    fn zero(&mut self) {
        self.iter_mut().for_each(Zero::zero);
    }
}
