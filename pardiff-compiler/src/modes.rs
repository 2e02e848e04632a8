//! What is generated of a function: bodies, each a program of one mode, and the public functions that call them.
//!
//! A [`Mode`] is a composition of passes; a row of [`FUNCTIONS`] is a function of the generated module, which hands its
//! arguments on to the body of a mode. Back ends write what the tables say and know no mode by name.

use crate::frontend::Asked;
use crate::ir::{BufferId, Cases, Derivative, Program, UserPath, walk};
use crate::schedule::Scheduled;

/// What a body computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The value.
    Value,
    /// The value, and the gradient into the adjoints of the arguments.
    Gradient,
    /// The value, and its tangent along the tangents of the arguments.
    Tangent,
    /// The same, and the tangent of the gradient: the product of the Hessian with the direction.
    Second,
    /// The value, and its tangents along several directions.
    Tangents,
    /// The value, and the gradients for several seeds.
    Gradients,
    /// The value, its tangents along several directions, and the products of the Hessian with them.
    Seconds,
    /// The value, and the tape of the gradient.
    Forward,
    /// The gradient, of the tape.
    Backward,
    /// The gradients for several seeds, of the tape.
    Backwards,
}

impl Mode {
    /// Those of every function.
    pub const ALWAYS: [Mode; 2] = [Mode::Value, Mode::Gradient];

    /// Those of a function, in the order in which their bodies are written.
    pub fn asked(asked: Asked) -> Vec<Mode> {
        let Asked { forward, hvp, batch, split, check: _ } = asked;
        let batch = batch.is_some();
        let more = [
            (forward, Mode::Tangent),
            (hvp, Mode::Second),
            (forward && batch, Mode::Tangents),
            (batch, Mode::Gradients),
            (hvp && batch, Mode::Seconds),
            (split, Mode::Forward),
            (split, Mode::Backward),
            (split && batch, Mode::Backwards),
        ];
        Mode::ALWAYS.into_iter().chain(more.into_iter().filter_map(|(is, mode)| is.then_some(mode))).collect()
    }

    /// The derivatives that the caller gives for each member of a batch, if the mode has one.
    pub fn batched(self) -> Option<Derivative> {
        match self {
            Mode::Tangents | Mode::Seconds => Some(Derivative::Tangent),
            Mode::Gradients | Mode::Backwards => Some(Derivative::Adjoint),
            Mode::Value | Mode::Gradient | Mode::Tangent | Mode::Second | Mode::Forward | Mode::Backward => {
                None
            }
        }
    }

    /// Whether there is one for each member of a batch of a companion that is these steps from its argument.
    pub fn is_batched(self, steps: &[Derivative]) -> bool {
        self.batched().is_some_and(|given| steps.last() == Some(&given))
    }

    /// The name of its body, a function of `f::Bodies`.
    pub fn body(self) -> &'static str {
        match self {
            Mode::Value => "value",
            Mode::Gradient => "accumulate",
            Mode::Tangent => "tangent",
            Mode::Second => "second_order",
            Mode::Tangents => "tangents",
            Mode::Gradients => "adjoints",
            Mode::Seconds => "second_orders",
            Mode::Forward => "forward",
            Mode::Backward => "backward",
            Mode::Backwards => "backwards",
        }
    }

    /// What it does with a tape that the caller holds.
    pub fn tape(self) -> Option<Tape> {
        match self {
            Mode::Forward => Some(Tape::Written),
            Mode::Backward | Mode::Backwards => Some(Tape::Read),
            Mode::Value
            | Mode::Gradient
            | Mode::Tangent
            | Mode::Second
            | Mode::Tangents
            | Mode::Gradients
            | Mode::Seconds => None,
        }
    }

    /// Whether it runs the function: it then takes its outputs, and returns what it returns.
    pub fn runs_primal(self) -> bool {
        self.tape() != Some(Tape::Read)
    }

    /// Which derivatives of an active argument, which is `written` or not, follow it, each by its steps from the
    /// argument.
    pub fn companions(self, written: bool) -> &'static [&'static [Derivative]] {
        use Derivative::{Adjoint, Tangent};
        match self {
            Mode::Value | Mode::Forward => &[],
            Mode::Gradient | Mode::Gradients | Mode::Backward | Mode::Backwards => &[&[Adjoint]],
            Mode::Tangent | Mode::Tangents => &[&[Tangent]],
            Mode::Second | Mode::Seconds if written => &[&[Tangent], &[Adjoint], &[Adjoint, Tangent]],
            Mode::Second | Mode::Seconds => &[&[Tangent], &[Adjoint, Tangent]],
        }
    }

    /// Whether the body takes the adjoints of what is returned, where that is one float or something else.
    pub fn takes_seeds(self, one: bool) -> bool {
        match self {
            Mode::Gradient | Mode::Gradients | Mode::Backward | Mode::Backwards => true,
            Mode::Second | Mode::Seconds => !one,
            Mode::Value | Mode::Tangent | Mode::Tangents | Mode::Forward => false,
        }
    }

    /// Whether the tangents of the floats that are returned are returned as well.
    pub fn returns_tangent(self) -> bool {
        match self {
            Mode::Tangent | Mode::Tangents | Mode::Second | Mode::Seconds => true,
            Mode::Value
            | Mode::Gradient
            | Mode::Gradients
            | Mode::Forward
            | Mode::Backward
            | Mode::Backwards => false,
        }
    }

    /// Whether the body adds to adjoints. It then takes a flag, whether they start from zero, before the other arguments, and
    /// a seed for each float result after them.
    pub fn accumulates(self) -> bool {
        matches!(self, Mode::Gradient | Mode::Backward)
    }
}

