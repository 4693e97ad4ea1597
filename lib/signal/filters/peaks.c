/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peaks, their prominences and widths.
 *
 * Local maxima are found by comparisons of x with itself, shifted; only where equal elements follow one another, the
 * runs of equal elements are listed first.  Conditions on properties that are arrays select from all of them.  What is
 * measured about peaks is in peak_walks.c.
 */
#include <maniple/peaks.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/item.h>
#include <maniple/reduce.h>
#include <maniple/select.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "signal/filters/filters.h"

static mnp_status check_signal(const char *function, const mnp_array *x)
{
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    if (x->layout->ndim != 1 || mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: x is %s of %d dimensions, and must be a real vector", function,
                        mnp_dtype_name(x->dtype), x->layout->ndim);
    return MNP_OK;
}

static mnp_status apply(mnp_ctx *ctx, const char *function, const mnp__formula *formula, const mnp_array *const *inputs,
                        mnp_array **out_p)
{
    const mnp__formula_call call = {.function = function,
                                    .formula = formula,
                                    .ninputs = formula->ninputs,
                                    .inputs = inputs,
                                    .outputs_p = (mnp_array * *const[]){out_p},
                                    .type = formula->type,
                                    .result = formula->type};
    return mnp__formula_run(ctx, &call);
}

/* ---- properties ---- */

enum { PROPERTIES = sizeof(mnp_peaks) / sizeof(mnp_array *) };
typedef union peak_list {
    mnp_peaks named;
    mnp_array *arrays[PROPERTIES];
} peak_list;

static void clear(peak_list *list)
{
    for (int i = 0; i < PROPERTIES; i++)
        mnp_array_free(list->arrays[i]);
    *list = (peak_list){.arrays = {NULL}};
}

void mnp_peaks_clear(mnp_peaks *peaks)
{
    peak_list list;
    if (!peaks)
        return;
    list.named = *peaks;
    clear(&list);
    *peaks = list.named;
}

/* Keep the peaks where `keep`, which is released, is true. */
static mnp_status select_peaks(peak_list *list, mnp_array *keep)
{
    mnp_status st = MNP_OK;
    for (int i = 0; i < PROPERTIES && st == MNP_OK; i++) {
        mnp_array *kept = NULL;
        if (!list->arrays[i])
            continue;
        st = mnp_compress(keep, list->arrays[i], 0, &kept);
        if (st != MNP_OK)
            break;
        mnp_array_free(list->arrays[i]);
        list->arrays[i] = kept;
    }
    mnp_array_free(keep);
    return st;
}

static const mnp__formula between = {
    .name = "between_limits",
    .body = "out = mnp_bool{(uint8_t)(least <= v && v <= most)};",
    .type = MNP_BOOL,
    .ninputs = 3,
    .inputs = {{"v", MNP_FLOAT64, false}, {"least", MNP_FLOAT64, false}, {"most", MNP_FLOAT64, false}},
};

/* Keep the peaks whose first property is at least range[0] and whose second one is at most range[1]. */
static mnp_status select_range(const char *function, peak_list *list, const mnp_array *low, const mnp_array *high,
                               const double *range)
{
    mnp_ctx *ctx = low->ctx;
    mnp_array *keep = NULL, *also = NULL;
    const mnp_array *const inputs[] = {low, mnp_scalar_float(ctx, range[0]), mnp_scalar_float(ctx, INFINITY)};
    MNP_TRY(apply(ctx, function, &between, inputs, &keep));
    const mnp_array *const others[] = {high, mnp_scalar_float(ctx, -INFINITY), mnp_scalar_float(ctx, range[1])};
    mnp_status st = apply(ctx, function, &between, others, &also);
    if (st == MNP_OK) {
        mnp_array *target = keep;
        st = mnp_logical_and(keep, also, &target);
    }
    mnp_array_free(also);
    if (st == MNP_OK)
        return select_peaks(list, keep);
    mnp_array_free(keep);
    return st;
}

/* ---- local maxima ---- */

/* 1: x is higher than both neighbours; 2: it is higher than the one before, and equal to the one behind. */
static const mnp__formula class_of = {
    .name = "classes_of_peaks",
    .body = "out = before < x ? (x > behind ? 1 : x == behind ? 2 : 0) : 0;",
    .type = MNP_INT8,
    .ninputs = 3,
    .inputs = {{"before", MNP_FLOAT64, false}, {"x", MNP_FLOAT64, false}, {"behind", MNP_FLOAT64, false}},
};

