// The kernels as a C programmer writes them; with -fopenmp their outer loops run in parallel.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What the suite sends besides the parameters.
struct Case {
    size_t sizes[8];
    size_t index_count, float_count;
    uint32_t *indices[8];
    size_t index_len[8];
    double *floats[8];
    size_t float_len[8];
    size_t parameters;
};

static double matvec(const struct Case *c, const double *p) {
    size_t n = c->sizes[0];
    const double *a = p, *x = p + n * n;
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (size_t i = 0; i < n; i++) {
        double y = 0.0;
        for (size_t j = 0; j < n; j++) y += a[i * n + j] * x[j];
        total += 0.5 * y * y;
    }
    return total;
}

static double matvec_tanh(const struct Case *c, const double *p) {
    size_t n = c->sizes[0];
    const double *a = p, *x = p + n * n;
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (size_t i = 0; i < n; i++) {
        double s = 0.0;
        for (size_t j = 0; j < n; j++) s += a[i * n + j] * x[j];
        double y = tanh(s);
        total += 0.5 * y * y;
    }
    return total;
}

static double spmv(const struct Case *c, const double *p) {
    size_t n = c->sizes[0];
    const uint32_t *start = c->indices[0], *column = c->indices[1];
    const double *values = p, *x = p + c->index_len[1];
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (size_t i = 0; i < n; i++) {
        double y = 0.0;
        for (uint32_t k = start[i]; k < start[i + 1]; k++) y += values[k] * x[column[k]];
        total += 0.5 * y * y;
    }
    return total;
}

static double heat2d(const struct Case *c, const double *p) {
    size_t n = c->sizes[0], steps = c->sizes[1];
    const double *k = p + n * n;
    double *u = malloc(n * n * sizeof(double)), *next = malloc(n * n * sizeof(double));
    for (size_t i = 0; i < n * n; i++) u[i] = next[i] = p[i];
    for (size_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (size_t i = 1; i < n - 1; i++)
            for (size_t j = 1; j < n - 1; j++) {
                size_t at = i * n + j;
                next[at] = u[at] + k[at] * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] - 4.0 * u[at]);
            }
        double *swap = u;
        u = next;
        next = swap;
    }
    double total = 0.0;
    for (size_t i = 0; i < n * n; i++) total += u[i] * u[i];
    free(u);
    free(next);
    return total;
}

static double ba(const struct Case *c, const double *p) {
    size_t cameras = c->sizes[0], points = c->sizes[1], seen = c->sizes[2];
    const double *weights = p + 11 * cameras + 3 * points, *features = c->floats[0];
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (size_t i = 0; i < seen; i++) {
        const double *camera = p + 11 * c->indices[0][i], *point = p + 11 * cameras + 3 * c->indices[1][i];
        double o[3], w[3], cross[3], r[3];
        for (int k = 0; k < 3; k++) o[k] = point[k] - camera[3 + k];
        double angle = sqrt(camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2]);
        for (int k = 0; k < 3; k++) w[k] = camera[k] / angle;
        for (int k = 0; k < 3; k++) cross[k] = w[(k + 1) % 3] * o[(k + 2) % 3] - w[(k + 2) % 3] * o[(k + 1) % 3];
        double along = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - cos(angle));
        for (int k = 0; k < 3; k++) r[k] = o[k] * cos(angle) + cross[k] * sin(angle) + w[k] * along;
        double u = r[0] / r[2], v = r[1] / r[2], square = u * u + v * v;
        double scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square);
        double e0 = weights[i] * (u * scale + camera[7] - features[2 * i]);
        double e1 = weights[i] * (v * scale + camera[8] - features[2 * i + 1]);
        double e2 = 1.0 - weights[i] * weights[i];
        total += 0.5 * (e0 * e0 + e1 * e1 + e2 * e2);
    }
    return total;
}

// One point under all components: the logarithm of the sum of their weighted densities.
static double gmm_point(const double *x, const double *alphas, const double *means, const double *icf, size_t d, size_t k, double *likely, double *e) {
    size_t row = d * (d + 1) / 2;
    double largest = -INFINITY;
    for (size_t a = 0; a < k; a++) {
        const double *factor = icf + a * row;
        double log_det = 0.0, square = 0.0;
        for (size_t j = 0; j < d; j++) {
            e[j] = x[j] - means[a * d + j];
            log_det += factor[j];
        }
        for (size_t i = 0; i < d; i++) {
            double y = exp(factor[i]) * e[i];
            for (size_t j = 0; j < i; j++) y += factor[d + j * d - j * (j + 1) / 2 + i - j - 1] * e[j];
            square += y * y;
        }
        likely[a] = alphas[a] + log_det - 0.5 * square;
        if (likely[a] > largest) largest = likely[a];
    }
    double sum = 0.0;
    for (size_t a = 0; a < k; a++) sum += exp(likely[a] - largest);
    return largest + log(sum);
}

static double gmm(const struct Case *c, const double *p) {
    size_t d = c->sizes[0], k = c->sizes[1], n = c->sizes[2], row = d * (d + 1) / 2;
    const double *means = p + k, *icf = means + k * d, *x = c->floats[0];
    double gamma = c->floats[1][0], m = c->floats[1][1], total = c->floats[1][2];
    double likelihood = 0.0;
#pragma omp parallel for reduction(+ : likelihood)
    for (size_t i = 0; i < n; i++) {
        double likely[256], e[128];
        likelihood += gmm_point(x + i * d, p, means, icf, d, k, likely, e);
    }
    total += likelihood;
    double largest = -INFINITY, sum = 0.0;
    for (size_t a = 0; a < k; a++)
        if (p[a] > largest) largest = p[a];
    for (size_t a = 0; a < k; a++) sum += exp(p[a] - largest);
    total -= n * (largest + log(sum));
    for (size_t a = 0; a < k; a++) {
        double square = 0.0, log_det = 0.0;
        for (size_t j = 0; j < row; j++) {
            double q = icf[a * row + j];
            if (j < d) {
                log_det += q;
                q = exp(q);
            }
            square += q * q;
        }
        total += 0.5 * gamma * gamma * square - m * log_det;
    }
    return total;
}
