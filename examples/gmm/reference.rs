//! Reference values made by other tools: their text format, which of them belongs to a data file, and how far a value
//! and a gradient are from one.
//!
//! The format is lines of a keyword and numbers; `#` begins a comment. `value V`; then of the flat gradient (alphas,
//! means, factors) its `size`, `sum`, `l2` norm, its first entries after `first` and its last ones after `last`. A file
//! that lists the whole gradient after `first` needs no more. `fingerprint H` begins an entry of the table of known
//! files.

use std::path::{Path, PathBuf};

/// What other tools computed for one data file.
#[derive(Default)]
pub struct Reference {
    fingerprint: Option<u64>,
    value: Option<f64>,
    size: usize,
    sum: Option<f64>,
    l2: Option<f64>,
    first: Vec<f64>,
    last: Vec<f64>,
}

/// One comparison: what was compared, and the relative error.
pub struct Error {
    /// What was compared.
    pub what: String,
    /// The difference, relative to the reference.
    pub relative: f64,
}

impl Reference {
    /// The reference of a data file and where it was found: `<file>.reference` beside it, or the table of known files.
    pub fn find(data: &Path, fingerprint: u64, known: &str) -> Result<Option<(Reference, String)>, String> {
        let mut beside = data.as_os_str().to_owned();
        beside.push(".reference");
        let beside = PathBuf::from(beside);
        if beside.exists() {
            let text = std::fs::read_to_string(&beside).map_err(|e| format!("{}: {e}", beside.display()))?;
            let entries = parse(&text).map_err(|e| format!("{}: {e}", beside.display()))?;
            let entry = entries.into_iter().next();
            let entry = entry.ok_or_else(|| format!("{}: holds no reference", beside.display()))?;
            return Ok(Some((entry, beside.display().to_string())));
        }
        let entries = parse(known).map_err(|e| format!("table of known files: {e}"))?;
        let entry = entries.into_iter().find(|entry| entry.fingerprint == Some(fingerprint));
        Ok(entry.map(|entry| (entry, "the table of known files".into())))
    }

    /// Whether every entry of the gradient is listed.
    pub fn is_complete(&self) -> bool {
        self.first.len() == self.size
    }

    /// Compares a value and a flat gradient.
    pub fn compare(&self, value: f64, gradient: &[f64]) -> Result<Vec<Error>, String> {
        if gradient.len() != self.size {
            return Err(format!("the reference has {} parameters, the data {}", self.size, gradient.len()));
        }
        let mut errors = Vec::new();
        if let Some(reference) = self.value {
            errors.push(Error { what: "value".into(), relative: relative(value, reference) });
        }
        if let Some(sum) = self.sum {
            let computed = gradient.iter().sum();
            errors.push(Error { what: "sum of the gradient".into(), relative: relative(computed, sum) });
        }
        if let Some(l2) = self.l2 {
            errors
                .push(Error { what: "norm of the gradient".into(), relative: relative(norm(gradient), l2) });
        }
        let listed = |name: &str, computed: &[f64], reference: &[f64]| {
            let difference: Vec<f64> = computed.iter().zip(reference).map(|(a, b)| a - b).collect();
            let what = match reference.len() == gradient.len() {
                true => format!("gradient, all {} entries", reference.len()),
                false => format!("gradient, {name} {} entries", reference.len()),
            };
            Error { what, relative: norm(&difference) / norm(reference) }
        };
        if !self.first.is_empty() {
            errors.push(listed("first", gradient, &self.first));
        }
        if !self.last.is_empty() {
            errors.push(listed("last", &gradient[gradient.len() - self.last.len()..], &self.last));
        }
        Ok(errors)
    }
}

/// `|a - b|` relative to the reference `b`.
pub fn relative(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() / b.abs() }
}

/// The Euclidean norm.
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

const KEYWORDS: [&str; 7] = ["fingerprint", "value", "size", "sum", "l2", "first", "last"];

fn parse(text: &str) -> Result<Vec<Reference>, String> {
    let mut entries: Vec<Reference> = Vec::new();
    let mut keyword = "";
    for (line, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default();
        for token in content.split_whitespace() {
            if KEYWORDS.contains(&token) {
                keyword = token;
                continue;
            }
            let bad = || format!("line {}: `{token}` is not understood here", line + 1);
            let float = token.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(bad);
            if keyword == "fingerprint" {
                let fingerprint =
                    u64::from_str_radix(token.trim_start_matches("0x"), 16).map_err(|_| bad())?;
                entries.push(Reference { fingerprint: Some(fingerprint), ..Reference::default() });
                continue;
            }
            if entries.is_empty() {
                entries.push(Reference::default());
            }
            let entry = entries.last_mut().ok_or_else(bad)?;
            match keyword {
                "value" => entry.value = Some(float?),
                "size" => entry.size = token.parse().map_err(|_| bad())?,
                "sum" => entry.sum = Some(float?),
                "l2" => entry.l2 = Some(float?),
                "first" => entry.first.push(float?),
                "last" => entry.last.push(float?),
                _ => return Err(bad()),
            }
        }
    }
    match entries.iter().find(|entry| entry.first.len() > entry.size || entry.last.len() > entry.size) {
        Some(entry) => Err(format!("lists more entries of the gradient than its size {}", entry.size)),
        None => Ok(entries),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reference, parse};
    use std::path::Path;

    fn worst(reference: &Reference, value: f64, gradient: &[f64]) -> f64 {
        let errors = reference.compare(value, gradient).unwrap_or_else(|error| panic!("{error}"));
        errors.iter().map(|error| error.relative).fold(0.0, f64::max)
    }

    #[test]
    fn a_wrong_value_or_entry_shows() {
        let text =
            "# made by hand\nvalue 2 # two\nsize 3\nsum 6 l2 3.7416573867739413\nfirst 1\n2 3\nlast 3\n";
        let entries = parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert!(entries[0].is_complete());
        assert!(worst(&entries[0], 2.0, &[1.0, 2.0, 3.0]) < 1e-15);
        assert!(worst(&entries[0], 2.0 + 1e-8, &[1.0, 2.0, 3.0]) > 1e-9);
        assert!(worst(&entries[0], 2.0, &[1.0, 2.0 + 1e-8, 3.0]) > 1e-9);
        assert!(entries[0].compare(2.0, &[1.0, 2.0]).is_err());
    }

    #[test]
    fn known_files_are_found_by_fingerprint() {
        let known = "fingerprint 0x0a value 1 size 1 first 1 fingerprint 0x0b value 2 size 2 first 1";
        let find = |fingerprint| Reference::find(Path::new("no such file"), fingerprint, known);
        assert!(
            matches!(find(0xb), Ok(Some((entry, _))) if entry.value == Some(2.0) && !entry.is_complete())
        );
        assert!(matches!(find(0xc), Ok(None)));
    }

    #[test]
    fn says_what_is_wrong_with_a_reference() {
        for (text, message) in [
            ("norm 1", "line 1: `norm` is not understood here"),
            ("\nvalue 1e", "line 2: `1e` is not understood here"),
            ("size 1 first 1 2", "more entries of the gradient than its size 1"),
            ("7", "line 1: `7` is not understood here"),
        ] {
            let error = parse(text).err().unwrap_or_default();
            assert!(error.contains(message), "{text:?}: {error:?}");
        }
    }
}
