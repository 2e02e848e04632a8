//! Random programs of the intermediate representation: every pass leaves the bits of all outputs, and panics, as they
//! were. `PARDIFF_SEED` changes the programs, `PARDIFF_PROGRAMS` their number.

use pardiff_compiler::ir::interp::{Array, FaultKind, Limits, no_paths, run_limited};
use pardiff_compiler::ir::verify::verify;
use pardiff_compiler::ir::{Program, parse};
use pardiff_compiler::{hoist, normalise, simplify};

/// A small generator of random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Writes a program as text.
struct Writer {
    random: Random,
    text: String,
    /// Names of the iterators of the loops around the current statement.
    iters: Vec<String>,
    /// Names of the temporaries in scope.
    temporaries: Vec<String>,
    made: usize,
}

impl Writer {
    fn program(seed: u64) -> String {
        let text = "fn f(x: inout f64[_], n: in usize, w: in f64) -> s: f64, end: usize\n".to_owned();
        let mut writer =
            Writer { random: Random(seed), text, iters: Vec::new(), temporaries: Vec::new(), made: 0 };
        writer.line(1, "s = 0.0");
        writer.line(1, "end = 0");
        writer.line(1, "scope a: f64, b: f64, c: f64, p: usize, q: usize, k: usize, t: f64[6], u: f64[6]");
        for (name, value) in [("a", "1.0"), ("b", "w"), ("c", "0.5"), ("p", "0"), ("q", "n"), ("k", "len(x)")]
        {
            writer.line(2, &format!("{name} = {value}"));
        }
        writer.line(2, "for z in 0..6");
        writer.line(3, "t[z] = 1.0");
        writer.line(3, "u[z] = w");
        writer.block(2, 3);
        writer.line(2, "s += a * t[2]");
        if writer.random.chance(50) {
            writer.line(2, "end = p + k");
        }
        writer.text
    }

    fn line(&mut self, depth: usize, line: &str) {
        self.text += &format!("{}{line}\n", "  ".repeat(depth));
    }

    fn block(&mut self, depth: usize, nesting: usize) {
        for _ in 0..1 + self.random.below(4) {
            self.stmt(depth, nesting);
        }
    }

    fn stmt(&mut self, depth: usize, nesting: usize) {
        match self.random.below(if nesting == 0 { 11 } else { 17 }) {
            0..=2 => {
                let target = self.random.pick(&["a", "b", "c", "s"]);
                let (value, phase) = (self.float(2), self.random.pick(&["", "", " # adjoint"]));
                self.line(depth, &format!("{target} = {value}{phase}"));
            }
            3 => {
                let (target, value) = (self.random.pick(&["a", "b", "s"]), self.float(1));
                if self.random.chance(50) && !value.contains(target) {
                    self.line(depth, &format!("{target} += {value} # adjoint"));
                } else {
                    let sign = self.random.pick(&["+", "-", "*"]);
                    self.line(depth, &format!("{target} = {target} {sign} {value}"));
                }
            }
            4 => {
                let (target, index) = (self.random.pick(&["t", "u"]), self.index());
                let value = self.float(2);
                self.line(depth, &format!("{target}[({index}) % 6] = {value}"));
            }
            5 | 6 => {
                let step = self.random.pick(&["1", "1", "2", "n", "q"]);
                let counter = self.random.pick(&["p", "p", "k"]);
                self.line(depth, &format!("{counter} = {counter} + {step}"));
            }
            7 => {
                let (target, value) = (self.random.pick(&["p", "q", "k"]), self.index());
                self.line(depth, &format!("{target} = {value}"));
            }
            8 | 9 => {
                let index = self.random.pick(&["p", "p", "k", "q"]);
                self.line(depth, &format!("check {index} < len(x) index \"x\" \"x[{index}]\""));
                let value = self.float(1);
                let sign = self.random.pick(&["=", "+="]);
                if value.contains("x[") && sign == "+=" {
                    return;
                }
                self.line(depth, &format!("x[{index}] {sign} {value}"));
            }
            10 => {
                let swap = self.random.pick(&["swap t, u", "p = q", "a = b", "b = s"]);
                self.line(depth, swap);
            }
            11..=14 => {
                self.made += 1;
                let iter = format!("i{}", self.made);
                let bounds = self.bounds();
                self.line(depth, &format!("for {iter} in {bounds}"));
                self.iters.push(iter);
                self.block(depth + 1, nesting - 1);
                self.iters.pop();
            }
            15 => {
                let cond = self.condition();
                self.line(depth, &format!("if {cond}"));
                self.block(depth + 1, nesting - 1);
                if self.random.chance(50) {
                    self.line(depth, "else");
                    self.block(depth + 1, nesting - 1);
                }
            }
            _ => {
                self.made += 1;
                let name = format!("v{}", self.made);
                let value = self.float(2);
                let phase = self.random.pick(&["", " # adjoint"]);
                self.line(depth, &format!("scope {name}: f64"));
                self.line(depth + 1, &format!("{name} = {value}{phase}"));
                self.temporaries.push(name.clone());
                self.block(depth + 1, nesting - 1);
                self.temporaries.pop();
                if self.random.chance(50) {
                    let target = self.random.pick(&["a", "b", "c"]);
                    self.line(depth + 1, &format!("{target} = {name} * {target}{phase}"));
                }
            }
        }
    }

