/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Fourier transforms of devices (lib/device/device.h), of memory of many strides: up to four dimensions in any
 * order, with gaps, from and to odd elements, beside the sums that define a transform; on every device that is there.
 */
#include <config.h>

#include <complex.h>
#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "base/memory.h"
#include "base/status.h"
#include "device/device.h"

typedef long double complex number;

enum { MOST = 4, LONGEST = 32, CASES = 400 }; /* dimensions; elements along one; transforms */

/* The dimensions of an operand, those of the batch first.  Its elements lie in `length` places from `begin` on. */
typedef struct operand {
    int parts; /* numbers of an element */
    int64_t extent[MOST], stride[MOST], begin, length;
    char *bytes; /* of the CPU */
    void *there; /* the device's */
} operand;

typedef struct transform {
    mnp__fft_spec spec;
    int ndim;
    int64_t extent[MOST]; /* of the real side */
    operand in, out;
} transform;

/* A device and its stream. */
static mnp__device *device;
static mnp__stream *stream;
static mnp__device_event *event;

/* ---- random cases, always the same ---- */

static int64_t below(int64_t n)
{
    static uint32_t state = 7;
    state = 1664525 * state + 1013904223;
    return (int64_t)(state >> 8) % n;
}

static void choose_strides(int ndim, operand *o)
{
    int order[MOST] = {0, 1, 2, 3};
    o->length = 1;
    for (int swaps = (int)below(3); swaps > 0; swaps--) {
        const int a = (int)below(ndim), b = (int)below(ndim), first = order[a];
        order[a] = order[b];
        order[b] = first;
    }
    for (int i = ndim - 1; i >= 0; i--) {
        o->stride[order[i]] = o->length;
        o->length = o->length * o->extent[order[i]] + (i == ndim - 1 && below(4) == 0 ? 1 + below(2) : 0);
    }
}

static size_t size_of(const transform *t, const operand *o)
{
    return (t->spec.is_double ? sizeof(double) : sizeof(float)) * (size_t)o->parts;
}

static size_t bytes_of(const transform *t, const operand *o)
{
    return (size_t)(o->begin + o->length) * size_of(t, o);
}

static transform choose_transform(void)
{
    static const int64_t extents[] = {2,  3,  4,  5,  7,  9, 12,
                                      16, 16, 16, 15, 17, 32}; /* of 16 and 32 GPUs have kernels */
    const int rank = 1 + (int)below(3), nbatch = (int)below(MOST - rank + 1);
    transform t = {.ndim = rank + nbatch, .in = {.parts = 2}, .out = {.parts = 2}};
    const int last = t.ndim - 1;
    t.spec = (mnp__fft_spec){.kind = (mnp__fft_kind)below(3), .is_double = below(2), .rank = rank, .nbatch = nbatch};
    t.spec.scale = below(2) ? 1 : 0.25;
    for (int d = 0; d < t.ndim; d++)
        t.extent[d] = t.in.extent[d] = t.out.extent[d] = extents[below(t.ndim < 4 ? 13 : 8)];
    if (t.spec.kind == MNP__FFT_FROM_REAL) {
        t.in.parts = 1;
        t.out.extent[last] = t.extent[last] / 2 + 1;
    } else if (t.spec.kind == MNP__FFT_TO_REAL) {
        t.out.parts = 1;
        t.in.extent[last] = t.extent[last] / 2 + 1;
        t.spec.inverse = true;
    } else {
        t.spec.inverse = below(2);
    }
    choose_strides(t.ndim, &t.in);
    choose_strides(t.ndim, &t.out);
    t.in.begin = below(3) == 0;
    t.out.begin = below(3) == 0;
    for (int d = 0; d < t.ndim; d++) {
        const mnp__fft_dim dim = {t.extent[d], t.in.stride[d], t.out.stride[d]};
        if (d < nbatch)
            t.spec.batch[d] = dim;
        else
            t.spec.dims[d - nbatch] = dim;
    }
    return t;
}

/* ---- elements ---- */

static double get_part(const transform *t, const operand *o, int64_t i)
{
    return t->spec.is_double ? ((const double *)(const void *)o->bytes)[i]
                             : (double)((const float *)(const void *)o->bytes)[i];
}

static number get(const transform *t, const operand *o, const int64_t *index)
{
    int64_t at = o->begin;
    for (int d = 0; d < t->ndim; d++)
        at += index[d] * o->stride[d];
    return o->parts == 1 ? get_part(t, o, at) : get_part(t, o, 2 * at) + get_part(t, o, 2 * at + 1) * (number)I;
}

