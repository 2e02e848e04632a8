//! Iterator chains, naively: the positions that a chain visits are written to integer arrays, which each adapter copies
//! in its order; then one loop reads them.

use super::{Binding, Lower, View, assign, each, scope, stmt};
use crate::random::program::{Chain, Expr as Rust, Stmt as Line};
use pardiff_compiler::ir::{BinOp, Block, Buffer, BufferId, Expr, Func, Place, Role, StmtKind, Ty};

/// What a chain binds, and the positions at which it stands.
#[derive(Clone)]
struct Column {
    leaf: Chain,
    positions: BufferId,
}

impl Lower<'_> {
    /// `for pattern in chain.filter(…) { body }`
    pub(super) fn each_item(&mut self, chain: &Chain, filter: Option<&Rust>, lines: &[Line]) -> Block {
        self.over(chain, &mut |this| {
            let body = this.body_of_loop(lines);
            match filter {
                None => body,
                Some(filter) => this.with_temporaries(|this, before| {
                    let cond = this.expr(filter, before);
                    before.push(stmt(StmtKind::If { cond, then: body, els: vec![] }));
                }),
            }
        })
    }

    /// Loops over a chain with its names bound.
    pub(super) fn over(&mut self, chain: &Chain, body: &mut dyn FnMut(&mut Self) -> Block) -> Block {
        self.columns(chain, &mut |this, columns, len| {
            let iter = this.program.add_iter("item", Ty::USIZE);
            let names = this.names.len();
            let mut declared = Vec::new();
            let mut inner = Vec::new();
            for column in columns {
                let at = this.local("position", Ty::USIZE);
                declared.push(at);
                let position =
                    Place::new(column.positions, vec![Expr::iter(iter, Ty::USIZE)]).load(Ty::USIZE);
                inner.push(assign(Place::scalar(at), position));
                let at = this.load(at);
                this.bind_leaf(&column.leaf, at);
            }
            let saved = std::mem::take(&mut this.temporaries);
            inner.extend(body(this));
            this.temporaries = saved;
            this.names.truncate(names);
            vec![each(iter, len.clone(), scope(declared, inner))]
        })
    }

    fn bind_leaf(&mut self, leaf: &Chain, at: Expr) {
        let (name, binding) = match leaf {
            Chain::Range(name, ..) | Chain::Enumerate(name, _) => (name, Binding::Value(at)),
            Chain::Elements(name, array, _) | Chain::Changed(name, array, _) => {
                (name, Binding::Element(self.view(array).place(vec![at])))
            }
            Chain::Chunks(name, array, len, _) | Chain::Windows(name, array, len, _) => {
                let whole = self.view(array);
                let start = match leaf {
                    Chain::Chunks(..) => at * Expr::usize(*len),
                    _ => at,
                };
                let offset = match &whole.offset {
                    Some(outer) => outer.clone() + start,
                    None => start,
                };
                let part =
                    View { offset: Some(offset), dims: vec![Expr::usize(*len)], length: None, ..whole };
                (name, Binding::Array(part))
            }
            _ => return,
        };
        self.bind(name, binding);
    }

    fn columns(
        &mut self,
        chain: &Chain,
        then: &mut dyn FnMut(&mut Self, &[Column], &Expr) -> Block,
    ) -> Block {
        let call = |func, a: Expr, b: Expr| Expr::call(Ty::USIZE, func, vec![a, b]);
        let one = Expr::usize(1);
        match chain {
            Chain::Range(_, lo, hi) => {
                let mut out = Vec::new();
                let (lo, hi) = (self.expr(lo, &mut out), self.expr(hi, &mut out));
                let len = call(Func::SaturatingSub, hi, lo.clone());
                out.extend(self.sized(len, &mut |this, len| {
                    this.column(chain, len, &|k| lo.clone() + k, &mut |this, column| {
                        then(this, std::slice::from_ref(&column), len)
                    })
                }));
                out
            }
            Chain::Elements(_, array, _)
            | Chain::Changed(_, array, _)
            | Chain::Chunks(_, array, ..)
            | Chain::Windows(_, array, ..) => {
                let whole = self.view(array).dims[0].clone();
                let len = match chain {
                    Chain::Chunks(_, _, len, _) => Expr::binary(BinOp::Div, whole, Expr::usize(*len)),
                    Chain::Windows(_, _, len, _) => call(Func::SaturatingSub, whole + one, Expr::usize(*len)),
                    _ => whole,
                };
                self.sized(len, &mut |this, len| {
                    this.column(chain, len, &|k| k, &mut |this, column| {
                        then(this, std::slice::from_ref(&column), len)
                    })
                })
            }
            Chain::Rev(inner) => self.columns(inner, &mut |this, columns, len| {
                let last = len.clone() - Expr::usize(1);
                this.moved(columns, len, &|k| last.clone() - k, &[], &mut |this, columns| {
                    then(this, columns, len)
                })
            }),
            Chain::Skip(inner, by) => self.columns(inner, &mut |this, columns, len| {
                let rest = call(Func::SaturatingSub, len.clone(), Expr::usize(*by));
                this.sized(rest, &mut |this, len| {
                    this.moved(columns, len, &|k| k + Expr::usize(*by), &[], &mut |this, columns| {
                        then(this, columns, len)
                    })
                })
            }),
            Chain::Take(inner, most) => self.columns(inner, &mut |this, columns, len| {
                let shorter = call(Func::IntMin, len.clone(), Expr::usize(*most));
                this.sized(shorter, &mut |this, len| then(this, columns, len))
            }),
            Chain::StepBy(inner, by) => self.columns(inner, &mut |this, columns, len| {
                let trips = vec![Expr::usize(0), len.clone(), Expr::usize(*by)];
                let steps = Expr::call(Ty::USIZE, Func::TripCount, trips);
                this.sized(steps, &mut |this, len| {
                    this.moved(columns, len, &|k| k * Expr::usize(*by), &[], &mut |this, columns| {
                        then(this, columns, len)
                    })
                })
            }),
            Chain::Enumerate(..) => {
                let Chain::Enumerate(_, inner) = chain else { return Vec::new() };
                self.columns(inner, &mut |this, columns, len| {
                    this.column(chain, len, &|k| k, &mut |this, column| {
                        let mut all = vec![column];
                        all.extend_from_slice(columns);
                        then(this, &all, len)
                    })
                })
            }
            Chain::Zip(a, b) => self.columns(a, &mut |this, first, len_a| {
                this.columns(b, &mut |this, second, len_b| {
                    let shorter = call(Func::IntMin, len_a.clone(), len_b.clone());
                    this.sized(shorter, &mut |this, len| then(this, &[first, second].concat(), len))
                })
            }),
        }
    }

    /// The length in a scalar, so that extents can be made of it.
    fn sized(&mut self, len: Expr, then: &mut dyn FnMut(&mut Self, &Expr) -> Block) -> Block {
        let own = self.local("count", Ty::USIZE);
        let mut body = vec![assign(Place::scalar(own), len)];
        let len = self.load(own);
        body.extend(then(self, &len));
        scope(vec![own], body)
    }

    /// An array of positions.
    fn column(
        &mut self,
        leaf: &Chain,
        len: &Expr,
        position: &dyn Fn(Expr) -> Expr,
        then: &mut dyn FnMut(&mut Self, Column) -> Block,
    ) -> Block {
        let array = Buffer::new("positions", Ty::USIZE, vec![len.clone()], Role::Local);
        let positions = self.program.add_buffer(array);
        let iter = self.program.add_iter("k", Ty::USIZE);
        let k = Expr::iter(iter, Ty::USIZE);
        let fill = assign(Place::new(positions, vec![k.clone()]), position(k));
        let mut body = vec![each(iter, len.clone(), vec![fill])];
        body.extend(then(self, Column { leaf: leaf.clone(), positions }));
        scope(vec![positions], body)
    }

    /// The columns in another order: position `k` of the new ones is position `from(k)` of the old ones.
    fn moved(
        &mut self,
        columns: &[Column],
        len: &Expr,
        from: &dyn Fn(Expr) -> Expr,
        done: &[Column],
        then: &mut dyn FnMut(&mut Self, &[Column]) -> Block,
    ) -> Block {
        let Some((first, rest)) = columns.split_first() else { return then(self, done) };
        let old = first.positions;
        let position = |k: Expr| Place::new(old, vec![from(k)]).load(Ty::USIZE);
        self.column(&first.leaf, len, &position, &mut |this, column| {
            let mut done = done.to_vec();
            done.push(column);
            this.moved(rest, len, from, &done, then)
        })
    }
}
