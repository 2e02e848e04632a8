//! Distribution of the body of an element loop over the lanes of a block, statement by statement.
//!
//! ```text
//! q = e[c] * x[i]                          for l in 0..w lanes
//! p = p + 1                                  q[l] = e[c] * x[b + l]
//! for j in 0..d                            p = p + 1
//!   y[i * d + j] = q * e[p + j]            for j in 0..d
//!                                            for l in 0..w lanes
//!                                              y[(b + l) * d + j] = q[l] * e[p + j]
//! ```
//!
//! *Legality.* Iterations of the element loop commute but for sums, so any interleaving of the statements of different
//! iterations computes the same, as long as each iteration executes its own statements in their order and finds its
//! own locals. The order within an iteration is kept: a lane loop executes statements that follow each other; a loop or
//! condition that is the same in all lanes changes places with the lanes. Its own locals: a varying local has an
//! element for each lane, in memory (*expanded*) or as a register of the one lane loop that mentions it. A statement
//! that is uniform is executed once for the block instead of once for each lane: it reads and writes the same then,
//! and what it writes nothing outside of the loop sees.
//!
//! A uniform statement stands before the lane loop that precedes it wherever the two do not touch the same buffers, so
//! that what would be two lane loops is one. What cannot stand in a lane loop runs lane after lane.

use super::batch_checks;
use super::cost;
use super::divergence::Divergence;
use super::laneable::{fits_registers, has_loop, is_laneable, is_short};
use super::ranges::has_range;
use super::touched::{Touched, independent};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, For, IterId, Origin, Program, ReduceOp, Scheme, Stmt,
    StmtKind, declared, mentioned, scoped, written,
};

/// A statement and how it is executed.
enum Item {
    /// Once for the block; what differs between lanes stands in lane loops inside it.
    Once(Stmt),
    /// In all lanes.
    Lanes(Stmt),
    /// A condition that is the same in all lanes, over statements for all lanes: in a lane loop if there is one
    /// beside it, around its own otherwise.
    Either(Stmt),
    /// Lane after lane.
    Serial(Stmt),
}

/// Statements that are executed together.
pub(super) enum Group {
    Once(Box<Stmt>),
    Lanes(Vec<Stmt>),
    Serial(Vec<Stmt>),
}

impl Group {
    pub(super) fn stmts(&self) -> &[Stmt] {
        match self {
            Group::Once(stmt) => std::slice::from_ref(stmt),
            Group::Lanes(stmts) | Group::Serial(stmts) => stmts,
        }
    }
}

/// Statements in lanes that more may join.
struct Open {
    /// The number of their group.
    at: usize,
    lanes: Touched,
    /// What the groups behind them touch, which only compute with totals.
    behind: Touched,
}

/// The state of a distribution.
pub(super) struct Distribution<'a> {
    pub(super) program: &'a mut Program,
    pub(super) lanes: &'a Divergence,
    /// The element loop's iterator.
    pub(super) element: IterId,
    /// The first element of the block.
    pub(super) first: IterId,
    /// The number of elements in the block.
    pub(super) width: BufferId,
    /// Locals with an element for each lane.
    pub(super) expanded: BufferSet,
    /// Buffers that live around the loop over blocks.
    pub(super) hoisted: Vec<BufferId>,
    /// Iterators of the loops over the lanes of a block.
    pub(super) over_lanes: Vec<IterId>,
}

