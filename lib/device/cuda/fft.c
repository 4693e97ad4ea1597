/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms on GPUs, by cuFFT and by kernels of our own.
 *
 * cuFFT takes transforms whose dimensions nest, each stride a multiple of the next one, and one batch dimension.
 * Others are done along one dimension after the other, and the remaining batch dimensions are loops of launches.
 * Complex and real columns of matrices, whose elements are rows apart, are transformed by kernels/fft/columns.cu where
 * they are not too long (columns.c): it reads and writes them once, all matrices in one launch, and scales them.
 *
 * Results of cuFFT are scaled by a kernel.  As it overwrites the half spectrum of a real transform, and expects that of
 * real numbers, it works on a copy of it in the memory to work in: what the kernel for columns makes of it first, or
 * what a pass does.  It also wants real numbers to begin where complex ones could, at even elements; where the memory
 * or a loop begins at an odd one, they go through a copy.
 *
 * A transform that is freed becomes a spare one of the device's, for who asks for the same: the plans of a plain call,
 * such as a convolution, live no longer than that.
 */
#include <config.h>

#include <cufft.h>
#include <cufftXt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/process/library.h"
#include "base/status.h"
#include "base/text.h"
#include "device/cuda/columns.h"
#include "device/cuda/cuda.h"
#include "device/cuda/fft_pass.h"
#include "device/fft.h"

/* A transform of columns by our kernel, or one plan of cuFFT and the batch dimensions that it does not do itself. */
typedef struct fft_stage {
    mnp__fft_spec spec;        /* of this stage; cuFFT: its batch has only the dimensions that are loops */
    mnp__cuda_columns columns; /* without a kernel: cuFFT */
    cufftHandle plan;
    bool planned;
} fft_stage;

struct mnp__device_fft {
    mnp__fft_spec spec, planned; /* as it is asked for; with the strides of the copies */
    int nstages;
    fft_stage stages[MNP__FFT_RANK];
    /* halve: makes the copy of the half spectrum; settle: no imaginary parts that the last stage expects to be 0 */
    mnp__fft_pass scale, halve, settle, align;
    size_t work;                    /* bytes of memory that it works in */
    size_t copy_bytes, align_bytes; /* of the copies of half spectrum and real numbers, before cuFFT's own memory */
    bool begins;                    /* the first stage makes the copy of the half spectrum */
    bool pads;                      /* loops would begin at odd elements: cuFFT always works on the copy */
};

/* The functions of cuFFT, which is loaded for the first transform. */
#define CUFFT_FUNCTIONS(X)                                                                                             \
    X(cufftCreate)                                                                                                     \
    X(cufftDestroy)                                                                                                    \
    X(cufftMakePlanMany64)                                                                                             \
    X(cufftSetAutoAllocation)                                                                                          \
    X(cufftSetStream)                                                                                                  \
    X(cufftSetWorkArea)                                                                                                \
    X(cufftXtExec)
static struct {
    CUFFT_FUNCTIONS(MNP__LIBRARY_FIELD)
} cufft;

static mnp_status load_cufft(void)
{
    static const char *const names[] = {CUFFT_FUNCTIONS(MNP__LIBRARY_NAME)};
    static void *library;
    char file[32];
    snprintf(file, sizeof file, "libcufft.so.%d", CUFFT_VER_MAJOR);
    return mnp__library_load(&library, file, names, sizeof names / sizeof *names, &cufft);
}

#define CUFFT(call, ...) cufft_status(cufft.call(__VA_ARGS__), #call)

static mnp_status cufft_status(cufftResult code, const char *call)
{
    if (code == CUFFT_SUCCESS)
        return MNP_OK;
    return MNP_FAIL(code == CUFFT_ALLOC_FAILED ? MNP_ERR_MEMORY : MNP_ERR_DEVICE, "%s: error %d of cuFFT", call,
                    (int)code);
}

/* ---- planning ---- */

