/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms of the columns of matrices on GPUs, by kernels/fft/columns.cu.
 */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "device/cuda/columns.h"
#include "device/cuda/cuda.h"

enum {
    RADIX = 16,             /* the largest one that is not a prime number, */
    LARGEST_PRIME = 31,     /* and of all, but in wide passes, */
    WIDE_RADIX = 32,        /* which have radices up to that */
    MOST_BYTES = 200 << 10, /* of the narrowest tile, where a block has so many */
    MOST_PASSES = 14,       /* of a column of 16384 points */
    NARROWEST = 4,          /* columns of a tile */
    MOST_LINES = 256,       /* threads that share a column */
    MOST_THREADS = 640,     /* of a block, unless the narrowest tile has more */
    LONGEST = 16384         /* column */
};

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* ---- passes ---- */

/* How a column is transformed: see kernels/fft/columns.cu. */
typedef struct passes {
    bool wide;                       /* few passes of large radices */
    int count, radices[MOST_PASSES]; /* the largest first */
    int64_t lines, held;
    double cost;
} passes;

static int largest_radix(bool wide)
{
    return wide ? WIDE_RADIX : LARGEST_PRIME;
}

static bool is_radix(int r, bool wide)
{
    return wide || r <= RADIX || r == 17 || r == 19 || r == 23 || r == 29 || r == LARGEST_PRIME;
}

/* The fewest passes whose radices, `most` at most, have the product n; MOST_PASSES + 1 if there are none. */
static int count_passes(int64_t n, int most, bool wide)
{
    int least = n == 1 ? 0 : MOST_PASSES + 1;
    for (int r = most; r > 1 && n > 1; r--)
        if (is_radix(r, wide) && n % r == 0) {
            const int count = 1 + count_passes(n / r, r, wide);
            least = count < least ? count : least;
        }
    return least;
}

/* The most values that a thread holds, if `lines` threads share a column; *work_p: those of all threads and passes. */
static int64_t count_held(const passes *p, int64_t n, int64_t lines, int64_t *work_p)
{
    int64_t most = 0;
    *work_p = 0;
    for (int i = 0; i < p->count; i++) {
        const int64_t held = mnp__divide_up(n / p->radices[i], lines) * p->radices[i];
        *work_p += held * lines;
        most = mnp__max(most, held);
    }
    return most;
}

/*
 * Take passes for n points if they cost less than the best: the work of threads, some of which idle in passes that have
 * no multiple of their number of transforms; and threads that hold few values wait for each other more often.
 */
static void offer(const passes *p, int64_t n, passes *best)
{
    enum { MOST_HELD = 21 }; /* more than that, or than a radix, do not fit the registers */
    const int64_t most_held = mnp__max(p->wide ? WIDE_RADIX : MOST_HELD, p->radices[0]);
    const int64_t most = mnp__min(mnp__divide_up(n, 4), MOST_LINES);
    for (int64_t lines = mnp__divide_up(n, most_held); lines <= most; lines++) {
        int64_t work;
        const int64_t held = count_held(p, n, lines, &work);
        const double cost = (double)work / (double)(n * p->count) * (1 + 2.0 / (double)mnp__min(held, RADIX));
        if (held <= most_held && cost < best->cost) {
            *best = *p;
            best->lines = lines;
            best->held = held;
            best->cost = cost;
        }
    }
}

/* Try all radices, none larger than the one before, for what is left of n points. */
static void try_radices(passes *p, int64_t n, int64_t left, int passes_left, passes *best)
{
    if (left == 1)
        offer(p, n, best);
    for (int r = p->count > 0 ? p->radices[p->count - 1] : largest_radix(p->wide); r > 1 && left > 1; r--) {
        if (!is_radix(r, p->wide) || left % r != 0 || 1 + count_passes(left / r, r, p->wide) > passes_left)
            continue;
        p->radices[p->count++] = r;
        try_radices(p, n, left / r, passes_left - 1, best);
        p->count--;
    }
}

