/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a neighbourhood filter: the surroundings of the block, the kernel's definitions, and the launches.
 */
#include "ndimage/neighbours.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/move/mover.h"
#include "array/output.h"
#include "base/integer.h"
#include "base/memory.h"
#include "context/plan_cache.h"
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

/* Outputs of a rank, within its block, and where the elements that their windows reach are in memory. */
struct box {
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    int64_t reach_lo[MNP_MAX_DIMS], reach[MNP_MAX_DIMS], offset; /* of a box at a border: index in the array */
};
enum { MOST_BOXES = 1 + 2 * MNP_MAX_DIMS };

/* A plan: the borders of blocks along the dimensions of the window that are cut. */
struct borders {
    mnp_ctx *ctx;
    mnp_layout *layout; /* of the input, in C order */
    mnp_dtype dtype;
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS]; /* how far windows reach */
    mnp_boundary boundaries[MNP_MAX_DIMS];
    mnp__mover *mover;
    void *memory; /* what the windows of all boxes at borders reach */
    int64_t bytes;
};

/* Whether blocks have borders, where windows reach over blocks of other ranks. */
static bool find_reach(const mnp__neighbours *filter, const mnp_layout *layout, struct borders *b)
{
    bool any = false;
    *b = (struct borders){.ctx = NULL};
    for (int d = 0; d < filter->ndim; d++) {
        b->boundaries[d] = filter->boundary[d];
        if (mnp_layout_parts(layout, d) == 1)
            continue;
        b->before[d] = mnp__max(-filter->low[d], 0);
        b->after[d] = mnp__max(filter->low[d] + filter->span[d] - 1, 0);
        any = any || b->before[d] + b->after[d] > 0;
    }
    return any;
}

/* Add the outputs that are left along dimension d below or above the inner ones; none if they are none. */
static void add_box(const struct borders *b, const struct box *inner, const int64_t *lo, const int64_t *shape, int d,
                    bool above, struct box *boxes, int *count)
{
    struct box *box = &boxes[*count];
    const struct box *last = box - 1;
    const int ndim = b->layout->ndim;
    int64_t size = 1, reached = *count > 1 ? 1 : 0;
    for (int e = 0; e < ndim; e++) {
        const int64_t end = inner->lo[e] + inner->extent[e];
        box->lo[e] = e < d ? inner->lo[e] : e == d && above ? end : 0;
        box->extent[e] = e < d ? inner->extent[e] : e > d ? shape[e] : above ? shape[e] - end : inner->lo[e];
        box->reach_lo[e] = lo[e] + box->lo[e] - b->before[e];
        box->reach[e] = box->extent[e] + b->before[e] + b->after[e];
        size *= box->extent[e];
        reached *= last->reach[e];
    }
    box->offset = last->offset + reached;
    *count += size > 0;
}

/* The boxes of a rank's outputs: first those inside, which reach only its own block, then those at the borders. */
static int find_boxes(const struct borders *b, int rank, struct box *boxes)
{
    int64_t lo[MNP_MAX_DIMS], shape[MNP_MAX_DIMS];
    int count = 1;
    boxes[0] = (struct box){.offset = 0};
    if (!mnp__layout_box(b->layout, rank, lo, shape))
        return count;
    for (int d = 0; d < b->layout->ndim; d++) {
        boxes[0].lo[d] = mnp__min(b->before[d], shape[d]);
        boxes[0].extent[d] = mnp__max(shape[d] - boxes[0].lo[d] - b->after[d], 0);
    }
    for (int d = 0; d < b->layout->ndim; d++)
        for (int above = 0; above <= 1; above++)
            add_box(b, &boxes[0], lo, shape, d, above, boxes, &count);
    return count;
}

/* What the windows of the boxes at the borders reach, box after box: an mnp__wants. */
static int wanted_boxes(const void *argument, int rank, mnp__want *wants)
{
    const struct borders *b = argument;
    struct box boxes[MOST_BOXES + 1];
    const int count = find_boxes(b, rank, boxes);
    for (int i = 1; i < count; i++) {
        mnp__want *want = &wants[i - 1];
        want->offset = boxes[i].offset;
        memcpy(want->lo, boxes[i].reach_lo, sizeof want->lo);
        memcpy(want->extent, boxes[i].reach, sizeof want->extent);
        mnp__dense_strides(b->layout->ndim, want->extent, want->strides);
    }
    return count - 1;
}

