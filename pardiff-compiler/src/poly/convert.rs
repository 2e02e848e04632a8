//! From expressions to affine forms.
//!
//! [`Analysis::ring`] gives a form that equals the machine value modulo two to the width of its type;
//! [`Analysis::value`] one that equals it, by a proof that the form stays in the type wherever the point is reached.

use super::access::PointId;
use super::affine::{Affine, Operation, SymKind};
use super::analysis::Analysis;
use super::set::Constraint;
use super::structure::address;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, Func, Int, IterId, Place, Role, Turned, Ty, UnOp};

impl<'p> Analysis<'p> {
    /// Records the indices of the loads of an expression.
    pub(super) fn index_loads(&mut self, expr: &'p Expr, point: PointId) {
        let mut places = Vec::new();
        expr.each_load(&mut |place| {
            places.push(place);
        });
        // the loads of an index before the load that they index
        for place in places.into_iter().rev() {
            self.index_place(place, point);
        }
    }

    /// Records the index of an access.
    pub(super) fn index_place(&mut self, place: &'p Place, point: PointId) {
        let Some(id) = self.at(place) else { return };
        let raw: Vec<Option<Affine>> = place.index.iter().map(|index| self.ring(index, point)).collect();
        let mut index = Vec::with_capacity(raw.len());
        for (form, expr) in raw.iter().zip(&place.index) {
            let proved = form.clone().filter(|form| self.fits(form, Ty::USIZE, point));
            index.push(proved.or_else(|| self.value_by_locals(expr, point)));
        }
        if let ([Some(form)], [expr]) = (&raw[..], &place.index[..])
            && !self.compared.is_empty()
        {
            let other = self.ring_by_compared(expr, point).filter(|other| other != form);
            self.by_compared.extend(other.map(|other| (id, other)));
        }
        let access = &mut self.structure.accesses[id.0 as usize];
        access.point = point;
        access.index = index;
        self.raw[id.0 as usize] = raw;
    }

    /// Records the value of a local that has only one, and those of one that has several.
    pub(super) fn remember_value(&mut self, target: &Place, value: &'p Expr, point: PointId) {
        if !target.index.is_empty() || !value.ty.is_int() {
            return;
        }
        if self.writes(target.buffer).count() > 1 {
            let form = self.value(value, point);
            self.assigned.entry(target.buffer).or_default().push((form, point));
        } else {
            let form = self.ring(value, point);
            if !self.compared.is_empty() {
                let other = self.ring_by_compared(value, point);
                self.values_by_compared.insert(target.buffer, other);
            }
            // then conditions compare the value
            if self.compared.contains(target.buffer)
                && form.as_ref().is_some_and(|form| self.fits(form, value.ty, point))
            {
                self.compared.remove(target.buffer);
            }
            if let Some(id) = self.at(target) {
                self.values.insert(target.buffer, (id, form));
            }
        }
    }

    /// Records the extents of a buffer whose scope is entered.
    pub(super) fn remember_extents(&mut self, buffer: BufferId, point: PointId) {
        let program = self.program;
        for (dim, extent) in program[buffer].dims.iter().enumerate() {
            self.index_loads(extent, point);
            if extent.kind != ExprKind::Extent(buffer, dim) {
                let form = self.ring(extent, point);
                self.extents.insert((buffer, dim), form);
            }
        }
    }

    /// The form that equals the value of an integer expression, if it is proved to.
    pub(super) fn value(&mut self, expr: &'p Expr, point: PointId) -> Option<Affine> {
        let form = self.ring(expr, point)?;
        if self.fits(&form, expr.ty, point) {
            return Some(form);
        }
        self.value_by_locals(expr, point).or_else(|| self.value_of_cast(expr, point))
    }

    /// A cast of an unsigned value that may not fit is a number of its own, not greater than that value: what is dropped,
    /// or becomes the sign, is taken away. So `j < n as i64` says that `j < n`.
    fn value_of_cast(&mut self, expr: &'p Expr, point: PointId) -> Option<Affine> {
        let ExprKind::Cast(operand) = &expr.kind else { return None };
        if !unsigned(operand.ty) {
            return None;
        }
        let form = self.value(operand, point)?;
        let result = self.function(Operation::Cast(operand.ty), expr.ty, vec![form.clone()]);
        self.learn(point, Constraint::le(&result, &form));
        Some(result)
    }

