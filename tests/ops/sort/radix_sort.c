/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorted lines of every type, compared with a merge sort by plain comparisons, which state once more how NumPy orders
 * numbers, NaN and complex numbers.
 */
#include <maniple.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "ops/sort/radix_sort.h"

static mnp_ctx *ctx;
static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* ---- the order ---- */

/* A number of any type: real and imaginary part, of which one, or both, may be NaN, or a whole number. */
typedef struct number {
    double re, im;
    int64_t whole;
    uint64_t natural;
    int nan; /* 2 where re is NaN, and 1 where im is */
} number;

static number read_number(mnp_dtype dtype, const void *keys, int64_t i)
{
    number n = {0};
    switch (dtype) {
    case MNP_BOOL:
    case MNP_UINT8:
        n.natural = ((const uint8_t *)keys)[i];
        break;
    case MNP_INT8:
        n.whole = ((const int8_t *)keys)[i];
        break;
    case MNP_INT16:
        n.whole = ((const int16_t *)keys)[i];
        break;
    case MNP_INT32:
        n.whole = ((const int32_t *)keys)[i];
        break;
    case MNP_INT64:
        n.whole = ((const int64_t *)keys)[i];
        break;
    case MNP_UINT16:
        n.natural = ((const uint16_t *)keys)[i];
        break;
    case MNP_UINT32:
        n.natural = ((const uint32_t *)keys)[i];
        break;
    case MNP_UINT64:
        n.natural = ((const uint64_t *)keys)[i];
        break;
    case MNP_FLOAT16: {
        const unsigned bits = ((const uint16_t *)keys)[i], exponent = bits >> 10 & 31, fraction = bits & 1023;
        const double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                            : exponent == 0 ? ldexp(fraction, -24)
                                            : ldexp(1024 + fraction, (int)exponent - 25);
        n.re = bits >> 15 ? -size : size;
        break;
    }
    case MNP_BFLOAT16: {
        const uint32_t bits = (uint32_t)((const uint16_t *)keys)[i] << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        n.re = (double)value;
        break;
    }
    case MNP_FLOAT32:
        n.re = (double)((const float *)keys)[i];
        break;
    case MNP_FLOAT64:
        n.re = ((const double *)keys)[i];
        break;
    case MNP_COMPLEX64:
        n.re = (double)((const float *)keys)[2 * i];
        n.im = (double)((const float *)keys)[2 * i + 1];
        break;
    default:
        n.re = ((const double *)keys)[2 * i];
        n.im = ((const double *)keys)[2 * i + 1];
    }
    n.nan = 2 * !!isnan(n.re) + !!isnan(n.im);
    return n;
}

/* numpy.sort's documentation: complex numbers with NaN in the order [R + Rj, R + nanj, nan + Rj, nan + nanj]. */
static int compare(const number *a, const number *b)
{
    if (a->nan != b->nan)
        return a->nan < b->nan ? -1 : 1;
    if (a->nan < 2 && a->re != b->re)
        return a->re < b->re ? -1 : 1;
    if (a->nan % 2 == 0 && a->im != b->im)
        return a->im < b->im ? -1 : 1;
    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    return a->natural < b->natural ? -1 : a->natural > b->natural;
}

/* The order of a line's elements, by a merge sort of indices, in which equal elements keep their order. */
static void merge_sort(const number *numbers, int64_t *order, int64_t *spare, int64_t n, int sign)
{
    if (n < 2)
        return;
    const int64_t half = n / 2;
    merge_sort(numbers, order, spare, half, sign);
    merge_sort(numbers, order + half, spare, n - half, sign);
    if (sign * compare(&numbers[order[half - 1]], &numbers[order[half]]) <= 0)
        return; /* in order already */
    int64_t a = 0, b = half;
    for (int64_t i = 0; i < n; i++) {
        const bool second = a == half || (b < n && sign * compare(&numbers[order[b]], &numbers[order[a]]) < 0);
        spare[i] = order[second ? b++ : a++];
    }
    memcpy(order, spare, (size_t)n * sizeof *order);
}

/* ---- elements ---- */

typedef enum filling { RANDOM, FEW, SAME, RISING, FALLING, CLOSE, SPECIAL, FILLINGS } filling;
static const char *const filling_names[] = {"random",  "few values",   "one value",     "rising",
                                            "falling", "close values", "special values"};

