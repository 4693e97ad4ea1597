/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a neighbourhood filter: the surroundings of the block, the kernel's definitions, and the launch.
 */
#include "ndimage/neighbours.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <maniple/halo.h>

#include "array/input.h"
#include "array/move/mover.h"
#include "array/move/plan.h"
#include "array/output.h"
#include "base/integer.h"
#include "base/value.h"
#include "device/launch.h"
#include "jit/jit.h"

/*
 * Outputs of a tile on the host, along the last dimension and the one before it; on GPUs threads, and rows of a tile.
 */
enum { TILE_X = 256, TILE_Y = 32, LINE_X = 2048, SMALL_TILE_X = 64, SMALL_TILE_Y = 4, MOST_TILE_BYTES = 16 << 20 };
enum { MOST_PARTS = 8192, THREADS = 256, WARP = 32, GPU_TILE_Y = 16 };

/* How a filter is compiled and launched. */
struct shape {
    int64_t spans[MNP_NEIGHBOUR_DIMS]; /* of the window, in the kernel's dimensions */
    int64_t tile[2];                   /* outputs along y and x */
    int threads;                       /* of a block */
    size_t shared_bytes;               /* on GPUs: of what windows of a tile reach; 0 if that is too large */
};

/* ---- dimensions of the kernel ---- */

/* Neighbouring dimensions along which the window has extent 1 are one dimension for the kernel. */
void mnp__neighbours_start(mnp__neighbours *filter, int ndim, char *room)
{
    int count = 0;
    filter->ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        if (d == 0 || filter->span[d] > 1 || filter->span[d - 1] > 1)
            count++;
        filter->place[d] = count - 1;
    }
    for (int d = 0; d < ndim && count == 1; d++)
        filter->place[d] = 1;
    filter->kernel_ndim = count == 1 ? 2 : count;
    filter->body = (mnp__text){.data = room, .capacity = MNP__NEIGHBOURS_ROOM, .borrows = true};
}

void mnp__neighbours_spans(const mnp__neighbours *filter, int64_t *spans)
{
    for (int k = 0; k < filter->kernel_ndim; k++)
        spans[k] = 1;
    for (int d = 0; d < filter->ndim; d++)
        spans[filter->place[d]] *= filter->span[d];
}

int64_t mnp__neighbours_rows(const mnp__neighbours *filter, const mnp_array *x)
{
    int64_t rows = 1;
    for (int d = 0; d < filter->ndim; d++)
        rows *= filter->place[d] == filter->kernel_ndim - 2 ? x->layout->shape[d] : 1;
    return rows;
}

void mnp__neighbours_tap(mnp__neighbours *filter, const int64_t *at)
{
    int64_t place[MNP_NEIGHBOUR_DIMS] = {0};
    for (int d = 0; d < filter->ndim; d++)
        place[filter->place[d]] += at[d];
    mnp__text_add(&filter->body, "MNP_TAP(");
    for (int k = 0; k < filter->kernel_ndim; k++)
        mnp__text_add(&filter->body, "%s%d", k > 0 ? ", " : "", (int)place[k]);
    mnp__text_add(&filter->body, ")");
}

/* ---- what surrounds a block ---- */

/* The input of a launch: where it lies, and which of its dimensions have everything that windows reach. */
struct surroundings {
    mnp__input input;
    mnp_array *wide; /* a copy with margins */
    void *memory;    /* or a box that the mover filled */
    const void *data;
    int64_t memory_lo[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    bool extended[MNP_MAX_DIMS]; /* nothing that windows reach lies beyond a border */
};

struct wish {
    const mnp_layout *layout;
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS];
};

/* The box of a rank's block with its surroundings: an mnp__wants. */
static int wanted_box(const void *argument, int rank, mnp__want *wants)
{
    const struct wish *wish = argument;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(wish->layout, rank, lo, extent))
        return 0;
    for (int d = 0; d < wish->layout->ndim; d++) {
        if (extent[d] == 0)
            return 0;
        wants[0].lo[d] = lo[d] - wish->before[d];
        wants[0].extent[d] = extent[d] + wish->before[d] + wish->after[d];
    }
    mnp__dense_strides(wish->layout->ndim, wants[0].extent, wants[0].strides);
    return 1;
}

