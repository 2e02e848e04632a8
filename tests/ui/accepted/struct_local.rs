//! Structs that only the body knows of: in arrays, copied, updated, swapped.
use pardiff::differentiate;

#[differentiate]
mod local {
    #[derive(Clone, Copy)]
    struct Item {
        key: usize,
        value: f64,
    }

    impl Item {
        const EMPTY: f64 = 0.5;

        fn new(key: usize) -> Item {
            Item { key, value: Self::EMPTY }
        }
    }

    pub fn f(x: &[f64]) -> f64 {
        let mut items = [Item::new(0); 4];
        for (k, item) in items.iter_mut().enumerate() {
            *item = Item { value: x[k % x.len()], ..Item::new(k) };
        }
        items.swap(0, 3);
        let last = items[3];
        items[0].value *= last.value;
        let mut sum = 0.0;
        for item in items.iter().filter(|item| item.key != 1) {
            sum += item.value * item.key as f64;
        }
        sum
    }
}

pub fn main() {
    let (value, gradient) = local::f::gradient(&[2.0, 3.0]);
    assert_eq!((value, gradient.x), (3.0 * 3.0 * 2.0 + 2.0 * 2.0, vec![11.0, 6.0]));
}
