//! Scalars that live on the device: where each has its cell, what it begins with, and how it comes back.

use super::host::HostWriter;
use super::hosted::Hosted;
use super::stmt::Cells;
use super::words::{cells_at, cells_name};
use crate::backend::interface::SeedArgument;
use crate::backend::rust::contract_records::initial;
use crate::backend::rust::contract_types::batched;
use crate::backend::rust::{Code, code, in_batch, literal, user};
use crate::gpu::host::Host;
use crate::ir::{BufferId, Program, Ty};
use crate::signature::{Leaf, ParamKind, ResultShape, Returned, Signature};

/// The scalars that live on the device.
pub(super) fn cells(program: &Program, host: &Host<'_>) -> Cells {
    let mut cells = Cells::default();
    let is_cell = |id: &&BufferId| program[**id].rank() == 0 && !host.has(**id);
    for id in program.params.iter().chain(&program.results).filter(is_cell) {
        cells.add(program, *id);
    }
    declared_cells(program, host, &program.body, &mut cells);
    cells
}

/// Scalars of scopes that the host enters, and that a kernel writes.
fn declared_cells(program: &Program, host: &Host<'_>, block: &[crate::ir::Stmt], cells: &mut Cells) {
    for stmt in block {
        if !host.runs(stmt) {
            continue;
        }
        if let Some((buffers, _)) = stmt.as_scope() {
            let is_cell = |id: &&BufferId| program[**id].rank() == 0 && !host.has(**id);
            buffers.iter().filter(is_cell).for_each(|&id| cells.add(program, id));
        }
        stmt.blocks().into_iter().for_each(|inner| declared_cells(program, host, inner, cells));
    }
}

/// The addresses of the caller's arrays, and of memory for the results.
pub(super) fn addresses(program: &Program, writer: &HostWriter<'_>) -> Code {
    let call = &writer.call;
    let param = |&id: &BufferId| {
        let (name, at, shown) = (writer.buffer(id), writer.address(id), literal::string(&program[id].name));
        let reference = if writer.hosted(id).is_some() { code!(&) } else { code!() };
        code!(let #at = #call.address(#reference #name, #shown)?;)
    };
    let result = |&id: &BufferId| {
        let (name, at, shown) = (writer.buffer(id), writer.address(id), literal::string(&program[id].name));
        let (elem, len) = (literal::ty(program[id].elem), writer.elements(id));
        code! {
            let #name = #call.zeros::<#elem>(#len)?;
            let #at = #call.address(&#name, #shown)?;
        }
    };
    let is_array = |id: &&BufferId| program[**id].rank() > 0;
    let params = program.params.iter().filter(is_array).map(param);
    params.chain(program.results.iter().filter(is_array).map(result)).collect()
}

/// The scalars on the device, with those of the caller.
pub(super) fn initial_cells(program: &Program, writer: &HostWriter<'_>, cells: &Cells) -> Code {
    let call = &writer.call;
    let mut code = Code::new();
    for &(ty, count) in cells.counts() {
        let zero = if ty.is_float() { code!(0.0) } else { code!(0) };
        let mut values = vec![zero; count];
        for &id in program.params.iter().filter(|&&id| program[id].rank() == 0 && !writer.host.has(id)) {
            let (kept, at) = cells.of(id);
            if kept == ty {
                let value = writer.scalar(id);
                values[at] = if ty.is_float() { value } else { writer.bits(program[id].elem, value) };
            }
        }
        let (name, at, elem) = (cells_name(ty), cells_at(ty), literal::ty(ty));
        code.push(code! {
            let #name = #call.upload::<#elem>(&[#(#values),*])?;
            let #at = #call.address(&#name, "scalars")?;
        });
    }
    code
}

/// The scalars of the caller, and the result, with its tangents if there are some, `width` of each in a batch.
pub(super) fn read_back(
    signature: &Signature,
    tangents: &[&SeedArgument<'_>],
    width: Option<usize>,
    writer: &HostWriter<'_>,
    cells: &Cells,
) -> Code {
    let program = writer.program;
    let mut code = Code::new();
    for &(ty, _) in cells.counts() {
        let name = cells_name(ty);
        code.push(code!(let #name = #name.download()?;));
    }
    let value = |id: BufferId| {
        let ((ty, at), elem) = (cells.of(id), program[id].elem);
        let (name, at, of) = (cells_name(ty), literal::usize(at), literal::ty(elem));
        match elem {
            Ty::Float(_) => code!(#name[#at]),
            Ty::Bool => code!((#name[#at] != 0)),
            Ty::Int(_) => code!((#name[#at] as #of)),
        }
    };
    for &id in &program.params {
        let is_returned = writer.is_reference(id) || writer.hosted(id).is_some_and(|it| it.is_written);
        if program[id].rank() == 0 && !writer.host.has(id) && is_returned {
            let (target, value) = (writer.scalar(id), value(id));
            code.push(code!(#target = #value;));
        }
    }
    let written = writer.hosted.iter().filter(|it| it.is_written);
    code.push(written.map(|it| it.returned(writer)).collect());
    let mut buffers = program.results.iter().copied().filter(|&id| program.root(id).1.is_empty());
    let mut made = |member: &Returned, own: Vec<(BufferId, &Leaf)>, width: Option<usize>| {
        if let (&[(id, _)], None) = (&own[..], &member.record)
            && program[id].rank() == 0
        {
            return value(id);
        }
        let of = width.map_or_else(|| member.ty.clone(), |width| batched(&member.ty, width));
        let (name, ty) = (writer.fresh("result"), user(&of));
        let start = initial(&of, member.record.as_deref(), &writer.runtime);
        code.push(code!(let mut #name: #ty = #start;));
        for (id, leaf) in own {
            if program[id].rank() == 0 {
                let (local, value) = (writer.buffer(id), value(id));
                code.push(code!(let #local = #value;));
            }
            let leaf = in_batch(leaf, &member.ty, width);
            code.push(Hosted::new(id, &name, &leaf, ParamKind::Array, true).returned(writer));
        }
        code!(#name)
    };
    let mut results = Vec::new();
    for member in signature.result.members() {
        // leaves first: a pair that begins with a buffer would take one too many
        let own = member.leaves.iter().zip(buffers.by_ref()).map(|(leaf, id)| (id, leaf));
        results.push(made(member, own.collect(), None));
    }
    let tangents: Vec<Code> =
        tangents.iter().map(|it| made(it.member, it.tangents(program), width)).collect();
    let result = match &signature.result {
        ResultShape::Unit => code!(()),
        ResultShape::One(_) => code!(#(#results)*),
        ResultShape::Tuple(_) => code!((#(#results,)*)),
    };
    let result = match &tangents[..] {
        [] => result,
        [one] => code!((#result, #one)),
        tangents => code!((#result, (#(#tangents),*))),
    };
    code!(#code ::core::result::Result::Ok(#result))
}
