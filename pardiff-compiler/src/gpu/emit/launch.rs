//! A kernel whose threads are the iterations of loops: its text, its memory, and its sums over all threads.

use super::expr::c_type;
use super::host::HostWriter;
use super::kernel::{Word, iterator};
use super::stmt::{Writer, combined, copies_of};
use super::words::{of_blocks, own_of};
use crate::backend::rust::{Code, code, literal};
use crate::gpu::{is_tiled, places, scalar_sums, shared_copies};
use crate::ir::{BufferId, Expr, ExprKind, For, Place, ReduceOp, grid_loops, has_block_loops};
use crate::schedule::neutral;
use std::collections::HashMap;

impl HostWriter<'_> {
    /// The loop as a kernel, with what stands around it on the host.
    pub(super) fn grid(&self, each: &For) -> Code {
        let loops = grid_loops(each);
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
        let count = if nest { code!(of_blocks) } else { code!(threads) };
        let units = if by_block { code!(#runtime::cuda::Call::blocks(#threads)) } else { code!(#threads) };
        let mut memory = self.own_memory(&sizes, &code!(#threads));
        memory.push(self.own_memory(&block_sizes, &code!(#runtime::cuda::Call::blocks(#threads))));

        let call = &self.call;
        let mut parts = Code::new();
        for (at, (place, _)) in sums.iter().enumerate() {
            let [part, part_at] = ["parts", "parts_at"].map(|base| self.fresh(base));
            let elem = literal::ty(self.program[place.buffer].elem);
            parts.push(code! {
                let #part = #call.scratch::<#elem>(::core::option::Option::Some(#runtime::cuda::Call::blocks(#threads) as usize))?;
                let #part_at = #call.address(&#part, "parts")?;
            });
            locals.insert(Word::Parts(at), code!(#part_at));
        }
        let clear: Code = copies.iter().map(|&(id, op)| self.clear(&name, id, op, &units)).collect();
        let words = self.words(&kernel, &locals);
        let whole = self.sum_up(&name, &sums, &locals, &code!(#threads));
        let mut merged: Code =
            copies.iter().map(|&(id, op)| self.merge(&name, id, op, &units, by_block)).collect();
        let blocks = code!(#runtime::cuda::Call::blocks(#threads));
        merged.push(shared.iter().map(|&(id, op)| self.merge(&name, id, op, &blocks, true)).collect());
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
                let #threads: u64 = #runtime::cuda::Call::#count(#iterations, #each_len);
                if #threads > 0 {
                    #memory
                    #parts
                    #clear
                    // Safety: the words are those of the kernel, whose checks keep its accesses in the arrays.
                    unsafe { #call.launch(#number, #threads, &[#(#words),*])?; }
                    #whole
                    #merged
                }
            }
        }
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

    /// Copies start from the neutral element.
    fn clear(&self, name: &str, id: BufferId, op: ReduceOp, units: &Code) -> Code {
        let (number, kernel, ()) = self.write_kernel(format!("{name}_clear_{}", id.0), |writer| {
            let (own, len) = (writer.word(Word::Own(id)), writer.word(Word::Iterations));
            writer.writes(Word::Own(id));
            let (_, start) = self.neutral(id, op);
            let start = writer.expr(&start);
            writer.kernel.line(format!("pd_fill({own}, {len}, {start});"));
        });
        let (call, runtime, len) = (&self.call, &self.runtime, self.elements(id));
        let all = self.fresh("all");
        let locals = HashMap::from([(Word::Iterations, code!(#all))]);
        let words = self.words(&kernel, &locals);
        code! {
            let #all: u64 = #len.map_or(0, |len: usize| len as u64).saturating_mul(#units);
            // Safety: the array has so many elements.
            unsafe { #call.launch(#number, #runtime::cuda::Call::threads(#all, ::core::option::Option::Some(0)), &[#(#words),*])?; }
        }
    }

    /// The copies of all threads, or of all blocks, in order, element by element.
    fn merge(&self, name: &str, id: BufferId, op: ReduceOp, units: &Code, blocks: bool) -> Code {
        let (number, kernel, ()) = self.write_kernel(format!("{name}_merge_{}", id.0), |writer| {
            let (own, many) = (writer.word(Word::Own(id)), writer.word(Word::Many));
            let (array, len) = (writer.word(Word::Array(id)), writer.word(Word::Iterations));
            writer.writes(Word::Array(id));
            let (ty, start) = self.neutral(id, op);
            let start = writer.expr(&start);
            // copies of threads lie side by side element by element, those of blocks one behind the other
            let (first, by, cond) = match blocks {
                true => ("pd_thread()", "pd_threads()", ""),
                false => ("blockIdx.x", "gridDim.x", "if (threadIdx.x == 0) "),
            };
            let op_name = op_name(op);
            let whole = match blocks {
                true => format!("pd_of_copies<{op_name}>({own}, at, {len}, {many}, {start})"),
                false => format!("pd_of_parts<{op_name}>({own}, at * {many}, {many}, {start})"),
            };
            writer.kernel.open(format!("for (pd_u64 at = {first}; at < {len}; at += {by}) {{"));
            writer.kernel.line(format!("const {ty} whole = {whole};"));
            let sum = combined(op, ty, &format!("pd_load({array}, at)"), "whole");
            writer.kernel.line(format!("{cond}pd_store({array}, at, ({ty})({sum}));"));
            writer.kernel.close("}");
        });
        let (call, runtime, len) = (&self.call, &self.runtime, self.elements(id));
        let all = self.fresh("all");
        let locals = HashMap::from([(Word::Iterations, code!(#all)), (Word::Many, units.clone())]);
        let threads = match blocks {
            true => code!(#runtime::cuda::Call::threads(#all, ::core::option::Option::Some(0))),
            false => code!(#runtime::cuda::Call::block_each(#all)),
        };
        let words = self.words(&kernel, &locals);
        code! {
            let #all: u64 = #len.map_or(0, |len: usize| len as u64);
            // Safety: the array has so many elements, of which there are so many copies.
            unsafe { #call.launch(#number, #threads, &[#(#words),*])?; }
        }
    }

    /// The partial sums of all blocks, in order, added to their elements by one block.
    fn sum_up(
        &self,
        name: &str,
        sums: &[(Place, ReduceOp)],
        locals: &HashMap<Word, Code>,
        threads: &Code,
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
                writer.kernel.open("{");
                writer
                    .kernel
                    .line(format!("const {ty} whole = pd_of_parts<{op_name}>({parts}, 0, {many}, {start});"));
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
        let (call, runtime) = (&self.call, &self.runtime);
        let mut locals = locals.clone();
        locals.insert(Word::Many, code!(#runtime::cuda::Call::blocks(#threads)));
        let words = self.words(&kernel, &locals);
        code! {
            // Safety: every block has a part; the elements are those that the kernel before it would add to.
            unsafe { #call.launch(#number, #runtime::cuda::Call::block_each(1), &[#(#words),*])?; }
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
        // products are never summed over threads
        ReduceOp::Max | ReduceOp::Mul => "PD_MAX",
    }
}
