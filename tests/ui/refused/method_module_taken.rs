use pardiff::differentiate;

#[differentiate]
mod model {
    pub struct Energy(pub f64);
    pub struct HTTPModel(pub f64);
    pub struct HttpModel(pub f64);
    pub struct Super(pub f64);
    pub struct F64(pub f64);
    pub struct Inner(pub f64);
    pub struct Libm(pub f64);

    pub fn energy(x: f64) -> f64 {
        Energy(x).total() + libm::cos(x)
    }

    pub mod inner {}

    #[differentiate]
    impl Energy {
        pub fn total(&self) -> f64 {
            self.0
        }
    }

    #[differentiate]
    impl HTTPModel {
        pub fn total(&self) -> f64 {
            self.0
        }
    }

    #[differentiate]
    impl HttpModel {
        pub fn total(&self) -> f64 {
            self.0
        }
    }

    #[differentiate]
    impl Super {
        pub fn total(&self) -> f64 {
            self.0
        }
    }

    #[differentiate]
    impl F64 {
        pub fn sqrt(&self) -> f64 {
            f64::sqrt(self.0)
        }
    }

    #[differentiate]
    impl Inner {
        pub fn total(&self) -> f64 {
            self.0
        }
    }

    #[differentiate]
    impl Libm {
        pub fn total(&self) -> f64 {
            self.0
        }
    }

    pub trait Total {
        fn total(&self) -> f64;
    }

    impl Total for HTTPModel {
        #[differentiate]
        fn total(&self) -> f64 {
            self.0
        }
    }
}

fn main() {}
