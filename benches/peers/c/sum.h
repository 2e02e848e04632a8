// Sums over items, each of which reads parameters of its own and shared ones, and their gradients in all ways.
//
// A kernel has, in front of this file,
//
//   struct Shape shape(const struct Case *)
//   double item(size_t i, GIVEN, PARAMETERS, prepared, scratch)
//   SCRATCH                                                   where items need room for so many numbers: local arrays whose
//   length
//                                                             is not known crash in the plugin, or cost more
//   void prepare(GIVEN, PARAMETERS, prepared)                 where PREPARES: what is computed once, before the sum
//   double finish(double sum, GIVEN, PARAMETERS, prepared)    where FINISHES: what becomes of the sum, linear in it
#pragma once
#include "given.h"

#ifndef PREPARES
PREPARE {}
#endif
#ifndef FINISHES
FINISH { return sum; }
#endif

#ifdef SCRATCH
#define TAKE_SCRATCH double *scratch = malloc((SCRATCH) * sizeof(double));
#define RETURN_SCRATCH free(scratch);
#else
#define TAKE_SCRATCH double *scratch = NULL;
#define RETURN_SCRATCH
#endif

// The whole function as it is written for one thread.
OUTLINE void serial(size_t count, GIVEN, PARAMETERS, double *restrict prepared, double *restrict terms, double *restrict value) {
    prepare(PASSED, own, shared, prepared);
    double sum = 0.0;
    TAKE_SCRATCH
    for (size_t i = 0; i < count; i++) sum += item(i, PASSED, own, shared, prepared, scratch);
    RETURN_SCRATCH
    *value = finish(sum, PASSED, own, shared, prepared);
}

// Stores to a term overlap with nothing that the item reads.
INLINE void item_to(double *restrict term, size_t i, GIVEN, PARAMETERS, const double *restrict prepared) {
    TAKE_SCRATCH
    *term = item(i, PASSED, own, shared, prepared, scratch);
    RETURN_SCRATCH
}

// The whole function as it is written for many.
OUTLINE void parallel(size_t count, GIVEN, PARAMETERS, double *restrict prepared, double *restrict terms,
                      double *restrict value) {
    prepare(PASSED, own, shared, prepared);
#pragma omp parallel for firstprivate(PASSED, own, shared, prepared, terms)
    for (size_t i = 0; i < count; i++) item_to(terms + i, i, PASSED, own, shared, prepared);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += terms[i];
    *value = finish(sum, PASSED, own, shared, prepared);
}

#ifdef _OPENMP
#define WHOLE parallel
#else
#define WHOLE serial
#endif

static double value(const struct Case *c, const double *p) {
    struct Shape s = shape(c);
    double value = 0.0, *prepared = calloc(s.prepared + 1, sizeof(double));
    serial(s.count, FROM(c, s), p + s.own, p + s.shared, prepared, NULL, &value);
    free(prepared);
    return value;
}

// The plugin differentiates the whole function, with its parallel loop.
static void automatic(const struct Case *c, const double *p, double *g) {
    struct Shape s = shape(c);
    double value = 0.0, one = 1.0, *prepared = calloc(2 * (s.prepared + 1), sizeof(double));
    double *terms = malloc(s.count * sizeof(double)), *d_terms = calloc(s.count, sizeof(double));
    DIFFERENTIATE((void *)WHOLE, enzyme_const, s.count, CONSTANT(c, s), enzyme_dup, p + s.own, g + s.own, enzyme_dup,
                  p + s.shared, g + s.shared, enzyme_dup, prepared, prepared + s.prepared + 1, enzyme_dup, terms, d_terms,
                  enzyme_dup, &value, &one);
    free(prepared), free(terms), free(d_terms);
}

// The parts that are differentiated where the user arranges the gradient.
OUTLINE void before(GIVEN, PARAMETERS, double *restrict prepared) { prepare(PASSED, own, shared, prepared); }

OUTLINE void range(size_t begin, size_t end, GIVEN, PARAMETERS, const double *restrict prepared, double *restrict sum) {
    double total = 0.0;
    TAKE_SCRATCH
    for (size_t i = begin; i < end; i++) total += item(i, PASSED, own, shared, prepared, scratch);
    RETURN_SCRATCH
    *sum += total;
}

OUTLINE void after(const double *restrict sum, GIVEN, PARAMETERS, const double *restrict prepared, double *restrict value) {
    *value = finish(*sum, PASSED, own, shared, prepared);
}

// Each thread differentiates its own range of items, in chunks or at once, with adjoints of its own for what is shared.
static void by_hand(const struct Case *c, const double *p, double *g, int chunks) {
    struct Shape s = shape(c);
    double *prepared = calloc(2 * (s.prepared + 1), sizeof(double)), *d_prepared = prepared + s.prepared + 1;
    double *all_shared[THREADS], *all_prepared[THREADS], sum = 0.0, seed = 0.0, ignored = 0.0, value = 0.0, one = 1.0;
    size_t together = s.together ? s.together : 1, groups = s.count / together, chunk = s.chunk ? s.chunk : 64;
    before(FROM(c, s), p + s.own, p + s.shared, prepared);
    // the adjoint of the sum, which does not depend on it
    DIFFERENTIATE((void *)after, enzyme_dup, &sum, &seed, CONSTANT(c, s), enzyme_const, p + s.own, enzyme_const, p + s.shared,
                  enzyme_const, prepared, enzyme_dup, &value, &one);
#pragma omp parallel
    {
        size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        size_t begin = groups * thread / threads * together, end = groups * (thread + 1) / threads * together;
        size_t step = chunks ? chunk : end - begin;
        double *d_shared = private_adjoints(g + s.shared, s.shared_len, all_shared);
        double *d_ready = private_adjoints(d_prepared, s.prepared, all_prepared);
        double part = 0.0, d_part = seed;
        for (size_t at = begin; at < end; at += step) {
            size_t until = at + step < end ? at + step : end;
            DIFFERENTIATE((void *)range, enzyme_const, at, enzyme_const, until, CONSTANT(c, s), enzyme_dup, p + s.own, g + s.own,
                          enzyme_dup, p + s.shared, d_shared, enzyme_dup, prepared, d_ready, enzyme_dup, &part, &d_part);
        }
        add_private(s.shared_len, all_shared);
        add_private(s.prepared, all_prepared);
#pragma omp atomic
        sum += part;
    }
    one = 1.0;
    DIFFERENTIATE((void *)after, enzyme_dup, &sum, &ignored, CONSTANT(c, s), enzyme_dup, p + s.own, g + s.own, enzyme_dup,
                  p + s.shared, g + s.shared, enzyme_dup, prepared, d_prepared, enzyme_dup, &value, &one);
    DIFFERENTIATE((void *)before, CONSTANT(c, s), enzyme_dup, p + s.own, g + s.own, enzyme_dup, p + s.shared, g + s.shared,
                  enzyme_dup, prepared, d_prepared);
    free(prepared);
}
