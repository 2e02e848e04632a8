//! Pictures of fields on a grid, side by side.

use crate::place;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A field of `values`, in rows of `width`, and the colours for its `low`est and `high`est value.
pub struct Field<'a> {
    /// What it is.
    pub title: &'a str,
    /// Row by row, the first one on top.
    pub values: &'a [f64],
    /// Cells of a row.
    pub width: usize,
    /// The value that is dark.
    pub low: f64,
    /// The value that is bright.
    pub high: f64,
}

/// How much of a round body with a soft edge is in a cell of a grid with rows of `width`: from 1 at its centre, a
/// column and a row, to 0 outside of its radius.
pub fn body(cell: usize, width: usize, centre: [f64; 2], radius: f64) -> f64 {
    let [x, y] = centre;
    let square = ((cell % width) as f64 - x).powi(2) + ((cell / width) as f64 - y).powi(2);
    (-(square / radius.powi(2)).powi(2)).exp()
}

const PANEL: u32 = 400;
const TITLE: u32 = 30;

/// Writes the SVG file of an example, and says where; its text is left to the viewer's fonts.
pub fn write(example: &str, fields: &[Field<'_>]) -> Result<(), String> {
    let path = place::picture(example);
    draw(&path, fields).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("picture: {}", path.display());
    Ok(())
}

fn draw(path: &Path, fields: &[Field<'_>]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let height = |field: &Field<'_>| PANEL * (field.values.len() / field.width) as u32 / field.width as u32;
    let tallest = fields.iter().map(height).max().unwrap_or(0);
    let size = (PANEL * fields.len() as u32, tallest + TITLE);
    let area = SVGBackend::new(path, size).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, field) in area.split_evenly((1, fields.len())).iter().zip(fields) {
        let panel = panel.titled(field.title, ("sans-serif", 18))?;
        let cell = f64::from(PANEL - 12) / field.width as f64;
        for (k, value) in field.values.iter().enumerate() {
            let share = ((value - field.low) / (field.high - field.low)).clamp(0.0, 1.0);
            let at = |k: usize| 6 + (k as f64 * cell) as i32;
            let (x, y) = (k % field.width, k / field.width);
            let corners = [(at(x), at(y)), (at(x + 1), at(y + 1))];
            panel.draw(&Rectangle::new(corners, colour(share).filled()))?;
        }
    }
    area.present()?;
    Ok(())
}

/// From dark blue through white to dark red, for a share between 0 and 1.
pub fn colour(share: f64) -> RGBColor {
    let towards = |a: [f64; 3], b: [f64; 3], t: f64| {
        let [r, g, b] = std::array::from_fn(|k| (a[k] + t * (b[k] - a[k])) as u8);
        RGBColor(r, g, b)
    };
    let (blue, white, red) = ([33.0, 60.0, 140.0], [245.0, 245.0, 245.0], [160.0, 20.0, 40.0]);
    match share {
        s if s < 0.5 => towards(blue, white, 2.0 * s),
        s => towards(white, red, 2.0 * s - 1.0),
    }
}
