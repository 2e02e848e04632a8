use pardiff::differentiate;

#[differentiate]
fn endless(x: f64) -> f64 {
    let mut y = x;
    loop {
        y *= 0.5;
    }
}

fn main() {}
