use pardiff::differentiate;

#[differentiate(split(2))]
fn square(x: f64) -> f64 {
    x * x
}

fn main() {}
