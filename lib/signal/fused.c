/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fused passes: which passes are, the shape of their tiles, plans and runs.
 */
#include "signal/fused.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/value.h"
#include "jit/jit.h"
#include "signal/tiles.h"

enum {
    QUAD = 16,          /* bytes of an access */
    WORD = 4,           /* bytes of a register */
    LONG = 16,          /* elements of a window from which on a thread of the pass along x has more outputs */
    REGISTERS = 65536,  /* of a multiprocessor */
    WINDOW = 86,        /* most registers of a thread for the rows of its windows, */
    OTHERS = 36,        /* and for all else */
    MOST_ROWS = 1024,   /* of a tile */
    MOST_BLOCKS = 3,    /* of 256 threads on a multiprocessor: more would leave them too few registers */
    MOST_THREADS = 512, /* of a block: likewise */
    /* of windows in a ring */
    THREADS = 256,
    STEP = 8,       /* rows that a block computes between two barriers */
    AHEAD = 2,      /* steps whose input is on its way */
    RUN = 8,        /* outputs of a thread along y */
    COLUMNS = 2,    /* of a thread in the pass along y */
    NARROW = 64,    /* columns of input of the narrowest stripes, */
    WIDE = 256,     /* and of the widest ones, if the window leaves half of them */
    RESERVED = 1024 /* bytes of shared memory that a block takes beside its own */
};

/* A pair of passes in the dimensions of the kernel, y and x: `pass` is NULL where there is none. */
struct pair {
    const mnp__pass *pass[2];
    int axis[2];
    mnp_dtype input, output, between;
    mnp__combination combination;
};

struct shape {
    bool in_ring; /* the rows of a window are in shared memory, not in registers: fused_ring.cu, not fused.cu */
    int64_t taps[2];
    int64_t threads, rows; /* of a block: rows between two barriers */
    int64_t columns;       /* of a thread in the pass along y */
    int64_t run;           /* outputs of a thread in the pass along x */
    int64_t unit;          /* that widths are multiples of: whole runs, and in a ring whole accesses of the input */
    int64_t shift;         /* in a ring: elements before a row's window, so that accesses of the input are aligned */
    int64_t width;         /* most outputs of a tile along x */
    int64_t blocks;        /* that a multiprocessor holds */
    int64_t shared_bytes;
};

struct mnp__fused {
    mnp__extended in;
    mnp__tiles tiles;
    mnp__kernel *kernel;
    unsigned threads;
    mnp_fused_params params; /* all but what a run fills in */
};

/* ---- which passes ---- */

/* The dimension along which neighbours are neighbours in memory: the last one, but for extents of 1. */
static int last_dim(const mnp_layout *layout)
{
    int d = layout->ndim - 1;
    while (d > 0 && layout->shape[d] == 1)
        d--;
    return d;
}

static bool is_extreme(mnp__combination combination)
{
    return combination == MNP__LEAST || combination == MNP__GREATEST;
}

static bool is_fusible(const mnp__pass *pass)
{
    return pass->count > 1 && !pass->imaginary && (pass->combination != MNP__SUMS || pass->count <= MNP_FUSED_TAPS);
}

/* A dimension for y, if the filter is along x alone: the longest of the others. */
static int other_dim(const mnp_layout *layout, int x)
{
    int y = -1;
    for (int d = 0; d < layout->ndim; d++)
        if (d != x && (y < 0 || layout->shape[d] >= layout->shape[y]))
            y = d;
    return y;
}

static bool fills(const mnp__pass *pass, double outside)
{
    return pass->boundary == MNP_BOUNDARY_FILL && outside != 0;
}

/* Whether x before y is the same as y before x, but for rounding. */
static bool commute(const mnp__separable_spec *spec, mnp_dtype between, const mnp__pass *first, const mnp__pass *second)
{
    if (is_extreme(first->combination))
        return true;
    return (mnp_dtype_kind(between) == 'f' || between == MNP_UINT64) && !fills(first, spec->fillvalue) &&
           !fills(second, spec->fillvalue);
}

