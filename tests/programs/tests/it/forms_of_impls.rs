//! `impl`s in forms that libraries write: operators on bits, `Into`, `impl`s for references, methods for two
//! configurations, derived defaults with options, and paths that macros make of the types they are given.

use pardiff::differentiate;
use pardiff_programs::random;

#[differentiate(check)]
pub mod forms {
    use std::ops::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Mask(pub u32);

    impl Mask {
        pub const SINE: Self = Self(1 << 0);
        pub const SQUARE: Self = Self(1 << 1);
        pub const BOTH: Self = Self(Self::SINE.0 | Self::SQUARE.0);

        const fn has(self, other: Self) -> bool {
            self.0 & other.0 == other.0
        }
    }

    impl BitOr for Mask {
        type Output = Self;

        fn bitor(self, other: Self) -> Self {
            Self(self.0 | other.0)
        }
    }

    impl BitAnd for Mask {
        type Output = Self;

        fn bitand(self, other: Self) -> Self {
            Self(self.0 & other.0)
        }
    }

    impl BitXorAssign for Mask {
        fn bitxor_assign(&mut self, other: Self) {
            self.0 ^= other.0;
        }
    }

    impl Not for Mask {
        type Output = Self;

        fn not(self) -> Self {
            Self(!self.0)
        }
    }

    impl Shl<u32> for Mask {
        type Output = Self;

        fn shl(self, by: u32) -> Self {
            Self(self.0 << by)
        }
    }

    /// Chosen by the bits of a mask.
    pub fn chosen(x: f64, without: Mask) -> f64 {
        let mut wanted = (Mask::SINE | Mask::SINE << 1) & !without;
        if wanted == Mask::BOTH {
            wanted ^= Mask::SQUARE;
        }
        let mut sum = 0.5 * x;
        if wanted.has(Mask::SINE) {
            sum += x.sin().neg();
        }
        if wanted.has(Mask::SQUARE) {
            sum += x.mul(x).sub(3.0 * x).div(2.0);
        }
        sum
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Unit {
        pub value: f64,
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Units {
        pub list: [Unit; 3],
        pub alpha: Option<Unit>,
    }

    impl Index<usize> for Units {
        type Output = f64;

        fn index(&self, at: usize) -> &f64 {
            &self.list[at].value
        }
    }

    #[allow(clippy::from_over_into)]
    impl Into<[f64; 2]> for &Units {
        fn into(self) -> [f64; 2] {
            [self[0], self[1]]
        }
    }

    #[allow(clippy::from_over_into)]
    impl Into<[f64; 3]> for &Units {
        fn into(self) -> [f64; 3] {
            [self[2], self[0], self[1]]
        }
    }

    #[allow(clippy::from_over_into)]
    impl Into<Unit> for Units {
        fn into(self) -> Unit {
            Unit { value: self[0] * self[1] }
        }
    }

    /// What is made follows from the type of the variable.
    pub fn taken_apart(units: &Units) -> f64 {
        let [a, b]: [f64; 2] = units.into();
        let [c, d, _]: [f64; 3] = units.into();
        let product: Unit = units.clone().into();
        let mut other = Units::default();
        other.list[1].value = a * c;
        let of_alpha = match (&units.alpha, &other.alpha) {
            (Some(unit), None) => unit.value * d,
            _ => b,
        };
        of_alpha * b + other[1] + other[0] + product.value.sin()
    }

    pub trait Light {
        fn white(&self) -> [f64; 2];
        fn mixed(&self, t: f64) -> f64 {
            let [x, y] = self.white();
            x + (y - x) * t
        }
    }

    impl<U: Light> Light for &U {
        fn white(&self) -> [f64; 2] {
            (*self).white()
        }
    }

    pub struct Day {
        pub warmth: f64,
    }

    impl Light for Day {
        fn white(&self) -> [f64; 2] {
            [0.3 * self.warmth, 1.0 / self.warmth]
        }
    }

    fn brightness<L: Light>(light: L, t: f64) -> f64 {
        light.mixed(t) * light.white()[0]
    }

    /// Behind a reference, and as it is.
    pub fn lit(day: &Day, t: f64) -> f64 {
        brightness(day, t) + brightness(Day { warmth: t }, day.warmth) + day.white()[1]
    }

    pub trait Fused {
        fn fused(self, a: f64, b: f64) -> f64;
    }

    impl Fused for f64 {
        #[cfg(not(target_feature = "fma"))]
        #[inline]
        fn fused(self, a: f64, b: f64) -> f64 {
            self * a + b
        }
        #[cfg(target_feature = "fma")]
        #[inline]
        fn fused(self, a: f64, b: f64) -> f64 {
            self.mul_add(a, b)
        }
    }

    /// One method of two.
    pub fn horner(x: f64) -> f64 {
        x.fused(x, 2.0).fused(x, -1.0)
    }

    macro_rules! plane {
        ($name:ident, $vector:ty, $real:ty) => {
            #[derive(Clone, Copy)]
            pub struct $name {
                pub normal: $vector,
                pub distance: $real,
            }

            impl $name {
                pub fn new(normal: $vector, distance: $real) -> Self {
                    Self { normal, distance }
                }

                /// Of one point that the macro knows.
                pub fn height(&self, x: $real) -> $real {
                    let point = <$vector>::new(x, 2.0 * x, <$real>::sin(x));
                    self.normal.dot(point) - self.distance * <$real>::EPSILON.max(1.0)
                        + <$vector>::ONE.dot(self.normal)
                }
            }
        };
    }

    #[derive(Clone, Copy)]
    pub struct V3(pub [f64; 3]);

    impl V3 {
        pub const ONE: Self = Self([1.0; 3]);

        pub fn new(x: f64, y: f64, z: f64) -> Self {
            Self([x, y, z])
        }

        pub fn dot(self, other: Self) -> f64 {
            self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
        }
    }

    plane!(Plane, V3, f64);
}

#[test]
fn gradients() {
    let x = random(71, 6);
    for without in [0, 1, 2, 3] {
        forms::chosen::check(x[0], forms::Mask(without)).unwrap();
    }
    let [a, b, c, alpha] = [x[0], x[1], x[2], x[3]].map(|value| forms::Unit { value });
    for alpha in [Some(alpha), None] {
        forms::taken_apart::check(&forms::Units { list: [a, b, c], alpha }).unwrap();
    }
    forms::lit::check(&forms::Day { warmth: 1.5 + x[4] }, 0.4).unwrap();
    forms::horner::check(x[5]).unwrap();
    let plane = forms::Plane::new(forms::V3::new(x[0], x[1], x[2]), x[3]);
    forms::plane::height::check(&plane, x[4]).unwrap();
}

#[test]
fn values_are_those_of_the_functions() {
    let units = forms::Units {
        list: [0.3, -0.7, 1.1].map(|value| forms::Unit { value }),
        alpha: Some(forms::Unit { value: 0.2 }),
    };
    assert_eq!(forms::taken_apart::value(&units), forms::taken_apart(&units));
    let day = forms::Day { warmth: 1.3 };
    assert_eq!(forms::lit::value(&day, 0.2), forms::lit(&day, 0.2));
    for without in [0, 1, 2, 3] {
        let mask = forms::Mask(without);
        assert_eq!(forms::chosen::value(0.4, mask), forms::chosen(0.4, mask));
    }
}
