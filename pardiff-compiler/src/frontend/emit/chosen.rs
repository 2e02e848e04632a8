//! Shared references that a branch chooses: copies of what is behind them.
//!
//! ```text
//! let p = if i > 0 { &v[i - 1] } else { &v[n - 1] };       let p = if i > 0 { v[i - 1] } else { v[n - 1] };
//! let (long, short) = if c { (x, y) } else { (y, x) };     let len = if c { x.len() } else { y.len() };
//!                                                          let mut long = vec![0.0; len];
//!                                                          if c { long ← x } else { long ← y } …
//! ```
//!
//! Legal because nothing behind a shared reference changes while it lives, so that a copy holds the same numbers, and
//! adjoints of the copy flow back through the branch that was taken. Where the length follows from the branch, the
//! branch is gone through once for the length and once for the elements, which is the same where going through it
//! changes nothing.

use super::super::infer::Type;
use super::super::tree::{Access, Arm, Block, Expr as Tree, Kind, Len, Match, Method};
use super::Emit;
use super::value::Value;
use crate::ir::Expr;

impl Emit<'_> {
    /// The value of a branch with references, as copies; none where there are `&mut`, or lengths that are not known.
    pub(super) fn chosen(&mut self, e: &Tree, name: &str) -> Option<Value> {
        let ty = self.behind_shared(&e.ty)?;
        if self.has_static_shape(&ty) {
            let dest = self.variables(&ty, name)?;
            self.into(e, &dest);
            return Some(self.as_value(dest));
        }
        if !changes_nothing(e) {
            return None;
        }
        match &ty {
            Type::Array(..) => {
                let [_, inner @ ..] = &super::lens_of(self.infer, &ty)[..] else { return None };
                let inner: Option<Vec<_>> = inner.iter().map(Len::known).collect();
                let inner: Vec<Expr> = inner?.iter().map(|len| self.constant(len)).collect();
                let len = at_ends(e, Type::USIZE, &|end| {
                    Kind::Method(Method::Len, vec![end.clone()], Access::default())
                });
                let dims = [vec![self.scalar(&len)], inner].concat();
                let view = self.alloc_of(&ty, name, dims, None);
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

    /// The type with what shared references are to in their place.
    fn behind_shared(&self, ty: &Type) -> Option<Type> {
        Some(match self.infer.shallow(ty) {
            Type::Ref(true, _) => return None,
            Type::Ref(false, of) => self.behind_shared(&of)?,
            Type::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|part| self.behind_shared(part)).collect::<Option<_>>()?)
            }
            Type::Array(of, len) => Type::array(self.behind_shared(&of)?, len),
            ty if self.refers(&ty) => return None,
            ty => ty,
        })
    }
}

/// The expression with another one at each of its ends.
fn at_ends(e: &Tree, ty: Type, end: &dyn Fn(&Tree) -> Kind) -> Tree {
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
