// What is written, and which of two arrays a slice is of, is known only at run time.
use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    struct Part<'a> {
        of: &'a [f64],
        weight: f64,
    }

    pub fn arrays(x: &[f64], y: &[f64], second: bool) -> f64 {
        let (p, q) = (x.to_vec(), y.to_vec());
        let mut pair = (&p[..], 1.0);
        let mut part = Part { of: &p, weight: 1.0 };
        let mut rest = x;
        if second {
            pair = (&q[..], 2.0);
            part = Part { of: &q, weight: 2.0 };
            rest = &y[1..];
        }
        pair.0[0] * pair.1 + part.of[0] * part.weight + rest[0]
    }

    pub fn places(x: &[f64]) -> f64 {
        let (mut a, mut b) = (x[0], x[1]);
        let mut at = &mut a;
        *at += 1.0;
        at = &mut b;
        *at *= 2.0;
        a * b
    }

    pub fn fields(x: &[f64]) -> f64 {
        let mut part = Part { of: x, weight: 1.0 };
        part.of = &x[1..];
        part.of[0] * part.weight
    }
}

fn main() {}
