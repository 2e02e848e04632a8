// Bundle adjustment: cameras and points are shared, each observation has a weight of its own.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    size_t cameras = 11 * c->sizes[0], points = 3 * c->sizes[1];
    return (struct Shape){.count = c->sizes[2], .sizes = {cameras}, .own = cameras + points, .shared_len = cameras + points};
}

ITEM {
    const double *camera = shared + 11 * i0[i], *point = shared + n0 + 3 * i1[i];
    double o[3], w[3], cross[3], r[3];
    UNROLL
    for (int k = 0; k < 3; k++) o[k] = point[k] - camera[3 + k];
    double angle = sqrt(camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2]);
    double cosine = cos(angle), sine = sin(angle);
    UNROLL
    for (int k = 0; k < 3; k++) w[k] = camera[k] / angle;
    cross[0] = w[1] * o[2] - w[2] * o[1];
    cross[1] = w[2] * o[0] - w[0] * o[2];
    cross[2] = w[0] * o[1] - w[1] * o[0];
    double along = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - cosine);
    UNROLL
    for (int k = 0; k < 3; k++) r[k] = o[k] * cosine + cross[k] * sine + w[k] * along;
    double u = r[0] / r[2], v = r[1] / r[2], square = u * u + v * v, weight = own[i];
    double scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square);
    double e0 = weight * (u * scale + camera[7] - f0[2 * i]);
    double e1 = weight * (v * scale + camera[8] - f0[2 * i + 1]);
    double e2 = 1.0 - weight * weight;
    return 0.5 * (e0 * e0 + e1 * e1 + e2 * e2);
}

#include "../sum.h"
