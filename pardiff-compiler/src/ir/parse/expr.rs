//! Expressions: first their shape, then their types, which flow down from the surroundings and, where these say
//! nothing, up from what is declared. The rules are those by which the printer leaves suffixes out.

use super::ParseError;
use super::lexer::TokenKind;
use super::program::{Meaning, Reader};
use crate::ir::print::{first_operand, operand, strength};
use crate::ir::{BinOp, Expr, ExprKind, Flavour, Float, Func, Place, Ty, UnOp};

/// The shape of an expression.
struct Shape {
    kind: ShapeKind,
    /// The token where it begins, for errors.
    token: usize,
}

enum ShapeKind {
    Float(String, Option<Ty>),
    Int(String, Option<Ty>),
    Bool(bool),
    /// A path, an iterator, or a load.
    Name(String, Option<Vec<Shape>>),
    Extent(String, usize),
    Unary(UnOp, Box<Shape>),
    Binary(BinOp, Box<Shape>, Box<Shape>),
    Call(Func, Flavour, Vec<Shape>),
    Apply(String, Vec<Shape>),
    Cast(Box<Shape>, Ty),
    Select(Box<[Shape; 3]>),
}

const OPERATORS: [BinOp; 16] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Rem,
    BinOp::BitAnd,
    BinOp::BitOr,
    BinOp::BitXor,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Eq,
    BinOp::Ne,
    BinOp::Lt,
    BinOp::Le,
    BinOp::Gt,
    BinOp::Ge,
];

impl Reader {
    /// An expression where a value of type `expected` belongs; any expression in the first reading.
    pub(super) fn expr(&mut self, expected: Option<Ty>) -> Result<Expr, ParseError> {
        let shape = self.shape(0)?;
        if !self.second {
            return Ok(Expr::bool(false));
        }
        self.elaborate(&shape, expected)
    }

    /// An element.
    pub(super) fn place(&mut self) -> Result<Place, ParseError> {
        let buffer = self.buffer_name()?;
        let mut index = Vec::new();
        if self.eat_punct("[") {
            index = self.list("]", |reader| reader.expr(Some(Ty::USIZE)))?;
        }
        Ok(Place { buffer, index })
    }

    /// An expression of operators that bind at least as strongly as `least`.
    fn shape(&mut self, least: u8) -> Result<Shape, ParseError> {
        let token = self.token;
        let mut left = self.cast()?;
        let mut compared = false;
        while let Some(op) = OPERATORS.into_iter().find(|op| self.is_punct(op.symbol())) {
            let own = strength::of(op);
            if own < least {
                break;
            }
            if compared && op.is_comparison() {
                return Err(self.error("comparisons do not chain"));
            }
            compared = op.is_comparison();
            self.token += 1;
            let right = self.shape(own + 1)?;
            left = Shape { kind: ShapeKind::Binary(op, Box::new(left), Box::new(right)), token };
        }
        Ok(left)
    }

    fn cast(&mut self) -> Result<Shape, ParseError> {
        let token = self.token;
        let mut operand = self.unary()?;
        while self.eat_word("as") {
            operand = Shape { kind: ShapeKind::Cast(Box::new(operand), self.ty()?), token };
        }
        Ok(operand)
    }

    fn unary(&mut self) -> Result<Shape, ParseError> {
        let token = self.token;
        let op = if self.eat_punct("-") {
            let literal = self.peek().filter(|token| token.joined).map(|token| &token.kind);
            if let Some(TokenKind::Int(..) | TokenKind::Float(..)) = literal {
                return self.literal("-");
            }
            UnOp::Neg
        } else if self.eat_punct("!") {
            UnOp::Not
        } else {
            return self.atom();
        };
        Ok(Shape { kind: ShapeKind::Unary(op, Box::new(self.unary()?)), token })
    }

