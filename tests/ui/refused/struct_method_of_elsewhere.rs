use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy, Default)]
    pub struct Point {
        pub x: f64,
    }

    pub trait Norm {
        fn norm(&self) -> f64;
    }

    pub fn f(p: Point) -> f64 {
        let q = Point::default();
        p.norm() + q.x
    }
}

fn main() {}
