//! Enums whose variants hold values: as locals, arguments, members, elements, parameters that are read.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
mod rod {
    /// What holds at an end.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub enum Bc {
        Fixed(f64),
        Flux { q: f64, scale: f64 },
        Periodic,
    }

    impl Bc {
        fn scaled(self, by: f64) -> Bc {
            match self {
                Bc::Fixed(value) => Bc::Fixed(value * by),
                Bc::Flux { q, scale } => Self::Flux { scale, q: q * by },
                Self::Periodic => self,
            }
        }

        fn ghost(&self, inside: f64, other: f64) -> f64 {
            match self {
                Bc::Fixed(value) => 2.0 * value - inside,
                Bc::Flux { q, .. } if *q == 0.0 => inside,
                Bc::Flux { q, scale } => inside + q / scale,
                Bc::Periodic => other,
            }
        }
    }

    /// The conditions are made from what is differentiated.
    pub fn energy(u0: &[f64], ends: &[f64; 2], kind: usize, steps: usize) -> f64 {
        let left = match kind {
            0 => Bc::Fixed(ends[0]),
            1 => Bc::Flux { q: ends[0], scale: 2.0 + ends[1] },
            _ => Bc::Periodic,
        };
        let mut right = if kind == 2 { left } else { left.scaled(ends[1]) };
        let mut u = u0.to_vec();
        let n = u.len();
        for step in 0..steps {
            if let Bc::Fixed(value) = right {
                right = Bc::Fixed(value * 1.1);
            }
            if step == 2 && right != Bc::Periodic {
                right = Bc::Flux { q: ends[1], scale: 1.5 };
            }
            let old = u.clone();
            for i in 0..n {
                let l = if i == 0 { left.ghost(old[0], old[n - 1]) } else { old[i - 1] };
                let r = if i + 1 == n { right.ghost(old[n - 1], old[0]) } else { old[i + 1] };
                u[i] += 0.2 * (l - 2.0 * old[i] + r);
            }
        }
        let Bc::Flux { q, .. } = right else { return u.iter().map(|v| v * v).sum() };
        q * u.iter().map(|v| v * v).sum::<f64>()
    }

    /// The condition is a parameter that is read.
    #[differentiate(wrt(u0, k))]
    pub fn step(u0: &[f64], k: f64, bc: Bc, other: &Bc) -> f64 {
        let n = u0.len();
        let mut sum = 0.0;
        for i in 0..n {
            let l = if i == 0 { bc.ghost(u0[0], u0[n - 1]) } else { u0[i - 1] };
            let r = if i + 1 == n { other.ghost(u0[n - 1], u0[0]) } else { u0[i + 1] };
            sum += (k * (l - 2.0 * u0[i] + r) + u0[i]).powi(2);
        }
        sum
    }
}

#[test]
fn conditions_at_ends() {
    use rod::Bc;
    let u = random(1, 6);
    for kind in 0..3 {
        for steps in 0..5 {
            let ends = [0.7, -0.4];
            let (value, g) = rod::energy::gradient(&u, &ends, kind, steps);
            assert!((value - rod::energy(&u, &ends, kind, steps)).abs() < 1e-14);
            check(
                |v| rod::energy(&v[0], v[1][..].try_into().unwrap(), kind, steps),
                &[&u, &ends],
                &[&g.u0, &g.ends],
            );
        }
    }
    let conditions =
        [Bc::Fixed(0.3), Bc::Flux { q: 0.4, scale: 2.0 }, Bc::Flux { q: 0.0, scale: 0.0 }, Bc::Periodic];
    for bc in conditions {
        for other in conditions {
            let (value, g) = rod::step::gradient(&u, 0.3, bc, &other);
            assert!((value - rod::step(&u, 0.3, bc, &other)).abs() < 1e-14);
            check(|v| rod::step(&v[0], v[1][0], bc, &other), &[&u, &[0.3]], &[&g.u0, &[g.k]]);
        }
    }
}

#[differentiate]
mod scene {
    use self::Solid::{Ball, Slab};

    #[derive(Clone, Copy, PartialEq)]
    pub enum Mode {
        Soft,
        Hard,
    }

    /// Not `Copy`, and with values of every kind.
    #[derive(Clone, PartialEq, Debug)]
    pub enum Solid {
        Ball { radius: f64, inverted: bool },
        Slab(f64, u8),
        Nothing,
    }

    #[derive(Clone, PartialEq, Debug)]
    pub struct Item {
        pub weight: f32,
        pub solid: Solid,
        pub layer: usize,
    }

