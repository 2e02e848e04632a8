use pardiff::differentiate;

#[differentiate(check)]
pub fn for_ever(x: &'static [f64], n: &'static [usize], y: &'static mut [f64]) {
    for i in 0..n.len() {
        y[i] = x[n[i]];
    }
}

#[differentiate(check(3))]
pub fn with_number(x: f64) -> f64 {
    x
}

fn main() {
    let _ = for_ever::check(&[], &[], &mut []);
}
