/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of J. McClellan, T. Parks and L. Rabiner (A Computer Program for Designing Optimum FIR Linear Phase
 * Digital Filters, 1973): the weighted error of a sum of cosines is as small as possible where it has the same size,
 * with alternating signs, at one point more than there are terms.  The points are exchanged for the extrema of the
 * error on a grid of frequencies until they stay.  Lagrange's formula in barycentric form, in long double, gives the
 * sum.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signal/design/design.h"

#define PI 3.14159265358979323846264338327950288L

typedef long double number;

/* Taps are symmetric or antisymmetric; their response is a factor of the frequency times the sum of cosines. */
typedef struct kind {
    int64_t numtaps;
    bool antisymmetric, is_slope; /* a slope: desired values are times the frequency, errors relative to it */
} kind;

typedef struct exchange {
    int64_t terms, points;                /* cosines; points of the grid */
    number *x, *desired, *weight, *error; /* of the grid: cos(w), and the rest */
    int64_t *extrema;                     /* terms + 1 points */
    number *node, *factor, *value, delta; /* of the extrema */
} exchange;

static number factor_at(const kind *taps, number f)
{
    if (taps->antisymmetric)
        return sinl((taps->numtaps % 2 ? 2 : 1) * PI * f);
    return taps->numtaps % 2 ? 1 : cosl(PI * f);
}

/* The nearest frequency that is at least a step away from those where the factor is 0. */
static number beside_zeros(const kind *taps, number f, number step)
{
    const bool zero_at_end = (taps->numtaps % 2 == 0) != taps->antisymmetric;
    if (taps->antisymmetric && f < step)
        return step;
    return zero_at_end && f > 0.5L - step ? 0.5L - step : f;
}

/* The grid: so many points for each term in every band, with its ends. */
static int64_t make_grid(exchange *e, const kind *taps, int count, const double *bands, const double *desired,
                         const double *weight, int density)
{
    const number step = 0.5L / (number)(density * e->terms);
    int64_t points = 0;
    for (int band = 0; band < count; band++) {
        number low = bands[2 * band], high = bands[2 * band + 1];
        const int64_t steps = (int64_t)((high - low) / step + 0.5L) > 0 ? (int64_t)((high - low) / step + 0.5L) : 1;
        for (int64_t i = 0; i < steps; i++, points++) {
            if (!e->x)
                continue;
            const number f = beside_zeros(taps, i == steps - 1 ? high : low + (number)i * step, step);
            const number scale = factor_at(taps, f), slope = taps->is_slope ? f : 1;
            e->x[points] = cosl(2 * PI * f);
            e->desired[points] = desired[band] * slope / scale;
            e->weight[points] = (weight ? weight[band] : 1) * scale / (desired[band] >= 1e-4 ? slope : 1);
        }
    }
    return points;
}

/* The polynomial that has the same error, with alternating signs, at all extrema. */
static void interpolate(exchange *e)
{
    const int64_t n = e->terms + 1;
    number numerator = 0, denominator = 0;
    for (int64_t i = 0; i < n; i++)
        e->node[i] = e->x[e->extrema[i]];
    for (int64_t i = 0; i < n; i++) {
        number product = 1;
        for (int64_t j = 0; j < n; j++)
            product *= j == i ? 1 : 2 * (e->node[i] - e->node[j]);
        e->factor[i] = 1 / product;
        numerator += e->factor[i] * e->desired[e->extrema[i]];
        denominator += (i % 2 ? -1 : 1) * e->factor[i] / e->weight[e->extrema[i]];
    }
    e->delta = numerator / denominator;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = e->extrema[i];
        e->value[i] = e->desired[at] - (i % 2 ? -1 : 1) * e->delta / e->weight[at];
        e->factor[i] *= i < e->terms ? 2 * (e->node[i] - e->node[e->terms]) : 0; /* the last one is not needed */
    }
}