/*
 * Powers of two are transformed by as many passes of radix 16, or 32, as there can be, by threads that hold as many
 * values.  Returns false if there are no passes for a number of points.
 */
static bool choose_passes(int64_t n, bool wide, passes *p)
{
    const int64_t radix = wide ? WIDE_RADIX : RADIX;
    passes begin = {.wide = wide};
    *p = (passes){.wide = wide, .cost = INFINITY};
    if (!is_power_of_two(n) || n < radix) {
        try_radices(&begin, n, n, count_passes(n, largest_radix(wide), wide), p);
        return p->count > 0;
    }
    for (int64_t left = n; left > 1; left /= p->radices[p->count++])
        p->radices[p->count] = (int)mnp__min(left, radix);
    p->lines = n / radix;
    p->held = radix;
    return true;
}

/*
 * Whether wide passes take less time for n points in a block, as docs/history.md has it: where there are fewer of them,
 * but for some longer columns; in double precision for powers of two.
 */
static bool is_better_wide(const mnp__fft_spec *spec, int64_t n)
{
    enum { SHORT = 512, LONG = 2560, DOUBLE = 1024 }; /* points */
    const int count = count_passes(n, WIDE_RADIX, true);
    const int64_t root = (int64_t)(sqrt((double)n) + 0.5);
    if (spec->kind == MNP__FFT_TO_REAL || spec->filters || n > LONG || count >= count_passes(n, LARGEST_PRIME, false))
        return false;
    if (spec->is_double)
        return is_power_of_two(n) && n >= DOUBLE;
    return n <= SHORT || count > 2 || n % WIDE_RADIX == 0 || root * root == n;
}

/* Rows of a tile in shared memory. */
static int64_t count_rows(const passes *p, int64_t n)
{
    return p->radices[0] % 2 == 0 ? n + n / p->radices[0] : n;
}

/* ---- which transforms ---- */

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

/*
 * Into how many blocks of threads the points of a column are dealt, as was found out by trying on an H200; 0: columns
 * are too long.  The square of the number divides that of the points.
 */
static int64_t choose_blocks(const cuda_device *cuda, const mnp__fft_spec *spec, int64_t n)
{
    enum { ALONE = 1024, FEW_BYTES = 128 << 10 }; /* points of one block; bytes of its tile */
    const int64_t size = spec->is_double ? 16 : 8;
    const bool clusters = has_clusters(cuda) && spec->kind == MNP__FFT_COMPLEX && !spec->filters;
    if (n <= ALONE)
        return 1;
    if (is_power_of_two(n))
        return !clusters || n > LONGEST ? 0 : n <= 4096 ? n / 256 : n / 1024;
    int64_t blocks = clusters ? 8 : 1;
    while (n % (blocks * blocks) != 0)
        blocks /= 2;
    if (blocks == 2 && n * NARROWEST * size <= FEW_BYTES)
        blocks = 1;
    return n / blocks * NARROWEST * size <= MOST_BYTES ? blocks : 0;
}

/* Whether the narrowest tile of so many points fits the memory that a block of threads has. */
static bool fits(const mnp__device *device, const passes *p, int64_t points, int64_t size)
{
    return count_rows(p, points) * NARROWEST * size <= (int64_t)device->block_memory;
}

/* How columns are transformed. */
typedef struct shape {
    int64_t points, blocks; /* more points than the columns have: by a chirp */
    passes passes;          /* of a block's points */
} shape;

/*
 * The number of points for a chirp of n points that costs the least; false if all are too many.  Real columns are slower
 * by passes of large radices, complex ones by more passes.
 */
static bool choose_chirp(const mnp__device *device, int64_t n, int64_t size, bool is_complex, shape *s)
{
    double least = INFINITY;
    for (int64_t m = 2 * n - 1; m <= 5 * n / 2 && m * NARROWEST * size <= MOST_BYTES; m++) {
        passes p;
        if (!choose_passes(m, false, &p) || (!is_complex && p.radices[0] > RADIX) || !fits(device, &p, m, size) ||
            (double)(m * p.count) * p.cost >= least)
            continue;
        least = (double)(m * p.count) * p.cost;
        *s = (shape){.points = m, .blocks = 1, .passes = p};
    }
    return least < INFINITY;
}

