//! Lifted programs compute what they computed: the same numbers modulo a prime, close ones in floats, the same panics.

mod around;
mod batches;
mod branchless;
mod choice;
mod cut;
mod extents;
mod factors;
mod fused;
mod held;
mod in_blocks;
mod in_inner_loops;
mod jammed;
mod kernels;
mod members;
mod middle;
mod ranges;
mod reciprocals;
mod rows;
mod scalars;
mod totals;
mod turned;
mod whole_vectors;

use super::divergence::Divergence;
use super::tile_outer::row_sweeps;
use super::{Lifted, blocks, fuse, inner, lift};
use crate::equivalence::program;
use crate::ir::interp::{Array, FaultKind, ModPrime, Number, Value, no_paths, run};
use crate::ir::{Block, Program, Stmt, verify};

/// What a parameter is given.
pub(in crate::schedule) enum Arg {
    /// An integer.
    Size(usize),
    /// So many floats.
    Floats(usize),
    /// So many records of so many floats.
    Records(usize, usize),
    /// Indices.
    Indices(Vec<usize>),
    /// A float.
    Number(f64),
    /// A truth value.
    Flag(bool),
}

/// The loop over `i` of a program of `n` and `m`, and of a `flag`, in blocks of lanes, where it computes the same.
pub(super) fn same_in_blocks(text: &str) -> Program {
    let (before, after, refused) = in_blocks(text);
    assert_eq!(refused, None);
    for (n, m) in [(0, 2), (3, 1), (130, 5)] {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "m" => Arg::Size(m),
            "flag" => Arg::Flag(true),
            _ => Arg::Floats(n * m + 8),
        };
        assert_same(&before, &after, &args);
    }
    after
}

/// The numbers of blocks that matter: none, one that is not full, full ones, some more.
pub(super) const SIZES: [usize; 6] = [0, 1, 127, 128, 129, 300];

/// Applies `change` to the loop over `i`.
pub(super) fn at_element(program: &mut Program, change: &mut dyn FnMut(&mut Program, &mut Stmt)) {
    fn find(
        program: &mut Program,
        block: &mut Block,
        change: &mut dyn FnMut(&mut Program, &mut Stmt),
    ) -> bool {
        block.iter_mut().any(|stmt| {
            if stmt.as_for().is_some_and(|for_| program[for_.iter].name == "i") {
                change(program, stmt);
                return true;
            }
            stmt.blocks_mut().into_iter().any(|block| find(program, block, change))
        })
    }
    let mut body = std::mem::take(&mut program.body);
    let found = find(program, &mut body, change);
    program.body = body;
    assert!(found, "no loop over `i`\n{program}");
}

/// The program before and after the loop over `i` was lifted.
pub(super) fn lifted(text: &str) -> (Program, Program, Lifted) {
    let mut made = Lifted::Serial { reason: String::new() };
    let (before, after) = changed(text, &mut |program, stmt| made = lift(program, stmt, false, &[]));
    (before, after, made)
}

/// The program before and after the loop over `i` became blocks, whatever they cost; and why it did not.
pub(super) fn in_blocks(text: &str) -> (Program, Program, Option<String>) {
    let mut refused = None;
    let (before, after) = changed(text, &mut |program, stmt| {
        let Some(for_) = stmt.as_for() else { return };
        let buffers = program.buffers.clone();
        match blocks::blocks(program, stmt, for_) {
            Ok(blocks) => *stmt = blocks.stmt,
            Err(reason) => {
                refused = Some(reason);
                program.buffers = buffers;
            }
        }
    });
    (before, after, refused)
}

/// The program before and after a change of the loop over `i`; both are well formed.
pub(in crate::schedule) fn changed(
    text: &str,
    change: &mut dyn FnMut(&mut Program, &mut Stmt),
) -> (Program, Program) {
    let before = program(text);
    let mut after = before.clone();
    at_element(&mut after, change);
    for program in [&before, &after] {
        let errors = verify::verify(program).err().unwrap_or_default();
        assert!(errors.is_empty(), "{errors:?}\n{program}");
    }
    (before, after)
}

