use pardiff::differentiate;

#[differentiate]
mod fits {
    #[derive(Clone, Copy)]
    struct Start {
        at: f64,
    }

    impl Default for Start {
        fn default() -> Self {
            Start { at: 1.0 }
        }
    }

    pub fn from_default(x: f64) -> f64 {
        let start: Start = Default::default();
        start.at * x
    }
}

fn main() {}
