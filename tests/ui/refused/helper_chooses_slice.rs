// Which of two arrays a helper lends to be written, and which part of one it returns early, is known only at run time.
use pardiff::differentiate;

#[differentiate]
fn chosen(x: &[f64], first: bool) -> f64 {
    fn of<'a>(x: &'a mut [f64], y: &'a mut [f64], first: bool) -> &'a mut [f64] {
        if first { &mut x[1..] } else { y }
    }
    fn tail(x: &mut [f64], whole: bool) -> &mut [f64] {
        if whole {
            return x;
        }
        &mut x[1..]
    }
    let (mut a, mut b) = (x.to_vec(), x.to_vec());
    of(&mut a, &mut b, first)[0] = 2.0;
    tail(&mut a, first)[0] = 1.0;
    a[0] + b[0]
}

fn main() {}
