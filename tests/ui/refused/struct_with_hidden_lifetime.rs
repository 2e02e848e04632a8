use pardiff::differentiate;

pub struct Grid<'a>(pub &'a [f64]);

#[differentiate]
fn first(grid: Grid, k: f64) -> f64 {
    grid.0[0] * k
}

#[differentiate]
fn items(x: std::slice::Iter<f64>, grids: &[Grid]) -> f64 {
    (x.len() + grids.len()) as f64
}

fn main() {
    let (value, g) = first::gradient(Grid(&[1.0]), 2.0);
    assert_eq!(value, g.k * g.grid.0[0]);
}
