//! `f::jvp_batch`, `f::vjp_batch` and `f::hvp_batch`: each member of a batch is what a call for it alone gives.

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2};
use pardiff::differentiate;
use pardiff_programs::random;

/// So many numbers for each member of a batch of four, and the batch.
fn batch(seed: u64, len: usize) -> ([Vec<f64>; 4], Vec<[f64; 4]>) {
    let members: [Vec<f64>; 4] = std::array::from_fn(|w| random(seed + w as u64, len));
    let together = (0..len).map(|i| std::array::from_fn(|w| members[w][i])).collect();
    (members, together)
}

fn member(batch: &[[f64; 4]], w: usize) -> Vec<f64> {
    batch.iter().map(|it| it[w]).collect()
}

/// Sums may be regrouped.
#[track_caller]
fn near(own: &[f64], expected: &[f64]) {
    assert_eq!(own.len(), expected.len());
    for (a, b) in own.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{own:?} instead of {expected:?}");
    }
}

#[differentiate(forward, hvp, batch(4))]
pub fn mixture(x: &[f64], weights: &[f64], scale: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut largest = f64::NEG_INFINITY;
        for k in 0..weights.len() {
            largest = largest.max(weights[k] * x[i]);
        }
        let mut sum = 0.0;
        for k in 0..weights.len() {
            sum += (weights[k] * x[i] - largest).exp();
        }
        total += largest + sum.ln() * scale / (1.0 + x[i] * x[i]).sqrt();
    }
    total
}

#[test]
fn members_are_single_calls() {
    assert_eq!(mixture::WIDTH, 4);
    let (x, weights, scale) = (random(1, 37), random(2, 5), 0.7);
    let (x_dots, x_dot) = batch(10, 37);
    let (w_dots, w_dot) = batch(20, 5);
    let s_dot = [0.5, -1.0, 0.0, 2.0];
    let (value, slopes) = mixture::jvp_batch(&x, &x_dot, &weights, &w_dot, scale, s_dot);
    let (mut h_x, mut h_w, mut h_s) = (vec![[1.0; 4]; 37], vec![[0.0; 4]; 5], [0.0; 4]);
    let (again, second) =
        mixture::hvp_batch(&x, &x_dot, &mut h_x, &weights, &w_dot, &mut h_w, scale, s_dot, &mut h_s);
    near(&[value, again], &[mixture(&x, &weights, scale); 2]);
    let seeds = [1.0, -2.0, 0.0, 0.25];
    let (mut d_x, mut d_w, mut d_s) = (vec![[0.0; 4]; 37], vec![[1.0; 4]; 5], [0.0; 4]);
    near(&[mixture::vjp_batch(&x, &mut d_x, &weights, &mut d_w, scale, &mut d_s, seeds)], &[value]);
    for w in 0..4 {
        let (_, slope) = mixture::jvp(&x, &x_dots[w], &weights, &w_dots[w], scale, s_dot[w]);
        near(&[slopes[w], second[w]], &[slope, slope]);
        let (mut one_x, mut one_w, mut one_s) = (vec![1.0; 37], vec![0.0; 5], 0.0);
        mixture::hvp(
            &x, &x_dots[w], &mut one_x, &weights, &w_dots[w], &mut one_w, scale, s_dot[w], &mut one_s,
        );
        near(&member(&h_x, w), &one_x);
        near(&member(&h_w, w), &one_w);
        near(&[h_s[w]], &[one_s]);
        let (mut one_x, mut one_w, mut one_s) = (vec![0.0; 37], vec![1.0; 5], 0.0);
        mixture::vjp(&x, &mut one_x, &weights, &mut one_w, scale, &mut one_s, seeds[w]);
        near(&member(&d_x, w), &one_x);
        near(&member(&d_w, w), &one_w);
        near(&[d_s[w]], &[one_s]);
    }
}

