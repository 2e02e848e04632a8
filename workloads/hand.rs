//! Hand tracking as ADBench defines it: how far a posed hand is from measured points.

use pardiff::differentiate;

/// The objectives: `simple`, where the vertex that belongs to each point is known, and `complicated`, where points lie in
/// triangles.
///
/// `theta` has 26 numbers: the rotation of the hand (axis times angle), its translation, and for each of five fingers two
/// angles of its first joint (bending, spreading) and one of each of the two others. `vertices` are the corners of the
/// skin, and `weights` has a row for each of them: how much each bone moves it.
#[differentiate]
pub mod objective {
    /// The 22 bones of a hand at rest.
    pub struct Bones {
        /// Where a bone is relative to its parent: a transformation, by rows.
        pub base: [[[f64; 4]; 4]; 22],
        /// The transformation from the model to the bone.
        pub inverse: [[[f64; 4]; 4]; 22],
        /// An earlier bone, or -1.
        pub parent: [i32; 22],
    }

    /// How a posed hand moves its skin.
    pub struct Pose {
        moving: [[[f64; 4]; 4]; 22],
        turn: [[f64; 3]; 3],
        shift: [f64; 3],
    }

    /// The product of two transformations.
    fn product(a: &[[f64; 4]; 4], b: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
        let mut c = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                for k in 0..4 {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        c
    }

    /// What a pose does to the bones.
    pub fn pose(theta: &[f64; 26], bones: &Bones) -> Pose {
        // the angles of the bones: the wrist, the forearm and the first bone of each finger have none
        let mut angles = [[0.0; 3]; 22];
        let mut next = 6;
        for finger in 0..5 {
            for joint in 0..3 {
                let bone = 2 + 4 * finger + joint;
                angles[bone][0] = theta[next];
                next += 1;
                if joint == 0 {
                    angles[bone][1] = theta[next];
                    next += 1;
                }
            }
        }

        // where the bones are, and how they move the skin
        let mut absolute = [[[0.0; 4]; 4]; 22];
        let mut moving = [[[0.0; 4]; 4]; 22];
        for bone in 0..22 {
            let (sx, cx) = angles[bone][0].sin_cos();
            let (sy, cy) = angles[bone][2].sin_cos();
            let (sz, cz) = angles[bone][1].sin_cos();
            let turn = [
                [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0.0],
                [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0.0],
                [-sy, cy * sx, cy * cx, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ];
            let relative = product(&bones.base[bone], &turn);
            absolute[bone] = if bones.parent[bone] < 0 {
                relative
            } else {
                product(&absolute[bones.parent[bone] as usize], &relative)
            };
            moving[bone] = product(&absolute[bone], &bones.inverse[bone]);
        }

        // how the whole hand is turned
        let square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
        let mut turn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if square > 1e-8 {
            let angle = square.sqrt();
            let axis = [theta[0] / angle, theta[1] / angle, theta[2] / angle];
            let (sin, cos) = angle.sin_cos();
            let cross = [[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]];
            for i in 0..3 {
                for j in 0..3 {
                    turn[i][j] = turn[i][j] * cos + axis[i] * axis[j] * (1.0 - cos) + cross[i][j] * sin;
                }
            }
        }
        Pose { moving, turn, shift: [theta[3], theta[4], theta[5]] }
    }

    /// Where a corner of the skin is.
    pub fn skinned(pose: &Pose, vertex: &[f64; 3], weights: &[f64; 22]) -> [f64; 3] {
        let mut x = [0.0; 3];
        for bone in 0..22 {
            let m = pose.moving[bone];
            for a in 0..3 {
                let at = m[a][0] * vertex[0] + m[a][1] * vertex[1] + m[a][2] * vertex[2] + m[a][3];
                x[a] += weights[bone] * at;
            }
        }
        let mut at = pose.shift;
        for a in 0..3 {
            at[a] += pose.turn[a][0] * x[0] + pose.turn[a][1] * x[1] + pose.turn[a][2] * x[2];
        }
        at
    }

    /// Half the sum of the squared distances of points from the vertices that they belong to.
    #[differentiate(wrt(theta))]
    pub fn simple(
        theta: &[f64; 26],
        bones: &Bones,
        vertices: &[[f64; 3]],
        weights: &[[f64; 22]],
        points: &[[f64; 3]],
        vertex_of: &[u32],
    ) -> f64 {
        let pose = pose(theta, bones);
        let mut total = 0.0;
        for i in 0..points.len() {
            let v = vertex_of[i] as usize;
            let at = skinned(&pose, &vertices[v], &weights[v]);
            for a in 0..3 {
                let e = points[i][a] - at[a];
                total += 0.5 * e * e;
            }
        }
        total
    }

    /// Half the sum of the squared distances of points from where they lie in a triangle of the skin: `within[i]` has two
    /// of the three barycentric coordinates in the triangle `triangles[triangle_of[i]]`.
    #[differentiate(wrt(theta, within))]
    pub fn complicated(
        theta: &[f64; 26],
        within: &[[f64; 2]],
        bones: &Bones,
        vertices: &[[f64; 3]],
        weights: &[[f64; 22]],
        triangles: &[[u32; 3]],
        points: &[[f64; 3]],
        triangle_of: &[u32],
    ) -> f64 {
        let pose = pose(theta, bones);
        let mut skin = vec![[0.0; 3]; vertices.len()];
        for v in 0..vertices.len() {
            skin[v] = skinned(&pose, &vertices[v], &weights[v]);
        }
        let mut total = 0.0;
        for i in 0..points.len() {
            let [a, b, c] = triangles[triangle_of[i] as usize];
            let [u, v] = within[i];
            for k in 0..3 {
                let at =
                    u * skin[a as usize][k] + v * skin[b as usize][k] + (1.0 - u - v) * skin[c as usize][k];
                let e = points[i][k] - at;
                total += 0.5 * e * e;
            }
        }
        total
    }
}
