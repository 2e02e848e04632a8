use pardiff::differentiate;

#[differentiate]
fn doubled(x: &[f64]) -> f64 {
    let (mut a, mut b) = (x[0], x[1]);
    let mut places = vec![&mut a, &mut b];
    *places[0] *= 2.0;
    a * b
}

#[differentiate]
fn collected(x: &mut [f64]) {
    for v in x.iter_mut().collect::<Vec<_>>() {
        *v *= 2.0;
    }
}

fn main() {}
