//! Calls of the user's functions over arrays, which are not looked into, and of their rules.
//!
//! ```text
//! call user solve vjp solve_vjp (&, &mut, n) reads(b, x) writes(x)        solve(&b[..], &mut x[..], n);
//! ```

use super::{BufferId, Expr, Program};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fmt;

/// Where a function of the user is found.
#[derive(Clone)]
pub struct UserPath {
    text: String,
    tokens: TokenStream,
}

impl UserPath {
    /// As the user wrote it.
    pub fn new(path: &impl ToTokens) -> UserPath {
        let tokens = path.to_token_stream();
        UserPath { text: tokens.to_string().replace(' ', ""), tokens }
    }

    /// The tokens of the user.
    pub fn tokens(&self) -> &TokenStream {
        &self.tokens
    }
}

impl fmt::Display for UserPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl fmt::Debug for UserPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl PartialEq for UserPath {
    fn eq(&self, other: &UserPath) -> bool {
        self.text == other.text
    }
}

/// A call of a function of the user, or of a rule of one. The arrays that it is lent are what the call reads, each
/// of them once and in the order of the arguments; it writes those that are lent as `&mut`, and behind them the
/// scalars that what it returns goes to, none of which it reads.
#[derive(Clone, PartialEq, Debug)]
pub struct UserCall {
    /// What is called.
    pub function: UserPath,
    /// What adds its adjoints, with the contract of `f::vjp`; none of a rule.
    pub vjp: Option<UserPath>,
    /// What computes it and its tangents, with the contract of `f::jvp`.
    pub jvp: Option<UserPath>,
    /// What computes the rule `vjp` and its tangents, with the contract of `f_vjp::jvp`; none of a rule.
    pub vjp_jvp: Option<UserPath>,
    /// In order.
    pub args: Vec<UserArg>,
}

/// An argument of such a call.
#[derive(Clone, PartialEq, Debug)]
pub enum UserArg {
    /// The next array that the call reads, all of it.
    Shared,
    /// The next array, or scalar, that the call reads, to be written.
    Mutable,
    /// A number.
    Value(Expr),
}

impl UserCall {
    /// A call without rules and arguments.
    pub fn of(function: UserPath) -> UserCall {
        UserCall { function, vjp: None, jvp: None, vjp_jvp: None, args: Vec::new() }
    }

    /// The numbers among the arguments.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        self.args.iter().filter_map(|arg| match arg {
            UserArg::Value(value) => Some(value),
            UserArg::Shared | UserArg::Mutable => None,
        })
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> Vec<&mut Expr> {
        let values = self.args.iter_mut().filter_map(|arg| match arg {
            UserArg::Value(value) => Some(value),
            UserArg::Shared | UserArg::Mutable => None,
        });
        values.collect()
    }

    /// Each argument with what is lent by it.
    pub fn with_lent<'a>(
        &'a self,
        reads: &'a [BufferId],
    ) -> impl Iterator<Item = (&'a UserArg, Option<BufferId>)> + 'a {
        let mut reads = reads.iter().copied();
        self.args.iter().map(move |arg| {
            let lent = !matches!(arg, UserArg::Value(_));
            (arg, if lent { reads.next() } else { None })
        })
    }

    /// What is lent as `&mut`.
    pub fn changed<'a>(&'a self, reads: &'a [BufferId]) -> impl Iterator<Item = BufferId> + 'a {
        self.with_lent(reads).filter(|(arg, _)| matches!(arg, UserArg::Mutable)).filter_map(|(_, lent)| lent)
    }

    /// Of a rule for tangents, the tangents: each stands behind its value.
    pub fn tangents(&self, program: &Program, reads: &[BufferId], writes: &[BufferId]) -> Vec<BufferId> {
        let lent = self.with_lent(reads).filter_map(|(_, lent)| lent);
        let floats = lent.filter(|&it| program[it].elem.is_float());
        let returned = self.returned(writes).iter().copied();
        floats.skip(1).step_by(2).chain(returned.skip(1).step_by(2)).collect()
    }

    /// Where what it returns goes.
    pub fn returned<'a>(&self, writes: &'a [BufferId]) -> &'a [BufferId] {
        let changed = self.args.iter().filter(|arg| matches!(arg, UserArg::Mutable)).count();
        writes.get(changed..).unwrap_or_default()
    }
}
