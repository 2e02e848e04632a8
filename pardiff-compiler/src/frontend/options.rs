//! The options of `#[differentiate(…)]`.

use super::Refusals;
use super::option_syntax::{Entry, Value, is_function};
use super::rule::Rule;
use crate::ir::Ty;
use crate::refusal::Refusal;
use crate::signature::OverRanks;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Ident, Path, Token, Type};

/// Every option, as the list in messages shows it.
const VALID: &str = "`wrt(…)`, `forward`, `hvp`, `batch(n)`, `split`, `check`, `sequential`, `strict`, `cuda`, `deny(atomics)`, `crate = path`, `module = name`, \
                     `parallel(i)`, `with(T = f64)`, `custom(partials = d_f)`, `custom(vjp = f_vjp, jvp = f_jvp)`, `export`, `export = \"only\"`, `uses(path, …)`, `result = \"partial\"`";

/// What of pardiff is switched on in the user's `Cargo.toml`: generated code can call nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Arrays of the crate `ndarray`.
    pub ndarray: bool,
    /// Gradients on GPUs.
    pub cuda: bool,
    /// Large matrix products by the crate `gemm`.
    pub gemm: bool,
    /// Generic functions behind traits of the crate `num-traits`.
    pub num_traits: bool,
    /// Types of the crate `num-complex`.
    pub num_complex: bool,
    /// Types of the crate `glam`.
    pub glam: bool,
    /// Types of the crate `nalgebra`.
    pub nalgebra: bool,
}

impl Default for Features {
    /// All that more functions are accepted with; what these become is the same with each of them.
    fn default() -> Features {
        Features {
            ndarray: true,
            cuda: true,
            gemm: false,
            num_traits: true,
            num_complex: true,
            glam: true,
            nalgebra: true,
        }
    }
}

/// What is made besides the gradient.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Asked {
    /// Forward mode.
    pub forward: bool,
    /// Second order.
    pub hvp: bool,
    /// How many directions or seeds the vector modes take, if there are any.
    pub batch: Option<usize>,
    /// The two sweeps apart.
    pub split: bool,
    /// A check of all derivatives.
    pub check: bool,
}

/// What the attribute asked for.
#[derive(Clone, Default)]
pub struct Options {
    /// What is switched on.
    pub features: Features,
    /// `wrt(a, b)`: the active inputs; every float parameter if absent.
    pub wrt: Option<Vec<Ident>>,
    /// `crate = path`
    pub krate: Option<Path>,
    /// `module = name`
    pub module: Option<Ident>,
    /// `strict`: sums keep their order.
    pub strict: bool,
    /// `sequential`: nothing runs in parallel.
    pub sequential: bool,
    /// `forward`: `f::jvp` as well; `hvp`: `f::hvp` as well; `batch(n)`: each of them, and `f::vjp`, for `n` at once;
    /// `split`: `f::forward` and `f::backward` as well; `check`: `f::check` as well.
    pub asked: Asked,
    /// `cuda`: the gradient on a GPU as well.
    pub cuda: Option<Ident>,
    /// `deny(atomics)`: no sum by atomic additions.
    pub deny_atomics: bool,
    /// `custom(…)`: the derivative is given by hand.
    pub custom: Option<Rule>,
    /// `export`: other modules and crates may use it.
    pub export: Option<Ident>,
    /// `export = "only"`: without derivatives of its own, but for items with an attribute.
    pub only_exports: bool,
    /// `uses(path, …)`: what stands elsewhere.
    pub uses: Vec<Path>,
    /// `parallel(i)`: as `#[parallel]` on the loops over these iterators.
    pub parallel: Vec<Ident>,
    /// `with(T = f64, f32)`: what type parameters stand for.
    pub with: Vec<With>,
    /// The one float that type parameters stand for where types of known crates have them: `Vector3<T>`.
    pub float: Option<Ty>,
    /// What parameters for sizes of types of known crates stand for in the whole item.
    pub sizes: Vec<(Ident, Type)>,
    /// `with(F = path)`: functions that parameters stand for.
    pub with_functions: Vec<(Ident, Path)>,
    /// `with(B = Bezier, N = 3)`: structs, enums, tuples and arrays that type parameters stand for, and numbers that
    /// const parameters stand for.
    pub with_types: Vec<(Ident, Type)>,
    /// `result = "partial"`: of a function with communicators, whose result it is.
    pub result: Option<OverRanks>,
    /// The same of a module, for those of its functions that have communicators.
    pub results: Option<OverRanks>,
}