/* Views of x from its first, second and third element on, all as long. */
static mnp_status three_views(const mnp_array *x, mnp_array **views)
{
    const int64_t n = x->layout->shape[0];
    mnp_status st = MNP_OK;
    for (int i = 0; i < 3 && st == MNP_OK; i++)
        st = mnp__lines_part(x, 0, i, n - 2 + i, 1, &views[i]);
    return st;
}

/* Plus a number, in place. */
static mnp_status add_number(mnp_array *x, int64_t number)
{
    mnp_array *target = x;
    return mnp_add(x, mnp_scalar_int(x->ctx, number), &target);
}

static const mnp__formula is_higher = {
    .name = "runs_that_are_higher",
    .body = "out = mnp_bool{(uint8_t)(before < x && x > behind)};",
    .type = MNP_BOOL,
    .ninputs = 3,
    .inputs = {{"before", MNP_FLOAT64, false}, {"x", MNP_FLOAT64, false}, {"behind", MNP_FLOAT64, false}},
};

/*
 * Local maxima among runs of equal elements: with the last element of every run but the last one, and the values of
 * these runs and of those behind them, a run is a peak if its value is higher than those of the runs on both sides.
 */
static mnp_status find_plateaus(const char *function, const mnp_array *x, peak_list *list)
{
    mnp_ctx *ctx = x->ctx;
    const int64_t n = x->layout->shape[0];
    mnp_array *front = NULL, *back = NULL, *differs = NULL, *last = NULL, *next = NULL, *value = NULL, *behind = NULL;
    mnp_array *views[5] = {NULL}, *keep = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__lines_part(x, 0, 0, n - 1, 1, &front), st, done);
    MNP_TRY_OR(mnp__lines_part(x, 0, 1, n, 1, &back), st, done);
    MNP_TRY_OR(mnp_not_equal(front, back, &differs), st, done);
    MNP_TRY_OR(mnp_flatnonzero(differs, &last), st, done);
    const int64_t runs = last->layout->shape[0];
    MNP_TRY_OR(mnp_add(last, mnp_scalar_int(ctx, 1), &next), st, done);
    MNP_TRY_OR(mnp_take(x, last, 0, MNP_RAISE, &value), st, done);
    MNP_TRY_OR(mnp_take(x, next, 0, MNP_RAISE, &behind), st, done);
    const int64_t inner = runs > 0 ? 1 : 0;
    MNP_TRY_OR(mnp__lines_part(value, 0, 0, runs - inner, 1, &views[0]), st, done);
    MNP_TRY_OR(mnp__lines_part(value, 0, inner, runs, 1, &views[1]), st, done);
    MNP_TRY_OR(mnp__lines_part(behind, 0, inner, runs, 1, &views[2]), st, done);
    MNP_TRY_OR(mnp__lines_part(next, 0, 0, runs - inner, 1, &views[3]), st, done);
    MNP_TRY_OR(mnp__lines_part(last, 0, inner, runs, 1, &views[4]), st, done);
    MNP_TRY_OR(apply(ctx, function, &is_higher, (const mnp_array *const *)views, &keep), st, done);
    MNP_TRY_OR(mnp_compress(keep, views[3], 0, &list->named.left_edges), st, done);
    MNP_TRY_OR(mnp_compress(keep, views[4], 0, &list->named.right_edges), st, done);
    MNP_TRY_OR(mnp_add(list->named.left_edges, list->named.right_edges, &list->named.peaks), st, done);
    mnp_array *target = list->named.peaks;
    st = mnp_floor_divide(target, mnp_scalar_int(ctx, 2), &target);
done:
    for (int i = 0; i < 5; i++)
        mnp_array_free(views[i]);
    mnp_free_all(front, back, differs, last, next, value, behind, keep);
    return st;
}

/* The peaks, and their edges, of which there need be none if all peaks are single elements. */
static mnp_status find_maxima(const char *function, const mnp_array *x, peak_list *list)
{
    mnp_array *views[3] = {NULL}, *classes = NULL, *most = NULL;
    int64_t empty = 0, largest = 0;
    mnp_status st;
    if (x->layout->shape[0] < 3)
        return mnp_array_from_host(x->ctx, MNP_INT64, 1, &empty, &empty, &list->named.peaks);
    MNP_TRY_OR(three_views(x, views), st, done);
    MNP_TRY_OR(apply(x->ctx, function, &class_of, (const mnp_array *const *)views, &classes), st, done);
    MNP_TRY_OR(mnp_max(classes, NULL, &most), st, done);
    MNP_TRY_OR(mnp_array_item(most, MNP_INT64, &largest), st, done);
    if (largest > 1) {
        st = find_plateaus(function, x, list);
    } else {
        st = mnp_flatnonzero(classes, &list->named.peaks);
        if (st == MNP_OK)
            st = add_number(list->named.peaks, 1);
    }
done:
    mnp_free_all(views[0], views[1], views[2], classes, most);
    return st;
}

