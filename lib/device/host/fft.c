/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms on the host, by FFTW.
 *
 * A transform is divided along its longest batch dimension into chunks, which the team's threads take one after the
 * other; FFTW's own threads are not used.  If there is no batch, a transform along several dimensions is done along the
 * last ones for every index of the first, and then along the first.  Where results are scaled, a chunk is small enough
 * to be still in the cache when that happens.
 *
 * Lines whose elements lie far apart go through tiles (fft_tiles.h), and where they would be the first of several
 * dimensions, that is a transform of its own, in place.
 *
 * Only execution is thread-safe in FFTW, so a lock is held while plans are made and destroyed.
 */
#include <config.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/fft.h"
#include "device/host/host.h"

#ifdef HAVE_FFTW

#include "base/integer.h"
#include "device/host/fft_tiles.h"
#include "device/host/fftw.h"

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

enum { ALIGNED, ANYWHERE, ALIGNMENTS }; /* plans for memory as FFTW likes it, and for any */

/*
 * A transform of chunks along one batch dimension, `split` (-1: of one chunk).  FFTW has a plan for a whole chunk and
 * one for the last, which may be shorter.
 */
typedef struct fftw_stage {
    mnp__fft_spec spec;
    int split;
    int64_t chunks, chunk, last; /* their number; extents */
    void *whole[ALIGNMENTS], *rest[ALIGNMENTS];
    mnp__fft_tiles tiles; /* if there are any, they are the chunks, and `whole` transforms one in place */
} fftw_stage;

enum { MOST_STAGES = 3 };

struct mnp__device_fft {
    mnp__device *device;
    mnp__fftw *fftw;
    bool learned;      /* while it is planned: something was found out by trying */
    size_t copy_bytes; /* of what is between the stages, if that is not the output; before the tiles */
    int nstages;
    fftw_stage stages[MOST_STAGES];
};

/* ---- planning ---- */

/* The address at which FFTW plans without looking at memory: only its alignment counts, and whether it is the same. */
static void *nowhere(int number)
{
    return (void *)((uintptr_t)number << 32);
}

/* A plan for the stage with that extent of the split dimension.  The lock is held. */
static void *plan_with(const mnp__fftw *fftw, const fftw_stage *stage, int64_t extent, unsigned flags, void *in,
                       void *out)
{
    const mnp__fft_spec *spec = &stage->spec;
    fftw_iodim64 dims[MNP__FFT_RANK], batch[MNP_MAX_DIMS];
    for (int d = 0; d < spec->rank; d++)
        dims[d] = (fftw_iodim64){spec->dims[d].extent, spec->dims[d].in, spec->dims[d].out};
    for (int d = 0; d < spec->nbatch; d++)
        batch[d] =
            (fftw_iodim64){d == stage->split ? extent : spec->batch[d].extent, spec->batch[d].in, spec->batch[d].out};
    switch (spec->kind) {
    case MNP__FFT_FROM_REAL:
        return fftw->dft_r2c(spec->rank, dims, spec->nbatch, batch, in, out, flags | FFTW_PRESERVE_INPUT);
    case MNP__FFT_TO_REAL:
        return fftw->dft_c2r(spec->rank, dims, spec->nbatch, batch, in, out, flags | FFTW_PRESERVE_INPUT);
    default:
        return fftw->dft(spec->rank, dims, spec->nbatch, batch, in, out, spec->inverse ? FFTW_BACKWARD : FFTW_FORWARD,
                         flags);
    }
}

/* Bytes from the first element of a chunk to its last one; strides are not negative. */
static size_t span(const fftw_stage *stage, int64_t extent, bool of_input)
{
    const mnp__fft_spec *spec = &stage->spec;
    int64_t last = 0;
    for (int d = 0; d < spec->rank; d++)
        last += (spec->dims[d].extent - 1) * (of_input ? spec->dims[d].in : spec->dims[d].out);
    for (int d = 0; d < spec->nbatch; d++)
        last += ((d == stage->split ? extent : spec->batch[d].extent) - 1) *
                (of_input ? spec->batch[d].in : spec->batch[d].out);
    return (size_t)(last + 1) * (of_input ? mnp__fft_in_size(spec) : mnp__fft_out_size(spec));
}

