//! Enums whose variants hold nothing, as options: parameters, members of structs, elements of arrays, locals.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
mod heat {
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Boundary {
        Periodic,
        Reflecting = 5,
        Absorbing,
    }

    fn neighbour(u: &[f64], i: usize, left: bool, boundary: Boundary) -> f64 {
        let n = u.len();
        match (boundary, left) {
            (Boundary::Periodic, true) => u[(i + n - 1) % n],
            (Boundary::Periodic, false) => u[(i + 1) % n],
            (Boundary::Reflecting, true) => u[i.saturating_sub(1)],
            (Boundary::Reflecting, false) => u[(i + 1).min(n - 1)],
            (Boundary::Absorbing, true) if i == 0 => 0.0,
            (Boundary::Absorbing, false) if i == n - 1 => 0.0,
            (Boundary::Absorbing, true) => u[i - 1],
            (Boundary::Absorbing, false) => u[i + 1],
        }
    }

    pub fn energy(u0: &[f64], kappa: f64, steps: usize, boundary: Boundary) -> f64 {
        let mut u = u0.to_vec();
        for _ in 0..steps {
            let old = u.clone();
            for (i, v) in u.iter_mut().enumerate() {
                let (l, r) = (neighbour(&old, i, true, boundary), neighbour(&old, i, false, boundary));
                *v += kappa * (l - 2.0 * old[i] + r);
            }
        }
        u.iter().map(|v| v * v).sum()
    }
}

#[test]
fn an_enum_as_a_parameter() {
    use heat::Boundary;
    let u = random(1, 7);
    for boundary in [Boundary::Periodic, Boundary::Reflecting, Boundary::Absorbing] {
        let (value, g) = heat::energy::gradient(&u, 0.2, 4, boundary);
        assert!((value - heat::energy(&u, 0.2, 4, boundary)).abs() < 1e-14);
        check(|v| heat::energy(&v[0], v[1][0], 4, boundary), &[&u, &[0.2]], &[&g.u0, &[g.kappa]]);
    }
}

#[differentiate]
mod network {
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub enum Activation {
        Relu,
        Tanh,
        Softplus,
        Identity,
    }

    impl Activation {
        const LAST: Activation = Activation::Identity;

        fn apply(self, x: f64) -> f64 {
            match self {
                Self::Relu => x.max(0.0),
                Self::Tanh => x.tanh(),
                Activation::Softplus => x.exp().ln_1p(),
                Activation::Identity => x,
            }
        }
    }

    #[derive(Clone, Copy, Debug)]
    pub struct Layer {
        pub inputs: usize,
        pub outputs: usize,
        pub act: Activation,
        pub gain: f64,
    }

    pub fn loss(params: &[f64], layers: &[Layer], x: &[f64], y: f64) -> f64 {
        let mut h = x.to_vec();
        let mut at = 0;
        for layer in layers {
            let w = &params[at..at + layer.inputs * layer.outputs];
            at += w.len();
            let bias = &params[at..at + layer.outputs];
            at += layer.outputs;
            h = w
                .chunks_exact(layer.inputs)
                .zip(bias)
                .map(|(row, b)| {
                    let z = b + row.iter().zip(&h).map(|(w, h)| w * h).sum::<f64>();
                    layer.gain * layer.act.apply(z)
                })
                .collect();
            if layer.act != Activation::LAST {
                h.iter_mut().for_each(|v| *v *= 1.1);
            }
        }
        (h[0] - y).powi(2)
    }
}

#[test]
fn an_enum_in_structs_with_methods() {
    use network::{Activation, Layer};
    let layers = |gains: &[f64]| {
        let last = if gains[0] > 9.0 { Activation::Relu } else { Activation::Identity };
        [
            Layer { inputs: 2, outputs: 3, act: Activation::Tanh, gain: gains[0] },
            Layer { inputs: 3, outputs: 2, act: Activation::Softplus, gain: gains[1] },
            Layer { inputs: 2, outputs: 1, act: last, gain: gains[2] },
        ]
    };
    let (params, x, gains) = (random(1, 20), random(2, 2), [1.1, 0.9, 1.3]);
    let (_, g) = network::loss::gradient(&params, &layers(&gains), &x, 0.3);
    let d_gains: Vec<f64> = g.layers.iter().map(|layer| layer.gain).collect();
    assert_eq!(g.layers[1].act, Activation::Softplus);
    check(
        |v| network::loss(&v[0], &layers(&v[3]), &v[1], v[2][0]),
        &[&params, &x, &[0.3], &gains],
        &[&g.params, &g.x, &[g.y], &d_gains],
    );
}

#[differentiate]
mod mixture {
    use self::Kind::*;

    #[derive(Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Kind {
        Linear = 2,
        Square,
        Sine = 9,
    }

    #[derive(Clone, Copy)]
    pub struct Term {
        pub weight: f64,
        pub kinds: [Kind; 2],
    }

    fn of(kind: Kind, x: f64) -> f64 {
        match kind {
            Linear => x,
            Square => x * x,
            Sine => x.sin(),
        }
    }

    fn other(kind: Kind) -> Kind {
        if kind == Sine { Linear } else { Sine }
    }

    /// Iterations that meet in sums alone, so that the enums are read in tasks and lanes.
    pub fn total(terms: &[Term], extra: &[Kind], x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            let term = terms[i];
            let mut inner = of(term.kinds[0], x[i]) + of(term.kinds[1], x[i]);
            inner *= 1.0 + 0.1 * extra[i] as u8 as f64;
            let mut last = extra[i];
            if i % 3 == 0 {
                last = other(last);
            }
            sum += term.weight * inner + of(last, x[i]);
            sum += if matches!(term.kinds[1], Linear | Square) { x[i] } else { 0.0 };
        }
        sum
    }
}

