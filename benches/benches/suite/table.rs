//! The same for people.

use crate::machine::Machine;
use crate::measure::Row;

/// The workloads that the project wants within a quarter of the experts.
pub const BAR: [&str; 5] = ["gmm", "ba", "minibude", "matvec", "spmv"];

/// Three significant digits of milliseconds.
pub fn milliseconds(row: &Row, variant: &str) -> String {
    row.time(variant).map_or_else(String::new, |time| significant(time.min))
}

/// Three significant digits.
pub fn significant(x: f64) -> String {
    match x {
        x if !x.is_finite() => "-".to_owned(),
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x if x >= 1.0 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}

/// Millions of bytes, or of a small number thousandths of that.
pub fn megabytes(bytes: usize) -> String {
    if bytes == 0 { "0".to_owned() } else { significant(1e-6 * bytes as f64) }
}

/// One case.
pub fn line(row: &Row, machine: &Machine) -> String {
    let mut text = format!("{:<19} {:<15} {}t ", row.workload, row.case, row.threads);
    for (variant, _) in &row.times {
        text += &format!(" {variant} {}", milliseconds(row, variant));
    }
    if let Some(ratio) = row.ratio("grad", "expert") {
        text += &format!("; grad/expert {ratio:.2}");
    }
    if let Some(ratio) = row.ratio("scalar", "grad") {
        text += &format!("; scalar/grad {ratio:.2}");
    }
    let seconds = row.time("grad").map_or(f64::NAN, |time| time.min * 1e-3);
    text += &format!(
        "; {:.0} % of peak, {:.0} % of bandwidth; error {:.0e}; {} MB, primal {} MB; {}",
        100e-9 * row.operations / seconds / machine.operations,
        100e-9 * row.traffic / seconds / machine.bytes,
        row.error,
        megabytes(row.peak),
        megabytes(row.primal_peak),
        if row.deterministic { "same bits" } else { "DIFFERENT BITS" }
    );
    if row.substitute {
        text += "; generated data";
    }
    text
}

/// The geometric mean of what there is.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// How much faster a variant is than on one thread.
pub fn scaling(rows: &[Row], row: &Row, variant: &str) -> Option<f64> {
    let one = rows.iter().find(|r| r.threads == 1 && r.workload == row.workload && r.case == row.case)?;
    Some(one.time(variant)?.min / row.time(variant)?.min)
}

/// The summary of a run.
pub fn print(rows: &[Row], machines: &[Machine]) {
    for machine in machines {
        println!("\n{machine}");
        let here: Vec<&Row> = rows.iter().filter(|row| row.threads == machine.threads).collect();
        println!(
            "{:<19} {:<15} {:>8} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9}",
            "workload",
            "case",
            "primal",
            "value",
            "grad",
            "grad_into",
            "scalar",
            "expert",
            "/expert",
            "scalar/",
            "error",
            "scaling",
            "expert's",
            "MB",
            "primal's"
        );
        for row in &here {
            let ratio = |a, b| row.ratio(a, b).map_or_else(String::new, significant);
            let scale = |variant| match machine.threads {
                1 => String::new(),
                _ => scaling(rows, row, variant).map_or_else(String::new, significant),
            };
            println!(
                "{:<19} {:<15} {:>8} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8.0e} {:>9} {:>9} {:>9} {:>9}",
                row.workload,
                row.case,
                milliseconds(row, "primal"),
                milliseconds(row, "value"),
                milliseconds(row, "grad"),
                milliseconds(row, "grad_into"),
                milliseconds(row, "scalar"),
                milliseconds(row, "expert"),
                ratio("grad", "expert"),
                ratio("scalar", "grad"),
                row.error,
                scale("grad"),
                scale("expert"),
                megabytes(row.peak),
                megabytes(row.primal_peak),
            );
        }
        let mean = |name: &str, chosen: &dyn Fn(&Row) -> bool, a: &str, b: &str| {
            let ratios = here.iter().filter(|row| chosen(row)).filter_map(|row| row.ratio(a, b));
            if let Some(mean) = geometric_mean(ratios) {
                println!("geometric mean of {name}: {mean:.2}");
            }
        };
        mean("grad / expert, the bar's workloads", &|row| BAR.contains(&row.workload), "grad", "expert");
        mean("grad / expert, all of the experts'", &|_| true, "grad", "expert");
        mean("grad / primal, all", &|_| true, "grad", "primal");
        mean("scalar / grad, all", &|_| true, "scalar", "grad");
        mean("scalar / grad, the small ones", &|row| row.time("expert").is_none(), "scalar", "grad");
        if machine.threads > 1 {
            let scales = here
                .iter()
                .filter_map(|row| Some((scaling(rows, row, "grad")?, scaling(rows, row, "expert")?)));
            if let Some(mean) = geometric_mean(scales.map(|(ours, theirs)| ours / theirs)) {
                println!("geometric mean of our scaling / the experts' scaling: {mean:.2}");
            }
        }
    }
}
