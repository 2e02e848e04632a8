use pardiff::differentiate;

#[differentiate]
fn scaled(x: f64) -> f64 {
    let mut scale = 2.0;
    let before = move |v: f64| v * scale;
    scale += x;
    before(x) * scale
}

fn main() {}
