//! Methods that move the elements of vectors and slices.

use super::{refused, same};

same! {
    fn resized(x: &[f64], n: usize, m: usize) -> f64 {
        let mut v = vec![];
        for a in x { v.push(a * a); }
        v.resize(n, 0.5);
        v.truncate(m);
        let mut w = vec![1.5];
        w.append(&mut v);
        let mut s = v.len() as f64 + w.len() as f64;
        for a in &w { s = s * 0.5 + a; }
        s
    }
    with (x = vec![1.5, 2.0, -3.0], n = 5, m = 4);
    with (x = vec![1.5, 2.0, -3.0], n = 2, m = 4);
    with (x = Vec::<f64>::new(), n = 0, m = 0);

    fn removed(x: &[f64], at: usize) -> f64 {
        let mut v = vec![];
        for a in x { v.push(*a); }
        let a = v.remove(at);
        let b = v.swap_remove(0);
        v.insert(at / 2, 10.0 * a + b);
        v.retain(|a| *a != 2.0);
        let mut s = a - b;
        for a in &v { s = s * 0.5 + a; }
        s
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0], at = 2);
    with (x = vec![1.5, 2.0, -3.0, 4.0], at = 0);
    with (x = vec![1.5, 2.0, -3.0, 4.0], at = 4);
    with (x = vec![1.5], at = 0);

    fn copied_within(x: &mut [f64], a: usize, to: usize) {
        x.copy_within(a..a + 2, to);
        x.copy_within(..=1, x.len() - 2);
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 1, to = 2);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 3, to = 0);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 4, to = 0);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 0, to = 4);

    fn inserted_behind_the_end(x: f64, at: usize) -> f64 {
        let mut v = vec![];
        v.push(x);
        v.insert(at, 2.0);
        v[0]
    }
    with (x = 1.5, at = 0);
    with (x = 1.5, at = 1);
    with (x = 1.5, at = 2);
}

refused! {
    truncated_parameter: "fn f(x: &mut [f64]) { x.truncate(2); }"
        => ["x.truncate(2)", "a change of the length of `x`"]
    spliced: "fn f(x: &[f64]) -> f64 { let mut v = x.to_vec(); v.splice(1.., [1.0]); v[0] }"
        => ["1..", "a range as a value"] ["splice", "the method `splice`"]
}
