//! Random programs with messages, on 2 and 3 ranks: at every stage they leave what the lowered program leaves, and
//! derivatives are the transpose of what dual numbers say, summed over ranks, exactly modulo a prime.
//!
//! `PARDIFF_RANDOM_RANKS` is the number of programs.

use crate::oracle::{ModDual, Tangent, add, array, floats, times};
use crate::random::draw::Draw;
use pardiff_compiler::ir::interp::{Array, Fault, FaultKind, ModPrime, Number, Outcome, no_paths, run_ranks};
use pardiff_compiler::ir::{BufferId, Program, verify};
use pardiff_compiler::{adjoint, bounds, frontend, hoist, normalise, simplify};

/// Arrays of four numbers.
const READ: [&str; 4] = ["a", "b", "x", "y"];
const WRITTEN: [&str; 3] = ["a", "b", "y"];

struct Generator(Draw);

impl Generator {
    fn read(&mut self) -> &'static str {
        self.0.pick::<&'static str>(&READ)
    }

    fn written(&mut self) -> &'static str {
        self.0.pick::<&'static str>(&WRITTEN)
    }

    fn program(&mut self) -> String {
        let body = self.block(5, 2);
        format!(
            "fn f(world: &impl Communicator, x: &[f64], y: &mut [f64]) {{
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let (mut a, mut b) = ([1.0, 2.0, 0.0, 3.0], [0.0; 4]);
    for i in 0..4 {{ b[i] = x[i] * x[3 - i]; }}
{body}
    for i in 0..4 {{ y[i] += a[i] * b[i]; }}
}}"
        )
    }

    fn block(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join("\n")
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.0.below(if depth > 0 { 12 } else { 10 }) {
            0 | 1 => self.arithmetic(),
            2 => self.ring(),
            3 => self.pairs(),
            4 => self.of_all(),
            5 => self.through_a_root(),
            6 | 7 => self.requests(),
            8 => self.requests_in_loops(),
            9 => {
                let (then, els) = (self.arithmetic(), self.arithmetic());
                format!("if rank % 2 == 0 {{ {then} }} else {{ {els} }}")
            }
            10 => format!("for _ in 0..2 {{ {} }}", self.block(2, depth - 1)),
            _ => format!("{{ {} }}", self.block(2, depth - 1)),
        }
    }

    fn arithmetic(&mut self) -> String {
        let (t, s, u, v) = (self.written(), self.read(), self.read(), self.read());
        let k = self.0.below(4);
        match self.0.below(3) {
            0 => format!("for i in 0..4 {{ {t}[i] = {s}[i] * {u}[3 - i] + {v}[i]; }}"),
            1 => format!("{t}[{k}] += {s}[{}] * {u}[{k}];", (k + 1) % 4),
            _ => format!("for i in 1..4 {{ {t}[i] = {s}[i - 1] - f64::from(rank + 1) * {u}[i]; }}"),
        }
    }

    /// What arrived becomes part of an array.
    fn used(&mut self, got: &str) -> String {
        let (t, s) = (self.written(), self.read());
        match self.0.below(3) {
            0 => format!("for i in 0..2 {{ {t}[i + 1] += {got}[i] * {s}[i]; }}"),
            1 => format!("{t}[..2].copy_from_slice(&{got}[..]);"),
            _ => format!("{t}[3] = {got}[1] * {got}[0];"),
        }
    }

    fn ring(&mut self) -> String {
        let (s, at, used) = (self.read(), self.0.below(3), self.used("got"));
        format!(
            "{{ let mut got = [0.0; 2];
    point_to_point::send_receive_into(&{s}[{at}..{}], &next, &mut got[..], &before);
    {used} }}",
            at + 2
        )
    }

    fn pairs(&mut self) -> String {
        let (s, t, u, v) = (self.read(), self.written(), self.read(), self.written());
        format!(
            "if rank % 2 == 0 {{
    if rank + 1 < size {{ next.send(&{s}[..3]); next.receive_into_with_tag(&mut {t}[2..], 5); }}
}} else {{
    before.receive_into(&mut {v}[1..]); before.send_with_tag(&{u}[1..3], 5);
}}"
        )
    }

    fn of_all(&mut self) -> String {
        let (s, used) = (self.read(), self.used("got"));
        let operation = match self.0.below(3) {
            0 => format!("world.all_reduce_into(&{s}[1..3], &mut got[..], SystemOperation::sum());"),
            1 => {
                let root = self.0.below(2);
                format!(
                    "got.copy_from_slice(&{s}[2..]); world.process_at_rank({root}).broadcast_into(&mut got[..]);"
                )
            }
            _ => format!(
                "let mut all = vec![0.0; 2 * size as usize];
world.all_gather_into(&{s}[..2], &mut all[..]);
for k in 0..all.len() {{ all[k] = all[k] * {s}[k % 4]; }}
world.reduce_scatter_block_into(&all[..], &mut got[..], SystemOperation::sum());"
            ),
        };
        format!("{{ let mut got = [0.0; 2]; {operation} {used} }}")
    }

    fn through_a_root(&mut self) -> String {
        let (s, used, root) = (self.read(), self.used("got"), self.0.below(2));
        format!(
            "{{
    let mut got = [0.0; 2];
    let root = world.process_at_rank({root});
    if rank == {root} {{
        let mut all = vec![0.0; 2 * size as usize];
        root.gather_into_root(&{s}[1..3], &mut all[..]);
        for k in 0..all.len() {{ all[k] = all[k] * (k + 2) as f64; }}
        root.scatter_into_root(&all[..], &mut got[..]);
    }} else {{
        root.gather_into(&{s}[1..3]);
        root.scatter_into(&mut got[..]);
    }}
    {used}
}}"
        )
    }

    /// Messages to the next rank, which all receive what they can before; some wait at once, and each rank in its
    /// own order.
    fn requests(&mut self) -> String {
        let count = 1 + self.0.below(3);
        let mut body = Vec::new();
        let mut names = Vec::new();
        let tags: Vec<i64> = (0..count).map(|_| 5 * self.0.between(0, 1)).collect();
        for (k, tag) in tags.iter().enumerate() {
            let buffer = format!("got{k}");
            body.push(format!(
                "let r{k} = before.immediate_receive_into_with_tag(scope, &mut {buffer}[..], {tag});"
            ));
            names.push(format!("r{k}"));
        }
        for (k, tag) in tags.iter().enumerate() {
            let (s, at) = (self.read(), self.0.below(3));
            let data = format!("&{s}[{at}..{}]", at + 2);
            match self.0.below(3) {
                0 => body.push(format!("next.send_with_tag({data}, {tag});")),
                _ => {
                    body.push(format!("let s{k} = next.immediate_send_with_tag(scope, {data}, {tag});"));
                    names.push(format!("s{k}"));
                }
            }
        }
        let mut waits = [String::new(), String::new()];
        for order in &mut waits {
            let mut left = names.clone();
            while !left.is_empty() {
                let one = left.swap_remove(self.0.below(left.len()));
                order.push_str(&format!("{one}.wait(); "));
            }
        }
        let buffers: Vec<String> = (0..count).map(|k| format!("let mut got{k} = [0.0; 2];")).collect();
        let used: Vec<String> = (0..count).map(|k| self.used(&format!("got{k}"))).collect();
        let [even, odd] = waits;
        format!(
            "{{ {}\nmpi::request::scope(|scope| {{ {}\nif rank % 2 == 0 {{ {even} }} else {{ {odd} }} }});\n{} }}",
            buffers.join(" "),
            body.join("\n"),
            used.join("\n")
        )
    }

    fn requests_in_loops(&mut self) -> String {
        let (s, t, u) = (self.read(), self.written(), self.read());
        let wait = *self.0.pick(&[
            "for request in requests { request.wait(); }",
            "while let Some(request) = requests.pop() { request.wait(); }",
        ]);
        format!(
            "{{
    let mut all = vec![0.0; 4];
    mpi::request::scope(|scope| {{
        let mut requests = Vec::new();
        for piece in all.chunks_mut(2) {{ requests.push(before.immediate_receive_into(scope, piece)); }}
        for k in 0..2 {{ requests.push(next.immediate_send(scope, &{s}[2 * k - k..2 * k - k + 2])); }}
        {wait}
    }});
    for i in 0..4 {{ {t}[i] = all[i] * {u}[i]; }}
}}"
        )
    }
}

