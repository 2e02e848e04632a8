use pardiff::differentiate;

type Real = f64;

#[differentiate]
fn square(x: &[Real]) -> Real {
    x[0] * x[0]
}

fn main() {}
