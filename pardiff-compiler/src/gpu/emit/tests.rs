//! What of real kernels has a place on a GPU, and what is refused.

use crate::frontend::Options;
use crate::refusal::Refusal;
use syn::{Item, ItemFn, Meta};

fn compiled(attr: &str, function: ItemFn) -> Result<String, Vec<Refusal>> {
    let options = Options::parse(attr.parse().expect("tokens")).expect("options");
    crate::compile(&options, function).map(|tokens| tokens.to_string())
}

/// The text of the expansion of a function with these options.
fn text(attr: &str, function: &str) -> Result<String, String> {
    let function = syn::parse_str(function).expect("a function");
    let words = |it: &Refusal| format!("{}: {}; {}", it.what, it.why, it.help);
    compiled(attr, function).map_err(|refusals| refusals.iter().map(words).collect::<Vec<_>>().join("\n"))
}

/// Workloads that add to elements of arrays that index arrays name.
const INDEXED: [&str; 5] = ["spmv", "gat", "csr_regression", "mesh_convolution", "lennard_jones"];

#[test]
fn workloads_have_kernels() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../workloads");
    let (mut kernels, mut indexed) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the workloads") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let file = syn::parse_file(&std::fs::read_to_string(&path).expect("a file")).expect("Rust");
        for item in file.items {
            let Item::Fn(mut function) = item else { continue };
            let is_ours = |attr: &syn::Attribute| attr.path().is_ident("differentiate");
            let Some(at) = function.attrs.iter().position(is_ours) else { continue };
            let name = function.sig.ident.to_string();
            let is_indexed = INDEXED.contains(&name.as_str());
            let option = if is_indexed { "cuda, deny(atomics)" } else { "cuda" };
            let attr = match function.attrs.remove(at).meta {
                Meta::List(list) => format!("{option}, {}", list.tokens),
                _ => option.to_owned(),
            };
            let text = compiled(&attr, function).unwrap_or_else(|refusals| panic!("{name}: {refusals:?}"));
            assert!(text.contains("PD_KERNEL"), "{name}");
            let gathers = text.contains("gathered by the inverse index") && !text.contains("pd_atomic_add");
            assert!(gathers || !is_indexed, "{name}");
            kernels += 1;
            indexed += usize::from(is_indexed);
        }
    }
    assert!(kernels >= 31 && indexed == INDEXED.len(), "{kernels} {indexed}");
}

/// A row of a sparse matrix has scratch of its own length.
const RAGGED: &str = "fn f(x: &[f64], start: &[usize], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut row = vec![0.0; start[i + 1] - start[i]];
        for k in start[i]..start[i + 1] { row[k - start[i]] = x[k] * x[k]; }
        let mut sum = 0.0;
        for k in 0..row.len() { sum += row[k] * row[row.len() - 1 - k]; }
        total += sum;
    }
    total
}";

#[test]
fn the_host_asks_for_lengths_that_it_does_not_know() {
    let asked = text("cuda", RAGGED).unwrap();
    assert!(asked.contains("call . scalar (& cells_u64"), "{asked}");
    assert!(asked.contains("finds the greatest length of `row`"), "the plan says so");
    // a length that follows from sizes by way of variables needs no kernel
    let known = RAGGED.replace("start[i + 1] - start[i]];", "{ let m = n + 1; m * 2 }];");
    let known = text("cuda", &known).unwrap();
    assert!(!known.contains("finds the greatest length"), "{known}");
    // a length that the loop itself computes is not known before it runs
    let written = "fn f(x: &[f64], len: &mut [usize], n: usize) -> f64 {
        let mut total = 0.0;
        for i in 0..n {
            len[i] += i;
            let mut row = vec![0.0; len[i]];
            for k in 0..row.len() { row[k] = x[i] * x[i]; }
            for k in 0..row.len() { total += row[k] * row[row.len() - 1 - k]; }
        }
        total
    }";
    let refused = text("cuda", written).unwrap_err();
    assert!(refused.contains("whose length is known on the GPU alone"), "{refused}");
}

const SCATTER: &str =
    "fn f(x: &[f64], to: &[usize], y: &mut [f64]) { for i in 0..x.len() { y[to[i]] += x[i] * x[i]; } }";

#[test]
fn atomics_are_the_last_resort_and_can_be_denied() {
    let gathered = text("cuda", SCATTER).unwrap();
    assert!(gathered.contains("call . sort") && !gathered.contains("pd_atomic_add"), "{gathered}");
    assert!(gathered.contains("gathered by the inverse index"), "the plan names it");
    assert!(gathered.contains("private copies"), "of few elements each thread has a copy: {gathered}");
    assert!(text("cuda, deny(atomics)", SCATTER).is_ok());
    // how many updates there are, the kernel computes
    let uncounted = SCATTER.replace(
        "y[to[i]] += x[i] * x[i];",
        "let mut many = 0;
         for k in 0..x.len() { if to[k] > to[i] { many += 1; } }
         for k in 0..many { y[to[k]] += x[i] * x[k]; }",
    );
    let accepted = text("cuda", &uncounted).unwrap();
    assert!(accepted.contains("pd_atomic_add"));
    assert!(accepted.contains("atomic additions"), "the plan names them");
    let refused = text("cuda, deny(atomics)", &uncounted).unwrap_err();
    assert!(refused.contains("the sum into `y` needs atomic additions on the GPU"), "{refused}");
    let sum = "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s }";
    let denied = text("cuda, deny(atomics)", sum).unwrap();
    assert!(denied.contains("pd_of_block<PD_ADD>") && !denied.contains("pd_atomic_add"));
}

