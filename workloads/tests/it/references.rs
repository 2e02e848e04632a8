//! Kernels against values of another tool, in `references/`.

use crate::check;
use pardiff_workloads::cases::{REFERENCED, WORKLOADS};
use std::path::Path;

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn gradients_are_those_of_another_tool() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("references");
    for entry in WORKLOADS.iter().chain(&REFERENCED) {
        let mut compared = 0;
        for case in entry.small {
            let path = folder.join(format!("{}.{case}.txt", entry.workload));
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = format!("{} {case}", entry.workload);
            let Some(workload) = (entry.load)(case) else { panic!("{name}: not a case") };
            let numbers = text.lines().filter(|line| !line.starts_with('#'));
            let numbers: Vec<f64> =
                numbers.map(|line| line.parse().unwrap_or_else(|error| panic!("{name}: {error}"))).collect();
            let Some((&value, gradient)) = numbers.split_first() else { panic!("{name}: no value") };
            check(&name, &*workload, value, gradient);
            compared += 1;
        }
        assert!(compared > 0, "{} has no reference", entry.workload);
    }
}
