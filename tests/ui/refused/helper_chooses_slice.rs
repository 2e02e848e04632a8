// Which of two arrays a helper returns is known only at run time.
use pardiff::differentiate;

#[differentiate]
fn chosen(x: &[f64], y: &[f64], first: bool) -> f64 {
    fn of<'a>(x: &'a [f64], y: &'a [f64], first: bool) -> &'a [f64] {
        if first { &x[1..] } else { y }
    }
    fn tail(x: &[f64], whole: bool) -> &[f64] {
        if whole {
            return x;
        }
        &x[1..]
    }
    of(x, y, first)[0] + tail(x, first)[0]
}

fn main() {}
