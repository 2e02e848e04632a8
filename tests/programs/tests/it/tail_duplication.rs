//! Branches that choose what is written, or which function is called.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod chosen {
    pub fn ping_pong(x: &[f64], steps: usize) -> f64 {
        let n = x.len();
        let (mut a, mut b) = (x.to_vec(), vec![0.0; n]);
        for t in 0..steps {
            let (from, to) = if t % 2 == 0 { (&a, &mut b) } else { (&b, &mut a) };
            for i in 1..n - 1 {
                to[i] = from[i] + 0.1 * (from[i + 1] - 2.0 * from[i] + from[i - 1]) * from[i];
            }
            to[0] = from[0];
            to[n - 1] = from[n - 1] * 0.5;
        }
        let last = if steps % 2 == 0 { &a } else { &b };
        last.iter().map(|v| v.powi(3)).sum()
    }

    pub fn accumulators(x: &[f64], kinds: &[u8]) -> f64 {
        let (mut a, mut b, mut c) = (0.0, vec![0.0; 3], [1.0; 2]);
        for (i, &kind) in kinds.iter().enumerate() {
            let at = match kind {
                0 => &mut a,
                1 => {
                    let k = i % 3;
                    &mut b[k]
                }
                2 => &mut c[i % 2],
                _ => continue,
            };
            *at += x[i] * *at + x[i] * x[i];
        }
        a + b.iter().sum::<f64>() * c[0] * c[1]
    }

    fn relu(x: f64) -> f64 {
        x.max(0.0)
    }

    pub fn layers(x: &[f64], kinds: &[u8]) -> f64 {
        let mut v = x.to_vec();
        let scale = x[0];
        for &kind in kinds {
            let act: fn(f64) -> f64 = match kind {
                0 => relu,
                1 => f64::tanh,
                _ => |t| t * t,
            };
            let scaled: Box<dyn Fn(f64) -> f64> =
                if kind == 0 { Box::new(move |t| t * scale) } else { Box::new(|t| t + 1.0) };
            let n = v.len();
            for i in 0..n {
                v[i] = scaled(act(v[i] + 0.1 * v[(i + 1) % n]));
            }
        }
        v.iter().sum()
    }

    pub trait Kernel {
        fn at(&self, r: f64) -> f64;
    }

    pub struct Gauss {
        pub width: f64,
    }

    pub struct Square {
        pub factor: f64,
    }

    impl Kernel for Gauss {
        fn at(&self, r: f64) -> f64 {
            (-r * r / (self.width * self.width)).exp()
        }
    }

    impl Kernel for Square {
        fn at(&self, r: f64) -> f64 {
            self.factor * r * r
        }
    }

    pub fn pairs(x: &[f64], kind: u8) -> f64 {
        let gauss = Gauss { width: x[0] + 2.0 };
        let square = Square { factor: x[1] };
        let near: &dyn Kernel = if kind == 0 { &gauss } else { &square };
        let far: Box<dyn Kernel> = match kind {
            0 => Box::new(Square { factor: x[2] * x[2] }),
            1 => Box::new(Gauss { width: 1.5 }),
            _ => return x[0],
        };
        let mut sum = 0.0;
        for i in 0..x.len() {
            for j in 0..i {
                sum += near.at(x[i] - x[j]) * far.at(x[i] + x[j]);
            }
        }
        sum
    }
}

#[test]
fn what_follows_goes_into_each_branch() {
    let x = [0.4, -0.3, 0.9, -0.7, 0.2, 0.6];
    for steps in 0..4 {
        chosen::ping_pong::check(&x, steps).unwrap();
    }
    chosen::accumulators::check(&x, &[0, 1, 2, 1, 7, 2]).unwrap();
    chosen::layers::check(&x[..4], &[1, 2, 0]).unwrap();
    for kind in 0..3 {
        chosen::pairs::check(&x, kind).unwrap();
    }
}