/* ---- conditions ---- */

static mnp_status by_plateau(const char *function, peak_list *list, const double *range)
{
    mnp_peaks *p = &list->named;
    if (!p->left_edges) {
        MNP_TRY(mnp_copy(p->peaks, &p->left_edges));
        MNP_TRY(mnp_copy(p->peaks, &p->right_edges));
    }
    MNP_TRY(mnp_subtract(p->right_edges, p->left_edges, &p->plateau_sizes));
    MNP_TRY(add_number(p->plateau_sizes, 1));
    return select_range(function, list, p->plateau_sizes, p->plateau_sizes, range);
}

static mnp_status by_height(const char *function, const mnp_array *x, peak_list *list, const double *range)
{
    mnp_peaks *p = &list->named;
    MNP_TRY(mnp_take(x, p->peaks, 0, MNP_RAISE, &p->peak_heights));
    return select_range(function, list, p->peak_heights, p->peak_heights, range);
}

/* x at the peaks less x at `step` elements from them. */
static mnp_status threshold(const mnp_array *x, const mnp_array *peaks, int64_t step, mnp_array **threshold_p)
{
    mnp_array *there = NULL, *height = NULL, *neighbour = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_add(peaks, mnp_scalar_int(x->ctx, step), &there), st, done);
    MNP_TRY_OR(mnp_take(x, peaks, 0, MNP_RAISE, &height), st, done);
    MNP_TRY_OR(mnp_take(x, there, 0, MNP_RAISE, &neighbour), st, done);
    st = mnp_subtract(height, neighbour, threshold_p);
done:
    mnp_free_all(there, height, neighbour);
    return st;
}

static mnp_status by_threshold(const char *function, const mnp_array *x, peak_list *list, const double *range)
{
    mnp_peaks *p = &list->named;
    mnp_array *low = NULL, *high = NULL;
    MNP_TRY(threshold(x, p->peaks, -1, &p->left_thresholds));
    MNP_TRY(threshold(x, p->peaks, 1, &p->right_thresholds));
    mnp_status st = mnp_minimum(p->left_thresholds, p->right_thresholds, &low);
    if (st == MNP_OK)
        st = mnp_maximum(p->left_thresholds, p->right_thresholds, &high);
    if (st == MNP_OK)
        st = select_range(function, list, low, high, range);
    mnp_free_all(low, high);
    return st;
}

/* Peaks that are being thinned out, on every rank's CPU. */
typedef struct thinning {
    int64_t count, distance; /* those that are kept are at least so far from each other */
    int64_t *peaks, *waiting;
    double *heights;
    unsigned char *fate;
} thinning;
enum { UNDECIDED, GOES, STAYS };

/* Whether peak j is taken before peak k: the higher one is, and the last one of equal peaks. */
static bool comes_before(const thinning *t, int64_t j, int64_t k)
{
    return t->heights[j] > t->heights[k] || (t->heights[j] == t->heights[k] && j > k);
}

/* The peaks from *low_p to *high_p - 1 are too near to peak j. */
static void find_near(const thinning *t, int64_t j, int64_t *low_p, int64_t *high_p)
{
    int64_t low = j, high = j + 1;
    while (low > 0 && t->peaks[j] - t->peaks[low - 1] < t->distance)
        low--;
    while (high < t->count && t->peaks[high] - t->peaks[j] < t->distance)
        high++;
    *low_p = low;
    *high_p = high;
}

/*
 * A peak stays if none stays that is higher and too near; then those near it go.  So a peak waits for the highest of
 * the undecided ones near it, which may wait for another one.
 */
static void decide(thinning *t, int64_t j)
{
    int64_t waiting = 0, low, high;
    t->waiting[waiting++] = j;
    while (waiting > 0) {
        int64_t first = j = t->waiting[waiting - 1];
        if (t->fate[j] == UNDECIDED)
            find_near(t, j, &low, &high);
        else
            low = high = j;
        for (int64_t k = low; k < high; k++)
            if (t->fate[k] == UNDECIDED && comes_before(t, k, first))
                first = k;
        if (first != j) {
            t->waiting[waiting++] = first;
            continue;
        }
        for (int64_t k = low; k < high; k++)
            t->fate[k] = k == j ? STAYS : GOES;
        waiting--;
    }
}

