/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Membership: the elements to look among are sorted, and every element is sought there by bisection.
 *
 * The host has two quicker ways, both NumPy's: a few elements are compared one by one, by vectors; and where integers
 * lie in a range that is not much longer than the arrays, those that are there are marked in a table of that range.
 */
#include "ops/sets/among.h"

#include <string.h>

#include <maniple/create.h>
#include <maniple/join.h>
#include <maniple/select.h>
#include <maniple/sort.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/output.h"
#include "base/value.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/sets/search.h"
#include "ops/statistics/histogram.h"

enum { FEW = 8, TABLE_RATIO = 6 };

/* ---- one by one ---- */

#define EQUALS(i) "mnp_equal(value, (mnp_type0)few[" #i "]).value"
#define EQUALS_ANY                                                                                                     \
    EQUALS(0)                                                                                                          \
    " | " EQUALS(1) " | " EQUALS(2) " | " EQUALS(3) " | " EQUALS(4) " | " EQUALS(5) " | " EQUALS(6) " | " EQUALS(7)

#define FORMULA_OF_FEW(text, answer)                                                                                   \
    {                                                                                                                  \
        .name = text, .body = "out = mnp_truth(" answer ");", .type = MNP_BOOL, .ninputs = 2, .inputs = {              \
            {"few", MNP_DTYPE_AUTO, .raw = true},                                                                      \
            {"value", MNP_DTYPE_AUTO}                                                                                  \
        }                                                                                                              \
    }

static const mnp__formula of_few[] = {FORMULA_OF_FEW("among_few", EQUALS_ANY),
                                      FORMULA_OF_FEW("not_among_few", "!(" EQUALS_ANY ")")};

static mnp_status compare(const char *function, const mnp_array *x, const mnp_array *flat, bool invert,
                          mnp_array **out_p)
{
    const int64_t repeats = FEW;
    mnp_array *many = NULL, *few = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_tile(flat, 1, &repeats, &many), st, done); /* the compiler knows how many there are */
    MNP_TRY_OR(mnp_view(many, &few, MNP_RANGE(0, FEW)), st, done);
    st = mnp__formula_run(x->ctx, &(mnp__formula_call){.function = function,
                                                       .formula = &of_few[invert],
                                                       .inputs = (const mnp_array *[]){few, x},
                                                       .outputs_p = &out_p,
                                                       .type = mnp_dtype_promote(flat->dtype, x->dtype),
                                                       .result = MNP_BOOL});
done:
    mnp_free_all(many, few);
    return st;
}

/* ---- a table ---- */

#define FORMULA_OF_TABLE(text, answer)                                                                                 \
    {                                                                                                                  \
        .name = text,                                                                                                  \
        .body = "const uint64_t place = (uint64_t)value - (uint64_t)least;\n"                                          \
                "const bool there = place < (uint64_t)table.size() && table[place].value;\n"                           \
                "out = mnp_truth(" answer ");",                                                                        \
        .type = MNP_BOOL, .ninputs = 3, .inputs = {                                                                    \
            {"table", MNP_BOOL, .raw = true},                                                                          \
            {"value", MNP_INT64},                                                                                      \
            {"least", MNP_INT64}                                                                                       \
        }                                                                                                              \
    }

static const mnp__formula of_table[] = {FORMULA_OF_TABLE("in_table", "there"),
                                        FORMULA_OF_TABLE("not_in_table", "!there")};

/* Integers that int64 holds. */
static bool are_whole(const mnp_array *x)
{
    return strchr("iu", mnp_dtype_kind(x->dtype)) && x->dtype != MNP_UINT64;
}

/* The table: element i tells whether `least` + i is there. */
static mnp_status make_table(const mnp_array *flat, int64_t least, int64_t length, mnp_array **table_p)
{
    mnp_array *numbers = NULL, *places = NULL, *table = NULL;
    mnp_ctx *ctx = flat->ctx;
    mnp_status st;
    MNP_TRY_OR(mnp_astype(flat, MNP_INT64, &numbers), st, done);
    MNP_TRY_OR(mnp_subtract(numbers, mnp_scalar_int(ctx, least), &places), st, done);
    MNP_TRY_OR(mnp_zeros(ctx, MNP_BOOL, 1, &length, &table), st, done);
    st = mnp_put(table, places, mnp_scalar_int(ctx, 1), MNP_WRAP);
done:
    mnp_free_all(numbers, places);
    if (st == MNP_OK)
        *table_p = table;
    else
        mnp_array_free(table);
    return st;
}

/* Look in a table if one suits, which *done tells. */
static mnp_status look_in_table(const char *function, const mnp_array *x, const mnp_array *flat, bool invert,
                                mnp_array **out_p, bool *done)
{
    mnp__value limits[2];
    mnp_array *table = NULL;
    MNP_TRY(mnp__limits(function, flat, &limits[0], &limits[1]));
    const int64_t least = mnp__value_as_int64(&limits[0]), most = mnp__value_as_int64(&limits[1]);
    const uint64_t span = (uint64_t)most - (uint64_t)least;
    *done = span / TABLE_RATIO < (uint64_t)(x->layout->size + flat->layout->size);
    if (!*done)
        return MNP_OK;
    MNP_TRY(make_table(flat, least, (int64_t)span + 1, &table));
    mnp_status st = mnp__formula_run(
        x->ctx, &(mnp__formula_call){.function = function,
                                     .formula = &of_table[invert],
                                     .inputs = (const mnp_array *[]){table, x, mnp_scalar_int(x->ctx, least)},
                                     .outputs_p = &out_p,
                                     .result = MNP_BOOL});
    mnp_array_free(table);
    return st;
}

/* ---- bisection ---- */

static mnp_status bisect(const char *function, const mnp_array *x, const mnp_array *flat, bool invert,
                         mnp_array **out_p)
{
    mnp_array *sorted = NULL;
    MNP_TRY(mnp_sort(flat, 0, &sorted));
    mnp_status st = mnp__search(function, invert ? MNP__NOT_AMONG : MNP__AMONG, sorted, x, NULL, out_p);
    mnp_array_free(sorted);
    return st;
}

static mnp_status look(const char *function, const mnp_array *x, const mnp_array *flat, bool invert, mnp_array **out_p)
{
    const int64_t count = flat->layout->size;
    bool done = false;
    if (x->ctx->device->block_memory == 0 && count > 0) {
        if (count <= FEW)
            return compare(function, x, flat, invert, out_p);
        if (are_whole(x) && are_whole(flat))
            MNP_TRY(look_in_table(function, x, flat, invert, out_p, &done));
    }
    return done ? MNP_OK : bisect(function, x, flat, invert, out_p);
}

mnp_status mnp__look_among(const char *function, const mnp_array *x, const mnp_array *test, bool invert,
                           mnp_array **out_p)
{
    const mnp__output_spec spec = {
        .function = function, .ctx = x->ctx, .dtype = MNP_BOOL, .ndim = x->layout->ndim, .shape = x->layout->shape};
    mnp_array *flat = NULL;
    MNP_TRY(mnp__output_check(&spec, *out_p));
    MNP_TRY(mnp_ravel(test, &flat));
    mnp_status st = look(function, x, flat, invert, out_p);
    mnp_array_free(flat);
    return st;
}
