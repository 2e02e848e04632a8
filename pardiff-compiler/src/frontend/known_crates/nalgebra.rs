//! Types of `nalgebra` with constant sizes.

use super::family::{Family, Instance, Named};

/// The largest number of rows and columns.
pub(crate) const LARGEST: usize = 6;

/// What a name means.
pub(super) fn named(name: &str) -> Option<Named> {
    let of = |family, dims| Some(Named::new(family, None, dims));
    let matrix = |rows, columns| of(Family::Matrix, vec![rows, columns]);
    let with_storage = |named: Option<Named>| named.map(|named| Named { has_storage: true, ..named });
    let digit = |text: &str| text.parse().ok().filter(|size| (1..=LARGEST).contains(size) && text.len() == 1);
    let dynamic = |rows, columns| of(Family::Dynamic, vec![Some(rows), Some(columns)]);
    match name {
        "DVector" => return dynamic(0, 1),
        "RowDVector" => return dynamic(1, 0),
        "DMatrix" => return dynamic(0, 0),
        "SVector" | "OVector" => return matrix(None, Some(1)),
        "RowSVector" => return matrix(Some(1), None),
        "SMatrix" | "OMatrix" => return matrix(None, None),
        "Vector" => return with_storage(matrix(None, Some(1))),
        "Matrix" => return with_storage(matrix(None, None)),
        "Point" | "OPoint" => return of(Family::Point, vec![None]),
        "Const" => return Some(Named::new(Family::Size, Some("f64"), vec![None])),
        _ => {}
    }
    if let Some(size) = name.strip_prefix('U').and_then(digit) {
        return Some(Named::new(Family::Size, Some("f64"), vec![Some(size)]));
    }
    if let Some(size) = name.strip_prefix("RowVector") {
        return matrix(Some(1), Some(digit(size)?));
    }
    if let Some(size) = name.strip_prefix("Vector") {
        return matrix(Some(digit(size)?), Some(1));
    }
    if let Some(size) = name.strip_prefix("Matrix") {
        return match size.split_once('x') {
            Some((rows, columns)) => matrix(Some(digit(rows)?), Some(digit(columns)?)),
            None => matrix(Some(digit(size)?), Some(digit(size)?)),
        };
    }
    if let Some(size) = name.strip_prefix("Point") {
        return of(Family::Point, vec![Some(digit(size)?)]);
    }
    if let Some(size) = name.strip_prefix("UnitVector") {
        return of(Family::UnitVector, vec![Some(digit(size)?)]);
    }
    let (family, dims) = match name {
        "Quaternion" => (Family::Quaternion, vec![Some(4)]),
        "UnitComplex" => (Family::UnitComplex, vec![Some(2)]),
        "UnitQuaternion" => (Family::UnitQuaternion, vec![Some(4)]),
        "Rotation" => (Family::Rotation, vec![None]),
        "Translation" => (Family::Translation, vec![None]),
        "Rotation2" => (Family::Rotation, vec![Some(2)]),
        "Rotation3" => (Family::Rotation, vec![Some(3)]),
        "Translation2" => (Family::Translation, vec![Some(2)]),
        "Translation3" => (Family::Translation, vec![Some(3)]),
        "Isometry2" => (Family::Isometry, vec![Some(2)]),
        "Isometry3" => (Family::Isometry, vec![Some(3)]),
        _ => return None,
    };
    of(family, dims)
}

/// The name of a type with sizes of run time.
pub(super) fn dynamic_name(dims: &[usize]) -> &'static str {
    match dims {
        [_, 1] => "DVector",
        [1, _] => "RowDVector",
        _ => "DMatrix",
    }
}

/// As people call the type.
pub(super) fn name(of: &Instance) -> String {
    match (of.family, &of.dims[..]) {
        (Family::Point, [size]) => format!("Point{size}"),
        (_, [rows, 1]) => format!("Vector{rows}"),
        (_, [1, columns]) => format!("RowVector{columns}"),
        (_, [rows, columns]) if rows == columns => format!("Matrix{rows}"),
        (_, dims) => format!("Matrix{}x{}", dims[0], dims.get(1).unwrap_or(&1)),
    }
}

/// What to pass in place of a type whose size is known at run time, or that `has_open_size` between its brackets.
pub(super) fn of_open_size(name: &str, has_open_size: bool) -> Option<&'static str> {
    Some(match name {
        "OVector" if has_open_size => "write `nalgebra::DVector<f64>`",
        "OMatrix" if has_open_size => "write `nalgebra::DMatrix<f64>`",
        "DVectorView" | "DVectorSlice" => "pass its numbers, `x: &[f64]`, and call with `v.as_slice()`",
        "DMatrixView" | "DMatrixSlice" | "MatrixXx1" => {
            "pass its numbers, `x: &[f64]`, column by column, `x[i + j * rows]`, and call with `m.as_slice()`"
        }
        _ => return None,
    })
}
