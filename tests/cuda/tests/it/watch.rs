//! The device on the CPU must see what goes wrong on a GPU: kernels with planted faults, and the same kernels without them.

use pardiff::cuda::{Buffer, Error, Gpu, OnCpu};
use pardiff::runtime::cuda::{Call, Kernel, Module};

/// Runs kernel 0 of the module, which takes the record of failed checks and two arrays, with so many threads.
fn run(gpu: &Gpu, module: &'static Module, threads: u64, arrays: [&Buffer<f64>; 2]) -> Result<(), Error> {
    let call = Call::new(gpu, module)?;
    let words = [call.failed(), call.address(arrays[0], "a")?, call.address(arrays[1], "b")?];
    // Safety: the kernels below take these words.
    unsafe { call.launch(0, threads, &words) }
}

/// What comes of it for some orders of threads and blocks; `b` begins with zeros.
fn outcomes(module: &'static Module, threads: u64, a: &[f64], b_len: usize) -> Vec<Result<Vec<f64>, String>> {
    let one = |seed| {
        let gpu = Gpu::on_cpu(OnCpu::seeded(seed)).map_err(|error| error.to_string())?;
        let (a, b) = (gpu.upload(a).unwrap(), gpu.zeros(b_len).unwrap());
        run(&gpu, module, threads, [&a, &b]).map_err(|error| error.to_string())?;
        Ok(b.download().unwrap())
    };
    (0..3).map(one).collect()
}

/// Every order ends with this word of the watch.
fn assert_seen(module: &'static Module, threads: u64, what: &str) {
    for outcome in outcomes(module, threads, &[1.0; 512], 512) {
        let error = outcome.expect_err("the fault is seen");
        assert!(error.contains(what), "{error}");
    }
}

macro_rules! kernel {
    ($name:ident, $body:literal) => {
        static $name: Module = Module {
            text: concat!(
                "PD_KERNEL kernel(const pd_words<3> w) {\n",
                "  pd_array<pd_u64> failed = pd_as_array<pd_u64>(w.v[0]); (void)failed;\n",
                "  pd_input<double> a = pd_as_input<double>(w.v[1]); (void)a;\n",
                "  pd_array<double> b = pd_as_array<double>(w.v[2]); (void)b;\n",
                $body,
                "\n}\n"
            ),
            kernels: &[Kernel { name: "kernel", words: 3 }],
        };
    };
}

kernel!(
    REVERSED,
    "__shared__ pd_shared<double, 128> part;
     pd_store(part, threadIdx.x, pd_load(a, pd_thread()));
     PD_BARRIER();
     pd_store(b, pd_thread(), pd_load(part, 127 - threadIdx.x));"
);

#[test]
fn a_block_exchanges_values_through_shared_memory() {
    let a: Vec<f64> = (0..256).map(f64::from).collect();
    let expected: Vec<f64> = (0..256).map(|k| f64::from(if k < 128 { 127 - k } else { 383 - k })).collect();
    for outcome in outcomes(&REVERSED, 256, &a, 256) {
        assert_eq!(outcome.as_ref(), Ok(&expected));
    }
}

kernel!(
    NO_BARRIER,
    "__shared__ pd_shared<double, 128> part;
     pd_store(part, threadIdx.x, pd_load(a, pd_thread()));
     pd_store(b, pd_thread(), pd_load(part, 127 - threadIdx.x));"
);

#[test]
fn a_missing_barrier_is_seen() {
    assert_seen(&NO_BARRIER, 128, "race");
}

kernel!(DIVERGENT, "if (threadIdx.x != 5) PD_BARRIER();");
kernel!(TWO_BARRIERS, "if (threadIdx.x < 64) {\n PD_BARRIER();\n } else {\n PD_BARRIER();\n }");
kernel!(
    DIVERGENT_SHUFFLE,
    "double v = 1.0; if (threadIdx.x % 2) v = pd_shuffle_down(v, 1); pd_store(b, pd_thread(), v);"
);

#[test]
fn a_divergent_barrier_is_seen() {
    assert_seen(&DIVERGENT, 128, "divergent barrier");
    assert_seen(&TWO_BARRIERS, 128, "divergent barrier");
    assert_seen(&DIVERGENT_SHUFFLE, 128, "divergent shuffle");
}