static void store_float(mnp_dtype dtype, void *keys, int64_t i, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (dtype == MNP_FLOAT64)
        ((double *)keys)[i] = value;
    else if (dtype == MNP_FLOAT32)
        ((float *)keys)[i] = single;
    else if (dtype == MNP_BFLOAT16)
        ((uint16_t *)keys)[i] = (uint16_t)(bits >> 16 | (value != value));
    else /* the sign and the upper bits: numbers near 1 and special ones keep their order */
        ((uint16_t *)keys)[i] = (uint16_t)((bits >> 16 & 0x8000) | (isnan(value)   ? 0x7e01
                                                                    : isinf(value) ? 0x7c00
                                                                                   : bits >> 13 & 0x3fff));
}

/* A value number v of the filling. */
static double value_of(filling how, int64_t i)
{
    static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, -NAN, 1e-310, -1e-310, 1e-42, 2};
    switch (how) {
    case RANDOM:
        return (double)(int64_t)draw() * 0x1p-62;
    case FEW:
        return (double)(draw() % 5) - 2;
    case SAME:
        return -1.5;
    case RISING:
        return (double)(i / 3);
    case FALLING:
        return -(double)(i / 2);
    case CLOSE: /* alike in their leading bits, but for one in a thousand */
        return draw() % 1000 ? 1 + (double)(draw() % 4096) * 0x1p-50 : (double)(int64_t)draw();
    default:
        return special[draw() % (sizeof special / sizeof *special)];
    }
}

static void fill(mnp_dtype dtype, filling how, void *keys, int64_t count)
{
    const size_t size = mnp_dtype_size(dtype);
    const bool is_complex = dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128;
    const mnp_dtype part = dtype == MNP_COMPLEX64 ? MNP_FLOAT32 : dtype == MNP_COMPLEX128 ? MNP_FLOAT64 : dtype;
    for (int64_t i = 0; i < count; i++) {
        if (is_complex) {
            store_float(part, keys, 2 * i, value_of(how == RANDOM && i % 2 ? FEW : how, i / 7));
            store_float(part, keys, 2 * i + 1, value_of(how, i));
        } else if (dtype >= MNP_FLOAT16 &&
                   (dtype == MNP_FLOAT16 || dtype == MNP_BFLOAT16 || dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64)) {
            store_float(dtype, keys, i, value_of(how, i));
        } else {
            uint64_t whole = how == RANDOM || how == SPECIAL ? draw() : (uint64_t)(int64_t)value_of(how, i);
            whole = how == SPECIAL ? whole | ~(uint64_t)0 << draw() % 64 : whole;
            whole = dtype == MNP_BOOL ? whole & 1 : whole;
            memcpy((char *)keys + (size_t)i * size, &whole, size);
        }
    }
}

/* ---- comparing ---- */

typedef struct sorting {
    mnp_dtype dtype;
    bool descending, in_place, keep_keys, numbers; /* numbers: no payload is given */
    int64_t lines, length;
    size_t payload_size;
    int64_t first, number; /* only so many of a line, and the index of its first element */
} sorting;

static int64_t wanted(const sorting *s)
{
    return s->first > 0 ? s->first : s->length;
}

static void *on_device(const void *data, size_t size)
{
    void *pointer;
    MNP_OR_EXIT(ctx->device->ops->alloc(ctx->device, size, &pointer));
    if (data)
        MNP_OR_EXIT(ctx->device->ops->copy(ctx->device, pointer, data, size, ctx->compute));
    return pointer;
}

static bool holds(const void *device, const void *expected, size_t size)
{
    void *got = malloc(size + 1);
    MNP_OR_EXIT(ctx->device->ops->copy(ctx->device, got, device, size, ctx->compute));
    MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
    const bool same = memcmp(got, expected, size) == 0;
    free(got);
    return same;
}

