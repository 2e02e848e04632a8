//! Sums into rows of a large array by an index array, gathered by an inverse index: the gradient in both precisions, the
//! same bits at any number of threads, and panics where the index is wrong.

use pardiff::differentiate;
use pardiff_programs::{check, random};

const WIDTH: usize = 40;

/// The energy of rows that are mixed from the rows of their neighbours.
#[differentiate(wrt(x, w))]
pub fn mixed(x: &[f64], w: &[f64], start: &[u32], at: &[u32]) -> f64 {
    let mut total = 0.0;
    for i in 0..start.len() - 1 {
        let mut y = [0.0; WIDTH];
        for k in start[i] as usize..start[i + 1] as usize {
            let j = at[k] as usize;
            for f in 0..WIDTH {
                y[f] += w[k] * x[j * WIDTH + f];
            }
        }
        for f in 0..WIDTH {
            total += y[f] * y[f];
        }
    }
    total
}

/// Rows by a plain index, in single precision; the rows' length is known when it runs.
#[differentiate(wrt(x))]
pub fn looked_up(x: &[f32], scale: &[f32], at: &[usize], d: usize) -> f32 {
    let mut total = 0.0;
    for i in 0..at.len() {
        for f in 0..d {
            total += scale[i] * (x[at[i] * d + f] * scale[i]).sin();
        }
    }
    total
}

fn graph(nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0];
    let mut at = Vec::new();
    for i in 0..nodes {
        at.extend((0..(i * 7) % 23).map(|k| ((i * 31 + k * k * 17) % nodes) as u32));
        start.push(at.len() as u32);
    }
    (start, at)
}

fn with_threads<R: Send>(threads: usize, call: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(call)
}

#[test]
fn the_index_is_chosen() {
    assert!(mixed::DECISIONS.contains("gathered by the inverse index"), "{}", mixed::DECISIONS);
    assert!(looked_up::DECISIONS.contains("gathered by the inverse index"), "{}", looked_up::DECISIONS);
}

#[test]
fn rows_of_neighbours_have_their_gradient() {
    let (start, at) = graph(9);
    let (x, w) = (random(1, 9 * WIDTH), random(2, at.len()));
    let (mut d_x, mut d_w) = (vec![0.0; x.len()], vec![0.0; w.len()]);
    let value = mixed::grad(&x, &mut d_x, &w, &mut d_w, &start, &at);
    assert!((value - mixed(&x, &w, &start, &at)).abs() < 1e-12 * value.abs());
    check(|v: &[Vec<f64>]| mixed(&v[0], &v[1], &start, &at), &[&x, &w], &[&d_x, &d_w]);
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let nodes = 500;
    let (start, at) = graph(nodes);
    let (x, w) = (random(3, nodes * WIDTH), random(4, at.len()));
    let run = || {
        let (mut d_x, mut d_w) = (vec![0.0; x.len()], vec![0.0; w.len()]);
        let value = mixed::grad(&x, &mut d_x, &w, &mut d_w, &start, &at);
        let all = d_x.iter().chain(&d_w).chain([&value]);
        all.map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let one = with_threads(1, run);
    for threads in [2, 3, 8] {
        assert!(one == with_threads(threads, run), "{threads} threads");
    }
}

#[test]
fn rows_by_a_plain_index_have_their_gradient() {
    for (rows, d) in [(5, 16), (3, 1), (400, 33), (4, 0)] {
        let single = |seed, count| random(seed, count).iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let at: Vec<usize> = (0..rows * 2).map(|i| (i * i + 1) % rows).collect();
        let (x, scale) = (single(5, rows * d), single(6, at.len()));
        let mut d_x = vec![0.0f32; x.len()];
        looked_up::grad(&x, &mut d_x, &scale, &at, d);
        let mut expected = vec![0.0f64; x.len()];
        for (i, &row) in at.iter().enumerate() {
            let s = f64::from(scale[i]);
            for f in 0..d {
                expected[row * d + f] += s * s * (f64::from(x[row * d + f]) * s).cos();
            }
        }
        for (found, expected) in d_x.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-4, "{rows} rows of {d}: {found} {expected}");
        }
    }
}

#[test]
fn an_index_that_is_wrong_panics_with_its_name() {
    let message = |start: &[u32], at: &[u32], nodes: usize| {
        let (x, w) = (random(7, nodes * WIDTH), random(8, at.len()));
        let call = || mixed::grad(&x, &mut vec![0.0; x.len()], &w, &mut vec![0.0; w.len()], start, at);
        let payload =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("the call panics");
        payload.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let (start, at) = graph(300);
    for nodes in [300, 2] {
        let mut wrong = at.clone();
        wrong[100] = 300;
        let message = message(&start, &wrong, nodes);
        assert!(message.contains("mixed:") && message.contains("`x`"), "{message}");
    }
    let message = message(&start, &at[..at.len() - 3], 300);
    assert!(message.contains("mixed:") && message.contains("`at`"), "{message}");
}
