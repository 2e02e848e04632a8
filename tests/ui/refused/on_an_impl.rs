use pardiff::differentiate;

struct S;

#[differentiate]
impl S {
    fn f(x: f64) -> f64 {
        x
    }
}

fn main() {}
