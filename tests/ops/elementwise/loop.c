/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over operands of any strides, compared with plain C: each rank checks the memory of its own blocks, including
 * the gaps between the elements of an output, which must not change.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "layout/layout.h"
#include "ops/elementwise/loop_plan.h"

enum { MOST_DIMS = 4, PAD = 3, FOR_ALL = 99 };

static mnp_ctx *ctx;

/* The strides of an operand.  All zeros: C order, with gaps only at both ends of the memory. */
typedef struct lie {
    int dropped;          /* leading dimensions that it does not have */
    int order[MOST_DIMS]; /* the dimensions from the outermost to the innermost; all zeros: C order */
    int step[MOST_DIMS];  /* of each dimension; 0 is 1; FOR_ALL: broadcast */
    int offset;           /* of the first element, in elements */
    int pad;              /* elements after each run of the innermost dimension */
} lie;

/* An operand: its whole memory as an array, a copy of that on the host, and the view that the loop gets. */
typedef struct operand {
    mnp_dtype dtype;
    mnp_array *memory, *view;
    char *host;
    int64_t size, first, strides[MOST_DIMS]; /* along the loop's dimensions; 0 along those that it lacks */
} operand;

static double load(mnp_dtype dtype, const void *data, int64_t i)
{
    switch (dtype) {
    case MNP_BOOL:
    case MNP_UINT8:
        return ((const uint8_t *)data)[i];
    case MNP_INT16:
        return ((const int16_t *)data)[i];
    case MNP_INT32:
        return ((const int32_t *)data)[i];
    case MNP_INT64:
        return (double)((const int64_t *)data)[i];
    case MNP_FLOAT32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

static void store(mnp_dtype dtype, void *data, int64_t i, double value)
{
    switch (dtype) {
    case MNP_BOOL:
        ((uint8_t *)data)[i] = value != 0;
        break;
    case MNP_UINT8:
        ((uint8_t *)data)[i] = (uint8_t)(int)value; /* the lowest bits */
        break;
    case MNP_INT16:
        ((int16_t *)data)[i] = (int16_t)value;
        break;
    case MNP_INT32:
        ((int32_t *)data)[i] = (int32_t)value;
        break;
    case MNP_INT64:
        ((int64_t *)data)[i] = (int64_t)value;
        break;
    case MNP_FLOAT32:
        ((float *)data)[i] = (float)value;
        break;
    default:
        ((double *)data)[i] = value;
    }
}

static const lie plain;

/* The layout of an operand that lacks dimensions of the loop's, or is broadcast along them. */
static mnp_layout *own_layout(const mnp_layout *layout, const lie *how)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *derived;
    for (int d = how->dropped; d < layout->ndim; d++)
        dims[d - how->dropped] = how->step[d] == FOR_ALL ? mnp__layout_dim_whole(1) : mnp__layout_dim_of(layout, d);
    MNP_OR_EXIT(mnp__layout_derive(layout, layout->ndim - how->dropped, dims, &derived));
    return derived;
}

/* Strides and the first element, within memory that is as large as the whole array would take. */
static void lay_out(const mnp_layout *layout, const int64_t *extent, const lie *how, operand *op)
{
    int64_t run = 1;
    bool innermost = true, ordered = how->order[0] || how->order[1] || how->order[2] || how->order[3];
    op->first = how->offset;
    for (int place = layout->ndim - 1; place >= 0; place--) {
        int d = ordered ? how->order[place] : place, step = how->step[d] ? how->step[d] : 1;
        op->strides[d] = 0;
        if (d < how->dropped || step == FOR_ALL)
            continue;
        op->strides[d] = run * step;
        if (step < 0)
            op->first -= (extent[d] - 1) * run * step;
        run *= layout->shape[d] * abs(step) + (innermost ? how->pad : 0);
        innermost = false;
    }
    op->size = run + how->offset + PAD;
}

static operand make(const mnp_layout *layout, mnp_dtype dtype, const lie *how)
{
    operand op = {.dtype = dtype};
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp_layout *whole, *own = own_layout(layout, how);
    bool here = mnp__layout_box(layout, mnp_ctx_rank(ctx), lo, extent);
    for (int d = 0; d < layout->ndim && !here; d++)
        extent[d] = 1;
    lay_out(layout, extent, how, &op);
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 1, &op.size, &whole));
    MNP_OR_EXIT(mnp_array_new(ctx, dtype, whole, &op.memory));
    mnp_layout_free(whole);
    op.host = calloc((size_t)op.size, mnp_dtype_size(dtype));
    for (int64_t i = 0; i < op.size; i++)
        store(dtype, op.host, i, (double)(i * 37 % 101));
    MNP_OR_EXIT(mnp_array_set_local(op.memory, op.host));
    char *data = (char *)op.memory->data + op.first * (int64_t)mnp_dtype_size(dtype);
    MNP_OR_EXIT(mnp__array_view(op.memory, dtype, own, data, op.strides + how->dropped, &op.view));
    mnp_layout_free(own);
    return op;
}

