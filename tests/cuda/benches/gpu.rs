//! How fast gradients are on a GPU, against what its memory and its arithmetic allow, and against one CPU.
//!
//! ```text
//! cargo bench -p pardiff-cuda-tests --bench gpu -- [on-cpu]
//! ```
//!
//! Times are the least of some calls, by the clock of the device; the first call, which compiles the kernels, is not counted. The
//! last thing it prints is the table. With `on-cpu` the same runs on the CPU in the GPU's place, on small problems: the numbers
//! mean nothing then. Exit code 1: there is no GPU, or a gradient is not the one of the CPU.

use pardiff::cuda::{Buffer, Error, Gpu, OnCpu};
use pardiff::runtime::cuda::{Call, Kernel, Module};
use pardiff_cuda_tests::workloads;
use pardiff_workloads::data::adbench::Bundle;
use pardiff_workloads::data::mixture::Problem;
use std::process::ExitCode;
use std::time::Instant;

const CALLS: usize = 10;

/// A chain of fused products and sums in every thread, with enough of them side by side.
macro_rules! chains {
    ($name:ident, $ty:literal) => {
        static $name: Module = Module {
            text: concat!(
                "PD_KERNEL chains(const pd_words<2> w) {\n",
                "  pd_array<",
                $ty,
                "> out = pd_as_array<",
                $ty,
                ">(w.v[0]);\n",
                "  ",
                $ty,
                " x[8]; for (int k = 0; k < 8; k++) x[k] = (",
                $ty,
                ")(pd_thread() + k);\n",
                "  for (pd_u64 n = 0; n < w.v[1]; n++) for (int k = 0; k < 8; k++) x[k] = pd_mul_add(x[k], (",
                $ty,
                ")0.999, (",
                $ty,
                ")0.5);\n",
                "  ",
                $ty,
                " sum = 0; for (int k = 0; k < 8; k++) sum += x[k];\n",
                "  pd_store(out, pd_thread(), sum);\n}\n"
            ),
            kernels: &[Kernel { name: "chains", words: 2 }],
        };
    };
}
chains!(CHAINS_F64, "double");
chains!(CHAINS_F32, "float");

/// What the device can do.
struct Machine {
    /// Bytes read and written by a copy, a second.
    bandwidth: f64,
    /// Fused products and sums count as two, a second.
    flops: [f64; 2],
}

/// The least time of some calls.
fn least(gpu: &Gpu, mut work: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    work()?;
    let mut seconds = f64::INFINITY;
    for _ in 0..CALLS {
        seconds = seconds.min(gpu.time(&mut work)?);
    }
    Ok(seconds)
}

fn flops(gpu: &Gpu, module: &'static Module, large: bool) -> Result<f64, Error> {
    let (threads, rounds) = if large { (128 * 4096, 2048_u64) } else { (128, 2) };
    let out: Buffer<f64> = gpu.zeros(threads)?;
    let call = Call::new(gpu, module)?;
    let words = [call.address(&out, "out")?, rounds];
    // Safety: the kernel takes these words, and stores an element a thread.
    let seconds = least(gpu, || unsafe { call.launch(0, threads as u64, &words) })?;
    Ok(2.0 * 8.0 * (threads as u64 * rounds) as f64 / seconds)
}

impl Machine {
    fn measured(gpu: &Gpu, large: bool) -> Result<Machine, Error> {
        let elements = if large { 1 << 27 } else { 1 << 12 };
        let (from, mut to) = (gpu.zeros::<f64>(elements)?, gpu.zeros(elements)?);
        let seconds = least(gpu, || to.copy_from(&from))?;
        let flops = [flops(gpu, &CHAINS_F64, large)?, flops(gpu, &CHAINS_F32, large)?];
        Ok(Machine { bandwidth: 16.0 * elements as f64 / seconds, flops })
    }
}

/// A line of the table.
struct Line {
    name: String,
    /// On the device, and on the CPU with all its cores.
    seconds: [f64; 2],
    /// Bytes that a gradient has to move at least, where memory is what limits it.
    bytes: Option<f64>,
    /// The largest difference to the gradient of the CPU, relative to its largest element.
    error: f64,
}

/// The largest difference, relative to the largest element.
fn difference(ours: &[f64], expected: &[f64]) -> f64 {
    let scale = expected.iter().fold(1e-300, |scale: f64, it| scale.max(it.abs()));
    ours.iter().zip(expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs() / scale))
}

/// Times the two gradients; `on_gpu` starts one on the device, `read` downloads the adjoints, which were zero and were added to
/// in every call.
fn line(
    gpu: &Gpu,
    name: String,
    bytes: Option<f64>,
    mut on_cpu: impl FnMut() -> Vec<Vec<f64>>,
    mut on_gpu: impl FnMut() -> Result<(), Error>,
    read: impl FnOnce() -> Result<Vec<Vec<f64>>, Error>,
) -> Result<Line, Error> {
    let mut cpu = f64::INFINITY;
    let mut expected = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        expected = on_cpu();
        cpu = cpu.min(start.elapsed().as_secs_f64());
    }
    let seconds = least(gpu, &mut on_gpu)?;
    let calls = (CALLS + 1) as f64;
    let error = read()?.iter().zip(&expected).fold(0.0, |most: f64, (ours, expected)| {
        let one: Vec<f64> = ours.iter().map(|it| it / calls).collect();
        most.max(difference(&one, expected))
    });
    println!("{name}: {:.3} ms, error {error:.1e}", 1e3 * seconds);
    Ok(Line { name, seconds: [seconds, cpu], bytes, error })
}

