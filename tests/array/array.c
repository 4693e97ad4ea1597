/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creating arrays, host memory to arrays and back, copies and casts, of every dtype, on any number of ranks.
 */
#include <maniple.h>

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "array/array.h"

static mnp_ctx *ctx;

/* X(dtype, C type) of the real types; complex ones are made of them. */
#define REALS(X)                                                                                                       \
    X(MNP_INT8, int8_t)                                                                                                \
    X(MNP_INT16, int16_t)                                                                                              \
    X(MNP_INT32, int32_t)                                                                                              \
    X(MNP_INT64, int64_t)                                                                                              \
    X(MNP_UINT8, uint8_t)                                                                                              \
    X(MNP_UINT16, uint16_t)                                                                                            \
    X(MNP_UINT32, uint32_t)                                                                                            \
    X(MNP_UINT64, uint64_t)                                                                                            \
    X(MNP_FLOAT32, float)                                                                                              \
    X(MNP_FLOAT64, double)

/* A number of moderate size as a float of `bits` bits of fraction, exponents biased by `bias`, in 16 bits; and back. */
static uint16_t pack_half(double x, int bits, int bias)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* in [0.5, 1) */
    if (x == 0)
        return 0;
    long mantissa = lrint(ldexp(fraction, bits + 1)); /* with the leading 1, which carries into the exponent */
    long packed = ((long)(exponent - 2 + bias) << bits) + mantissa;
    return (uint16_t)((x < 0 ? 0x8000 : 0) + packed);
}

static double unpack_half(uint16_t half, int bits, int bias)
{
    long packed = half & 0x7fff, mantissa = (packed & ((1L << bits) - 1)) + (1L << bits);
    double x = packed ? ldexp((double)mantissa, (int)(packed >> bits) - bias - bits) : 0;
    return half & 0x8000 ? -x : x;
}

/* Store the value (re, im) as numpy.ndarray.astype would from complex128: the conversions are C's own. */
static void store(mnp_dtype dtype, void *data, int64_t i, double re, double im)
{
    switch (dtype) {
#define CASE(dtype_, type)                                                                                             \
    case dtype_:                                                                                                       \
        ((type *)data)[i] = (type)re;                                                                                  \
        break;
        REALS(CASE)
#undef CASE
    case MNP_FLOAT16:
        ((uint16_t *)data)[i] = pack_half(re, 10, 15);
        break;
    case MNP_BFLOAT16:
        ((uint16_t *)data)[i] = pack_half(re, 7, 127);
        break;
    case MNP_BOOL:
        ((uint8_t *)data)[i] = re != 0 || im != 0;
        break;
    case MNP_COMPLEX64:
        ((float *)data)[2 * i] = (float)re;
        ((float *)data)[2 * i + 1] = (float)im;
        break;
    default:
        ((double *)data)[2 * i] = re;
        ((double *)data)[2 * i + 1] = im;
        break;
    }
}

static void load(mnp_dtype dtype, const void *data, int64_t i, double *re, double *im)
{
    *im = 0;
    switch (dtype) {
#define CASE(dtype_, type)                                                                                             \
    case dtype_:                                                                                                       \
        *re = (double)((const type *)data)[i];                                                                         \
        break;
        REALS(CASE)
#undef CASE
    case MNP_FLOAT16:
        *re = unpack_half(((const uint16_t *)data)[i], 10, 15);
        break;
    case MNP_BFLOAT16:
        *re = unpack_half(((const uint16_t *)data)[i], 7, 127);
        break;
    case MNP_BOOL:
        *re = ((const uint8_t *)data)[i];
        break;
    case MNP_COMPLEX64:
        *re = ((const float *)data)[2 * i];
        *im = ((const float *)data)[2 * i + 1];
        break;
    default:
        *re = ((const double *)data)[2 * i];
        *im = ((const double *)data)[2 * i + 1];
        break;
    }
}