/*
 * Find how columns are transformed; false: by cuFFT.  Longer complex columns of one matrix than MOST_CHIRP points take
 * cuFFT less time than a chirp; of several matrices it would execute many plans.
 */
static bool choose_shape(mnp__device *device, const mnp__fft_spec *spec, shape *s)
{
    enum { MOST_CHIRP = 1024 };
    const int64_t n = spec->dims[0].extent, size = spec->is_double ? 16 : 8;
    const bool is_complex = spec->kind == MNP__FFT_COMPLEX;
    s->points = n;
    s->blocks = choose_blocks((const cuda_device *)device, spec, n);
    const int64_t rows = s->blocks > 0 ? n / s->blocks : 0;
    const bool wide = rows > 0 && is_better_wide(spec, rows);
    if (rows > 0 && choose_passes(rows, wide, &s->passes) && fits(device, &s->passes, rows, size))
        return true;
    return !spec->filters && (!is_complex || spec->nbatch > 1 || n <= MOST_CHIRP) &&
           choose_chirp(device, n, size, is_complex, s);
}

/* Whether there are enough elements for a kernel to be compiled for their length.  A power of two is worth it always. */
static bool is_worth_it(const mnp__fft_spec *spec)
{
    enum { LEAST = 1 << 16 };
    const int64_t n = spec->dims[0].extent;
    int64_t elements = n;
    for (int d = 0; d < spec->nbatch; d++)
        elements *= spec->batch[d].extent;
    return (is_power_of_two(n) && n >= RADIX) || elements >= LEAST;
}

bool mnp__cuda_columns_can(mnp__device *device, const mnp__fft_spec *spec)
{
    const int width = find_width(spec);
    if (spec->rank != 1 || width < 0 || spec->batch[width].extent < NARROWEST ||
        spec->nbatch - 1 > MNP_FFT_COLUMNS_OUTER)
        return false;
    shape s;
    return is_worth_it(spec) && choose_shape(device, spec, &s);
}

/* The columns of a tile of wide passes: rows of 64 bytes, or of 128 where blocks are small, or of powers of two. */
static int64_t choose_wide(const passes *p, int64_t rows, int64_t size, int64_t blocks)
{
    enum { TILE = 64 << 10, THREADS = 320 };
    const int64_t width = 64 / size;
    const bool is_small = 2 * width * rows * size <= TILE && 2 * width * p->lines <= THREADS;
    return blocks == 1 && (is_small || is_power_of_two(rows)) ? 2 * width : width;
}

/*
 * The columns of a tile of other passes: as many as fit, but no more than make long rows and blocks of some size.  Blocks
 * of a cluster, and those that read two spectra for each column, are better smaller.
 */
static int64_t choose_narrow(const passes *p, int64_t rows, int64_t size, bool is_small)
{
    enum { TILE = 64 << 10, SMALL = 32 << 10, ROW = 256, LEAST = 2048 }; /* bytes of tiles, of a row; elements */
    const int64_t bytes = rows * size;
    int64_t width = 1;
    while (2 * width * bytes <= (is_small ? SMALL : TILE) && width * p->lines <= MOST_THREADS / 2)
        width *= 2;
    while (width * size > ROW && rows * width > LEAST)
        width /= 2;
    return width;
}

/* The columns of a tile, a power of two, no more than there are. */
static int64_t choose_width(const mnp__fft_spec *spec, const shape *s, int64_t columns)
{
    const int64_t rows = s->points / s->blocks, size = spec->is_double ? 16 : 8;
    const bool is_small = spec->kind == MNP__FFT_TO_REAL || (s->blocks > 1 && rows < 1024);
    int64_t width = s->passes.wide ? choose_wide(&s->passes, rows, size, s->blocks)
                                   : choose_narrow(&s->passes, rows, size, is_small);
    while (width > NARROWEST && width / 2 >= columns)
        width /= 2;
    return mnp__max(width, NARROWEST);
}

