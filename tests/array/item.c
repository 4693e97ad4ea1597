/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers out of arrays: from and to every dtype, wherever the element is; what a type does not hold is refused on all
 * ranks, and nothing is written.
 */
#include <maniple.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "tests/tap.h"

static mnp_ctx *ctx;

/* An array with one element of that number, with `ndim` dimensions, which the last rank owns if it is told to. */
static mnp_array *one(mnp_dtype dtype, double number, int ndim, bool on_last)
{
    static const int64_t shape[MNP_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    unsigned char element[16];
    mnp_array *x = NULL, *moved = NULL;
    mnp_layout *layout = NULL;
    mnp__value_write(&(mnp__value){.kind = 'f', .re = number}, dtype, element);
    if (mnp_full(ctx, dtype, ndim, shape, element, &x) != MNP_OK || !on_last)
        return x;
    if (mnp_layout_on_root(mnp_ctx_size(ctx), mnp_ctx_size(ctx) - 1, ndim, shape, &layout) != MNP_OK ||
        mnp_redistribute(x, layout, &moved) != MNP_OK)
        mnp_exit(1);
    mnp_layout_free(layout);
    mnp_array_free(x);
    return moved;
}

static void check_dtypes(void)
{
    for (int from = MNP_BOOL; from < MNP_NUM_DTYPES; from++) {
        bool good = true;
        const double number = from == MNP_BOOL ? 1 : 3;
        for (int to = MNP_BOOL; to < MNP_NUM_DTYPES; to++) {
            unsigned char element[16];
            mnp_array *x = one((mnp_dtype)from, number, to % 4, to % 2);
            const mnp_status st = mnp_array_item(x, (mnp_dtype)to, element);
            if (to == MNP_BOOL && number != 1) {
                good = good && st == MNP_ERR_ARG;
            } else {
                const mnp__value value = mnp__value_read((mnp_dtype)to, element);
                good = good && st == MNP_OK && mnp__value_as_double(&value) == number;
            }
            mnp_array_free(x);
        }
        ok(good, "a number of %s in every dtype", mnp_dtype_name((mnp_dtype)from));
    }
}

/* By the pointer's type. */
static void check_pointers(void)
{
    mnp_array *x = one(MNP_FLOAT32, 1e9, 0, false), *y = one(MNP_UINT8, 200, 2, true),
              *truth = one(MNP_BOOL, 1, 1, false);
    double d = 0;
    float f = 0;
    int i = 0;
    long l = 0;
    int64_t wide = 0;
    unsigned char c = 0;
    bool b = false;
    double _Complex z = 0;
    ok(mnp_item(x, &d) == MNP_OK && d == 1e9 && mnp_item(x, &f) == MNP_OK && f == 1e9F && mnp_item(x, &i) == MNP_OK &&
           i == 1000000000 && mnp_item(x, &wide) == MNP_OK && wide == 1000000000 && mnp_item(x, &z) == MNP_OK &&
           z == 1e9,
       "a float32 into variables of other types: %s", mnp_error_message());
    ok(mnp_item(y, &c) == MNP_OK && c == 200 && mnp_item(y, &l) == MNP_OK && l == 200 &&
           mnp_item(truth, &b) == MNP_OK && b && mnp_item(MNP_SCALAR(ctx, 2.5), &d) == MNP_OK && d == 2.5,
       "integers, truth, and a scalar");
    mnp_free_all(x, y, truth);
}

static void check_refusals(void)
{
    static const struct {
        mnp_dtype from;
        double number;
        mnp_dtype to;
        const char *words;
    } lost[] = {{MNP_FLOAT64, 2.5, MNP_INT64, "the float64 2.5, which int64 does not hold"},
                {MNP_FLOAT32, 3e9, MNP_INT32, "which int32 does not"},
                {MNP_INT8, -1, MNP_UINT64, "the int8 -1, which uint64 does not hold"},
                {MNP_UINT64, 0x1p63, MNP_INT64, "the uint64 9223372036854775808"},
                {MNP_FLOAT64, 1e300, MNP_FLOAT32, "which float32 does"},
                {MNP_FLOAT64, 1e300, MNP_COMPLEX64, "which complex64 does"},
                {MNP_FLOAT64, NAN, MNP_INT16, "nan, which int16"},
                {MNP_FLOAT64, INFINITY, MNP_UINT8, "inf, which uint8"},
                {MNP_INT32, 2, MNP_BOOL, "which bool does"}};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        unsigned char element[16], before[16];
        memset(element, 0x5a, sizeof element);
        memset(before, 0x5a, sizeof before);
        mnp_array *x = one(lost[i].from, lost[i].number, 0, false);
        const mnp_status st = mnp_array_item(x, lost[i].to, element);
        ok(st == MNP_ERR_ARG && strstr(mnp_error_message(), lost[i].words) && memcmp(element, before, 16) == 0,
           "refused: %s", mnp_error_message());
        mnp_array_free(x);
    }
    double d = 7;
    mnp_array *x = NULL;
    const double _Complex z = 1 - 2 * I;
    mnp_full(ctx, MNP_COMPLEX128, 0, NULL, &z, &x);
    ok(mnp_item(x, &d) == MNP_ERR_ARG && d == 7, "refused: %s", mnp_error_message());
    mnp_array_free(x);
    x = NULL;
    mnp_zeros(ctx, MNP_FLOAT64, 2, (int64_t[]){2, 3}, &x);
    ok(mnp_item(x, &d) == MNP_ERR_ARG && d == 7 && strstr(mnp_error_message(), "6 elements"), "refused: %s",
       mnp_error_message());
    ok(mnp_array_item(NULL, MNP_FLOAT64, &d) == MNP_ERR_ARG && mnp_array_item(x, MNP_FLOAT64, NULL) == MNP_ERR_ARG &&
           mnp_array_items(0, NULL) == MNP_ERR_ARG &&
           mnp_array_item(MNP_SCALAR(ctx, 1), (mnp_dtype)99, &d) == MNP_ERR_ARG,
       "no array, no place, no requests, no dtype");
    mnp_array_free(x);
}