/* What keys and payload become. */
static void expect(const sorting *s, const char *keys, const char *payload, char *keys_out, char *payload_out)
{
    const size_t size = mnp_dtype_size(s->dtype), n = (size_t)s->length;
    number *numbers = malloc((n + 1) * sizeof *numbers);
    int64_t *order = malloc((n + 1) * sizeof *order), *spare = malloc((n + 1) * sizeof *spare);
    for (int64_t line = 0; line < s->lines; line++) {
        const size_t first = (size_t)(line * s->length), out = (size_t)(line * wanted(s));
        for (int64_t i = 0; i < s->length; i++) {
            numbers[i] = read_number(s->dtype, keys + first * size, i);
            order[i] = i;
        }
        merge_sort(numbers, order, spare, s->length, s->descending ? -1 : 1);
        for (size_t i = 0; i < (size_t)wanted(s); i++) {
            const size_t from = (size_t)order[i];
            const int64_t index = order[i] + s->number;
            memcpy(keys_out + (out + i) * size, keys + (first + from) * size, size);
            if (s->numbers)
                memcpy(payload_out + (out + i) * s->payload_size, &index, s->payload_size);
            else
                memcpy(payload_out + (out + i) * s->payload_size, payload + (first + from) * s->payload_size,
                       s->payload_size);
        }
    }
    free(numbers);
    free(order);
    free(spare);
}

static bool sorts(const sorting *s, filling how)
{
    const size_t count = (size_t)(s->lines * s->length);
    const size_t bytes = count * mnp_dtype_size(s->dtype), carried = count * s->payload_size;
    const size_t results = (size_t)(s->lines * wanted(s));
    char *keys = malloc(bytes + 16), *payload = malloc(carried + 16);
    char *keys_out = malloc(bytes + 1), *payload_out = malloc(carried + 1);
    fill(s->dtype, how, keys, (int64_t)count);
    for (size_t i = 0; i < carried; i++)
        payload[i] = (char)draw();
    expect(s, keys, payload, keys_out, payload_out);
    void *given = on_device(keys, bytes), *along = on_device(payload, carried);
    void *sorted = s->in_place ? given : on_device(NULL, bytes);
    void *sorted_along = s->in_place && !s->numbers ? along : on_device(NULL, carried);
    const mnp__radix_sort order = {.dtype = s->dtype,
                                   .descending = s->descending,
                                   .lines = s->lines,
                                   .length = s->length,
                                   .keys = given,
                                   .sorted = s->keep_keys ? sorted : NULL,
                                   .payload_size = s->payload_size,
                                   .payload = s->numbers ? NULL : along,
                                   .sorted_payload = sorted_along,
                                   .first = s->first,
                                   .number = s->number};
    bool good = mnp__radix_sort_run(ctx, &order) == MNP_OK;
    good = good && (!s->keep_keys || holds(sorted, keys_out, results * mnp_dtype_size(s->dtype))) &&
           holds(sorted_along, payload_out, results * s->payload_size);
    good = good && ((s->in_place && s->keep_keys) || holds(given, keys, bytes));
    mnp__device *device = ctx->device;
    if (sorted_along != along)
        device->ops->free(device, sorted_along);
    if (sorted != given)
        device->ops->free(device, sorted);
    device->ops->free(device, given);
    device->ops->free(device, along);
    free(keys);
    free(payload);
    free(keys_out);
    free(payload_out);
    return good;
}

/* ---- cases ---- */

static const mnp_dtype dtypes[] = {MNP_BOOL,     MNP_INT8,    MNP_INT16,   MNP_INT32,     MNP_INT64,
                                   MNP_UINT8,    MNP_UINT16,  MNP_UINT32,  MNP_UINT64,    MNP_FLOAT16,
                                   MNP_BFLOAT16, MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};
enum { NUM_DTYPES = sizeof dtypes / sizeof *dtypes };

/* Every type with every filling, in lines that are sorted in every way. */
static void check_types(void)
{
    static const struct {
        int64_t lines, length;
    } shapes[] = {{1, 0},  {0, 5},   {3, 1},    {4, 2},    {5, 24},   {3, 25},
                  {70, 7}, {300, 3}, {1, 1000}, {2, 4097}, {1, 9001}, {3, 20011}};
    for (int d = 0; d < NUM_DTYPES; d++) {
        int right = 0, cases = 0;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            for (int how = 0; how < FILLINGS; how++) {
                sorting s = {.dtype = dtypes[d],
                             .descending = (how + (int)i) % 2 == 1,
                             .in_place = draw() % 2,
                             .keep_keys = draw() % 4 > 0,
                             .numbers = draw() % 2,
                             .lines = shapes[i].lines,
                             .length = shapes[i].length,
                             .payload_size = 4};
                const bool good = sorts(&s, (filling)how);
                right += good;
                cases++;
                if (!good)
                    printf("# wrong: %" PRId64 " lines of %" PRId64 ", %s, %s%s%s%s\n", s.lines, s.length,
                           filling_names[how], s.descending ? "descending " : "", s.in_place ? "in place " : "",
                           s.keep_keys ? "" : "payload alone ", s.numbers ? "numbers" : "");
            }
        }
        ok(right == cases, "%s: %d of %d lines are in order", mnp_dtype_name(dtypes[d]), right, cases);
    }
}

