//! Methods of a module under the attribute: those that are visible outside, take floats and return or write floats get
//! modules, as functions do, in a module of their type.
//!
//! ```text
//! impl Model { pub fn loss(&self, …) -> f64 { … } }
//! #[doc(hidden)] pub mod __model_loss { … }                      // as of a function
//! pub mod model { pub use super::__model_loss as loss; }         // `model::loss::grad(&this, &mut d_this, …)`
//! ```
//!
//! A method that is asked for by an attribute, its own or that of its `impl`, is refused where it stands. Of any other the
//! module holds the reason, for those who call what is in it: it may be meant for its users alone.

use super::names_taken::{Taken, snake_case};
use super::{differentiated, stub_signature};
use crate::backend::rust;
use crate::frontend::{self, Module, Options, Rule, Target, is_ours};
use crate::ir::Ty;
use crate::refusal::Refusal;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, ImplItem, Item, ItemImpl, Meta, Path, Type, Visibility};

/// Traits of the standard library other than those of operators, whose methods are called by conversions and the like.
const OF_STD: &str = "DerefMut Clone Drop Default PartialEq PartialOrd Ord Hash Debug Display From Into TryFrom TryInto \
    AsRef AsMut Borrow BorrowMut Iterator DoubleEndedIterator ExactSizeIterator IntoIterator Extend FromIterator Sum Product";

/// The methods of a module that get modules.
pub(super) struct Methods {
    /// Types and traits.
    declared: HashMap<String, Declared>,
    /// The name of the module of a type, where nothing gives another.
    name: Option<Ident>,
    found: Vec<Found>,
}

struct Declared {
    vis: Visibility,
    is_deprecated: bool,
}

struct Found {
    target: Target,
    /// The name of the module of its type, where an attribute gives one.
    of_type: Option<Ident>,
    options: Options,
    /// What is refused of the options.
    refusals: Vec<Refusal>,
    is_asked: bool,
    is_inherent: bool,
}

/// What is generated for methods.
#[derive(Default)]
pub(super) struct Expansion {
    pub(super) tokens: TokenStream,
    pub(super) refusals: Vec<Refusal>,
    /// What is refused of methods that nobody asked for.
    pub(super) unasked: Vec<Refusal>,
    /// Whether some method has derivatives, or was to have them.
    pub(super) found: bool,
}

/// The modules of the methods of a type.
struct OfType {
    of: Ident,
    /// The name that an attribute gives it.
    given: Option<Ident>,
    name: Ident,
    vis: Visibility,
    /// Why there is no such module.
    taken: Option<String>,
    modules: Vec<(Ident, bool)>,
    uses: TokenStream,
}

impl Methods {
    pub(super) fn new(items: &[Item], name: Option<Ident>) -> Methods {
        let declared = items.iter().filter_map(|item| match item {
            Item::Struct(item) => Some((&item.ident, &item.vis, &item.attrs)),
            Item::Enum(item) => Some((&item.ident, &item.vis, &item.attrs)),
            Item::Trait(item) => Some((&item.ident, &item.vis, &item.attrs)),
            _ => None,
        });
        let declared = declared.map(|(name, vis, attrs)| {
            let is_deprecated = attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
            (name.to_string(), Declared { vis: vis.clone(), is_deprecated })
        });
        let declared = declared.collect();
        Methods { declared, name, found: Vec::new() }
    }

