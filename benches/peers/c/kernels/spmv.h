// Half the square of a sparse matrix in compressed rows times a vector.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->sizes[0], .own = 0, .shared = c->index_len[1], .shared_len = c->sizes[0]};
}

ITEM {
    double y = 0.0;
    for (uint32_t k = i0[i]; k < i0[i + 1]; k++) y += own[k] * shared[i1[k]];
    return 0.5 * y * y;
}

#include "../sum.h"