#[test]
fn sums_that_no_index_array_scatters_are_sorted_only_where_atomics_are_denied() {
    let pairs = "fn f(x: &[f64], y: &mut [[f64; 32]]) {
        for i in 0..x.len() { y[i / 2][0] += x[i] * x[i]; }
    }";
    let text_of = |options| text(options, pairs).unwrap();
    let atomic = text_of("cuda");
    assert!(!atomic.contains("call . sort") && atomic.contains("pd_atomic_add"), "{atomic}");
    let denied = text_of("cuda, deny(atomics)");
    assert!(denied.contains("call . sort") && !denied.contains("pd_atomic_add"), "{denied}");
}

const CLASSES: &str = "fn f(x: &[f64], class: &[usize], centre: &[f64; 32]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let far = x[i] - centre[class[i]];
        total += far * far;
    }
    total
}";

#[test]
fn threads_have_copies_of_few_elements_in_shared_memory() {
    let few = text("cuda, deny(atomics)", CLASSES).unwrap();
    assert!(few.contains("__shared__ pd_shared<double, 4096> copies_of_b_d_centre"), "{few}");
    assert!(few.contains("pd_of_columns<PD_ADD>") && !few.contains("call . sort"), "{few}");
    assert!(few.contains("private copies in shared memory"), "the plan says so");
    let more = text("cuda, deny(atomics)", &CLASSES.replace("32", "33")).unwrap();
    assert!(!more.contains("pd_of_columns") && more.contains("call . sort"), "{more}");
    // together they have 32 KiB
    let two = CLASSES
        .replace("centre: &[f64; 32]", "centre: &[f64; 20], scale: &[f64; 20]")
        .replace("far * far", "far * far * scale[class[i]]");
    let two = text("cuda, deny(atomics)", &two).unwrap();
    let copies = |what: &str| two.matches(&format!("> copies_of_b_d_{what}")).count();
    assert_eq!(copies("centre") + copies("scale"), 1, "{two}");
    assert!(
        two.contains("_merge_") && !two.contains("call . sort"),
        "the other has them in global memory: {two}"
    );
}

#[test]
fn neighbouring_threads_are_neighbouring_columns() {
    let rows = "fn f(x: &[f64], y: &mut [f64], n: usize) {
        for i in 0..n { for j in 0..n { y[i * n + j] = 2.0 * x[i * n + j]; } }
    }";
    let accepted = text("cuda", rows).unwrap();
    assert!(accepted.contains("pd_rest(at, count_j"), "two loops are one kernel: {accepted}");
    // a running sum is carried by the inner loop: each thread has a row
    let sums = "fn f(x: &[f64], y: &mut [f64], n: usize) {
        for i in 0..n { for j in 1..n { y[i * n + j] = y[i * n + j - 1] + x[i * n + j]; } }
    }";
    assert!(!text("cuda", sums).unwrap().contains("pd_rest(at, count_j"));
}

#[test]
fn loops_are_kernels_where_no_index_wraps() {
    // with `m = 0` the inner loop would run to the largest number, and rows would overlap
    let grid = "fn f(x: &[f64], y: &mut [f64], sizes: &[usize], n: usize, m: usize) {
        for i in 1..n - 1 { for j in 1..m - 1 { y[i * m + j] = 2.0 * x[i * m + j + 1] + sizes[0] as f64; } }
    }";
    let accepted = text("cuda", grid).unwrap();
    assert!(accepted.contains("pd_rest(at, count_j"), "{accepted}");
    assert!(accepted.contains("sequential: where an index may wrap"), "the plan says so");
    // the host does not know a size that an array holds
    let unknown = text("cuda", &grid.replace("i * m", "i * sizes[1]")).unwrap();
    assert!(!unknown.contains("pd_rest(at, count_j"), "{unknown}");
}

const MATVEC: &str = "fn f(a: &[f64], x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for j in 0..n { y += a[i * n + j] * x[j]; }
        total += 0.5 * y * y;
    }
    total
}";

