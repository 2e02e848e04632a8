//! Parameters, results, tables, and the buffers of a `Scope`.

use super::{Rule, Verifier};
use crate::ir::{Buffer, BufferId, Expr, ExprKind, Layout, OpaqueId, Role, Ty};

/// Where a buffer is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    Param,
    Result,
    Table,
    Scope,
}

impl Verifier<'_> {
    /// Everything declared outside the body.
    pub(super) fn declarations(&mut self) {
        let program = self.program;
        self.require(!program.spans.is_empty(), Rule::Id, || "the program has no span of its own".to_owned());
        let mut tables = Vec::new();
        for id in program.buffer_ids() {
            self.role(id);
            if let Role::Table(opaque) = program[id].role
                && self.table(id, opaque, &mut tables)
            {
                self.declare(id, Site::Table);
            }
        }
        for &id in &program.params {
            self.declare(id, Site::Param);
        }
        // the extents of a parameter may mention every parameter, those of a result the parameters
        for &id in program.params.iter().chain(&tables) {
            self.extents(id, Site::Param, &[]);
        }
        for &id in &program.results {
            self.extents(id, Site::Result, &[]);
        }
        for &id in &program.results {
            self.declare(id, Site::Result);
        }
    }

    /// Declares the buffers of a `Scope`; [`close`](Self::close) ends their lives.
    pub(super) fn open(&mut self, buffers: &[BufferId]) {
        for (k, &id) in buffers.iter().enumerate() {
            self.extents(id, Site::Scope, &buffers[..k]);
            self.declare(id, Site::Scope);
        }
    }

    pub(super) fn close(&mut self, buffers: &[BufferId]) {
        let program = self.program;
        for &id in buffers {
            let Some(buffer) = program.buffers.get(id.0 as usize) else { continue };
            self.alive[id.0 as usize] = false;
            for read in loads(buffer) {
                if let Some(count) = self.frozen.get_mut(read.0 as usize) {
                    *count = count.saturating_sub(1);
                }
            }
        }
    }

    fn declare(&mut self, id: BufferId, site: Site) {
        if !self.exists(id) {
            return;
        }
        let buffer = &self.program[id];
        let name = &buffer.name;
        let again = std::mem::replace(&mut self.declared[id.0 as usize], true);
        self.require(!again, Rule::DeclaredOnce, || format!("`{name}` is declared in more than one place"));
        self.alive[id.0 as usize] = true;
        let fits = match site {
            Site::Param => {
                matches!(buffer.role, Role::Input | Role::InOut | Role::Adjoint(_) | Role::Tangent(_))
            }
            Site::Result => matches!(buffer.role, Role::Output | Role::Tangent(_)),
            Site::Table => true,
            Site::Scope => {
                let is_local = matches!(buffer.role, Role::Local | Role::Adjoint(_) | Role::Tangent(_));
                is_local || matches!(buffer.role, Role::Tape | Role::Tile | Role::Wire)
            }
        };
        self.require(fits, Rule::Role, || format!("`{name}` cannot have the role {:?} here", buffer.role));
        self.layout(id, site);
    }

    /// Whether a table's user path exists and is that of no other table.
    fn table(&mut self, id: BufferId, opaque: OpaqueId, tables: &mut Vec<BufferId>) -> bool {
        let program = self.program;
        let exists = (opaque.0 as usize) < program.opaques.len();
        self.require(exists, Rule::Id, || format!("there is no {opaque:?}"));
        if exists {
            let name = &program[id].name;
            let fits = program[opaque].ty == program[id].elem;
            self.require(fits, Rule::Type, || format!("the table `{name}` and its user path differ in type"));
            let twice = tables.iter().any(|&other| program[other].role == program[id].role);
            self.require(!twice, Rule::Role, || format!("the table `{name}` shares its user path"));
            tables.push(id);
        }
        exists
    }

    /// The chain of adjoints and tangents.
    fn role(&mut self, id: BufferId) {
        let program = self.program;
        let Some((of, _)) = program[id].role.derivative() else { return };
        let (name, elem) = (&program[id].name, program[id].elem);
        if !self.exists(of) {
            return;
        }
        self.require(elem.is_float() && elem == program[of].elem, Rule::Role, || {
            format!(
                "`{name}` and the buffer that it belongs to, `{}`, are no floats of one type",
                program[of].name
            )
        });
        let mut at = of;
        for _ in 0..=program.buffers.len() {
            match program.buffers.get(at.0 as usize).and_then(|buffer| buffer.role.derivative()) {
                Some((next, _)) => at = next,
                None => return,
            }
        }
        self.violate(Rule::Role, format!("the roles from `{name}` on run in a circle"));
    }

    /// The extents of a buffer that is about to be declared beside `earlier` ones.
    fn extents(&mut self, id: BufferId, site: Site, earlier: &[BufferId]) {
        if !self.exists(id) {
            return;
        }
        let buffer = &self.program[id];
        let name = &buffer.name;
        for (k, dim) in buffer.dims.iter().enumerate() {
            let own = dim.kind == ExprKind::Extent(id, k);
            let grows = buffer.layout.grows() && k == 0;
            let by_caller = site == Site::Param;
            if own {
                self.require(dim.ty == Ty::USIZE, Rule::Extents, || {
                    format!("an extent of `{name}` is no usize")
                });
                self.require(grows || by_caller, Rule::Extents, || {
                    format!("nobody decides dimension {k} of `{name}`")
                });
                continue;
            }
            if grows {
                self.violate(
                    Rule::Extents,
                    format!("the outermost extent of `{name}` grows, and is not its own"),
                );
            }
            self.extent(id, dim, earlier);
        }
        for read in loads(buffer) {
            if let Some(count) = self.frozen.get_mut(read.0 as usize) {
                *count += 1;
            }
        }
    }

    fn extent(&mut self, id: BufferId, dim: &Expr, earlier: &[BufferId]) {
        let name = &self.program[id].name;
        self.require(dim.ty == Ty::USIZE, Rule::Extents, || format!("an extent of `{name}` is no usize"));
        let mut own = false;
        let mut beside = false;
        dim.walk(&mut |expr| match &expr.kind {
            ExprKind::Extent(of, _) => own |= *of == id,
            ExprKind::Load(place) => {
                own |= place.buffer == id;
                beside |= earlier.contains(&place.buffer);
            }
            _ => {}
        });
        if own {
            self.violate(Rule::Extents, format!("an extent of `{name}` mentions `{name}`"));
        } else {
            self.require(!beside, Rule::Extents, || {
                format!("an extent of `{name}` reads a buffer of the same scope")
            });
            self.expr(dim);
        }
    }

    fn layout(&mut self, id: BufferId, site: Site) {
        let program = self.program;
        let buffer = &program[id];
        let rank = buffer.rank();
        let fits = match &buffer.layout {
            Layout::RowMajor => true,
            Layout::Padded(multiple) => rank >= 1 && *multiple >= 1,
            Layout::PackedTriangular => rank >= 2,
            Layout::Growing | Layout::Reserved => rank >= 1 && site == Site::Scope,
        };
        self.require(fits, Rule::Layout, || {
            format!("`{}`, with {rank} dimensions, cannot have the layout {:?}", buffer.name, buffer.layout)
        });
    }

    /// After the body: whether every result was written.
    pub(super) fn results_written(&mut self) {
        for &id in &self.program.results {
            let written = self.written.get(id.0 as usize).copied().unwrap_or(true);
            self.require(written, Rule::ResultWritten, || {
                format!("nothing writes the result `{}`", self.program[id].name)
            });
        }
    }
}

/// The buffers that the extents read.
fn loads(buffer: &Buffer) -> Vec<BufferId> {
    let mut out = Vec::new();
    for dim in &buffer.dims {
        dim.each_load(&mut |place| {
            out.push(place.buffer);
        });
    }
    out
}
