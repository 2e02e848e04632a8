//! How fast gradients are on a GPU, against what its memory and its arithmetic allow, and against the CPU.
//!
//! ```text
//! cargo bench -p pardiff-cuda-tests --bench gpu -- [on-cpu] [--only gmm,ba] [--profile]
//!                                                    [--patience SECONDS] [--seconds ALL] [--json PATH]
//! ```
//!
//! Every workload is a process of its own, which has so many seconds: one that fails or takes longer costs its own
//! line alone, and those for which no time is left are named. Their kernels are compiled before, by as many processes
//! as the host has cores. Times are the least of some calls, by the clock of the device, with everything in its
//! memory; the first call, which compiles the kernels, is not counted. With `--profile` a further call, in `f64`, is
//! timed launch by launch, and the kernels that take longest are listed on the standard error. The last thing it
//! prints is the table. With `on-cpu` the same runs on the CPU in the GPU's place, on small problems: the times mean
//! nothing then. Exit code 1: there is no GPU, or a gradient is not the one of the CPU.

use pardiff::cuda::{Buffer, Error, Gpu, OnCpu};
use pardiff::runtime::cuda::{Call, Kernel, Launch, Module};
use pardiff_cuda_tests::{cases, device};
use pardiff_workloads::cases as reference;
use std::io::Read;
use std::num::NonZero;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

const CALLS: usize = 10;
/// How many kernels a profile names.
const KERNELS_OF_A_PROFILE: usize = 12;

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
    /// Fused products and sums count as two, a second; in `f64` and in `f32`.
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

    /// The least seconds that so many bytes and operations can take.
    fn roof(&self, bytes: f64, operations: f64, narrow: bool) -> f64 {
        let bytes = if narrow { bytes / 2.0 } else { bytes };
        (bytes / self.bandwidth).max(operations / self.flops[usize::from(narrow)])
    }
}

/// The largest difference, relative to the largest element.
fn difference(ours: &[f64], expected: &[f64]) -> f64 {
    let scale = expected.iter().fold(1e-300, |scale: f64, it| scale.max(it.abs()));
    let worst = |most: f64, (a, b): (&f64, &f64)| {
        let error = (a - b).abs() / scale;
        if error.is_nan() { f64::INFINITY } else { most.max(error) }
    };
    ours.iter().zip(expected).fold(0.0, worst)
}

/// What a process says of a workload: numbers in a line.
struct Measured {
    /// In `f64` and in `f32` on the device.
    seconds: [f64; 2],
    /// The largest differences to the gradient of the CPU.
    errors: [f64; 2],
    /// On the CPU with all its cores.
    cpu: f64,
    bytes: f64,
    operations: f64,
}

impl Measured {
    fn line(&self) -> String {
        let Measured { seconds, errors, cpu, bytes, operations } = self;
        let [wide, narrow] = seconds;
        format!("{wide:e} {narrow:e} {:e} {:e} {cpu:e} {bytes:e} {operations:e}", errors[0], errors[1])
    }

    fn read(line: &str) -> Option<Measured> {
        let numbers: Vec<f64> = line.split_whitespace().map_while(|it| it.parse().ok()).collect();
        let [wide, narrow, error, narrow_error, cpu, bytes, operations] = numbers[..] else { return None };
        let (seconds, errors) = ([wide, narrow], [error, narrow_error]);
        Some(Measured { seconds, errors, cpu, bytes, operations })
    }
}

fn ours(name: &str, case: &str) -> Option<Box<dyn cases::Workload>> {
    let mut entries = cases::WORKLOADS.iter().chain(&cases::REFERENCED);
    entries.find(|it| it.workload == name).and_then(|it| (it.load)(case))
}

/// Computes the gradients of a workload once, after which their kernels are on the disk.
fn compile(gpu: &Gpu, name: &str, case: &str) {
    let Some(workload) = ours(name, case) else { return };
    let p = workload.parameters();
    for narrow in [false, true] {
        device::with(gpu, narrow, || workload.grad(&p, &mut vec![0.0; p.len()]));
    }
}

