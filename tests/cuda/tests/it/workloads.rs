//! Gradients of the workloads of the project by kernels, in `f64` and in `f32`, against those for the CPU.

use crate::gradients::{assert_close, devices_by};
use crate::nvrtc::library;
use pardiff::cuda::Gpu;
use pardiff_cuda_tests::{cases, device};
use pardiff_workloads::cases as on_cpu;

/// How far gradients in `f32` may be from those in `f64`, relative to the largest element.
const IN_F32: f64 = 2e-3;

/// Workloads whose exponential functions are infinite in `f32`, on the CPU as well.
const NOT_IN_F32: [&str; 1] = ["soft_rasteriser"];

/// Compares the gradients of the first small case of each workload whose number is `part` modulo `parts`.
fn compare(part: usize, parts: usize, narrow: bool) {
    // numbers of 32 bits are at the same places: one order of threads
    let count = if narrow { 1 } else { 2 };
    // kernels in `f64` pass NVRTC where their resources are counted
    let nvrtc = if narrow { library() } else { None };
    let devices: Vec<Gpu> = devices_by(nvrtc).into_iter().take(count).collect();
    let ours = cases::WORKLOADS.iter().chain(&cases::REFERENCED);
    let expected = on_cpu::WORKLOADS.iter().chain(&on_cpu::REFERENCED);
    for (ours, expected) in ours.zip(expected).skip(part).step_by(parts) {
        let (name, case) = (ours.workload, ours.small[0]);
        if narrow && NOT_IN_F32.contains(&name) {
            continue;
        }
        let (ours, expected) = ((ours.load)(case).expect("a case"), (expected.load)(case).expect("a case"));
        let p = ours.parameters();
        let mut g = vec![0.0; p.len()];
        let value = expected.grad(&p, &mut g);
        for gpu in &devices {
            let mut on_g = vec![0.0; p.len()];
            let on_value = device::with(gpu, narrow, || ours.grad(&p, &mut on_g));
            let relative = if narrow { IN_F32 } else { 1e-10 };
            assert_close(&format!("{name}: value"), &[on_value], &[value], relative);
            assert_close(&format!("{name}: gradient"), &on_g, &g, relative);
        }
    }
}

/// Computes the gradient of each workload once, on that device.
pub(crate) fn compute_all(gpu: &Gpu) {
    for entry in cases::WORKLOADS.iter().chain(&cases::REFERENCED) {
        let workload = (entry.load)(entry.small[0]).expect("a case");
        let p = workload.parameters();
        device::with(gpu, false, || workload.grad(&p, &mut vec![0.0; p.len()]));
    }
}

macro_rules! parts {
    ($($name:ident: $part:literal, $narrow:literal;)*) => { $(
        #[test]
        pub(crate) fn $name() {
            compare($part, 2, $narrow);
        }
    )* };
}

// in parts, so that they are compiled side by side
parts! {
    in_f64: 0, false;
    others_in_f64: 1, false;
    in_f32: 0, true;
    others_in_f32: 1, true;
}
