//! Types with private members in signatures: rotations and motions of `nalgebra`, and vectors of the machine of `glam`.

use glam::{Mat2, Mat4, Quat, Vec2, Vec4};
use nalgebra::{
    Isometry2, Isometry3, Point3, Quaternion, Rotation3, Unit, UnitComplex, UnitQuaternion, Vector2, Vector3,
};
use pardiff::differentiate;

#[differentiate(check, forward, hvp, batch(4), split)]
pub fn turned(by: &UnitQuaternion<f64>, at: Vector3<f64>) -> Vector3<f64> {
    by * at
}

#[differentiate(check, forward, hvp, batch(4), split)]
pub fn misfit(pose: &Isometry3<f64>, from: &[Point3<f64>], to: &[Point3<f64>]) -> f64 {
    let mut sum = 0.0;
    for i in 0..from.len() {
        sum += (pose * from[i] - to[i]).norm_squared();
    }
    sum
}

#[differentiate(check, forward, split)]
pub fn composed(a: Isometry3<f64>, b: &Isometry3<f64>) -> Isometry3<f64> {
    a * b
}

#[differentiate(check, forward, batch(2))]
pub fn heading(
    of: &[Isometry2<f64>],
    turn: UnitComplex<f64>,
    along: &Unit<Vector2<f64>>,
) -> (Vector2<f64>, UnitComplex<f64>) {
    let mut sum = Vector2::zeros();
    for pose in of {
        sum += pose.rotation * turn * along.into_inner() + pose.translation.vector;
    }
    (sum, of[0].rotation * turn)
}

#[differentiate]
pub mod spacecraft {
    use super::*;

    pub struct Body {
        pub attitude: UnitQuaternion<f64>,
        pub rate: Vector3<f64>,
        pub mounting: Rotation3<f64>,
    }

    pub struct Chain {
        pub joints: Vec<UnitQuaternion<f64>>,
        pub links: Vec<f64>,
        pub base: Isometry3<f64>,
    }

    #[differentiate(check, forward, hvp)]
    pub fn step(body: &mut Body, torque: &Vector3<f64>, dt: f64) {
        body.rate += torque * dt;
        body.attitude *= UnitQuaternion::from_scaled_axis(body.rate * dt);
    }

    #[differentiate(check, forward, batch(4))]
    pub fn pointing(bodies: &[Body], at: &Vector3<f64>) -> f64 {
        let mut sum = 0.0;
        for body in bodies {
            sum += (body.attitude * at).dot(&(body.mounting * at));
        }
        sum
    }

    #[differentiate(check, forward)]
    pub fn tip(chain: &Chain) -> Point3<f64> {
        let mut at = Point3::origin();
        for i in (0..chain.joints.len()).rev() {
            at = Point3::from(chain.joints[i] * (at.coords + Vector3::new(chain.links[i], 0.0, 0.0)));
        }
        chain.base * at
    }

    #[differentiate(check)]
    pub fn relax(chain: &mut Chain, by: f64) {
        for i in 0..chain.joints.len() {
            chain.joints[i] = chain.joints[i].slerp(&UnitQuaternion::identity(), by);
            chain.links[i] *= 1.0 - by;
        }
    }
}

#[differentiate(check, forward, batch(4))]
pub fn seen(q: Quat, v: &mut [Vec4], m: &Mat4, flat: Mat2) -> (f32, Vec4) {
    let mut sum = 0.0;
    for i in 0..v.len() {
        v[i] = *m * v[i];
        sum += v[i].dot(v[i]) + (q * v[i].truncate()).x + (flat * Vec2::new(v[i].x, v[i].y)).y;
    }
    (sum, m.x_axis * sum)
}

fn motion() -> Isometry3<f64> {
    Isometry3::new(Vector3::new(0.3, -0.2, 0.9), Vector3::new(0.4, 0.1, -0.7))
}

fn rotation() -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.5, -0.2))
}