/* Values that every type holds, but for fractions, signs and imaginary parts, which casts take off. */
static void fill(mnp_dtype dtype, void *data, int64_t size)
{
    bool sign = strchr("ifc", mnp_dtype_kind(dtype)) != NULL, fraction = strchr("fc", mnp_dtype_kind(dtype)) != NULL;
    for (int64_t i = 0; i < size; i++) {
        double re = (double)(i * 37 % 101) + (fraction ? 0.75 : 0);
        store(dtype, data, i, sign && i % 3 == 0 ? -re : re, (double)(i % 5) - 2);
    }
}

static int64_t size_of(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= shape[d];
    return size;
}

/* host -> array -> host gives the same bytes, on all ranks and on one. */
static bool round_trip(mnp_dtype dtype, int ndim, const int64_t *shape)
{
    size_t bytes = (size_t)size_of(ndim, shape) * mnp_dtype_size(dtype);
    char *data = malloc(bytes + 1), *back = malloc(bytes + 1);
    mnp_array *array = NULL;
    fill(dtype, data, size_of(ndim, shape));
    bool good = mnp_array_from_host(ctx, dtype, ndim, shape, data, &array) == MNP_OK;
    memset(back, 77, bytes + 1);
    good = good && mnp_array_to_host(array, MNP_ALL_RANKS, back) == MNP_OK && memcmp(data, back, bytes) == 0;
    int root = mnp_ctx_size(ctx) - 1;
    memset(back, 77, bytes + 1);
    good = good && mnp_array_to_host(array, root, mnp_ctx_rank(ctx) == root ? back : NULL) == MNP_OK;
    good = good && (mnp_ctx_rank(ctx) != root || memcmp(data, back, bytes) == 0) && back[bytes] == 77;
    mnp_array_free(array);
    free(data);
    free(back);
    return good;
}

static bool casts(mnp_dtype from, mnp_dtype to)
{
    const int64_t shape[] = {7, 5}, size = 35;
    double source[70], expected[70], got[70]; /* room for any dtype */
    mnp_array *a = NULL, *b = NULL;
    fill(from, source, size);
    memset(expected, 0, sizeof expected);
    for (int64_t i = 0; i < size; i++) {
        double re, im;
        load(from, source, i, &re, &im);
        if (mnp_dtype_kind(to) == 'u' && re < 0) /* C and NumPy leave this open for floats: keep it out */
            re = -re;
        store(from, source, i, re, im);
        load(from, source, i, &re, &im);
        store(to, expected, i, re, im);
    }
    bool good = mnp_array_from_host(ctx, from, 2, shape, source, &a) == MNP_OK && mnp_astype(a, to, &b) == MNP_OK &&
                mnp_array_dtype(b) == to && mnp_array_to_host(b, MNP_ALL_RANKS, got) == MNP_OK &&
                memcmp(got, expected, (size_t)size * mnp_dtype_size(to)) == 0;
    mnp_free_all(a, b);
    return good;
}

