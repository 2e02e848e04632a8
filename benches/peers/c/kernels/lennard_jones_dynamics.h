// Atoms that move for some steps by velocity Verlet, and how far they get.
#include "../given.h"
#define CUTOFF 2.5
#define TIME 0.002

// In the automatic mode, threads add to forces at once; by hand, each of them has forces of its own.
#if defined _OPENMP && !defined BY_HAND
#define SHARED _Pragma("omp atomic")
#else
#define SHARED
#endif

// Half a step of the velocities, then a step of the positions.
OUTLINE void drift(size_t begin, size_t end, double *restrict x, double *restrict v, const double *restrict force) {
    for (size_t i = 3 * begin; i < 3 * end; i++) {
        v[i] += 0.5 * TIME * force[i];
        x[i] += TIME * v[i];
    }
}

OUTLINE void kick(size_t begin, size_t end, double *restrict v, const double *restrict force) {
    for (size_t i = 3 * begin; i < 3 * end; i++) v[i] += 0.5 * TIME * force[i];
}

// The forces of an atom and those of its neighbours of higher number, which other threads may add to.
INLINE void attract(size_t i, const uint32_t *restrict start, const uint32_t *restrict neighbour, const double *restrict well,
                    const double *restrict x, double *restrict force) {
    double fx = 0.0, fy = 0.0, fz = 0.0;
    for (uint32_t k = start[i]; k < start[i + 1]; k++) {
        size_t j = neighbour[k];
        double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1], dz = x[3 * i + 2] - x[3 * j + 2];
        double square = dx * dx + dy * dy + dz * dz;
        if (square < CUTOFF * CUTOFF) {
            double s2 = well[0] * well[0] / square, s6 = s2 * s2 * s2, f = 24.0 * well[1] * (2.0 * s6 * s6 - s6) / square;
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
            SHARED
            force[3 * j] -= f * dx;
            SHARED
            force[3 * j + 1] -= f * dy;
            SHARED
            force[3 * j + 2] -= f * dz;
        }
    }
    SHARED
    force[3 * i] += fx;
    SHARED
    force[3 * i + 1] += fy;
    SHARED
    force[3 * i + 2] += fz;
}

OUTLINE void whole(size_t atoms, size_t steps, const uint32_t *restrict start, const uint32_t *restrict neighbour,
                   const double *restrict x0, const double *restrict v0, const double *restrict well, double *restrict x,
                   double *restrict v, double *restrict force, double *restrict moved) {
    for (size_t i = 0; i < 3 * atoms; i++) {
        x[i] = x0[i];
        v[i] = v0[i];
    }
    for (size_t t = 0; t <= steps; t++) {
        if (t > 0) drift(0, atoms, x, v, force);
        for (size_t i = 0; i < 3 * atoms; i++) force[i] = 0.0;
#pragma omp parallel for firstprivate(start, neighbour, well, x, force)
        for (size_t i = 0; i < atoms; i++) attract(i, start, neighbour, well, x, force);
        if (t > 0) kick(0, atoms, v, force);
    }
    double total = 0.0;
    for (size_t i = 0; i < 3 * atoms; i++) total += 0.5 * (x[i] - x0[i]) * (x[i] - x0[i]);
    *moved = total;
}

static double value(const struct Case *c, const double *p) {
    size_t atoms = c->index_len[0] - 1, len = 3 * atoms;
    double moved, *room = calloc(3 * len, sizeof(double));
    whole(atoms, c->sizes[0], c->indices[0], c->indices[1], p, p + len, p + 2 * len, room, room + len, room + 2 * len, &moved);
    free(room);
    return moved;
}

static void automatic(const struct Case *c, const double *p, double *g) {
    size_t atoms = c->index_len[0] - 1, len = 3 * atoms;
    double moved, one = 1.0, *room = calloc(6 * len, sizeof(double)), *d_room = room + 3 * len;
    DIFFERENTIATE((void *)whole, enzyme_const, atoms, enzyme_const, c->sizes[0], enzyme_const, c->indices[0], enzyme_const,
                  c->indices[1], enzyme_dup, p, g, enzyme_dup, p + len, g + len, enzyme_dup, p + 2 * len, g + 2 * len, enzyme_dup,
                  room, d_room, enzyme_dup, room + len, d_room + len, enzyme_dup, room + 2 * len, d_room + 2 * len, enzyme_dup,
                  &moved, &one);
    free(room);
}

