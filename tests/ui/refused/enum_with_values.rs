use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub enum Table {
        Values(&'static [f64]),
    }

    pub fn first(x: &[f64]) -> f64 {
        let table = Table::Values(&[1.0]);
        match table {
            Table::Values(v) => v[0] * x[0],
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

    #[derive(Clone, Copy)]
    pub enum Shape {
        Ball(f64),
        Point,
    }

    #[differentiate(split)]
    pub fn grown(shape: &Shape, by: f64) -> Shape {
        match shape {
            Shape::Ball(r) => Shape::Ball(r * by),
            Shape::Point => Shape::Point,
        }
    }

    #[differentiate(split)]
    pub fn grow(shape: &mut Shape, by: f64) {
        if let Shape::Ball(r) = shape {
            *r *= by;
        }
    }

    #[differentiate(cuda)]
    pub fn volume(shapes: &[Shape]) -> f64 {
        let mut sum = 0.0;
        for shape in shapes {
            if let Shape::Ball(r) = shape {
                sum += r * r * r;
            }
        }
        sum
    }
}

fn main() {}
