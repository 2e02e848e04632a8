//! What generated bodies take and return: the arguments of the function, and derivatives of them.
//!
//! The parameters of a program are the argument list: which argument a parameter is, or a part of, follows from its role, by
//! [`Program::root`], never from its position.

use super::rust::contract_types::{batched, has_floats, written_through};
use super::rust::names::{Names, unraw};
use super::rust::{Code, user};
use crate::ir::{BufferId, Derivative, Program};
use crate::modes::Mode;
use crate::signature::{Leaf, Param, ParamKind, Returned, Signature};
use proc_macro2::Ident;
use syn::Type;

/// The arguments of the bodies of all modes, under names that differ.
pub(crate) struct Interface<'a> {
    /// Those of the function in order, each followed by its companions.
    pub(crate) arguments: Vec<Argument<'a>>,
    /// The adjoint of what is returned, as public functions take it.
    pub(crate) seed: Ident,
    /// The same as bodies take it: an argument for each member of the result that holds floats.
    pub(crate) seeds: Vec<SeedArgument<'a>>,
}

/// An argument of the function, or a companion of one: a derivative of it that the caller passes as well.
pub(crate) struct Argument<'a> {
    /// The parameter.
    pub(crate) param: &'a Param,
    /// The name of its argument.
    pub(crate) primal: Ident,
    /// The steps from the parameter to this: `x` none, `d_x` one to the adjoint.
    pub(crate) steps: &'static [Derivative],
    /// `x` or `d_x`; another name where that is taken.
    pub(crate) name: Ident,
    /// What happens to it.
    pub(crate) access: Access,
    /// How many of it there are, in a batch.
    pub(crate) batch: Option<usize>,
}

/// The adjoint of a member of the result.
pub(crate) struct SeedArgument<'a> {
    /// The member.
    pub(crate) member: &'a Returned,
    /// Its name.
    pub(crate) name: Ident,
}

/// What a body does with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// It is read.
    Read,
    /// It is added to, or starts from zero.
    Add,
    /// It is read and written: in the value before, out the value after.
    Through,
}

/// Which argument a parameter of a program is, or is a part of.
#[cfg(feature = "cuda")]
pub(crate) enum Given<'i, 'a> {
    Argument(&'i Argument<'a>),
    Seed(&'i SeedArgument<'a>),
}

