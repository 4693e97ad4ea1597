/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ilu0 and ic0: incomplete factors without fill of every rank's own block, computed on the CPU row by row
 * (factor_rows.h), and solved by levels in device memory (level_sweep.h).  (J. A. Meijerink, H. A. van der Vorst, "An
 * iterative solution method for linear systems of which the coefficient matrix is a symmetric M-matrix", Math. Comp.
 * 31, 1977.)
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

#include "sparse/precond/level_sweep.h"
#include "sparse/precond/own_block.h"
#include "sparse/precond/precond.h"
#include "sparse/step/elements.h"

enum { MOST_SHIFTS = 30 };

typedef struct factors {
    mnp_ctx *ctx;
    mnp__level_sweep *lower, *upper;
    int64_t entries;
    int levels;   /* the most of any rank */
    double shift; /* the largest of any rank; 0 where none was needed */
} factors;

/* The block to be factored. */
struct block {
    const mnp_sparse *matrix;
    mnp__own_block own;
    const mnp__pattern *pattern; /* its */
    int64_t *diagonal;           /* the entry's number, or -1 where none is stored */
    void *values;                /* double or double _Complex */
    bool is_complex;
};

/* ---- factorisation ---- */

static mnp_status missing_pivot(const struct block *a, int64_t row, const char *what)
{
    return MNP_FAIL(MNP_ERR_ARG,
                    "mnp_precond_new(): row %" PRId64
                    " (counted from 0) has %s, so the matrix has no incomplete factors",
                    a->matrix->row_lo + row, what);
}

#define NUMBER double
#define NAMED(name) name##_real
#define REAL(x) (x)
#define CONJUGATE(x) (x)
#define MAGNITUDE(x) fabs(x)
#define SQUARE(x) ((x) * (x))
#include "sparse/precond/factor_rows.h"

#define NUMBER double _Complex
#define NAMED(name) name##_complex
#define REAL(x) creal(x)
#define CONJUGATE(x) conj(x)
#define MAGNITUDE(x) cabs(x)
#define SQUARE(x) (creal(x) * creal(x) + cimag(x) * cimag(x))
#include "sparse/precond/factor_rows.h"

/* The real part of a value. */
static double real_part(const struct block *a, int64_t entry)
{
    return ((const double *)a->values)[a->is_complex ? 2 * entry : entry];
}

static mnp_status factor_ilu(const struct block *a, int64_t *place)
{
    for (int64_t i = 0; i < a->pattern->rows; i++)
        place[i] = -1;
    return a->is_complex ? factor_ilu_complex(a, a->values, place) : factor_ilu_real(a, a->values, place);
}

static bool factor_ic(const struct block *a, double shift, int64_t *place)
{
    return a->is_complex ? factor_ic_complex(a, a->values, shift, place) : factor_ic_real(a, a->values, shift, place);
}

static mnp_status factor_ic_shifted(struct block *a, int64_t *place, double *shift_p)
{
    for (int64_t i = 0; i < a->pattern->rows; i++) {
        if (a->diagonal[i] < 0)
            return missing_pivot(a, i, "no diagonal entry");
        if (!(real_part(a, a->diagonal[i]) > 0))
            return missing_pivot(a, i, "a diagonal entry that is not positive");
    }
    double shift = 0;
    bool factored = factor_ic(a, shift, place);
    for (int attempt = 0; !factored && attempt < MOST_SHIFTS; attempt++) {
        shift = shift > 0 ? 2 * shift : 1e-3;
        free(a->values);
        a->values = NULL;
        MNP_TRY(mnp__own_block_values(&a->own, true, &a->values));
        factored = factor_ic(a, shift, place);
    }
    *shift_p = shift;
    if (!factored) /* as with NaN off the diagonal */
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): the matrix has no incomplete factors, however much its "
                                     "diagonal is enlarged");
    return MNP_OK;
}

/* ---- the triangles ---- */

/* One divided by the diagonal, malloc'ed; in ic0 L and L^H share it. */
static mnp_status invert_diagonal(const struct block *a, void **inverse_p)
{
    const mnp_dtype dtype = a->own.dtype;
    void *inverse;
    MNP_TRY(mnp__malloc((size_t)a->pattern->rows * mnp_dtype_size(dtype), &inverse));
    for (int64_t i = 0; i < a->pattern->rows; i++) {
        const int64_t e = a->diagonal[i];
        const double _Complex pivot = a->is_complex ? ((const double _Complex *)a->values)[e] : real_part(a, e);
        mnp__store_value(dtype, inverse, i, mnp__divide_by(dtype, 1, pivot));
    }
    *inverse_p = inverse;
    return MNP_OK;
}

