//! Enums that hold values and options, wherever functions take them: by value, behind `&` and `&mut`, in structs, slices,
//! arrays and vectors, and as what is returned.

use pardiff::differentiate;

#[differentiate(check, forward, hvp, batch(2))]
mod bodies {
    #[derive(Clone, Debug, PartialEq)]
    pub enum Shape {
        Ball { radius: f64 },
        Brick([f64; 3]),
        Layered(f64, u8, [[f64; 2]; 2]),
        Nothing,
    }
    use Shape::*;

    #[derive(Clone, Debug, PartialEq)]
    pub struct Body {
        pub at: [f64; 2],
        pub shape: Shape,
        pub n: usize,
    }

    impl Shape {
        pub fn volume(&self) -> f64 {
            match self {
                Ball { radius } => 4.0 / 3.0 * radius.powi(3),
                Brick([a, b, c]) => a * b * c,
                Layered(d, k, m) => d * f64::from(*k) * (m[0][1] + m[1][0] * m[1][1]),
                Nothing => 0.0,
            }
        }

        pub fn grown(&self, by: f64) -> Shape {
            match self {
                Ball { radius } => Ball { radius: radius * by },
                Brick(sides) => Brick(sides.map(|side| side * by)),
                Layered(d, k, m) => Layered(*d, *k, *m),
                Nothing => Ball { radius: by },
            }
        }

        pub fn grow(&mut self, by: f64) {
            match self {
                Ball { radius } if *radius > 1.0 => {
                    let r = *radius;
                    *self = Brick([r, r * by, by]);
                }
                Ball { radius } => *radius *= by,
                Brick(sides) => sides[1] *= by * by,
                Layered(..) => *self = Nothing,
                Nothing => *self = Ball { radius: by },
            }
        }
    }

    pub fn moved(shape: Shape, scale: f64) -> (f64, Shape) {
        (shape.volume() * scale, shape.grown(scale))
    }

    pub fn many(shapes: &[Shape], scale: f64) -> f64 {
        shapes.iter().map(|shape| shape.volume().sin()).sum::<f64>() * scale
    }

    pub fn pairs(shapes: &[[Shape; 2]; 3], scale: f64) -> f64 {
        let mut sum = 0.0;
        for [a, b] in shapes {
            sum += a.volume() * b.volume();
        }
        sum * scale
    }

    pub fn weighted(bodies: &[Body]) -> f64 {
        bodies.iter().map(|body| body.shape.volume() * body.at[0] * body.at[1] * body.n as f64).sum()
    }

    pub fn step(body: &mut Body, dt: f64) -> f64 {
        body.at[0] += dt * body.at[1];
        if let Ball { radius } = &mut body.shape {
            *radius += dt * body.at[0];
        }
        body.n += 1;
        body.shape.volume()
    }

    pub fn shapes(x: &[f64]) -> Vec<Shape> {
        x.iter().map(|x| if *x > 0.0 { Ball { radius: x * x } } else { Brick([*x, 1.0, x.sin()]) }).collect()
    }
}

fn shapes() -> Vec<bodies::Shape> {
    use bodies::Shape::*;
    let layered = Layered(0.4, 3, [[0.1, 0.2], [0.3, 0.6]]);
    vec![Ball { radius: 0.7 }, Ball { radius: 1.7 }, Brick([0.3, 0.4, 1.2]), layered, Nothing]
}

#[test]
fn enums_have_adjoints() {
    let body = |shape: &bodies::Shape| bodies::Body { at: [0.3, 0.6], shape: shape.clone(), n: 2 };
    for shape in shapes() {
        bodies::shape::volume::check(&shape).expect("right derivatives");
        bodies::shape::grown::check(&shape, 0.3).expect("right derivatives");
        bodies::shape::grow::check(&mut shape.clone(), 0.3).expect("right derivatives");
        bodies::moved::check(shape.clone(), 0.3).expect("right derivatives");
        bodies::step::check(&mut body(&shape), 0.2).expect("right derivatives");
    }
    let of = |i: usize, j: usize| [shapes()[i].clone(), shapes()[j].clone()];
    bodies::pairs::check(&[of(0, 1), of(3, 2), of(1, 4)], 0.3).expect("right derivatives");
    let report = bodies::many::check(&shapes(), 0.3).expect("right derivatives").to_string();
    assert!(report.contains("Ball.radius") && report.contains("Brick.0"), "{report}");
    bodies::weighted::check(&shapes().iter().map(body).collect::<Vec<_>>()).expect("right derivatives");
    bodies::shapes::check(&[0.3, -0.4, 0.5]).expect("right derivatives");
}

