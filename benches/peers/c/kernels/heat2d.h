// Diffusion with a diffusivity for each cell, in explicit steps; boundaries keep their temperature.
#include "../rows.h"

static struct Grid grid(const struct Case *c) {
    size_t n = c->sizes[0];
    return (struct Grid){.rows = n, .width = n, .steps = c->sizes[1], .halo = 1, .sizes = {n}};
}

START {
    for (size_t x = 0; x < n0; x++) state[y * n0 + x] = own[y * n0 + x];
}

STEP {
    size_t n = n0;
    const double *u = now + y * n, *k = own + (n + y) * n;
    double *v = next + y * n;
    if (y == 0 || y == n - 1) {
        for (size_t x = 0; x < n; x++) v[x] = u[x];
        return 0.0;
    }
    v[0] = u[0];
    for (size_t x = 1; x < n - 1; x++) v[x] = u[x] + k[x] * (u[x - n] + u[x + n] + u[x - 1] + u[x + 1] - 4.0 * u[x]);
    v[n - 1] = u[n - 1];
    return 0.0;
}

FINISH_ROW {
    double total = 0.0;
    for (size_t x = 0; x < n0; x++) total += state[y * n0 + x] * state[y * n0 + x];
    return total;
}

#include "../rows_gradients.h"
