//! Structs of the module: literals, fields, patterns, functions of their `impl`s.

use super::super::communicators;
use super::super::function_fields::parameter_of_field;
use super::super::generic_structs::{generics_of, parameters};
use super::super::infer::{Argument, RecordType, Type};
use super::super::module::field_types;
use super::super::tree::{Block, Expr, Kind, LocalId, MatchPattern, Pattern, Stmt};
use super::{Name, Resolver};
use crate::ir::{Int, Ty};
use crate::signature::{Record, member_name};
use proc_macro2::Span;
use std::collections::HashMap;
use std::rc::Rc;
use syn::Member;
use syn::spanned::Spanned;

/// Names or numbers of fields, and which fields of the record these are.
pub(super) type Members = Vec<(Member, usize)>;

pub(super) fn members(record: &Record) -> Members {
    record.fields.iter().enumerate().map(|(at, field)| (field.member.clone(), at)).collect()
}

pub(super) fn position(members: &Members, member: &Member) -> Option<usize> {
    let found = members.iter().find(|(known, _)| match (known, member) {
        (Member::Unnamed(a), Member::Unnamed(b)) => a.index == b.index,
        (Member::Named(a), Member::Named(b)) => a == b,
        _ => false,
    });
    found.map(|(_, at)| *at)
}

