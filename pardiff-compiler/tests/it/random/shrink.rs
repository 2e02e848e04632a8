//! Smaller programs: what to try when a program fails.

use super::program::{Chain, Expr, Function, Kind, Param, Place, Program, Range, Start, Stmt, Tail};

/// Shrinks greedily while `fails` holds, with at most `limit` attempts.
pub fn shrink(program: &Program, limit: usize, fails: impl Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut attempts = 0;
    'again: loop {
        for candidate in candidates(&best) {
            if attempts >= limit {
                return best;
            }
            if !well_scoped(&candidate) {
                continue;
            }
            attempts += 1;
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

/// Programs that are one step smaller.
fn candidates(program: &Program) -> Vec<Program> {
    let mut out = Vec::new();
    let with = |change: &dyn Fn(&mut Program)| {
        let mut smaller = program.clone();
        change(&mut smaller);
        smaller
    };
    let main = &program.main;
    out.extend(block_variants(&main.body).into_iter().map(|body| with(&|p| p.main.body = body.clone())));
    out.extend(tail_variants(&main.result).into_iter().map(|tail| with(&|p| p.main.result = tail.clone())));
    for k in 0..program.helpers.len() {
        out.push(with(&|p| drop(p.helpers.remove(k))));
        let helper = &program.helpers[k];
        let bodies = block_variants(&helper.body);
        out.extend(bodies.into_iter().map(|body| with(&|p| p.helpers[k].body = body.clone())));
        if let Tail::Value(value) = &helper.result {
            let values = expr_variants(value);
            out.extend(
                values.into_iter().map(|value| with(&|p| p.helpers[k].result = Tail::Value(value.clone()))),
            );
        }
    }
    for k in 0..program.consts.len() {
        out.push(with(&|p| drop(p.consts.remove(k))));
    }
    for k in 0..main.params.len() {
        out.push(with(&|p| drop(p.main.params.remove(k))));
    }
    if main.generic.is_some() {
        out.push(with(&|p| p.main.generic = None));
    }
    out
}

fn tail_variants(tail: &Tail) -> Vec<Tail> {
    match tail {
        Tail::Unit => vec![],
        Tail::Value(value) => {
            let mut out = vec![Tail::Unit];
            out.extend(expr_variants(value).into_iter().map(Tail::Value));
            out
        }
        Tail::Tuple(values) => {
            let mut out: Vec<Tail> =
                values.iter().filter(|v| v.ty.is_float()).cloned().map(Tail::Value).collect();
            out.extend(each(values, expr_variants).into_iter().map(Tail::Tuple));
            out
        }
        Tail::Array(..) => vec![Tail::Unit],
    }
}

/// Every list with one element replaced by a variant of it.
fn each<T: Clone>(items: &[T], variants: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut out = Vec::new();
    for (k, item) in items.iter().enumerate() {
        for variant in variants(item) {
            let mut list = items.to_vec();
            list[k] = variant;
            out.push(list);
        }
    }
    out
}

fn block_variants(stmts: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut out = Vec::new();
    for k in 0..stmts.len() {
        let mut list = stmts.to_vec();
        list.remove(k);
        out.push(list);
    }
    for (k, stmt) in stmts.iter().enumerate() {
        for inside in insides(stmt) {
            let mut list = stmts.to_vec();
            list.splice(k..=k, inside);
            out.push(list);
        }
    }
    out.extend(each(stmts, stmt_variants));
    out
}

/// What a compound statement may be replaced by.
fn insides(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::For { iter, range, body } => {
            let mut once = vec![Stmt::Let {
                mutable: false,
                name: iter.clone(),
                annotated: true,
                value: range.lo.clone(),
            }];
            once.extend(body.clone());
            vec![body.clone(), once]
        }
        Stmt::Each { body, .. } => vec![body.clone()],
        Stmt::While { counter, body, .. } => {
            let value = Expr::usize(1);
            let name = counter.clone();
            let mut once = vec![Stmt::Let { mutable: false, name, annotated: true, value }];
            once.extend(body.clone());
            vec![body.clone(), once]
        }
        Stmt::If { then, els, .. } => vec![then.clone(), els.clone()],
        Stmt::Match { arms, .. } => arms.iter().map(|(_, body)| body.clone()).collect(),
        Stmt::Block(body) => vec![body.clone()],
        _ => vec![],
    }
}

fn stmt_variants(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::Let { mutable, name, annotated, value } => expr_variants(value)
            .into_iter()
            .map(|value| Stmt::Let {
                mutable: *mutable,
                name: name.clone(),
                annotated: *annotated || value.only_literals(),
                value,
            })
            .collect(),
        Stmt::LetTuple { names, values } => {
            let lists = each(values, expr_variants).into_iter();
            lists.map(|values| Stmt::LetTuple { names: names.clone(), values }).collect()
        }
        Stmt::LetPair { mutable, name, values } => {
            let lists = each(values, expr_variants).into_iter();
            lists.map(|values| Stmt::LetPair { mutable: *mutable, name: name.clone(), values }).collect()
        }
        Stmt::LetArray { mutable, name, start } => {
            let make = |start| Stmt::LetArray { mutable: *mutable, name: name.clone(), start };
            match start {
                Start::Repeat(value, dims) => {
                    expr_variants(value).into_iter().map(|v| make(Start::Repeat(v, dims.clone()))).collect()
                }
                Start::Vec(value, dims) => {
                    expr_variants(value).into_iter().map(|v| make(Start::Vec(v, dims.clone()))).collect()
                }
                Start::List(values) => {
                    each(values, expr_variants).into_iter().map(|v| make(Start::List(v))).collect()
                }
                _ => vec![],
            }
        }
        Stmt::Assign { target, op, value } => {
            let make = |target: Place, op, value| Stmt::Assign { target, op, value };
            let mut out: Vec<Stmt> =
                expr_variants(value).into_iter().map(|value| make(target.clone(), *op, value)).collect();
            if *op != "=" {
                out.push(make(target.clone(), "=", value.clone()));
            }
            if let Place::Index(name, index) = target {
                let lists = each(index, expr_variants).into_iter();
                out.extend(lists.map(|index| make(Place::Index(name.clone(), index), *op, value.clone())));
            }
            out
        }
        Stmt::For { iter, range, body } => {
            let make = |range: Range, body: Vec<Stmt>| Stmt::For { iter: iter.clone(), range, body };
            let mut out: Vec<Stmt> =
                block_variants(body).into_iter().map(|body| make(range.clone(), body)).collect();
            out.extend(range_variants(range).into_iter().map(|range| make(range, body.clone())));
            out
        }
        Stmt::Each { chain, filter, body } => {
            let make =
                |chain: Chain, filter: Option<Expr>, body: Vec<Stmt>| Stmt::Each { chain, filter, body };
            let bodies = block_variants(body).into_iter();
            let mut out: Vec<Stmt> = bodies.map(|body| make(chain.clone(), filter.clone(), body)).collect();
            let chains = chain_variants(chain).into_iter();
            out.extend(chains.map(|chain| make(chain, filter.clone(), body.clone())));
            out.extend(filter.is_some().then(|| make(chain.clone(), None, body.clone())));
            out
        }
        Stmt::While { counter, most, cond, endless, body } => {
            let make = |most: &Expr, cond: &Option<Expr>, endless: bool, body: Vec<Stmt>| Stmt::While {
                counter: counter.clone(),
                most: most.clone(),
                cond: cond.clone(),
                endless,
                body,
            };
            let bodies = block_variants(body).into_iter();
            let mut out: Vec<Stmt> = bodies.map(|body| make(most, cond, *endless, body)).collect();
            out.extend(cond.is_some().then(|| make(most, &None, *endless, body.clone())));
            out.extend(endless.then(|| make(most, cond, false, body.clone())));
            let two = Expr::usize(2);
            out.extend((*most != two).then(|| make(&two, cond, *endless, body.clone())));
            out
        }
        Stmt::If { cond, then, els } => {
            let make = |cond: Expr, then: Vec<Stmt>, els: Vec<Stmt>| Stmt::If { cond, then, els };
            let mut out: Vec<Stmt> =
                block_variants(then).into_iter().map(|then| make(cond.clone(), then, els.clone())).collect();
            out.extend(block_variants(els).into_iter().map(|els| make(cond.clone(), then.clone(), els)));
            out.extend(expr_variants(cond).into_iter().map(|cond| make(cond, then.clone(), els.clone())));
            out
        }
        Stmt::Match { on, arms } => {
            let bodies = each(arms, |(pattern, body)| {
                block_variants(body).into_iter().map(|body| (pattern.clone(), body)).collect()
            });
            let mut out: Vec<Stmt> =
                bodies.into_iter().map(|arms| Stmt::Match { on: on.clone(), arms }).collect();
            out.extend(expr_variants(on).into_iter().map(|on| Stmt::Match { on, arms: arms.clone() }));
            out
        }
        Stmt::Block(body) => block_variants(body).into_iter().map(Stmt::Block).collect(),
        Stmt::Fill { array, value } => {
            let values = expr_variants(value).into_iter();
            values.map(|value| Stmt::Fill { array: array.clone(), value }).collect()
        }
        Stmt::Push { array, value } => {
            let values = expr_variants(value).into_iter();
            values.map(|value| Stmt::Push { array: array.clone(), value }).collect()
        }
        Stmt::Swap { array, i, j } => each(&[i.clone(), j.clone()], expr_variants)
            .into_iter()
            .map(|ij| Stmt::Swap { array: array.clone(), i: ij[0].clone(), j: ij[1].clone() })
            .collect(),
        Stmt::Call(call) => expr_variants(call)
            .into_iter()
            .filter(|call| matches!(call.kind, Kind::Call(..)))
            .map(Stmt::Call)
            .collect(),
        _ => vec![],
    }
}

