use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    struct Part<'a> {
        of: &'a [f64],
        weight: f64,
    }

    pub fn chosen(x: &[f64], y: &[f64], second: bool) -> f64 {
        let (p, q) = (x.to_vec(), y.to_vec());
        let mut pair = (&p[..], 1.0);
        let mut part = Part { of: &p, weight: 1.0 };
        let mut other = Part { of: &q, weight: 3.0 };
        if second {
            pair = (&q[..], 2.0);
            part = Part { of: &q, weight: 2.0 };
            std::mem::swap(&mut part, &mut other);
        }
        pair.0[0] * pair.1 + part.of[0] * part.weight + other.weight
    }
}

fn main() {}
