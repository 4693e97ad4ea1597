/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution of windows in pairs: which are, the shapes of the kernels' blocks, and the launches.
 */
#include "signal/paired.h"

#include <math.h>

#include "array/array.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "device/launch.h"

enum {
    SHORTEST = 128, /* a window along an axis; */
    USUAL = 1024,   /* the longest of planes, but for filters of more than half of it, */
    LONGEST_PLANE = 2048,
    LONGEST_LINE = 4096,
    HELD = 16,        /* values of a thread */
    THREADS = 256,    /* of a block, for rows */
    RESIDENT = 8192,  /* bytes of the threads of a multiprocessor, one value each, as their registers allow */
    CACHED = 64 << 20 /* bytes of planes that are worked on at a time: about what the cache of the GPU holds */
};

bool mnp__paired_suits(const mnp_ctx *ctx, const mnp__conv_geometry *geometry, const bool *transformed)
{
    const int64_t longest = transformed[2] ? LONGEST_PLANE : LONGEST_LINE;
    if (ctx->device->block_memory == 0 || transformed[0] || transformed[1] || !transformed[3])
        return false;
    for (int j = 2; j < MNP_CONV_DIMS; j++)
        if (transformed[j] && 2 * geometry->taps[geometry->order[j]] > longest)
            return false;
    return true;
}

int64_t mnp__paired_window(int64_t n, int64_t k, bool of_lines)
{
    const double passes = 8; /* through memory, in units of a step of a transform */
    const int64_t longest = of_lines ? LONGEST_LINE : 2 * k > USUAL ? LONGEST_PLANE : USUAL;
    int64_t best = longest;
    double least = INFINITY;
    for (int64_t length = SHORTEST; length <= longest; length *= 2) {
        const double cost = (double)(mnp__divide_up(n, length - k + 1) * length) * (log2((double)length) + passes);
        if (length >= 2 * k && cost < least) {
            least = cost;
            best = length;
        }
    }
    return best;
}

int64_t mnp__paired_count(const mnp__paired *paired, const int64_t *window, mnp_dtype spectral, int64_t total,
                          int64_t *elements)
{
    const int64_t points = window[2] * window[3], bytes = points * (int64_t)mnp_dtype_size(spectral);
    const int64_t pairs = mnp__divide_up(total, paired->windows), most = bytes < CACHED ? CACHED / bytes : 1;
    const int64_t rounds = paired->lines || pairs == 0 ? 1 : mnp__divide_up(pairs, most);
    const int64_t each = pairs == 0 ? 1 : mnp__divide_up(pairs, rounds);
    *elements = paired->lines ? points : each * points;
    return each * paired->windows;
}

/* ---- kernels ---- */

static bool is_double(const mnp__blocks_spec *spec)
{
    return mnp__dtype_is_double(spec->sum);
}

/* A kernel for rows of `points` elements, which may take as many registers as leave room for so many blocks. */
static mnp_status load_rows(mnp_ctx *ctx, const mnp__blocks_spec *spec, const char *file, const char *function,
                            bool backward, int64_t points, int64_t blocks, mnp__kernel **kernel_p)
{
    const int64_t element = is_double(spec) ? 16 : 8, rows = THREADS * HELD / points;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec kernel = {
        .file = file, .function = function, .shared_bytes = (size_t)(rows * (points + points / 16) * element)};
    mnp__text_add(&defines, "#define MNP_BACKWARD %d\n#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_SUM %s\n",
                  backward, mnp__jit_type(spec->input), mnp__jit_type(spec->output), mnp__jit_type(spec->sum));
    mnp__text_add(&defines,
                  "#define MNP_REAL %s\n#define MNP_PAIRS %d\n#define MNP_POINTS %lld\n#define MNP_ROWS %lld\n"
                  "#define MNP_BLOCKS %lld\n",
                  is_double(spec) ? "double" : "float", mnp_dtype_kind(spec->sum) == 'f', (long long)points,
                  (long long)rows, (long long)blocks);
    return mnp__ctx_kernel_of_text(ctx, &kernel, &defines, NULL, kernel_p);
}

