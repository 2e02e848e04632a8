//! Phase one: syntax to typed tree.
//!
//! *Comes in*: the user's function. *Goes out*: a tree in which every name is a local, a path or a helper's body, and
//! every expression has a type, up to unification variables. *Guarantees*: every construct outside the accepted
//! language has been refused with its span. *Never*: decides where a value lives; that is the emission's.

mod approximate;
mod arguments_of_traits;
mod as_array;
mod associated;
mod associated_constants;
mod block;
mod bounds;
mod call;
mod changed;
mod closure;
mod closure_value;
mod compare;
mod constant_rows;
mod consumer;
mod contents;
mod control;
mod conversions;
mod custom;
mod defaults;
mod enums;
mod equal_lengths;
mod evaluation_order;
mod expr;
mod extended;
mod extension_traits;
mod fixed_parts;
mod fold;
mod functions;
mod helper;
mod implementations;
mod irregular;
mod item;
mod item_closure;
mod iterator;
mod iterator_arguments;
mod iterator_sources;
pub(super) mod jump;
mod let_bound_iterators;
mod let_chain;
mod linear_recursion;
mod macros;
mod manual_next;
mod marks;
mod messages;
mod messages_of_parts;
mod method;
mod mixed_signs;
mod module;
mod named_iterator;
mod ndarray;
mod ndarray_made;
mod ndarray_slice;
mod ndarray_zip;
mod num_traits;
mod operators;
mod option;
mod order;
mod ordering;
mod own_iterators;
mod path;
mod pattern;
mod range;
mod rayon;
mod record;
mod recursion;
mod requests;
mod returned_iterator;
mod search;
mod signature;
mod slice_pattern;
mod slices_in_tuple;
mod sorted;
mod struct_literals;
mod tail_duplication;
mod taken_references;
mod tasks;
mod text;
mod type_parameters;
mod types;
mod unknown_fields;
mod unseen_traits;
mod unsupported;
pub(super) mod user_function;
mod vectors;

pub(super) use bounds::parameter_of;
pub(super) use item::{constant_name, literal};
pub(super) use method::functions;

use super::chain::Chain;
use super::generic_structs::{EarlyTypes, UsualArguments, float_of};
use super::infer::{Class, Infer, RecordType, Type};
use super::module::Module;
use super::options::Options;
use super::tree::{Expr, Kind, Len, Local, LocalId, LoopId, OpaquePath, PathId, Stmt};
use super::{Refusals, is_word, names};
use crate::ir::Float;
use crate::refusal::Refusal;
use proc_macro2::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What a name stands for.
#[derive(Clone)]
enum Name {
    Local(LocalId),
    /// A constant of the body whose value is a literal.
    Literal(Rc<Expr>),
    /// A constant or table of the body, or a const generic of the function.
    Path(PathId),
    /// A const parameter of a helper or of a struct, and its type.
    Length(Len, Type),
    /// A helper function, and the scope that its body sees: that many scopes from the outermost one.
    Helper(Rc<syn::ItemFn>, usize),
    /// A closure.
    Closure(closure::Callable),
    /// A constant of the module; looked into where it is used.
    Constant(Rc<syn::Item>),
    /// A `use` in the body.
    Import(syn::Path),
    /// A parameter that was refused.
    Refused,
    /// A field whose type is not known: why it is refused where it is used.
    Unknown(Rc<Refusal>),
    /// The parameter of a closure of `rayon::scope`, or of one of its tasks.
    Spawner,
}

#[derive(Clone, Default)]
struct Scope {
    names: HashMap<String, Name>,
    /// What the type parameters of a helper stand for.
    types: HashMap<String, Type>,
    /// The traits before them, and those above these.
    bounds: HashMap<String, Vec<syn::PathSegment>>,
    /// Values whose declared type is one of them, or a reference to it.
    values: HashMap<LocalId, String>,
    /// The names of the traits, where some are of a known crate or not seen.
    traits: Vec<String>,
    /// Types with a trait that is not seen, and its name.
    unseen: Vec<(Type, String)>,
    /// Whether the function names a type of floats beside its parameters.
    has_floats: bool,
    /// Constants, and how the generated bodies call them.
    constants: Vec<(String, syn::Ident)>,
    /// Whether this is the body of a function: locals outside of it are invisible.
    function: bool,
}