static void destroy(operand *op)
{
    mnp_free_all(op->view, op->memory);
    free(op->host);
}

/* Whether the memory of an operand equals its copy on the host. */
static bool is_right(const operand *op)
{
    size_t bytes = (size_t)op->size * mnp_dtype_size(op->dtype);
    char *got = malloc(bytes);
    bool good = mnp_array_get_local(op->memory, got) == MNP_OK && memcmp(got, op->host, bytes) == 0;
    free(got);
    return good;
}

/* Call f for every element of this rank's block of the layout. */
static void for_each(const mnp_layout *layout, void (*f)(const int64_t *index, void *what), void *what)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], index[MNP_MAX_DIMS] = {0};
    if (!mnp__layout_box(layout, mnp_ctx_rank(ctx), lo, extent))
        return;
    for (bool more = true; more;) {
        f(index, what);
        more = false;
        for (int d = layout->ndim - 1; d >= 0 && !more; d--) {
            more = ++index[d] < extent[d];
            if (!more)
                index[d] = 0;
        }
    }
}

static int64_t place_of(const operand *op, const int64_t *index)
{
    int64_t place = op->first;
    for (int d = 0; d < MOST_DIMS; d++)
        place += index[d] * op->strides[d];
    return place;
}

static double value_of(const operand *op, const int64_t *index)
{
    return load(op->dtype, op->host, place_of(op, index));
}

/* ---- z = x + 2 * y on any strides ---- */

static void add_twice(const int64_t *index, void *what)
{
    operand *ops = what;
    store(ops[2].dtype, ops[2].host, place_of(&ops[2], index), value_of(&ops[0], index) + 2 * value_of(&ops[1], index));
}

static mnp__loop *adding_loop(mnp_dtype x, mnp_dtype y, mnp_dtype z, mnp_dtype inside, int64_t small)
{
    const mnp__loop_operand operands[] = {{"x", inside, x, false}, {"y", inside, y, false}, {"z", inside, z, false}};
    const mnp__loop_spec spec = {
        .name = "adding", .preamble = "", .body = "z = x + 2 * y;", .ninputs = 2, .noutputs = 1, .operands = operands};
    mnp__loop *loop;
    MNP_OR_EXIT(mnp__loop_new(ctx, &spec, &loop));
    mnp__loop_tuning tuning = mnp__loop_tuning_default;
    tuning.small = small;
    mnp__loop_tune(loop, &tuning);
    return loop;
}

static bool adds(mnp__loop *loop, const mnp_layout *layout, const lie *x, const lie *y, const lie *z)
{
    const mnp__loop_operand *types = mnp__loop_spec_of(loop)->operands;
    operand ops[] = {make(layout, types[0].memory, x), make(layout, types[1].memory, y),
                     make(layout, types[2].memory, z)};
    const mnp_array *arrays[] = {ops[0].view, ops[1].view, ops[2].view};
    for_each(layout, add_twice, ops);
    bool good = mnp__loop_run(loop, layout, arrays) == MNP_OK;
    for (int i = 0; i < 3; i++)
        good = is_right(&ops[i]) && good;
    for (int i = 0; i < 3; i++)
        destroy(&ops[i]);
    return good;
}

