//! Each function of a text has a case.

const TEXTS: &str = "../../pardiff-compiler/src/frontend/known_crates/texts";

/// Functions that others are made of, some by names that the crates have and advise against.
const INNER: [&str; 9] = [
    "of",
    "like",
    "is_alike",
    "replaced_by",
    "substituted",
    "from_coordinates",
    "from_vector",
    "translation_of",
    "point_of",
];

/// The names of the functions of types; operators have none.
fn functions(text: &str) -> Vec<&str> {
    let mut is_of_trait = false;
    let mut names = Vec::new();
    for line in text.lines() {
        if line.starts_with("impl ") {
            is_of_trait = line.contains(" for ");
        }
        if let Some(name) = line.strip_prefix("    fn ").filter(|_| !is_of_trait) {
            names.extend(name.split(['(', '<']).next());
        }
    }
    names
}

#[test]
fn every_function_of_a_text_has_a_case() {
    let of_nalgebra = concat!(
        include_str!("nalgebra_matrices.rs"),
        include_str!("nalgebra_vectors.rs"),
        include_str!("nalgebra_units.rs"),
        include_str!("nalgebra_sizes.rs")
    );
    let files = [
        ("complex", include_str!("complex.rs")),
        ("core_char", include_str!("standard_types.rs")),
        ("core_nonzero", include_str!("standard_types.rs")),
        ("glam_vector", include_str!("glam_vectors.rs")),
        ("glam_matrix", include_str!("glam_matrices.rs")),
        ("glam_quaternion", include_str!("glam_quaternions.rs")),
        ("nalgebra_matrix", of_nalgebra),
        ("nalgebra_matrix_functions", include_str!("nalgebra_functions.rs")),
        ("nalgebra_decompositions", of_nalgebra),
        ("nalgebra_dynamic", include_str!("nalgebra_dynamic.rs")),
        ("nalgebra_point", concat!(include_str!("nalgebra_vectors.rs"), include_str!("nalgebra_motions.rs"))),
        (
            "nalgebra_quaternion",
            concat!(include_str!("nalgebra_motions.rs"), include_str!("nalgebra_units.rs")),
        ),
        ("nalgebra_unit_quaternion", include_str!("nalgebra_motions.rs")),
        ("nalgebra_rotation", include_str!("nalgebra_motions.rs")),
        ("nalgebra_shapes", of_nalgebra),
        ("nalgebra_size", include_str!("nalgebra_sizes.rs")),
        ("nalgebra_translation", include_str!("nalgebra_motions.rs")),
        (
            "nalgebra_isometry",
            concat!(include_str!("nalgebra_motions.rs"), include_str!("nalgebra_units.rs")),
        ),
        ("nalgebra_unit_complex", include_str!("nalgebra_units.rs")),
        ("nalgebra_unit_vector", include_str!("nalgebra_units.rs")),
    ];
    let mut missing = Vec::new();
    for (file, cases) in files {
        let text = std::fs::read_to_string(format!("{TEXTS}/{file}.text")).expect("a text");
        let functions = functions(&text).into_iter().filter(|name| !INNER.contains(name)).collect::<Vec<_>>();
        assert!(!functions.is_empty(), "{file}");
        for name in functions {
            // sizes are written between brackets, those of members of matrices in the name
            let name = name.split("_K").next().unwrap_or(name).replace("mKL", "m12");
            // functions of `Unit` are methods of what it is around
            let name = name.strip_prefix("unit_").unwrap_or(&name);
            // what is written to a part
            let part = name.strip_prefix("set_").unwrap_or(name);
            let ways = [
                format!(".{part}_mut::<"),
                format!(".{name}("),
                format!("::{name}("),
                format!(".{name}::<"),
                format!(" {name},"),
                format!(".{name} "),
                format!(".{name};"),
                format!(".{name})"),
            ];
            if !ways.iter().any(|way| cases.contains(way)) {
                missing.push(format!("{file}: {name}"));
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "no case calls {missing:#?}");
}
