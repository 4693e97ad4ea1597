/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separable filters: passes along axes in turn, against sums over the extended input, in small integers, which are
 * exact.
 */
#include <maniple.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signal/separable.h"
#include "tests/tap.h"

enum { LARGEST = 2 * 150 * 700 };

static mnp_ctx *ctx;

static int64_t fold(mnp_boundary boundary, int64_t at, int64_t n)
{
    while (at < 0 || at >= n) {
        if (boundary == MNP_BOUNDARY_FILL)
            return -1;
        if (boundary == MNP_BOUNDARY_WRAP)
            at += at < 0 ? n : -n;
        else if (boundary == MNP_BOUNDARY_SYMM)
            at = at < 0 ? -1 - at : 2 * n - 1 - at;
        else if (boundary == MNP_BOUNDARY_MIRROR)
            at = n == 1 ? 0 : at < 0 ? -at : 2 * n - 2 - at;
        else
            at = at < 0 ? 0 : n - 1;
    }
    return at;
}

/* One pass by its definition, of an array of three dimensions; `shape` becomes the result's. */
static void pass_by_definition(const mnp__pass *pass, double fill, int64_t *shape, double *values)
{
    static double result[LARGEST];
    int64_t after = 1, before = 1, n = shape[pass->axis], m = pass->extent > 0 ? pass->extent : n;
    for (int d = 0; d < 3; d++) {
        before *= d < pass->axis ? shape[d] : 1;
        after *= d > pass->axis ? shape[d] : 1;
    }
    for (int64_t b = 0; b < before; b++)
        for (int64_t o = 0; o < m; o++)
            for (int64_t a = 0; a < after; a++) {
                double sum = 0;
                for (int64_t j = 0; j < pass->count; j++) {
                    const int64_t at = fold(pass->boundary, o + pass->first + j, n);
                    const double x = at < 0 ? fill : values[(b * n + at) * after + a];
                    if (pass->combination == MNP__LEAST || pass->combination == MNP__GREATEST)
                        sum = j == 0 || (x > sum) == (pass->combination == MNP__GREATEST) ? x : sum;
                    else
                        sum += pass->combination == MNP__MEANS ? x / (double)pass->count : pass->taps[j] * x;
                }
                result[(b * m + o) * after + a] = sum;
            }
    shape[pass->axis] = m;
    memcpy(values, result, (size_t)(before * m * after) * sizeof *values);
}

static double sum_of(const mnp__pass *pass)
{
    double sum = 0;
    for (int64_t j = 0; j < pass->count; j++)
        sum += pass->taps[j];
    return sum;
}

static void check(const char *name, const int64_t *shape, const char *text, mnp__separable_spec spec)
{
    static double values[LARGEST], right[LARGEST];
    int64_t extent[3] = {shape[0], shape[1], shape[2]}, size = shape[0] * shape[1] * shape[2];
    double fill = spec.fillvalue, wrong = 0;
    mnp_array *whole = NULL, *cut = NULL, *x = NULL, *y = NULL;
    mnp_layout *layout;
    mnp__separable *plan;
    for (int64_t i = 0; i < size; i++)
        right[i] = values[i] = (double)((i * 7919 + 3) % 17);
    MNP_OR_EXIT(mnp_layout_parse(ctx, 3, shape, text, &layout));
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT64, 3, shape, values, &whole));
    MNP_OR_EXIT(mnp_redistribute(whole, layout, &cut));
    MNP_OR_EXIT(mnp_astype(cut, spec.input, &x));
    spec.layout = layout;
    if (spec.npasses > 0 && spec.passes[0].combination > MNP__MEANS && !mnp__separable_is_fused(ctx, &spec)) {
        skip(name, "the device does not fuse them");
        mnp_free_all(whole, cut, x);
        mnp_layout_free(layout);
        return;
    }
    MNP_OR_EXIT(mnp__separable_new(ctx, &spec, &plan));
    MNP_OR_EXIT(mnp_array_new(ctx, spec.output, mnp__separable_layout(plan), &y));
    MNP_OR_EXIT(mnp__separable_run(plan, x, y));
    mnp_free_all(whole, cut);
    whole = NULL;
    MNP_OR_EXIT(mnp_astype(y, MNP_FLOAT64, &whole));
    MNP_OR_EXIT(mnp_array_to_host(whole, MNP_ALL_RANKS, values));
    for (int i = 0; i < spec.npasses; i++) {
        pass_by_definition(&spec.passes[i], fill, extent, right);
        for (int64_t j = 0; spec.truncates && j < extent[0] * extent[1] * extent[2]; j++)
            right[j] = trunc(right[j]);
        fill *= spec.refills ? 1 : sum_of(&spec.passes[i]);
    }
    for (int64_t i = 0; i < extent[0] * extent[1] * extent[2]; i++)
        wrong += values[i] != right[i];
    ok(wrong == 0, "%s", name);
    mnp__separable_free(plan);
    mnp_free_all(whole, x, y);
    mnp_layout_free(layout);
}

static const double a[] = {1, -2, 3, 0, 5}, b[] = {2, 1}, half[] = {0.5, 0.25, 0.5},
                    wide[30] = {1, 2, 3, [20] = -1, [29] = 4};
static const mnp_boundary kinds[] = {MNP_BOUNDARY_FILL, MNP_BOUNDARY_WRAP, MNP_BOUNDARY_SYMM, MNP_BOUNDARY_MIRROR,
                                     MNP_BOUNDARY_NEAREST};