    /// As [`Analysis::value`], with every local a symbol instead of the value that it was given: that value may
    /// have wrapped, but what the local holds is in its type.
    fn value_by_locals(&mut self, expr: &'p Expr, point: PointId) -> Option<Affine> {
        let local = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if place.index.is_empty());
        let mut has_local = false;
        expr.walk(&mut |expr| has_local |= local(expr));
        if !has_local || self.locals_are_symbols {
            return None;
        }
        self.locals_are_symbols = true;
        let form = self.ring(expr, point);
        self.locals_are_symbols = false;
        form.filter(|form| self.fits(form, expr.ty, point))
    }

    /// As [`Analysis::ring`], with the locals that conditions compare as symbols.
    fn ring_by_compared(&mut self, expr: &'p Expr, point: PointId) -> Option<Affine> {
        self.compared_are_symbols = true;
        let form = self.ring(expr, point);
        self.compared_are_symbols = false;
        form
    }

    /// The form that equals the value of an integer expression modulo two to the width of its type.
    pub(super) fn ring(&mut self, expr: &'p Expr, point: PointId) -> Option<Affine> {
        let Ty::Int(int) = expr.ty else { return None };
        match &expr.kind {
            ExprKind::Int(number) => Some(Affine::number(*number)),
            ExprKind::Iter(iter) => Some(Affine::symbol(self.symbols.intern(
                SymKind::Iter(*iter),
                Some(expr.ty),
                &[*iter],
                false,
            ))),
            ExprKind::Opaque(opaque) => {
                Some(Affine::symbol(self.symbols.intern(SymKind::Opaque(*opaque), Some(expr.ty), &[], false)))
            }
            ExprKind::Extent(buffer, dim) => self.extent(*buffer, *dim),
            ExprKind::Load(place) => self.load(place, expr.ty, point),
            ExprKind::Unary(UnOp::Neg, operand) => self.ring(operand, point)?.scale(-1),
            // `!x` is `-x - 1` in two's complement
            ExprKind::Unary(UnOp::Not, operand) => self.ring(operand, point)?.scale(-1)?.offset(-1),
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, lhs, rhs, expr.ty, point),
            ExprKind::Cast(operand) => self.cast(operand, int, expr.ty, point),
            ExprKind::Call(func, _, args) => self.call(*func, args, expr.ty, point),
            ExprKind::Select(parts) => self.step_around(expr, parts, point),
            ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Apply(..) => None,
        }
    }

    fn extent(&mut self, buffer: BufferId, dim: usize) -> Option<Affine> {
        let program = self.program;
        let of = &program[buffer];
        if of.layout.grows() && dim == 0 {
            return None;
        }
        match of.dims.get(dim)? {
            Expr { kind: ExprKind::Extent(same, at), .. } if (*same, *at) == (buffer, dim) => Some(
                Affine::symbol(self.symbols.intern(SymKind::Extent(buffer, dim), Some(Ty::USIZE), &[], true)),
            ),
            // of a parameter or result of fixed size; what has a scope was recorded when it was entered
            extent => match self.extents.get(&(buffer, dim)) {
                Some(form) => form.clone(),
                None => self.ring(extent, PointId(0)),
            },
        }
    }

    fn load(&mut self, place: &'p Place, ty: Ty, point: PointId) -> Option<Affine> {
        let id = *self.structure.by_place.get(&address(place))?;
        if !self.structure.is_settled(id) {
            return None;
        }
        let is_symbol = match self.compared_are_symbols {
            true => self.compared.contains(place.buffer),
            false => self.locals_are_symbols,
        };
        if let Some((write, form)) = self.values.get(&place.buffer)
            && !is_symbol
            && let Some(form) = match self.compared_are_symbols {
                true => self.values_by_compared.get(&place.buffer).and_then(Option::as_ref),
                false => form.as_ref(),
            }
            && self.structure.dominates(self.access(*write).stmt, self.access(id).stmt)
        {
            return Some(form.clone());
        }
        let index: Vec<Affine> =
            place.index.iter().map(|index| self.ring(index, point)).collect::<Option<_>>()?;
        let mut depends: Vec<IterId> = self.loops(self.lifetime(place.buffer).nest).to_vec();
        index.iter().for_each(|form| depends.extend(self.symbols.depends(form)));
        let kind = SymKind::Element(place.buffer, index);
        let element = self.symbols.intern(kind, Some(ty), &depends, false);
        if let Role::Table(path) = self.program[place.buffer].role
            && let Some(range) = self.program.opaques[path.0 as usize].range
        {
            self.symbols.bound(element, range);
            self.implied.get_mut().clear();
            self.of_types.get_mut().clear();
        }
        if place.index.is_empty()
            && let Some(least) = self.least_assigned(place.buffer)
        {
            self.learn(point, Constraint::le(&least, &Affine::symbol(element)));
        }
        Some(Affine::symbol(element))
    }

    /// What a local of several values is never less than: the first one that it is assigned, if that does not change in its
    /// lifetime, and each of the others is proved to be no less where it is assigned. The row of a pivot, which begins as `k` and
    /// becomes rows of `k + 1..n`, is not above `k`.
    fn least_assigned(&mut self, local: BufferId) -> Option<Affine> {
        if let Some(known) = self.least.get(&local) {
            return known.clone();
        }
        let [(first, _), others @ ..] = self.assigned.get(&local)?.as_slice() else { return None };
        let lives_in = self.loops(self.lifetime(local).nest);
        let is_fixed = |form: &Affine| self.symbols.depends(form).iter().all(|iter| lives_in.contains(iter));
        let is_no_less = |least: &Affine, (other, point): &(Option<Affine>, PointId)| {
            let more = other.as_ref().and_then(|other| other.sub(least));
            more.is_some_and(|more| self.is_implied(&more, *point))
        };
        let all = others.len() + 1 == self.writes(local).count();
        let least = first.as_ref().filter(|form| all && is_fixed(form));
        let least = least.filter(|least| others.iter().all(|other| is_no_less(least, other))).cloned();
        self.least.insert(local, least.clone());
        least
    }

    fn binary(&mut self, op: BinOp, lhs: &'p Expr, rhs: &'p Expr, ty: Ty, point: PointId) -> Option<Affine> {
        match op {
            BinOp::Add => self.ring(lhs, point)?.add(&self.ring(rhs, point)?),
            BinOp::Sub => self.ring(lhs, point)?.sub(&self.ring(rhs, point)?),
            BinOp::Mul => {
                let (lhs, rhs) = (self.ring(lhs, point)?, self.ring(rhs, point)?);
                self.symbols.multiply(&lhs, &rhs)
            }
            BinOp::Shl => match (rhs.kind.clone(), ty) {
                // a shift by the width or more panics or is masked
                (ExprKind::Int(bits @ 0..=31), Ty::Int(int)) if bits < narrowest(int) => {
                    self.ring(lhs, point)?.scale(1 << bits)
                }
                _ => None,
            },
            BinOp::Div | BinOp::Rem => self.division(op, lhs, rhs, ty, point),
            _ => None,
        }
    }

    /// `/` and `%` round towards zero; with operands that are not negative they round down.
    fn division(
        &mut self,
        op: BinOp,
        lhs: &'p Expr,
        rhs: &'p Expr,
        ty: Ty,
        point: PointId,
    ) -> Option<Affine> {
        let (a, b) = (self.ring(lhs, point)?, self.ring(rhs, point)?);
        self.divided(op, a, b, ty, point)
    }

    /// A choice that stands for a step around a ring is the rest of a division by its length, see [`Turned`], where the
    /// number is known to be below the length.
    fn step_around(&mut self, expr: &'p Expr, parts: &'p [Expr; 3], point: PointId) -> Option<Affine> {
        let step = Turned::of(expr)?;
        let ExprKind::Binary(_, next, other) = &parts[0].kind else { return None };
        let (sum, number, around) = match (step.by, &parts[2].kind) {
            (1, _) => {
                let sum = self.ring(next, point)?;
                (sum.clone(), sum.offset(-1)?, self.ring(other, point)?)
            }
            (_, ExprKind::Call(_, _, last)) => {
                let (number, around) = (self.ring(other, point)?, self.ring(last.first()?, point)?);
                (number.add(&around)?.offset(-1)?, number, around)
            }
            _ => return None,
        };
        let room = around.sub(&number)?.offset(-1)?;
        let is_below = self.fits(&around, expr.ty, point) && self.is_non_negative(&room, point);
        is_below.then(|| self.divided(BinOp::Rem, sum, around, expr.ty, point))?
    }

    fn divided(&mut self, op: BinOp, a: Affine, b: Affine, ty: Ty, point: PointId) -> Option<Affine> {
        let operation = if op == BinOp::Div { Operation::Quotient } else { Operation::Remainder };
        let quotient = self.function(Operation::Quotient, ty, vec![a.clone(), b.clone()]);
        let divisor = b.as_constant().filter(|&divisor| divisor > 0);
        let known = divisor.is_some() && self.fits(&a, ty, point) && self.is_non_negative(&a, point);
        let Some(divisor) = divisor.filter(|_| known) else {
            if op == BinOp::Div {
                return Some(quotient);
            }
            let rest = self.function(operation, ty, vec![a, b.clone()]);
            if unsigned(ty) && self.fits(&b, ty, point) {
                self.learn(point, Constraint::lt(&rest, &b));
            }
            return Some(rest);
        };
        // 0 <= a - divisor * quotient < divisor
        let remainder = a.sub(&quotient.scale(divisor)?)?;
        let below = Constraint::lt(&remainder, &Affine::number(divisor));
        let facts = [Some(Constraint::NonNegative(remainder.clone())), below];
        self.learn(point, facts.into_iter().flatten());
        Some(if op == BinOp::Div { quotient } else { remainder })
    }

    fn function(&mut self, operation: Operation, ty: Ty, args: Vec<Affine>) -> Affine {
        let depends: Vec<IterId> = args.iter().flat_map(|form| self.symbols.depends(form)).collect();
        Affine::symbol(self.symbols.intern(SymKind::Function(operation, ty, args), Some(ty), &depends, false))
    }

    fn cast(&mut self, operand: &'p Expr, to: Int, ty: Ty, point: PointId) -> Option<Affine> {
        let Ty::Int(from) = operand.ty else { return None };
        let form = self.ring(operand, point)?;
        // dropping high bits is a map of rings; adding them is not
        let word = |int: Int| matches!(int, Int::Usize | Int::Isize);
        let drops = widest(to) <= narrowest(from) || (word(to) && word(from));
        // an element that may not fit is one value of the type, which a form of the element could not be compared with
        let element = form.as_symbol().is_some_and(
            |sym| matches!(&self.symbols.symbol(sym).kind, SymKind::Element(_, index) if !index.is_empty()),
        );
        let keeps_ring = drops || self.fits(&form, operand.ty, point);
        if keeps_ring && (!element || self.fits(&form, ty, point)) {
            return Some(form);
        }
        Some(self.function(Operation::Cast(operand.ty), ty, vec![form]))
    }

    fn call(&mut self, func: Func, args: &'p [Expr], ty: Ty, point: PointId) -> Option<Affine> {
        match (func, args) {
            (Func::WrappingAdd, [a, b]) => return self.ring(a, point)?.add(&self.ring(b, point)?),
            (Func::WrappingSub, [a, b]) => return self.ring(a, point)?.sub(&self.ring(b, point)?),
            (Func::WrappingMul, [a, b]) => {
                let (a, b) = (self.ring(a, point)?, self.ring(b, point)?);
                return self.symbols.multiply(&a, &b);
            }
            (Func::WrappingNeg, [a]) => return self.ring(a, point)?.scale(-1),
            _ => {}
        }
        let forms: Vec<Affine> = args.iter().map(|arg| self.ring(arg, point)).collect::<Option<_>>()?;
        let of = args.first().map_or(ty, |arg| arg.ty);
        let result = self.function(Operation::Call(func, of), ty, forms.clone());
        let in_range = forms.iter().zip(args).all(|(form, arg)| self.fits(form, arg.ty, point));
        if in_range {
            let facts: Vec<Option<Constraint>> = match (func, &forms[..]) {
                (Func::IntMin, [a, b]) => vec![Constraint::le(&result, a), Constraint::le(&result, b)],
                (Func::IntMax, [a, b]) => vec![Constraint::le(a, &result), Constraint::le(b, &result)],
                (Func::SaturatingAdd, [a, b]) if unsigned(ty) => {
                    let facts = [Constraint::le(&result, &a.add(b)?), Constraint::le(a, &result)];
                    [facts, [Constraint::le(b, &result), None]].concat()
                }
                (Func::SaturatingSub, [a, b]) if unsigned(ty) => {
                    vec![Constraint::le(&result, a), Constraint::le(&a.sub(b)?, &result)]
                }
                (Func::AbsDiff, [a, b]) => {
                    let (up, down) = (a.sub(b)?, b.sub(a)?);
                    vec![Constraint::le(&up, &result), Constraint::le(&down, &result)]
                }
                _ => Vec::new(),
            };
            self.learn(point, facts.into_iter().flatten());
        }
        Some(result)
    }

    /// What a condition says of the symbols if it is `truth`, and whether that is all that it says.
    pub(super) fn condition(
        &mut self,
        cond: &'p Expr,
        truth: bool,
        point: PointId,
    ) -> (Vec<Constraint>, bool) {
        let mut facts = Vec::new();
        let exact = self.add_condition(cond, truth, point, &mut facts);
        (facts, exact)
    }

    fn add_condition(
        &mut self,
        cond: &'p Expr,
        truth: bool,
        point: PointId,
        facts: &mut Vec<Constraint>,
    ) -> bool {
        use BinOp::*;
        match &cond.kind {
            ExprKind::Bool(value) => {
                if *value != truth {
                    facts.push(Constraint::NonNegative(Affine::number(-1)));
                }
                true
            }
            ExprKind::Unary(UnOp::Not, operand) => self.add_condition(operand, !truth, point, facts),
            ExprKind::Binary(op @ (BitAnd | BitOr), lhs, rhs) if (*op == BitAnd) == truth => {
                let left = self.add_condition(lhs, truth, point, facts);
                self.add_condition(rhs, truth, point, facts) && left
            }
            ExprKind::Binary(op, lhs, rhs) if op.is_comparison() && lhs.ty.is_int() => {
                let (Some(a), Some(b)) = (self.value(lhs, point), self.value(rhs, point)) else {
                    return false;
                };
                let fact = match (op, truth) {
                    (Lt, true) | (Ge, false) => Constraint::lt(&a, &b),
                    (Le, true) | (Gt, false) => Constraint::le(&a, &b),
                    (Gt, true) | (Le, false) => Constraint::lt(&b, &a),
                    (Ge, true) | (Lt, false) => Constraint::le(&b, &a),
                    (Eq, true) | (Ne, false) => Constraint::eq(&a, &b),
                    _ => None,
                };
                let known = fact.is_some();
                facts.extend(fact);
                if let (Ne, true) | (Eq, false) = (op, truth) {
                    facts.extend(Constraint::ne(&a, &b));
                }
                known
            }
            _ => false,
        }
    }
}

fn unsigned(ty: Ty) -> bool {
    matches!(ty, Ty::Int(int) if !int.is_signed())
}

/// The width on the narrowest machine that Rust has.
fn narrowest(int: Int) -> i128 {
    if matches!(int, Int::Usize | Int::Isize) { 32 } else { i128::from(int.bits()) }
}

/// The width on the widest machine that Rust has; between machine words no bit is gained or lost.
fn widest(int: Int) -> i128 {
    i128::from(int.bits())
}
