//! A kernel whose threads are the iterations of loops: its text, its memory, and its sums over all threads.

use super::expr::c_type;
use super::host::HostWriter;
use super::kernel::{Word, Written, iterator};
use super::stmt::{Writer, combined, copies_of};
use super::words::{of_blocks, own_of};
use crate::backend::rust::{Code, code, literal};
use crate::gpu::blocks::resolved;
use crate::gpu::{is_tiled, places, scalar_sums, shared_copies};
use crate::ir::{
    Block, BufferId, Expr, ExprKind, For, Place, ReduceOp, block_loops, has_block_loops, thread_loops,
};
use crate::schedule::cost::{saturating_mul, trip_count};
use crate::schedule::neutral;
use std::collections::HashMap;

impl HostWriter<'_> {
    /// The loop as a kernel, with what stands around it on the host.
    pub(super) fn grid(&self, each: &For) -> Code {
        let loops = thread_loops(each);
        let sums = scalar_sums(each);
        let nest = has_block_loops(&each.body);
        let tiled = is_tiled(self.program, each);
        // what blocks, and not threads, have copies of
        let by_block = nest && !tiled;
        let shared = shared_copies(each);
        let name = self.kernel_name("");
        let (number, kernel, (own, of_blocks, copies)) = self.write_kernel(name.clone(), |writer| {
            writer.sums = sums.clone();
            writer.tiled = tiled;
            let failed = writer.word(Word::Failed);
            for (at, (place, op)) in sums.iter().enumerate() {
                let (ty, start) = self.neutral(place.buffer, *op);
                let start = writer.expr(&start);
                writer.kernel.line(format!("{ty} sum_{at} = {start};"));
            }
            shared.iter().for_each(|&(id, op)| self.open_copies(writer, id, op));
            let before = iterators(writer, &loops);
            let iterations = writer.word(Word::Iterations);
            // all threads of a block go on, or none
            let (fine, first, by) = match nest {
                true => (format!("!PD_ANY(pd_failed({failed}))"), "blockIdx.x", "gridDim.x"),
                false => (format!("!pd_failed({failed})"), "pd_thread()", "pd_threads()"),
            };
            writer.kernel.open(format!("if ({fine}) {{"));
            writer.kernel.open(format!("for (pd_u64 at = {first}; at < {iterations}; at += {by}) {{"));
            let block = &loops.last().copied().unwrap_or(each).body;
            writer.body(&before, block, "const bool fine =");
            writer.kernel.line("if (!fine) break;");
            writer.kernel.close("}");
            writer.kernel.close("}");
            for (at, (place, op)) in sums.iter().enumerate() {
                let (ty, start) = self.neutral(place.buffer, *op);
                let (start, parts) = (writer.expr(&start), writer.word(Word::Parts(at)));
                writer.writes(Word::Parts(at));
                writer.kernel.open("{");
                writer
                    .kernel
                    .line(format!("const {ty} whole = pd_of_block<{}>(sum_{at}, {start});", op_name(*op)));
                writer
                    .kernel
                    .line(format!("if (threadIdx.x == 0) pd_store({parts}, (pd_u64)blockIdx.x, whole);"));
                writer.kernel.close("}");
            }
            shared.iter().for_each(|&(id, op)| self.close_copies(writer, id, op));
            writer.copies.clone().into_iter().for_each(|(id, op)| self.clear(writer, id, op, by_block));
            (own_of(writer), of_blocks(writer), writer.copies.clone())
        });

        let mut locals: HashMap<Word, Code> = HashMap::new();
        let mut declared = Code::new();
        let mut counts = Vec::new();
        for each in &loops {
            let [first, count, step] = ["first", "count", "step"].map(|base| self.fresh(base));
            let (lo, hi, by) = (self.value(&each.lo), self.value(&each.hi), self.value(&each.step));
            let (runtime, ty) = (&self.runtime, literal::ty(self.program[each.iter].ty));
            let limit = self.fresh("limit");
            let trips = match each.inclusive {
                false => code!(#runtime::trip_count(#first, #limit, #step as usize) as u64),
                true => code! {
                    if #first <= #limit {
                        (#runtime::trip_count(#first, #limit, 1) as u64 / #step).saturating_add(1)
                    } else {
                        0
                    }
                },
            };
            // the bounds of an inner loop are evaluated where the outer one iterates, as in the source
            let around = counts.last().map_or(code!(true), |outer| code!(#outer > 0));
            declared.push(code! {
                let (#first, #step, #count): (#ty, u64, u64) = if #around {
                    let (#first, #limit): (#ty, #ty) = (#lo, #hi);
                    let #step = #by as u64;
                    (#first, #step, #trips)
                } else {
                    (0, 1, 0)
                };
            });
            locals.insert(Word::First(each.iter), self.bits(self.program[each.iter].ty, code!(#first)));
            locals.insert(Word::Count(each.iter), code!(#count));
            locals.insert(Word::Step(each.iter), code!(#step));
            counts.push(count);
        }
        let [iterations, threads, each_len] =
            ["iterations", "threads", "private"].map(|base| self.fresh(base));
        locals.insert(Word::Iterations, code!(#iterations));

        let copied = copies.iter().map(|(id, _)| *id);
        let (own, of_blocks): (Vec<BufferId>, Vec<BufferId>) = match by_block {
            true => (own, of_blocks.into_iter().chain(copied).collect()),
            false => (own.into_iter().chain(copied).collect(), of_blocks),
        };
        let of_blocks: Vec<BufferId> =
            of_blocks.into_iter().chain(shared.iter().map(|(id, _)| *id)).collect();
        let sizes = |ids: &[BufferId]| ids.iter().map(|&id| (id, self.elements(id))).collect::<Vec<_>>();
        let (sizes, block_sizes) = (sizes(&own), sizes(&of_blocks));
        let runtime = &self.runtime;
        let of_thread = sizes.iter().map(|(_, len)| code!(#len));
        let of_block = block_sizes.iter().map(|(_, len)| code!(#len));
        let private = code!(#runtime::cuda::Call::private(&[#(#of_thread),*], &[#(#of_block),*]));
        let [blocks, width] = ["blocks", "width"].map(|base| self.fresh(base));
        let units = if by_block { code!(#blocks) } else { code!(#threads) };
        let mut memory = self.own_memory(&sizes, &code!(#threads));
        memory.push(self.own_memory(&block_sizes, &code!(#blocks)));

        let call = &self.call;
        let mut parts = Code::new();
        for (at, (place, _)) in sums.iter().enumerate() {
            let [part, part_at] = ["parts", "parts_at"].map(|base| self.fresh(base));
            let elem = literal::ty(self.program[place.buffer].elem);
            parts.push(code! {
                let #part = #call.scratch::<#elem>(::core::option::Option::Some(#blocks as usize))?;
                let #part_at = #call.address(&#part, "parts")?;
            });
            locals.insert(Word::Parts(at), code!(#part_at));
        }
        let words = self.words(&kernel, &locals);
        let whole = self.sum_up(&name, &sums, &locals, &code!(#blocks));
        let of =
            |id: BufferId, op: ReduceOp, units: &Code, by_block: bool| self.merge(id, op, units, by_block);
        let mut merged: Code = copies.iter().map(|&(id, op)| of(id, op, &units, by_block)).collect();
        merged.push(shared.iter().map(|&(id, op)| of(id, op, &code!(#blocks), true)).collect());
        let shape = match nest {
            true => {
                let columns = self.columns(&loops.last().copied().unwrap_or(each).body);
                code! {
                    let #width: u64 = #runtime::cuda::Call::width(&[#(#columns),*]);
                    let #blocks: u64 = #runtime::cuda::Call::of_blocks(#iterations, #each_len, #width);
                    let #threads: u64 = #blocks * #width;
                }
            }
            false => {
                // columns of copies in shared memory are those of full blocks
                let spread = match shared.is_empty() {
                    true => code!(#runtime::cuda::Call::spread(#iterations)),
                    false => code!(#runtime::cuda::Call::BLOCK),
                };
                code! {
                    let #threads: u64 = #runtime::cuda::Call::threads(#iterations, #each_len);
                    let #width: u64 = #spread;
                    let #blocks: u64 = #threads / #width;
                }
            }
        };
        let more = counts.iter().skip(1).map(|count| code!(.saturating_mul(#count)));
        let first = &counts[0];
        code! {
            {
                #declared
                let #iterations: u64 = #first #(#more)*;
                // lengths are computed where an iteration would
                let #each_len: ::core::option::Option<u64> = if #iterations > 0 {
                    #private
                } else {
                    ::core::option::Option::Some(0)
                };
                #shape
                if #blocks > 0 {
                    #memory
                    #parts
                    // Safety: the words are those of the kernel, whose checks keep its accesses in the arrays.
                    unsafe { #call.launch_blocks(#number, #blocks, #width, &[#(#words),*])?; }
                    #whole
                    #merged
                }
            }
        }
    }

    /// How many threads of a block there is work for at a time, as far as the host knows: in each nest of loops over
    /// them.
    fn columns(&self, block: &Block) -> Vec<Code> {
        let of_nest = |each| {
            let trips = thread_loops(each).into_iter().map(trip_count);
            let trips = resolved(self.program, &trips.reduce(saturating_mul)?);
            (trips.is_total() && self.host.knows(&trips)).then(|| self.value(&trips))
        };
        block_loops(block).into_iter().filter_map(of_nest).collect()
    }

    /// Copies in shared memory start from the neutral element: each thread sets its own.
    fn open_copies(&self, writer: &mut Writer<'_>, id: BufferId, op: ReduceOp) {
        let (ty, start) = self.neutral(id, op);
        let (start, size, copies) = (writer.expr(&start), writer.size(id), copies_of(self.program, id));
        let places = places(self.program, id).max(1) * 128;
        writer.kernel.top.push(format!("  __shared__ pd_shared<{ty}, {places}> {copies};"));
        writer.kernel.line(format!(
            "for (pd_u64 k = 0; k < {size}; k++) pd_store({copies}, k * 128 + threadIdx.x, ({ty})({start}));"
        ));
    }

    /// The copies of a block become one, of the block, behind a barrier.
    fn close_copies(&self, writer: &mut Writer<'_>, id: BufferId, op: ReduceOp) {
        let (_, start) = self.neutral(id, op);
        let (start, size, copies) = (writer.expr(&start), writer.size(id), copies_of(self.program, id));
        let own = writer.word(Word::Own(id));
        writer.writes(Word::Own(id));
        let op = op_name(op);
        writer.kernel.line("PD_BARRIER();");
        writer.kernel.open(format!("for (pd_u64 at = threadIdx.x; at < {size}; at += 128) {{"));
        writer.kernel.line(format!(
            "pd_store({own}, (pd_u64)blockIdx.x * {size} + at, pd_of_columns<{op}>({copies}, at, {start}));"
        ));
        writer.kernel.close("}");
    }

    fn neutral(&self, id: BufferId, op: ReduceOp) -> (&'static str, Expr) {
        let elem = self.program[id].elem;
        // the schedule asked for it before
        let start = neutral(op, elem).unwrap_or_else(|| Expr::int(crate::ir::Ty::USIZE, 0));
        (c_type(elem), start)
    }

    /// Copies in global memory start from the neutral element: each thread sets its own, or its part of the block's.
    fn clear(&self, writer: &mut Writer<'_>, id: BufferId, op: ReduceOp, by_block: bool) {
        let (ty, start) = self.neutral(id, op);
        let (own, start, size) = (writer.word(Word::Own(id)), writer.expr(&start), writer.size(id));
        let (first, by, at) = match by_block {
            true => ("threadIdx.x", "blockDim.x", format!("(pd_u64)blockIdx.x * {size} + k")),
            false => ("0", "1", "k * pd_threads() + pd_thread()".to_owned()),
        };
        let top = &mut writer.kernel.top;
        top.push(format!(
            "  for (pd_u64 k = {first}; k < {size}; k += {by}) pd_store({own}, {at}, ({ty})({start}));"
        ));
        if by_block {
            top.push("  PD_BARRIER();".to_owned());
        }
    }

    /// The copies of all threads, or of all blocks, are merged: in an order that depends on how many there are alone.
    fn merge(&self, id: BufferId, op: ReduceOp, units: &Code, by_block: bool) -> Code {
        let kernel = self.merging(id, op);
        self.is_addressed(id);
        let (call, elem, len) = (&self.call, literal::ty(self.program[id].elem), self.elements(id));
        let (from, to) = (self.own_at(id), self.address(id));
        let by_block = if by_block { code!(true) } else { code!(false) };
        code! {
            // Safety: the kernel merges elements of this type, of which there are so many, and so many copies.
            unsafe { #call.merge::<#elem>(#kernel, [#from, #to], #len, #units, #by_block)?; }
        }
    }

    /// The number of the kernel that merges copies of such elements by such an operation.
    fn merging(&self, id: BufferId, op: ReduceOp) -> Code {
        let (ty, start) = self.neutral(id, op);
        let op = op_name(op);
        let name = format!("{}_merge_{}_{ty}", self.prefix(), op.to_lowercase());
        if let Some(known) = self.kernels.borrow().iter().position(|kernel| kernel.name == name) {
            return literal::usize(known);
        }
        let start = self.write_expr(&start);
        let text = format!(
            "PD_KERNEL {name}(const pd_words<9> w) {{ pd_merge<{op}, {ty}>(w, ({ty})({start})); }}\n"
        );
        self.add(Written { name, words: 9, text })
    }

    /// The partial sums of all blocks, added to their elements by a block each.
    fn sum_up(
        &self,
        name: &str,
        sums: &[(Place, ReduceOp)],
        locals: &HashMap<Word, Code>,
        blocks: &Code,
    ) -> Code {
        if sums.is_empty() {
            return code!();
        }
        let (number, kernel, ()) = self.write_kernel(format!("{name}_sums"), |writer| {
            writer.sums = sums.to_vec();
            let many = writer.word(Word::Many);
            for (at, (place, op)) in sums.iter().enumerate() {
                let (ty, start) = self.neutral(place.buffer, *op);
                let (start, parts) = (writer.expr(&start), writer.word(Word::Parts(at)));
                let op_name = op_name(*op);
                writer.kernel.open(format!("if (blockIdx.x == {at}) {{"));
                writer
                    .kernel
                    .line(format!("const {ty} whole = pd_of_parts<{op_name}>({parts}, {many}, {start});"));
                // an element that no iteration touches need not exist
                let cond = match place.index.is_empty() {
                    true => String::new(),
                    false => format!(" && {} < {}", writer.position(place), writer.size(place.buffer)),
                };
                writer.kernel.open(format!("if (threadIdx.x == 0{cond}) {{"));
                let old = writer.load(place);
                let sum = combined(*op, ty, &old, "whole");
                writer.store(place, sum);
                writer.kernel.close("}");
                writer.kernel.close("}");
            }
        });
        let (call, runtime, each) = (&self.call, &self.runtime, literal::usize(sums.len()));
        let mut locals = locals.clone();
        locals.insert(Word::Many, blocks.clone());
        let words = self.words(&kernel, &locals);
        code! {
            // Safety: every block has a part; the elements are those that the kernel before it would add to.
            unsafe { #call.launch(#number, #runtime::cuda::Call::block_each(#each), &[#(#words),*])?; }
        }
    }
}

/// The iterators of a thread, from the number `at` of its iteration: neighbouring threads differ in the innermost.
fn iterators(writer: &mut super::stmt::Writer<'_>, loops: &[&For]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = "at".to_owned();
    for (depth, each) in loops.iter().enumerate().rev() {
        let (ty, name) = (c_type(writer.program[each.iter].ty), iterator(writer.program, each.iter));
        let number = if depth == 0 {
            rest.clone()
        } else {
            let count = writer.word(Word::Count(each.iter));
            let number = format!("pd_rest({rest}, {count})");
            rest = format!("pd_part({rest}, {count})");
            number
        };
        let scaled = match each.step.kind {
            ExprKind::Int(1) => number,
            _ => format!("{number} * {}", writer.word(Word::Step(each.iter))),
        };
        let value = match each.lo.kind {
            ExprKind::Int(0) => scaled,
            _ => format!("(pd_u64){} + {scaled}", writer.word(Word::First(each.iter))),
        };
        lines.push(format!("const {ty} {name} = ({ty})({value});"));
        writer.iters.insert(each.iter);
    }
    lines
}

pub(super) fn op_name(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Add => "PD_ADD",
        ReduceOp::Min => "PD_MIN",
        ReduceOp::Max => "PD_MAX",
    }
}
