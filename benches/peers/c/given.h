// What the suite sends, and how kernels are given it.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
#endif

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))

// What the suite sends besides the parameters.
struct Case {
    // those in the case's name
    size_t numbers[8];
    size_t sizes[8];
    size_t index_count, float_count;
    uint32_t *indices[8];
    size_t index_len[8];
    double *floats[8];
    size_t float_len[8];
    size_t parameters;
};

// What a kernel makes of it: sizes, and which of the parameters are whose.
struct Shape {
    // of the items that are summed
    size_t count;
    size_t sizes[4];
    // where parameters begin of which each item has its own, and where those begin that all items share, and how many these are
    size_t own, shared, shared_len;
    // of numbers that are computed before the sum
    size_t prepared;
    // items of which one thread must have all, and how many are differentiated at once so that the tape stays in the cache
    size_t together, chunk;
};

// Kernels get everything as parameters of their own: from members of a structure the compiler could not know what overlaps.
#define GIVEN \
    size_t n0, size_t n1, size_t n2, size_t n3, const uint32_t *restrict i0, const uint32_t *restrict i1, \
        const uint32_t *restrict i2, const uint32_t *restrict i3, const double *restrict f0, const double *restrict f1, \
        const double *restrict f2, const double *restrict f3, const double *restrict f4, const double *restrict f5
#define PASSED n0, n1, n2, n3, i0, i1, i2, i3, f0, f1, f2, f3, f4, f5
#define FROM(c, s) \
    s.sizes[0], s.sizes[1], s.sizes[2], s.sizes[3], c->indices[0], c->indices[1], c->indices[2], c->indices[3], c->floats[0], \
        c->floats[1], c->floats[2], c->floats[3], c->floats[4], c->floats[5]
#define CONSTANT(c, s) \
    enzyme_const, s.sizes[0], enzyme_const, s.sizes[1], enzyme_const, s.sizes[2], enzyme_const, s.sizes[3], enzyme_const, \
        c->indices[0], enzyme_const, c->indices[1], enzyme_const, c->indices[2], enzyme_const, c->indices[3], enzyme_const, \
        c->floats[0], enzyme_const, c->floats[1], enzyme_const, c->floats[2], enzyme_const, c->floats[3], enzyme_const, \
        c->floats[4], enzyme_const, c->floats[5]

#define PARAMETERS const double *restrict own, const double *restrict shared
// Loops of a few iterations over small arrays, which must be in registers before the plugin sees them.
#define UNROLL _Pragma("clang loop unroll(full)")

#define PREPARE INLINE void prepare(GIVEN, PARAMETERS, double *restrict prepared)
#define ITEM INLINE double item(size_t i, GIVEN, PARAMETERS, const double *restrict prepared, double *restrict scratch)
#define FINISH INLINE double finish(double sum, GIVEN, PARAMETERS, const double *restrict prepared)

#ifdef VALUE_ONLY
#define DIFFERENTIATE(...)
#else
extern void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed;
#define DIFFERENTIATE(...) __enzyme_autodiff(__VA_ARGS__)
#endif

enum { THREADS = 256 };

// Adjoints of one thread: those of the first one are the result, the others' are added to it.
static double *private_adjoints(double *result, size_t len, double **all) {
    int thread = omp_get_thread_num();
    all[thread] = result;
    if (thread) {
        all[thread] = malloc((len + 1) * sizeof(double));
        memset(all[thread], 0, len * sizeof(double));
    }
    return all[thread];
}

// In a parallel region, when all threads are here: each of them adds the copies in its part of the entries.
static void add_private(size_t len, double **all) {
    size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
#pragma omp barrier
    for (size_t other = 1; other < threads; other++)
        for (size_t i = len * thread / threads; i < len * (thread + 1) / threads; i++) all[0][i] += all[other][i];
#pragma omp barrier
    if (thread) free(all[thread]);
}
