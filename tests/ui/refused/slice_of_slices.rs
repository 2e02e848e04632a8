use pardiff::differentiate;

#[differentiate]
fn slices_of_slices(x: &[&[f64]]) -> f64 {
    x[0][0] * 2.0
}

fn main() {}