/// What a body does with a tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tape {
    /// It leaves one.
    Written,
    /// It finds one.
    Read,
}

/// The scheduled programs of a mode.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What they compute.
    pub mode: Mode,
    /// How, and why so.
    pub cases: Cases<Scheduled>,
    /// The program for all calls before it was scheduled.
    pub portable: Program,
    /// As of the [`Entry`].
    pub flag: Option<BufferId>,
    /// As of the [`Entry`].
    pub zeroed: Vec<BufferId>,
}

impl Planned {
    /// Whether it calls this function of the user, or of a rule by hand.
    pub fn calls(&self, function: &UserPath) -> bool {
        let mut is_called = false;
        walk(&self.portable.body, &mut |stmt| {
            is_called |= stmt.as_user_call().is_some_and(|(call, ..)| call.function == *function);
        });
        is_called
    }

    /// What is emitted of it.
    pub fn joined(self) -> Entry {
        let Planned { mode, cases, portable, flag, zeroed } = self;
        let portable =
            Entry { flag, zeroed: zeroed.clone(), is_portable: true, ..Entry::new(mode, portable) };
        let program = cases.map(|it| it.program).joined();
        Entry { flag, zeroed, portable: Some(Box::new(portable)), ..Entry::new(mode, program) }
    }
}

/// A body of the generated code.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it computes.
    pub mode: Mode,
    /// How.
    pub program: Program,
    /// How machines with the lowest level of x86-64 compute it, in order and in scalars, where that is another program.
    pub portable: Option<Box<Entry>>,
    /// Whether it is the one for these machines.
    pub is_portable: bool,
    /// The parameter that says whether adjoints start from zero, where the program asks.
    pub flag: Option<BufferId>,
    /// Adjoints that the program sets to zero or assigns by itself if they are to start from zero; all others are zero before.
    pub zeroed: Vec<BufferId>,
}

impl Entry {
    /// Of a program that machines of all levels run, and that sets nothing by itself.
    pub fn new(mode: Mode, program: Program) -> Entry {
        Entry { mode, program, portable: None, is_portable: false, flag: None, zeroed: Vec::new() }
    }

    /// The name of the body.
    pub fn name(&self) -> &'static str {
        match (self.mode, self.is_portable) {
            (mode, false) => mode.body(),
            (Mode::Value, true) => "value_portable",
            (Mode::Gradient, true) => "accumulate_portable",
            (Mode::Tangent, true) => "tangent_portable",
            (Mode::Second, true) => "second_order_portable",
            (Mode::Tangents, true) => "tangents_portable",
            (Mode::Gradients, true) => "adjoints_portable",
            (Mode::Seconds, true) => "second_orders_portable",
            (Mode::Forward, true) => "forward_portable",
            (Mode::Backward, true) => "backward_portable",
            (Mode::Backwards, true) => "backwards_portable",
        }
    }
}

