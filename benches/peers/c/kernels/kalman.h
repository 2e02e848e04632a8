// The likelihood of tracks under a linear model, by a Kalman filter.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    size_t steps = c->sizes[0];
    return (struct Shape){.count = c->float_len[0] / (2 * steps), .sizes = {steps}, .shared_len = c->parameters, .chunk = 1};
}

ITEM {
    const double *transition = shared, *process = shared + 16, *observation = shared + 32, *noise = shared + 40;
    double x[4] = {0}, p[4][4] = {{0}}, total = 0.0;
    for (int a = 0; a < 4; a++) p[a][a] = 10.0;
    for (size_t t = 0; t < n0; t++) {
        const double *z = f0 + 2 * (i * n0 + t);
        double moved[4], fp[4][4], predicted[4][4], e[2], ph[4][2], s[2][2], gain[4][2];
        for (int a = 0; a < 4; a++) {
            moved[a] = 0.0;
            for (int k = 0; k < 4; k++) moved[a] += transition[4 * a + k] * x[k];
            for (int b = 0; b < 4; b++) {
                fp[a][b] = 0.0;
                for (int k = 0; k < 4; k++) fp[a][b] += transition[4 * a + k] * p[k][b];
            }
        }
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                predicted[a][b] = process[4 * a + b];
                for (int k = 0; k < 4; k++) predicted[a][b] += fp[a][k] * transition[4 * b + k];
            }
        for (int a = 0; a < 2; a++) {
            e[a] = z[a];
            for (int k = 0; k < 4; k++) e[a] -= observation[4 * a + k] * moved[k];
            for (int b = 0; b < 4; b++) {
                ph[b][a] = 0.0;
                for (int k = 0; k < 4; k++) ph[b][a] += predicted[b][k] * observation[4 * a + k];
            }
        }
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                s[a][b] = noise[2 * a + b];
                for (int k = 0; k < 4; k++) s[a][b] += observation[4 * a + k] * ph[k][b];
            }
        double determinant = s[0][0] * s[1][1] - s[0][1] * s[1][0], square = 0.0;
        double inverse[2][2] = {{s[1][1] / determinant, -s[0][1] / determinant}, {-s[1][0] / determinant, s[0][0] / determinant}};
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) square += e[a] * inverse[a][b] * e[b];
            for (int k = 0; k < 4; k++) gain[k][a] = ph[k][0] * inverse[0][a] + ph[k][1] * inverse[1][a];
        }
        for (int a = 0; a < 4; a++) {
            x[a] = moved[a] + gain[a][0] * e[0] + gain[a][1] * e[1];
            for (int b = 0; b < 4; b++) p[a][b] = predicted[a][b] - gain[a][0] * ph[b][0] - gain[a][1] * ph[b][1];
        }
        total += 0.5 * (square + log(determinant)) + log(2.0 * M_PI);
    }
    return total;
}

#include "../sum.h"
