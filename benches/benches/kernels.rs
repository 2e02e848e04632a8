//! Every kernel: as written, the generated value, the generated gradient. `cargo bench --bench kernels -- gmm` picks some.
//!
//! For a comparison with gradients by hand in one interleaved run, see the bench `suite`.

use criterion::{Criterion, criterion_group, criterion_main};
use pardiff_workloads::cases::WORKLOADS;
use pardiff_workloads::data::Aligned;
use std::hint::black_box;

fn bench(c: &mut Criterion) {
    for entry in &WORKLOADS {
        let case = entry.cases[0];
        let Some(workload) = (entry.load)(case) else { panic!("{} has no case {case}", entry.workload) };
        let p = Aligned::of(&workload.parameters());
        let mut g = Aligned::zeros(p.len());
        let mut group = c.benchmark_group(format!("{} {case}", entry.workload));
        group.sample_size(10);
        group.bench_function("primal", |b| b.iter(|| workload.primal(black_box(&p))));
        group.bench_function("value", |b| b.iter(|| workload.value(black_box(&p))));
        group.bench_function("gradient", |b| b.iter(|| workload.grad_into(black_box(&p), &mut g)));
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