/* Try ways on memory of zeros, for no longer than the spec allows; NULL if there is no memory for it. */
static void *plan_by_trying(mnp__device_fft *fft, const fftw_stage *stage, int64_t extent, unsigned flags)
{
    const size_t in_bytes = span(stage, extent, true), out_bytes = span(stage, extent, false);
    void *in = NULL, *out = NULL, *plan = NULL;
    if (mnp__host_alloc(fft->device, in_bytes, &in) == MNP_OK &&
        (stage->spec.in_place || mnp__host_alloc(fft->device, out_bytes, &out) == MNP_OK)) {
        memset(in, 0, in_bytes);
        if (out)
            memset(out, 0, out_bytes);
        fft->fftw->set_timelimit(stage->spec.seconds);
        plan = plan_with(fft->fftw, stage, extent, flags | FFTW_MEASURE, in, stage->spec.in_place ? in : out);
        fft->fftw->set_timelimit(FFTW_NO_TIMELIMIT);
        fft->learned = fft->learned || plan;
    }
    mnp__host_free(fft->device, in);
    mnp__host_free(fft->device, out);
    return plan;
}

/* By what is known already, or by trying, or else as FFTW estimates. */
static void *plan_chunk(mnp__device_fft *fft, const fftw_stage *stage, int64_t extent, int alignment)
{
    enum { WORTH_TRYING = 64 << 10 }; /* bytes: less is fast in any way */
    const unsigned flags = alignment == ANYWHERE ? FFTW_UNALIGNED : 0;
    void *in = nowhere(1), *out = nowhere(stage->spec.in_place ? 1 : 2);
    void *plan = plan_with(fft->fftw, stage, extent, flags | FFTW_MEASURE | FFTW_WISDOM_ONLY, in, out);
    if (!plan && stage->spec.seconds > 0 && span(stage, extent, false) >= WORTH_TRYING)
        plan = plan_by_trying(fft, stage, extent, flags);
    return plan ? plan : plan_with(fft->fftw, stage, extent, flags | FFTW_ESTIMATE, in, out);
}

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static size_t tile_bytes(const fftw_stage *stage)
{
    const int64_t elements = mnp__fft_tile_elements(&stage->spec, &stage->tiles);
    return mnp__round_up_bytes((size_t)elements * mnp__fft_out_size(&stage->spec), 512);
}

static mnp_status plan_tiles(mnp__device_fft *fft, fftw_stage *stage)
{
    const fftw_stage tile = {.spec = mnp__fft_tile_spec(&stage->spec, &stage->tiles), .split = 0};
    stage->chunks = stage->tiles.count;
    stage->whole[ALIGNED] = stage->rest[ALIGNED] = plan_chunk(fft, &tile, stage->tiles.width, ALIGNED);
    return stage->whole[ALIGNED] ? MNP_OK
                                 : MNP_FAIL(MNP_ERR_MEMORY, "FFTW cannot plan a transform of %lld points",
                                            (long long)stage->spec.dims[0].extent);
}

/* Make the plans of a stage for that alignment, if there are none yet.  The lock is held. */
static mnp_status plan_stage(mnp__device_fft *fft, fftw_stage *stage, int alignment)
{
    if (!stage->whole[alignment])
        stage->whole[alignment] = plan_chunk(fft, stage, stage->chunk, alignment);
    if (stage->last == stage->chunk)
        stage->rest[alignment] = stage->whole[alignment];
    else if (!stage->rest[alignment])
        stage->rest[alignment] = plan_chunk(fft, stage, stage->last, alignment);
    if (!stage->whole[alignment] || !stage->rest[alignment])
        return MNP_FAIL(MNP_ERR_MEMORY, "FFTW cannot plan a transform of %lld points",
                        (long long)stage->spec.dims[0].extent);
    return MNP_OK;
}

