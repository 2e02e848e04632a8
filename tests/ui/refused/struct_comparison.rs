use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy, PartialEq)]
    pub struct Point {
        pub x: f64,
    }

    impl PartialOrd for Point {
        fn partial_cmp(&self, other: &Point) -> Option<std::cmp::Ordering> {
            other.x.partial_cmp(&self.x)
        }
    }

    #[derive(Clone, Copy)]
    pub struct Curve {
        pub at: [f64; 2],
    }

    impl std::ops::Index<usize> for Curve {
        type Output = f64;

        fn index(&self, i: usize) -> &f64 {
            &self.at[i]
        }
    }

    impl std::ops::IndexMut<usize> for Curve {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            &mut self.at[1 - i]
        }
    }

    pub fn f(a: Point, b: Point) -> f64 {
        if a < b { a.x } else { b.x }
    }

    pub fn g(c: &Curve) -> f64 {
        c[0]
    }

    pub fn h(a: Point) -> f64 {
        a[0]
    }
}

fn main() {}