    fn distance(solid: &Solid, x: f64) -> Option<f64> {
        match solid {
            Ball { radius, inverted: false } => Some(x.abs() - radius),
            Ball { radius: r, inverted: true } => Some(r - x.abs()),
            &Slab(d, k @ 1..=3) => Some(d * f64::from(k) - x),
            Slab(..) => None,
            Solid::Nothing => None,
        }
    }

    /// Items in an array, read in tasks and lanes.
    #[differentiate(wrt(x))]
    pub fn total(items: &[Item], extra: &[Solid; 2], x: &[f64], mode: Mode) -> f64 {
        let mut sum = 0.0;
        for (item, x) in items.iter().zip(x) {
            let Some(d) = distance(&item.solid, *x) else { continue };
            sum += f64::from(item.weight) * d * d * (1.0 + item.layer as f64);
            if item.solid == extra[0] && mode == Mode::Soft {
                sum += x.sin();
            }
            sum += distance(&extra[1], x * x).map_or(*x, |d| d * x);
        }
        sum
    }
}

#[test]
fn solids_in_arrays() {
    use scene::{Item, Mode, Solid};
    let solids = [
        Solid::Ball { radius: 0.4, inverted: false },
        Solid::Ball { radius: 0.6, inverted: true },
        Solid::Slab(0.3, 2),
        Solid::Slab(0.2, 7),
        Solid::Nothing,
    ];
    for n in [0, 1, 5, 300] {
        let x = positive(3, n);
        let items: Vec<Item> = (0..n)
            .map(|i| Item { weight: 0.5 + i as f32 / 8.0, solid: solids[i * 7 % 5].clone(), layer: i % 3 })
            .collect();
        for k in 0..5 {
            let extra = [solids[k].clone(), solids[(k + 2) % 5].clone()];
            for mode in [Mode::Soft, Mode::Hard] {
                let (value, g) = scene::total::gradient(&items, &extra, &x, mode);
                let expected = scene::total(&items, &extra, &x, mode);
                assert!((value - expected).abs() <= 1e-12 * expected.abs());
                if n <= 5 {
                    check(|v| scene::total(&items, &extra, &v[0], mode), &[&x], &[&g.x]);
                }
            }
        }
    }
}

#[differentiate]
mod machine {
    #[derive(Clone, Copy)]
    struct Spring {
        k: f64,
        rest: [f64; 2],
    }

    /// Holds structs, arrays, tuples and options.
    #[derive(Clone, Copy)]
    enum State {
        Free,
        Held(Spring),
        Pushed { force: [f64; 2], since: usize },
        Turning((f64, f64)),
    }

    impl State {
        fn force(&self, at: [f64; 2]) -> [f64; 2] {
            match *self {
                State::Free => [0.0; 2],
                State::Held(Spring { k, rest }) => std::array::from_fn(|i| k * (rest[i] - at[i])),
                State::Pushed { force: [a, b], since } => [a / (1.0 + since as f64), b],
                State::Turning((c, s)) => [c * at[0] - s * at[1], s * at[0] + c * at[1]],
            }
        }
    }

    pub fn path(start: [f64; 2], k: f64, force: &[f64; 2], steps: usize) -> f64 {
        let mut state = State::Free;
        let mut at = start;
        let mut seen = vec![state; steps + 1];
        for step in 0..steps {
            state = match state {
                State::Free if at[0] > 0.0 => State::Held(Spring { k, rest: *force }),
                State::Free => State::Turning((force[1], k)),
                State::Held(spring) if step > 2 => {
                    let [a, b] = spring.rest;
                    State::Pushed { force: [b * spring.k, a], since: step }
                }
                State::Turning((c, s)) => State::Pushed { since: 0, force: [s, c] },
                State::Pushed { since, .. } if since + 3 < step => State::Free,
                other => other,
            };
            seen[step] = state;
            let f = state.force(at);
            for (a, f) in at.iter_mut().zip(f) {
                *a += 0.1 * f;
            }
        }
        let mut sum = at[0] * at[1];
        for state in &seen {
            sum += match state {
                State::Held(spring) => spring.k * spring.rest[0],
                State::Turning((c, _)) => c * c,
                State::Pushed { .. } => 0.5 * at[0],
                State::Free => 0.0,
            };
        }
        sum
    }
}

#[test]
fn states_with_structs() {
    for start in [[0.3, 0.2], [-0.3, 0.5]] {
        for steps in [0, 1, 4, 12] {
            let force = [0.7, -0.3];
            let (_, g) = machine::path::gradient(start, 0.8, &force, steps);
            check(
                |v| machine::path(v[0][..].try_into().unwrap(), v[1][0], v[2][..].try_into().unwrap(), steps),
                &[&start, &[0.8], &force],
                &[&g.start, &[g.k], &g.force],
            );
        }
    }
}