static void check_creation(void)
{
    const int64_t shape[] = {6, 9};
    double got[54], seven = 7.5;
    mnp_array *zeros = NULL, *full = NULL, *copy = NULL;
    bool good = mnp_zeros(ctx, MNP_FLOAT64, 2, shape, &zeros) == MNP_OK &&
                mnp_array_to_host(zeros, MNP_ALL_RANKS, got) == MNP_OK;
    for (int i = 0; i < 54; i++)
        good = good && got[i] == 0;
    ok(good, "zeros");
    good = mnp_full(ctx, MNP_FLOAT64, 2, shape, &seven, &full) == MNP_OK && mnp_copy(full, &copy) == MNP_OK &&
           mnp_array_to_host(copy, MNP_ALL_RANKS, got) == MNP_OK;
    for (int i = 0; i < 54; i++)
        good = good && got[i] == 7.5;
    ok(good, "full, and its copy");
    mnp_array *same = copy;
    ok(mnp_copy(zeros, &copy) == MNP_OK && copy == same && mnp_array_to_host(copy, MNP_ALL_RANKS, got) == MNP_OK &&
           got[53] == 0,
       "an output that is given is reused");
    int64_t total = 0, local = mnp_array_local_size(zeros);
    MPI_Allreduce(&local, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    ok(total == 54 && mnp_array_ndim(zeros) == 2 && mnp_array_shape(zeros)[1] == 9, "the blocks make up the array");
    mnp_free_all(zeros, full, copy);
}

static void check_local(void)
{
    const int64_t shape[] = {5, 8};
    mnp_array *a = NULL;
    int32_t whole[40], block[40], back[40];
    mnp_empty(ctx, MNP_INT32, 2, shape, &a);
    const int64_t *lo = mnp_array_local_lo(a), *extent = mnp_array_local_shape(a);
    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = 0; j < extent[1]; j++)
            block[i * extent[1] + j] = (int32_t)((lo[0] + i) * 8 + lo[1] + j);
    bool good = mnp_array_set_local(a, block) == MNP_OK && mnp_array_get_local(a, back) == MNP_OK &&
                memcmp(block, back, (size_t)mnp_array_local_size(a) * sizeof *block) == 0 &&
                mnp_array_to_host(a, MNP_ALL_RANKS, whole) == MNP_OK;
    for (int i = 0; i < 40; i++)
        good = good && whole[i] == i;
    ok(good, "blocks set one by one make up the whole");
    mnp_array_free(a);
}

/*
 * Blocks larger than many staging buffers, contiguous and strided, go to the device and back; elements outside a view
 * keep their values.
 */
static void check_large_blocks(const char *how)
{
    enum { ROWS = 1251, COLUMNS = 2003, HALF = COLUMNS / 2 };
    const int64_t shape[] = {ROWS, COLUMNS};
    double *whole = malloc(ROWS * COLUMNS * sizeof *whole), *part = malloc(ROWS * HALF * sizeof *part);
    mnp_layout *layout;
    mnp_array *a = NULL, *view = NULL;
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        whole[i] = (double)i;
    mnp_layout_replicated(mnp_ctx_size(ctx), 2, shape, &layout);
    bool good = mnp_array_new(ctx, MNP_FLOAT64, layout, &a) == MNP_OK && mnp_array_set_local(a, whole) == MNP_OK &&
                mnp_index(a, "::-1, 1::2", &view) == MNP_OK && mnp_array_get_local(view, part) == MNP_OK;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < HALF; j++)
            good = good && part[i * HALF + j] == (double)((ROWS - 1 - i) * COLUMNS + 2 * j + 1);
    ok(good, "a large block set, and a view of it read%s", how);
    for (int64_t i = 0; i < ROWS * HALF; i++)
        part[i] = -(double)i;
    good = mnp_array_set_local(view, part) == MNP_OK && mnp_array_get_local(a, whole) == MNP_OK;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            good = good && whole[i * COLUMNS + j] ==
                               (j % 2 == 0 ? (double)(i * COLUMNS + j) : -(double)((ROWS - 1 - i) * HALF + j / 2));
    ok(good, "the view set, and the whole read%s", how);
    mnp_free_all(a, view);
    mnp_layout_free(layout);
    free(whole);
    free(part);
}

