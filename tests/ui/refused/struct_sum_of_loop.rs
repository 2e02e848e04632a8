use pardiff::differentiate;

#[differentiate]
mod points {
    #[derive(Clone, Copy)]
    pub struct P {
        pub x: f64,
    }

    impl std::iter::Sum for P {
        fn sum<I: Iterator<Item = P>>(items: I) -> P {
            let mut total = P { x: 0.0 };
            for item in items {
                total.x += item.x;
            }
            total
        }
    }

    pub fn total(x: &[f64]) -> f64 {
        x.iter().map(|x| P { x: x * x }).sum::<P>().x
    }
}

fn main() {}
