//! The nine workloads against the primals and the sequential gradients in `benches/experts`.

use crate::{assert_close, check};
use pardiff_workloads::cases::WORKLOADS;

#[test]
fn values_and_gradients_are_those_of_the_experts() {
    let mut compared = 0;
    for entry in WORKLOADS.iter().filter(|entry| entry.expert) {
        for case in entry.small {
            let name = format!("{} {case}", entry.workload);
            let Some(workload) = (entry.load)(case) else { panic!("{name}: not a case") };
            let c = workload.constants();
            let constants =
                pardiff_experts::Constants { sizes: c.sizes, indices: c.indices, floats: c.floats };
            let Some(expert) = pardiff_experts::load(entry.workload, constants) else {
                panic!("{name}: no expert")
            };
            let p = workload.parameters();
            let mut gradient = vec![0.0; p.len()];
            let value = expert.grad_scalar(&p, &mut gradient);
            assert_close(&format!("{name}: naive"), &[expert.naive(&p)], &[value], 1e-12);
            let mut fast = vec![0.0; p.len()];
            expert.grad_fast(&p, &mut fast);
            assert_close(&format!("{name}: the expert's fast gradient"), &fast, &gradient, 1e-9);
            check(&name, &*workload, value, &gradient);
            compared += 1;
        }
    }
    assert!(compared >= 10);
}
