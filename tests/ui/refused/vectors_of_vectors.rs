use pardiff::differentiate;

#[differentiate]
fn corners(of: &[Vec<[[f64; 2]; 2]>], x: &[f64]) -> f64 {
    of.iter().enumerate().map(|(i, of)| of.iter().map(|p| x[i] * p[0][1]).sum::<f64>()).sum()
}

#[differentiate]
fn rows(a: &Vec<&[f32]>, x: &[f32]) -> f32 {
    a[0][0] * x[0]
}

#[differentiate]
fn flags(on: Vec<bool>, at: &Vec<[u32; 2]>, x: &[f64], gaps: &[Option<&[f32]>]) -> f64 {
    if on[0] && gaps.is_empty() { x[at[0][0] as usize] } else { 0.0 }
}

fn main() {}