/* The passes from number i on as a pair; false if there is none that one kernel does. */
static bool find_pair(const mnp__separable_spec *spec, int i, int count, const mnp_layout *in, struct pair *pair)
{
    const mnp_dtype between = spec->between == MNP_DTYPE_AUTO ? spec->sum : spec->between;
    const mnp__pass *first = &spec->passes[i], *second = count == 2 ? first + 1 : NULL;
    const int x = last_dim(in);
    *pair = (struct pair){.input = i == 0 ? spec->input : between,
                          .output = i + count == spec->npasses ? spec->output : between,
                          .between = between,
                          .combination = first->combination};
    if (!second && !is_extreme(first->combination))
        return false; /* the direct convolution does a single sum */
    if (!is_fusible(first) || first->axis > x || (second && (!is_fusible(second) || second->axis > x)))
        return false;
    if (second) {
        if (first->combination != second->combination || first->axis == second->axis ||
            (first->axis != x && second->axis != x) || (first->axis == x && !commute(spec, between, first, second)))
            return false;
        pair->pass[0] = first->axis == x ? second : first;
        pair->pass[1] = first->axis == x ? first : second;
    } else {
        pair->pass[first->axis == x ? 1 : 0] = first;
    }
    pair->axis[0] = pair->pass[0] ? pair->pass[0]->axis : other_dim(in, x);
    pair->axis[1] = x;
    return pair->axis[0] >= 0 && (pair->pass[0] || in->shape[pair->axis[0]] >= STEP);
}

/* ---- tiles ---- */

/* Rows between two barriers, as many as leave room; false if there are none.  *window: registers of the windows and the
   next rows. */
static bool find_rows(struct shape *shape, int64_t words, int64_t input_words, int64_t *window)
{
    const int64_t most = shape->columns * words == 1 ? 16 : 8, least = most * 3 / 4;
    for (shape->rows = most; shape->rows >= least; shape->rows -= most - least) {
        *window = shape->columns * ((shape->taps[0] - 1 + shape->rows) * words + shape->rows * input_words);
        if (*window <= WINDOW)
            return true;
    }
    return false;
}

/*
 * The bytes of a row of so many results of the first pass, with what is read beyond its end (kernels/signal/fused.h).
 */
static int64_t row_bytes(const struct shape *shape, int64_t columns, int64_t sum)
{
    return (columns + shape->run) * sum + QUAD;
}

/*
 * Windows in registers: as few threads as have the block's columns. false if there are too few registers, or too little
 * shared memory, or if more than half of the columns of a block would be the window's.
 */
static bool choose_registers(const mnp_ctx *ctx, const struct pair *pair, int64_t sum, int64_t across,
                             struct shape *shape)
{
    const int64_t input = (int64_t)mnp_dtype_size(pair->input), memory = (int64_t)ctx->device->block_memory;
    const int64_t words = mnp__divide_up(sum, WORD);
    int64_t window, most = 0;
    for (shape->columns = words == 1 ? 2 : 1; !find_rows(shape, words, mnp__divide_up(input, WORD), &window);) {
        if (--shape->columns == 0)
            return false;
    }
    for (shape->threads = 64;; shape->threads *= 2) {
        most = shape->threads * shape->columns;
        shape->width = (most - (shape->taps[1] - 1)) / shape->run * shape->run;
        if (shape->width > 0 && (shape->width >= across || (shape->threads >= 256 && 2 * shape->width >= most)))
            break;
        if (shape->threads == MOST_THREADS)
            return false;
    }
    shape->blocks = REGISTERS / (shape->threads * (window + OTHERS));
    shape->blocks = mnp__max(shape->blocks, MOST_THREADS / shape->threads);
    shape->blocks = mnp__min(shape->blocks, mnp__max(MOST_BLOCKS * THREADS / shape->threads, 1));
    shape->shared_bytes = shape->rows * (2 * row_bytes(shape, most, sum) + most * input);
    return shape->shared_bytes + RESERVED <= memory;
}

/* The bytes of the shared arrays of kernels/signal/fused_ring.cu. */
static int64_t ring_bytes(const struct shape *shape, int64_t input, int64_t sum)
{
    const int64_t width = mnp__round_up(shape->shift + shape->width + shape->taps[1] - 1, QUAD / input);
    const int64_t ring = mnp__round_up(shape->taps[0] - 1 + (1 + AHEAD) * STEP, RUN) * width * input;
    return ring + STEP * row_bytes(shape, mnp__round_up(width, QUAD / sum), sum);
}

