use pardiff::differentiate;

#[differentiate]
mod springs {
    #[derive(Clone, Copy)]
    pub enum Spring {
        Linear(f64),
        Rigid,
    }

    pub fn first(x: f64, springs: &[Spring]) -> f64 {
        match springs {
            [Spring::Linear(k), ..] => k * x,
            _ => x,
        }
    }
}

fn main() {}
