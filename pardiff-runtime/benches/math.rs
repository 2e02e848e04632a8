//! Elementary functions of an array that stays in cache: std, and the runtime at every level of the machine.
//! `cargo bench -p pardiff-runtime --bench math -- exp` runs those whose name contains `exp`.

#[path = "../tests/it/at_level.rs"]
mod at_level;

use at_level::{Job, at, levels};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pardiff_runtime::math;
use pardiff_runtime::simd::{Isa, LANES, Vector};
use std::hint::black_box;
use std::time::Duration;

const LEN: usize = 1024;

macro_rules! functions {
    ($($job:ident $job32:ident $name:literal $std:ident $range:expr;)*) => {
        $(
            struct $job<'a>(&'a [f64; LEN], &'a mut [f64; LEN]);

            impl Job for $job<'_> {
                type Output = ();

                #[inline(always)]
                fn run<S: Isa>(self) {
                    for (x, y) in self.0.chunks_exact(LANES).zip(self.1.chunks_exact_mut(LANES)) {
                        // Safety: a chunk has eight elements
                        unsafe { math::$std(S::F64::load(x.as_ptr())).store(y.as_mut_ptr()) }
                    }
                }
            }

            struct $job32<'a>(&'a [f32; LEN], &'a mut [f32; LEN]);

            impl Job for $job32<'_> {
                type Output = ();

                #[inline(always)]
                fn run<S: Isa>(self) {
                    for (x, y) in self.0.chunks_exact(LANES).zip(self.1.chunks_exact_mut(LANES)) {
                        // Safety: a chunk has eight elements
                        unsafe { math::$std(S::F32::load(x.as_ptr())).store(y.as_mut_ptr()) }
                    }
                }
            }
        )*

        fn unary(c: &mut Criterion) {
            $({
                let x = inputs($range);
                let narrow = x.map(|x| x as f32);
                let (mut y, mut y32) = ([0.0; LEN], [0.0; LEN]);
                let mut group = c.benchmark_group($name);
                group.throughput(Throughput::Elements(LEN as u64));
                group.bench_function("std f64", |b| {
                    b.iter(|| black_box(&x).iter().zip(black_box(&mut y)).for_each(|(x, y)| *y = x.$std()))
                });
                group.bench_function("std f32", |b| {
                    b.iter(|| black_box(&narrow).iter().zip(black_box(&mut y32)).for_each(|(x, y)| *y = x.$std()))
                });
                for level in levels() {
                    group.bench_function(BenchmarkId::new("f64", format!("{level:?}")), |b| {
                        b.iter(|| at(level, $job(black_box(&x), black_box(&mut y))))
                    });
                    group.bench_function(BenchmarkId::new("f32", format!("{level:?}")), |b| {
                        b.iter(|| at(level, $job32(black_box(&narrow), black_box(&mut y32))))
                    });
                }
            })*
        }
    };
}

functions! {
    Exp Exp32 "exp" exp [-20.0, 20.0];
    Exp2 Exp2Single "exp2" exp2 [-20.0, 20.0];
    ExpM1 ExpM132 "exp_m1" exp_m1 [-3.0, 3.0];
    Ln Ln32 "ln" ln [0.01, 100.0];
    Ln1p Ln1p32 "ln_1p" ln_1p [-0.9, 10.0];
    Log2 Log2Single "log2" log2 [0.01, 100.0];
    Log10 Log10Single "log10" log10 [0.01, 100.0];
    Sin Sin32 "sin" sin [-10.0, 10.0];
    Cos Cos32 "cos" cos [-10.0, 10.0];
    Tan Tan32 "tan" tan [-10.0, 10.0];
    Asin Asin32 "asin" asin [-0.99, 0.99];
    Acos Acos32 "acos" acos [-0.99, 0.99];
    Atan Atan32 "atan" atan [-4.0, 4.0];
    Sinh Sinh32 "sinh" sinh [-4.0, 4.0];
    Cosh Cosh32 "cosh" cosh [-4.0, 4.0];
    Tanh Tanh32 "tanh" tanh [-4.0, 4.0];
    Asinh Asinh32 "asinh" asinh [-4.0, 4.0];
    Acosh Acosh32 "acosh" acosh [1.0, 10.0];
    Atanh Atanh32 "atanh" atanh [-0.99, 0.99];
    Cbrt Cbrt32 "cbrt" cbrt [-10.0, 10.0];
}