/* Bring the peaks and their heights to every rank, and decide about this rank's.  Collective. */
static mnp_status thin_out(thinning *t, const mnp_array *peaks, const mnp_array *heights, mnp_array *kept)
{
    const size_t room = (size_t)t->count + 1;
    const int64_t low = kept->local_lo[0], high = low + kept->local_size;
    mnp_status st = mnp__calloc(room, 1, &t->fate);
    if (st == MNP_OK)
        st = mnp__malloc(room * sizeof *t->peaks, &t->peaks);
    if (st == MNP_OK)
        st = mnp__malloc(room * sizeof *t->waiting, &t->waiting);
    if (st == MNP_OK)
        st = mnp__malloc(room * sizeof *t->heights, &t->heights);
    st = MNP_AGREE(kept->ctx, st);
    if (st == MNP_OK)
        st = mnp_array_to_host(peaks, MNP_ALL_RANKS, t->peaks);
    if (st == MNP_OK)
        st = mnp_array_to_host(heights, MNP_ALL_RANKS, t->heights);
    if (st != MNP_OK)
        return st;
    for (int64_t j = low; j < high; j++)
        decide(t, j);
    for (int64_t j = low; j < high; j++)
        t->fate[j] = t->fate[j] == STAYS;
    return MNP_AGREE(kept->ctx, mnp_array_set_local(kept, t->fate + low));
}

static mnp_status by_distance(const mnp_array *x, peak_list *list, double distance)
{
    const double least = ceil(distance);
    thinning t = {.count = list->named.peaks->layout->shape[0],
                  .distance = least < 0x1p62 ? (int64_t)least : INT64_MAX};
    mnp_array *heights = NULL, *kept = NULL;
    MNP_TRY(mnp_take(x, list->named.peaks, 0, MNP_RAISE, &heights));
    mnp_status st = mnp_empty(x->ctx, MNP_BOOL, 1, &t.count, &kept);
    if (st == MNP_OK)
        st = thin_out(&t, list->named.peaks, heights, kept);
    if (st == MNP_OK)
        st = select_peaks(list, kept);
    else
        mnp_array_free(kept);
    mnp_array_free(heights);
    free(t.peaks);
    free(t.waiting);
    free(t.heights);
    free(t.fate);
    return st;
}

/* ---- public functions ---- */

static mnp_status check_range(const char *function, const char *name, const double *range)
{
    if (range && (isnan(range[0]) || isnan(range[1])))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %g to %g", function, name, range[0], range[1]);
    return MNP_OK;
}

