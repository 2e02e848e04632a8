//! Writes what `docs/performance.md` shows between its marks, and the plot beside it.

use crate::machine::Machine;
use crate::measure::Row;
use crate::plot;
use crate::table::{BAR, geometric_mean, megabytes, milliseconds, scaling, significant};
use std::fmt::Write as _;
use std::path::Path;

const BEGIN: &str = "<!-- suite: begin -->";
const END: &str = "<!-- suite: end -->";

/// Replaces the table and the plot.
pub fn write(rows: &[Row], machines: &[Machine]) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let path = folder.join("performance.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (Some((before, _)), Some((_, after))) = (text.split_once(BEGIN), text.split_once(END)) else {
        return Err(format!("{} has not the marks {BEGIN} and {END}", path.display()));
    };
    let text = format!(
        "{before}{BEGIN}\n\n![Gradients by hand over generated gradients](performance.svg)\n\n{}\n{END}{after}",
        tables(rows, machines)
    );
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    plot::ratios(&folder.join("performance.svg"), rows, machines)
}

fn tables(rows: &[Row], machines: &[Machine]) -> String {
    let mut text = String::new();
    for machine in machines {
        let _ = writeln!(text, "**{machine}**\n");
        let _ = writeln!(
            text,
            "| workload, case | primal | `value` | `grad` | `grad_into` | scalar by hand | expert | grad / expert | \
             scalar / grad | grad / primal | scaling, expert's | MB, primal's | error |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        );
        for row in rows.iter().filter(|row| row.threads == machine.threads) {
            let ratio = |a, b| row.ratio(a, b).map_or_else(String::new, significant);
            let scale = |variant| scaling(rows, row, variant).map_or_else(String::new, significant);
            let scales = match machine.threads {
                1 => String::new(),
                _ if row.time("expert").is_none() => scale("grad"),
                _ => format!("{}, {}", scale("grad"), scale("expert")),
            };
            let _ = writeln!(
                text,
                "| {} {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {scales} | {}, {} | {:.0e} |",
                row.workload,
                row.case,
                if row.substitute { " (generated)" } else { "" },
                milliseconds(row, "primal"),
                milliseconds(row, "value"),
                milliseconds(row, "grad"),
                milliseconds(row, "grad_into"),
                milliseconds(row, "scalar"),
                milliseconds(row, "expert"),
                ratio("grad", "expert"),
                ratio("scalar", "grad"),
                ratio("grad", "primal"),
                megabytes(row.peak),
                megabytes(row.primal_peak),
                row.error,
            );
        }
        let bar = |row: &&Row| row.threads == machine.threads && BAR.contains(&row.workload);
        let ratios = rows.iter().filter(bar).filter_map(|row| row.ratio("grad", "expert"));
        if let Some(mean) = geometric_mean(ratios) {
            let _ = writeln!(text, "\nGeometric mean of grad / expert over {}: {mean:.2}.\n", BAR.join(", "));
        }
        let all = rows.iter().filter(|row| row.threads == machine.threads);
        if let Some(mean) = geometric_mean(all.filter_map(|row| row.ratio("grad", "primal"))) {
            let _ = writeln!(text, "Geometric mean of grad / primal over all: {mean:.2}.\n");
        }
    }
    text
}
