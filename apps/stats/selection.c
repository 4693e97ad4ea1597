/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection by rounds of counting: a radix search from the highest digit on.
 */
#include "stats/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 16, MOST_BINS = 1 << 22, BYTES_OF_BIN = 64 /* counts of a piece, of all ranks, and their sums */ };

/* The leading bits of keys. */
typedef struct prefix {
    uint64_t bits;
    int64_t below; /* number of elements with smaller leading bits */
} prefix;

struct selection {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    int width, known;  /* bits of a key; of the prefixes */
    int64_t most_bins; /* of a round, unless each prefix has two */
    int most;
    int nprefixes; /* number of distinct prefixes, in ascending order */
    prefix *prefixes;
    int *prefix_of;  /* the prefix of each place */
    int64_t *counts; /* for each prefix, a count for each digit */
    mnp_elementwise *kernel;
};

/* ---- keys ---- */

static int width_of(mnp_dtype dtype)
{
    if (mnp_dtype_kind(dtype) == 'f')
        return dtype == MNP_FLOAT64 ? 64 : 32;
    return 8 * (int)mnp_dtype_size(dtype);
}

/* The key of an element, on the device; false for NaN, which has none. */
static const char preamble[] = "MNP_INLINE bool key_of(double x, uint64_t &key)\n"
                               "{\n"
                               "    const uint64_t bits = (uint64_t)__double_as_longlong(x);\n"
                               "    key = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;\n"
                               "    return x == x;\n"
                               "}\n"
                               "MNP_INLINE bool key_of(float x, uint64_t &key)\n"
                               "{\n"
                               "    const uint32_t bits = __float_as_uint(x);\n"
                               "    key = bits >> 31 ? ~bits : bits | (uint32_t)1 << 31;\n"
                               "    return x == x;\n"
                               "}\n"
                               "template <typename I> MNP_INLINE bool key_of(I x, uint64_t &key)\n"
                               "{\n"
                               "    const uint64_t half = (I)-1 < (I)0 ? (uint64_t)1 << (8 * sizeof(I) - 1) : 0;\n"
                               "    key = ((uint64_t)x + half) & ~(uint64_t)0 >> (64 - 8 * sizeof(I));\n"
                               "    return true;\n"
                               "}\n";

/*
 * The bin of an element: that of its digit among the bins of its prefix.  Elements with other prefixes are spread over
 * as many bins after these, as atomic additions to a single bin would wait for each other.
 */
static const char body[] =
    "uint64_t key = 0;\n"
    "const bool counts = key_of(%sx, key);\n"
    "const int64_t last = prefixes.size() - 1;\n"
    "const uint64_t head = key >> shift >> digit;\n"
    "int64_t low = 0, high = last;\n"
    "while (low < high) {\n"
    "    const int64_t middle = (low + high) / 2;\n"
    "    if (prefixes[middle] < head) low = middle + 1; else high = middle;\n"
    "}\n"
    "const uint64_t mask = ((uint64_t)1 << digit) - 1;\n"
    "const bool found = counts && prefixes[low] == head;\n"
    "bin = found ? low << digit | (int64_t)(key >> shift & mask) : (last + 1) << digit | (i & (int64_t)mask);\n";

