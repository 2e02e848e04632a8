//! The mixture objective: the primal, the generated value and gradient, and the gradient by hand.

#[path = "../../workloads/gmm.rs"]
mod objective;

use criterion::{Criterion, criterion_group, criterion_main};
use objective::gmm;
use pardiff_benches::gmm::{Case, Parameters};
use std::hint::black_box;

fn bench(c: &mut Criterion) {
    let case = Case::new(10, 25, 1000);
    let Case { alphas, means, icf, x, sizes } = &case;
    let (d, k, n) = (sizes.d, sizes.k, sizes.n);
    let (gamma, m, prior, constant) = (sizes.gamma, sizes.m, sizes.prior, sizes.constant);
    let (mut d_alphas, mut d_means, mut d_icf) = case.zeros();

    let mut group = c.benchmark_group(format!("gmm d={d} k={k} n={n}"));
    group.sample_size(20);
    group.bench_function("primal", |b| {
        b.iter(|| gmm(black_box(alphas), means, icf, x, d, k, n, gamma, m, prior, constant))
    });
    group.bench_function("value", |b| {
        b.iter(|| gmm::value(black_box(alphas), means, icf, x, d, k, n, gamma, m, prior, constant))
    });
    group.bench_function("gradient", |b| {
        b.iter(|| {
            gmm::grad_into(
                black_box(alphas),
                &mut d_alphas,
                means,
                &mut d_means,
                icf,
                &mut d_icf,
                x,
                d,
                k,
                n,
                gamma,
                m,
                prior,
                constant,
            )
        })
    });
    group.bench_function("gradient by hand", |b| {
        b.iter(|| {
            let parameters = Parameters { alphas: black_box(alphas.as_slice()), means, icf };
            let mut adjoint = Parameters {
                alphas: d_alphas.as_mut_slice(),
                means: d_means.as_mut_slice(),
                icf: d_icf.as_mut_slice(),
            };
            pardiff_benches::gmm::gradient(&parameters, &mut adjoint, x, sizes)
        })
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
