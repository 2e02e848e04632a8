use pardiff::differentiate;

#[differentiate]
fn tuple_of_arrays(x: (&[f64], &[f64])) -> f64 {
    x.0[0] * x.1[0]
}

fn main() {}
