/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of recurrences in tiles; the powers of transition matrices that they need, which are cached. */
#include "signal/filters/recurrence_tiles.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"
#include "signal/filters/constants.h"

enum {
    MOST_NUMBERS = 16, /* of a state that stays in registers */
    LEAST_LENGTH = 64, /* of lines; shorter ones are run by a thread each */
    MANY_LINES = 8192, /* so many keep a GPU busy, if they lie side by side */
    WARP = 32,
    MOST_SHIFT = 3 /* of tiles, to lie aligned in memory */
};

/* What is cached of a filter. */
typedef struct constants {
    int reach;
    double *device; /* coefficients, then matrices */
} constants;

/* Memory of the device that all launches share. */
typedef struct memory {
    void *records; /* a counter of 16 bytes, and then records */
    size_t size;
    uint64_t counted, launches; /* since they were zeros */
    void *spoiled;              /* of each line: see recurrence_tiles_params.h */
    size_t spoiled_size;
} memory;

static void free_memory(mnp_ctx *ctx, void *data)
{
    memory *all = data;
    ctx->device->ops->free(ctx->device, all->records);
    ctx->device->ops->free(ctx->device, all->spoiled);
    free(all);
}

static mnp_status get_memory(mnp_ctx *ctx, memory **memory_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_TILES];
    if (!attached->data) {
        memory *all;
        MNP_TRY(mnp__calloc(1, sizeof *all, &all));
        attached->data = all;
        attached->free = free_memory;
    }
    *memory_p = attached->data;
    return MNP_OK;
}

bool mnp__recurrence_tiles_fit(const mnp__recurrence *filter, const mnp_array *x, int axis, int reals)
{
    const mnp_layout *layout = x->layout;
    const int64_t length = layout->shape[axis];
    int64_t lines = reals;
    bool inner = true; /* elements of a line are adjacent in memory, unless x is a view */
    if (x->ctx->device->block_memory == 0 || filter->order > MOST_NUMBERS || length < LEAST_LENGTH)
        return false;
    for (int d = 0; d < layout->ndim; d++) {
        if (d != axis)
            lines *= layout->shape[d];
        inner = inner && (d <= axis || layout->shape[d] == 1);
    }
    return inner || lines < MANY_LINES;
}

/* Large states take registers, and are multiplied by matrices: then fewer threads have longer strips. */
static void choose_tile(int64_t length, mnp__recurrence_tiles *tiles)
{
    const int64_t most = length + MOST_SHIFT;
    const int warps = tiles->filter->order <= 4 ? 4 : 2;
    tiles->threads = most <= 32 * WARP ? WARP : warps * WARP;
    tiles->strip = most <= 8 * WARP ? 8 : most <= 16 * WARP ? 16 : most <= 32 * WARP ? 32 : 128 / warps;
    if (most > 32 * WARP && most <= 64 * WARP)
        tiles->strip /= 2;
}

/* ---- matrices ---- */

/* A number of a power as the kernel can multiply zeros by it. */
static double clamp(double number)
{
    return number >= -DBL_MAX && number <= DBL_MAX ? number : number < 0 ? -DBL_MAX : DBL_MAX;
}

/* Add a table of powers of A^elements with exponents 0 .. 31, number k of all side by side; `room` is for them. */
static mnp_status add_table(const mnp__recurrence *filter, const long double *one, int64_t elements, double *room,
                            double **to_p)
{
    const int64_t size = filter->order * filter->order;
    MNP_TRY(mnp__recurrence_powers(filter->order, one, elements, WARP, room));
    for (int64_t k = 0; k < size; k++) {
        for (int n = 0; n < WARP; n++)
            *(*to_p)++ = room[n * size + k];
    }
    return MNP_OK;
}

static int64_t count_matrices(const mnp__recurrence_tiles *tiles)
{
    return 5 + tiles->threads / WARP + 3 * WARP;
}

