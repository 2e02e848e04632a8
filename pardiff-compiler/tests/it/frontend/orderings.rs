//! Orderings as values, and sorting by them.

use super::{refused, same};

same! {
    fn ordered(k: &[i32], x: &[f64]) -> f64 {
        use std::cmp::Ordering;
        let mut s = 0.0;
        for (i, a) in k.iter().enumerate() {
            for b in k {
                s = s * 0.5 + match a.cmp(b) { Ordering::Less => 1.0, Ordering::Equal => x[i], Ordering::Greater => -x[i] };
            }
            let o: Ordering = (a % 3, *a).cmp(&(1, 2));
            s += if o.is_le() { 0.25 } else { 4.0 } + (o as i32) as f64 + o.reverse() as i8 as f64;
            let second = x[i].total_cmp(&x[0]);
            s += match o.then(second) { Ordering::Less | Ordering::Equal => 0.125, _ => 3.0 };
            let third = a.cmp(&2).then_with(|| x[i].partial_cmp(&0.5).unwrap_or(Ordering::Less));
            s -= (third == Ordering::Greater) as u8 as f64;
            s += match x[i].partial_cmp(&1.5) { Some(Ordering::Less) => 7.0, Some(_) => 8.0, None => 9.0 };
        }
        s
    }
    with (k = vec![3, -1, 2, 2, 7], x = vec![1.5, -0.0, 0.0, f64::NAN, 0.5]);
    with (k = Vec::<i32>::new(), x = vec![1.0]);

    fn evaluated_in_order(x: f64) -> f64 {
        let mut t = x;
        let o = { t += 1.0; t }.partial_cmp(&{ t *= 2.0; t });
        let p = 1.cmp(&2).then_with(|| { 3.cmp(&1) });
        let mut n = 0;
        let q = 1.cmp(&2).then({ n += 1; n.cmp(&0) });
        t + n as f64 + if o.unwrap().is_lt() { 10.0 } else { 20.0 } + if p.is_lt() && q.is_lt() { 40.0 } else { 80.0 }
    }
    with (x = 1.5);
    with (x = f64::NAN);

    fn sorted_indices(x: &mut [f64], idx: &mut [usize]) {
        idx.sort_by(|&a, &b| x[a].partial_cmp(&x[b]).unwrap());
    }
    with (x = vec![3.0, -1.0, 2.0, 2.0, -1.0, 0.5, 9.0], idx = vec![6usize, 5, 4, 3, 2, 1, 0]);
    with (x = vec![3.0, f64::NAN], idx = vec![1usize, 0]);
    with (x = vec![3.0, f64::NAN], idx = vec![1usize]);
    with (x = vec![3.0], idx = vec![0usize, 1]);
    with (x = Vec::<f64>::new(), idx = Vec::<usize>::new());

    fn sorted_floats(x: &mut [f64], y: &[f64]) -> f64 {
        x.sort_by(|a, b| b.total_cmp(a));
        let mut v = y.to_vec();
        v[1..].sort_unstable_by(f64::total_cmp);
        let mut s = 0.0;
        for a in v { s = s * 0.5 + a; }
        s
    }
    with (x = vec![0.0, -0.0, 1.0, f64::NAN, -f64::NAN, 0.5], y = vec![3.0, 2.0, 1.0, 5.0, 4.0, -1.0, 0.0, 7.0]);
    with (x = vec![1.0], y = vec![3.0]);

    fn sorted_by_keys(k: &[i32], idx: &mut [usize], y: &mut [f64]) -> f64 {
        let mut pairs: Vec<(f64, usize)> = y.iter().copied().zip([2, 1, 2, 1]).collect();
        idx.sort_by_key(|&i| (k[i] % 3, std::cmp::Reverse(k[i])));
        pairs.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.partial_cmp(&a.0).unwrap()));
        for (y, pair) in y.iter_mut().zip(&pairs) { *y = pair.0 + pair.1 as f64; }
        let mut small = [3, 1, 2, -5];
        small.sort();
        let mut unsigned: [u8; 3] = [200, 7, 90];
        unsigned.sort_by_key(|v| std::cmp::Reverse(*v));
        let best = (0..k.len()).max_by(|&a, &b| k[a].abs().cmp(&k[b].abs()).then(b.cmp(&a)));
        let mut s = best.map_or(-1.0, |b| b as f64);
        for v in small { s = s * 10.0 + v as f64; }
        for v in unsigned { s = s * 0.5 + v as f64; }
        s
    }
    with (k = vec![3, -1, 2, 2, 7, 4, -9], idx = vec![0usize, 1, 2, 3, 4, 5, 6], y = vec![1.0, 2.0, 3.0, 0.5]);
}

refused! {
    order_of_structs: "fn f(x: &[f64]) -> f64 { let mut v = x.to_vec(); v.sort(); v[0] }"
        => ["v.sort()", "an order of values of type `f64`"]
    chosen_place: "fn f(x: &mut [f64]) { if let Some(v) = x.iter_mut().find(|v| **v > 1.0) { *v = 0.0; } }"
        => ["x.iter_mut().find(|v| **v > 1.0)", "one of several items of type `&mut f64`"]
}
