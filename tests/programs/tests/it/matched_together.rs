//! A value and what is behind a `&mut` in one tuple, taken apart by the patterns of a `match`.

use pardiff::differentiate;
use pardiff_programs::check;

/// Two options; the second is changed where it is.
#[differentiate(check)]
pub fn both(q: f64, g: Option<f64>, left: &mut Option<f64>, y: &mut f64) {
    if let (Some(by), Some(left)) = (g, left) {
        *left *= q * by;
        *y *= *left;
    }
}

/// The same in arms, which return something.
#[differentiate(check)]
pub fn arms(q: f64, g: Option<f64>, left: &mut Option<f64>, y: &mut f64) -> f64 {
    match (g, left) {
        (Some(by), Some(left)) => {
            *left *= q * by;
            *y *= *left;
            q * *left
        }
        (None, Some(left)) => {
            *left += q;
            *left * *y
        }
        _ => q,
    }
}

/// An option and an enum.
#[differentiate]
pub mod kinds {
    /// One number, two, or none.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Kind {
        /// A number.
        One(f64),
        /// Two of them.
        Two {
            /// The first.
            u: f64,
            /// The second.
            v: f64,
        },
        /// Nothing.
        Empty,
    }

    /// The enum is changed where it is.
    #[differentiate(check)]
    pub fn changed(q: f64, g: Option<f64>, kind: &mut Kind) -> f64 {
        match (g, kind) {
            (Some(by), Kind::One(a)) => {
                *a *= q * by;
                *a * q
            }
            (Some(by), Kind::Two { u, v }) => {
                *u += by * *v;
                *v *= q;
                *u
            }
            (None, Kind::One(a)) => {
                *a = a.sin() * q;
                2.0
            }
            _ => q * q,
        }
    }
}

#[test]
fn what_is_behind_a_reference_is_changed_there() {
    for g in [Some(5.0), None] {
        for left in [Some(3.0), None] {
            let (mut ours, mut theirs) = ((left, 2.0), (left, 2.0));
            both::value(2.0, g, &mut ours.0, &mut ours.1);
            both(2.0, g, &mut theirs.0, &mut theirs.1);
            assert_eq!(ours, theirs);
            both::check(2.0, g, &mut ours.0, &mut ours.1).unwrap();
            let value = arms::value(2.0, g, &mut ours.0, &mut ours.1);
            assert_eq!(value, arms(2.0, g, &mut theirs.0, &mut theirs.1));
            assert_eq!(ours, theirs);
            arms::check(2.0, g, &mut ours.0, &mut ours.1).unwrap();
        }
    }
    let (mut left, mut d_left, mut y, mut d_y) = (Some(3.0), Some(1.0), 2.0, 0.0);
    let (mut d_q, mut d_g) = (0.0, None);
    both::vjp(2.0, &mut d_q, Some(5.0), &mut d_g, &mut left, &mut d_left, &mut y, &mut d_y);
    assert_eq!((left, y, d_q, d_left), (Some(30.0), 60.0, 15.0, Some(10.0)));
}

#[test]
fn enums_behind_a_reference_are_changed_there() {
    use kinds::{Kind, changed};
    for g in [Some(5.0), None] {
        for kind in [Kind::One(0.7), Kind::Two { u: 0.3, v: 0.8 }, Kind::Empty] {
            let (mut ours, mut theirs) = (kind, kind);
            assert_eq!(changed::value(1.5, g, &mut ours), changed(1.5, g, &mut theirs));
            assert_eq!(ours, theirs);
            changed::check(1.5, g, &mut { kind }).unwrap();
        }
    }
}

/// Parts of values and enums that patterns bind by `ref mut`, also beside others that are bound as copies.
#[differentiate]
mod by_reference {
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub enum Load {
        Point(f64),
        Spread { q: f64, parts: usize },
        None,
    }

    struct Beam {
        length: f64,
        load: Load,
        ends: (f64, i32),
    }

    pub fn moment(x: &[f64], load: &mut Load, k: usize) -> f64 {
        let mut numbered = (x[0], k);
        match numbered {
            (ref mut a, 0) => *a *= x[1],
            (ref mut a, n) => *a *= x[0] * n as f64,
        }
        match *load {
            Load::Point(ref mut a) => *a *= x[0],
            Load::Spread { ref mut q, parts } => *q *= x[1] * parts as f64,
            Load::None => {}
        }
        let mut beam = Beam { length: x[0], load: *load, ends: (x[1], 2) };
        match beam {
            Beam { ref mut length, load: Load::Point(ref mut a), .. } => {
                *length *= 2.0;
                *a *= 3.0;
            }
            Beam { ref length, .. } => numbered.0 += *length,
        }
        match beam {
            Beam { ends: (ref mut a, n), .. } if n > 1 => *a *= n as f64 * x[0],
            _ => {}
        }
        let e = match beam.load {
            Load::Point(v) => v,
            Load::Spread { q, .. } => q,
            Load::None => 1.0,
        };
        numbered.0 * numbered.0 + beam.length * beam.ends.0 + e * e
    }
}

#[test]
fn what_is_bound_by_ref_mut_is_a_place() {
    use by_reference::{Load, moment};
    let x = [1.3, 1.5];
    let loads = [
        (Load::Point(0.7), Load::Point(0.0)),
        (Load::Spread { q: 0.4, parts: 3 }, Load::Spread { q: 0.0, parts: 3 }),
    ];
    for (load, zero) in loads.into_iter().chain([(Load::None, Load::None)]) {
        for k in 0..3 {
            let (mut left, mut as_written) = (load, load);
            let mut d_x = [0.0; 2];
            let value = moment::grad(&x, &mut d_x, &mut left, &mut zero.clone(), k);
            assert_eq!((value, left), (moment(&x, &mut as_written, k), as_written));
            check(|v| moment(&v[0], &mut load.clone(), k), &[&x], &[&d_x]);
        }
    }
}
