/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms on the host, by FFTW.
 *
 * A transform is divided along its longest batch dimension into chunks, which the team's threads take one after the
 * other; FFTW's own threads are not used.  If there is no batch, a transform along several dimensions is done along the
 * last ones for every index of the first, and then along the first.  Where results are scaled, a chunk is small enough
 * to be still in the cache when that happens.
 *
 * Long lines whose elements lie far apart are copied in tiles of neighbouring lines to memory in which they are
 * contiguous, transformed there, and copied back: their elements would displace each other from the cache.
 *
 * FFTW is loaded when it is first needed, and stays loaded.  Only execution is thread-safe in FFTW, so a lock is held
 * while plans are made and destroyed.  What is found out by trying is kept as FFTW's wisdom, in a file beside the cached
 * kernels, for this FFTW and this processor; so it is tried once.
 */
#include <config.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/leftovers.h"
#include "base/status.h"
#include "base/text.h"
#include "device/host/host.h"

#ifdef HAVE_FFTW

#include <fftw3.h>

/* FFTW's functions, which are the same in both precisions but for their prefix. */
typedef struct library {
    bool loaded;
    char *wisdom; /* the path of its file; NULL: there is no cache */
    void *(*dft)(int rank, const fftw_iodim64 *dims, int nbatch, const fftw_iodim64 *batch, void *in, void *out,
                 int sign, unsigned flags);
    void *(*dft_r2c)(int rank, const fftw_iodim64 *dims, int nbatch, const fftw_iodim64 *batch, void *in, void *out,
                     unsigned flags);
    void *(*dft_c2r)(int rank, const fftw_iodim64 *dims, int nbatch, const fftw_iodim64 *batch, void *in, void *out,
                     unsigned flags);
    void (*execute_dft)(const void *plan, void *in, void *out);
    void (*execute_dft_r2c)(const void *plan, void *in, void *out);
    void (*execute_dft_c2r)(const void *plan, void *in, void *out);
    void (*destroy_plan)(void *plan);
    void (*set_timelimit)(double seconds);
    int (*alignment_of)(void *pointer);
    int (*import_wisdom)(const char *path);
    int (*export_wisdom)(const char *path);
    const char *version;
} library;

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static void *find(void *object, const char *prefix, const char *name, bool *all)
{
    char symbol[64];
    stpcpy(stpcpy(stpcpy(symbol, prefix), "_"), name);
    void *found = dlsym(object, symbol);
    *all = *all && found;
    return found;
}

/* Where wisdom is kept. */
static char *wisdom_path(const mnp__config *config, const char *prefix, const char *version)
{
    char processor[128], *folder;
    mnp__text path = MNP__TEXT_EMPTY;
    if (mnp__jit_cache_path(config, &folder) != MNP_OK)
        return NULL;
    mnp__host_processor(processor, sizeof processor);
    const uint64_t hash = mnp__hash(mnp__hash(MNP__HASH_START, processor, strlen(processor)), version, strlen(version));
    mnp__text_add(&path, "%s/%s-%016llx.wisdom", folder, prefix, (unsigned long long)hash);
    free(folder);
    if (mnp__text_status(&path) == MNP_OK)
        return path.data;
    mnp__text_free(&path);
    return NULL;
}

/* Write the wisdom aside, and put it in place; where that is not possible it is found out again. */
static void save_wisdom(const library *fftw)
{
    char mark[MNP__OWNER_ROOM];
    mnp__text aside = MNP__TEXT_EMPTY;
    if (!fftw->wisdom)
        return;
    mnp__owner_mark(mark);
    mnp__text_add(&aside, "%s%s", fftw->wisdom, mark);
    if (mnp__text_status(&aside) == MNP_OK) {
        mnp__leftover_guard(aside.data);
        if (!fftw->export_wisdom(aside.data) || rename(aside.data, fftw->wisdom) != 0)
            (void)remove(aside.data);
        mnp__leftover_release(aside.data);
    }
    mnp__text_free(&aside);
}

