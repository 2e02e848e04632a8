//! Fields whose types are not known: derivatives leave them as they are.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod springs {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::rc::Rc;

    #[derive(Clone, Debug, PartialEq)]
    pub struct Spring {
        pub name: String,
        pub stiffness: f64,
        pub ends: [f64; 2],
        pub turns: usize,
        pub damping: Option<f64>,
        /// Which no other thread may touch.
        pub notes: Rc<RefCell<Vec<&'static str>>>,
    }

    impl Spring {
        /// A spring by name.
        pub fn named(name: &str, stiffness: f64, ends: [f64; 2]) -> Spring {
            Spring { name: name.to_owned(), stiffness, ends, turns: 3, damping: None, notes: Rc::default() }
        }

        fn energy(&self, x: f64) -> f64 {
            let Spring { stiffness, ends, turns, name: _, .. } = self;
            let damped = self.damping.unwrap_or(0.5) * x * x;
            stiffness * (x - ends[0]) * (x - ends[1]) * *turns as f64 + damped
        }

        fn softer(&self, by: f64) -> Spring {
            Spring {
                stiffness: self.stiffness - by * self.ends[0],
                name: format!("softer {}", self.name),
                ..self.clone()
            }
        }
    }

    /// Some of them behind each other.
    pub fn total(springs: &[Spring], x: f64) -> f64 {
        let mut sum = 0.0;
        for spring in springs {
            println!("{}", spring.name);
            sum += spring.energy(x) * spring.softer(0.1).energy(x);
        }
        sum
    }

    #[differentiate(forward, hvp, batch(2), check)]
    pub fn one(spring: &Spring, x: f64) -> f64 {
        spring.energy(x).sin()
    }

    #[differentiate(forward, check)]
    pub fn moved(spring: Spring, x: f64) -> f64 {
        spring.energy(x).sin()
    }

    #[differentiate(forward, check)]
    pub fn load(spring: &mut Spring, x: f64) {
        spring.stiffness += x * spring.ends[0];
        spring.ends[1] *= spring.stiffness;
        spring.turns += 1;
        if spring.turns > 2 {
            spring.damping = Some(x * x);
        }
    }

    /// Loads all of them.
    #[differentiate(forward)]
    pub fn load_all(springs: &mut [Spring], x: &[f64]) {
        for (spring, x) in springs.iter_mut().zip(x) {
            spring.stiffness += x * spring.ends[0];
            spring.ends[1] *= spring.stiffness;
            spring.turns += 1;
        }
    }

    #[differentiate(check)]
    pub fn checked(spring: &mut Spring, x: f64) -> Result<f64, String> {
        if x < 0.0 {
            return Err(format!("{}: {x}", spring.name));
        }
        spring.stiffness *= x;
        Ok(spring.energy(x))
    }

    /// Springs in a frame that is no `Clone`.
    pub struct Frame {
        pub title: Box<dyn Fn() -> String>,
        pub springs: Vec<Spring>,
        pub first: Spring,
        pub pair: [Spring; 2],
        pub weights: Vec<f64>,
        pub by_name: HashMap<String, usize>,
        pub gain: f64,
    }

    #[differentiate(forward, hvp, split)]
    pub fn framed(frame: &Frame, x: f64) -> f64 {
        let mut sum = frame.gain * frame.first.energy(x) * frame.pair[1].stiffness;
        for (spring, weight) in frame.springs.iter().zip(&frame.weights) {
            sum += weight * spring.energy(x);
        }
        sum
    }

    pub fn tighten(frame: &mut Frame, by: f64) {
        frame.gain *= by;
        for (spring, weight) in frame.springs.iter_mut().zip(&mut frame.weights) {
            spring.stiffness *= by * *weight;
            *weight += by;
        }
    }
}

use springs::{Frame, Spring};

fn spring(at: usize) -> Spring {
    let v = random(at as u64, 3);
    let mut spring = Spring::named(&format!("number {at}"), 2.0 + v[0], [v[1], v[2]]);
    spring.turns = 1 + at % 3;
    spring.damping = (at % 2 == 1).then_some(v[0] * v[1]);
    spring.notes.borrow_mut().push("noted");
    spring
}

/// The spring with other floats.
fn moved_to(spring: &Spring, v: &[f64]) -> Spring {
    let damping = spring.damping.map(|_| v[3]);
    Spring { stiffness: v[0], ends: [v[1], v[2]], damping, ..spring.clone() }
}

fn floats(spring: &Spring) -> Vec<f64> {
    let Spring { stiffness, ends, damping, .. } = spring;
    [&[*stiffness, ends[0], ends[1]], damping.as_slice()].concat()
}

