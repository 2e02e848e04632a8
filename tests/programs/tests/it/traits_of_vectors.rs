//! Methods that a trait of the module gives vectors, slices and arrays.

use pardiff::differentiate;

#[differentiate(check)]
mod statistics {
    use std::iter::Sum;
    use std::ops::Mul;

    pub trait Statistics {
        type Value;
        fn mean(&self) -> Self::Value;
        fn variance(&self) -> f64;
        fn deviation(&self) -> f64 {
            self.variance().sqrt()
        }
    }

    impl Statistics for Vec<f64> {
        type Value = f64;

        fn mean(&self) -> f64 {
            self.iter().sum::<f64>() / self.len() as f64
        }

        fn variance(&self) -> f64 {
            let mean = self.mean();
            self.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (self.len() as f64 - 1.0)
        }
    }

    pub trait Mapped {
        fn mapped<F: Fn(f64) -> f64>(&self, f: F) -> Self;
        fn zipped<F>(&self, f: F, other: &Self) -> Self
        where
            F: Fn(f64, f64) -> f64;
    }

    impl Mapped for Vec<f64> {
        fn mapped<F: Fn(f64) -> f64>(&self, f: F) -> Vec<f64> {
            let mut v = self.clone();
            v.iter_mut().for_each(|x| *x = f(*x));
            v
        }

        fn zipped<F>(&self, f: F, other: &Vec<f64>) -> Vec<f64>
        where
            F: Fn(f64, f64) -> f64,
        {
            self.iter().zip(other).map(|(x, y)| f(*x, *y)).collect()
        }
    }

    pub trait Norm {
        fn norm(&self) -> f64;
        fn scale(&mut self, by: f64);
        /// Not that of slices, which comes first.
        fn len(&self) -> usize;
    }

    impl Norm for [f64] {
        fn norm(&self) -> f64 {
            self.iter().map(|x| x * x).sum::<f64>().sqrt()
        }

        fn scale(&mut self, by: f64) {
            self.iter_mut().for_each(|x| *x *= by);
        }

        fn len(&self) -> usize {
            0
        }
    }

    pub trait Dot<T> {
        fn dot(&self, other: &Self) -> T;
    }

    impl<T: Copy + Mul<Output = T> + Sum> Dot<T> for Vec<T> {
        fn dot(&self, other: &Vec<T>) -> T {
            self.iter().zip(other).map(|(a, b)| *a * *b).sum()
        }
    }

    pub fn correlation(x: &Vec<f64>, y: &Vec<f64>) -> f64 {
        let (a, b) = (x.mean(), y.mean());
        let sum: f64 = x.iter().zip(y).map(|(x, y)| (x - a) * (y - b)).sum();
        sum / (x.len() as f64 - 1.0) / (x.deviation() * y.deviation())
    }

    pub fn polynomial(c: &[f64], v: Vec<f64>) -> Vec<f64> {
        v.mapped(|t| c[0] + c[1] * t * t)
    }

    pub fn several(v: Vec<f64>, w: &Vec<f64>) -> f64 {
        let mut z = v.zipped(|x, y| x * y.sin(), w);
        z.scale(2.0);
        z.norm() + z[..2].norm() * v.dot(w) * z.len() as f64
    }
}

#[test]
fn methods_of_vectors() {
    let (x, y) = (vec![0.3, 0.7, -0.2], vec![0.1, 0.5, 0.9]);
    statistics::correlation::check(&x, &y).expect("right derivatives");
    statistics::polynomial::check(&[0.3, 0.7], &y).expect("right derivatives");
    statistics::several::check(&x, &y).expect("right derivatives");
    let value = statistics::several::value(&x, &y);
    assert!((value - statistics::several(x.clone(), &y)).abs() < 1e-14);
    assert_eq!(statistics::Norm::len(&x[..]), 0);
}

#[test]
fn methods_of_vectors_have_gradients() {
    let x = vec![0.3, 0.7, -0.2];
    statistics::vec::deviation::check(&x).expect("right derivatives");
    let (value, gradient) = statistics::vec::mean::gradient(&x);
    assert_eq!((value, gradient.this), (statistics::Statistics::mean(&x), vec![1.0 / 3.0; 3]));
}
