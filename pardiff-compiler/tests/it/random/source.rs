//! Programs as Rust source.

use super::program::{
    Chain, Const, Expr, Function, Kind, Param, Place, Program, Range, Shape, Start, Stmt, Tail, Ty,
};
use std::fmt::Write;

impl Program {
    /// The function as the user would write it, consts and helpers in its body.
    pub fn source(&self) -> String {
        let mut inner = String::new();
        for constant in &self.consts {
            let _ = writeln!(inner, "    {}", constant.source());
        }
        for helper in &self.helpers {
            inner += &helper.source(1, "");
        }
        self.main.source(0, &inner)
    }
}

impl Const {
    fn source(&self) -> String {
        let value = |value: &f64| literal(self.ty, *value);
        let (name, ty) = (&self.name, self.ty.name());
        if self.table {
            let list: Vec<String> = self.values.iter().map(value).collect();
            format!("const {name}: [{ty}; {}] = [{}];", list.len(), list.join(", "))
        } else {
            format!("const {name}: {ty} = {};", value(&self.values[0]))
        }
    }
}

fn literal(ty: Ty, value: f64) -> String {
    if ty.is_float() { float(value) } else { format!("{}", value as i64) }
}

impl Function {
    fn source(&self, level: usize, inner: &str) -> String {
        let pad = "    ".repeat(level);
        let params: Vec<String> = self.params.iter().map(Param::source).collect();
        let generic = self.generic.as_ref().map_or(String::new(), |name| format!("<const {name}: usize>"));
        let result = match &self.result {
            Tail::Unit => String::new(),
            Tail::Value(value) => format!(" -> {}", value.ty.name()),
            Tail::Tuple(values) => {
                let types: Vec<&str> = values.iter().map(|value| value.ty.name()).collect();
                format!(" -> ({})", types.join(", "))
            }
            Tail::Array(_, ty, len) => format!(" -> [{}; {len}]", ty.name()),
        };
        let vis = if level == 0 { "pub " } else { "" };
        let mut out =
            format!("{pad}{vis}fn {}{generic}({}){result} {{\n{inner}", self.name, params.join(", "));
        block(&mut out, &self.body, level + 1);
        match &self.result {
            Tail::Unit => {}
            Tail::Value(value) => {
                let _ = writeln!(out, "{pad}    {}", value.source());
            }
            Tail::Tuple(values) => {
                let _ = writeln!(out, "{pad}    ({})", list(values));
            }
            Tail::Array(name, ..) => {
                let _ = writeln!(out, "{pad}    {name}");
            }
        }
        let _ = writeln!(out, "{pad}}}");
        out
    }
}

impl Param {
    fn source(&self) -> String {
        let (name, ty) = (&self.name, self.ty.name());
        let reference = if self.mutable { "&mut " } else { "&" };
        match &self.shape {
            Shape::Scalar if self.mutable => format!("mut {name}: {ty}"),
            Shape::Scalar => format!("{name}: {ty}"),
            Shape::ScalarRef => format!("{name}: &mut {ty}"),
            Shape::Slice => format!("{name}: {reference}[{ty}]"),
            Shape::Rows(inner) => format!("{name}: {reference}[[{ty}; {inner}]]"),
            Shape::Array(dims) => {
                let array = dims.iter().rev().fold(ty.to_owned(), |array, dim| format!("[{array}; {dim}]"));
                format!("{name}: {reference}{array}")
            }
        }
    }
}

fn block(out: &mut String, stmts: &[Stmt], level: usize) {
    for stmt in stmts {
        stmt.print(out, level);
    }
}

fn braces(out: &mut String, stmts: &[Stmt], level: usize) {
    *out += "{\n";
    block(out, stmts, level + 1);
    let _ = write!(out, "{}}}", "    ".repeat(level));
}

