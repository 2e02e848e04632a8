use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64], k: usize) -> f64 {
    let all = [|v: f64| v * v, |v: f64| 2.0 * v];
    all[k](x[0])
}

fn main() {}
