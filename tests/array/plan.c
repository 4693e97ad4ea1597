/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans of redistribution: they run many times without a wait in between, two at once, and on views; what they report
 * about themselves; and what they refuse.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { ROWS = 37, COLUMNS = 29, ELEMENTS = ROWS * COLUMNS };

static mnp_ctx *ctx;
static const int64_t shape[] = {ROWS, COLUMNS};

static mnp_layout *layout_of(int rows_axis, int columns_axis)
{
    mnp_layout *layout;
    const int mesh = mnp_ctx_size(ctx), axes[] = {rows_axis, columns_axis};
    MNP_OR_EXIT(mnp_layout_new(1, &mesh, 2, shape, axes, NULL, &layout));
    return layout;
}

/* The numbers from `first` on, in a layout. */
static mnp_array *numbers(const mnp_layout *layout, int32_t first)
{
    int32_t data[ELEMENTS];
    mnp_array *even = NULL, *x = NULL;
    for (int32_t i = 0; i < ELEMENTS; i++)
        data[i] = first + i;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_INT32, 2, shape, data, &even));
    MNP_OR_EXIT(mnp_redistribute(even, layout, &x));
    mnp_array_free(even);
    return x;
}

static bool has_numbers(const mnp_array *x, int32_t first)
{
    int32_t data[ELEMENTS];
    bool good = x && mnp_array_to_host(x, MNP_ALL_RANKS, data) == MNP_OK;
    for (int32_t i = 0; i < ELEMENTS && good; i++)
        good = data[i] == first + i;
    return good;
}

static bool refused(mnp_status status, const char *words)
{
    bool good = status == MNP_ERR_ARG && strstr(mnp_error_message(), words);
    if (!good)
        printf("# %d: %s\n", (int)status, mnp_error_message());
    return good;
}

static void runs(const mnp_layout *rows, const mnp_layout *columns)
{
    mnp_array *x = numbers(rows, 0), *y = NULL, *z = NULL, *w = NULL;
    mnp_plan *there = NULL, *back = NULL;
    ok(mnp_plan_new(x, columns, &there) == MNP_OK && mnp_plan_run(there, x, &y) == MNP_OK && has_numbers(y, 0) &&
           mnp_layout_equal(mnp_array_layout(y), columns),
       "a plan makes a new array");
    MNP_OR_EXIT(mnp_plan_new(y, rows, &back));
    bool good = true;
    for (int32_t i = 1; i <= 20; i++) { /* one after the other, without waiting */
        mnp_free_all(x, z);
        x = numbers(rows, 1000 * i);
        z = NULL;
        good = good && mnp_plan_run(there, x, &y) == MNP_OK && mnp_plan_run(back, y, &z) == MNP_OK &&
               mnp_plan_run(there, z, &y) == MNP_OK;
        if (i % 5 == 0)
            good = good && has_numbers(y, 1000 * i) && has_numbers(z, 1000 * i);
    }
    ok(good, "two plans run back and forth many times, into arrays that are there");
    mnp_plan_free(there);
    MNP_OR_EXIT(mnp_plan_run(back, y, &w));
    ok(has_numbers(w, 20000), "a plan outlives another");
    mnp_plan_free(back);
    mnp_plan_free(NULL);
    mnp_free_all(x, y, z, w);
}

