// The gradients of fields on a grid that move in steps, in all ways.
//
// A kernel has, in front of this file,
//
//   struct Grid grid(const struct Case *)
//   void start(size_t y, GIVEN, own, state)                            the first state of a row
//   double step(size_t t, size_t y, GIVEN, own, before, now, next)     the next state of a row, and what it adds to the result
//   double finish(size_t y, GIVEN, own, state)                         what a row adds to the result at the end
#pragma once
#include "rows.h"

INLINE void step_to(double *restrict term, size_t t, ROW, const double *restrict before, const double *restrict now,
                    double *restrict next) {
    *term += step(t, y, PASSED, own, before, now, next);
}

// Three states take turns; each row sums what it adds to the result.
OUTLINE void whole(size_t rows, size_t width, size_t steps, GIVEN, const double *restrict own, double *restrict a,
                   double *restrict b, double *restrict c, double *restrict terms, double *restrict value) {
    double *before = a, *now = b, *next = c;
    for (size_t y = 0; y < rows; y++) {
        start(y, PASSED, own, before);
        start(y, PASSED, own, now);
        start(y, PASSED, own, next);
    }
    for (size_t t = 0; t < steps; t++) {
#pragma omp parallel for firstprivate(t, PASSED, own, before, now, next, terms)
        for (size_t y = 0; y < rows; y++) step_to(terms + y, t, y, PASSED, own, before, now, next);
        double *free = before;
        before = now;
        now = next;
        next = free;
    }
    double total = 0.0;
    for (size_t y = 0; y < rows; y++) total += terms[y] + finish(y, PASSED, own, now);
    *value = total;
}

// Rows that one call differentiates.
OUTLINE void start_rows(size_t begin, size_t end, GIVEN, const double *restrict own, double *restrict state) {
    for (size_t y = begin; y < end; y++) start(y, PASSED, own, state);
}

OUTLINE void step_rows(size_t begin, size_t end, size_t t, GIVEN, const double *restrict own, const double *restrict before,
                       const double *restrict now, double *restrict next, double *restrict value) {
    double total = 0.0;
    for (size_t y = begin; y < end; y++) total += step(t, y, PASSED, own, before, now, next);
    *value += total;
}

OUTLINE void finish_rows(size_t begin, size_t end, GIVEN, const double *restrict own, const double *restrict state,
                         double *restrict value) {
    double total = 0.0;
    for (size_t y = begin; y < end; y++) total += finish(y, PASSED, own, state);
    *value += total;
}

static double value(const struct Case *c, const double *p) {
    struct Grid s = grid(c);
    size_t cells = s.rows * s.width;
    double value, *states = calloc(3 * cells + s.rows, sizeof(double));
    whole(s.rows, s.width, s.steps, FROM(c, s), p, states, states + cells, states + 2 * cells, states + 3 * cells, &value);
    free(states);
    return value;
}

static void automatic(const struct Case *c, const double *p, double *g) {
    struct Grid s = grid(c);
    size_t cells = s.rows * s.width, all = 3 * cells + s.rows;
    double value = 0.0, one = 1.0, *x = calloc(2 * all, sizeof(double)), *d_x = x + all;
    DIFFERENTIATE((void *)whole, enzyme_const, s.rows, enzyme_const, s.width, enzyme_const, s.steps, CONSTANT(c, s), enzyme_dup,
                  p, g, enzyme_dup, x, d_x, enzyme_dup, x + cells, d_x + cells, enzyme_dup, x + 2 * cells, d_x + 2 * cells,
                  enzyme_dup, x + 3 * cells, d_x + 3 * cells, enzyme_dup, &value, &one);
    free(x);
}

// All states, kept between calls: cells that steps do not write stay as they are.
static double *trajectory(const struct Case *c, struct Grid s, const double *p) {
    static double *states;
    static size_t len;
    size_t cells = s.rows * s.width;
    if (len != (s.steps + 2) * cells) {
        len = (s.steps + 2) * cells;
        states = realloc(states, len * sizeof(double));
        for (size_t t = 0; t < s.steps + 2; t++) start_rows(0, s.rows, FROM(c, s), p, states + t * cells);
    }
    return states;
}

// The user keeps all states and differentiates one step at a time. Each thread has its rows; those of which neighbours also write
// adjoints are differentiated when the neighbours have done the others, so that no thread needs copies.
static void by_hand(const struct Case *c, const double *p, double *g, int chunks) {
    struct Grid s = grid(c);
    size_t cells = s.rows * s.width;
    // states -1, 0, ..., steps
    double *states = trajectory(c, s, p), *adjoints = malloc(3 * cells * sizeof(double));
#define STATE(t) (states + ((t) + 1) * cells)
#define ADJOINT(t) (adjoints + ((t) + 1) % 3 * cells)
#pragma omp parallel
    {
        size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        size_t begin = s.rows * thread / threads, end = s.rows * (thread + 1) / threads, chunk = chunks ? 4 : end - begin;
        double part = 0.0, one = 1.0;
        for (long t = -1; t < 1; t++) start_rows(begin, end, FROM(c, s), p, STATE(t));
        for (size_t t = 0; t < s.steps; t++) {
#pragma omp barrier
            step_rows(begin, end, t, FROM(c, s), p, STATE(t - 1), STATE(t), STATE(t + 1), &part);
        }
        for (size_t t = 0; t < 3; t++) memset(ADJOINT(t) + begin * s.width, 0, (end - begin) * s.width * sizeof(double));
        DIFFERENTIATE((void *)finish_rows, enzyme_const, begin, enzyme_const, end, CONSTANT(c, s), enzyme_dup, p, g, enzyme_dup,
                      STATE(s.steps), ADJOINT(s.steps), enzyme_dup, &part, &one);
        // what the steps compute is known: only the adjoints are needed
        for (size_t t = s.steps; t-- > 0;) {
            size_t last = end - begin > 2 * s.halo && threads > 1 ? end - 2 * s.halo : end;
            memset(ADJOINT(t - 1) + begin * s.width, 0, (end - begin) * s.width * sizeof(double));
            for (size_t phase = 0; phase < 2; phase++) {
#pragma omp barrier
                size_t at = phase ? last : begin, until = phase ? end : last;
                for (; at < until; at += chunk)
                    DIFFERENTIATE((void *)step_rows, enzyme_const, at, enzyme_const, at + chunk < until ? at + chunk : until,
                                  enzyme_const, t, CONSTANT(c, s), enzyme_dup, p, g, enzyme_dup, STATE(t - 1), ADJOINT(t - 1),
                                  enzyme_dup, STATE(t), ADJOINT(t), enzyme_dupnoneed, STATE(t + 1), ADJOINT(t + 1),
                                  enzyme_dupnoneed, &part, &one);
            }
#pragma omp barrier
        }
        for (long t = -1; t < 1; t++)
            DIFFERENTIATE((void *)start_rows, enzyme_const, begin, enzyme_const, end, CONSTANT(c, s), enzyme_dup, p, g,
                          enzyme_dup, STATE(t), ADJOINT(t));
    }
    free(adjoints);
}
