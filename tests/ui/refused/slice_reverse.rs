use pardiff::differentiate;

#[differentiate]
fn reversed(x: &mut [f64]) {
    x.reverse();
}

fn main() {}
