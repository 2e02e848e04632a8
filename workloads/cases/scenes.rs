//! Bundle adjustment.

use super::shapes::{Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::ba::ba;
use crate::data::adbench::{Bundle, find};
use crate::data::directory;

/// Cameras, points and weights of a scene.
pub(super) struct Adjustment {
    bundle: Bundle,
    substitute: bool,
}

impl Adjustment {
    /// `ba1` is ADBench's file, or made up with its sizes; `7x50x333` is made up.
    pub(super) fn load(case: &str) -> Option<Adjustment> {
        if let Some([n, m, p]) = numbers(case) {
            return Some(Adjustment { bundle: Bundle::generated(n, m, p), substitute: false });
        }
        let file = directory().and_then(|path| find(&path.join("adbench/ba"), case));
        if let Some(bundle) = file.and_then(|path| Bundle::read(&path)) {
            return Some(Adjustment { bundle, substitute: false });
        }
        let (n, m, p) = match case {
            "ba1" => (49, 7776, 31843),
            "ba3" => (161, 48126, 182_072),
            _ => return None,
        };
        Some(Adjustment { bundle: Bundle::generated(n, m, p), substitute: true })
    }
}

impl Workload for Adjustment {
    fn parameters(&self) -> Vec<f64> {
        [self.bundle.cameras.as_slice(), &self.bundle.points, &self.bundle.weights].concat()
    }

    super::entry_points! {
        self: ba(
            cameras: Slice = self.bundle.cameras.len(),
            points: Slice = self.bundle.points.len(),
            weights: Slice = self.bundle.weights.len();
            &self.bundle.features, &self.bundle.camera_of, &self.bundle.point_of
        )
    }

    fn constants(&self) -> Constants {
        let Bundle { cameras, points, weights, features, camera_of, point_of } = &self.bundle;
        Constants {
            sizes: vec![cameras.len() / 11, points.len() / 3, weights.len()],
            indices: vec![camera_of.clone(), point_of.clone()],
            floats: vec![features.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (150 * self.bundle.weights.len()) as f64
    }

    fn is_substitute(&self) -> bool {
        self.substitute
    }
}