#[test]
fn structs_in_slices() {
    let all: Vec<Spring> = (0..4).map(spring).collect();
    let (value, g) = springs::total::gradient(&all, 0.7);
    assert!((value - springs::total(&all, 0.7)).abs() < 1e-12);
    // what is not known is that of the argument
    assert_eq!(g.springs[2].name, "number 2");
    assert!(std::rc::Rc::ptr_eq(&g.springs[2].notes, &all[2].notes));
    let inputs: Vec<Vec<f64>> = all.iter().map(floats).collect();
    let gradients: Vec<Vec<f64>> = g.springs.iter().map(floats).collect();
    let (x, d_x) = ([0.7], [g.x]);
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).chain([&x[..]]).collect();
    let gradients: Vec<&[f64]> = gradients.iter().map(Vec::as_slice).chain([&d_x[..]]).collect();
    let value = |v: &[Vec<f64>]| {
        let moved: Vec<Spring> = all.iter().zip(v).map(|(spring, v)| moved_to(spring, v)).collect();
        springs::total(&moved, v[4][0])
    };
    check(value, &inputs, &gradients);
    let mut adjoints: Vec<Spring> = (0..4).map(|_| Spring::named("adjoint", 0.0, [0.0; 2])).collect();
    let mut d_x = 0.0;
    springs::total::grad_into(&all, &mut adjoints, 0.7, &mut d_x);
    for (one, other) in adjoints.iter().zip(&g.springs) {
        assert_eq!((one.name.as_str(), floats(one)), ("adjoint", floats(other)));
    }
}

#[test]
fn all_modes_agree() {
    springs::one::check(&spring(1), 0.4).expect("one");
    springs::moved::check(spring(2), 0.4).expect("moved");
    springs::load::check(&mut spring(1), 0.4).expect("load");
    springs::checked::check(&mut spring(1), 0.4).expect("checked");
    let directions = [spring(3), spring(5)];
    let batch = springs::one::jvp_batch(&spring(1), &directions, 0.4, [0.3, -0.2]).1;
    for (member, (direction, x_dot)) in directions.iter().zip([0.3, -0.2]).enumerate() {
        let alone = springs::one::jvp(&spring(1), direction, 0.4, x_dot).1;
        assert!((batch[member] - alone).abs() < 1e-14);
    }
}

#[test]
fn structs_that_are_written() {
    let (mut own, mut derived) = (spring(1), spring(1));
    let mut d_spring = Spring { damping: Some(1.0), ..Spring::named("adjoint", 1.0, [1.0, 1.0]) };
    let mut d_x = 0.0;
    springs::load(&mut own, 0.4);
    springs::load::vjp(&mut derived, &mut d_spring, 0.4, &mut d_x);
    assert_eq!(own, derived);
    assert_eq!((d_spring.name.as_str(), d_spring.notes.borrow().len()), ("adjoint", 0));
    // ends[1] * (stiffness + x ends[0]), stiffness + x ends[0], ends[0], x^2
    let (before, stiffness) = (spring(1), own.stiffness);
    let d_stiffness = 1.0 + before.ends[1];
    let expected = [d_stiffness, 1.0 + d_stiffness * 0.4, stiffness];
    let mut got = floats(&d_spring);
    got.truncate(3);
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{got:?} {expected:?}");
    assert!((d_x - (d_stiffness * before.ends[0] + 0.8)).abs() < 1e-14);

    let mut all: Vec<Spring> = (0..3).map(spring).collect();
    let mut own = all.clone();
    let mut tangents: Vec<Spring> = (3..6).map(spring).collect();
    let x = [0.1, 0.2, 0.3];
    for (tangent, spring) in tangents.iter_mut().zip(&all) {
        tangent.damping = spring.damping;
    }
    let before = (all.clone(), tangents.clone());
    springs::load_all(&mut own, &x);
    springs::load_all::jvp(&mut all, &mut tangents, &x, &[1.0; 3]);
    for at in 0..3 {
        assert_eq!((&all[at].name, all[at].turns), (&own[at].name, own[at].turns));
        let (value, tangent) = (&before.0[at], &before.1[at]);
        let stiffness_dot = tangent.stiffness + value.ends[0] + x[at] * tangent.ends[0];
        let end_dot = tangent.ends[1] * own[at].stiffness + value.ends[1] * stiffness_dot;
        assert!((tangents[at].stiffness - stiffness_dot).abs() < 1e-14);
        assert!((tangents[at].ends[1] - end_dot).abs() < 1e-14);
        assert_eq!(tangents[at].name, tangent.name);
    }
}

