use num_traits::{Float, PrimInt};
use pardiff::differentiate;
use std::ops::Mul;

trait Unseen: Copy {}

#[differentiate]
fn behind_unseen<T: Unseen>(x: &[T]) -> T {
    x[0]
}

#[differentiate(wrt(x))]
fn gathered<T: Float, I: PrimInt>(x: &[T], i: I) -> T {
    x[i.to_usize().unwrap()]
}

#[differentiate]
fn total<I: IntoIterator<Item = f64>>(x: I, scale: f64) -> f64 {
    x.into_iter().map(|v| v * scale).sum()
}

trait Extended: Sized {
    fn sin(self) -> Self {
        self
    }
}

impl<T> Extended for T {}

#[differentiate(with(T = f64))]
fn extended<T: Mul<Output = T> + Copy>(x: T) -> T {
    x * x.sin()
}

#[differentiate(with(T = f64))]
fn unknown<T: Float>(x: T) -> T {
    let one = T::from_str_radix("1", 10).ok().unwrap();
    one + num_traits::clamp(x, one, x) + x.abs_sub(one)
}

#[differentiate(with(U = f64))]
fn not_a_parameter<T: Float>(x: T) -> T {
    x
}

#[differentiate(with(T = f32, f32))]
fn twice<T: Float>(x: T) -> T {
    x
}

#[differentiate(with(T = f32))]
fn too_small<T: Mul<Output = T> + From<f64>>(x: T) -> T {
    x * T::from(2.0)
}

#[differentiate(with(T = Elsewhere))]
fn unseen_struct<T: Float>(x: T) -> T {
    x
}

#[differentiate(with(T = f64, Elsewhere))]
fn several_kinds<T: Float>(x: T) -> T {
    x
}

#[differentiate]
mod kernels {
    pub struct Grid<T> {
        pub cells: T,
    }

    type Real = f64;

    #[differentiate(with(G = Grid, T = Real))]
    pub fn with_parameters<G, T: Copy>(x: T) -> T {
        x
    }

    pub trait Basis {
        fn at(x: f64) -> f64;
    }

    pub struct Line;

    impl Basis for Line {
        fn at(x: f64) -> f64 {
            x * x
        }
    }

    #[differentiate]
    pub fn not_named<B: Basis>(x: f64) -> f64 {
        B::at(x)
    }
}

#[differentiate(with)]
fn without_types<T: Float>(x: T) -> T {
    x
}

fn main() {}
