/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redistribution between random pairs of layouts: uneven cuts, empty blocks, replicas, block-cyclic dimensions, any
 * mesh and order; from and to views; by new plans and by plans that the context keeps; on one node, with every rank as
 * a node of its own, and on two nodes.  The seed is printed and may be given as MANIPLE_TEST_SEED.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"

enum { MOST_DIMS = 4, MOST_RANKS = 16 };

static mnp_ctx *ctx;
static uint64_t state;

/* The same numbers on every rank (SplitMix64). */
static int64_t pick(int64_t n)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* ---- layouts ---- */

/* The layout with its blocks stored in another order, now and then. */
static mnp_layout *reorder(mnp_layout *layout)
{
    int ndim = mnp_layout_ndim(layout), order[MOST_DIMS];
    mnp_layout *reordered;
    if (ndim < 2 || pick(3) > 0)
        return layout;
    for (int d = 0; d < ndim; d++) {
        int other = (int)pick(d + 1);
        order[d] = order[other];
        order[other] = d;
    }
    MNP_OR_EXIT(mnp_layout_with_order(layout, order, &reordered));
    mnp_layout_free(layout);
    return reordered;
}

/* A random arrangement of all ranks, mapped to the dimensions in a random way, with random cuts or block-cyclic. */
static mnp_layout *random_layout(int ndim, const int64_t *shape)
{
    int mesh[3] = {1, 1, 1}, axes[MOST_DIMS], left = mnp_ctx_size(ctx);
    int64_t room[MOST_DIMS][MOST_RANKS + 1], blocks[MOST_DIMS] = {0};
    const int64_t *cuts[MOST_DIMS] = {NULL};
    mnp_layout *layout = NULL;
    for (int a = 0; a < 2; a++) {
        do
            mesh[a] = 1 + (int)pick(left);
        while (left % mesh[a] != 0);
        left /= mesh[a];
    }
    mesh[2] = left;
    int axis = (int)pick(3), step = 1 + (int)pick(2);
    for (int d = 0; d < ndim; d++) {
        axes[d] = d < 3 && pick(4) > 0 ? (axis + d * step) % 3 : MNP_NO_AXIS;
        if (axes[d] == MNP_NO_AXIS || pick(2) == 0)
            continue;
        int parts = mesh[axes[d]];
        blocks[d] = pick(4);
        room[d][0] = 0;
        for (int i = 1; i < parts; i++)
            room[d][i] = room[d][i - 1] + pick(shape[d] - room[d][i - 1] + 1);
        room[d][parts] = shape[d];
        cuts[d] = room[d];
    }
    if (pick(4) == 0)
        MNP_OR_EXIT(mnp_layout_new_cyclic(3, mesh, ndim, shape, axes, blocks, &layout));
    else if (pick(10) == 0)
        MNP_OR_EXIT(mnp_layout_on_root(mnp_ctx_size(ctx), (int)pick(mnp_ctx_size(ctx)), ndim, shape, &layout));
    else
        MNP_OR_EXIT(mnp_layout_new(3, mesh, ndim, shape, axes, cuts, &layout));
    return reorder(layout);
}

/* ---- arrays, and what they should hold ---- */

/* An array of host memory, strided as a view of it is. */
struct model {
    int ndim;
    int64_t shape[MOST_DIMS], strides[MOST_DIMS], first;
};

static struct model dense_model(int ndim, const int64_t *shape)
{
    struct model model = {.ndim = ndim};
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        model.shape[d] = shape[d];
        model.strides[d] = stride;
        stride *= shape[d];
    }
    return model;
}

static int64_t model_size(const struct model *model)
{
    int64_t size = 1;
    for (int d = 0; d < model->ndim; d++)
        size *= model->shape[d];
    return size;
}

/* Its elements in C order. */
static void gather(const struct model *model, size_t item, const unsigned char *data, unsigned char *dense)
{
    for (int64_t i = 0; i < model_size(model); i++) {
        int64_t rest = i, at = model->first;
        for (int d = model->ndim - 1; d >= 0; d--) {
            at += rest % model->shape[d] * model->strides[d];
            rest /= model->shape[d];
        }
        memcpy(dense + (size_t)i * item, data + (size_t)at * item, item);
    }
}

/* A random view: steps forwards and backwards, rows, transposed. */
static void random_view(const mnp_array *x, struct model *model, mnp_array **view_p)
{
    mnp_subscript subscripts[MOST_DIMS];
    struct model sliced = {.first = model->first};
    mnp_array *view = NULL;
    for (int d = 0; d < model->ndim; d++) {
        int64_t extent = model->shape[d], stride = model->strides[d];
        int64_t step = 1 + pick(3), start = extent ? pick(extent) : 0;
        if (extent > 0 && pick(5) == 0) {
            subscripts[d] = MNP_AT(start);
            sliced.first += start * stride;
            continue;
        }
        bool back = pick(2) == 0;
        int64_t left = extent == 0 ? 0 : back ? start + 1 : extent - start;
        subscripts[d] = MNP_SLICE(start, MNP_NONE, back ? -step : step);
        sliced.first += extent ? start * stride : 0;
        sliced.strides[sliced.ndim] = back ? -step * stride : step * stride;
        sliced.shape[sliced.ndim++] = (left + step - 1) / step;
    }
    MNP_OR_EXIT(mnp_slice(x, model->ndim, subscripts, &view));
    *model = sliced;
    *view_p = view;
    if (pick(3) > 0)
        return;
    for (int d = 0; d < sliced.ndim; d++) {
        model->shape[d] = sliced.shape[sliced.ndim - 1 - d];
        model->strides[d] = sliced.strides[sliced.ndim - 1 - d];
    }
    MNP_OR_EXIT(mnp_transpose(view, NULL, view_p)); /* which releases the first view */
}