fn range_variants(range: &Range) -> Vec<Range> {
    let mut out = Vec::new();
    if range.rev || range.step.is_some() || range.inclusive {
        out.push(Range { rev: false, rev_first: false, ..range.clone() });
        out.push(Range { step: None, rev_first: false, ..range.clone() });
        out.push(Range { inclusive: false, ..range.clone() });
    }
    for hi in 1..3 {
        if range.hi != Expr::int(range.hi.ty, hi) {
            out.push(Range { hi: Expr::int(range.hi.ty, hi), ..range.clone() });
        }
    }
    if range.lo != Expr::int(range.lo.ty, 0) {
        out.push(Range { lo: Expr::int(range.lo.ty, 0), ..range.clone() });
    }
    out
}

/// Chains of one adapter less.
fn chain_variants(chain: &Chain) -> Vec<Chain> {
    let rebuilt = |inner: &Chain, make: &dyn Fn(Box<Chain>) -> Chain| {
        let mut out = vec![inner.clone()];
        out.extend(chain_variants(inner).into_iter().map(|inner| make(Box::new(inner))));
        out
    };
    match chain {
        Chain::Rev(inner) => rebuilt(inner, &Chain::Rev),
        Chain::Skip(inner, by) => rebuilt(inner, &|inner| Chain::Skip(inner, *by)),
        Chain::Take(inner, most) => rebuilt(inner, &|inner| Chain::Take(inner, *most)),
        Chain::StepBy(inner, by) => rebuilt(inner, &|inner| Chain::StepBy(inner, *by)),
        Chain::Enumerate(name, inner) => rebuilt(inner, &|inner| Chain::Enumerate(name.clone(), inner)),
        Chain::Zip(a, b) => {
            let mut out = rebuilt(a, &|a| Chain::Zip(a, b.clone()));
            out.extend(rebuilt(b, &|b| Chain::Zip(a.clone(), b)));
            out
        }
        _ => vec![],
    }
}