/* The matrices in the order that recurrence_tiles.cu says. */
static mnp_status compute_matrices(const mnp__recurrence_tiles *tiles, double *matrices)
{
    const mnp__recurrence *filter = tiles->filter;
    const int64_t order = filter->order, size = order * order, strip = tiles->strip, tile = tiles->threads * strip;
    const int warps = tiles->threads / WARP;
    double *to = matrices, *room = NULL;
    long double *one = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc((size_t)(WARP * size) * sizeof *room, &room), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)size * sizeof *one, &one), st, done);
    mnp__recurrence_matrix(filter, one);
    for (int b = 0; b < 5; b++, to += size)
        MNP_TRY_OR(mnp__recurrence_power(order, one, strip << b, to), st, done);
    MNP_TRY_OR(mnp__recurrence_powers(order, one, WARP * strip, warps, to), st, done);
    to += warps * size;
    MNP_TRY_OR(add_table(filter, one, strip, room, &to), st, done);
    MNP_TRY_OR(add_table(filter, one, tile, room, &to), st, done);
    MNP_TRY_OR(add_table(filter, one, WARP * tile, room, &to), st, done);
    for (double *number = matrices; number < to; number++)
        *number = clamp(*number);
done:
    free(room);
    free(one);
    return st;
}

/* After how many tiles nothing is left of a state; 0: more than a warp looks back at. */
static int find_reach(const mnp__recurrence_tiles *tiles, const double *matrices)
{
    const double nothing = 1e-80;
    const int64_t size = tiles->filter->order * tiles->filter->order;
    const double *table = matrices + (5 + tiles->threads / WARP + WARP) * size;
    for (int n = 1; n < WARP; n++) {
        bool left = false;
        for (int64_t k = 0; k < size; k++)
            left = left || fabs(table[k * WARP + n]) > nothing;
        if (!left)
            return n;
    }
    return 0;
}

/* ---- filters ---- */

static mnp_status make_constants(mnp_ctx *ctx, const void *from, void *item)
{
    const mnp__recurrence_tiles *tiles = from;
    const mnp__recurrence *filter = tiles->filter;
    constants *c = item;
    const int64_t coefficients = mnp__recurrence_size(filter);
    const int64_t count = coefficients + count_matrices(tiles) * filter->order * filter->order;
    double *host;
    mnp_status st;
    MNP_TRY(mnp__malloc((size_t)count * sizeof *host, &host));
    memcpy(host, filter->coefficients, (size_t)coefficients * sizeof *host);
    MNP_TRY_OR(compute_matrices(tiles, host + coefficients), st, done);
    c->reach = find_reach(tiles, host + coefficients);
    MNP_TRY_OR(mnp__constants_copy(ctx, host, count, &c->device), st, done);
done:
    free(host);
    return st;
}

static void release_constants(mnp_ctx *ctx, void *item)
{
    constants *c = item;
    ctx->device->ops->free(ctx->device, c->device);
}

static mnp_status find_constants(mnp__recurrence_tiles *tiles)
{
    static const mnp__constants_kind kind = {.attachment = MNP__ATTACHED_TILE_FILTERS,
                                             .size = sizeof(constants),
                                             .make = make_constants,
                                             .release = release_constants};
    const mnp__recurrence *filter = tiles->filter;
    const mnp__constants_key key = {.facts = {(uint64_t)filter->sections, (uint64_t)filter->order,
                                              (uint64_t)tiles->threads, (uint64_t)tiles->strip},
                                    .numbers = filter->coefficients,
                                    .count = mnp__recurrence_size(filter)};
    void *item;
    MNP_TRY(mnp__constants_get(tiles->ctx, &kind, &key, tiles, &item));
    const constants *found = item;
    tiles->reach = found->reach;
    tiles->coefficients = found->device;
    tiles->matrices = found->device + mnp__recurrence_size(filter);
    return MNP_OK;
}

/* Blocks of a multiprocessor, by which the compiler limits registers. */
static int count_blocks(const mnp__recurrence_tiles *tiles)
{
    const int warps = tiles->filter->order <= 4 ? 20 : tiles->filter->order <= 8 ? 12 : 8;
    return warps * WARP / tiles->threads;
}

