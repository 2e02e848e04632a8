use pardiff::differentiate;

#[differentiate]
fn square<T: std::ops::Mul<Output = T> + Copy>(x: &[T]) -> T {
    x[0] * x[0]
}

fn main() {}
