//! Types that mark: `PhantomData` as a field, and type parameters that stand in it alone.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod units {
    use num_traits::Float;
    use std::marker::PhantomData;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Metres;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Length {
        unit: PhantomData<Metres>,
        pub value: f64,
    }

    impl Length {
        pub fn new(value: f64) -> Length {
            Length { unit: PhantomData, value }
        }

        pub fn scaled(&self, by: f64) -> Length {
            Length { value: self.value * by, unit: self.unit }
        }
    }

    pub fn energy(x: &[Length]) -> f64 {
        x.iter().map(|x| x.value * x.value).sum()
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Affine<T, From, To> {
        pub a: T,
        pub b: T,
        unit: core::marker::PhantomData<(From, To)>,
    }

    impl<T, From, To> Affine<T, From, To> {
        pub const fn new(a: T, b: T) -> Self {
            Affine { a, b, unit: PhantomData }
        }
    }

    impl<T: Float, From, To> Affine<T, From, To> {
        pub fn inverse(&self) -> Option<Affine<T, To, From>> {
            (self.a != T::zero()).then(|| Affine::new(T::one() / self.a, -self.b / self.a))
        }

        pub fn then<New>(&self, other: &Affine<T, To, New>) -> Affine<T, From, New> {
            Affine::new(self.a * other.a, self.b * other.a + other.b)
        }
    }
}

#[test]
fn fields_that_mark() {
    use units::Length;
    units::length::scaled::check(&Length::new(0.3), 0.7).expect("right derivatives");
    units::energy::check(&[Length::new(0.3), Length::new(0.7)]).expect("right derivatives");
    let mut d_x = [Length::new(9.0), Length::new(9.0)];
    units::energy::grad_into(&[Length::new(0.5), Length::new(2.0)], &mut d_x);
    assert_eq!(d_x, [Length::new(1.0), Length::new(4.0)]);
}

#[test]
fn parameters_that_mark() {
    use units::{Affine, affine};
    let map = |a, b| Affine::<f64, (), ()>::new(a, b);
    affine::inverse::check(&map(0.3, 0.7)).expect("right derivatives");
    affine::then::check(&map(0.3, 0.7), &map(0.1, 0.9)).expect("right derivatives");
    affine::then::check(&Affine::new(0.3_f32, 0.7), &Affine::new(0.1, 0.9)).expect("right derivatives");
}

/// What the signature names as a mark stands beside the functions.
#[differentiate(check)]
mod marks {
    use std::marker::PhantomData;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Metre;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Quantity<U> {
        pub value: f64,
        pub unit: PhantomData<U>,
    }

    pub fn area(a: Quantity<Metre>, b: &[Quantity<Metre>]) -> f64 {
        let mut sum = 0.0;
        for side in b {
            sum += a.value * side.value.sqrt();
        }
        sum
    }
}

#[test]
fn marks_of_the_module() {
    let metres = |value| marks::Quantity { value, unit: std::marker::PhantomData };
    marks::area::check(metres(0.3), &[metres(0.5), metres(2.0)]).expect("right derivatives");
}
