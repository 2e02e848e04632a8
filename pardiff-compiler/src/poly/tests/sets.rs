//! Emptiness, bounds, implication and elimination against enumeration.

use super::random::Random;
use crate::poly::{Affine, Answer, Constraint, Set, Sym};

const BOX: i128 = 6;

fn form(random: &mut Random, symbols: &[Sym], size: i128) -> Affine {
    let mut form = Affine::number(random.range(-2 * size, 2 * size));
    for &sym in symbols {
        let term = Affine::symbol(sym).scale(random.range(-size, size)).expect("small");
        form = form.add(&term).expect("small");
    }
    form
}

fn value(form: &Affine, symbols: &[Sym], point: &[i128]) -> i128 {
    symbols.iter().zip(point).map(|(&sym, x)| form.coefficient(sym) * x).sum::<i128>() + form.constant()
}

fn holds(constraint: &Constraint, symbols: &[Sym], point: &[i128]) -> bool {
    match constraint {
        Constraint::Zero(form) => value(form, symbols, point) == 0,
        Constraint::NonNegative(form) => value(form, symbols, point) >= 0,
        Constraint::NonZero(form) => value(form, symbols, point) != 0,
    }
}

fn points(dimensions: usize) -> Vec<Vec<i128>> {
    let mut points = vec![Vec::new()];
    for _ in 0..dimensions {
        let longer = |point: Vec<i128>| (-BOX..=BOX).map(move |x| point.iter().copied().chain([x]).collect());
        points = points.into_iter().flat_map(longer).collect();
    }
    points
}

/// A random set inside the box.
fn random_set(random: &mut Random, symbols: &[Sym]) -> Set {
    let mut set = Set::all();
    for &sym in symbols {
        set.add(Affine::symbol(sym).offset(BOX).map(Constraint::NonNegative));
        let above = Affine::symbol(sym).scale(-1).and_then(|form| form.offset(BOX));
        set.add(above.map(Constraint::NonNegative));
    }
    for _ in 0..random.range(0, 3) {
        let size = random.range(1, 4);
        let form = form(random, symbols, size);
        set.add(match random.below(5) {
            0 | 1 => Constraint::Zero(form),
            2 => Constraint::NonZero(form),
            _ => Constraint::NonNegative(form),
        });
    }
    set
}

#[test]
fn sets_agree_with_enumeration() {
    let mut random = Random(1);
    let (mut unknown, mut asked) = (0, 0);
    for round in 0..1500 {
        let dimensions = 1 + round % 3;
        let symbols: Vec<Sym> = (0..dimensions).map(Sym::auxiliary).collect();
        let set = random_set(&mut random, &symbols);
        let all = points(dimensions);
        let holds_all = |point: &&Vec<i128>| set.constraints().iter().all(|c| holds(c, &symbols, point));
        let inside: Vec<&Vec<i128>> = all.iter().filter(holds_all).collect();
        let mut judge = |answer: Answer, truth: bool| {
            asked += 1;
            match answer {
                Answer::Unknown => unknown += 1,
                known => assert_eq!(known == Answer::Yes, truth, "{set:?}"),
            }
        };
        judge(set.is_empty(), inside.is_empty());
        let question = form(&mut random, &symbols, 2);
        if !inside.is_empty() {
            let zero = Constraint::Zero(question.clone());
            judge(
                set.is_emptied_by(&zero),
                inside.iter().all(|point| value(&question, &symbols, point) != 0),
            );
        }
        let (low, high) = set.bounds(&question);
        for point in &inside {
            let value = value(&question, &symbols, point);
            assert!(low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high), "{set:?}");
        }
        // the projection has exactly the points that have a completion
        let (dropped, kept) = (symbols[0], &symbols[1..]);
        if let Some(projection) = set.eliminate(&[dropped]) {
            for rest in points(dimensions - 1) {
                let projected = projection.constraints().iter().all(|c| holds(c, kept, &rest));
                let completed = inside.iter().any(|point| point[1..] == rest[..]);
                assert_eq!(projected, completed, "{set:?} {projection:?} {rest:?}");
            }
        }
    }
    assert!(unknown * 50 < asked, "{unknown} of {asked} are unknown");
}

#[test]
fn numbers_that_do_not_fit_are_unknown() {
    let (x, y) = (Affine::symbol(Sym::auxiliary(0)), Affine::symbol(Sym::auxiliary(1)));
    let huge = i128::MAX - 1;
    let mut set = Set::all();
    set.add(x.scale(huge).and_then(|x| x.sub(&y)).map(Constraint::NonNegative));
    set.add(y.scale(huge - 1).and_then(|y| y.sub(&x)).map(Constraint::NonNegative));
    assert_eq!(set.is_empty(), Answer::Unknown);
    assert!(x.scale(huge).and_then(|x| x.scale(3)).is_none());
}
