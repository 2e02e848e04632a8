//! Enums with type parameters, structs with type parameters that no signature names, and comparisons that are derived.

use pardiff::differentiate;

#[differentiate(check)]
mod filters {
    use num_traits::Float;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Kind<Gain> {
        LowPass,
        Peaking(Gain),
        Shelf { gain: Gain, slope: Gain },
    }

    #[derive(Clone, Copy)]
    pub struct Hertz<T: Float>(pub T);

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Coefficients<C> {
        pub a: C,
        pub b: C,
    }

    impl<C: Float> Coefficients<C> {
        #[differentiate(wrt(at, q))]
        pub fn of(kind: Kind<C>, at: Hertz<C>, q: C) -> Option<Coefficients<C>> {
            let w = at.0 / (C::one() + at.0);
            if w > C::one() {
                return None;
            }
            Some(match kind {
                Kind::LowPass => Coefficients { a: w.sin() / q, b: w.cos() },
                Kind::Peaking(gain) => Coefficients { a: w * gain, b: q * q },
                Kind::Shelf { gain, slope } => Coefficients { a: w * gain, b: slope * q * w },
            })
        }
    }
}

#[test]
fn enums_with_parameters() {
    use filters::{Hertz, Kind, coefficients};
    let kinds = [Kind::LowPass, Kind::Peaking(3.0), Kind::Shelf { gain: 0.5, slope: 2.0 }];
    for kind in kinds {
        coefficients::of::check(kind, Hertz(0.7), 0.3).expect("right derivatives");
    }
    coefficients::of::check(Kind::Peaking(3.0_f32), Hertz(0.7), 0.3).expect("right derivatives");
}

#[differentiate(check)]
mod lines {
    use num_traits::Float;

    #[derive(Clone, Copy)]
    pub struct Coord<T> {
        pub x: T,
        pub y: T,
    }

    pub struct Path<T>(pub Vec<Coord<T>>);

    /// Made in bodies alone.
    struct Line<T> {
        start: Coord<T>,
        end: Coord<T>,
    }

    impl<T: Float> Line<T> {
        fn new(start: Coord<T>, end: Coord<T>) -> Line<T> {
            Line { start, end }
        }

        fn determinant(&self) -> T {
            self.start.x * self.end.y - self.start.y * self.end.x
        }
    }

    pub fn area<T: Float>(path: &Path<T>) -> T {
        let mut sum = T::zero();
        for k in 0..path.0.len() - 1 {
            sum = sum + Line::new(path.0[k], path.0[k + 1]).determinant();
        }
        sum / (T::one() + T::one())
    }

    pub fn single(x: &[f32]) -> f32 {
        let at = Coord { x: x[0] * x[1], y: x[1] };
        at.x * at.y
    }
}

#[test]
fn structs_that_bodies_make() {
    let at = |x, y| lines::Coord { x, y };
    let path = lines::Path(vec![at(0.1, 0.3), at(0.2, 0.7), at(-0.5, 0.1)]);
    lines::area::check(&path).expect("right derivatives");
    lines::single::check(&[0.3, 0.4]).expect("right derivatives");
}

#[differentiate(check)]
mod rings {
    #[derive(Clone, Copy, PartialEq)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    #[derive(Clone, Copy, PartialEq)]
    pub struct Segment {
        pub from: Point,
        pub to: Point,
    }

    /// Comparisons that are derived, of elements and of structs in structs.
    pub fn circumference(points: &[Point], ends: &[Segment]) -> f64 {
        if points.first().unwrap() != points.last().unwrap() {
            return points[0].x * points[0].y;
        }
        let mut sum = 0.0;
        for k in 1..points.len() {
            sum += (points[k].x - points[k - 1].x).hypot(points[k].y - points[k - 1].y);
        }
        if ends[0] == ends[1] { sum } else { 2.0 * sum }
    }
}

#[test]
fn comparisons_that_are_derived() {
    let at = |x, y| rings::Point { x, y };
    let ends = |x| rings::Segment { from: at(0.0, 0.1), to: at(x, 0.4) };
    let open = [at(0.1, 0.2), at(0.7, 0.2), at(0.3, 0.9)];
    let closed = [open[0], open[1], open[2], open[0]];
    let value = |points: &[rings::Point], ends: &[rings::Segment]| {
        let value = rings::circumference::value(points, ends);
        assert_eq!(value, rings::circumference(points, ends));
        value
    };
    let same = value(&closed, &[ends(0.3), ends(0.3)]);
    assert_eq!(value(&closed, &[ends(0.3), ends(0.4)]), 2.0 * same);
    assert_eq!(value(&open, &[]), 0.1 * 0.2);
    rings::circumference::check(&open, &[]).expect("right derivatives");
}

#[differentiate(check)]
mod matrices {
    #[derive(Clone, Copy)]
    pub struct Matrix<const N: usize>(pub [[f64; N]; N]);

    impl Matrix<2> {
        pub fn determinant(&self) -> f64 {
            self.0[0][0] * self.0[1][1] - self.0[0][1] * self.0[1][0]
        }
    }

    impl Matrix<3> {
        pub fn determinant(&self) -> f64 {
            let minor = |j: usize, k: usize| self.0[1][j] * self.0[2][k] - self.0[1][k] * self.0[2][j];
            self.0[0][0] * minor(1, 2) - self.0[0][1] * minor(0, 2) + self.0[0][2] * minor(0, 1)
        }
    }

    pub fn of_three(x: f64, y: f64) -> f64 {
        Matrix::<3>([[x, y, 1.0], [2.0, x, y], [0.5, x, x * y]]).determinant()
    }

    pub fn of_two(x: f64, y: f64) -> f64 {
        Matrix::<2>([[x, y], [2.0, x]]).determinant()
    }
}

#[test]
fn an_impl_for_one_length_has_its_own_functions() {
    assert_eq!(matrices::of_two::value(0.7, 1.3), matrices::of_two(0.7, 1.3));
    assert_eq!(matrices::of_three::value(0.7, 1.3), matrices::of_three(0.7, 1.3));
    matrices::of_two::check(0.7, 1.3).unwrap();
    matrices::of_three::check(0.7, 1.3).unwrap();
    matrices::matrix::determinant::check(&matrices::Matrix([[0.7, 1.3], [0.2, -0.4]])).unwrap();
}
