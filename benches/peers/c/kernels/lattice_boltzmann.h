// The drag of a fluid past a porous body. Cells collide and push what they have to their neighbours.
#include "../rows.h"
#define OMEGA 1.2
#define INFLOW 0.1

static const double WEIGHT[9] = {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
static const int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int OPPOSITE[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

// A row of the state has the nine populations of its cells, one after the other.
static struct Grid grid(const struct Case *c) {
    size_t nx = c->sizes[0], ny = c->sizes[1];
    return (struct Grid){.rows = ny, .width = 9 * nx, .steps = c->sizes[2], .halo = 1, .sizes = {nx, ny}};
}

INLINE double equilibrium(int q, double density, double u, double v) {
    double along = CX[q] * u + CY[q] * v;
    return WEIGHT[q] * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (u * u + v * v));
}

START {
    UNROLL
    for (int q = 0; q < 9; q++)
        for (size_t x = 0; x < n0; x++) state[(9 * y + q) * n0 + x] = equilibrium(q, 1.0, INFLOW, 0.0);
}

STEP {
    if (y == 0 || y == n1 - 1) return 0.0;
    double drag = 0.0;
    for (size_t x = 1; x < n0 - 1; x++) {
        double f[9], density = 0.0, u = 0.0, v = 0.0, solid = own[y * n0 + x];
        UNROLL
        for (int q = 0; q < 9; q++) {
            f[q] = now[(9 * y + q) * n0 + x];
            density += f[q];
            u += CX[q] * f[q];
            v += CY[q] * f[q];
        }
        u /= density;
        v /= density;
        UNROLL
        for (int q = 0; q < 9; q++) {
            double fluid = f[q] + OMEGA * (equilibrium(q, density, u, v) - f[q]), back = f[OPPOSITE[q]];
            size_t tx = x + CX[q], ty = y + CY[q];
            drag += CX[q] * solid * (fluid - back);
            if (tx > 0 && tx < n0 - 1 && ty > 0 && ty < n1 - 1) next[(9 * ty + q) * n0 + tx] = fluid + solid * (back - fluid);
        }
    }
    return drag;
}

FINISH_ROW { return 0.0; }

#include "../rows_gradients.h"
