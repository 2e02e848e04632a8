use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f64,
    }

    impl std::ops::Add for Point {
        type Output = Point;
        fn add(self, other: Point) -> Point {
            Point { x: self.x + other.x }
        }
    }

    pub fn f(a: Point, b: Point) -> f64 {
        (a - b).x + (a + b * 2.0).x
    }
}

fn main() {}