/// Measures a workload by itself.
fn one(gpu: &Gpu, name: &str, case: &str, profile: bool) -> Option<Measured> {
    let ours = ours(name, case)?;
    let mut expected = reference::WORKLOADS.iter().chain(&reference::REFERENCED);
    let expected = expected.find(|it| it.workload == name).and_then(|it| (it.load)(case))?;
    let p = ours.parameters();
    let (mut g, mut cpu) = (vec![0.0; p.len()], f64::INFINITY);
    for _ in 0..3 {
        g.fill(0.0);
        let start = Instant::now();
        expected.grad(&p, &mut g);
        cpu = cpu.min(start.elapsed().as_secs_f64());
    }
    let (mut seconds, mut errors) = ([0.0; 2], [0.0; 2]);
    for narrow in [false, true] {
        let mut on_g = vec![0.0; p.len()];
        let work = || device::timed(CALLS, || ours.grad(&p, &mut on_g)).1;
        seconds[usize::from(narrow)] = device::with(gpu, narrow, work);
        errors[usize::from(narrow)] = difference(&on_g, &g);
    }
    if profile {
        let work = || device::profiled(|| ours.grad(&p, &mut vec![0.0; p.len()])).1;
        eprint!("{}", profile_table(name, &device::with(gpu, false, work)));
    }
    Some(Measured { seconds, errors, cpu, bytes: ours.traffic(), operations: ours.operations() })
}

/// The kernels of a gradient that take longest, each with its launches, their time and their largest shape.
fn profile_table(workload: &str, launches: &[Launch]) -> String {
    let mut kernels: Vec<(&str, usize, f64, [u32; 2])> = Vec::new();
    for launch in launches {
        let known = kernels.iter().position(|(kernel, ..)| *kernel == launch.kernel);
        let at = known.unwrap_or_else(|| {
            kernels.push((launch.kernel, 0, 0.0, launch.shape));
            kernels.len() - 1
        });
        let (_, calls, seconds, shape) = &mut kernels[at];
        *calls += 1;
        *seconds += launch.seconds;
        *shape = (*shape).max(launch.shape);
    }
    kernels.sort_by(|(.., a, _), (.., b, _)| b.total_cmp(a));
    let all: f64 = kernels.iter().map(|(.., seconds, _)| seconds).sum();
    let mut table = format!("profile of {workload}: {} launches, {:.3} ms\n", launches.len(), 1e3 * all);
    for (kernel, calls, seconds, [blocks, threads]) in kernels.iter().take(KERNELS_OF_A_PROFILE) {
        table += &format!("  {:9.3} ms {calls:6} x {blocks:5} x {threads:3}  {kernel}\n", 1e3 * seconds);
    }
    table
}

/// What the command line asks for.
struct Options {
    on_cpu: bool,
    only: Option<Vec<String>>,
    patience: Duration,
    /// When the table is due.
    end: Instant,
    json: Option<String>,
    profile: bool,
    /// The workload and the case of this process.
    one: Option<(String, String)>,
    /// Those whose kernels this process compiles.
    compile: Option<(String, String)>,
}

impl Options {
    fn read() -> Options {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let behind = |name: &str, by: usize| {
            words.iter().position(|word| word == name).and_then(|at| words.get(at + by)).cloned()
        };
        let seconds = |name: &str, usual| {
            let given = behind(name, 1).and_then(|it| it.parse().ok());
            Duration::from_secs(given.unwrap_or(usual))
        };
        Options {
            on_cpu: words.iter().any(|word| word == "on-cpu"),
            only: behind("--only", 1).map(|list| list.split(',').map(str::to_owned).collect()),
            patience: seconds("--patience", 30),
            end: Instant::now() + seconds("--seconds", 3600),
            json: behind("--json", 1),
            profile: words.iter().any(|word| word == "--profile"),
            one: behind("--one", 1).zip(behind("--one", 2)),
            compile: behind("--compile", 1).zip(behind("--compile", 2)),
        }
    }

