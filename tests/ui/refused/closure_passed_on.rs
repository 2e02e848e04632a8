use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    let square = |v: f64| v * v;
    let same = square;
    same(x[0])
}

fn main() {}
