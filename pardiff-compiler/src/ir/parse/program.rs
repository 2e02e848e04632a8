//! The whole program: declarations, and the reader that walks over lines and tokens.
//!
//! The text is read twice, by the same code: first for the declarations, since a role or an extent may mention
//! what is declared further down, then with all names known.

use super::ParseError;
use super::lexer::{Line, Token, TokenKind, lines};
use crate::ir::{
    Buffer, BufferId, Expr, Iter, IterId, Layout, Opaque, OpaqueId, Phase, Program, Role, Space, Ty,
};
use proc_macro2::Span;
use std::collections::HashMap;

/// What a name means.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Meaning {
    Buffer(BufferId),
    Iter(IterId),
    Opaque(OpaqueId),
}

/// Reads tokens in order.
pub(super) struct Reader {
    pub(super) lines: Vec<Line>,
    /// The line, and the token in it.
    pub(super) line: usize,
    pub(super) token: usize,
    pub(super) program: Program,
    pub(super) names: HashMap<String, Meaning>,
    /// Names declared in this reading.
    declared: HashMap<String, Meaning>,
    /// Whether all names are known.
    pub(super) second: bool,
}

pub(super) fn parse(text: &str) -> Result<Program, ParseError> {
    let mut reader = Reader {
        lines: lines(text)?,
        line: 0,
        token: 0,
        program: Program::new("", Span::call_site()),
        names: HashMap::new(),
        declared: HashMap::new(),
        second: false,
    };
    reader.program()?;
    let names = std::mem::take(&mut reader.declared);
    let first = std::mem::replace(&mut reader.program, Program::new("", Span::call_site()));
    (reader.line, reader.token, reader.names, reader.second) = (0, 0, names, true);
    // the types of what is declared further down
    reader.program.buffers = first.buffers;
    reader.program.iters = first.iters;
    reader.program.opaques = first.opaques;
    reader.program()?;
    Ok(reader.program)
}