    /// Takes the attributes off an `impl` and its functions, and notes which of these get modules. `linked` is the `impl` with
    /// the names that the context knows.
    pub(super) fn take(
        &mut self,
        context: &Module,
        linked: &ItemImpl,
        item: &mut ItemImpl,
        refusals: &mut Vec<Refusal>,
    ) {
        let targets = context.methods(linked);
        let of_impl = own_attribute(&mut item.attrs).map(Options::read_for_impl);
        let (of_impl, errors) =
            of_impl.map_or((None, Vec::new()), |(options, errors)| (Some(options), errors));
        refusals.extend(errors);
        let mut own = Vec::new();
        for part in &mut item.items {
            let ImplItem::Fn(function) = part else { continue };
            own.push((own_attribute(&mut function.attrs), function.vis.clone()));
        }
        let is_named = matches!(&*item.self_ty, Type::Path(_));
        // whether something is asked for that is not there
        let mut asked_in_vain = of_impl.is_some() || !is_named && own.iter().any(|(own, _)| own.is_some());
        let trait_ = item.trait_.as_ref().map(|(path, _)| path);
        // those that the trait provides come last, and have no attribute
        let own = own.into_iter().chain(std::iter::repeat((None, Visibility::Inherited)));
        for (mut target, (attr, vis)) in targets.into_iter().zip(own) {
            // what stands in the function has the names that the context knows
            let linked = own_attribute(&mut target.item.attrs).map(|attr| Options::read(attr).0);
            target.item.vis = self.visibility(&target, trait_, vis);
            let is_marked = attr.is_some();
            let (options, mut errors) = Options::read(attr.unwrap_or_default());
            let Options { with_functions, with_types, .. } = linked.unwrap_or_default();
            let mut options = Options { with_functions, with_types, ..options };
            if let Some(rule) = options.custom.take() {
                errors.push(custom(&target, &rule));
            }
            call_receiver(&mut options, &target);
            let is_wanted = super::module::is_wanted(context, &target.item);
            let is_asked = is_marked || is_wanted && of_impl.is_some();
            asked_in_vain &= !is_asked;
            if is_asked || is_wanted && self.may_be_meant(&target, trait_) {
                self.found.push(Found {
                    of_type: of_impl.as_ref().and_then(|options| options.module.clone()),
                    options: match &of_impl {
                        Some(of_impl) => options.with_defaults(of_impl),
                        None => options,
                    },
                    target,
                    refusals: errors,
                    is_asked,
                    is_inherent: trait_.is_none(),
                });
            }
        }
        if asked_in_vain {
            refusals.push(if is_named { nothing_in_it(item) } else { without_a_name(item) });
        }
    }

    /// What is declared of the type and the trait of a method in this module.
    fn declared(&self, target: &Target, trait_: Option<&Path>) -> [Option<&Declared>; 2] {
        let of_type = target.owner.as_ref().map(|owner| &owner.name);
        let of_trait = trait_.and_then(|path| path.segments.last()).map(|last| &last.ident);
        [of_type, of_trait].map(|name| self.declared.get(&name?.to_string()))
    }

    /// How far a method is seen: as far as its type and its trait are, and no farther than it says.
    fn visibility(&self, target: &Target, trait_: Option<&Path>, own: Visibility) -> Visibility {
        let [of_type, of_trait] = self.declared(target, trait_).map(|it| it.map(|it| it.vis.clone()));
        let vis = trait_.map_or(own, |_| of_trait.unwrap_or(syn::parse_quote!(pub)));
        match of_type {
            Some(of_type) => least(of_type, vis),
            None => vis,
        }
    }

    /// Whether somebody may want the derivatives of a method that is seen: not of those that operators call, nor of
    /// functions of traits without a receiver, such as conversions, nor of what is deprecated with its type.
    fn may_be_meant(&self, target: &Target, trait_: Option<&Path>) -> bool {
        let is_deprecated = self.declared(target, trait_).into_iter().flatten().any(|it| it.is_deprecated);
        let is_own = trait_.and_then(|path| path.segments.last()).is_none_or(|last| {
            let name = last.ident.to_string();
            target.receiver.is_some() && !frontend::is_operator(&name) && !frontend::is_word(OF_STD, &name)
        });
        is_own && !is_deprecated
    }

