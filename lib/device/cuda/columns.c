/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms of the columns of matrices on GPUs, by kernels/fft/columns.cu.
 */
#include <config.h>

#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"
#include "device/cuda/columns.h"
#include "device/cuda/cuda.h"

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Whether a dimension of the batch can be seen in pairs of real numbers, where elements are real. */
static bool is_in_pairs(const mnp__fft_spec *spec, const mnp__fft_dim *dim, bool is_width)
{
    const int64_t stride = spec->kind == MNP__FFT_FROM_REAL ? dim->in : dim->out;
    return spec->kind == MNP__FFT_COMPLEX || (is_width ? dim->extent : stride) % 2 == 0;
}

/* The batch dimension along the rows of the matrices; -1: there is none. */
static int find_width(const mnp__fft_spec *spec)
{
    int width = -1;
    for (int d = 0; d < spec->nbatch; d++)
        if (spec->batch[d].in == 1 && spec->batch[d].out == 1)
            width = d;
    return width;
}

/*
 * Columns of several blocks need clusters of up to 16, which are more than every GPU that has clusters allows: they are
 * left to cuFFT but on Hopper, where they were measured.  They are of complex numbers.  A process that has a small part
 * of a GPU, by MIG or MPS, may have no 16 multiprocessors that lie close enough for a cluster.
 */
static bool has_clusters(const cuda_device *cuda)
{
    enum { H100 = 114 }; /* multiprocessors, or more */
    return cuda->capability_major == 9 && cuda->multiprocessors >= H100;
}

bool mnp__cuda_columns_can(mnp__device *device, const mnp__fft_spec *spec)
{
    enum { SHORTEST = 16, LONGEST_ALONE = 1024, LONGEST = 16384, NARROWEST = 4 };
    const int64_t n = spec->dims[0].extent;
    const bool clusters = has_clusters((const cuda_device *)device) && spec->kind == MNP__FFT_COMPLEX;
    const int width = find_width(spec);
    if (spec->rank != 1 || width < 0 || spec->batch[width].extent < NARROWEST ||
        spec->nbatch - 1 > MNP_FFT_COLUMNS_OUTER || !is_in_pairs(spec, &spec->dims[0], false))
        return false;
    for (int d = 0; d < spec->nbatch; d++)
        if (!is_in_pairs(spec, &spec->batch[d], d == width))
            return false;
    return n >= SHORTEST && n <= (clusters ? LONGEST : LONGEST_ALONE) && is_power_of_two(n);
}

/* Into how many blocks of threads the points of a column are dealt, as was found out by trying on an H200. */
static int64_t choose_blocks(int64_t n)
{
    return n <= 1024 ? 1 : n <= 4096 ? n / 256 : n / 1024;
}

/*
 * The columns of a tile: as many as fit, but no more than make long rows and blocks of some size, or than there are.
 * Blocks of a cluster, and those that read two spectra for each column, are better smaller.
 */
static int64_t choose_width(int64_t rows, int64_t size, bool is_small, int64_t columns)
{
    enum { TILE = 64 << 10, SMALL = 32 << 10, ROW = 256, LEAST = 2048 }; /* bytes of tiles, of a row; elements */
    int64_t width = (is_small ? SMALL : TILE) / (rows * size);
    while (width * size > ROW && rows * width > LEAST)
        width /= 2;
    while (width > 4 && width / 2 >= columns)
        width /= 2;
    return width;
}

mnp_status mnp__cuda_columns_plan(mnp__device *device, const mnp__fft_spec *spec, mnp__cuda_columns *columns)
{
    enum { HELD = 16 }; /* see kernels/fft/columns.cu */
    const int width = find_width(spec);
    const bool from_real = spec->kind == MNP__FFT_FROM_REAL, to_real = spec->kind == MNP__FFT_TO_REAL;
    const int64_t size = 2 * (int64_t)(spec->is_double ? sizeof(double) : sizeof(float));
    const int64_t in_unit = from_real ? 2 : 1, out_unit = to_real ? 2 : 1; /* pairs of real numbers */
    const int64_t n = spec->dims[0].extent, blocks = choose_blocks(n);
    const int64_t rows = n / blocks, across = spec->batch[width].extent / in_unit / out_unit;
    const int64_t tile = choose_width(rows, size, to_real || (blocks > 1 && rows < 1024), across);
    char room[256];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines,
                  "#define MNP_REAL %s\n#define MNP_POINTS %lld\n#define MNP_BLOCKS %lld\n#define MNP_COLUMNS %lld\n"
                  "#define MNP_FROM_REAL %d\n#define MNP_TO_REAL %d\n",
                  spec->is_double ? "double" : "float", (long long)n, (long long)blocks, (long long)tile, from_real,
                  to_real);
    const mnp__kernel_spec kernel = {.file = "fft/columns.cu",
                                     .function = "fft_columns",
                                     .defines = mnp__text_string(&defines),
                                     .shared_bytes = (size_t)((rows + rows / 16) * tile * size),
                                     .cluster = (int)blocks};
    MNP_TRY(mnp__device_load_kernel(device, &kernel, &columns->kernel));
    int64_t tiles = mnp__divide_up(across, tile);
    columns->params = (mnp_fft_columns_params){.scale = spec->scale,
                                               .inverse = to_real || (spec->inverse && !from_real),
                                               .columns = across,
                                               .in_stride = spec->dims[0].in / in_unit,
                                               .out_stride = spec->dims[0].out / out_unit,
                                               .outer = {1, 1, 1}};
    for (int d = 0, at = 0; d < spec->nbatch; d++) {
        if (d == width)
            continue;
        tiles *= spec->batch[d].extent;
        columns->params.outer[at] = spec->batch[d].extent;
        columns->params.outer_in[at] = spec->batch[d].in / in_unit;
        columns->params.outer_out[at++] = spec->batch[d].out / out_unit;
    }
    if (tiles * blocks > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a transform of %lld columns at once", (long long)(tiles * tile));
    columns->launch =
        (mnp__launch){.grid = {(unsigned)(tiles * blocks), 1, 1}, .block = {(unsigned)(rows * tile / HELD), 1, 1}};
    return MNP_OK;
}

mnp_status mnp__cuda_columns_run(mnp__device *device, const mnp__cuda_columns *columns, const void *in, void *out,
                                 mnp__stream *stream)
{
    mnp_fft_columns_params params = columns->params;
    params.in = in;
    params.out = out;
    return device->ops->launch(device, columns->kernel, &columns->launch, &params, sizeof params, stream);
}