/* The upper triangle L^H of a lower one, with its diagonal: pattern and values, as wide as those of L. */
static mnp_status conjugate_transpose(const struct block *a, mnp__pattern *upper, void **values_p)
{
    const mnp__pattern *lower = a->pattern;
    *upper = (mnp__pattern){.rows = lower->rows};
    MNP_TRY(mnp__calloc((size_t)lower->rows + 2, sizeof *upper->offsets, &upper->offsets));
    int64_t *next = upper->offsets + 1;
    for (int64_t i = 0; i < lower->rows; i++)
        for (int64_t e = lower->offsets[i]; e <= a->diagonal[i]; e++)
            next[lower->columns[e] + 1]++;
    for (int64_t i = 0; i < lower->rows; i++)
        next[i + 1] += next[i];
    const size_t count = (size_t)next[lower->rows];
    MNP_TRY(mnp__malloc(count * sizeof *upper->columns, &upper->columns));
    MNP_TRY(mnp__malloc(count * (a->is_complex ? sizeof(double _Complex) : sizeof(double)), values_p));
    if (a->is_complex)
        transpose_values_complex(a, a->values, next, upper->columns, *values_p);
    else
        transpose_values_real(a, a->values, next, upper->columns, *values_p);
    return MNP_OK;
}

/* The sweep that solves with L^H. */
static mnp_status make_transposed(factors *f, const struct block *a, const void *inverse,
                                  mnp__level_sweep_source source)
{
    mnp_ctx *ctx = a->matrix->ctx;
    mnp__pattern upper;
    mnp__part part = {.rows = 0};
    void *values = NULL;
    mnp_status st = conjugate_transpose(a, &upper, &values);
    if (st == MNP_OK) {
        const mnp__part made = {.format = MNP_CSR,
                                .rows = upper.rows,
                                .columns = upper.rows,
                                .lines = upper.rows,
                                .count = upper.offsets[upper.rows],
                                .offset_size = sizeof *upper.offsets,
                                .offsets = upper.offsets,
                                .indices = upper.columns,
                                .values = values};
        mnp__narrow_values(a->own.dtype, made.count, values);
        st = mnp__part_upload(ctx, a->own.dtype, made.offset_size, &made, &part);
    }
    free(values);
    source.part = &part;
    source.pattern = &upper;
    if (st == MNP_OK)
        st = mnp__level_sweep_new(&source, inverse, MNP__SWEEP_UPPER, &f->upper);
    mnp__part_release(ctx, &part);
    mnp__pattern_free(&upper);
    return st;
}

/* The factored values in device memory; those on the CPU are freed. */
static mnp_status upload_values(struct block *a, void **device_p)
{
    const int64_t count = a->own.csr.count;
    mnp__narrow_values(a->own.dtype, count, a->values);
    MNP_TRY(mnp__elements_upload(a->matrix->ctx, count, mnp_dtype_size(a->own.dtype), a->values, device_p));
    free(a->values);
    a->values = NULL;
    return MNP_OK;
}

/* The sweeps that solve with both triangles. */
static mnp_status make_triangles(factors *f, struct block *a, bool hermitian, mnp__level_sweep_source source)
{
    mnp__part factored = a->own.csr; /* with values of its own */
    void *inverse = NULL;
    mnp_status st;
    factored.values = NULL;
    MNP_TRY(invert_diagonal(a, &inverse));
    if (hermitian)
        MNP_TRY_OR(make_transposed(f, a, inverse, source), st, done);
    MNP_TRY_OR(upload_values(a, &factored.values), st, done);
    source.part = &factored;
    source.pattern = a->pattern;
    MNP_TRY_OR(mnp__level_sweep_new(&source, hermitian ? inverse : NULL, MNP__SWEEP_LOWER, &f->lower), st, done);
    if (!hermitian)
        st = mnp__level_sweep_new(&source, inverse, MNP__SWEEP_UPPER, &f->upper);
done:
    f->ctx->device->ops->free(f->ctx->device, factored.values);
    free(inverse);
    return st;
}

/* ---- the block ---- */