/* Subscripts as structs say the same as text; a view stays valid after its array is freed. */
static void check_subscripts(void)
{
    const int64_t shape[] = {5, 8, 3};
    mnp_array *a = NULL, *view = NULL, *other = NULL;
    int32_t whole[120], got[2][8];
    for (int i = 0; i < 120; i++)
        whole[i] = i;
    bool good = mnp_array_from_host(ctx, MNP_INT32, 3, shape, whole, &a) == MNP_OK &&
                mnp_view(a, &view, MNP_NEWAXIS, MNP_RANGE(1, 4), MNP_SLICE(MNP_NONE, 0, -2), MNP_AT(-1)) == MNP_OK &&
                mnp_index(a, "None, 1:4, :0:-2, -1", &other) == MNP_OK && mnp_array_ndim(view) == 3 &&
                mnp_array_shape(view)[1] == 3 && mnp_array_shape(view)[2] == 4;
    mnp_free_all(a, view);
    view = a = NULL;
    good = good && mnp_view(other, &view, MNP_ELLIPSIS, MNP_AT(2)) == MNP_OK &&
           mnp_view(view, &a, MNP_ALL, MNP_SLICE(MNP_NONE, 2, MNP_NONE)) == MNP_OK &&
           mnp_array_to_host(view, MNP_ALL_RANKS, got[0]) == MNP_OK &&
           mnp_array_to_host(a, MNP_ALL_RANKS, got[1]) == MNP_OK;
    for (int i = 0; i < 3; i++)
        good = good && got[0][i] == (i + 1) * 24 + 3 * 3 + 2 && (i == 2 || got[1][i] == got[0][i]);
    ok(good, "subscripts as structs and as text, and a view of a view whose array is gone");
    mnp_free_all(a, view, other);
}

/* A view takes the place of what the variable held, which is released, also if it is the array that is viewed. */
static void check_views_in_place(void)
{
    const int64_t shape[] = {6, 5}, turned[] = {5, 6};
    const int before = ctx->live_arrays;
    mnp_array *x = NULL, *view = NULL, *parts[3] = {NULL};
    double value = 0;
    bool good = mnp_ones(ctx, MNP_FLOAT64, 2, shape, &x) == MNP_OK;
    for (int64_t i = 0; i < 6 && good; i++) {
        good = mnp_view(x, &view, MNP_AT(i)) == MNP_OK && mnp_reshape(x, 2, turned, &view) == MNP_OK &&
               mnp_asfortranarray(x, &view) == MNP_OK && mnp_imag(x, &view) == MNP_OK &&
               mnp_index(x, "1:, ::2", &view) == MNP_OK && mnp_split(x, 3, 0, parts) == MNP_OK;
        good = good && ctx->live_arrays == before + 5 && mnp_array_shape(view)[1] == 3;
    }
    ok(good, "views in a loop leave one array for each variable");
    const mnp_array *last = view;
    good = mnp_index(x, "9", &view) == MNP_ERR_ARG && view == last && mnp_split(x, 4, 0, parts) == MNP_ERR_ARG;
    ok(good && ctx->live_arrays == before + 5, "a view that cannot be made releases nothing: %s", mnp_error_message());
    good = mnp_transpose(x, NULL, &x) == MNP_OK && mnp_index(x, "-1", &x) == MNP_OK &&
           mnp_sum(x, NULL, &view) == MNP_ERR_ARG && ctx->live_arrays == before + 5;
    ok(good && mnp_array_ndim(x) == 1 && mnp_array_shape(x)[0] == 6, "an array is replaced by a view of itself");
    mnp_array *sum = NULL;
    good = mnp_sum(x, NULL, &sum) == MNP_OK && mnp_item(sum, &value) == MNP_OK && value == 6;
    ok(good, "which has its elements");
    mnp_free_all(x, view, sum, parts[0], parts[1], parts[2]);
    ok(ctx->live_arrays == before, "all are released");
}

static void check_mistakes(void)
{
    mnp_array *a = NULL, *b = NULL, *none = NULL;
    mnp_layout *other;
    mnp_zeros(ctx, MNP_FLOAT32, 1, (int64_t[]){10}, &a);
    mnp_zeros(ctx, MNP_FLOAT64, 1, (int64_t[]){10}, &b);
    ok(mnp_copy(a, &b) == MNP_ERR_ARG && strstr(mnp_error_message(), "float64"), "refused: %s", mnp_error_message());
    ok(mnp_array_new(ctx, (mnp_dtype)50, mnp_array_layout(a), &none) == MNP_ERR_ARG && !none, "refused: %s",
       mnp_error_message());
    mnp_layout_replicated(mnp_ctx_size(ctx) + 1, 1, (int64_t[]){10}, &other);
    ok(mnp_array_new(ctx, MNP_INT8, other, &none) == MNP_ERR_ARG && !none, "refused: %s", mnp_error_message());
    mnp_layout_free(other);
    mnp_layout_replicated(mnp_ctx_size(ctx), 1, (int64_t[]){11}, &other);
    ok(mnp_redistribute(a, other, &none) == MNP_ERR_ARG && !none, "refused: %s", mnp_error_message());
    mnp_layout_free(other);
    mnp_free_all(a, b);
}

