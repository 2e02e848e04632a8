//! Arrays in place of the collections of std, as the refusals of these advise.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// The weights of what is reached from the first node, breadth first: a queue, flags and a table by number.
#[differentiate]
fn reached(x: &[f64], edges: &[(usize, usize)]) -> f64 {
    let n = x.len();
    let mut queue = vec![0];
    let mut first = 0;
    let mut seen = vec![false; n];
    seen[0] = true;
    let mut values = vec![0.0; n];
    values[0] = x[0];
    while first < queue.len() {
        let at: usize = queue[first];
        first += 1;
        for &(from, to) in edges {
            if from == at && !seen[to] {
                seen[to] = true;
                values[to] = values[at] * x[to];
                queue.push(to);
            }
        }
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    values.iter().sum::<f64>() * least
}

#[test]
fn queues_flags_and_tables() {
    let x: Vec<f64> = random(1, 6).into_iter().map(|v| v + 1.5).collect();
    let edges = [(0, 2), (2, 3), (3, 0), (2, 5), (5, 1), (1, 4)];
    let (value, g) = reached::gradient(&x, &edges);
    assert!((value - reached(&x, &edges)).abs() < 1e-12 * value.abs());
    check(|v| reached(&v[0], &edges), &[&x], &[&g.x]);
}
