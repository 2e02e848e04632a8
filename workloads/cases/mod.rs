//! The kernels with their data, behind one interface: what the suite times and the tests compare.
//!
//! *Comes in*: the name of a workload and of a case. *Goes out*: the kernel's entry points as functions of one flat vector
//! of parameters. *Guarantees*: the order of the parameters is that of the kernel's differentiated arguments, and
//! generated data are the same on every machine. *Never*: converts or copies parameters in a timed call.

/// The entry points of a kernel whose parameters stand before everything else, each with its shape and its length.
macro_rules! entry_points {
    ($this:ident: $kernel:ident($($name:ident: $shape:ty = $len:expr),+; $($constant:expr),* $(,)?)) => {
        fn primal(&$this, p: &[f64]) -> f64 {
            $(let ($name, p) = p.split_at($len);)+
            assert!(p.is_empty());
            $kernel($(<$shape>::value($name),)+ $($constant),*)
        }

        fn value(&$this, p: &[f64]) -> f64 {
            $(let ($name, p) = p.split_at($len);)+
            assert!(p.is_empty());
            $kernel::value($(<$shape>::value($name),)+ $($constant),*)
        }

        fn grad(&$this, p: &[f64], g: &mut [f64]) -> f64 {
            $(let ($name, p, g) = super::both(p, g, $len);)+
            assert!(p.is_empty() && g.is_empty());
            $kernel::grad($(<$shape>::value($name.0), <$shape>::adjoint($name.1),)+ $($constant),*)
        }

        fn grad_into(&$this, p: &[f64], g: &mut [f64]) -> f64 {
            $(let ($name, p, g) = super::both(p, g, $len);)+
            assert!(p.is_empty() && g.is_empty());
            $kernel::grad_into($(<$shape>::value($name.0), <$shape>::adjoint($name.1),)+ $($constant),*)
        }

        fn plan(&$this) -> &'static str {
            $kernel::DECISIONS
        }

        #[cfg(feature = "modes")]
        super::modes::entry_points! { $this: $kernel($($name: $shape = $len),+; $($constant),*) }
    };
}
use entry_points;

#[cfg(feature = "modes")]
mod batches;
mod dense;
mod dynamics;
mod fields;
mod graph;
mod meshes;
mod mixture;
#[cfg(feature = "modes")]
mod modes;
mod molecule;
mod neutrons;
mod recurrent;
mod regression;
mod scenes;
mod series;
mod shapes;
mod small;
mod tracking;

pub use mixture::Mixture;
#[cfg(feature = "modes")]
pub use modes::{Sweeps, WIDTH};

/// Parameters with their adjoints.
type Adjoined<'a, 'b> = (&'a [f64], &'b mut [f64]);

/// The next part of a vector of parameters and of one of adjoints, and what is behind it.
fn both<'a, 'b>(p: &'a [f64], g: &'b mut [f64], len: usize) -> (Adjoined<'a, 'b>, &'a [f64], &'b mut [f64]) {
    let ((part, p), (adjoints, g)) = (p.split_at(len), g.split_at_mut(len));
    ((part, adjoints), p, g)
}

/// What a kernel is given besides its parameters, for programs that do not share its types.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// Sizes.
    pub sizes: Vec<usize>,
    /// Index arrays, and booleans as 0 and 1.
    pub indices: Vec<Vec<u32>>,
    /// Arrays of floats.
    pub floats: Vec<Vec<f64>>,
}

/// A kernel with its data.
pub trait Workload: Send + Sync {
    /// The parameters at which it is evaluated.
    fn parameters(&self) -> Vec<f64>;

    /// The kernel as written.
    fn primal(&self, p: &[f64]) -> f64;

    /// The generated primal.
    fn value(&self, p: &[f64]) -> f64;

    /// The generated gradient, added to `g`.
    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64;

    /// The generated gradient, which overwrites `g`.
    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64;

    /// What was decided for the kernel.
    fn plan(&self) -> &'static str;

    /// What the kernel is given besides the parameters.
    fn constants(&self) -> Constants;

    /// Float operations of one value and gradient, counted by hand, without what a tape saves or costs.
    fn operations(&self) -> f64;

    /// A sequential gradient written by hand, added to `g`; where there is one here.
    fn by_hand(&self, _p: &[f64], _g: &mut [f64]) -> Option<f64> {
        None
    }