    fn bounds(&mut self) -> String {
        let around = self.iters.last().cloned().unwrap_or_else(|| "n".to_owned());
        let down = self.random.pick(&["", "", " down", " step 2"]);
        let range = match self.random.below(7) {
            0 => "0..n".to_owned(),
            1 => "0..3".to_owned(),
            2 => format!("0..{around}"),
            3 => format!("0..={around}"),
            4 => format!("{around} + 1..n"),
            5 => format!("{around}..n"),
            _ => "1..q".to_owned(),
        };
        range + down
    }

    fn index(&mut self) -> String {
        let around = self.iters.last().cloned().unwrap_or_else(|| "2".to_owned());
        match self.random.below(5) {
            0 => around,
            1 => format!("{around} * 2 + 1"),
            2 => self.random.pick(&["p", "q", "k", "n"]).to_owned(),
            3 => "int::min(p, 5)".to_owned(),
            _ => "3".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => "a < b".to_owned(),
            1 => "!(c < 1.0)".to_owned(),
            2 => format!("{} < 3", self.index()),
            3 => "!(p < q)".to_owned(),
            4 => "true".to_owned(),
            _ => "p == n".to_owned(),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            if let Some(temporary) = self.temporaries.last()
                && self.random.chance(40)
            {
                return temporary.clone();
            }
            let index = self.index();
            return match self.random.below(8) {
                0 => format!("t[({index}) % 6]"),
                1 => format!("u[({index}) % 6]"),
                2 => "1.0".to_owned(),
                3 => "(p as f64)".to_owned(),
                4 => "-w".to_owned(),
                _ => self.random.pick(&["a", "b", "c", "w"]).to_owned(),
            };
        }
        let (lhs, rhs) = (self.float(depth - 1), self.float(depth - 1));
        match self.random.below(8) {
            0 => format!("(-{lhs})"),
            1 => format!("sin({lhs})"),
            // of two zeros of different sign, Rust leaves open which is the larger
            2 => format!("max({lhs}, {rhs} + 0.0625)"),
            3 => format!("({lhs} - {rhs})"),
            4 | 5 => format!("({lhs} * {rhs})"),
            _ => format!("({lhs} + {rhs})"),
        }
    }
}

/// The bits of everything that a caller can see, or the kind of panic; `None` if the run is none.
fn outcome(program: &Program, n: i128) -> Option<Result<Vec<u64>, FaultKind>> {
    let args = vec![Array::floats(&[1.0, -2.5, 0.0, 3.0, 0.75]), Array::int(n), Array::float(-0.5)];
    match run_limited::<f64>(program, args, &no_paths, Limits { steps: 200_000, elements: 1 << 16 }) {
        Ok(outcome) => {
            let arrays = outcome.params.iter().chain(&outcome.results);
            // which NaN it is, is not specified in Rust either
            let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
            Some(Ok(arrays.flat_map(Array::reals).map(bits).collect()))
        }
        Err(fault) if fault.kind.is_panic() => Some(Err(fault.kind)),
        Err(fault) if matches!(fault.kind, FaultKind::OutOfFuel | FaultKind::Unspecified) => None,
        Err(fault) => panic!("{fault:?}\n{program}"),
    }
}

#[test]
fn random_programs_keep_their_bits() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seed, programs) = (number("PARDIFF_SEED", 1), number("PARDIFF_PROGRAMS", 3000));
    let (mut ran, mut changed) = (0, 0);
    for k in 0..programs {
        let text = Writer::program((seed << 32 | k).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let program = match parse(&text) {
            Ok(program) => program,
            Err(error) => panic!("{error:?}\n{text}"),
        };
        if verify(&program).is_err() {
            continue;
        }
        let mut stage = program.clone();
        for pass in [normalise::normalise, simplify::simplify, hoist::hoist, simplify::share] {
            let next = pass(stage.clone());
            if let Err(errors) = verify(&next) {
                panic!("program {k}: {errors:?}\nbefore:\n{stage}\nafter:\n{next}");
            }
            for n in [0, 1, 4] {
                let (Some(before), Some(after)) = (outcome(&stage, n), outcome(&next, n)) else { continue };
                assert_eq!(before, after, "program {k}, n = {n}\nbefore:\n{stage}\nafter:\n{next}");
                ran += 1;
            }
            changed += usize::from(stage.to_string() != next.to_string());
            stage = next;
        }
    }
    assert!(ran as u64 > programs && changed as u64 > programs, "{ran} runs, {changed} changed programs");
}