/// Asserts that these lines stand in the program, indented as they are here among themselves.
pub(in crate::schedule) fn assert_text(program: &Program, wanted: &str) {
    let text = program.to_string();
    let dedent = |lines: &[&str]| {
        let margin = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
        lines.iter().map(|line| line.get(margin..).unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    let wanted: Vec<&str> = wanted.lines().filter(|line| !line.trim().is_empty()).collect();
    let wanted = dedent(&wanted);
    let text: Vec<&str> = text.lines().collect();
    let found = text.windows(wanted.len()).any(|lines| {
        let lines = dedent(lines);
        let (last, wanted_last) = (lines.last(), wanted.last());
        lines.split_last().map(|all| all.1) == wanted.split_last().map(|all| all.1)
            && last.zip(wanted_last).is_some_and(|(line, wanted)| line.starts_with(wanted))
    });
    assert!(found, "made:\n{program}\nexpected:\n{}", wanted.join("\n"));
}

/// Asserts that both compute the same.
pub(in crate::schedule) fn assert_same(before: &Program, after: &Program, args: &dyn Fn(&str) -> Arg) {
    let left = outcome::<f64>(before, args);
    let right = outcome::<f64>(after, args);
    match (&left, &right) {
        (Ok(left), Ok(right)) => {
            for (a, b) in left.iter().zip(right) {
                let close = a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
                assert!(close || a.is_nan() && b.is_nan(), "{a} and {b}\n{before}\n{after}");
            }
        }
        _ => assert_eq!(left, right, "\n{before}\n{after}"),
    }
    let exact = [before, after].map(|program| outcome::<ModPrime>(program, args));
    if !exact.contains(&Err(FaultKind::Unsupported)) {
        assert_eq!(exact[0], exact[1], "\n{before}\n{after}");
    }
}

trait Comparable: Number {
    fn comparable(self) -> f64;
}

impl Comparable for f64 {
    fn comparable(self) -> f64 {
        self
    }
}

impl Comparable for ModPrime {
    fn comparable(self) -> f64 {
        // distinct residues that are close may coincide here; those of a wrong program are not close
        self.residue() as f64
    }
}

fn outcome<N: Comparable>(program: &Program, args: &dyn Fn(&str) -> Arg) -> Result<Vec<f64>, FaultKind> {
    let mut seed = 1u64;
    let mut number = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 40) % 64) as f64 / 16.0 - 2.0
    };
    let given = program.params.iter().map(|&id| {
        let param = &program[id];
        let mut floats = |len: usize| Array::floats(&(0..len).map(|_| number()).collect::<Vec<_>>());
        match args(&param.name) {
            Arg::Size(size) => Array::int(size as i128),
            Arg::Floats(len) => floats(len),
            Arg::Records(len, members) => floats(len * members).shaped(&[len, members]),
            Arg::Indices(values) => Array::usizes(&values),
            Arg::Number(value) => Array::<N>::float(value),
            Arg::Flag(value) => Array::scalar(Value::Bool(value)),
        }
    });
    let outcome = run::<N>(program, given.collect(), &no_paths).map_err(|fault| {
        assert!(!matches!(fault.kind, FaultKind::Arguments | FaultKind::Unspecified), "{fault:?}\n{program}");
        fault.kind
    })?;
    let arrays = outcome.params.iter().chain(&outcome.results);
    let value = |value: &Option<Value<N>>| match value {
        Some(Value::Float(number)) => number.comparable(),
        Some(Value::Int(value)) => *value as f64,
        Some(Value::Bool(value)) => f64::from(u8::from(*value)),
        None => 0.0,
    };
    Ok(arrays.flat_map(|array| array.data.iter().map(value).collect::<Vec<_>>()).collect())
}
