use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub trait Number: Copy {
        fn sqrt(self) -> Self;
        fn one() -> Self;
    }

    impl Number for f64 {
        fn sqrt(self) -> f64 {
            f64::sqrt(self) + 1.0
        }

        fn one() -> f64 {
            1.0
        }
    }

    pub struct Model {
        pub scale: f64,
    }

    // the square root of the scale is that of the standard library
    #[differentiate]
    pub fn scaled<T: Number>(x: T, model: &Model) -> T {
        if model.scale.sqrt() > 2.0 { x.sqrt() } else { T::one() }
    }
}

fn main() {}