static void views(const mnp_layout *rows)
{
    const int64_t turned[] = {COLUMNS, ROWS};
    mnp_array *x = numbers(rows, 5), *t = NULL, *y = NULL, *wide = NULL, *w = NULL, *back = NULL;
    mnp_layout *layout;
    mnp_plan *plan = NULL, *other = NULL;
    MNP_OR_EXIT(mnp_transpose(x, NULL, &t));
    MNP_OR_EXIT(mnp_layout_block(mnp_ctx_size(ctx), 2, turned, &layout));
    MNP_OR_EXIT(mnp_plan_new(t, layout, &plan));
    MNP_OR_EXIT(mnp_plan_run(plan, t, &y));
    MNP_OR_EXIT(mnp_transpose(y, NULL, &back));
    ok(has_numbers(back, 5), "a plan for a transposed array");
    mnp_layout_free(layout);
    MNP_OR_EXIT(mnp_view(x, &wide, MNP_ALL, MNP_SLICE(MNP_NONE, MNP_NONE, -2)));
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 2, mnp_array_shape(wide), &layout));
    MNP_OR_EXIT(mnp_plan_new(wide, layout, &other));
    MNP_OR_EXIT(mnp_plan_run(other, wide, &w));
    int32_t data[ROWS][(COLUMNS + 1) / 2];
    bool good = mnp_array_to_host(w, MNP_ALL_RANKS, data) == MNP_OK;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < (COLUMNS + 1) / 2; j++)
            good = good && data[i][j] == 5 + i * COLUMNS + COLUMNS - 1 - 2 * j;
    ok(good, "a plan for a view with steps, to replicas");
    mnp_array *copy = NULL;
    MNP_OR_EXIT(mnp_copy(wide, &copy));
    ok(refused(mnp_plan_run(other, copy, &w), "another order"), "a copy of a view does not lie as the view did");
    mnp_plan_free(plan);
    mnp_plan_free(other);
    mnp_layout_free(layout);
    mnp_free_all(copy, w, wide, back, y, t, x);
}

/* Bytes that travel when rows become columns: what is not on the diagonal of blocks. */
static int64_t travelling(const mnp_layout *rows, const mnp_layout *columns, bool within_nodes, int node)
{
    int64_t bytes = 0;
    for (int i = 0; i < mnp_ctx_size(ctx); i++) {
        for (int j = 0; j < mnp_ctx_size(ctx); j++) {
            int64_t lo[2], from[2], to[2];
            mnp_layout_box(rows, i, lo, from);
            mnp_layout_box(columns, j, lo, to);
            if (i != j && (i / node == j / node) == within_nodes)
                bytes += from[0] * to[1] * 4;
        }
    }
    return bytes;
}

static void descriptions(const mnp_layout *rows, const mnp_layout *columns, int node)
{
    mnp_array *x = numbers(rows, 0);
    mnp_plan *plan = NULL;
    mnp_plan_info info;
    char text[2000] = "";
    MNP_OR_EXIT(mnp_plan_new(x, columns, &plan));
    mnp_plan_describe(plan, &info);
    int64_t within = travelling(rows, columns, true, node), between = travelling(rows, columns, false, node);
    bool on_gpus = strcmp(mnp_ctx_device_kind(ctx), "cuda") == 0; /* what node a rank is on does not matter there yet */
    ok(info.all_own_bytes + info.all_node_bytes + info.all_far_bytes == 4 * ELEMENTS &&
           (on_gpus || (info.all_node_bytes == within && info.all_far_bytes == between)),
       "%" PRId64 " bytes stay, %" PRId64 " go within nodes, %" PRId64 " between them", info.all_own_bytes,
       info.all_node_bytes, info.all_far_bytes);
    ok(on_gpus || (strcmp(info.node_method, within ? "stores into the neighbours' memory" : "nothing") == 0 &&
                   strcmp(info.far_method, between ? "MPI" : "nothing") == 0),
       "within nodes by %s, between them by %s", info.node_method, info.far_method);
    int64_t sum[] = {info.own_bytes, info.node_bytes, info.far_bytes};
    MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    ok(sum[0] == info.all_own_bytes && sum[1] == info.all_node_bytes && sum[2] == info.all_far_bytes &&
           info.memory > 0 && info.launches > 0,
       "what ranks do adds up");
    FILE *file = tmpfile();
    mnp_plan_print(plan, file);
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *title = "redistribution of int32 (37, 29)";
    ok(mnp_ctx_rank(ctx) == 0 ? strstr(text, title) && (!within || strstr(text, info.node_method)) : length == 0,
       "rank 0 prints it");
    mnp_plan_free(plan);
    mnp_array_free(x);
}