static number evaluate(const exchange *e, number x)
{
    number numerator = 0, denominator = 0;
    for (int64_t i = 0; i < e->terms; i++) {
        if (x == e->node[i])
            return e->value[i];
        const number part = e->factor[i] / (x - e->node[i]);
        numerator += part * e->value[i];
        denominator += part;
    }
    return numerator / denominator;
}

static void find_errors(exchange *e)
{
    for (int64_t i = 0; i < e->points; i++)
        e->error[i] = e->weight[i] * (e->desired[i] - evaluate(e, e->x[i]));
}

/* Choose the alternating extrema; false if there are too few.  *changed_p: whether any is another point. */
static bool choose_extrema(exchange *e, int64_t *found, bool *changed_p)
{
    int64_t count = 0;
    find_errors(e);
    for (int64_t i = 0; i < e->points; i++) {
        const number size = fabsl(e->error[i]);
        const bool first = i == 0 || e->error[i - 1] * e->error[i] < 0 || size > fabsl(e->error[i - 1]);
        const bool last = i == e->points - 1 || e->error[i + 1] * e->error[i] < 0 || size >= fabsl(e->error[i + 1]);
        if (!first || !last)
            continue;
        if (count > 0 && e->error[found[count - 1]] * e->error[i] > 0) { /* the larger one of two with one sign */
            if (size > fabsl(e->error[found[count - 1]]))
                found[count - 1] = i;
        } else {
            found[count++] = i;
        }
    }
    int64_t begin = 0;
    while (count > e->terms + 1) { /* leave out the smaller end, or the two smallest neighbours inside */
        if (count == e->terms + 2) {
            const bool drops_first = fabsl(e->error[found[begin]]) < fabsl(e->error[found[begin + count - 1]]);
            begin += drops_first;
            count--;
            break;
        }
        int64_t least = 0;
        for (int64_t i = 1; i < count; i++) {
            if (fabsl(e->error[found[begin + i]]) < fabsl(e->error[found[begin + least]]))
                least = i;
        }
        if (least == 0 || least == count - 1) {
            begin += least == 0;
            count--;
            continue;
        }
        const number before = fabsl(e->error[found[begin + least - 1]]),
                     after = fabsl(e->error[found[begin + least + 1]]);
        const int64_t from = begin + (before < after ? least - 1 : least);
        memmove(found + from, found + from + 2, (size_t)(begin + count - from - 2) * sizeof *found);
        count -= 2;
    }
    *changed_p = false;
    if (count < e->terms + 1)
        return false;
    for (int64_t i = 0; i <= e->terms; i++) {
        *changed_p = *changed_p || e->extrema[i] != found[begin + i];
        e->extrema[i] = found[begin + i];
    }
    return true;
}

/* From values of the sum at equal distances to taps. */
static void make_taps(const exchange *e, const kind *taps, double *h)
{
    const int64_t numtaps = taps->numtaps;
    for (int64_t i = 0; i < numtaps; i++) {
        number sum = 0;
        const number m = (number)i - (number)(numtaps - 1) / 2;
        for (int64_t k = 0; k < numtaps; k++) { /* the inverse transform of the response at k / numtaps */
            const number f = (number)(k <= numtaps / 2 ? k : numtaps - k) / (number)numtaps;
            const number wave = taps->antisymmetric ? -sinl(2 * PI * f * m) : cosl(2 * PI * f * m);
            const bool is_zero = numtaps % 2 == 0 && !taps->antisymmetric && 2 * k == numtaps;
            sum += is_zero ? 0 : evaluate(e, cosl(2 * PI * f)) * factor_at(taps, f) * wave;
        }
        h[i] = (double)(sum / (number)numtaps);
    }
}

/*
 * Whether the error that the extrema share is more than rounding: then every exchange brings the largest error nearer to
 * it.  If it is not, points are exchanged at random, and the result is one only where all errors are small.
 */
