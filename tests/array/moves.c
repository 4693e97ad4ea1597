/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redistributions of blocks that are large enough for every algorithm that copies boxes: rows by accesses of every
 * width, tiles of transposed blocks, lists of many small boxes.  With elements of every size, extents and views that
 * fit no access, tile or unit evenly, and the ones that do.  Then plans that run many times, also alternately, with
 * other work between them, into arrays whose values have changed in between.
 */
#include <maniple.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static mnp_ctx *ctx;

static const mnp_dtype dtypes[] = {MNP_UINT8, MNP_INT16, MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Bytes that differ from element to element and from seed to seed. */
static unsigned char *make_data(int64_t elements, size_t item, unsigned seed)
{
    const size_t words = ((size_t)elements * item + 3) / 4;
    uint32_t *data = malloc(words * sizeof *data), x = 2463534242u + seed * 7919u;
    for (size_t i = 0; i < words; i++) {
        x ^= x << 13; /* Marsaglia's xorshift */
        x ^= x >> 17;
        x ^= x << 5;
        data[i] = x;
    }
    return (unsigned char *)data;
}

/* A layout cut along dimension d, stored in C order or in Fortran's. */
static mnp_layout *cut_along(int ndim, const int64_t *shape, int d, bool fortran)
{
    const int size = mnp_ctx_size(ctx);
    int axes[3] = {MNP_NO_AXIS, MNP_NO_AXIS, MNP_NO_AXIS}, order[3];
    mnp_layout *layout, *ordered;
    axes[d] = 0;
    MNP_OR_EXIT(mnp_layout_new(1, &size, ndim, shape, axes, NULL, &layout));
    if (!fortran)
        return layout;
    for (int i = 0; i < ndim; i++)
        order[i] = ndim - 1 - i;
    MNP_OR_EXIT(mnp_layout_with_order(layout, order, &ordered));
    mnp_layout_free(layout);
    return ordered;
}

static bool holds(const mnp_array *x, int64_t elements, size_t item, const unsigned char *wanted)
{
    unsigned char *got = calloc((size_t)elements, item);
    bool good = mnp_array_to_host(x, MNP_ALL_RANKS, got) == MNP_OK && memcmp(got, wanted, (size_t)elements * item) == 0;
    free(got);
    return good;
}

/* From rows to columns or planes to planes, in any order in memory, and back. */
static bool there_and_back(mnp_dtype dtype, int ndim, const int64_t *shape, bool fortran_from, bool fortran_to)
{
    const size_t item = mnp_dtype_size(dtype);
    int64_t elements = 1;
    for (int d = 0; d < ndim; d++)
        elements *= shape[d];
    unsigned char *data = make_data(elements, item, (unsigned)dtype);
    mnp_layout *from = cut_along(ndim, shape, 0, fortran_from), *to = cut_along(ndim, shape, ndim - 1, fortran_to);
    mnp_array *a = NULL, *x = NULL, *y = NULL, *z = NULL;
    bool good = mnp_array_from_host(ctx, dtype, ndim, shape, data, &a) == MNP_OK &&
                mnp_redistribute(a, from, &x) == MNP_OK && mnp_redistribute(x, to, &y) == MNP_OK &&
                holds(y, elements, item, data) && mnp_redistribute(y, from, &z) == MNP_OK &&
                holds(z, elements, item, data);
    mnp_free_all(a, x, y, z);
    mnp_layout_free(from);
    mnp_layout_free(to);
    free(data);
    return good;
}

static void shapes(void)
{
    static const int64_t flat[][2] = {{256, 512}, {257, 513}, {131, 1030}, {1, 40000}, {9000, 7}, {640, 8}};
    static const int64_t deep[][3] = {{16, 64, 96}, {13, 65, 67}, {5, 130, 3}};
    for (int i = 0; i < DTYPES; i++) {
        int wrong = 0;
        for (int order = 0; order < 4; order++) {
            for (size_t s = 0; s < sizeof flat / sizeof *flat; s++)
                wrong += !there_and_back(dtypes[i], 2, flat[s], order & 1, order & 2);
            for (size_t s = 0; s < sizeof deep / sizeof *deep; s++)
                wrong += !there_and_back(dtypes[i], 3, deep[s], order & 1, order & 2);
        }
        ok(wrong == 0, "%s in all orders, of even and odd extents: %d wrong", mnp_dtype_name(dtypes[i]), wrong);
    }
}

/* A view that begins at [row, column], of every step-th column, to columns. */
static bool view_of(mnp_dtype dtype, int64_t row, int64_t column, int64_t step, bool fortran)
{
    enum { ROWS = 150, COLUMNS = 272 };
    const int64_t shape[] = {ROWS, COLUMNS}, part[] = {ROWS - row, (COLUMNS - column + step - 1) / step};
    const size_t item = mnp_dtype_size(dtype);
    unsigned char *data = make_data(ROWS * COLUMNS, item, (unsigned)(row + column)),
                  *wanted = malloc(ROWS * COLUMNS * item);
    mnp_layout *rows = cut_along(2, shape, 0, false), *columns = cut_along(2, part, 1, fortran);
    mnp_array *a = NULL, *x = NULL, *view = NULL, *y = NULL;
    for (int64_t i = 0; i < part[0]; i++) {
        for (int64_t j = 0; j < part[1]; j++)
            memcpy(wanted + (size_t)(i * part[1] + j) * item,
                   data + (size_t)((row + i) * COLUMNS + column + j * step) * item, item);
    }
    bool good =
        mnp_array_from_host(ctx, dtype, 2, shape, data, &a) == MNP_OK && mnp_redistribute(a, rows, &x) == MNP_OK &&
        mnp_slice(x, 2, (mnp_subscript[]){MNP_SLICE(row, MNP_NONE, 1), MNP_SLICE(column, MNP_NONE, step)}, &view) ==
            MNP_OK &&
        mnp_redistribute(view, columns, &y) == MNP_OK && holds(y, part[0] * part[1], item, wanted);
    mnp_free_all(view, a, x, y);
    mnp_layout_free(rows);
    mnp_layout_free(columns);
    free(data);
    free(wanted);
    return good;
}

static void views(void)
{
    for (int i = 0; i < DTYPES; i++) {
        int wrong = 0;
        for (int fortran = 0; fortran <= 1; fortran++) {
            for (int64_t column = 0; column <= 8; column++)
                wrong +=
                    !view_of(dtypes[i], column % 3, column, 1, fortran) + !view_of(dtypes[i], 1, column, 3, fortran);
        }
        ok(wrong == 0, "%s, views with any beginning: %d wrong", mnp_dtype_name(dtypes[i]), wrong);
    }
}

/* Block-cyclic, in blocks of 3 and of 2, along one dimension or both, to rows: thousands of boxes of a few elements. */
static void small_boxes(void)
{
    const int64_t shape[] = {190, 211};
    const int size = mnp_ctx_size(ctx), parts = size % 2 ? 1 : 2, mesh[] = {size / parts, parts};
    for (int i = 0; i < DTYPES; i++) {
        const size_t item = mnp_dtype_size(dtypes[i]);
        unsigned char *data = make_data(shape[0] * shape[1], item, 5);
        mnp_layout *dealt, *other, *rows = cut_along(2, shape, 0, false);
        mnp_array *a = NULL, *x = NULL, *y = NULL, *z = NULL;
        MNP_OR_EXIT(mnp_layout_new_cyclic(2, mesh, 2, shape, (int[]){0, 1}, (int64_t[]){3, 2}, &dealt));
        MNP_OR_EXIT(mnp_layout_new_cyclic(2, mesh, 2, shape, (int[]){1, 0}, (int64_t[]){5, 1}, &other));
        ok(mnp_array_from_host(ctx, dtypes[i], 2, shape, data, &a) == MNP_OK &&
               mnp_redistribute(a, dealt, &x) == MNP_OK && mnp_redistribute(x, other, &y) == MNP_OK &&
               mnp_redistribute(y, rows, &z) == MNP_OK && holds(x, shape[0] * shape[1], item, data) &&
               holds(y, shape[0] * shape[1], item, data) && holds(z, shape[0] * shape[1], item, data),
           "%s, from one way of dealing out to another", mnp_dtype_name(dtypes[i]));
        mnp_free_all(a, x, y, z);
        mnp_layout_free(dealt);
        mnp_layout_free(other);
        mnp_layout_free(rows);
        free(data);
    }
}

/*
 * Two plans alternately, one of them twice in a row; the source changes before each run, without waiting for the last.
 */
static void again_and_again(void)
{
    enum { RUNS = 50 };
    const int64_t shape[] = {130, 190}, elements = shape[0] * shape[1];
    mnp_layout *rows = cut_along(2, shape, 0, false), *columns = cut_along(2, shape, 1, true);
    mnp_array *x = NULL, *y = NULL, *z = NULL, *one = NULL;
    mnp_plan *there = NULL, *back = NULL;
    int32_t *data = malloc((size_t)elements * sizeof *data);
    bool good = true;
    for (int64_t i = 0; i < elements; i++)
        data[i] = (int32_t)i;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_INT32, 2, shape, data, &one));
    MNP_OR_EXIT(mnp_redistribute(one, rows, &x));
    MNP_OR_EXIT(mnp_plan_new(x, columns, &there));
    MNP_OR_EXIT(mnp_plan_run(there, x, &y));
    MNP_OR_EXIT(mnp_plan_new(y, rows, &back));
    for (int run = 1; run <= RUNS && good; run++) {
        good = mnp_add(x, MNP_SCALAR(ctx, 1), &x) == MNP_OK && mnp_plan_run(there, x, &y) == MNP_OK &&
               mnp_add(y, MNP_SCALAR(ctx, 1), &y) == MNP_OK && mnp_plan_run(back, y, &z) == MNP_OK &&
               mnp_plan_run(back, y, &x) == MNP_OK;
    }
    for (int64_t i = 0; i < elements; i++)
        data[i] += 2 * RUNS;
    const unsigned char *wanted = (const unsigned char *)data;
    ok(good && holds(x, elements, sizeof *data, wanted) && holds(z, elements, sizeof *data, wanted),
       "%d runs of two plans in turns", RUNS);
    mnp_plan_free(there);
    mnp_plan_free(back);
    mnp_layout_free(rows);
    mnp_layout_free(columns);
    mnp_free_all(one, x, y, z);
    free(data);
}

int main(void)
{
    static const char *const paths[] = {"", "node_size=2"};
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int path = 0; path < (size > 2 ? 2 : 1); path++) {
        MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, paths[path], &ctx));
        shapes();
        views();
        small_boxes();
        again_and_again();
        mnp_finalize(ctx);
    }
    int status = done_testing();
    MPI_Finalize();
    return status;
}
