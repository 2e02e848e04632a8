//! Batches of unit directions, of which most tangents are zero.

use pardiff::differentiate;

const BONES: usize = 6;

/// Points that two chains of bones move. A bone turns by the sum of the angles of its chain up to its own.
#[differentiate(forward, hvp, batch(4), wrt(angles, shift))]
fn skinned(
    angles: &[f64; BONES],
    shift: &[f64; 2],
    weights: &[[f64; BONES]],
    rest: &[[f64; 2]],
    at: &mut [[f64; 2]],
) {
    let mut moving = [[[0.0; 3]; 2]; BONES];
    let mut base = [0.0; 2];
    let mut turn = 0.0;
    for b in 0..BONES {
        turn = if b % 3 == 0 { angles[b] } else { turn + angles[b] };
        let (sin, cos) = turn.sin_cos();
        moving[b] = [[cos, -sin, base[0]], [sin, cos, base[1]]];
        base = if b % 3 == 2 { [0.0; 2] } else { [base[0] + cos, base[1] + sin] };
    }
    for i in 0..at.len() {
        let mut x = [0.0; 2];
        for b in 0..BONES {
            for a in 0..2 {
                let m = moving[b][a];
                x[a] += weights[i][b] * (m[0] * rest[i][0] + m[1] * rest[i][1] + m[2]);
            }
        }
        at[i] = [x[0] + shift[0], x[1] * shift[1]];
    }
}

const POINTS: usize = 37;

fn inputs() -> ([f64; BONES], [f64; 2], Vec<[f64; BONES]>, Vec<[f64; 2]>) {
    let number = |k: usize| ((k * 37 + 11) % 64) as f64 / 64.0 - 0.4;
    let weights = (0..POINTS).map(|i| std::array::from_fn(|b| number(i * BONES + b))).collect();
    let rest = (0..POINTS).map(|i| [number(3 * i), number(5 * i + 2)]).collect();
    (std::array::from_fn(number), [0.3, 1.7], weights, rest)
}

/// The tangents of the points along one direction.
fn along(angles_dot: &[f64; BONES], shift_dot: &[f64; 2]) -> Vec<[f64; 2]> {
    let (angles, shift, weights, rest) = inputs();
    let (mut at, mut at_dot) = (vec![[0.0; 2]; POINTS], vec![[0.0; 2]; POINTS]);
    skinned::jvp(&angles, angles_dot, &shift, shift_dot, &weights, &rest, &mut at, &mut at_dot);
    at_dot
}

/// The same along four.
fn along_all(angles_dot: &[[f64; 4]; BONES], shift_dot: &[[f64; 4]; 2]) -> Vec<[[f64; 2]; 4]> {
    let (angles, shift, weights, rest) = inputs();
    let (mut at, mut at_dot) = (vec![[0.0; 2]; POINTS], vec![[[0.0; 2]; 4]; POINTS]);
    skinned::jvp_batch(&angles, angles_dot, &shift, shift_dot, &weights, &rest, &mut at, &mut at_dot);
    at_dot
}

#[test]
fn each_direction_of_a_batch_is_as_it_is_alone() {
    let unit = |first: usize, k: usize, w: usize| f64::from(first + w == k);
    let dense = |k: usize, w: usize| (k * 4 + w) as f64 / 8.0 - 1.0;
    for first in [0, 2, 4, 8] {
        for is_dense in [false, true] {
            let direction = |k: usize, w: usize| if is_dense { dense(k, w) } else { unit(first, k, w) };
            let angles_dot = std::array::from_fn(|k| std::array::from_fn(|w| direction(k, w)));
            let shift_dot = std::array::from_fn(|k| std::array::from_fn(|w| direction(BONES + k, w)));
            let batch = along_all(&angles_dot, &shift_dot);
            for w in 0..4 {
                let alone =
                    along(&angles_dot.map(|all: [f64; 4]| all[w]), &shift_dot.map(|all: [f64; 4]| all[w]));
                for (i, alone) in alone.iter().enumerate() {
                    for a in 0..2 {
                        let (left, right) = (batch[i][w][a], alone[a]);
                        assert!(
                            (left - right).abs() <= 1e-14 * (1.0 + right.abs()),
                            "{i}, {w}: {left} {right}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_direction_that_is_not_a_number_says_so_where_it_moves_something() {
    let mut angles_dot = [[0.0; 4]; BONES];
    angles_dot[4] = [f64::NAN, 0.0, 1.0, 0.0];
    let batch = along_all(&angles_dot, &[[0.0; 4]; 2]);
    assert!(batch.iter().all(|at| at[0].iter().all(|it| it.is_nan())));
    assert!(batch.iter().all(|at| at[1] == [0.0; 2] && at[3] == [0.0; 2]));
    assert!(batch.iter().any(|at| at[2][0] != 0.0));
}

#[test]
fn an_inspector_precedes_the_loop_over_the_points() {
    assert!(skinned::DECISIONS.contains("moves[b"), "{}", skinned::DECISIONS);
}