static mnp_status check_walk(const char *function, int64_t wlen, double rel_height)
{
    if (wlen != 0 && wlen < 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: wlen is %" PRId64 ", and must be 2 or more, or 0 for all", function, wlen);
    if (!(rel_height >= 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: rel_height is %g, and must be 0 or more", function, rel_height);
    return MNP_OK;
}

static mnp_status check_options(const char *function, const mnp_find_peaks_options *o)
{
    MNP_TRY(check_range(function, "plateau_size", o->plateau_size));
    MNP_TRY(check_range(function, "height", o->height));
    MNP_TRY(check_range(function, "threshold", o->threshold));
    MNP_TRY(check_range(function, "prominence", o->prominence));
    MNP_TRY(check_range(function, "width", o->width));
    if (o->distance != 0 && !(o->distance >= 1))
        return MNP_FAIL(MNP_ERR_ARG, "%s: distance is %g, and must be 1 or more, or 0 for any", function, o->distance);
    return check_walk(function, o->wlen, o->rel_height);
}

static mnp_status find_peaks(const char *function, const mnp_array *x, const mnp_find_peaks_options *o, peak_list *list)
{
    mnp_peaks *p = &list->named;
    MNP_TRY(find_maxima(function, x, list));
    if (o->plateau_size)
        MNP_TRY(by_plateau(function, list, o->plateau_size));
    else {
        mnp_free_all(p->left_edges, p->right_edges);
        p->left_edges = p->right_edges = NULL;
    }
    if (o->height)
        MNP_TRY(by_height(function, x, list, o->height));
    if (o->threshold)
        MNP_TRY(by_threshold(function, x, list, o->threshold));
    if (o->distance > 0)
        MNP_TRY(by_distance(x, list, o->distance));
    if (!o->prominence && !o->width)
        return MNP_OK;
    MNP_TRY(mnp__peaks_measure(x, o->wlen, !o->width ? -1 : o->rel_height > 0 ? o->rel_height : 0.5, p, NULL));
    if (o->prominence)
        MNP_TRY(select_range(function, list, p->prominences, p->prominences, o->prominence));
    return o->width ? select_range(function, list, p->widths, p->widths, o->width) : MNP_OK;
}

mnp_status mnp_find_peaks(const mnp_array *x, const mnp_find_peaks_options *options, mnp_peaks *peaks)
{
    MNP_ENTER(x, peaks);
    static const mnp_find_peaks_options defaults = {.distance = 0};
    const mnp_find_peaks_options *o = options ? options : &defaults;
    peak_list list = {.arrays = {NULL}};
    mnp__input wide = {NULL, NULL};
    MNP_TRY(check_signal(__func__, x));
    MNP_TRY(check_options(__func__, o));
    MNP_TRY(mnp__input_open(x, NULL, MNP_FLOAT64, 0, &wide));
    const mnp_status st = find_peaks(__func__, wide.array, o, &list);
    mnp__input_close(&wide);
    if (st == MNP_OK)
        *peaks = list.named;
    else
        clear(&list);
    return st;
}

/* The dtype of a member of mnp_peaks that is measured: bases are places. */
static mnp_dtype dtype_of(int member)
{
    const int left = (int)(offsetof(mnp_peaks, left_bases) / sizeof(mnp_array *));
    return member == left || member == left + 1 ? MNP_INT64 : MNP_FLOAT64;
}

/* Measure given peaks, and give `count` of their properties. */
static mnp_status measure_given(const char *function, const mnp_array *x, const mnp_array *peaks, int64_t wlen,
                                double rel_height, int first, int count, mnp_array **const *user_p)
{
    peak_list list = {.named = {.peaks = (mnp_array *)peaks}};
    mnp__output outputs[4];
    bool wrong = false;
    MNP_TRY(check_signal(function, x));
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){x, peaks}));
    MNP_TRY(check_walk(function, wlen, rel_height < 0 ? 0 : rel_height));
    MNP_TRY(mnp__output_check_distinct(function, count, user_p));
    if (peaks->layout->ndim != 1 || !strchr("iu", mnp_dtype_kind(peaks->dtype)))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the peaks are %s of %d dimensions, and must be a vector of integers",
                        function, mnp_dtype_name(peaks->dtype), peaks->layout->ndim);
    for (int i = 0; i < count; i++) {
        const mnp__output_spec spec = {
            .function = function, .ctx = x->ctx, .dtype = dtype_of(first + i), .layout = peaks->layout};
        if (*user_p[i])
            MNP_TRY(mnp__output_check(&spec, *user_p[i]));
    }
    mnp_status st = mnp__peaks_measure(x, wlen, rel_height, &list.named, &wrong);
    if (st == MNP_OK && wrong)
        st = MNP_FAIL(MNP_ERR_ARG, "%s: a peak is outside x, which has %" PRId64 " elements", function,
                      x->layout->shape[0]);
    for (int i = 0; i < count; i++) {
        outputs[i] = (mnp__output){.array = list.arrays[first + i], .user_p = user_p[i]};
        list.arrays[first + i] = NULL;
    }
    list.named.peaks = NULL;
    clear(&list);
    return mnp__output_close(count, outputs, st);
}

mnp_status mnp_peak_prominences(const mnp_array *x, const mnp_array *peaks, int64_t wlen, mnp_array **prominences_p,
                                mnp_array **left_bases_p, mnp_array **right_bases_p)
{
    MNP_ENTER(x, peaks, prominences_p, left_bases_p, right_bases_p);
    mnp_array **const user[] = {prominences_p, left_bases_p, right_bases_p};
    const int first = (int)(offsetof(mnp_peaks, prominences) / sizeof(mnp_array *));
    return measure_given(__func__, x, peaks, wlen, -1, first, 3, user);
}

mnp_status mnp_peak_widths(const mnp_array *x, const mnp_array *peaks, double rel_height, int64_t wlen,
                           mnp_array **widths_p, mnp_array **width_heights_p, mnp_array **left_ips_p,
                           mnp_array **right_ips_p)
{
    MNP_ENTER(x, peaks, widths_p, width_heights_p, left_ips_p, right_ips_p);
    mnp_array **const user[] = {widths_p, width_heights_p, left_ips_p, right_ips_p};
    const int first = (int)(offsetof(mnp_peaks, widths) / sizeof(mnp_array *));
    if (!(rel_height >= 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: rel_height is %g, and must be 0 or more", __func__, rel_height);
    return measure_given(__func__, x, peaks, wlen, rel_height, first, 4, user);
}
