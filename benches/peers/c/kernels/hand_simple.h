// Points with known corners of the skin.
#include "../hand.h"
#define PREPARES

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->index_len[1], .shared_len = ANGLES, .prepared = POSE + 16 * BONES};
}

PREPARE { pose(shared, f0, f1, prepared + POSE, prepared); }

ITEM {
    double at[3], total = 0.0;
    skinned(prepared, f2 + 3 * i1[i], f3 + BONES * i1[i], at);
    for (int k = 0; k < 3; k++) total += 0.5 * (f4[3 * i + k] - at[k]) * (f4[3 * i + k] - at[k]);
    return total;
}

#include "../sum.h"
