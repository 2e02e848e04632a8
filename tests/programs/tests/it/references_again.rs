//! References that are assigned again: copies of numbers, and parts that move along an array.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod numbers {
    pub fn two_least(x: &[f64]) -> f64 {
        let mut least = &x[0];
        let mut second = least;
        for v in &x[1..] {
            if v < least {
                second = least;
                least = v;
            }
        }
        least * least + 3.0 * second.sin() * least
    }

    #[derive(Clone, Copy)]
    pub struct Node {
        pub v: f64,
        pub w: f64,
        pub next: usize,
    }

    pub fn list(x: &[f64], next: &[usize]) -> f64 {
        let nodes: Vec<Node> = x.iter().zip(next).map(|(v, n)| Node { v: *v, w: v * v, next: *n }).collect();
        let mut node = &nodes[0];
        let mut worst = node;
        let mut sum = 0.0;
        for k in 0..7 {
            sum += node.v * node.w * (k + 1) as f64;
            node = &nodes[node.next];
            if node.v.abs() > worst.v.abs() {
                worst = node;
            }
        }
        sum + worst.w.sin()
    }

    pub fn options(x: &[f64], width: usize) -> f64 {
        let mut best: Option<(usize, &f64)> = None;
        for (i, v) in x.iter().enumerate() {
            match best {
                Some((_, b)) if b >= v => {}
                _ => best = Some((i, v)),
            }
        }
        let mut above: Option<&[f64]> = None;
        let mut sum = 0.0;
        for row in x.chunks(width) {
            if let Some(above) = above {
                sum += row.iter().zip(above).map(|(a, b)| a * b).sum::<f64>();
            }
            if row[0] > -0.5 {
                above = Some(row);
            }
        }
        sum + best.map_or(0.0, |(i, v)| v * v * i as f64)
    }

    pub struct Pair<'a> {
        pub of: &'a f64,
        pub k: usize,
    }

    pub fn members(x: &[f64]) -> f64 {
        let mut pair = Pair { of: &x[0], k: 1 };
        let (mut a, mut b) = (&x[0], &x[1]);
        let mut sum = 0.0;
        for (k, v) in x.iter().enumerate() {
            if v > pair.of {
                pair = Pair { of: v, k };
            }
            sum += a * b * pair.of * pair.k as f64;
            (a, b) = (b, v);
        }
        sum
    }

    pub fn later(x: &[f64], second: bool) -> f64 {
        let mut of: &f64;
        if second {
            of = &x[1];
        } else {
            of = &x[2];
        }
        let before = of;
        of = &x[0];
        before * before + of
    }
}

const X: [f64; 7] = [0.4, -0.3, 0.9, -0.7, 0.2, 0.6, -0.1];

#[test]
fn a_reference_to_numbers_is_a_copy() {
    numbers::two_least::check(&X).unwrap();
    numbers::list::check(&X[..5], &[3, 0, 4, 2, 1]).unwrap();
    numbers::options::check(&X, 3).unwrap();
    numbers::members::check(&X).unwrap();
    numbers::later::check(&X[..3], true).unwrap();
    numbers::later::check(&X[..3], false).unwrap();
    let (value, of) = numbers::two_least::gradient(&X);
    let (sine, cosine) = f64::sin_cos(-0.3);
    let expected = [0.49 - 2.1 * sine, -2.1 * cosine, -1.4 + 3.0 * sine];
    for (found, expected) in [value, of.x[1], of.x[3]].into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-14, "{found} instead of {expected}");
    }
}

#[differentiate(check, forward)]
mod parts {
    pub fn pairs(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        let mut rest = x;
        while let [a, b, tail @ ..] = rest {
            sum += a * b + (a - b).powi(2);
            rest = tail;
        }
        if let [only] = rest {
            sum += only.exp();
        }
        sum
    }

    pub fn both_ends(x: &[f64]) -> f64 {
        let mut part = x;
        let mut sum = 0.0;
        loop {
            match part {
                [a, inner @ .., b] => {
                    sum += a * b * (inner.len() + 1) as f64;
                    part = inner;
                }
                [a] => break sum + a * a * a,
                [] => break sum * 2.0,
            }
        }
    }

