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
        let mut part = Part { of: &p, weight: 1.0 };
        let mut other = Part { of: &q, weight: 3.0 };
        if second {
            std::mem::swap(&mut part, &mut other);
        }
        part.of[0] * part.weight + other.weight
    }
}

fn main() {}
