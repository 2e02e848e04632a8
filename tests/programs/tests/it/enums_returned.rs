//! Enums that are returned: in a tuple, in a struct.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod cells {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Shape {
        Infinite = 3,
        Ortho,
        Triclinic = -2,
    }

    #[derive(Clone, Debug, PartialEq)]
    pub enum Sign {
        Minus,
        Plus,
    }

    #[derive(Debug, PartialEq)]
    pub struct Cell {
        pub sides: [f64; 2],
        pub shape: Shape,
        pub n: usize,
    }

    #[differentiate(hvp, split)]
    pub fn made(x: f64, y: f64) -> Cell {
        let shape = if x < 0.0 {
            Shape::Infinite
        } else if y > 1.0 {
            Shape::Ortho
        } else {
            Shape::Triclinic
        };
        Cell { sides: [x * y, y], shape, n: 4 }
    }

    pub fn split(x: &[f64]) -> Option<(f64, Sign)> {
        let sum: f64 = x.iter().map(|v| v * v).sum();
        (sum < 10.0).then(|| (sum, if x[0] < 0.0 { Sign::Minus } else { Sign::Plus }))
    }

    impl Cell {
        pub fn grown(self, by: f64) -> Self {
            Cell { sides: [self.sides[0] * by, self.sides[1]], ..self }
        }
    }
}

#[test]
fn what_is_chosen_is_returned() {
    for (x, y) in [(-1.0, 0.3), (0.3, 0.2), (0.4, 2.0)] {
        cells::made::check(x, y).expect("right derivatives");
        cells::split::check(&[x, y]).expect("right derivatives");
        cells::cell::grown::check(cells::made(x, y), 0.3).expect("right derivatives");
        assert_eq!(cells::made::value(x, y), cells::made(x, y));
        assert_eq!(cells::split::value(&[x, y]), cells::split(&[x, y]));
        assert_eq!(cells::cell::grown::value(cells::made(x, y), 0.3), cells::made(x, y).grown(0.3));
        let (mut d_x, mut d_y) = (1.0, 0.0);
        let seed = cells::Cell { sides: [1.0, 10.0], ..cells::made(x, y) };
        assert_eq!(cells::made::vjp_into(x, &mut d_x, y, &mut d_y, seed), cells::made(x, y));
        assert_eq!((d_x, d_y), (y, x + 10.0));
    }
    assert_eq!(cells::split::value(&[9.0]), None);
}