/* Windows in a ring of rows; false if it does not fit shared memory. */
static bool choose_ring(const mnp_ctx *ctx, const struct pair *pair, int64_t sum, int64_t across, struct shape *shape)
{
    const int64_t input = (int64_t)mnp_dtype_size(pair->input), memory = (int64_t)ctx->device->block_memory;
    const int64_t quad = QUAD / input;
    shape->in_ring = true;
    shape->threads = THREADS;
    shape->rows = STEP;
    shape->columns = COLUMNS;
    shape->shift = pair->pass[1] ? (pair->pass[1]->first % quad + quad) % quad : 0;
    while (shape->unit % quad != 0)
        shape->unit *= 2;
    for (int64_t columns = NARROW;; columns *= 2) {
        shape->width = (columns - (shape->taps[1] - 1) - shape->shift) / shape->unit * shape->unit;
        shape->shared_bytes = shape->width > 0 ? ring_bytes(shape, input, sum) : 0;
        if (shape->shared_bytes > memory)
            return false;
        if (shape->width > 0 && (shape->width >= across || (columns >= WIDE && 2 * shape->width >= columns)))
            break;
    }
    shape->blocks = mnp__min((memory + RESERVED) / (shape->shared_bytes + RESERVED), MOST_BLOCKS);
    return true;
}

/* Choose for an input of that layout; false if there is no shape for it. */
static bool choose_shape(const mnp_ctx *ctx, const struct pair *pair, mnp_dtype dtype, const mnp_layout *in,
                         struct shape *shape)
{
    const int64_t across = in->shape[pair->axis[1]] / mnp_layout_parts(in, pair->axis[1]);
    const int64_t sum = (int64_t)mnp_dtype_size(dtype), quad = QUAD / sum;
    *shape = (struct shape){.in_ring = false};
    for (int k = 0; k < 2; k++)
        shape->taps[k] = pair->pass[k] ? pair->pass[k]->count : 1;
    shape->unit = shape->run = 3 * quad <= QUAD && (shape->taps[1] > LONG || quad == 2) ? 3 * quad : quad;
    /* sums of windows that are too high for registers are faster as two direct convolutions */
    return choose_registers(ctx, pair, sum, across, shape) ||
           (pair->combination != MNP__SUMS && choose_ring(ctx, pair, sum, across, shape));
}

int mnp__fused_count(const mnp_ctx *ctx, const mnp__separable_spec *spec, int i, const mnp_layout *in)
{
    struct pair pair;
    struct shape shape;
    if (ctx->device->block_memory == 0 || in->ndim > MNP_CONV_DIMS || mnp_layout_size(in) == 0 ||
        mnp_dtype_kind(spec->input) == 'c' || mnp_dtype_kind(spec->sum) == 'c' || mnp_dtype_kind(spec->output) == 'c')
        return 0;
    for (int count = spec->npasses - i < 2 ? spec->npasses - i : 2; count > 0; count--) {
        if (find_pair(spec, i, count, in, &pair) && choose_shape(ctx, &pair, spec->sum, in, &shape))
            return count;
    }
    return 0;
}

/* ---- plans ---- */

/* The dimensions of the kernel, and those along which it folds. */
static mnp_status find_geometry(const struct pair *pair, const mnp_layout *in, mnp__conv_geometry *geometry)
{
    int64_t taps[MNP_CONV_DIMS], first[MNP_CONV_DIMS] = {0}, shape[MNP_CONV_DIMS];
    int outer = 1;
    for (int d = 0; d < in->ndim; d++) {
        taps[d] = 1;
        shape[d] = in->shape[d];
    }
    for (int k = 0; k < 2; k++) {
        const mnp__pass *pass = pair->pass[k];
        if (!pass)
            continue;
        taps[pass->axis] = pass->count;
        first[pass->axis] = pass->first;
        shape[pass->axis] = pass->extent > 0 ? pass->extent : shape[pass->axis];
    }
    MNP_TRY(mnp__conv_geometry_of(in, taps, first, shape, geometry));
    geometry->order[0] = geometry->order[1] = -1;
    for (int d = in->ndim - 1; d >= 0; d--)
        if (d != pair->axis[0] && d != pair->axis[1])
            geometry->order[outer--] = d;
    for (int k = 0; k < 2; k++) {
        geometry->order[2 + k] = pair->axis[k];
        geometry->folds[pair->axis[k]] = mnp_layout_parts(in, pair->axis[k]) == 1;
    }
    return MNP_OK;
}