static bool nests(const mnp__fft_spec *spec, bool of_input)
{
    const bool is_complex = of_input ? spec->kind != MNP__FFT_FROM_REAL : spec->kind != MNP__FFT_TO_REAL;
    int64_t next = 1, next_extent = 1; /* of the dimension inside */
    for (int d = spec->rank - 1; d >= 0; d--) {
        const mnp__fft_dim dim = is_complex ? mnp__fft_complex_side(spec, d) : spec->dims[d];
        const int64_t own = of_input ? dim.in : dim.out;
        if (own <= 0 || own % next != 0 || own / next < next_extent)
            return false;
        next = own;
        next_extent = dim.extent;
    }
    return true;
}

/* The extents of the memory around the transformed dimensions, as cuFFT wants them. */
static void embed(int rank, const mnp__fft_dim *dims, bool of_input, long long *extents)
{
    extents[0] = dims[0].extent;
    for (int d = 1; d < rank; d++)
        extents[d] = of_input ? dims[d - 1].in / dims[d].in : dims[d - 1].out / dims[d].out;
}

/* Whether the real numbers at index 1 of a batch dimension are at an odd element. */
static bool is_odd(const mnp__fft_spec *spec, const mnp__fft_dim *dim)
{
    return dim->extent > 1 && ((spec->kind == MNP__FFT_FROM_REAL && dim->in % 2 != 0) ||
                               (spec->kind == MNP__FFT_TO_REAL && dim->out % 2 != 0));
}

/* Join batch dimensions that are one in memory. */
static void join_batches(mnp__fft_spec *spec)
{
    for (int d = 0; d < spec->nbatch; d++) {
        for (int e = 0; e < spec->nbatch; e++) {
            mnp__fft_dim *outer = &spec->batch[d], *inner = &spec->batch[e];
            if (d == e || outer->in != inner->extent * inner->in || outer->out != inner->extent * inner->out)
                continue;
            inner->extent *= outer->extent;
            *outer = spec->batch[--spec->nbatch];
            d = -1; /* begin again */
            break;
        }
    }
}

/* The longest batch dimension becomes cuFFT's, or the longest of those at odd elements. */
static mnp__fft_dim take_batch(mnp__fft_spec *spec)
{
    mnp__fft_dim taken = {.extent = 1, .in = 1, .out = 1};
    int longest = -1;
    for (int d = 0; d < spec->nbatch; d++) {
        const mnp__fft_dim *dim = &spec->batch[d], *other = longest < 0 ? NULL : &spec->batch[longest];
        if (dim->in > 0 && dim->out > 0 &&
            (!other || (is_odd(spec, dim) == is_odd(spec, other) ? dim->extent > other->extent : is_odd(spec, dim))))
            longest = d;
    }
    if (longest >= 0) {
        taken = spec->batch[longest];
        spec->batch[longest] = spec->batch[--spec->nbatch];
    }
    return taken;
}

static cufftType type_of(const mnp__fft_spec *spec)
{
    switch (spec->kind) {
    case MNP__FFT_FROM_REAL:
        return spec->is_double ? CUFFT_D2Z : CUFFT_R2C;
    case MNP__FFT_TO_REAL:
        return spec->is_double ? CUFFT_Z2D : CUFFT_C2R;
    default:
        return spec->is_double ? CUFFT_Z2Z : CUFFT_C2C;
    }
}

static mnp_status plan_cufft(fft_stage *stage, size_t *work_p)
{
    mnp__fft_spec *spec = &stage->spec;
    long long extents[MNP__FFT_RANK], in[MNP__FFT_RANK], out[MNP__FFT_RANK];
    const int last = spec->rank - 1;
    const mnp__fft_dim batch = take_batch(spec);
    for (int d = 0; d < spec->rank; d++)
        extents[d] = spec->dims[d].extent;
    embed(spec->rank, spec->dims, true, in);
    embed(spec->rank, spec->dims, false, out);
    MNP_TRY(CUFFT(cufftCreate, &stage->plan));
    stage->planned = true;
    MNP_TRY(CUFFT(cufftSetAutoAllocation, stage->plan, 0));
    return CUFFT(cufftMakePlanMany64, stage->plan, spec->rank, extents, in, spec->dims[last].in, batch.in, out,
                 spec->dims[last].out, batch.out, type_of(spec), batch.extent, work_p);
}

