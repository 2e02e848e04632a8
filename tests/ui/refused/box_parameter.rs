use pardiff::differentiate;

#[differentiate]
fn first(x: &Box<[f64]>) -> f64 {
    x[0] * x[0]
}

fn main() {}
