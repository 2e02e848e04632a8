//! Kernels against values of another tool, in `references/`.

use crate::check;
use pardiff_workloads::cases::{REFERENCED, WORKLOADS};
use std::path::Path;

/// The numbers in a file of references, where there is one.
pub fn numbers(file: &str) -> Option<Vec<f64>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("references").join(file);
    let text = std::fs::read_to_string(path).ok()?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Some(lines.map(|line| line.parse().unwrap_or_else(|error| panic!("{file}: {error}"))).collect())
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn gradients_are_those_of_another_tool() {
    for entry in WORKLOADS.iter().chain(&REFERENCED) {
        let mut compared = 0;
        for case in entry.small {
            let Some(numbers) = numbers(&format!("{}.{case}.txt", entry.workload)) else { continue };
            let name = format!("{} {case}", entry.workload);
            let Some(workload) = (entry.load)(case) else { panic!("{name}: not a case") };
            let Some((&value, gradient)) = numbers.split_first() else { panic!("{name}: no value") };
            check(&name, &*workload, value, gradient);
            compared += 1;
        }
        assert!(compared > 0, "{} has no reference", entry.workload);
    }
}