/* Bring a box that goes on beyond the array's borders. */
static mnp_status extend(const mnp__neighbours *filter, const mnp_array *x, const struct wish *wish,
                         struct surroundings *s)
{
    mnp_ctx *ctx = x->ctx;
    mnp__want want = {.offset = 0};
    mnp__mover *mover;
    unsigned char fill[16] = {0};
    int64_t size = (int64_t)mnp_dtype_size(x->dtype);
    const mnp__move_spec spec = {.dtype = x->dtype,
                                 .layout = x->layout,
                                 .strides = x->local_strides,
                                 .boundaries = filter->boundary,
                                 .wants = wanted_box,
                                 .argument = wish};
    const int boxes = wanted_box(wish, ctx->comm.rank, &want);
    for (int d = 0; d < filter->ndim; d++) {
        size *= boxes > 0 ? want.extent[d] : 0;
        s->memory_lo[d] = want.lo[d];
        s->strides[d] = want.strides[d];
        s->extended[d] = wish->before[d] + wish->after[d] > 0;
    }
    mnp__value_write(&(mnp__value){.kind = 'f', .re = filter->outside}, x->dtype, fill);
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, (size_t)size, &s->memory)));
    MNP_TRY(mnp__mover_new(ctx, &spec, &mover));
    mnp_status st = MNP_AGREE(ctx, mnp__mover_fill(mover, s->memory, fill));
    if (st == MNP_OK)
        st = mnp__mover_move(mover, x->data, s->memory);
    mnp__mover_free(mover);
    s->data = s->memory;
    return st;
}

/* Copy the block, and what its windows reach within the array. */
static mnp_status widen(const mnp_array *x, const struct wish *wish, struct surroundings *s)
{
    mnp_layout *layout;
    MNP_TRY(mnp__layout_in_c_order(x->layout, &layout));
    mnp_status st = mnp_array_new_margins(x->ctx, x->dtype, layout, wish->before, wish->after, &s->wide);
    mnp_layout_free(layout);
    MNP_TRY(st);
    MNP_TRY(mnp__plan_move_cached(x, s->wide, true));
    s->data = s->wide->data;
    memcpy(s->memory_lo, s->wide->local_lo, sizeof s->memory_lo);
    memcpy(s->strides, s->wide->local_strides, sizeof s->strides);
    return MNP_OK;
}

/*
 * Margins are as wide on both sides as the window reaches on either: an index beyond a border then folds to one within
 * the block and its margins, in every mode but wrap.
 */
static mnp_status open_surroundings(const mnp__neighbours *filter, const mnp_array *x, struct surroundings *s)
{
    struct wish wish = {.layout = x->layout};
    bool exchanges = false, wraps = false;
    for (int d = 0; d < filter->ndim; d++) {
        const int64_t below = -filter->low[d], above = filter->low[d] + filter->span[d] - 1;
        const int64_t reach = mnp__max(below, above);
        if (mnp_layout_parts(x->layout, d) == 1 || reach == 0)
            continue;
        wish.before[d] = wish.after[d] = reach;
        exchanges = true;
        wraps = wraps || filter->boundary[d] == MNP_BOUNDARY_WRAP;
    }
    if (wraps)
        return extend(filter, x, &wish, s);
    if (exchanges)
        return widen(x, &wish, s);
    MNP_TRY(mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE, &s->input));
    s->data = s->input.array->data;
    memcpy(s->memory_lo, s->input.array->local_lo, sizeof s->memory_lo);
    memcpy(s->strides, s->input.array->local_strides, sizeof s->strides);
    return MNP_OK;
}

static void close_surroundings(mnp_ctx *ctx, struct surroundings *s)
{
    mnp__input_close(&s->input);
    mnp_array_free(s->wide);
    ctx->device->ops->free(ctx->device, s->memory);
}

/* ---- the kernel ---- */

