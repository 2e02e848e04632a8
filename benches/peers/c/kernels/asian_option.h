// A price by simulated paths.
#include "../given.h"
#define FINISHES
#define STRIKE 100.0

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->sizes[0], .sizes = {c->parameters - 2, c->sizes[0]}, .shared_len = c->parameters};
}

// Philox 4x32-10, two of its four words.
INLINE void philox(uint32_t path, uint32_t step, uint32_t seed, uint32_t *restrict first, uint32_t *restrict second) {
    uint32_t c0 = path, c1 = step, c2 = 0, c3 = 0, k0 = seed, k1 = 0;
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53 * c0, b = (uint64_t)0xCD9E8D57 * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c1 = b;
        c3 = a;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    *first = c0;
    *second = c1;
}

ITEM {
    double log_price = log(shared[0]), rate = shared[1], step = 1.0 / n0, root = sqrt(step), sum = 0.0;
    for (size_t t = 0; t < n0; t += 2) {
        uint32_t a, b;
        philox(i, t, 7, &a, &b);
        double radius = sqrt(-2.0 * log((a + 0.5) / 4294967296.0)), angle = 2.0 * M_PI * ((b + 0.5) / 4294967296.0);
        double normal[2] = {radius * cos(angle), radius * sin(angle)};
        for (int k = 0; k < 2; k++) {
            double sigma = shared[2 + t + k];
            log_price += (rate - 0.5 * sigma * sigma) * step + sigma * root * normal[k];
            sum += exp(log_price);
        }
    }
    double paid = sum / n0 - STRIKE;
    return paid > 0.0 ? paid : 0.0;
}

FINISH { return exp(-shared[1]) * sum / n1; }

#include "../sum.h"
