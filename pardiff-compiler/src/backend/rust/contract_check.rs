//! `check`: the derivatives of a function compared with each other, and with differences of the function as the user wrote it.
//!
//! ```text
//! fn check(x: &[f64], n: usize, y: &mut [f64]) -> Result<Report, Mismatch> {
//!     let visit_x = |x: &mut Vec<f64>, visitor: &mut Visitor<'_>| { visitor.part("x"); x.visit(visitor); };
//!     let visit_y = …; let visit_result = …;
//!     check(&Functions {
//!         inputs: &|visitor| { …copies of `x` and `y`…; visit_x(&mut x, visitor); visit_y(&mut y, visitor); },
//!         value: &|at, visitor| {
//!             …copies…; …the numbers `at` into them…
//!             let mut result = f(&x, n, &mut y);
//!             visit_result(&mut result, visitor); visit_y(&mut y, visitor);
//!         },
//!         vjp: &|at, adjoints| { …; Self::accumulate(false, &x, &mut d_x, n, &mut y, &mut d_y, seed); … },
//!         …
//!     })
//! }
//! ```
//!
//! What the caller passed is copied in each of them and never written.

use super::contract::Contract;
use super::contract_attributes::deprecation;
use super::contract_failures;
use super::contract_ndarray as nd;
use super::contract_records::{Made, initial};
use super::contract_types::{names_static, owned};
use super::contract_visit::leaf_visit;
use super::names::{Names, unraw};
use super::{Code, code, literal, user};
use crate::backend::interface::{Access, Argument};
use crate::ir::Derivative;
use crate::modes::{Function, Mode};
use crate::ndarray::Form;
use crate::refusal::Refusal;
use crate::signature::{Leaf, Param, ParamKind, Record, ResultShape, Signature, Vector, member_name};
use proc_macro2::{Ident, Span};
use syn::Attribute;
use syn::spanned::Spanned;

/// Generated code that calls the function itself, as refusals name it.
pub struct Caller {
    /// What makes it call the function.
    pub what: &'static str,
    /// Who calls it.
    pub who: &'static str,
    /// What to do instead.
    pub help: &'static str,
    /// Whether it makes copies of an argument.
    pub copies: fn(&Param) -> bool,
}

/// The caller of a function with `check`.
pub const CHECK: Caller = Caller {
    what: "with `check`",
    who: "a check calls the function",
    help: "leave out `check`",
    copies: is_copied,
};