/* ---- stages ---- */

/* Let a part of a transform read the input as it is asked for, where the copy of it is planned for. */
static void read_input(const mnp__fft_spec *asked, int first, int last, mnp__fft_spec *part)
{
    const mnp__fft_spec original = mnp__fft_part(asked, first, last);
    for (int k = 0; k < part->rank; k++)
        part->dims[k].in = original.dims[k].in;
    for (int k = 0; k < part->nbatch; k++)
        part->batch[k].in = original.batch[k].in;
    part->in_place = false;
}

/*
 * Add a stage along the dimensions first .. last.  The real dimension is the first one of a transform from real
 * numbers, and the last one to them; before that the copy of the input is transformed in place, and otherwise, after
 * the first stage, the output.
 */
static void add_stage(mnp__device_fft *fft, int first, int last)
{
    const mnp__fft_spec *spec = &fft->planned;
    mnp__fft_spec part = mnp__fft_part(spec, first, last);
    if (spec->kind == MNP__FFT_TO_REAL && last < spec->rank - 1) {
        for (int k = 0; k < part.rank; k++)
            part.dims[k].out = part.dims[k].in;
        for (int k = 0; k < part.nbatch; k++)
            part.batch[k].out = part.batch[k].in;
        part.in_place = true;
        if (fft->begins && fft->nstages == 0)
            read_input(&fft->spec, first, last, &part);
    } else if (spec->kind != MNP__FFT_TO_REAL && fft->nstages > 0) {
        mnp__fft_stay(&part);
    }
    part.scale = 1;
    join_batches(&part);
    fft->stages[fft->nstages++].spec = part;
}

static bool all_can_be_columns(mnp__device *device, const mnp__device_fft *fft)
{
    for (int s = 0; s < fft->nstages; s++)
        if (!mnp__cuda_columns_can(device, &fft->stages[s].spec))
            return false;
    return true;
}

/* Whether our kernel is better for the last stage, complex columns: short ones of three dimensions, or scaled ones. */
static bool ends_with_columns(mnp__device *device, const mnp__device_fft *fft)
{
    enum { SHORT = 512 }; /* points */
    const mnp__fft_spec *last = &fft->stages[fft->nstages - 1].spec;
    return fft->planned.kind == MNP__FFT_COMPLEX && mnp__cuda_columns_can(device, last) &&
           (fft->planned.scale != 1 || (fft->planned.rank == 3 && last->dims[0].extent <= SHORT));
}

/* Whether cuFFT takes the batch of a transform at once. */
static bool is_one_batch(const mnp__fft_spec *spec)
{
    mnp__fft_spec rest = *spec;
    (void)take_batch(&rest);
    return rest.nbatch == 0;
}

/* Whether our kernel is better for all but the real dimension of many numbers, which cuFFT takes at once. */
static bool is_real_with_columns(mnp__device *device, const mnp__device_fft *fft)
{
    enum { MANY = 1 << 16 };
    const bool from_real = fft->planned.kind == MNP__FFT_FROM_REAL;
    const int real = from_real ? 0 : fft->nstages - 1;
    int64_t numbers = 1;
    for (int d = 0; d < fft->planned.rank; d++)
        numbers *= fft->planned.dims[d].extent;
    for (int d = 0; d < fft->planned.nbatch; d++)
        numbers *= fft->planned.batch[d].extent;
    for (int s = 0; s < fft->nstages; s++)
        if (s != real && !mnp__cuda_columns_can(device, &fft->stages[s].spec))
            return false;
    return fft->planned.kind != MNP__FFT_COMPLEX && numbers >= MANY && is_one_batch(&fft->stages[real].spec);
}

