use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Item {
        pub kind: u8,
        pub x: f64,
    }

    pub fn f(item: Item) -> f64 {
        match item {
            Item { kind: 0, x } => x,
            Item { x, .. } => 2.0 * x,
        }
    }
}

fn main() {}
