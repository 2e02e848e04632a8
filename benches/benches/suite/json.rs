//! One JSON object a line.

use crate::machine::Machine;
use crate::measure::{Row, Time};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// Where the lines go.
pub struct Sink(Option<File>);

impl Sink {
    /// A new file, or nothing.
    pub fn create(path: Option<&Path>) -> Result<Sink, String> {
        let create = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        Ok(Sink(path.map(create).transpose()?))
    }

    /// One line, at once: a long run that is cut short has its results.
    pub fn write(&mut self, line: &str) -> Result<(), String> {
        match &mut self.0 {
            Some(file) => writeln!(file, "{line}").map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }
}

/// An object under construction.
pub struct Object(String);

impl Object {
    /// Without members.
    pub fn new() -> Object {
        Object("{".to_owned())
    }

    fn key(&mut self, key: &str) -> &mut String {
        if self.0.len() > 1 {
            self.0.push_str(", ");
        }
        let _ = write!(self.0, "\"{key}\": ");
        &mut self.0
    }

    /// A string; quotes and backslashes are escaped.
    pub fn text(mut self, key: &str, value: &str) -> Object {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = write!(self.key(key), "\"{value}\"");
        self
    }

    /// A number; what JSON cannot say becomes null.
    pub fn number(mut self, key: &str, value: f64) -> Object {
        let text = self.key(key);
        let _ = if value.is_finite() { write!(text, "{value}") } else { write!(text, "null") };
        self
    }

    /// A boolean.
    pub fn flag(mut self, key: &str, value: bool) -> Object {
        let _ = write!(self.key(key), "{value}");
        self
    }

    /// Minimum and median.
    pub fn time(mut self, key: &str, time: Time) -> Object {
        let _ = write!(self.key(key), "{{\"min_ms\": {}, \"median_ms\": {}}}", time.min, time.median);
        self
    }

    /// The text.
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A case as a line.
pub fn row(row: &Row, machine: &Machine) -> String {
    let mut object = Object::new()
        .text("workload", row.workload)
        .text("case", &row.case)
        .number("threads", row.threads as f64)
        .number("reps", row.reps as f64);
    for &(variant, time) in &row.times {
        object = object.time(variant, time);
    }
    let ratio = |variant, to| row.ratio(variant, to).unwrap_or(f64::NAN);
    let seconds = row.time("grad").map_or(f64::NAN, |time| time.min * 1e-3);
    object
        .number("ratio_to_expert", ratio("grad", "expert"))
        .number("ratio_to_scalar", ratio("grad", "scalar"))
        .number("grad_l2", row.norm)
        .number("rel_vs_reference", row.error)
        .flag("deterministic", row.deterministic)
        .number("peak_bytes", row.peak as f64)
        .number("primal_peak_bytes", row.primal_peak as f64)
        .number("parameters", row.gradient.len() as f64)
        .number("fraction_of_bandwidth", row.traffic / seconds * 1e-9 / machine.bytes)
        .number("fraction_of_peak", row.operations / seconds * 1e-9 / machine.operations)
        .text("data", if row.substitute { "generated in place of published" } else { "as named" })
        .text("machine", &machine.name)
        .text("isa", machine.isa)
        .number("load", machine.load)
        .finish()
}
