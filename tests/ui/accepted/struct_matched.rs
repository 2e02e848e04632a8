//! A `match` on the fields of structs.

use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Item {
        pub kind: u8,
        pub x: f64,
    }

    #[derive(Clone, Copy)]
    pub struct Pair(pub Item, pub bool);

    pub fn f(items: &[Item], last: Pair) -> f64 {
        let mut sum = 0.0;
        for item in items {
            sum += match item {
                Item { kind: 0, x } => *x,
                Item { kind: 1 | 2, x } if *x > 0.0 => x * x,
                Item { .. } => 0.0,
            };
        }
        match last {
            Pair(Item { kind: 7, .. }, _) => sum,
            Pair(Item { x, .. }, true) => sum * x,
            Pair(.., false) => -sum,
        }
    }
}

use kernels::{Item, Pair};

pub fn main() {
    let items = [Item { kind: 0, x: 1.0 }, Item { kind: 2, x: 3.0 }, Item { kind: 2, x: -3.0 }];
    let (value, gradient) = kernels::f::gradient(&items, Pair(Item { kind: 1, x: 2.0 }, true));
    let slopes: Vec<f64> = gradient.items.iter().map(|item| item.x).collect();
    assert_eq!((value, slopes, gradient.last.0.x), (20.0, vec![2.0, 12.0, 0.0], 10.0));
}