/// Uniform numbers in [-1, 1).
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn matvec(gpu: &Gpu, n: usize) -> Result<Line, Error> {
    use workloads::matvec::matvec;
    let (a, x) = (numbers(n * n, 1), numbers(n, 2));
    let (on_a, on_x, mut on_d_a, mut on_d_x) =
        (gpu.upload(&a)?, gpu.upload(&x)?, gpu.zeros(n * n)?, gpu.zeros(n)?);
    let adjoints = std::cell::RefCell::new((&mut on_d_a, &mut on_d_x));
    line(
        gpu,
        format!("matvec {n}"),
        Some(24.0 * (n * n) as f64),
        || {
            let (mut d_a, mut d_x) = (vec![0.0; n * n], vec![0.0; n]);
            matvec::grad(&a, &mut d_a, &x, &mut d_x, n);
            vec![d_a, d_x]
        },
        || {
            let (d_a, d_x) = &mut *adjoints.borrow_mut();
            matvec::cuda::grad(gpu, &on_a, d_a, &on_x, d_x, n).map(|_| ())
        },
        || {
            let (d_a, d_x) = &*adjoints.borrow();
            Ok(vec![d_a.download()?, d_x.download()?])
        },
    )
}

fn spmv(gpu: &Gpu, n: usize) -> Result<Line, Error> {
    use workloads::spmv::spmv;
    let per_row = 16;
    let entries = per_row * n;
    let start: Vec<u32> = (0..=n).map(|i| (per_row * i) as u32).collect();
    let columns: Vec<u32> = (0..entries).map(|k| ((k / per_row + k * k % 1021) % n) as u32).collect();
    let (values, x) = (numbers(entries, 3), numbers(n, 4));
    let (on_values, on_x, on_start, on_columns) =
        (gpu.upload(&values)?, gpu.upload(&x)?, gpu.upload(&start)?, gpu.upload(&columns)?);
    let (mut on_d_values, mut on_d_x) = (gpu.zeros(entries)?, gpu.zeros(n)?);
    let adjoints = std::cell::RefCell::new((&mut on_d_values, &mut on_d_x));
    line(
        gpu,
        format!("spmv {n} rows of {per_row}"),
        Some((28 * entries + 28 * n) as f64),
        || {
            let (mut d_values, mut d_x) = (vec![0.0; entries], vec![0.0; n]);
            spmv::grad(&values, &mut d_values, &x, &mut d_x, &start, &columns, n);
            vec![d_values, d_x]
        },
        || {
            let (d_values, d_x) = &mut *adjoints.borrow_mut();
            spmv::cuda::grad(gpu, &on_values, d_values, &on_x, d_x, &on_start, &on_columns, n).map(|_| ())
        },
        || {
            let (d_values, d_x) = &*adjoints.borrow();
            Ok(vec![d_values.download()?, d_x.download()?])
        },
    )
}

fn heat2d(gpu: &Gpu, n: usize, steps: usize) -> Result<Line, Error> {
    use workloads::heat2d::heat2d;
    let (u0, k) = (numbers(n * n, 5), vec![0.1; n * n]);
    let (on_u0, on_k, mut on_d_u0, mut on_d_k) =
        (gpu.upload(&u0)?, gpu.upload(&k)?, gpu.zeros(n * n)?, gpu.zeros(n * n)?);
    let adjoints = std::cell::RefCell::new((&mut on_d_u0, &mut on_d_k));
    line(
        gpu,
        format!("heat2d {n}, {steps} steps"),
        // forward: u and k in, u out and kept; reverse: u, k and the adjoints of both in, these out
        Some(72.0 * (n * n * steps) as f64),
        || {
            let (mut d_u0, mut d_k) = (vec![0.0; n * n], vec![0.0; n * n]);
            heat2d::grad(&u0, &mut d_u0, &k, &mut d_k, n, steps);
            vec![d_u0, d_k]
        },
        || {
            let (d_u0, d_k) = &mut *adjoints.borrow_mut();
            heat2d::cuda::grad(gpu, &on_u0, d_u0, &on_k, d_k, n, steps).map(|_| ())
        },
        || {
            let (d_u0, d_k) = &*adjoints.borrow();
            Ok(vec![d_u0.download()?, d_k.download()?])
        },
    )
}

