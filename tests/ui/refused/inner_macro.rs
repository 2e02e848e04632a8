use pardiff::differentiate;

#[differentiate]
fn shown(x: &[f64]) -> f64 {
    let mut k = 0;
    println!("{}", { k += 1; x[k] });
    x[0] * x[k]
}

fn main() {}
