//! Vectors of the caller that are exchanged: buffers of two time levels in a struct, and those behind `&mut`.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};
use std::panic::catch_unwind;

#[differentiate]
mod wave {
    #[derive(Clone)]
    pub struct Levels {
        pub now: Vec<f64>,
        pub next: Vec<f64>,
        pub speed: f64,
    }

    impl Levels {
        fn step(&mut self, source: f64) {
            let last = self.now.len() - 1;
            for i in 1..last {
                let curve = self.now[i - 1] - 2.0 * self.now[i] + self.now[i + 1];
                self.next[i] = 2.0 * self.now[i] - self.next[i] + self.speed * curve;
            }
            self.next[last / 2] += source;
            std::mem::swap(&mut self.now, &mut self.next);
        }
    }

    #[differentiate(forward, hvp, split, check)]
    pub fn run(levels: &mut Levels, source: &[f64]) -> f64 {
        let mut smooth = vec![0.0; levels.now.len()];
        for &s in source {
            levels.step(s);
            for (i, v) in smooth.iter_mut().enumerate() {
                *v += levels.now[i] * levels.next[i];
            }
        }
        std::mem::swap(&mut levels.next, &mut smooth);
        smooth.iter().zip(&levels.now).map(|(a, b)| a * b * b).sum()
    }
}

#[test]
fn levels_of_a_struct() {
    let levels = wave::Levels { now: random(1, 7), next: random(2, 7), speed: 0.3 };
    let source = random(3, 5);
    wave::run::check(&mut levels.clone(), &source).unwrap();
    let (mut y, mut zero) = (levels.clone(), levels.clone());
    (zero.now, zero.next, zero.speed) = (vec![0.0; 7], vec![0.0; 7], 0.0);
    let mut d_source = vec![0.0; 5];
    let value = wave::run::grad(&mut y, &mut zero, &source, &mut d_source);
    let mut by_itself = levels.clone();
    assert_near(&[value], &[wave::run(&mut by_itself, &source)]);
    assert_near(&y.now, &by_itself.now);
    assert_near(&y.next, &by_itself.next);
    check(
        |v| {
            let at = wave::Levels { now: v[0].clone(), next: v[1].clone(), speed: v[2][0] };
            wave::run(&mut at.clone(), &v[3])
        },
        &[&levels.now, &levels.next, &[levels.speed], &source],
        &[&zero.now, &zero.next, &[zero.speed], &d_source],
    );
}

#[differentiate(forward, check)]
pub fn exchanged(x: &mut Vec<f64>, y: &mut Vec<f64>, times: usize) {
    for _ in 0..times {
        for (a, b) in x.iter().zip(y.iter_mut()) {
            *b = a.sin() + 0.5 * *b * a;
        }
        std::mem::swap(x, y);
    }
}

#[test]
fn vectors_behind_references() {
    for times in 0..4 {
        let (x, y) = (random(4, 6), random(5, 6));
        exchanged::check(&mut x.clone(), &mut y.clone(), times).unwrap();
        let (wx, wy) = (random(6, 6), random(7, 6));
        let (mut dx, mut dy) = (wx.clone(), wy.clone());
        exchanged::vjp(&mut x.clone(), &mut dx, &mut y.clone(), &mut dy, times);
        let weighted = |v: &[Vec<f64>]| {
            let (mut x, mut y) = (v[0].clone(), v[1].clone());
            exchanged(&mut x, &mut y, times);
            x.iter().zip(&wx).chain(y.iter().zip(&wy)).map(|(a, b)| a * b).sum()
        };
        check(weighted, &[&x, &y], &[&dx, &dy]);
    }
}

#[test]
fn vectors_of_other_lengths() {
    let call = || {
        let (mut dx, mut dy) = (vec![1.0; 3], vec![1.0; 2]);
        exchanged::vjp(&mut [1.0; 3], &mut dx, &mut [2.0; 2], &mut dy, 1);
    };
    let panicked = catch_unwind(call).unwrap_err();
    let message =
        panicked.downcast_ref::<String>().map(String::as_str).or(panicked.downcast_ref::<&str>().copied());
    let expected = "exchanged: `std::mem::swap(x, y)`: the lengths of the slices differ";
    assert!(message.unwrap().starts_with(expected), "{message:?}");
}

#[differentiate(check)]
mod assigned {
    #[derive(Clone)]
    pub struct Sim {
        pub u: Vec<f64>,
        pub v: Vec<f64>,
        pub k: f64,
    }

    impl Sim {
        /// Vectors whose lengths are not seen.
        pub fn step(&mut self) {
            self.v = self.u.iter().map(|u| u * self.k).collect();
            let kept: Vec<f64> = self.v.iter().filter(|v| **v > -10.0).map(|v| v.sin()).collect();
            self.u = kept;
        }
    }
}

#[test]
fn vectors_of_the_caller_are_assigned() {
    let (u, k) = (vec![0.1, 0.2, 0.4], 1.3);
    assigned::sim::step::check(&mut assigned::Sim { u: u.clone(), v: vec![0.0; 3], k }).unwrap();
    let mut shorter = assigned::Sim { u, v: vec![0.0; 2], k };
    let panic = catch_unwind(move || assigned::sim::step::value(&mut shorter)).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("`this_v` takes the elements of a vector of another length"), "{text}");
}
