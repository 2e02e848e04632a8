//! The component that each point belongs to most.

use pardiff_inputs::mixture::Problem;

/// Of each point the component of largest posterior probability, for parameters (alphas, means, factors).
pub fn clusters(problem: &Problem, parameters: &[f64]) -> Vec<usize> {
    let (d, k) = (problem.d, problem.k);
    let (alphas, rest) = parameters.split_at(k);
    let (means, icf) = rest.split_at(k * d);
    // logarithm of weight times density, up to what all components have in common
    let score = |row: &[f64], c: usize| {
        let (mean, factor) = (&means[c * d..][..d], &icf[c * problem.icf_size()..][..problem.icf_size()]);
        let centred: Vec<f64> = row.iter().zip(mean).map(|(x, m)| x - m).collect();
        let mut y: Vec<f64> = centred.iter().zip(factor).map(|(v, log)| log.exp() * v).collect();
        let mut below = factor[d..].iter();
        for (a, v) in centred.iter().enumerate() {
            for sum in &mut y[a + 1..] {
                *sum += below.next().expect("the strict lower triangle") * v;
            }
        }
        alphas[c] + factor[..d].iter().sum::<f64>() - 0.5 * y.iter().map(|v| v * v).sum::<f64>()
    };
    let best = |row: &[f64]| (0..k).max_by(|&a, &b| score(row, a).total_cmp(&score(row, b)));
    problem.x.chunks(d).map(|row| best(row).expect("a mixture has components")).collect()
}

#[cfg(test)]
mod tests {
    use super::clusters;
    use pardiff_inputs::mixture::Problem;

    #[test]
    fn a_point_belongs_to_the_component_around_it() {
        let mut problem = Problem::generated(2, 2, 3);
        problem.x = vec![0.1, 0.0, 3.0, 3.2, 0.0, 1.5];
        // unit covariances around (0, 0) and (3, 3); the second has a correlation that the third point does not follow
        let parameters = [0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.5];
        assert_eq!(clusters(&problem, &parameters), [0, 1, 0]);
    }
}
