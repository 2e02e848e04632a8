//! Methods, also in path form: the functions of scalars, and what is known of arrays.

use super::super::display::tidy;
use super::super::infer::{Class, Type};
use super::super::records::Function;
use super::super::tree::{Access, Expr, Kind, Len, Method};
use super::mixed_signs::operation;
use super::{Resolver, bare};
use crate::ir::{Func, Kind as FuncKind, Ty};
use proc_macro2::Span;
use syn::spanned::Spanned;

/// Resolves a method call, or leaves it to others.
type ByForm<'r> = fn(&mut Resolver<'r>, &syn::ExprMethodCall, &str) -> Option<Expr>;

const KNOWN_OPTIONS: &str = "the `Option`s that are known are those of `checked_add` and its like, of `first`, `last`, `get`, \
     `pop`, of iterators, `position`, `find`, `reduce`, `max_by` and their like, and `Some` and `None`";

/// The functions that a method name stands for, on floats and on integers.
pub(in super::super) fn functions(name: &str) -> (Option<Func>, Option<Func>) {
    let is_float = |func: Func| func.kind() != FuncKind::Int && func.name() == name;
    let is_int = |func: Func| func.kind() == FuncKind::Int && func.name() == name;
    let find = |test: &dyn Fn(Func) -> bool| Func::ALL.iter().copied().find(|&func| test(func));
    (find(&is_float), find(&is_int))
}