/* Load the library of a precision; false if it is not here.  Later calls cost next to nothing.  The lock is held. */
static bool load(const mnp__config *config, bool is_double, library **library_p)
{
    static library libraries[2];
    library *fftw = &libraries[is_double];
    const char *prefix = is_double ? "fftw" : "fftwf";
    *library_p = fftw;
    if (fftw->loaded)
        return true;
    void *object = dlopen(is_double ? "libfftw3.so.3" : "libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
    bool all = object != NULL;
    if (!object)
        return false;
    *(void **)&fftw->dft = find(object, prefix, "plan_guru64_dft", &all);
    *(void **)&fftw->dft_r2c = find(object, prefix, "plan_guru64_dft_r2c", &all);
    *(void **)&fftw->dft_c2r = find(object, prefix, "plan_guru64_dft_c2r", &all);
    *(void **)&fftw->execute_dft = find(object, prefix, "execute_dft", &all);
    *(void **)&fftw->execute_dft_r2c = find(object, prefix, "execute_dft_r2c", &all);
    *(void **)&fftw->execute_dft_c2r = find(object, prefix, "execute_dft_c2r", &all);
    *(void **)&fftw->destroy_plan = find(object, prefix, "destroy_plan", &all);
    *(void **)&fftw->set_timelimit = find(object, prefix, "set_timelimit", &all);
    *(void **)&fftw->alignment_of = find(object, prefix, "alignment_of", &all);
    *(void **)&fftw->import_wisdom = find(object, prefix, "import_wisdom_from_filename", &all);
    *(void **)&fftw->export_wisdom = find(object, prefix, "export_wisdom_to_filename", &all);
    fftw->version = find(object, prefix, "version", &all);
    fftw->loaded = all;
    if (all) {
        fftw->wisdom = wisdom_path(config, prefix, fftw->version);
        if (fftw->wisdom)
            (void)fftw->import_wisdom(fftw->wisdom); /* 0 where there is none yet */
    }
    return all;
}

enum { ALIGNED, ANYWHERE, ALIGNMENTS }; /* plans for memory as FFTW likes it, and for any */

/*
 * A transform of chunks along one batch dimension, `split` (-1: of one chunk).  FFTW has a plan for a whole chunk and one
 * for the last, which may be shorter.
 */
typedef struct fftw_stage {
    mnp__fft_spec spec;
    int split;
    int64_t chunks, chunk, last; /* their number; extents */
    void *whole[ALIGNMENTS], *rest[ALIGNMENTS];
    bool tiled; /* a chunk is a tile of TILE lines, for which `whole` transforms as many contiguous ones */
} fftw_stage;

/* Lines of a tile, and elements from one to the next, in which the lines do not begin at the same place of a page. */
enum { TILE = 16, LONG_LINE = 1024, GAP = 8 };

struct mnp__device_fft {
    mnp__device *device;
    library *fftw;
    bool learned; /* while it is planned: something was found out by trying */
    int nstages;
    fftw_stage stages[2];
};

/* ---- planning ---- */

static size_t in_size(const mnp__fft_spec *spec)
{
    return (spec->is_double ? sizeof(double) : sizeof(float)) * (spec->kind == MNP__FFT_FROM_REAL ? 1 : 2);
}

static size_t out_size(const mnp__fft_spec *spec)
{
    return (spec->is_double ? sizeof(double) : sizeof(float)) * (spec->kind == MNP__FFT_TO_REAL ? 1 : 2);
}

/* The address at which FFTW plans without looking at memory: only its alignment counts, and whether it is the same. */
static void *nowhere(int number)
{
    return (void *)((uintptr_t)number << 32);
}

/* A plan for the stage with that extent of the split dimension.  The lock is held. */
static void *plan_with(const library *fftw, const fftw_stage *stage, int64_t extent, unsigned flags, void *in,
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
    return (size_t)(last + 1) * (of_input ? in_size(spec) : out_size(spec));
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

/* Whether the lines of a stage go through tiles: shorter ones FFTW transforms faster where they are. */
static bool is_for_tiles(const mnp__fft_spec *spec)
{
    return spec->kind == MNP__FFT_COMPLEX && spec->rank == 1 && spec->dims[0].extent >= LONG_LINE &&
           spec->nbatch == 1 && spec->batch[0].in == 1 && spec->batch[0].out == 1 && spec->batch[0].extent >= TILE &&
           magnitude(spec->dims[0].in) >= TILE && magnitude(spec->dims[0].out) >= TILE;
}

static size_t tile_bytes(const mnp__fft_spec *spec)
{
    return (size_t)(spec->dims[0].extent + GAP) * TILE * out_size(spec);
}

static mnp_status plan_tiles(mnp__device_fft *fft, fftw_stage *stage)
{
    const int64_t n = stage->spec.dims[0].extent, lines = stage->spec.batch[0].extent;
    fftw_stage tile = {.spec = stage->spec, .split = 0};
    tile.spec.in_place = true;
    tile.spec.dims[0] = (mnp__fft_dim){n, 1, 1};
    tile.spec.batch[0] = (mnp__fft_dim){TILE, n + GAP, n + GAP};
    stage->tiled = true;
    stage->split = 0;
    stage->chunk = TILE;
    stage->chunks = (lines + TILE - 1) / TILE;
    stage->last = lines - (stage->chunks - 1) * TILE;
    stage->whole[ALIGNED] = stage->rest[ALIGNED] = plan_chunk(fft, &tile, TILE, ALIGNED);
    return stage->whole[ALIGNED]
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_MEMORY, "FFTW cannot plan a transform of %lld points", (long long)n);
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
        const int64_t fitting = elements(spec) * (int64_t)out_size(spec) / CACHED;
        pieces = fitting > pieces ? fitting : pieces;
    }
    const int64_t extent = stage->split < 0 ? 1 : spec->batch[stage->split].extent;
    if (pieces > extent)
        pieces = extent;
    stage->chunk = (extent + pieces - 1) / pieces;
    stage->chunks = (extent + stage->chunk - 1) / stage->chunk;
    stage->last = extent - (stage->chunks - 1) * stage->chunk;
}