static double value_of(mnp_dtype dtype, uint64_t key)
{
    uint64_t half = (uint64_t)1 << (width_of(dtype) - 1);
    char kind = mnp_dtype_kind(dtype);
    double value = 0;
    if (kind == 'b' || kind == 'u')
        return (double)key;
    if (kind == 'i')
        return (double)(int64_t)(key - half);
    uint64_t bits = key & half ? key - half : ~key;
    if (dtype == MNP_FLOAT64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t few = (uint32_t)bits;
    float single;
    memcpy(&single, &few, sizeof single);
    return (double)single;
}

/* ---- rounds ---- */

/* The number of bits of a digit: fewer if more prefixes have to be counted than there is memory for. */
static int digit_of(const selection *s)
{
    int left = s->width - s->known, digit = left < DIGIT ? left : DIGIT;
    while (digit > 1 && (int64_t)s->nprefixes << digit > s->most_bins)
        digit--;
    return digit;
}

static int64_t count_bins(const selection *s)
{
    return (int64_t)s->nprefixes << digit_of(s);
}

static void free_members(selection *s)
{
    mnp_elementwise_free(s->kernel);
    free(s->prefixes);
    free(s->prefix_of);
    free(s->counts);
}

void selection_free(selection *s)
{
    if (s)
        free_members(s);
    free(s);
}

static mnp_status fill_members(selection *s)
{
    size_t most = (size_t)(s->most > 0 ? s->most : 1);
    char text[sizeof body + 16];
    s->prefixes = calloc(most, sizeof *s->prefixes);
    s->prefix_of = calloc(most, sizeof *s->prefix_of);
    s->counts = calloc((size_t)1 << DIGIT, sizeof *s->counts);
    if (!s->prefixes || !s->prefix_of || !s->counts)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    snprintf(text, sizeof text, body, s->width == 32 && mnp_dtype_kind(s->dtype) == 'f' ? "(float)" : "");
    return mnp_elementwise_new(s->ctx, "T x, raw uint64 prefixes, int64 shift, int64 digit", "int64 bin", text,
                               &(mnp_elementwise_options){.name = "digits", .preamble = preamble}, &s->kernel);
}

mnp_status selection_new(mnp_ctx *ctx, mnp_dtype dtype, int most, int64_t memory, selection **selection_p)
{
    selection *s = malloc(sizeof *s);
    mnp_status status = s ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    int64_t bins = memory / BYTES_OF_BIN;
    bins = bins < MOST_BINS ? bins : MOST_BINS;
    if (s) {
        *s = (selection){.ctx = ctx, .dtype = dtype, .width = width_of(dtype), .most = most, .nprefixes = 1};
        s->most_bins = bins > (int64_t)1 << DIGIT ? bins : (int64_t)1 << DIGIT;
        status = fill_members(s);
    }
    status = mnp_agree(ctx, status);
    if (status != MNP_OK) {
        selection_free(s);
        return status;
    }
    *selection_p = s;
    return MNP_OK;
}

/* Make an array of the prefixes on the device. */
static mnp_status upload_prefixes(const selection *s, mnp_array **array_p)
{
    uint64_t *bits = malloc((size_t)s->nprefixes * sizeof *bits);
    mnp_status status = mnp_agree(s->ctx, bits ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host"));
    for (int k = 0; k < s->nprefixes && status == MNP_OK; k++)
        bits[k] = s->prefixes[k].bits;
    if (status == MNP_OK)
        status = mnp_array_from_host(s->ctx, MNP_UINT64, 1, (const int64_t[]){s->nprefixes}, bits, array_p);
    free(bits);
    return status;
}

/* Add the counts of the bins of prefixes; the device has others after them. */
static mnp_status add_counts(selection *s, const mnp_array *counted)
{
    int64_t bins = count_bins(s), all = mnp_array_shape(counted)[0];
    int64_t *counts = malloc((size_t)all * sizeof *counts);
    mnp_status status = mnp_agree(s->ctx, counts ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host"));
    if (status == MNP_OK)
        status = mnp_array_to_host(counted, MNP_ALL_RANKS, counts);
    for (int64_t b = 0; b < bins && status == MNP_OK; b++)
        s->counts[b] += counts[b];
    free(counts);
    return status;
}

mnp_status selection_add(selection *s, const mnp_array *array)
{
    mnp_array *prefixes = NULL, *bins = NULL, *counted = NULL;
    int digit = digit_of(s);
    mnp_status status = upload_prefixes(s, &prefixes);
    if (status == MNP_OK)
        status = mnp_elementwise_call(s->kernel,
                                      MNP_INPUTS(array, prefixes, mnp_scalar_int(s->ctx, s->width - s->known - digit),
                                                 mnp_scalar_int(s->ctx, digit)),
                                      MNP_OUTPUTS(&bins));
    if (status == MNP_OK)
        status = mnp_bincount(bins, NULL, count_bins(s), &counted);
    if (status == MNP_OK)
        status = add_counts(s, counted);
    mnp_free_all(prefixes, bins, counted);
    return status;
}

/* The prefix of the key at a place, longer by one digit. */
static prefix lengthen(const selection *s, int old, int64_t place)
{
    int digit = digit_of(s);
    const int64_t *counts = s->counts + ((int64_t)old << digit);
    prefix longer = {s->prefixes[old].bits << digit, s->prefixes[old].below};
    int64_t last = ((int64_t)1 << digit) - 1;
    for (int64_t d = 0; d < last && longer.below + counts[d] <= place; d++, longer.bits++)
        longer.below += counts[d];
    return longer;
}

static int compare_prefixes(const void *a, const void *b)
{
    const prefix *x = a, *y = b;
    return (x->bits > y->bits) - (x->bits < y->bits);
}

/* Take the distinct prefixes of the places for the next round. */
static void take_prefixes(selection *s, int count, const prefix *longer)
{
    s->nprefixes = 0;
    memcpy(s->prefixes, longer, (size_t)count * sizeof *longer);
    qsort(s->prefixes, (size_t)count, sizeof *s->prefixes, compare_prefixes);
    for (int i = 0; i < count; i++) {
        if (i == 0 || s->prefixes[i].bits != s->prefixes[s->nprefixes - 1].bits)
            s->prefixes[s->nprefixes++] = s->prefixes[i];
    }
    for (int i = 0; i < count; i++) {
        const prefix *found = bsearch(&longer[i], s->prefixes, (size_t)s->nprefixes, sizeof *found, compare_prefixes);
        s->prefix_of[i] = (int)(found - s->prefixes);
    }
}

mnp_status selection_narrow(selection *s, int count, const int64_t *places)
{
    int digit = digit_of(s);
    prefix *longer = malloc((size_t)(count > 0 ? count : 1) * sizeof *longer);
    if (longer) {
        for (int i = 0; i < count; i++)
            longer[i] = lengthen(s, s->prefix_of[i], places[i]);
        take_prefixes(s, count, longer);
        s->known = count > 0 ? s->known + digit : s->width;
        free(s->counts);
        s->counts = calloc((size_t)count_bins(s) + 1, sizeof *s->counts);
        free(longer);
    }
    return mnp_agree(s->ctx, longer && s->counts ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host"));
}

bool selection_done(const selection *s)
{
    return s->known == s->width;
}

double selection_value(const selection *s, int i)
{
    return value_of(s->dtype, s->prefixes[s->prefix_of[i]].bits);
}
