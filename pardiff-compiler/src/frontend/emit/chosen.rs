//! Vectors and shared references that come from several places, branches and early ends: copies.
//!
//! ```text
//! let p = if i > 0 { &v[i - 1] } else { &v[n - 1] };       let p = if i > 0 { v[i - 1] } else { v[n - 1] };
//! let (long, short) = if c { (x, y) } else { (y, x) };     let len = if c { x.len() } else { y.len() };
//!                                                          let mut long = vec![0.0; len];
//!                                                          if c { long ← x } else { long ← y } …
//! if n == 0 { return None; } let r = …; Some(r)            let (mut there, mut roots) = (false, vec![]);
//!                                                          if n == 0 { } else { let r = …; there = true; roots ← r }
//! ```
//!
//! Legal because nothing behind a shared reference changes while it lives, so that a copy holds the same numbers, and
//! adjoints of the copy flow back through the branch that was taken. Where the length follows from the branch, the
//! branch is gone through once for the length and once for the elements, which is the same where going through it
//! changes nothing. Elsewhere the copy is a vector that grows as it is written.

use super::super::infer::{RecordType, Type};
use super::super::tree::{Access, Arm, Block, Expr as Tree, Kind, Len, Match, Method};
use super::Emit;
use super::value::Value;
use crate::ir::{Expr, Ty};
use std::rc::Rc;

impl Emit<'_> {
    /// The value of something that has several ends, as copies; none where there are `&mut`, or rows of lengths that
    /// are not known.
    pub(super) fn chosen(&mut self, e: &Tree, name: &str) -> Option<Value> {
        let ty = self.behind_shared(&e.ty)?;
        if !self.has_static_shape(&ty)
            && changes_nothing(e)
            && let Some(value) = self.chosen_again(e, &ty, name)
        {
            return Some(value);
        }
        let dest = self.open_variables(&ty, name)?;
        self.into(e, &dest);
        Some(self.as_value(dest))
    }

    /// The value of a branch that is gone through again for the lengths.
    fn chosen_again(&mut self, e: &Tree, ty: &Type, name: &str) -> Option<Value> {
        match ty {
            Type::Array(..) => {
                let [_, inner @ ..] = &super::lens_of(self.infer, ty)[..] else { return None };
                let inner: Option<Vec<_>> = inner.iter().map(Len::known).collect();
                let inner: Vec<Expr> = inner?.iter().map(|len| self.constant(len)).collect();
                let len = at_ends(e, Type::USIZE, &|end| {
                    Kind::Method(Method::Len, vec![end.clone()], Access::default())
                });
                let dims = [vec![self.scalar(&len)], inner].concat();
                let view = self.alloc_of(ty, name, dims, None);
                self.into(e, &Value::View(view.clone()));
                Some(self.as_value(Value::View(view)))
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate().map(|(at, part)| {
                    let part = at_ends(e, part.clone(), &|end| match &end.kind {
                        Kind::Tuple(parts) => parts[at].kind.clone(),
                        _ => Kind::Field(end.clone().boxed(), at),
                    });
                    self.chosen(&part, name)
                });
                Some(Value::Tuple(parts.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// New variables for a value of this type, whose vectors are empty and grow.
    pub(super) fn open_variables(&mut self, ty: &Type, name: &str) -> Option<Value> {
        match self.infer.shallow(ty) {
            Type::Array(elem, Len::Dynamic | Len::Axis) if self.has_static_shape(&elem) => {
                let len = self.scalar_local(&format!("{name}_len"), Ty::USIZE);
                self.assign_scalar(len, Expr::usize(0));
                let dims = [vec![Expr::usize(0)], self.static_lens(&elem)?].concat();
                Some(Value::View(self.alloc_of_length(ty, name, dims, None, Some(len))))
            }
            of @ (Type::Tuple(_) | Type::Record(_)) if !self.has_static_shape(ty) => {
                let parts = super::record::member_names(&of).into_iter().zip(of.members()?);
                let parts =
                    parts.map(|(member, part)| self.open_variables(part, &format!("{name}_{member}")));
                parts.collect::<Option<_>>().map(Value::Tuple)
            }
            _ => self.variables(ty, name),
        }
    }

    /// Refuses a value that has several ends, of a type that has no copies.
    pub(super) fn refuse_chosen(&mut self, e: &Tree) {
        let (what, why, help) = match self.behind_shared(&e.ty) {
            None => (
                "a `&mut` reference that is chosen by a branch or a block",
                "which variable it stands for would be known only at run time",
                "write to it in the branch: `if first { a[0] = v; } else { b[0] = v; }`",
            ),
            Some(_) => (
                "vectors of rows that come from more than one place",
                "their rows must have one length, known when they are made",
                "keep the rows behind each other in one vector, and return it with their length",
            ),
        };
        self.refuse(e.span, what, why, help);
    }

    /// The type with what shared references are to in their place; none where there are others.
    pub(super) fn behind_shared(&self, ty: &Type) -> Option<Type> {
        Some(match self.infer.shallow(ty) {
            Type::Ref(true, _) => return None,
            Type::Ref(false, of) => self.behind_shared(&of)?,
            Type::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|part| self.behind_shared(part)).collect::<Option<_>>()?)
            }
            Type::Array(of, len) => Type::array(self.behind_shared(&of)?, len),
            Type::Record(of) => {
                let parts = of.parts.iter().map(|part| self.behind_shared(part)).collect::<Option<_>>()?;
                let (name, arguments, record) = (of.name.clone(), of.arguments.clone(), of.record.clone());
                Type::Record(Rc::new(RecordType { name, arguments, record, parts }))
            }
            ty if self.refers(&ty) => return None,
            ty => ty,
        })
    }
}

/// The expression with another one at each of its ends.
pub(super) fn at_ends(e: &Tree, ty: Type, end: &dyn Fn(&Tree) -> Kind) -> Tree {
    let inside = |e: &Tree| at_ends(e, ty.clone(), end);
    let kind = match &e.kind {
        Kind::Block(Block { stmts, tail: Some(tail) }) => {
            Kind::Block(Block { stmts: stmts.clone(), tail: Some(inside(tail).boxed()) })
        }
        Kind::If(cond, then, Some(els)) => {
            Kind::If(cond.clone(), inside(then).boxed(), Some(inside(els).boxed()))
        }
        Kind::Match(of) => {
            let arms = of.arms.iter().map(|arm| Arm { body: inside(&arm.body), ..arm.clone() }).collect();
            Kind::Match(Box::new(Match { scrutinee: of.scrutinee.clone(), arms }))
        }
        _ if matches!(e.ty, Type::Never) => return e.clone(),
        _ => end(e),
    };
    Tree::new(kind, ty, e.span)
}

/// Whether going through it twice is going through it once.
fn changes_nothing(e: &Tree) -> bool {
    let mut nothing = match &e.kind {
        Kind::Method(method, ..) => {
            matches!(method, Method::Scalar(_) | Method::Len | Method::IsEmpty | Method::Whole)
        }
        Kind::Block(block) => block.stmts.is_empty(),
        Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Local(_) | Kind::Path(_) | Kind::Length(_) => {
            true
        }
        Kind::Unary(..) | Kind::Binary(..) | Kind::And(..) | Kind::Or(..) | Kind::Cast(_) => true,
        Kind::Deref(_) | Kind::Borrow(_) | Kind::Index(..) | Kind::Slice(..) | Kind::Field(..) => true,
        Kind::Tuple(_) | Kind::If(..) | Kind::Match(_) | Kind::Panic(_) => true,
        _ => false,
    };
    e.children(&mut |child| nothing &= changes_nothing(child));
    nothing
}