kernel!(RACE, "pd_store(b, threadIdx.x, pd_load(a, pd_thread()));");
kernel!(RACE_READ, "pd_store(b, pd_thread(), 1.0); pd_load(b, (pd_thread() + 128) % 256);");
kernel!(
    RACE_ATOMIC,
    "pd_atomic_add(b, 0, 1.0); if (pd_thread() % 128 == 127) pd_store(b, pd_thread(), pd_load(b, 0));"
);
kernel!(
    READ_BEFORE_BARRIER,
    "__shared__ pd_shared<double, 128> part;
     pd_store(part, threadIdx.x, 1.0);
     PD_BARRIER();
     double v = pd_load(part, 127 - threadIdx.x) + pd_load(part, 5);
     PD_BARRIER();
     pd_store(part, threadIdx.x, pd_load(part, threadIdx.x) + v);
     pd_store(b, pd_thread(), pd_load(part, threadIdx.x));"
);
kernel!(ATOMIC, "pd_atomic_add(b, threadIdx.x, pd_load(a, pd_thread()));");

kernel!(
    JOINED,
    "const pd_u64 t = threadIdx.x;
     if (t % 5 != 3) pd_atomic_add(b, t % 7 == 0 ? t : t % 3, (double)t);
     for (pd_u64 k = 0; k < t % 4; k++) pd_atomic_add(b, 200, 1.0);"
);
kernel!(
    NOT_ALL_EXCHANGE,
    "if (threadIdx.x % 32 < 8) { const pd_u32 here = pd_here(); if (threadIdx.x % 32 != 5) pd_ballot(here, true); }"
);
kernel!(NOT_NAMED, "pd_ballot(0xfffffffeu, true);");
kernel!(
    NOT_THERE,
    "if (threadIdx.x % 32 < 8) { const pd_u32 here = pd_here(); pd_shuffle_from(here, 1.0, 9); }"
);
kernel!(JOINED_AND_READ, "pd_atomic_add(b, 7, 1.0); if (threadIdx.x == 9) pd_store(b, 100, pd_load(b, 7));");

#[test]
fn threads_of_a_warp_join_what_they_add() {
    let mut expected = vec![0.0; 256];
    for t in 0..128_u32 {
        if t % 5 != 3 {
            expected[if t % 7 == 0 { t } else { t % 3 } as usize] += f64::from(t);
        }
        expected[200] += f64::from(t % 4);
    }
    for outcome in outcomes(&JOINED, 128, &[], 256) {
        assert_eq!(outcome, Ok(expected.clone()));
    }
    assert_seen(&NOT_ALL_EXCHANGE, 128, "divergent shuffle");
    assert_seen(&NOT_NAMED, 128, "divergent shuffle");
    assert_seen(&NOT_THERE, 128, "divergent shuffle");
    assert_seen(&JOINED_AND_READ, 128, "race");
    crate::nvrtc::assert_compiles("joined", &JOINED);
}

#[test]
fn a_race_between_blocks_is_seen() {
    assert_seen(&RACE, 256, "race");
    assert_seen(&RACE_READ, 256, "race");
    assert_seen(&RACE_ATOMIC, 256, "race");
    for outcome in outcomes(&READ_BEFORE_BARRIER, 256, &[], 256) {
        assert_eq!(outcome, Ok(vec![3.0; 256]), "what barriers separate is none");
    }
    for outcome in outcomes(&ATOMIC, 256, &[1.0; 256], 128) {
        assert_eq!(outcome, Ok(vec![2.0; 128]), "atomic additions are none");
    }
    for outcome in outcomes(&RACE, 128, &[1.0; 256], 128) {
        assert_eq!(outcome, Ok(vec![1.0; 128]), "one block alone does not race");
    }
}

kernel!(OUT_OF_RANGE, "pd_store(b, pd_thread() + 400, 1.0);");
kernel!(OUT_OF_RANGE_READ, "pd_load(a, 512 + pd_thread());");
kernel!(OUT_OF_LOCAL, "pd_local<double, 4> c; pd_store(c, 4, 0.0);");
kernel!(
    NOT_WRITTEN,
    "__shared__ pd_shared<double, 128> part; pd_store(b, pd_thread(), pd_load(part, threadIdx.x));"
);

#[test]
fn an_access_out_of_range_is_seen() {
    assert_seen(&OUT_OF_RANGE, 128, "of an array of 512");
    assert_seen(&OUT_OF_RANGE_READ, 128, "of an array of 512");
    assert_seen(&OUT_OF_LOCAL, 128, "element 4 of a local array of 4");
    for outcome in outcomes(&NOT_WRITTEN, 128, &[0.0; 128], 128) {
        assert!(outcome.unwrap().iter().all(|it| it.is_nan()), "shared memory is poisoned");
    }
}

kernel!(
    SUMS,
    "double v = 0.0;
     for (pd_u64 k = pd_thread(); k < 1000; k += pd_threads()) v += pd_load(a, k);
     double m = pd_load(a, pd_thread());
     v = pd_of_block<PD_ADD>(v, -0.0);
     m = pd_of_block<PD_MAX>(m, PD_NAN);
     if (threadIdx.x == 0) { pd_store(b, 2 * blockIdx.x, v); pd_store(b, 2 * blockIdx.x + 1, m); }"
);

