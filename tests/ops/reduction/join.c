/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that join parts of the same results: on every mesh, with uneven and empty blocks, all get the same bits.  They
 * are those of a single rank where the result does not depend on how elements are divided: sums in the reproducible
 * mode, and indices.
 */
#include <maniple.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/collectives/subcomm.h"
#include "context/context.h"
#include "tests/tap.h"

enum { ROWS = 7, COLUMNS = 11, DEPTH = 3, SIZE = ROWS * COLUMNS * DEPTH, NDIM = 3 };

static mnp_ctx *ctx;
static int rank, ranks;
static bool is_reproducible;

/* ---- the groups ---- */

/* Whether two ranks differ only along those axes of the mesh. */
static bool are_together(const int *mesh, unsigned axes, int one, int other)
{
    for (int a = NDIM - 1; a >= 0; a--) {
        if (!(axes >> a & 1) && one % mesh[a] != other % mesh[a])
            return false;
        one /= mesh[a];
        other /= mesh[a];
    }
    return true;
}

static void check_groups(const int *mesh)
{
    for (unsigned axes = 0; axes < 1u << NDIM; axes++) {
        mnp_comm *group = NULL, *again = NULL;
        bool right = mnp__comm_along(ctx->world, NDIM, mesh, axes, &group) == MNP_OK &&
                     mnp__comm_along(ctx->world, NDIM, mesh, axes, &again) == MNP_OK && group == again;
        int number = 0;
        for (int r = 0; r < ranks && right; r++) {
            if (!are_together(mesh, axes, rank, r))
                continue;
            right = mnp_comm_world_rank(group, number) == r && (r != rank || mnp_comm_rank(group) == number);
            number++;
        }
        right = right && mnp_comm_size(group) == number && (number < ranks || group == ctx->world);
        ok(right, "the group along axes %u of the mesh %d x %d x %d", axes, mesh[0], mesh[1], mesh[2]);
    }
}

/* ---- layouts ---- */

/* Points that cut an extent unevenly: how, by a number; parts may be empty. */
static void cut(int64_t extent, int parts, int how, int64_t *cuts)
{
    for (int i = 0; i <= parts; i++) {
        const int64_t even = extent * i / parts;
        cuts[i] = how == 0 ? even : how == 1 ? (i == 0 ? 0 : extent) : (i < parts ? even / 2 : extent);
    }
}

static mnp_layout *layout_on(const int *mesh, const int *axes, int how)
{
    static const int64_t shape[] = {ROWS, COLUMNS, DEPTH};
    int64_t cuts[NDIM][16];
    const int64_t *list[NDIM] = {NULL};
    mnp_layout *layout = NULL;
    for (int d = 0; d < NDIM; d++) {
        if (axes[d] == MNP_NO_AXIS)
            continue;
        cut(shape[d], mesh[axes[d]], how, cuts[d]);
        list[d] = cuts[d];
    }
    MNP_OR_EXIT(mnp_layout_new(NDIM, mesh, NDIM, shape, axes, list, &layout));
    return layout;
}

/* ---- reductions ---- */

/* All of a result's elements on every rank, as its block was found there: those of the others are 0. */
struct bits {
    uint64_t elements[SIZE];
    unsigned char owned[SIZE];
};

static void read_block(const mnp_array *z, struct bits *bits)
{
    const int64_t *lo = mnp_array_local_lo(z), *extent = mnp_array_local_shape(z), *shape = mnp_array_shape(z);
    const int ndim = mnp_array_ndim(z);
    const int64_t count = mnp_array_local_size(z);
    uint64_t block[SIZE];
    memset(bits, 0, sizeof *bits);
    MNP_OR_EXIT(mnp_array_get_local(z, block));
    for (int64_t k = 0; k < count; k++) {
        int64_t place = 0, stride = 1, rest = k;
        for (int d = ndim - 1; d >= 0; d--) {
            place += (lo[d] + rest % extent[d]) * stride;
            rest /= extent[d];
            stride *= shape[d];
        }
        bits->elements[place] = block[k];
        bits->owned[place] = 1;
    }
}

/* Whether ranks that own the same element have the same bits, and each element an owner.  Leaves all elements there. */
static bool agree_on(struct bits *bits, int64_t count)
{
    static struct bits all[16];
    struct bits first = {.elements = {0}};
    bool right = true;
    MPI_Allgather(bits, (int)sizeof *bits, MPI_BYTE, all, (int)sizeof *bits, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        for (int64_t i = 0; i < count; i++) {
            if (!all[r].owned[i])
                continue;
            right = right && (!first.owned[i] || first.elements[i] == all[r].elements[i]);
            first.elements[i] = all[r].elements[i];
            first.owned[i] = 1;
        }
    }
    for (int64_t i = 0; i < count; i++)
        right = right && first.owned[i];
    *bits = first;
    return right;
}

typedef mnp_status (*function)(const mnp_array *x, const mnp_axes *axes, mnp_array **z_p);

