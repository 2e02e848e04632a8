//! What a function of several ranks cannot have, although one of a single rank can.

use super::options::Options;
use crate::ir::{self, Callee, Program, StmtKind};
use crate::refusal::Refusal;
use crate::signature::Signature;
use proc_macro2::Span;

/// Refuses options that messages are not made for yet, and a word about ranks where there are none.
pub(crate) fn refuse_options(options: &Options, signature: &Signature) -> Result<(), Vec<Refusal>> {
    let span = signature.name.span();
    let several = signature.params.iter().any(|param| param.kind.is_communicator());
    if !several {
        let refusal = |_| {
            let why = "it says whose result ranks return, and no parameter is a communicator";
            Refusal::new(span, "`result` on a function of one rank", why, "remove it")
        };
        return options.result.map(refusal).map_or(Ok(()), |refusal| Err(vec![refusal]));
    }
    let asked = options.asked;
    let refuse = |span: Span, name: &str, why: &str| {
        let what = format!("the option `{name}` on a function with a communicator");
        Refusal::new(span, what, why, format!("remove `{name}`"))
    };
    let named = [
        (asked.hvp, "hvp", "the tangents of adjoints would be messages as well"),
        (asked.batch.is_some(), "batch", "the members of a batch would be messages as well"),
        (
            asked.split,
            "split",
            "whether all ranks are between the two sweeps would be known at run time alone",
        ),
        (asked.check, "check", "it moves an argument of one rank, and the others would not know of it"),
    ];
    let named = named.into_iter().filter(|(is, ..)| *is);
    let mut refusals: Vec<Refusal> = named.map(|(_, name, why)| refuse(span, name, why)).collect();
    if let Some(cuda) = &options.cuda {
        refusals.push(refuse(cuda.span(), "cuda", "messages are sent by the CPU"));
    }
    if signature.failure.is_some() {
        refusals.push(Refusal::new(
            span,
            "a function with a communicator that returns a `Result` or an `Option`",
            "its derivatives run it twice where it has a value, and ranks would have to agree that it has one",
            "return the value alone, and say outside whether it is one",
        ));
    }
    if signature.written.is_some() {
        refusals.push(Refusal::new(
            span,
            "a function with a communicator that returns a vector",
            "its derivatives run it twice, to know the length, and would send its messages twice",
            "write the vector to a parameter `y: &mut [f64]`",
        ));
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Refuses loops in segments with messages in them: iterations that run again would send again.
pub(crate) fn refuse_segments(primal: &Program) -> Result<(), Vec<Refusal>> {
    let mut refusals = Vec::new();
    ir::walk(&primal.body, &mut |stmt| {
        let marked = stmt.checkpoint().is_some();
        let is_message =
            |stmt: &ir::Stmt| matches!(stmt.kind, StmtKind::Call { callee: Callee::Communication(_), .. });
        if marked && stmt.any(&mut &is_message) {
            let span = primal.spans.get(stmt.origin.span.0 as usize).copied();
            refusals.push(Refusal::new(
                span.unwrap_or_else(Span::call_site),
                "messages between ranks in a loop with `#[checkpoint]`",
                "iterations that run again would send again, and ranks may cut the loop at different places",
                "remove the mark",
            ));
        }
    });
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}