    fn mean(mut of: &[f64], skip: usize) -> f64 {
        if of.len() > skip {
            of = &of[skip..];
        }
        of.iter().sum::<f64>() / of.len() as f64
    }

    pub fn of_blocks(mut x: &[f64], sizes: &[usize]) -> f64 {
        let mut sum = 0.0;
        for (i, &size) in sizes.iter().enumerate() {
            let before = x;
            let (block, tail) = x.split_at(size);
            x = if tail.len() > 4 { &tail[1..] } else { tail };
            let of = mean(before, size);
            sum += block.iter().map(|v| (v - of) * (v - of)).sum::<f64>() * (i + 1) as f64;
        }
        sum + x.iter().product::<f64>()
    }

    pub fn merged(x: &[f64], n: usize) -> f64 {
        let (mut a, mut b) = x.split_at(n);
        let mut sum = 0.0;
        while !a.is_empty() && !b.is_empty() {
            if a[0] < b[0] {
                sum += a[0] * b[0];
                a = &a[1..];
            } else {
                sum += a[0] - b[0] * b[0];
                b = &b[1..];
            }
        }
        // the loop goes over what the name was
        for v in a {
            a = &a[1..];
            sum += v * v * (a.len() + 1) as f64;
        }
        sum + b.iter().map(|v| v.sin()).sum::<f64>()
    }

    pub fn in_place(x: &[f64], n: usize) -> f64 {
        let mut v = x.to_vec();
        let mut rest: &mut [f64] = &mut v;
        let mut carry = 0.5;
        while rest.len() > n {
            let all = rest;
            let (head, tail) = all.split_at_mut(n);
            for h in head.iter_mut() {
                *h = *h * carry + tail[0];
                carry = *h;
            }
            tail[0] += carry * 0.1;
            rest = tail;
        }
        v.iter().enumerate().map(|(i, t)| t * t * (i + 1) as f64).sum()
    }

    pub fn taken(x: &[f64], n: usize) -> f64 {
        let mut v = x.to_vec();
        let mut rest = &mut v[..];
        let mut sum = 0.0;
        while rest.len() > n {
            let (head, tail) = std::mem::take(&mut rest).split_at_mut(n);
            head[0] *= 2.0 + tail[0];
            sum += head[0] * (rest.len() + tail.len()) as f64;
            rest = tail;
        }
        let mut read = x;
        let all = std::mem::replace(&mut read, &x[1..]);
        let last = std::mem::take(&mut read);
        sum * all[0] + last.len() as f64 * last[0] + read.len() as f64 + v.iter().sum::<f64>()
    }

    pub fn of_each_row(x: &[f64], m: usize) -> f64 {
        let n = x.len() / m;
        let mut out = vec![0.0; n];
        for i in 0..n {
            let mut rest = &x[i * m..(i + 1) * m];
            let mut best = &rest[0];
            while !rest.is_empty() {
                let (head, tail) = rest.split_at(2.min(rest.len()));
                if head[0] > *best {
                    best = &head[0];
                }
                out[i] += head.iter().sum::<f64>() * best;
                rest = tail;
            }
        }
        out.iter().map(|v| v * v).sum()
    }
}

#[test]
fn a_part_moves_along_its_array() {
    parts::pairs::check(&X).unwrap();
    parts::pairs::check(&X[..6]).unwrap();
    parts::both_ends::check(&X).unwrap();
    parts::both_ends::check(&X[..6]).unwrap();
    parts::of_blocks::check(&X, &[2, 0, 3]).unwrap();
    parts::merged::check(&X, 3).unwrap();
    parts::merged::check(&X, 5).unwrap();
    parts::in_place::check(&X, 2).unwrap();
    parts::taken::check(&X, 2).unwrap();
    parts::of_each_row::check(&X[..6], 3).unwrap();
    assert_eq!(parts::both_ends(&[0.4, 1.0, 1.0, -0.3]), 2.0 * (0.4 * -0.3 * 3.0 + 1.0));
}