static mnp_status load_kernel(mnp__fused *fused, const mnp__separable_spec *spec, const struct pair *pair,
                              const struct shape *shape, double outside)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec kernel = {.file = shape->in_ring ? "signal/fused_ring.cu" : "signal/fused.cu",
                                     .function = shape->in_ring ? "fused_ring" : "fused",
                                     .shared_bytes = (size_t)shape->shared_bytes};
    const bool refills = spec->refills && pair->pass[0] && pair->pass[1] && !is_extreme(pair->combination) &&
                         fills(pair->pass[1], outside);
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_SUM %s\n", mnp__jit_type(pair->input),
                  mnp__jit_type(spec->sum));
    mnp__text_add(&defines, "#define MNP_OUT %s\n#define MNP_BETWEEN %s\n", mnp__jit_type(pair->output),
                  mnp__jit_type(pair->between));
    mnp__text_add(&defines, "#define MNP_COMBINE %d\n#define MNP_KY %d\n#define MNP_KX %d\n#define MNP_SHIFT %d\n",
                  (int)pair->combination, (int)shape->taps[0], (int)shape->taps[1], (int)shape->shift);
    mnp__text_add(&defines, "#define MNP_S %d\n#define MNP_V %d\n#define MNP_RX %d\n", (int)shape->rows,
                  (int)shape->columns, (int)shape->run);
    if (shape->in_ring)
        mnp__text_add(&defines, "#define MNP_W %d\n#define MNP_AHEAD %d\n#define MNP_RY %d\n", (int)shape->width, AHEAD,
                      RUN);
    mnp__text_add(&defines, "#define MNP_REFILLS %d\n#define MNP_THREADS %d\n#define MNP_BLOCKS %d\n%s", refills,
                  (int)shape->threads, (int)shape->blocks, spec->truncates ? "#define MNP_TRUNCATES\n" : "");
    return mnp__ctx_kernel_of_text(fused->in.ctx, &kernel, &defines, NULL, &fused->kernel);
}

/* Weights in the type of the sums; negative ones are taken modulo 2^64 as unsigned integers. */
static void write_taps(const mnp__pass *pass, mnp_dtype sum, double *to)
{
    for (int64_t j = 0; pass && pass->combination == MNP__SUMS && j < pass->count; j++) {
        const double tap = pass->taps[j];
        if (sum == MNP_UINT64)
            ((uint64_t *)(void *)to)[j] = tap < 0 ? (uint64_t)(int64_t)tap : (uint64_t)tap;
        else
            mnp__value_write(&(mnp__value){.kind = 'f', .re = tap}, sum, (char *)to + (size_t)j * mnp_dtype_size(sum));
    }
}

static void fill_params(mnp__fused *fused, const mnp__separable_spec *spec, const struct pair *pair, double outside)
{
    const mnp__conv_geometry *geometry = &fused->in.geometry;
    mnp_fused_params *p = &fused->params;
    for (int k = 0; k < 2; k++) {
        const bool folds = geometry->folds[pair->axis[k]];
        p->first[k] = folds && pair->pass[k] ? pair->pass[k]->first : 0;
        p->boundary[k] = folds && pair->pass[k] ? (int)pair->pass[k]->boundary : MNP_FUSED_INSIDE;
        write_taps(pair->pass[k], spec->sum, p->taps[k]);
    }
    p->outside = outside;
    p->x_low = -fused->in.share.want_lo[3];
    p->x_end = p->x_low + geometry->input->shape[pair->axis[1]];
}

/*
 * Tiles as wide as each other, and as high as lets all of them run at once, so that all blocks end together and few
 * rows are read by two.
 */