/// The types that a type parameter stands for.
#[derive(Clone)]
pub struct With {
    /// The type parameter.
    pub param: Ident,
    /// In order.
    pub types: Vec<(Ty, Span)>,
}

/// Whether an attribute is `#[differentiate]`.
pub fn is_ours(attr: &syn::Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "differentiate")
}

impl Options {
    /// Reads the tokens between the parentheses of the attribute.
    ///
    /// # Errors
    ///
    /// Unknown options, options written twice.
    pub fn parse(attr: TokenStream) -> Result<Options, Vec<Refusal>> {
        let (options, refusals) = Options::read(attr);
        if refusals.is_empty() { Ok(options) } else { Err(refusals) }
    }

    /// The options that are understood, with what is refused of the others: so that the function's own errors can be
    /// reported along with those.
    pub fn read(attr: TokenStream) -> (Options, Vec<Refusal>) {
        let mut refusals = Refusals::default();
        let mut options = Options::default();
        match Punctuated::<Entry, Token![,]>::parse_terminated.parse2(attr) {
            Ok(entries) => entries.into_iter().for_each(|entry| options.add(entry, &mut refusals)),
            Err(error) => refusals.push(
                error.span(),
                format!("this is not an option of `#[differentiate]`: {error}"),
                format!("the options are {VALID}"),
                "write for example `#[differentiate(wrt(x))]`",
            ),
        }
        if options.only_exports && !options.is_only_exported() {
            refusals.push(
                options.export.span(),
                "`export = \"only\"` beside what is said of derivatives",
                "what is only exported has none",
                "write `export`, or leave the others out",
            );
        }
        (options, refusals.0)
    }

    /// How pardiff is called where the attribute stands.
    pub fn krate(&self) -> Path {
        self.krate.clone().unwrap_or_else(|| syn::parse_quote!(::pardiff))
    }

