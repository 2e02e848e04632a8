// Poses of a ligand against a protein. Each pose has parameters of its own; force fields are shared.
#include "../given.h"
#define HARDNESS 38.0
#define CHARGE 45.0

static struct Shape shape(const struct Case *c) {
    size_t n = c->sizes[0], types = c->sizes[1];
    return (struct Shape){
        .count = n, .sizes = {n, types, c->index_len[0], c->index_len[1]}, .shared = 6 * n, .shared_len = 3 * types, .chunk = 1};
}

ITEM {
    size_t n = n0, atoms = n2, others = n3;
    const double *radius = shared, *hydrophobicity = radius + n1, *charge = hydrophobicity + n1, *ligand = f0, *protein = f1;
    double sx = sin(own[i]), cx = cos(own[i]), sy = sin(own[n + i]), cy = cos(own[n + i]);
    double sz = sin(own[2 * n + i]), cz = cos(own[2 * n + i]), energy = 0.0;
    for (size_t a = 0; a < atoms; a++) {
        const double *at = ligand + 3 * a;
        double x = own[3 * n + i] + cy * cz * at[0] + (sx * sy * cz - cx * sz) * at[1] + (cx * sy * cz + sx * sz) * at[2];
        double y = own[4 * n + i] + cy * sz * at[0] + (sx * sy * sz + cx * cz) * at[1] + (cx * sy * sz - sx * cz) * at[2];
        double z = own[5 * n + i] - sy * at[0] + sx * cy * at[1] + cx * cy * at[2];
        for (size_t b = 0; b < others; b++) {
            size_t pair = a * others + b;
            double ex = x - protein[3 * b], ey = y - protein[3 * b + 1], ez = z - protein[3 * b + 2];
            double distance = sqrt(ex * ex + ey * ey + ez * ez), contact = radius[i0[a]] + radius[i1[b]],
                   gap = distance - contact;
            int inside = gap < 0.0;
            double e = 0.0;
            if (inside) e += (1.0 - distance / contact) * 2.0 * HARDNESS;
            if (gap < f5[pair]) {
                double held = charge[i0[a]] * charge[i1[b]] * (inside ? 1.0 : 1.0 - gap / f5[pair]);
                // minus its size, whose derivative at 0 is 0
                if (i2[pair]) held = held > 0.0 ? -held : held < 0.0 ? held : 0.0;
                e += CHARGE * held;
            }
            if (i3[pair] && f4[pair] > 0.0 && gap < f4[pair])
                e +=
                    (hydrophobicity[i1[b]] * f2[pair] + hydrophobicity[i0[a]] * f3[pair]) * (inside ? 1.0 : 1.0 - gap / f4[pair]);
            energy += 0.5 * e;
        }
    }
    return energy;
}

#include "../sum.h"
