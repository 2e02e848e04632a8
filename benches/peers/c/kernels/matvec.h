// Half the square of a matrix times a vector, or of a function of it.
#include "../given.h"

#ifndef LINK
#define LINK(y) (y)
#endif

static struct Shape shape(const struct Case *c) {
    size_t n = c->sizes[0];
    return (struct Shape){.count = n, .sizes = {n}, .own = 0, .shared = n * n, .shared_len = n};
}

ITEM {
    double y = 0.0;
    for (size_t j = 0; j < n0; j++) y += own[i * n0 + j] * shared[j];
    y = LINK(y);
    return 0.5 * y * y;
}

#include "../sum.h"