static int64_t elements_of(const struct borders *b)
{
    struct box boxes[MOST_BOXES + 1];
    const int count = find_boxes(b, b->ctx->comm.rank, boxes);
    int64_t last = count > 1;
    for (int d = 0; d < b->layout->ndim; d++)
        last *= boxes[count - 1].reach[d];
    return boxes[count - 1].offset + last;
}

static int64_t bytes_of(const void *plan)
{
    const struct borders *b = plan;
    return b->bytes + mnp__mover_describe(b->mover).memory;
}

static void release(void *plan)
{
    struct borders *b = plan;
    if (!b)
        return;
    b->ctx->device->ops->free(b->ctx->device, b->memory);
    mnp__mover_free(b->mover);
    mnp_layout_free(b->layout);
    free(b);
}

static const mnp__plan_cache_kind kind = {
    .attachment = MNP__ATTACHED_NEIGHBOURS, .most = 16, .bytes = bytes_of, .release = release};

static mnp_status start_borders(const struct borders *wanted, const mnp_array *x, struct borders **b_p)
{
    mnp_ctx *ctx = x->ctx;
    MNP_TRY(mnp__calloc(1, sizeof **b_p, b_p));
    **b_p = *wanted;
    (*b_p)->ctx = ctx;
    (*b_p)->dtype = x->dtype;
    (*b_p)->layout = mnp_layout_retain(x->layout);
    (*b_p)->bytes = elements_of(*b_p) * (int64_t)mnp_dtype_size(x->dtype);
    return ctx->device->ops->alloc(ctx->device, (size_t)(*b_p)->bytes, &(*b_p)->memory);
}

static mnp_status new_borders(const struct borders *wanted, const mnp_array *x, struct borders **b_p)
{
    struct borders *b = NULL;
    mnp_status st = MNP_AGREE(x->ctx, start_borders(wanted, x, &b));
    if (st == MNP_OK) {
        const mnp__move_spec spec = {
            .dtype = b->dtype, .layout = b->layout, .boundaries = b->boundaries, .wants = wanted_boxes, .argument = b};
        st = mnp__mover_new(b->ctx, &spec, &b->mover);
    }
    if (st != MNP_OK)
        release(b);
    else
        *b_p = b;
    return st;
}