static int64_t elements(const mnp__fft_spec *spec)
{
    int64_t count = 1;
    for (int d = 0; d < spec->rank; d++)
        count *= spec->dims[d].extent;
    for (int d = 0; d < spec->nbatch; d++)
        count *= spec->batch[d].extent;
    return count;
}

/* Divide the stage into chunks: one for each thread, or as many as fit the cache where they are scaled. */
static void divide(fftw_stage *stage, int threads)
{
    enum { CACHED = 256 << 10 }; /* bytes */
    const mnp__fft_spec *spec = &stage->spec;
    int64_t pieces = threads;
    stage->split = -1;
    for (int d = 0; d < spec->nbatch; d++) {
        const mnp__fft_dim *best = stage->split < 0 ? NULL : &spec->batch[stage->split];
        if (!best || (spec->batch[d].extent >= threads && magnitude(spec->batch[d].out) > magnitude(best->out)) ||
            (best->extent < threads && spec->batch[d].extent > best->extent))
            stage->split = d;
    }
    if (spec->scale != 1) {
        const int64_t fitting = elements(spec) * (int64_t)mnp__fft_out_size(spec) / CACHED;
        pieces = mnp__max(fitting, pieces);
    }
    const int64_t extent = stage->split < 0 ? 1 : spec->batch[stage->split].extent;
    if (pieces > extent)
        pieces = extent;
    stage->chunk = mnp__divide_up(extent, pieces);
    stage->chunks = mnp__divide_up(extent, stage->chunk);
    stage->last = extent - (stage->chunks - 1) * stage->chunk;
}

/* One along the last dimensions, and one in place along the first. */
static void split_first(const mnp__fft_spec *spec, mnp__fft_spec *planes, mnp__fft_spec *across)
{
    *planes = mnp__fft_part(spec, 1, spec->rank - 1);
    *across = mnp__fft_part(spec, 0, 0);
    mnp__fft_stay(across);
    planes->scale = 1;
}

/* One along all dimensions but the last, into a copy, and from there one to real numbers; returns bytes of the copy. */
static size_t split_last(const mnp__fft_spec *spec, mnp__fft_spec *planes, mnp__fft_spec *lines)
{
    mnp__fft_spec dense = *spec;
    const int64_t count = mnp__fft_make_dense(&dense);
    const mnp__fft_spec copy = mnp__fft_part(&dense, 0, spec->rank - 2);
    *planes = mnp__fft_part(spec, 0, spec->rank - 2);
    *lines = mnp__fft_part(&dense, spec->rank - 1, spec->rank - 1);
    planes->scale = 1;
    for (int d = 0; d < planes->rank; d++)
        planes->dims[d].out = copy.dims[d].in;
    for (int d = 0; d < planes->nbatch; d++)
        planes->batch[d].out = copy.batch[d].in;
    return mnp__round_up_bytes((size_t)count * mnp__fft_in_size(spec), 512);
}

/*
 * Whether the first of several dimensions is better transformed by itself: its lines would go through tiles, or there
 * are fewer transforms than threads, but dimensions that could be batches of each other.
 */
static bool is_worth_two(const mnp__fft_spec *spec, int threads)
{
    mnp__fft_spec planes, across;
    bool few = threads > 1;
    if (spec->rank == 1)
        return false;
    split_first(spec, &planes, &across);
    for (int d = 0; d < spec->nbatch; d++)
        few = few && spec->batch[d].extent < threads;
    return few || mnp__fft_tiles_of(&across).count > 0;
}

static void add_stages(const mnp__fft_spec *spec, int threads, mnp__device_fft *fft)
{
    mnp__fft_spec across;
    fftw_stage *stage = &fft->stages[fft->nstages++];
    stage->spec = *spec;
    if (!is_worth_two(spec, threads))
        return;
    split_first(spec, &stage->spec, &across);
    fft->stages[fft->nstages++].spec = across;
}