impl Expr {
    fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Index(_, index) => index.iter().collect(),
            Kind::Neg(a) | Kind::Not(a) | Kind::Cast(a) => vec![a],
            Kind::Bin(_, a, b) => vec![a, b],
            Kind::Method(_, args) | Kind::Path(_, args) | Kind::Call(_, args) => args.iter().collect(),
            Kind::If(parts) => parts.iter().collect(),
            Kind::Match(on, arms) => [&**on].into_iter().chain(arms.iter().map(|(_, value)| value)).collect(),
            Kind::Block(_, value) => vec![value],
            Kind::Borrow(_, _, Some(row)) => vec![row],
            _ => vec![],
        }
    }

    fn operand_mut(&mut self, k: usize) -> &mut Expr {
        match &mut self.kind {
            Kind::Index(_, list) | Kind::Method(_, list) | Kind::Path(_, list) | Kind::Call(_, list) => {
                &mut list[k]
            }
            Kind::Bin(_, a, b) => {
                if k == 0 {
                    a
                } else {
                    b
                }
            }
            Kind::If(parts) => &mut parts[k],
            Kind::Match(on, _) if k == 0 => on,
            Kind::Match(_, arms) => &mut arms[k - 1].1,
            Kind::Neg(a) | Kind::Not(a) | Kind::Cast(a) | Kind::Block(_, a) | Kind::Borrow(_, _, Some(a)) => {
                a
            }
            _ => unreachable!("no operands"),
        }
    }
}

