// Soft clustering.
#include "../given.h"
#define SCRATCH n1

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->numbers[0], .sizes = {c->numbers[1], c->numbers[2]}, .shared_len = c->parameters};
}

ITEM {
    size_t d = n0, clusters = n1;
    double *square = scratch, smallest = 1e300, sum = 0.0, weighted = 0.0;
    for (size_t k = 0; k < clusters; k++) {
        square[k] = 0.0;
        for (size_t j = 0; j < d; j++) {
            double e = f0[i * d + j] - shared[k * d + j];
            square[k] += e * e;
        }
        if (square[k] < smallest) smallest = square[k];
    }
    for (size_t k = 0; k < clusters; k++) {
        double a = exp(1.5 * (smallest - square[k]));
        sum += a;
        weighted += a * square[k];
    }
    return weighted / sum;
}

#include "../sum.h"
