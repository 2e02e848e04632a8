use pardiff::differentiate;

#[differentiate]
fn moved(x: &mut [f64]) {
    x.copy_within(1.., 0);
}

fn main() {}
