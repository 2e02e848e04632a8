// Banded attention; the first heads are dilated. Heads are independent, so nothing is shared between threads that have whole
// heads.
#include "../given.h"
enum { WIDTH = 32, FEATURES = 64 };

static struct Shape shape(const struct Case *c) {
    size_t n = c->sizes[1];
    return (struct Shape){.count = c->sizes[0] * n, .sizes = {c->sizes[0], n, c->sizes[2]}, .together = n, .chunk = 32};
}

ITEM {
    long n = n1, d = n2, head = i / n1, at = i % n1, dilation = head < 2 ? 4 : 1;
    const double *q = own + i * d, *k = own + (n0 + head) * n * d, *v = own + (2 * n0 + head) * n * d;
    double share[2 * WIDTH + 1], y[FEATURES], largest = -1e300, sum = 0.0, total = 0.0, scale = 1.0 / sqrt((double)d);
    // bounds instead of conditions in the loops, which cost the plugin's tape a factor of five
    long left = at / dilation, right = (n - 1 - at) / dilation;
    long first = left < WIDTH ? WIDTH - left : 0, last = right < WIDTH ? WIDTH + right : 2 * WIDTH;
    for (long t = first; t <= last; t++) {
        const double *key = k + (at + (t - WIDTH) * dilation) * d;
        double score = 0.0;
        for (long x = 0; x < d; x++) score += q[x] * key[x];
        share[t] = score * scale;
        if (share[t] > largest) largest = share[t];
    }
    for (long t = first; t <= last; t++) {
        share[t] = exp(share[t] - largest);
        sum += share[t];
    }
    for (long x = 0; x < d; x++) y[x] = 0.0;
    for (long t = first; t <= last; t++) {
        const double *value = v + (at + (t - WIDTH) * dilation) * d;
        double part = share[t] / sum;
        for (long x = 0; x < d; x++) y[x] += part * value[x];
    }
    for (long x = 0; x < d; x++) total += y[x] * f0[i * d + x];
    return total;
}

#include "../sum.h"
