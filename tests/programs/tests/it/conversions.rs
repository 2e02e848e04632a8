//! Conversions between numbers that keep the value, and those that fail where it does not fit.

use pardiff::differentiate;
use pardiff_programs::{check, check_single, random};

#[differentiate]
fn into(x: &[f64], k: i32, s: f32, on: bool, small: u8) -> f64 {
    let y: f64 = k.into();
    let z: f64 = s.into();
    let n: usize = small.into();
    let flag: u8 = on.into();
    let wide: u64 = u32::from(small).into();
    let weights = [1.0, k.into(), 0.5];
    let mut sum = x[n % x.len()] * Into::<f64>::into(k) + f64::from(flag) * x[0];
    for w in weights {
        sum += y * w * x[0] * x[1] + z * x[1].powi(2);
    }
    let same: f64 = x[0].into();
    let last: f64 = From::from(x[1]);
    sum + same * wide as f64 + <f64 as From<i32>>::from(k) * last
}

#[test]
fn converted_to_what_follows_from_the_use() {
    let x = random(1, 5);
    for on in [false, true] {
        let (value, g) = into::gradient(&x, -3, 0.75, on, 7);
        assert_eq!(value, into(&x, -3, 0.75, on, 7));
        check(|v| into(&v[0], -3, 0.75, on, 7), &[&x], &[&g.x]);
    }
}

#[differentiate]
fn wider(x: &[f32]) -> f64 {
    x.iter().copied().map(f64::from).map(|v| v * v).sum::<f64>()
        + x.iter().map(|&v| Into::<f64>::into(v)).product::<f64>()
}

#[test]
fn by_the_name_of_the_function() {
    let x: Vec<f32> = random(2, 4).into_iter().map(|v| v as f32).collect();
    let (_, g) = wider::gradient(&x);
    let found: Vec<f64> = g.x.iter().map(|v| f64::from(*v)).collect();
    let double: Vec<f64> = x.iter().map(|v| f64::from(*v)).collect();
    let narrow = |v: &[f64]| v.iter().map(|v| *v as f32).collect::<Vec<f32>>();
    check_single(|v| wider(&narrow(&v[0])), &[&double], &[&found]);
}

#[differentiate]
fn at(x: &[f64], k: i32, l: u64) -> f64 {
    let i = usize::try_from(k).unwrap();
    let j = usize::try_from(l).expect("small");
    let m: u32 = l.try_into().unwrap();
    let n: usize = k.try_into().expect("not negative");
    x[i] * x[j] + x[m as usize].powi(3) * x[n]
}

#[test]
fn a_conversion_that_may_fail_is_opened() {
    let x = random(3, 6);
    let (value, g) = at::gradient(&x, 4, 2);
    assert_eq!(value, at(&x, 4, 2));
    check(|v| at(&v[0], 4, 2), &[&x], &[&g.x]);
    for (k, l) in [(-1, 2), (4, u64::MAX), (i32::MIN, 0)] {
        assert!(std::panic::catch_unwind(|| at(&x, k, l)).is_err());
        assert!(std::panic::catch_unwind(|| at::gradient(&x, k, l)).is_err());
    }
}

#[differentiate]
fn or_else(x: &[f64], k: i64, l: i128) -> f64 {
    let i = usize::try_from(k).unwrap_or(0);
    let byte: u8 = l.try_into().unwrap_or(u8::MAX);
    let mut sum = x[i % x.len()] * f64::from(byte);
    if let Ok(j) = i8::try_from(k) {
        sum += x[0] * x[1] * f64::from(j);
    }
    sum += match u16::try_from(l) {
        Ok(v) if v > 9 => f64::from(v) * x[1],
        Ok(_) => x[1] * x[1],
        Err(_) => x[0] * x[0],
    };
    let signed = isize::try_from(i).map_or(-1.0, |v| v as f64);
    let count = (0..3).filter_map(|d| usize::try_from(k + d - 1).ok()).filter(|&i| i < x.len());
    sum + signed * x[0]
        + count.map(|i| x[i] * x[i]).sum::<f64>()
        + if u32::try_from(k).is_err() { x[1].sin() } else { 0.0 }
}

