// A layer of graph attention: features are mapped by a matrix, then each node averages those of its neighbours.
#include "../given.h"
enum { F = 32, NEIGHBOURS = 64 };

// What nodes have after the map: features, and two scores.
#define MAPPED double *restrict z, double *restrict left, double *restrict right
#define WEIGHTS const double *restrict w, const double *restrict a1, const double *restrict a2

INLINE void map(const double *restrict x, WEIGHTS, MAPPED) {
    double l = 0.0, r = 0.0;
    for (size_t j = 0; j < F; j++) z[j] = 0.0;
    for (size_t k = 0; k < F; k++)
        for (size_t j = 0; j < F; j++) z[j] += x[k] * w[k * F + j];
    for (size_t j = 0; j < F; j++) {
        l += z[j] * a1[j];
        r += z[j] * a2[j];
    }
    *left = l;
    *right = r;
}

// Inlined, its local arrays crash in the plugin's serial gradient.
OUTLINE void attend(uint32_t begin, uint32_t end, const uint32_t *restrict neighbour, const double *restrict z,
                    const double *restrict left, double right, const double *restrict d_y, double *restrict term) {
    double share[NEIGHBOURS], y[F], largest = -1e300, sum = 0.0, total = 0.0;
    for (uint32_t k = begin; k < end; k++) {
        double e = left[neighbour[k]] + right;
        e = e >= 0.0 ? e : 0.1 * e;
        share[k - begin] = e;
        if (e > largest) largest = e;
    }
    for (uint32_t k = begin; k < end; k++) {
        share[k - begin] = exp(share[k - begin] - largest);
        sum += share[k - begin];
    }
    for (size_t f = 0; f < F; f++) y[f] = 0.0;
    for (uint32_t k = begin; k < end; k++) {
        double part = share[k - begin] / sum;
        for (size_t f = 0; f < F; f++) y[f] += part * z[(size_t)neighbour[k] * F + f];
    }
    for (size_t f = 0; f < F; f++) total += y[f] * d_y[f];
    *term = total;
}

OUTLINE void map_range(size_t begin, size_t end, const double *restrict x, WEIGHTS, MAPPED) {
    for (size_t i = begin; i < end; i++) map(x + i * F, w, a1, a2, z + i * F, left + i, right + i);
}

OUTLINE void attend_range(size_t begin, size_t end, const uint32_t *restrict start, const uint32_t *restrict neighbour,
                          const double *restrict z, const double *restrict left, const double *restrict right,
                          const double *restrict d_y, double *restrict sum) {
    double total = 0.0, term;
    for (size_t i = begin; i < end; i++) {
        attend(start[i], start[i + 1], neighbour, z, left, right[i], d_y + i * F, &term);
        total += term;
    }
    *sum += total;
}

OUTLINE void whole(size_t nodes, const uint32_t *restrict start, const uint32_t *restrict neighbour, const double *restrict x,
                   WEIGHTS, const double *restrict d_y, MAPPED, double *restrict terms, double *restrict sum) {
#pragma omp parallel for firstprivate(x, w, a1, a2, z, left, right)
    for (size_t i = 0; i < nodes; i++) map(x + i * F, w, a1, a2, z + i * F, left + i, right + i);
#pragma omp parallel for firstprivate(start, neighbour, z, left, right, d_y, terms)
    for (size_t i = 0; i < nodes; i++) attend(start[i], start[i + 1], neighbour, z, left, right[i], d_y + i * F, terms + i);
    double total = 0.0;
    for (size_t i = 0; i < nodes; i++) total += terms[i];
    *sum = total;
}

static double value(const struct Case *c, const double *p) {
    size_t n = c->sizes[0];
    const double *w = p + n * F;
    double sum, *room = malloc(n * (F + 3) * sizeof(double));
    whole(n, c->indices[0], c->indices[1], p, w, w + F * F, w + F * F + F, c->floats[0], room, room + n * F, room + n * (F + 1),
          room + n * (F + 2), &sum);
    free(room);
    return sum;
}

static void automatic(const struct Case *c, const double *p, double *g) {
    size_t n = c->sizes[0];
    const double *w = p + n * F;
    double sum, one = 1.0, *room = malloc(n * (F + 3) * sizeof(double)), *d_room = calloc(n * (F + 3), sizeof(double)),
                *d_w = g + n * F;
    DIFFERENTIATE((void *)whole, enzyme_const, n, enzyme_const, c->indices[0], enzyme_const, c->indices[1], enzyme_dup, p, g,
                  enzyme_dup, w, d_w, enzyme_dup, w + F * F, d_w + F * F, enzyme_dup, w + F * F + F, d_w + F * F + F,
                  enzyme_const, c->floats[0], enzyme_dup, room, d_room, enzyme_dup, room + n * F, d_room + n * F, enzyme_dup,
                  room + n * (F + 1), d_room + n * (F + 1), enzyme_dup, room + n * (F + 2), d_room + n * (F + 2), enzyme_dup,
                  &sum, &one);
    free(room), free(d_room);
}

// Each thread has a range of nodes, and adjoints of its own for features of neighbours and for weights.
static void by_hand(const struct Case *c, const double *p, double *g, int chunks) {
    size_t n = c->sizes[0];
    const double *w = p + n * F;
    double *z = malloc(n * (F + 2) * sizeof(double)), *left = z + n * F, *right = left + n, sum = 0.0;
    double *d_z = calloc(n * (F + 2), sizeof(double)), *d_left = d_z + n * F, *d_right = d_left + n, *all_z[THREADS],
           *all_w[THREADS];
#pragma omp parallel
    {
        size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        size_t begin = n * thread / threads, end = n * (thread + 1) / threads, step = chunks ? 64 : end - begin;
        map_range(begin, end, p, w, w + F * F, w + F * F + F, z, left, right);
        double *my_z = private_adjoints(d_z, n * (F + 1), all_z), *my_w = private_adjoints(g + n * F, F * F + 2 * F, all_w);
        double part = 0.0, one = 1.0;
#pragma omp barrier
        for (size_t at = begin; at < end; at += step)
            DIFFERENTIATE((void *)attend_range, enzyme_const, at, enzyme_const, at + step < end ? at + step : end, enzyme_const,
                          c->indices[0], enzyme_const, c->indices[1], enzyme_dup, z, my_z, enzyme_dup, left, my_z + n * F,
                          enzyme_dup, right, d_right, enzyme_const, c->floats[0], enzyme_dup, &part, &one);
        add_private(n * (F + 1), all_z);
        DIFFERENTIATE((void *)map_range, enzyme_const, begin, enzyme_const, end, enzyme_dup, p, g, enzyme_dup, w, my_w,
                      enzyme_dup, w + F * F, my_w + F * F, enzyme_dup, w + F * F + F, my_w + F * F + F, enzyme_dupnoneed, z, d_z,
                      enzyme_dupnoneed, left, d_left, enzyme_dupnoneed, right, d_right);
        add_private(F * F + 2 * F, all_w);
#pragma omp atomic
        sum += part;
    }
    free(z), free(d_z);
}
