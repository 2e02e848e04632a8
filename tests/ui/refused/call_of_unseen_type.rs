use pardiff::differentiate;

struct Scale(f64);

impl Scale {
    fn new(k: f64) -> Scale {
        Scale(k)
    }

    fn by(&self, x: f64) -> f64 {
        self.0 * x
    }
}

#[differentiate]
fn scaled(x: f64) -> f64 {
    let scale = Scale::new(2.0);
    scale.by(x)
}

fn main() {}
