//! Steps of Newton's method: conjugate gradients for the system, damping for the length.

/// The product of a matrix with a vector.
pub type Product<'a> = Box<dyn Fn(&[f64]) -> Vec<f64> + 'a>;

/// A model of a function about a point.
pub struct Model<'a> {
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// The diagonal of the Hessian, or of what stands for it.
    pub diagonal: Vec<f64>,
    /// The product of the Hessian, or of what stands for it, with a vector.
    pub product: Product<'a>,
}

/// The minimum of a function by damped steps (Levenberg, Marquardt), with its value at the start and after each of
/// them. Ends where the value changes by less than `tolerance`, relative, or after so many `iterations`.
pub fn minimise<'a>(
    value: impl Fn(&[f64]) -> f64,
    model: impl Fn(&[f64]) -> Model<'a>,
    start: Vec<f64>,
    tolerance: f64,
    iterations: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut values, mut damping) = (start, Vec::new(), 1e-4);
    values.push(value(&x));
    for _ in 0..iterations {
        let now = values[values.len() - 1];
        let Model { gradient, diagonal, product } = model(&x);
        let taken = (0..20).find_map(|_| {
            let weights: Vec<f64> = diagonal.iter().map(|d| damping * d.abs().max(1e-12)).collect();
            let damped = |v: &[f64]| -> Vec<f64> {
                product(v).iter().zip(v).zip(&weights).map(|((p, v), w)| p + w * v).collect()
            };
            let preconditioner: Vec<f64> = diagonal.iter().zip(&weights).map(|(d, w)| d.abs() + w).collect();
            let step = conjugate_gradients(damped, &preconditioner, &gradient);
            let next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x - s).collect();
            let after = value(&next);
            // a value that is not a number is not smaller
            let is_smaller = after < now;
            damping *= if is_smaller { 0.2 } else { 8.0 };
            is_smaller.then_some((next, after))
        });
        let Some((next, after)) = taken else { break };
        x = next;
        values.push(after);
        if now - after < tolerance * now.abs() {
            break;
        }
    }
    (x, values)
}

/// `x` of `A x = b` to a thousandth, for a positive matrix that is near a diagonal one; where the matrix turns out
/// not to be positive, what was found before that.
fn conjugate_gradients(product: impl Fn(&[f64]) -> Vec<f64>, diagonal: &[f64], b: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let solved = |r: &[f64]| -> Vec<f64> { r.iter().zip(diagonal).map(|(r, d)| r / d).collect() };
    let (mut x, mut r) = (vec![0.0; b.len()], b.to_vec());
    let mut z = solved(&r);
    let (mut direction, mut rz) = (z.clone(), dot(&r, &z));
    let enough = 1e-6 * rz;
    for round in 0..2 * b.len() {
        let a_direction = product(&direction);
        let curvature = dot(&direction, &a_direction);
        // downhill without end: the first direction is that of the gradient
        if curvature <= 0.0 {
            return if round == 0 { direction } else { x };
        }
        let alpha = rz / curvature;
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x += alpha * d);
        r.iter_mut().zip(&a_direction).for_each(|(r, d)| *r -= alpha * d);
        z = solved(&r);
        let next = dot(&r, &z);
        if next <= enough {
            break;
        }
        direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + next / rz * *d);
        rz = next;
    }
    x
}