#[test]
fn a_conversion_that_fails_is_an_alternative() {
    let x = random(4, 4);
    let all = [i64::MIN, -129, -128, -1, 0, 1, 2, 127, 128, 255, 256, 70_000, i64::MAX];
    for k in all {
        for l in [i128::MIN, -1, 0, 9, 10, 255, 256, 65_535, 65_536, i128::MAX] {
            let Ok(value) = std::panic::catch_unwind(|| or_else(&x, k, l)) else {
                // `k + d` overflows
                assert!(std::panic::catch_unwind(|| or_else::gradient(&x, k, l)).is_err());
                continue;
            };
            let (found, g) = or_else::gradient(&x, k, l);
            assert!((found - value).abs() <= 1e-12 * value.abs().max(1.0), "{k} {l}: {found} {value}");
            if k.unsigned_abs() < 1000 {
                check(|v| or_else(&v[0], k, l), &[&x], &[&g.x]);
            }
        }
    }
}

#[differentiate]
mod generic {
    #[derive(Clone, Copy)]
    pub enum Kind {
        Soft,
        Hard,
    }

    impl From<Kind> for f64 {
        fn from(kind: Kind) -> f64 {
            match kind {
                Kind::Soft => 0.5,
                Kind::Hard => 2.0,
            }
        }
    }

    fn half<T: From<f32> + std::ops::Mul<Output = T> + Copy>(x: T) -> T {
        x * T::from(0.5)
    }

    fn neighbour(x: &[f64], i: usize, d: i32) -> Result<f64, std::num::TryFromIntError> {
        let at = i64::try_from(i)? + i64::from(d);
        let at = usize::try_from(at)?;
        Ok(x[at % x.len()])
    }

    pub fn f(x: &[f64], kind: Kind) -> f64 {
        let mut sum = half(x[0]) * f64::from(kind);
        for i in 0..x.len() {
            for d in [-1, 1] {
                sum += neighbour(x, i, d).unwrap_or(1.0) * x[i];
            }
        }
        sum
    }
}

#[test]
fn in_helpers() {
    let x = random(5, 6);
    for kind in [generic::Kind::Soft, generic::Kind::Hard] {
        let (value, g) = generic::f::gradient(&x, kind);
        assert!((value - generic::f(&x, kind)).abs() < 1e-12);
        check(|v| generic::f(&v[0], kind), &[&x], &[&g.x]);
    }
}

/// Several conversions to one type: the type of what is converted says which.
#[pardiff::differentiate(check)]
mod colours {
    #[derive(Clone, Copy)]
    pub struct Xyz {
        pub at: [f64; 3],
    }

    #[derive(Clone, Copy)]
    pub struct Polar {
        pub radius: f64,
        pub angle: f64,
    }

    #[derive(Clone, Copy)]
    pub struct Rgb {
        pub red: f64,
        pub green: f64,
    }

    impl From<Xyz> for Rgb {
        fn from(of: Xyz) -> Rgb {
            Rgb { red: of.at[0] * of.at[1], green: of.at[2] }
        }
    }

    impl From<Polar> for Xyz {
        fn from(of: Polar) -> Xyz {
            Xyz { at: [of.radius * of.angle.cos(), of.radius * of.angle.sin(), of.radius] }
        }
    }

    impl From<Polar> for Rgb {
        fn from(of: Polar) -> Rgb {
            Rgb::from(Xyz::from(of))
        }
    }

    pub fn red(radius: f64, angle: f64) -> (f64, f64) {
        let (a, b) = (Rgb::from(Polar { radius, angle }), Rgb::from(Xyz { at: [angle, radius, angle] }));
        (a.red * b.green, b.red)
    }
}

#[test]
fn a_conversion_is_that_of_the_type() {
    assert_eq!(colours::red::value(0.7, 0.3), colours::red(0.7, 0.3));
    colours::red::check(0.7, 0.3).unwrap();
}

#[differentiate]
mod structs {
    #[derive(Clone, Copy)]
    pub struct Polar {
        radius: f64,
        angle: f64,
    }

    #[derive(Clone, Copy)]
    pub struct Point {
        x: f64,
        y: f64,
    }

    pub struct Pair(Point, Point);

    pub struct Segment {
        from: Point,
        to: Point,
    }

    pub struct Polynomial {
        coefficients: Vec<f64>,
    }

    impl From<Polar> for Point {
        fn from(p: Polar) -> Self {
            Point { x: p.radius * p.angle.cos(), y: p.radius * p.angle.sin() }
        }
    }

    impl From<(f64, f64)> for Point {
        fn from((x, y): (f64, f64)) -> Self {
            Self { x, y }
        }
    }

    impl From<f64> for Point {
        fn from(x: f64) -> Self {
            Self { x, y: 2.0 * x }
        }
    }