static bool is_sound(exchange *e)
{
    number most = 0;
    for (int64_t i = 0; i < e->points; i++)
        most = fmaxl(most, fabsl(e->weight[i] * e->desired[i]));
    if (fabsl(e->delta) > 1e-14L * most)
        return true;
    find_errors(e);
    for (int64_t i = 0; i < e->points; i++)
        if (!(fabsl(e->error[i]) <= 1e-9L * most))
            return false;
    return true;
}

static mnp_status run(exchange *e, int64_t *found, int maxiter)
{
    bool changed = true;
    for (int64_t i = 0; i <= e->terms; i++)
        e->extrema[i] = i * (e->points - 1) / e->terms;
    for (int step = 0; step < maxiter && changed; step++) {
        interpolate(e);
        if (!choose_extrema(e, found, &changed))
            break;
    }
    interpolate(e);
    if (!is_sound(e))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_remez: it does not converge, as the least errors are those of rounding: take "
                                     "fewer taps, or bands that are nearer to each other");
    return MNP_OK;
}

static mnp_status read_type(const char *type, kind *taps)
{
    if (type && strcmp(type, "bandpass") && strcmp(type, "differentiator") && strcmp(type, "hilbert"))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_remez: the type is '%s', and must be bandpass, differentiator or hilbert",
                        type);
    taps->antisymmetric = type && strcmp(type, "bandpass") != 0;
    taps->is_slope = type && strcmp(type, "differentiator") == 0;
    return MNP_OK;
}

mnp_status mnp_remez(int64_t numtaps, int count, const double *bands, const double *desired, const double *weight,
                     const char *type, double fs, int maxiter, int grid_density, double *h)
{
    MNP_ENTER(bands, desired, h);
    static const char function[] = "mnp_remez";
    const double scale = fs > 0 ? fs : 1;
    double *edges;
    number *room = NULL;
    int64_t *indices = NULL;
    kind taps = {.numtaps = numtaps};
    mnp_status st;
    MNP_TRY(read_type(type, &taps));
    exchange e = {.terms = taps.antisymmetric ? numtaps / 2 : (numtaps + 1) / 2};
    if (numtaps < 3 || count < 1 || maxiter < 1 || grid_density < 1)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: there are %" PRId64
                        " taps, 3 at least, %d bands, maxiter is %d and grid_density is %d, all 1 "
                        "at least",
                        function, numtaps, count, maxiter, grid_density);
    for (int i = 0; i < 2 * count; i++) {
        if (!(bands[i] >= (i ? bands[i - 1] : 0)) || bands[i] > scale / 2)
            return MNP_FAIL(MNP_ERR_ARG, "%s: bands[%d] is %g, and frequencies must not fall between 0 and %g",
                            function, i, bands[i], scale / 2);
    }
    MNP_TRY(mnp__malloc((size_t)(2 * count) * sizeof *edges, &edges));
    for (int i = 0; i < 2 * count; i++)
        edges[i] = bands[i] / scale;
    e.points = make_grid(&e, &taps, count, edges, desired, weight, grid_density);
    if (e.points < e.terms + 1) {
        st = MNP_FAIL(MNP_ERR_ARG, "%s: the bands are too narrow for %" PRId64 " taps", function, numtaps);
        goto done;
    }
    MNP_TRY_OR(mnp__malloc((size_t)(4 * e.points + 3 * (e.terms + 1)) * sizeof *room, &room), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)(e.points + e.terms + 1) * sizeof *indices, &indices), st, done);
    e.x = room;
    e.desired = e.x + e.points;
    e.weight = e.desired + e.points;
    e.error = e.weight + e.points;
    e.node = e.error + e.points;
    e.factor = e.node + e.terms + 1;
    e.value = e.factor + e.terms + 1;
    e.extrema = indices + e.points;
    make_grid(&e, &taps, count, edges, desired, weight, grid_density);
    st = run(&e, indices, maxiter);
    if (st == MNP_OK)
        make_taps(&e, &taps, h);
done:
    free(edges);
    free(room);
    free(indices);
    return st;
}
