use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Spring(pub f64);

    trait Energy {
        fn at(&self, x: f64) -> f64;
    }

    impl Spring {
        fn at(&self, x: f64) -> f64 {
            -self.0 * x
        }
    }

    impl Energy for Spring {
        fn at(&self, x: f64) -> f64 {
            0.5 * self.0 * x * x
        }
    }

    fn total<E: Energy>(of: &E, x: &[f64]) -> f64 {
        let lent = of;
        x.iter().map(|&x| lent.at(x)).sum()
    }

    pub fn f(spring: &Spring, x: &[f64]) -> f64 {
        total(spring, x) + spring.at(1.0)
    }
}

fn main() {}
