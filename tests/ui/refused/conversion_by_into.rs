use pardiff::differentiate;

#[differentiate]
mod areas {
    #[derive(Clone, Copy)]
    pub struct Length(pub f64);

    #[derive(Clone, Copy)]
    pub struct Area(pub f64);

    impl From<Length> for Area {
        fn from(length: Length) -> Area {
            Area(length.0 * length.0)
        }
    }

    pub fn squared(x: f64) -> Area {
        Length(x).into()
    }

    pub fn named(x: f64) -> Area {
        let area: Area = Length(x).into();
        area
    }
}

fn main() {}
