// Two classes of examples with few features each, with a penalty on the weights.
#include "../given.h"
#define FINISHES

static struct Shape shape(const struct Case *c) {
    size_t n = c->float_len[1];
    return (struct Shape){.count = n, .sizes = {c->parameters - 1, n}, .shared_len = c->parameters};
}

ITEM {
    double score = shared[n0];
    for (uint32_t k = i0[i]; k < i0[i + 1]; k++) score += f0[k] * shared[i1[k]];
    double margin = f1[i] * score;
    return margin > 0.0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

FINISH {
    double square = 0.0;
    for (size_t j = 0; j < n0; j++) square += shared[j] * shared[j];
    return sum / n1 + 0.5 * 0.01 * square;
}

#include "../sum.h"
