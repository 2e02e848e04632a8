use pardiff::differentiate;

#[differentiate]
fn power(x: f64, n: u32) -> f64 {
    fn go(x: f64, n: u32) -> f64 {
        if n == 0 { 1.0 } else { x * go(x, n - 1) + go(x, n - 2) }
    }
    go(x, n)
}

fn main() {}