/* The indices of element number i of all extents; false if the operand does not have it. */
static bool find_index(const transform *t, const operand *o, int64_t i, int64_t *index)
{
    bool has = true;
    for (int d = t->ndim - 1; d >= 0; d--) {
        index[d] = i % t->extent[d];
        has = has && index[d] < o->extent[d];
        i /= t->extent[d];
    }
    return has;
}

static int64_t count(const transform *t)
{
    int64_t all = 1;
    for (int d = 0; d < t->ndim; d++)
        all *= t->extent[d];
    return all;
}

static void fill_with_random(const transform *t, operand *o)
{
    for (int64_t i = 0; i < (o->begin + o->length) * o->parts; i++) {
        const double value = (double)below(1 << 20) / (1 << 19) - 1;
        if (t->spec.is_double)
            ((double *)(void *)o->bytes)[i] = value;
        else
            ((float *)(void *)o->bytes)[i] = (float)value;
    }
}

/* ---- what is right ---- */

/* The sums along a line of n elements that are `stride` apart. */
static void transform_line(int64_t n, int64_t stride, bool inverse, number *x)
{
    static number circle[LONGEST]; /* exp(2 pi i j / of) */
    static int64_t of;
    number line[LONGEST];
    for (int64_t j = 0; j < n && of != n; j++) {
        const long double angle = 2 * acosl(-1) * (long double)j / (long double)n;
        circle[j] = cosl(angle) + sinl(angle) * (number)I;
    }
    of = n;
    for (int64_t k = 0; k < n; k++) {
        line[k] = 0;
        for (int64_t j = 0; j < n; j++)
            line[k] += x[j * stride] * (inverse ? circle[j * k % n] : conjl(circle[j * k % n]));
    }
    for (int64_t k = 0; k < n; k++)
        x[k * stride] = line[k];
}

/* What a half spectrum lacks, along the last dimension: the mirror images, and 0 where these are the same elements. */
static void complete(int64_t n, number *x)
{
    x[0] = creall(x[0]);
    if (n % 2 == 0)
        x[n / 2] = creall(x[n / 2]);
    for (int64_t j = n / 2 + 1; j < n; j++)
        x[j] = conjl(x[n - j]);
}

static void transform_all(const transform *t, number *x)
{
    const bool to_real = t->spec.kind == MNP__FFT_TO_REAL; /* then the real dimension is the last one, else the first */
    for (int a = 0; a < t->spec.rank; a++) {
        const int d = to_real ? t->spec.nbatch + a : t->ndim - 1 - a;
        int64_t stride = 1;
        for (int e = d + 1; e < t->ndim; e++)
            stride *= t->extent[e];
        for (int64_t i = 0; i < count(t); i++) {
            if (i / stride % t->extent[d] != 0)
                continue;
            if (to_real && d == t->ndim - 1)
                complete(t->extent[d], x + i);
            transform_line(t->extent[d], stride, t->spec.inverse, x + i);
        }
    }
}

/* The error relative to what is right. */
static double error_of(const transform *t, const operand *given)
{
    number *x;
    long double error = 0, norm = 0;
    int64_t index[MOST];
    MNP_OR_EXIT(mnp__calloc((size_t)count(t), sizeof *x, &x));
    for (int64_t i = 0; i < count(t); i++)
        x[i] = find_index(t, given, i, index) ? get(t, given, index) : 0;
    transform_all(t, x);
    for (int64_t i = 0; i < count(t); i++) {
        if (!find_index(t, &t->out, i, index))
            continue;
        const number right = t->spec.scale * x[i], wrong = get(t, &t->out, index) - right;
        error += cabsl(wrong) * cabsl(wrong);
        norm += cabsl(right) * cabsl(right);
    }
    free(x);
    return (double)sqrtl(error / norm);
}

/* ---- devices ---- */

static mnp_status wait_for_stream(void)
{
    bool done = false;
    MNP_TRY(device->ops->event_record(device, event, stream));
    while (!done)
        MNP_TRY(device->ops->event_query(device, event, &done));
    return MNP_OK;
}

