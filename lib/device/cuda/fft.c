/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms on GPUs, by cuFFT.
 *
 * cuFFT takes transforms whose dimensions nest, each stride a multiple of the next one, and one batch dimension.  Others
 * are done along one dimension after the other, and the remaining batch dimensions are loops of launches.  Results are
 * scaled by a kernel.  As cuFFT may overwrite the half spectrum of a real transform, and expects no imaginary parts
 * where there can be none, it gets a copy of it in the memory to work in.  It also wants real numbers to begin where
 * complex ones could, at even elements; where the memory or a loop begins at an odd one, they go through a copy.
 */
#include <config.h>

#include <cufft.h>
#include <cufftXt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/status.h"
#include "device/cuda/cuda.h"
#include "device/launch.h"
#include "kernels/fft/pass_params.h"

/* One plan of cuFFT, and the batch dimensions that it does not do itself. */
typedef struct cufft_stage {
    mnp__fft_spec spec; /* of this stage; its batch has only the dimensions that are loops */
    cufftHandle plan;
    bool planned;
} cufft_stage;

struct mnp__device_fft {
    mnp__fft_spec spec;
    int nstages;
    cufft_stage stages[MNP__FFT_RANK];
    mnp__kernel *scale, *halve, *align; /* NULL if not needed */
    size_t copy_bytes, align_bytes;     /* of the copies of half spectrum and real numbers, before cuFFT's own memory */
    bool pads;                          /* loops would begin at odd elements: cuFFT always works on the copy */
    int64_t row, strides[MNP_MAX_DIMS]; /* of the copy of the real numbers: the transformed and the batch dimensions */
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

static bool nests(int rank, const mnp__fft_dim *dims, bool of_input)
{
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t own = of_input ? dims[d].in : dims[d].out;
        if (own <= 0)
            return false;
        if (d + 1 < rank) {
            const int64_t next = of_input ? dims[d + 1].in : dims[d + 1].out;
            if (own % next != 0 || own / next < dims[d + 1].extent)
                return false;
        }
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

static mnp_status plan_stage(cufft_stage *stage, size_t *work_p)
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

/* One stage where cuFFT takes the dimensions as they lie, else one for each; all but the first work in place. */
static void make_stages(mnp__device_fft *fft, const mnp__fft_spec *spec)
{
    if (nests(spec->rank, spec->dims, true) && nests(spec->rank, spec->dims, false)) {
        fft->nstages = 1;
        fft->stages[0].spec = *spec;
        return;
    }
    fft->nstages = spec->rank;
    for (int s = 0; s < spec->rank; s++) {
        mnp__fft_spec *one = &fft->stages[s].spec;
        *one = *spec;
        one->rank = 1;
        one->dims[0] = spec->dims[s];
        for (int d = 0; d < spec->rank; d++)
            if (d != s)
                one->batch[one->nbatch++] = spec->dims[d];
        for (int d = 0; s > 0 && d < one->nbatch; d++)
            one->batch[d].in = one->batch[d].out;
        if (s > 0)
            one->dims[0].in = one->dims[0].out;
        one->in_place = s > 0 || spec->in_place;
    }
}

static mnp_status load_pass(mnp__device *device, bool is_double, int parts, bool half, mnp__kernel **kernel_p)
{
    static const char *const defines[2][2][2] = {
        {{"#define MNP_REAL float\n#define MNP_PARTS 1\n#define MNP_HALF 0\n",
          "#define MNP_REAL double\n#define MNP_PARTS 1\n#define MNP_HALF 0\n"},
         {"#define MNP_REAL float\n#define MNP_PARTS 2\n#define MNP_HALF 0\n",
          "#define MNP_REAL double\n#define MNP_PARTS 2\n#define MNP_HALF 0\n"}},
        {{NULL, NULL},
         {"#define MNP_REAL float\n#define MNP_PARTS 2\n#define MNP_HALF 1\n",
          "#define MNP_REAL double\n#define MNP_PARTS 2\n#define MNP_HALF 1\n"}}};
    const mnp__kernel_spec spec = {
        .file = "fft/pass.cu", .function = "fft_pass", .defines = defines[half][parts - 1][is_double]};
    return mnp__device_load_kernel(device, &spec, kernel_p);
}

/* The input of an inverse real transform is a dense copy, the transformed dimension last. */
static void read_from_copy(mnp__device_fft *fft, mnp__fft_spec *spec)
{
    int64_t stride = spec->dims[0].extent / 2 + 1;
    spec->dims[0].in = 1;
    for (int d = spec->nbatch - 1; d >= 0; d--) {
        spec->batch[d].in = stride;
        stride *= spec->batch[d].extent;
    }
    fft->copy_bytes = ((size_t)stride * 2 * (spec->is_double ? sizeof(double) : sizeof(float)) + 511) / 512 * 512;
}

/* Whether loops would begin at odd elements: all batch dimensions but that which cuFFT takes are loops. */
static bool needs_padding(const mnp__fft_spec *spec)
{
    mnp__fft_spec rest = *spec;
    (void)take_batch(&rest);
    for (int d = 0; d < rest.nbatch; d++)
        if (is_odd(spec, &rest.batch[d]))
            return true;
    return false;
}

/* How the copy of the real numbers lies: as they do, or padded, the transformed dimension last, of an even extent. */
static void plan_copy(mnp__device_fft *fft, mnp__fft_spec *spec)
{
    const bool reads = spec->kind == MNP__FFT_FROM_REAL;
    int64_t *row = reads ? &spec->dims[0].in : &spec->dims[0].out, span = 1,
            stride = (spec->dims[0].extent + 1) / 2 * 2;
    fft->pads = needs_padding(spec);
    *row = fft->row = fft->pads ? 1 : *row;
    span += (spec->dims[0].extent - 1) * *row;
    for (int d = spec->nbatch - 1; d >= 0; d--) {
        int64_t *own = reads ? &spec->batch[d].in : &spec->batch[d].out;
        *own = fft->strides[d] = fft->pads ? stride : *own;
        stride *= spec->batch[d].extent;
        span += (spec->batch[d].extent - 1) * *own;
    }
    fft->align_bytes = ((size_t)span * (spec->is_double ? sizeof(double) : sizeof(float)) + 511) / 512 * 512;
}

static mnp_status make(mnp__device *device, mnp__device_fft *fft, size_t *work_p)
{
    mnp__fft_spec spec = fft->spec;
    size_t most = 0;
    MNP_TRY(mnp__cuda_use(device));
    if (spec.kind == MNP__FFT_TO_REAL) {
        read_from_copy(fft, &spec);
        MNP_TRY(load_pass(device, spec.is_double, 2, true, &fft->halve));
    }
    if (spec.kind != MNP__FFT_COMPLEX) {
        plan_copy(fft, &spec);
        MNP_TRY(load_pass(device, spec.is_double, 1, false, &fft->align));
    }
    if (spec.scale != 1)
        MNP_TRY(load_pass(device, spec.is_double, spec.kind == MNP__FFT_TO_REAL ? 1 : 2, false, &fft->scale));
    make_stages(fft, &spec);
    for (int s = 0; s < fft->nstages; s++) {
        size_t work = 0;
        MNP_TRY(plan_stage(&fft->stages[s], &work));
        most = work > most ? work : most;
    }
    *work_p = fft->copy_bytes + fft->align_bytes + most;
    return MNP_OK;
}

mnp_status mnp__cuda_fft_new(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p)
{
    mnp__device_fft *fft;
    MNP_TRY(load_cufft());
    MNP_TRY(mnp__calloc(1, sizeof *fft, &fft));
    fft->spec = *spec;
    const mnp_status st = make(device, fft, work_p);
    if (st == MNP_OK)
        *fft_p = fft;
    else
        mnp__cuda_fft_free(device, fft);
    return st;
}

void mnp__cuda_fft_free(mnp__device *device, mnp__device_fft *fft)
{
    if (!fft)
        return;
    for (int s = 0; s < fft->nstages; s++)
        if (fft->stages[s].planned)
            (void)cufft.cufftDestroy(fft->stages[s].plan);
    device->ops->kernel_free(device, fft->scale);
    device->ops->kernel_free(device, fft->halve);
    device->ops->kernel_free(device, fft->align);
    free(fft);
}

/* ---- execution ---- */

/* A pass over all elements of the output, or of the half spectrum with the transformed dimension last. */
static mnp_status run_pass(mnp__device *device, const mnp__device_fft *fft, mnp__kernel *kernel, bool half,
                           const void *in, void *out, mnp__stream *stream)
{
    const mnp__fft_spec *spec = &fft->spec;
    mnp_fft_pass_params params = {
        .in = in, .out = out, .scale = half ? 1 : spec->scale, .count = 1, .points = spec->dims[0].extent};
    int64_t stride = spec->dims[0].extent / 2 + 1;
    for (int at = MNP_FFT_PASS_DIMS - 1, d = 0; at >= 0; at--, d++) { /* the transformed dimensions are the last ones */
        const int batch = spec->nbatch - 1 - (d - spec->rank);
        const mnp__fft_dim *dim = d < spec->rank ? &spec->dims[d] : batch >= 0 ? &spec->batch[batch] : NULL;
        params.extent[at] = dim ? dim->extent : 1;
        if (d == 0 && (half || spec->kind == MNP__FFT_FROM_REAL))
            params.extent[at] = dim->extent / 2 + 1;
        params.in_stride[at] = !dim ? 0 : half ? dim->in : dim->out;
        params.out_stride[at] = !dim ? 0 : half && d == 0 ? 1 : half ? stride : dim->out;
        if (half && d > 0)
            stride *= params.extent[at];
        params.count *= params.extent[at];
    }
    const mnp__launch launch = mnp__launch_of(params.count);
    return device->ops->launch(device, kernel, &launch, &params, sizeof params, stream);
}

/* The real numbers from where they are to the copy, or, scaled, back. */
static mnp_status run_copy(mnp__device *device, const mnp__device_fft *fft, const void *in, void *out,
                           mnp__stream *stream)
{
    const mnp__fft_spec *spec = &fft->spec;
    const bool reads = spec->kind == MNP__FFT_FROM_REAL;
    mnp_fft_pass_params params = {.in = in, .out = out, .scale = reads ? 1 : spec->scale, .count = 1};
    for (int at = MNP_FFT_PASS_DIMS - 1, d = -1; at >= 0; at--, d++) { /* the transformed dimension is the last one */
        const int batch = spec->nbatch - 1 - d;
        const mnp__fft_dim *dim = d < 0 ? &spec->dims[0] : batch >= 0 ? &spec->batch[batch] : NULL;
        const int64_t copy = !dim ? 0 : d < 0 ? fft->row : fft->strides[batch];
        params.extent[at] = dim ? dim->extent : 1;
        params.in_stride[at] = !dim ? 0 : reads ? dim->in : copy;
        params.out_stride[at] = !dim ? 0 : reads ? copy : dim->out;
        params.count *= params.extent[at];
    }
    const mnp__launch launch = mnp__launch_of(params.count);
    return device->ops->launch(device, fft->align, &launch, &params, sizeof params, stream);
}

/* Whether the real numbers have to go through the copy. */
static bool needs_copy(const mnp__device_fft *fft, const void *in, const void *out)
{
    const void *numbers = fft->spec.kind == MNP__FFT_FROM_REAL ? in : out;
    return fft->align &&
           (fft->pads || (uintptr_t)numbers % (2 * (fft->spec.is_double ? sizeof(double) : sizeof(float))) != 0);
}

static mnp_status execute(const cufft_stage *stage, char *in, char *out)
{
    return CUFFT(cufftXtExec, stage->plan, in, out, stage->spec.inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
}

/* Execute a stage for every index of the dimensions that are loops, from number `dim` on. */
static mnp_status loop(const cufft_stage *stage, int dim, char *in, char *out)
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
    if (fft->halve) {
        MNP_TRY(run_pass(device, fft, fft->halve, true, in, work, stream));
        in = work;
    }
    char *copy = (char *)work + fft->copy_bytes;
    void *result = out;
    if (needs_copy(fft, in, out) && fft->spec.kind == MNP__FFT_FROM_REAL) {
        MNP_TRY(run_copy(device, fft, in, copy, stream));
        in = copy;
    } else if (needs_copy(fft, in, out)) {
        out = copy;
    }
    for (int s = 0; s < fft->nstages; s++) {
        const cufft_stage *stage = &fft->stages[s];
        MNP_TRY(CUFFT(cufftSetStream, stage->plan, mnp__cuda_stream(stream)));
        MNP_TRY(CUFFT(cufftSetWorkArea, stage->plan, copy + fft->align_bytes));
        MNP_TRY(loop(stage, 0, s == 0 ? in : out, out));
    }
    if (out != result)
        return run_copy(device, fft, out, result, stream);
    return fft->scale ? run_pass(device, fft, fft->scale, false, out, out, stream) : MNP_OK;
}
