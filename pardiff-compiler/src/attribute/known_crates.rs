//! Types of known crates as units, which nobody exports: their texts are here.
//!
//! *Comes in*: the names of an item, and which features are on. *Goes out*: the units of the types that it names,
//! and these types for generated code. *Guarantees*: a name of the user means a type of a crate only where rustc
//! proves it, against the crate that the runtime depends on.

use super::known_macros::{self, Made};
use super::link::{Sources, Unit, Written};
use super::sizes;
use crate::frontend::known_crates::{self, Instance};
use crate::frontend::{Features, Options, linked};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::collections::{BTreeSet, HashMap, HashSet};
use syn::{
    Expr, ExprMethodCall, GenericArgument, Generics, Ident, ImplItem, Item, Path, PathArguments, PathSegment,
    TraitItem, Type,
};

/// What of known crates an item may name.
#[derive(Clone)]
pub(super) struct KnownTypes {
    features: Features,
    /// `::pardiff`
    krate: Path,
    /// The float of types whose argument is not written, `Vector3::new(…)`, or is a type parameter.
    elem: &'static str,
    /// The type parameters of items.
    parameters: HashSet<String>,
    /// What parameters for sizes stand for: `3`, or `U3`.
    sizes: HashMap<String, Type>,
    /// All names in the item.
    words: HashSet<String>,
    /// What the item and what it uses declare themselves.
    declared: Declared,
}

/// Names that are the user's own, though nalgebra has them as well.
#[derive(Clone, Default)]
struct Declared {
    macros: HashSet<String>,
    /// Functions and types.
    items: HashSet<String>,
}

impl Declared {
    fn read(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let names = match token {
                TokenTree::Group(group) => {
                    self.read(group.stream());
                    continue;
                }
                TokenTree::Ident(word) if word == "macro_rules" => {
                    tokens.next_if(|next| matches!(next, TokenTree::Punct(punct) if punct.as_char() == '!'));
                    &mut self.macros
                }
                TokenTree::Ident(word)
                    if ["fn", "struct", "enum", "type", "const"].iter().any(|it| word == it) =>
                {
                    &mut self.items
                }
                _ => continue,
            };
            if let Some(TokenTree::Ident(name)) = tokens.peek() {
                names.insert(linked::plain(&name.to_string()));
            }
        }
    }
}

