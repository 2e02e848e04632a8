// The kernels as a child of compare.py: one command at a time from standard input, its answer to standard output.
//
//   load WORKLOAD CASE BYTES, and it     seconds until the first gradient was there
//   time CALLS                           the nanoseconds of so many gradients in a row
//   gradient                             value; then the number of entries, and these
//   memory                               bytes by which a gradient raises the peak of the process's memory
//
// With -DVALUE_ONLY there is no plugin, and gradients are zero: for a check of the values.
#include "kernels.h"
#include <stdio.h>
#include <time.h>

#ifdef VALUE_ONLY
#define DIFFERENTIATE(kernel, c, p, g)
#else
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
#define DIFFERENTIATE(kernel, c, p, g) __enzyme_autodiff((void *)kernel, enzyme_const, c, enzyme_dup, p, g)
#endif

#define KERNELS(X) X(matvec) X(matvec_tanh) X(spmv) X(heat2d) X(ba) X(gmm)
#define GRADIENT(kernel) \
    static void d_##kernel(const struct Case *c, const double *p, double *g) { DIFFERENTIATE(kernel, c, p, g); }
KERNELS(GRADIENT)

static const struct {
    const char *name;
    double (*value)(const struct Case *, const double *);
    void (*gradient)(const struct Case *, const double *, double *);
} TABLE[] = {
#define ROW(kernel) {#kernel, kernel, d_##kernel},
    KERNELS(ROW)};

static uint64_t word(void) {
    uint64_t x;
    if (fread(&x, sizeof x, 1, stdin) != 1) exit(1);
    return x;
}

static double *floats(size_t *len) {
    *len = word();
    double *x = malloc((*len + 1) * sizeof(double));
    if (fread(x, sizeof(double), *len, stdin) != *len) exit(1);
    return x;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

// A line of /proc/self/status, in bytes.
static long status(const char *key) {
    char line[256];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key))) sscanf(line + strlen(key), ": %ld", &kilobytes);
    if (file) fclose(file);
    return 1024 * kilobytes;
}

int main(void) {
    char line[256], name[64];
    struct Case c;
    double *p = NULL, *g = NULL;
    int chosen = -1;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "load %63s", name) == 1) {
            size_t len, count = word();
            for (size_t i = 0; i < count; i++) c.sizes[i] = word();
            c.index_count = word();
            for (size_t a = 0; a < c.index_count; a++) {
                c.index_len[a] = word();
                c.indices[a] = malloc((c.index_len[a] + 1) * sizeof(uint32_t));
                for (size_t i = 0; i < c.index_len[a]; i++) c.indices[a][i] = word();
            }
            c.float_count = word();
            for (size_t a = 0; a < c.float_count; a++) c.floats[a] = floats(&c.float_len[a]);
            p = floats(&len);
            c.parameters = len;
            g = calloc(len + 1, sizeof(double));
            chosen = -1;
            for (size_t k = 0; k < sizeof TABLE / sizeof *TABLE; k++)
                if (!strcmp(TABLE[k].name, name)) chosen = k;
            if (chosen < 0) {
                fprintf(stderr, "no kernel in C\n");
                return 1;
            }
        }
        if (line[0] == 't') {
            for (int calls = atoi(line + strlen("time")); calls > 0; calls--) {
                memset(g, 0, c.parameters * sizeof(double));
                double start = seconds();
                TABLE[chosen].gradient(&c, p, g);
                printf("%.0f ", 1e9 * (seconds() - start));
            }
            printf("\n");
            fflush(stdout);
            continue;
        }
        memset(g, 0, c.parameters * sizeof(double));
        long before = status("VmRSS");
        if (line[0] == 'm') {
            FILE *file = fopen("/proc/self/clear_refs", "w");
            if (file) fputs("5", file), fclose(file);
        }
        double start = seconds();
        TABLE[chosen].gradient(&c, p, g);
        double elapsed = seconds() - start;
        if (line[0] == 'l')
            printf("%.9f\n", elapsed);
        else if (line[0] == 'm')
            printf("%ld\n", status("VmHWM") - before);
        else {
            uint64_t len = c.parameters;
            printf("%.17g\n", TABLE[chosen].value(&c, p));
            fwrite(&len, sizeof len, 1, stdout);
            fwrite(g, sizeof(double), len, stdout);
        }
        fflush(stdout);
    }
    return 0;
}