#[test]
fn rows_are_run_by_blocks_where_they_are_long_or_few() {
    let accepted = text("cuda", MATVEC).unwrap();
    assert!(accepted.contains("pd_all_of_block<PD_ADD>"), "the block sums a row up: {accepted}");
    assert!(accepted.contains("a block of threads an iteration"), "the plan says so");
    assert!(accepted.contains("parallel: a thread an iteration"), "short rows are a thread's: {accepted}");
    let long = "(64_usize) <= n";
    assert!(accepted.contains(long), "{accepted}");
    // columns: neighbouring threads touch neighbouring elements already, if there are enough of them
    let columns = MATVEC.replace("i * n + j", "j * n + i");
    let columns = text("cuda", &columns).unwrap();
    assert!(columns.contains("pd_all_of_block<") && !columns.contains(long), "{columns}");
    assert!(columns.contains("n < (33792_usize)"), "{columns}");
    // the sum of a row is carried along
    let running = MATVEC.replace("y += a[i * n + j] * x[j];", "y = (y + a[i * n + j]) * x[j];");
    assert!(!text("cuda", &running).unwrap().contains("pd_all_of_block<"));
}

const SPMV: &str = "fn f(values: &[f64], x: &[f64], start: &[u32], columns: &[u32], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for k in start[i] as usize..start[i + 1] as usize { y += values[k] * x[columns[k] as usize]; }
        total += 0.5 * y * y;
    }
    total
}";

#[test]
fn rows_that_do_not_overlap_have_owners() {
    let accepted = text("cuda, wrt(values)", SPMV).unwrap();
    assert!(accepted.contains("overlaps"), "a pass checks the rows: {accepted}");
    let kernels = |what: &str| accepted.split("PD_KERNEL").filter(|kernel| kernel.contains(what)).count();
    assert_eq!(kernels("pd_store(b_d_values_terms"), 1, "where rows overlap, elements are gathered");
    assert!(text("cuda, deny(atomics)", SPMV).is_ok());
    assert!(accepted.contains("checks that rows by `start` do not overlap"), "the plan says so");
    // elements that an index array names are nobody's
    let scattered = SPMV.replace("values[k]", "values[columns[k] as usize]");
    assert!(!text("cuda, wrt(values)", &scattered).unwrap().contains("overlaps"));
}

#[test]
fn barriers_stand_between_threads_that_share_an_array() {
    let tile = "fn f(x: &[f64], y: &mut [f64]) {
        for b in 0..x.len() / 64 {
            let mut tile = [0.0; 64];
            for t in 0..64 { tile[t] = x[64 * b + t] * x[64 * b + t]; }
            for t in 0..64 { y[64 * b + t] = tile[63 - t]; }
        }
    }";
    let accepted = text("cuda", tile).unwrap();
    assert!(accepted.contains("__shared__ pd_shared<double, 64>"), "{accepted}");
    assert!(accepted.contains("PD_BARRIER();"), "{accepted}");
    // what a thread adds to elements of others' is added atomically, in shared memory
    let turned = tile.replace("tile[63 - t]", "tile[(6 * t) % 64]");
    let accepted = text("cuda", &turned).unwrap();
    assert!(accepted.contains("pd_atomic_add(b_d_tile"), "{accepted}");
    assert!(!text("cuda, deny(atomics)", &turned).unwrap().contains("pd_atomic_add"));
    // an array too large for shared memory is the block's part of one in global memory
    let large = tile.replace(" 64", " 8192").replace("63 -", "8191 -");
    let accepted = text("cuda", &large).unwrap();
    assert!(!accepted.contains("__shared__ pd_shared<double, 8192>") && accepted.contains("blockIdx.x *"));
}

#[test]
fn what_is_sequential_is_one_thread() {
    let sum = "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s }";
    for attr in ["cuda, sequential", "cuda, strict"] {
        let one = text(attr, sum).unwrap();
        assert!(!one.contains("pd_of_block<") && one.contains("_once("), "{attr}: {one}");
    }
}

#[test]
fn refusals_say_what_to_write_instead() {
    for (function, word) in [
        (
            "fn f(x: f64) -> f64 { let mut y = x; while y > 1.0 { y = y.sqrt() - 0.01; } y }",
            "grows as it is written",
        ),
        ("fn f(x: &[f64], n: u128) -> f64 { x[0] * n as f64 }", "128 bits"),
    ] {
        let refused = text("cuda", function).unwrap_err();
        assert!(refused.contains(word) && refused.contains("remove `cuda`"), "{refused}");
    }
}

#[test]
fn what_one_thread_does_waits_for_more_of_it() {
    let launches = |body: &str| {
        let text = text("cuda", &format!("fn f(x: &[f64], a: f64, n: usize) -> f64 {{ {body} }}")).unwrap();
        text.matches("_once(const").count()
    };
    // the root is needed behind the second loop, or in it
    let apart = "let (mut first, mut count) = (0.0, 0);
        for i in 0..x.len() { first += x[i]; }
        let root = first.sqrt();
        for i in 0..x.len() { if x[i] > a { count += 1; } }
        root * count as f64";
    let needed = apart.replace("> a", "> root");
    assert_eq!(launches(&needed), launches(apart) + 1);
    // a condition of the host is one of the thread as well
    let scale = "let scale = if n > 0 { a.sqrt() } else { 1.0 };
        let mut sum = 0.0;
        for i in 0..x.len() { sum += x[i] * x[i]; }
        scale * sum";
    assert_eq!(launches(scale), 2);
}