#[test]
fn sums_of_blocks_are_the_same_bits_in_every_order() {
    let a: Vec<f64> = (0..1000).map(|k| 0.1 * f64::from(k)).collect();
    let all = outcomes(&SUMS, 256, &a, 4);
    let first = all[0].clone().unwrap();
    assert!((first[0] + first[2] - 49950.0).abs() < 1e-8);
    assert_eq!((first[1], first[3]), (12.700000000000001, 25.5));
    assert!(all.iter().all(|it| it.as_ref() == Ok(&first)));
}

kernel!(FAILS, "if (pd_thread() % 100 == 99) pd_fail(failed, 7, 1, 2, 3);");

#[test]
fn the_first_failed_check_is_recorded() {
    let gpu = Gpu::on_cpu(OnCpu::default()).unwrap();
    let call = Call::new(&gpu, &FAILS).unwrap();
    let none = gpu.zeros::<f64>(1).unwrap();
    let address = call.address(&none, "none").unwrap();
    assert_eq!(call.finish(), Ok(None));
    // Safety: the kernel takes these words.
    unsafe { call.launch(0, 256, &[call.failed(), address, address]).unwrap() };
    assert_eq!(call.finish(), Ok(Some((7, [1, 2, 3]))));
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    let (gpu, other) = (Gpu::on_cpu(OnCpu::default()).unwrap(), Gpu::on_cpu(OnCpu::default()).unwrap());
    let call = Call::new(&gpu, &FAILS).unwrap();
    let buffer = other.zeros::<f64>(1).unwrap();
    assert_eq!(call.address(&buffer, "x"), Err(Error::OtherDevice { argument: "x" }));
}

#[test]
fn buffers_take_over_elements() {
    let (gpu, other) = (Gpu::on_cpu(OnCpu::default()).unwrap(), Gpu::on_cpu(OnCpu::default()).unwrap());
    let (from, mut to) = (gpu.upload(&[1, 2, 3]).unwrap(), gpu.zeros::<i32>(3).unwrap());
    assert!(gpu.time(|| to.copy_from(&from)).unwrap() >= 0.0);
    assert_eq!(to.download().unwrap(), [1, 2, 3]);
    let mut elsewhere = other.zeros(3).unwrap();
    assert_eq!(elsewhere.copy_from(&from), Err(Error::OtherDevice { argument: "from" }));
}

#[test]
fn queues_of_a_device_exchange_buffers() {
    let gpu = Gpu::on_cpu(OnCpu::default()).unwrap();
    let (queue, other) = (gpu.queue().unwrap(), Gpu::on_cpu(OnCpu::default()).unwrap());
    let buffer = gpu.upload(&[1, 2, 3]).unwrap();
    let mut copy = buffer.copied_to(&queue).unwrap();
    assert!(copy.copy_from(&buffer).is_err(), "a buffer belongs to its queue");
    let moved = buffer.moved_to(&queue).unwrap();
    copy.clear().unwrap();
    copy.copy_from(&moved).unwrap();
    assert_eq!(copy.download().unwrap(), [1, 2, 3]);
    assert_eq!(moved.copied_to(&other).unwrap_err(), Error::OtherDevice { argument: "self" });
    assert_eq!(moved.moved_to(&other).unwrap_err(), Error::OtherDevice { argument: "self" });
}

#[test]
fn copies_go_on_beside_the_host() {
    let gpu = Gpu::on_cpu(OnCpu::default()).unwrap();
    let mut elements = gpu.pinned::<f64>(4).unwrap();
    elements.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
    let mut buffer = gpu.zeros(4).unwrap();
    let written = buffer.write_later(elements).unwrap();
    let read = buffer.read_later(gpu.pinned(4).unwrap()).unwrap();
    assert_eq!(*written.wait().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(*read.wait().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    drop(buffer.read_later(gpu.pinned(4).unwrap()).unwrap());
    assert!(gpu.pinned::<f64>(0).unwrap().is_empty());
}

#[test]
fn a_machine_without_a_driver_says_so() {
    match Gpu::new(0) {
        Ok(gpu) => assert!(!gpu.name().is_empty()),
        Err(Error::NoDriver) => assert!(Error::NoDriver.to_string().contains("install NVIDIA's driver")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert!(Gpu::new(usize::MAX).is_err());
}

#[test]
fn the_sums_of_blocks_compile() {
    crate::nvrtc::assert_compiles("sums", &SUMS);
    crate::nvrtc::assert_compiles("reversed", &REVERSED);
    crate::nvrtc::assert_compiles("atomic", &ATOMIC);
    crate::nvrtc::assert_compiles("fails", &FAILS);
}
