// A macro names a variable that another one hides where it is called.
use pardiff::differentiate;

#[differentiate]
fn hidden(x: f64) -> f64 {
    let scale = x * x;
    macro_rules! scaled {
        ($of:expr) => {
            scale * $of
        };
    }
    let scale = scaled!(3.0);
    scaled!(scale)
}

fn main() {}
