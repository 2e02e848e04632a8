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

#[differentiate(check)]
mod quaternions {
    use num_traits::Float;

    pub type Vector<T> = [T; 3];
    pub type Quaternion<T> = (T, Vector<T>);

    pub trait Linear<T>: Copy {
        fn scaled(self, by: T) -> Self;
        fn dot(self, other: Self) -> T;
        fn squared(self) -> T {
            self.dot(self)
        }
    }

    impl<T: Float> Linear<T> for Vector<T> {
        fn scaled(self, by: T) -> Vector<T> {
            [by * self[0], by * self[1], by * self[2]]
        }

        fn dot(self, other: Vector<T>) -> T {
            self[0] * other[0] + self[1] * other[1] + self[2] * other[2]
        }
    }

    impl<T: Float> Linear<T> for Quaternion<T> {
        fn scaled(self, by: T) -> Quaternion<T> {
            (by * self.0, self.1.scaled(by))
        }

        fn dot(self, other: Quaternion<T>) -> T {
            self.0 * other.0 + self.1.dot(other.1)
        }
    }

    fn dot<T, U: Linear<T>>(a: U, b: U) -> T {
        a.dot(b)
    }

    pub fn normalized<T: Float>(q: Quaternion<T>) -> Quaternion<T> {
        q.scaled(dot(q, q).sqrt().recip())
    }

    pub fn angle<T: Float>(a: Quaternion<T>, b: Quaternion<T>) -> T {
        dot(a, b) / (a.squared() * dot(b.1, b.1)).sqrt()
    }
}

#[test]
fn methods_of_arrays_and_of_tuples() {
    let (a, b) = ((0.4, [0.3, -0.7, 0.2]), (0.9, [0.1, 0.5, 0.9]));
    quaternions::normalized::check(a).expect("right derivatives");
    quaternions::angle::check(a, b).expect("right derivatives");
    assert_eq!(quaternions::angle::gradient(a, b).0, quaternions::angle(a, b));
}
