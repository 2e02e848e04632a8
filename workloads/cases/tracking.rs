//! Hands and the points that they are fitted to.

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

    fn primal(&self, p: &[f64]) -> f64 {
        let Hand { bones, vertices, weights, points, vertex_of, .. } = &self.0;
        simple(&p.as_chunks().0[0], bones, vertices, weights, points, vertex_of)
    }

    fn value(&self, p: &[f64]) -> f64 {
        let Hand { bones, vertices, weights, points, vertex_of, .. } = &self.0;
        simple::value(&p.as_chunks().0[0], bones, vertices, weights, points, vertex_of)
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let Hand { bones, vertices, weights, points, vertex_of, .. } = &self.0;
        let (theta, d_theta) = (&p.as_chunks().0[0], &mut g.as_chunks_mut().0[0]);
        simple::grad(theta, d_theta, bones, vertices, weights, points, vertex_of)
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let Hand { bones, vertices, weights, points, vertex_of, .. } = &self.0;
        let (theta, d_theta) = (&p.as_chunks().0[0], &mut g.as_chunks_mut().0[0]);
        simple::grad_into(theta, d_theta, bones, vertices, weights, points, vertex_of)
    }

    fn plan(&self) -> &'static str {
        simple::DECISIONS
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

/// The call of a gradient.
macro_rules! adjoint {
    ($function:path, $this:ident, $p:ident, $g:ident) => {{
        let Hand { bones, vertices, weights, triangles, points, triangle_of, .. } = &$this.0;
        let (theta, within) = $p.split_first_chunk().expect("a pose");
        let (d_theta, d_within) = $g.split_first_chunk_mut().expect("a pose");
        $function(
            theta,
            d_theta,
            within.as_chunks().0,
            d_within.as_chunks_mut().0,
            bones,
            vertices,
            weights,
            triangles,
            points,
            triangle_of,
        )
    }};
}

impl Workload for Complicated {
    fn parameters(&self) -> Vec<f64> {
        [self.0.theta.as_slice(), self.0.within.as_flattened()].concat()
    }

    fn primal(&self, p: &[f64]) -> f64 {
        let Hand { bones, vertices, weights, triangles, points, triangle_of, .. } = &self.0;
        let (theta, within) = p.split_first_chunk().expect("a pose");
        complicated(theta, within.as_chunks().0, bones, vertices, weights, triangles, points, triangle_of)
    }

    fn value(&self, p: &[f64]) -> f64 {
        let Hand { bones, vertices, weights, triangles, points, triangle_of, .. } = &self.0;
        let (theta, within) = p.split_first_chunk().expect("a pose");
        complicated::value(
            theta,
            within.as_chunks().0,
            bones,
            vertices,
            weights,
            triangles,
            points,
            triangle_of,
        )
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        adjoint!(complicated::grad, self, p, g)
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        adjoint!(complicated::grad_into, self, p, g)
    }

    fn plan(&self) -> &'static str {
        complicated::DECISIONS
    }

    fn constants(&self) -> Constants {
        constants(&self.0)
    }

    fn operations(&self) -> f64 {
        (SKIN * self.0.vertices.len() + 60 * self.0.points.len()) as f64
    }
}
