/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times filters and spectra: one line of float64, which stays on the device; a call is made again and again.
 *
 *   mpirun -n RANKS bench/signal [--case NAME] [--elements N] [--repeats N]
 *
 * A time is the median of repeats, each between two events of the device, of the slowest rank.  Filters write to an
 * output that is given.  bench/peers/signal_peers.py does the same with SciPy and CuPy.
 */
#include <maniple.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

struct work {
    const struct benchmark *benchmark;
    mnp_array *x, *y;
    double taps[129];
    mnp_filter filter;
};

/* A result of functions that cannot be given one is released at once. */
static mnp_status drop(mnp_status st, mnp_array *f, mnp_array *t, mnp_array *y)
{
    mnp_free_all(f, t, y);
    return st;
}

static mnp_status fir(struct work *w)
{
    return mnp_lfilter(129, w->taps, 1, (double[]){1}, w->x, 0, NULL, &w->y, NULL);
}

static mnp_status iir(struct work *w)
{
    return mnp_lfilter(w->filter.nb, w->filter.b, w->filter.na, w->filter.a, w->x, 0, NULL, &w->y, NULL);
}

static mnp_status sections(struct work *w)
{
    return mnp_sosfilt(w->filter.sections, w->filter.sos, w->x, 0, NULL, &w->y, NULL);
}

static mnp_status both_ways(struct work *w)
{
    return mnp_filtfilt(w->filter.nb, w->filter.b, w->filter.na, w->filter.a, w->x, 0, NULL, MNP_NONE, &w->y);
}

static mnp_status decimate(struct work *w)
{
    mnp_array *y = NULL;
    mnp_status st = mnp_decimate(w->x, 8, 0, NULL, 0, true, &y);
    return drop(st, NULL, NULL, y);
}

static mnp_status resample(struct work *w)
{
    mnp_array *y = NULL;
    mnp_status st = mnp_resample_poly(w->x, 3, 2, 0, 0, NULL, &y);
    return drop(st, NULL, NULL, y);
}

static mnp_status hilbert(struct work *w)
{
    mnp_array *y = NULL;
    mnp_status st = mnp_hilbert(w->x, MNP_NONE, 0, &y);
    return drop(st, NULL, NULL, y);
}

static mnp_status stft(struct work *w)
{
    mnp_array *f = NULL, *t = NULL, *y = NULL;
    mnp_status st = mnp_stft(w->x, 0, NULL, &f, &t, &y);
    return drop(st, f, t, y);
}

static mnp_status spectrogram(struct work *w)
{
    mnp_array *f = NULL, *t = NULL, *y = NULL;
    mnp_status st = mnp_spectrogram(w->x, 0, NULL, &f, &t, &y);
    return drop(st, f, t, y);
}

static mnp_status welch(struct work *w)
{
    mnp_array *f = NULL, *y = NULL;
    mnp_status st = mnp_welch(w->x, 0, NULL, &f, &y);
    return drop(st, f, NULL, y);
}

static const struct benchmark {
    const char *name;
    mnp_status (*run)(struct work *w);
    int order; /* of the filter of Butterworth */
} benchmarks[] = {
    {"lfilter-fir129", fir, 4},       {"lfilter-butter4", iir, 4},
    {"sosfilt-butter8", sections, 8}, {"filtfilt-butter4", both_ways, 4},
    {"decimate8", decimate, 4},       {"resample_poly", resample, 4},
    {"hilbert", hilbert, 4},          {"stft", stft, 4},
    {"spectrogram", spectrogram, 4},  {"welch", welch, 4},
};

static mnp_status run(void *argument)
{
    struct work *w = argument;
    return w->benchmark->run(w);
}

static void time_benchmark(mnp_ctx *ctx, const void *one, int64_t elements, int repeats)
{
    const int64_t n = elements ? elements : 1 << 24;
    struct work w = {.benchmark = one};
    mnp_rng *rng = NULL;
    double *seconds = calloc((size_t)repeats, sizeof *seconds);
    MNP_OR_EXIT(mnp_agree(ctx, seconds ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %d repeats", repeats)));
    MNP_OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 1, &n, &w.x));
    MNP_OR_EXIT(mnp_empty(ctx, MNP_FLOAT64, 1, &n, &w.y));
    MNP_OR_EXIT(mnp_firwin(129, 1, (double[]){0.2}, NULL, 0, NULL, true, true, 0, w.taps));
    MNP_OR_EXIT(mnp_butter(w.benchmark->order, (double[]){0.2}, "lowpass", false, 0, &w.filter));
    measure(ctx, run, &w, repeats, seconds);
    const double median = seconds[repeats / 2], bytes = 16 * (double)n;
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-17s %11" PRId64 " float64 median %9.4f ms, best %9.4f ms\n", w.benchmark->name, n, 1e3 * median,
               1e3 * seconds[0]);
    record(ctx, record_of("signal", w.benchmark->name, n, "float64", seconds, repeats, bytes));
    free(seconds);
    mnp_rng_free(rng);
    mnp_filter_clear(&w.filter);
    mnp_free_all(w.x, w.y);
}

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, benchmarks, time_benchmark);
}