/*
 * One stage where cuFFT takes the dimensions as they lie, else one for each, and for columns too.  The first dimension
 * of complex transforms may be a stage of its own, by the kernel for columns.
 */
static void list_stages(mnp__device *device, mnp__device_fft *fft)
{
    const mnp__fft_spec *spec = &fft->planned;
    fft->nstages = 0;
    for (int s = 0; s < spec->rank; s++) {
        const int d = spec->kind == MNP__FFT_FROM_REAL ? spec->rank - 1 - s : s;
        add_stage(fft, d, d);
    }
    if (spec->rank > 1 && !all_can_be_columns(device, fft) && !is_real_with_columns(device, fft) && nests(spec, true) &&
        nests(spec, false)) {
        fft->nstages = 0;
        add_stage(fft, 1, spec->rank - 1);
        add_stage(fft, 0, 0);
        if (!ends_with_columns(device, fft)) {
            fft->nstages = 0;
            add_stage(fft, 0, spec->rank - 1);
        }
    }
    fft->stages[fft->nstages - 1].spec.scale = spec->scale;
}

/*
 * The stages, and whether the first one makes the copy of the half spectrum, scaled on the way there: one of columns can,
 * unless it is the only one.
 */
static void make_stages(mnp__device *device, mnp__device_fft *fft)
{
    fft->begins = fft->copy_bytes > 0;
    list_stages(device, fft);
    if (fft->begins && (fft->nstages == 1 || !mnp__cuda_columns_can(device, &fft->stages[0].spec))) {
        fft->begins = false;
        list_stages(device, fft);
    }
    if (fft->begins)
        fft->stages[0].spec.scale = fft->spec.scale;
}

static size_t whole_pages(int64_t count, size_t size)
{
    return mnp__round_up_bytes((size_t)count * size, 512);
}

/* The copy of the half spectrum, which is scaled on the way there, and stages that work on it. */
static void plan_spectrum(mnp__device *device, mnp__device_fft *fft)
{
    fft->copy_bytes = whole_pages(mnp__fft_make_dense(&fft->planned), mnp__fft_in_size(&fft->spec));
    fft->planned.scale = 1;
    make_stages(device, fft);
}

/* Whether loops would begin at odd elements: all batch dimensions but that which cuFFT takes are loops. */
static bool needs_padding(mnp__device *device, const mnp__device_fft *fft)
{
    const fft_stage *real = &fft->stages[fft->spec.kind == MNP__FFT_FROM_REAL ? 0 : fft->nstages - 1];
    mnp__fft_spec rest = real->spec;
    (void)take_batch(&rest);
    if (mnp__cuda_columns_can(device, &real->spec))
        return false;
    for (int d = 0; d < rest.nbatch; d++)
        if (is_odd(&real->spec, &rest.batch[d]))
            return true;
    return false;
}

/* How the copy of the real numbers lies: as they do, or padded, rows of an even extent along the last dimension. */
static void plan_copy(mnp__device *device, mnp__device_fft *fft)
{
    mnp__fft_spec *spec = &fft->planned;
    const bool reads = spec->kind == MNP__FFT_FROM_REAL;
    int64_t span = 1, stride = 1;
    fft->pads = needs_padding(device, fft);
    for (int d = spec->rank + spec->nbatch - 1; d >= 0; d--) { /* the batch is outside */
        const int at = d < spec->nbatch ? d : d - spec->nbatch;
        mnp__fft_dim *dim = d < spec->nbatch ? &spec->batch[at] : &spec->dims[at];
        int64_t *own = reads ? &dim->in : &dim->out;
        *own = fft->pads ? stride : *own;
        stride *= stride == 1 ? (dim->extent + 1) / 2 * 2 : dim->extent;
        span += (dim->extent - 1) * *own;
    }
    fft->align_bytes = whole_pages(span, spec->is_double ? sizeof(double) : sizeof(float));
    if (fft->pads)
        make_stages(device, fft);
}