#[test]
fn functions_that_fail_keep_the_field() {
    let mut kept = spring(1);
    let (mut d_spring, mut d_x) = (spring(1), 0.0);
    let failed = springs::checked::vjp(&mut kept, &mut d_spring, -1.0, &mut d_x, 1.0);
    assert_eq!(failed, Err("number 1: -1".to_owned()));
    assert_eq!((kept.clone(), d_spring.clone()), (spring(1), spring(1)));
    assert!(springs::checked::vjp(&mut kept, &mut d_spring, 0.5, &mut d_x, 1.0).is_ok());
    assert_eq!((kept.name.as_str(), kept.stiffness), ("number 1", spring(1).stiffness * 0.5));
}

fn frame(v: &[Vec<f64>]) -> Frame {
    Frame {
        title: Box::new(|| "frame".to_owned()),
        springs: (0..3).map(|at| moved_to(&spring(at), &v[at])).collect(),
        first: moved_to(&spring(3), &v[3]),
        pair: [moved_to(&spring(4), &v[4]), moved_to(&spring(5), &v[5])],
        weights: v[6].clone(),
        by_name: [("first".to_owned(), 3)].into(),
        gain: v[7][0],
    }
}

fn floats_of_frame(frame: &Frame) -> Vec<Vec<f64>> {
    let all = frame.springs.iter().chain([&frame.first]).chain(&frame.pair);
    all.map(floats).chain([frame.weights.clone(), vec![frame.gain]]).collect()
}

#[test]
fn structs_of_structs_and_vectors() {
    let mut start: Vec<Vec<f64>> = (0..6).map(|at| floats(&spring(at))).collect();
    start.extend([random(9, 3), vec![1.5]]);
    let zeros: Vec<Vec<f64>> = start.iter().map(|part| vec![0.0; part.len()]).collect();
    let (at, mut adjoint, mut d_x) = (frame(&start), frame(&zeros), 0.0);
    let value = springs::framed::grad(&at, &mut adjoint, 0.7, &mut d_x);
    assert!((value - springs::framed(&at, 0.7)).abs() < 1e-12);
    let gradients = floats_of_frame(&adjoint);
    let (x, d_x) = ([0.7], [d_x]);
    let inputs: Vec<&[f64]> = start.iter().map(Vec::as_slice).chain([&x[..]]).collect();
    let gradients: Vec<&[f64]> = gradients.iter().map(Vec::as_slice).chain([&d_x[..]]).collect();
    check(|v| springs::framed(&frame(v), v[8][0]), &inputs, &gradients);
    // the tangent along ones is the sum of the gradient
    let ones: Vec<Vec<f64>> = start.iter().map(|part| vec![1.0; part.len()]).collect();
    let slope = springs::framed::jvp(&at, &frame(&ones), 0.7, 1.0).1;
    let sum: f64 = gradients.iter().copied().flatten().sum();
    assert!((slope - sum).abs() < 1e-12 * sum.abs().max(1.0), "{slope} {sum}");
    let mut tape = springs::framed::Tape::default();
    springs::framed::forward(&at, 0.7, &mut tape);
    let (mut again, mut d_again) = (frame(&zeros), 0.0);
    springs::framed::backward(&at, &mut again, 0.7, &mut d_again, &tape, 1.0);
    for (one, other) in floats_of_frame(&again).iter().flatten().zip(gradients.iter().copied().flatten()) {
        assert!((one - other).abs() < 1e-12);
    }

    let (mut own, mut derived, mut d_by) = (frame(&start), frame(&start), 0.0);
    springs::tighten(&mut own, 0.9);
    let mut adjoint = frame(&ones);
    springs::tighten::vjp(&mut derived, &mut adjoint, 0.9, &mut d_by);
    assert_eq!(floats_of_frame(&own), floats_of_frame(&derived));
    assert_eq!(((derived.title)(), derived.by_name["first"]), ("frame".to_owned(), 3));
    let sum = |by: &[Vec<f64>]| {
        let mut moved = frame(&start);
        springs::tighten(&mut moved, by[0][0]);
        // variants and options that are constants are ones
        floats_of_frame(&moved).iter().flatten().sum()
    };
    check(sum, &[&[0.9]], &[&[d_by]]);
}

#[differentiate]
mod rows {
    /// Points of a line.
    #[derive(Clone)]
    pub struct Line {
        pub name: String,
        pub points: Vec<f64>,
        pub weight: f64,
        pub tags: Vec<String>,
    }

    #[differentiate(forward, hvp)]
    pub fn length(lines: &[Line]) -> f64 {
        let mut sum = 0.0;
        for line in lines {
            for p in &line.points {
                sum += line.weight * p * p;
            }
        }
        sum
    }

    pub fn scale(lines: &mut [Line]) {
        for line in lines.iter_mut() {
            for i in 0..line.points.len() {
                line.points[i] *= line.weight;
            }
        }
    }
}

