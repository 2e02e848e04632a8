//! Types of the accepted language and their unification.
//!
//! A type is known as soon as its shape is (scalar, tuple, array, reference); which scalar it is may be found
//! later. Literals are variables of class `Int` or `Float` and are defaulted last.

use super::tree::{Kind, Len};
use crate::ir::Ty;
use crate::signature::Record;
use std::rc::Rc;

/// A type, possibly with parts that are not known yet.
#[derive(Clone)]
pub(super) enum Type {
    /// Not known yet.
    Var(usize),
    /// A machine type.
    Scalar(Ty),
    /// A tuple; `()` if empty.
    Tuple(Vec<Type>),
    /// `[T; N]`, `[T]` or `Vec<T>`.
    Array(Box<Type>, Len),
    /// `&T`, or `&mut T` if true.
    Ref(bool, Box<Type>),
    /// A struct.
    Record(Rc<RecordType>),
    /// Of what does not return.
    Never,
}

/// A struct with the types of its fields.
pub(super) struct RecordType {
    pub(super) name: syn::Ident,
    /// What stands in place of its parameters: its fields are known as far as these are.
    pub(super) arguments: Vec<Argument>,
    pub(super) record: Rc<Record>,
    pub(super) parts: Vec<Type>,
}

/// What stands in place of a parameter of a struct.
#[derive(Clone)]
pub(super) enum Argument {
    Type(Type),
    /// A constant, and its type.
    Constant(Len, Type),
}

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Nothing.
    Any,
    /// It is some integer type.
    Int,
    /// It is some float type.
    Float,
}

enum Slot {
    Free { class: Class, exact: bool },
    Bound(Type),
}

/// The types do not agree.
pub(super) struct Conflict;

/// The variables of one function.
#[derive(Default)]
pub(super) struct Infer {
    slots: Vec<Slot>,
    /// Lengths of arrays that were made equal; whether they are is not decided here.
    pub(super) met: Vec<(Len, Len)>,
}

impl Type {
    pub(super) const UNIT: Type = Type::Tuple(Vec::new());
    pub(super) const USIZE: Type = Type::Scalar(Ty::USIZE);
    pub(super) const BOOL: Type = Type::Scalar(Ty::Bool);

    pub(super) fn array(elem: Type, len: Len) -> Type {
        Type::Array(Box::new(elem), len)
    }

    /// A slice or a `Vec`.
    pub(super) fn slice(elem: Type) -> Type {
        Type::array(elem, Len::Dynamic)
    }

    /// `&ty` or `&mut ty`
    pub(super) fn reference(mutable: bool, ty: Type) -> Type {
        Type::Ref(mutable, Box::new(ty))
    }

    /// The members of a tuple or a struct.
    pub(super) fn members(&self) -> Option<&[Type]> {
        match self {
            Type::Tuple(parts) => Some(parts),
            Type::Record(record) => Some(&record.parts),
            _ => None,
        }
    }
}

impl Infer {
    pub(super) fn fresh(&mut self, class: Class) -> Type {
        self.slots.push(Slot::Free { class, exact: false });
        Type::Var(self.slots.len() - 1)
    }

    /// How many variables there are.
    pub(super) fn count(&self) -> usize {
        self.slots.len()
    }

