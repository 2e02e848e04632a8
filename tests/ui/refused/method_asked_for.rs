use pardiff::differentiate;

#[differentiate]
mod model {
    pub struct Point(pub f64);

    #[differentiate(sequential)]
    impl Point {
        pub fn shifted(&self, text: &str) -> f64 {
            self.0 + text.len() as f64
        }

        pub fn at(&self, x: f64) -> f64 {
            self.0.unknown(x)
        }

        #[differentiate(custom(partials = slope))]
        pub fn table(&self, x: f64) -> f64 {
            self.0 + x
        }

        fn square(&self) -> f64 {
            self.0 * self.0
        }
    }

    pub trait Sized2 {
        #[differentiate]
        fn twice(&self) -> f64 {
            2.0
        }
    }

    #[differentiate(wrt(x))]
    impl std::ops::Neg for Point {
        type Output = Point;

        fn neg(self) -> Point {
            Point(-self.0)
        }
    }

    #[differentiate]
    impl Default for Point {
        fn default() -> Point {
            Point(0.0)
        }
    }
}

fn main() {}