static void check_several(void)
{
    enum { MANY = 30 };
    mnp_array *x = one(MNP_FLOAT64, 2.5, 1, false), *n = one(MNP_INT64, 12, 2, true), *many[MANY];
    mnp_item_request requests[MANY];
    double sum = 0, numbers[MANY];
    int count = 0;
    ok(mnp_items(MNP_ITEM(x, &sum), MNP_ITEM(n, &count), MNP_ITEM(MNP_SCALAR(ctx, 4), &numbers[0])) == MNP_OK &&
           sum == 2.5 && count == 12 && numbers[0] == 4,
       "several at once");
    sum = -1;
    ok(mnp_items(MNP_ITEM(n, &sum), MNP_ITEM(x, &count)) == MNP_ERR_ARG && sum == -1 && count == 12,
       "all of them or none: %s", mnp_error_message());
    bool good = true;
    for (int i = 0; i < MANY; i++) {
        many[i] = one(MNP_FLOAT32, i, i % 3, i % 2);
        requests[i] = MNP_ITEM(many[i], &numbers[i]);
    }
    good = mnp_array_items(MANY, requests) == MNP_OK;
    for (int i = 0; i < MANY; i++) {
        good = good && numbers[i] == i;
        mnp_array_free(many[i]);
    }
    ok(good, "many at once");
    mnp_free_all(x, n);
}

static void check_whole(void)
{
    const int32_t given[] = {1, -2, 3, 100000, 5};
    double values[5] = {0};
    float narrow[5] = {0};
    int32_t same[5] = {0};
    mnp_array *x = NULL, *y = NULL;
    mnp_array_from_host(ctx, MNP_INT32, 1, (int64_t[]){5}, given, &x);
    bool good = mnp_to_host(x, MNP_ALL_RANKS, values) == MNP_OK && mnp_to_host(x, MNP_ALL_RANKS, same) == MNP_OK;
    for (int i = 0; i < 5; i++)
        good = good && values[i] == given[i] && same[i] == given[i];
    good = good && mnp_multiply(x, MNP_SCALAR(ctx, 0.5), &y) == MNP_OK && mnp_to_host(y, 0, narrow) == MNP_OK;
    for (int i = 0; i < 5; i++)
        good = good && narrow[i] == (mnp_ctx_rank(ctx) == 0 ? 0.5F * (float)given[i] : 0);
    ok(good, "a whole array in another type: %s", mnp_error_message());
    ok(mnp_to_host(y, 0, same) == MNP_ERR_ARG && strstr(mnp_error_message(), "mnp_astype") && same[3] == 100000,
       "floats do not become integers by themselves: %s", mnp_error_message());
    mnp_free_all(x, y);
}

int main(void)
{
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    check_dtypes();
    check_pointers();
    check_refusals();
    check_several();
    check_whole();
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