fn gmm(gpu: &Gpu, d: usize, k: usize, n: usize) -> Result<Line, Error> {
    use workloads::gmm::gmm;
    let Problem { alphas, means, icf, x, gamma, m, constant, .. } = Problem::generated(d, k, n);
    let (on_alphas, on_means, on_icf, on_x) =
        (gpu.upload(&alphas)?, gpu.upload(&means)?, gpu.upload(&icf)?, gpu.upload(&x)?);
    let lens = [alphas.len(), means.len(), icf.len()];
    let adjoints = lens.map(|len| gpu.zeros::<f64>(len));
    let [d_alphas, d_means, d_icf] = adjoints;
    let adjoints = std::cell::RefCell::new([d_alphas?, d_means?, d_icf?]);
    line(
        gpu,
        format!("gmm d {d}, K {k}, n {n}"),
        None,
        || {
            let [mut d_a, mut d_m, mut d_i] = lens.map(|len| vec![0.0; len]);
            gmm::grad(
                &alphas, &mut d_a, &means, &mut d_m, &icf, &mut d_i, &x, d, k, n, gamma, m, 1.0, constant,
            );
            vec![d_a, d_m, d_i]
        },
        || {
            let [d_a, d_m, d_i] = &mut *adjoints.borrow_mut();
            let call = gmm::cuda::grad;
            let (a, me, i) = (&on_alphas, &on_means, &on_icf);
            call(gpu, a, d_a, me, d_m, i, d_i, &on_x, d, k, n, gamma, m, 1.0, constant).map(|_| ())
        },
        || adjoints.borrow().iter().map(Buffer::download).collect(),
    )
}

fn ba(gpu: &Gpu, n: usize, m: usize, p: usize) -> Result<Line, Error> {
    use workloads::ba::ba;
    let Bundle { cameras, points, weights, features, camera_of, point_of } = Bundle::generated(n, m, p);
    let (on_cameras, on_points, on_weights, on_features) =
        (gpu.upload(&cameras)?, gpu.upload(&points)?, gpu.upload(&weights)?, gpu.upload(&features)?);
    let (on_camera_of, on_point_of) = (gpu.upload(&camera_of)?, gpu.upload(&point_of)?);
    let lens = [cameras.len(), points.len(), weights.len()];
    let [d_c, d_p, d_w] = lens.map(|len| gpu.zeros::<f64>(len));
    let adjoints = std::cell::RefCell::new([d_c?, d_p?, d_w?]);
    line(
        gpu,
        format!("ba {n} cameras, {m} points, {p} observations"),
        None,
        || {
            let [mut d_c, mut d_p, mut d_w] = lens.map(|len| vec![0.0; len]);
            ba::grad(
                &cameras, &mut d_c, &points, &mut d_p, &weights, &mut d_w, &features, &camera_of, &point_of,
            );
            vec![d_c, d_p, d_w]
        },
        || {
            let [d_c, d_p, d_w] = &mut *adjoints.borrow_mut();
            let call = ba::cuda::grad;
            let (c, po, w) = (&on_cameras, &on_points, &on_weights);
            call(gpu, c, d_c, po, d_p, w, d_w, &on_features, &on_camera_of, &on_point_of).map(|_| ())
        },
        || adjoints.borrow().iter().map(Buffer::download).collect(),
    )
}

fn run(gpu: &Gpu, large: bool) -> Result<bool, Error> {
    let machine = Machine::measured(gpu, large)?;
    let lines = if large {
        vec![
            matvec(gpu, 8192)?,
            spmv(gpu, 2_000_000)?,
            heat2d(gpu, 2048, 50)?,
            gmm(gpu, 32, 25, 100_000)?,
            gmm(gpu, 64, 64, 20_000)?,
            ba(gpu, 1000, 100_000, 1_000_000)?,
        ]
    } else {
        vec![
            matvec(gpu, 100)?,
            spmv(gpu, 150)?,
            heat2d(gpu, 20, 2)?,
            gmm(gpu, 3, 4, 70)?,
            ba(gpu, 4, 30, 90)?,
        ]
    };
    println!(
        "\n{}: copies {:.0} GB/s, {:.1} TFLOP/s in f64, {:.1} in f32\n",
        gpu.name(),
        machine.bandwidth * 1e-9,
        machine.flops[0] * 1e-12,
        machine.flops[1] * 1e-12,
    );
    println!("| gradient | ms | of the copy bandwidth | times the CPU, all cores | error |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut right = true;
    for Line { name, seconds: [seconds, cpu], bytes, error } in lines {
        let part = bytes.map_or("—".to_owned(), |bytes| {
            format!("{:.0} %", 100.0 * bytes / seconds / machine.bandwidth)
        });
        println!("| {name} | {:.3} | {part} | {:.1} | {error:.1e} |", 1e3 * seconds, cpu / seconds);
        right &= error < 1e-9;
    }
    Ok(right)
}

fn main() -> ExitCode {
    let on_cpu = std::env::args().any(|argument| argument == "on-cpu");
    let gpu = if on_cpu { Gpu::on_cpu(OnCpu::default()) } else { Gpu::new(0) };
    match gpu.and_then(|gpu| run(&gpu, !on_cpu)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: a gradient is not the one of the CPU");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
