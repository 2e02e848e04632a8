//! Structs of a module with their functions: fields, methods, constants, operators.

use super::host;
use super::hygiene;
use super::module::Module;
use super::text::tidy_type;
use crate::refusal::Refusal;
use crate::signature::{Field, Record};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, Ident, ImplItem, ItemFn, ItemImpl, ItemStruct, Member, ReceiverKind, Type, Visibility};

/// The structs of a module by name, and what their `impl`s hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    structs: HashMap<String, Result<Rc<Record>, Refusal>>,
    /// By the names of the struct and of the function.
    functions: HashMap<(String, String), Rc<ItemFn>>,
    constants: HashMap<(String, String), Rc<syn::ImplItemConst>>,
    operators: Vec<Operator>,
}

/// `impl Add<right> for left`
#[derive(Clone, Debug)]
pub(super) struct Operator {
    /// `Add`, `AddAssign`, `Neg`, …
    pub(super) name: String,
    pub(super) left: Type,
    /// As written between the brackets of the trait; the left side if nothing is.
    pub(super) right: Type,
    pub(super) function: Rc<ItemFn>,
}

const OPERATORS: [&str; 15] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "Index",
    "IndexMut",
    "Deref",
];

impl Records {
    pub(super) fn get(&self, name: &str) -> Option<&Result<Rc<Record>, Refusal>> {
        self.structs.get(name)
    }

    pub(super) fn insert(&mut self, name: String, record: Result<Rc<Record>, Refusal>) {
        self.structs.insert(name, record);
    }

    /// A function of an `impl`.
    pub(super) fn function(&self, of: &str, name: &str) -> Option<Rc<ItemFn>> {
        self.functions.get(&(of.to_owned(), name.to_owned())).cloned()
    }

    /// Whether some struct has a function of this name.
    pub(super) fn has_function(&self, name: &str) -> bool {
        self.functions.keys().any(|(_, known)| known == name)
    }

    /// A constant of an `impl`.
    pub(super) fn constant(&self, of: &str, name: &str) -> Option<Rc<syn::ImplItemConst>> {
        self.constants.get(&(of.to_owned(), name.to_owned())).cloned()
    }

    pub(super) fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// Reads an `impl`; aliases are written out already.
    pub(super) fn add_impl(&mut self, item: &ItemImpl) {
        let Some(name) =
            name_of(&item.self_ty).filter(|name| self.structs.contains_key(name)).or_else(|| {
                // `impl Mul<V3> for f64`
                item.trait_.as_ref().map(|_| String::new())
            })
        else {
            return;
        };
        let output = item.items.iter().find_map(|item| match item {
            ImplItem::Type(item) if item.ident == "Output" => Some(item.ty.clone()),
            _ => None,
        });
        let mut own = OwnType { own: item.self_ty.to_token_stream(), output };
        let operator = item.trait_.as_ref().and_then(|(path, _)| {
            let last = path.segments.last()?;
            OPERATORS.contains(&last.ident.to_string().as_str()).then_some(last)
        });
        for part in &item.items {
            match (part, operator) {
                (ImplItem::Fn(function), Some(trait_)) => {
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
                        function: Rc::new(hygiene::separate(own.function(function, &item.self_ty))),
                    });
                }
                (ImplItem::Fn(function), None) if !name.is_empty() => {
                    let key = (name.clone(), function.sig.ident.to_string());
                    let inherent = item.trait_.is_none();
                    if inherent || !self.functions.contains_key(&key) {
                        let function = hygiene::separate(own.function(function, &item.self_ty));
                        self.functions.insert(key, Rc::new(function));
                    }
                }
                (ImplItem::Const(constant), None) if !name.is_empty() => {
                    let mut constant = constant.clone();
                    own.visit_impl_item_const_mut(&mut constant);
                    self.constants.insert((name.clone(), constant.ident.to_string()), Rc::new(constant));
                }
                _ => {}
            }
        }
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

/// `Self` and `Self::Output`, written out.
struct OwnType {
    own: TokenStream,
    output: Option<Type>,
}