#[test]
fn enums_in_arrays_and_tasks() {
    use mixture::{Kind, Term};
    let kinds = [Kind::Linear, Kind::Square, Kind::Sine];
    for n in [0, 1, 7, 300] {
        let (weights, x) = (random(1, n), positive(2, n));
        let terms = |weights: &[f64]| -> Vec<Term> {
            let each = weights.iter().enumerate();
            each.map(|(i, &weight)| Term { weight, kinds: [kinds[i % 3], kinds[i / 3 % 3]] }).collect()
        };
        let extra: Vec<Kind> = (0..n).map(|i| kinds[i / 2 % 3]).collect();
        let (_, g) = mixture::total::gradient(&terms(&weights), &extra, &x);
        let d_weights: Vec<f64> = g.terms.iter().map(|term| term.weight).collect();
        check(|v| mixture::total(&terms(&v[0]), &extra, &v[1]), &[&weights, &x], &[&d_weights, &g.x]);
    }
}

#[differentiate]
mod behind_references {
    #[derive(Clone, Copy, PartialEq)]
    pub enum Shape {
        Round,
        Flat,
    }

    fn area(shape: &Shape, r: f64) -> f64 {
        match shape {
            Shape::Round => 3.0 * r * r,
            Shape::Flat => 4.0 * r,
        }
    }

    pub fn total(
        one: &Shape,
        pair: &[Shape; 2],
        with: &(Shape, f64),
        by_value: [Shape; 2],
        r: &[f64],
    ) -> f64 {
        let mut sum = 0.0;
        for i in 0..r.len() {
            sum +=
                area(one, r[i]) * area(&pair[i % 2], r[i]) + area(&with.0, with.1) * area(&by_value[0], r[i]);
            if pair[0] == by_value[1] && *one != Shape::Flat {
                sum += r[i] * r[i];
            }
        }
        sum
    }
}

#[test]
fn enums_behind_references() {
    use behind_references::{Shape, total};
    let r = positive(1, 20);
    for (one, other) in
        [(Shape::Round, Shape::Flat), (Shape::Flat, Shape::Round), (Shape::Round, Shape::Round)]
    {
        let (_, g) = total::gradient(&one, &[one, other], &(other, 0.3), [other, one], &r);
        check(
            |v| total(&one, &[one, other], &(other, v[1][0]), [other, one], &v[0]),
            &[&r, &[0.3]],
            &[&g.r, &[g.with.1]],
        );
    }
}

/// Enums that are no `Copy`: moved, behind references, in structs.
#[differentiate]
mod quotes {
    #[derive(Debug, Clone, Eq, PartialEq)]
    pub enum Side {
        Call,
        Put,
    }

    #[derive(Debug, Clone)]
    pub struct Quote {
        pub side: Side,
        pub strike: f64,
    }

    #[differentiate(check)]
    pub fn value(quote: &Quote, spot: f64) -> f64 {
        match quote.side {
            Side::Call => spot * spot / quote.strike,
            Side::Put => quote.strike / spot,
        }
    }

    #[differentiate(check)]
    pub fn moved(side: Side, spot: f64, other: &Side) -> Result<f64, String> {
        if side == *other {
            return Err("no spread".to_owned());
        }
        match side {
            Side::Call => Ok(spot.sin()),
            Side::Put => Ok(spot.cos()),
        }
    }
}

#[test]
fn an_enum_without_copy_is_read_by_its_variants() {
    for side in [quotes::Side::Call, quotes::Side::Put] {
        let quote = quotes::Quote { side: side.clone(), strike: 1.3 };
        quotes::value::check(&quote, 0.7).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        let (_, gradient) = quotes::value::gradient(&quote, 0.7);
        assert_eq!(gradient.quote.side, side);
        let other = if side == quotes::Side::Call { quotes::Side::Put } else { quotes::Side::Call };
        quotes::moved::check(side.clone(), 0.7, &other).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        assert!(quotes::moved::value(side.clone(), 0.7, &side).is_err());
    }
}

/// An enum without `Copy` and `Clone`.
#[differentiate(check)]
mod planets {
    pub enum Planet {
        Inner,
        Outer,
    }

    pub fn elements(planet: &Planet, t: f64) -> (f64, f64) {
        let (mean, axis);
        match planet {
            &Planet::Inner => {
                mean = 0.3 + 2.0 * t;
                axis = t * t;
            }
            &Planet::Outer => {
                mean = 0.1 - t;
                axis = 5.0;
            }
        }
        (mean * axis, axis)
    }
}

#[test]
fn an_enum_that_is_not_copied() {
    planets::elements::check(&planets::Planet::Inner, 0.4).unwrap();
    planets::elements::check(&planets::Planet::Outer, 0.4).unwrap();
}
