use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> Option<f64> {
    let head = x.first()?;
    Some(head * head)
}

fn main() {}
