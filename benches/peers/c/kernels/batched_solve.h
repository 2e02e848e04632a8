// Systems of three equations, by elimination without pivots.
#include "../given.h"

static struct Shape shape(const struct Case *c) { return (struct Shape){.count = c->sizes[0], .sizes = {c->sizes[0]}}; }

ITEM {
    double m[3][3], x[3], sum = 0.0;
    UNROLL
    for (int k = 0; k < 3; k++) {
        UNROLL
        for (int j = 0; j < 3; j++) m[k][j] = own[9 * i + 3 * k + j];
        x[k] = own[9 * n0 + 3 * i + k];
    }
    UNROLL
    for (int k = 0; k < 3; k++) {
        UNROLL
        for (int r = k + 1; r < 3; r++) {
            double f = m[r][k] / m[k][k];
            UNROLL
            for (int j = k + 1; j < 3; j++) m[r][j] -= f * m[k][j];
            x[r] -= f * x[k];
        }
    }
    UNROLL
    for (int k = 2; k >= 0; k--) {
        UNROLL
        for (int j = k + 1; j < 3; j++) x[k] -= m[k][j] * x[j];
        x[k] /= m[k][k];
    }
    UNROLL
    for (int k = 0; k < 3; k++) {
        double e = x[k] - f0[3 * i + k];
        sum += 0.5 * e * e;
    }
    return sum;
}

#include "../sum.h"
