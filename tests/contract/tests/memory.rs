//! What a gradient allocates for a loop over time.

#![allow(
    clippy::manual_memcpy,
    clippy::needless_range_loop,
    reason = "loops over elements, as kernels are written"
)]

use pardiff::differentiate;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[path = "../../../benches/benches/suite/allocations.rs"]
#[allow(dead_code, reason = "the suite counts allocations as well")]
mod allocations;

#[global_allocator]
static COUNTING: allocations::Counting = allocations::Counting;

/// Nonlinear diffusion on a rod.
#[differentiate]
fn diffusion(u: &mut [f64], k: &[f64], steps: usize) {
    let n = u.len();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
        }
        for i in 1..n - 1 {
            u[i] = next[i];
        }
    }
}

/// The same with a mark.
macro_rules! marked {
    ($($name:ident: #[$mark:meta];)*) => {
        $(
            #[differentiate]
            fn $name(u: &mut [f64], k: &[f64], steps: usize) {
                let n = u.len();
                let mut next = vec![0.0; n];
                #[$mark]
                for _ in 0..steps {
                    for i in 1..n - 1 {
                        next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
                    }
                    for i in 1..n - 1 {
                        u[i] = next[i];
                    }
                }
            }
        )*
    };
}

marked! {
    diffusion_marked: #[checkpoint];
    diffusion_in_levels: #[checkpoint(levels = 2)];
    diffusion_in_states: #[checkpoint(states = 10)];
    diffusion_in_8_mb: #[checkpoint(memory = "8 MB")];
    diffusion_in_600_kb: #[checkpoint(memory = "600 kB")];
    diffusion_in_300_kb: #[checkpoint(memory = "300 kB")];
    diffusion_in_1_b: #[checkpoint(memory = 1)];
    diffusion_in_1_slot: #[checkpoint(binomial = 1)];
    diffusion_in_10_slots: #[checkpoint(binomial = 10)];
    diffusion_in_60_slots: #[checkpoint(binomial = 60)];
    diffusion_in_1000_slots: #[checkpoint(binomial = 1000)];
}

/// All that is allocated is counted, so tests run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn peak(run: impl FnOnce()) -> usize {
    pardiff::release_scratch();
    allocations::peak(run).1
}

#[test]
fn a_marked_loop_keeps_the_root_of_its_steps() {
    let _alone = alone();
    let (n, steps) = (1000, 900);
    let (k, row) = (vec![0.01; n], 8 * n);
    let (mut u, mut d_u, mut d_k) = (vec![1.0; n], vec![1.0; n], vec![0.0; n]);
    let plain = peak(|| diffusion::vjp(&mut u, &mut d_u, &k, &mut d_k, steps));
    let (mut v, mut d_v, mut e_k) = (vec![1.0; n], vec![1.0; n], vec![0.0; n]);
    let marked = peak(|| diffusion_marked::vjp(&mut v, &mut d_v, &k, &mut e_k, steps));
    assert_eq!((u, d_u, d_k), (v, d_v, e_k));
    assert!(plain >= steps * row, "{plain}");
    // 30 states, tapes of 30 steps, a few rows, and what the threads of a pool that begins allocate
    assert!(marked <= (30 + 30 + 12) * row + (1 << 13), "{marked}");
}

/// Runs a gradient, and says how many rows it allocated at once besides those that it has without a step.
macro_rules! rows {
    ($name:ident, $steps:expr) => {{
        let (n, row) = (1000, 8000);
        let run = |steps: usize| {
            let k = vec![0.01; n];
            let (mut u, mut d_u, mut d_k) = (vec![1.0; n], vec![1.0; n], vec![0.0; n]);
            peak(|| $name::vjp(&mut u, &mut d_u, &k, &mut d_k, steps)) - peak(|| ())
        };
        // rows of `next`, of its adjoint, and of the state that a segment begins with
        (run($steps).saturating_sub(run(0))).div_ceil(row).saturating_sub(2)
    }};
}

