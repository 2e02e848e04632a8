//! The kernels with their inputs and sizes, behind one interface: what the bench times and the tests compare.

use crate::inputs::{definite, fraction, table};
use crate::{blas, medley, products, solvers, statistics, stencils};

/// A kernel as written, of one flat vector of parameters.
type Primal = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;
/// Its gradient, which overwrites the second vector.
type Gradient = Box<dyn Fn(&[f64], &mut [f64]) -> f64 + Send + Sync>;

/// A kernel with its inputs.
pub struct Case {
    /// The parameters that are differentiated, one array after the other.
    pub parameters: Vec<f64>,
    /// The kernel as written.
    pub primal: Primal,
    /// The generated value.
    pub value: Primal,
    /// The generated gradient, overwriting.
    pub gradient: Gradient,
}

/// A kernel by name.
pub struct Kernel {
    /// PolyBench's name.
    pub name: &'static str,
    /// Sizes in PolyBench's order: for tests, and the data sets `SMALL`, `MEDIUM` and `LARGE`.
    pub sizes: [&'static [usize]; 4],
    /// Makes a case.
    pub load: fn(&[usize]) -> Case,
    /// What was decided for the kernel.
    pub plan: &'static str,
}

/// A kernel whose parameters are arrays, and after them the scalar that `scalar` names; then what is not differentiated.
macro_rules! kernel {
    (
        $name:literal, $path:ident::$kernel:ident, [$($size:ident)*], $sizes:expr,
        [$($array:ident $d_array:ident = $input:expr),*], $(scalar $scalar:ident $d_scalar:ident = $start:expr,)?
        ($($constant:expr),*)
    ) => {
        Kernel {
            name: $name,
            sizes: $sizes,
            load: |sizes| {
                let &[$($size),*] = sizes else { panic!("{}: not its sizes", $name) };
                $(let $array: Vec<f64> = $input;)*
                let mut parameters = Vec::new();
                $(parameters.extend_from_slice(&$array);)*
                $(parameters.push($start);)?
                $(let $array = $array.len();)*
                Case {
                    parameters,
                    primal: Box::new(move |p| {
                        $(let ($array, p) = p.split_at($array);)*
                        $(let (&$scalar, p) = p.split_first().expect("a scalar");)?
                        assert!(p.is_empty());
                        $path::$kernel($($array,)* $($scalar,)? $($constant),*)
                    }),
                    value: Box::new(move |p| {
                        $(let ($array, p) = p.split_at($array);)*
                        $(let (&$scalar, p) = p.split_first().expect("a scalar");)?
                        assert!(p.is_empty());
                        $path::$kernel::value($($array,)* $($scalar,)? $($constant),*)
                    }),
                    gradient: Box::new(move |p, g| {
                        $(let ($d_array, g) = g.split_at_mut($array);)*
                        $(let ($array, p) = p.split_at($array);)*
                        $(let (&$scalar, p) = p.split_first().expect("a scalar");)?
                        $(let ($d_scalar, g) = g.split_first_mut().expect("a scalar");)?
                        assert!(p.is_empty() && g.is_empty());
                        $path::$kernel::grad_into($($array, $d_array,)* $($scalar, $d_scalar,)? $($constant),*)
                    }),
                }
            },
            plan: $path::$kernel::DECISIONS,
        }
    };
}

/// The coefficients `alpha` and `beta` of the products.
const ALPHA: f64 = 1.5;
const BETA: f64 = 1.2;

/// The four bases, as nussinov begins with them.
static BASES: [u8; 5500] = {
    let mut bases = [0; 5500];
    let mut i = 0;
    while i < bases.len() {
        bases[i] = ((i + 1) % 4) as u8;
        i += 1;
    }
    bases
};

/// What is below the diagonal, and elsewhere what must not be read.
fn lower(n: usize, at: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    table(n, n, |i, j| if j <= i { at(i, j) } else { -999.0 })
}

/// All kernels, in PolyBench's order.
pub const KERNELS: [Kernel; 30] = [
    // PolyBench's own table has columns in proportion, whose correlations are all 1 and have no derivative
    kernel!("correlation", statistics::correlation, [m n], [&[28, 32], &[80, 100], &[240, 260], &[1200, 1400]],
        [data d_data = table(n, m, |i, j| (i * j) as f64 / m as f64 + i as f64 + fraction(7 * i * i + 3 * j, 11, 1))],
        (m, n)),
    kernel!("covariance", statistics::covariance, [m n], [&[28, 32], &[80, 100], &[240, 260], &[1200, 1400]],
        [data d_data = table(n, m, |i, j| (i * j) as f64 / m as f64)],
        (m, n)),
    kernel!("2mm", products::two_mm, [ni nj nk nl],
        [&[16, 18, 22, 24], &[40, 50, 70, 80], &[180, 190, 210, 220], &[800, 900, 1100, 1200]],
        [a d_a = table(ni, nk, |i, j| fraction(i * j + 1, ni, ni)),
         b d_b = table(nk, nj, |i, j| fraction(i * (j + 1), nj, nj)),
         c d_c = table(nj, nl, |i, j| fraction(i * (j + 3) + 1, nl, nl)),
         d d_d = table(ni, nl, |i, j| fraction(i * (j + 2), nk, nk))],
        (ALPHA, BETA, ni, nj, nk, nl)),
    kernel!("3mm", products::three_mm, [ni nj nk nl nm],
        [&[16, 18, 20, 22, 24], &[40, 50, 60, 70, 80], &[180, 190, 200, 210, 220], &[800, 900, 1000, 1100, 1200]],
        [a d_a = table(ni, nk, |i, j| fraction(i * j + 1, ni, 5 * ni)),
         b d_b = table(nk, nj, |i, j| fraction(i * (j + 1) + 2, nj, 5 * nj)),
         c d_c = table(nj, nm, |i, j| fraction(i * (j + 3), nl, 5 * nl)),
         d d_d = table(nm, nl, |i, j| fraction(i * (j + 2) + 2, nk, 5 * nk))],
        (ni, nj, nk, nl, nm)),
    kernel!("atax", products::atax, [m n], [&[38, 42], &[116, 124], &[390, 410], &[1900, 2100]],
        [a d_a = table(m, n, |i, j| fraction(i + j, n, 5 * m)),
         x d_x = table(1, n, |_, i| 1.0 + i as f64 / n as f64)],
        (n)),
    kernel!("bicg", products::bicg, [m n], [&[38, 42], &[116, 124], &[390, 410], &[1900, 2100]],
        [a d_a = table(n, m, |i, j| fraction(i * (j + 1), n, n)),
         r d_r = table(1, n, |_, i| fraction(i, n, n)),
         p d_p = table(1, m, |_, i| fraction(i, m, m))],
        (m)),
    kernel!("doitgen", products::doitgen, [nq nr np],
        [&[8, 10, 12], &[20, 25, 30], &[40, 50, 60], &[140, 150, 160]],
        [a d_a = table(nr * nq, np, |row, k| fraction((row / nq) * (row % nq) + k, np, np)),
         c d_c = table(np, np, |i, j| fraction(i * j, np, np))],
        (nr, nq, np)),
    kernel!("mvt", products::mvt, [n], [&[40], &[120], &[400], &[2000]],
        [a d_a = table(n, n, |i, j| fraction(i * j, n, n)),
         x1 d_x1 = table(1, n, |_, i| fraction(i, n, n)),
         x2 d_x2 = table(1, n, |_, i| fraction(i + 1, n, n)),
         y1 d_y1 = table(1, n, |_, i| fraction(i + 3, n, n)),
         y2 d_y2 = table(1, n, |_, i| fraction(i + 4, n, n))],
        (n)),
    kernel!("gemm", blas::gemm, [ni nj nk], [&[20, 25, 30], &[60, 70, 80], &[200, 220, 240], &[1000, 1100, 1200]],
        [a d_a = table(ni, nk, |i, j| fraction(i * (j + 1), nk, nk)),
         b d_b = table(nk, nj, |i, j| fraction(i * (j + 2), nj, nj)),
         c d_c = table(ni, nj, |i, j| fraction(i * j + 1, ni, ni))],
        (ALPHA, BETA, ni, nj, nk)),
    kernel!("gemver", blas::gemver, [n], [&[40], &[120], &[400], &[2000]],
        [a d_a = table(n, n, |i, j| fraction(i * j, n, n)),
         u1 d_u1 = table(1, n, |_, i| i as f64),
         v1 d_v1 = table(1, n, |_, i| (i + 1) as f64 / n as f64 / 4.0),
         u2 d_u2 = table(1, n, |_, i| (i + 1) as f64 / n as f64 / 2.0),
         v2 d_v2 = table(1, n, |_, i| (i + 1) as f64 / n as f64 / 6.0),
         y d_y = table(1, n, |_, i| (i + 1) as f64 / n as f64 / 8.0),
         z d_z = table(1, n, |_, i| (i + 1) as f64 / n as f64 / 9.0)],
        (ALPHA, BETA, n)),
    kernel!("gesummv", blas::gesummv, [n], [&[30], &[90], &[250], &[1300]],
        [a d_a = table(n, n, |i, j| fraction(i * j + 1, n, n)),
         b d_b = table(n, n, |i, j| fraction(i * j + 2, n, n)),
         x d_x = table(1, n, |_, i| fraction(i, n, n))],
        (ALPHA, BETA, n)),
    kernel!("symm", blas::symm, [m n], [&[20, 30], &[60, 80], &[200, 240], &[1000, 1200]],
        [a d_a = lower(m, |i, j| fraction(i + j, 100, m)),
         b d_b = table(m, n, |i, j| fraction(n + i - j, 100, m)),
         c d_c = table(m, n, |i, j| fraction(i + j, 100, m))],
        (ALPHA, BETA, m, n)),
    kernel!("syr2k", blas::syr2k, [m n], [&[20, 30], &[60, 80], &[200, 240], &[1000, 1200]],
        [a d_a = table(n, m, |i, j| fraction(i * j + 1, n, n)),
         b d_b = table(n, m, |i, j| fraction(i * j + 2, m, m)),
         c d_c = table(n, n, |i, j| fraction(i * j + 3, n, m))],
        (ALPHA, BETA, n, m)),
    kernel!("syrk", blas::syrk, [m n], [&[20, 30], &[60, 80], &[200, 240], &[1000, 1200]],
        [a d_a = table(n, m, |i, j| fraction(i * j + 1, n, n)),
         c d_c = table(n, n, |i, j| fraction(i * j + 2, m, m))],
        (ALPHA, BETA, n, m)),
    kernel!("trmm", blas::trmm, [m n], [&[20, 30], &[60, 80], &[200, 240], &[1000, 1200]],
        [a d_a = lower(m, |i, j| if i == j { 1.0 } else { fraction(i + j, m, m) }),
         b d_b = table(m, n, |i, j| fraction(n + i - j, n, n))],
        (ALPHA, m, n)),
    kernel!("cholesky", solvers::cholesky, [n], [&[40], &[120], &[400], &[2000]],
        [a d_a = definite(n)],
        (n)),
    kernel!("durbin", solvers::durbin, [n], [&[40], &[120], &[400], &[2000]],
        [r d_r = table(1, n, |_, i| (n + 1 - i) as f64)],
        ()),
    // PolyBench's own matrix has half of its rank, and what comes of it is rounding: here it has a larger diagonal
    kernel!("gramschmidt", solvers::gramschmidt, [m n], [&[30, 20], &[80, 60], &[240, 200], &[1200, 1000]],
        [a d_a = table(m, n, |i, j| 100.0 * fraction(i * j, m, m) + 10.0 + if i == j { 100.0 } else { 0.0 })],
        (m, n)),
    kernel!("lu", solvers::lu, [n], [&[40], &[120], &[400], &[2000]],
        [a d_a = definite(n)],
        (n)),
    kernel!("ludcmp", solvers::ludcmp, [n], [&[40], &[120], &[400], &[2000]],
        [a d_a = definite(n),
         b d_b = table(1, n, |_, i| (i + 1) as f64 / n as f64 / 2.0 + 4.0)],
        (n)),
    kernel!("trisolv", solvers::trisolv, [n], [&[40], &[120], &[400], &[2000]],
        [l d_l = lower(n, |i, j| 2.0 * (i + n - j + 1) as f64 / n as f64),
         b d_b = table(1, n, |_, i| i as f64)],
        (n)),
    kernel!("deriche", medley::deriche, [w h], [&[64, 64], &[192, 128], &[720, 480], &[4096, 2160]],
        [picture d_picture = table(w, h, |i, j| fraction(313 * i + 991 * j, 65536, 65535))],
        scalar alpha d_alpha = 0.25,
        (w, h)),
    kernel!("floyd-warshall", medley::floyd_warshall, [n], [&[60], &[180], &[500], &[2800]],
        [edges d_edges = table(n, n, |i, j| {
            let absent = [13, 7, 11].iter().any(|k| (i + j) % k == 0);
            if absent { 999.0 } else { (i * j % 7 + 1) as f64 }
        })],
        (n)),
    kernel!("nussinov", medley::nussinov, [n], [&[60], &[180], &[500], &[2500]],
        [start d_start = vec![0.0; n * n],
         bond d_bond = table(4, 4, |i, j| if i + j == 3 { 1.0 } else { 0.0 })],
        (&BASES[..n])),
    kernel!("adi", stencils::adi, [steps n], [&[20, 20], &[40, 60], &[100, 200], &[500, 1000]],
        [u d_u = table(n, n, |i, j| (i + n - j) as f64 / n as f64)],
        (n, steps)),
    kernel!("fdtd-2d", stencils::fdtd_2d, [steps nx ny],
        [&[20, 20, 30], &[40, 60, 80], &[100, 200, 240], &[500, 1000, 1200]],
        [ex d_ex = table(nx, ny, |i, j| (i * (j + 1)) as f64 / nx as f64),
         ey d_ey = table(nx, ny, |i, j| (i * (j + 2)) as f64 / ny as f64),
         hz d_hz = table(nx, ny, |i, j| (i * (j + 3)) as f64 / nx as f64),
         source d_source = table(1, steps, |_, t| t as f64)],
        (nx, ny)),
    kernel!("heat-3d", stencils::heat_3d, [steps n], [&[20, 10], &[40, 20], &[100, 40], &[500, 120]],
        [a d_a = table(n * n, n, |row, k| (row / n + row % n + (n - k)) as f64 * 10.0 / n as f64),
         b d_b = table(n * n, n, |row, k| (row / n + row % n + (n - k)) as f64 * 10.0 / n as f64)],
        (n, steps)),
    kernel!("jacobi-1d", stencils::jacobi_1d, [steps n], [&[20, 30], &[40, 120], &[100, 400], &[500, 2000]],
        [a d_a = table(1, n, |_, i| (i + 2) as f64 / n as f64),
         b d_b = table(1, n, |_, i| (i + 3) as f64 / n as f64)],
        (steps)),
    kernel!("jacobi-2d", stencils::jacobi_2d, [steps n], [&[20, 30], &[40, 90], &[100, 250], &[500, 1300]],
        [a d_a = table(n, n, |i, j| (i * (j + 2) + 2) as f64 / n as f64),
         b d_b = table(n, n, |i, j| (i * (j + 3) + 3) as f64 / n as f64)],
        (n, steps)),
    kernel!("seidel-2d", stencils::seidel_2d, [steps n], [&[20, 40], &[40, 120], &[100, 400], &[500, 2000]],
        [a d_a = table(n, n, |i, j| (i * (j + 2) + 2) as f64 / n as f64)],
        (n, steps)),
];