/// Whether a function can be called, with copies of its arguments.
///
/// # Errors
///
/// What is in the way.
pub fn possible(by: &Caller, signature: &Signature, attrs: &[Attribute]) -> Result<(), Vec<Refusal>> {
    let Caller { what: when, who, help: otherwise, copies } = by;
    let mut refusals = Vec::new();
    let mut refuse = |span: Span, what: String, why: &str, help: String| {
        refusals.push(Refusal::new(span, format!("{what}, {when}"), format!("{who}{why}"), help));
    };
    if let Some(attr) = attrs.iter().find(|attr| attr.path().is_ident("target_feature")) {
        refuse(
            attr.span(),
            format!("`{}`, which not every machine can run", signature.shown()),
            ", which is not safe on all machines",
            format!("leave out the attribute, or {otherwise}"),
        );
    }
    for param in signature.params.iter().filter(|param| copies(param)) {
        let name = unraw(&param.name);
        if let Some((of, field)) = param.record.as_ref().and_then(|record| record.not_copied()) {
            let (of, field) = (of.name.as_ref().map_or_else(String::new, unraw), member_name(&field.member));
            refuse(
                param.ty.span(),
                format!("`{name}`, with a field `{field}` whose type is not known"),
                &format!(" with copies, and `{of}` does not derive `Clone`"),
                format!("write `#[derive(Clone)]` before `{of}`"),
            );
        }
        if names_static(&param.ty) {
            refuse(
                param.ty.span(),
                format!("`{name}`, which lives for ever"),
                " with copies, which do not",
                "leave out `'static`".to_owned(),
            );
        }
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Whether each call of the function has its own copy of an argument: it is moved or written, or it may be no `Copy`.
fn is_copied(param: &Param) -> bool {
    param.active || (contract_failures::CALLER.copies)(param)
}

/// The struct or enum that a call moves, if it may be no `Copy`.
pub(super) fn moved(param: &Param) -> Option<&Record> {
    param.record.as_deref().filter(|_| matches!(param.kind, ParamKind::Scalar | ParamKind::Array))
}

/// Whether an argument is the adjoint of something behind a `&mut` that holds enums or options.
fn is_adjoint_of_sum_type(it: &Argument<'_>) -> bool {
    it.steps.contains(&Derivative::Adjoint) && it.param.kind.is_output() && it.param.is_product()
}

/// How a check names what it computes with.
struct Locals<'a> {
    /// Of what the caller of a closure asks for.
    visitor: Ident,
    /// Of what comes from given numbers.
    numbers: Ident,
    at: Ident,
    direction: Ident,
    adjoints: Ident,
    result: Ident,
    /// The closures that visit the floats of active parameters, in order.
    params: Vec<(&'a Param, Ident)>,
    /// The same of the members of what is returned, with the position of each.
    members: Vec<(usize, Ident)>,
}

/// Values whose floats are visited: the closure that does it, and the place.
type Places = Vec<(Ident, Code)>;

impl<'a> Contract<'a> {
    /// `check`, inside the module.
    pub(super) fn check(&self, row: &Function) -> Code {
        let list = self.interface.of_mode(row.mode).map(|it| &it.name);
        let (output, arguments) = (self.check_output(), self.const_arguments());
        let path = if arguments.is_empty() { code!(check) } else { code!(check::#arguments) };
        self.declared(row, &[], Some(output), code!(Bodies::#path(#(#list),*)))
    }

    fn check_output(&self) -> Code {
        let runtime = &self.runtime;
        code!(-> ::core::result::Result<#runtime::check::Report, #runtime::check::Mismatch>)
    }

    /// Its body, beside the function.
    pub(super) fn check_body(&self) -> Code {
        let (runtime, (generics, clause)) = (&self.runtime, self.generics());
        let locals = self.check_locals();
        let Locals { visitor, numbers, at, direction, adjoints, result, .. } = &locals;
        let function = literal::string(&self.signature.shown());
        let parameters = self.interface.of_mode(Mode::Value).map(|it| {
            let (name, ty) = (&it.name, self.type_beside(it));
            code!(#name: #ty)
        });
        let visits = self.visits(&locals);

        let copies = self.copies(Mode::Value, |_| true);
        let primals = self.places(&locals, Mode::Value, &[]);
        let given = self.visited(&primals, &code!(#visitor));
        let stored = self.stored(&code!(#at), &primals, numbers);
        let call = self.call_of_function();
        let called = match locals.members.is_empty() {
            true => code!(let _ = #call;),
            false => code!(let mut #result = #call;),
        };
        let outputs = [self.results(&locals), self.outputs(&locals, Mode::Value, &[])].concat();
        let outputs = self.visited(&outputs, &code!(#visitor));

        let vjp = self.compared(&locals, Mode::Gradient);
        let optional = |mode: Mode, parameters: &[&Code]| match self.modes.contains(&mode) {
            true => {
                let body = self.compared(&locals, mode);
                code!(::core::option::Option::Some(&|#(#parameters),*| { #body }))
            }
            false => code!(::core::option::Option::None),
        };
        let (point, along) = (code!(#at), code!(#direction));
        let is_one = self.lone_float().is_some();
        // the adjoint of one float is one
        let has_others = !is_one || !self.outputs(&locals, Mode::Second, &[]).is_empty();
        let weighted = if has_others { code!(#adjoints) } else { code!(_) };
        let jvp = optional(Mode::Tangent, &[&point, &along]);
        let hvp = optional(Mode::Second, &[&point, &along, &weighted]);
        let unit_seed = if is_one { code!(true) } else { code!(false) };
        let is_deprecated = !deprecation(&self.signature.attrs).is_empty();
        let deprecated = is_deprecated.then(|| code!(#[allow(deprecated)]));
        let output = self.check_output();
        code! {
            #deprecated
            fn check #generics (#(#parameters),*) #output #clause {
                #visits
                #runtime::check::check(&#runtime::check::Functions {
                    name: #function,
                    inputs: &|#visitor| { #copies #given },
                    value: &|#at, #visitor| { #copies #stored #called #outputs ::core::option::Option::Some(()) },
                    vjp: &|#at, #adjoints| { #vjp },
                    jvp: #jvp,
                    hvp: #hvp,
                    unit_seed: #unit_seed,
                })
            }
        }
    }

    fn check_locals(&self) -> Locals<'a> {
        let mut names = Names::default();
        for name in self.all_names() {
            names.fresh(&unraw(name));
        }
        let active = self.signature.params.iter().filter(|param| param.active);
        let params = active.map(|param| (param, names.fresh(&format!("visit_{}", unraw(&param.name)))));
        let params = params.collect();
        let returned = self.returned().iter().enumerate();
        let with_floats =
            returned.filter(|(_, it)| self.interface.seeds.iter().any(|seed| std::ptr::eq(seed.member, *it)));
        let members = with_floats.map(|(at, _)| (at, names.fresh("visit_result"))).collect();
        let [visitor, numbers, at, direction, adjoints, result] =
            ["visitor", "numbers", "at", "direction", "adjoints", "result"].map(|name| names.fresh(name));
        Locals { visitor, numbers, at, direction, adjoints, result, params, members }
    }

    /// The closures that visit floats.
    fn visits(&self, locals: &Locals<'_>) -> Code {
        let (runtime, visitor) = (&self.runtime, &locals.visitor);
        let value = Ident::new("value", Span::mixed_site());
        let closure = |name: &Ident, ty: Code, text: &str, leaves: &[Leaf], record: Option<&Record>| {
            let floats = leaves.iter().filter(|leaf| leaf.elem.is_float());
            let visits: Code =
                floats.map(|leaf| leaf_visit(&value, text, (leaf, record), visitor, runtime)).collect();
            code!(let #name = |#value: &mut #ty, #visitor: &mut #runtime::check::Visitor<'_>| { #visits };)
        };
        let params = locals.params.iter().map(|(param, name)| {
            let (ty, text) = (self.owned_beside(param), unraw(&param.name));
            closure(name, ty, &text, &param.leaves, param.record.as_deref())
        });
        let members = locals.members.iter().map(|(at, name)| {
            let member = &self.returned()[*at];
            closure(name, user(&member.ty), "", &member.leaves, member.record.as_deref())
        });
        params.chain(members).collect()
    }

    /// The type of a copy of an argument, beside the function.
    pub(super) fn owned_beside(&self, param: &Param) -> Code {
        nd::owned(param, &self.runtime).unwrap_or_else(|| owned(&param.ty))
    }

    /// A copy of an argument, of the type that is beside the function.
    pub(super) fn copy(&self, param: &Param, name: &Ident) -> Code {
        let runtime = &self.runtime;
        match (&param.record, param.kind) {
            (Some(record), _) => Made { runtime, path: None, keeps_floats: true }.like(param, record, name),
            (None, ParamKind::NdArray { .. }) => code!(#runtime::ndarray::owned(#name.view())),
            (None, ParamKind::Slice { .. } | ParamKind::Rows { .. }) => code!(#name.to_vec()),
            (None, ParamKind::ScalarRef { .. } | ParamKind::ArrayRef { .. }) => code!(*#name),
            (None, ParamKind::Scalar | ParamKind::Array | ParamKind::Communicator) => code!(#name),
        }
    }

    /// Copies of the arguments of a mode, and of those of their companions that are wanted, all of which are first
    /// copies of their primals.
    fn copies(&self, mode: Mode, wanted: impl Fn(&Argument<'_>) -> bool) -> Code {
        let copy = |it: &Argument<'_>| {
            let Argument { param, primal, name, .. } = it;
            let made = self.copy(param, primal);
            let changes = param.active || param.kind.is_output();
            let (binding, ty) = (changes.then(|| code!(mut)), self.owned_beside(param));
            code!(let #binding #name: #ty = #made;)
        };
        // a copy of an argument has its name
        let companions = self.interface.companions(mode).filter(|it| wanted(it));
        let primals = self.interface.of_mode(Mode::Value).filter(|it| is_copied(it.param));
        companions.chain(primals).map(copy).collect()
    }

    /// The arguments of a mode as they are passed, where those that are copied are owned.
    fn lent(&self, mode: Mode) -> Vec<Code> {
        let lent = |it: &Argument<'_>| {
            let Argument { param, name, .. } = it;
            let is_written = param.kind.is_output() || !it.is_primal() && it.access != Access::Read;
            let reference = if is_written { code!(&mut) } else { code!(&) };
            match param.kind {
                _ if it.is_primal() && !is_copied(param) => code!(#name),
                ParamKind::NdArray { form, reference: is_behind, .. } if form.is_view() => {
                    let view = match is_written || form == Form::ViewMut {
                        true => code!(#name.view_mut()),
                        false => code!(#name.view()),
                    };
                    if is_behind { code!(#reference #view) } else { view }
                }
                ParamKind::Scalar | ParamKind::Array if !is_written => code!(#name),
                _ => code!(#reference #name),
            }
        };
        self.interface.of_mode(mode).map(lent).collect()
    }

    /// The arguments as the function itself takes them.
    fn given(&self) -> Vec<Code> {
        let arguments = self.interface.of_mode(Mode::Value).zip(self.lent(Mode::Value));
        let given = arguments.map(|(Argument { param, name, .. }, lent)| match param.vector {
            None | Some(Vector { boxed: false, moved: false }) => lent,
            Some(Vector { boxed: false, moved: true }) => code!(#name),
            Some(Vector { boxed: true, moved: false }) => code!(&#name.into()),
            Some(Vector { boxed: true, moved: true }) => code!(#name.into()),
        });
        given.collect()
    }

    /// The value of the function itself, of copies of the arguments.
    fn call_of_function(&self) -> Code {
        self.required(self.call_of_callee(self.given()))
    }

    /// The adjoints of vectors that are returned, which are as long as these: what the function returns itself.
    fn seeds_of_vectors(&self, locals: &Locals<'_>) -> Code {
        let (copies, call) = (self.copies(Mode::Value, |_| true), self.call_of_function());
        let (at, primals) = (&locals.at, self.places(locals, Mode::Value, &[]));
        let stored = self.stored(&code!(#at), &primals, &locals.numbers);
        let values = self.returned().iter().map(|member| {
            let seed = self.interface.seeds.iter().find(|seed| std::ptr::eq(seed.member, member));
            seed.map_or(code!(_), |seed| {
                let name = &seed.name;
                code!(mut #name)
            })
        });
        let values = match self.signature.result {
            ResultShape::Tuple(_) => code!((#(#values,)*)),
            ResultShape::One(_) | ResultShape::Unit => code!(#(#values)*),
        };
        code!(let #values = { #copies #stored #call };)
    }

    /// The adjoints of what is behind a `&mut` and holds enums or options: they are of the variants after the call.
    fn adjoints_of_sum_types(&self, locals: &Locals<'_>, mode: Mode) -> Code {
        let (at, primals) = (&locals.at, self.places(locals, Mode::Value, &[]));
        let adjoints = self.interface.companions(mode).filter(|it| is_adjoint_of_sum_type(it));
        let adjoints = adjoints.map(|Argument { name, primal, .. }| {
            let (copies, call) = (self.copies(Mode::Value, |_| true), self.call_of_function());
            let stored = self.stored(&code!(#at), &primals, &locals.numbers);
            code!(let mut #name = { #copies #stored let _ = #call; #primal };)
        });
        adjoints.collect()
    }

    /// What a derivative is computed by: the body of a closure that returns the numbers of it.
    fn compared(&self, locals: &Locals<'_>, mode: Mode) -> Code {
        use Derivative::{Adjoint, Tangent};
        let (runtime, Locals { numbers, at, direction, adjoints, result, .. }) = (&self.runtime, locals);
        let is_one = self.lone_float().is_some();
        let seeds = self.interface.seeds.iter().zip(&locals.members);
        let seeds: Vec<_> = seeds.filter(|_| mode.takes_seeds(is_one)).collect();
        let computed: &[Derivative] = match mode {
            Mode::Second => &[Adjoint, Tangent],
            _ => &[Adjoint],
        };

        // these read the arguments as they came, so they run before the copies shadow them
        let mut code = self.adjoints_of_sum_types(locals, mode);
        if self.signature.written.is_some() && !seeds.is_empty() {
            code.push(self.seeds_of_vectors(locals));
        }
        code.push(self.copies(mode, |it| !is_adjoint_of_sum_type(it)));
        for (seed, _) in seeds.iter().filter(|_| self.signature.written.is_none()) {
            let (name, ty, member) = (&seed.name, user(&seed.member.ty), seed.member);
            let zero = initial(&member.ty, member.record.as_deref(), runtime);
            code.push(code!(let mut #name: #ty = #zero;));
        }
        code.push(self.stored(&code!(#at), &self.places(locals, mode, &[]), numbers));
        code.push(self.stored(&code!(#direction), &self.places(locals, mode, &[Tangent]), numbers));
        let cleared = self.places(locals, mode, computed);
        if !cleared.is_empty() {
            let visits = self.visited(&cleared, &code!(#numbers));
            code.push(code!(let #numbers = &mut #runtime::check::Visitor::clear(); #visits));
        }
        let of_seeds = seeds.iter().map(|(seed, (_, visit))| {
            (visit.clone(), {
                let name = &seed.name;
                code!(#name)
            })
        });
        let given = [of_seeds.collect(), self.outputs(locals, mode, &[Adjoint])].concat();
        let adjoints = match mode.takes_seeds(is_one) {
            true => code!(#adjoints),
            false => code!(&#adjoints[1..]),
        };
        code.push(self.stored(&adjoints, &given, numbers));

        let (body, arguments) = (self.called_body(mode), self.const_arguments());
        let body = if arguments.is_empty() { code!(Self::#body) } else { code!(Self::#body::#arguments) };
        let overwrite = mode.accumulates().then(|| code!(false,));
        let seeds = seeds.iter().map(|(seed, _)| {
            let (name, reference) = (&seed.name, seed.member.is_long().then(|| code!(&)));
            code!(#reference #name)
        });
        let list = self.lent(mode);
        let call = self.required(code!(#body(#overwrite #(#list,)* #(#seeds),*)));
        let has_tangent = mode == Mode::Tangent && !locals.members.is_empty();
        code.push(match has_tangent {
            true => code!(let (_, mut #result) = #call;),
            false => code!(let _ = #call;),
        });
        let derivatives = match mode {
            Mode::Tangent => [self.tangents(locals), self.outputs(locals, mode, &[Tangent])].concat(),
            _ => self.places(locals, mode, computed),
        };
        let visits = self.visited(&derivatives, &code!(&mut #numbers));
        code.push(code!(let mut #numbers = #runtime::check::Visitor::load(); #visits
            ::core::option::Option::Some(#numbers.numbers())));
        code
    }

    /// What is returned by the function, as far as it holds floats.
    fn results(&self, locals: &Locals<'_>) -> Places {
        let result = &locals.result;
        let place = |(at, visit): &(usize, Ident)| match &self.signature.result {
            ResultShape::Tuple(_) => {
                let at = syn::Index::from(*at);
                (visit.clone(), code!(#result.#at))
            }
            ResultShape::One(_) | ResultShape::Unit => (visit.clone(), code!(#result)),
        };
        locals.members.iter().map(place).collect()
    }

    /// The tangents of that.
    fn tangents(&self, locals: &Locals<'_>) -> Places {
        let result = &locals.result;
        let place = |(at, (_, visit)): (usize, &(usize, Ident))| match locals.members.len() {
            1 => (visit.clone(), code!(#result)),
            _ => {
                let at = syn::Index::from(at);
                (visit.clone(), code!(#result.#at))
            }
        };
        locals.members.iter().enumerate().map(place).collect()
    }

    /// The active arguments of a mode, or their companions of these steps.
    fn places(&self, locals: &Locals<'_>, mode: Mode, steps: &[Derivative]) -> Places {
        let arguments = self.interface.of_mode(mode).filter(|it| it.steps == steps);
        arguments.filter_map(|it| locals.place(it)).collect()
    }

    /// Those of outputs.
    fn outputs(&self, locals: &Locals<'_>, mode: Mode, steps: &[Derivative]) -> Places {
        let arguments = self.interface.of_mode(mode).filter(|it| it.steps == steps);
        arguments.filter(|it| it.param.kind.is_output()).filter_map(|it| locals.place(it)).collect()
    }

    fn visited(&self, places: &Places, visitor: &Code) -> Code {
        places.iter().map(|(visit, place)| code!(#visit(&mut #place, #visitor);)).collect()
    }

    /// Stores numbers in the floats of values.
    fn stored(&self, given: &Code, places: &Places, numbers: &Ident) -> Code {
        let (runtime, visits) = (&self.runtime, self.visited(places, &code!(#numbers)));
        match places.is_empty() {
            true => code!(),
            false => code!(let #numbers = &mut #runtime::check::Visitor::store(#given); #visits),
        }
    }
}

impl Locals<'_> {
    /// An active argument, or a companion of one.
    fn place(&self, argument: &Argument<'_>) -> Option<(Ident, Code)> {
        let (_, visit) = self.params.iter().find(|(param, _)| std::ptr::eq(*param, argument.param))?;
        let name = &argument.name;
        Some((visit.clone(), code!(#name)))
    }
}
