use pardiff::differentiate;

pub struct Point {
    pub x: f64,
}

#[differentiate]
mod kernels {
    use super::Point;

    pub fn f(p: &Point, y: f64) -> f64 {
        let q = Point { x: y };
        p.x * q.x
    }
}

fn main() {}