    /// The modules, to stand among the items; `functions` are those of functions.
    pub(super) fn expand(
        mut self,
        context: &Module,
        defaults: &Options,
        mut taken: Taken,
        functions: &[Ident],
    ) -> Expansion {
        taken.add_functions(functions);
        self.found.retain(|found| found.is_asked || !defaults.only_exports);
        // what a type has by itself comes before what traits give it
        self.found.sort_by_key(|found| !found.is_inherent);
        let mut expansion = Expansion::default();
        let mut types: Vec<OfType> = Vec::new();
        for found in &self.found {
            let Some(owner) = &found.target.owner else { continue };
            let given = found.of_type.as_ref().or_else(|| self.given(&owner.name)).or(self.name.as_ref());
            let at = types.iter().position(|it| it.of == owner.name && it.given.as_ref() == given);
            let at = at.unwrap_or_else(|| {
                types.push(self.of_type(given, &owner.name, &mut taken));
                types.len() - 1
            });
            self.method(found, &mut types[at], context, defaults, &mut taken, &mut expansion);
        }
        for OfType { of, name, vis, uses, .. } in types.into_iter().filter(|it| !it.uses.is_empty()) {
            let doc = format!("The gradients of methods of `{of}`, generated by `#[differentiate]`.");
            let module = quote!(#[doc = #doc] #vis mod #name { #uses });
            expansion.tokens.extend(rust::respan(module));
        }
        expansion
    }

    /// The methods of a type.
    fn of(&self, of: &Ident) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(move |it| it.target.owner.as_ref().is_some_and(|owner| owner.name == *of))
    }

    /// The name that an attribute gives the module of a type.
    fn given(&self, of: &Ident) -> Option<&Ident> {
        self.of(of).find_map(|found| found.of_type.as_ref())
    }

    /// The module of a type, still empty.
    fn of_type(&self, given: Option<&Ident>, of: &Ident, taken: &mut Taken) -> OfType {
        let plain = Ident::new(&frontend::linked::plain(&of.to_string()), of.span());
        // a module of the name of a primitive type would be mistaken for it
        let of_primitive = Ty::from_name(&of.to_string()).map(|ty| format_ident!("of_{}", ty.to_string()));
        let name = given.cloned().or(of_primitive).ok_or_else(|| snake_case(&plain)).or_else(|snake| snake);
        let methods: Vec<String> = self.of(of).map(|found| found.name().to_string()).collect();
        let why = match &name {
            Ok(name) => taken.by(name, &methods),
            Err(word) => Some(format!("it would be called `{word}`, which is no name of a module")),
        };
        let name = name.unwrap_or_else(|_| of.clone());
        if why.is_none() {
            taken.add_type(&name, of);
        }
        let vis = self.declared.get(&of.to_string()).map_or(syn::parse_quote!(pub), |it| it.vis.clone());
        let (of, given) = (of.clone(), given.cloned());
        OfType { of, given, name, vis, taken: why, modules: Vec::new(), uses: TokenStream::new() }
    }

