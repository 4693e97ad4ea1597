/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems with banded matrices, by LAPACK on the CPU of every rank, each for its own right-hand sides. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/decompositions.h>

#include "array/input.h"
#include "linalg/factors/bands.h"
#include "linalg/cpu/on_cpu.h"

/* A copy of the diagonals for LAPACK to destroy, with `above` more rows at its top. */
static mnp_status copy_bands(const mnp__dense *bands, int64_t above, void **copy_p)
{
    const size_t size = mnp_dtype_size(bands->array->dtype), rows = (size_t)bands->m, ld = rows + (size_t)above;
    void *data;
    char *copy;
    MNP_TRY(mnp__calloc(ld * (size_t)bands->n + 1, size, &copy));
    const mnp_status st = mnp__on_cpu_open(bands->array, &data);
    for (size_t j = 0; st == MNP_OK && j < (size_t)bands->n; j++)
        memcpy(copy + (j * ld + (size_t)above) * size, (const char *)data + j * rows * size, rows * size);
    if (st != MNP_OK) {
        free(copy);
        return st;
    }
    *copy_p = copy;
    return mnp__on_cpu_close(bands->array, data, false);
}

/* What LAPACK reports.  All ranks factor the same matrix, but may differ by rounding where their processors do. */
static mnp_status report(const char *function, bool positive, int info)
{
    if (info == 0)
        return MNP_OK;
    return positive ? MNP_FAIL(MNP_ERR_LINALG,
                               "%s: the matrix is not positive definite: its leading minor of order %d is not positive",
                               function, info)
                    : MNP_FAIL(MNP_ERR_LINALG, "%s: the matrix " MNP__SINGULAR, function, info);
}

static mnp_status solve(const char *function, const mnp_array *ab, mnp__banded *system, const mnp_array *b,
                        mnp_array **x_p)
{
    mnp__bands bands = {.data = NULL};
    mnp__dense numbers = {.array = NULL};
    int info = 0;
    mnp_status st;
    MNP_TRY_OR(mnp__bands_open(function, ab, system->n, false, b, *x_p, &bands), st, done);
    MNP_TRY_OR(mnp__bands_read(&bands, ab, &numbers), st, done);
    system->dtype = bands.dtype;
    system->count = bands.b.columns;
    system->b = bands.data;
    st = copy_bands(&numbers, system->positive ? 0 : system->l, &system->ab);
    if (st == MNP_OK && system->n > 0)
        st = mnp__lapack_banded(b->ctx->device, system, &info);
    if (st == MNP_OK)
        st = report(function, system->positive, info);
    MNP_TRY_OR(MNP_AGREE(b->ctx, st), st, done);
    st = mnp__bands_give(&bands, x_p);
done:
    free(system->ab);
    mnp__dense_free(&numbers);
    mnp__bands_close(&bands);
    return st;
}

/* MNP_ERR_ARG unless ab is one matrix, with so many rows; negative: any. */
static mnp_status check_bands(const char *function, const mnp_array *ab, int64_t rows)
{
    MNP_TRY(mnp__linalg_check(function, ab, false));
    if (ab->layout->ndim != 2 || mnp__rows(ab) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: ab is not one matrix of diagonals", function);
    if (rows >= 0 && mnp__rows(ab) != rows)
        return MNP_FAIL(MNP_ERR_ARG, "%s: ab has %" PRId64 " rows, and l + u + 1 is %" PRId64, function, mnp__rows(ab),
                        rows);
    return MNP_OK;
}

mnp_status mnp_solve_banded(int64_t l, int64_t u, const mnp_array *ab, const mnp_array *b, mnp_array **x_p)
{
    static const char function[] = "mnp_solve_banded";
    MNP_ENTER(ab, b, x_p);
    MNP_IN_BLOCKS(ab);
    MNP_IN_BLOCKS(b);
    if (l < 0 || u < 0 || l > INT32_MAX || u > INT32_MAX)
        return MNP_FAIL(MNP_ERR_ARG, "%s: l and u are %" PRId64 " and %" PRId64 ", which are no numbers of diagonals",
                        function, l, u);
    MNP_TRY(check_bands(function, ab, l + u + 1));
    mnp__banded system = {.n = mnp__columns(ab), .l = l, .u = u};
    return solve(function, ab, &system, b, x_p);
}

mnp_status mnp_solveh_banded(const mnp_array *ab, const mnp_array *b, bool lower, mnp_array **x_p)
{
    static const char function[] = "mnp_solveh_banded";
    MNP_ENTER(ab, b, x_p);
    MNP_IN_BLOCKS(ab);
    MNP_IN_BLOCKS(b);
    MNP_TRY(check_bands(function, ab, -1));
    mnp__banded system = {.positive = true, .lower = lower, .n = mnp__columns(ab), .u = mnp__rows(ab) - 1};
    return solve(function, ab, &system, b, x_p);
}