fn residues(draw: &mut Draw, n: usize) -> Vec<ModPrime> {
    (0..n).map(|_| ModPrime::constant(draw.between(-50, 50) as f64)).collect()
}

fn dot(a: &[ModPrime], b: &[ModPrime]) -> ModPrime {
    a.iter().zip(b).fold(ModPrime::constant(0.0), |sum, (&a, &b)| add(sum, times(a, b)))
}

/// The numbers of a communicator.
fn communicator<N: Number>(rank: usize, size: usize) -> Vec<Array<N>> {
    [0, rank as i128, size as i128].map(Array::int).to_vec()
}

/// What ranks are given: arguments, directions, weights of what they leave.
struct Given {
    x: [Vec<ModPrime>; 2],
    y: [Vec<ModPrime>; 2],
    weights: Vec<ModPrime>,
}

type Ranks<N> = Vec<Outcome<N>>;

fn run<N: Number>(
    program: &Program,
    given: &[Given],
    rendezvous: bool,
    of: impl Fn(&Given) -> Vec<Array<N>>,
) -> Result<Ranks<N>, Fault> {
    let args = given.iter().enumerate().map(|(rank, one)| {
        let mut args = communicator(rank, given.len());
        args.extend(of(one));
        args
    });
    run_ranks(program, &args.collect::<Vec<_>>(), &no_paths, rendezvous)
}