static mnp_status run_sum(const mnp_array *x, const mnp_axes *axes, mnp_array **z_p)
{
    return mnp_sum(x, axes, z_p);
}

static mnp_status run_var(const mnp_array *x, const mnp_axes *axes, mnp_array **z_p)
{
    return mnp_var(x, axes, z_p);
}

static mnp_status run_argmax(const mnp_array *x, const mnp_axes *axes, mnp_array **z_p)
{
    return mnp_argmax(x, axes, z_p);
}

static mnp_reduction *chain;

static mnp_status run_chain(const mnp_array *x, const mnp_axes *axes, mnp_array **z_p)
{
    return mnp_reduction_call(chain, MNP_INPUTS(x), axes, MNP_OUTPUTS(z_p));
}

static const struct {
    const char *name;
    function run;
    bool one_axis, sums;
} functions[] = {{"sum", run_sum, false, true},
                 {"var", run_var, false, true},
                 {"argmax", run_argmax, true, false},
                 {"a reduction of the user's", run_chain, false, true}};

/* The function on a layout, twice, into a result that is made and then into the same one. */
static bool reduce_both(const mnp_array *x, const mnp_array *alone, int f, const mnp_axes *axes)
{
    const bool steady = is_reproducible && functions[f].run != run_chain;
    struct bits got, again, want;
    mnp_array *z = NULL, *w = NULL;
    bool right = functions[f].run(x, axes, &z) == MNP_OK && functions[f].run(alone, axes, &w) == MNP_OK;
    if (!right)
        return false;
    const int64_t count = mnp_layout_size(mnp_array_layout(z));
    read_block(z, &got);
    right = agree_on(&got, count) && functions[f].run(x, axes, &z) == MNP_OK;
    read_block(z, &again);
    right = agree_on(&again, count) && memcmp(&got, &again, sizeof got) == 0 && right;
    read_block(w, &want);
    for (int64_t i = 0; i < count && right; i++) {
        double one, other;
        memcpy(&one, &got.elements[i], sizeof one);
        memcpy(&other, &want.elements[i], sizeof other);
        right = !functions[f].sums || steady ? got.elements[i] == want.elements[i]
                                             : fabs(one - other) <= 1e-9 * fabs(other);
    }
    mnp_free_all(z, w);
    return right;
}

static void check_reductions(const mnp_array *alone, const int *mesh, int turn, int how)
{
    static const int turns[][NDIM] = {{0, 1, 2}, {1, MNP_NO_AXIS, 0}, {MNP_NO_AXIS, 2, 1}, {2, 0, MNP_NO_AXIS}};
    mnp_array *x = NULL;
    mnp_layout *layout = layout_on(mesh, turns[turn], how);
    bool right = mnp_redistribute(alone, layout, &x) == MNP_OK;
    for (unsigned mask = 1; mask < 1u << NDIM; mask++) {
        mnp_axes axes = {.count = 0};
        for (int d = 0; d < NDIM; d++) {
            if (mask >> d & 1)
                axes.axes[axes.count++] = d;
        }
        for (size_t f = 0; f < sizeof functions / sizeof *functions && right; f++) {
            if (!functions[f].one_axis || axes.count == 1)
                right = reduce_both(x, alone, (int)f, &axes);
        }
    }
    ok(right, "all axes, cut by mesh axes %d, %d and %d, in way %d: %s", turns[turn][0], turns[turn][1], turns[turn][2],
       how, right ? "" : mnp_error_message());
    mnp_array_free(x);
    mnp_layout_free(layout);
}

static void check_context(bool reproducible)
{
    static const int64_t shape[] = {ROWS, COLUMNS, DEPTH};
    double values[SIZE];
    mnp_layout *everywhere = NULL;
    mnp_array *alone = NULL;
    is_reproducible = reproducible;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, reproducible ? "reproducible=1" : "reproducible=0", &ctx));
    rank = mnp_ctx_rank(ctx);
    ranks = mnp_ctx_size(ctx);
    for (int i = 0; i < SIZE; i++)
        values[i] = sin(i * i + 1.0) * pow(10, i % 13 - 6);
    MNP_OR_EXIT(mnp_layout_replicated(ranks, NDIM, shape, &everywhere));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT64, everywhere, &alone));
    MNP_OR_EXIT(mnp_array_set_local(alone, values));
    MNP_OR_EXIT(mnp_reduction_new(ctx, "T x", "T z", "x", "a + b", "z = a", "0",
                                  &(mnp_reduction_options){.name = "chain"}, &chain));
    for (int first = 1; first <= ranks; first++) {
        for (int second = 1; second <= ranks / first; second++) {
            const int mesh[] = {first, second, ranks / (first * second)};
            if (first * second * mesh[2] != ranks)
                continue;
            check_groups(mesh);
            for (int turn = 0; turn < 4; turn++)
                check_reductions(alone, mesh, turn, (turn + first + second) % 3);
        }
    }
    mnp_reduction_free(chain);
    mnp_array_free(alone);
    mnp_layout_free(everywhere);
    mnp_finalize(ctx);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    check_context(false);
    check_context(true);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