impl Resolver<'_> {
    pub(super) fn is_record(&self, ty: &Type) -> bool {
        matches!(self.infer.peel(ty), Type::Record(_))
    }

    /// The type of a struct, with the types of its fields as they are where it is declared.
    pub(super) fn record_type(&mut self, record: &Rc<Record>) -> Type {
        let Some(name) = record.name.clone() else {
            let parts = self.types_of_fields(record);
            return Type::Tuple(parts);
        };
        if let Some(known) = self.records.get(&name.to_string()) {
            return Type::Record(known.clone());
        }
        let template = self.module.template(&name.to_string());
        let arguments =
            template.map(|of| self.arguments_of(of, &record.arguments, name.span())).unwrap_or_default();
        if self.declaring.contains(&name) {
            self.refuse(
                name.span(),
                format!("the type `{name}`, whose fields need it themselves"),
                "the lengths of its arrays are known before it is",
                "write the length as a constant of the module: `const N: usize = 3;`",
            );
            return Type::Never;
        }
        self.declaring.push(name.clone());
        let parts = match template {
            Some(of) => self.types_of_template(of, record, &arguments),
            None => self.types_of_fields(record),
        };
        self.declaring.pop();
        let ty = Rc::new(RecordType { name: name.clone(), arguments, record: record.clone(), parts });
        if template.is_none() {
            self.records.insert(name.to_string(), ty.clone());
        }
        Type::Record(ty)
    }

    fn types_of_fields(&mut self, record: &Record) -> Vec<Type> {
        self.seen_from(1, |this| {
            record.fields.iter().map(|field| this.type_of_field(&field.ty, &field.content)).collect()
        })
    }

    /// The types of the fields of a struct or an enum whose parameters are these.
    fn types_of_template(&mut self, of: &syn::Item, record: &Record, arguments: &[Argument]) -> Vec<Type> {
        self.seen_from(1, |this| {
            this.scoped(true, |this| {
                for (param, argument) in parameters(generics_of(of)).zip(arguments) {
                    match (param, argument, this.scopes.last_mut()) {
                        (syn::GenericParam::Type(param), Argument::Type(ty), Some(scope)) => {
                            scope.types.insert(param.ident.to_string(), ty.clone());
                        }
                        (syn::GenericParam::Const(param), Argument::Constant(len, ty), _) => {
                            this.bind(&param.ident.to_string(), Name::Length(len.clone(), ty.clone()));
                        }
                        _ => {}
                    }
                }
                // the first of an enum is which variant it is
                let kind = matches!(of, syn::Item::Enum(it) if !it.variants.is_empty());
                let kind = kind.then_some(Type::Scalar(Ty::Int(Int::I64)));
                let contents = record.fields.iter().skip(usize::from(kind.is_some()));
                let fields = field_types(of).zip(contents);
                let fields = fields.map(|(ty, field)| match parameter_of_field(generics_of(of), ty) {
                    Some(param) => this.type_parameter(&param.to_string()).cloned().unwrap_or(Type::UNIT),
                    None => this.type_of_field(ty, &field.content),
                });
                kind.into_iter().chain(fields).collect()
            })
        })
    }

    /// Whether a path names a struct or a variant of an enum of the module.
    pub(super) fn is_of_module(&mut self, path: &syn::Path) -> bool {
        self.module.record(path).is_some() || self.is_in_enum(path)
    }

    /// The struct that a path names, if it names one of the module.
    pub(super) fn record_of_path(&mut self, path: &syn::Path) -> Option<Result<Rc<RecordType>, ()>> {
        match self.module.record(path)? {
            Ok(record) => match self.record_type(&record) {
                Type::Record(ty) => Some(Ok(ty)),
                _ => None,
            },
            Err(refusal) => {
                self.refusals.0.push(refusal);
                Some(Err(()))
            }
        }
    }

    pub(super) fn field_of_record(
        &mut self,
        base: Expr,
        record: &Rc<RecordType>,
        member: &Member,
        span: Span,
    ) -> Expr {
        let members = members(&record.record);
        match position(&members, member) {
            Some(at) if record.has_unknown(at) => {
                self.refusals.0.push(self.unknown_field(record, at, member.span()));
                self.error(span)
            }
            Some(at) => base.member(at, &record.parts[at], span),
            None => match self.field_of_text(record, member) {
                Some(function) => {
                    let base = self.as_receiver(&function, base);
                    let given = super::helper::Given::default();
                    let field = self.inline_with(&function, 1, given, vec![base], std::iter::empty(), span);
                    self.dereferenced(field)
                }
                None => match self.behind_deref(&base, span) {
                    Some((target, of)) => self.field_of_record(target, &of, member, span),
                    None => self.no_field(record, &members, member),
                },
            },
        }
    }

    /// The function of a type of a known crate that stands for a field behind its `Deref`: it returns a reference.
    fn field_of_text(&self, record: &RecordType, member: &Member) -> Option<Rc<syn::ItemFn>> {
        let (Member::Named(name), Some(_)) = (member, &record.record.of_crate) else { return None };
        let function = self.module.records().function(&record.name.to_string(), &name.to_string())?;
        let is_reference = matches!(&function.sig.output, syn::ReturnType::Type(_, ty) if matches!(**ty, syn::Type::Reference(_)));
        is_reference.then_some(function)
    }

    /// The elements of a vector of a known crate, which iterators go through; any other value itself.
    pub(super) fn elements_of_text(&mut self, e: Expr, span: Span) -> Expr {
        let Type::Record(record) = self.infer.peel(&e.ty) else { return e };
        let of_crate = record.record.of_crate.as_ref();
        let function = self.module.records().function(&record.name.to_string(), "as_slice");
        let Some(function) = function.filter(|_| of_crate.is_some()) else { return e };
        let e = self.as_receiver(&function, e);
        let given = super::helper::Given::default();
        self.inline_with(&function, 1, given, vec![e], std::iter::empty(), span)
    }

    pub(super) fn no_field(&mut self, record: &RecordType, members: &Members, member: &Member) -> Expr {
        if communicators::is_known(&record.record) {
            return self.refuse(
                member.span(),
                format!("`{}` of what the crate `mpi` gives", member_name(member)),
                "messages are known by their buffers alone",
                "read the buffer behind the scope of its request",
            );
        }
        let name = &record.name;
        let fields: Vec<String> =
            members.iter().map(|(member, _)| format!("`{}`", member_name(member))).collect();
        self.refuse(
            member.span(),
            format!("`{}`, which is no field of `{name}`", member_name(member)),
            format!("its fields are {}", fields.join(", ")),
            "name one of them",
        )
    }

    /// `S`, a struct without fields.
    pub(super) fn unit_struct(&mut self, path: &syn::Path, span: Span) -> Option<Expr> {
        let record = match self.module.record(path)? {
            Ok(record) if record.fields.is_empty() => self.record_type(&record),
            _ => return None,
        };
        Some(Expr::new(Kind::Tuple(Vec::new()), record, span))
    }

    pub(super) fn unknown_struct(&mut self, path: &syn::Path, span: Span) -> Expr {
        let name = super::super::display::tidy(path);
        if matches!(self.lookup(&name), Some(Name::Refused)) {
            return self.error(span);
        }
        self.refuse(
            span,
            format!("a value of the struct `{name}`"),
            "the attribute does not see its definition",
            format!("write `#[differentiate(export)]` before `struct {name}` and `uses({name})` here"),
        )
    }

    /// A value as the first parameter of a method.
    pub(super) fn as_receiver(&mut self, item: &syn::ItemFn, receiver: Expr) -> Expr {
        match item.sig.inputs.first() {
            Some(syn::FnArg::Typed(arg)) => match &*arg.ty {
                syn::Type::Reference(reference) => self.borrowed(receiver, reference.mutability.is_some()),
                _ => self.dereferenced(receiver),
            },
            _ => self.borrowed(receiver, false),
        }
    }

    /// The value behind references.
    pub(super) fn dereferenced(&mut self, e: Expr) -> Expr {
        match self.infer.shallow(&e.ty) {
            Type::Ref(_, inner) => {
                let span = e.span;
                let inner = Expr::new(Kind::Deref(e.boxed()), *inner, span);
                self.dereferenced(inner)
            }
            _ => e,
        }
    }

    /// `&e` or `&mut e`, unless it is a reference.
    pub(super) fn borrowed(&mut self, e: Expr, mutable: bool) -> Expr {
        if let Type::Ref(..) = self.infer.shallow(&e.ty) { e } else { self.reference_to(e, mutable) }
    }

    /// `&e` or `&mut e`. A temporary that may be written to is a variable: `step(x, &mut State::new(x))`
    pub(super) fn reference_to(&mut self, e: Expr, mutable: bool) -> Expr {
        let is_array = matches!(self.infer.shallow(&e.ty), Type::Array(..));
        if !mutable || is_array || !is_computed(&e) {
            return e.borrowed(mutable);
        }
        let (ty, span) = (e.ty.clone(), e.span);
        let temporary = self.hidden("temporary", ty.clone(), true, span);
        Expr::local(temporary, &ty, span).borrowed(true).behind(vec![Stmt::bind(temporary, e)], span)
    }

    /// `S { x, y: [a, b], .. }`
    pub(super) fn struct_pattern(&mut self, pat: &syn::PatStruct, ty: &Type) -> Pattern {
        let Some(of) = self.record_of_whole_pattern(&pat.path, ty) else { return Pattern::Wild };
        let open = vec![Pattern::Wild; of.record.parts.len()];
        Pattern::Tuple(self.named_fields(pat, ty, &of, open, Self::pattern))
    }

    /// `S(a, b)`
    pub(super) fn tuple_struct_pattern(&mut self, pat: &syn::PatTupleStruct, ty: &Type) -> Pattern {
        let Some(of) = self.record_of_whole_pattern(&pat.path, ty) else { return Pattern::Wild };
        let open = vec![Pattern::Wild; of.record.parts.len()];
        self.numbered_fields(pat, ty, &of, open, Self::pattern).map_or(Pattern::Wild, Pattern::Tuple)
    }

    /// `S { kind: 0, x, .. }` of a `match`.
    pub(super) fn struct_case(
        &mut self,
        pat: &syn::PatStruct,
        ty: &Type,
        bound: &mut HashMap<String, LocalId>,
    ) -> MatchPattern {
        let Some(of) = self.record_of_pattern(&pat.path, ty) else { return MatchPattern::Wild };
        let open = self.open_case(&of, pat.path.span());
        MatchPattern::Tuple(
            self.named_fields(pat, ty, &of, open, |this, pat, ty| this.match_pattern(pat, ty, bound)),
        )
    }

    /// `S(0, x)` of a `match`.
    pub(super) fn tuple_struct_case(
        &mut self,
        pat: &syn::PatTupleStruct,
        ty: &Type,
        bound: &mut HashMap<String, LocalId>,
    ) -> MatchPattern {
        let Some(of) = self.record_of_pattern(&pat.path, ty) else { return MatchPattern::Wild };
        let open = self.open_case(&of, pat.path.span());
        let parts =
            self.numbered_fields(pat, ty, &of, open, |this, pat, ty| this.match_pattern(pat, ty, bound));
        parts.map_or(MatchPattern::Wild, MatchPattern::Tuple)
    }

    fn open_case(&mut self, of: &Matched, span: Span) -> Vec<MatchPattern> {
        match of.variant {
            Some(at) => self.case_of_variant(&of.record, at, span),
            None => vec![MatchPattern::Wild; of.record.parts.len()],
        }
    }

    /// What `of` makes of the patterns of fields, in place of the open ones.
    fn named_fields<P>(
        &mut self,
        pat: &syn::PatStruct,
        ty: &Type,
        matched: &Matched,
        mut parts: Vec<P>,
        mut of: impl FnMut(&mut Self, &syn::Pat, &Type) -> P,
    ) -> Vec<P> {
        let members = matched.members();
        for field in &pat.fields {
            let Some(at) = position(&members, &field.member) else {
                self.no_field(&matched.record, &members, &field.member);
                continue;
            };
            if self.binds_unknown(&matched.record, at, &field.pat) {
                continue;
            }
            let part = self.part_type(&matched.record, at, ty);
            parts[at] = of(self, &field.pat, &part);
        }
        parts
    }

    /// The same for fields without names.
    fn numbered_fields<P>(
        &mut self,
        pat: &syn::PatTupleStruct,
        ty: &Type,
        matched: &Matched,
        mut parts: Vec<P>,
        mut of: impl FnMut(&mut Self, &syn::Pat, &Type) -> P,
    ) -> Option<Vec<P>> {
        let members = matched.members();
        let rest = pat.elems.iter().position(|pat| matches!(pat, syn::Pat::Rest(_)));
        let named = pat.elems.len() - usize::from(rest.is_some());
        if named > members.len() || (rest.is_none() && named < members.len()) {
            self.refuse(
                pat.span(),
                format!("a pattern of {named} fields"),
                format!("`{}` has {}", super::super::display::tidy(&pat.path), members.len()),
                "write `_` for each field that is not used",
            );
            return None;
        }
        let skipped = members.len() - named;
        for (written, inner) in pat.elems.iter().enumerate() {
            let at = match rest {
                Some(rest) if written == rest => continue,
                Some(rest) if written > rest => written - 1 + skipped,
                _ => written,
            };
            if self.binds_unknown(&matched.record, members[at].1, inner) {
                continue;
            }
            let part = self.part_type(&matched.record, members[at].1, ty);
            parts[members[at].1] = of(self, inner, &part);
        }
        Some(parts)
    }

    /// The type that a field is bound with: a reference where the struct is one.
    fn part_type(&mut self, record: &RecordType, at: usize, whole: &Type) -> Type {
        let part = record.parts[at].clone();
        match self.infer.shallow(whole) {
            Type::Ref(mutable, _) => Type::reference(mutable, part),
            _ => part,
        }
    }

    /// The struct that a pattern names which takes every value: another variant would be taken for this one.
    fn record_of_whole_pattern(&mut self, path: &syn::Path, ty: &Type) -> Option<Matched> {
        let of = self.record_of_pattern(path, ty)?;
        if of.variant.is_some() && of.record.record.variants.len() > 1 {
            self.refuse_fallible(path.span());
            return None;
        }
        Some(of)
    }

    /// The struct or variant that a pattern names.
    fn record_of_pattern(&mut self, path: &syn::Path, ty: &Type) -> Option<Matched> {
        let found = match self.variant_of(path) {
            Some(found) => found.map(|(record, at)| Matched { record, variant: Some(at) }),
            None => match self.record_of_path(path) {
                Some(found) => found.map(|record| Matched { record, variant: None }),
                None => {
                    self.unknown_struct(path, path.span());
                    return None;
                }
            },
        };
        let matched = found.ok()?;
        self.unify(&Type::Record(matched.record.clone()), ty, path.span());
        Some(matched)
    }
}

/// The struct that a pattern is of, or which variant of an enum.
struct Matched {
    record: Rc<RecordType>,
    variant: Option<usize>,
}

impl Matched {
    fn members(&self) -> Members {
        match self.variant {
            Some(at) => self.record.record.variants[at].holds.clone(),
            None => members(&self.record.record),
        }
    }
}

/// Whether the value has no place of its own.
fn is_computed(e: &Expr) -> bool {
    match &e.kind {
        Kind::Block(Block { tail: Some(tail), .. }) => is_computed(tail),
        Kind::Inline(_) | Kind::If(..) | Kind::Match(_) | Kind::Tuple(_) | Kind::Zeros => true,
        Kind::Unary(..)
        | Kind::Binary(..)
        | Kind::Cast(_)
        | Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_) => true,
        _ => false,
    }
}

/// Whether evaluating the expression again is the same and free.
pub(super) fn is_place(e: &Expr) -> bool {
    match &e.kind {
        Kind::Local(_) => true,
        Kind::Field(base, _) | Kind::Deref(base) => is_place(base),
        _ => false,
    }
}