impl OwnType {
    /// A function of the `impl` as a free function, whose first parameter may be called `self`.
    fn function(&mut self, item: &syn::ImplItemFn, own: &Type) -> ItemFn {
        let mut sig = item.sig.clone();
        for arg in &mut sig.inputs {
            let FnArg::Receiver(receiver) = arg else { continue };
            let span = receiver.self_token.span;
            let name = Ident::new("self", span);
            let typed: syn::PatType = match &receiver.kind {
                ReceiverKind::Reference(_, _, Some(_)) => {
                    syn::parse_quote!(receiver: &mut #own)
                }
                ReceiverKind::Reference(..) => syn::parse_quote!(receiver: &#own),
                ReceiverKind::Typed(_, ty) => syn::parse_quote!(receiver: #ty),
                _ if receiver.mutability.is_some() => syn::parse_quote!(mut receiver: #own),
                _ => syn::parse_quote!(receiver: #own),
            };
            let mut typed = typed;
            if let syn::Pat::Ident(pat) = &mut *typed.pat {
                pat.ident = name;
            }
            *arg = FnArg::Typed(typed);
        }
        let mut function = ItemFn {
            attrs: item.attrs.clone(),
            vis: Visibility::Inherited,
            modifiers: item.modifiers.clone(),
            sig,
            block: Box::new(item.block.clone()),
        };
        self.visit_item_fn_mut(&mut function);
        function
    }
}

impl VisitMut for OwnType {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
        {
            let names: Vec<String> =
                path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            match (&names.iter().map(String::as_str).collect::<Vec<_>>()[..], &self.output) {
                (["Self", "Output"], Some(output)) => {
                    *ty = output.clone();
                    return self.visit_type_mut(ty);
                }
                (["Self"], _) => {
                    if let Ok(own) = syn::parse2(self.own.clone()) {
                        *ty = own;
                    }
                    return;
                }
                _ => {}
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        let own: Vec<TokenTree> = self.own.clone().into_iter().collect();
        if let Some(first) = path.segments.first_mut().filter(|first| first.ident == "Self")
            && let [TokenTree::Ident(own)] = &own[..]
        {
            first.ident = Ident::new(&own.to_string(), first.ident.span());
        }
    }
}

/// Reads a struct; the structs that its fields name are in the module already.
pub(super) fn read(module: &Module, item: &ItemStruct) -> Result<Rc<Record>, Refusal> {
    let name = &item.ident;
    let refuse = |span: Span, what: String, why: &str, help: &str| Err(Refusal::new(span, what, why, help));
    let is_packed = |attr: &syn::Attribute| {
        attr.path().is_ident("repr") && attr.meta.to_token_stream().to_string().contains("packed")
    };
    if let Some(param) = item.generics.params.first() {
        return refuse(
            param.span(),
            format!("the parameter of the struct `{name}`"),
            "which types and lengths its values have would follow from their uses alone",
            "write the struct for the types and lengths that you need",
        );
    }
    if let Some(attr) = item.attrs.iter().find(|attr| is_packed(attr)) {
        return refuse(
            attr.span(),
            format!("the packed struct `{name}`"),
            "its fields cannot be borrowed",
            "remove `packed`",
        );
    }
    let fields = match &item.fields {
        syn::Fields::Unit => {
            return refuse(
                name.span(),
                format!("the struct `{name}` as a value"),
                "it has no fields",
                "pass the numbers that it stands for",
            );
        }
        fields => fields.iter(),
    };
    let mut list = Vec::new();
    for (position, field) in fields.enumerate() {
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(syn::Index { index: position as u32, span: field.span() }),
        };
        let shown = match &member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        if let Some(attr) = field.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
            return refuse(
                attr.span(),
                format!("`#[cfg]` on the field `{shown}`"),
                "an attribute does not see which configuration is active",
                "put it on the whole struct, and on what uses it",
            );
        }
        let content = host::shape(module, &field.ty).ok().and_then(|shape| host::content(&shape));
        let Some(content) = content else {
            return refuse(
                field.ty.span(),
                format!("the field `{shown}: {}` of the struct `{name}`", tidy_type(&field.ty)),
                "fields are floats, integers, booleans, arrays of constant length and other structs of the module",
                "pass what it holds as a parameter of its own, `x: &[f64]`",
            );
        };
        list.push(Field { member, ty: field.ty.clone(), content });
    }
    let derives = derives(&item.attrs);
    Ok(Rc::new(Record { name: Some(name.clone()), fields: list, derives, variants: Vec::new() }))
}

/// What is derived for a type, by the last name of each path.
pub(super) fn derives(attrs: &[syn::Attribute]) -> Vec<String> {
    let mut derives = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        let _ = attr.parse_nested_meta(|meta| {
            derives.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    derives
}