fn points() -> Vec<Point3<f64>> {
    (0..5).map(f64::from).map(|x| Point3::new(x * 0.3, 1.0 - x, x.sin())).collect()
}

macro_rules! checks {
    ($($check:expr),+) => { $($check.unwrap_or_else(|mismatch| panic!("{mismatch}"));)+ };
}

#[test]
fn derivatives_are_right() {
    let (q, from) = (rotation(), points());
    let to: Vec<Point3<f64>> = from.iter().map(|p| p + Vector3::new(0.1, 0.2, 0.3)).collect();
    let mut body =
        spacecraft::Body { attitude: q, rate: Vector3::new(0.1, 0.2, 0.3), mounting: q.to_rotation_matrix() };
    let mut chain =
        spacecraft::Chain { joints: vec![q, q.inverse(), q * q], links: vec![1.0, 0.8, 0.5], base: motion() };
    let poses: Vec<Isometry2<f64>> =
        (0..3).map(|i| Isometry2::new(Vector2::new(0.3, f64::from(i)), 0.4 + f64::from(i))).collect();
    let at = Vector3::new(1.0, 0.3, 0.1);
    let m = Mat4::from_scale_rotation_translation(
        glam::Vec3::new(1.0, 2.0, 0.5),
        Quat::from_rotation_x(0.3),
        glam::Vec3::ONE,
    );
    let mut v: Vec<Vec4> = [0.0, 1.0, 2.0].map(|x| Vec4::new(1.0, x, 0.5, 0.2)).to_vec();
    checks!(
        turned::check(&q, at),
        misfit::check(&motion(), &from, &to),
        composed::check(motion(), &motion().inverse()),
        heading::check(&poses, UnitComplex::new(0.3), &Unit::new_normalize(Vector2::new(1.0, 2.0))),
        spacecraft::step::check(&mut body, &at, 0.01),
        spacecraft::tip::check(&chain),
        spacecraft::relax::check(&mut chain, 0.2),
        spacecraft::pointing::check(&[body], &at),
        seen::check(Quat::from_rotation_y(0.7), &mut v, &m, Mat2::from_angle(0.3))
    );
}

/// The derivative along a turn about an axis is that of the four numbers.
#[test]
fn an_adjoint_is_of_the_four_numbers() {
    let (pose, from, h) = (motion(), points(), 1e-6);
    let to: Vec<Point3<f64>> = from.iter().map(|p| p + Vector3::new(0.1, 0.2, 0.3)).collect();
    let (_, gradient) = misfit::gradient(&pose, &from, &to);
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        let turned =
            |angle: f64| Isometry3 { rotation: UnitQuaternion::new(axis * angle) * pose.rotation, ..pose };
        let difference = (misfit(&turned(h), &from, &to) - misfit(&turned(-h), &from, &to)) / (2.0 * h);
        // d/dt exp(t axis / 2) q
        let along = Quaternion::from_imag(axis * 0.5) * pose.rotation.into_inner();
        let derivative = gradient.pose.rotation.coords.dot(&along.coords);
        assert!(
            (difference - derivative).abs() < 1e-7 * difference.abs().max(1.0),
            "{difference} {derivative}"
        );
    }
}

#[test]
fn a_seed_of_one_tape_is_of_the_type_that_is_returned() {
    let (a, b) = (motion(), motion().inverse());
    let mut tape = composed::Tape::default();
    let value = composed::forward(a, &b, &mut tape);
    assert_eq!(value, composed(a, &b));
    let seed = Isometry3 { translation: nalgebra::Translation3::new(1.0, 0.0, 0.0), ..motion() };
    let (mut d_a, mut d_b, mut e_a, mut e_b) = (motion(), motion(), motion(), motion());
    composed::backward(a, &mut d_a, &b, &mut d_b, &tape, seed);
    composed::vjp(a, &mut e_a, &b, &mut e_b, seed);
    assert_eq!((d_a, d_b), (e_a, e_b));
}