    /// Compiles the kernels of workloads in processes side by side; what fails, fails again where it is measured.
    fn compile(&self, workloads: &[(&str, &str)]) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((name, case)) = workloads.get(next.fetch_add(1, Relaxed)) {
                let _ = self.child("--compile", name, case);
            }
        };
        std::thread::scope(|scope| {
            (0..std::thread::available_parallelism().map_or(1, NonZero::get))
                .for_each(|_| drop(scope.spawn(work)));
        });
    }

    /// The workload in a process of its own; or why there are no numbers.
    fn measure(&self, name: &str, case: &str) -> Result<Measured, String> {
        let text = self.child("--one", name, case)?;
        text.lines().find_map(Measured::read).ok_or_else(|| "it failed; see above".to_owned())
    }

    /// What a process of its own says that does this to a workload; or why it says nothing.
    fn child(&self, what: &str, name: &str, case: &str) -> Result<String, String> {
        if Instant::now() >= self.end {
            return Err("no time was left".to_owned());
        }
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args([what, name, case]).stdout(Stdio::piped());
        let flags = [("on-cpu", self.on_cpu), ("--profile", self.profile)];
        command.args(flags.iter().filter(|(_, is_on)| *is_on).map(|(flag, _)| flag));
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let end = self.end.min(Instant::now() + self.patience);
        loop {
            match child.try_wait() {
                Ok(Some(_)) => break,
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err("it took too long".to_owned());
                }
            }
        }
        let mut text = String::new();
        if let Some(mut output) = child.stdout.take() {
            output.read_to_string(&mut text).map_err(|error| error.to_string())?;
        }
        Ok(text)
    }
}

fn run(gpu: &Gpu, options: &Options) -> Result<bool, Error> {
    let machine = Machine::measured(gpu, !options.on_cpu)?;
    let mut table = format!(
        "\n{}: copies {:.0} GB/s, {:.1} TFLOP/s in f64, {:.1} in f32\n\n",
        gpu.name(),
        machine.bandwidth * 1e-9,
        machine.flops[0] * 1e-12,
        machine.flops[1] * 1e-12,
    );
    table += "| gradient | ms in f64 | of the roof | ms in f32 | of the roof | times the CPU, all cores | errors |\n";
    table += "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    let mut json = Vec::new();
    let mut right = true;
    let is_wanted = |name: &str| options.only.as_ref().is_none_or(|only| only.iter().any(|it| it == name));
    let workloads = cases::WORKLOADS.iter().chain(&cases::REFERENCED).filter(|it| is_wanted(it.workload));
    let workloads = workloads.map(|it| (it.workload, if options.on_cpu { it.small[0] } else { it.cases[0] }));
    let workloads: Vec<(&str, &str)> = workloads.collect();
    if !options.on_cpu {
        let start = Instant::now();
        options.compile(&workloads);
        println!("kernels were compiled in {:.0} s", start.elapsed().as_secs_f64());
    }
    for &(name, case) in &workloads {
        println!("{name} {case}");
        match options.measure(name, case) {
            Ok(it) => {
                let part = |narrow: bool| {
                    let seconds = it.seconds[usize::from(narrow)];
                    let roof = machine.roof(it.bytes, it.operations, narrow);
                    format!("{:.3} | {:.0} %", 1e3 * seconds, 100.0 * roof / seconds)
                };
                let (times, [error, in_f32]) = (it.cpu / it.seconds[0], it.errors);
                table += &format!(
                    "| {name} {case} | {} | {} | {times:.1} | {error:.0e}, {in_f32:.0e} |\n",
                    part(false),
                    part(true)
                );
                right &= error < 1e-8;
                json.push(format!(
                    "{{\"workload\": \"{name}\", \"case\": \"{case}\", \"ms\": {}}}",
                    1e3 * it.seconds[0]
                ));
            }
            Err(why) => {
                table += &format!("| {name} {case} | — | | — | | | {why} |\n");
                right = false;
            }
        }
    }
    if let Some(path) = &options.json
        && let Err(error) = std::fs::write(path, format!("[{}]\n", json.join(",\n ")))
    {
        eprintln!("error: {path}: {error}");
    }
    println!("{table}");
    Ok(right)
}

fn main() -> ExitCode {
    let options = Options::read();
    let gpu = if options.on_cpu { Gpu::on_cpu(OnCpu::default()) } else { Gpu::new(0) };
    let done = gpu.and_then(|gpu| match (&options.compile, &options.one) {
        (None, None) => run(&gpu, &options),
        (Some((name, case)), _) => {
            compile(&gpu, name, case);
            Ok(true)
        }
        (_, Some((name, case))) => {
            let measured = one(&gpu, name, case, options.profile);
            measured.iter().for_each(|it| println!("{}", it.line()));
            Ok(measured.is_some())
        }
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: a gradient is not there, or not the one of the CPU");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
