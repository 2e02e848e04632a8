//! The other text files of ADBench (MIT, Microsoft): bundle adjustment and LSTM.

use super::Lcg;
use std::path::{Path, PathBuf};

/// Cameras, points and what the pictures show.
pub struct Bundle {
    /// Rows of 11.
    pub cameras: Vec<f64>,
    /// Rows of 3.
    pub points: Vec<f64>,
    /// One an observation.
    pub weights: Vec<f64>,
    /// Rows of 2.
    pub features: Vec<f64>,
    /// One an observation.
    pub camera_of: Vec<u32>,
    /// One an observation.
    pub point_of: Vec<u32>,
}

/// An LSTM with its sequence.
pub struct Sequence {
    /// Layers.
    pub layers: usize,
    /// Steps: one fewer than characters.
    pub steps: usize,
    /// Width of a character.
    pub b: usize,
    /// Weights and biases.
    pub main: Vec<f64>,
    /// Input and output weights, output biases.
    pub extra: Vec<f64>,
    /// Hidden and cell rows.
    pub state: Vec<f64>,
    /// One row of `b` a character.
    pub sequence: Vec<f64>,
}

impl Bundle {
    /// A file `baN_…`: the sizes, and one camera, point, weight and feature that stand for all.
    pub fn read(path: &Path) -> Option<Bundle> {
        let numbers = numbers(path)?;
        let [n, m, p] = sizes(&numbers)?;
        let (one, rest) = (numbers.get(3..20)?, numbers.len() - 3);
        if rest != 17 || n == 0 || m == 0 {
            return None;
        }
        let (camera, point, weight, feature) = (&one[..11], &one[11..14], one[14], &one[15..17]);
        Some(Bundle {
            cameras: camera.repeat(n),
            points: point.repeat(m),
            weights: vec![weight; p],
            features: feature.repeat(p),
            camera_of: (0..p).map(|i| (i % n) as u32).collect(),
            point_of: (0..p).map(|i| (i % m) as u32).collect(),
        })
    }

    /// Plausible cameras that look at points behind them.
    pub fn generated(n: usize, m: usize, p: usize) -> Bundle {
        let mut random = Lcg(42);
        let mut cameras = Vec::with_capacity(11 * n);
        for _ in 0..n {
            cameras.extend(random.floats(6, -0.5, 0.5));
            cameras.push(random.float(400.0, 401.0));
            cameras.extend(random.floats(2, -1.0, 1.0));
            cameras.extend(random.floats(2, -0.1, 0.1));
        }
        let mut points = Vec::with_capacity(3 * m);
        for _ in 0..m {
            points.extend(random.floats(2, -1.0, 1.0));
            points.push(random.float(-4.0, -2.0));
        }
        Bundle {
            cameras,
            points,
            weights: random.floats(p, 0.0, 1.0),
            features: random.floats(2 * p, -100.0, 100.0),
            camera_of: (0..p).map(|i| (i % n) as u32).collect(),
            point_of: (0..p).map(|i| (i % m) as u32).collect(),
        }
    }
}

impl Sequence {
    /// A file `lstm_lL_cC.txt`.
    pub fn read(path: &Path) -> Option<Sequence> {
        let numbers = numbers(path)?;
        let [l, c, b] = sizes(&numbers)?;
        let mut rest = numbers.get(3..)?;
        let mut take = |len: usize| {
            let (part, tail) = rest.split_at_checked(len)?;
            rest = tail;
            Some(part.to_vec())
        };
        let main = take(8 * l * b)?;
        let extra = take(3 * b)?;
        let state = take(2 * l * b)?;
        let sequence = take(c * b)?;
        Some(Sequence { layers: l, steps: c.checked_sub(1)?, b, main, extra, state, sequence })
    }

    /// Small weights, and characters of random bits.
    pub fn generated(layers: usize, characters: usize, b: usize) -> Sequence {
        let mut random = Lcg(42);
        let main = random.floats(8 * layers * b, -0.5, 0.5);
        let extra = random.floats(3 * b, -0.5, 0.5);
        let state = random.floats(2 * layers * b, -0.5, 0.5);
        let bit = |random: &mut Lcg| if random.float(0.0, 1.0) < 0.3 { 1.0 } else { 0.0 };
        let sequence = (0..characters * b).map(|_| bit(&mut random)).collect();
        Sequence { layers, steps: characters - 1, b, main, extra, state, sequence }
    }
}

/// The file in `folder` whose name is `case`, or begins with it and an underscore.
pub fn find(folder: &Path, case: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().find(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name == format!("{case}.txt") || name.starts_with(&format!("{case}_"))
    })
}

fn numbers(path: &Path) -> Option<Vec<f64>> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split_ascii_whitespace().map(|token| token.parse().ok()).collect()
}

fn sizes(numbers: &[f64]) -> Option<[usize; 3]> {
    let sizes: [f64; 3] = numbers.get(..3)?.try_into().ok()?;
    sizes
        .iter()
        .all(|&size| (1.0..1e9).contains(&size) && size.fract() == 0.0)
        .then(|| sizes.map(|s| s as usize))
}

#[cfg(test)]
mod tests {
    use super::{Bundle, Sequence};
    use std::path::PathBuf;

    fn file(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pardiff-{}-{name}.txt", std::process::id()));
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    #[test]
    fn reads_a_bundle_of_copies() {
        let path = file("ba", "2 3 4\n1 2 3 4 5 6 7 8 9 10 11\n12 13 14\n0.5\n15 16\n");
        let Some(bundle) = Bundle::read(&path) else { panic!("not read") };
        assert_eq!((bundle.cameras.len(), bundle.points.len()), (22, 9));
        assert_eq!((bundle.cameras[12], bundle.points[5], bundle.weights[3]), (2.0, 14.0, 0.5));
        assert_eq!(
            (bundle.features.as_slice(), bundle.point_of.as_slice()),
            (&[15.0, 16.0].repeat(4)[..], &[0, 1, 2, 0][..])
        );
        std::fs::write(&path, "2 3 4 1").unwrap_or_else(|error| panic!("{error}"));
        assert!(Bundle::read(&path).is_none());
        std::fs::remove_file(path).unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn reads_a_sequence_in_order() {
        let numbers: Vec<String> = (0..8 + 3 + 2 + 3).map(|i| i.to_string()).collect();
        let path = file("lstm", &format!("1 3 1 {}", numbers.join(" ")));
        let Some(s) = Sequence::read(&path) else { panic!("not read") };
        assert_eq!((s.layers, s.steps, s.b), (1, 2, 1));
        assert_eq!((s.main[7], s.extra[0], s.state[0]), (7.0, 8.0, 11.0));
        assert_eq!(s.sequence, [13.0, 14.0, 15.0]);
        std::fs::remove_file(path).unwrap_or_else(|error| panic!("{error}"));
    }
}
