/// `y = tanh(A x)` with the sparse matrix `A` in compressed rows.
#[differentiate(wrt(values, x))]
pub fn csr_product(row_ptr: &[usize], columns: &[u32], values: &[f64], x: &[f64], y: &mut [f64]) {
    for row in 0..y.len() {
        let mut sum = 0.0;
        for k in row_ptr[row]..row_ptr[row + 1] {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum.tanh();
    }
}
