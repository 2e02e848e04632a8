use pardiff::differentiate;

#[differentiate]
mod units {
    use std::marker::PhantomData;

    pub trait Unit {}

    pub struct Length<U> {
        pub value: f64,
        pub unit: PhantomData<U>,
    }

    #[differentiate]
    pub fn square<U: Unit>(x: &Length<U>) -> f64 {
        x.value * x.value
    }
}

fn main() {}