fn expr_variants(expr: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    let literal = match expr.kind {
        Kind::Float(_) | Kind::Int(_) | Kind::Bool(_) | Kind::Borrow(..) => None,
        _ if expr.ty.is_float() => Some(Expr::float(expr.ty, 1.0)),
        _ if expr.ty == super::program::Ty::Bool => Some(Expr::new(expr.ty, Kind::Bool(true))),
        _ => Some(Expr::int(expr.ty, 0)),
    };
    let operands = expr.operands();
    if !matches!(expr.kind, Kind::Borrow(..)) {
        let same = operands.iter().filter(|o| o.ty == expr.ty && !matches!(o.kind, Kind::Borrow(..)));
        out.extend(same.map(|o| (*o).clone()));
    }
    out.extend(literal);
    for (k, operand) in operands.iter().enumerate() {
        for variant in expr_variants(operand) {
            let mut whole = expr.clone();
            *whole.operand_mut(k) = variant;
            out.push(whole);
        }
    }
    out
}

/// Whether every name is declared where it is used.
pub fn well_scoped(program: &Program) -> bool {
    let mut names: Vec<String> = program.consts.iter().map(|c| c.name.clone()).collect();
    for helper in &program.helpers {
        if !function_scoped(helper, &names) {
            return false;
        }
        names.push(helper.name.clone());
    }
    function_scoped(&program.main, &names)
}

fn function_scoped(function: &Function, outer: &[String]) -> bool {
    let mut names = outer.to_vec();
    names.extend(function.params.iter().map(|p: &Param| p.name.clone()));
    names.extend(function.generic.clone());
    for param in &function.params {
        if let super::program::Shape::Array(dims) = &param.shape
            && dims.contains(&"N".to_owned())
            && function.generic.is_none()
        {
            return false;
        }
    }
    let tail = |names: &[String]| match &function.result {
        Tail::Unit => true,
        Tail::Value(value) => expr_scoped(value, names),
        Tail::Tuple(values) => values.iter().all(|value| expr_scoped(value, names)),
        Tail::Array(name, ..) => names.contains(name),
    };
    block_scoped(&function.body, &mut names, false) && tail(&names)
}

fn block_scoped(stmts: &[Stmt], names: &mut Vec<String>, in_loop: bool) -> bool {
    stmts.iter().all(|stmt| stmt_scoped(stmt, names, in_loop))
}

fn inner_scoped(stmts: &[Stmt], names: &[String], in_loop: bool) -> bool {
    block_scoped(stmts, &mut names.to_vec(), in_loop)
}

fn has(names: &[String], name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name);
    names.iter().any(|known| known == base)
}

