use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Data<'a> {
        pub x: &'a [f64],
        pub y: &'a [f64],
    }

    pub struct Output<'a> {
        pub y: &'a mut [f64],
        pub label: std::fmt::Arguments<'a>,
    }

    pub fn read(w: f64, output: &Output) -> f64 {
        w * output.y[0]
    }

    pub fn labelled(w: f64, output: &mut Output) {
        output.y[0] = w;
    }

    pub fn several(w: f64, all: &[Data]) -> f64 {
        w * all[0].x[0]
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