static mnp_status plan_stage(mnp__device *device, fft_stage *stage, size_t *work_p)
{
    return mnp__cuda_columns_can(device, &stage->spec) ? mnp__cuda_columns_plan(device, &stage->spec, &stage->columns)
                                                       : plan_cufft(stage, work_p);
}

/* ---- passes ---- */

/* The half spectrum, scaled, to the copy that cuFFT works on. */
static mnp_status plan_halve(mnp__device *device, mnp__device_fft *fft)
{
    mnp__fft_pass_dim dims[MNP__FFT_PASS_DIMS], copy[MNP__FFT_PASS_DIMS];
    const mnp__fft_spec *spec = &fft->spec;
    const int count = mnp__fft_pass_list(spec, dims);
    (void)mnp__fft_pass_list(&fft->planned, copy);
    for (int d = 0; d < count; d++) {
        dims[d].out = copy[d].in;
        dims[d].mirrors = d >= spec->nbatch;
        dims[d].half = d == count - 1;
    }
    MNP_TRY(mnp__fft_pass_plan(device, spec->is_double, 2, true, dims, count, &fft->halve));
    fft->halve.params.scale = spec->scale;
    return MNP_OK;
}

/* The first and, of an even number, the last element along the last dimension of the copy. */
static mnp_status plan_settle(mnp__device *device, mnp__device_fft *fft)
{
    mnp__fft_pass_dim dims[MNP__FFT_PASS_DIMS];
    const int count = mnp__fft_pass_list(&fft->planned, dims);
    mnp__fft_pass_dim *last = &dims[count - 1];
    for (int d = 0; d < count; d++)
        dims[d].out = dims[d].in;
    *last = (mnp__fft_pass_dim){last->extent % 2 == 0 ? 2 : 1, last->extent / 2 * last->in, last->extent / 2 * last->in,
                                false, true};
    return mnp__fft_pass_plan(device, fft->spec.is_double, 2, true, dims, count, &fft->settle);
}

/* The real numbers to the copy, or back. */
static mnp_status plan_align(mnp__device *device, mnp__device_fft *fft)
{
    mnp__fft_pass_dim dims[MNP__FFT_PASS_DIMS], copy[MNP__FFT_PASS_DIMS];
    const int count = mnp__fft_pass_list(&fft->spec, dims);
    (void)mnp__fft_pass_list(&fft->planned, copy);
    for (int d = 0; d < count; d++) {
        if (fft->spec.kind == MNP__FFT_FROM_REAL)
            dims[d].out = copy[d].in;
        else
            dims[d].in = copy[d].out;
    }
    return mnp__fft_pass_plan(device, fft->spec.is_double, 1, false, dims, count, &fft->align);
}

static mnp_status plan_scale(mnp__device *device, mnp__device_fft *fft)
{
    mnp__fft_pass_dim dims[MNP__FFT_PASS_DIMS];
    mnp__fft_spec spec = fft->spec;
    for (int d = 0; d < spec.rank; d++)
        spec.dims[d] = mnp__fft_complex_side(&fft->spec, d);
    mnp__fft_stay(&spec);
    const int count = mnp__fft_pass_list(&spec, dims);
    MNP_TRY(mnp__fft_pass_plan(device, spec.is_double, 2, false, dims, count, &fft->scale));
    fft->scale.params.scale = spec.scale;
    return MNP_OK;
}

/* Results are scaled by our kernel for columns, in a copy that is made in any case, or by a pass at the end. */
static mnp_status plan_passes(mnp__device *device, mnp__device_fft *fft)
{
    const mnp__fft_spec *spec = &fft->spec;
    const fft_stage *last = &fft->stages[fft->nstages - 1];
    if (spec->kind != MNP__FFT_COMPLEX)
        MNP_TRY(plan_align(device, fft));
    if (fft->begins)
        return last->columns.kernel ? MNP_OK : plan_settle(device, fft);
    if (fft->copy_bytes > 0)
        return plan_halve(device, fft);
    return spec->scale == 1 || last->columns.kernel ? MNP_OK : plan_scale(device, fft);
}

