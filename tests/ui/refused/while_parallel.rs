use pardiff::differentiate;

#[differentiate]
fn halved(x: f64) -> f64 {
    let mut y = x;
    #[parallel]
    while y > 1.0 {
        y *= 0.5;
    }
    y
}

fn main() {}
