use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy, PartialEq)]
    pub struct Point {
        pub x: f64,
    }

    pub fn f(a: Point, b: Point) -> f64 {
        if a == b { a.x } else { b.x }
    }
}

fn main() {}