/* The dtype of a scalar follows from its type in C. */
static void check_scalars(void)
{
    const double _Complex z = 2.5 - 1.5 * I;
    const mnp_array *scalar = MNP_SCALAR(ctx, z);
    double parts[2];
    memcpy(parts, scalar->value, sizeof parts);
    ok(scalar->dtype == MNP_COMPLEX128 && parts[0] == 2.5 && parts[1] == -1.5, "a complex number as an operand");
    scalar = MNP_SCALAR(ctx, 0.5L);
    memcpy(parts, scalar->value, sizeof parts[0]);
    ok(scalar->dtype == MNP_FLOAT64 && parts[0] == 0.5 && MNP_SCALAR(ctx, 0.5F)->dtype == MNP_FLOAT64,
       "floats of any size as operands");
    ok(MNP_SCALAR(ctx, 'a')->dtype == MNP_INT64 && MNP_SCALAR(ctx, 7ul)->dtype == MNP_INT64 &&
           MNP_SCALAR(ctx, (bool)true)->dtype == MNP_BOOL,
       "integers and truth values as operands");
}

/* Whether 2 times a scalar is that number. */
static bool doubles_to(const mnp_array *scalar, double expected)
{
    mnp_array *sum = NULL;
    double value = 0;
    bool good = mnp_add(scalar, scalar, &sum) == MNP_OK && mnp_item(sum, &value) == MNP_OK;
    mnp_array_free(sum);
    return good && value == expected;
}

