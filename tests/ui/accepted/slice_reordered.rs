use pardiff::differentiate;

#[differentiate]
fn reordered(x: &mut [f64]) {
    x.reverse();
    x[1..].rotate_left(1);
}

pub fn main() {
    let (mut x, mut d_x) = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]);
    reordered::vjp(&mut x, &mut d_x);
    assert!(x == [3.0, 1.0, 2.0] && d_x == [2.0, 4.0, 1.0]);
}