/* Divide a transform into stages.  FFTW would overwrite the spectrum of real numbers along several dimensions. */
static void make_stages(const mnp__fft_spec *spec, int threads, mnp__device_fft *fft)
{
    mnp__fft_spec planes, lines;
    if (spec->kind != MNP__FFT_TO_REAL || spec->rank == 1) {
        add_stages(spec, threads, fft);
        return;
    }
    fft->copy_bytes = split_last(spec, &planes, &lines);
    add_stages(&planes, threads, fft);
    fft->stages[fft->nstages++].spec = lines;
}

static void destroy(mnp__device_fft *fft)
{
    for (int s = 0; s < fft->nstages; s++) {
        fftw_stage *stage = &fft->stages[s];
        for (int a = 0; a < ALIGNMENTS; a++) {
            if (stage->rest[a] && stage->rest[a] != stage->whole[a])
                fft->fftw->destroy_plan(stage->rest[a]);
            if (stage->whole[a])
                fft->fftw->destroy_plan(stage->whole[a]);
        }
    }
}

/* The lock is held. */
static mnp_status load(mnp__device *device, bool is_double, mnp__fftw **library_p)
{
    if (mnp__fftw_load(device->config, is_double, library_p))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "Fourier transforms of %s on the CPU need FFTW, and there is no %s here: install it (Debian and "
                    "Ubuntu: %s)",
                    is_double ? "float64" : "float32", is_double ? "libfftw3.so.3" : "libfftw3f.so.3",
                    is_double ? "libfftw3-double3" : "libfftw3-single3");
}

mnp_status mnp__host_fft_load(mnp__device *device, bool is_double)
{
    mnp__fftw *fftw;
    pthread_mutex_lock(&planner);
    const mnp_status st = load(device, is_double, &fftw);
    pthread_mutex_unlock(&planner);
    return st;
}

/* The lock is held. */
static mnp_status make(const mnp__fft_spec *spec, int threads, mnp__device_fft *fft)
{
    MNP_TRY(load(fft->device, spec->is_double, &fft->fftw));
    make_stages(spec, threads, fft);
    for (int s = 0; s < fft->nstages; s++) {
        fftw_stage *stage = &fft->stages[s];
        stage->tiles = mnp__fft_tiles_of(&stage->spec);
        if (stage->tiles.count > 0) {
            MNP_TRY(plan_tiles(fft, stage));
        } else {
            divide(stage, threads);
            MNP_TRY(plan_stage(fft, stage, ALIGNED));
        }
    }
    return MNP_OK;
}

/* How many tiles are in work at once, each in memory of its own. */
static unsigned tile_shares(const fftw_stage *stage, mnp__device *device)
{
    const int64_t threads = ((mnp__host_device *)device)->threads;
    return (unsigned)mnp__min(stage->chunks, threads);
}

mnp_status mnp__host_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p)
{
    mnp__device_fft *fft;
    MNP_TRY(mnp__calloc(1, sizeof *fft, &fft));
    fft->device = device;
    pthread_mutex_lock(&planner);
    const mnp_status st = make(spec, ((mnp__host_device *)device)->threads, fft);
    if (st != MNP_OK)
        destroy(fft);
    else if (fft->learned)
        mnp__fftw_save_wisdom(fft->fftw);
    pthread_mutex_unlock(&planner);
    if (st != MNP_OK) {
        free(fft);
        return st;
    }
    *fft_p = fft;
    size_t tiles = 0;
    for (int s = 0; s < fft->nstages; s++) {
        const fftw_stage *stage = &fft->stages[s];
        const size_t bytes = stage->tiles.count > 0 ? (size_t)tile_shares(stage, device) * tile_bytes(stage) : 0;
        tiles = bytes > tiles ? bytes : tiles;
    }
    *work_p = fft->copy_bytes + tiles;
    return MNP_OK;
}

void mnp__host_fft_free(mnp__device *device, mnp__device_fft *fft)
{
    (void)device;
    if (!fft)
        return;
    pthread_mutex_lock(&planner);
    destroy(fft);
    pthread_mutex_unlock(&planner);
    free(fft);
}

/* ---- execution ---- */

typedef struct fftw_run {
    const mnp__fftw *fftw;
    const fftw_stage *stage;
    char *in, *out, *work;
} fftw_run;

