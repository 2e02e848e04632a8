use pardiff::differentiate;

#[differentiate]
fn added(x: &[f64]) -> f64 {
    let mut total = 0.0;
    'rows: for i in 0..x.len() {
        total += x[i]
            * loop {
                if x[i] > 1.0 {
                    continue 'rows;
                }
                break 2.0;
            };
    }
    total
}

fn main() {}
