use pardiff::differentiate;
use std::collections::{BTreeSet, HashMap};

#[differentiate]
fn looked_up(x: &[f64]) -> f64 {
    let mut values = HashMap::new();
    values.insert(1_usize, x[0]);
    values[&1]
}

#[differentiate]
fn distinct(x: &[f64]) -> f64 {
    let seen = x.iter().map(|v| *v as usize).collect::<BTreeSet<_>>();
    x[0] * seen.len() as f64
}

fn main() {}