/* An array whose every second element is a view of that shape, forwards or backwards. */
static void strided_target(mnp_dtype dtype, const struct model *model, mnp_array **around_p, mnp_array **view_p)
{
    const unsigned char zero[16] = {0};
    int64_t shape[MOST_DIMS];
    mnp_subscript subscripts[MOST_DIMS];
    mnp_array *first = NULL;
    mnp_layout *layout;
    for (int d = 0; d < model->ndim; d++) {
        shape[d] = 2 * model->shape[d] + 1;
        subscripts[d] = pick(2) ? MNP_SLICE(1, MNP_NONE, 2) : MNP_SLICE(-2, MNP_NONE, -2);
    }
    do { /* views of block-cyclic arrays are refused */
        layout = random_layout(model->ndim, shape);
        if (!mnp_layout_is_cyclic(layout))
            break;
        mnp_layout_free(layout);
    } while (true);
    MNP_OR_EXIT(mnp_full(ctx, dtype, model->ndim, shape, zero, &first));
    *around_p = *view_p = NULL;
    MNP_OR_EXIT(mnp_redistribute(first, layout, around_p));
    MNP_OR_EXIT(mnp_slice(*around_p, model->ndim, subscripts, view_p));
    mnp_array_free(first);
    mnp_layout_free(layout);
}

static bool holds(const mnp_array *x, const struct model *model, size_t item, const unsigned char *data)
{
    size_t bytes = (size_t)model_size(model) * item;
    unsigned char *wanted = malloc(bytes + 1), *got = calloc(bytes + 1, 1);
    gather(model, item, data, wanted);
    bool good = mnp_array_to_host(x, MNP_ALL_RANKS, got) == MNP_OK && memcmp(wanted, got, bytes) == 0;
    free(wanted);
    free(got);
    return good;
}

/* Whether nothing around the elements of a strided target was written to. */
static bool clean_around(const mnp_array *around, size_t item)
{
    const int64_t *shape = mnp_array_shape(around);
    struct model all = dense_model(mnp_array_ndim(around), shape);
    unsigned char *data = malloc((size_t)model_size(&all) * item), none[16] = {0};
    bool good = mnp_array_to_host(around, MNP_ALL_RANKS, data) == MNP_OK;
    for (int64_t i = 0; i < model_size(&all) && good; i++) {
        bool inside = true;
        for (int d = 0; d < all.ndim; d++)
            inside = inside && i / all.strides[d] % shape[d] % 2 == 1;
        good = inside || memcmp(data + (size_t)i * item, none, item) == 0;
    }
    free(data);
    return good;
}

/* ---- cases ---- */

static void random_bytes(unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)pick(256);
}

static bool one_case(void)
{
    static const mnp_dtype dtypes[] = {MNP_UINT8, MNP_INT16, MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX128};
    const int ndim = (int)pick(MOST_DIMS + 1);
    const mnp_dtype dtype = dtypes[pick(5)];
    const size_t item = mnp_dtype_size(dtype);
    int64_t shape[MOST_DIMS];
    for (int d = 0; d < ndim; d++)
        shape[d] = pick(12) == 0 ? 0 : 1 + pick(d == 0 && pick(8) == 0 ? 90 : 9);
    struct model model = dense_model(ndim, shape);
    size_t bytes = (size_t)model_size(&model) * item;
    unsigned char *data = malloc(bytes + 1);
    mnp_layout *from = random_layout(ndim, shape), *to = NULL;
    mnp_array *a = NULL, *b = NULL, *view = NULL, *c = NULL, *around = NULL;
    bool good = true;
    for (int round = 0; round < 2 && good; round++) { /* the second time the plans are there */
        random_bytes(data, bytes);
        good =
            mnp_array_from_host(ctx, dtype, ndim, shape, data, &a) == MNP_OK && mnp_redistribute(a, from, &b) == MNP_OK;
        if (round == 0) {
            if (!mnp_layout_is_cyclic(from) && pick(2) == 0)
                random_view(b, &model, &view);
            if (pick(3) == 0)
                strided_target(dtype, &model, &around, &c);
            to = c ? mnp_layout_retain(mnp_array_layout(c)) : random_layout(model.ndim, model.shape);
        }
        good = good && mnp_redistribute(view ? view : b, to, &c) == MNP_OK && holds(c, &model, item, data) &&
               (!around || clean_around(around, item));
    }
    mnp_free_all(view, a, b, c, around);
    mnp_layout_free(from);
    mnp_layout_free(to);
    free(data);
    return good;
}

int main(void)
{
    static const char *const paths[] = {"", "node_size=1", "node_size=2"};
    const char *given = getenv("MANIPLE_TEST_SEED");
    int rank, size, status;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long long seed = given ? atoll(given) : (long long)time(NULL);
    MPI_Bcast(&seed, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    state = (uint64_t)seed;
    if (rank == 0)
        printf("# MANIPLE_TEST_SEED=%lld\n", seed);
    for (int path = 0; path < (size < 2 ? 1 : size == 2 ? 2 : 3); path++) {
        MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, paths[path], &ctx));
        for (int block = 0; block < 8; block++) {
            int wrong = 0;
            for (int i = 0; i < 25; i++)
                wrong += !one_case();
            ok(wrong == 0, "25 random redistributions, %s: %d wrong", path ? paths[path] : "one node", wrong);
        }
        mnp_finalize(ctx);
    }
    status = done_testing();
    MPI_Finalize();
    return status;
}