    /// What generated code calls.
    pub fn runtime(&self) -> Path {
        let krate = self.krate();
        syn::parse_quote!(#krate::runtime)
    }

    /// What is said about other places.
    pub fn links(&self) -> Option<Ident> {
        let uses = self.uses.first().map(|path| Ident::new("uses", syn::spanned::Spanned::span(path)));
        self.export.clone().or(uses)
    }

    /// Whether nothing but `export` is said: derivatives are made where they can be.
    pub fn is_only_exported(&self) -> bool {
        self.export.is_some()
            && self.wrt.is_none()
            && self.asked == Asked::default()
            && self.cuda.is_none()
            && self.custom.is_none()
            && self.with.is_empty()
            && self.with_functions.is_empty()
            && self.with_types.is_empty()
            && !self.strict
            && !self.sequential
    }

    /// The options of a module: those that make sense for each of its functions.
    pub fn read_for_module(attr: TokenStream) -> (Options, Vec<Refusal>) {
        let (mut options, mut refusals) = Options::read_for_several(attr, "a module");
        if let Some(name) = options.module.take() {
            refusals.push(of_one_function(&name, "module", "a module", "module = name"));
        }
        (options, refusals)
    }

    /// The options of an `impl`, whose `module` is that of its type.
    pub fn read_for_impl(attr: TokenStream) -> (Options, Vec<Refusal>) {
        Options::read_for_several(attr, "an `impl`")
    }

    fn read_for_several(attr: TokenStream, on: &str) -> (Options, Vec<Refusal>) {
        let (mut options, mut refusals) = Options::read(attr);
        let with = std::mem::take(&mut options.with).into_iter().map(|it| it.param);
        let functions = std::mem::take(&mut options.with_functions).into_iter().map(|it| it.0);
        let types = std::mem::take(&mut options.with_types).into_iter().map(|it| it.0);
        let of_functions = [
            ("wrt", options.wrt.take().and_then(|list| list.into_iter().next()), "wrt(x)"),
            ("custom", options.custom.take().map(|rule| rule.name()), "custom(partials = d_f)"),
            ("parallel", std::mem::take(&mut options.parallel).into_iter().next(), "parallel(i)"),
            ("with", with.chain(functions).chain(types).next(), "with(…)"),
        ];
        for (option, name, example) in of_functions {
            refusals.extend(name.map(|name| of_one_function(&name, option, on, example)));
        }
        options.results = options.result.take();
        (options, refusals)
    }

    /// These options of a function with those of its module where it says nothing.
    pub fn with_defaults(self, module: &Options) -> Options {
        Options {
            krate: self.krate.or_else(|| module.krate.clone()),
            strict: self.strict || module.strict,
            sequential: self.sequential || module.sequential,
            asked: Asked {
                forward: self.asked.forward || module.asked.forward,
                hvp: self.asked.hvp || module.asked.hvp,
                batch: self.asked.batch.or(module.asked.batch),
                split: self.asked.split || module.asked.split,
                check: self.asked.check || module.asked.check,
            },
            cuda: self.cuda.or_else(|| module.cuda.clone()),
            deny_atomics: self.deny_atomics || module.deny_atomics,
            features: module.features,
            float: module.float,
            sizes: module.sizes.clone(),
            results: module.results,
            ..self
        }
    }

    fn add(&mut self, entry: Entry, refusals: &mut Refusals) {
        let Entry { name, value } = entry;
        let text = name.unraw().to_string();
        let mut twice = false;
        match (text.as_str(), value) {
            ("wrt", Value::List(list)) => {
                twice = self.wrt.is_some();
                self.wrt = Some(list);
            }
            ("parallel", Value::List(list)) => self.parallel.extend(list),
            ("with", Value::Types(list)) => {
                twice =
                    !self.with.is_empty() || !self.with_functions.is_empty() || !self.with_types.is_empty();
                for (param, types) in list {
                    match &types[..] {
                        [Type::Path(of)] if is_function(&of.path) => {
                            self.with_functions.push((param, of.path.clone()));
                        }
                        [one] if Ty::from_name(&super::display::tidy_type(one)).is_none() => {
                            self.with_types.push((param, one.clone()));
                        }
                        _ => self.with.push(with((param, types), refusals)),
                    }
                }
            }
            ("with", _) => refusals.push(
                name.span(),
                "`with` takes type parameters and what they stand for",
                "the function is differentiated for each of these types",
                "write `with(T = f64)`, `with(T = f64, f32)`, or `with(B = Bezier)` for a struct",
            ),
            ("export", Value::None) => self.export = Some(name.clone()),
            ("export", Value::Text(word)) if word == "only" => {
                self.export = Some(name.clone());
                self.only_exports = true;
            }
            ("export", _) => refusals.push(
                name.span(),
                "`export` takes nothing, or `\"only\"`",
                "an exported function has derivatives where it can, unless it is only exported",
                "write `export`, or `export = \"only\"`",
            ),
            ("uses", Value::List(list)) => self.uses.extend(list.into_iter().map(Path::from)),
            ("uses", Value::Paths(list)) => self.uses.extend(list),
            ("uses", _) => refusals.push(
                name.span(),
                "`uses` takes paths",
                "they name exported items of other modules and crates",
                "write `uses(Atom, geometry::pair)`",
            ),
            ("crate", Value::Path(path)) => {
                twice = self.krate.is_some();
                self.krate = Some(path);
            }
            ("module", Value::Path(path)) => match path.get_ident() {
                Some(ident) => {
                    twice = self.module.is_some();
                    self.module = Some(ident.clone());
                }
                None => refusals.push(
                    name.span(),
                    "`module` takes a name",
                    "it names the generated module",
                    "write `module = name`",
                ),
            },
            ("strict", Value::None) => self.strict = true,
            ("sequential", Value::None) => self.sequential = true,
            ("forward", Value::None) => self.asked.forward = true,
            ("hvp", Value::None) => self.asked.hvp = true,
            ("split", Value::None) => self.asked.split = true,
            ("check", Value::None) => self.asked.check = true,
            ("cuda", Value::None) => self.cuda = Some(name.clone()),
            ("batch", Value::Count(width @ 2..=16)) => {
                twice = self.asked.batch.is_some();
                self.asked.batch = Some(width);
            }
            ("batch", Value::Count(_)) => refusals.push(
                name.span(),
                "a `batch` of less than 2 or more than 16",
                "the members of a batch are computed side by side, in the registers of a core",
                "write `batch(8)`, and call the function in chunks of `f::WIDTH`",
            ),
            ("deny", Value::List(list)) => {
                self.deny_atomics = true;
                for what in list.iter().filter(|what| *what != "atomics") {
                    refusals.push(
                        what.span(),
                        format!("`deny({what})` is not known"),
                        "only atomics can be denied",
                        "write `deny(atomics)`",
                    );
                }
            }
            ("custom", Value::Named(list)) => {
                twice = self.custom.is_some();
                for (key, path) in list {
                    self.custom = Rule::with(self.custom.take(), &key, path, refusals);
                }
                if let Some(Rule::Arrays(of)) = &self.custom {
                    of.refuse_alone(name.span(), refusals);
                }
            }
            ("result", Value::Text(word)) if OverRanks::of(&word).is_some() => {
                twice = self.result.is_some();
                self.result = OverRanks::of(&word);
            }
            ("result", _) => refusals.push(
                name.span(),
                "`result` takes `\"partial\"` or `\"replicated\"`",
                "it says whether ranks return shares of one number, or all the same number",
                "write `result = \"partial\"`, or `result = \"replicated\"`",
            ),
            ("custom", _) => refusals.push(
                name.span(),
                "`custom` takes the function that computes the derivatives",
                "it replaces what is derived from the body",
                "write `custom(partials = d_f)`, or of a function over arrays `custom(vjp = f_vjp)`",
            ),
            ("batch", _) => refusals.push(
                name.span(),
                "`batch` takes a number",
                "it is how many directions or seeds one call takes",
                "write `batch(8)`",
            ),
            ("wrt", _) => refusals.push(
                name.span(),
                "`wrt` takes the names of parameters",
                "it says which inputs have an adjoint",
                "write `wrt(x, y)`",
            ),
            ("parallel", _) => refusals.push(
                name.span(),
                "`parallel` takes the names of loop iterators",
                "it marks the loops over them",
                "write `parallel(i)`",
            ),
            ("crate", _) => refusals.push(
                name.span(),
                "`crate` takes a path",
                "it names pardiff where it is renamed or re-exported",
                "write `crate = my_crate::pardiff`",
            ),
            ("module", _) => refusals.push(
                name.span(),
                "`module` takes a name",
                "it names the generated module",
                "write `module = name`",
            ),
            ("deny", _) => refusals.push(
                name.span(),
                "`deny` takes what to deny",
                "only atomics can be denied",
                "write `deny(atomics)`",
            ),
            ("strict" | "sequential" | "forward" | "hvp" | "split" | "check" | "cuda", _) => refusals.push(
                name.span(),
                format!("`{text}` takes no arguments"),
                "it applies to the whole function",
                format!("write `{text}`"),
            ),
            _ => refusals.push(
                name.span(),
                format!("`{text}` is not an option of `#[differentiate]`"),
                format!("the options are {VALID}"),
                "write for example `#[differentiate(wrt(x))]`",
            ),
        }
        if twice {
            refusals.push(
                name.span(),
                format!("`{text}` is given twice"),
                "only one of them could hold",
                format!("keep one `{text}`"),
            );
        }
    }
}

/// The types that a parameter stands for, by their names.
fn with((param, types): (Ident, Vec<Type>), refusals: &mut Refusals) -> With {
    let mut known: Vec<(Ty, Span)> = Vec::new();
    for of in types {
        match Ty::from_name(&super::display::tidy_type(&of)) {
            Some(ty) if known.iter().all(|(other, _)| *other != ty) => known.push((ty, of.span())),
            Some(ty) => refusals.push(
                of.span(),
                format!("`{ty}` is named twice in `with`"),
                "a type has one set of derivatives",
                "name it once",
            ),
            None => refusals.push(
                of.span(),
                format!("`{}` in `with`", super::display::tidy_type(&of)),
                "a type parameter stands for numbers, or for one struct, enum, tuple or array",
                "write `f64`, `f32`, or the name of an integer type; or the one other type alone",
            ),
        }
    }
    With { param, types: known }
}

fn of_one_function(name: &Ident, option: &str, on: &str, example: &str) -> Refusal {
    Refusal::new(
        name.span(),
        format!("`{option}` on {on}"),
        "it names something of one function",
        format!("put it on the function: `#[differentiate({example})] pub fn …`"),
    )
}

/// Checks that `wrt` names float parameters and `parallel` names loops; `floats` are the float parameters, `others`
/// the remaining ones.
pub(super) fn check_wrt(options: &Options, floats: &[String], others: &[String], refusals: &mut Refusals) {
    let mut seen: Vec<String> = Vec::new();
    for name in options.wrt.iter().flatten() {
        let text = name.unraw().to_string();
        let span: Span = name.span();
        if others.contains(&text) {
            refusals.push(
                span,
                format!("`{text}` in `wrt` is not a float"),
                "only `f32` and `f64` have derivatives",
                format!(
                    "remove `{text}` from `wrt`; integers and booleans are constants of the differentiation"
                ),
            );
        } else if !floats.contains(&text) {
            let known =
                if floats.is_empty() { "none".to_owned() } else { format!("`{}`", floats.join("`, `")) };
            refusals.push(
                span,
                format!("`{text}` in `wrt` is not a parameter"),
                format!("the float parameters are {known}"),
                "name parameters of this function",
            );
        } else if seen.contains(&text) {
            refusals.push(
                span,
                format!("`{text}` is named twice in `wrt`"),
                "a parameter has one adjoint",
                "name it once",
            );
        }
        seen.push(text);
    }
}
