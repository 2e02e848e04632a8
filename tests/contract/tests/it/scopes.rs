use pardiff_contract_tests::scopes;

#[test]
fn functions_in_function_bodies() {
    assert_eq!(scopes::in_a_function_body(3.0), (7.0 * 2.0 * 3.0 * 2.0, 28.0));
    assert_eq!(scopes::in_blocks(), (2.0, 3.0));
    assert_eq!(scopes::lengths_of_the_body(), (15.0, 18.0));
    assert_eq!(scopes::parameter_of_the_same_name(), 6.0);
    assert_eq!(scopes::constant_in_lower_case(), 5.0);
}
