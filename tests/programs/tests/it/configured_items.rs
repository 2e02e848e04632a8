//! Items under conditions: rustc decides what is there before the item is read.

use pardiff::differentiate;

#[differentiate(check)]
pub mod kernels {
    #[cfg(any())]
    use crate::absent::SCALE;
    #[cfg(not(any()))]
    use std::f64::consts::PI as SCALE;

    #[cfg(any())]
    pub type Real = f32;
    #[cfg(not(any()))]
    pub type Real = f64;

    #[cfg(any())]
    pub fn lanes(x: &[Real]) -> Real {
        unsafe { absent::sum(x) }
    }

    #[cfg_attr(not(any()), derive(Clone))]
    pub struct State {
        pub a: Real,
        #[cfg(any())]
        pub b: absent::Lanes,
        #[cfg(not(any()))]
        pub b: Real,
    }

    impl State {
        pub fn energy(&self, x: Real, k: usize) -> Real {
            #[cfg(any())]
            {
                return unsafe { absent::energy(self, x) };
            }
            let y = x * x;
            #[cfg(not(any()))]
            let y = y * 3.0;
            match k {
                #[cfg(any())]
                0 => absent!(),
                _ => self.a * y * SCALE + self.b.sin(),
            }
        }
    }
}

#[test]
fn what_is_there_is_read() {
    let state = kernels::State { a: 1.5, b: 0.4 };
    let expected = 1.5 * 3.0 * 0.49 * std::f64::consts::PI + 0.4f64.sin();
    assert!((state.energy(0.7, 0) - expected).abs() < 1e-14);
    kernels::state::energy::check(&state.clone(), 0.7, 0).unwrap();
}

/// A function by itself keeps its attributes.
#[differentiate(check)]
#[must_use]
pub fn alone(x: &[f64]) -> f64 {
    let y = x[0];
    #[cfg(not(any()))]
    let y = y * 2.0;
    y * y
}

#[test]
fn a_function_by_itself() {
    assert_eq!(alone(&[0.5]), 1.0);
    alone::check(&[0.3]).unwrap();
}

#[test]
fn a_function_in_a_body() {
    #[differentiate]
    fn inner(x: f64) -> f64 {
        #[cfg(any())]
        return absent(x);
        #[cfg(not(any()))]
        return x * x;
    }
    let (value, gradient) = inner::gradient(3.0);
    assert_eq!((value, gradient.x), (9.0, 6.0));
}
