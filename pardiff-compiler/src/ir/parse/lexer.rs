//! Text to lines of tokens.

use super::ParseError;

/// A token and the column where it begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) line: usize,
    pub(super) column: usize,
    /// Whether it follows the token before it without a space.
    pub(super) joined: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TokenKind {
    /// A name, with the number that makes it unique: `t`, `t.2`, `int::min`.
    Name(String),
    /// Digits, and the suffix.
    Int(String, String),
    /// Digits with a point or exponent, and the suffix.
    Float(String, String),
    /// A string, unescaped.
    Text(String),
    /// Anything else.
    Punct(&'static str),
}

/// A line, joined with those that continue it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    /// In steps of two columns from the first line.
    pub(super) depth: usize,
    pub(super) tokens: Vec<Token>,
    pub(super) number: usize,
    /// The column after the last token.
    pub(super) end: usize,
}

/// Longest first.
const PUNCTUATION: &[&str] = &[
    "..=", "..", "->", "<<", ">>", "==", "!=", "<=", ">=", "+=", "(", ")", "[", "]", ",", ":", "+", "-", "*",
    "/", "%", "&", "|", "^", "<", ">", "=", "!", "@", "#",
];

/// The lines that are not empty.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, ParseError> {
    let mut out: Vec<Line> = Vec::new();
    let mut margin = None;
    let mut continues = false;
    for (k, line) in text.lines().enumerate() {
        let number = k + 1;
        let chars: Vec<char> = line.chars().collect();
        let indent = chars.iter().take_while(|c| **c == ' ').count();
        let mut lexer = Lexer { chars, at: indent, line: number };
        let tokens = lexer.tokens()?;
        let Some(last) = tokens.last() else { continue };
        let comma = last.kind == TokenKind::Punct(",");
        let end = lexer.at + 1;
        if continues && let Some(line) = out.last_mut() {
            line.tokens.extend(tokens);
            line.end = end;
        } else {
            let margin = *margin.get_or_insert(indent);
            if indent < margin || !(indent - margin).is_multiple_of(2) {
                return Err(ParseError::new(number, indent + 1, "indentation is two spaces a level"));
            }
            out.push(Line { depth: (indent - margin) / 2, tokens, number, end });
        }
        continues = comma;
    }
    Ok(out)
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn error(&self, message: &str) -> ParseError {
        ParseError::new(self.line, self.at + 1, message)
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.at < self.chars.len() && wanted(self.chars[self.at]) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    fn tokens(&mut self) -> Result<Vec<Token>, ParseError> {
        let mut tokens = Vec::new();
        loop {
            let spaces = self.take(|c| c == ' ').len();
            if self.at >= self.chars.len() || (self.peek(0) == '/' && self.peek(1) == '/') {
                return Ok(tokens);
            }
            let column = self.at + 1;
            let kind = self.token()?;
            tokens.push(Token { kind, line: self.line, column, joined: spaces == 0 });
        }
    }

    fn token(&mut self) -> Result<TokenKind, ParseError> {
        let first = self.peek(0);
        if first == '"' {
            return self.text().map(TokenKind::Text);
        }
        if first.is_ascii_digit() {
            return Ok(self.number());
        }
        if is_word(first) {
            return Ok(TokenKind::Name(self.name()));
        }
        let rest: String = self.chars[self.at..self.chars.len().min(self.at + 3)].iter().collect();
        match PUNCTUATION.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(TokenKind::Punct(symbol))
            }
            None => Err(self.error(&format!("`{first}` has no meaning here"))),
        }
    }

    fn name(&mut self) -> String {
        let mut name = self.take(is_word);
        while self.peek(0) == ':' && self.peek(1) == ':' && is_word(self.peek(2)) {
            self.at += 2;
            name += "::";
            name += &self.take(is_word);
        }
        if self.peek(0) == '.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            name.push('.');
            name += &self.take(|c| c.is_ascii_digit());
        }
        name
    }

    fn number(&mut self) -> TokenKind {
        let mut digits = self.take(|c| c.is_ascii_digit());
        let mut float = false;
        if self.peek(0) == '.' && self.peek(1).is_ascii_digit() {
            float = true;
            self.at += 1;
            digits.push('.');
            digits += &self.take(|c| c.is_ascii_digit());
        }
        let sign = usize::from(matches!(self.peek(1), '-' | '+'));
        if self.peek(0) == 'e' && self.peek(1 + sign).is_ascii_digit() {
            float = true;
            digits.extend(&self.chars[self.at..=self.at + sign]);
            self.at += 1 + sign;
            digits += &self.take(|c| c.is_ascii_digit());
        }
        let suffix = self.take(is_word);
        if float || suffix == "f32" || suffix == "f64" {
            TokenKind::Float(digits, suffix)
        } else {
            TokenKind::Int(digits, suffix)
        }
    }

    /// A string as `{:?}` writes it.
    fn text(&mut self) -> Result<String, ParseError> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let c = self.peek(0);
            if self.at >= self.chars.len() {
                return Err(self.error("the string does not end"));
            }
            self.at += 1;
            match c {
                '"' => return Ok(out),
                '\\' => {
                    let c = self.peek(0);
                    self.at += 1;
                    out.push(match c {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '0' => '\0',
                        'u' => {
                            self.at += 1;
                            let digits = self.take(|c| c.is_ascii_hexdigit());
                            self.at += 1;
                            let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                            code.ok_or_else(|| self.error("no such character"))?
                        }
                        other => other,
                    });
                }
                c => out.push(c),
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
