//! Batches of arguments and results in the forms that functions have: each member is what a call for it alone gives.

use pardiff::differentiate;
use pardiff_programs::random;

#[track_caller]
fn near(own: f64, expected: f64) {
    assert!((own - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{own} instead of {expected}");
}

/// Arrays of arrays of structs.
#[differentiate(forward, hvp, batch(4))]
mod bonds {
    #[derive(Clone, Copy, Debug)]
    pub struct Node {
        pub place: [f64; 2],
        pub charge: f64,
    }

    pub fn bond_energy(bonds: &[[Node; 2]], range: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..bonds.len() {
            let mut square = 0.0;
            for c in 0..2 {
                let d = bonds[k][0].place[c] - bonds[k][1].place[c];
                square += d * d;
            }
            sum += bonds[k][0].charge * bonds[k][1].charge * (-square / range).exp();
        }
        sum
    }
}

#[test]
fn arrays_of_arrays_of_structs() {
    use bonds::{Node, bond_energy};
    let node = |n: &[f64]| Node { place: [n[0], n[1]], charge: n[2] };
    let bonds = |flat: &[f64]| -> Vec<[Node; 2]> {
        flat.chunks(6).map(|it| [node(&it[..3]), node(&it[3..])]).collect()
    };
    let flat = |list: &[[Node; 2]]| -> Vec<f64> {
        list.iter().flatten().flat_map(|n| [n.place[0], n.place[1], n.charge]).collect()
    };
    let x = bonds(&random(1, 30));
    let dots: [Vec<[Node; 2]>; 4] = std::array::from_fn(|w| bonds(&random(10 + w as u64, 30)));
    let dot: Vec<[[Node; 2]; 4]> = (0..5).map(|k| std::array::from_fn(|w| dots[w][k])).collect();
    let r_dot = [0.5, -1.0, 0.0, 2.0];
    let zero = [node(&[0.0; 3]); 2];
    let (value, slopes) = bond_energy::jvp_batch(&x, &dot, 1.5, r_dot);
    near(value, bond_energy(&x, 1.5));
    let (mut d_x, mut d_r) = (vec![[zero; 4]; 5], [0.0; 4]);
    bond_energy::vjp_batch(&x, &mut d_x, 1.5, &mut d_r, [1.0, -2.0, 0.0, 0.25]);
    let (mut h_x, mut h_r) = (vec![[zero; 4]; 5], [0.0; 4]);
    bond_energy::hvp_batch(&x, &dot, &mut h_x, 1.5, r_dot, &mut h_r);
    for w in 0..4 {
        near(slopes[w], bond_energy::jvp(&x, &dots[w], 1.5, r_dot[w]).1);
        let (mut one, mut one_r) = (vec![zero; 5], 0.0);
        bond_energy::vjp(&x, &mut one, 1.5, &mut one_r, [1.0, -2.0, 0.0, 0.25][w]);
        near(d_r[w], one_r);
        let own: Vec<[Node; 2]> = d_x.iter().map(|it| it[w]).collect();
        flat(&own).iter().zip(flat(&one)).for_each(|(a, b)| near(*a, b));
        let (mut one, mut one_r) = (vec![zero; 5], 0.0);
        bond_energy::hvp(&x, &dots[w], &mut one, 1.5, r_dot[w], &mut one_r);
        near(h_r[w], one_r);
        let own: Vec<[Node; 2]> = h_x.iter().map(|it| it[w]).collect();
        flat(&own).iter().zip(flat(&one)).for_each(|(a, b)| near(*a, b));
    }
}

/// Single precision, const parameters, arrays in arrays, a result that is an array.
#[differentiate(forward, batch(3))]
pub fn rotated<const N: usize>(frames: &[[[f32; 2]; 2]; N], points: &[[f32; 2]; N]) -> [f32; 2] {
    let mut sum = [0.0; 2];
    for n in 0..N {
        for i in 0..2 {
            for j in 0..2 {
                sum[i] += frames[n][i][j].sin() * points[n][j];
            }
        }
    }
    sum
}

#[test]
fn arrays_in_arrays_of_const_length() {
    let pick = |seed: u64, len: usize| -> Vec<f32> { random(seed, len).iter().map(|&x| x as f32).collect() };
    let frames = |flat: &[f32]| -> [[[f32; 2]; 2]; 5] {
        std::array::from_fn(|n| std::array::from_fn(|i| std::array::from_fn(|j| flat[4 * n + 2 * i + j])))
    };
    let points =
        |flat: &[f32]| -> [[f32; 2]; 5] { std::array::from_fn(|n| std::array::from_fn(|i| flat[2 * n + i])) };
    let (f, p) = (frames(&pick(1, 20)), points(&pick(2, 10)));
    let f_dots: [_; 3] = std::array::from_fn(|w| frames(&pick(10 + w as u64, 20)));
    let p_dots: [_; 3] = std::array::from_fn(|w| points(&pick(20 + w as u64, 10)));
    let f_dot: [[[[f32; 2]; 2]; 3]; 5] = std::array::from_fn(|n| std::array::from_fn(|w| f_dots[w][n]));
    let p_dot: [[[f32; 2]; 3]; 5] = std::array::from_fn(|n| std::array::from_fn(|w| p_dots[w][n]));
    let (_, slopes) = rotated::jvp_batch(&f, &f_dot, &p, &p_dot);
    for w in 0..3 {
        let (_, one) = rotated::jvp(&f, &f_dots[w], &p, &p_dots[w]);
        for (own, expected) in slopes.iter().map(|it| it[w]).zip(one) {
            assert!((own - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{own} instead of {expected}");
        }
    }
}