static mnp_status make(mnp__device *device, mnp__device_fft *fft, size_t *work_p)
{
    size_t most = 0;
    MNP_TRY(mnp__cuda_use(device));
    fft->planned = fft->spec;
    if (fft->spec.filters) {
        *work_p = 0;
        fft->nstages = 1;
        fft->stages[0].spec = fft->spec;
        join_batches(&fft->stages[0].spec);
        return mnp__cuda_columns_plan(device, &fft->stages[0].spec, &fft->stages[0].columns);
    }
    make_stages(device, fft);
    if (fft->spec.kind == MNP__FFT_TO_REAL &&
        !(fft->nstages == 1 && mnp__cuda_columns_can(device, &fft->stages[0].spec)))
        plan_spectrum(device, fft);
    if (fft->spec.kind != MNP__FFT_COMPLEX)
        plan_copy(device, fft);
    for (int s = 0; s < fft->nstages; s++) {
        size_t work = 0;
        MNP_TRY(plan_stage(device, &fft->stages[s], &work));
        most = work > most ? work : most;
    }
    *work_p = fft->copy_bytes + fft->align_bytes + most;
    return plan_passes(device, fft);
}

mnp_status mnp__cuda_fft_load(mnp__device *device, bool is_double)
{
    (void)device;
    (void)is_double;
    return load_cufft();
}

bool mnp__cuda_fft_filters(mnp__device *device, const mnp__fft_spec *spec)
{
    mnp__fft_spec joined = *spec;
    join_batches(&joined);
    return mnp__cuda_columns_can(device, &joined);
}

static void destroy(mnp__device *device, mnp__device_fft *fft)
{
    for (int s = 0; s < fft->nstages; s++) {
        if (fft->stages[s].planned)
            (void)cufft.cufftDestroy(fft->stages[s].plan);
        mnp__cuda_columns_free(device, &fft->stages[s].columns);
    }
    mnp__fft_pass_free(device, &fft->scale);
    mnp__fft_pass_free(device, &fft->halve);
    mnp__fft_pass_free(device, &fft->settle);
    mnp__fft_pass_free(device, &fft->align);
    free(fft);
}

static mnp_status make_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p)
{
    mnp__device_fft *fft;
    MNP_TRY(load_cufft());
    MNP_TRY(mnp__calloc(1, sizeof *fft, &fft));
    fft->spec = *spec;
    const mnp_status st = make(device, fft, &fft->work);
    if (st == MNP_OK)
        *fft_p = fft;
    else
        destroy(device, fft);
    return st;
}

/* ---- transforms that are spare ---- */

static mnp__device_fft *take_spare(cuda_device *cuda, int i)
{
    mnp__device_fft *taken = cuda->spares[i];
    cuda->nspares--;
    memmove(&cuda->spares[i], &cuda->spares[i + 1], (size_t)(cuda->nspares - i) * sizeof *cuda->spares);
    return taken;
}

mnp_status mnp__cuda_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p)
{
    cuda_device *cuda = (cuda_device *)device;
    mnp__device_fft *fft = NULL;
    for (int i = 0; i < cuda->nspares && !fft; i++)
        if (mnp__fft_same(&cuda->spares[i]->spec, spec))
            fft = take_spare(cuda, i);
    if (!fft) {
        mnp_status st = make_new(device, spec, &fft);
        if (st == MNP_ERR_MEMORY && cuda->nspares > 0) {
            mnp__cuda_fft_drop_spares(cuda);
            st = make_new(device, spec, &fft);
        }
        MNP_TRY(st);
    }
    *fft_p = fft;
    *work_p = fft->work;
    return MNP_OK;
}

