/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Systems with Toeplitz matrices, in float64 or complex128 on the CPU of every rank, each for its own right-hand sides.
 *
 * Levinson's recursion (Levinson: The Wiener RMS error criterion in filter design and prediction, 1947) as SciPy has
 * it, for matrices that need not be symmetric: f and g solve the leading systems for their first and their last unit
 * vector, and x for the first elements of b; each step makes all of them one element longer.  Stable where the leading
 * minors are not near 0, as of positive definite matrices.
 *
 * Cost for n rows: 5 n^2 operations, and 2 n^2 for each right-hand side; the memory of two vectors.
 */
#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>

#include <maniple/decompositions.h>
#include <maniple/join.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "linalg/factors/bands.h"
#include "linalg/cpu/on_cpu.h"

/*
 * a has n elements of the first column, and r as many of the first row; the columns of x are b's at first, n elements
 * apart; f and g have room for n.  0, or the order of a leading minor that is 0.
 */
#define LEVINSON(name, number)                                                                                         \
    static int64_t name(int64_t n, const number *a, const number *r, int64_t count, number *x, number *f, number *g)   \
    {                                                                                                                  \
        if (a[0] == 0)                                                                                                 \
            return 1;                                                                                                  \
        f[0] = g[0] = 1 / a[0];                                                                                        \
        for (int64_t c = 0; c < count; c++)                                                                            \
            x[c * n] *= f[0];                                                                                          \
        for (int64_t k = 1; k < n; k++) {                                                                              \
            number of_f = 0, of_g = 0;                                                                                 \
            for (int64_t i = 0; i < k; i++) {                                                                          \
                of_f += a[k - i] * f[i];                                                                               \
                of_g += r[i + 1] * g[i];                                                                               \
            }                                                                                                          \
            const number left = 1 - of_f * of_g;                                                                       \
            if (left == 0)                                                                                             \
                return k + 1;                                                                                          \
            f[k] = 0;                                                                                                  \
            for (int64_t i = k; i >= 0; i--) { /* g moves down by one element */                                       \
                const number before = i > 0 ? g[i - 1] : 0;                                                            \
                g[i] = (before - of_g * f[i]) / left;                                                                  \
                f[i] = (f[i] - of_f * before) / left;                                                                  \
            }                                                                                                          \
            for (int64_t c = 0; c < count; c++) {                                                                      \
                number *column = x + c * n, off = column[k];                                                           \
                for (int64_t i = 0; i < k; i++)                                                                        \
                    off -= a[k - i] * column[i];                                                                       \
                column[k] = 0;                                                                                         \
                for (int64_t i = 0; i <= k; i++)                                                                       \
                    column[i] += off * g[i];                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
LEVINSON(solve_real, double)
LEVINSON(solve_complex, double _Complex)

/* Solve for this rank's columns; the first column and row are those of a matrix of two columns. */
static mnp_status solve(const mnp__bands *bands, const mnp__dense *numbers, int64_t *minor_p)
{
    const int64_t n = bands->n;
    const size_t size = mnp_dtype_size(bands->dtype);
    char *work;
    void *data;
    MNP_TRY(mnp__malloc((size_t)(2 * n) * size + 1, &work));
    const mnp_status st = mnp__on_cpu_open(numbers->array, &data);
    if (st == MNP_OK && n > 0 && bands->dtype == MNP_FLOAT64) {
        const double *a = data;
        double *f = (double *)(void *)work;
        *minor_p = solve_real(n, a, a + n, bands->b.columns, bands->data, f, f + n);
    } else if (st == MNP_OK && n > 0) {
        const double _Complex *a = data;
        double _Complex *f = (double _Complex *)(void *)work;
        *minor_p = solve_complex(n, a, a + n, bands->b.columns, bands->data, f, f + n);
    }
    free(work);
    return st == MNP_OK ? mnp__on_cpu_close(numbers->array, data, false) : st;
}

static mnp_status check_vectors(const char *function, const mnp_array *c, const mnp_array *r)
{
    if (c->layout->ndim != 1 || r->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: c and r are not both vectors", function);
    if (c->layout->size != r->layout->size)
        return MNP_FAIL(MNP_ERR_ARG, "%s: c has %" PRId64 " elements, and r has %" PRId64, function, c->layout->size,
                        r->layout->size);
    return MNP_OK;
}

mnp_status mnp_solve_toeplitz(const mnp_array *c, const mnp_array *r, const mnp_array *b, mnp_array **x_p)
{
    static const char function[] = "mnp_solve_toeplitz";
    MNP_ENTER(c, b, x_p);
    MNP_NEED_OR_NULL(r);
    MNP_IN_BLOCKS(c);
    MNP_IN_BLOCKS(r);
    MNP_IN_BLOCKS(b);
    mnp__bands bands = {.data = NULL};
    mnp__dense numbers = {.array = NULL};
    mnp_array *own_r = NULL, *both = NULL;
    int64_t minor = 0;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 3, (const mnp_array *const[]){c, r ? r : c, b}));
    if (!r)
        MNP_TRY_OR(mnp_conjugate(c, &own_r), st, done);
    r = r ? r : own_r;
    MNP_TRY_OR(check_vectors(function, c, r), st, done);
    MNP_TRY_OR(mnp_stack((const mnp_array *const[]){c, r}, 2, 1, &both), st, done);
    MNP_TRY_OR(mnp__bands_open(function, both, c->layout->size, true, b, *x_p, &bands), st, done);
    MNP_TRY_OR(mnp__bands_read(&bands, both, &numbers), st, done);
    st = solve(&bands, &numbers, &minor);
    if (st == MNP_OK && minor != 0)
        st = MNP_FAIL(MNP_ERR_LINALG, "%s: the leading minor of order %" PRId64 " is 0", function, minor);
    MNP_TRY_OR(MNP_AGREE(b->ctx, st), st, done);
    st = mnp__bands_give(&bands, x_p);
done:
    mnp__dense_free(&numbers);
    mnp__bands_close(&bands);
    mnp_free_all(both, own_r);
    return st;
}
