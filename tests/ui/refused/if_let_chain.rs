use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> f64 {
    if let Some(head) = x.first()
        && *head > 0.0
    {
        return head * head;
    }
    0.0
}

fn main() {}
