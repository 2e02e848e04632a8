use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    struct Item {
        x: f64,
    }

    pub fn f(x: &[f64]) -> f64 {
        let mut items: Vec<Item> = vec![Item { x: 0.0 }];
        for i in 0..x.len() {
            items.push(Item { x: x[i] });
        }
        items[1].x
    }
}

fn main() {}
