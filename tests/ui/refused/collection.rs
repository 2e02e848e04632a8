use pardiff::differentiate;
use std::collections::HashMap;

#[differentiate]
fn scaled(table: &HashMap<usize, f64>, x: &[f64]) -> f64 {
    x[0] * table[&0]
}

fn main() {}