/* Every boundary, another one along the second axis, a filter as long as the array, and an axis that has two passes. */
static void check_boundaries(void)
{
    const int64_t shape[] = {7, 12, 31};
    for (int k = 0; k < 5; k++) {
        char name[80];
        const mnp__pass passes[] = {{0, 5, a, NULL, -2, 0, kinds[k], MNP__SUMS},
                                    {1, 2, b, NULL, -1, 0, kinds[(k + 1) % 5], MNP__SUMS},
                                    {2, 30, wide, NULL, -15, 0, kinds[k], MNP__SUMS},
                                    {0, 2, b, NULL, 1, 0, kinds[k], MNP__SUMS}};
        const mnp__separable_spec spec = {.input = MNP_FLOAT64,
                                          .output = MNP_FLOAT64,
                                          .sum = MNP_FLOAT64,
                                          .npasses = 4,
                                          .passes = passes,
                                          .fillvalue = 3};
        snprintf(name, sizeof name, "boundary %d along the first axis, the next one along the second", k);
        check(name, shape, k % 2 ? "*, 0, 1" : "*, *, 0", spec);
    }
}

/*
 * Several stripes and tiles of fused passes, and all that they can make of a window, which is low enough for registers
 * or longer than a tile and as wide as a stripe.  Means are of numbers of elements that are powers of two, so that they
 * are exact.
 */
static void check_stripes(void)
{
    static const char *const names[] = {"sums", "means", "least elements", "greatest elements"};
    const int64_t shape[] = {2, 149, 701};
    double taps[64];
    for (int j = 0; j < 64; j++)
        taps[j] = (double)(j * 5 % 3 - 1);
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 5; k++) {
            char name[120];
            const int64_t high[] = {k % 2 ? 31 : 57, k % 2 ? 32 : 64, k % 2 ? 130 + k : 33 + k, k % 2 ? 66 : 130 + k};
            const int64_t count = high[c];
            const mnp__pass passes[] = {
                {1, count, taps, NULL, -count / 2 - k, 0, kinds[k], (mnp__combination)c},
                {2, count / 2, taps, NULL, k - count / 4, 0, kinds[(k + 1) % 5], (mnp__combination)c}};
            const mnp__separable_spec spec = {.input = c == 3 ? MNP_INT16 : MNP_FLOAT32,
                                              .output = MNP_FLOAT64,
                                              .sum = c == 3   ? MNP_INT16
                                                     : c == 0 ? MNP_FLOAT32
                                                              : MNP_FLOAT64,
                                              .between = c > 1 ? MNP_DTYPE_AUTO : MNP_FLOAT64,
                                              .layout = NULL,
                                              .npasses = 2,
                                              .passes = passes,
                                              .fillvalue = 3,
                                              .refills = true};
            snprintf(name, sizeof name, "%s of several stripes, boundaries %d and %d", names[c], k, (k + 1) % 5);
            check(name, shape, k % 2 ? "*, 0, 1" : "*, *, 0", spec);
        }
}

/* Ranks without a block take part in what all agree on. */
static void check_empty_blocks(void)
{
    const int64_t shape[] = {1, 12, 31};
    const mnp__pass passes[] = {{1, 5, a, NULL, -2, 0, MNP_BOUNDARY_SYMM, MNP__SUMS},
                                {2, 2, b, NULL, -1, 0, MNP_BOUNDARY_WRAP, MNP__SUMS}};
    const mnp__separable_spec spec = {
        .input = MNP_FLOAT64, .output = MNP_FLOAT64, .sum = MNP_FLOAT64, .npasses = 2, .passes = passes};
    check("one rank has all", shape, "0, *, *", spec);
}

/* Results that are larger or smaller, and the dtypes of what is between passes. */
static void check_dtypes(void)
{
    const int64_t shape[] = {1, 19, 40};
    const mnp__pass full[] = {{1, 5, a, NULL, -4, 23, MNP_BOUNDARY_FILL, MNP__SUMS},
                              {2, 2, b, NULL, 0, 39, MNP_BOUNDARY_FILL, MNP__SUMS}};
    const mnp__pass halves[] = {{2, 3, half, NULL, -1, 0, MNP_BOUNDARY_FILL, MNP__SUMS},
                                {1, 3, half, NULL, -1, 0, MNP_BOUNDARY_FILL, MNP__SUMS}};
    mnp__separable_spec spec = {
        .input = MNP_INT16, .output = MNP_INT64, .sum = MNP_UINT64, .npasses = 2, .passes = full};
    check("a full axis and a valid one, in integers", shape, "*, 0, *", spec);
    spec = (mnp__separable_spec){.input = MNP_UINT8,
                                 .output = MNP_UINT8,
                                 .sum = MNP_FLOAT64,
                                 .between = MNP_UINT8,
                                 .truncates = true,
                                 .npasses = 2,
                                 .passes = halves,
                                 .fillvalue = 5,
                                 .refills = true};
    check("bytes between passes, without fractions, and the fill value anew, as in scipy.ndimage", shape, "*, *, 0",
          spec);
    spec.npasses = 0;
    check("no pass", shape, "*, 0, *", spec);
}

int main(void)
{
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    check_boundaries();
    check_stripes();
    check_empty_blocks();
    check_dtypes();
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
