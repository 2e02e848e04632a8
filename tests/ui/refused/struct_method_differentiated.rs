use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Point {
        pub x: f64,
    }

    impl Point {
        #[differentiate]
        pub fn square(&self) -> f64 {
            self.x * self.x
        }
    }

    pub fn f(p: &Point) -> f64 {
        p.square()
    }
}

fn main() {}