impl<'a> Interface<'a> {
    /// Of a function that is generated in these modes, those of several directions or seeds for `batch` of them; in a
    /// `stub`, types that are not known are taken for floats.
    pub(crate) fn of(
        signature: &'a Signature,
        modes: &[Mode],
        batch: Option<usize>,
        is_stub: bool,
        names: &mut Names,
    ) -> Interface<'a> {
        // const parameters are the user's names as well
        signature.generics.const_params().for_each(|param| names.take(&param.ident));
        let params: Vec<Ident> =
            signature.params.iter().map(|param| names.fresh(&unraw(&param.name))).collect();
        signature.borrowed.iter().for_each(|of| names.take(&of.name));
        let mut arguments = Vec::new();
        for (param, name) in signature.params.iter().zip(&params) {
            let mut companions: Vec<(&[Derivative], Option<usize>)> = Vec::new();
            for mode in modes {
                for steps in mode.companions(param.kind.is_output()) {
                    let companion = (*steps, batch.filter(|_| mode.is_batched(steps)));
                    if !companions.contains(&companion) {
                        companions.push(companion);
                    }
                }
            }
            arguments.push(Argument::new(param, name, &[], name.clone(), None));
            let mut named: Vec<(&[Derivative], Ident)> = Vec::new();
            for (steps, batch) in companions.into_iter().filter(|_| param.active) {
                let known = named.iter().find(|(of, _)| *of == steps).map(|(_, name)| name.clone());
                let own = known.unwrap_or_else(|| names.fresh(&derived_name(&unraw(&param.name), steps)));
                named.push((steps, own.clone()));
                arguments.push(Argument::new(param, name, steps, own, batch));
            }
        }
        let members = signature.result.members().iter();
        let members: Vec<&Returned> =
            members.filter(|it| has_floats(&it.ty, it.record.as_deref(), is_stub)).collect();
        let seed = names.fresh("seed");
        let seeds = match members[..] {
            [member] => vec![SeedArgument { member, name: seed.clone() }],
            _ => {
                let numbered = members.into_iter().enumerate();
                let seed = |(at, member)| SeedArgument { member, name: names.fresh(&format!("seed_{at}")) };
                numbered.map(seed).collect()
            }
        };
        Interface { arguments, seed, seeds }
    }

    /// The arguments of a mode, seeds apart.
    pub(crate) fn of_mode(&self, mode: Mode) -> impl Iterator<Item = &Argument<'a>> {
        self.arguments.iter().filter(|it| it.is_primal()).flat_map(move |primal| {
            let companion = move |steps: &&'static [Derivative]| {
                let is_it = |it: &&Argument<'_>| {
                    let is_alike = it.steps == *steps && it.batch.is_some() == mode.is_batched(steps);
                    is_alike && std::ptr::eq(it.param, primal.param)
                };
                self.arguments.iter().find(is_it)
            };
            let companions = mode.companions(primal.param.kind.is_output()).iter().filter_map(companion);
            let is_given = mode.runs_primal() || !primal.param.kind.is_output();
            std::iter::once(primal).filter(move |_| is_given).chain(companions)
        })
    }

    /// The companions of the arguments in a mode.
    pub(crate) fn companions(&self, mode: Mode) -> impl Iterator<Item = &Argument<'a>> {
        self.of_mode(mode).filter(|it| !it.steps.is_empty())
    }

    /// The parameters of the program of a mode that are arguments or parts of them, in the program's order.
    #[cfg(feature = "cuda")]
    pub(crate) fn parameters<'i>(
        &'i self,
        program: &Program,
        mode: Mode,
    ) -> Vec<(BufferId, Given<'i, 'a>, &'a Leaf)> {
        let mut all = Vec::new();
        for argument in self.of_mode(mode) {
            let leaves = argument.leaves(program).into_iter();
            all.extend(leaves.map(|(id, leaf)| (id, Given::Argument(argument), leaf)));
        }
        for seed in &self.seeds {
            all.extend(seed.leaves(program).into_iter().map(|(id, leaf)| (id, Given::Seed(seed), leaf)));
        }
        all.sort_by_key(|(id, ..)| program.params.iter().position(|it| it == id));
        all
    }
}

impl<'a> Argument<'a> {
    fn new(
        param: &'a Param,
        primal: &Ident,
        steps: &'static [Derivative],
        name: Ident,
        batch: Option<usize>,
    ) -> Argument<'a> {
        let adjoint = steps.contains(&Derivative::Adjoint);
        let access = match (param.kind.is_output(), adjoint) {
            (true, _) => Access::Through,
            (false, true) => Access::Add,
            (false, false) => Access::Read,
        };
        Argument { param, primal: primal.clone(), steps, name, access, batch }
    }

    /// What it is to its parameter, in words.
    pub(crate) fn word(&self) -> &'static str {
        match self.steps {
            [] => "argument",
            [Derivative::Adjoint] => "adjoint",
            [Derivative::Tangent] => "tangent",
            _ => "second-order adjoint",
        }
    }

    /// Whether it is an argument of the function itself.
    pub(crate) fn is_primal(&self) -> bool {
        self.steps.is_empty()
    }

    /// Its type where that of the parameter is written as `ty`, unless it is an array of `ndarray`.
    pub(crate) fn written_type(&self, ty: &Type) -> Code {
        let batched = self.batch.map(|width| batched(ty, width));
        let ty = batched.as_ref().unwrap_or(ty);
        match self.is_primal() || self.access == Access::Read {
            true => user(ty),
            false => written_through(ty),
        }
    }

    /// What kind of host value it is: a companion that is written is behind a reference.
    pub(crate) fn kind(&self) -> ParamKind {
        match self.param.kind {
            ParamKind::Scalar | ParamKind::ScalarRef { .. } if self.batch.is_some() => ParamKind::Array,
            ParamKind::Scalar if self.access != Access::Read => ParamKind::ScalarRef { mutable: true },
            kind => kind,
        }
    }

    /// The parameters of a program that are parts of it, with the parts.
    pub(crate) fn leaves(&self, program: &Program) -> Vec<(BufferId, &'a Leaf)> {
        parts(program, &program.params, &self.param.leaves, self.steps)
    }
}