static mnp_status execute(const transform *t, mnp__device_fft *fft, void *work)
{
    const mnp__device_ops *ops = device->ops;
    MNP_TRY(ops->copy(device, t->in.there, t->in.bytes, bytes_of(t, &t->in), stream));
    MNP_TRY(ops->copy(device, t->out.there, t->out.bytes, bytes_of(t, &t->out), stream));
    MNP_TRY(ops->fft_execute(device, fft, (char *)t->in.there + (size_t)t->in.begin * size_of(t, &t->in),
                             (char *)t->out.there + (size_t)t->out.begin * size_of(t, &t->out), work, stream));
    MNP_TRY(ops->copy(device, t->in.bytes, t->in.there, bytes_of(t, &t->in), stream));
    MNP_TRY(ops->copy(device, t->out.bytes, t->out.there, bytes_of(t, &t->out), stream));
    return wait_for_stream();
}

static mnp_status run_transform(transform *t)
{
    const mnp__device_ops *ops = device->ops;
    mnp__device_fft *fft = NULL;
    void *work = NULL;
    size_t needs;
    mnp_status st;
    MNP_TRY_OR(ops->fft_new(device, &t->spec, &fft, &needs), st, done);
    MNP_TRY_OR(ops->alloc(device, needs, &work), st, done);
    MNP_TRY_OR(ops->alloc(device, bytes_of(t, &t->in), &t->in.there), st, done);
    MNP_TRY_OR(ops->alloc(device, bytes_of(t, &t->out), &t->out.there), st, done);
    st = execute(t, fft, work);
done:
    ops->free(device, t->out.there);
    ops->free(device, t->in.there);
    ops->free(device, work);
    ops->fft_free(device, fft);
    return st;
}

static bool run_case(int number_of_case)
{
    static const char *const kinds[] = {"complex", "from real", "to real"};
    transform t = choose_transform();
    operand given = t.in;
    MNP_OR_EXIT(mnp__calloc(1, bytes_of(&t, &t.in), &t.in.bytes));
    MNP_OR_EXIT(mnp__calloc(1, bytes_of(&t, &t.in), &given.bytes));
    MNP_OR_EXIT(mnp__calloc(1, bytes_of(&t, &t.out), &t.out.bytes));
    fill_with_random(&t, &t.in);
    memcpy(given.bytes, t.in.bytes, bytes_of(&t, &t.in));
    const mnp_status st = run_transform(&t);
    const bool is_whole = memcmp(given.bytes, t.in.bytes, bytes_of(&t, &t.in)) == 0;
    const double error = error_of(&t, &given);
    const double bound = 3 * (t.spec.is_double ? 0x1p-52 : 0x1p-23) * sqrt(log2((double)count(&t)));
    const bool good = st == MNP_OK && is_whole && error <= bound;
    if (!good) {
        printf("# %d: %s, %s, error %.2g where %.2g is allowed; the input is %s; extents and strides", number_of_case,
               kinds[t.spec.kind], st == MNP_OK ? "done" : mnp_error_message(), error, bound,
               is_whole ? "as it was" : "changed");
        for (int d = 0; d < t.ndim; d++)
            printf("%s %d (%d, %d)", d == t.spec.nbatch ? " |" : "", (int)t.extent[d], (int)t.in.stride[d],
                   (int)t.out.stride[d]);
        printf("\n");
    }
    free(t.in.bytes);
    free(given.bytes);
    free(t.out.bytes);
    return good;
}

static void run_on(mnp__device *opened)
{
    const mnp__device_ops *ops = opened->ops;
    int good = 0;
    device = opened;
    if (ops->fft_load(device, true) != MNP_OK || ops->fft_load(device, false) != MNP_OK) {
        skip(ops->kind, mnp_error_message());
    } else {
        MNP_OR_EXIT(ops->stream_new(device, false, &stream));
        MNP_OR_EXIT(ops->event_new(device, &event));
        device->memory_stream = stream;
        for (int i = 0; i < CASES; i++)
            good += run_case(i);
        ok(good == CASES, "%s: %d of %d transforms are right", ops->kind, good, CASES);
        device->memory_stream = NULL;
        ops->event_free(device, event);
        ops->stream_free(device, stream);
    }
    ops->close(device);
}

int main(void)
{
    mnp__config config;
    mnp__device *opened = NULL;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    if (ok(mnp__host_device_open(&config, 1, &opened) == MNP_OK, "host: opens"))
        run_on(opened);
    const mnp_status st = mnp__cuda_device_open(&config, 0, &opened);
    if (st == MNP_ERR_UNSUPPORTED)
        skip("cuda", mnp_error_message());
    else if (ok(st == MNP_OK, "cuda: opens"))
        run_on(opened);
    mnp__config_free(&config);
    return done_testing();
}
