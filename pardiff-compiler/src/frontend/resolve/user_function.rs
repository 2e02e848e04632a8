//! Functions over arrays with a rule given by hand:
//! `#[differentiate(custom(vjp = solve_vjp))] fn solve(a: &[f64], b: &[f64], x: &mut [f64], n: usize)`.
//!
//! The body of such a function is not looked into. A call is one statement that is lent whole arrays; the rule has
//! the contract of `solve::vjp`, so that a function that is differentiated elsewhere is a rule as it is.

use super::super::Target;
use super::super::infer::Type;
use super::super::linked;
use super::super::options::{Asked, Options};
use super::super::rule::{OfArrays, Rule};
use super::super::tree::{Access, Expr, Kind, Method};
use super::custom::{OURS, rule_of, scalar};
use super::{Name, Resolver};
use crate::ir::{Ty, UserPath};
use crate::refusal::Refusal;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Ident, ItemFn, ReturnType, Visibility};

/// A function over arrays that is not looked into.
#[derive(Clone, PartialEq)]
pub(in crate::frontend) struct UserFunction {
    pub(in crate::frontend) function: UserPath,
    pub(in crate::frontend) vjp: Option<UserPath>,
    pub(in crate::frontend) jvp: Option<UserPath>,
    pub(in crate::frontend) vjp_jvp: Option<UserPath>,
    /// Whether each argument is lent as `&mut`.
    pub(in crate::frontend) changes: Vec<bool>,
    pub(in crate::frontend) returns: Option<Ty>,
}

/// What a parameter of such a function is.
#[derive(Clone, Copy)]
enum Param {
    Scalar(Ty),
    Shared(Ty),
    Mutable(Ty),
}

impl Param {
    fn elem(self) -> Ty {
        match self {
            Param::Scalar(ty) | Param::Shared(ty) | Param::Mutable(ty) => ty,
        }
    }