/* Whether pairs of real numbers begin at even elements, and no column is alone. */
static bool is_aligned(const mnp__fft_spec *spec, int width)
{
    const bool from_real = spec->kind == MNP__FFT_FROM_REAL;
    int64_t all = (from_real ? spec->dims[0].in : spec->dims[0].out) | spec->batch[width].extent;
    for (int d = 0; d < spec->nbatch; d++)
        all |= d == width ? 0 : from_real ? spec->batch[d].in : spec->batch[d].out;
    return spec->kind == MNP__FFT_COMPLEX || all % 2 == 0;
}

/* ---- chirps ---- */

/*
 * The chirp exp(-i pi j^2 / n) of n points, and for its conjugate, as a transform of m points has it before 0 and after,
 * the spectrum divided by m: a sum of cosines, as j and -j have the same number.
 */
static void fill_chirp(int64_t n, int64_t m, const double *cosine, double (*chirp)[2])
{
    double(*spectrum)[2] = chirp + n;
    for (int64_t j = 0; j < n; j++) {
        const double angle = M_PI * (double)(j * j % (2 * n)) / (double)n;
        chirp[j][0] = cos(angle);
        chirp[j][1] = -sin(angle);
    }
    for (int64_t k = 0; k <= m / 2; k++)
        for (int part = 0; part < 2; part++) {
            double sum = part == 0 ? 1 : 0, lost = 0; /* W. Kahan, 1965 */
            for (int64_t j = 1, at = k; j < n; j++, at = at + k < m ? at + k : at + k - m) {
                const double term = 2 * (part == 0 ? chirp[j][0] : -chirp[j][1]) * cosine[at] - lost;
                const double next = sum + term;
                lost = next - sum - term;
                sum = next;
            }
            spectrum[k][part] = spectrum[(m - k) % m][part] = sum / (double)m;
        }
}

/* The chirp in the memory of the GPU, in the precision of the transform. */
static mnp_status load_chirp(mnp__device *device, bool is_double, int64_t n, int64_t m, void **chirp_p)
{
    const size_t count = (size_t)(n + m), bytes = count * (is_double ? sizeof(double[2]) : sizeof(float[2]));
    double(*chirp)[2] = NULL, *cosine = NULL;
    float(*narrow)[2] = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(count * sizeof *chirp, &chirp), st, done);
    MNP_TRY_OR(mnp__malloc(count * sizeof *narrow, &narrow), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)m * sizeof *cosine, &cosine), st, done);
    for (int64_t k = 0; k < m; k++)
        cosine[k] = cos(2 * M_PI * (double)k / (double)m);
    fill_chirp(n, m, cosine, chirp);
    for (size_t i = 0; i < count; i++)
        for (int part = 0; part < 2; part++)
            narrow[i][part] = (float)chirp[i][part];
    MNP_TRY_OR(device->ops->alloc(device, bytes, chirp_p), st, done);
    MNP_TRY_OR(device->ops->copy(device, *chirp_p, is_double ? (void *)chirp : narrow, bytes, device->memory_stream),
               st, done);
    st = RUNTIME((cuda_device *)device, cudaStreamSynchronize, mnp__cuda_stream(device->memory_stream));
done:
    free(cosine);
    free(narrow);
    free(chirp);
    return st;
}

/* ---- planning and execution ---- */

