use pardiff::differentiate;

#[differentiate]
fn step<'a>(mut a: &'a mut [f64], mut b: &'a mut [f64]) {
    std::mem::swap(&mut a, &mut b);
    a[0] = b[0] * 2.0;
}

fn main() {}