    fn ty(self) -> TokenStream {
        let elem = Ident::new(&self.elem().to_string(), Span::mixed_site());
        match self {
            Param::Scalar(_) => quote!(#elem),
            Param::Shared(_) => quote!(&[#elem]),
            Param::Mutable(_) => quote!(&mut [#elem]),
        }
    }

    /// What follows it in a rule: its adjoint, or its tangent.
    fn companion(self, is_adjoint: bool) -> TokenStream {
        let elem = Ident::new(&self.elem().to_string(), Span::mixed_site());
        match self {
            Param::Scalar(_) if is_adjoint => quote!(&mut #elem),
            Param::Shared(_) if is_adjoint => quote!(&mut [#elem]),
            same => same.ty(),
        }
    }
}

/// Its parameters and what it returns; or what about them is not accepted, why, and what to do.
type Read = Result<(Vec<Param>, Option<Ty>), (Span, String, String)>;

fn read(item: &ItemFn) -> Read {
    let sig = &item.sig;
    if !sig.generics.params.is_empty() {
        let why = "it has parameters in `<…>`, and the rule is for one function";
        return Err((
            sig.generics.span(),
            why.into(),
            "write a function for each type, without lifetimes".into(),
        ));
    }
    let mut params = Vec::new();
    for arg in &sig.inputs {
        let FnArg::Typed(arg) = arg else { continue };
        let Some(param) = param(&arg.ty) else {
            let why = "a function over arrays that is not looked into takes numbers and slices of numbers";
            let help = "pass `f64`, `usize`, …, `&[f64]` and `&mut [f64]`; of an array of arrays, its numbers one after the other";
            return Err((arg.ty.span(), why.into(), help.into()));
        };
        params.push(param);
    }
    let returns = match &sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => match scalar(ty).filter(|ty| ty.is_float()) {
            Some(ty) => Some(ty),
            None => {
                let why = "a function over arrays that is not looked into returns one float or nothing";
                let help = "write what it computes to a `&mut [f64]`";
                return Err((ty.span(), why.into(), help.into()));
            }
        },
    };
    let writes = |param: &Param| matches!(param, Param::Mutable(ty) if ty.is_float());
    if !params.iter().any(|param| param.elem().is_float()) || returns.is_none() && !params.iter().any(writes)
    {
        let why = "no float goes in, or none comes out";
        return Err((sig.ident.span(), why.into(), "remove `custom`".into()));
    }
    Ok((params, returns))
}

fn param(ty: &syn::Type) -> Option<Param> {
    match ty {
        syn::Type::Group(group) => param(&group.elem),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) => {
                let elem = scalar(&slice.elem)?;
                Some(if reference.mutability.is_some() { Param::Mutable(elem) } else { Param::Shared(elem) })
            }
            _ => None,
        },
        ty => scalar(ty).map(Param::Scalar),
    }
}

/// The function that is inlined in place of one with a rule.
pub(super) fn shim(item: &ItemFn, rule: &Rule) -> Result<ItemFn, (Span, String, String)> {
    let (params, returns) = read(item)?;
    let own = &item.sig.ident;
    // of what stands elsewhere only the items of its module have names here
    let is_known =
        |path: &syn::Path| path.get_ident().is_some_and(|name| linked::is_unique(&name.to_string()));
    if linked::is_unique(&own.to_string())
        && let Some(far) = rule.functions().into_iter().find(|path| !is_known(path))
    {
        let why = format!("`{}` is no function beside it, and has no name here", UserPath::new(&far));
        let help = "write a function beside it that calls that one, and name it in `custom`";
        return Err((own.span(), why, help.into()));
    }
    let (ours, user) = (Ident::new(OURS, Span::mixed_site()), Ident::new("user", Span::mixed_site()));
    let names: Vec<Ident> =
        (0..params.len()).map(|at| Ident::new(&format!("operand_{at}"), Span::mixed_site())).collect();
    let types = params.iter().map(|param| param.ty());
    let output = returns.map(|ty| Param::Scalar(ty).ty()).map(|ty| quote!(-> #ty));
    let shim = quote!(fn #own(#(#names: #types),*) #output { #ours::#user(#own #(, #names)*) });
    syn::parse2(shim)
        .map_err(|error| (item.sig.span(), error.to_string(), "write the function by itself".into()))
}

/// The functions that a rule names, each with the type that it must have; none where the function itself is
/// refused.
pub fn types_of_rule(item: &ItemFn, rule: &Rule) -> Vec<(syn::Path, TokenStream)> {
    let (Rule::Arrays(OfArrays { vjp, jvp, vjp_jvp }), Ok((params, returns))) = (rule, read(item)) else {
        return Vec::new();
    };
    let float = returns.map(|ty| Param::Scalar(ty).ty());
    let with = |is_adjoint: bool| {
        params.iter().flat_map(move |param| {
            let companion = param.elem().is_float().then(|| param.companion(is_adjoint));
            [param.ty()].into_iter().chain(companion)
        })
    };
    let (adjoints, tangents) = (with(true).chain(float.clone()), with(false));
    let both = params.iter().flat_map(|param| {
        let is_float = param.elem().is_float();
        let (value, adjoint) = (param.ty(), param.companion(true));
        let times = if is_float { 2 } else { 1 };
        let adjoints = std::iter::repeat_n(adjoint, if is_float { 2 } else { 0 });
        std::iter::repeat_n(value, times).chain(adjoints)
    });
    let both = both.chain(float.iter().flat_map(|float| [float.clone(), float.clone()]));
    let pair = float.as_ref().map(|float| quote!(-> (#float, #float)));
    let one = float.as_ref().map(|float| quote!(-> #float));
    let of = [
        (vjp, quote!(fn(#(#adjoints),*) #one)),
        (jvp, quote!(fn(#(#tangents),*) #pair)),
        (vjp_jvp, quote!(fn(#(#both),*) #pair)),
    ];
    of.into_iter().filter_map(|(path, ty)| path.clone().map(|path| (path, ty))).collect()
}

/// A rule of the module, whose tangent is computed by a function that is generated with the callers.
pub struct SeenRule {
    /// The module of that function.
    pub module: Ident,
    /// The function.
    pub jvp: UserPath,
    /// The rule, as the module has it.
    pub rule: Rc<ItemFn>,
}

impl SeenRule {
    /// How its tangent is computed, for a caller with these options.
    pub fn options(&self, of_caller: &Options) -> Options {
        Options {
            features: of_caller.features,
            krate: of_caller.krate.clone(),
            strict: of_caller.strict,
            sequential: of_caller.sequential,
            float: of_caller.float,
            module: Some(self.module.clone()),
            asked: Asked { forward: true, ..Asked::default() },
            ..Options::default()
        }
    }

    /// The rule as a function to differentiate, under the `#[cfg]`s of its caller.
    pub fn target(&self, of_caller: &[Attribute]) -> Target {
        let mut item = ItemFn { vis: Visibility::Inherited, ..ItemFn::clone(&self.rule) };
        item.attrs.retain(|attr| !attr.path().is_ident("deprecated"));
        let is_condition =
            |attr: &&Attribute| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr");
        item.attrs.extend(of_caller.iter().filter(is_condition).cloned());
        item.into()
    }

    /// What is refused in it, with the reason why it is looked into.
    pub fn refused(&self, refusals: Vec<Refusal>) -> Vec<Refusal> {
        let rule = linked::plain(&self.rule.sig.ident.to_string());
        let of_rule = |Refusal { span, what, why, help }| Refusal {
            span,
            what,
            why: format!("{why}; for `hvp` the rule `{rule}` is differentiated"),
            help: format!(
                "{help}; or give its tangent by hand, `custom(vjp = {rule}, jvp = …, vjp_jvp = …)`, where `vjp_jvp` \
                 has the arguments of `{rule}`, each float followed by its tangent"
            ),
        };
        refusals.into_iter().map(of_rule).collect()
    }
}

impl Resolver<'_> {
    /// The call in the body of a shim.
    pub(super) fn user_call(&mut self, e: &syn::ExprCall) -> Option<Expr> {
        let syn::Expr::Path(function) = e.args.first()? else { return None };
        let Some(Name::Helper(item, 1)) = self.of_module(&function.path.get_ident()?.to_string()) else {
            return None;
        };
        let (Some(Rule::Arrays(OfArrays { vjp, jvp, vjp_jvp })), Ok((params, returns))) =
            (rule_of(&item), read(&item))
        else {
            return None;
        };
        let path = |path: &syn::Path| UserPath::new(&path.to_token_stream());
        let function = UserFunction {
            function: path(&function.path),
            vjp: vjp.as_ref().map(path),
            jvp: jvp.as_ref().map(path),
            vjp_jvp: vjp_jvp.as_ref().map(path),
            changes: params.iter().map(|param| matches!(param, Param::Mutable(_))).collect(),
            returns,
        };
        let known = self.user_functions.iter().position(|it| *it == function);
        let at = known.unwrap_or_else(|| {
            self.user_functions.push(function);
            self.user_functions.len() - 1
        });
        let args = e.args.iter().skip(1).map(|arg| self.expr(arg)).collect();
        let ty = returns.map_or(Type::Tuple(Vec::new()), Type::Scalar);
        let access = Access { array: String::new(), text: String::new() };
        Some(Expr::new(Kind::Method(Method::User(at), args, access), ty, e.span()))
    }

    /// The rules `vjp` of this module whose tangents nothing else computes, with names for the functions that do, in
    /// modules beside that of `caller`. Rules that have a rule `jvp` themselves are not among them, nor are those with
    /// parameters in `<…>`.
    pub(in crate::frontend) fn seen_rules(&mut self, caller: &Ident) -> Vec<SeenRule> {
        let mut functions = std::mem::take(&mut self.user_functions);
        let caller = linked::plain(&caller.to_string());
        let mut seen = Vec::new();
        for (at, function) in functions.iter_mut().enumerate().filter(|(_, it)| it.vjp_jvp.is_none()) {
            let Some(Name::Helper(rule, 1)) =
                function.vjp.as_ref().and_then(|vjp| self.of_module(&vjp.to_string()))
            else {
                continue;
            };
            if let Some(Rule::Arrays(OfArrays { jvp: Some(jvp), .. })) = rule_of(&rule) {
                function.vjp_jvp = Some(UserPath::new(&jvp));
                continue;
            }
            if !rule.sig.generics.params.is_empty() {
                continue;
            }
            let module = Ident::new(&format!("__{caller}_rule_{at}"), Span::mixed_site());
            let jvp = UserPath::new(&quote!(#module::jvp));
            function.vjp_jvp = Some(jvp.clone());
            seen.push(SeenRule { module, jvp, rule });
        }
        self.user_functions = functions;
        seen
    }
}
