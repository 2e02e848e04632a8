use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Data<'a> {
        pub x: &'a [f64],
        pub y: &'a [f64],
    }

    pub fn loss(w: &[f64], data: &Data) -> f64 {
        let mut sum = 0.0;
        for i in 0..data.x.len() {
            let r = w[0] * data.x[i] - data.y[i];
            sum += r * r;
        }
        sum
    }

    pub fn first(data: Data) -> f64 {
        data.x[0]
    }

    pub fn chosen(data: Data, _w: f64) -> Data {
        data
    }

    pub fn halves(x: &[f64], w: f64) -> (&[f64], f64) {
        (&x[..x.len() / 2], w)
    }

    pub fn rest(x: &[f64]) -> &[f64] {
        &x[1..]
    }
}

pub struct Elsewhere<'a> {
    x: &'a [f64],
}

#[differentiate]
fn loss(w: &[f64], data: &Elsewhere) -> f64 {
    w[0] * data.x[0]
}

fn main() {}
