//! The picture of a run: how long generated gradients take, against those by hand.

use crate::machine::Machine;
use crate::measure::Row;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Bars of the experts' and of the scalar gradient's time over the generated one's, one group a case, on the first number
/// of threads.
pub fn ratios(path: &Path, rows: &[Row], machines: &[Machine]) -> Result<(), String> {
    let Some(machine) = machines.first() else { return Ok(()) };
    let by_hand = |row: &&Row| row.threads == machine.threads && row.ratio("scalar", "grad").is_some();
    let rows: Vec<&Row> = rows.iter().filter(by_hand).collect();
    draw(path, &rows, machine).map_err(|error| format!("{}: {error}", path.display()))
}

const LABELS: i32 = 270;
const BAR: i32 = 9;
const GROUP: i32 = 26;
const EXPERT: RGBColor = RGBColor(31, 119, 180);
const SCALAR: RGBColor = RGBColor(255, 127, 14);

fn draw(path: &Path, rows: &[&Row], machine: &Machine) -> Result<(), Box<dyn Error>> {
    let (width, top) = (900, 60);
    let height = top + GROUP * rows.len() as i32 + 40;
    let area = SVGBackend::new(path, (width as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let text = |size: i32, color: &RGBColor| ("sans-serif", size).into_font().color(color);
    let title =
        format!("time of the gradient by hand / time of the generated one, {} thread(s)", machine.threads);
    area.draw_text(&title, &text(16, &BLACK), (20, 12))?;
    area.draw_text("expert", &text(13, &EXPERT), (20, 36))?;
    area.draw_text("scalar", &text(13, &SCALAR), (80, 36))?;

    // logarithmic: equal factors are equal lengths; from 1/8 to 16
    let x = |ratio: f64| {
        let share = (ratio.clamp(0.125, 16.0).log2() + 3.0) / 7.0;
        LABELS + (share * f64::from(width - LABELS - 70)) as i32
    };
    let bottom = height - 30;
    for power in -3..=4 {
        let ratio = 2f64.powi(power);
        let style = if power == 0 { BLACK.to_rgba() } else { BLACK.mix(0.15) };
        area.draw(&PathElement::new(vec![(x(ratio), top), (x(ratio), bottom)], style))?;
        area.draw_text(&format!("{ratio}"), &text(11, &BLACK), (x(ratio) - 8, bottom + 6))?;
    }
    for (number, row) in rows.iter().enumerate() {
        let y = top + GROUP * number as i32 + 4;
        area.draw_text(&format!("{} {}", row.workload, row.case), &text(12, &BLACK), (20, y + 3))?;
        for (offset, variant, color) in [(0, "expert", EXPERT), (BAR, "scalar", SCALAR)] {
            if let Some(ratio) = row.ratio(variant, "grad") {
                let bar = [(x(1.0), y + offset), (x(ratio), y + offset + BAR - 1)];
                area.draw(&Rectangle::new(bar, color.filled()))?;
                let label = format!("{ratio:.2}");
                area.draw_text(&label, &text(9, &BLACK), (x(ratio.max(1.0)) + 4, y + offset - 1))?;
            }
        }
    }
    area.present()?;
    Ok(())
}