static mnp_layout *block_layout(int ndim, const int64_t *shape)
{
    mnp_layout *layout;
    MNP_OR_EXIT(mnp_layout_block(mnp_ctx_size(ctx), ndim, shape, &layout));
    return layout;
}

static void check_strides(void)
{
    static const struct {
        const char *what;
        int ndim;
        int64_t shape[MOST_DIMS];
        lie x, y, z;
    } cases[] = {
        {"one dimension", 1, {5003}, {0}, {0}, {0}},
        {"one dimension, equally unaligned", 1, {5003}, {.offset = 3}, {.offset = 7}, {.offset = 3}},
        {"one dimension, unequally unaligned", 1, {5003}, {.offset = 1}, {.offset = 2}, {0}},
        {"backwards", 1, {5003}, {.step = {-1}}, {0}, {0}},
        {"everything backwards", 1, {5003}, {.step = {-1}}, {.step = {-1}}, {.step = {-1}}},
        {"every other element, and one for all", 1, {5003}, {.step = {2}}, {.step = {FOR_ALL}}, {.step = {3}}},
        {"rows with a row for all", 2, {93, 400}, {.pad = 8}, {.step = {FOR_ALL}}, {.pad = 8}},
        {"rows with a row for all, equally unaligned",
         2,
         {93, 400},
         {.pad = 8, .offset = 2},
         {.step = {FOR_ALL}, .offset = 2},
         {.pad = 16, .offset = 2}},
        {"rows of odd length", 2, {93, 201}, {.pad = 1}, {.dropped = 1}, {.pad = 5, .offset = 1}},
        {"a column for all", 2, {93, 400}, {.pad = 4}, {.step = {1, FOR_ALL}}, {.pad = 4, .offset = 2}},
        {"rows of three", 2, {1707, 3}, {.pad = 1}, {.step = {1, -1}, .pad = 1}, {.pad = 1}},
        {"rows of three without gaps", 2, {1707, 3}, {.pad = 1}, {.step = {1, -1}, .pad = 1}, {0}},
        {"a column for rows of odd length", 2, {93, 201}, {0}, {.step = {1, FOR_ALL}}, {0}},
        {"a column for rows of three", 2, {1707, 3}, {0}, {.step = {1, FOR_ALL}}, {.offset = 2}},
        {"few long rows across which the elements lie", 2, {5, 1001}, {.order = {1, 0}}, {0}, {0}},
        {"a transposed operand", 2, {301, 190}, {.order = {1, 0}}, {0}, {0}},
        {"a transposed operand, aligned", 2, {320, 192}, {0}, {.order = {1, 0}}, {0}},
        {"a transposed operand, unaligned", 2, {130, 128}, {.order = {1, 0}, .offset = 1}, {.step = {FOR_ALL}}, {0}},
        {"turned by a right angle", 2, {130, 277}, {.order = {1, 0}, .step = {-1, 1}}, {0}, {0}},
        {"every other element of both dimensions, transposed",
         2,
         {130, 277},
         {.order = {1, 0}, .step = {2, 2}},
         {0},
         {0}},
        {"both transposed", 2, {130, 277}, {.order = {1, 0}}, {.order = {1, 0}, .offset = 5}, {0}},
        {"an output in Fortran order", 2, {130, 277}, {.order = {1, 0}}, {0}, {.order = {1, 0}}},
        {"three dimensions", 3, {11, 23, 40}, {.pad = 8, .step = {1, 1, FOR_ALL}}, {.pad = 4}, {.pad = 4}},
        {"three dimensions in another order", 3, {13, 40, 50}, {.order = {2, 0, 1}}, {.dropped = 2}, {0}},
        {"four dimensions backwards",
         4,
         {7, 9, 6, 21},
         {.step = {-1, 2, -1, 1}, .pad = 3},
         {.step = {1, FOR_ALL, 1, FOR_ALL}},
         {.step = {1, -1, 1, -2}, .order = {1, 0, 2, 3}}},
    };
    mnp__loop *loop = adding_loop(MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mnp_layout *layout = block_layout(cases[i].ndim, cases[i].shape);
        ok(adds(loop, layout, &cases[i].x, &cases[i].y, &cases[i].z), "%s", cases[i].what);
        mnp_layout_free(layout);
    }
    mnp__loop_free(loop);
}

