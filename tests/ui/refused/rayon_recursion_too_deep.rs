use pardiff::differentiate;

#[differentiate]
fn total(x: &[f64]) -> f64 {
    fn sum(x: &[f64], depth: usize) -> f64 {
        if depth == 0 {
            return x.iter().sum();
        }
        let (a, b) = x.split_at(x.len() / 2);
        let (p, q) = rayon::join(|| sum(a, depth - 1), || sum(b, depth - 1));
        p + q
    }
    sum(x, 9)
}

fn main() {}