impl<'a> SeedArgument<'a> {
    /// The parameters of a program that are parts of it, with the parts.
    pub(crate) fn leaves(&self, program: &Program) -> Vec<(BufferId, &'a Leaf)> {
        parts(program, &program.params, &self.member.leaves, &[Derivative::Adjoint])
    }

    /// The results of a program that are the tangent of the member, or parts of it.
    pub(crate) fn tangents(&self, program: &Program) -> Vec<(BufferId, &'a Leaf)> {
        parts(program, &program.results, &self.member.leaves, &[Derivative::Tangent])
    }
}

/// The buffers of a list that are the derivative of a leaf each.
fn parts<'a>(
    program: &Program,
    list: &[BufferId],
    leaves: &'a [Leaf],
    steps: &[Derivative],
) -> Vec<(BufferId, &'a Leaf)> {
    let of = |leaf: &'a Leaf| {
        let mut list = list.iter().copied();
        list.find(|&id| program.is_derivative_of(id, leaf.buffer, steps)).map(|id| (id, leaf))
    };
    leaves.iter().filter_map(of).collect()
}

/// What a derivative of `name` is called: `d_x` the adjoint, `x_dot` the tangent, `h_x` the tangent of the adjoint.
fn derived_name(name: &str, steps: &[Derivative]) -> String {
    match steps {
        [] => name.to_owned(),
        [Derivative::Adjoint] => format!("d_{name}"),
        [Derivative::Tangent] => format!("{name}_dot"),
        _ => format!("h_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    fn signature(source: &str) -> Signature {
        let item = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}"));
        crate::frontend::signature(&crate::frontend::Options::default(), &item).0
    }

    #[test]
    fn arguments_are_found_by_role_wherever_they_stand() {
        let signature = signature("fn f(x: &[f64], n: usize, y: &mut [f64], d_x: f64) -> (f64, f64) { }");
        let interface = Interface::of(&signature, &Mode::ALWAYS, None, false, &mut Names::default());
        let names: Vec<String> = interface.arguments.iter().map(|it| it.name.to_string()).collect();
        assert_eq!(names, ["x", "d_x_2", "n", "y", "d_y", "d_x", "d_d_x"]);
        let access: Vec<Access> = interface.arguments.iter().map(|it| it.access).collect();
        let (read, add, through) = (Access::Read, Access::Add, Access::Through);
        assert_eq!(access, [read, add, read, through, through, read, add]);
        let value: Vec<&Ident> = interface.of_mode(Mode::Value).map(|it| &it.name).collect();
        assert_eq!(value, ["x", "n", "y", "d_x"]);
        // the buffers of the signature come first, then those of the gradient in another order than the arguments'
        let text = "
fn f(x: in f64[_], n: in usize, y: inout f64[_], d_x: in f64, flag: in bool, v: adjoint(r) f64, g: adjoint(y) f64[len(y)], d: adjoint(d_x) f64, u: adjoint(s) f64, h: adjoint(x) f64[len(x)]) -> s: f64, r: f64
  s = x[0]
  r = x[0]";
        let mut program = parse(text.trim_start()).unwrap_or_else(|error| panic!("{error}"));
        let leaves = interface.arguments.iter().flat_map(|it| it.leaves(&program));
        let found: Vec<String> = leaves.map(|(id, _)| program[id].name.clone()).collect();
        assert_eq!(found, ["x", "h", "n", "y", "g", "d_x", "d"]);
        // without the parameter there is no such part
        let all = std::mem::take(&mut program.params);
        program.params = all.into_iter().filter(|&id| program[id].name != "h").collect();
        assert!(interface.arguments[1].leaves(&program).is_empty());
    }
}