/* Loops are also right with unusual tuning parameters, which GPUs use. */
static void check_tunings(void)
{
    static const mnp__loop_tuning tunings[] = {
        {.threads = 128,
         .vector_bytes = 32,
         .word_bytes = 8,
         .flight_bytes = 512,
         .unroll = 8,
         .unroll_heavy = 1,
         .tile_bytes = 4096},
        {.threads = 512,
         .vector_bytes = 16,
         .word_bytes = 16,
         .flight_bytes = 64,
         .unroll = 2,
         .unroll_heavy = 2,
         .tile_bytes = 20000},
    };
    static const lie unaligned = {.offset = 2}, row = {.step = {FOR_ALL}}, turned = {.order = {1, 0}};
    mnp_layout *flat = block_layout(1, (int64_t[]){70001}), *matrix = block_layout(2, (int64_t[]){700, 528});
    for (size_t i = 0; i < sizeof tunings / sizeof *tunings && ctx->device->block_memory > 0; i++) {
        mnp__loop *loop = adding_loop(MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32, 0);
        mnp__loop_tune(loop, &tunings[i]);
        ok(adds(loop, flat, &plain, &unaligned, &unaligned) && adds(loop, matrix, &plain, &row, &plain) &&
               adds(loop, matrix, &plain, &turned, &plain),
           "flat, rows and tiles with %d threads, %d bytes at once", tunings[i].threads, tunings[i].vector_bytes);
        mnp__loop_free(loop);
    }
    mnp_layout_free(flat);
    mnp_layout_free(matrix);
}

/* ---- the general kernel, on anything ---- */

static uint32_t state;

