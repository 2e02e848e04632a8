//! `&mut` of temporaries, and of what options hold, as arguments of helpers.

use pardiff::differentiate;

#[differentiate(check)]
mod oscillators {
    #[derive(Clone, Debug)]
    pub struct State {
        pub at: f64,
        pub speed: f64,
    }

    impl State {
        fn new(x: f64) -> State {
            State { at: x, speed: 2.0 * x }
        }

        fn known(x: f64, is_known: bool) -> Option<State> {
            if is_known { Some(State::new(x)) } else { None }
        }
    }

    fn step(x: f64, state: &mut State) -> f64 {
        state.at += x;
        state.speed = state.speed * x + state.at;
        state.speed * state.at
    }

    fn add(x: f64, sum: &mut f64) -> f64 {
        *sum += x;
        *sum * x
    }

    pub fn temporaries(x: f64, y: f64) -> f64 {
        let of_branch = &mut (if x > y { State::new(x) } else { State::new(y) });
        of_branch.at *= y;
        let number = &mut x.sin();
        *number *= y;
        step(x, &mut State::new(y))
            + step(y, &mut State { at: x, speed: x * y })
            + step(x, of_branch)
            + add(x, &mut (x * y))
            + add(y, &mut 2.0)
            + of_branch.speed * *number
    }

    fn stepped(x: f64, state: Option<&mut State>) -> f64 {
        match state {
            Some(state) => step(x, state),
            None => x * x,
        }
    }

    pub fn options(x: f64, is_known: bool) -> f64 {
        let mut state = State::known(x, is_known);
        let mut other = State::new(x * x);
        let first = stepped(x, state.as_mut());
        let second = stepped(first, state.as_mut());
        let third = stepped(x, State::known(second, is_known).as_mut());
        third
            + stepped(x, Some(&mut other))
            + stepped(x, None)
            + other.at * state.map_or(1.0, |state| state.speed)
    }

    /// It has no value close to most of its arguments.
    pub fn within(x: &[f64; 2], least: f64) -> Result<f64, &'static str> {
        if x[0] * x[1] < least {
            return Err("too small");
        }
        Ok((x[0] * x[1] - least).sqrt() * x[0])
    }
}

#[test]
fn what_is_written_to_a_temporary_counts() {
    for (x, y) in [(1.3, 0.4), (0.2, 0.9)] {
        assert_eq!(oscillators::temporaries::value(x, y), oscillators::temporaries(x, y));
        oscillators::temporaries::check(x, y).unwrap();
    }
}

#[test]
fn what_an_option_holds_is_written_in_place() {
    for is_known in [true, false] {
        assert_eq!(oscillators::options::value(1.1, is_known), oscillators::options(1.1, is_known));
        oscillators::options::check(1.1, is_known).unwrap();
    }
}

#[test]
fn a_check_leaves_out_points_without_a_value() {
    let report = oscillators::within::check(&[1.01, 1.0], 1.0).unwrap();
    assert!(report.arguments.iter().all(|argument| argument.directions > 0), "{report}");
}
