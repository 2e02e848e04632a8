//! A sample of the compiler's random programs with messages, each with what dual numbers say of it on 2 and 3 ranks.

use crate::oracle::{array, floats};
use crate::random::draw::Draw;
use crate::random::messages;
use pardiff_compiler::frontend;
use pardiff_compiler::ir::Program;
use pardiff_compiler::ir::interp::{Array, Dual, no_paths, run_ranks};
use std::fmt::Write;

/// What a rank is given, and what it leaves: values and tangents.
struct Rank {
    x: [Vec<f64>; 2],
    y: [Vec<f64>; 2],
    left: [Vec<f64>; 2],
    weights: Vec<f64>,
}

/// So many programs from that seed on as modules with a test each; programs whose numbers grow too large are left out.
pub fn programs(first: u64, count: u64) -> String {
    let mut out = String::new();
    let found = (first..).filter_map(|seed| case(seed).transpose().map(|case| (seed, case)));
    for (seed, case) in found.take(count as usize) {
        out += &case.unwrap_or_else(|error| {
            format!("#[test]\nfn m{seed}() {{\n    panic!(\"{{}}\", {error:?});\n}}\n")
        });
    }
    out
}

fn case(seed: u64) -> Result<Option<String>, String> {
    let name = format!("m{seed}");
    let text = messages::program(&name, seed);
    let item: syn::ItemFn = syn::parse_str(&text).map_err(|error| format!("{error}\n{text}"))?;
    let lowered = frontend::lower(&frontend::Options::default(), item).map_err(|refusals| {
        let what: Vec<String> = refusals.iter().map(|it| format!("{}: {}", it.what, it.why)).collect();
        format!("{}\n{text}", what.join("\n"))
    })?;
    let program = lowered.cases.into_general();
    let mut worlds = Vec::new();
    for size in [2, 3] {
        let ranks = ranks(&program, size, seed).map_err(|error| format!("{error}\n{text}"))?;
        let numbers = ranks.iter().flat_map(|rank| rank.left.iter().flatten());
        if numbers.into_iter().any(|x| !x.is_finite() || x.abs() > 1e5) {
            return Ok(None);
        }
        worlds.push(ranks);
    }
    let mut out = format!(
        "mod {name} {{\nuse crate::mpi::{{self, collective::SystemOperation, point_to_point, traits::*}};\n\
         #[pardiff::differentiate(forward)]\n{text}\n#[test]\nfn agrees_with_the_oracle() {{\n"
    );
    for ranks in &worlds {
        let _ = writeln!(out, "    super::check(&[");
        for Rank { x, y, left, weights } in ranks {
            let _ = writeln!(
                out,
                "        super::Rank {{ x: {:?}, x_dot: {:?}, y: {:?}, y_dot: {:?}, left: {:?}, left_dot: {:?}, weights: {weights:?} }},",
                x[0], x[1], y[0], y[1], left[0], left[1]
            );
        }
        let _ = writeln!(
            out,
            "    ], &|w, x, y| {name}(w, x, y), &|w, x, d_x, y, d_y| {name}::vjp(w, x, d_x, y, d_y), \
             &|w, x, x_dot, y, y_dot| {name}::jvp(w, x, x_dot, y, y_dot));"
        );
    }
    Ok(Some(out + "}\n}\n"))
}

fn ranks(program: &Program, size: usize, seed: u64) -> Result<Vec<Rank>, String> {
    let mut draw = Draw::new(seed ^ size as u64);
    let mut four = || (0..4).map(|_| (100.0 * draw.float(-1.0, 1.0)).round() / 100.0).collect::<Vec<f64>>();
    let mut given: Vec<Rank> = (0..size)
        .map(|_| Rank {
            x: [four(), four()],
            y: [four(), four()],
            left: [Vec::new(), Vec::new()],
            weights: four(),
        })
        .collect();
    let duals = |[values, along]: &[Vec<f64>; 2]| {
        let pairs = values.iter().zip(along).map(|(&value, &along)| Dual::new(value, along));
        array(&[4], &pairs.collect::<Vec<_>>())
    };
    let args: Vec<Vec<Array<Dual>>> = given
        .iter()
        .enumerate()
        .map(|(rank, one)| {
            let mut args = [0, rank as i128, size as i128].map(Array::int).to_vec();
            args.extend([duals(&one.x), duals(&one.y)]);
            args
        })
        .collect();
    let left = run_ranks(program, &args, &no_paths, false).map_err(|fault| format!("{fault:?}"))?;
    for (one, outcome) in given.iter_mut().zip(&left) {
        let numbers = floats(&outcome.params[4]).ok_or("no numbers")?;
        one.left = [numbers.iter().map(|x| x.value).collect(), numbers.iter().map(|x| x.tangent).collect()];
    }
    Ok(given)
}
