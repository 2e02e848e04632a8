//! A soft silhouette of triangles, as in SoftRas (Liu et al. 2019): every pixel sees every face a little.

use pardiff::differentiate;

/// Half the squared difference between the soft silhouette of a mesh and a picture of `size` by `size` pixels.
///
/// A face covers a pixel by `sigmoid(d / sharpness)`, where `d` is the squared distance of the pixel from the face's edges, positive
/// inside of the face; the silhouette is 1 less the product of what the faces let through.
///
/// Shapes: `vertices` are in -1..1, already projected; `faces` are triples of vertices, in either orientation.
#[differentiate(wrt(vertices))]
pub fn soft_rasteriser(
    vertices: &[[f64; 2]],
    faces: &[[u32; 3]],
    target: &[f64],
    size: usize,
    sharpness: f64,
) -> f64 {
    let mut loss = 0.0;
    for row in 0..size {
        for column in 0..size {
            let px = (2.0 * column as f64 + 1.0) / size as f64 - 1.0;
            let py = (2.0 * row as f64 + 1.0) / size as f64 - 1.0;
            let mut through = 1.0;
            for face in faces {
                let mut nearest = f64::INFINITY;
                let mut left = 0;
                for e in 0..3 {
                    let a = vertices[face[e] as usize];
                    let b = vertices[face[(e + 1) % 3] as usize];
                    let (ex, ey) = (b[0] - a[0], b[1] - a[1]);
                    let (qx, qy) = (px - a[0], py - a[1]);
                    // the nearest point of the edge
                    let t = ((qx * ex + qy * ey) / (ex * ex + ey * ey)).clamp(0.0, 1.0);
                    let (dx, dy) = (qx - t * ex, qy - t * ey);
                    nearest = nearest.min(dx * dx + dy * dy);
                    if ex * qy - ey * qx > 0.0 {
                        left += 1;
                    }
                }
                let inside = left == 0 || left == 3;
                let d = if inside { nearest } else { -nearest };
                let covered = 1.0 / (1.0 + (-d / sharpness).exp());
                through *= 1.0 - covered;
            }
            let e = 1.0 - through - target[row * size + column];
            loss += 0.5 * e * e;
        }
    }
    loss
}
