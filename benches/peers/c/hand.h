// A hand: bones that are turned about their joints, and the skin that they move.
#pragma once
#include "given.h"
enum { BONES = 22, ANGLES = 26, POSE = 12 * BONES + 12 };

// c = a b, of matrices by rows.
INLINE void product(const double *restrict a, const double *restrict b, double *restrict c) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) sum += a[4 * i + k] * b[4 * k + j];
            c[4 * i + j] = sum;
        }
}

INLINE int parent_of(int bone) { return bone == 0 ? -1 : bone % 4 == 1 ? 0 : bone - 1; }

// How the bones move the skin, then how the whole hand is turned and shifted; `absolute` is room for where the bones are.
INLINE void pose(const double *restrict theta, const double *restrict base, const double *restrict inverse,
                 double *restrict absolute, double *restrict moving) {
    for (int bone = 0; bone < BONES; bone++) {
        int finger = (bone - 2) / 4, joint = (bone - 2) % 4, moves = bone >= 2 && finger < 5 && joint < 3;
        double bend = moves ? theta[6 + 4 * finger + (joint ? joint + 1 : 0)] : 0.0;
        double spread = moves && joint == 0 ? theta[7 + 4 * finger] : 0.0;
        double sx = sin(bend), cx = cos(bend), sz = sin(spread), cz = cos(spread);
        double turn[16] = {cz, -sz * cx, sz * sx, 0.0, sz, cz * cx, -cz * sx, 0.0, 0.0, sx, cx, 0.0, 0.0, 0.0, 0.0, 1.0};
        double relative[16], moved[16];
        product(base + 16 * bone, turn, relative);
        if (parent_of(bone) < 0)
            for (int k = 0; k < 16; k++) absolute[16 * bone + k] = relative[k];
        else
            product(absolute + 16 * parent_of(bone), relative, absolute + 16 * bone);
        product(absolute + 16 * bone, inverse + 16 * bone, moved);
        for (int k = 0; k < 12; k++) moving[12 * bone + k] = moved[k];
    }
    double *turn = moving + 12 * BONES, *shift = turn + 9;
    double angle = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]), s = sin(angle), c = cos(angle);
    double x = theta[0] / angle, y = theta[1] / angle, z = theta[2] / angle;
    double rotation[9] = {c + x * x * (1.0 - c),     x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s,
                          y * x * (1.0 - c) + z * s, c + y * y * (1.0 - c),     y * z * (1.0 - c) - x * s,
                          z * x * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, c + z * z * (1.0 - c)};
    for (int k = 0; k < 9; k++) turn[k] = rotation[k];
    for (int k = 0; k < 3; k++) shift[k] = theta[3 + k];
}

// Where a corner of the skin is.
INLINE void skinned(const double *restrict pose, const double *restrict vertex, const double *restrict weights,
                    double *restrict at) {
    const double *turn = pose + 12 * BONES, *shift = turn + 9;
    double x = 0.0, y = 0.0, z = 0.0;
    for (int bone = 0; bone < BONES; bone++) {
        const double *m = pose + 12 * bone;
        x += weights[bone] * (m[0] * vertex[0] + m[1] * vertex[1] + m[2] * vertex[2] + m[3]);
        y += weights[bone] * (m[4] * vertex[0] + m[5] * vertex[1] + m[6] * vertex[2] + m[7]);
        z += weights[bone] * (m[8] * vertex[0] + m[9] * vertex[1] + m[10] * vertex[2] + m[11]);
    }
    for (int k = 0; k < 3; k++) at[k] = shift[k] + turn[3 * k] * x + turn[3 * k + 1] * y + turn[3 * k + 2] * z;
}
