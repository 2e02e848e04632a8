//! Structs of a module with their functions: fields, methods, constants, operators.

use super::display::tidy_type;
use super::generic_structs::{has_parameters, parameters};
use super::hygiene;
use super::methods::{OwnType, with_generics_of};
use crate::ir::Ty;
use crate::refusal::Refusal;
use crate::signature::{Record, vector_element};
use crate::visit::changing::VisitMut;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{
    GenericArgument, GenericParam, Generics, Ident, ImplItem, Item, ItemFn, ItemImpl, ItemTrait,
    PathArguments, TraitItem, Type,
};

/// The structs of a module by name, and what their `impl`s hold.
#[derive(Clone, Default)]
pub(super) struct Records {
    structs: HashMap<String, Result<Rc<Record>, Refusal>>,
    /// By the names of the struct and of the function; those that it has by itself before those of traits.
    functions: HashMap<(String, String), Vec<Function>>,
    /// The same of constants.
    constants: HashMap<(String, String), Vec<Rc<Constant>>>,
    operators: Vec<Operator>,
    /// The functions of `impl`s of traits for vectors, slices, arrays and tuples.
    of_arrays: Vec<Operator>,
    /// By their names.
    traits: HashMap<String, ItemTrait>,
    /// The names of types and of the traits that they have.
    implemented: HashSet<(String, String)>,
    /// Types, by the names of the type whose they are and their own; none where there are several.
    types: HashMap<(String, String), Option<Type>>,
    /// The `impl`s of traits, with their types alone.
    implementations: Vec<Rc<ItemImpl>>,
}

/// A function of an `impl`.
#[derive(Clone)]
pub(super) struct Function {
    /// The type that the `impl` is for.
    pub(super) of: Type,
    /// The trait, with its arguments; none of what a type has by itself.
    pub(super) trait_: Option<syn::Path>,
    /// How many of the parameters of the function are those of the `impl`, which come first; lifetimes are none.
    pub(super) params: usize,
    pub(super) item: Rc<ItemFn>,
}

impl Function {
    /// Whether a trait of this name gives it.
    pub(super) fn is_of_trait(&self, name: &str) -> bool {
        let trait_ = self.trait_.as_ref().and_then(|path| path.segments.last());
        trait_.is_some_and(|trait_| trait_.ident == name)
    }
}

/// A constant of an `impl`.
pub(super) struct Constant {
    /// The type that the `impl` is for.
    pub(super) of: Type,
    /// The trait, with its arguments; none of what a type has by itself.
    pub(super) trait_: Option<syn::Path>,
    /// The parameters of the `impl`.
    pub(super) generics: syn::Generics,
    pub(super) item: syn::ImplItemConst,
}

/// `impl Add<right> for left`
#[derive(Clone)]
pub(super) struct Operator {
    /// `Add`, `AddAssign`, `Neg`, …; of a trait that is no operator, the function.
    pub(super) name: String,
    pub(super) left: Type,
    /// As written between the brackets of the trait; the left side if nothing is.
    pub(super) right: Type,
    pub(super) function: Rc<ItemFn>,
}

impl Operator {
    /// Whether its right side is behind a reference.
    pub(super) fn takes_reference(&self) -> bool {
        is_reference(&self.right)
    }
}

/// Whether a type is a reference.
pub(super) fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Group(ty) => is_reference(&ty.elem),
        Type::Paren(ty) => is_reference(&ty.elem),
        ty => matches!(ty, Type::Reference(_)),
    }
}

/// Whether operators call what a trait of this name of `std::ops` has.
pub(crate) fn is_operator(trait_: &str) -> bool {
    super::is_word(OPERATORS, trait_)
}

/// The names of these traits.
pub(super) const OPERATORS: &str = "Add Sub Mul Div Rem Neg Not AddAssign SubAssign MulAssign DivAssign RemAssign \
    BitAnd BitOr BitXor Shl Shr BitAndAssign BitOrAssign BitXorAssign ShlAssign ShrAssign Index IndexMut Deref";

