//! Kernels against values of another tool, in `references/`.

use crate::check;
use pardiff_workloads::cases::REFERENCED;
use std::path::Path;

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn gradients_are_those_of_another_tool() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("references");
    let mut compared = 0;
    for entry in &REFERENCED {
        for case in entry.small {
            let name = format!("{} {case}", entry.workload);
            let Some(workload) = (entry.load)(case) else { panic!("{name}: not a case") };
            let path = folder.join(format!("{}.{case}.txt", entry.workload));
            let text =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let numbers = text.lines().filter(|line| !line.starts_with('#'));
            let numbers: Vec<f64> =
                numbers.map(|line| line.parse().unwrap_or_else(|error| panic!("{name}: {error}"))).collect();
            let Some((&value, gradient)) = numbers.split_first() else { panic!("{name}: no value") };
            check(&name, &*workload, value, gradient);
            compared += 1;
        }
    }
    assert_eq!(compared, 13);
}