mnp_status mnp__recurrence_tiles_open(mnp_ctx *ctx, const mnp__recurrence *filter, mnp_dtype in, mnp_dtype out,
                                      int64_t length, mnp__recurrence_tiles *tiles)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    *tiles = (mnp__recurrence_tiles){.ctx = ctx, .filter = filter};
    choose_tile(length, tiles);
    MNP_TRY(find_constants(tiles));
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_ORDER %d\n#define MNP_SECTIONS %d\n",
                  mnp__jit_type(in), mnp__jit_type(out), (int)filter->order, (int)filter->sections);
    mnp__text_add(&defines, "#define MNP_THREADS %d\n#define MNP_STRIP %d\n#define MNP_BLOCKS %d\n", tiles->threads,
                  tiles->strip, count_blocks(tiles));
    const mnp__kernel_spec spec = {.file = "signal/filters/recurrence_tiles.cu", .function = "recurrence_tiles"};
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &tiles->kernel);
}

/* ---- launches ---- */

/* Provide memory that is filled with a byte when it is new; *grown_p is set then. */
static mnp_status need_memory(mnp_ctx *ctx, size_t size, int byte, void **memory_p, size_t *size_p, bool *grown_p)
{
    const mnp__device_ops *ops = ctx->device->ops;
    *grown_p = size > *size_p;
    if (!*grown_p)
        return MNP_OK;
    ops->free(ctx->device, *memory_p);
    *memory_p = NULL;
    *size_p = 0;
    MNP_TRY(ops->alloc(ctx->device, size, memory_p));
    MNP_TRY(ops->fill(ctx->device, *memory_p, byte, size, ctx->compute));
    *size_p = size;
    return MNP_OK;
}

/* Make what follows on states that were not finite NaN. */
static mnp_status launch_spread(const mnp__recurrence_tiles *tiles, mnp_recurrence_tiles_params *p)
{
    enum { MOST_BLOCKS = 1024 };
    const int64_t blocks = mnp__min(p->over.lines, MOST_BLOCKS);
    const mnp__launch how = {.grid = {(unsigned)blocks, 1, 1}, .block = {(unsigned)tiles->threads, 1, 1}};
    mnp_ctx *ctx = tiles->ctx;
    p->spreads = 1;
    return ctx->device->ops->launch(ctx->device, tiles->kernel, &how, p, sizeof *p, ctx->compute);
}

mnp_status mnp__recurrence_tiles_launch(const mnp__recurrence_tiles *tiles, const mnp_recurrence_tiles_params *params)
{
    enum { COUNTER = 16, RECORD = 16, GROUP = 32 };
    mnp_ctx *ctx = tiles->ctx;
    memory *all;
    mnp_recurrence_tiles_params p = *params;
    const int64_t tile = tiles->threads * tiles->strip;
    bool grown;
    p.tiles = mnp__divide_up(p.length + MOST_SHIFT, tile);
    const int64_t groups = mnp__divide_up(p.tiles, GROUP), sets = mnp__divide_up(groups, GROUP);
    const int64_t records = p.tiles == 1 ? 0 : p.over.lines * (p.tiles + groups + sets) * tiles->filter->order;
    if (p.over.lines == 0)
        return MNP_OK;
    MNP_TRY(get_memory(ctx, &all));
    MNP_TRY(need_memory(ctx, COUNTER + (size_t)records * RECORD, 0, &all->records, &all->size, &grown));
    if (grown)
        all->counted = all->launches = 0;
    p.reach = tiles->reach;
    if (p.reach > 0 && p.tiles > p.reach + 1) {
        MNP_TRY(need_memory(ctx, (size_t)p.over.lines * sizeof *p.spoiled, 0xff, &all->spoiled, &all->spoiled_size,
                            &grown));
        p.spoiled = all->spoiled;
    }
    p.coefficients = tiles->coefficients;
    p.matrices = tiles->matrices;
    p.counter = all->records;
    p.records = records ? (char *)all->records + COUNTER : NULL;
    p.before = all->counted;
    p.launch = ++all->launches;
    const int64_t blocks = p.tiles * p.over.lines;
    const mnp__launch how = {.grid = {(unsigned)blocks, 1, 1}, .block = {(unsigned)tiles->threads, 1, 1}};
    const mnp_status st = ctx->device->ops->launch(ctx->device, tiles->kernel, &how, &p, sizeof p, ctx->compute);
    if (st != MNP_OK) {
        all->size = 0; /* what the counter says is not known */
        return st;
    }
    all->counted += (uint64_t)blocks;
    return p.spoiled ? launch_spread(tiles, &p) : MNP_OK;
}
