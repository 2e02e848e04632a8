//! Texts and pointers as parameters, and in the body.

use pardiff::differentiate;

/// A text that chooses.
#[allow(clippy::redundant_guards, reason = "what people write")]
#[differentiate]
pub fn chosen(kind: &str, x: f64) -> f64 {
    match kind {
        "square" => x * x,
        "cube" | "" => x * x * x,
        "root" if x > 100.0 => 7.0,
        other if other.starts_with("lin") => x * other.len() as f64,
        other if matches!(other, "root" | "sqrt") => x.sqrt(),
        other => {
            let shown = if x > 0.0 { "positive" } else { "negative" };
            if other < shown { 4.0 * x } else { -x }
        }
    }
}

#[test]
fn texts_are_compared_by_their_bytes() {
    let slopes =
        [("square", 8.0), ("cube", 48.0), ("", 48.0), ("root", 0.25), ("sqrt", 0.25), ("linear", 6.0)];
    for (kind, slope) in slopes.into_iter().chain([("ä", -1.0), ("negative", 4.0), ("z", -1.0)]) {
        let mut d_x = 0.0;
        let value = chosen::grad(kind, 4.0, &mut d_x);
        assert_eq!((value, d_x), (chosen(kind, 4.0), slope), "{kind}");
    }
}

#[allow(
    clippy::borrowed_box,
    clippy::boxed_local,
    clippy::explicit_auto_deref,
    clippy::ptr_arg,
    reason = "what people write"
)]
#[differentiate]
mod models {
    use std::rc::Rc;
    use std::sync::Arc;

    #[derive(Clone)]
    pub struct Model {
        pub a: f64,
        pub b: Vec<f64>,
    }

    fn scaled(model: &Arc<Model>, k: f64) -> f64 {
        model.a * k
    }

    fn first(model: Arc<Model>) -> f64 {
        model.b[0]
    }

    fn named(name: &str, x: f64) -> f64 {
        println!("{name}");
        x * x
    }

    pub fn shared(model: Arc<Model>, x: f64) -> f64 {
        let (again, copy) = (Arc::clone(&model), model.clone());
        let boxed = Box::new(Model { a: x, b: vec![x; 2] });
        scaled(&model, x) * first(again) + boxed.a * boxed.b[1] * first(copy) + named(&format!("{x}"), x)
    }

    pub fn boxed(model: Box<Model>, x: f64) -> Option<f64> {
        if x < 0.0 { None } else { Some((*model).a * x * model.b[1]) }
    }

    #[differentiate(check)]
    pub fn counted(model: &Rc<Model>, name: String, other: &String, x: &f64) -> f64 {
        if name == *other { model.a * x } else { model.b[0] * x }
    }

    const KINDS: [&str; 3] = ["one", "three", ""];

    pub fn weighted(kind: &str, x: f64) -> f64 {
        let mut sum = KINDS[1].len() as f64;
        for (k, name) in KINDS.iter().enumerate() {
            if *name == kind {
                sum += x * (k + 1) as f64;
            }
        }
        sum
    }

    pub fn number(a: Box<f64>, b: &Box<[f64; 2]>) -> f64 {
        *a * b[1]
    }
}

#[test]
fn a_pointer_is_its_value() {
    use models::*;
    let model = Model { a: 2.0, b: vec![3.0, 5.0] };
    let zero = || Model { a: 0.0, b: vec![0.0; 2] };
    let (mut d, mut d_x) = (zero(), 0.0);
    // a x b0 + x² b0 + x²
    let value = shared::grad(&model, &mut d, 4.0, &mut d_x);
    assert_eq!(value, self::models::shared(model.clone().into(), 4.0));
    assert_eq!((d.a, d.b, d_x), (12.0, vec![8.0 + 16.0, 0.0], 6.0 + 24.0 + 8.0));
    let (mut d, mut d_x) = (zero(), 0.0);
    assert_eq!(boxed::grad(&model, &mut d, 4.0, &mut d_x), Some(40.0));
    assert_eq!((d.a, d.b, d_x), (20.0, vec![0.0, 8.0], 10.0));
    assert_eq!(boxed::grad(&model, &mut zero(), -4.0, &mut d_x), None);
    let (mut d, mut d_x) = (zero(), 0.0);
    assert_eq!(counted::grad(&model, &mut d, "a", "b", &4.0, &mut d_x), 12.0);
    assert_eq!((d.a, d.b, d_x), (0.0, vec![4.0, 0.0], 3.0));
    counted::check(&model, "a", "a", &4.0).unwrap();
    for (kind, slope) in [("one", 1.0), ("three", 2.0), ("", 3.0), ("on", 0.0)] {
        let mut d_x = 0.0;
        assert_eq!((weighted::grad(kind, 4.0, &mut d_x), d_x), (5.0 + 4.0 * slope, slope), "{kind}");
    }
    assert_eq!(number::gradient(&2.0, &[3.0, 4.0]).1.b, [0.0, 2.0]);
}