#[differentiate]
mod changed {
    #[derive(Clone, Copy, PartialEq)]
    enum Gain {
        Constant(f64),
        Growing { now: f64, by: f64 },
    }

    impl Gain {
        fn next(&mut self) -> f64 {
            match self {
                Gain::Constant(g) => *g,
                Gain::Growing { now, by } => {
                    *now *= *by;
                    *now
                }
            }
        }
    }

    pub fn product(x: &[f64], g: f64, by: f64, grows: bool) -> f64 {
        let mut gain = if grows { Gain::Growing { now: g, by } } else { Gain::Constant(g) };
        let mut product = 1.0;
        for &x in x {
            product *= 1.0 + x * gain.next();
            if let Gain::Growing { now, .. } = &mut gain {
                *now += 0.1;
            }
        }
        if gain == (Gain::Constant(g)) { product + 1.0 } else { product }
    }
}

#[test]
fn values_that_are_changed_in_place() {
    let x = random(4, 5);
    for grows in [false, true] {
        let (value, g) = changed::product::gradient(&x, 0.6, 1.2, grows);
        assert!((value - changed::product(&x, 0.6, 1.2, grows)).abs() < 1e-14);
        check(
            |v| changed::product(&v[0], v[1][0], v[2][0], grows),
            &[&x, &[0.6], &[1.2]],
            &[&g.x, &[g.g], &[g.by]],
        );
    }
}

#[differentiate]
mod while_let {
    #[derive(Clone, Copy)]
    enum Step {
        Go { by: f64, left: usize },
        Stop(f64),
    }

    pub fn walked(x: &[f64], n: usize) -> f64 {
        let mut step = Step::Go { by: x[0], left: n };
        let mut at = 0.1_f64;
        while let Step::Go { by, left } = step {
            at += by * at.cos();
            step = if left == 0 || at > 2.0 {
                Step::Stop(at * by)
            } else {
                Step::Go { by: by * x[1], left: left - 1 }
            };
        }
        let mut stack = vec![0, 1, 2, 1];
        let mut sum = 0.0;
        while sum < 2.5
            && let Some(k) = stack.pop()
            && k != 0
        {
            if k == 2 {
                sum += 0.5;
                continue;
            }
            sum += x[k] * x[k];
        }
        match step {
            Step::Stop(value) => value * sum + at + stack.len() as f64,
            Step::Go { .. } => unreachable!(),
        }
    }
}

#[test]
fn loops_while_a_pattern_matches() {
    for x in [[0.4, 0.9, 0.3], [0.7, 1.8, 0.2]] {
        for n in [0, 3] {
            let (value, g) = while_let::walked::gradient(&x, n);
            assert!((value - while_let::walked(&x, n)).abs() < 1e-13);
            check(|v| while_let::walked(&v[0], n), &[&x], &[&g.x]);
        }
    }
}

/// Neither of them is `Clone`: copies are made of the variants.
#[differentiate(check, forward, hvp)]
mod families {
    pub enum Family {
        Poisson,
        Gamma { shape: f64, scale: [f64; 2] },
        Mixed([f64; 2], Link),
    }

    pub enum Link {
        Log,
        Power(f64),
    }

    pub struct Model {
        pub beta: f64,
        pub family: Family,
    }

    fn term(family: &Family, x: f64) -> f64 {
        match family {
            Family::Poisson => x.exp(),
            Family::Gamma { shape, scale } => shape * x.sin() * scale[1],
            Family::Mixed(weights, Link::Log) => x.ln() * weights[0],
            Family::Mixed(weights, Link::Power(by)) => x.powf(*by) * weights[1],
        }
    }

    pub fn lent(family: &Family, x: f64) -> f64 {
        term(family, x)
    }

    pub fn moved(family: Family, x: f64) -> Option<f64> {
        if x > 0.0 { Some(term(&family, x)) } else { None }
    }

    pub fn fitted(model: &Model) -> f64 {
        term(&model.family, model.beta) * model.beta
    }
}

#[test]
fn enums_need_not_be_clone_to_be_checked() {
    use families::{Family, Link, Model, fitted, lent, moved};
    let all: [fn() -> Family; 4] = [
        || Family::Poisson,
        || Family::Gamma { shape: 0.7, scale: [0.2, 0.9] },
        || Family::Mixed([0.3, 0.8], Link::Log),
        || Family::Mixed([0.3, 0.8], Link::Power(1.7)),
    ];
    for family in all {
        lent::check(&family(), 0.6).unwrap();
        moved::check(family(), 0.6).unwrap();
        fitted::check(&Model { beta: 0.6, family: family() }).unwrap();
        let (_, gradient) = moved::gradient(family(), 0.6).unwrap();
        let family = family();
        assert_eq!(gradient.x, lent::gradient(&family, 0.6).1.x);
    }
}
