//! A value and what is behind a `&mut` in one tuple, taken apart by the patterns of a `match`.

use pardiff::differentiate;

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
