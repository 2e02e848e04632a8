//! Volumes, lengths and derivatives of hexahedra with eight corners.

#[cfg(feature = "export")]
use pardiff::differentiate;

/// Vectors of three numbers, and elements given by the places of their corners.
#[cfg_attr(feature = "export", differentiate(export = "only"))]
pub mod hexahedron {
    /// For each corner, the corners on whose place the derivative of the volume by its place depends.
    const AROUND: [[usize; 6]; 8] = [
        [1, 2, 3, 4, 5, 7],
        [2, 3, 0, 5, 6, 4],
        [3, 0, 1, 6, 7, 5],
        [0, 1, 2, 7, 4, 6],
        [7, 6, 5, 0, 3, 1],
        [4, 7, 6, 1, 0, 2],
        [5, 4, 7, 2, 1, 3],
        [6, 5, 4, 3, 2, 0],
    ];

    /// The cross product.
    pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    /// The scalar product.
    pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// The sum.
    pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    }

    /// The difference.
    pub fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    /// The product with a number.
    pub fn scaled(s: f64, a: [f64; 3]) -> [f64; 3] {
        [s * a[0], s * a[1], s * a[2]]
    }

    /// The values of a field at the corners of an element.
    pub fn gathered(field: &[[f64; 3]], corners: &[usize; 8]) -> [[f64; 3]; 8] {
        let mut all = [[0.0; 3]; 8];
        for c in 0..8 {
            all[c] = field[corners[c]];
        }
        all
    }

    /// The volume of a hexahedron.
    pub fn volume_of(p: &[[f64; 3]; 8]) -> f64 {
        let a = add(sub(p[3], p[1]), sub(p[7], p[2]));
        let b = add(sub(p[4], p[3]), sub(p[5], p[7]));
        let c = add(sub(p[1], p[4]), sub(p[2], p[5]));
        (dot(a, cross(sub(p[6], p[3]), sub(p[2], p[0])))
            + dot(b, cross(sub(p[6], p[4]), sub(p[7], p[0])))
            + dot(c, cross(sub(p[6], p[1]), sub(p[5], p[0]))))
            / 12.0
    }

    /// The derivatives of the shape functions at the centre, by the first four corners (those of the corners across
    /// are the negatives), and the volume that belongs to them.
    pub fn shape_derivatives(p: &[[f64; 3]; 8]) -> ([[f64; 3]; 4], f64) {
        let (a, b, c, d) = (sub(p[6], p[0]), sub(p[5], p[3]), sub(p[7], p[1]), sub(p[4], p[2]));
        let xi = scaled(0.125, sub(sub(add(a, b), c), d));
        let eta = scaled(0.125, sub(add(sub(a, b), c), d));
        let zeta = scaled(0.125, add(add(add(a, b), c), d));
        let (by_xi, by_eta, by_zeta) = (cross(eta, zeta), cross(zeta, xi), cross(xi, eta));
        let mut by = [[0.0; 3]; 4];
        for k in 0..3 {
            by[0][k] = -by_xi[k] - by_eta[k] - by_zeta[k];
            by[1][k] = by_xi[k] - by_eta[k] - by_zeta[k];
            by[2][k] = by_xi[k] + by_eta[k] - by_zeta[k];
            by[3][k] = -by_xi[k] + by_eta[k] - by_zeta[k];
        }
        (by, 8.0 * dot(eta, by_eta))
    }

    /// The length that sound has to cross: the volume over the largest face.
    pub fn characteristic_length(p: &[[f64; 3]; 8], volume: f64) -> f64 {
        let mut largest = 0.0;
        for face in [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]] {
            let (a, b) = (sub(p[face[2]], p[face[0]]), sub(p[face[3]], p[face[1]]));
            let (f, g) = (sub(a, b), add(a, b));
            let area = dot(f, f) * dot(g, g) - dot(f, g) * dot(f, g);
            if area > largest {
                largest = area;
            }
        }
        4.0 * volume / largest.sqrt()
    }

    /// The derivatives of the volume by the places of the corners.
    pub fn volume_by_place(p: &[[f64; 3]; 8]) -> [[f64; 3]; 8] {
        let mut by_place = [[0.0; 3]; 8];
        for c in 0..8 {
            let [a, b, d, e, f, g] = AROUND[c];
            let first = cross(add(p[b], p[d]), add(p[a], p[b]));
            let second = cross(add(p[a], p[f]), add(p[e], p[f]));
            let third = cross(add(p[e], p[g]), add(p[d], p[g]));
            by_place[c] = scaled(1.0 / 12.0, add(add(first, second), third));
        }
        by_place
    }
}
