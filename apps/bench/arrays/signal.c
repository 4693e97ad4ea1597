/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times filters and spectra: one line of float64, which stays on the device; a call is made again and again.
 *
 * A time is the median of repeats, of the slowest rank; a repeat is as many calls in a row as take 10 milliseconds,
 * between two events of the device, divided by their number.  Filters write to an output that is given.
 * bench/peers/signal_peers.py does the same with SciPy and CuPy.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

struct work {
    const struct timed_case *timed;
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

static mnp_status peaks(struct work *w)
{
    mnp_peaks found;
    mnp_status st = mnp_find_peaks(w->x, NULL, &found);
    if (st == MNP_OK)
        mnp_peaks_clear(&found);
    return st;
}

static const struct timed_case {
    const char *name;
    mnp_status (*run)(struct work *w);
    int order; /* of the filter of Butterworth */
} cases[] = {
    {"lfilter-fir129", fir, 4},       {"lfilter-butter4", iir, 4},
    {"sosfilt-butter8", sections, 8}, {"filtfilt-butter4", both_ways, 4},
    {"decimate8", decimate, 4},       {"resample_poly", resample, 4},
    {"hilbert", hilbert, 4},          {"stft", stft, 4},
    {"spectrogram", spectrogram, 4},  {"welch", welch, 4},
    {"find_peaks", peaks, 4},
};

static mnp_status run(void *argument)
{
    struct work *w = argument;
    return w->timed->run(w);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const int64_t n = o->elements ? o->elements : 1 << 24;
    struct work w = {.timed = one};
    mnp_rng *rng = NULL;
    double *seconds = seconds_new(ctx, o->repeats);
    OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 1, &n, &w.x));
    OR_EXIT(mnp_empty(ctx, MNP_FLOAT64, 1, &n, &w.y));
    OR_EXIT(mnp_firwin(129, 1, (double[]){0.2}, NULL, 0, NULL, true, true, 0, w.taps));
    OR_EXIT(mnp_butter(w.timed->order, (double[]){0.2}, "lowpass", false, 0, &w.filter));
    measure_together(ctx, run, &w, o->repeats, seconds);
    const double median = seconds[o->repeats / 2], bytes = 16 * (double)n;
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-17s %11" PRId64 " float64 median %9.4f ms, best %9.4f ms\n", w.timed->name, n, 1e3 * median,
               1e3 * seconds[0]);
    record(ctx, record_of("signal", w.timed->name, n, "float64", seconds, o->repeats, bytes));
    free(seconds);
    mnp_rng_free(rng);
    mnp_filter_clear(&w.filter);
    mnp_free_all(w.x, w.y);
}

const benchmark signal_benchmark = {.name = "signal",
                                    .help = "filters and spectra of a signal",
                                    .repeats = 50,
                                    BENCH_CASES(cases),
                                    .time_case = time_case};