    impl From<Point> for [f64; 2] {
        fn from(p: Point) -> [f64; 2] {
            [p.x, p.y]
        }
    }

    impl From<Polynomial> for Vec<f64> {
        fn from(p: Polynomial) -> Vec<f64> {
            p.coefficients
        }
    }

    impl Point {
        fn dot(self, other: Point) -> f64 {
            self.x * other.x + self.y * other.y
        }

        fn outside(p: Polar) -> Option<Self> {
            if p.radius < 0.5 {
                return None;
            }
            Some(p.into())
        }
    }

    fn square(p: Point) -> f64 {
        p.x * p.x + p.y * p.y
    }

    fn positive(p: Point) -> [f64; 2] {
        if p.x > 0.0 {
            return p.into();
        }
        [0.0, p.y]
    }

    #[differentiate]
    pub fn places(radius: f64, angle: f64) -> f64 {
        let p = Polar { radius, angle };
        let segment = Segment { to: (radius, angle * angle).into(), from: p.into() };
        let pair = Pair((angle, radius).into(), p.into());
        let [a, b] = positive(segment.to);
        let polynomial = Polynomial { coefficients: vec![radius, angle, a] };
        let coefficients: Vec<f64> = polynomial.into();
        square(p.into()) * square(angle.into())
            + segment.from.dot(p.into())
            + pair.0.dot(pair.1) * b
            + coefficients.iter().product::<f64>()
            + Point::outside(p).map_or(0.0, |p| p.y)
    }

    #[differentiate]
    pub fn cartesian(radius: f64, angle: f64) -> Point {
        Polar { radius, angle }.into()
    }
}

#[test]
fn to_structs_where_they_go() {
    for (radius, angle) in [(1.3, 0.7), (0.2, -0.4)] {
        let (_, g) = structs::places::gradient(radius, angle);
        check(|v| structs::places(v[0][0], v[0][1]), &[&[radius, angle]], &[&[g.radius, g.angle]]);
    }
    let (mut d_radius, mut d_angle) = (0.0, 0.0);
    let seed = structs::cartesian(1.0, 0.0);
    structs::cartesian::vjp(2.0, &mut d_radius, 0.5, &mut d_angle, seed);
    assert!((d_radius - 0.5f64.cos()).abs() < 1e-15 && (d_angle + 2.0 * 0.5f64.sin()).abs() < 1e-15);
}

/// A type is made from itself, and a method of a trait has the name of one of floats.
#[differentiate(check)]
mod angles {
    use num_traits::{Float, One};

    #[derive(Clone, Copy)]
    pub struct Rad<S>(pub S);

    #[derive(Clone, Copy)]
    pub struct Deg<S>(pub S);

    impl<S: Float> From<Deg<S>> for Rad<S> {
        fn from(of: Deg<S>) -> Rad<S> {
            Rad(of.0 * S::from(0.017453292519943295).unwrap())
        }
    }

    pub trait Angle: Sized {
        type Unitless;

        fn sin(self) -> Self::Unitless;

        fn acos(cosine: Self::Unitless) -> Self;

        fn whole() -> Self
        where
            Self::Unitless: Float,
        {
            Self::acos(Self::Unitless::one())
        }
    }

    impl<S: Float> Angle for Rad<S> {
        type Unitless = S;

        fn sin(self) -> S {
            Rad::from(self).0.sin()
        }

        fn acos(cosine: S) -> Rad<S> {
            Rad(cosine.acos()).into()
        }
    }

    impl<S: Float> Angle for Deg<S> {
        type Unitless = S;

        fn sin(self) -> S {
            Rad::from(self).0.sin()
        }

        fn acos(cosine: S) -> Deg<S> {
            Deg(cosine.acos() / S::from(0.017453292519943295).unwrap())
        }
    }

    #[differentiate(with(S = f64))]
    pub fn wave<S: Float>(x: S, degrees: S) -> S {
        let whole: Rad<S> = Rad::whole();
        Rad(x).sin() * Deg(degrees).sin() + Rad::acos(x).0 * degrees + whole.0 * S::one()
    }
}

#[test]
fn conversions_to_the_type_itself() {
    angles::wave::check(0.4, 35.0).unwrap();
    let gradient = angles::wave::gradient(0.4, 35.0).1;
    let expected = 0.4_f64.cos() * 35.0_f64.to_radians().sin() - 35.0 / (1.0 - 0.16_f64).sqrt();
    assert!((gradient.x - expected).abs() < 1e-12);
}
