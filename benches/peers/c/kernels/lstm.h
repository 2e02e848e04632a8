// A diagonal LSTM along a text. It is sequential, so its loops are not parallel.
#include "../given.h"
enum { SEGMENT = 32 };

INLINE double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

// Some characters; the state is the hidden and the cell's values of each layer.
OUTLINE void segment(size_t begin, size_t end, size_t layers, size_t b, const double *restrict main, const double *restrict extra,
                     const double *restrict sequence, double *restrict state, double *restrict input, double *restrict loss) {
    double total = 0.0;
    for (size_t t = begin; t < end; t++) {
        for (size_t x = 0; x < b; x++) input[x] = sequence[t * b + x] * extra[x];
        for (size_t layer = 0; layer < layers; layer++) {
            const double *weight = main + 8 * layer * b, *bias = weight + 4 * b;
            double *hidden = state + 2 * layer * b, *cell = hidden + b;
            for (size_t x = 0; x < b; x++) {
                double forget = sigmoid(input[x] * weight[x] + bias[x]);
                double ingate = sigmoid(hidden[x] * weight[b + x] + bias[b + x]);
                double outgate = sigmoid(input[x] * weight[2 * b + x] + bias[2 * b + x]);
                double change = tanh(hidden[x] * weight[3 * b + x] + bias[3 * b + x]);
                cell[x] = cell[x] * forget + ingate * change;
                hidden[x] = outgate * tanh(cell[x]);
                input[x] = hidden[x];
            }
        }
        double normaliser = 2.0, seen = 0.0, count = 0.0;
        for (size_t x = 0; x < b; x++) {
            double y = input[x] * extra[b + x] + extra[2 * b + x];
            normaliser += exp(y);
            seen += sequence[(t + 1) * b + x] * y;
            count += sequence[(t + 1) * b + x];
        }
        total += count * log(normaliser) - seen;
    }
    *loss += total;
}

// Value and gradient, with a tape of all steps or of one segment at a time, in front of which the state is kept.
static double run(const struct Case *c, const double *p, double *g, size_t length) {
    size_t layers = c->sizes[0], steps = c->sizes[1] - 1, b = c->sizes[2], len = 2 * layers * b,
           segments = (steps + length - 1) / length;
    const double *sequence = c->floats[1], *extra = p + 8 * layers * b;
    double *states = malloc((segments + 1) * len * sizeof(double)), *d_state = calloc(len + 2 * b, sizeof(double));
    double *input = d_state + len, *d_input = input + b, total = 0.0, seed = 1.0 / (b * steps), ignored = 0.0;
    memcpy(states, c->floats[0], len * sizeof(double));
    if (!g || segments > 1)
        for (size_t s = 0; s < segments; s++) {
            double *next = states + (s + 1) * len;
            memcpy(next, next - len, len * sizeof(double));
            segment(s * length, (s + 1) * length < steps ? (s + 1) * length : steps, layers, b, p, extra, sequence, next, input,
                    &total);
        }
    double *loss = segments > 1 ? &ignored : &total;
    for (size_t s = segments; g && s-- > 0;)
        DIFFERENTIATE((void *)segment, enzyme_const, s * length, enzyme_const,
                      (s + 1) * length < steps ? (s + 1) * length : steps, enzyme_const, layers, enzyme_const, b, enzyme_dup, p,
                      g, enzyme_dup, extra, g + 8 * layers * b, enzyme_const, sequence, enzyme_dup, states + s * len, d_state,
                      enzyme_dup, input, d_input, enzyme_dup, loss, &seed);
    free(states), free(d_state);
    return total * (1.0 / (b * steps));
}

static double value(const struct Case *c, const double *p) { return run(c, p, NULL, c->sizes[1]); }
static void automatic(const struct Case *c, const double *p, double *g) { run(c, p, g, c->sizes[1]); }
static void by_hand(const struct Case *c, const double *p, double *g, int chunks) {
    run(c, p, g, chunks ? SEGMENT : c->sizes[1]);
}