#[test]
fn an_adjoint_has_the_variant_of_its_value() {
    use bodies::Shape::{Ball, Brick, Nothing};
    let brick = Brick([2.0, 3.0, 0.5]);
    let (value, gradient) = bodies::many::gradient(&[brick.clone(), Nothing], 2.0);
    let slope = 2.0 * 3.0_f64.cos();
    assert_eq!(
        (value, gradient.shapes),
        (2.0 * 3.0_f64.sin(), vec![Brick([1.5 * slope, slope, 6.0 * slope]), Nothing])
    );
    // added, and in place of what there was
    let (mut d, mut d_scale) = (Brick([7.0; 3]), 0.0);
    let seed = (1.0, Brick([1.0, 10.0, 100.0]));
    bodies::moved::vjp(brick.clone(), &mut d, 3.0, &mut d_scale, seed.clone());
    assert_eq!(
        (d.clone(), d_scale),
        (Brick([7.0 + 4.5 + 3.0, 7.0 + 3.0 + 30.0, 7.0 + 18.0 + 300.0]), 3.0 + 82.0)
    );
    bodies::moved::vjp_into(brick.clone(), &mut d, 3.0, &mut d_scale, seed);
    assert_eq!(d, Brick([4.5 + 3.0, 3.0 + 30.0, 18.0 + 300.0]));
    let (_, (_, tangent)) = bodies::moved::jvp(brick.clone(), Brick([1.0, 0.0, 0.0]), 3.0, 1.0);
    assert_eq!(tangent, Brick([5.0, 3.0, 0.5]));
    let directions = [Brick([1.0, 0.0, 0.0]), Brick([0.0; 3])];
    let (_, (_, tangents)) = bodies::moved::jvp_batch(brick.clone(), directions, 3.0, [1.0, 0.0]);
    assert_eq!(tangents, [Brick([5.0, 3.0, 0.5]), Brick([0.0; 3])]);
    // what is behind a `&mut` changes its variant, and so does its adjoint
    let (mut shape, mut d, mut d_by) = (Ball { radius: 2.0 }, Brick([1.0, 10.0, 100.0]), 0.0);
    bodies::shape::grow::vjp(&mut shape, &mut d, 3.0, &mut d_by);
    assert_eq!((shape, d, d_by), (Brick([2.0, 6.0, 3.0]), Ball { radius: 31.0 }, 120.0));
    let (mut shape, mut d, mut d_by) =
        (Ball { radius: 2.0 }, [Brick([1.0, 10.0, 100.0]), Brick([0.0; 3])], [0.0; 2]);
    bodies::shape::grow::vjp_batch(&mut shape, &mut d, 3.0, &mut d_by);
    assert_eq!((d, d_by), ([Ball { radius: 31.0 }, Ball { radius: 0.0 }], [120.0, 0.0]));
}

#[test]
#[should_panic(expected = "many: the adjoint `d_shapes[1]` is `Nothing` but `shapes[1]` is `Brick`")]
fn an_adjoint_of_another_variant() {
    use bodies::Shape::{Brick, Nothing};
    let shapes = [Nothing, Brick([1.0; 3])];
    bodies::many::grad(&shapes, &mut [Nothing, Nothing], 1.0, &mut 0.0);
}

#[test]
#[should_panic(expected = "Shape::grown: the adjoint `seed` is `Nothing` but `what is returned` is `Ball`")]
fn a_seed_of_another_variant() {
    use bodies::Shape::{Ball, Nothing};
    let (mut d, mut d_by) = (Ball { radius: 0.0 }, 0.0);
    bodies::shape::grown::vjp(&Ball { radius: 1.0 }, &mut d, 2.0, &mut d_by, Nothing);
}

#[differentiate(check, forward, hvp)]
mod controllers {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Phase {
        Idle,
        Running { rate: f64 },
        Done,
    }

    #[derive(Clone, Debug, PartialEq)]
    pub struct Pid {
        pub kp: f64,
        pub kd: f64,
        pub sum: f64,
        pub prev: Option<f64>,
        pub phase: Phase,
    }

    impl Pid {
        pub fn next(&mut self, x: f64) -> f64 {
            self.sum += 0.2 * x;
            let d = if let Some(prev) = self.prev { self.kd * (x - prev) } else { 0.0 };
            self.prev = Some(x);
            self.phase = match self.phase {
                Phase::Idle => Phase::Running { rate: x },
                Phase::Running { rate } if rate < 0.2 => Phase::Done,
                Phase::Running { rate } => Phase::Running { rate: rate * d.sin() + x },
                Phase::Done => Phase::Done,
            };
            self.kp * x + d + self.sum
        }

        pub fn run(&mut self, xs: &[f64]) -> f64 {
            let total: f64 = xs.iter().map(|x| self.next(*x).powi(2)).sum();
            match self.phase {
                Phase::Running { rate } => total + rate,
                _ => total,
            }
        }
    }

