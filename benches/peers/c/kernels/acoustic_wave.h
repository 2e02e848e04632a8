// Waves from a source in the middle to receivers in a row, and how far they are from what was observed.
#include "../rows.h"

static struct Grid grid(const struct Case *c) {
    size_t nx = c->sizes[0], ny = c->sizes[1], receivers = c->index_len[0];
    return (struct Grid){.rows = ny, .width = nx, .steps = c->float_len[1], .halo = 2, .sizes = {nx, ny, receivers}};
}

START {
    for (size_t x = 0; x < n0; x++) state[y * n0 + x] = 0.0;
}

STEP {
    long nx = n0, ny = n1;
    if (y < 2 || y >= n1 - 2) return 0.0;
    const double *u = now + y * nx, *last = before + y * nx, *speed = own + y * nx, *damping = f0 + y * nx;
    double *v = next + y * nx, misfit = 0.0;
    for (long x = 2; x < nx - 2; x++) {
        double near = u[x - 1] + u[x + 1] + u[x - nx] + u[x + nx], far = u[x - 2] + u[x + 2] + u[x - 2 * nx] + u[x + 2 * nx];
        double laplacian = (16.0 * near - far - 60.0 * u[x]) / 12.0;
        v[x] = (2.0 * u[x] - (1.0 - damping[x]) * last[x] + speed[x] * speed[x] * laplacian) / (1.0 + damping[x]);
    }
    if ((long)y == ny / 2) v[nx / 2] += f1[t];
    if (y == 3)
        for (size_t r = 0; r < n2; r++) {
            double e = v[i0[r] - 3 * nx] - f2[t * n2 + r];
            misfit += 0.5 * e * e;
        }
    return misfit;
}

FINISH_ROW { return 0.0; }

#include "../rows_gradients.h"
