use pardiff::differentiate;

#[differentiate(wrt(z), fast)]
fn several(x: &[f64]) -> f64 {
    let mut total = 0.0;
    while let 0 = total as i32 {
        total += outside(x[0]);
    }
    total
}

fn main() {
    // the module is there all the same: no further error here
    let (value, gradient) = several::gradient(&[1.0]);
    assert_eq!((value, gradient.x), (1.0, vec![2.0]));
}
