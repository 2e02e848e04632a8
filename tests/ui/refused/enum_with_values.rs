use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub enum Shape {
        Circle(f64),
        Box { sides: [f64; 2] },
    }

    #[differentiate(wrt(scale))]
    pub fn area(shape: &Shape, scale: f64) -> f64 {
        match shape {
            Shape::Circle(r) => scale * r * r * 3.14,
            Shape::Box { sides: [a, b] } => scale * a * b,
        }
    }

    pub enum Table {
        Values(Vec<f64>),
    }

    pub fn first(x: &[f64]) -> f64 {
        let table = Table::Values(x.to_vec());
        match table {
            Table::Values(v) => v[0],
        }
    }

    #[derive(Clone, Copy)]
    enum Kind {
        Fixed(f64),
        Free,
    }

    pub fn constructors(x: &[f64]) -> f64 {
        let kind = x.first().copied().map_or(Kind::Free, Kind::Fixed);
        let _other = Kind::Fixed;
        match kind {
            Kind::Fixed(v) => v,
            Kind::Free => 0.0,
        }
    }
}

fn main() {}