/// A helper that is being inlined. One with type parameters is another one for other types.
#[derive(Clone, PartialEq)]
struct Inlined {
    item: *const syn::ItemFn,
    types: String,
}

/// The state of phase one.
pub(super) struct Resolver<'a> {
    pub(super) refusals: Refusals,
    pub(super) infer: Infer,
    pub(super) locals: Vec<Local>,
    pub(super) paths: Vec<OpaquePath>,
    /// Functions over arrays that have rules.
    pub(super) user_functions: Vec<user_function::UserFunction>,
    /// Constants and glob imports of the body, for the generated bodies.
    pub(super) items: Vec<syn::Item>,
    options: &'a Options,
    module: &'a Module,
    scopes: Vec<Scope>,
    loops: Vec<jump::Jumpable>,
    loop_count: usize,
    /// Helpers being inlined, outermost first.
    inlining: Vec<Inlined>,
    /// Helpers that call themselves once at most, as loops; none for other helpers.
    as_loops: HashMap<*const syn::ItemFn, Option<Rc<syn::ItemFn>>>,
    /// Those of them whose recursion has no end that is known.
    endless: HashSet<*const syn::ItemFn>,
    inlined: usize,
    /// Calls of helpers by themselves.
    recursions: usize,
    /// How many rules are around.
    rule_depth: usize,
    /// The variables of the folds whose closures are being resolved.
    accumulators: Vec<LocalId>,
    /// Constants of the module whose expressions are being resolved.
    written_out: Vec<*const syn::Expr>,
    /// The values of parameters of helpers that are known numbers.
    known: HashMap<LocalId, i128>,
    /// Whether the statement that was just resolved leaves the function, by a condition that is known.
    leaves: bool,
    /// Glob imports of `f64::consts` and the like, by their prefix.
    globs: Vec<syn::Path>,
    /// The types of arguments of structs, where they are the same all over the function.
    usual_arguments: UsualArguments,
    /// The float type of the signature.
    float: Float,
    early: EarlyTypes,
    /// Whether some type was needed before anything said it.
    pub(super) has_early_types: bool,
    /// The receivers of the methods that are being resolved, and the value of each that was not needed yet.
    receivers: Vec<(*const syn::Expr, Option<Expr>)>,
    /// Iterators that helpers return, each by the number of the body, and where it is called.
    returned_iterators: HashMap<LoopId, (Chain, Span)>,
    /// The structs of the module that were used.
    records: HashMap<String, Rc<RecordType>>,
    /// Those whose fields are being read.
    declaring: Vec<syn::Ident>,
    /// Closures that are values.
    closures: closure_value::Closures,
    /// Pairs of an integer type and the unsigned type of its width.
    unsigned: Vec<(Type, Type, Span)>,
    /// Whether some expression was refused, so that types may be missing for that reason alone.
    has_errors: bool,
    /// Iterators named by `parallel(i)` that were found.
    parallel_seen: Vec<String>,
    /// Of arrays whose types follow from where they go.
    open_lengths: Vec<(Len, Span)>,
    /// Lengths that rustc makes equal, and where.
    equal_lengths: Vec<(Len, Len, Span)>,
    /// Types that numbers are converted to, and that follow from where the values go.
    conversions: Vec<(Type, Span)>,
    /// The types of `Default::default()`.
    defaults: Vec<(Type, Span)>,
    /// The const parameters of the function.
    const_parameters: Vec<PathId>,
    /// Whether some message does not wait.
    pub(super) has_requests: bool,
    /// How many tokens were written again by tail duplication.
    duplicated: usize,
    /// The call that the messages being resolved stand for, as the user wrote it.
    message_written: Option<String>,
    /// Bounds that were taken for traits of `num-traits`, and where they are written.
    pub(super) trusted: Vec<(syn::Path, Span)>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
        options: &'a Options,
        module: &'a Module,
        item: &syn::ItemFn,
        early: EarlyTypes,
    ) -> Resolver<'a> {
        let mut resolver = Resolver {
            refusals: Refusals::default(),
            infer: Infer::default(),
            locals: Vec::new(),
            paths: Vec::new(),
            user_functions: Vec::new(),
            items: Vec::new(),
            options,
            module,
            scopes: vec![Scope::default()],
            loops: Vec::new(),
            loop_count: 0,
            inlining: Vec::new(),
            as_loops: HashMap::new(),
            endless: HashSet::new(),
            inlined: 0,
            recursions: 0,
            rule_depth: 0,
            accumulators: Vec::new(),
            written_out: Vec::new(),
            known: HashMap::new(),
            leaves: false,
            globs: Vec::new(),
            usual_arguments: module.usual_arguments(item),
            float: float_of(item),
            early,
            has_early_types: false,
            receivers: Vec::new(),
            returned_iterators: HashMap::new(),
            records: HashMap::new(),
            declaring: Vec::new(),
            closures: closure_value::Closures::default(),
            unsigned: Vec::new(),
            has_errors: false,
            parallel_seen: Vec::new(),
            open_lengths: Vec::new(),
            equal_lengths: Vec::new(),
            conversions: Vec::new(),
            defaults: Vec::new(),
            const_parameters: Vec::new(),
            has_requests: false,
            duplicated: 0,
            message_written: None,
            trusted: Vec::new(),
        };
        resolver.declare_module();
        resolver.scopes.push(Scope { function: true, ..Scope::default() });
        resolver
    }

    fn refuse(
        &mut self,
        span: Span,
        what: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Expr {
        self.refusals.push(span, what, why, help);
        self.error(span)
    }

    /// Whether an expression is a name that was refused where it is declared.
    fn is_refused(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = bare(e) else { return false };
        let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
        matches!(self.lookup(&name), Some(Name::Refused))
    }

    fn error(&mut self, span: Span) -> Expr {
        self.has_errors = true;
        Expr::new(Kind::Error, Type::Never, span)
    }

    fn fresh(&mut self) -> Type {
        self.infer.fresh(Class::Any)
    }

    /// A length that follows from where its array goes, and its value.
    fn open_length(&mut self, span: Span) -> (Len, Expr) {
        let len = Len::Open(Rc::default());
        self.open_lengths.push((len.clone(), span));
        (len.clone(), Expr::new(Kind::Length(len), Type::USIZE, span))
    }

    fn unify(&mut self, a: &Type, b: &Type, span: Span) {
        let unified = self.infer.unify(a, b);
        self.note_lengths(span);
        if unified.is_err() {
            let of_structs = self.is_record(a) && self.is_record(b);
            let (a, b) = (self.infer.show(a), self.infer.show(b));
            if of_structs {
                self.refusals.push(
                    span,
                    format!("the types `{a}` and `{b}` meet here"),
                    "whose functions are meant would be known only at run time",
                    "call the function of each in its branch: `if c { f(&a) } else { f(&b) }`",
                );
                return;
            }
            self.refusals.push(
                span,
                format!("the types `{a}` and `{b}` meet here"),
                "both sides must have one type",
                conversions::of_one_side(&a, &b),
            );
        }
    }

    fn restrict(&mut self, ty: &Type, class: Class, span: Span) {
        if self.infer.restrict(ty, class).is_err() {
            let ty = self.infer.show(ty);
            let wanted = if class == Class::Int { "an integer" } else { "a float" };
            self.refusals.push(
                span,
                format!("this has type `{ty}`, where {wanted} is expected"),
                "the operation is not defined for it",
                "convert it with `as`",
            );
        }
    }

    pub(super) fn declare(&mut self, name: &str, ty: Type, mutable: bool, span: Span) -> LocalId {
        let id = self.hidden(name, ty, mutable, span);
        self.bind(name, Name::Local(id));
        id
    }

    /// A local that no name of the source reaches.
    pub(super) fn hidden(&mut self, name: &str, ty: Type, mutable: bool, span: Span) -> LocalId {
        self.locals.push(Local { name: name.to_owned(), ty, mutable, assigned: false, span });
        self.locals.len() - 1
    }

    /// A value under a name that no name of the source is, from the end of the statements on.
    fn named(&mut self, name: &str, value: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let id = self.hidden(name, ty.clone(), false, span);
        stmts.push(Stmt::bind(id, value));
        Expr::local(id, &ty, span)
    }

    /// An expression of a type.
    fn typed(&mut self, e: &syn::Expr, ty: &Type) -> Expr {
        let e = self.expr(e);
        self.unify(&e.ty, ty, e.span);
        e
    }

    fn usize(&mut self, e: &syn::Expr) -> Expr {
        self.typed(e, &Type::USIZE)
    }

    fn condition(&mut self, e: &syn::Expr) -> Expr {
        self.typed(e, &Type::BOOL)
    }

    /// The elements of a value of unknown type that must be an array.
    fn array_of_some(&mut self, ty: &Type, span: Span) -> Type {
        let elem = self.fresh();
        self.unify(ty, &Type::slice(elem.clone()), span);
        elem
    }

    fn bind(&mut self, name: &str, what: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), what);
        }
    }

    pub(super) fn declare_const_generic(&mut self, name: &syn::Ident, ty: &syn::Type) {
        let ty = match self.type_of(ty) {
            Some(ty) => ty,
            None => self.fresh(),
        };
        let path = self.opaque(quote::quote!(#name), name.to_string(), ty, name.span());
        self.const_parameters.push(path);
        self.bind(&name.to_string(), Name::Path(path));
    }

    /// The one path of these tokens.
    fn opaque(&mut self, tokens: proc_macro2::TokenStream, text: String, ty: Type, span: Span) -> PathId {
        let same = |path: &OpaquePath| path.text == text && path.tokens.to_string() == tokens.to_string();
        if let Some(id) = self.paths.iter().position(same) {
            return id;
        }
        self.paths.push(OpaquePath { text, tokens, ty, span, used: false, range: None });
        self.paths.len() - 1
    }

    fn lookup(&self, name: &str) -> Option<&Name> {
        let mut inside = true;
        for scope in self.scopes.iter().rev() {
            match scope.names.get(name) {
                Some(Name::Local(_)) if !inside => {}
                Some(found) => return Some(found),
                None => {}
            }
            inside &= !scope.function;
        }
        None
    }

    /// Runs with the outermost scopes alone, as a body sees them that stands there.
    fn seen_from<T>(&mut self, scopes: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let inner = self.scopes.split_off(scopes.min(self.scopes.len()));
        let out = run(self);
        self.scopes.truncate(scopes);
        self.scopes.extend(inner);
        out
    }

    fn scoped<T>(&mut self, function: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope { function, ..Scope::default() });
        let out = run(self);
        self.scopes.pop();
        out
    }
}

/// From the first to the last token, where the compiler can say so.
fn joined(first: Span, last: Span) -> Span {
    first.join(last).unwrap_or(first)
}

/// Whether a path is one of these, each `a::b::c`.
fn is_path(path: &syn::Path, known: &[&str]) -> bool {
    known.contains(&names(path).join("::").as_str())
}

/// The expression without parentheses and the groups of `macro_rules!`.
pub(super) fn bare(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Group(group) => bare(&group.expr),
        syn::Expr::Paren(paren) => bare(&paren.expr),
        other => other,
    }
}
