//! The table of the accepted language in `docs/language.md` is checked against the programs of this crate and of
//! the one for types of other crates: each word of code in it is used by one of them.

use std::fs;
use std::path::{Path, PathBuf};

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `word` stands in `text`, not as a part of a longer word.
fn is_used(word: &str, text: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    })
}

#[test]
fn every_word_of_the_table_is_used_by_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/language.md")).expect("the page");
    let (_, table) = page.split_once("# The language that is accepted").expect("the table");
    let (table, _) = table.split_once("Everything else is refused").expect("the end of the table");
    let files = ["tests/it", "tests/modes", "tests/checkpoints", "../crates/src", "../crates/tests/it"]
        .iter()
        .flat_map(|folder| {
            let entries = fs::read_dir(root.join(folder)).expect("the programs");
            entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<PathBuf>>()
        });
    let others = files.filter(|path| path.is_file() && !path.ends_with("accepted_language.rs"));
    let programs: String = others.map(|path| fs::read_to_string(path).expect("a program")).collect();
    let code = table.split('`').skip(1).step_by(2);
    let words: Vec<&str> =
        code.flat_map(|code| code.split(|c: char| !is_word(c))).filter(|word| word.len() > 2).collect();
    assert!(words.len() > 60, "the table names {} words", words.len());
    // `x` and `row_ptr` stand for any name
    let missing: Vec<&&str> =
        words.iter().filter(|word| !is_used(word, &programs) && !["row_ptr"].contains(*word)).collect();
    assert!(missing.is_empty(), "no program uses {missing:?}");
}
