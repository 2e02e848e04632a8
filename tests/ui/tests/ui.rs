//! Programs that must be refused, each with its exact message.

use std::path::Path;

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("refused/*.rs");
}

#[test]
fn the_readme_shows_the_program_that_is_tested() {
    let readme = include_str!("../../../README.md");
    let program = include_str!("../accepted/readme.rs").replace("pub fn main", "fn main");
    assert!(readme.contains(&program));
}

/// The messages are an interface: each of our errors says what to write instead.
#[test]
fn every_refusal_helps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("refused");
    let mut refusals = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of refusals") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let shown =
                std::fs::read_to_string(path.with_extension("stderr")).expect("a message for each program");
            let errors = shown.lines().filter(|line| line.starts_with("error: ")).count();
            let helps = shown.matches(" help: ").count();
            assert!(errors > 0 && helps >= errors, "{}: {errors} errors, {helps} helps", path.display());
            refusals += errors;
        }
    }
    assert!(refusals >= 30, "only {refusals} refusals are shown");
}

/// Each group of the language is shown by at least ten programs that are accepted, and by ten that are refused.
#[test]
fn every_group_is_shown() {
    let groups: [&[&str]; 4] =
        [&["iterator"], &["rayon"], &["loop", "while", "jump"], &["struct", "module", "tuple"]];
    for folder in ["accepted", "refused"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let names: Vec<String> = std::fs::read_dir(&folder)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".rs"))
            .collect();
        for group in groups {
            let shown = names.iter().filter(|name| group.iter().any(|word| name.contains(word))).count();
            assert!(shown >= 10, "only {shown} programs of {group:?} in {}", folder.display());
        }
    }
}