#[test]
fn memory_is_what_the_plan_says() {
    let _alone = alone();
    let steps = 900;
    let root = |levels: u32| (1..).find(|c: &usize| c.pow(levels + 1) >= steps).unwrap_or_default();
    // blocks of memory are up to a quarter larger than what is in them
    let whole = rows!(diffusion, steps);
    let around = |rows: usize| rows - 3..=rows * 5 / 4 + 4;
    assert!(around(steps).contains(&whole), "{whole}");
    // states of all levels, those to run again from, and the tapes of a segment
    let of_levels = |levels: u32| {
        let parts = root(levels);
        levels as usize * parts + levels as usize + steps.div_ceil(parts.pow(levels))
    };
    for (levels, found) in [
        (1, rows!(diffusion_marked, steps)),
        (2, rows!(diffusion_in_levels, steps)),
        (1, rows!(diffusion_in_600_kb, steps)),
        (2, rows!(diffusion_in_300_kb, steps)),
        (2, rows!(diffusion_in_1_b, steps)),
    ] {
        let expected = of_levels(levels);
        assert!(around(expected).contains(&found), "{levels}: {found} rows for {expected}");
    }
    // 10 states, one to run again from, and the tapes of 90 steps
    let found = rows!(diffusion_in_states, steps);
    assert!(around(101).contains(&found), "{found}");
    let found = rows!(diffusion_in_8_mb, steps);
    assert!(around(steps).contains(&found), "{found}");
}

/// The bytes that a plan states for tapes outside of loops, `8 * slots * u.len() + 8 * slots`.
fn stated(plan: &str, sizes: &[(&str, usize)]) -> usize {
    let formula = plan.lines().find_map(|line| line.trim().strip_prefix("tapes: ")?.strip_suffix(" bytes"));
    let factor = |name: &str| {
        let size = sizes.iter().find(|(known, _)| *known == name).map(|(_, size)| *size);
        size.or_else(|| name.parse().ok()).unwrap_or_else(|| panic!("`{name}` in {plan}"))
    };
    let terms = formula.unwrap_or_else(|| panic!("no formula in {plan}")).split(" + ");
    terms.map(|term| term.split(" * ").map(factor).product::<usize>()).sum()
}

/// Whether a gradient with more slots takes as many bytes more as its plan says, `stated` for one slot and for all of
/// them: what is beside the slots does not depend on their number, and blocks of memory are up to a quarter larger than
/// what is in them.
#[track_caller]
fn as_stated(found: [usize; 2], stated: [usize; 2]) {
    let page = 1 << 12;
    let more = found[1] as i64 - found[0] as i64;
    let [one, all] = stated.map(|bytes| bytes as i64);
    let possible = all - (one * 5 / 4 + page)..=all * 5 / 4 + page - one;
    assert!(possible.contains(&more), "{found:?} bytes, {stated:?} stated");
}

#[test]
fn binomial_checkpoints_take_what_the_plan_says() {
    let _alone = alone();
    let (n, steps) = (1000, 100);
    macro_rules! taken {
        ($name:ident, $most:literal) => {{
            let k = vec![0.01; n];
            let (mut u, mut d_u, mut d_k) = (vec![1.0; n], vec![1.0; n], vec![0.0; n]);
            let found = peak(|| $name::vjp(&mut u, &mut d_u, &k, &mut d_k, steps));
            let plan = $name::PLAN;
            assert!(plan.contains(concat!("slots = ", $most, ".min(steps).max(1)")), "{plan}");
            assert!(plan.contains("u_tape: u.len() of 8 bytes, in each iteration"), "{plan}");
            (found, stated(plan, &[("slots", steps.clamp(1, $most)), ("u.len()", n)]))
        }};
    }
    // a pool of threads that begins allocates as well
    let _first = taken!(diffusion_in_1_slot, 1);
    let one = taken!(diffusion_in_1_slot, 1);
    assert_eq!(one.1, 8 * n + 8);
    for (slots, all) in [
        (10, taken!(diffusion_in_10_slots, 10)),
        (60, taken!(diffusion_in_60_slots, 60)),
        (100, taken!(diffusion_in_1000_slots, 1000)),
    ] {
        assert_eq!(all.1, slots * (8 * n + 8));
        as_stated([one.0, all.0], [one.1, all.1]);
    }
}

