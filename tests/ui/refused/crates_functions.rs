use glam::{DVec3, DVec4, Quat, Vec3};
use nalgebra::{Matrix3, RealField, Vector3};
use num_complex::Complex64;
use pardiff::differentiate;

// not in the text
#[differentiate]
fn towards(v: DVec3) -> DVec3 {
    let w = v.rotate_towards(DVec3::X, 0.1);
    w + v
}

#[differentiate]
fn eigenvalues(m: Matrix3<f64>) -> f64 {
    m.symmetric_eigenvalues()[0]
}

#[differentiate]
fn made(v: DVec4) -> DVec3 {
    DVec3::from_homogeneous(v)
}

// operators and conversions that are not known
#[differentiate]
fn remainder(a: Complex64, b: Complex64) -> Complex64 {
    a % b
}

#[differentiate]
fn converted(v: Vec3) -> DVec3 {
    DVec3::from(v)
}

// not on GPUs
#[differentiate(cuda)]
fn turned(q: Quat, k: f32) -> f32 {
    q.x * k
}

// one float where types of crates have type parameters
#[differentiate(with(T = f64, f32))]
fn length<T: RealField + Copy>(v: &Vector3<T>) -> T {
    v.norm()
}

fn main() {}