static void scale_row(bool is_double, void *row, int64_t count, int64_t stride, bool is_complex, double scale)
{
    const int parts = is_complex ? 2 : 1;
    if (stride == 1) { /* both parts of complex numbers as one row of reals */
        count *= parts;
        for (int64_t i = 0; is_double && i < count; i++)
            ((double *)row)[i] *= scale;
        for (int64_t i = 0; !is_double && i < count; i++)
            ((float *)row)[i] *= (float)scale;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int part = 0; part < parts; part++) {
            if (is_double)
                ((double *)row)[i * stride * parts + part] *= scale;
            else
                ((float *)row)[i * stride * parts + part] *= (float)scale;
        }
    }
}

/* Scale a box of results, of which dims[0] is the innermost dimension. */
static void scale_box(const mnp__fft_spec *spec, int ndim, const mnp__fft_dim *dims, char *data)
{
    if (ndim == 1) {
        scale_row(spec->is_double, data, dims[0].extent, dims[0].out, spec->kind != MNP__FFT_TO_REAL, spec->scale);
        return;
    }
    for (int64_t i = 0; i < dims[ndim - 1].extent; i++)
        scale_box(spec, ndim - 1, dims, data + i * dims[ndim - 1].out * (int64_t)mnp__fft_out_size(spec));
}

static void scale_chunk(const fftw_stage *stage, int64_t extent, char *data)
{
    const mnp__fft_spec *spec = &stage->spec;
    mnp__fft_dim dims[MNP__FFT_RANK + MNP_MAX_DIMS];
    int ndim = 0;
    for (int d = 0; d < spec->rank; d++)
        dims[ndim++] = spec->kind == MNP__FFT_TO_REAL ? spec->dims[d] : mnp__fft_complex_side(spec, d);
    for (int d = 0; d < spec->nbatch; d++) {
        dims[ndim] = spec->batch[d];
        if (d == stage->split)
            dims[ndim].extent = extent;
        ndim++;
    }
    for (int d = 1; d < ndim; d++) {
        if (magnitude(dims[d].out) < magnitude(dims[0].out)) {
            const mnp__fft_dim other = dims[0];
            dims[0] = dims[d];
            dims[d] = other;
        }
    }
    scale_box(spec, ndim, dims, data);
}

static int alignment_of(const mnp__fftw *fftw, char *in, char *out)
{
    return fftw->alignment_of(in) == 0 && fftw->alignment_of(out) == 0 ? ALIGNED : ANYWHERE;
}

/* Where chunk number `number` begins. */
static void find_chunk(const fftw_run *run, int64_t number, char **in_p, char **out_p)
{
    const fftw_stage *stage = run->stage;
    const mnp__fft_dim none = {1, 0, 0};
    const mnp__fft_dim *split = stage->split < 0 ? &none : &stage->spec.batch[stage->split];
    *in_p = run->in + number * stage->chunk * split->in * (int64_t)mnp__fft_in_size(&stage->spec);
    *out_p = run->out + number * stage->chunk * split->out * (int64_t)mnp__fft_out_size(&stage->spec);
}

static void run_chunk(const fftw_run *run, int64_t number)
{
    const fftw_stage *stage = run->stage;
    const bool is_last = number == stage->chunks - 1;
    char *in, *out;
    find_chunk(run, number, &in, &out);
    const int alignment = alignment_of(run->fftw, in, out);
    const void *plan = is_last ? stage->rest[alignment] : stage->whole[alignment];
    if (stage->spec.kind == MNP__FFT_FROM_REAL)
        run->fftw->execute_dft_r2c(plan, in, out);
    else if (stage->spec.kind == MNP__FFT_TO_REAL)
        run->fftw->execute_dft_c2r(plan, in, out);
    else
        run->fftw->execute_dft(plan, in, out);
    if (stage->spec.scale != 1)
        scale_chunk(stage, is_last ? stage->last : stage->chunk, out);
}