static void refusals(const mnp_layout *rows, const mnp_layout *columns)
{
    const int64_t other_shape[] = {COLUMNS, ROWS};
    mnp_array *x = numbers(rows, 0), *other = numbers(columns, 0), *real = NULL, *fortran = NULL, *y = NULL;
    mnp_layout *turned, *alone;
    mnp_plan *plan = NULL, *none = NULL;
    MNP_OR_EXIT(mnp_layout_block(mnp_ctx_size(ctx), 2, other_shape, &turned));
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx) + 1, 2, shape, &alone));
    MNP_OR_EXIT(mnp_plan_new(x, columns, &plan));
    MNP_OR_EXIT(mnp_astype(x, MNP_FLOAT32, &real));
    MNP_OR_EXIT(mnp_asfortranarray(x, &fortran));
    ok(refused(mnp_plan_new(x, turned, &none), "another shape") && refused(mnp_plan_new(x, alone, &none), "ranks") &&
           refused(mnp_plan_new(MNP_SCALAR(ctx, 1), columns, &none), "scalar") && !none,
       "plans that make no sense");
    ok(refused(mnp_plan_run(plan, real, &y), "float32") && refused(mnp_plan_run(plan, fortran, &y), "another order") &&
           refused(mnp_plan_run(plan, MNP_SCALAR(ctx, 1), &y), "scalar") && !y,
       "inputs that a plan was not made for");
    if (mnp_ctx_size(ctx) > 1)
        ok(refused(mnp_plan_run(plan, other, &y), "layout") && !y, "an input in another layout");
    MNP_OR_EXIT(mnp_asfortranarray(other, &y));
    ok(refused(mnp_plan_run(plan, x, &y), "another order"), "an output that is stored otherwise");
    ok(refused(mnp_redistribute(x, turned, &y), "another shape") && refused(mnp_redistribute(x, alone, &y), "ranks"),
       "layouts that an array cannot have");
    mnp_plan_free(plan);
    mnp_layout_free(turned);
    mnp_layout_free(alone);
    mnp_free_all(fortran, real, other, x, y);
}

/* More pairs of layouts than the context keeps plans of, again and again. */
static void many_plans(void)
{
    bool good = true;
    for (int round = 0; round < 2; round++) {
        for (int64_t n = 1; n <= 40; n++) {
            const int64_t extents[] = {n, 5};
            const int mesh = mnp_ctx_size(ctx);
            mnp_layout *rows, *columns;
            mnp_array *x = NULL, *y = NULL, *z = NULL, *w = NULL;
            int64_t data[200], got[200];
            for (int64_t i = 0; i < 5 * n; i++)
                data[i] = n * 1000 + i + round;
            MNP_OR_EXIT(mnp_layout_new(1, &mesh, 2, extents, (int[]){0, MNP_NO_AXIS}, NULL, &rows));
            MNP_OR_EXIT(mnp_layout_new(1, &mesh, 2, extents, (int[]){MNP_NO_AXIS, 0}, NULL, &columns));
            MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_INT64, 2, extents, data, &x));
            good = good && mnp_redistribute(x, rows, &y) == MNP_OK && mnp_redistribute(y, columns, &z) == MNP_OK &&
                   mnp_redistribute(z, rows, &w) == MNP_OK && mnp_array_to_host(w, MNP_ALL_RANKS, got) == MNP_OK &&
                   memcmp(data, got, (size_t)n * 5 * sizeof *data) == 0;
            mnp_free_all(x, y, z, w);
            mnp_layout_free(rows);
            mnp_layout_free(columns);
        }
    }
    ok(good, "more moves than plans are cached");
}

int main(void)
{
    static const char *const paths[] = {"", "node_size=1", "node_size=2"};
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int path = 0; path < (size < 2 ? 1 : size == 2 ? 2 : 3); path++) {
        MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, paths[path], &ctx));
        mnp_layout *rows = layout_of(0, MNP_NO_AXIS), *columns = layout_of(MNP_NO_AXIS, 0);
        runs(rows, columns);
        views(rows);
        descriptions(rows, columns, path == 0 ? size : path);
        refusals(rows, columns);
        many_plans();
        mnp_layout_free(rows);
        mnp_layout_free(columns);
        mnp_finalize(ctx);
    }
    int status = done_testing();
    MPI_Finalize();
    return status;
}