    /// Vectors beside an option and an enum.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Filter {
        pub taps: Vec<f64>,
        pub last: Option<f64>,
        pub phase: Phase,
    }

    impl Filter {
        pub fn step(&mut self, x: f64) -> f64 {
            let mut y: f64 = self.taps.iter().enumerate().map(|(k, tap)| tap * x.powi(k as i32 + 1)).sum();
            if let Some(last) = self.last.replace(y) {
                y += 0.3 * last;
            }
            if let Phase::Running { rate } = &mut self.phase {
                *rate += y;
            }
            y
        }

        pub fn energy(&self) -> f64 {
            self.taps.iter().map(|tap| tap * tap).sum::<f64>() * self.last.unwrap_or(2.0)
        }
    }

    pub fn toggled(x: f64, y: &mut Option<f64>) {
        *y = match *y {
            None => Some(x * x),
            Some(v) if v > 1.0 => None,
            Some(v) => Some(v * x),
        };
    }

    pub fn filled(xs: &mut [Option<f64>], w: f64) {
        for (i, x) in xs.iter_mut().enumerate() {
            match x {
                None => *x = Some(w * i as f64),
                Some(v) => *v *= w,
            }
        }
    }

    pub fn present(xs: &[Option<f64>], w: f64) -> f64 {
        xs.iter().flatten().map(|x| x.sin()).sum::<f64>() * w
    }

    pub fn of_phase(phase: Option<Phase>, w: f64) -> f64 {
        match phase {
            Some(Phase::Running { rate }) => rate * w,
            Some(_) => w,
            None => w * w,
        }
    }

    pub fn beside(x: (f64, Option<[f64; 2]>), y: f64) -> (f64, Option<f64>) {
        let product = x.0 * x.1.map_or(2.0, |v| v[0] * v[1]);
        (product, (x.0 > 0.0).then_some(product * y * y))
    }

    #[differentiate(batch(4), split)]
    pub fn scaled(x: f64, scale: Option<f64>) -> f64 {
        x * x * scale.unwrap_or(1.0)
    }
}

#[test]
fn options_and_enums_are_written() {
    use controllers::{Filter, Phase, Pid, filter, pid};
    for prev in [None, Some(0.7)] {
        for phase in [Phase::Idle, Phase::Running { rate: 0.1 }, Phase::Running { rate: 0.7 }, Phase::Done] {
            let pid = Pid { kp: 0.3, kd: 0.6, sum: 0.1, prev, phase };
            pid::next::check(&mut pid.clone(), 0.4).expect("right derivatives");
            pid::run::check(&mut pid.clone(), &[0.4, 0.3, 0.6]).expect("right derivatives");
            let filter = Filter { taps: vec![0.3, 0.6, 0.2], last: prev, phase };
            filter::step::check(&mut filter.clone(), 0.4).expect("right derivatives");
            filter::energy::check(&filter).expect("right derivatives");
            controllers::of_phase::check(Some(phase), 0.3).expect("right derivatives");
        }
    }
    controllers::of_phase::check(None, 0.3).expect("right derivatives");
    for y in [None, Some(0.3), Some(1.3)] {
        controllers::toggled::check(0.4, &mut y.clone()).expect("right derivatives");
        controllers::present::check(&[None, y, Some(0.5)], 0.4).expect("right derivatives");
        controllers::filled::check(&mut [None, y, Some(0.5), None], 0.4).expect("right derivatives");
        controllers::beside::check((0.3, y.map(|y| [y, 0.4])), 0.5).expect("right derivatives");
        controllers::beside::check((-0.3, y.map(|y| [y, 0.4])), 0.5).expect("right derivatives");
    }
}

#[test]
fn options_are_of_their_variants_before_and_after() {
    // the value becomes one; its adjoint had a value, and has none
    let (mut y, mut d_y, mut d_x) = (None, Some(2.0), 0.0);
    controllers::toggled::vjp(3.0, &mut d_x, &mut y, &mut d_y);
    assert_eq!((y, d_y, d_x), (Some(9.0), None, 12.0));
    // the value becomes none
    let (mut y, mut d_y, mut d_x) = (Some(5.0), None, 0.0);
    controllers::toggled::vjp(3.0, &mut d_x, &mut y, &mut d_y);
    assert_eq!((y, d_y, d_x), (None, Some(0.0), 0.0));
    let (mut d_x, mut d_scale) = ([0.0; 4], [None; 4]);
    controllers::scaled::vjp_batch(3.0, &mut d_x, Some(0.5), &mut d_scale, [1.0, 2.0, 0.0, -1.0]);
    assert_eq!((d_x, d_scale), ([3.0, 6.0, 0.0, -3.0], [9.0, 18.0, 0.0, -9.0].map(Some)));
    let mut tape = controllers::scaled::Tape::default();
    assert_eq!(controllers::scaled::forward(3.0, Some(0.5), &mut tape), 4.5);
    let (mut d_x, mut d_scale) = (0.0, None);
    controllers::scaled::backward(3.0, &mut d_x, Some(0.5), &mut d_scale, &tape, 1.0);
    assert_eq!((d_x, d_scale), (3.0, Some(9.0)));
}