static mnp_status find_diagonal(struct block *a)
{
    const mnp__pattern *pattern = a->pattern;
    MNP_TRY(mnp__malloc((size_t)pattern->rows * sizeof *a->diagonal, &a->diagonal));
    for (int64_t i = 0; i < pattern->rows; i++) {
        int64_t e = pattern->offsets[i];
        while (e < pattern->offsets[i + 1] && pattern->columns[e] < i)
            e++;
        a->diagonal[i] = e < pattern->offsets[i + 1] && pattern->columns[e] == i ? e : -1;
    }
    return MNP_OK;
}

static mnp_status open_block(const mnp_sparse *matrix, struct block *a)
{
    MNP_TRY(mnp__own_block_open(matrix, &a->own));
    MNP_TRY(find_diagonal(a));
    return mnp__own_block_values(&a->own, true, &a->values);
}

static void close_block(struct block *a)
{
    mnp__own_block_close(&a->own);
    free(a->diagonal);
    free(a->values);
}

/* This rank's share of building. */
static mnp_status build(factors *f, const mnp_sparse *matrix, bool hermitian, const mnp__level_sweep_source *source)
{
    struct block a = {.matrix = matrix, .pattern = &a.own.pattern, .is_complex = mnp_dtype_kind(matrix->dtype) == 'c'};
    int64_t *place = NULL;
    mnp_status st;
    MNP_TRY_OR(open_block(matrix, &a), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)matrix->rows * sizeof *place, &place), st, done);
    st = hermitian ? factor_ic_shifted(&a, place, &f->shift) : factor_ilu(&a, place);
    free(place);
    if (st == MNP_OK)
        st = make_triangles(f, &a, hermitian, *source);
    f->entries = a.own.csr.count;
done:
    close_block(&a);
    return st;
}

/* ---- the kind ---- */

/* ic0 is its own adjoint, and ilu0 has none. */
static mnp_status factor_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const factors *f = data;
    (void)adjoint;
    const mnp__sweep lower = {.b = x->data, .from = y->data, .x = y->data, .width = 1};
    mnp__sweep upper = lower;
    upper.b = y->data;
    MNP_TRY(mnp__level_sweep_run(f->lower, &lower));
    return mnp__level_sweep_run(f->upper, &upper);
}

static void factor_describe(const void *data, FILE *file)
{
    const factors *f = data;
    fprintf(file, "%" PRId64 " %s in all ranks' own blocks, solved in at most %d level%s twice an application",
            f->entries, f->entries == 1 ? "entry" : "entries", f->levels, f->levels == 1 ? "" : "s");
    if (f->shift > 0)
        fprintf(file, "; the diagonal was enlarged by %.3g of itself", f->shift);
}

static void factor_free(mnp_ctx *ctx, void *data)
{
    factors *f = data;
    (void)ctx;
    if (f) {
        mnp__level_sweep_free(f->lower);
        mnp__level_sweep_free(f->upper);
    }
    free(f);
}

/* What describe tells, over all ranks. */
static mnp_status sum_up(factors *f)
{
    int levels[2] = {mnp__level_sweep_groups(f->lower), mnp__level_sweep_groups(f->upper)};
    f->levels = levels[0] > levels[1] ? levels[0] : levels[1];
    MNP_TRY(mnp__all_reduce(&f->ctx->comm, &f->entries, 1, MPI_INT64_T, MPI_SUM));
    MNP_TRY(mnp__all_reduce(&f->ctx->comm, &f->levels, 1, MPI_INT, MPI_MAX));
    return mnp__all_reduce(&f->ctx->comm, &f->shift, 1, MPI_DOUBLE, MPI_MAX);
}

mnp_status mnp__precond_ilu0_ic0(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                                 const mnp__precond_ops **ops_p, void **data_p)
{
    static const mnp__precond_ops ops = {.apply = factor_apply, .describe = factor_describe, .free = factor_free};
    factors *f = NULL;
    (void)options;
    mnp__level_sweep_source source = {.ctx = matrix->ctx, .dtype = matrix->dtype};
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__calloc(1, sizeof *f, &f));
    if (st == MNP_OK)
        st = mnp__level_sweep_load_permutation(&source);
    if (st == MNP_OK) {
        f->ctx = matrix->ctx;
        st = MNP_AGREE(matrix->ctx, build(f, matrix, kind == MNP_PRECOND_IC0, &source));
    }
    if (st == MNP_OK)
        st = mnp__level_sweep_load(f->lower);
    if (st == MNP_OK)
        st = mnp__level_sweep_load(f->upper);
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