static int draw(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static lie draw_lie(int ndim, bool output)
{
    static const int steps[] = {1, 1, 1, 2, 3, -1, -1, -2, FOR_ALL, FOR_ALL};
    lie how = plain;
    how.offset = draw(5);
    how.pad = draw(3);
    how.dropped = output || draw(4) ? 0 : draw(ndim);
    for (int d = 0; d < ndim; d++) {
        how.step[d] = steps[draw(output ? 8 : 10)];
        how.order[d] = d;
    }
    for (int d = ndim - 1; d > 0; d--) {
        int e = draw(d + 1), moved = how.order[d];
        how.order[d] = how.order[e];
        how.order[e] = moved;
    }
    return how;
}

static void check_general(uint32_t seed)
{
    mnp__loop *loop = adding_loop(MNP_INT16, MNP_BOOL, MNP_FLOAT64, MNP_INT32, mnp__loop_tuning_default.small);
    int right = 0, cases = 120;
    state = seed;
    for (int i = 0; i < cases; i++) {
        int ndim = 1 + draw(MOST_DIMS);
        int64_t shape[MOST_DIMS];
        for (int d = 0; d < ndim; d++)
            shape[d] = draw(12) ? 1 + draw(ndim == 1 ? 300 : 9) : 0;
        mnp_layout *layout = block_layout(ndim, shape);
        lie x = draw_lie(ndim, false), y = draw_lie(ndim, false), z = draw_lie(ndim, true);
        right += adds(loop, layout, &x, &y, &z);
        mnp_layout_free(layout);
    }
    ok(right == cases, "%d of %d loops over random strides, seed %" PRIu32, right, cases, seed);
    int kernels = 0;
    for (const mnp__entry *kernel = loop->kernels; kernel; kernel = kernel->next)
        kernels++;
    ok(kernels <= 8, "they took %d kernels", kernels);
    mnp__loop_free(loop);
}

/* Rows of drawn lengths, where vectors of a result's bytes go on from one row to the next. */
static void check_rows(uint32_t seed)
{
    mnp__loop *loop = adding_loop(MNP_UINT8, MNP_UINT8, MNP_UINT8, MNP_UINT8, 0);
    int right = 0, cases = 12;
    state = seed;
    for (int i = 0; i < cases; i++) {
        int ndim = 2 + draw(2);
        int64_t shape[MOST_DIMS];
        for (int d = 0; d < ndim; d++)
            shape[d] = 1 + draw(d == ndim - 1 ? 70 : 40);
        mnp_layout *layout = block_layout(ndim, shape);
        lie x = draw_lie(ndim, false), y = draw_lie(ndim, false), z = draw(3) ? plain : draw_lie(ndim, true);
        right += adds(loop, layout, &x, &y, &z);
        mnp_layout_free(layout);
    }
    ok(right == cases, "%d of %d loops over rows of random lengths, seed %" PRIu32, right, cases, seed);
    mnp__loop_free(loop);
}

/* ---- in place, scalars, several outputs, indices, raw operands ---- */

static void check_in_place(void)
{
    mnp__loop *loop = adding_loop(MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32, 0);
    mnp_layout *layout = block_layout(1, (int64_t[]){10007});
    operand ops[3] = {make(layout, MNP_FLOAT32, &plain), make(layout, MNP_FLOAT32, &plain)};
    ops[2] = ops[0];
    for_each(layout, add_twice, ops);
    const mnp_array *arrays[] = {ops[0].view, ops[1].view, ops[0].view};
    ok(mnp__loop_run(loop, layout, arrays) == MNP_OK && is_right(&ops[0]), "in place");
    const mnp_array *self[] = {ops[0].view, ops[0].view, ops[0].view};
    ops[1].host = memcpy(ops[1].host, ops[0].host, (size_t)ops[0].size * sizeof(float));
    for_each(layout, add_twice, ops);
    ok(mnp__loop_run(loop, layout, self) == MNP_OK && is_right(&ops[0]), "every operand the same");
    destroy(&ops[0]);
    destroy(&ops[1]);
    mnp_layout_free(layout);
    mnp__loop_free(loop);
}

/* Run a loop on new outputs in a block layout; returns the whole results on every rank, malloc'ed. */
static bool run_new(const mnp__loop_spec *spec, int ndim, const int64_t *shape, const mnp_array *const *inputs,
                    void **results)
{
    mnp__loop *loop;
    mnp_layout *layout = block_layout(ndim, shape);
    const mnp_array *operands[MNP__MAX_OPERANDS];
    mnp_array *outputs[4] = {NULL};
    if (mnp__loop_new(ctx, spec, &loop) != MNP_OK)
        return false;
    for (int i = 0; i < spec->ninputs; i++)
        operands[i] = inputs[i];
    for (int o = 0; o < spec->noutputs; o++) {
        MNP_OR_EXIT(mnp_array_new(ctx, spec->operands[spec->ninputs + o].memory, layout, &outputs[o]));
        operands[spec->ninputs + o] = outputs[o];
    }
    bool good = mnp__loop_run(loop, layout, operands) == MNP_OK;
    for (int o = 0; o < spec->noutputs; o++) {
        results[o] = malloc((size_t)layout->size * mnp_dtype_size(mnp_array_dtype(outputs[o])) + 1);
        good = mnp_array_to_host(outputs[o], MNP_ALL_RANKS, results[o]) == MNP_OK && good;
        mnp_array_free(outputs[o]);
    }
    mnp__loop_free(loop);
    mnp_layout_free(layout);
    return good;
}

static void check_scalars(void)
{
    const mnp__loop_operand operands[] = {
        {"a", MNP_FLOAT32, MNP_INT64, false},         {"b", MNP_COMPLEX64, MNP_FLOAT64, false},
        {"c", MNP_UINT8, MNP_INT64, false},           {"d", MNP_BOOL, MNP_BOOL, false},
        {"e", MNP_COMPLEX128, MNP_COMPLEX128, false}, {"z", MNP_FLOAT64, MNP_FLOAT64, false}};
    const mnp__loop_spec spec = {.name = "scalars",
                                 .ninputs = 5,
                                 .noutputs = 1,
                                 .operands = operands,
                                 .preamble = "static inline double twice(double x) { return 2 * x; }",
                                 .body = "z = twice(a) + b.re + c + d.value + e.im;"};
    const mnp_array *inputs[] = {mnp_scalar_int(ctx, -3), mnp_scalar_float(ctx, 0.5), mnp_scalar_int(ctx, 200),
                                 mnp_scalar_bool(ctx, true), mnp_scalar_complex(ctx, 7, 1000)};
    void *result = NULL;
    bool good = run_new(&spec, 1, (int64_t[]){77}, inputs, &result);
    for (int i = 0; i < 77; i++)
        good = good && ((double *)result)[i] == 1195.5;
    ok(good, "scalars of every kind, and a preamble");
    free(result);
}

static void check_indices(void)
{
    const mnp__loop_operand operands[] = {{"flat", MNP_INT64, MNP_INT64, false},
                                          {"index", MNP_FLOAT64, MNP_INT32, false},
                                          {"about", MNP_INT64, MNP_FLOAT64, false}};
    const mnp__loop_spec spec = {.name = "indices",
                                 .preamble = "",
                                 .indices = true,
                                 .noutputs = 3,
                                 .operands = operands,
                                 .body = "flat = mnp_i; index = 100 * mnp_index[0] + "
                                         "mnp_index[1];about = mnp_n + mnp_shape[1];"};
    static const int64_t shapes[][2] = {{17, 23}, {1, 50}, {40, 1}, {0, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t rows = shapes[s][0], columns = shapes[s][1];
        void *results[3] = {NULL};
        bool good = run_new(&spec, 2, shapes[s], NULL, results);
        for (int64_t i = 0; i < rows * columns && good; i++)
            good = ((int64_t *)results[0])[i] == i && ((int32_t *)results[1])[i] == 100 * (i / columns) + i % columns &&
                   ((double *)results[2])[i] == (double)(rows * columns + columns);
        ok(good, "indices of an array of %" PRId64 " by %" PRId64 ", three outputs", rows, columns);
        for (int o = 0; o < 3; o++)
            free(results[o]);
    }
}

static void check_raw(void)
{
    const mnp__loop_operand operands[] = {{"table", MNP_FLOAT64, MNP_INT16, true},
                                          {"z", MNP_FLOAT32, MNP_FLOAT32, false}};
    const mnp__loop_spec spec = {.name = "looking_up",
                                 .preamble = "",
                                 .indices = true,
                                 .ninputs = 1,
                                 .noutputs = 1,
                                 .operands = operands,
                                 .body = "z = table[(mnp_i * 7) % table.size()];"};
    mnp_array *table = NULL;
    mnp_layout *whole;
    int16_t values[50];
    for (int i = 0; i < 50; i++)
        values[i] = (int16_t)(1000 - i);
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 1, (int64_t[]){50}, &whole));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_INT16, whole, &table));
    mnp_layout_free(whole);
    MNP_OR_EXIT(mnp_array_set_local(table, values));
    void *result = NULL;
    bool good = run_new(&spec, 1, (int64_t[]){333}, (const mnp_array *[]){table}, &result);
    for (int i = 0; i < 333; i++)
        good = good && ((float *)result)[i] == values[i * 7 % 50];
    ok(good, "a table that the body indexes");
    free(result);
    mnp_array_free(table);
}