/// Sines and cosines of an array.
struct SinCos<'a>(&'a [f64; LEN], &'a mut [f64; LEN], &'a mut [f64; LEN]);

impl Job for SinCos<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        let results = self.1.chunks_exact_mut(LANES).zip(self.2.chunks_exact_mut(LANES));
        for (x, (s, c)) in self.0.chunks_exact(LANES).zip(results) {
            // Safety: a chunk has eight elements
            unsafe {
                let (sin, cos) = math::sin_cos(S::F64::load(x.as_ptr()));
                sin.store(s.as_mut_ptr());
                cos.store(c.as_mut_ptr());
            }
        }
    }
}

fn sin_cos(c: &mut Criterion) {
    let y = inputs([-5.0, 5.0]);
    let (mut z, mut w) = ([0.0; LEN], [0.0; LEN]);
    let mut group = c.benchmark_group("sin_cos");
    group.throughput(Throughput::Elements(LEN as u64));
    group.bench_function("std f64", |b| {
        b.iter(|| {
            let results = black_box(&mut z).iter_mut().zip(black_box(&mut w));
            black_box(&y).iter().zip(results).for_each(|(y, (s, c))| (*s, *c) = y.sin_cos());
        })
    });
    for level in levels() {
        group.bench_function(BenchmarkId::new("f64", format!("{level:?}")), |b| {
            b.iter(|| at(level, SinCos(black_box(&y), black_box(&mut z), black_box(&mut w))))
        });
    }
}

macro_rules! functions_of_two {
    ($($job:ident $job32:ident $name:literal $function:ident $std:ident $x:expr, $y:expr;)*) => {
        $(
            struct $job<'a>([&'a [f64; LEN]; 2], &'a mut [f64; LEN]);

            impl Job for $job<'_> {
                type Output = ();

                #[inline(always)]
                fn run<S: Isa>(self) {
                    let arguments = self.0[0].chunks_exact(LANES).zip(self.0[1].chunks_exact(LANES));
                    for ((x, y), z) in arguments.zip(self.1.chunks_exact_mut(LANES)) {
                        // Safety: a chunk has eight elements
                        unsafe {
                            let [x, y] = [x, y].map(|x| S::F64::load(x.as_ptr()));
                            math::$function(x, y).store(z.as_mut_ptr())
                        }
                    }
                }
            }

            struct $job32<'a>([&'a [f32; LEN]; 2], &'a mut [f32; LEN]);

            impl Job for $job32<'_> {
                type Output = ();

                #[inline(always)]
                fn run<S: Isa>(self) {
                    let arguments = self.0[0].chunks_exact(LANES).zip(self.0[1].chunks_exact(LANES));
                    for ((x, y), z) in arguments.zip(self.1.chunks_exact_mut(LANES)) {
                        // Safety: a chunk has eight elements
                        unsafe {
                            let [x, y] = [x, y].map(|x| S::F32::load(x.as_ptr()));
                            math::$function(x, y).store(z.as_mut_ptr())
                        }
                    }
                }
            }
        )*

        fn of_two(c: &mut Criterion) {
            $({
                // in another order, so that pairs are no multiples of one pair
                let (x, mut y) = (inputs($x), inputs($y));
                y.reverse();
                let (x32, y32) = (x.map(|x| x as f32), y.map(|y| y as f32));
                let (mut z, mut z32) = ([0.0; LEN], [0.0; LEN]);
                let mut group = c.benchmark_group($name);
                group.throughput(Throughput::Elements(LEN as u64));
                group.bench_function("std f64", |b| {
                    b.iter(|| {
                        let arguments = black_box(&x).iter().zip(black_box(&y));
                        arguments.zip(black_box(&mut z)).for_each(|((x, y), z)| *z = x.$std(*y));
                    })
                });
                group.bench_function("std f32", |b| {
                    b.iter(|| {
                        let arguments = black_box(&x32).iter().zip(black_box(&y32));
                        arguments.zip(black_box(&mut z32)).for_each(|((x, y), z)| *z = x.$std(*y));
                    })
                });
                for level in levels() {
                    group.bench_function(BenchmarkId::new("f64", format!("{level:?}")), |b| {
                        b.iter(|| at(level, $job([black_box(&x), black_box(&y)], black_box(&mut z))))
                    });
                    group.bench_function(BenchmarkId::new("f32", format!("{level:?}")), |b| {
                        b.iter(|| at(level, $job32([black_box(&x32), black_box(&y32)], black_box(&mut z32))))
                    });
                }
            })*
        }
    };
}

