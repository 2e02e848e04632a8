use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> f64 {
    let head = unsafe { *x.get_unchecked(0) };
    head * head
}

fn main() {}