    fn literal(&mut self, sign: &str) -> Result<Shape, ParseError> {
        let token = self.token;
        let (digits, suffix, is_float) = match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Int(digits, suffix)) => (digits, suffix, false),
            Some(TokenKind::Float(digits, suffix)) => (digits, suffix, true),
            _ => return Err(self.error("an expression is expected")),
        };
        let text = format!("{sign}{digits}");
        let ty = if suffix.is_empty() { None } else { Ty::from_name(suffix) };
        if ty.is_none() && !suffix.is_empty() {
            return Err(self.error(format!("`{suffix}` is no type")));
        }
        self.token += 1;
        let kind = if is_float { ShapeKind::Float(text, ty) } else { ShapeKind::Int(text, ty) };
        Ok(Shape { kind, token })
    }

    fn atom(&mut self) -> Result<Shape, ParseError> {
        let token = self.token;
        if self.eat_punct("(") {
            let inner = self.shape(0)?;
            self.punct(")")?;
            return Ok(inner);
        }
        let Some(TokenKind::Name(name)) = self.peek().map(|token| token.kind.clone()) else {
            return self.literal("");
        };
        self.token += 1;
        let kind = if self.is_punct("(") {
            self.function(&name, token)?
        } else if let Some(constant) = name.split_once("::").and_then(|(ty, name)| special(ty, name)) {
            constant
        } else if name == "true" || name == "false" {
            ShapeKind::Bool(name == "true")
        } else {
            let index =
                if self.eat_punct("[") { Some(self.list("]", |reader| reader.shape(0))?) } else { None };
            ShapeKind::Name(name, index)
        };
        Ok(Shape { kind, token })
    }

    /// What stands before a `(`.
    fn function(&mut self, name: &str, token: usize) -> Result<ShapeKind, ParseError> {
        self.punct("(")?;
        if name == "len" {
            let buffer = self.name()?;
            let dim = if self.eat_punct(",") { self.number()? } else { 0 };
            self.punct(")")?;
            return Ok(ShapeKind::Extent(buffer, dim));
        }
        if name == "apply" {
            let function = self.name()?;
            let args = match self.eat_punct(",") {
                true => self.list(")", |reader| reader.shape(0))?,
                false => {
                    self.punct(")")?;
                    Vec::new()
                }
            };
            return Ok(ShapeKind::Apply(function, args));
        }
        let args = self.list(")", |reader| reader.shape(0))?;
        if name == "select" {
            let parts: Result<[Shape; 3], _> = args.try_into();
            return match parts {
                Ok(parts) => Ok(ShapeKind::Select(Box::new(parts))),
                Err(_) => Err(self.error_at(token, "`select` has three operands")),
            };
        }
        let (flavour, plain) = match name.strip_prefix("poly::") {
            Some(plain) => (Flavour::Polynomial, plain),
            None => (Flavour::Std, name),
        };
        match Func::from_name(plain) {
            Some(func) if func.arity() == args.len() => Ok(ShapeKind::Call(func, flavour, args)),
            Some(func) => Err(self.error_at(token, format!("`{plain}` has {} operands", func.arity()))),
            None => Err(self.error_at(token, format!("there is no function `{plain}`"))),
        }
    }

    fn error_at(&self, token: usize, message: impl Into<String>) -> ParseError {
        let mut error = self.error(message);
        if let Some(token) = self.lines.get(self.line).and_then(|line| line.tokens.get(token)) {
            (error.line, error.column) = (token.line, token.column);
        }
        error
    }

    fn elaborate(&self, shape: &Shape, expected: Option<Ty>) -> Result<Expr, ParseError> {
        let error = |message: String| Err(self.error_at(shape.token, message));
        Ok(match &shape.kind {
            ShapeKind::Float(text, suffix) => {
                let ty = suffix.or(expected).unwrap_or(Ty::F64);
                let value = match ty {
                    Ty::Float(Float::F32) => text.parse::<f32>().map(f64::from),
                    Ty::Float(Float::F64) => text.parse::<f64>(),
                    _ => return error(format!("a float is no {ty}")),
                };
                match value {
                    Ok(value) => Expr { ty, kind: ExprKind::Float(value) },
                    Err(_) => return error(format!("`{text}` is no float")),
                }
            }
            ShapeKind::Int(text, suffix) => {
                let ty = suffix.or(expected).unwrap_or(Ty::USIZE);
                if !ty.is_int() {
                    return error(format!("an integer is no {ty}"));
                }
                match text.parse() {
                    Ok(value) => Expr { ty, kind: ExprKind::Int(value) },
                    Err(_) => return error(format!("`{text}` is too large")),
                }
            }
            ShapeKind::Bool(value) => Expr::bool(*value),
            ShapeKind::Name(name, index) => match (self.names.get(name), index) {
                (Some(Meaning::Opaque(id)), None) => {
                    Expr { ty: self.program[*id].ty, kind: ExprKind::Opaque(*id) }
                }
                (Some(Meaning::Iter(id)), None) => Expr::iter(*id, self.program[*id].ty),
                (Some(Meaning::Buffer(id)), index) => {
                    let index = index.iter().flatten().map(|index| self.elaborate(index, Some(Ty::USIZE)));
                    Place::new(*id, index.collect::<Result<_, _>>()?).load(self.program[*id].elem)
                }
                (Some(_), Some(_)) => return error(format!("`{name}` has no elements")),
                (None, _) => return error(format!("there is no `{name}`")),
            },
            ShapeKind::Extent(name, dim) => match self.names.get(name) {
                Some(Meaning::Buffer(id)) => Expr::extent(*id, *dim),
                _ => return error(format!("there is no buffer `{name}`")),
            },
            ShapeKind::Unary(op, operand) => Expr::unary(*op, self.elaborate(operand, expected)?),
            ShapeKind::Binary(op, lhs, rhs) => {
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                let expected = if op.is_comparison() { None } else { expected };
                let left =
                    expected.or_else(|| self.visible(lhs)).or_else(|| self.visible(rhs).filter(|_| !shift));
                let right = if shift { None } else { left };
                Expr::binary(*op, self.elaborate(lhs, left)?, self.elaborate(rhs, right)?)
            }
            ShapeKind::Call(func, flavour, args) => {
                let first = first_operand(*func, expected, args, |arg| self.visible(arg));
                let args = args.iter().enumerate();
                let args = args.map(|(k, arg)| self.elaborate(arg, operand(*func, k, first)));
                let args: Vec<Expr> = args.collect::<Result<_, _>>()?;
                let ty = func.result_ty(args.first().map_or(Ty::F64, |arg| arg.ty));
                Expr { ty, kind: ExprKind::Call(*func, *flavour, args) }
            }
            ShapeKind::Apply(name, args) => match self.names.get(name) {
                Some(Meaning::Opaque(id)) => {
                    let args = args.iter().map(|arg| self.elaborate(arg, None));
                    let kind = ExprKind::Apply(*id, args.collect::<Result<_, _>>()?);
                    Expr { ty: self.program[*id].ty, kind }
                }
                _ => return error(format!("there is no function `{name}`")),
            },
            ShapeKind::Cast(operand, ty) => self.elaborate(operand, None)?.cast(*ty),
            ShapeKind::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let expected = expected.or_else(|| self.visible(yes)).or_else(|| self.visible(no));
                let cond = self.elaborate(cond, Some(Ty::Bool))?;
                Expr::select(cond, self.elaborate(yes, expected)?, self.elaborate(no, expected)?)
            }
        })
    }

    /// The type that an expression shows by itself.
    fn visible(&self, shape: &Shape) -> Option<Ty> {
        match &shape.kind {
            ShapeKind::Float(_, suffix) | ShapeKind::Int(_, suffix) => *suffix,
            ShapeKind::Bool(_) => Some(Ty::Bool),
            ShapeKind::Name(name, _) => self.names.get(name).map(|meaning| match meaning {
                Meaning::Buffer(id) => self.program[*id].elem,
                Meaning::Iter(id) => self.program[*id].ty,
                Meaning::Opaque(id) => self.program[*id].ty,
            }),
            ShapeKind::Extent(..) => Some(Ty::USIZE),
            ShapeKind::Unary(_, operand) => self.visible(operand),
            ShapeKind::Binary(op, ..) if op.is_comparison() => Some(Ty::Bool),
            ShapeKind::Binary(BinOp::Shl | BinOp::Shr, lhs, _) => self.visible(lhs),
            ShapeKind::Binary(_, lhs, rhs) => self.visible(lhs).or_else(|| self.visible(rhs)),
            ShapeKind::Call(func, _, args) => func.fixed_result_ty().or_else(|| {
                first_operand(*func, None, args, |arg| self.visible(arg)).map(|first| func.result_ty(first))
            }),
            ShapeKind::Apply(name, _) => match self.names.get(name) {
                Some(Meaning::Opaque(id)) => Some(self.program[*id].ty),
                _ => None,
            },
            ShapeKind::Cast(_, ty) => Some(*ty),
            ShapeKind::Select(parts) => self.visible(&parts[1]).or_else(|| self.visible(&parts[2])),
        }
    }
}

/// A float that has no digits.
fn special(ty: &str, name: &str) -> Option<ShapeKind> {
    let text = match name {
        "NAN" => "NaN",
        "INFINITY" => "inf",
        "NEG_INFINITY" => "-inf",
        _ => return None,
    };
    Some(ShapeKind::Float(text.to_owned(), Some(Ty::from_name(ty).filter(|ty| ty.is_float())?)))
}
