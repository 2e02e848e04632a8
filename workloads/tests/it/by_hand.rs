//! The other kernels against gradients by hand, and those against differences of the primal.

use crate::{assert_close, check};
use pardiff_workloads::cases::WORKLOADS;
use pardiff_workloads::data::Lcg;

#[test]
fn gradients_are_those_by_hand() {
    let mut compared = 0;
    for entry in WORKLOADS.iter().filter(|entry| !entry.expert) {
        for case in entry.small {
            let name = format!("{} {case}", entry.workload);
            let Some(workload) = (entry.load)(case) else { panic!("{name}: not a case") };
            let p = workload.parameters();
            let mut gradient = vec![0.0; p.len()];
            let Some(value) = workload.by_hand(&p, &mut gradient) else {
                panic!("{name}: no gradient by hand")
            };
            check(&name, &*workload, value, &gradient);

            // the slope along random directions, from the primal alone
            let mut random = Lcg(5);
            for _ in 0..3 {
                let direction = random.floats(p.len(), -1.0, 1.0);
                let at = |h: f64| {
                    let moved: Vec<f64> = p.iter().zip(&direction).map(|(p, d)| p + h * d).collect();
                    workload.primal(&moved)
                };
                let h = 1e-4;
                let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                let expected: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
                assert_close(&format!("{name}: differences"), &[slope], &[expected], 1e-6);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 8);
}
