//! A hand with the points that it is fitted to, made up in the sizes of ADBench's.

use super::Lcg;
use crate::hand::objective::Bones;

/// A hand model, measured points, and the parameters at which the objectives are evaluated.
pub struct Hand {
    /// The bones at rest.
    pub bones: Bones,
    /// Corners of the skin.
    pub vertices: Vec<[f64; 3]>,
    /// How much each bone moves each corner.
    pub weights: Vec<[f64; 22]>,
    /// Corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Measured points.
    pub points: Vec<[f64; 3]>,
    /// The vertex of each point, for the simple objective.
    pub vertex_of: Vec<u32>,
    /// The triangle of each point, for the complicated objective.
    pub triangle_of: Vec<u32>,
    /// The pose.
    pub theta: [f64; 26],
    /// Where in its triangle each point is.
    pub within: Vec<[f64; 2]>,
}

/// Wrist, five fingers of four bones, forearm.
const PARENT: [i32; 22] = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0];

impl Hand {
    /// A hand of random numbers: so many points, corners of the skin and triangles.
    pub fn generated(points: usize, vertices: usize, triangles: usize) -> Hand {
        let mut random = Lcg(30);
        let rows = |random: &mut Lcg, n: usize| random.floats(3 * n, -1.0, 1.0).as_chunks().0.to_vec();
        let bones = Bones {
            base: transformations(&mut random),
            inverse: transformations(&mut random),
            parent: PARENT,
        };
        let vertex = rows(&mut random, vertices);
        let weights = random.floats(22 * vertices, 0.0, 1.0 / 11.0).as_chunks().0.to_vec();
        let corners = random.indices(3 * triangles, vertices).as_chunks().0.to_vec();
        let measured = rows(&mut random, points);
        let vertex_of = random.indices(points, vertices);
        let triangle_of = random.indices(points, triangles);
        let theta = std::array::from_fn(|_| random.float(-1.0, 1.0));
        let within = random.floats(2 * points, 0.0, 0.5).as_chunks().0.to_vec();
        Hand {
            bones,
            vertices: vertex,
            weights,
            triangles: corners,
            points: measured,
            vertex_of,
            triangle_of,
            theta,
            within,
        }
    }
}

/// One for each bone, not far from the identity.
fn transformations(random: &mut Lcg) -> [[[f64; 4]; 4]; 22] {
    std::array::from_fn(|_| {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let unit = if i == j { 1.0 } else { 0.0 };
                if i < 3 { unit + random.float(-0.2, 0.2) } else { unit }
            })
        })
    })
}
