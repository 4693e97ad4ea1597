/*
 * ilu0 and ic0: incomplete factors without fill of every rank's own block, computed on the CPU row by row, and solved
 * by levels where they are (relax.h).  (J. A. Meijerink, H. A. van der Vorst, "An iterative solution method for linear
 * systems of which the coefficient matrix is a symmetric M-matrix", Math. Comp. 31, 1977.)
 *
 * Entries between ranks are left out, so this is block Jacobi over the ranks.  ic0 works on the lower triangle alone.
 * Where a Hermitian matrix has a pivot that is not positive, its diagonal is enlarged by a fraction, doubled until it
 * works (T. A. Manteuffel, "An incomplete factorization technique for positive definite linear systems", Math. Comp.
 * 34, 1980).
 */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/own_block.h"
#include "sparse/precond.h"
#include "sparse/relax.h"

typedef double _Complex number;

enum { MOST_SHIFTS = 30 };

typedef struct factors {
    mnp_ctx *ctx;
    mnp__relax *lower, *upper;
    int64_t entries;
    int levels;   /* the most of any rank */
    double shift; /* the largest of any rank; 0 where none was needed */
} factors;

/* ---- factorisation ---- */

static mnp_status missing_pivot(const mnp_sparse *matrix, int64_t row, const char *what)
{
    return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): row %" PRId64 " has %s, so the matrix has no incomplete factors",
                    matrix->row_lo + row, what);
}

/*
 * In place: below the diagonal L, whose diagonal is 1, and U.  Row i loses multiples of the rows before it, where it
 * has entries; `place` finds them by column: -1 where there is none.
 */
static mnp_status factor_ilu(const mnp_sparse *matrix, mnp__own_block *a, int64_t *place)
{
    for (int64_t i = 0; i < a->rows; i++)
        place[i] = -1;
    for (int64_t i = 0; i < a->rows; i++) {
        if (a->diagonal[i] < 0)
            return missing_pivot(matrix, i, "no diagonal entry");
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
            place[a->columns[e]] = e;
        for (int64_t e = a->offsets[i]; e < a->diagonal[i]; e++) {
            const int32_t k = a->columns[e];
            const number factor = a->values[e] /= a->values[a->diagonal[k]];
            for (int64_t f = a->diagonal[k] + 1; f < a->offsets[k + 1]; f++)
                if (place[a->columns[f]] >= 0)
                    a->values[place[a->columns[f]]] -= factor * a->values[f];
        }
        if (!(cabs(a->values[a->diagonal[i]]) > 0))
            return missing_pivot(matrix, i, "a pivot of 0");
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
            place[a->columns[e]] = -1;
    }
    return MNP_OK;
}

/*
 * In place in the lower triangle: L with L L^H = A + shift * diag(A) on A's pattern.  False at a pivot that is not
 * positive.
 */
static bool factor_ic(mnp__own_block *a, double shift, int64_t *place)
{
    for (int64_t i = 0; i < a->rows; i++)
        place[i] = -1;
    for (int64_t i = 0; i < a->rows; i++) {
        double pivot = creal(a->values[a->diagonal[i]]) * (1 + shift);
        for (int64_t e = a->offsets[i]; e < a->diagonal[i]; e++) {
            const int32_t k = a->columns[e];
            number sum = a->values[e];
            for (int64_t f = a->offsets[k]; f < a->diagonal[k]; f++)
                if (place[a->columns[f]] >= 0)
                    sum -= a->values[place[a->columns[f]]] * conj(a->values[f]);
            a->values[e] = sum / a->values[a->diagonal[k]];
            pivot -= creal(a->values[e]) * creal(a->values[e]) + cimag(a->values[e]) * cimag(a->values[e]);
            place[k] = e;
        }
        if (!(pivot > 0))
            return false;
        a->values[a->diagonal[i]] = sqrt(pivot);
        for (int64_t e = a->offsets[i]; e < a->diagonal[i]; e++)
            place[a->columns[e]] = -1;
    }
    return true;
}

static mnp_status factor_ic_shifted(const mnp_sparse *matrix, mnp__own_block *a, int64_t *place, double *shift_p)
{
    const size_t size = (size_t)a->offsets[a->rows] * sizeof *a->values;
    number *original;
    for (int64_t i = 0; i < a->rows; i++) {
        if (a->diagonal[i] < 0)
            return missing_pivot(matrix, i, "no diagonal entry");
        if (!(creal(a->values[a->diagonal[i]]) > 0))
            return missing_pivot(matrix, i, "a diagonal entry that is not positive");
    }
    MNP_TRY(mnp__malloc(size, &original));
    memcpy(original, a->values, size);
    double shift = 0;
    bool factored = factor_ic(a, shift, place);
    for (int attempt = 0; !factored && attempt < MOST_SHIFTS; attempt++) {
        shift = shift > 0 ? 2 * shift : 1e-3;
        memcpy(a->values, original, size);
        factored = factor_ic(a, shift, place);
    }
    free(original);
    *shift_p = shift;
    if (!factored) /* as with NaN off the diagonal */
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): the matrix has no incomplete factors, however much its "
                        "diagonal is enlarged");
    return MNP_OK;
}

/* ---- the triangles ---- */

