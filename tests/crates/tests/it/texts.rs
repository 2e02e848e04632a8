//! Each function of a text has a case.

const TEXTS: &str = "../../pardiff-compiler/src/frontend/known_crates/texts";

/// Functions that others are made of, and what stands for fields.
const INNER: [&str; 2] = ["of", "substituted"];

#[test]
fn every_function_of_a_text_has_a_case() {
    let of_nalgebra = concat!(include_str!("nalgebra_matrices.rs"), include_str!("nalgebra_vectors.rs"));
    let files = [
        ("complex", include_str!("complex.rs")),
        ("glam_vector", include_str!("glam_vectors.rs")),
        ("glam_matrix", include_str!("glam_matrices.rs")),
        ("glam_quaternion", include_str!("glam_quaternions.rs")),
        ("nalgebra_matrix", of_nalgebra),
        ("nalgebra_decompositions", of_nalgebra),
        ("nalgebra_point", concat!(include_str!("nalgebra_vectors.rs"), include_str!("nalgebra_motions.rs"))),
        ("nalgebra_quaternion", include_str!("nalgebra_motions.rs")),
        ("nalgebra_unit_quaternion", include_str!("nalgebra_motions.rs")),
        ("nalgebra_rotation", include_str!("nalgebra_motions.rs")),
        ("nalgebra_translation", include_str!("nalgebra_motions.rs")),
        ("nalgebra_isometry", include_str!("nalgebra_motions.rs")),
    ];
    let mut missing = Vec::new();
    for (file, cases) in files {
        let text = std::fs::read_to_string(format!("{TEXTS}/{file}.text")).expect("a text");
        let functions: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("    fn ")?.split(['(', '<']).next())
            .filter(|name| !INNER.contains(name))
            .collect();
        assert!(!functions.is_empty(), "{file}");
        for name in functions {
            // sizes are written between brackets
            let name = name.split("_K").next().unwrap_or(name);
            let called =
                [format!(".{name}("), format!("::{name}("), format!(".{name}::<"), format!(".{name} ")];
            let is_method = called.iter().any(|call| cases.contains(call));
            let is_field = cases.contains(&format!(".{name};")) || cases.contains(&format!(".{name})"));
            if !is_method && !is_field && !cases.contains(&format!("{name}!")) {
                missing.push(format!("{file}: {name}"));
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "no case calls {missing:#?}");
}