#[test]
fn elements_with_vectors() {
    let line = |at: usize, points: Vec<f64>| rows::Line {
        name: format!("line {at}"),
        points,
        weight: 1.0 + at as f64,
        tags: vec!["tag".to_owned()],
    };
    let mut lines = vec![line(0, vec![1.0, 2.0]), line(1, vec![3.0, 4.0])];
    let (value, g) = rows::length::gradient(&lines);
    assert_eq!((value, g.lines[1].points.clone(), g.lines[0].weight), (55.0, vec![12.0, 16.0], 5.0));
    assert_eq!((g.lines[1].name.as_str(), g.lines[1].tags.len()), ("line 1", 1));
    let mut adjoints = vec![line(2, vec![1.0; 2]), line(3, vec![1.0; 2])];
    rows::scale::vjp(&mut lines, &mut adjoints);
    assert_eq!((lines[1].points.clone(), lines[1].name.as_str()), (vec![6.0, 8.0], "line 1"));
    assert_eq!((adjoints[1].points.clone(), adjoints[1].weight), (vec![2.0; 2], 4.0 + 7.0));
}

#[differentiate]
mod generic {
    pub struct Labelled<'a, T> {
        pub label: &'a str,
        pub value: T,
        pub print: Box<dyn Fn(f64) -> String>,
    }

    impl<'a, T> Labelled<'a, T> {
        pub fn new(label: &'a str, value: T) -> Self {
            Labelled { label, value, print: Box::new(|x| x.to_string()) }
        }
    }

    pub fn square(of: &Labelled<'_, f64>, x: f64) -> f64 {
        let other = Labelled::new(of.label, x);
        of.value * of.value * other.value
    }

    /// A list.
    pub struct Node {
        pub next: Option<Box<Node>>,
        pub x: f64,
    }

    pub fn first(node: &Node) -> f64 {
        node.x * node.x
    }

    /// Nothing but what is not known.
    pub struct Name {
        pub text: String,
    }

    pub fn ignored(_name: &Name, x: f64) -> f64 {
        x * x
    }
}

#[test]
fn borrowed_boxed_and_alone() {
    let mut d_of = generic::Labelled::new("adjoint", 0.0);
    let mut d_x = 0.0;
    let value = generic::square::grad(&generic::Labelled::new("of", 3.0), &mut d_of, 2.0, &mut d_x);
    assert_eq!((value, d_of.value, d_x), (18.0, 12.0, 9.0));
    assert_eq!((d_of.label, (d_of.print)(1.5)), ("adjoint", "1.5".to_owned()));
    let node = generic::Node { next: Some(Box::new(generic::Node { next: None, x: 1.0 })), x: 3.0 };
    let mut d_node = generic::Node { next: None, x: 0.0 };
    assert_eq!(generic::first::grad(&node, &mut d_node), 9.0);
    assert_eq!((d_node.x, d_node.next.is_none(), node.next.map(|next| next.x)), (6.0, true, Some(1.0)));
    let name = generic::Name { text: "name".to_owned() };
    assert_eq!((generic::ignored::gradient(&name, 3.0).1.x, name.text.len()), (6.0, 4));
}

/// A struct whose name nobody outside its module sees.
mod apart {
    use pardiff::differentiate;

    #[differentiate(export)]
    #[derive(Clone, Debug, PartialEq)]
    pub struct Cable {
        name: String,
        pub stiffness: f64,
        pub rest: [f64; 2],
    }

    #[differentiate(export, uses(Cable))]
    impl Cable {
        pub fn new(name: &str, stiffness: f64, rest: [f64; 2]) -> Cable {
            Cable { name: name.to_owned(), stiffness, rest }
        }

        pub fn name(&self) -> &str {
            &self.name
        }

        pub fn energy(&self, x: f64) -> f64 {
            self.stiffness * (x - self.rest[0]) * (x - self.rest[1])
        }
    }
}

#[differentiate(uses(apart::Cable, apart::cable), check)]
fn stretched(cables: &[apart::Cable], x: f64) -> f64 {
    cables.iter().map(|cable| cable.energy(x) * cable.energy(0.5 * x)).sum()
}

#[test]
fn a_private_field_is_in_the_gradient() {
    let cables = [apart::Cable::new("a", 2.0, [1.0, 3.0]), apart::Cable::new("b", 3.0, [0.5, 1.0])];
    stretched::check(&cables, 2.0).expect("right derivatives");
    let (_, gradient) = stretched::gradient(&cables[..1], 2.0);
    // the energy is -2 at 2 and 0 at 1, where its derivatives are 4 by the first rest and 0 by the others
    assert_eq!(gradient.cables, [apart::Cable::new("a", 0.0, [-8.0, 0.0])]);
    assert_eq!(gradient.cables[0].name(), "a");
}
