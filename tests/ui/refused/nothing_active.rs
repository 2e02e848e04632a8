use pardiff::differentiate;

#[differentiate]
fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

fn main() {}