/* ---- errors ---- */

static void check_errors(void)
{
    const mnp__loop_operand operands[] = {{"z", MNP_FLOAT32, MNP_FLOAT32, false}};
    mnp__loop_spec spec = {
        .name = "wrong", .preamble = "", .noutputs = 1, .operands = operands, .body = "z = no_such_thing;"};
    mnp__loop *loop;
    mnp_array *z = NULL;
    mnp_layout *last; /* the other ranks have no elements */
    MNP_OR_EXIT(mnp_layout_on_root(mnp_ctx_size(ctx), mnp_ctx_size(ctx) - 1, 1, (int64_t[]){9}, &last));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT32, last, &z));
    MNP_OR_EXIT(mnp__loop_new(ctx, &spec, &loop));
    mnp_status first = mnp__loop_run(loop, last, (const mnp_array *[]){z});
    bool named = strstr(mnp_error_message(), "no_such_thing") != NULL;
    ok(first == MNP_ERR_COMPILE && named, "a body that does not compile is an error on all ranks, also on empty ones");
    ok(mnp__loop_run(loop, last, (const mnp_array *[]){z}) == MNP_ERR_COMPILE, "and again");
    mnp__loop_free(loop);
    spec.body = "z = 5;";
    MNP_OR_EXIT(mnp__loop_new(ctx, &spec, &loop));
    float got[9];
    ok(mnp__loop_run(loop, last, (const mnp_array *[]){z}) == MNP_OK &&
           mnp_array_to_host(z, MNP_ALL_RANKS, got) == MNP_OK && got[0] == 5 && got[8] == 5,
       "afterwards others run");
    mnp__loop_free(loop);
    mnp_layout_free(last);
    mnp_array_free(z);
}

