use pardiff::differentiate;

#[differentiate(wrt(ax_ay))]
fn distance((ax, ay): (f64, f64), [bx, by]: [f64; 2]) -> f64 {
    (ax - bx).hypot(ay - by)
}

pub fn main() {
    let (value, g) = distance::gradient((3.0, 4.0), [0.0, 0.0]);
    assert!(value == 5.0 && g.ax_ay == (0.6, 0.8));
}
