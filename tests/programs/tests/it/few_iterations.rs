//! Few heavy iterations, each in a task of its own, and many of them in lanes: the gradient, the same bits at any number of
//! threads, and panics where an index is wrong.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Arrival times at the end of a ray from several sources, by sweeps in both directions.
#[differentiate(wrt(slowness))]
pub fn arrivals(slowness: &[f64], sources: &[usize], sweeps: usize) -> f64 {
    let n = slowness.len();
    let mut total = 0.0;
    for &source in sources {
        let mut time = vec![1e6; n];
        time[source] = 0.0;
        for _ in 0..sweeps {
            for i in 1..n {
                let next = time[i - 1] + slowness[i];
                if next < time[i] {
                    time[i] = next;
                }
            }
            for i in (0..n - 1).rev() {
                let next = time[i + 1] + slowness[i];
                if next < time[i] {
                    time[i] = next;
                }
            }
        }
        total += time[n - 1] * time[0];
    }
    total
}

fn sources(many: usize, n: usize) -> Vec<usize> {
    (0..many).map(|k| (k * 7919 + 3) % n).collect()
}

fn slowness(n: usize) -> Vec<f64> {
    random(5, n).iter().map(|x| 1.5 + x).collect()
}

fn gradient(threads: usize, s: &[f64], from: &[usize], sweeps: usize) -> (f64, Vec<f64>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let mut d_s = vec![0.0; s.len()];
    let value = pool.install(|| arrivals::grad(s, &mut d_s, from, sweeps));
    (value, d_s)
}

#[test]
fn both_forms_are_there() {
    assert!(arrivals::DECISIONS.contains("at most in tasks of their own"), "{}", arrivals::DECISIONS);
    assert!(arrivals::DECISIONS.contains("blocks of 128 lanes"), "{}", arrivals::DECISIONS);
}

#[test]
fn few_and_many_have_their_gradient() {
    for (many, n, sweeps) in [(0, 9, 1), (1, 30, 2), (5, 30, 1), (20, 30, 2), (3, 1, 1), (3, 9, 0)] {
        let (s, from) = (slowness(n), sources(many, n));
        let (value, d_s) = gradient(2, &s, &from, sweeps);
        assert!((value - arrivals(&s, &from, sweeps)).abs() <= 1e-12 * value.abs());
        check(|v: &[Vec<f64>]| arrivals(&v[0], &from, sweeps), &[&s], &[&d_s]);
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let s = slowness(3000);
    for many in [1, 2, 8, 14, 20] {
        let from = sources(many, s.len());
        let bits = |threads| {
            let (value, d_s) = gradient(threads, &s, &from, 3);
            d_s.iter().chain([&value]).map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let one = bits(1);
        for threads in [2, 3, 16] {
            assert_eq!(one, bits(threads), "{many} sources");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("a pool");
        let (primal, value) = (arrivals(&s, &from, 3), pool.install(|| arrivals::value(&s, &from, 3)));
        assert!((primal - value).abs() <= 1e-12 * primal.abs());
    }
}

#[test]
#[should_panic(expected = "the index is 2000 but the length of `time` is 2000")]
fn a_source_outside_panics_in_its_task() {
    gradient(2, &slowness(2000), &[1, 2000, 5], 2);
}