/* The dtype in which the kernel computes. */
static mnp_dtype computed_dtype(const mnp__neighbours *filter, mnp_dtype input)
{
    static const mnp_dtype unsigned_of[] = {MNP_UINT8, MNP_UINT16, MNP_UINT32, MNP_UINT64};
    size_t size = mnp_dtype_size(input);
    if (!filter->ordered)
        return filter->value;
    size = size < (size_t)filter->ordered ? (size_t)filter->ordered : size;
    return unsigned_of[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/* Elements of what the windows of a tile reach. */
static double surroundings_of(const mnp__neighbours *filter, const struct shape *shape)
{
    const int y = filter->kernel_ndim - 2;
    double elements = 1;
    for (int k = 0; k < filter->kernel_ndim; k++)
        elements *= (double)(shape->spans[k] + (k >= y ? shape->tile[k - y] - 1 : 0));
    return elements;
}

static void choose_host_tile(const mnp__neighbours *filter, bool has_rows, struct shape *shape)
{
    shape->tile[1] = has_rows ? TILE_X : LINE_X;
    shape->tile[0] = has_rows ? TILE_Y : 1;
    if (8 * surroundings_of(filter, shape) > MOST_TILE_BYTES) {
        shape->tile[1] = SMALL_TILE_X;
        shape->tile[0] = has_rows ? SMALL_TILE_Y : 1;
    }
}

/* At least two blocks of threads should fit on a multiprocessor. */
static void choose_gpu_tile(const mnp__neighbours *filter, bool has_rows, size_t value, size_t block_memory,
                            struct shape *shape)
{
    shape->tile[1] = (has_rows ? WARP : THREADS) * filter->run;
    for (shape->tile[0] = has_rows ? GPU_TILE_Y : 1;; shape->tile[0] /= 2) {
        const double bytes = (double)value * surroundings_of(filter, shape);
        shape->shared_bytes = bytes < (double)block_memory / 3 ? (size_t)bytes : 0;
        if (shape->shared_bytes > 0 || !has_rows || shape->tile[0] == THREADS / WARP)
            return;
    }
}

static void choose_shape(const mnp__neighbours *filter, const mnp_array *x, struct shape *shape)
{
    const size_t block_memory = x->ctx->device->block_memory;
    const bool has_rows = mnp__neighbours_rows(filter, x) > 1;
    mnp__neighbours_spans(filter, shape->spans);
    shape->threads = THREADS;
    if (filter->kernel) {
        memcpy(shape->tile, filter->tile, sizeof shape->tile);
        shape->threads = filter->threads;
        shape->shared_bytes = filter->shared_bytes;
    } else if (block_memory == 0) {
        choose_host_tile(filter, has_rows, shape);
    } else {
        choose_gpu_tile(filter, has_rows, mnp_dtype_size(computed_dtype(filter, x->dtype)), block_memory, shape);
    }
}

static void generate(const void *argument, mnp__text *text)
{
    mnp__neighbours copy = *(const mnp__neighbours *)argument;
    copy.body = *text;
    copy.write(&copy);
    *text = copy.body;
}

static mnp_status load_kernel(mnp__neighbours *filter, const mnp_array *x, const struct shape *shape,
                              mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM], file[64];
    mnp__text defines = MNP__TEXT_IN(room);
    const char *name = filter->kernel ? filter->kernel : "neighbours";
    const mnp__kernel_spec spec = {.file = file,
                                   .function = name,
                                   .shared_bytes = shape->shared_bytes,
                                   .generate = filter->write ? generate : NULL,
                                   .generate_argument = filter};
    snprintf(file, sizeof file, "ndimage/%s.cu", name);
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n", mnp__jit_type(x->dtype),
                  mnp__jit_type(filter->output));
    mnp__text_add(&defines, "#define MNP_VALUE %s\n#define MNP_ORDERED %d\n",
                  mnp__jit_type(computed_dtype(filter, x->dtype)), filter->ordered != 0);
    mnp__text_add(&defines, "#define MNP_NDIM %d\n#define MNP_SPANS ", filter->kernel_ndim);
    for (int k = 0; k < filter->kernel_ndim; k++)
        mnp__text_add(&defines, "%s%d", k > 0 ? ", " : "", (int)shape->spans[k]);
    mnp__text_add(&defines, "\n#define MNP_COLUMNS %d\n#define MNP_KEPT %d\n#define MNP_RUN %d\n", filter->columns,
                  filter->kept, filter->run);
    mnp__text_add(&defines, "#define MNP_TX %d\n#define MNP_TY %d\n#define MNP_MASK %d\n", (int)shape->tile[1],
                  (int)shape->tile[0], filter->mask != NULL);
    if (x->ctx->device->block_memory > 0)
        mnp__text_add(&defines, "#define MNP_THREADS %d\n#define MNP_TILED %d\n", shape->threads,
                      shape->shared_bytes > 0);
    mnp__text_add(&defines, "#define MNP_RANK %d\n%s", filter->rank, filter->definitions);
    return mnp__ctx_kernel_of_text(x->ctx, &spec, &defines, filter->write ? NULL : &filter->body, kernel_p);
}