/// A public function of the module of a function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The body that it calls.
    pub mode: Mode,
    /// The adjoints of what the function returns.
    pub seed: Seed,
    /// The adjoints of its arguments.
    pub adjoints: Adjoints,
}

/// Where the adjoints of what a function returns are from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seed {
    /// There are none.
    Absent,
    /// It returns one number, whose adjoint is one; the function is there where that is so.
    One,
    /// The caller's.
    Given,
    /// One where it returns one number, which the body knows, and else the caller's.
    GivenUnlessOne,
}

/// What becomes of the adjoints of the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Adjoints {
    /// There are none.
    Absent,
    /// They are added to what the caller's arguments hold.
    Added,
    /// They are stored in the caller's arguments.
    Stored,
    /// They, or all derivatives, are returned, newly allocated; the function is there where nothing but the result is an
    /// output, and for all derivatives where all sizes are constant.
    Returned,
    /// They are compared with differences of the function, and so are those of all other modes. The option `check` asks for it.
    Checked,
}

const fn function(name: &'static str, mode: Mode, seed: Seed, adjoints: Adjoints) -> Function {
    Function { name, mode, seed, adjoints }
}

/// The functions of the module, in order; there are those whose mode is asked for.
pub const FUNCTIONS: [Function; 20] = [
    function("grad", Mode::Gradient, Seed::One, Adjoints::Added),
    function("grad_into", Mode::Gradient, Seed::One, Adjoints::Stored),
    function("gradient", Mode::Gradient, Seed::One, Adjoints::Returned),
    function("vjp", Mode::Gradient, Seed::Given, Adjoints::Added),
    function("vjp_into", Mode::Gradient, Seed::Given, Adjoints::Stored),
    function("value", Mode::Value, Seed::Absent, Adjoints::Absent),
    function("jvp", Mode::Tangent, Seed::Absent, Adjoints::Absent),
    function("hvp", Mode::Second, Seed::GivenUnlessOne, Adjoints::Absent),
    function("jvp_batch", Mode::Tangents, Seed::Absent, Adjoints::Absent),
    function("jacobian", Mode::Gradients, Seed::Absent, Adjoints::Returned),
    function("jacobian", Mode::Tangents, Seed::Absent, Adjoints::Returned),
    function("vjp_batch", Mode::Gradients, Seed::Given, Adjoints::Added),
    function("hvp_batch", Mode::Seconds, Seed::GivenUnlessOne, Adjoints::Absent),
    function("hessian", Mode::Second, Seed::GivenUnlessOne, Adjoints::Returned),
    function("hessian", Mode::Seconds, Seed::GivenUnlessOne, Adjoints::Returned),
    function("forward", Mode::Forward, Seed::Absent, Adjoints::Absent),
    function("backward", Mode::Backward, Seed::Given, Adjoints::Added),
    function("backward_into", Mode::Backward, Seed::Given, Adjoints::Stored),
    function("backward_batch", Mode::Backwards, Seed::Given, Adjoints::Added),
    function("check", Mode::Value, Seed::Absent, Adjoints::Checked),
];

/// Those of a function that is generated in these modes; of two of one name the later: of
/// products one that computes several at once, of Jacobians one that may choose.
pub fn functions(modes: &[Mode]) -> Vec<&'static Function> {
    let mut made: Vec<&Function> = Vec::new();
    for row in FUNCTIONS.iter().filter(|row| modes.contains(&row.mode)) {
        made.retain(|earlier| earlier.name != row.name);
        made.push(row);
    }
    made
}

/// Those of its module `cuda`.
pub const ON_GPU: [Function; 5] = [
    function("grad", Mode::Gradient, Seed::One, Adjoints::Added),
    function("vjp", Mode::Gradient, Seed::Given, Adjoints::Added),
    function("jvp", Mode::Tangent, Seed::Absent, Adjoints::Absent),
    function("jvp_batch", Mode::Tangents, Seed::Absent, Adjoints::Absent),
    function("vjp_batch", Mode::Gradients, Seed::Given, Adjoints::Added),
];

/// The modes that run on a GPU, of those that are asked for.
#[cfg(feature = "cuda")]
pub fn on_gpu(asked: Asked) -> Vec<Mode> {
    let modes = Mode::asked(asked).into_iter();
    modes.filter(|mode| ON_GPU.iter().any(|row| row.mode == *mode)).collect()
}