/// A time loop whose states are stored, an output that is read, arrays in arrays.
#[differentiate(forward, hvp, batch(4))]
pub fn oscillators(x: &mut [[f64; 2]], stiffness: &[f64], steps: usize) {
    for _ in 0..steps {
        for i in 0..x.len() {
            let force = -stiffness[i] * x[i][0].sin();
            x[i][1] += 0.1 * force;
            x[i][0] += 0.1 * x[i][1];
        }
    }
}

#[test]
fn states_are_shared() {
    let pairs = |flat: &[f64]| -> Vec<[f64; 2]> { flat.chunks(2).map(|it| [it[0], it[1]]).collect() };
    let wide = |flat: &[[f64; 4]]| -> Vec<[[f64; 2]; 4]> {
        flat.chunks(2).map(|it| std::array::from_fn(|w| [it[0][w], it[1][w]])).collect()
    };
    let of = |batch: &[[[f64; 2]; 4]], w: usize| -> Vec<f64> { batch.iter().flat_map(|it| it[w]).collect() };
    let flat = |list: &[[f64; 2]]| -> Vec<f64> { list.iter().flatten().copied().collect() };
    let (start, stiffness) = (pairs(&random(1, 14)), random(2, 7));
    let (x_dots, x_dot) = batch(10, 14);
    let (k_dots, k_dot) = batch(20, 7);
    let (seeds, seed) = batch(30, 14);
    let (mut x, mut tangents) = (start.clone(), wide(&x_dot));
    oscillators::jvp_batch(&mut x, &mut tangents, &stiffness, &k_dot, 9);
    let (mut y, mut d_y, mut d_k) = (start.clone(), wide(&seed), vec![[0.0; 4]; 7]);
    oscillators::vjp_batch(&mut y, &mut d_y, &stiffness, &mut d_k, 9);
    let (mut z, mut z_dot, mut d_z) = (start.clone(), wide(&x_dot), pairs(&seeds[0]));
    let (mut h_z, mut h_k) = (wide(&seed), vec![[0.0; 4]; 7]);
    oscillators::hvp_batch(&mut z, &mut z_dot, &mut d_z, &mut h_z, &stiffness, &k_dot, &mut h_k, 9);
    for w in 0..4 {
        let (mut one, mut one_dot) = (start.clone(), pairs(&x_dots[w]));
        oscillators::jvp(&mut one, &mut one_dot, &stiffness, &k_dots[w], 9);
        near(&flat(&x), &flat(&one));
        near(&of(&tangents, w), &flat(&one_dot));
        near(&of(&z_dot, w), &flat(&one_dot));
        let (mut one, mut d_one, mut one_k) = (start.clone(), pairs(&seeds[w]), vec![0.0; 7]);
        oscillators::vjp(&mut one, &mut d_one, &stiffness, &mut one_k, 9);
        near(&of(&d_y, w), &flat(&d_one));
        near(&member(&d_k, w), &one_k);
        let (mut one, mut one_dot, mut d_one) = (start.clone(), pairs(&x_dots[w]), pairs(&seeds[0]));
        let (mut h_one, mut one_k) = (pairs(&seeds[w]), vec![0.0; 7]);
        oscillators::hvp(
            &mut one,
            &mut one_dot,
            &mut d_one,
            &mut h_one,
            &stiffness,
            &k_dots[w],
            &mut one_k,
            9,
        );
        near(&flat(&d_z), &flat(&d_one));
        near(&of(&h_z, w), &flat(&h_one));
        near(&member(&h_k, w), &one_k);
    }
}

/// Sums over indices that are data, on several threads.
#[differentiate(forward, batch(4))]
pub fn gathered(x: &[f64], index: &[usize], weights: &[f64]) -> (f64, [f64; 2]) {
    let mut both = [0.0; 2];
    let mut total = 0.0;
    for k in 0..index.len() {
        let value = weights[k] * x[index[k]].exp();
        both[k % 2] += value;
        total += value * value;
    }
    (total, both)
}

