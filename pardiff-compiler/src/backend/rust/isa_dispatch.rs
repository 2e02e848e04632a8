//! Code that is compiled once for every level of the instruction set.
//!
//! ```text
//! fn f<S: Isa>(_: S, …) { … }                            the code
//! unsafe fn f_avx512(…) { Self::f(Avx512, …) }           the same, for machines that have it; and so on
//! match level() { Avx512 => f_avx512(…), … }             the choice
//! ```
//!
//! The lowest level of x86-64 has vectors of two doubles and takes the compiler as long as the two others together. So a
//! function with a portable version (`value_portable`: the program before it is scheduled, in scalars) begins with
//! the question for that level, and nothing after it is compiled for it. Other architectures have one level, and no portable version.
//!
//! A build with debug assertions has the code for AVX2 alone, so that it takes less long: its lanes are those of AVX-512. Clippy,
//! whose lints are off in generated code, sees the portable version alone.
//!
//! *Legality.* Operations of one level and of another may differ in rounding (fused products), never in meaning; a
//! machine always chooses the same one, so the bits of one machine are the same in every call.

use super::emitter::Emitter;
use super::in_place::depth;
use super::task::{has_tasks, is_task_loop};
use super::{Code, code, user};
use crate::ir::walk;
use crate::ir::{Block, Exec, Expr, ExprKind, Flavour, For, Place, Stmt, StmtKind};
use crate::limits::SPILLING_SUMS;
use proc_macro2::{Ident, Span};

/// A function in all its versions.
pub(super) struct Levels<'a> {
    /// The path of the runtime.
    pub(super) runtime: &'a Code,
    /// What the names of the versions start with, and the name of the code itself.
    pub(super) name: &'a str,
    /// What stands for the level in the code.
    pub(super) isa: &'a Ident,
    /// The parameter of that type.
    pub(super) level: &'a Ident,
    /// Generic parameters besides it, and their conditions.
    pub(super) generics: &'a syn::Generics,
    /// The parameter in front of the others that lends memory, if the code uses any. It belongs to what calls a version, so that
    /// nothing is dropped in the code.
    pub(super) arena: Option<&'a Ident>,
    /// The parameters, with their types, and their names alone.
    pub(super) parameters: Code,
    /// What is handed on: `, a, b`.
    pub(super) arguments: Code,
    /// `-> R`
    pub(super) output: Code,
    /// Whether its frame begins at a cache line, see [`fills_registers`].
    pub(super) aligned: bool,
    /// Whether the function has a portable version.
    pub(super) portable: bool,
}

