use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> f64 {
    let head = unsafe { *x.as_ptr() };
    head * head
}

mod c {
    unsafe extern "C" {
        pub fn erf(x: f64) -> f64;
    }
}

#[differentiate]
fn scaled(x: f64) -> f64 {
    2.0 * unsafe { c::erf(x) }
}

fn main() {}
