//! Iterator chains, and loops that end when they say so.

use super::generate::Generator;
use super::program::{Chain, Expr, Kind, Size, Start, Stmt, Ty, Values};
use super::scope::{Array, Facts, Scope, Storage, Variable};

impl Generator {
    /// A chain with the names that it binds; `mutable` elements only where asked for.
    fn chain(&mut self, depth: u32, changing: bool) -> Chain {
        let leaf = depth == 0 || self.draw.chance(30);
        let inner = |this: &mut Generator| Box::new(this.chain(depth.saturating_sub(1), changing));
        if leaf {
            return self.leaf(changing);
        }
        match self.draw.below(8) {
            0 => Chain::Rev(inner(self)),
            1 => Chain::Skip(inner(self), self.draw.below(3)),
            2 => Chain::Take(inner(self), self.draw.below(5)),
            3 => Chain::StepBy(inner(self), 1 + self.draw.below(3)),
            4 | 5 => {
                let name = self.name("at");
                Chain::Enumerate(name, inner(self))
            }
            _ => {
                let first = inner(self);
                // an array is borrowed once where its elements are changed
                let second = Box::new(self.chain(depth - 1, false));
                match changing && first.arrays().iter().any(|name| second.arrays().contains(name)) {
                    true => *first,
                    false => Chain::Zip(first, second),
                }
            }
        }
    }

    fn leaf(&mut self, changing: bool) -> Chain {
        let arrays: Vec<Array> = self
            .scope
            .arrays()
            .filter(|a| a.elem.is_float() && a.dims.len() == 1 && (a.mutable || !changing))
            .filter(|a| a.storage != Storage::Const)
            .cloned()
            .collect();
        let Some(array) = self.draw.pick_some(&arrays) else {
            let (name, lo) = (self.name("c"), self.draw.below(3));
            let hi = self.draw.below(5);
            return Chain::Range(name, Expr::usize(lo), Expr::usize(hi));
        };
        let name = self.name("v");
        match self.draw.below(8) {
            0 if !changing => Chain::Range(name, Expr::usize(0), Size::Len(array.name).expr()),
            1 => Chain::Chunks(name, array.name, 1 + self.draw.below(3), array.elem),
            2 if !changing => Chain::Windows(name, array.name, 1 + self.draw.below(2), array.elem),
            _ if changing => Chain::Changed(name, array.name, array.elem),
            _ => Chain::Elements(name, array.name, array.elem),
        }
    }

    /// Runs with the names of a chain visible, and with its arrays borrowed.
    fn items<T>(&mut self, chain: &Chain, fill: impl FnOnce(&mut Generator) -> T) -> T {
        let (saved, was_in_loop): (Scope, bool) = (self.scope.clone(), self.in_loop);
        for name in chain.arrays() {
            match chain.is_changing() {
                true => self.scope.remove(&name),
                false => self.scope.freeze(&name),
            }
        }
        chain.leaves(&mut |leaf| match leaf {
            Chain::Range(name, ..) | Chain::Enumerate(name, _) => self.declare(name, Ty::Usize, false, 5.0),
            Chain::Elements(name, _, ty) => self.declare(name, *ty, false, 4.0),
            Chain::Changed(name, _, ty) => {
                let (name, facts) = (name.clone(), Facts::default());
                let variable = Variable { name, ty: *ty, mutable: true, reference: true, mag: 4.0, facts };
                self.scope.add_variable(variable);
            }
            Chain::Chunks(name, _, len, elem) | Chain::Windows(name, _, len, elem) => {
                self.scope.add_array(Array {
                    name: name.clone(),
                    elem: *elem,
                    dims: vec![Size::Const(*len)],
                    mutable: false,
                    mag: 4.0,
                    values: Values::Any,
                    storage: Storage::Reference,
                });
            }
            _ => {}
        });
        self.nest += 1;
        let out = fill(self);
        self.nest -= 1;
        self.in_loop = was_in_loop;
        self.scope = saved;
        out
    }

    /// A `for` over a chain.
    pub fn each(&mut self, depth: u32) -> Stmt {
        let changing = self.draw.chance(25);
        let chain = self.chain(2, changing);
        let outer = self.scope.clone();
        let (filter, body) = self.items(&chain, |this| {
            let filter = (!chain.is_changing() && this.draw.chance(25)).then(|| this.condition(1));
            // the closure borrows what it names as long as the loop runs
            let filter = filter.filter(|cond| !outer.may_change(&cond.source()));
            this.in_loop = true;
            let budget = 1 + this.draw.below(3);
            (filter, this.block(budget, depth - 1))
        });
        Stmt::Each { chain, filter, body }
    }

    /// `let s = chain.map(…).sum::<f64>();`, and the same with `fold`.
    pub fn consumed(&mut self) -> Stmt {
        let chain = self.chain(2, false);
        let ty = self.float_ty();
        let (filter, value) = self.items(&chain, |this| {
            this.in_loop = false;
            let filter = this.draw.chance(25).then(|| this.condition(1));
            let value = this.bounded(ty, 3, 4.0);
            (filter, if value.only_literals() { value.cast(ty) } else { value })
        });
        let (name, fold) = (self.name("s"), self.draw.chance(40));
        self.declare(&name, ty, true, 20.0);
        let value =
            Expr::new(ty, Kind::Consumed(Box::new(chain), filter.map(Box::new), Box::new(value), fold));
        Stmt::Let { mutable: true, name, annotated: true, value }
    }

    /// `let v: Vec<f64> = chain.map(…).collect();`
    pub fn collected(&mut self) -> Stmt {
        let chain = self.chain(2, false);
        let ty = self.float_ty();
        let value = self.items(&chain, |this| {
            this.in_loop = false;
            let value = this.bounded(ty, 2, 4.0);
            if value.only_literals() { value.cast(ty) } else { value }
        });
        let name = self.name("kept");
        self.scope.add_array(Array {
            name: name.clone(),
            elem: ty,
            dims: vec![Size::Len(name.clone())],
            mutable: true,
            mag: 4.0,
            values: Values::Any,
            storage: Storage::Vec,
        });
        Stmt::LetArray { mutable: true, name, start: Start::Collect(Box::new(chain), value) }
    }

    /// `while` and `loop` with a counter that ends them.
    pub fn runtime_loop(&mut self, depth: u32) -> Stmt {
        let counter = self.name("round");
        let most = match self.draw.chance(50) {
            true => Expr::usize(self.draw.below(4)),
            false => Expr::bin("%", self.usize_value(1), Expr::usize(5)),
        };
        let cond = self.draw.chance(60).then(|| self.condition(2));
        let endless = self.draw.chance(40);
        let facts = Facts::default();
        let variable = Variable {
            name: counter.clone(),
            ty: Ty::Usize,
            mutable: false,
            reference: false,
            mag: 5.0,
            facts,
        };
        let budget = 1 + self.draw.below(3);
        let body = self.body(variable, |this| this.block(budget, depth - 1));
        Stmt::While { counter, most, cond, endless, body }
    }
}
