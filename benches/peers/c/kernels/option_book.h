// Options on one share, by Black and Scholes.
#include "../given.h"

static struct Shape shape(const struct Case *c) {
    return (struct Shape){.count = c->float_len[0], .own = 2, .shared = 0, .shared_len = 2};
}

INLINE double normal(double x) {
    double t = 1.0 / (1.0 + 0.2316419 * fabs(x));
    double poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    double tail = 0.3989422804014327 * exp(-0.5 * x * x) * poly;
    return x >= 0.0 ? 1.0 - tail : tail;
}

ITEM {
    double spot = shared[0], rate = shared[1], volatility = own[i], strike = f0[i], maturity = f1[i];
    double width = volatility * sqrt(maturity);
    double d1 = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * maturity) / width;
    return f2[i] * (spot * normal(d1) - strike * exp(-rate * maturity) * normal(d1 - width));
}

#include "../sum.h"
