//! The lexemes of a text, which is scanned as it is: most of it is never read as tokens.

/// The operators that assign, which are signs of their own.
pub(super) const ASSIGNING: [&str; 5] = ["+=", "-=", "*=", "/=", "%="];

/// Takes the first lexeme off a text: a name, a number, a string, a comment, a sign, one other character, or the spaces
/// up to the next of these.
pub(super) fn next<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let first = *rest.as_bytes().first()?;
    let length = match first {
        b' ' | b'\n' => end(rest, 0, |byte| matches!(byte, b' ' | b'\n')),
        b'"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
        b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        byte if is_of_word(byte) => word(rest, byte),
        _ if rest.starts_with("->") || ASSIGNING.iter().any(|sign| rest.starts_with(sign)) => 2,
        _ => 1,
    };
    let (lexeme, behind) = rest.split_at(length);
    *rest = behind;
    Some(lexeme)
}

/// Of names in other letters as well, whose bytes are not ASCII.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Where what goes on from a place ends.
fn end(text: &str, from: usize, goes_on: impl Fn(u8) -> bool) -> usize {
    let others = text.as_bytes().iter().skip(from).position(|byte| !goes_on(*byte));
    others.map_or(text.len(), |count| from + count)
}

/// How long the name or number at the beginning is; `1e-4` is one.
fn word(text: &str, first: u8) -> usize {
    let length = end(text, 0, is_of_word);
    let is_exponent =
        first.is_ascii_digit() && text[..length].ends_with('e') && text[length..].starts_with(['-', '+']);
    if is_exponent { end(text, length + 1, is_of_word) } else { length }
}

/// Whether a lexeme is a name, or a sign of operators.
pub(super) fn is_word(lexeme: &str) -> bool {
    lexeme.starts_with(|c: char| c.is_alphabetic() || c == '_')
        || matches!(lexeme, "+" | "-" | "*" | "/" | "%" | "=" | "<" | ">" | "!" | "&" | "|" | "^")
        || ASSIGNING.contains(&lexeme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_lexemes() {
        let mut rest = "fn f(x: T) -> T { x *= 2e-4 - 1.5  } // of `x`\n\"a + b\"é";
        let mut found = Vec::new();
        while let Some(lexeme) = next(&mut rest) {
            found.extend(Some(lexeme).filter(|lexeme| !lexeme.trim().is_empty()));
        }
        let expected = [
            "fn",
            "f",
            "(",
            "x",
            ":",
            "T",
            ")",
            "->",
            "T",
            "{",
            "x",
            "*=",
            "2e-4",
            "-",
            "1",
            ".",
            "5",
            "}",
            "// of `x`",
            "\"a + b\"",
            "é",
        ];
        assert_eq!(found, expected);
        assert_eq!(
            found.into_iter().filter(|lexeme| is_word(lexeme)).collect::<Vec<_>>(),
            ["fn", "f", "x", "T", "T", "x", "*=", "-", "é"]
        );
    }
}
