use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub enum Shape {
        Circle(f64),
        Square(f64),
    }

    pub fn area(shape: &Shape, scale: f64) -> f64 {
        match shape {
            Shape::Circle(r) => scale * r * r * 3.14,
            Shape::Square(a) => scale * a * a,
        }
    }
}

fn main() {}