/* The upper triangle L^H of a lower one, with its diagonal; malloc'ed arrays of a new block. */
static mnp_status conjugate_transpose(const mnp__own_block *a, mnp__own_block *upper)
{
    const size_t rows = (size_t)a->rows, count = (size_t)a->offsets[a->rows];
    *upper = (mnp__own_block){.rows = a->rows};
    MNP_TRY(mnp__calloc(rows + 2, sizeof *upper->offsets, &upper->offsets));
    MNP_TRY(mnp__malloc(count * sizeof *upper->columns, &upper->columns));
    MNP_TRY(mnp__malloc(count * sizeof *upper->values, &upper->values));
    int64_t *next = upper->offsets + 1;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e <= a->diagonal[i]; e++)
            next[a->columns[e] + 1]++;
    for (int64_t i = 0; i < a->rows; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t e = a->offsets[i]; e <= a->diagonal[i]; e++) {
            const int64_t at = next[a->columns[e]]++;
            upper->columns[at] = (int32_t)i;
            upper->values[at] = conj(a->values[e]);
        }
    }
    return MNP_OK;
}

/* The relaxations that solve with both triangles.  inverse: room for a number a row. */
static mnp_status make_triangles(factors *f, const mnp_sparse *matrix, const mnp__own_block *a, bool hermitian,
                                 number *inverse)
{
    mnp__own_block transposed = {.rows = 0};
    for (int64_t i = 0; i < a->rows; i++)
        inverse[i] = 1 / a->values[a->diagonal[i]]; /* that of L in ic0 is real, so it is that of L^H too */
    MNP_TRY(mnp__relax_new(matrix->ctx, matrix->dtype, a, hermitian ? inverse : NULL, MNP__RELAX_LOWER, &f->lower));
    mnp_status st = hermitian ? conjugate_transpose(a, &transposed) : MNP_OK;
    if (st == MNP_OK)
        st = mnp__relax_new(matrix->ctx, matrix->dtype, hermitian ? &transposed : a, inverse, MNP__RELAX_UPPER,
                            &f->upper);
    mnp__own_block_free(&transposed);
    return st;
}

static mnp_status build(factors *f, const mnp_sparse *matrix, bool hermitian)
{
    mnp__own_block a;
    int64_t *place = NULL;
    number *inverse = NULL;
    mnp_status st;
    MNP_TRY(mnp__own_block_of(matrix, &a));
    MNP_TRY_OR(mnp__malloc((size_t)a.rows * sizeof *place, &place), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)a.rows * sizeof *inverse, &inverse), st, done);
    st = hermitian ? factor_ic_shifted(matrix, &a, place, &f->shift) : factor_ilu(matrix, &a, place);
    if (st == MNP_OK)
        st = make_triangles(f, matrix, &a, hermitian, inverse);
    f->entries = a.offsets[a.rows];
done:
    free(inverse);
    free(place);
    mnp__own_block_free(&a);
    return st;
}

/* ---- the kind ---- */

static mnp_status factor_apply(void *data, const mnp_array *x, mnp_array *y)
{
    const factors *f = data;
    const mnp__sweep lower = {.b = x->data, .from = y->data, .x = y->data, .width = 1};
    mnp__sweep upper = lower;
    upper.b = y->data;
    MNP_TRY(mnp__relax_run(f->lower, &lower));
    return mnp__relax_run(f->upper, &upper);
}

static void factor_describe(const void *data, FILE *file)
{
    const factors *f = data;
    fprintf(file, "%" PRId64 " entries in all ranks' own blocks, solved in at most %d levels twice an application",
            f->entries, f->levels);
    if (f->shift > 0)
        fprintf(file, "; the diagonal was enlarged by %.3g of itself", f->shift);
}

static void factor_free(mnp_ctx *ctx, void *data)
{
    factors *f = data;
    (void)ctx;
    if (f) {
        mnp__relax_free(f->lower);
        mnp__relax_free(f->upper);
    }
    free(f);
}

/* What describe tells, of all ranks. */
static mnp_status sum_up(factors *f)
{
    int levels[2] = {mnp__relax_groups(f->lower), mnp__relax_groups(f->upper)};
    f->levels = levels[0] > levels[1] ? levels[0] : levels[1];
    MNP_TRY(mnp__all_reduce(&f->ctx->comm, &f->entries, 1, MPI_INT64_T, MPI_SUM));
    MNP_TRY(mnp__all_reduce(&f->ctx->comm, &f->levels, 1, MPI_INT, MPI_MAX));
    return mnp__all_reduce(&f->ctx->comm, &f->shift, 1, MPI_DOUBLE, MPI_MAX);
}

mnp_status mnp__precond_factor(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                               const mnp__precond_ops **ops_p, void **data_p)
{
    static const mnp__precond_ops ops = {.apply = factor_apply, .describe = factor_describe, .free = factor_free};
    factors *f = NULL;
    (void)options;
    mnp_status st = mnp__calloc(1, sizeof *f, &f);
    if (st == MNP_OK) {
        f->ctx = matrix->ctx;
        st = build(f, matrix, kind == MNP_PRECOND_IC0);
    }
    st = MNP_AGREE(matrix->ctx, st);
    if (st == MNP_OK)
        st = mnp__relax_load(f->lower);
    if (st == MNP_OK)
        st = mnp__relax_load(f->upper);
    if (st == MNP_OK)
        st = sum_up(f);
    if (st == MNP_OK) {
        *ops_p = &ops;
        *data_p = f;
    } else {
        factor_free(matrix->ctx, f);
    }
    return st;
}
