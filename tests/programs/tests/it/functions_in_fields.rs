//! Closures as values: in fields of structs, returned by helpers, passed on.

use pardiff::differentiate;

#[differentiate(check, forward)]
pub mod rules {
    pub struct Trapezoid<F: Fn(f64) -> f64> {
        f: F,
        a: f64,
        b: f64,
    }
    impl<F: Fn(f64) -> f64> Trapezoid<F> {
        fn new(f: F, a: f64, b: f64) -> Self {
            Trapezoid { f, a, b }
        }
        fn sum(&self, n: usize) -> f64 {
            let h = (self.b - self.a) / n as f64;
            let mut s = 0.5 * ((self.f)(self.a) + (self.f)(self.b));
            for i in 1..n {
                s += (self.f)(self.a + i as f64 * h);
            }
            s * h
        }
    }
    pub fn integral(c: f64, b: f64, n: usize) -> f64 {
        let rule = Trapezoid::new(|x| (c * x).sin() * x, 0.0, b);
        rule.sum(n) + rule.sum(2 * n)
    }

    struct Layer {
        w: [f64; 3],
        act: fn(f64) -> f64,
    }
    fn relu(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.01 * x }
    }
    impl Layer {
        fn new(w: [f64; 3], act: fn(f64) -> f64) -> Layer {
            Layer { w, act }
        }
        fn forward(&self, x: f64) -> f64 {
            let mut y = 0.0;
            for k in 0..3 {
                y += (self.act)(self.w[k] * x);
            }
            y
        }
    }
    pub fn network(x: f64, w: &[f64; 3]) -> f64 {
        let first = Layer::new(*w, f64::tanh);
        let second = Layer { w: [w[2], w[1], w[0]], act: relu };
        second.forward(first.forward(x))
    }

    struct Problem<'a> {
        f: Box<dyn Fn(f64) -> f64 + 'a>,
        slope: &'a dyn Fn(f64) -> f64,
    }
    fn newton(p: &Problem<'_>, x: f64) -> f64 {
        let mut x = x;
        for _ in 0..4 {
            x -= (p.f)(x) / (p.slope)(x);
        }
        x
    }
    pub fn root(a: f64, x: f64) -> f64 {
        let p = Problem { f: Box::new(move |x| x * x - a), slope: &|x| 2.0 * x };
        newton(&p, x)
    }

    fn scale(a: f64) -> impl Fn(f64) -> f64 {
        move |x| a * x
    }
    fn shift(a: f64) -> Box<dyn Fn(f64) -> f64> {
        let b = a * a;
        Box::new(move |x| x + b)
    }
    fn compose(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64) -> impl Fn(f64) -> f64 {
        move |x| g(f(x))
    }
    fn poly(c: Vec<f64>) -> impl Fn(f64) -> f64 {
        move |x| c.iter().rev().fold(0.0, |s, v| s * x + v)
    }
    pub fn made(x: f64, a: f64, c: &[f64]) -> f64 {
        let double = scale(2.0);
        let h = compose(scale(a), shift(a));
        let p = poly(c.to_vec());
        let mut s = 0.0;
        for k in 0..4 {
            let g = scale(k as f64 * a);
            s += g(x) * g(a);
        }
        double(x) + h(x) * p(x) + scale(3.0)(x) + s
    }

    fn integrate<F: Fn(f64) -> f64>(f: &F, n: usize) -> f64 {
        (0..n).map(|i| f(i as f64)).sum()
    }
    pub fn passed(a: f64, n: usize) -> f64 {
        let rule = Trapezoid { f: |x| (a * x).cos(), a: 0.0, b: 1.0 };
        let g = scale(a);
        integrate(&rule.f, n)
            + integrate(&g, n)
            + (0..n).map(|k| g(k as f64)).sum::<f64>()
            + (0..n).map(|k| k as f64 + a).map(&rule.f).sum::<f64>()
            + [a, 2.0 * a].iter().map(|v| g(*v)).sum::<f64>()
    }
}

#[test]
fn fields_are_called() {
    rules::integral::check(1.3, 2.0, 9).unwrap();
    rules::network::check(0.7, &[0.3, -0.8, 0.9]).unwrap();
    rules::root::check(2.0, 1.2).unwrap();
}

#[test]
fn helpers_return_closures() {
    rules::made::check(0.3, 0.7, &[0.2, 0.5, -0.3]).unwrap();
    rules::passed::check(0.3, 5).unwrap();
}

#[test]
fn what_a_closure_keeps_is_as_it_was() {
    let (_, g) = rules::network::gradient(0.7, &[0.3, -0.8, 0.9]);
    let h = 1e-6;
    let at = |x| rules::network(x, &[0.3, -0.8, 0.9]);
    assert!(((at(0.7 + h) - at(0.7 - h)) / (2.0 * h) - g.x).abs() < 1e-7);
}
