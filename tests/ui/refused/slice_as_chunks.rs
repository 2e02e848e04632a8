use pardiff::differentiate;

#[differentiate]
fn open(x: &[f64]) -> f64 {
    let (points, _): (&[[f64; 3]], _) = x.as_chunks();
    points.iter().map(|p| p[0] * p[1]).sum()
}

#[differentiate]
fn written(x: &mut [f64]) {
    let (points, rest) = x.as_chunks_mut::<3>();
    points[0][1] = 2.0 * rest[0];
}

fn main() {}
