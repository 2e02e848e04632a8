// The kernels as a child of compare.py: one command at a time from standard input, its answer to standard output.
//
//   load WORKLOAD CASE BYTES, and it     seconds until the first gradient was there
//   time CALLS                           the nanoseconds of so many gradients in a row
//   gradient                             value; then the number of entries, and these
//   memory                               bytes by which a gradient raises the peak of the process's memory
//
// -DKERNEL names the file of the kernel. The gradient is the plugin's for the whole function, with -DBY_HAND the one that a user
// arranges. With -DVALUE_ONLY there is no plugin, and gradients are zero: for a check of the values.
#ifndef KERNEL
#error "KERNEL is the file of the kernel"
#endif
#include KERNEL
#include <stdio.h>
#include <time.h>

#ifdef BY_HAND
// Of the arrangements by hand, the one that is fastest for this case: in chunks or at once, on all threads or on one.
enum { IN_CHUNKS = 1, ALONE = 2, ARRANGEMENTS = 4 };
static int arrangement, threads;
#endif

static void gradient(const struct Case *c, const double *p, double *g) {
#ifndef BY_HAND
    automatic(c, p, g);
#elif defined _OPENMP
    omp_set_num_threads(arrangement & ALONE ? 1 : threads);
    by_hand(c, p, g, arrangement & IN_CHUNKS);
#else
    // without threads, the whole function needs no arrangement
    if (arrangement & ALONE)
        automatic(c, p, g);
    else
        by_hand(c, p, g, arrangement & IN_CHUNKS);
#endif
}

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

// The numbers in a case's name.
static void numbers(const char *name, size_t *found) {
    for (size_t count = 0; *name && count < 8;) {
        if (*name < '0' || *name > '9') {
            name++;
            continue;
        }
        char *end;
        found[count++] = strtoul(name, &end, 10);
        name = end;
    }
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

// Seconds of a gradient.
static double timed(const struct Case *c, const double *p, double *g) {
    memset(g, 0, c->parameters * sizeof(double));
    double start = seconds();
    gradient(c, p, g);
    return seconds() - start;
}

#ifdef BY_HAND
// The fastest of some calls.
static double fastest(const struct Case *c, const double *p, double *g) {
    double best = 1e300, spent = 0.0;
    for (int call = 0; call < 9 && (call < 2 || spent < 2.0); call++) {
        double elapsed = timed(c, p, g);
        spent += elapsed;
        if (elapsed < best) best = elapsed;
    }
    return best;
}

static void arrange(const struct Case *c, const double *p, double *g) {
    double best = 1e300;
    int chosen = 0;
    for (arrangement = 0; arrangement < ARRANGEMENTS; arrangement++) {
        double found = fastest(c, p, g);
        if (found < best) {
            best = found;
            chosen = arrangement;
        }
    }
    arrangement = chosen;
}
#else
static void arrange(const struct Case *c, const double *p, double *g) {}
#endif

static void load(struct Case *c, double **p, double **g) {
    size_t count = word();
    for (size_t i = 0; i < count; i++) c->sizes[i] = word();
    c->index_count = word();
    for (size_t a = 0; a < c->index_count; a++) {
        c->index_len[a] = word();
        c->indices[a] = malloc((c->index_len[a] + 1) * sizeof(uint32_t));
        for (size_t i = 0; i < c->index_len[a]; i++) c->indices[a][i] = word();
    }
    c->float_count = word();
    for (size_t a = 0; a < c->float_count; a++) c->floats[a] = floats(&c->float_len[a]);
    *p = floats(&c->parameters);
    *g = calloc(c->parameters + 1, sizeof(double));
}

int main(void) {
    char line[256], name[64], of[64];
    struct Case c = {0};
    double *p = NULL, *g = NULL;
#if defined BY_HAND && defined _OPENMP
    threads = omp_get_max_threads();
#endif
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "load %63s %63s", name, of) == 2) {
            numbers(of, c.numbers);
            load(&c, &p, &g);
            double first = timed(&c, p, g);
            arrange(&c, p, g);
            printf("%.9f\n", first);
        } else if (line[0] == 't') {
            for (int calls = atoi(line + strlen("time")); calls > 0; calls--) printf("%.0f ", 1e9 * timed(&c, p, g));
            printf("\n");
        } else if (line[0] == 'm') {
            long before = status("VmRSS");
            FILE *file = fopen("/proc/self/clear_refs", "w");
            if (file) fputs("5", file), fclose(file);
            timed(&c, p, g);
            printf("%ld\n", status("VmHWM") - before);
        } else {
            uint64_t len = c.parameters;
            timed(&c, p, g);
            printf("%.17g\n", value(&c, p));
            fwrite(&len, sizeof len, 1, stdout);
            fwrite(g, sizeof(double), len, stdout);
        }
        fflush(stdout);
    }
    return 0;
}
