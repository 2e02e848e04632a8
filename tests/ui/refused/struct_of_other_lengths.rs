use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Point<const N: usize> {
        pub x: [f64; N],
    }

    impl<const N: usize> Point<N> {
        pub fn new(x: [f64; N]) -> Self {
            Point { x }
        }

        fn zeros() -> Self {
            Point { x: [0.0; N] }
        }

        fn count(&self) -> f64 {
            N as f64
        }
    }

    impl<const N: usize> From<[f64; N]> for Point<N> {
        fn from(x: [f64; N]) -> Self {
            Point { x }
        }
    }

    fn counted<const K: usize>(p: &Point<K>) -> f64 {
        p.count()
    }

    pub fn of_function(x: &[f64; 2], p: &Point<3>) -> f64 {
        Point::new(*x).count() * p.count()
    }

    pub fn beside_written(x: &[f64; 2]) -> f64 {
        let three = Point::<3>::zeros();
        Point::new(*x).count() * three.count()
    }

    pub fn of_trait(x: [f64; 2], p: &Point<3>) -> f64 {
        Point::from(x).count() * p.count()
    }

    pub fn of_helper(p: &Point<3>) -> f64 {
        counted::<2>(&Point::zeros()) * p.count()
    }

    pub fn of_field(x: [f64; 2], p: &Point<3>) -> f64 {
        let mut zeros = Point::zeros();
        zeros.x = x;
        zeros.count() * p.count()
    }

    pub fn of_pattern(p: &Point<3>) -> f64 {
        match Point::zeros() {
            Point { x: [a, b] } => (a + b + 1.0) * p.count(),
        }
    }
}

fn main() {}
