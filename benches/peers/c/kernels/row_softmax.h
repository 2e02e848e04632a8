// A softmax over the entries of each row.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->sizes[0], .shared = c->float_len[0], .shared_len = c->sizes[0]};
}

// Indices have two words each.
ITEM {
    double largest = -1e300, sum = 0.0, expected = 0.0;
    size_t begin = i0[2 * i], end = i0[2 * i + 2];
    if (begin == end) return 0.0;
    for (size_t k = begin; k < end; k++) {
        double score = own[k] * shared[i1[2 * k]];
        if (score > largest) largest = score;
    }
    for (size_t k = begin; k < end; k++) {
        double weight = exp(own[k] * shared[i1[2 * k]] - largest);
        sum += weight;
        expected += weight * f0[k];
    }
    return expected / sum;
}

#include "../sum.h"
