use pardiff::differentiate;

#[differentiate]
fn chosen(x: &mut [f64]) {
    let mut k = 0;
    let part = loop {
        if x[k] > 0.0 {
            break &mut x[k..];
        }
        k += 1;
    };
    part[0] = 1.0;
}

fn main() {}
