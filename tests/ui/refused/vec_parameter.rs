use pardiff::differentiate;

#[differentiate]
fn lengthened(x: &[f64], y: &mut Vec<f64>) {
    y.push(x[0] * x[0]);
}

#[differentiate]
fn shortened(y: &mut Vec<f64>) {
    fn without_last(v: &mut Vec<f64>) {
        v.truncate(1);
    }
    without_last(y);
}

fn main() {}