#[test]
fn results_of_several_parts_have_batches() {
    let (x, weights) = (random(1, 50), random(2, 3000));
    let index: Vec<usize> = (0..3000).map(|k| (k * 7) % 50).collect();
    let (x_dots, x_dot) = batch(10, 50);
    let (w_dots, w_dot) = batch(20, 3000);
    let (value, (t_dot, b_dot)) = gathered::jvp_batch(&x, &x_dot, &index, &weights, &w_dot);
    let seeds = ([1.0, 0.0, 2.0, -1.0], [[0.5, 1.0, 0.0, 3.0], [1.0, -1.0, 2.0, 0.0]]);
    let (mut d_x, mut d_w) = (vec![[0.0; 4]; 50], vec![[0.0; 4]; 3000]);
    gathered::vjp_batch(&x, &mut d_x, &index, &weights, &mut d_w, seeds);
    for w in 0..4 {
        let (one, (t, b)) = gathered::jvp(&x, &x_dots[w], &index, &weights, &w_dots[w]);
        near(&[value.0], &[one.0]);
        near(&[t_dot[w], b_dot[0][w], b_dot[1][w]], &[t, b[0], b[1]]);
        let (mut one_x, mut one_w) = (vec![0.0; 50], vec![0.0; 3000]);
        let seed = (seeds.0[w], [seeds.1[0][w], seeds.1[1][w]]);
        gathered::vjp(&x, &mut one_x, &index, &weights, &mut one_w, seed);
        near(&member(&d_x, w), &one_x);
        near(&member(&d_w, w), &one_w);
    }
}

/// Structs, alone and in arrays.
#[differentiate(forward, hvp, batch(4))]
mod springs {
    #[derive(Clone, Copy, Debug)]
    pub struct Node {
        pub place: [f64; 2],
        pub mass: f64,
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Material {
        pub stiffness: f64,
        pub damping: f64,
    }