static void add_defines(const mnp__fft_spec *spec, const shape *s, int64_t tile, bool aligned, mnp__text *text)
{
    const passes *p = &s->passes;
    mnp__text_add(text, "#define MNP_REAL %s\n#define MNP_LENGTH %lld\n#define MNP_POINTS %lld\n",
                  spec->is_double ? "double" : "float", (long long)spec->dims[0].extent, (long long)s->points);
    mnp__text_add(text, "#define MNP_BLOCKS %lld\n#define MNP_COLUMNS %lld\n", (long long)s->blocks, (long long)tile);
    mnp__text_add(text, "#define MNP_FROM_REAL %d\n#define MNP_TO_REAL %d\n#define MNP_ALIGNED %d\n",
                  spec->kind == MNP__FFT_FROM_REAL, spec->kind == MNP__FFT_TO_REAL, aligned);
    mnp__text_add(text, "#define MNP_FILTERS %d\n#define MNP_LINES %lld\n#define MNP_HELD %lld\n", spec->filters,
                  (long long)p->lines, (long long)p->held);
    mnp__text_add(text, "#define MNP_RADICES %d", p->radices[0]);
    for (int i = 1; i < p->count; i++)
        mnp__text_add(text, ", %d", p->radices[i]);
    mnp__text_add(text, "\n");
}

mnp_status mnp__cuda_columns_plan(mnp__device *device, const mnp__fft_spec *spec, mnp__cuda_columns *columns)
{
    const int width = find_width(spec);
    const bool from_real = spec->kind == MNP__FFT_FROM_REAL, to_real = spec->kind == MNP__FFT_TO_REAL;
    const int64_t size = 2 * (int64_t)(spec->is_double ? sizeof(double) : sizeof(float));
    const bool aligned = is_aligned(spec, width);
    const int64_t in_unit = from_real && aligned ? 2 : 1, out_unit = to_real && aligned ? 2 : 1;
    const int64_t extent = spec->batch[width].extent, n = spec->dims[0].extent;
    const int64_t across = spec->kind == MNP__FFT_COMPLEX ? extent : mnp__divide_up(extent, 2);
    shape s;
    if (!choose_shape(device, spec, &s))
        return MNP_FAIL(MNP_ERR_INTERNAL, "no passes for columns of %lld points", (long long)n);
    const int64_t blocks = s.blocks, rows = s.points / blocks;
    const passes p = s.passes;
    const int64_t tile = choose_width(spec, &s, across);
    columns->filters = spec->filters;
    if (s.points > n)
        MNP_TRY(load_chirp(device, spec->is_double, n, s.points, &columns->chirp));
    char room[512];
    mnp__text defines = MNP__TEXT_IN(room);
    add_defines(spec, &s, tile, aligned, &defines);
    const mnp__kernel_spec kernel = {.file = "fft/columns.cu",
                                     .function = "fft_columns",
                                     .defines = mnp__text_string(&defines),
                                     .shared_bytes = (size_t)(count_rows(&p, rows) * tile * size),
                                     .cluster = (int)blocks};
    MNP_TRY(mnp__device_load_kernel(device, &kernel, &columns->kernel));
    int64_t tiles = mnp__divide_up(across, tile);
    columns->params = (mnp_fft_columns_params){.by = columns->chirp,
                                               .scale = spec->scale,
                                               .inverse = to_real || (spec->inverse && !from_real),
                                               .columns = across,
                                               .odd = spec->kind != MNP__FFT_COMPLEX && extent % 2 != 0,
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
        (mnp__launch){.grid = {(unsigned)(tiles * blocks), 1, 1}, .block = {(unsigned)(p.lines * tile), 1, 1}};
    return MNP_OK;
}

mnp_status mnp__cuda_columns_run(mnp__device *device, const mnp__cuda_columns *columns, const void *in, void *out,
                                 mnp__stream *stream)
{
    mnp_fft_columns_params params = columns->params;
    params.in = in;
    params.out = out;
    if (columns->filters) {
        params.out = (void *)in;
        params.by = out;
    }
    return device->ops->launch(device, columns->kernel, &columns->launch, &params, sizeof params, stream);
}

void mnp__cuda_columns_free(mnp__device *device, mnp__cuda_columns *columns)
{
    device->ops->kernel_free(device, columns->kernel);
    device->ops->free(device, columns->chirp);
    *columns = (mnp__cuda_columns){.kernel = NULL};
}