/// The sources with what is known of other crates, if the item or what it uses may name it.
pub(super) fn knowing(sources: Sources, features: Features, attr: &TokenStream, item: &Item) -> Sources {
    let mut words = HashSet::new();
    known_crates::words(quote!(#item), &mut words);
    for (iterator, functions) in [("column_iter", ["column", "ncols"]), ("row_iter", ["row", "nrows"])] {
        if words.contains(iterator) {
            words.extend(functions.map(str::to_owned));
        }
    }
    if has_characters(quote!(#item)) {
        words.insert("char".to_owned());
    }
    let is_used = sources.units().iter().any(|unit| unit.instance.is_some());
    let named: Vec<_> = words.iter().filter_map(|word| known_crates::named(word, features)).collect();
    let has_macros = features.nalgebra && words.iter().any(|word| known_macros::is_known(word));
    if !is_used && named.is_empty() && !has_macros {
        return sources;
    }
    let functions: Vec<String> =
        named.iter().filter_map(|(_, function)| function.map(str::to_owned)).collect();
    words.extend(functions);
    if has_macros {
        words.extend(known_macros::FUNCTIONS.map(str::to_owned));
    }
    let (options, _) = Options::read(attr.clone());
    let given = options.with.iter().flat_map(|with| &with.types).map(|(ty, _)| ty.to_string());
    words.extend(given);
    let only_single = words.contains("f32") && !words.contains("f64");
    let elem = if only_single { "f32" } else { "f64" };
    words.extend(units_of_axes(&quote!(#item).to_string()));
    let mut parameters = HashSet::new();
    type_parameters(item, &mut parameters);
    sources.items().iter().for_each(|item| type_parameters(item, &mut parameters));
    let mut declared = Declared::default();
    declared.read(quote!(#item));
    sources.items().iter().for_each(|item| declared.read(quote!(#item)));
    let sizes = sizes::given(item, attr, &sources.items());
    let known = KnownTypes { features, krate: options.krate(), elem, parameters, sizes, words, declared };
    Sources { known: Some(known), ..sources }
}

/// Whether tokens have literals of characters.
fn has_characters(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Literal(literal) => literal.to_string().starts_with('\''),
        TokenTree::Group(group) => has_characters(group.stream()),
        _ => false,
    })
}

/// The functions that make what `Vector3::x()` does, where it is called: `x` is that of a component.
fn units_of_axes(text: &str) -> Vec<String> {
    let text: String = text.split_whitespace().collect();
    let called = AXES.into_iter().filter(|axis| text.contains(&format!("::{axis}()")));
    called.map(|axis| format!("unit_{axis}")).collect()
}

/// The type parameters of an item, and of the functions in it.
fn type_parameters(item: &Item, into: &mut HashSet<String>) {
    let mut add = |of: &Generics| into.extend(of.type_params().map(|param| param.ident.to_string()));
    match item {
        Item::Fn(of) => add(&of.sig.generics),
        Item::Struct(of) => add(&of.generics),
        Item::Enum(of) => add(&of.generics),
        Item::Type(of) => add(&of.generics),
        Item::Impl(of) => {
            add(&of.generics);
            for part in &of.items {
                if let ImplItem::Fn(of) = part {
                    add(&of.sig.generics);
                }
            }
        }
        Item::Trait(of) => {
            for part in &of.items {
                if let TraitItem::Fn(of) = part {
                    add(&of.sig.generics);
                }
            }
        }
        Item::Mod(of) => {
            of.content.iter().flat_map(|(_, items)| items).for_each(|item| type_parameters(item, into));
        }
        _ => {}
    }
}

/// The components of a vector.
const AXES: [&str; 6] = ["x", "y", "z", "w", "a", "b"];

/// The type of `nalgebra` around values of unit length.
const UNIT: &str = "Unit";

/// `Vector3::x()` of a known type, by its unique name, under the name of its function: `x` is that of a component.
pub(super) fn of_axis<'k>(path: &mut Path, mut known: impl Iterator<Item = &'k Instance>) {
    let mut last = path.segments.iter_mut().rev();
    if let (Some(function), Some(ty)) = (last.next(), last.next())
        && AXES.iter().any(|axis| function.ident == axis)
        && known.any(|of| known_crates::unique(of, ty.ident.span()) == ty.ident)
    {
        function.ident = format_ident!("unit_{}", function.ident);
    }
}

/// What stands between the brackets of `Unit<V>`.
fn inner(of: &PathSegment) -> Option<&PathSegment> {
    let PathArguments::AngleBracketed(list) = &of.arguments else { return None };
    match list.args.first()? {
        GenericArgument::Type(Type::Path(ty)) => ty.path.segments.last(),
        _ => None,
    }
}

/// A name of a known crate in a path.
pub(super) struct Found {
    pub(super) instance: Instance,
    /// The unique name of the type.
    pub(super) unique: Ident,
    /// The function of the type that the name stands for: `dvec3(…)` is `DVec3::new(…)`.
    pub(super) function: Option<Ident>,
    /// The arguments that are not written.
    pub(super) open: usize,
    /// The float that a type parameter between its brackets stands for.
    pub(super) of_parameter: Option<&'static str>,
}

impl KnownTypes {
    /// What a segment of a path names.
    pub(super) fn find(&self, segment: &PathSegment) -> Option<Found> {
        let (named, function) = known_crates::named(&segment.ident.to_string(), self.features)?;
        // a constant may have such a name
        let is_own = named.is_size() && self.declared.items.contains(&segment.ident.to_string());
        let (named, function) = Some((named, function)).filter(|_| !is_own)?;
        let mut arguments = segment.arguments.clone();
        let of_parameter = self.close(&mut arguments);
        let (instance, open) = named.instance(&arguments, self.elem)?;
        let function = function.map(|name| Ident::new(name, segment.ident.span()));
        Some(Found {
            unique: known_crates::unique(&instance, segment.ident.span()),
            instance,
            function,
            open,
            of_parameter: of_parameter.then_some(self.elem),
        })
    }

    /// What `Unit<V>` is, where `V` is a type that is known, by its unique name.
    pub(super) fn unit<'k>(
        &self,
        segment: &PathSegment,
        mut known: impl Iterator<Item = &'k Instance>,
    ) -> Option<Instance> {
        let inner = inner(segment).filter(|_| segment.ident == UNIT && self.features.nalgebra)?;
        let is_inner = |of: &&Instance| known_crates::unique(of, inner.ident.span()) == inner.ident;
        known.find(is_inner)?.unit()
    }

    /// Whether a function or a type of this name may be that of nalgebra.
    fn is_of_nalgebra(&self, name: &Ident) -> bool {
        self.features.nalgebra && !self.declared.items.contains(&name.to_string())
    }

    /// The parameters for sizes of the item with what they stand for, as generated code names that.
    pub(super) fn sizes(&self) -> Vec<(Ident, Type)> {
        let named = |(name, of): (&String, &Type)| {
            let unique = known_crates::unique(&Instance::size(known_crates::size(of)?), Span::call_site());
            let of = if matches!(of, Type::Verbatim(_)) { of.clone() } else { syn::parse_quote!(#unique) };
            Some((Ident::new(name, Span::call_site()), of))
        };
        self.sizes.iter().filter_map(named).collect()
    }

    /// Writes the float and sizes in the place of parameters between brackets; whether there are some of types.
    pub(super) fn close(&self, arguments: &mut PathArguments) -> bool {
        let PathArguments::AngleBracketed(list) = arguments else { return false };
        let (elem, mut found) = (Ident::new(self.elem, Span::call_site()), false);
        for argument in &mut list.args {
            if let Some(size) = self.closed_size(argument) {
                *argument = size;
                continue;
            }
            let GenericArgument::Type(Type::Path(ty)) = argument else { continue };
            match ty.path.get_ident() {
                Some(name) if self.parameters.contains(&name.to_string()) => {
                    ty.path = elem.clone().into();
                    found = true;
                }
                _ => {
                    for segment in &mut ty.path.segments {
                        found |= self.close(&mut segment.arguments);
                    }
                }
            }
        }
        found
    }

    /// The number, or the type of the crate, that an argument for a size stands for.
    fn closed_size(&self, argument: &GenericArgument) -> Option<GenericArgument> {
        let GenericArgument::Type(ty @ Type::Path(path)) = argument else { return None };
        let name = path.path.get_ident()?.to_string();
        match self.sizes.get(&name) {
            Some(Type::Verbatim(number)) => Some(GenericArgument::Const(syn::parse_quote!(#number))),
            None if !linked::is_unique(&name) => None,
            of => {
                let size = self.path(&Instance::size(known_crates::size(of.unwrap_or(ty))?));
                Some(GenericArgument::Type(syn::parse_quote!(#size)))
            }
        }
    }

    /// A call of a function of `Unit`, whose argument says which type that is, as one of a method of the argument:
    /// `Unit::new_normalize(v)` is `v.unit_new_normalize()`; the path of `Unit`.
    pub(super) fn of_unit(&self, e: &mut Expr) -> Option<Path> {
        let Expr::Call(call) = &*e else { return None };
        let (Expr::Path(of), 1) = (&*call.func, call.args.len()) else { return None };
        let mut unit = of.path.clone();
        let function = unit.segments.pop()?;
        unit.segments.pop_punct();
        let last = unit.segments.last().filter(|last| last.ident == UNIT && last.arguments.is_none())?;
        let is_known = matches!(&*function.ident.to_string(), "new_normalize" | "new_unchecked");
        if !is_known || !self.is_of_nalgebra(&last.ident) {
            return None;
        }
        let name = format_ident!("unit_{}", function.ident, span = last.ident.span());
        let argument = &call.args[0];
        *e = syn::parse_quote!((#argument).#name());
        Some(unit)
    }

    /// A value of a type whose size is that of a vector in it, as a method of the vector: `Translation { vector: v }`
    /// and `Translation::from(v)` are `v.translation_of()`; the path of the type, and the type in one size.
    pub(super) fn of_vector(&self, e: &mut Expr) -> Option<(Path, Instance)> {
        let (mut path, vector) = match &*e {
            Expr::Call(call) => match &*call.func {
                Expr::Path(of) if call.args.len() == 1 => (of.path.clone(), call.args[0].clone()),
                _ => return None,
            },
            Expr::Struct(of) if of.rest.is_none() && of.fields.len() == 1 => {
                let field = &of.fields[0];
                let syn::Member::Named(name) = &field.member else { return None };
                let mut path = of.path.clone();
                path.segments.push(name.clone().into());
                (path, field.expr.clone())
            }
            _ => return None,
        };
        let member = path.segments.pop()?;
        path.segments.pop_punct();
        let last = path.segments.last().filter(|last| last.arguments.is_none())?;
        let (field, name, of) = match &*last.ident.to_string() {
            "Translation" => ("vector", "translation_of", Instance::translation("f64", 3)),
            "Point" | "OPoint" => ("coords", "point_of", Instance::point("f64", 3)),
            _ => return None,
        };
        if (member.ident != field && member.ident != "from") || !self.is_of_nalgebra(&last.ident) {
            return None;
        }
        let name = Ident::new(name, last.ident.span());
        *e = syn::parse_quote!((#vector).#name());
        Some((path, of))
    }

    /// The types of literals.
    pub(super) fn of_literals(&self) -> Option<Instance> {
        self.words.contains("char").then_some(Instance::CHAR)
    }

    /// The type in generated code.
    pub(super) fn path(&self, instance: &Instance) -> Path {
        let (krate, of_crate) = (&self.krate, instance.path());
        syn::parse_quote!(#krate::runtime::known::#of_crate)
    }

    /// A call of a method whose sizes stand between brackets, as one of a method for these:
    /// `m.fixed_view::<2, 2>(0, 0)` is `m.fixed_view_2_2(0, 0)`; the type that it returns, or one of the size that is
    /// written.
    pub(super) fn read_part(&self, call: &mut ExprMethodCall) -> Option<Instance> {
        // a part that is lent to be written to has no value: `written_part` takes it with what is written
        if call.method.to_string().ends_with("_mut") { None } else { self.sized(call) }
    }

    fn sized(&self, call: &mut ExprMethodCall) -> Option<Instance> {
        let name = call.method.to_string();
        let shape = name.strip_suffix("_mut").unwrap_or(&name);
        if !self.features.nalgebra || !matches!(shape, "fixed_view" | "fixed_rows" | "fixed_columns") {
            return None;
        }
        let mut written = PathArguments::AngleBracketed(call.turbofish.clone()?);
        self.close(&mut written);
        let PathArguments::AngleBracketed(written) = written else { return None };
        let sizes = known_crates::sizes(&written);
        let instance = match sizes[..] {
            [rows, columns] if shape == "fixed_view" => Instance::matrix(self.elem, rows, columns),
            [rows] if shape == "fixed_rows" => Instance::matrix(self.elem, rows, 1),
            [columns] if shape == "fixed_columns" => Instance::matrix(self.elem, 1, columns),
            _ => return None,
        };
        let sizes: Vec<String> = sizes.iter().map(|size| format!("_{size}")).collect();
        call.method = Ident::new(&format!("{name}{}", sizes.concat()), call.method.span());
        call.turbofish = None;
        Some(instance)
    }

    /// What is written to a part of a matrix as one call: `m.column_mut(0).copy_from(&v)` is `m.set_column(0, &v)`; the
    /// type of the part, if its size is written.
    pub(super) fn written_part(&self, call: &mut ExprMethodCall) -> Option<Instance> {
        let Expr::MethodCall(part) = &mut *call.receiver else { return None };
        let name = part.method.to_string();
        let is_part = matches!(
            &*name,
            "column_mut" | "row_mut" | "fixed_view_mut" | "fixed_rows_mut" | "fixed_columns_mut"
        );
        if call.method != "copy_from" || !is_part || !self.is_of_nalgebra(&part.method) {
            return None;
        }
        let instance = self.sized(part);
        let method =
            format_ident!("set_{}", part.method.to_string().replace("_mut", ""), span = part.method.span());
        let args = part.args.iter().chain(&call.args).cloned().collect();
        *call = ExprMethodCall { method, args, ..part.clone() };
        instance
    }

    /// The lines of a matrix as an iterator of values: `m.column_iter()` is `(0..m.ncols()).map(|at| m.column(at))`.
    pub(super) fn lines(&self, e: &mut Expr) {
        let Expr::MethodCall(call) = &*e else { return };
        let (count, line) = match &*call.method.to_string() {
            "column_iter" => ("ncols", "column"),
            "row_iter" => ("nrows", "row"),
            _ => return,
        };
        if !self.is_of_nalgebra(&call.method) || !matches!(*call.receiver, Expr::Path(_) | Expr::Field(_)) {
            return;
        }
        let of = &call.receiver;
        let [count, line] = [count, line].map(|name| Ident::new(name, call.method.span()));
        *e = syn::parse_quote!((0..#of.#count()).map(|at_line| #of.#line(at_line)));
    }

    /// A call of a macro that makes a value of a known type.
    pub(super) fn made(&self, mac: &syn::Macro) -> Option<Made> {
        let is_own =
            mac.path.get_ident().is_some_and(|name| self.declared.macros.contains(&name.to_string()));
        known_macros::made(mac, self.elem).filter(|_| self.features.nalgebra && !is_own)
    }

    /// The trait by which rustc proves that a type is a known one.
    pub(super) fn proof(&self) -> Path {
        let krate = &self.krate;
        syn::parse_quote!(#krate::runtime::known::Is)
    }

    /// The units of types, and of those that their functions name.
    pub(super) fn units(
        &self,
        found: &BTreeSet<Instance>,
        sources: &Sources,
        written: &mut Written,
    ) -> Vec<Unit> {
        let mut words = self.words.clone();
        sources.items().iter().for_each(|item| known_crates::words(quote!(#item), &mut words));
        let unit = |(instance, items): (Instance, Vec<Item>)| {
            written.path(&known_crates::unique(&instance, Span::call_site()), self.path(&instance));
            Unit::known(instance, items)
        };
        known_crates::texts(words, found).into_iter().map(unit).collect()
    }
}
