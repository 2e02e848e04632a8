// Cross sections from poles with Doppler broadening.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    size_t windows = c->index_len[0] - 1, poles = c->indices[0][windows];
    return (struct Shape){
        .count = c->float_len[0], .sizes = {c->sizes[0], poles, windows, c->index_len[2]}, .shared_len = c->parameters};
}

// The Faddeeva function: asymptotic far out, Abrarov's series near the origin.
INLINE void faddeeva(double x, double y, double *restrict re, double *restrict im) {
    static const double SAMPLES[10] = {2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02,
                                       2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04};
    if (x * x + y * y > 36.0) {
        double sr = x * x - y * y, si = 2.0 * x * y, p = sr - 0.275255128608411, q = sr - 2.724744871391589;
        double np = p * p + si * si, nq = q * q + si * si;
        double a = 0.512424224754762 * p / np + 0.05176536169500287 * q / nq;
        double b = -(0.512424224754762 * si / np + 0.05176536169500287 * si / nq);
        *re = -(x * b + y * a);
        *im = x * a - y * b;
        return;
    }
    double cosine = cos(12.0 * x), sine = sin(12.0 * x), e = exp(-12.0 * y), norm = x * x + y * y;
    double ar = 1.0 - e * cosine, ai = -e * sine;
    double a = (ar * y - ai * x) / (12.0 * norm), b = (ar * x + ai * y) / (12.0 * norm);
    double zr = 144.0 * (x * x - y * y), zi = 288.0 * x * y;
    for (int n = 0; n < 10; n++) {
        double k = n + 1, sign = n % 2 == 0 ? -1.0 : 1.0, br = sign * (e * cosine) - 1.0, bi = sign * e * sine;
        double dr = k * k * 9.869604401089358 - zr, di = -zi, d = dr * dr + di * di;
        double qr = (br * dr + bi * di) / d, qi = (bi * dr - br * di) / d;
        a -= 81.24330 * SAMPLES[n] * (x * qi + y * qr);
        b += 81.24330 * SAMPLES[n] * (x * qr - y * qi);
    }
    *re = a;
    *im = b;
}

ITEM {
    const double *pole = shared, *residue = pole + 2 * n1, *background = residue + 4 * n1, *density = background + 2 * n2;
    double doppler = density[n3], root = sqrt(f0[i]), sigma = 0.0, absorption = 0.0;
    size_t window = root * n0;
    for (uint32_t k = i1[i3[i]]; k < i1[i3[i] + 1]; k++) {
        size_t w = i2[k] * n0 + window;
        double total = background[2 * w], absorbed = background[2 * w + 1];
        for (uint32_t p = i0[w]; p < i0[w + 1]; p++) {
            double re, im;
            faddeeva((root - pole[2 * p]) * doppler, -pole[2 * p + 1] * doppler, &re, &im);
            total += (residue[4 * p] * re - residue[4 * p + 1] * im) * doppler / f0[i];
            absorbed += (residue[4 * p + 2] * re - residue[4 * p + 3] * im) * doppler / f0[i];
        }
        sigma += density[k] * total;
        absorption += density[k] * absorbed;
    }
    return sigma + 0.1 * absorption * absorption;
}

#include "../sum.h"
