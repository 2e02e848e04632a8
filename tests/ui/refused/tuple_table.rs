use pardiff::differentiate;

#[differentiate]
fn springs(x: &[f64]) -> f64 {
    let ends = [(0, 1), (1, 2)];
    let mut energy = 0.0;
    for e in 0..2 {
        let (a, b) = ends[e];
        energy += (x[a] - x[b]).powi(2);
    }
    energy
}

fn main() {}