static bool fits(const struct borders *b, const struct borders *wanted, const mnp_array *x)
{
    return b->dtype == x->dtype && memcmp(b->before, wanted->before, sizeof b->before) == 0 &&
           memcmp(b->after, wanted->after, sizeof b->after) == 0 &&
           memcmp(b->boundaries, wanted->boundaries, sizeof b->boundaries) == 0 &&
           mnp_layout_equal(b->layout, x->layout);
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

/* A filter that has been loaded, and its arrays, which are dense in C order. */
struct call {
    const mnp__neighbours *filter;
    mnp__kernel *kernel;
    struct shape shape;
    const mnp_array *x, *mask, *y;
    struct borders reach; /* no plan: how far windows reach over the borders of blocks */
};

/* Compute a box of outputs.  What windows reach lies dense in C order in a box that begins with index `lo`. */
static mnp_status launch(const struct call *c, const struct box *box, const void *data, const int64_t *lo,
                         const int64_t *extent, mnp__stream *stream)
{
    const mnp__neighbours *filter = c->filter;
    const mnp_array *y = c->y;
    mnp_ctx *ctx = y->ctx;
    const bool host = ctx->device->block_memory == 0;
    const int last = filter->kernel_ndim - 1;
    mnp_neighbours_params p = {.in = data, .outside = filter->outside, .items = 1};
    int64_t strides[MNP_MAX_DIMS], out_strides[MNP_MAX_DIMS], first = 0;
    memcpy(p.weights, filter->weights, sizeof p.weights);
    mnp__dense_strides(filter->ndim, extent, strides);
    mnp__dense_strides(filter->ndim, y->local_shape, out_strides);
    for (int k = 0; k <= last; k++) {
        p.extent[k] = p.whole[k] = p.stride[k] = p.out_stride[k] = 1;
        p.boundary[k] = MNP_NEIGHBOUR_INSIDE;
    }
    for (int d = 0; d < filter->ndim; d++) {
        const int k = filter->place[d];
        const bool is_cut = c->reach.before[d] + c->reach.after[d] > 0;
        first += box->lo[d] * out_strides[d];
        p.extent[k] *= box->extent[d];
        p.stride[k] = strides[d];
        p.out_stride[k] = out_strides[d];
        if (c->shape.spans[k] == 1)
            continue; /* as one dimension with its neighbours, from the block's first element on */
        p.first[k] = y->local_lo[d] + box->lo[d];
        p.low[k] = filter->low[d];
        p.whole[k] = y->layout->shape[d];
        p.memory_lo[k] = lo[d];
        /* beyond a border is in the box, too, but for a value of its own */
        if (!is_cut || filter->boundary[d] == MNP_BOUNDARY_FILL)
            p.boundary[k] = (int)filter->boundary[d];
    }
    p.out = (char *)y->data + first * (int64_t)mnp_dtype_size(y->dtype);
    p.mask = c->mask ? (const char *)c->mask->data + first : NULL;
    for (int k = 0; k <= last; k++) {
        const int64_t step = k >= last - 1 ? c->shape.tile[k - last + 1] : 1;
        p.grid[k] = mnp__divide_up(p.extent[k], step);
        p.items *= p.grid[k];
    }
    if (p.items == 0)
        return MNP_OK;
    if (!host && p.items > INT_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: a block of %lld tiles is larger than the %d that one GPU computes",
                        filter->function, p.items, INT_MAX);
    const unsigned blocks = (unsigned)(host && p.items > MOST_PARTS ? MOST_PARTS : p.items);
    const mnp__launch launch = {.grid = {blocks, 1, 1}, .block = {(unsigned)c->shape.threads, 1, 1}, .divisible = true};
    return ctx->device->ops->launch(ctx->device, c->kernel, &launch, &p, sizeof p, stream);
}

/* ---- a run ---- */

/* A call and its plan. */
struct run {
    const struct borders *b;
    const struct call *c;
    int count;
    struct box boxes[MOST_BOXES + 1];
};

/* Compute the outputs at the borders: an mnp__mover_work. */
static mnp_status launch_borders(const void *argument, mnp__stream *stream)
{
    const struct run *run = argument;
    for (int i = 1; i < run->count; i++) {
        const struct box *box = &run->boxes[i];
        const char *data = (const char *)run->b->memory + box->offset * (int64_t)mnp_dtype_size(run->b->dtype);
        MNP_TRY(launch(run->c, box, data, box->reach_lo, box->reach, stream));
    }
    return MNP_OK;
}

/* Compute what is inside while the surroundings of the borders come. */
static mnp_status run_borders(const struct borders *b, const struct call *c)
{
    struct run run = {.b = b, .c = c};
    const mnp_array *x = c->x;
    run.count = find_boxes(b, b->ctx->comm.rank, run.boxes);
    MNP_TRY(mnp__mover_begin(b->mover, x->data, b->memory));
    const mnp_status st = launch(c, &run.boxes[0], x->data, x->local_lo, x->local_shape, b->ctx->compute);
    const mnp_status others = mnp__mover_finish_with(b->mover, b->memory, launch_borders, &run);
    return st != MNP_OK ? st : others;
}

/* The same by a plan that the context keeps.  Collective. */
static mnp_status run_cut(const struct call *c)
{
    mnp_ctx *ctx = c->x->ctx;
    mnp__plan_cache *cache;
    struct borders *b;
    bool is_cached;
    MNP_TRY(mnp__plan_cache_of(ctx, &kind, &cache));
    for (int i = 0; i < cache->count; i++)
        if (fits(cache->plans[i].plan, &c->reach, c->x))
            return run_borders(mnp__plan_cache_use(cache, i), c);
    MNP_TRY(new_borders(&c->reach, c->x, &b));
    MNP_TRY(mnp__plan_cache_add(cache, ctx, b, &is_cached));
    const mnp_status st = run_borders(b, c);
    return is_cached ? st : mnp__plan_cache_once(&kind, ctx, b, st);
}

static mnp_status run(mnp__neighbours *filter, const mnp_array *x, const mnp_array *y)
{
    struct call c = {.filter = filter, .y = y};
    struct box whole = {.offset = 0};
    mnp__input input = {NULL, NULL}, mask = {NULL, NULL};
    choose_shape(filter, x, &c.shape);
    MNP_TRY(load_kernel(filter, x, &c.shape, &c.kernel));
    mnp_status st = mnp__input_open(x, y->layout, x->dtype, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK && filter->mask)
        st = mnp__input_open(filter->mask, y->layout, MNP_BOOL, MNP__INPUT_DENSE, &mask);
    c.x = input.array;
    c.mask = mask.array;
    memcpy(whole.extent, y->local_shape, sizeof whole.extent);
    if (st == MNP_OK && find_reach(filter, y->layout, &c.reach))
        st = run_cut(&c);
    else if (st == MNP_OK)
        st = launch(&c, &whole, c.x->data, c.x->local_lo, c.x->local_shape, x->ctx->compute);
    mnp__input_close(&mask);
    mnp__input_close(&input);
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