OUTLINE void forces(size_t begin, size_t end, const uint32_t *restrict start, const uint32_t *restrict neighbour,
                    const double *restrict well, const double *restrict x, double *restrict force) {
    for (size_t i = begin; i < end; i++) attract(i, start, neighbour, well, x, force);
}

// The user keeps the positions of all steps and differentiates one step at a time, each thread a range of atoms, with copies of
// what pairs add to. What is linear needs no values.
static void by_hand(const struct Case *c, const double *p, double *g, int chunks) {
    size_t atoms = c->index_len[0] - 1, len = 3 * atoms, steps = c->sizes[0];
    const uint32_t *start = c->indices[0], *neighbour = c->indices[1];
    const double *well = p + 2 * len;
    double *states = malloc((steps + 5) * len * sizeof(double)), *v = states + (steps + 1) * len, *force = v + len,
           *d_x = force + len;
    double *d_force = d_x + len, *d_v = g + len, *all[THREADS], *all_well[THREADS], moved = 0.0;
    memcpy(v, p + len, len * sizeof(double));
    memset(force, 0, len * sizeof(double));
    memset(d_force, 0, len * sizeof(double));
#pragma omp parallel
    {
        size_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        size_t begin = atoms * thread / threads, end = atoms * (thread + 1) / threads, step = chunks ? 64 : end - begin;
        size_t size = (end - begin) * 3 * sizeof(double);
        double *mine = malloc(len * sizeof(double)), *my_well = private_adjoints(g + 2 * len, 2, all_well), part = 0.0;
        all[thread] = mine;
        for (size_t t = 0; t <= steps; t++) {
            double *x = states + t * len;
            memcpy(x + 3 * begin, (t ? x - len : p) + 3 * begin, size);
            if (t > 0) drift(begin, end, x, v, force);
#pragma omp barrier
            memset(mine, 0, len * sizeof(double));
            forces(begin, end, start, neighbour, well, x, mine);
#pragma omp barrier
            for (size_t i = 3 * begin; i < 3 * end; i++) {
                force[i] = 0.0;
                for (size_t other = 0; other < threads; other++) force[i] += all[other][i];
            }
            if (t > 0) kick(begin, end, v, force);
        }
        for (size_t i = 3 * begin; i < 3 * end; i++) {
            double e = states[steps * len + i] - p[i];
            part += 0.5 * e * e;
            d_x[i] = e;
            g[i] -= e;
        }
        for (size_t t = steps + 1; t-- > 0;) {
            double *x = states + t * len;
            if (t > 0)
                DIFFERENTIATE((void *)kick, enzyme_const, begin, enzyme_const, end, enzyme_dupnoneed, v, d_v, enzyme_dupnoneed,
                              force, d_force);
#pragma omp barrier
            memset(mine, 0, len * sizeof(double));
            for (size_t at = begin; at < end; at += step)
                DIFFERENTIATE((void *)forces, enzyme_const, at, enzyme_const, at + step < end ? at + step : end, enzyme_const,
                              start, enzyme_const, neighbour, enzyme_dup, well, my_well, enzyme_dup, x, mine, enzyme_dupnoneed,
                              force, d_force);
#pragma omp barrier
            for (size_t i = 3 * begin; i < 3 * end; i++)
                for (size_t other = 0; other < threads; other++) d_x[i] += all[other][i];
            memset(d_force + 3 * begin, 0, size);
            if (t > 0)
                DIFFERENTIATE((void *)drift, enzyme_const, begin, enzyme_const, end, enzyme_dupnoneed, x, d_x, enzyme_dupnoneed,
                              v, d_v, enzyme_dupnoneed, force, d_force);
        }
        for (size_t i = 3 * begin; i < 3 * end; i++) g[i] += d_x[i];
        add_private(2, all_well);
#pragma omp atomic
        moved += part;
        free(mine);
    }
    free(states);
}
