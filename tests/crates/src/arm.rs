//! A robot's arm that reaches for points: a least-squares problem in its angles.

use nalgebra::{Matrix3, Point3, Vector3};
use pardiff::differentiate;
use pardiff_robot::{Joint, joint, rodrigues};

/// Where the hand of the arm is.
#[differentiate(export, check, forward, uses(Joint, joint))]
pub fn hand(joints: &[Joint], angles: &[f64]) -> Vector3<f64> {
    let (mut at, mut turned) = (Vector3::zeros(), Matrix3::identity());
    for (joint, angle) in joints.iter().zip(angles) {
        (at, turned) = joint.moved(*angle, &at, &turned);
    }
    at
}

/// How far the hand is from a target, and how strained the joints are.
#[differentiate(check, forward, hvp, wrt(angles), uses(Joint, joint, hand))]
pub fn loss(joints: &[Joint], angles: &[f64], target: &Point3<f64>) -> f64 {
    let miss = Point3::from(hand(joints, angles)) - target;
    let strain: f64 = joints.iter().zip(angles).map(|(joint, angle)| joint.strain(*angle)).sum();
    miss.norm_squared() + 1e-6 * strain
}

/// A direction that is turned.
#[differentiate(check, uses(rodrigues))]
pub fn turned(axis: Vector3<f64>, angle: f64, v: Vector3<f64>) -> Vector3<f64> {
    rodrigues(&axis.normalize(), angle) * v
}
