use pardiff_contract_tests::modules::kernels::{self, Bodies, Gradient};

#[test]
fn structs_come_out_with_the_integers_that_went_in() {
    let list = [Gradient::new(1.0, [2.0, 0.0]), Gradient::new(3.0, [4.0, 0.0])];
    let mut d_list = [Gradient::new(0.0, [0.0, 0.0]); 2];
    let (mut state, mut d_state) = (Gradient::new(5.0, [1.0, 1.5]), Gradient::new(0.0, [0.0, 1.0]));
    let value = kernels::sum::grad(&list, &mut d_list, &mut state, &mut d_state);
    assert_eq!(value, 35.0);
    assert_eq!(d_list[1], Gradient::new(10.0, [7.5, 0.0]));
    assert_eq!((state.seed, state.overwrite), ([1.0, 3.0], 4));
    assert_eq!(d_state, Gradient::new(7.0, [0.0, 2.0]));
    kernels::sum::vjp_into(&list, &mut d_list, &mut state, &mut d_state, 0.0);
    assert_eq!(d_list[0], Gradient::new(0.0, [0.0, 0.0]));
}

#[test]
#[should_panic(expected = "sum: the length of the adjoint `d_record` is 1 but the length of `record` is 2")]
fn adjoints_of_another_length_are_refused() {
    let list = [Gradient::new(1.0, [2.0, 0.0]); 2];
    let (mut state, mut d_state) = (list[0], list[1]);
    let _ = kernels::sum::grad(&list, &mut [list[0]], &mut state, &mut d_state);
}

#[test]
fn a_struct_is_the_seed_of_a_struct() {
    let of = |x: f64| Gradient::new(x, [x as f32, 0.0]);
    let (mut d, seed) = (Bodies(0.0, [of(0.0); 2]), Bodies(1.0, [of(2.0), of(3.0)]));
    let found = kernels::swapped::vjp(Bodies(4.0, [of(5.0), of(6.0)]), &mut d, seed);
    assert_eq!((found.0, found.1[0]), (16.0, of(6.0)));
    assert_eq!((d.0, d.1), (8.0, [of(3.0), of(2.0)]));
    assert_eq!(
        (pardiff_contract_tests::modules::uses(), kernels::untouched("abc")),
        (0.5 + 3.0 + 2.0 + 1.0, 3)
    );
}
