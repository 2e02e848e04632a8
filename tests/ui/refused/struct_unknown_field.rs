use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Point {
        pub x: f64,
    }

    pub fn f(p: &Point) -> f64 {
        p.y * p.x
    }
}

fn main() {}
