//! What is visible at a point of a program that is being generated, and what is known of it.

use super::program::{Expr, Kind, Place, Size, Ty, Values};

/// A scalar.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
    /// A `&mut` parameter.
    pub reference: bool,
    /// Magnitude: what the generator expects `abs()` to stay below.
    pub mag: f64,
    pub facts: Facts,
}

/// What is known of an integer.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// It is an index of arrays of these sizes.
    pub below: Vec<Size>,
    /// So is the next one.
    pub next_below: Vec<Size>,
    /// It is at least 1.
    pub positive: bool,
}

/// An array or a slice.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub elem: Ty,
    pub dims: Vec<Size>,
    pub mutable: bool,
    pub mag: f64,
    pub values: Values,
    pub storage: Storage,
}

/// How an array is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// A reference: `x` itself is the argument of a call.
    Reference,
    /// A local `[T; N]`
    Fixed,
    /// A local `Vec`
    Vec,
    /// A table
    Const,
}

#[derive(Clone, Debug)]
enum Entry {
    Variable(Variable),
    Array(Array),
}

/// Everything visible; entering a block is a clone.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    entries: Vec<Entry>,
}

impl Entry {
    fn name(&self) -> &str {
        match self {
            Entry::Variable(variable) => &variable.name,
            Entry::Array(array) => &array.name,
        }
    }
}

impl Scope {
    /// Declares a scalar; what had its name is gone, and so is what was known in terms of it.
    pub fn add_variable(&mut self, variable: Variable) {
        self.remove(&variable.name.clone());
        self.entries.push(Entry::Variable(variable));
    }

    /// Declares an array.
    pub fn add_array(&mut self, array: Array) {
        self.remove(&array.name.clone());
        self.entries.push(Entry::Array(array));
    }

    /// Hides a name.
    pub fn remove(&mut self, name: &str) {
        self.entries.retain(|entry| entry.name() != name);
    }

    /// Makes an array read only, as while it is borrowed.
    pub fn freeze(&mut self, name: &str) {
        for entry in &mut self.entries {
            match entry {
                Entry::Array(array) if array.name == name => array.mutable = false,
                _ => {}
            }
        }
    }

    /// Scalars of a type.
    pub fn variables(&self, ty: Ty) -> Vec<&Variable> {
        self.all_variables().filter(|variable| variable.ty == ty).collect()
    }

    /// All scalars.
    pub fn all_variables(&self) -> impl Iterator<Item = &Variable> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Variable(variable) => Some(variable),
            Entry::Array(_) => None,
        })
    }

    /// All arrays.
    pub fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Array(array) => Some(array),
            Entry::Variable(_) => None,
        })
    }

    /// Whether a text names a variable or an array that may change.
    pub fn may_change(&self, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        text.split(|c| !is_word(c)).any(|word| {
            self.entries.iter().any(|entry| match entry {
                Entry::Variable(variable) => variable.name == word && variable.mutable,
                Entry::Array(array) => array.name == word && array.mutable,
            })
        })
    }

    /// Whether the names in a size are still what they were.
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name() == name)
    }
}

impl Facts {
    /// Whether the integer is an index into `size`.
    pub fn is_below(&self, size: &Size) -> bool {
        self.below.iter().any(|known| implies(known, size))
            || matches!(size, Size::Minus1(size) if self.is_next_below(size))
    }

    /// Whether the integer plus one is an index into `size`.
    pub fn is_next_below(&self, size: &Size) -> bool {
        self.next_below.iter().any(|known| implies(known, size))
    }
}

/// Whether what is below `known` is below `size`.
fn implies(known: &Size, size: &Size) -> bool {
    match (known, size) {
        (Size::Const(known), Size::Const(size)) => known <= size,
        (known, Size::Plus1(size)) if known == &**size => true,
        _ => known == size,
    }
}

impl Variable {
    /// Its value.
    pub fn read(&self) -> Expr {
        let kind = if self.reference { Kind::Deref } else { Kind::Var };
        Expr::new(self.ty, kind(self.name.clone()))
    }

    /// As a target.
    pub fn place(&self) -> Place {
        if self.reference { Place::Deref(self.name.clone()) } else { Place::Var(self.name.clone()) }
    }
}
