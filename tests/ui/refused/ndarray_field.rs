#[pardiff::differentiate]
mod m {
    use ndarray::Array2;

    pub struct Plate {
        pub u: Array2<f64>,
    }

    pub fn f(plate: &Plate) -> f64 {
        plate.u[[0, 0]]
    }
}

fn main() {}