/* A kernel for columns of `points` elements, and its launch for planes of that width. */
static mnp_status load_columns(mnp_ctx *ctx, const mnp__blocks_spec *spec, int64_t points, int64_t width,
                               mnp__paired *paired)
{
    /* half of what a multiprocessor holds, but of a row no more than 256 bytes */
    const int64_t element = is_double(spec) ? 16 : 8, resident = RESIDENT / element;
    const int64_t columns = mnp__clamp(resident / 2 * HELD / points, 1, 256 / element);
    const int64_t threads = points / HELD * columns;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec kernel = {.file = "signal/paired_columns.cu",
                                     .function = "paired_columns",
                                     .shared_bytes = (size_t)(columns * (points + points / 16) * element)};
    mnp__text_add(
        &defines, "#define MNP_REAL %s\n#define MNP_POINTS %lld\n#define MNP_COLUMNS %lld\n#define MNP_BLOCKS %lld\n",
        is_double(spec) ? "double" : "float", (long long)points, (long long)columns, (long long)(resident / threads));
    paired->across = (mnp__launch){.grid = {(unsigned)(width / columns), 1, 1}, .block = {(unsigned)threads, 1, 1}};
    return mnp__ctx_kernel_of_text(ctx, &kernel, &defines, NULL, &paired->columns);
}

mnp_status mnp__paired_load(mnp_ctx *ctx, const mnp__blocks_spec *spec, const mnp__blocks_shape *shape,
                            mnp__paired *paired)
{
    const int64_t height = shape->window[2], width = shape->window[3];
    paired->windows = mnp_dtype_kind(spec->sum) == 'f' ? 2 : 1;
    paired->together = THREADS * HELD / width;
    paired->rows =
        (mnp__launch){.grid = {(unsigned)mnp__divide_up(height, paired->together), 1, 1}, .block = {THREADS, 1, 1}};
    const int64_t blocks = RESIDENT / THREADS / (is_double(spec) ? 16 : 8);
    if (!shape->transformed[2]) /* of floats one block less, or registers are spilled */
        return load_rows(ctx, spec, "signal/paired_lines.cu", "paired_lines", false, width,
                         is_double(spec) ? blocks : 3, &paired->lines);
    MNP_TRY(load_rows(ctx, spec, "signal/paired_rows.cu", "paired_rows", false, width, blocks, &paired->forward));
    MNP_TRY(load_columns(ctx, spec, height, width, paired));
    return load_rows(ctx, spec, "signal/paired_rows.cu", "paired_rows", true, width, blocks, &paired->backward);
}

/* ---- execution ---- */

static mnp_status launch(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__launch *launch, const void *params, size_t size)
{
    return ctx->device->ops->launch(ctx->device, kernel, launch, params, size, ctx->compute);
}

mnp_status mnp__paired_run(mnp_ctx *ctx, const mnp__paired *paired, const mnp_blocks_params *p,
                           const mnp_spectrum_params *s)
{
    const int64_t left = p->total - p->first;
    const int64_t pairs = mnp__divide_up(mnp__min(left, p->count), paired->windows);
    mnp__launch rows = paired->rows, columns = paired->across;
    if (paired->lines) {
        mnp_blocks_params lines = *p;
        lines.windows = (void *)s->filter;
        rows.grid[0] = (unsigned)mnp__divide_up(pairs, paired->together);
        return launch(ctx, paired->lines, &rows, &lines, sizeof lines);
    }
    rows.grid[1] = columns.grid[1] = (unsigned)pairs;
    MNP_TRY(launch(ctx, paired->forward, &rows, p, sizeof *p));
    MNP_TRY(launch(ctx, paired->columns, &columns, s, sizeof *s));
    rows.grid[0] = (unsigned)mnp__divide_up(p->step[2], paired->together);
    return launch(ctx, paired->backward, &rows, p, sizeof *p);
}
