use pardiff::differentiate;

#[differentiate]
mod kernels {
    use std::ops::Mul;

    #[derive(Clone, Copy)]
    pub struct S(pub f64);

    pub trait Get<T> {
        fn get(&self) -> T;
    }

    impl Get<f64> for S {
        fn get(&self) -> f64 {
            self.0
        }
    }

    impl Get<[f64; 2]> for S {
        fn get(&self) -> [f64; 2] {
            [self.0, 1.0]
        }
    }

    pub trait Apply<T> {
        fn apply(&self, by: T) -> f64;
    }

    impl Apply<f64> for S {
        fn apply(&self, by: f64) -> f64 {
            self.0 * by
        }
    }

    impl Apply<f32> for S {
        fn apply(&self, by: f32) -> f64 {
            self.0 + f64::from(by)
        }
    }

    impl Mul<[f64; 2]> for S {
        type Output = f64;
        fn mul(self, by: [f64; 2]) -> f64 {
            self.0 * by[0]
        }
    }

    impl Mul<[f64; 3]> for S {
        type Output = f64;
        fn mul(self, by: [f64; 3]) -> f64 {
            self.0 * by[2]
        }
    }

    const N: usize = 1 + 2;

    fn twice<A: Apply<f32>>(a: &A) -> f64 {
        let lent = a;
        lent.apply(2.0)
    }

    pub fn of_results(s: S) -> f64 {
        let a: f64 = s.get();
        a * 2.0
    }

    pub fn of_bounds(s: S) -> f64 {
        twice(&s)
    }

    pub fn of_lengths(s: S, x: f64) -> f64 {
        let by: [f64; N] = [x; N];
        s * by
    }
}

fn main() {}
