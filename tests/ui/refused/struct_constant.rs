use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Point {
        pub x: f64,
    }

    const ORIGIN: Point = Point { x: 0.0 };

    pub fn f(p: &Point) -> f64 {
        p.x - ORIGIN.x
    }
}

fn main() {}