impl Stmt {
    fn print(&self, out: &mut String, level: usize) {
        let pad = "    ".repeat(level);
        *out += &pad;
        let mark = |mutable: bool| if mutable { "mut " } else { "" };
        match self {
            Stmt::Let { mutable, name, annotated, value } => {
                let ty = if *annotated { format!(": {}", value.ty.name()) } else { String::new() };
                let _ = writeln!(out, "let {}{name}{ty} = {};", mark(*mutable), value.source());
            }
            Stmt::LetTuple { names, values } => {
                let names: Vec<String> =
                    names.iter().map(|(mutable, name)| format!("{}{name}", mark(*mutable))).collect();
                let value = match &values[..] {
                    [call @ Expr { kind: Kind::Call(..), .. }] => call.source(),
                    _ => format!("({})", typed_list(values)),
                };
                let _ = writeln!(out, "let ({}) = {value};", names.join(", "));
            }
            Stmt::LetPair { mutable, name, values } => {
                let types: Vec<&str> = values.iter().map(|value| value.ty.name()).collect();
                let (types, values) = (types.join(", "), typed_list(values));
                let _ = writeln!(out, "let {}{name}: ({types}) = ({values});", mark(*mutable));
            }
            Stmt::LetArray { mutable, name, start } => {
                let (ty, value) = match start {
                    Start::Repeat(value, dims) => ("".to_owned(), repeat("", value, dims)),
                    Start::Vec(value, dims) => ("".to_owned(), repeat("vec!", value, dims)),
                    Start::List(values) => ("".to_owned(), format!("[{}]", typed_list(values))),
                    Start::ToVec(name) => ("".to_owned(), format!("{name}.to_vec()")),
                    Start::Collect(chain, value) => (
                        format!(": Vec<{}>", value.ty.name()),
                        format!("{}.map(|{}| {}).collect()", chain.source(), chain.pattern(), value.source()),
                    ),
                    Start::Growing(ty) => (format!(": Vec<{}>", ty.name()), "Vec::new()".to_owned()),
                };
                let _ = writeln!(out, "let {}{name}{ty} = {value};", mark(*mutable));
            }
            Stmt::LetSlice { mutable, name, base, row, lo, hi } => {
                let reference = if *mutable { "&mut " } else { "&" };
                let side = |side: &Option<Expr>| side.as_ref().map_or(String::new(), Expr::operand);
                let index = if *row { lo.as_ref().map_or(String::new(), Expr::source) } else { side(lo) };
                let rest = if *row { String::new() } else { format!("..{}", side(hi)) };
                let _ = writeln!(out, "let {name} = {reference}{base}[{index}{rest}];");
            }
            Stmt::Assign { target, op, value } => {
                let _ = writeln!(out, "{} {op} {};", target.source(), value.source());
            }
            Stmt::For { iter, range, body } => {
                let _ = write!(out, "for {iter} in {} ", range.source());
                braces(out, body, level);
                *out += "\n";
            }
            Stmt::Each { chain, filter, body } => {
                let filter = filter.as_ref().map_or(String::new(), |cond| {
                    format!(".filter(|&{}| {})", chain.pattern(), cond.source())
                });
                let _ = write!(out, "for {} in {}{filter} ", chain.pattern(), chain.source());
                braces(out, body, level);
                *out += "\n";
            }
            Stmt::While { counter, most, cond, endless, body } => {
                let _ = writeln!(out, "let mut {counter} = 0_usize;");
                let below = format!("{counter} < {}", most.operand());
                let cond = match cond {
                    Some(cond) => format!("{below} && ({})", cond.source()),
                    None => below,
                };
                if *endless {
                    let _ = writeln!(out, "{pad}loop {{\n{pad}    if !({cond}) {{ break; }}");
                } else {
                    let _ = writeln!(out, "{pad}while {cond} {{");
                }
                let _ = writeln!(out, "{pad}    {counter} += 1;");
                block(out, body, level + 1);
                let _ = writeln!(out, "{pad}}}");
            }
            Stmt::If { cond, then, els } => {
                let _ = write!(out, "if {} ", cond.source());
                braces(out, then, level);
                if !els.is_empty() {
                    *out += " else ";
                    braces(out, els, level);
                }
                *out += "\n";
            }
            Stmt::Match { on, arms } => {
                let _ = writeln!(out, "match {} {{", on.source());
                for (pattern, body) in arms {
                    let _ = write!(out, "{pad}    {pattern} => ");
                    braces(out, body, level + 1);
                    *out += "\n";
                }
                let _ = writeln!(out, "{pad}}}");
            }
            Stmt::Continue => *out += "continue;\n",
            Stmt::Break => *out += "break;\n",
            Stmt::Return(value) => {
                let _ = writeln!(out, "return {};", value.source());
            }
            Stmt::Block(body) => {
                braces(out, body, level);
                *out += "\n";
            }
            Stmt::Swap { array, i, j } => {
                let _ = writeln!(out, "{array}.swap({}, {});", i.source(), j.source());
            }
            Stmt::SwapArrays(a, b) => {
                let _ = writeln!(out, "std::mem::swap(&mut {a}, &mut {b});");
            }
            Stmt::Fill { array, value } => {
                let _ = writeln!(out, "{array}.fill({});", value.source());
            }
            Stmt::CopyFrom { to, from, borrow } => {
                let _ = writeln!(out, "{to}.copy_from_slice({}{from});", if *borrow { "&" } else { "" });
            }
            Stmt::CopyRow { to, i, from, j } => {
                let _ = writeln!(out, "{to}[{}] = {from}[{}];", i.source(), j.source());
            }
            Stmt::Push { array, value } => {
                let _ = writeln!(out, "{array}.push({});", value.source());
            }
            Stmt::Assert(cond) => {
                let _ = writeln!(out, "assert!({});", cond.source());
            }
            Stmt::Call(call) => {
                let _ = writeln!(out, "{};", call.source());
            }
        }
    }
}