/* ---- a failure on one rank ---- */

static mnp_status no_kernel(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    (void)device;
    (void)kernel_p;
    return mnp_fail(MNP_ERR_COMPILE, "%s does not compile here", spec->function);
}

/* One rank cannot load a kernel for new strides, before results are redistributed: no rank waits for it. */
static void check_alone(void)
{
    const int64_t shape[] = {512, 600};
    mnp_layout *everywhere;
    mnp_array *x = NULL, *y = NULL, *turned = NULL, *quotient = NULL, *rest = NULL;
    const float seven = 7, two = 2;
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 2, shape, &everywhere));
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT32, 2, shape, &seven, &x));
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT32, 2, shape, &two, &y));
    MNP_OR_EXIT(mnp_asfortranarray(x, &turned));
    MNP_OR_EXIT(mnp_empty(ctx, MNP_FLOAT32, 2, shape, &quotient));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT32, everywhere, &rest));
    MNP_OR_EXIT(mnp_divmod(x, y, &quotient, &rest));
    const mnp__device_ops *ops = ctx->device->ops;
    mnp__device_ops broken = *ops;
    broken.kernel_load = no_kernel;
    if (mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1)
        ctx->device->ops = &broken;
    mnp_status st = mnp_divmod(turned, y, &quotient, &rest);
    ctx->device->ops = ops;
    bool alone = mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1;
    ok(st == (alone                   ? MNP_ERR_COMPILE
              : mnp_ctx_size(ctx) > 1 ? MNP_ERR_PEER
                                      : MNP_OK),
       "a kernel that one rank cannot have: %s", mnp_error_message());
    st = mnp_divmod(turned, y, &quotient, &rest);
    ok(st == MNP_OK, "and it works when that rank can");
    mnp_free_all(x, y, turned, quotient, rest);
    mnp_layout_free(everywhere);
}

int main(void)
{
    const char *seed = getenv("MANIPLE_TEST_SEED");
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    check_strides();
    check_tunings();
    const uint32_t number = seed ? (uint32_t)strtoul(seed, NULL, 10) : 20;
    check_general(number);
    check_rows(number);
    check_in_place();
    check_scalars();
    check_indices();
    check_raw();
    check_errors();
    check_alone();
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