/* Whether there are fewer transforms than threads, but dimensions that could be batches of each other. */
static bool is_worth_two(const mnp__fft_spec *spec, int threads)
{
    for (int d = 0; d < spec->nbatch; d++)
        if (spec->batch[d].extent >= threads)
            return false;
    return threads > 1 && spec->rank > 1 && spec->nbatch + spec->rank - 1 <= MNP_MAX_DIMS;
}

/* The same transform as one along the last dimensions, and one in place along the first. */
static void split_rank(const mnp__fft_spec *spec, mnp__fft_spec *planes, mnp__fft_spec *across)
{
    *planes = *across = *spec;
    planes->rank = spec->rank - 1;
    memcpy(planes->dims, spec->dims + 1, (size_t)planes->rank * sizeof *planes->dims);
    planes->batch[planes->nbatch++] = spec->dims[0];
    planes->scale = 1;
    across->rank = 1;
    across->in_place = true;
    memcpy(across->batch + spec->nbatch, spec->dims + 1, (size_t)(spec->rank - 1) * sizeof *across->batch);
    across->nbatch += spec->rank - 1;
    across->dims[0].in = across->dims[0].out;
    for (int d = 0; d < across->nbatch; d++)
        across->batch[d].in = across->batch[d].out;
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
static mnp_status make(const mnp__fft_spec *spec, int threads, mnp__device_fft *fft)
{
    if (!load(fft->device->config, spec->is_double, &fft->fftw))
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "Fourier transforms of %s on the CPU need FFTW, and there is no %s here: install it (Debian "
                        "and Ubuntu: %s)",
                        spec->is_double ? "float64" : "float32", spec->is_double ? "libfftw3.so.3" : "libfftw3f.so.3",
                        spec->is_double ? "libfftw3-double3" : "libfftw3-single3");
    fft->nstages = is_worth_two(spec, threads) ? 2 : 1;
    if (fft->nstages == 2)
        split_rank(spec, &fft->stages[0].spec, &fft->stages[1].spec);
    else
        fft->stages[0].spec = *spec;
    for (int s = 0; s < fft->nstages; s++) {
        fftw_stage *stage = &fft->stages[s];
        if (is_for_tiles(&stage->spec)) {
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
    return (unsigned)(stage->chunks < threads ? stage->chunks : threads);
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
        save_wisdom(fft->fftw);
    pthread_mutex_unlock(&planner);
    if (st != MNP_OK) {
        free(fft);
        return st;
    }
    *fft_p = fft;
    *work_p = 0;
    for (int s = 0; s < fft->nstages; s++) {
        const fftw_stage *stage = &fft->stages[s];
        const size_t bytes = stage->tiled ? (size_t)tile_shares(stage, device) * tile_bytes(&stage->spec) : 0;
        *work_p = bytes > *work_p ? bytes : *work_p;
    }
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
    const library *fftw;
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
        scale_box(spec, ndim - 1, dims, data + i * dims[ndim - 1].out * (int64_t)out_size(spec));
}

static void scale_chunk(const fftw_stage *stage, int64_t extent, char *data)
{
    const mnp__fft_spec *spec = &stage->spec;
    mnp__fft_dim dims[MNP__FFT_RANK + MNP_MAX_DIMS] = {spec->dims[0]};
    int ndim = 0;
    for (int d = 0; d < spec->rank; d++)
        dims[ndim++] = spec->dims[d];
    if (spec->kind == MNP__FFT_FROM_REAL)
        dims[0].extent = dims[0].extent / 2 + 1;
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

static int alignment_of(const library *fftw, char *in, char *out)
{
    return fftw->alignment_of(in) == 0 && fftw->alignment_of(out) == 0 ? ALIGNED : ANYWHERE;
}

/* Where chunk number `number` begins. */
static void find_chunk(const fftw_run *run, int64_t number, char **in_p, char **out_p)
{
    const fftw_stage *stage = run->stage;
    const mnp__fft_dim none = {1, 0, 0};
    const mnp__fft_dim *split = stage->split < 0 ? &none : &stage->spec.batch[stage->split];
    *in_p = run->in + number * stage->chunk * split->in * (int64_t)in_size(&stage->spec);
    *out_p = run->out + number * stage->chunk * split->out * (int64_t)out_size(&stage->spec);
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

/* Copy `width` lines between where their elements lie `stride` apart and contiguous memory. */
#define COPY_TILE(name, type, to, from)                                                                                \
    static void name(type *line, type *apart, int64_t n, int64_t stride, int64_t width)                                \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            for (int64_t w = 0; w < width; w++)                                                                        \
                to = from;                                                                                             \
    }
typedef struct single_complex {
    float parts[2];
} single_complex;
typedef struct double_complex {
    double parts[2];
} double_complex;
COPY_TILE(gather_single, single_complex, line[w * (n + GAP) + i], apart[i * stride + w])
COPY_TILE(gather_double, double_complex, line[w * (n + GAP) + i], apart[i * stride + w])
COPY_TILE(scatter_single, single_complex, apart[i * stride + w], line[w * (n + GAP) + i])
COPY_TILE(scatter_double, double_complex, apart[i * stride + w], line[w * (n + GAP) + i])

static void run_tile(const fftw_run *run, int64_t number, void *tile)
{
    const fftw_stage *stage = run->stage;
    const mnp__fft_spec *spec = &stage->spec;
    const int64_t n = spec->dims[0].extent, width = number == stage->chunks - 1 ? stage->last : TILE;
    char *in, *out;
    find_chunk(run, number, &in, &out);
    if (spec->is_double)
        gather_double(tile, (void *)in, n, spec->dims[0].in, width);
    else
        gather_single(tile, (void *)in, n, spec->dims[0].in, width);
    run->fftw->execute_dft(stage->whole[ALIGNED], tile, tile);
    if (spec->scale != 1)
        scale_row(spec->is_double, tile, width * (n + GAP) - GAP, 1, true, spec->scale);
    if (spec->is_double)
        scatter_double(tile, (void *)out, n, spec->dims[0].out, width);
    else
        scatter_single(tile, (void *)out, n, spec->dims[0].out, width);
}

/* The tiles of a share, whose memory is cleared first: a last tile of fewer lines leaves some of it as it is. */
static void run_tiles(const void *argument, int share, int shares)
{
    const fftw_run *run = argument;
    const size_t bytes = tile_bytes(&run->stage->spec);
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
    for (int s = 0; s < fft->nstages; s++) {
        const fftw_run run = {
            .fftw = fft->fftw, .stage = &fft->stages[s], .in = s == 0 ? in : out, .out = out, .work = work};
        if (run.stage->tiled) {
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

mnp_status mnp__host_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p)
{
    (void)device;
    (void)spec;
    (void)fft_p;
    (void)work_p;
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "this Maniple was built without FFTW, which Fourier transforms on the CPU need; "
                    "build it where fftw3.h is (Debian and Ubuntu: libfftw3-dev)");
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
