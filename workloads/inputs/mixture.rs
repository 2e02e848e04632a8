//! An ADBench mixture-model file: text in, checked sizes and arrays out. Whatever is wrong with the file is an error
//! that names the place; nothing here panics on input.

use super::random::Lcg;
use std::fmt;
use std::path::Path;

/// A data set with the parameters at which ADBench evaluates it.
pub struct Problem {
    /// Dimension of the points.
    pub d: usize,
    /// Number of components.
    pub k: usize,
    /// Number of points.
    pub n: usize,
    /// Unnormalised logarithms of the weights, `k`.
    pub alphas: Vec<f64>,
    /// Means, `k` rows of `d`.
    pub means: Vec<f64>,
    /// Factors of the inverse covariances, `k` rows of `d (d + 1) / 2`.
    pub icf: Vec<f64>,
    /// Points, `n` rows of `d`.
    pub x: Vec<f64>,
    /// Scale of the Wishart prior.
    pub gamma: f64,
    /// Degrees of freedom of the Wishart prior beyond `d + 1`.
    pub m: f64,
    /// The part of the objective that depends on no parameter.
    pub constant: f64,
    /// FNV-1a hash of the file's text, by which known files are recognised.
    pub fingerprint: u64,
}

/// Why a file cannot be used.
#[derive(Debug)]
pub struct BadFile(String);

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Problem {
    /// Reads and checks a file: `D K N`, alphas, means, factors, points, `gamma m`.
    pub fn read(path: &Path) -> Result<Problem, BadFile> {
        let text = std::fs::read_to_string(path).map_err(|error| BadFile(error.to_string()))?;
        Problem::parse(&text)
    }

    /// Number of entries of one factor.
    pub fn icf_size(&self) -> usize {
        self.d * (self.d + 1) / 2
    }

    /// A problem of these sizes with uniform numbers in [-1, 1) and ADBench's prior.
    pub fn generated(d: usize, k: usize, n: usize) -> Problem {
        let mut random = Lcg(42);
        let (gamma, m) = (1.0, 0.0);
        Problem {
            d,
            k,
            n,
            alphas: random.floats(k, -1.0, 1.0),
            means: random.floats(k * d, -1.0, 1.0),
            icf: random.floats(k * (d * (d + 1) / 2), -1.0, 1.0),
            x: random.floats(n * d, -1.0, 1.0),
            gamma,
            m,
            constant: constant(d, k, n, gamma, m),
            fingerprint: 0,
        }
    }

    fn parse(text: &str) -> Result<Problem, BadFile> {
        if text.trim().is_empty() {
            return Err(BadFile("the file is empty".into()));
        }
        let mut tokens = Tokens::new(text);
        let d = tokens.count("the dimension D")?;
        let k = tokens.count("the number of components K")?;
        let n = tokens.count("the number of points N")?;

        let sizes = || {
            let icf_size = d.checked_mul(d.checked_add(1)?)? / 2;
            let (means, icf, x) = (k.checked_mul(d)?, k.checked_mul(icf_size)?, n.checked_mul(d)?);
            let numbers = k.checked_add(means)?.checked_add(icf)?.checked_add(x)?.checked_add(2)?;
            Some((means, icf, x, numbers))
        };
        let Some((means_len, icf_len, x_len, expected)) = sizes() else {
            return Err(BadFile(format!("D = {d}, K = {k}, N = {n} is too large")));
        };
        let found = text.split_whitespace().count() - 3;
        if n > 1 && found == expected - x_len + d {
            return Err(BadFile(format!(
                "holds a single point to be repeated {n} times; every point must be written out"
            )));
        }
        if found != expected {
            return Err(BadFile(format!(
                "has {found} numbers after D = {d}, K = {k}, N = {n}, which need {expected}: \
                 {k} alphas, {means_len} of the means, {icf_len} of the factors, {x_len} of the points, gamma and m"
            )));
        }

        let alphas = tokens.floats(k)?;
        let means = tokens.floats(means_len)?;
        let icf = tokens.floats(icf_len)?;
        let x = tokens.floats(x_len)?;
        let gamma = tokens.float()?;
        let m = tokens.float()?;
        if gamma <= 0.0 {
            return Err(BadFile(format!("gamma is {gamma}, but must be positive")));
        }
        if m < 0.0 || m.fract() != 0.0 {
            return Err(BadFile(format!("m is {m}, but must be a whole number that is not negative")));
        }
        let constant = constant(d, k, n, gamma, m);
        let fingerprint = fingerprint(text);
        Ok(Problem { d, k, n, alphas, means, icf, x, gamma, m, constant, fingerprint })
    }
}

