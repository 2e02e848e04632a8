//! Hands and the points that they are fitted to.

use super::shapes::{Array, Rows, Shape};
use super::{Constants, Workload, numbers};
use crate::data::hand::Hand;
use crate::hand::objective::{complicated, simple};

/// Points with known vertices.
pub(super) struct Simple(Hand);

impl Simple {
    /// `100x544` is 100 points and 544 corners of the skin.
    pub(super) fn load(case: &str) -> Option<Simple> {
        let [points, vertices] = numbers(case)?;
        Some(Simple(Hand::generated(points, vertices, 2 * vertices)))
    }
}

/// What a hand is besides its pose.
fn constants(hand: &Hand) -> Constants {
    Constants {
        sizes: vec![],
        indices: vec![hand.triangles.concat(), hand.vertex_of.clone(), hand.triangle_of.clone()],
        floats: vec![
            hand.bones.base.as_flattened().concat(),
            hand.bones.inverse.as_flattened().concat(),
            hand.vertices.concat(),
            hand.weights.concat(),
            hand.points.concat(),
        ],
    }
}

/// Operations of one corner of the skin.
const SKIN: usize = 22 * 60;

impl Workload for Simple {
    fn parameters(&self) -> Vec<f64> {
        self.0.theta.to_vec()
    }

    super::entry_points! {
        self: simple(
            theta: Array<26> = 26;
            &self.0.bones, &self.0.vertices, &self.0.weights, &self.0.points, &self.0.vertex_of
        )
    }

    fn constants(&self) -> Constants {
        constants(&self.0)
    }

    fn operations(&self) -> f64 {
        (SKIN * self.0.points.len()) as f64
    }
}

/// Points that lie in triangles.
pub(super) struct Complicated(Hand);

impl Complicated {
    /// `100x544` is 100 points and 544 corners of the skin.
    pub(super) fn load(case: &str) -> Option<Complicated> {
        Some(Complicated(Simple::load(case)?.0))
    }
}

impl Workload for Complicated {
    fn parameters(&self) -> Vec<f64> {
        [self.0.theta.as_slice(), self.0.within.as_flattened()].concat()
    }

    super::entry_points! {
        self: complicated(
            theta: Array<26> = 26, within: Rows<2> = 2 * self.0.within.len();
            &self.0.bones, &self.0.vertices, &self.0.weights, &self.0.triangles, &self.0.points, &self.0.triangle_of
        )
    }

    fn constants(&self) -> Constants {
        constants(&self.0)
    }

    fn operations(&self) -> f64 {
        (SKIN * self.0.vertices.len() + 60 * self.0.points.len()) as f64
    }
}
