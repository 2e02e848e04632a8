// Points within triangles of the skin.
#include "../hand.h"
#define PREPARES
enum { SKIN = POSE + 16 * BONES };

static struct Shape shape(const struct Case *c) {
    size_t vertices = c->float_len[2] / 3;
    return (struct Shape){
        .count = c->index_len[2], .sizes = {vertices}, .own = ANGLES, .shared_len = ANGLES, .prepared = SKIN + 3 * vertices};
}

// The pose, where the bones are, and all corners of the skin.
PREPARE {
    pose(shared, f0, f1, prepared + POSE, prepared);
    for (size_t v = 0; v < n0; v++) skinned(prepared, f2 + 3 * v, f3 + BONES * v, prepared + SKIN + 3 * v);
}

ITEM {
    const double *skin = prepared + SKIN;
    const uint32_t *corner = i0 + 3 * i2[i];
    double u = own[2 * i], v = own[2 * i + 1], total = 0.0;
    for (int k = 0; k < 3; k++) {
        double at = u * skin[3 * corner[0] + k] + v * skin[3 * corner[1] + k] + (1.0 - u - v) * skin[3 * corner[2] + k];
        total += 0.5 * (f4[3 * i + k] - at) * (f4[3 * i + k] - at);
    }
    return total;
}

#include "../sum.h"
