//! What kernels are given: the words, the memory of their threads, user paths and constant tables.

use super::host::HostWriter;
use super::kernel::{Kernel, Word};
use super::stmt::{Home, Writer};
use crate::backend::rust::names::ident;
use crate::backend::rust::{Code, code, literal};
use crate::ir::{Buffer, BufferId, BufferSet, Expr, ExprKind, Opaque, OpaqueId, Place, Role, Ty};
use proc_macro2::Ident;
use std::collections::HashMap;

impl HostWriter<'_> {
    /// Memory for what each of so many threads has of its own.
    pub(super) fn own_memory(&self, own: &[(BufferId, Code)], threads: &Code) -> Code {
        let call = &self.call;
        let one = |(id, len): &(BufferId, Code)| {
            let (name, at) = (self.own(*id), self.own_at(*id));
            let (elem, shown) =
                (literal::ty(self.program[*id].elem), literal::string(&self.program[*id].name));
            code! {
                let #name = #call.scratch::<#elem>(#len.and_then(|len: usize| len.checked_mul(#threads as usize)))?;
                let #at = #call.address(&#name, #shown)?;
            }
        };
        own.iter().map(one).collect()
    }

    fn own(&self, id: BufferId) -> Ident {
        ident(&format!("{}_own_{}", plain(self.buffer(id)), id.0))
    }

    pub(super) fn own_at(&self, id: BufferId) -> Ident {
        ident(&format!("{}_own_{}_at", plain(self.buffer(id)), id.0))
    }

    /// The length of a dimension that the caller, or a constant table, decides.
    pub(super) fn extent(&self, id: BufferId, dim: usize) -> Code {
        let name = self.buffer(id);
        if let Some(hosted) = self.hosted(id) {
            return hosted.extent(dim);
        }
        match (dim, self.program[id].role) {
            (1.., Role::Table(_)) => {
                let rows = (1..dim).map(|_| code!(.and_then(|row| row.first())));
                code!(#name.first()#(#rows)*.map_or(0, |row| row.len()))
            }
            _ => code!(#name.len()),
        }
    }

    /// The words of a kernel; `locals` are those that the launch declares.
    pub(super) fn words(&self, kernel: &Kernel, locals: &HashMap<Word, Code>) -> Vec<Code> {
        let call = &self.call;
        let one = |&word: &Word| {
            if let Some(local) = locals.get(&word) {
                return local.clone();
            }
            match word {
                Word::Failed => code!(#call.failed()),
                Word::Array(id) => {
                    self.is_addressed(id);
                    let at = self.address(id);
                    code!(#at)
                }
                Word::Own(id) => {
                    let at = self.own_at(id);
                    code!(#at)
                }
                Word::Cells(ty) => {
                    let at = cells_at(ty);
                    code!(#at)
                }
                Word::Scalar(id) => self.bits(self.program[id].elem, self.scalar(id)),
                Word::Path(id) => {
                    let name = self.path(id);
                    self.bits(self.program[id].ty, code!(#name))
                }
                Word::Iter(id) => {
                    let name = self.iter(id);
                    self.bits(self.program[id].ty, code!(#name))
                }
                Word::Extent(id, dim) => {
                    let extent = self.extent(id, dim);
                    code!(#extent as u64)
                }
                _ => code!(0),
            }
        };
        kernel.words.iter().map(one).collect()
    }

    /// User paths bound to their types: where the type is another one, the error stands at the user's tokens.
    pub(super) fn bindings(&self) -> Code {
        let mut used = vec![false; self.program.opaques.len()];
        let mut visit = |expr: &Expr| {
            expr.walk(&mut |expr| {
                if let ExprKind::Opaque(id) = expr.kind {
                    used[id.0 as usize] = true;
                }
            });
        };
        self.program.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| stmt.exprs().into_iter().for_each(&mut visit));
        });
        let live = |buffer: &&Buffer| !matches!(buffer.role, Role::Table(_));
        self.program.buffers.iter().filter(live).flat_map(|buffer| &buffer.dims).for_each(&mut visit);
        let tables = self.tables().map(|(id, path)| {
            let (name, path) = (self.buffer(id), &self.program[path].tokens);
            let elem = literal::ty(self.program[id].elem);
            let rows = (1..self.program[id].rank()).fold(elem, |row, _| code!([#row; _]));
            code!(let #name: &[#rows] = &#path;)
        });
        let tables: Vec<Code> = tables.collect();
        let bind = |(at, opaque): (usize, &Opaque)| {
            let (name, ty, path) = (&self.paths[at], literal::ty(opaque.ty), &opaque.tokens);
            code!(let #name: #ty = #path;)
        };
        self.program.opaques.iter().enumerate().filter(|(at, _)| used[*at]).map(bind).chain(tables).collect()
    }

    /// The constant tables that are used.
    fn tables(&self) -> impl Iterator<Item = (BufferId, OpaqueId)> {
        let mut used = BufferSet::new();
        let mut visit = |expr: &Expr| {
            expr.walk(&mut |expr| match &expr.kind {
                ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => {
                    used.insert(*buffer);
                }
                _ => {}
            });
        };
        self.program.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| stmt.exprs().into_iter().for_each(&mut visit));
        });
        self.program.buffer_ids().filter_map(move |id| match self.program[id].role {
            Role::Table(path) if used.contains(id) => Some((id, path)),
            _ => None,
        })
    }

    /// The addresses of constant tables on the device, as far as kernels read them.
    pub(super) fn uploaded(&self) -> Code {
        let call = &self.call;
        let read = self.tables().filter(|(id, _)| self.addressed.borrow().contains(*id));
        let one = |(id, _)| {
            let (name, at, shown) =
                (self.buffer(id), self.address(id), literal::string(&self.program[id].name));
            let table = self.fresh("table");
            code! {
                let #table = #call.upload(#name)?;
                let #at = #call.address(&#table, #shown)?;
            }
        };
        read.map(one).collect()
    }
}

fn plain(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// The variable with the address of the scalars that are kept as a type.
pub(super) fn cells_at(ty: Ty) -> Ident {
    ident(&format!("cells_{ty}_at"))
}

/// The variable with the scalars that are kept as a type.
pub(super) fn cells_name(ty: Ty) -> Ident {
    ident(&format!("cells_{ty}"))
}

/// What threads of a kernel have of their own in global memory.
pub(super) fn own_of(writer: &Writer<'_>) -> Vec<BufferId> {
    at_home(writer, Home::Own)
}

/// What blocks of a kernel have of their own in global memory.
pub(super) fn of_blocks(writer: &Writer<'_>) -> Vec<BufferId> {
    at_home(writer, Home::OfBlock)
}

fn at_home(writer: &Writer<'_>, wanted: Home) -> Vec<BufferId> {
    let is_there = |(id, home): (&BufferId, &Home)| (*home == wanted).then_some(*id);
    let mut found: Vec<BufferId> = writer.homes.iter().filter_map(is_there).collect();
    found.sort();
    found
}
