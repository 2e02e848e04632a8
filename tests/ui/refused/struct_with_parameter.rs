use pardiff::differentiate;

#[differentiate]
mod trees {
    pub struct Tree<T> {
        pub value: T,
        pub below: Vec<Tree<T>>,
    }

    #[differentiate]
    pub fn sum(tree: &Tree<f64>) -> f64 {
        tree.value + tree.below.iter().map(|tree| tree.value).sum::<f64>()
    }

    pub struct Named<T> {
        pub value: T,
        pub name: String,
    }

    #[differentiate]
    pub fn doubled(of: &Named<f64>) -> f64 {
        2.0 * of.value
    }
}

#[differentiate]
mod vectors {
    pub trait Number: Copy {
        const LARGEST: Self;

        fn least() -> Self;
    }

    impl Number for f64 {
        const LARGEST: f64 = 1e300;

        fn least() -> f64 {
            -1e300
        }
    }

    impl Number for f32 {
        const LARGEST: f32 = 1e30;

        fn least() -> f32 {
            -1e30
        }
    }

    #[derive(Clone, Copy)]
    pub struct Pair<T> {
        pub a: T,
        pub b: T,
    }

    impl<T: Number> Pair<T> {
        fn bounds() -> Self {
            Pair { a: T::least(), b: T::LARGEST }
        }
    }

    pub fn later(x: Pair<f64>, y: Pair<f32>) -> f64 {
        let mut bounds = Pair::bounds();
        let first = bounds.a;
        bounds = y;
        f64::from(bounds.a * bounds.b + first) + x.a
    }
}

fn main() {}