/* Payloads of every size, with keys of odd and even numbers of digits. */
static void check_payloads(void)
{
    static const size_t sizes[] = {0, 1, 2, 4, 8, 16};
    static const mnp_dtype keys[] = {MNP_UINT8, MNP_FLOAT32};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool good = true;
        for (int k = 0; k < 2; k++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                sorting s = {.dtype = keys[k],
                             .in_place = in_place,
                             .keep_keys = true,
                             .lines = 2,
                             .length = 11003,
                             .payload_size = sizes[i]};
                good = sorts(&s, RANDOM) && good;
                s.length = 301;
                good = sorts(&s, FEW) && good;
                s.numbers = sizes[i] == 4 || sizes[i] == 8;
                good = sorts(&s, SPECIAL) && good;
            }
        }
        ok(good, "a payload of %zu bytes", sizes[i]);
    }
}

static void check_large(void)
{
    sorting s = {
        .dtype = MNP_FLOAT32, .keep_keys = true, .lines = 1, .length = 600011, .payload_size = 4, .numbers = true};
    ok(sorts(&s, RANDOM) && sorts(&s, SPECIAL) && sorts(&s, FEW), "a long line");
    s.in_place = s.descending = true;
    s.lines = 3;
    s.length = 280009;
    ok(sorts(&s, RANDOM) && sorts(&s, RISING), "three long lines");
}

/* Lines that the host distributes into buckets first, once or several times, in every filling. */
static void check_buckets(void)
{
    static const mnp_dtype keys[] = {MNP_FLOAT32, MNP_FLOAT64, MNP_INT16, MNP_COMPLEX128};
    static const int64_t lengths[] = {1 << 20, 262147, 262144, 1 << 17};
    for (int k = 0; k < 4; k++) {
        bool good = true;
        for (int how = 0; how < FILLINGS; how++) {
            const sorting s = {.dtype = keys[k],
                               .descending = how % 2,
                               .in_place = (how + k) % 3 == 1,
                               .keep_keys = (how + k) % 3 != 2,
                               .numbers = how % 2 == 0,
                               .lines = 1,
                               .length = how == RANDOM ? lengths[k] : 1 << 17,
                               .payload_size = k % 2 ? 8 : 4};
            const bool right = sorts(&s, (filling)how);
            if (!right)
                printf("# wrong: %s\n", filling_names[how]);
            good = good && right;
        }
        ok(good, "%s: lines of %" PRId64 " elements and less", mnp_dtype_name(keys[k]), lengths[k]);
    }
}

/* Where only the first elements of a line are wanted. */
static void check_first(void)
{
    static const int64_t firsts[] = {1, 3, 100, 0, 2000};
    for (int d = 0; d < NUM_DTYPES; d++) {
        bool good = true;
        for (int how = 0; how < FILLINGS; how++) {
            for (int i = 0; i < 5; i++) {
                const int64_t length = 1 + (int64_t)(draw() % 3000), first = firsts[i] > 0 ? firsts[i] : length;
                const sorting s = {.dtype = dtypes[d],
                                   .descending = (how + i) % 2,
                                   .keep_keys = i != 3,
                                   .numbers = true,
                                   .lines = 1 + i % 2,
                                   .length = length,
                                   .payload_size = 4,
                                   .first = first < length ? first : length,
                                   .number = i * (int64_t)1000000000};
                const bool right = sorts(&s, (filling)how);
                if (!right)
                    printf("# wrong: the first %" PRId64 " of %" PRId64 ", %s\n", s.first, length, filling_names[how]);
                good = good && right;
            }
        }
        ok(good, "%s: the first elements of lines", mnp_dtype_name(dtypes[d]));
    }
}

int main(void)
{
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    const char *seed = getenv("MANIPLE_TEST_SEED");
    const uint64_t start = seed ? strtoull(seed, NULL, 10) : 1;
    state = start * 0x9e3779b97f4a7c15u;
    printf("# seed %" PRIu64 "\n", start);
    check_types();
    check_payloads();
    check_large();
    check_buckets();
    if (ctx->device->block_memory == 0) /* the host */
        check_first();
    const int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
