// The likelihood of tracks under a linear model, by a Kalman filter.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    size_t steps = c->sizes[0];
    return (struct Shape){.count = c->float_len[0] / (2 * steps), .sizes = {steps}, .shared_len = c->parameters, .chunk = 1};
}

INLINE double dot(const double *restrict a, const double *restrict b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// One measurement. Not inlined: the plugin gets the loop over time wrong where it sees all of it.
OUTLINE double filter(const double *restrict transition, const double *restrict process, const double *restrict observation,
                      const double *restrict noise, const double *restrict z, double *restrict x, double *restrict p) {
    double moved[4], fp[16], predicted[16], e[2], ph[2][4], s[4], gain[2][4];
    UNROLL
    for (int a = 0; a < 4; a++) {
        moved[a] = dot(transition + 4 * a, x);
        UNROLL
        for (int b = 0; b < 4; b++) {
            double column[4] = {p[b], p[4 + b], p[8 + b], p[12 + b]};
            fp[4 * a + b] = dot(transition + 4 * a, column);
        }
    }
    UNROLL
    for (int a = 0; a < 4; a++) {
        UNROLL
        for (int b = 0; b < 4; b++) predicted[4 * a + b] = process[4 * a + b] + dot(fp + 4 * a, transition + 4 * b);
    }
    UNROLL
    for (int a = 0; a < 2; a++) {
        e[a] = z[a] - dot(observation + 4 * a, moved);
        UNROLL
        for (int b = 0; b < 4; b++) ph[a][b] = dot(predicted + 4 * b, observation + 4 * a);
    }
    UNROLL
    for (int a = 0; a < 2; a++) {
        UNROLL
        for (int b = 0; b < 2; b++) s[2 * a + b] = noise[2 * a + b] + dot(observation + 4 * a, ph[b]);
    }
    double determinant = s[0] * s[3] - s[1] * s[2], one = 1.0 / determinant;
    double inverse[4] = {s[3] * one, -s[1] * one, -s[2] * one, s[0] * one};
    double square = e[0] * (inverse[0] * e[0] + inverse[1] * e[1]) + e[1] * (inverse[2] * e[0] + inverse[3] * e[1]);
    UNROLL
    for (int a = 0; a < 2; a++) {
        UNROLL
        for (int k = 0; k < 4; k++) gain[a][k] = ph[0][k] * inverse[a] + ph[1][k] * inverse[2 + a];
    }
    UNROLL
    for (int a = 0; a < 4; a++) {
        x[a] = moved[a] + gain[0][a] * e[0] + gain[1][a] * e[1];
        UNROLL
        for (int b = 0; b < 4; b++) p[4 * a + b] = predicted[4 * a + b] - gain[0][a] * ph[0][b] - gain[1][a] * ph[1][b];
    }
    return 0.5 * (square + log(determinant)) + log(2.0 * M_PI);
}

ITEM {
    double x[4] = {0}, p[16] = {10.0, 0, 0, 0, 0, 10.0, 0, 0, 0, 0, 10.0, 0, 0, 0, 0, 10.0}, total = 0.0;
    for (size_t t = 0; t < n0; t++) total += filter(shared, shared + 16, shared + 32, shared + 40, f0 + 2 * (i * n0 + t), x, p);
    return total;
}

#include "../sum.h"