fn repeat(prefix: &str, value: &Expr, dims: &[Expr]) -> String {
    let inner =
        dims[1..].iter().rev().fold(value.typed(), |inner, dim| format!("[{inner}; {}]", dim.source()));
    format!("{prefix}[{inner}; {}]", dims[0].source())
}

impl Place {
    pub fn source(&self) -> String {
        match self {
            Place::Var(name) => name.clone(),
            Place::Deref(name) => format!("*{name}"),
            Place::Index(name, index) => indexed(name, index),
        }
    }
}

fn indexed(name: &str, index: &[Expr]) -> String {
    let index: Vec<String> = index.iter().map(|index| format!("[{}]", index.source())).collect();
    format!("{name}{}", index.join(""))
}

impl Range {
    fn source(&self) -> String {
        let dots = if self.inclusive { "..=" } else { ".." };
        let guessed = self.lo.only_literals() && self.hi.only_literals();
        let lo = if guessed { self.lo.typed() } else { self.lo.operand() };
        let mut out = format!("{lo}{dots}{}", self.hi.operand());
        if self.rev || self.step.is_some() {
            out = format!("({out})");
        }
        let step = self.step.as_ref().map_or(String::new(), |step| format!(".step_by({})", step.source()));
        let rev = if self.rev { ".rev()" } else { "" };
        if self.rev_first { format!("{out}{rev}{step}") } else { format!("{out}{step}{rev}") }
    }
}

impl Chain {
    fn source(&self) -> String {
        match self {
            Chain::Range(_, lo, hi) => format!("({}..{})", lo.typed(), hi.operand()),
            Chain::Elements(_, array, _) => format!("{array}.iter()"),
            Chain::Changed(_, array, _) => format!("{array}.iter_mut()"),
            Chain::Chunks(_, array, len, _) => format!("{array}.chunks_exact({len})"),
            Chain::Windows(_, array, len, _) => format!("{array}.windows({len})"),
            Chain::Rev(inner) => format!("{}.rev()", inner.source()),
            Chain::Skip(inner, by) => format!("{}.skip({by})", inner.source()),
            Chain::Take(inner, most) => format!("{}.take({most})", inner.source()),
            Chain::StepBy(inner, by) => format!("{}.step_by({by})", inner.source()),
            Chain::Enumerate(_, inner) => format!("{}.enumerate()", inner.source()),
            Chain::Zip(a, b) => format!("{}.zip({})", a.source(), b.source()),
        }
    }

    /// The pattern of its items.
    fn pattern(&self) -> String {
        match self {
            Chain::Elements(name, ..) => format!("&{name}"),
            Chain::Range(name, ..)
            | Chain::Changed(name, ..)
            | Chain::Chunks(name, ..)
            | Chain::Windows(name, ..) => name.clone(),
            Chain::Rev(inner) | Chain::Skip(inner, _) | Chain::Take(inner, _) | Chain::StepBy(inner, _) => {
                inner.pattern()
            }
            Chain::Enumerate(name, inner) => format!("({name}, {})", inner.pattern()),
            Chain::Zip(a, b) => format!("({}, {})", a.pattern(), b.pattern()),
        }
    }
}

fn list(values: &[Expr]) -> String {
    let values: Vec<String> = values.iter().map(Expr::source).collect();
    values.join(", ")
}

fn typed_list(values: &[Expr]) -> String {
    let values: Vec<String> = values.iter().map(Expr::typed).collect();
    values.join(", ")
}

/// A float literal, never in exponential form.
fn float(value: f64) -> String {
    let text = format!("{value}");
    let text = if text.contains('.') { text } else { format!("{text}.0") };
    if value < 0.0 { format!("({text})") } else { text }
}