/// States of several arrays and types, of steps from two on.
#[differentiate]
fn mixed(u: &[f64], speed: &[f32], steps: usize) -> f64 {
    let n = u.len();
    let (mut before, mut now, mut after) = (u.to_vec(), u.to_vec(), vec![0.0; n]);
    let mut rate = speed.to_vec();
    let mut visits = vec![0u16; n];
    let mut seed = 7u32;
    #[checkpoint(binomial = 12)]
    for _ in 2..steps {
        for i in 1..n - 1 {
            let bend = now[i - 1] - 2.0 * now[i] + now[i + 1];
            after[i] = 2.0 * now[i] - before[i] + f64::from(rate[i]) * bend.tanh();
        }
        for i in 0..n {
            rate[i] *= 1.0 - 0.001 * rate[i];
        }
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        let at = 1 + seed as usize % (n - 2);
        visits[at] += 1;
        after[at] += 0.01 * f64::from(visits[at]);
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut after);
    }
    now[n / 2] * before[n / 2]
}

#[test]
fn states_of_several_types_take_what_the_plan_says() {
    let _alone = alone();
    let n = 1000;
    let plan = mixed::PLAN;
    assert!(plan.contains("slots = 12.min((2..steps).len()).max(1)"), "{plan}");
    let taken = |steps: usize| {
        let (u, speed) = (vec![0.5; n], vec![0.1f32; n]);
        let (mut d_u, mut d_speed) = (vec![0.0; n], vec![0.0f32; n]);
        let found = peak(|| _ = mixed::grad(&u, &mut d_u, &speed, &mut d_speed, steps));
        let slots = (steps - 2).clamp(1, 12);
        (found, stated(plan, &[("slots", slots), ("u.len()", n), ("speed.len()", n)]))
    };
    let _first = taken(3);
    let one = taken(3);
    for steps in [10, 14, 15, 90] {
        let all = taken(steps);
        // three arrays of the state in doubles, one in singles, one of shorts, a number and a step
        assert_eq!(all.1, (steps - 2).min(12) * (3 * 8 * n + 4 * n + 2 * n + 4 + 8));
        as_stated([one.0, all.0], [one.1, all.1]);
    }
}

/// Diffusion until so much time has passed, in ten states.
#[differentiate]
fn until_in_states(u: &mut [f64], k: &[f64], most: f64) {
    let n = u.len();
    let mut next = vec![0.0; n];
    let mut time = 0.0;
    #[checkpoint(states = 10)]
    while time < most {
        for i in 1..n - 1 {
            next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
        }
        for i in 1..n - 1 {
            u[i] = next[i];
        }
        time += 1.0;
    }
}

#[test]
fn a_loop_that_ends_by_itself_keeps_so_many_states() {
    let _alone = alone();
    let (n, row) = (1000, 8000);
    let run = |steps: usize| {
        let k = vec![0.01; n];
        let (mut u, mut d_u, mut d_k, mut d_most) = (vec![1.0; n], vec![1.0; n], vec![0.0; n], 0.0);
        peak(|| until_in_states::vjp(&mut u, &mut d_u, &k, &mut d_k, steps as f64, &mut d_most))
    };
    // ten states of `u` and `next`, the tape of at most a fifth of the steps, rows of adjoints and of the state to
    // run again from; blocks of memory are up to a quarter larger than what is in them
    for steps in [10, 100, 641, 900] {
        let found = run(steps);
        let rows = 2 * 10 + 2 * steps.div_ceil(10) + 8;
        assert!(found <= rows * row * 5 / 4 + (1 << 13), "{steps}: {found}");
    }
}
