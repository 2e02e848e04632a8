use pardiff::differentiate;

#[differentiate]
fn rotated(x: &mut [f64]) {
    x.rotate_left(1);
}

fn main() {}