    /// Value and tangent along a direction.
    #[cfg(feature = "modes")]
    fn jvp(&self, p: &[f64], p_dot: &[f64]) -> (f64, f64);

    /// Value, tangent, and the product of the Hessian with a direction, which is added to `h`.
    #[cfg(feature = "modes")]
    fn hvp(&self, p: &[f64], p_dot: &[f64], h: &mut [f64]) -> (f64, f64);

    /// Value, and tangents along several directions, which lie in `p_dot` as [`Workload::place`] says.
    #[cfg(feature = "modes")]
    fn jvp_batch(&self, p: &[f64], p_dot: &[f64]) -> (f64, [f64; WIDTH]);

    /// Value, and the gradients for several seeds, which are added to `g` as [`Workload::place`] says.
    #[cfg(feature = "modes")]
    fn vjp_batch(&self, p: &[f64], g: &mut [f64], seed: [f64; WIDTH]) -> f64;

    /// The sweeps of the gradient apart, with a tape that is used again by each call.
    #[cfg(feature = "modes")]
    fn sweeps(&self) -> Sweeps<'_>;

    /// Where parameter `k` of a member of a batch lies.
    #[cfg(feature = "modes")]
    fn place(&self, k: usize, member: usize) -> usize;

    /// Whether the data are made up because the published file was not found.
    fn is_substitute(&self) -> bool {
        false
    }

    /// Bytes that a value and gradient must move at least: everything read once, adjoints read and written.
    fn traffic(&self) -> f64 {
        let constants = self.constants();
        let floats: usize = constants.floats.iter().map(Vec::len).sum();
        let indices: usize = constants.indices.iter().map(Vec::len).sum();
        (8 * (3 * self.parameters().len() + floats) + 4 * indices) as f64
    }
}

/// A kernel by name.
pub struct Entry {
    /// The kernel's name.
    pub workload: &'static str,
    /// Cases worth timing.
    pub cases: &'static [&'static str],
    /// Small cases, for tests.
    pub small: &'static [&'static str],
    /// Makes a case, if its name is one.
    pub load: fn(&str) -> Option<Box<dyn Workload>>,
    /// The source of the kernel.
    pub source: &'static str,
    /// Whether there is a gradient by an expert in `benches/experts`.
    pub expert: bool,
}

/// Puts a case into a box.
fn boxed<W: Workload + 'static>(workload: W) -> Option<Box<dyn Workload>> {
    Some(Box::new(workload))
}

