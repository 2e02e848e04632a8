use pardiff::differentiate;

#[differentiate]
fn search(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    'rows: for i in 0..n {
        for j in 0..n {
            if x[i * n + j] < 0.0 {
                break 'rows;
            }
            total += x[i * n + j] * x[i * n + j];
        }
    }
    total
}

fn main() {}
