//! A struct behind `&mut`: its adjoint goes in as the seed and comes out as the gradient.
use pardiff::differentiate;

#[differentiate]
mod model {
    pub struct State {
        pub x: f64,
        pub v: f64,
        pub steps: usize,
    }

    pub fn step(state: &mut State, dt: f64) {
        let State { x, v, .. } = state;
        *v -= dt * *x;
        *x += dt * *v;
        state.steps += 1;
    }
}

pub fn main() {
    let mut state = model::State { x: 1.0, v: 0.0, steps: 0 };
    let mut d_state = model::State { x: 1.0, v: 0.0, steps: 5 };
    let mut d_dt = 0.0;
    model::step::vjp(&mut state, &mut d_state, 0.5, &mut d_dt);
    assert_eq!((state.x, state.v, state.steps), (0.75, -0.5, 1));
    assert_eq!((d_state.x, d_state.v, d_state.steps, d_dt), (0.75, 0.5, 5, -1.0));
}