void mnp__cuda_fft_free(mnp__device *device, mnp__device_fft *fft)
{
    cuda_device *cuda = (cuda_device *)device;
    if (!fft)
        return;
    if (cuda->nspares == MNP__CUDA_SPARES)
        destroy(device, take_spare(cuda, 0));
    cuda->spares[cuda->nspares++] = fft;
}

void mnp__cuda_fft_drop_spares(cuda_device *cuda)
{
    while (cuda->nspares > 0)
        destroy(&cuda->base, take_spare(cuda, 0));
}

/* ---- execution ---- */

/* Whether the real numbers have to go through the copy. */
static bool needs_copy(const mnp__device_fft *fft, const void *in, const void *out)
{
    const void *numbers = fft->spec.kind == MNP__FFT_FROM_REAL ? in : out;
    return fft->align.kernel &&
           (fft->pads || (uintptr_t)numbers % (2 * (fft->spec.is_double ? sizeof(double) : sizeof(float))) != 0);
}

static mnp_status execute(const fft_stage *stage, char *in, char *out)
{
    return CUFFT(cufftXtExec, stage->plan, in, out, stage->spec.inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
}

/* Execute a stage for every index of the dimensions that are loops, from number `dim` on. */
static mnp_status loop(const fft_stage *stage, int dim, char *in, char *out)
{
    const mnp__fft_spec *spec = &stage->spec;
    const int64_t real = spec->is_double ? sizeof(double) : sizeof(float);
    if (dim == spec->nbatch)
        return execute(stage, in, out);
    const int64_t in_step = spec->batch[dim].in * real * (spec->kind == MNP__FFT_FROM_REAL ? 1 : 2);
    const int64_t out_step = spec->batch[dim].out * real * (spec->kind == MNP__FFT_TO_REAL ? 1 : 2);
    for (int64_t i = 0; i < spec->batch[dim].extent; i++)
        MNP_TRY(loop(stage, dim + 1, in + i * in_step, out + i * out_step));
    return MNP_OK;
}

mnp_status mnp__cuda_fft_execute(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                                 mnp__stream *stream)
{
    MNP_TRY(mnp__cuda_use(device));
    const bool to_real = fft->spec.kind == MNP__FFT_TO_REAL;
    char *copy = (char *)work + fft->copy_bytes;
    void *result = out;
    if (fft->halve.kernel) {
        MNP_TRY(mnp__fft_pass_run(device, &fft->halve, in, work, stream));
        in = work;
    }
    if (needs_copy(fft, in, out) && !to_real) {
        MNP_TRY(mnp__fft_pass_run(device, &fft->align, in, copy, stream));
        in = copy;
    } else if (needs_copy(fft, in, out)) {
        out = copy;
    }
    for (int s = 0; s < fft->nstages; s++) {
        const fft_stage *stage = &fft->stages[s];
        const bool begins = fft->begins && s == 0, is_last = s == fft->nstages - 1;
        void *from = s == 0 || to_real ? in : out, *to = begins ? work : to_real && !is_last ? in : out;
        in = begins ? work : in;
        if (is_last && fft->settle.kernel)
            MNP_TRY(mnp__fft_pass_run(device, &fft->settle, from, from, stream));
        if (stage->columns.kernel) {
            MNP_TRY(mnp__cuda_columns_run(device, &stage->columns, from, to, stream));
            continue;
        }
        MNP_TRY(CUFFT(cufftSetStream, stage->plan, mnp__cuda_stream(stream)));
        MNP_TRY(CUFFT(cufftSetWorkArea, stage->plan, copy + fft->align_bytes));
        MNP_TRY(loop(stage, 0, from, to));
    }
    if (out != result)
        return mnp__fft_pass_run(device, &fft->align, out, result, stream);
    return fft->scale.kernel ? mnp__fft_pass_run(device, &fft->scale, out, out, stream) : MNP_OK;
}
