// A mixture of Gaussians: the logarithm of the likelihood of points, with a Wishart prior.
#include "../given.h"
#define PREPARES
#define FINISHES
#define SCRATCH 2 * n0 + n1

static struct Shape shape(const struct Case *c) {
    size_t d = c->sizes[0], k = c->sizes[1];
    return (struct Shape){.count = c->sizes[2], .sizes = {d, k, c->sizes[2]}, .shared_len = c->parameters, .prepared = k * d + k};
}

// The diagonals of the factors, and the logarithms of the determinants.
PREPARE {
    size_t d = n0, k = n1, row = d * (d + 1) / 2;
    const double *factors = shared + k + k * d;
    for (size_t a = 0; a < k; a++) {
        double log_det = 0.0;
        for (size_t j = 0; j < d; j++) {
            prepared[a * d + j] = exp(factors[a * row + j]);
            log_det += factors[a * row + j];
        }
        prepared[k * d + a] = log_det;
    }
}

INLINE double log_sum_exp(const double *restrict x, size_t n) {
    double largest = x[0], sum = 0.0;
    for (size_t a = 1; a < n; a++)
        if (x[a] > largest) largest = x[a];
    for (size_t a = 0; a < n; a++) sum += exp(x[a] - largest);
    return largest + log(sum);
}

// The logarithm of a point's likelihood, with room for one component and for all of them, which do not overlap.
INLINE double point(size_t d, size_t k, const double *restrict alphas, const double *restrict means,
                    const double *restrict factors, const double *restrict diagonals, const double *restrict log_dets,
                    const double *restrict x, double *restrict e, double *restrict y, double *restrict likely) {
    size_t row = d * (d + 1) / 2;
    for (size_t a = 0; a < k; a++) {
        for (size_t j = 0; j < d; j++) e[j] = x[j] - means[a * d + j];
        for (size_t j = 0; j < d; j++) y[j] = diagonals[a * d + j] * e[j];
        const double *factor = factors + a * row + d;
        for (size_t b = 0; b < d; b++) {
            size_t first = b * (2 * d - b - 1) / 2;
            for (size_t j = b + 1; j < d; j++) y[j] += factor[first + j - b - 1] * e[b];
        }
        double square = 0.0;
        for (size_t j = 0; j < d; j++) square += y[j] * y[j];
        likely[a] = alphas[a] + log_dets[a] - 0.5 * square;
    }
    return log_sum_exp(likely, k);
}

ITEM {
    size_t d = n0, k = n1;
    return point(d, k, shared, shared + k, shared + k + k * d, prepared, prepared + k * d, f0 + i * d, scratch, scratch + d,
                 scratch + 2 * d);
}

FINISH {
    size_t d = n0, k = n1, row = d * (d + 1) / 2;
    const double *factors = shared + k + k * d;
    double gamma = f1[0], m = f1[1], square = 0.0, log_det = 0.0;
    for (size_t a = 0; a < k; a++) {
        for (size_t j = 0; j < d; j++) square += prepared[a * d + j] * prepared[a * d + j];
        for (size_t j = d; j < row; j++) square += factors[a * row + j] * factors[a * row + j];
        log_det += prepared[k * d + a];
    }
    return f1[2] + sum - n2 * log_sum_exp(shared, k) + 0.5 * gamma * gamma * square - m * log_det;
}

#include "../sum.h"