    /// The type with its outermost constructor known, if it is.
    pub(super) fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Var(var) = ty {
            match &self.slots[*var] {
                Slot::Bound(inner) => ty = inner,
                Slot::Free { .. } => break,
            }
        }
        match ty {
            Type::Array(elem, len @ Len::Open(_)) => {
                let len = len.known().map_or_else(|| len.clone(), Len::Known);
                Type::Array(elem.clone(), len)
            }
            ty => ty.clone(),
        }
    }

    /// `shallow`, behind any references.
    pub(super) fn peel(&self, ty: &Type) -> Type {
        let mut ty = self.shallow(ty);
        while let Type::Ref(_, inner) = ty {
            ty = self.shallow(&inner);
        }
        ty
    }

    /// The type with everything that is known filled in.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.resolve(part)).collect()),
            Type::Array(elem, len) => Type::array(self.resolve(&elem), len),
            Type::Ref(mutable, inner) => Type::Ref(mutable, Box::new(self.resolve(&inner))),
            Type::Record(of) if !of.arguments.is_empty() => {
                let parts = of.parts.iter().map(|part| self.resolve(part)).collect();
                let (name, arguments, record) = (of.name.clone(), of.arguments.clone(), of.record.clone());
                Type::Record(Rc::new(RecordType { name, arguments, record, parts }))
            }
            other => other,
        }
    }

    /// What is known of a type that is a variable.
    pub(super) fn class(&self, ty: &Type) -> Class {
        match self.peel(ty) {
            Type::Var(var) => match &self.slots[var] {
                Slot::Free { class, .. } => *class,
                Slot::Bound(_) => Class::Any,
            },
            Type::Scalar(Ty::Int(_)) => Class::Int,
            Type::Scalar(Ty::Float(_)) => Class::Float,
            _ => Class::Any,
        }
    }

    /// Records that the meaning of an operation depends on the exact integer type.
    pub(super) fn need_exact(&mut self, ty: &Type) {
        if let Type::Var(var) = self.peel(ty)
            && let Slot::Free { exact, .. } = &mut self.slots[var]
        {
            *exact = true;
        }
    }

    /// Whether `need_exact` was called on it.
    pub(super) fn is_exact_needed(&self, ty: &Type) -> bool {
        match self.peel(ty) {
            Type::Var(var) => matches!(self.slots[var], Slot::Free { exact: true, .. }),
            _ => false,
        }
    }

    /// Restricts a type to a class.
    pub(super) fn restrict(&mut self, ty: &Type, to: Class) -> Result<(), Conflict> {
        match self.peel(ty) {
            Type::Var(var) => {
                if let Slot::Free { class, .. } = &mut self.slots[var] {
                    *class = join(*class, to)?;
                }
                Ok(())
            }
            Type::Scalar(ty) => match to {
                Class::Int if !ty.is_int() => Err(Conflict),
                Class::Float if !ty.is_float() => Err(Conflict),
                _ => Ok(()),
            },
            Type::Never => Ok(()),
            _ if to == Class::Any => Ok(()),
            _ => Err(Conflict),
        }
    }

    /// Makes two types equal. References to scalars are looked through where only one side has them.
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> Result<(), Conflict> {
        match (self.shallow(a), self.shallow(b)) {
            (Type::Never, _) | (_, Type::Never) => Ok(()),
            (Type::Var(a), Type::Var(b)) => {
                if a == b {
                    return Ok(());
                }
                let (class_a, exact_a) = self.free(a);
                let (class_b, exact_b) = self.free(b);
                let class = join(class_a, class_b)?;
                self.slots[a] = Slot::Bound(Type::Var(b));
                self.slots[b] = Slot::Free { class, exact: exact_a || exact_b };
                Ok(())
            }
            (Type::Var(var), other) | (other, Type::Var(var)) => {
                let (class, _) = self.free(var);
                if self.occurs(var, &other) {
                    return Err(Conflict);
                }
                self.restrict(&other, class)?;
                let bound = if class == Class::Any { other } else { self.peel(&other) };
                if !matches!(bound, Type::Var(same) if same == var) {
                    self.slots[var] = Slot::Bound(bound);
                }
                Ok(())
            }
            (Type::Ref(_, a), Type::Ref(_, b)) => self.unify(&a, &b),
            (Type::Ref(_, a), b) => self.unify(&a, &b),
            (a, Type::Ref(_, b)) => self.unify(&a, &b),
            (Type::Scalar(a), Type::Scalar(b)) if a == b => Ok(()),
            (Type::Record(a), Type::Record(b)) if a.name == b.name => {
                let mut both = a.arguments.iter().zip(&b.arguments);
                both.try_for_each(|both| match both {
                    (Argument::Type(a), Argument::Type(b)) => self.unify(a, b),
                    (Argument::Constant(a, _), Argument::Constant(b, _)) => {
                        a.unify(b);
                        self.met.push((a.clone(), b.clone()));
                        Ok(())
                    }
                    _ => Err(Conflict),
                })
            }
            (Type::Array(a, len), Type::Array(b, other)) => {
                len.unify(&other);
                self.met.push((len, other));
                self.unify(&a, &b)
            }
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(&b).try_for_each(|(a, b)| self.unify(a, b))
            }
            _ => Err(Conflict),
        }
    }

    fn free(&self, var: usize) -> (Class, bool) {
        match &self.slots[var] {
            Slot::Free { class, exact } => (*class, *exact),
            Slot::Bound(_) => (Class::Any, false),
        }
    }

    fn occurs(&self, var: usize, ty: &Type) -> bool {
        match self.shallow(ty) {
            Type::Var(other) => other == var,
            Type::Tuple(parts) => parts.iter().any(|part| self.occurs(var, part)),
            Type::Array(inner, _) | Type::Ref(_, inner) => self.occurs(var, &inner),
            Type::Record(of) => of.arguments.iter().any(|argument| match argument {
                Argument::Type(ty) => self.occurs(var, ty),
                Argument::Constant(..) => false,
            }),
            Type::Scalar(_) | Type::Never => false,
        }
    }

    /// Of which struct in a type a variable is an argument, and which of its arguments.
    pub(super) fn argument_of(&self, ty: &Type, var: usize) -> Option<(String, usize)> {
        match self.shallow(ty) {
            Type::Tuple(parts) => parts.iter().find_map(|part| self.argument_of(part, var)),
            Type::Array(inner, _) | Type::Ref(_, inner) => self.argument_of(&inner, var),
            Type::Record(of) => of.arguments.iter().enumerate().find_map(|(at, argument)| {
                let Argument::Type(ty) = argument else { return None };
                match self.peel(ty) {
                    Type::Var(known) if known == var => Some((of.name.to_string(), at)),
                    ty => self.argument_of(&ty, var),
                }
            }),
            _ => None,
        }
    }

    /// The name of a type behind references, without arguments.
    pub(super) fn named(&self, ty: &Type) -> String {
        match self.peel(ty) {
            Type::Record(record) => record.name.to_string(),
            ty => self.show(&ty),
        }
    }

    /// How a type is shown to the user.
    pub(super) fn show(&self, ty: &Type) -> String {
        match self.shallow(ty) {
            Type::Var(var) => match self.free(var).0 {
                Class::Any => "_".to_owned(),
                Class::Int => "{integer}".to_owned(),
                Class::Float => "{float}".to_owned(),
            },
            Type::Scalar(ty) => ty.to_string(),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.show(part)).collect();
                format!("({})", parts.join(", "))
            }
            Type::Array(mut elem, Len::Axis) => {
                let mut rank = 1;
                while let Type::Array(inner, Len::Axis) = self.shallow(&elem) {
                    (rank, elem) = (rank + 1, inner);
                }
                format!("Array{rank}<{}>", self.show(&elem))
            }
            Type::Array(elem, _) => format!("[{}]", self.show(&elem)),
            Type::Ref(true, inner) => format!("&mut {}", self.show(&inner)),
            Type::Ref(false, inner) => format!("&{}", self.show(&inner)),
            Type::Record(record) if closure_number(&record).is_some() => {
                format!("{{closure {}}}", closure_number(&record).unwrap_or_default())
            }
            Type::Record(record) if record.arguments.is_empty() => record.name.to_string(),
            Type::Record(record) => {
                let arguments = record.arguments.iter().map(|argument| match argument {
                    Argument::Type(ty) => self.show(ty),
                    Argument::Constant(len, _) => match len.known().map(|len| len.kind.clone()) {
                        Some(Kind::Int(value)) => value.to_string(),
                        _ => "_".to_owned(),
                    },
                });
                format!("{}<{}>", record.name, arguments.collect::<Vec<_>>().join(", "))
            }
            Type::Never => "!".to_owned(),
        }
    }
}

fn join(a: Class, b: Class) -> Result<Class, Conflict> {
    match (a, b) {
        (Class::Any, other) | (other, Class::Any) => Ok(other),
        _ if a == b => Ok(a),
        _ => Err(Conflict),
    }
}

/// What the name of the type of a closure begins with.
pub(super) const CLOSURE: &str = "__Closure";

fn closure_number(of: &RecordType) -> Option<String> {
    of.name.to_string().strip_prefix(CLOSURE).map(str::to_owned)
}
