use pardiff::differentiate;

#[differentiate]
mod kernels {
    fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
        x + x
    }

    pub fn f(x: f64) -> f64 {
        twice(x)
    }
}

pub fn main() {
    assert_eq!(kernels::f::gradient(1.5).1.x, 2.0);
}