impl Reader {
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        match self.lines.get(self.line) {
            Some(line) => match line.tokens.get(self.token) {
                Some(token) => ParseError::new(token.line, token.column, message),
                None => {
                    ParseError::new(line.tokens.last().map_or(line.number, |t| t.line), line.end, message)
                }
            },
            None => ParseError::new(self.lines.last().map_or(1, |line| line.number + 1), 1, message),
        }
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.lines.get(self.line)?.tokens.get(self.token)
    }

    pub(super) fn is_punct(&self, symbol: &str) -> bool {
        matches!(self.peek(), Some(Token { kind: TokenKind::Punct(punct), .. }) if *punct == symbol)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token { kind: TokenKind::Name(name), .. }) if name == word)
    }

    pub(super) fn eat_punct(&mut self, symbol: &str) -> bool {
        let is = self.is_punct(symbol);
        self.token += usize::from(is);
        is
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.token += usize::from(is);
        is
    }

    pub(super) fn punct(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.eat_punct(symbol) { Ok(()) } else { Err(self.error(format!("`{symbol}` is expected"))) }
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.error(format!("`{word}` is expected"))) }
    }

    pub(super) fn name(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Some(Token { kind: TokenKind::Name(name), .. }) => {
                let name = name.clone();
                self.token += 1;
                Ok(name)
            }
            _ => Err(self.error("a name is expected")),
        }
    }

    pub(super) fn string(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Some(Token { kind: TokenKind::Text(text), .. }) => {
                let text = text.clone();
                self.token += 1;
                Ok(text)
            }
            _ => Err(self.error("a string is expected")),
        }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, ParseError> {
        let number = match self.peek() {
            Some(Token { kind: TokenKind::Int(digits, suffix), .. }) if suffix.is_empty() => {
                digits.parse().ok()
            }
            _ => None,
        };
        let number = number.ok_or_else(|| self.error("a number is expected"))?;
        self.token += 1;
        Ok(number)
    }

    fn signed(&mut self) -> Result<i128, ParseError> {
        let sign = if self.eat_punct("-") { -1 } else { 1 };
        Ok(sign * self.number::<i128>()?)
    }

    pub(super) fn ty(&mut self) -> Result<Ty, ParseError> {
        let ty = match self.peek() {
            Some(Token { kind: TokenKind::Name(name), .. }) => Ty::from_name(name),
            _ => None,
        };
        let ty = ty.ok_or_else(|| self.error("a type is expected"))?;
        self.token += 1;
        Ok(ty)
    }

    /// Items separated by commas up to `end`, which is read as well.
    pub(super) fn list<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Reader) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        while !self.eat_punct(end) {
            if !items.is_empty() {
                self.punct(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Items separated by commas up to the end of the line.
    pub(super) fn rest<T>(
        &mut self,
        mut item: impl FnMut(&mut Reader) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = vec![item(self)?];
        while self.eat_punct(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn end_of_line(&mut self) -> Result<(), ParseError> {
        if self.peek().is_some() {
            return Err(self.error("the line is expected to end"));
        }
        self.line += 1;
        self.token = 0;
        Ok(())
    }

    fn program(&mut self) -> Result<(), ParseError> {
        self.word("fn")?;
        self.program.name = self.name()?;
        self.punct("(")?;
        self.program.params = self.list(")", |reader| reader.buffer(None))?;
        if self.eat_punct("->") {
            self.program.results = self.rest(|reader| reader.buffer(Some(Role::Output)))?;
        }
        self.end_of_line()?;
        while self.lines.get(self.line).is_some_and(|line| line.depth == 1) && self.header_line()? {}
        self.program.body = self.block(1, Phase::Primal)?;
        match self.lines.get(self.line) {
            Some(_) => Err(self.error("the indentation fits no statement above")),
            None => Ok(()),
        }
    }

    /// `table`, `buffer` or `opaque`.
    fn header_line(&mut self) -> Result<bool, ParseError> {
        if self.eat_word("table") {
            let id = self.buffer(Some(Role::Local))?;
            self.punct("=")?;
            let text = self.string()?;
            let name = format!("table {}", id.0);
            let opaque = self.opaque(name, text, self.program[id].elem)?;
            self.program[id].role = Role::Table(opaque);
            if self.eat_word("of") {
                let least = self.signed()?;
                self.punct("..=")?;
                self.program.opaques[opaque.0 as usize].range = Some((least, self.signed()?));
            }
        } else if self.eat_word("buffer") {
            self.buffer(Some(Role::Local))?;
        } else if self.eat_word("opaque") {
            let name = self.name()?;
            self.punct(":")?;
            let ty = self.ty()?;
            self.punct("=")?;
            let text = self.string()?;
            self.opaque(name, text, ty)?;
        } else {
            return Ok(false);
        }
        self.end_of_line()?;
        Ok(true)
    }

    fn opaque(&mut self, name: String, text: String, ty: Ty) -> Result<OpaqueId, ParseError> {
        let tokens = text.parse().map_err(|_| self.error(format!("`{text}` is no Rust")))?;
        let known = self.names.get(&name).copied();
        let id = match known {
            Some(Meaning::Opaque(id)) => id,
            _ => self.program.add_opaque(Opaque { text, tokens, ty, range: None }),
        };
        self.declare(name, Meaning::Opaque(id))?;
        Ok(id)
    }

    pub(super) fn iter(&mut self, name: String, ty: Ty) -> Result<IterId, ParseError> {
        let known = self.names.get(&name).copied();
        let id = match known {
            Some(Meaning::Iter(id)) => id,
            _ => {
                self.program.iters.push(Iter { name: base(&name), ty });
                IterId(self.program.iters.len() as u32 - 1)
            }
        };
        self.declare(name, Meaning::Iter(id))?;
        Ok(id)
    }

    fn declare(&mut self, name: String, meaning: Meaning) -> Result<(), ParseError> {
        if self.declared.contains_key(&name) {
            return Err(self.error(format!("`{name}` is declared twice")));
        }
        self.declared.insert(name, meaning);
        Ok(())
    }

    /// A buffer by its name; any id in the first reading.
    pub(super) fn buffer_name(&mut self) -> Result<BufferId, ParseError> {
        let before = self.token;
        let name = self.name()?;
        match self.names.get(&name) {
            Some(Meaning::Buffer(id)) => Ok(*id),
            _ if !self.second => Ok(BufferId(0)),
            _ => {
                self.token = before;
                Err(self.error(format!("there is no buffer `{name}`")))
            }
        }
    }

    /// `name: role elem[extents] layout space`
    pub(super) fn buffer(&mut self, usual: Option<Role>) -> Result<BufferId, ParseError> {
        let name = self.name()?;
        let id = match self.names.get(&name) {
            Some(Meaning::Buffer(id)) => *id,
            _ => BufferId(self.program.buffers.len() as u32),
        };
        self.declare(name.clone(), Meaning::Buffer(id))?;
        self.punct(":")?;
        let role = self.role(usual)?;
        let elem = self.ty()?;
        let mut dims = Vec::new();
        if self.eat_punct("[") {
            dims = self.list("]", |reader| {
                if reader.eat_word("_") { Ok(None) } else { reader.expr(Some(Ty::USIZE)).map(Some) }
            })?;
        }
        let dims = dims.into_iter().enumerate().map(|(k, dim)| dim.unwrap_or_else(|| Expr::extent(id, k)));
        let mut buffer = Buffer::new(&base(&name), elem, dims.collect(), role);
        buffer.layout = self.layout()?;
        buffer.space = self.space();
        if self.second {
            self.program[id] = buffer;
        } else {
            self.program.buffers.push(buffer);
        }
        Ok(id)
    }

    fn role(&mut self, usual: Option<Role>) -> Result<Role, ParseError> {
        let simple = [
            ("in", Role::Input),
            ("out", Role::Output),
            ("inout", Role::InOut),
            ("local", Role::Local),
            ("wire", Role::Wire),
            ("tape", Role::Tape),
            ("tile", Role::Tile),
        ];
        for (word, role) in simple {
            if self.eat_word(word) {
                return Ok(role);
            }
        }
        for word in ["adjoint", "tangent"] {
            if self.eat_word(word) {
                self.punct("(")?;
                let of = self.buffer_name()?;
                self.punct(")")?;
                return Ok(if word == "adjoint" { Role::Adjoint(of) } else { Role::Tangent(of) });
            }
        }
        usual.ok_or_else(|| self.error("a role is expected"))
    }

    fn layout(&mut self) -> Result<Layout, ParseError> {
        let layout = if self.eat_word("padded") {
            self.punct("(")?;
            let multiple = self.number()?;
            self.punct(")")?;
            Layout::Padded(multiple)
        } else if self.eat_word("triangular") {
            Layout::PackedTriangular
        } else if self.eat_word("growing") {
            Layout::Growing
        } else if self.eat_word("reached") {
            Layout::Reserved
        } else {
            Layout::RowMajor
        };
        Ok(layout)
    }

    fn space(&mut self) -> Space {
        if self.eat_word("thread") {
            Space::Thread
        } else if self.eat_word("shared") {
            Space::Shared
        } else if self.eat_word("host") {
            Space::Host
        } else {
            Space::Global
        }
    }
}

/// The name without the number that makes it unique.
fn base(name: &str) -> String {
    name.split('.').next().unwrap_or(name).to_owned()
}