/// Where portable versions run on the lowest level: Miri, which has no vectors of higher levels, runs the code of the others.
pub(super) fn where_portable() -> Code {
    code!(#[cfg(all(target_arch = "x86_64", not(miri)))])
}

/// Everywhere else.
fn elsewhere() -> Code {
    code!(#[cfg(any(not(target_arch = "x86_64"), miri))])
}

/// Where portable versions stand: under Clippy as well, which sees no other code of a function that has one.
pub(super) fn with_portable() -> Code {
    code!(#[cfg(any(all(target_arch = "x86_64", not(miri)), clippy))])
}

/// Where the scheduled program stands.
pub(super) fn scheduled() -> Code {
    code!(#[cfg(not(clippy))])
}

/// Where the portable version stands in its place.
pub(super) fn linted() -> Code {
    code!(#[cfg(clippy)])
}

impl Levels<'_> {
    /// The name of the version for a level.
    fn version(&self, suffix: &str) -> Ident {
        Ident::new(&format!("{}{suffix}", self.name), Span::mixed_site())
    }

    /// The const parameters, which a call has to name: the parameters need not mention them.
    fn consts(&self) -> Vec<Code> {
        self.generics.const_params().map(|param| user(&param.ident)).collect()
    }

    /// The functions.
    pub(super) fn items(&self, body: &Code) -> Code {
        let Levels { runtime, isa, level, parameters, arguments, output, .. } = self;
        let [code, baseline, avx2, avx512] =
            ["", "_baseline", "_avx2", "_avx512"].map(|suffix| self.version(suffix));
        let clause = self.generics.where_clause.as_ref().map(|clause| user(&clause));
        let generics = user(&self.generics);
        let params = self.generics.params.iter().map(|param| user(&param));
        // lifetimes come first, so the level comes last
        let with_level = code!(<#(#params,)* #isa: #runtime::simd::Isa>);
        let consts = self.consts();
        let turbofish = if consts.is_empty() { code!() } else { code!(::<#(#consts,)* _>) };
        let lent = self.arena.map(|arena| code!(#arena: &#runtime::Arena,));
        let handed = self.arena.map(|arena| code!(, #arena));
        let call = |level: Code| code!(Self::#code #turbofish (#runtime::simd::#level #handed #arguments));
        let align = if self.aligned { code!(#runtime::simd::align_frame();) } else { code!() };
        let [on_baseline, on_avx2, on_avx512] = [code!(Baseline), code!(Avx2), code!(Avx512)].map(call);
        let condition = if self.portable { elsewhere() } else { code!() };
        let scheduled = if self.portable { scheduled() } else { code!() };
        code! {
            #scheduled
            #[inline(always)]
            fn #code #with_level(#level: #isa, #lent #parameters) #output #clause {
                use #runtime::simd::{Mask as _, Real as _, Sum as _, Vector as _};
                #body
            }
            #scheduled #condition
            fn #baseline #generics (#lent #parameters) #output #clause { #on_baseline }
            #scheduled
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn #avx2 #generics (#lent #parameters) #output #clause {
                #align
                #on_avx2
            }
            #scheduled
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
            unsafe fn #avx512 #generics (#lent #parameters) #output #clause {
                #align
                #on_avx512
            }
        }
    }

    /// A call of the code itself, in code for the level that `level` is a value of.
    pub(super) fn inlined(&self, arguments: Code) -> Code {
        let (code, consts, level) = (self.version(""), self.consts(), self.level);
        let turbofish = if consts.is_empty() { code!() } else { code!(::<#(#consts,)* _>) };
        code!(Self::#code #turbofish (#level, #arguments))
    }

    /// The choice for this machine: `call` makes code of the path of a version, which is safe to call or not.
    pub(super) fn choice(&self, call: impl Fn(Code, bool) -> Code) -> Code {
        let runtime = self.runtime;
        let [baseline, avx2, avx512] = ["_baseline", "_avx2", "_avx512"].map(|suffix| {
            let (version, consts) = (self.version(suffix), self.consts());
            let turbofish = if consts.is_empty() { code!() } else { code!(::<#(#consts),*>) };
            call(code!(Self::#version #turbofish), suffix == "_baseline")
        });
        let otherwise = if self.portable {
            let (portable, elsewhere) = (where_portable(), elsewhere());
            code!(#portable _ => #avx2, #elsewhere _ => #baseline,)
        } else {
            code! {
                #runtime::simd::Level::Baseline => #baseline,
                #[cfg(target_arch = "x86_64")] _ => #avx2,
                #[cfg(not(target_arch = "x86_64"))] _ => #baseline,
            }
        };
        code! {
            match #runtime::simd::level() {
                #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
                #runtime::simd::Level::Avx512 => #avx512,
                #otherwise
            }
        }
    }
}

/// Whether a loop of the block has so many sums of all lanes that some of their accumulators are kept on the stack. Only
/// then the frame is aligned: that takes a register from all loops of the function, and time of each call.
pub(super) fn fills_registers(emitter: &Emitter<'_>, block: &Block) -> bool {
    block.iter().any(|stmt| match stmt.as_for() {
        Some(it) if is_task_loop(emitter, it) => false,
        Some(it) if matches!(it.exec, Exec::Lanes { .. }) => {
            let mut sums = 0;
            walk(&it.body, &mut |stmt| {
                let fixed = |target: &Place| {
                    let mut lanes = target.index.iter().filter(|index| index.mentions(it.iter));
                    !target.index.is_empty() && lanes.next().is_none()
                };
                sums += usize::from(stmt.as_update().is_some_and(|update| fixed(update.target)));
            });
            sums >= SPILLING_SUMS
        }
        _ => stmt.blocks().into_iter().any(|block| fills_registers(emitter, block)),
    })
}

/// Whether code that is in no task is worth a version for each level: loops over data that call polynomials of the
/// runtime, or hold loops with float arithmetic. Not worth it are sums of what tasks have left, loops that are less deep than
/// those of tasks (with all sizes the same, their work is a fraction of that), and the version in order of a loop that runs in
/// tasks where its copies pay.
pub(super) fn is_worth_levels(emitter: &Emitter<'_>, block: &Block) -> bool {
    let least = if has_tasks(block) { block.iter().map(depth).max().unwrap_or(0) } else { 0 };
    has_work(emitter, block, least)
}

/// The same for loops of at least so many in one another.
fn has_work(emitter: &Emitter<'_>, block: &Block, least: usize) -> bool {
    block.iter().any(|stmt| match (stmt.as_for(), stmt.as_while()) {
        (Some(it), _) => {
            let is_deep = || has_tasks(&it.body) || depth(stmt) >= least;
            !is_task_loop(emitter, it) && it.hi.as_usize().is_none() && weighs(&it.body) && is_deep()
        }
        (_, Some(it)) => weighs(&it.body),
        (None, None) => {
            let arms = stmt.blocks();
            let in_tasks = arms.iter().any(|arm| has_tasks(arm));
            arms.into_iter().any(|arm| (has_tasks(arm) || !in_tasks) && has_work(emitter, arm, least))
        }
    })
}

fn weighs(body: &Block) -> bool {
    let (mut polynomials, mut nested) = (false, false);
    let polynomial = |expr: &Expr| matches!(expr.kind, ExprKind::Call(_, Flavour::Polynomial, _));
    for stmt in body {
        stmt.walk(&mut |stmt| {
            polynomials |= contains(stmt, polynomial);
            if let StmtKind::For(For { body, .. }) = &stmt.kind {
                let arithmetic =
                    |expr: &Expr| expr.ty.is_float() && matches!(expr.kind, ExprKind::Binary(..));
                body.iter().for_each(|stmt| stmt.walk(&mut |stmt| nested |= contains(stmt, arithmetic)));
            }
        });
    }
    polynomials || nested
}

/// Whether some part of the statement's own expressions is of a kind.
fn contains(stmt: &Stmt, is_of_kind: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    stmt.each_expr(&mut |expr| expr.walk(&mut |part| found |= is_of_kind(part)));
    found
}