/// The numbers in a name such as `8x2048x64`.
fn numbers<const N: usize>(case: &str) -> Option<[usize; N]> {
    let numbers: Option<Vec<usize>> = case.split('x').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

macro_rules! entry {
    ($workload:literal, $load:expr, $cases:expr, $small:expr, $expert:expr) => {
        Entry {
            workload: $workload,
            cases: &$cases,
            small: &$small,
            load: $load,
            source: include_str!(concat!("../", $workload, ".rs")),
            expert: $expert,
        }
    };
    ($workload:literal in $source:literal, $load:expr, $cases:expr, $small:expr) => {
        Entry {
            workload: $workload,
            cases: &$cases,
            small: &$small,
            load: $load,
            source: include_str!(concat!("../", $source, ".rs")),
            expert: false,
        }
    };
}

/// All kernels: first the nine that experts wrote gradients of (one in two forms), then small ones of other kinds.
pub const WORKLOADS: [Entry; 18] = [
    entry!(
        "gmm",
        |case| boxed(Mixture::load(case)?),
        ["1k/gmm_d10_K25", "10k/gmm_d10_K25", "1k/gmm_d32_K50", "d32_K25_n10000"],
        ["d3_K4_n70", "d9_K5_n33", "d1_K1_n1"],
        true
    ),
    entry!("ba", |case| boxed(scenes::Adjustment::load(case)?), ["ba1", "ba3"], ["7x50x333"], true),
    entry!("minibude", |case| boxed(molecule::Docking::load(case)?), ["1024"], ["13x4x40", "64x2x9"], true),
    entry!("matvec", |case| boxed(dense::Product::load(case)?), ["2048"], ["37", "64"], true),
    entry!("spmv", |case| boxed(graph::Sparse::load(case)?), ["200000"], ["300"], true),
    entry!("matvec_tanh", |case| boxed(dense::Layer::load(case)?), ["2048"], ["37", "64"], true),
    entry!("heat2d", |case| boxed(dense::Heat::load(case)?), ["512x200"], ["16x5", "24x11"], true),
    entry!("attn", |case| boxed(recurrent::Attention::load(case)?), ["8x2048x64"], ["3x40x16"], true),
    entry!("gat", |case| boxed(graph::Attention::load(case)?), ["20000"], ["60"], true),
    entry!(
        "lstm",
        |case| boxed(recurrent::Lstm::load(case)?),
        ["lstm_l2_c1024", "lstm_l4_c4096"],
        ["l2_c20", "l4_c7"],
        true
    ),
    entry!(
        "softmax_regression",
        |case| boxed(regression::Softmax::load(case)?),
        ["20000x32x10"],
        ["50x6x4"],
        false
    ),
    entry!("soft_k_means", |case| boxed(regression::KMeans::load(case)?), ["50000x8x16"], ["50x3x4"], false),
    entry!("lennard_jones", |case| boxed(molecule::Argon::load(case)?), ["40000"], ["200"], false),
    entry!("option_book", |case| boxed(regression::Book::load(case)?), ["1000000"], ["77"], false),
    entry!(
        "logistic_regression",
        |case| boxed(regression::Logistic::load(case)?),
        ["50000x64"],
        ["60x5"],
        false
    ),
    entry!("batched_solve", |case| boxed(small::Solve::load(case)?), ["200000"], ["41"], false),
    entry!(
        "polynomial_features",
        |case| boxed(regression::Polynomial::load(case)?),
        ["100000x8x5"],
        ["50x3x4"],
        false
    ),
    entry!("row_softmax", |case| boxed(graph::RowSoftmax::load(case)?), ["100000"], ["200"], false),
];

/// Kernels whose gradients are compared with those of another tool, which are kept in `references/`.
pub const REFERENCED: [Entry; 14] = [
    entry!(
        "lattice_boltzmann" in "lattice_boltzmann",
        |case| boxed(fields::Stream::load(case)?),
        ["256x128x100"],
        ["14x9x6"]
    ),
    entry!(
        "acoustic_wave" in "acoustic_wave",
        |case| boxed(fields::Medium::load(case)?),
        ["256x128x300"],
        ["20x16x40"]
    ),
    entry!(
        "lennard_jones_dynamics" in "lennard_jones_dynamics",
        |case| boxed(dynamics::Motion::load(case)?),
        ["4000x20"],
        ["27x5"]
    ),
    entry!("soft_dtw" in "soft_dtw", |case| boxed(series::Warping::load(case)?), ["64x100x100x2"], ["3x7x9x2"]),
    entry!("kalman" in "kalman", |case| boxed(series::Tracks::load(case)?), ["1000x50"], ["5x12"]),
    entry!("asian_option" in "asian_option", |case| boxed(series::Paths::load(case)?), ["50000x24"], ["90x6"]),
    entry!(
        "cross_section" in "cross_section",
        |case| boxed(neutrons::Lookups::load(case)?),
        ["20000x60x500"],
        ["70x6x8"]
    ),
    entry!("multipole" in "multipole", |case| boxed(neutrons::Poles::load(case)?), ["5000x60x100"], ["70x6x5"]),
    entry!(
        "csr_regression" in "csr_regression",
        |case| boxed(graph::Regression::load(case)?),
        ["100000x5000"],
        ["60x30"]
    ),
    entry!(
        "mesh_convolution" in "mesh_convolution",
        |case| boxed(meshes::Layer::load(case)?),
        ["20000x16x32"],
        ["50x3x4"]
    ),
    entry!(
        "soft_rasteriser" in "soft_rasteriser",
        |case| boxed(meshes::Silhouette::load(case)?),
        ["128x200"],
        ["11x7"]
    ),
    entry!("dg_volume" in "dg_volume", |case| boxed(fields::Gas::load(case)?), ["2000"], ["11"]),
    entry!("hand_simple" in "hand", |case| boxed(tracking::Simple::load(case)?), ["3200x544"], ["20x15"]),
    entry!("hand_complicated" in "hand", |case| boxed(tracking::Complicated::load(case)?), ["3200x544"], ["20x15"]),
];