static int64_t resident_bytes(void)
{
    long long all, resident = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lld %lld", &all, &resident) != 2)
        resident = -1;
    if (file)
        fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

/* Numbers stay what they are, however many others there are, and memory is bounded. */
static void check_many_scalars(void)
{
    enum { MANY = 400000, OFTEN = 5000 };
    mnp_array *sum = NULL;
    const mnp_array *kept = MNP_SCALAR(ctx, 2.5), *asked = MNP_SCALAR(ctx, 7.25);
    ok(MNP_SCALAR(ctx, 2.5) == kept && MNP_SCALAR(ctx, -0.0) != MNP_SCALAR(ctx, 0.0) &&
           MNP_SCALAR(ctx, 1) != MNP_SCALAR(ctx, 1.0) && MNP_SCALAR(ctx, 1) != MNP_SCALAR(ctx, (bool)true),
       "the same number of the same kind is the same scalar");
    for (int i = 0; i < 1000; i++)
        (void)MNP_SCALAR(ctx, i + 0.5);
    const mnp_array *idle = MNP_SCALAR(ctx, 0.125); /* far from those that are used */
    for (int i = 0; i < 1000; i++)
        (void)MNP_SCALAR(ctx, i + 0.25);
    ok(doubles_to(kept, 5), "a scalar stays what it is while others are made");
    int64_t before = resident_bytes();
    bool same = true;
    for (int i = 0; i < MANY; i++) {
        (void)MNP_SCALAR(ctx, i / 3.0);
        same = same && (i % OFTEN != 0 || (MNP_SCALAR(ctx, 7.25) == asked && doubles_to(kept, 5)));
    }
    ok(same, "hundreds of thousands of others, while it is used");
    int64_t more = resident_bytes() - before;
    ok(more < INT64_C(48) << 20, "they do not stay in memory: %" PRId64 " bytes", more);
    mnp_status st = mnp_add(idle, kept, &sum);
    ok(st == MNP_ERR_ARG && strstr(mnp_error_message(), "forgotten") && mnp_add(kept, idle, &sum) == MNP_ERR_ARG &&
           !sum,
       "one that was neither used nor made again is refused: %s", mnp_error_message());
    ok(doubles_to(MNP_SCALAR(ctx, 0.125), 0.25), "and can be made again");
}

static void check_exhaustion(void)
{
    mnp_array *huge = NULL;
    mnp_layout *layout; /* more memory on the last rank than any machine has */
    mnp_layout_on_root(mnp_ctx_size(ctx), mnp_ctx_size(ctx) - 1, 1, (int64_t[]){(int64_t)1 << 52}, &layout);
    mnp_status st = mnp_array_new(ctx, MNP_FLOAT64, layout, &huge);
    /* heap: as good as balanced */
    bool last = mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1, heap = mnp_ctx_size(ctx) <= 2;
    ok(st == (heap || last ? MNP_ERR_MEMORY : MNP_ERR_PEER) && !huge, "out of memory on one rank fails on all: %s",
       mnp_error_message());
    mnp_layout_free(layout);
}

/* Arrays of two contexts cannot be combined. */
static void check_contexts(void)
{
    const int64_t shape[] = {5};
    mnp_ctx *other = NULL;
    mnp_array *mine = NULL, *theirs = NULL, *sum = NULL;
    ok(mnp_init(MPI_COMM_WORLD, NULL, &other) == MNP_OK && mnp_zeros(ctx, MNP_INT8, 1, shape, &mine) == MNP_OK &&
           mnp_zeros(other, MNP_INT8, 1, shape, &theirs) == MNP_OK,
       "two contexts, and an array of each");
    mnp_array *given = theirs;
    mnp_status st = mnp_copy(mine, &given);
    ok(st == MNP_ERR_ARG && given == theirs, "refused: %s", mnp_error_message());
    st = mnp_add(mine, theirs, &sum);
    ok(st == MNP_ERR_ARG && !sum, "refused: %s", mnp_error_message());
    st = mnp_negative(mine, &given);
    ok(st == MNP_ERR_ARG && given == theirs, "refused: %s", mnp_error_message());
    st = mnp_tile(mine, 1, (const int64_t[]){1}, &given);
    ok(st == MNP_ERR_ARG && given == theirs, "refused: %s", mnp_error_message());
    mnp_free_all(mine, theirs);
    mnp_finalize(other);
}

int main(void)
{
    static const int64_t shapes[][4] = {{13, 1, 1, 1}, {7, 6, 1, 1}, {3, 4, 5, 1},
                                        {2, 3, 2, 5},  {1, 2, 1, 1}, {5, 0, 3, 1}};
    static const int ndims[] = {1, 2, 3, 4, 2, 3};
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++) {
        bool good = round_trip((mnp_dtype)i, 0, NULL);
        for (size_t s = 0; s < sizeof ndims / sizeof *ndims; s++)
            good = good && round_trip((mnp_dtype)i, ndims[s], shapes[s]);
        ok(good, "%s to arrays of any shape and back", mnp_dtype_name((mnp_dtype)i));
    }
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i += 2) /* each pair compiles a kernel: half of them are enough */
        for (int j = MNP_BOOL + (i % 4 == MNP_BOOL); j < MNP_NUM_DTYPES; j += 3)
            ok(casts((mnp_dtype)i, (mnp_dtype)j), "%s as %s", mnp_dtype_name((mnp_dtype)i),
               mnp_dtype_name((mnp_dtype)j));
    check_creation();
    check_local();
    check_large_blocks("");
    bool cpu_memory = ctx->device->cpu_memory;
    ctx->device->cpu_memory = false;
    check_large_blocks(", through pinned memory");
    ctx->device->cpu_memory = cpu_memory;
    check_subscripts();
    check_views_in_place();
    check_mistakes();
    check_scalars();
    check_many_scalars();
    check_exhaustion();
    check_contexts();
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
