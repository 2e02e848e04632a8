use pardiff::differentiate;

#[differentiate]
fn chosen(x: &[f64], y: &[f64], second: bool) -> f64 {
    let (mut first, mut other) = (x, y);
    if second {
        std::mem::swap(&mut first, &mut other);
    }
    first[0] * 2.0 + other[0]
}

fn main() {}
