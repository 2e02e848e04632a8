use pardiff::differentiate;

#[differentiate(split)]
fn decay(x: &mut [f64], steps: usize) {
    #[checkpoint]
    for _ in 0..steps {
        for v in x.iter_mut() {
            *v -= 0.1 * *v * *v;
        }
    }
}

#[differentiate(split(2))]
fn square(x: f64) -> f64 {
    x * x
}

fn main() {}