impl Expr {
    /// The expression as it stands after `=`.
    pub fn source(&self) -> String {
        match &self.kind {
            Kind::Float(value) => float(*value),
            Kind::Int(value) if *value < 0 => format!("({value})"),
            Kind::Int(value) => format!("{value}"),
            Kind::Bool(value) => format!("{value}"),
            Kind::Var(name) => name.clone(),
            Kind::Deref(name) => format!("*{name}"),
            Kind::Index(name, index) => indexed(name, index),
            Kind::Len(name) => format!("{name}.len()"),
            Kind::Neg(operand) => format!("-{}", operand.operand()),
            Kind::Not(operand) => format!("!{}", operand.operand()),
            Kind::Bin(op, lhs, rhs) => format!("{} {op} {}", lhs.operand(), rhs.operand()),
            Kind::Method(name, args) => {
                format!("{}.{name}({})", args[0].receiver(), list(&args[1..]))
            }
            Kind::Path(name, args) => format!("{}::{name}({})", self.ty.name(), list(args)),
            Kind::Cast(operand) if matches!(operand.kind, Kind::Int(_)) && operand.ty == self.ty => {
                operand.typed()
            }
            Kind::Cast(operand) => format!("{} as {}", operand.cast_operand(), self.ty.name()),
            Kind::If(parts) => {
                format!(
                    "if {} {{ {} }} else {{ {} }}",
                    parts[0].source(),
                    parts[1].source(),
                    parts[2].source()
                )
            }
            Kind::Match(on, arms) => {
                let arms: Vec<String> =
                    arms.iter().map(|(pattern, value)| format!("{pattern} => {}", value.source())).collect();
                format!("match {} {{ {} }}", on.source(), arms.join(", "))
            }
            Kind::Block(stmts, value) => {
                let mut out = String::new();
                block(&mut out, stmts, 0);
                format!("{{ {} {} }}", out.trim_end().replace('\n', " "), value.source())
            }
            Kind::Call(name, args) => format!("{name}({})", list(args)),
            Kind::Consumed(chain, filter, value, fold) => {
                let (pattern, ty, value) = (chain.pattern(), self.ty.name(), value.source());
                let filter = filter
                    .as_ref()
                    .map_or(String::new(), |cond| format!(".filter(|&{pattern}| {})", cond.source()));
                let chain = chain.source() + &filter;
                match fold {
                    true => format!("{chain}.fold(0.0_{ty}, |so_far, {pattern}| so_far + ({value}))"),
                    false => format!("{chain}.map(|{pattern}| {value}).sum::<{ty}>()"),
                }
            }
            Kind::Borrow(prefix, name, row) => {
                let row = row.as_ref().map_or(String::new(), |row| format!("[{}]", row.source()));
                format!("{prefix}{name}{row}")
            }
        }
    }

    /// With its type where nothing but literals says it: rustc would guess at the operands of a cast.
    fn typed(&self) -> String {
        if !self.only_literals() || self.ty == Ty::Bool {
            return self.source();
        }
        match &self.kind {
            Kind::Float(value) if *value < 0.0 => format!("(-{}_{})", float(-value), self.ty.name()),
            Kind::Float(value) => format!("{}_{}", float(*value), self.ty.name()),
            Kind::Int(value) => format!("{value}_{}", self.ty.name()),
            Kind::Neg(operand) => format!("(-{})", operand.typed()),
            Kind::Bin(op, lhs, rhs) => format!("({} {op} {})", lhs.typed(), rhs.typed()),
            _ => format!("{{ let typed: {} = {}; typed }}", self.ty.name(), self.source()),
        }
    }

    /// As an operand of an operator.
    fn operand(&self) -> String {
        match &self.kind {
            Kind::Bin(..) | Kind::Cast(_) | Kind::If(_) | Kind::Match(..) | Kind::Block(..) => {
                format!("({})", self.source())
            }
            Kind::Neg(_) | Kind::Not(_) | Kind::Deref(_) => format!("({})", self.source()),
            _ => self.source(),
        }
    }

    /// As an operand of `as`.
    fn cast_operand(&self) -> String {
        if self.only_literals() { format!("({})", self.typed()) } else { self.operand() }
    }

    /// As the receiver of a method.
    fn receiver(&self) -> String {
        match &self.kind {
            Kind::Int(value) if *value < 0 => format!("({})", self.typed()),
            _ if self.only_literals() => self.typed(),
            _ => self.operand(),
        }
    }
}