/// The numbers of a file with their line numbers.
struct Tokens<'a> {
    rest: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Tokens<'a> {
        let lines = text.lines().enumerate();
        Tokens {
            rest: Box::new(lines.flat_map(|(i, line)| line.split_whitespace().map(move |t| (i + 1, t)))),
        }
    }

    fn next(&mut self, what: &str) -> Result<(usize, &'a str), BadFile> {
        self.rest.next().ok_or_else(|| BadFile(format!("ends before {what}")))
    }

    fn count(&mut self, what: &str) -> Result<usize, BadFile> {
        let (line, token) = self.next(what)?;
        match token.parse() {
            Ok(count) if count > 0 => Ok(count),
            _ => {
                Err(BadFile(format!("line {line}: {what} is `{token}`, but must be a positive whole number")))
            }
        }
    }

    fn float(&mut self) -> Result<f64, BadFile> {
        let (line, token) = self.next("the last number")?;
        match token.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(BadFile(format!("line {line}: `{token}` is not a finite number"))),
        }
    }

    fn floats(&mut self, len: usize) -> Result<Vec<f64>, BadFile> {
        (0..len).map(|_| self.float()).collect()
    }
}

/// `- n d / 2 log 2 pi` of the Gaussians and the normalisation of the Wishart prior, once per component.
fn constant(d: usize, k: usize, n: usize, gamma: f64, m: f64) -> f64 {
    // ADBench's own value: with more digits its reference values are missed by 1e-10
    #[allow(clippy::approx_constant)]
    const PI: f64 = 3.14159265359;
    let (d, k, n) = (d as f64, k as f64, n as f64);
    let freedom = d + m + 1.0;
    let mut log_gamma_d = 0.25 * d * (d - 1.0) * PI.ln();
    let mut j = 1.0;
    while j <= d {
        log_gamma_d += log_gamma_half(0.5 * freedom + 0.5 * (1.0 - j));
        j += 1.0;
    }
    let normalisation = freedom * d * (gamma.ln() - 0.5 * 2f64.ln()) - log_gamma_d;
    -n * d * 0.5 * (2.0 * PI).ln() - k * normalisation
}

/// Logarithm of the gamma function at a positive multiple of 1/2, by the recurrence.
fn log_gamma_half(mut z: f64) -> f64 {
    let mut log = 0.0;
    while z > 1.0 {
        z -= 1.0;
        log += z.ln();
    }
    if z == 0.5 { log + std::f64::consts::PI.sqrt().ln() } else { log }
}

/// FNV-1a over the text, carriage returns left out.
fn fingerprint(text: &str) -> u64 {
    let bytes = text.bytes().filter(|&byte| byte != b'\r');
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::Problem;

    const GOOD: &str = "2 1 2\n0.5\n1 2\n0.1 0.2 0.3\n1 2\n3 4\n1.5 2\n";

    fn refusal(text: &str) -> String {
        match Problem::parse(text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn reads_every_part_in_order() {
        let problem = Problem::parse(GOOD).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((problem.d, problem.k, problem.n, problem.icf_size()), (2, 1, 2, 3));
        assert_eq!(problem.alphas, [0.5]);
        assert_eq!(problem.means, [1.0, 2.0]);
        assert_eq!(problem.icf, [0.1, 0.2, 0.3]);
        assert_eq!(problem.x, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!((problem.gamma, problem.m), (1.5, 2.0));
    }

    #[test]
    fn line_ends_do_not_change_the_fingerprint() {
        let fingerprint = |text: &str| Problem::parse(text).map(|problem| problem.fingerprint).ok();
        assert_eq!(fingerprint(GOOD), fingerprint(&GOOD.replace('\n', "\r\n")));
        assert_ne!(fingerprint(GOOD), fingerprint(&GOOD.replace("0.3", "0.4")));
    }

    #[test]
    fn says_what_is_wrong_with_a_file() {
        let cases = [
            ("", "the file is empty"),
            ("0 1 2", "line 1: the dimension D is `0`, but must be a positive whole number"),
            ("2 x 2", "line 1: the number of components K is `x`, but must be a positive whole number"),
            ("2 1", "ends before the number of points N"),
            ("99999999999999999999 1 1", "line 1: the dimension D is `99999999999999999999`, but"),
            ("9999999999999 9999999999999 1", "D = 9999999999999, K = 9999999999999, N = 1 is too large"),
            (&GOOD.replace(" 4", ""), "has 11 numbers after D = 2, K = 1, N = 2, which need 12"),
            (&GOOD.replace("4", "4 5"), "has 13 numbers after D = 2, K = 1, N = 2, which need 12"),
            (&GOOD.replace("3 4\n", ""), "holds a single point to be repeated 2 times"),
            (&GOOD.replace("0.2", "0,2"), "line 4: `0,2` is not a finite number"),
            (&GOOD.replace("0.2", "nan"), "line 4: `nan` is not a finite number"),
            (&GOOD.replace("1.5 2", "0 2"), "gamma is 0, but must be positive"),
            (&GOOD.replace("1.5 2", "1 -1"), "m is -1, but must be a whole number"),
        ];
        for (text, message) in cases {
            let refusal = refusal(text);
            assert!(refusal.contains(message), "{text:?}: {refusal:?} does not contain {message:?}");
        }
    }
}
