// Fields on a grid that move in steps.
#pragma once
#include "given.h"

// A row of the next state is made of one row of the state before and those of this one that are at most `halo` away.
struct Grid {
    size_t rows, width, steps, halo;
    size_t sizes[4];
};

#define ROW size_t y, GIVEN, const double *restrict own
#define START INLINE void start(ROW, double *restrict state)
#define STEP INLINE double step(size_t t, ROW, const double *restrict before, const double *restrict now, double *restrict next)
#define FINISH_ROW INLINE double finish(ROW, const double *restrict state)