    /// The module of a method.
    fn method(
        &self,
        found: &Found,
        of_type: &mut OfType,
        context: &Module,
        defaults: &Options,
        taken: &mut Taken,
        expansion: &mut Expansion,
    ) {
        let (target, name) = (&found.target, found.name());
        let has_cfg = target.item.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
        let clashes = |(other, cfg): &(Ident, bool)| other == name && !(*cfg && has_cfg);
        let clash = match &of_type.taken {
            Some(why) => Some(no_module_of_type(&of_type.of, why)),
            None => of_type.modules.iter().any(clashes).then(|| two_of_one_name(name, &of_type.of)),
        };
        let (tokens, errors) = match clash {
            Some(refusal) => (TokenStream::new(), vec![refusal]),
            None => {
                let hidden = taken.fresh(&of_type.name, name);
                let options =
                    Options { module: Some(hidden.clone()), ..found.options.clone().with_defaults(defaults) };
                let mut docs = quote!(#[doc(inline)]);
                let (mut tokens, errors) = differentiated(&options, found.refusals.clone(), context, target);
                if let Some(first) = errors.first().filter(|_| !found.is_asked) {
                    let mut signature = stub_signature(&options, context, target);
                    let unknown = signature.params.iter_mut().filter(|param| param.leaves.is_empty());
                    unknown.for_each(|param| param.active &= context.holds_floats(&param.ty));
                    docs.extend(quote!(#[doc(hidden)]));
                    tokens = rust::refused(&signature, options.asked, first);
                }
                let (vis, cfg) = (seen_from_inside(&target.item.vis), rust::existence(&target.item.attrs));
                of_type.uses.extend(quote!(#cfg #docs #vis use super::#hidden as #name;));
                of_type.modules.push((name.clone(), has_cfg));
                (quote!(#[doc(hidden)] #tokens), errors)
            }
        };
        expansion.tokens.extend(tokens);
        expansion.found |= found.is_asked || errors.is_empty();
        if found.is_asked { &mut expansion.refusals } else { &mut expansion.unasked }.extend(errors);
    }
}

impl Found {
    /// The name of its module.
    fn name(&self) -> &Ident {
        self.options.module.as_ref().unwrap_or(&self.target.item.sig.ident)
    }
}

/// Takes `#[differentiate(…)]` off an item; its options.
pub(super) fn own_attribute(attrs: &mut Vec<Attribute>) -> Option<TokenStream> {
    let at = attrs.iter().position(is_ours)?;
    Some(match attrs.remove(at).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    })
}

/// `wrt(self)` means the receiver.
fn call_receiver(options: &mut Options, target: &Target) {
    let Some(receiver) = &target.receiver else { return };
    for name in options.wrt.iter_mut().flatten().filter(|name| *name == "self") {
        *name = Ident::new(&receiver.to_string(), name.span());
    }
}

/// The visibility that reaches less far, of those that can be compared without knowing the crate.
fn least(a: Visibility, b: Visibility) -> Visibility {
    match (&a, &b) {
        (Visibility::Inherited, _) | (_, Visibility::Public(_)) => a,
        (Visibility::Restricted(_), Visibility::Restricted(of_b)) if of_b.path.is_ident("crate") => a,
        _ => b,
    }
}

/// The visibility of an item of a module, as it is written in a module inside of it.
pub(super) fn seen_from_inside(vis: &Visibility) -> Visibility {
    match vis {
        Visibility::Public(_) => vis.clone(),
        Visibility::Inherited => syn::parse_quote!(pub(super)),
        Visibility::Restricted(restricted) => {
            let path = rust::relocated_path(&restricted.path);
            syn::parse_quote!(pub(in #path))
        }
    }
}

fn custom(target: &Target, rule: &Rule) -> Refusal {
    let (name, written) = (&target.item.sig.ident, rule.written());
    let like = match rule {
        Rule::Partials(_) => format!("fn {name}_of(…) -> f64"),
        Rule::Arrays { .. } => format!("fn {name}_of(…)"),
    };
    Refusal::new(
        rule.name().span(),
        format!("`custom` on the method `{name}`"),
        "a rule is for a function, whose arguments are numbers and slices",
        format!("write `#[differentiate({written})] {like}` beside the `impl`, and call it in the method"),
    )
}

fn nothing_in_it(item: &ItemImpl) -> Refusal {
    Refusal::new(
        item.self_ty.span(),
        "nothing in this `impl` has a gradient",
        "the attribute differentiates functions that are visible outside, take floats and return or write floats",
        "write `pub` before the method and its type, or remove the attribute",
    )
}

fn without_a_name(item: &ItemImpl) -> Refusal {
    let of = frontend::tidy_type(&item.self_ty);
    Refusal::new(
        item.self_ty.span(),
        format!("the methods of `{of}`"),
        "the modules of methods stand in one of the name of the type",
        format!(
            "write a function beside the `impl`, `pub fn f(this: &{of}) -> f64`, and call it in the method"
        ),
    )
}

fn no_module_of_type(of: &Ident, why: &str) -> Refusal {
    let words = snake_case(of).map_or_else(|word| word, |name| name.unraw().to_string());
    Refusal::new(
        of.span(),
        format!("the module of the methods of `{of}`"),
        why,
        format!("name it: `#[differentiate(module = {words}_methods)] impl {of} {{ … }}`"),
    )
}

fn two_of_one_name(name: &Ident, of: &Ident) -> Refusal {
    Refusal::new(
        name.span(),
        format!("a second module `{name}` for methods of `{of}`"),
        "their names are those of the methods",
        format!("name it: `#[differentiate(module = second_{name})] fn {name}(…)`"),
    )
}
