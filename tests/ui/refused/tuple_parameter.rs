use pardiff::differentiate;

#[differentiate]
fn number_behind_mut(x: &mut (&[f64], f64)) -> f64 {
    x.1 += 1.0;
    x.0[0] * x.1
}

#[differentiate]
fn slices_of_tuples(x: &[(&[f64], f64)]) -> f64 {
    x[0].0[0] * x[0].1
}

fn main() {}