impl Resolver<'_> {
    pub(super) fn method_call(&mut self, e: &syn::ExprMethodCall) -> Expr {
        self.receivers.push((&raw const *e.receiver, None));
        let value = self.method_of(e);
        self.receivers.pop();
        value
    }

    /// The receiver of a method.
    pub(super) fn receiver(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let known = self.receivers.last_mut().filter(|(of, _)| *of == &raw const *e.receiver);
        known.and_then(|(_, value)| value.take()).unwrap_or_else(|| self.expr(&e.receiver))
    }

    /// Keeps the value of a receiver for the next that asks for it, so that a chain of calls is gone through once. The
    /// refusals from a number on are its own; with some it is evaluated again.
    pub(super) fn not_the_receiver(&mut self, e: &syn::ExprMethodCall, value: Expr, refusals: usize) {
        if self.refusals.0.len() > refusals {
            return self.refusals.0.truncate(refusals);
        }
        if let Some((of, known)) = self.receivers.last_mut()
            && *of == &raw const *e.receiver
        {
            *known = Some(value);
        }
    }

    fn method_of(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        let name = e.method.to_string();
        if self.is_spawner(&e.receiver) {
            return self.spawned(e);
        }
        // what is seen from the form of the receiver
        let by_form: [ByForm<'_>; 15] = [
            Resolver::of_own_iterator,
            Resolver::zipped,
            Resolver::record_method,
            Resolver::array_of_trait,
            Resolver::scalar_of_trait,
            Resolver::of_traits_of_numbers,
            Resolver::of_contents,
            Resolver::drained,
            Resolver::opened_some,
            Resolver::then_ordered,
            Resolver::option_value,
            Resolver::checked,
            Resolver::iterated,
            Resolver::chunks_and_rest,
            Resolver::flattened_array,
        ];
        if let Some(found) = by_form.iter().find_map(|known| known(self, e, &name)) {
            return found;
        }
        let receiver = self.receiver(e);
        if matches!(self.infer.peel(&receiver.ty), Type::Never) {
            // it was refused: what the method takes is not known
            return self.error(span);
        }
        if name == "into" && e.args.is_empty() && self.is_number(&receiver.ty) {
            return self.converted(receiver, None, span);
        }
        if let Some(refused) = self.refuse_unseen::<Function>(&receiver.ty, &name, &[], e.method.span()) {
            return refused;
        }
        let by_type = [
            Resolver::by_one_conversion,
            Resolver::message,
            Resolver::nd_method,
            Resolver::extended,
            Resolver::sorted,
            Resolver::of_vector,
            Resolver::operator_by_name,
            Resolver::comparison_by_name,
            Resolver::of_extension_trait,
        ];
        if let Some(found) = by_type.iter().find_map(|known| known(self, e, &receiver, &name)) {
            return found;
        }
        let is_closure = |arg: &syn::Expr| matches!(bare(arg), syn::Expr::Closure(_));
        if e.args.iter().any(is_closure) {
            // no method from here on takes one
            let receiver = self.infer.peel(&receiver.ty);
            return self.unknown_method(&name, &receiver, e.method.span());
        }
        let mut args = vec![receiver];
        args.extend(e.args.iter().map(|arg| self.expr(arg)));
        if let Some(hidden) = self.refuse_hidden(&self.infer.peel(&args[0].ty), &name, e.method.span()) {
            return hidden;
        }
        self.method(&name, args, Access::of(&e.receiver, e), span, e.method.span())
    }

    /// A method by name; the receiver is the first argument.
    pub(super) fn method(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        access: Access,
        span: Span,
        name_span: Span,
    ) -> Expr {
        if matches!(self.infer.peel(&args[0].ty), Type::Never) {
            return self.error(span);
        }
        if let Some((method, ty)) = self.array_method(name, &args) {
            return Expr::method(method, args, &access, ty, span);
        }
        if let Some(order) = self.of_ordering(name, &args, span) {
            return order;
        }
        if let Some(mixed) = self.of_mixed_signs(name, &args, &access, (span, name_span)) {
            return mixed;
        }
        let receiver = self.infer.peel(&args[0].ty);
        if name == "sin_cos" && args.len() == 1 {
            self.restrict(&receiver, Class::Float, span);
            let ty = Type::Tuple(vec![receiver.clone(), receiver]);
            return Expr::new(Kind::Method(Method::SinCos, args, access), ty, span);
        }
        let sign = match name {
            "is_positive" => Some(Method::IsPositive),
            "is_negative" => Some(Method::IsNegative),
            _ => None,
        };
        if let Some(method) = sign.filter(|_| args.len() == 1) {
            self.restrict(&receiver, Class::Int, span);
            return Expr::method(method, args, &access, Type::BOOL, span);
        }
        if name == "is_multiple_of" && args.len() == 2 {
            return self.multiple_of(&args, span);
        }
        let (float, int) = functions(name);
        let known = match self.infer.class(&receiver) {
            Class::Float => float,
            Class::Int => int,
            Class::Any if matches!(receiver, Type::Var(_)) => float.or(int),
            Class::Any => None,
        };
        match known.filter(|func| func.row().method && func.arity() == args.len()) {
            Some(func) => {
                let only = match (float, int) {
                    (Some(_), None) => Class::Float,
                    (None, Some(_)) => Class::Int,
                    _ => Class::Any,
                };
                self.restrict(&receiver, only, span);
                self.scalar_method(func, args, receiver, access, span)
            }
            None => self.unknown_method(name, &receiver, name_span),
        }
    }

    fn scalar_method(
        &mut self,
        func: Func,
        args: Vec<Expr>,
        receiver: Type,
        access: Access,
        span: Span,
    ) -> Expr {
        let row = func.row();
        for arg in &args[1..] {
            let wanted = row.second.map_or_else(|| receiver.clone(), Type::Scalar);
            let have = self.infer.peel(&arg.ty);
            self.unify(&wanted, &have, arg.span);
        }
        if row.exact {
            self.infer.need_exact(&receiver);
        }
        let ty = match (func, row.result) {
            (_, Some(ty)) => Type::Scalar(ty),
            (Func::AbsDiff | Func::UnsignedAbs, _) => match receiver {
                Type::Scalar(Ty::Int(int)) => Type::Scalar(Ty::Int(int.unsigned())),
                other => {
                    let unsigned = self.infer.fresh(Class::Int);
                    self.unsigned.push((other, unsigned.clone(), span));
                    unsigned
                }
            },
            _ => receiver,
        };
        Expr::new(Kind::Method(Method::Scalar(row.name), args, access), ty, span)
    }

    /// `a.checked_add(b).unwrap_or(c)` and the like.
    fn checked(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let span = e.span();
        if name.starts_with("checked_") {
            let known = name.strip_prefix("checked_").and_then(operation).is_some();
            let help = if known {
                format!("write `a.{name}(b).unwrap_or(c)`, `.unwrap()` or `.is_some()`")
            } else {
                "check before: `if b != 0 { a / b } else { c }`".to_owned()
            };
            let why = "an `Option` is not a value here";
            return Some(self.refuse(e.method.span(), format!("`{name}` as a value"), why, help));
        }
        if !matches!(name, "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "is_some" | "is_none") {
            return None;
        }
        let opened: [ByForm<'_>; 3] = [Resolver::as_array, Resolver::chosen, Resolver::opened_element];
        if let Some(opened) = opened.iter().find_map(|known| known(self, e, name)) {
            return Some(opened);
        }
        let syn::Expr::MethodCall(inner) = bare(&e.receiver) else {
            return Some(self.refuse(
                e.method.span(),
                format!("`{name}` on this expression"),
                KNOWN_OPTIONS,
                "compare or index directly",
            ));
        };
        let method = inner.method.to_string();
        let op = method.strip_prefix("checked_").and_then(operation);
        let op = match (op, method.as_str()) {
            (Some(op), _) => op,
            _ if self.is_refused(&inner.receiver) => return Some(self.error(span)),
            // a `Result`, of a method that is refused by name
            (_, other) if other.starts_with("binary_search") => return Some(self.expr(&e.receiver)),
            (_, other) if super::iterator::is_chain(&inner.receiver) => {
                return Some(self.refuse_consumer(inner, other));
            }
            (_, other) => {
                // what is refused by itself
                let refusals = self.refusals.0.len();
                let value = self.expr(&e.receiver);
                if self.refusals.0.len() > refusals || matches!(value.kind, Kind::Error) {
                    return Some(self.error(span));
                }
                let (what, help) = match other {
                    "first" | "last" | "get" => ("an element as an `Option`", "index: `x[i]`"),
                    "as_slice" | "as_slice_mut" | "to_slice" => (
                        "a slice as an `Option`",
                        "index or iterate over the array itself: `a[[i, j]]`, `a.iter()`",
                    ),
                    _ => ("an `Option`", "compute the value directly, `x[i]` or `a + b`"),
                };
                return Some(self.refuse(
                    inner.method.span(),
                    format!("{what} (`{other}`)"),
                    KNOWN_OPTIONS,
                    help,
                ));
            }
        };
        if inner.args.len() != 1 {
            return Some(self.error(span));
        }
        let left = self.expr(&inner.receiver);
        let right = self.expr(&inner.args[0]);
        let Some(ty) = self.operands_of(op, &method, &left, &right, inner.method.span()) else {
            return Some(self.error(span));
        };
        let op = op.name;
        let access = Access { array: tidy(&inner.receiver), text: tidy(e) };
        let mut args = vec![left, right];
        let (method, ty) = match (name, e.args.first()) {
            ("unwrap" | "expect", _) => (Method::CheckedUnwrap(op), ty),
            ("unwrap_or", Some(other)) => {
                let other = self.expr(other);
                self.unify(&ty, &other.ty, other.span);
                args.push(other);
                (Method::CheckedUnwrapOr(op), ty)
            }
            ("unwrap_or_default", _) => {
                args.push(Expr::new(Kind::Int(0), ty.clone(), span));
                (Method::CheckedUnwrapOr(op), ty)
            }
            ("is_some", _) => (Method::CheckedIsSome(op), Type::BOOL),
            ("is_none", _) => {
                return Some(Expr::method(Method::CheckedIsSome(op), args, &access, Type::BOOL, span).not());
            }
            _ => return Some(self.error(span)),
        };
        Some(Expr::new(Kind::Method(method, args, access), ty, span))
    }

    /// The methods of arrays; `None` if it is none of them.
    fn array_method(&mut self, name: &str, args: &[Expr]) -> Option<(Method, Type)> {
        let (method, arity) = match name {
            "len" => (Method::Len, 1),
            "is_empty" => (Method::IsEmpty, 1),
            "fill" => (Method::Fill, 2),
            "copy_from_slice" | "clone_from_slice" | "clone_from" => (Method::CopyFrom, 2),
            "swap" => (Method::SwapElements, 3),
            "swap_with_slice" => (Method::SwapWith, 2),
            "reverse" => (Method::Reverse, 1),
            "rotate_left" => (Method::RotateLeft, 2),
            "rotate_right" => (Method::RotateRight, 2),
            "to_vec" | "clone" | "to_owned" | "to_string" | "into_boxed_slice" => (Method::ToOwned, 1),
            "push" => (Method::Push, 2),
            "clear" => (Method::Clear, 1),
            "truncate" => (Method::Truncate, 2),
            "split_at" | "split_at_mut" => (Method::SplitAt, 2),
            "as_slice" | "as_mut_slice" | "as_ref" | "as_mut" | "borrow" | "as_str" | "as_bytes" => {
                (Method::Whole, 1)
            }
            _ => return None,
        };
        let receiver = self.infer.peel(&args[0].ty);
        let of_scalars = matches!(name, "clone" | "rotate_left" | "rotate_right");
        let elem = match &receiver {
            Type::Array(elem, _) => (**elem).clone(),
            Type::Var(_) if self.infer.class(&receiver) == Class::Any && !of_scalars => {
                self.array_of_some(&receiver, args[0].span)
            }
            // clone of a scalar
            _ if name == "clone" && args.len() == 1 => return Some((method, receiver)),
            _ => return None,
        };
        if args.len() != arity {
            return None;
        }
        for arg in &args[1..] {
            match method {
                Method::Fill | Method::Push => self.unify(&elem, &arg.ty, arg.span),
                Method::CopyFrom | Method::SwapWith => {
                    let other = self.infer.peel(&arg.ty);
                    // the others are methods of slices
                    let own = if name == "clone_from" { receiver.clone() } else { Type::slice(elem.clone()) };
                    self.unify(&own, &other, arg.span);
                }
                _ => self.unify(&arg.ty, &Type::USIZE, arg.span),
            }
        }
        let ty = match method {
            Method::Len => Type::USIZE,
            Method::IsEmpty => Type::BOOL,
            Method::SplitAt => {
                let half = Type::reference(name == "split_at_mut", Type::slice(elem));
                Type::Tuple(vec![half.clone(), half])
            }
            Method::ToOwned => match (name, &receiver) {
                ("clone", Type::Array(..)) | ("to_owned", Type::Array(_, Len::Axis)) => receiver,
                _ => Type::slice(elem),
            },
            Method::Whole => Type::reference(name.contains("mut"), receiver),
            _ => Type::UNIT,
        };
        Some((method, ty))
    }

    pub(super) fn unknown_method(&mut self, name: &str, receiver: &Type, span: Span) -> Expr {
        if let Type::Record(record) = receiver {
            return self.no_function(&record.name.to_string(), name, span);
        }
        if self.option_type(receiver).is_some() {
            return self.refuse(
                span,
                format!("the method `{name}` of an `Option`"),
                "it is not one of those that are known",
                "write a `match`: `match e { Some(v) => …, None => … }`",
            );
        }
        let ty = self.infer.show(receiver);
        let (why, help): (&str, &str) = match name {
            "into" => (
                "conversions between numbers are known, and those whose type is written",
                "name the type whose function it is: `Vec::from(x)`, `Point::from(x)`",
            ),
            "try_into" => (
                "conversions between numbers are known, and those of slices to arrays",
                "open it at once: `let p: [f64; 3] = x[a..a + 3].try_into().unwrap();`",
            ),
            "parse" | "chars" | "bytes" | "trim" | "lines" | "split_whitespace" | "to_lowercase"
            | "to_uppercase" => {
                return self.refuse(
                    span,
                    format!("the method `{name}` of a text"),
                    "a text is compared here, and nothing else is read from it",
                    "pass what follows from it as a parameter: `k: usize`",
                );
            }
            "as_" | "to_f64" | "to_f32" | "to_usize" | "to_i32" | "to_i64" => {
                ("the traits of other crates are not seen", "write a cast: `x as f64`")
            }
            _ if matches!(receiver, Type::Var(_)) => (
                "the type of the value is not seen by the attribute",
                "write the type of the variable, or `#[differentiate(export)]` before the type and `uses(…)` here",
            ),
            "get" | "get_mut" | "first" | "last" | "get_unchecked" | "get_unchecked_mut" | "pop" => {
                ("an `Option` is not a value here", "open it at once, `x.last().unwrap()`, or index: `x[i]`")
            }
            "eq" | "ne" | "lt" | "gt" | "le" | "ge" => {
                ("operators say the same", "compare with `<`, `<=` or `==`")
            }
            "binary_search" | "binary_search_by" | "binary_search_by_key" => (
                "which of equal elements it finds is not specified",
                "write `x.partition_point(|v| *v < a)`, the first that is not less, and compare `x[k] == a`",
            ),
            "to_bits" | "from_bits" => {
                ("the bits of a float have no derivative", "use `abs`, `signum` or `copysign`")
            }
            "add" | "sub" | "mul" | "div" | "rem" | "neg" | "not" => (
                "which trait it is of is not seen",
                "write the operator: `a + b`, `a - b`, `a * b`, `a / b`, `a % b`, `-a` or `!a`",
            ),
            "drain" | "splice" | "join" => (
                "its effect on the elements is not known to the compiler",
                "write the loop: `for i in 0..n { y[i] = x[index[i]]; }`",
            ),
            _ => (
                "neither its meaning nor its derivative is known",
                "write it with known functions, or as a nested helper: `fn square(x: f64) -> f64 { x * x }`",
            ),
        };
        self.refuse(span, format!("the method `{name}` on a value of type `{ty}`"), why, help)
    }
}