impl Distribution<'_> {
    /// The statements of a block for all lanes. `always` says whether every iteration executes them.
    pub(super) fn list(&mut self, block: Block, always: bool) -> Result<Block, String> {
        let (mut items, mut declared) = (Vec::new(), Vec::new());
        self.items(block, &mut items, &mut declared)?;
        let mut groups = self.groups(items)?;
        self.postpone(&mut groups, &declared);
        self.seal(groups, declared, always)
    }

    /// Classifies the statements; those of scopes join the list, and their buffers are declared around all of it.
    fn items(
        &mut self,
        block: Block,
        items: &mut Vec<Item>,
        declared: &mut Vec<BufferId>,
    ) -> Result<(), String> {
        for mut stmt in block {
            if self.lanes.is_uniform(self.program, &stmt) || self.lanes.combines_totals(&stmt) {
                items.push(Item::Once(stmt));
                continue;
            }
            if self.lanes.adds_to_total(&stmt) {
                self.addition(stmt, items);
                continue;
            }
            match stmt.kind {
                StmtKind::Scope { buffers, body } => {
                    declared.extend(buffers);
                    self.items(body, items, declared)?;
                }
                StmtKind::Check { .. } => match batch_checks::for_block(self, &stmt) {
                    Some(check) => items.push(Item::Once(check)),
                    None => items.push(Item::Lanes(stmt)),
                },
                StmtKind::Assign { ref target, .. } => {
                    if !self.lanes.place(target) && !self.lanes.locals.contains(target.buffer) {
                        let name = &self.program[target.buffer].name;
                        return Err(format!("every iteration assigns the same element of `{name}`"));
                    }
                    items.push(Item::Lanes(stmt));
                }
                StmtKind::Reduce { .. } => items.push(Item::Lanes(stmt)),
                StmtKind::For(ref for_) => {
                    if is_short(self.program, self.lanes, for_, &stmt)
                        && !has_range(self.program, &stmt, self.element)
                    {
                        self.pull_out(&mut stmt, declared);
                        items.push(Item::Lanes(stmt));
                    } else if self.lanes.expr(&for_.lo)
                        || self.lanes.expr(&for_.hi)
                        || self.lanes.expr(&for_.step)
                    {
                        items.push(Item::Serial(stmt));
                    } else {
                        let StmtKind::For(for_) = stmt.kind else { continue };
                        let body = self.list(for_.body, false)?;
                        let exec = Exec::Sequential;
                        items.push(Item::Once(Stmt::new(
                            StmtKind::For(For { body, exec, ..for_ }),
                            stmt.origin,
                        )));
                    }
                }
                StmtKind::If { ref cond, .. } => {
                    let laneable = is_laneable(self.program, self.lanes, &stmt);
                    if self.lanes.expr(cond) {
                        if laneable {
                            self.pull_out(&mut stmt, declared);
                        }
                        items.push(if laneable { Item::Lanes(stmt) } else { Item::Serial(stmt) });
                    } else if laneable && !has_loop(&stmt) && !self.writes_uniform(&stmt) {
                        items.push(Item::Either(stmt));
                    } else {
                        items.push(Item::Once(self.around(stmt)?));
                    }
                }
                StmtKind::Guarded { ref fact, .. } if !self.lanes.expr(fact) => {
                    items.push(Item::Once(self.around(stmt)?));
                }
                StmtKind::Swap { a, b } => {
                    // both are expanded and exchanged whole
                    for buffer in [a, b] {
                        self.expand(buffer)?;
                    }
                    items.push(Item::Once(stmt));
                }
                _ => items.push(Item::Serial(stmt)),
            }
            if let Some(Item::Serial(stmt)) = items.last()
                && self.writes_uniform(stmt)
            {
                return Err(
                    "a local is the same in all iterations and written in a loop that is not".to_owned()
                );
            }
        }
        Ok(())
    }

    /// Adds a part of each lane to a total, or assigns their sum. Parts that are the same in all lanes are one product.
    fn addition(&self, stmt: Stmt, items: &mut Vec<Item>) {
        let origin = stmt.origin;
        let (target, value, scheme) = match stmt.kind {
            StmtKind::Assign { target, value } => {
                let zero = Expr::float(value.ty, 0.0);
                let empty = StmtKind::Assign { target: target.clone(), value: zero };
                items.push(Item::Once(Stmt::new(empty, origin)));
                (target, value, Scheme::Sequential)
            }
            StmtKind::Reduce { target, value, scheme, .. } => (target, value, scheme),
            _ => return,
        };
        let varies = self.lanes.expr(&value);
        let value = if varies {
            value
        } else {
            let lanes = self.program.load_scalar(self.width).cast(value.ty);
            Expr::binary(BinOp::Mul, value, lanes)
        };
        let sum = Stmt::new(StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme }, origin);
        items.push(if varies { Item::Lanes(sum) } else { Item::Once(sum) });
    }

    /// Whether the statement writes a local that is uniform and that lives around it; one of its own is a register.
    fn writes_uniform(&self, stmt: &Stmt) -> bool {
        let own = declared(std::slice::from_ref(stmt));
        let mut found = false;
        stmt.writes(&mut |buffer| {
            let local = self.lanes.locals.contains(buffer) && !own.contains(buffer);
            found |= local && !self.lanes.buffer(buffer);
        });
        found
    }

    /// A uniform condition around what its arms become.
    pub(super) fn around(&mut self, mut stmt: Stmt) -> Result<Stmt, String> {
        for arm in stmt.blocks_mut() {
            *arm = self.list(std::mem::take(arm), false)?;
        }
        Ok(stmt)
    }

    /// Declares arrays of a statement for lanes around it where they cannot be registers.
    fn pull_out(&self, stmt: &mut Stmt, declared: &mut Vec<BufferId>) {
        for block in stmt.blocks_mut() {
            for stmt in block {
                self.pull_out(stmt, declared);
            }
        }
        if let Some((buffers, body)) = stmt.as_scope_mut() {
            let mut unfit = Vec::new();
            buffers.retain(|&buffer| {
                let fits = fits_registers(self.program, self.lanes, buffer, body);
                if !fits {
                    unfit.push(buffer);
                }
                fits
            });
            declared.extend(unfit);
        }
    }

    /// Joins statements that follow each other, or would if others had not to stand between them. A statement that is uniform
    /// may be executed before those in lanes if neither writes what the other touches. A check among them may fail; then the
    /// statement either does nothing that anybody sees, or it panics, as the call does anyway. What only computes with totals
    /// may stand before or behind statements in lanes; it panics never.
    fn groups(&mut self, items: Vec<Item>) -> Result<Vec<Group>, String> {
        let mut groups: Vec<Group> = Vec::new();
        let mut open: Option<Open> = None;
        let mut items = items.into_iter().peekable();
        while let Some(item) = items.next() {
            let item = match item {
                Item::Either(stmt) => {
                    let beside = matches!(groups.last(), Some(Group::Lanes(_)))
                        || matches!(items.peek(), Some(Item::Lanes(_)));
                    if beside { Item::Lanes(stmt) } else { Item::Once(self.around(stmt)?) }
                }
                item => item,
            };
            match item {
                Item::Lanes(stmt) => {
                    let touched = Touched::with_totals(self.program, self.lanes, &stmt);
                    match &mut open {
                        Some(Open { at, lanes, behind }) if touched.commutes(behind) => {
                            lanes.join(&touched);
                            if let Group::Lanes(stmts) = &mut groups[*at] {
                                stmts.push(stmt);
                            }
                        }
                        _ => {
                            let (at, behind) = (groups.len(), Touched::default());
                            open = Some(Open { at, lanes: touched, behind });
                            groups.push(Group::Lanes(vec![stmt]));
                        }
                    }
                }
                Item::Serial(stmt) => {
                    open = None;
                    match groups.last_mut() {
                        Some(Group::Serial(stmts)) => stmts.push(stmt),
                        _ => groups.push(Group::Serial(vec![stmt])),
                    }
                }
                Item::Once(stmt) | Item::Either(stmt) => {
                    let of_totals = self.lanes.is_of_totals(&stmt);
                    let passes = of_totals || self.lanes.is_uniform(self.program, &stmt);
                    let touched = Touched::with_totals(self.program, self.lanes, &stmt);
                    let once = Group::Once(Box::new(stmt));
                    match &mut open {
                        Some(Open { at, lanes, behind })
                            if passes && touched.commutes(lanes) && touched.commutes(behind) =>
                        {
                            groups.insert(*at, once);
                            *at += 1;
                        }
                        Some(Open { behind, .. }) if of_totals => {
                            behind.join(&touched);
                            groups.push(once);
                        }
                        _ => {
                            open = None;
                            groups.push(once);
                        }
                    }
                }
            }
        }
        Ok(groups)
    }

    /// Moves assignments to locals from one lane loop to the next one that uses them, where no other does: so the local is
    /// a register there, and no array that both loops walk through.
    fn postpone(&self, groups: &mut [Group], declared: &[BufferId]) {
        let mut used: Vec<BufferSet> =
            groups.iter().map(|group| mentioned(self.program, group.stmts())).collect();
        for at in 0..groups.len() {
            let Some((first, behind)) = groups[at..].split_first_mut() else { continue };
            let Group::Lanes(stmts) = first else { continue };
            let mut own: Vec<BufferSet> =
                stmts.iter().map(|stmt| mentioned(self.program, std::slice::from_ref(stmt))).collect();
            for number in (0..stmts.len()).rev() {
                let Some((target, _)) = stmts[number].as_assign() else { continue };
                let target = target.buffer;
                if self.program[target].rank() != 0 || !declared.contains(&target) || stmts.len() == 1 {
                    continue;
                }
                let mut elsewhere =
                    own.iter().enumerate().filter(|(other, used)| *other != number && used.contains(target));
                let mut users = (0..behind.len()).filter(|&k| used[at + 1 + k].contains(target));
                let (None, Some(user), None) = (elsewhere.next(), users.next(), users.next()) else {
                    continue;
                };
                let stmt = std::slice::from_ref(&stmts[number]);
                let free = |group: &Group| independent(self.program, stmt, group.stmts());
                if matches!(behind[user], Group::Lanes(_))
                    && independent(self.program, stmt, &stmts[number + 1..])
                    && behind[..user].iter().all(free)
                {
                    let stmt = stmts.remove(number);
                    used[at + 1 + user].union(&own.remove(number));
                    if let Group::Lanes(others) = &mut behind[user] {
                        others.insert(0, stmt);
                    }
                }
            }
        }
    }

    /// The statements of the groups, in the scopes of their locals.
    fn seal(&mut self, groups: Vec<Group>, declared: Vec<BufferId>, always: bool) -> Result<Block, String> {
        let mut registers: Vec<Vec<BufferId>> = vec![Vec::new(); groups.len()];
        let mut around = Vec::new();
        let mut used: Vec<BufferSet> =
            groups.iter().map(|group| mentioned(self.program, group.stmts())).collect();
        // who uses an array needs what its size is computed from
        for used in &mut used {
            for array in declared.iter().filter(|&&array| self.program[array].rank() > 0) {
                if used.contains(*array) {
                    self.program[*array].dims.iter().for_each(|extent| {
                        extent.reads(self.program, &mut |size| _ = used.insert(size));
                    });
                }
            }
        }
        for buffer in declared {
            let varying = self.lanes.buffer(buffer);
            let users: Vec<usize> = (0..groups.len()).filter(|&k| used[k].contains(buffer)).collect();
            match (&users[..], users.first().map(|&user| &groups[user])) {
                ([], _) => {}
                (&[user], Some(Group::Serial(stmts))) => {
                    let within = written(stmts);
                    let declared = &self.program[buffer];
                    if declared.dims.iter().any(|extent| extent.reads_any(self.program, &within)) {
                        return Err(format!("the size of `{}` is computed in the loop", declared.name));
                    }
                    registers[user].push(buffer);
                }
                (&[user], Some(Group::Lanes(stmts)))
                    if !self.expanded.contains(buffer)
                        && !self.lanes.is_total(buffer)
                        && fits_registers(self.program, self.lanes, buffer, stmts) =>
                {
                    registers[user].push(buffer);
                }
                _ => {
                    // what lanes assign is one for each, though it be the same in all
                    let assigned = users.iter().any(|&user| match &groups[user] {
                        Group::Once(_) => false,
                        Group::Lanes(stmts) | Group::Serial(stmts) => written(stmts).contains(buffer),
                    });
                    if varying || assigned && !self.lanes.is_total(buffer) {
                        self.expand(buffer)?;
                    }
                    self.declare(buffer, &groups, always, &mut around)?;
                }
            }
        }
        let mut out = Vec::new();
        for (group, registers) in groups.into_iter().zip(registers) {
            match group {
                Group::Once(stmt) => out.push(*stmt),
                Group::Lanes(stmts) => {
                    let exec = Exec::Lanes { block: cost::LANES };
                    out.push(self.over_lanes(stmts, registers, exec));
                }
                Group::Serial(stmts) => out.push(self.over_lanes(stmts, registers, Exec::Sequential)),
            }
        }
        Ok(scoped(around, out))
    }

    /// `for l in 0..width { stmts }`
    fn over_lanes(&mut self, stmts: Vec<Stmt>, registers: Vec<BufferId>, exec: Exec) -> Stmt {
        let origin = stmts.first().map_or(NOWHERE, |stmt| stmt.origin);
        let lane = self.program.add_iter("l", crate::ir::Ty::USIZE);
        self.over_lanes.push(lane);
        let width = self.program.load_scalar(self.width);
        let body = scoped(registers, stmts);
        Stmt::new(StmtKind::For(For { exec, ..For::counted(lane, width, body) }), origin)
    }
}

const NOWHERE: Origin = Origin { stmt: 0, phase: crate::ir::Phase::Primal, span: crate::ir::SpanId(0) };