static mnp_status choose_extent(const mnp__fused *fused, const struct shape *shape, int64_t *extent)
{
    const int64_t *out = fused->in.share.out_extent;
    mnp_ctx *ctx = fused->in.ctx;
    mnp_rank_info info;
    const int64_t across = mnp__max(mnp__divide_up(out[3], shape->width), 1);
    const int64_t stripes = mnp__max(out[0] * out[1] * across, 1);
    MNP_TRY(ctx->device->ops->info(ctx->device, &info));
    const int64_t tiles = mnp__max(info.multiprocessors * shape->blocks / stripes, 1);
    const int64_t rows = mnp__round_up(mnp__divide_up(out[2], tiles), shape->rows);
    extent[2] = rows < 2 * shape->rows ? 2 * shape->rows : mnp__min(rows, MOST_ROWS);
    extent[3] = mnp__max(mnp__round_up(mnp__divide_up(out[3], across), shape->unit), shape->unit);
    extent[0] = extent[1] = 1;
    return MNP_OK;
}

static mnp_status make_tiles(mnp__fused *fused, const struct shape *shape)
{
    int64_t extent[MNP_CONV_DIMS];
    MNP_TRY(choose_extent(fused, shape, extent));
    fused->params.height = (int)extent[2];
    fused->params.width = (int)extent[3];
    fused->threads = (unsigned)shape->threads;
    return mnp__tiles_open(&fused->in, extent, &fused->tiles);
}

mnp_status mnp__fused_new(mnp_ctx *ctx, const mnp__separable_spec *spec, int i, int count, const mnp_layout *in,
                          double outside, mnp__fused **fused_p)
{
    mnp__conv_geometry geometry = {0};
    struct pair pair;
    struct shape shape;
    mnp__fused *fused = NULL;
    mnp_boundary boundaries[MNP_MAX_DIMS] = {0};
    unsigned char fill[16] = {0};
    find_pair(spec, i, count, in, &pair);
    choose_shape(ctx, &pair, spec->sum, in, &shape);
    mnp_status st = mnp__calloc(1, sizeof *fused, &fused);
    if (st == MNP_OK)
        st = find_geometry(&pair, in, &geometry);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    for (int k = 0; k < 2; k++)
        if (pair.pass[k])
            boundaries[pair.axis[k]] = pair.pass[k]->boundary;
    mnp__value_write(&(mnp__value){.kind = 'f', .re = outside}, pair.input, fill);
    fused->in.ctx = ctx;
    MNP_TRY_OR(load_kernel(fused, spec, &pair, &shape, outside), st, fail);
    MNP_TRY_OR(mnp__extended_open(ctx, pair.input, &geometry, boundaries, fill, &fused->in), st, fail);
    fill_params(fused, spec, &pair, outside);
    MNP_TRY_OR(MNP_AGREE(ctx, make_tiles(fused, &shape)), st, fail);
    *fused_p = fused;
    return MNP_OK;
fail:
    mnp__conv_geometry_free(&geometry);
    mnp__fused_free(fused);
    return st;
}

const mnp_layout *mnp__fused_layout(const mnp__fused *fused)
{
    return fused->in.geometry.output;
}

int64_t mnp__fused_bytes(const mnp__fused *fused)
{
    return fused->in.share.ring_size * (int64_t)mnp_dtype_size(fused->in.dtype) + mnp__tiles_bytes(&fused->tiles);
}

mnp_status mnp__fused_run(const mnp__fused *fused, const void *x, void *y)
{
    mnp_fused_params params = fused->params;
    const mnp__tiled_kernel kernel = {.kernel = fused->kernel,
                                      .threads = fused->threads,
                                      .params = &params,
                                      .size = sizeof params,
                                      .in = &params.in,
                                      .tiles = &params.tiles};
    return mnp__tiles_run(&fused->tiles, &fused->in, &kernel, x, y);
}

void mnp__fused_free(mnp__fused *fused)
{
    if (!fused)
        return;
    mnp__tiles_close(&fused->in, &fused->tiles);
    mnp__extended_close(&fused->in);
    free(fused);
}