    pub fn energy(nodes: &[Node], material: &Material) -> f64 {
        let mut sum = 0.0;
        for k in 1..nodes.len() {
            let mut square = 0.0;
            for c in 0..2 {
                let d = nodes[k].place[c] - nodes[k - 1].place[c];
                square += d * d;
            }
            sum += material.stiffness * square * nodes[k].mass + material.damping.cos() * square.sqrt();
        }
        sum
    }
}

#[test]
fn structs_have_batches_of_structs() {
    use springs::{Material, Node, energy};
    let node = |n: &[f64]| Node { place: [n[0], n[1]], mass: n[2] };
    let nodes = |flat: &[f64]| -> Vec<Node> { flat.chunks(3).map(node).collect() };
    let flat =
        |list: &[Node]| -> Vec<f64> { list.iter().flat_map(|n| [n.place[0], n.place[1], n.mass]).collect() };
    let material = |m: &[f64]| Material { stiffness: m[0], damping: m[1] };
    let (x, m) = (nodes(&random(1, 18)), material(&random(2, 2)));
    let x_dots: [Vec<Node>; 4] = std::array::from_fn(|w| nodes(&random(10 + w as u64, 18)));
    let x_dot: Vec<[Node; 4]> = (0..6).map(|i| std::array::from_fn(|w| x_dots[w][i])).collect();
    let m_dot: [Material; 4] = std::array::from_fn(|w| material(&random(20 + w as u64, 2)));
    let (value, slopes) = energy::jvp_batch(&x, &x_dot, &m, &m_dot);
    let zero = node(&[0.0; 3]);
    let none = material(&[0.0; 2]);
    let (mut h_x, mut h_m) = (vec![[zero; 4]; 6], [none; 4]);
    energy::hvp_batch(&x, &x_dot, &mut h_x, &m, &m_dot, &mut h_m);
    let (mut d_x, mut d_m) = (vec![[zero; 4]; 6], [none; 4]);
    energy::vjp_batch(&x, &mut d_x, &m, &mut d_m, [1.0, 2.0, 0.0, -1.0]);
    for w in 0..4 {
        let (one, slope) = energy::jvp(&x, &x_dots[w], &m, &m_dot[w]);
        near(&[value, slopes[w]], &[one, slope]);
        let (mut one_x, mut one_m) = (vec![zero; 6], none);
        energy::hvp(&x, &x_dots[w], &mut one_x, &m, &m_dot[w], &mut one_m);
        near(&flat(&h_x.iter().map(|it| it[w]).collect::<Vec<_>>()), &flat(&one_x));
        near(&[h_m[w].stiffness, h_m[w].damping], &[one_m.stiffness, one_m.damping]);
        let (mut one_x, mut one_m) = (vec![zero; 6], none);
        energy::vjp(&x, &mut one_x, &m, &mut one_m, [1.0, 2.0, 0.0, -1.0][w]);
        near(&flat(&d_x.iter().map(|it| it[w]).collect::<Vec<_>>()), &flat(&one_x));
        near(&[d_m[w].stiffness, d_m[w].damping], &[one_m.stiffness, one_m.damping]);
    }
}

/// Arrays of `ndarray` have one axis more.
#[differentiate(forward, batch(4))]
pub fn product(a: ArrayView2<f64>, x: ArrayView1<f64>) -> f64 {
    let mut norm = 0.0;
    for i in 0..a.nrows() {
        let mut sum = 0.0;
        for j in 0..a.ncols() {
            sum += a[[i, j]] * x[j];
        }
        norm += sum.tanh();
    }
    norm
}

#[test]
fn arrays_of_ndarray_have_an_axis_more() {
    let a = Array2::from_shape_vec((6, 5), random(1, 30)).unwrap();
    let x = Array1::from_vec(random(2, 5));
    let a_dot = Array3::from_shape_vec((6, 5, 4), random(3, 120)).unwrap();
    let x_dot = Array2::from_shape_vec((5, 4), random(4, 20)).unwrap();
    let (value, slopes) = product::jvp_batch(a.view(), a_dot.view(), x.view(), x_dot.view());
    let (mut d_a, mut d_x) = (Array3::zeros((6, 5, 4)), Array2::zeros((5, 4)));
    let seeds = [1.0, 0.5, 0.0, -2.0];
    product::vjp_batch(a.view(), d_a.view_mut(), x.view(), d_x.view_mut(), seeds);
    for w in 0..4 {
        let at = |array: &Array3<f64>| array.index_axis(ndarray::Axis(2), w).to_owned();
        let column = x_dot.column(w).to_owned();
        let (one, slope) = product::jvp(a.view(), at(&a_dot).view(), x.view(), column.view());
        near(&[value, slopes[w]], &[one, slope]);
        let (mut one_a, mut one_x) = (Array2::zeros((6, 5)), Array1::zeros(5));
        product::vjp(a.view(), one_a.view_mut(), x.view(), one_x.view_mut(), seeds[w]);
        near(at(&d_a).as_slice().unwrap(), one_a.as_slice().unwrap());
        near(&d_x.column(w).to_vec(), &one_x.to_vec());
    }
}

/// A camera: nine numbers and a point, to a place in the picture and how far it is.
#[differentiate(forward, batch(4))]
pub fn projection(camera: &[[f64; 3]; 3], point: [f64; 3], focal: f64, first: usize) -> ([f64; 2], f64) {
    let mut seen = [0.0; 3];
    for i in 0..3 {
        for j in 0..3 {
            seen[i] += camera[i][j].sin() * point[j];
        }
    }
    let far = seen[2] + first as f64;
    ([focal * seen[0] / far, focal * seen[1] / far], far)
}

#[test]
fn a_jacobian_has_a_column_for_each_number() {
    let rows =
        |flat: &[f64]| -> [[f64; 3]; 3] { std::array::from_fn(|i| std::array::from_fn(|j| flat[3 * i + j])) };
    let (camera, p, focal) = (rows(&random(1, 9)), random(2, 3), 1.3);
    let point = [p[0], p[1], p[2]];
    let (value, jacobian) = projection::jacobian(&camera, point, focal, 4);
    assert_eq!(value, projection(&camera, point, focal, 4));
    let flat = |(b, s): ([f64; 2], f64)| [b[0], b[1], s];
    for number in 0..13 {
        let mut unit = [0.0; 13];
        unit[number] = 1.0;
        let along = [unit[9], unit[10], unit[11]];
        let (_, expected) = projection::jvp(&camera, &rows(&unit), point, along, focal, unit[12], 4);
        let own = match number {
            0..9 => jacobian.camera[number / 3][number % 3],
            9..12 => jacobian.point[number - 9],
            _ => jacobian.focal,
        };
        near(&flat(own), &flat(expected));
    }
}

/// More is returned than the inputs hold, in both precisions.
#[differentiate(forward, batch(2))]
pub fn powers(x: f64, scale: &[f32; 2]) -> ([[f64; 2]; 3], f32) {
    let mut table = [[0.0; 2]; 3];
    for k in 0..3 {
        table[k] = [x.powi(k as i32 + 1), x * scale[k % 2] as f64];
    }
    (table, scale[0] * scale[1])
}

/// The same without tangents, by rows.
#[differentiate(batch(2))]
pub fn powers_by_rows(x: f64, scale: &[f32; 2]) -> ([[f64; 2]; 3], f32) {
    let mut table = [[0.0; 2]; 3];
    for k in 0..3 {
        table[k] = [x.powi(k as i32 + 1), x * scale[k % 2] as f64];
    }
    (table, scale[0] * scale[1])
}

#[test]
fn a_jacobian_is_the_same_by_columns_and_by_rows() {
    let (x, scale) = (1.5, [0.25, -2.0]);
    let (value, columns) = powers::jacobian(x, &scale);
    let (again, rows) = powers_by_rows::jacobian(x, &scale);
    assert_eq!(value, again);
    assert_eq!((columns.x, columns.scale), (rows.x, rows.scale));
    assert_eq!(rows.x, ([[1.0, 0.25], [3.0, -2.0], [6.75, 0.25]], 0.0));
    assert_eq!(rows.scale[1], ([[0.0, 0.0], [0.0, 1.5], [0.0, 0.0]], 0.25));
}

/// One number is returned, or an error.
#[differentiate(batch(4))]
pub fn distance(a: &[[f64; 2]; 2], count: &mut usize) -> Result<f64, String> {
    *count += 1;
    let (x, y) = (a[0][0] - a[1][0], a[0][1] - a[1][1]);
    if x == 0.0 && y == 0.0 {
        return Err("one place".to_owned());
    }
    Ok((x * x + y * y).sqrt())
}

#[test]
fn the_jacobian_of_one_number_is_the_gradient_and_fails_as_the_function_does() {
    let mut count = 0;
    let (value, jacobian) = distance::jacobian(&[[3.0, 1.0], [0.0, 5.0]], &mut count).unwrap();
    assert_eq!((value, count), (5.0, 1));
    near(jacobian.a.as_flattened(), &[0.6, -0.8, -0.6, 0.8]);
    assert_eq!(distance::jacobian(&[[1.0; 2]; 2], &mut count), Err("one place".to_owned()));
}

#[test]
#[should_panic(expected = "product: the shape of the tangent `a_dot` is [6, 5, 3]")]
fn a_batch_of_another_width_is_refused() {
    let (a, x) = (Array2::<f64>::zeros((6, 5)), Array1::<f64>::zeros(5));
    let (a_dot, x_dot) = (Array3::<f64>::zeros((6, 5, 3)), Array2::<f64>::zeros((5, 4)));
    product::jvp_batch(a.view(), a_dot.view(), x.view(), x_dot.view());
}
