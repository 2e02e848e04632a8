// Two classes, with a penalty on the weights.
#include "../given.h"
#define FINISHES

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->float_len[1], .sizes = {c->parameters}, .shared_len = c->parameters};
}

ITEM {
    double margin = 0.0;
    for (size_t j = 0; j < n0; j++) margin += f0[i * n0 + j] * shared[j];
    margin *= f1[i];
    return (margin < 0.0 ? -margin : 0.0) + log1p(exp(-fabs(margin)));
}

FINISH {
    for (size_t j = 0; j < n0; j++) sum += 0.5 * 0.1 * shared[j] * shared[j];
    return sum;
}

#include "../sum.h"