static void run_tile(const fftw_run *run, int64_t number, char *tile)
{
    const fftw_stage *stage = run->stage;
    const mnp__fft_spec *spec = &stage->spec;
    mnp__fft_tile_copy(spec, &stage->tiles, number, run->in, false, tile);
    run->fftw->execute_dft(stage->whole[ALIGNED], tile, tile);
    if (spec->scale != 1)
        scale_row(spec->is_double, tile, mnp__fft_tile_elements(spec, &stage->tiles), 1, true, spec->scale);
    mnp__fft_tile_copy(spec, &stage->tiles, number, run->out, true, tile);
}

/* The tiles of a share, whose memory is cleared first: a last tile of fewer lines leaves some of it as it is. */
static void run_tiles(const void *argument, int share, int shares)
{
    const fftw_run *run = argument;
    const size_t bytes = tile_bytes(run->stage);
    const int64_t chunks = run->stage->chunks;
    char *tile = run->work + (size_t)share * bytes;
    memset(tile, 0, bytes);
    for (int64_t i = chunks * share / shares; i < chunks * (share + 1) / shares; i++)
        run_tile(run, i, tile);
}

static void run_share(const void *argument, int share, int shares)
{
    const fftw_run *run = argument;
    const int64_t chunks = run->stage->chunks;
    for (int64_t i = chunks * share / shares; i < chunks * (share + 1) / shares; i++)
        run_chunk(run, i);
}

/* Where some chunks do not lie as FFTW likes it, plans for these. */
static mnp_status plan_for_anywhere(const fftw_run *run, mnp__device_fft *fft, fftw_stage *stage)
{
    bool aligned = true;
    for (int64_t i = 0; i < stage->chunks && i < 2; i++) {
        char *in, *out;
        find_chunk(run, i, &in, &out);
        aligned = aligned && alignment_of(run->fftw, in, out) == ALIGNED;
    }
    if (aligned || stage->whole[ANYWHERE])
        return MNP_OK;
    pthread_mutex_lock(&planner);
    const mnp_status st = plan_stage(fft, stage, ANYWHERE);
    pthread_mutex_unlock(&planner);
    return st;
}

mnp_status mnp__host_fft_execute(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                                 mnp__stream *stream)
{
    (void)stream;
    void *between = fft->copy_bytes > 0 ? work : out;
    for (int s = 0; s < fft->nstages; s++) {
        const fftw_run run = {.fftw = fft->fftw,
                              .stage = &fft->stages[s],
                              .in = s == 0 ? in : between,
                              .out = s == fft->nstages - 1 ? out : between,
                              .work = (char *)work + fft->copy_bytes};
        if (run.stage->tiles.count > 0) {
            const mnp__launch tiles = {.grid = {tile_shares(run.stage, device), 1, 1}};
            MNP_TRY(mnp__host_run(device, &tiles, run_tiles, &run));
            continue;
        }
        const int64_t chunks = run.stage->chunks;
        const mnp__launch launch = {.grid = {chunks > MNP__MOST_SHARES ? MNP__MOST_SHARES : (unsigned)chunks, 1, 1}};
        MNP_TRY(plan_for_anywhere(&run, fft, &fft->stages[s]));
        MNP_TRY(mnp__host_run(device, &launch, run_share, &run));
    }
    return MNP_OK;
}

#else

mnp_status mnp__host_fft_load(mnp__device *device, bool is_double)
{
    (void)device;
    (void)is_double;
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "this Maniple was built without FFTW, which Fourier transforms on the CPU need; "
                    "build it where fftw3.h is (Debian and Ubuntu: libfftw3-dev)");
}

mnp_status mnp__host_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p)
{
    (void)fft_p;
    (void)work_p;
    return mnp__host_fft_load(device, spec->is_double);
}

mnp_status mnp__host_fft_execute(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                                 mnp__stream *stream)
{
    (void)device;
    (void)fft;
    (void)in;
    (void)out;
    (void)work;
    (void)stream;
    return MNP_ERR_INTERNAL;
}

void mnp__host_fft_free(mnp__device *device, mnp__device_fft *fft)
{
    (void)device;
    (void)fft;
}

#endif