static mnp_status launch(const mnp__neighbours *filter, mnp__kernel *kernel, const struct shape *shape,
                         const struct surroundings *s, const mnp_array *mask, const mnp_array *y)
{
    mnp_ctx *ctx = y->ctx;
    const bool host = ctx->device->block_memory == 0;
    const int last = filter->kernel_ndim - 1;
    mnp_neighbours_params p = {
        .in = s->data, .out = y->data, .mask = mask ? mask->data : NULL, .outside = filter->outside, .items = 1};
    memcpy(p.weights, filter->weights, sizeof p.weights);
    for (int k = 0; k <= last; k++) {
        p.extent[k] = p.whole[k] = p.stride[k] = 1;
        p.boundary[k] = MNP_NEIGHBOUR_INSIDE;
    }
    for (int d = 0; d < filter->ndim; d++) {
        const int k = filter->place[d];
        p.extent[k] *= y->local_shape[d];
        if (shape->spans[k] > 1 || y->local_shape[d] > 1) /* an extent of 1 may have any stride */
            p.stride[k] = s->strides[d];
        if (shape->spans[k] == 1)
            continue; /* as one dimension with its neighbours, from the block's first element on */
        p.first[k] = y->local_lo[d];
        p.low[k] = filter->low[d];
        p.whole[k] = y->layout->shape[d];
        p.memory_lo[k] = s->memory_lo[d];
        p.boundary[k] = s->extended[d] ? MNP_NEIGHBOUR_INSIDE : (int)filter->boundary[d];
    }
    for (int k = 0; k <= last; k++) {
        const int64_t step = k >= last - 1 ? shape->tile[k - last + 1] : 1;
        p.grid[k] = mnp__divide_up(p.extent[k], step);
        p.items *= p.grid[k];
    }
    if (p.items == 0)
        return MNP_OK;
    if (!host && p.items > INT_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: a block of %lld tiles is larger than the %d that one GPU computes",
                        filter->function, p.items, INT_MAX);
    const unsigned blocks = (unsigned)(host && p.items > MOST_PARTS ? MOST_PARTS : p.items);
    const mnp__launch launch = {.grid = {blocks, 1, 1}, .block = {(unsigned)shape->threads, 1, 1}, .divisible = true};
    return ctx->device->ops->launch(ctx->device, kernel, &launch, &p, sizeof p, ctx->compute);
}

/* ---- a run ---- */

static mnp_status run(mnp__neighbours *filter, const mnp_array *x, const mnp_array *y)
{
    struct shape shape = {.shared_bytes = 0};
    struct surroundings s = {.data = NULL};
    mnp__input mask = {NULL, NULL};
    mnp__kernel *kernel;
    choose_shape(filter, x, &shape);
    MNP_TRY(load_kernel(filter, x, &shape, &kernel));
    mnp_status st = open_surroundings(filter, x, &s);
    if (st == MNP_OK && filter->mask)
        st = mnp__input_open(filter->mask, y->layout, MNP_BOOL, MNP__INPUT_DENSE, &mask);
    if (st == MNP_OK)
        st = launch(filter, kernel, &shape, &s, mask.array, y);
    mnp__input_close(&mask);
    close_surroundings(x->ctx, &s);
    return st;
}

mnp_status mnp__neighbours_run(mnp__neighbours *filter, const mnp_array *x, mnp_array **y_p)
{
    mnp__output output;
    const mnp__output_spec spec = {.function = filter->function,
                                   .ctx = x->ctx,
                                   .dtype = filter->output,
                                   .layout = x->layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = filter->mask ? 2 : 1,
                                   .inputs = (const mnp_array *const[]){x, filter->mask}};
    mnp_status st = mnp__output_open(&spec, y_p, &output);
    if (st == MNP_OK && filter->mask)
        st = mnp__array_copy_to(x, output.array);
    if (st == MNP_OK)
        st = run(filter, x, output.array);
    mnp__text_free(&filter->body);
    return mnp__output_close(1, &output, st);
}