fn stmt_scoped(stmt: &Stmt, names: &mut Vec<String>, in_loop: bool) -> bool {
    let all = |list: &[Expr], names: &[String]| list.iter().all(|e| expr_scoped(e, names));
    match stmt {
        Stmt::Let { name, value, .. } => {
            let ok = expr_scoped(value, names);
            names.push(name.clone());
            ok
        }
        Stmt::LetTuple { names: new, values } => {
            let ok = all(values, names);
            names.extend(new.iter().map(|(_, name)| name.clone()));
            ok
        }
        Stmt::LetPair { name, values, .. } => {
            let ok = all(values, names);
            names.push(name.clone());
            ok
        }
        Stmt::LetArray { name, start, .. } => {
            let ok = match start {
                Start::Repeat(value, dims) | Start::Vec(value, dims) => {
                    expr_scoped(value, names) && all(dims, names)
                }
                Start::List(values) => all(values, names),
                Start::ToVec(name) => has(names, name),
                Start::Growing(_) => true,
                Start::Collect(chain, value) => {
                    let mut inner = names.clone();
                    inner.extend(chain.names());
                    chain.arrays().iter().all(|array| has(names, array)) && expr_scoped(value, &inner)
                }
            };
            names.push(name.clone());
            ok
        }
        Stmt::LetSlice { name, base, lo, hi, .. } => {
            let ok = has(names, base) && [lo, hi].into_iter().flatten().all(|e| expr_scoped(e, names));
            names.push(name.clone());
            ok
        }
        Stmt::Assign { target, value, .. } => {
            let target = match target {
                Place::Var(name) | Place::Deref(name) => has(names, name),
                Place::Index(name, index) => has(names, name) && all(index, names),
            };
            target && expr_scoped(value, names)
        }
        Stmt::For { iter, range, body } => {
            let bounds = [Some(&range.lo), Some(&range.hi), range.step.as_ref()];
            let mut inner = names.clone();
            inner.push(iter.clone());
            bounds.into_iter().flatten().all(|e| expr_scoped(e, names))
                && block_scoped(body, &mut inner, true)
        }
        Stmt::If { cond, then, els } => {
            expr_scoped(cond, names)
                && inner_scoped(then, names, in_loop)
                && inner_scoped(els, names, in_loop)
        }
        Stmt::Match { on, arms } => {
            expr_scoped(on, names) && arms.iter().all(|(_, body)| inner_scoped(body, names, in_loop))
        }
        Stmt::Each { chain, filter, body } => {
            let mut inner = names.clone();
            inner.extend(chain.names());
            chain.arrays().iter().all(|array| has(names, array))
                && filter.iter().all(|cond| expr_scoped(cond, &inner))
                && block_scoped(body, &mut inner, true)
        }
        Stmt::While { counter, most, cond, body, .. } => {
            names.push(counter.clone());
            expr_scoped(most, names)
                && cond.iter().all(|cond| expr_scoped(cond, names))
                && inner_scoped(body, names, true)
        }
        Stmt::Return(value) => expr_scoped(value, names),
        Stmt::Continue | Stmt::Break => in_loop,
        Stmt::Block(body) => inner_scoped(body, names, in_loop),
        Stmt::Swap { array, i, j } => has(names, array) && expr_scoped(i, names) && expr_scoped(j, names),
        Stmt::SwapArrays(a, b) => has(names, a) && has(names, b),
        Stmt::Fill { array, value } | Stmt::Push { array, value } => {
            has(names, array) && expr_scoped(value, names)
        }
        Stmt::CopyFrom { to, from, .. } => has(names, to) && has(names, from),
        Stmt::CopyRow { to, i, from, j } => {
            has(names, to) && has(names, from) && expr_scoped(i, names) && expr_scoped(j, names)
        }
        Stmt::Assert(value) | Stmt::Call(value) => expr_scoped(value, names),
    }
}

fn expr_scoped(expr: &Expr, names: &[String]) -> bool {
    let own = match &expr.kind {
        Kind::Var(name) | Kind::Deref(name) | Kind::Index(name, _) | Kind::Len(name) => has(names, name),
        Kind::Call(name, _) | Kind::Borrow(_, name, _) => has(names, name),
        Kind::Block(stmts, value) => {
            let mut inner = names.to_vec();
            return block_scoped(stmts, &mut inner, false) && expr_scoped(value, &inner);
        }
        Kind::Consumed(chain, filter, value, _) => {
            let mut inner = names.to_vec();
            inner.extend(chain.names());
            return chain.arrays().iter().all(|array| has(names, array))
                && filter.iter().all(|cond| expr_scoped(cond, &inner))
                && expr_scoped(value, &inner);
        }
        _ => true,
    };
    own && expr.operands().iter().all(|operand| expr_scoped(operand, names))
}