functions_of_two! {
    Pow Pow32 "pow" pow powf [0.01, 10.0], [-5.0, 5.0];
    Atan2 Atan232 "atan2" atan2 atan2 [-4.0, 4.0], [-3.0, 3.0];
    Hypot Hypot32 "hypot" hypot hypot [-4.0, 4.0], [-3.0, 3.0];
    Log Log32 "log" log log [0.01, 100.0], [1.5, 20.0];
}

/// Integer powers of an array, of an exponent that the compiler knows or does not.
struct Powi<'a>(&'a [f64; LEN], i32, &'a mut [f64; LEN]);

impl Job for Powi<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        for (x, y) in self.0.chunks_exact(LANES).zip(self.2.chunks_exact_mut(LANES)) {
            // Safety: a chunk has eight elements
            unsafe { math::powi(S::F64::load(x.as_ptr()), self.1).store(y.as_mut_ptr()) }
        }
    }
}

/// The fifth power, as of a constant.
struct Fifth<'a>(&'a [f64; LEN], &'a mut [f64; LEN]);

impl Job for Fifth<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Isa>(self) {
        Powi(self.0, 5, self.1).run::<S>()
    }
}

fn powi(c: &mut Criterion) {
    let (x, mut y) = (inputs([0.5, 1.5]), [0.0; LEN]);
    for n in [5, -12] {
        let mut group = c.benchmark_group(format!("powi {n}"));
        group.throughput(Throughput::Elements(LEN as u64));
        group.bench_function("std f64", |b| {
            b.iter(|| {
                let n = black_box(n);
                black_box(&x).iter().zip(black_box(&mut y)).for_each(|(x, y)| *y = x.powi(n));
            })
        });
        for level in levels() {
            group.bench_function(BenchmarkId::new("f64", format!("{level:?}")), |b| {
                b.iter(|| at(level, Powi(black_box(&x), black_box(n), black_box(&mut y))))
            });
        }
    }
    let mut group = c.benchmark_group("powi of a constant 5");
    group.throughput(Throughput::Elements(LEN as u64));
    group.bench_function("std f64", |b| {
        b.iter(|| black_box(&x).iter().zip(black_box(&mut y)).for_each(|(x, y)| *y = x.powi(5)))
    });
    for level in levels() {
        group.bench_function(BenchmarkId::new("f64", format!("{level:?}")), |b| {
            b.iter(|| at(level, Fifth(black_box(&x), black_box(&mut y))))
        });
    }
}

/// Spread over a range without an order that a branch predictor could learn.
fn inputs([low, high]: [f64; 2]) -> [f64; LEN] {
    std::array::from_fn(|k| low + (high - low) * ((k * 617 % LEN) as f64 + 0.37) / LEN as f64)
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
    targets = unary, sin_cos, of_two, powi
}
criterion_main!(benches);