fn numbers(outcome: &Outcome<ModPrime>, at: usize) -> Vec<ModPrime> {
    floats(&outcome.params[3 + at]).expect("numbers")
}

/// A program at each stage.
struct Stages {
    primal: Vec<(&'static str, Program)>,
    reversed: Vec<(&'static str, Program)>,
    tangent: Vec<(&'static str, Program)>,
}

fn stages(text: &str) -> Stages {
    let item = syn::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let lowered = frontend::lower(&frontend::Options::default(), item);
    let lowered = lowered.unwrap_or_else(|refusals| {
        let all: Vec<String> = refusals.iter().map(|it| format!("{}: {}", it.what, it.why)).collect();
        panic!("{}\n{text}", all.join("\n"))
    });
    let lowered = lowered.cases.into_general();
    let normalised = normalise::normalise(lowered.clone());
    let simplified = simplify::simplify(normalised.clone());
    let hoisted = hoist::hoist(simplified.clone());
    let wrt: Vec<BufferId> = hoisted.params[3..].to_vec();
    let reversed = adjoint::reverse(&hoisted, &wrt).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let tangent = adjoint::tangent(&hoisted, &wrt).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let short = simplify::simplify_reversed(reversed.clone());
    let all = Stages {
        tangent: vec![("tangent", tangent.clone()), ("short tangent", simplify::simplify_reversed(tangent))],
        reversed: vec![("reversed", reversed), ("short", short.clone()), ("placed", bounds::place(short))],
        primal: vec![
            ("lowered", lowered),
            ("normalised", normalised),
            ("simplified", simplified),
            ("hoisted", hoisted),
        ],
    };
    for (stage, program) in all.primal.iter().chain(&all.reversed).chain(&all.tangent) {
        if let Err(errors) = verify::verify(program) {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{stage}: {}\n{program}\n{text}", errors.join("\n"));
        }
    }
    all
}

fn check(text: &str, seed: u64) {
    let stages = stages(text);
    for (size, rendezvous) in [(2, false), (2, true), (3, false), (3, true)] {
        let mut draw = Draw::new(seed ^ size as u64);
        let mut four = || residues(&mut draw, 4);
        let given: Vec<Given> =
            (0..size).map(|_| Given { x: [four(), four()], y: [four(), four()], weights: four() }).collect();
        let plain = |one: &Given| vec![array(&[4], &one.x[0]), array(&[4], &one.y[0])];
        let lowered = &stages.primal[0].1;
        let dual = |one: &Given| -> Vec<Array<ModDual>> {
            let with = |[value, along]: &[Vec<ModPrime>; 2]| {
                let pairs = value.iter().zip(along).map(|(&value, &along)| ModDual::with(value, along));
                array(&[4], &pairs.collect::<Vec<_>>())
            };
            vec![with(&one.x), with(&one.y)]
        };
        let fail = |stage: &str, fault: Fault, program: &Program| -> ! {
            panic!("{stage} on {size} ranks, rendezvous {rendezvous}: {fault:?}\n{program}\n{text}")
        };
        let duals = run(lowered, &given, rendezvous, dual);
        let duals = duals.unwrap_or_else(|fault| fail("dual numbers", fault, lowered));
        let along: Vec<Vec<ModPrime>> = duals
            .iter()
            .map(|it| floats(&it.params[4]).expect("numbers").into_iter().map(ModDual::tangent).collect())
            .collect();
        let forward = given
            .iter()
            .zip(&along)
            .fold(ModPrime::constant(0.0), |sum, (one, along)| add(sum, dot(&one.weights, along)));
        let mut left = None;
        for (stage, program) in &stages.primal {
            let outcome = run(program, &given, rendezvous, plain);
            let outcome = outcome.unwrap_or_else(|fault| fail(stage, fault, program));
            let own: Vec<_> = outcome.iter().map(|it| numbers(it, 1)).collect();
            let left = left.get_or_insert_with(|| own.clone());
            assert_eq!(*left, own, "{stage} on {size} ranks\n{program}\n{text}");
        }
        for (stage, program) in &stages.tangent {
            let of =
                |one: &Given| [&one.x[0], &one.x[1], &one.y[0], &one.y[1]].map(|it| array(&[4], it)).to_vec();
            let outcome = run(program, &given, rendezvous, of);
            let outcome = outcome.unwrap_or_else(|fault| fail(stage, fault, program));
            for (rank, it) in outcome.iter().enumerate() {
                assert_eq!(numbers(it, 3), along[rank], "{stage} on {size} ranks\n{program}\n{text}");
            }
        }
        for (stage, program) in &stages.reversed {
            let zeros = vec![ModPrime::constant(0.0); 4];
            let of =
                |one: &Given| [&one.x[0], &zeros, &one.y[0], &one.weights].map(|it| array(&[4], it)).to_vec();
            let outcome = run(program, &given, rendezvous, of);
            let outcome = outcome.unwrap_or_else(|fault| fail(stage, fault, program));
            let back = given.iter().zip(&outcome).fold(ModPrime::constant(0.0), |sum, (one, it)| {
                add(sum, add(dot(&one.x[1], &numbers(it, 1)), dot(&one.y[1], &numbers(it, 3))))
            });
            assert_eq!(forward, back, "{stage} on {size} ranks, rendezvous {rendezvous}\n{program}\n{text}");
        }
    }
}

#[test]
fn random_programs_with_messages() {
    let count = std::env::var("PARDIFF_RANDOM_RANKS").ok().and_then(|count| count.parse().ok()).unwrap_or(25);
    for seed in 0..count {
        check(&Generator(Draw::new(seed ^ 0x4d50_4900)).program(), seed);
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_a_fault() {
    let text = "fn f(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let other = world.process_at_rank(1 - world.rank());
    other.send(&x[..2]);
    other.receive_into(&mut y[..2]);
}";
    let lowered = stages(text).primal.remove(0).1;
    let mut draw = Draw::new(1);
    let mut four = || residues(&mut draw, 4);
    let given: Vec<Given> =
        (0..2).map(|_| Given { x: [four(), four()], y: [four(), four()], weights: four() }).collect();
    let of = |one: &Given| vec![array(&[4], &one.x[0]), array(&[4], &one.y[0])];
    let ranks = run(&lowered, &given, false, of).expect("messages are kept");
    assert_eq!(numbers(&ranks[0], 1)[..2], given[1].x[0][..2]);
    assert_eq!(run(&lowered, &given, true, of).expect_err("both wait").kind, FaultKind::Waits);
}

/// Unit directions would be those of all ranks at once.
#[test]
fn there_is_no_hessian_over_ranks() {
    let made = |attribute: &str, text: &str| {
        let parsed = |text: &str| text.parse::<proc_macro2::TokenStream>().expect("tokens");
        pardiff_compiler::expand(parsed(attribute), parsed(text)).to_string()
    };
    let alone = made("hvp", "fn f(x: [f64; 2]) -> f64 { x[0] * x[1] }");
    assert!(alone.contains("fn hvp") && alone.contains("fn hessian"));
    let text =
        "fn f(world: &impl Communicator, x: [f64; 2]) -> f64 { f64::from(world.rank()) * x[0] * x[1] }";
    let over_ranks = made("hvp, result = \"partial\"", text);
    assert!(over_ranks.contains("fn hvp") && !over_ranks.contains("fn hessian"));
}
