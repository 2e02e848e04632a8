use pardiff::differentiate;

#[differentiate]
fn halved(x: f64) -> f64 {
    let mut y = x;
    #[replay]
    loop {
        y *= 0.5;
        if y < 1.0 {
            break;
        }
    }
    y
}

fn main() {}
