// A soft silhouette of triangles beside a picture.
#include "../given.h"
#define SHARPNESS 0.01

static struct Shape shape(const struct Case *c) {
    size_t size = c->sizes[0];
    return (struct Shape){.count = size * size, .sizes = {size, c->index_len[0] / 3}, .shared_len = c->parameters};
}

ITEM {
    double px = (2.0 * (i % n0) + 1.0) / n0 - 1.0, py = (2.0 * (i / n0) + 1.0) / n0 - 1.0, through = 1.0;
    for (size_t face = 0; face < n1; face++) {
        double nearest = 1e300;
        int left = 0;
        UNROLL
        for (int k = 0; k < 3; k++) {
            const double *a = shared + 2 * i0[3 * face + k], *b = shared + 2 * i0[3 * face + (k + 1) % 3];
            double ex = b[0] - a[0], ey = b[1] - a[1], qx = px - a[0], qy = py - a[1];
            // the nearest point of the edge
            double t = (qx * ex + qy * ey) / (ex * ex + ey * ey);
            t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
            double dx = qx - t * ex, dy = qy - t * ey, square = dx * dx + dy * dy;
            if (square < nearest) nearest = square;
            left += ex * qy - ey * qx > 0.0;
        }
        double inside = left == 0 || left == 3 ? nearest : -nearest;
        through *= 1.0 - 1.0 / (1.0 + exp(-inside / SHARPNESS));
    }
    double e = 1.0 - through - f0[i];
    return 0.5 * e * e;
}

#include "../sum.h"