impl Records {
    pub(super) fn get(&self, name: &str) -> Option<&Result<Rc<Record>, Refusal>> {
        self.structs.get(name)
    }

    pub(super) fn insert(&mut self, name: String, record: Result<Rc<Record>, Refusal>) {
        self.structs.insert(name, record);
    }

    /// The first function of this name of the `impl`s of a type.
    pub(super) fn function(&self, of: &str, name: &str) -> Option<Rc<ItemFn>> {
        self.functions(of, name).first().map(|function| function.item.clone())
    }

    /// The functions of this name that the `impl`s of a type have.
    pub(super) fn functions(&self, of: &str, name: &str) -> &[Function] {
        self.functions.get(&(of.to_owned(), name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Whether some struct has a function of this name.
    pub(super) fn has_function(&self, name: &str) -> bool {
        self.functions.keys().any(|(_, known)| known == name)
    }

    /// The structs that a value is converted to by an `impl From<…>`, in alphabetical order.
    pub(super) fn converted(&self) -> Vec<&str> {
        let with_from = self.functions.keys().filter(|(_, name)| name == "from");
        let mut all: Vec<&str> = with_from.map(|(of, _)| of.as_str()).collect();
        all.sort_unstable();
        all
    }

    /// The constants of this name that `impl`s of a type have.
    pub(super) fn constants(&self, of: &str, name: &str) -> &[Rc<Constant>] {
        self.constants.get(&(of.to_owned(), name.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The associated type of an `impl`.
    pub(super) fn associated_type(&self, of: &str, name: &str) -> Option<&Type> {
        self.types.get(&(of.to_owned(), name.to_owned()))?.as_ref()
    }

    pub(super) fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// The functions of this name that traits of the module give vectors, slices, arrays and tuples.
    pub(super) fn of_arrays<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Operator> {
        self.of_arrays.iter().filter(move |of| of.name == name)
    }

    /// The `impl`s of traits, with their types alone.
    pub(super) fn implementations(&self) -> Vec<Rc<ItemImpl>> {
        self.implementations.clone()
    }

    /// Reads a trait, whose functions with bodies are those of every struct that does not write its own.
    pub(super) fn add_trait(&mut self, item: ItemTrait) {
        self.traits.insert(item.ident.to_string(), item);
    }

    /// A trait of the module.
    pub(super) fn trait_(&self, name: &str) -> Option<&ItemTrait> {
        self.traits.get(name)
    }

    /// Whether a type has a trait of the module.
    pub(super) fn has_trait(&self, of: &str, name: &str) -> bool {
        self.implemented.contains(&(of.to_owned(), name.to_owned()))
    }

    /// Whether a trait of the module has a function of this name.
    pub(super) fn is_of_trait(&self, name: &str) -> bool {
        self.traits.values().flat_map(|item| &item.items).any(|part| match part {
            TraitItem::Fn(function) => function.sig.ident == name,
            _ => false,
        })
    }

    /// What an `impl` has of its trait.
    pub(super) fn provided(&self, item: &ItemImpl) -> Vec<ImplItem> {
        let last = item.trait_.as_ref().filter(|(path, _)| path.segments.len() == 1);
        let Some(last) = last.and_then(|(path, _)| path.segments.last()) else { return Vec::new() };
        let Some(of) = self.traits.get(&last.ident.to_string()) else { return Vec::new() };
        let Some(names) = arguments_of(&of.generics, &last.arguments) else { return Vec::new() };
        let provided = of.items.iter().filter_map(|part| {
            let part = match part {
                TraitItem::Fn(function) => {
                    let (attrs, sig, block) = (&function.attrs, &function.sig, function.default.as_ref()?);
                    quote::quote!(#(#attrs)* #sig #block)
                }
                TraitItem::Const(constant) => {
                    let (name, ty) = (&constant.ident, &constant.ty);
                    let (_, value) = constant.default.as_ref()?;
                    quote::quote!(const #name: #ty = #value;)
                }
                _ => return None,
            };
            syn::parse2(hygiene::replaced(part, &names)).ok()
        });
        let written = |name: &Ident| {
            item.items.iter().any(|part| match part {
                ImplItem::Fn(function) => function.sig.ident == *name,
                ImplItem::Const(constant) => constant.ident == *name,
                _ => false,
            })
        };
        let is_written = |part: &ImplItem| match part {
            ImplItem::Fn(function) => written(&function.sig.ident),
            ImplItem::Const(constant) => written(&constant.ident),
            _ => false,
        };
        provided.filter(|part| !is_written(part)).collect()
    }

    /// Notes a function of a trait that operators call.
    fn add_operator(
        &mut self,
        trait_: &syn::PathSegment,
        item: &ItemImpl,
        function: &syn::ImplItemFn,
        own: &mut OwnType,
    ) {
        let mut right = match &trait_.arguments {
            syn::PathArguments::AngleBracketed(args) => match args.args.first() {
                Some(syn::GenericArgument::Type(ty)) => ty.clone(),
                _ => (*item.self_ty).clone(),
            },
            _ => (*item.self_ty).clone(),
        };
        own.visit_type_mut(&mut right);
        self.operators.push(Operator {
            name: trait_.ident.to_string(),
            left: (*item.self_ty).clone(),
            right,
            function: Rc::new(function_of(own, item, function)),
        });
    }

    /// Notes `impl Into<Pair> for S` as `impl From<S> for Pair`, which means the same for all that converts.
    fn add_into(&mut self, trait_: &syn::PathSegment, item: &ItemImpl) {
        let arguments = super::generic_structs::arguments_of(trait_);
        let Some(GenericArgument::Type(to)) = arguments.into_iter().next() else { return };
        let mut own = OwnType::of(item);
        for part in &item.items {
            let ImplItem::Fn(function) = part else { continue };
            let (item, of) = (Rc::new(function_of(&mut own, item, function)), (*item.self_ty).clone());
            if let Some(name) = name_of(&to).filter(|name| self.structs.contains_key(name)) {
                let (of, trait_) = (to.clone(), Some(syn::parse_quote!(From<#of>)));
                let params = parameters(&item.sig.generics).count();
                let function = Function { of, trait_, params, item: item.clone() };
                self.functions.entry((name, "from".to_owned())).or_default().push(function);
            }
            let name = "From".to_owned();
            self.operators.push(Operator { name, left: to.clone(), right: of, function: item });
        }
    }

    /// Reads an `impl`; aliases are written out already.
    pub(super) fn add_impl(&mut self, item: &ItemImpl) {
        if super::forwarding::is_forwarding(item) {
            return;
        }
        let of_trait = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let of = name_of(&item.self_ty);
        let open =
            item.generics.type_params().position(|param| of.as_ref().is_some_and(|of| param.ident == of));
        if let Some(open) = open {
            // `impl<T: Float> Norm for T`, as one for each type that may be meant: `impl<T: Float = f64> Norm for f64`
            let floats = [Ty::F64, Ty::F32].map(|ty| ty.to_string());
            let param = item.generics.type_params().nth(open).map(|param| &param.ident);
            let bounds = param.map(|param| super::instances::bounds_of(&item.generics, param));
            let structs = self.structs_behind(bounds.unwrap_or_default());
            for ty in floats.into_iter().chain(structs) {
                let (mut special, ty) = (item.clone(), quote::format_ident!("{ty}"));
                if let Some(param) = special.generics.type_params_mut().nth(open) {
                    param.default = Some((Default::default(), syn::parse_quote!(#ty)));
                }
                special.self_ty = syn::parse_quote!(#ty);
                self.add_impl(&special);
            }
            return;
        }
        if let Some(trait_) = of_trait.filter(|last| last.ident == "Into" && self.trait_("Into").is_none()) {
            return self.add_into(trait_, item);
        }
        let of_iterators = of_trait.map(|last| last.ident.to_string());
        let of_iterators = of_iterators.filter(|name| matches!(&**name, "Sum" | "Product"));
        if let (Some(trait_), Some(of)) = (of_trait, of) {
            self.implemented.insert((of, trait_.ident.to_string()));
        }
        let Some(name) =
            name_of(&item.self_ty).filter(|name| self.structs.contains_key(name)).or_else(|| {
                // `impl Mul<V3> for f64`, `impl Norm for f64`
                let scalar = name_of(&item.self_ty).filter(|name| Ty::from_name(name).is_some());
                item.trait_.as_ref().map(|_| scalar.unwrap_or_default())
            })
        else {
            return;
        };
        let mut own = OwnType::of(item);
        for part in &item.items {
            let ImplItem::Type(part) = part else { continue };
            let mut ty = part.ty.clone();
            own.visit_type_mut(&mut ty);
            let known = self.types.entry((name.clone(), part.ident.to_string())).or_insert(Some(ty.clone()));
            *known = known.take().filter(|known| tidy_type(known) == tidy_type(&ty));
        }
        if item.trait_.is_some() && is_compound(&item.self_ty) {
            for part in item.items.iter().chain(&self.provided(item)) {
                let ImplItem::Fn(function) = part else { continue };
                self.of_arrays.push(Operator {
                    name: function.sig.ident.to_string(),
                    left: (*item.self_ty).clone(),
                    right: (*item.self_ty).clone(),
                    function: Rc::new(function_of(&mut own, item, function)),
                });
            }
        }
        let operator = item.trait_.as_ref().and_then(|(path, _)| {
            let last = path.segments.last()?;
            is_operator(&last.ident.to_string()).then_some(last)
        });
        let compared = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        // several of these may be of one type
        let compared = compared.filter(|last| last.ident == "PartialEq" || last.ident == "From");
        let of_trait_alone = self.seen_by_trait(item);
        let mut provided = OwnType::of(&of_trait_alone);
        let own_type = (*item.self_ty).clone();
        let trait_ = item.trait_.as_ref().map(|(path, _)| {
            let mut path = path.clone();
            own.visit_path_mut(&mut path);
            path
        });
        if trait_.is_some() {
            let mut of_types = Item::Impl(item.clone());
            if let Item::Impl(of) = &mut of_types {
                of.items.retain(|part| matches!(part, ImplItem::Type(_)));
            }
            own.visit_item_mut(&mut of_types);
            if let Item::Impl(of) = of_types {
                self.implementations.push(Rc::new(of));
            }
        }
        let own_parts = item.items.iter().map(|part| (part, false));
        for (part, is_provided) in own_parts.chain(self.provided(item).iter().map(|part| (part, true))) {
            let (item, own) = match is_provided {
                true => (&of_trait_alone, &mut provided),
                false => (item, &mut own),
            };
            if let (ImplItem::Fn(function), Some(trait_)) = (part, compared)
                && (function.sig.ident == "eq" || function.sig.ident == "from")
            {
                self.add_operator(trait_, item, function, own);
            }
            match (part, operator) {
                (ImplItem::Fn(function), Some(trait_)) => {
                    self.add_operator(trait_, item, function, own);
                }
                (ImplItem::Fn(function), None) if !name.is_empty() => {
                    // what iterators call is apart from a method of the same name
                    let called = of_iterators.clone().unwrap_or_else(|| function.sig.ident.to_string());
                    let function = Rc::new(function_of(own, item, function));
                    let (trait_, params) = (trait_.clone(), parameters(&item.generics).count());
                    let all = self.functions.entry((name.clone(), called)).or_default();
                    let at = if trait_.is_some() { all.len() } else { 0 };
                    all.insert(at, Function { of: own_type.clone(), trait_, params, item: function });
                }
                (ImplItem::Const(constant), None) if !name.is_empty() => {
                    let mut constant = constant.clone();
                    own.visit_impl_item_const_mut(&mut constant);
                    let key = (name.clone(), constant.ident.to_string());
                    let (of, trait_, generics) = (own_type.clone(), trait_.clone(), item.generics.clone());
                    let all = self.constants.entry(key).or_default();
                    let at = if item.trait_.is_some() { all.len() } else { 0 };
                    all.insert(at, Rc::new(Constant { of, trait_, generics, item: constant }));
                }
                _ => {}
            }
        }
    }
}

/// The type parameter that `Self` is in what a trait provides.
pub(super) const SELF: &str = "__Self";

impl Records {
    /// The `impl` as what its trait provides sees it: `Self` is a type parameter, which has what traits say and no
    /// more. `impl Num for f64` becomes `impl<__Self: Num = f64> Num for __Self`.
    pub(super) fn seen_by_trait(&self, item: &ItemImpl) -> ItemImpl {
        let mut item = item.clone();
        let is_known = |of: &String| Ty::from_name(of).is_some() || self.structs.contains_key(of);
        if let (Some((trait_, _)), Some(_)) = (&item.trait_, name_of(&item.self_ty).filter(is_known)) {
            let (own, of) = (Ident::new(SELF, item.self_ty.span()), &item.self_ty);
            item.generics.params.push(syn::parse_quote!(#own: #trait_ = #of));
            item.self_ty = syn::parse_quote!(#own);
        }
        item
    }

    /// The names of all structs.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.structs.keys()
    }
}

/// A function of an `impl` as a helper, which has the parameters of the `impl` as well.
fn function_of(own: &mut OwnType, item: &ItemImpl, function: &syn::ImplItemFn) -> ItemFn {
    let function = match has_parameters(&item.generics) {
        true => own.function(&with_generics_of(item, function)),
        false => own.function(function),
    };
    hygiene::separate(function)
}

/// What stands between the brackets of a trait for each of its type and const parameters, or their defaults.
fn arguments_of(generics: &Generics, arguments: &PathArguments) -> Option<HashMap<String, TokenStream>> {
    let mut given = match arguments {
        PathArguments::AngleBracketed(args) => args.args.iter().collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    given.retain(|arg| !matches!(arg, GenericArgument::Lifetime(_)));
    let mut given = given.into_iter().map(ToTokens::to_token_stream);
    let arguments = generics.params.iter().filter_map(|param| match param {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(param) => {
            Some((&param.ident, param.default.as_ref().map(|(_, ty)| ty.to_token_stream())))
        }
        GenericParam::Const(param) => {
            Some((&param.ident, param.default.as_ref().map(|(_, value)| value.to_token_stream())))
        }
    });
    let arguments =
        arguments.map(|(name, default)| given.next().or(default).map(|written| (name.to_string(), written)));
    arguments.collect()
}

/// `Vec<T>`, `Box<[T]>`, `[T]`, `[T; N]`, tuples, and references to these.
fn is_compound(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::Array(_) | Type::Tuple(_) => true,
        Type::Reference(reference) => is_compound(&reference.elem),
        ty => vector_element(ty).is_some(),
    }
}

/// The struct that a type names: `S` or `self::S`.
pub(super) fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Group(ty) => name_of(&ty.elem),
        Type::Paren(ty) => name_of(&ty.elem),
        Type::Reference(ty) => name_of(&ty.elem),
        Type::Path(ty) if ty.qself.is_none() => name_of_path(&ty.path).map(ToString::to_string),
        _ => None,
    }
}

/// The name that a path ends with, if it starts in the module.
pub(super) fn name_of_path(path: &syn::Path) -> Option<&Ident> {
    // arguments of a struct are refused where it is declared
    let alone = path.segments.first().filter(|_| path.segments.len() == 1 && path.leading_colon.is_none());
    alone.map(|segment| &segment.ident).or_else(|| {
        let first =
            path.segments.first().filter(|first| first.ident == "self" && path.leading_colon.is_none())?;
        let last = path.segments.last().filter(|_| path.segments.len() == 2)?;
        (first.ident == "self").then_some(&last.ident)
    })
}
