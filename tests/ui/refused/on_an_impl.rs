use pardiff::differentiate;

struct S;

#[differentiate]
impl S {
    fn f(x: f64) -> f64 {
        x
    }
}

struct Pair<T>(T, T);

#[differentiate]
impl<T> Pair<T> {
    fn first(self) -> T {
        self.0
    }
}

fn main() {}
