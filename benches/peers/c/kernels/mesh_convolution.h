// A layer on the faces of a mesh.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    size_t faces = c->index_len[0] / 3;
    return (struct Shape){.count = faces, .sizes = {c->sizes[0], c->sizes[1], faces}, .shared_len = c->parameters};
}

ITEM {
    size_t inputs = n0, outputs = n1;
    const double *x = shared, *weight = shared + n2 * inputs;
    double total = 0.0;
    for (size_t k = 0; k < inputs; k++) {
        double own = x[i * inputs + k], a = x[i0[3 * i] * inputs + k], b = x[i0[3 * i + 1] * inputs + k];
        double c = x[i0[3 * i + 2] * inputs + k], sum = a + b + c;
        double between = fabs(b - a) + fabs(c - b) + fabs(a - c), from_own = fabs(a - own) + fabs(b - own) + fabs(c - own);
        const double *w = weight + k * outputs;
        for (size_t o = 0; o < outputs; o++) {
            double y = own * w[o] + sum * w[inputs * outputs + o];
            y += between * w[2 * inputs * outputs + o] + from_own * w[3 * inputs * outputs + o];
            total += y * f0[i * outputs + o];
        }
    }
    return total;
}

#include "../sum.h"
