/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_lobpcg(): locally optimal block preconditioned conjugate gradients (A. V. Knyazev, "Toward the optimal
 * preconditioned eigensolver", SIAM J. Sci. Comput. 23, 2001).
 *
 * Every iteration finds the best vectors in the span of three blocks: the vectors X, their preconditioned residuals W,
 * and P, what the last iteration added to X.  The products of the three with A and B are carried along,
 * so that an iteration multiplies W alone.  The device computes products of sets of columns with each other (Gram
 * matrices), and multiplies sets by small matrices, in place; rank 0 computes those on its CPU from the Gram matrices.
 *
 * Near convergence the three are almost linearly dependent, and rounding in A P and A W would be magnified without
 * bounds.  So W is made orthonormal, to X and P too, before its products are taken, and P by its coefficients (J. A.
 * Duersch, M. Shao, C. Yang, M. Gu, "A robust and efficient implementation of LOBPCG", SIAM J. Sci.  Comput. 40,
 * 2018), by the eigenvectors of their Gram matrices, of which those near 0 are left out (A. Stathopoulos, K. Wu, SIAM
 * J. Sci.  Comput. 23, 2002): columns that are then not needed are 0.  Vectors that have converged give no columns of
 * W and P.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/output.h"
#include "context/timer.h"
#include "layout/layout.h"
#include "sparse/eigen/ritz.h"

enum { MOST_COLUMNS = 256, USUAL_MAXITER = 1000 };

enum { X, P, W, BLOCKS }; /* what changes in place comes first */

typedef double _Complex number;

/* The results of rank 0, which it sends in one message together with Ritz values and coefficients. */
typedef struct findings {
    mnp_status status;
    bool finite, enough; /* the numbers; the independent columns */
    bool again;          /* W was so dependent that it is not orthonormal yet */
    double norm;         /* the largest magnitude of a Ritz value: about the norm of the operator */
} findings;

/* Room for it, on the CPU: matrices by rows, but those for LAPACK by columns. */
typedef struct small {
    char *message;                /* findings, Ritz values, and */
    number *matrix;               /* coefficients of the new X and P: 3 k rows, 2 k columns; or of W: k columns */
    number *gram;                 /* S^H [A S, B S]: 3 k rows, 6 k columns; or S^H B W */
    number *basis;                /* coefficients of the orthonormal basis: 3 k rows and columns */
    number *part, *shared, *work; /* as large */
    double *values, *scale, *real;
    int *index, *kept; /* of the columns that take part; of these, those that are independent */
} small;

typedef struct lobpcg {
    mnp_ctx *ctx;
    const mnp_operator *op;       /* of the dtype of the vectors, like B and the preconditioner */
    mnp_lobpcg_options options;   /* complete: no zeros, except tol */
    mnp_operator *own_op, *own_b; /* NULL, or the above where the caller's are of other dtypes */
    mnp_precond *own_precond;
    int k;
    mnp__block s[BLOCKS], as[BLOCKS], bs[BLOCKS];    /* S = [X P W], A S, B S; without B that is S */
    mnp__columns s_all, as_all, bs_all, right, both; /* each; [A S, B S]; [A X, B X] */
    mnp_array *room[2];
    mnp__tall *tall;
    small small;
    findings *found; /* in the message, as are the Ritz values */
    double *theta;
    bool *active; /* vectors that have not converged */
    double norm;  /* the largest so far */
} lobpcg;

/* ---- memory ---- */

static mnp_status new_blocks(const mnp_operator *op, int k, mnp__block blocks[BLOCKS])
{
    for (int i = 0; i < BLOCKS; i++)
        MNP_TRY(mnp__block_new(op, k, &blocks[i]));
    return MNP_OK;
}

static mnp_status new_columns(lobpcg *l)
{
    mnp_array *all[2 * BLOCKS], *s[BLOCKS];
    const mnp__block *bs = l->options.b ? l->bs : l->s;
    for (int i = 0; i < BLOCKS; i++) {
        s[i] = l->s[i].array;
        all[i] = l->as[i].array;
        all[BLOCKS + i] = bs[i].array;
    }
    mnp_array *both[] = {all[X], all[BLOCKS + X]};
    MNP_TRY(mnp__columns_new(BLOCKS, s, &l->s_all));
    MNP_TRY(mnp__columns_new(2 * BLOCKS, all, &l->right));
    l->as_all = mnp__columns_part(&l->right, 0, BLOCKS * l->k);
    l->bs_all = mnp__columns_part(&l->right, BLOCKS * l->k, BLOCKS * l->k);
    return mnp__columns_new(2, both, &l->both);
}

static mnp_status allocate_small(lobpcg *l)
{
    const size_t k = (size_t)l->k, n = BLOCKS * k;
    small *s = &l->small;
    const size_t theta = (sizeof *l->found + sizeof(number) - 1) / sizeof(number) * sizeof(number); /* aligned, */
    const size_t matrix = theta + (k + 1) / 2 * sizeof(number);                                     /* both */
    MNP_TRY(mnp__calloc(1, matrix + n * 2 * k * sizeof(number), &s->message));
    l->found = (findings *)(void *)s->message;
    l->theta = (double *)(void *)(s->message + theta);
    s->matrix = (number *)(void *)(s->message + matrix);
    MNP_TRY(mnp__malloc(2 * n * n * sizeof(number), &s->gram));
    MNP_TRY(mnp__malloc(n * n * sizeof(number), &s->basis));
    MNP_TRY(mnp__malloc(n * n * sizeof(number), &s->part));
    MNP_TRY(mnp__malloc(n * n * sizeof(number), &s->shared));
    MNP_TRY(mnp__malloc(n * n * sizeof(number), &s->work));
    MNP_TRY(mnp__malloc(n * n * sizeof(double), &s->real));
    MNP_TRY(mnp__malloc(n * sizeof(double), &s->values));
    MNP_TRY(mnp__malloc(n * sizeof(double), &s->scale));
    MNP_TRY(mnp__malloc(n * sizeof(int), &s->index));
    MNP_TRY(mnp__malloc(n * sizeof(int), &s->kept));
    return mnp__calloc(k, sizeof *l->active, &l->active);
}

static mnp_status acquire(lobpcg *l)
{
    const int n = BLOCKS * l->k;
    MNP_TRY(MNP_AGREE(l->ctx, allocate_small(l)));
    MNP_TRY(new_blocks(l->op, l->k, l->s));
    MNP_TRY(new_blocks(l->op, l->k, l->as));
    if (l->options.b)
        MNP_TRY(new_blocks(l->op, l->k, l->bs));
    for (int i = 0; i < 2; i++)
        MNP_TRY(mnp__vector_zeros(l->ctx, l->op->dtype, l->op->column_layout, &l->room[i]));
    MNP_TRY(new_columns(l));
    return mnp__tall_new(l->ctx, l->op->dtype, 2 * n * n, &l->tall);
}

static void release(lobpcg *l)
{
    small *s = &l->small;
    void *memory[] = {s->message, s->gram,   s->basis, s->part,  s->shared, s->work,
                      s->real,    s->values, s->scale, s->index, s->kept,   l->active};
    mnp__tall_free(l->tall);
    mnp__columns_free(l->ctx, &l->both);
    mnp__columns_free(l->ctx, &l->right);
    mnp__columns_free(l->ctx, &l->s_all);
    for (int i = 0; i < 2; i++)
        mnp_array_free(l->room[i]);
    for (int i = 0; i < BLOCKS; i++) {
        mnp__block_free(&l->bs[i]);
        mnp__block_free(&l->as[i]);
        mnp__block_free(&l->s[i]);
    }
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
}

/* ---- the method of Rayleigh and Ritz, on rank 0 ---- */

/* Eigenvalues and vectors of a Hermitian matrix by columns; of a real operator all is real. */
static mnp_status eigh(const lobpcg *l, int n, number *a)
{
    double *real = l->small.real;
    if (mnp_dtype_kind(l->op->dtype) == 'c')
        return mnp__host_eigh(n, true, a, l->small.values);
    for (int i = 0; i < n * n; i++)
        real[i] = creal(a[i]);
    MNP_TRY(mnp__host_eigh(n, false, real, l->small.values));
    for (int i = 0; i < n * n; i++)
        a[i] = real[i];
    return MNP_OK;
}

/*
 * Coefficients by which n columns of that Gram matrix give orthonormal ones: a matrix of n rows and *found_p columns,
 * fewer than n where they are dependent.  least: squares of norms that are 0 but for rounding.  The square of
 * the norm that the last column had is s->values[n - *found_p].
 */
static mnp_status orthonormalise(const lobpcg *l, int n, const number *gram, const double *least, number *basis,
                                 int *found_p)
{
    const small *s = &l->small;
    int found = 0;
    for (int i = 0; i < n; i++) {
        const double square = creal(gram[i * n + i]);
        s->scale[i] = square > least[i] ? 1 / sqrt(square) : 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->work[j * n + i] = s->scale[i] * gram[i * n + j] * s->scale[j];
    if (n > 0)
        MNP_TRY(eigh(l, n, s->work));
    const double limit = n > 0 ? n * mnp__ritz_epsilon(l->op->dtype) * s->values[n - 1] : 0;
    while (found < n && s->values[n - 1 - found] > limit)
        found++;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < found; c++)
            basis[i * found + c] = s->scale[i] * s->work[(n - 1 - c) * n + i] / sqrt(s->values[n - 1 - c]);
    *found_p = found;
    return MNP_OK;
}

/*
 * Where the new X and P are in the orthonormal basis, of which the first k are of the X before: rows for these, k
 * columns each.  P is what of X is not from the X before, made orthonormal, to X too.
 */
static void find_places(lobpcg *l, int found, const number *vectors, number *places)
{
    const small *s = &l->small;
    const int k = l->k;
    int columns = 0, independent;
    number *x = s->gram, *p = x + found * k, *across = p + found * k, *gram = across + k * k, *basis = gram + k * k;
    for (int c = 0; c < k; c++) {
        const int from = l->options.smallest ? c : found - 1 - c;
        l->theta[c] = s->values[from];
        for (int i = 0; i < found; i++)
            x[i * k + c] = vectors[from * found + i];
        columns += l->active[c];
    }
    for (int i = 0; i < found; i++)
        for (int c = 0, to = 0; c < k; c++)
            if (l->active[c])
                p[i * columns + to++] = i < k ? 0 : x[i * k + c];
    mnp__small_multiply(k, found, columns, true, x, p, across);
    mnp__small_add_product(found, k, columns, false, -1, x, across, p);
    mnp__small_multiply(columns, found, columns, true, p, p, gram);
    mnp__small_triangularise(columns, gram, 100 * found * mnp__ritz_epsilon(l->op->dtype), s->kept, across, basis,
                             &independent);
    for (int i = 0; i < found; i++) {
        number *place = places + i * 2 * k;
        memcpy(place, x + i * k, (size_t)k * sizeof *place);
        memset(place + k, 0, (size_t)k * sizeof *place);
        for (int c = 0; c < columns; c++)
            mnp__small_add_row(independent, p[i * columns + c], basis + c * independent, place + k);
    }
}

static bool gram_is_finite(const lobpcg *l, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(creal(l->small.gram[i])) || !isfinite(cimag(l->small.gram[i])))
            return false;
    return true;
}

/* The Gram matrix with A (0) or B (1) of the n columns that take part; Hermitian. */
static void take(const lobpcg *l, int which, int n, number *out)
{
    const int all = BLOCKS * l->k, *index = l->small.index;
    const number *gram = l->small.gram + which * all;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int a = index[i], b = index[j];
            out[i * n + j] = (gram[a * 2 * all + b] + conj(gram[b * 2 * all + a])) / 2;
        }
    }
}

/* The coefficients of the best X in the span of S, or of X alone, and of P, from S^H [A S, B S]. */
static mnp_status find_best(lobpcg *l, bool alone)
{
    small *s = &l->small;
    const int k = l->k, all = BLOCKS * k;
    const double limit = 10 * all * mnp__ritz_epsilon(l->op->dtype);
    int n = 0, found;
    *l->found = (findings){.finite = gram_is_finite(l, 2 * all * all)};
    if (!l->found->finite)
        return MNP_OK;
    for (int i = 0; i < all; i++)
        if (i < k || (!alone && creal(s->gram[i * 2 * all + all + i]) > 0))
            s->index[n++] = i;
    take(l, 1, n, s->part);
    mnp__small_triangularise(n, s->part, limit, s->kept, s->work, s->basis, &found);
    l->found->enough = found >= k && s->kept[k - 1] == k - 1; /* all of X */
    if (!l->found->enough)
        return MNP_OK;
    take(l, 0, n, s->part);
    mnp__small_multiply(n, n, found, false, s->part, s->basis, s->shared);
    mnp__small_multiply(found, n, found, true, s->basis, s->shared, s->part);
    for (int i = 0; i < found; i++)
        for (int j = 0; j < found; j++)
            s->work[j * found + i] = s->part[i * found + j];
    MNP_TRY(eigh(l, found, s->work));
    l->found->norm = fmax(fabs(s->values[0]), fabs(s->values[found - 1]));
    find_places(l, found, s->work, s->part);
    mnp__small_multiply(n, found, 2 * k, false, s->basis, s->part, s->shared);
    memset(s->matrix, 0, (size_t)(all * 2 * k) * sizeof(number));
    for (int i = 0; i < n; i++)
        memcpy(s->matrix + s->index[i] * 2 * k, s->shared + i * 2 * k, (size_t)(2 * k) * sizeof(number));
    return MNP_OK;
}

/*
 * The coefficients that make the wanted columns of W orthonormal, to X and P too, from S^H B W.  *left_p: how many
 * columns there are then, the first ones.
 */
static mnp_status find_orthonormal(lobpcg *l, const bool *wanted, int *left_p)
{
    small *s = &l->small;
    const int k = l->k, all = BLOCKS * k;
    const double epsilon = mnp__ritz_epsilon(l->op->dtype);
    number *across = s->part, *gram = s->shared;
    double least[MOST_COLUMNS], lost = 1;
    int n = 0, found;
    *l->found = (findings){.finite = gram_is_finite(l, all * k), .enough = true};
    if (!l->found->finite)
        return MNP_OK;
    for (int i = 0; i < k; i++)
        if (wanted[i])
            s->index[n++] = i;
    for (int i = 0; i < 2 * k; i++)
        for (int j = 0; j < n; j++)
            across[i * n + j] = s->gram[i * k + s->index[j]];
    mnp__small_multiply(n, 2 * k, n, true, across, across, gram);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            gram[i * n + j] = s->gram[(2 * k + s->index[i]) * k + s->index[j]] - gram[i * n + j];
        const double before = creal(s->gram[(2 * k + s->index[i]) * k + s->index[i]]);
        least[i] = 10 * all * epsilon * before;
        if (creal(gram[i * n + i]) > least[i])
            lost = fmin(lost, creal(gram[i * n + i]) / before);
    }
    MNP_TRY(orthonormalise(l, n, gram, least, s->basis, &found));
    l->found->again = found > 0 && lost * s->values[n - found] < 1e4 * all * epsilon;
    mnp__small_multiply(2 * k, n, found, false, across, s->basis, s->work);
    memset(s->matrix, 0, (size_t)(all * k) * sizeof(number));
    for (int i = 0; i < 2 * k; i++)
        for (int c = 0; c < found; c++)
            s->matrix[i * k + c] = -s->work[i * found + c];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < found; c++)
            s->matrix[(2 * k + s->index[i]) * k + c] = s->basis[i * found + c];
    *left_p = found;
    return MNP_OK;
}

/* ---- on the device ---- */

/* Send the results of rank 0 and so many coefficients, which are put on the device if there are any. */
static mnp_status share(lobpcg *l, mnp_status st, int count)
{
    const size_t size = (size_t)((char *)l->small.matrix - l->small.message) + (size_t)count * sizeof(number);
    l->found->status = st;
    MNP_TRY(mnp__broadcast(&l->ctx->comm, l->small.message, size, 0));
    if (l->found->status != MNP_OK)
        return MNP_AGREE(l->ctx, st);
    return l->found->finite && l->found->enough ? mnp__tall_put(l->tall, count, l->small.matrix) : MNP_OK;
}

/* These columns of S become S times the matrix that was put last. */
static mnp_status change(lobpcg *l, const mnp__columns *set, int from, int count)
{
    const mnp__columns changed = mnp__columns_part(set, from, count);
    return mnp__tall_multiply(l->tall, set, &changed);
}

/* The best X in the span of S, or of X alone, and the next P.  l->found tells whether there is one. */
static mnp_status improve(lobpcg *l, bool alone)
{
    const int k = l->k;
    MNP_TRY(mnp__tall_inner(l->tall, &l->s_all, &l->right, l->small.gram));
    MNP_TRY(share(l, l->ctx->comm.rank == 0 ? find_best(l, alone) : MNP_OK, BLOCKS * k * 2 * k));
    if (!l->found->finite || !l->found->enough)
        return MNP_OK;
    l->norm = fmax(l->norm, l->found->norm);
    MNP_TRY(change(l, &l->s_all, X, 2 * k));
    MNP_TRY(change(l, &l->as_all, X, 2 * k));
    return l->options.b ? change(l, &l->bs_all, X, 2 * k) : MNP_OK;
}

/* Make W orthonormal, also to X and P, twice where little is left of it; dependent columns become 0. */
static mnp_status orthonormalise_w(lobpcg *l)
{
    enum { MOST_PASSES = 3 };
    const int k = l->k;
    bool wanted[MOST_COLUMNS];
    memcpy(wanted, l->active, (size_t)k * sizeof *wanted);
    if (l->options.b)
        MNP_TRY(mnp__block_apply(l->options.b, &l->s[W], &l->bs[W], l->room));
    for (int pass = 0; pass == 0 || (pass < MOST_PASSES && l->found->again); pass++) {
        const mnp__columns w = mnp__columns_part(&l->bs_all, W * k, k);
        mnp_status st = MNP_OK;
        int left = 0;
        MNP_TRY(mnp__tall_inner(l->tall, &l->s_all, &w, l->small.gram));
        if (l->ctx->comm.rank == 0)
            st = find_orthonormal(l, wanted, &left);
        MNP_TRY(share(l, st, BLOCKS * k * k));
        if (!l->found->finite)
            return MNP_OK;
        MNP_TRY(change(l, &l->s_all, W * k, k));
        if (l->options.b)
            MNP_TRY(change(l, &l->bs_all, W * k, k));
        for (int i = 0; i < k; i++) /* rank 0's alone */
            wanted[i] = i < left;
    }
    return MNP_OK;
}

/* W = A X - B X theta, and which columns have converged. */
static mnp_status find_residuals(lobpcg *l, mnp_eigen_result *result)
{
    const double epsilon = mnp__ritz_epsilon(l->op->dtype);
    const mnp__columns w = mnp__columns_part(&l->s_all, W * l->k, l->k);
    double largest = 0;
    MNP_TRY(mnp__ritz_residuals(l->ctx, l->tall, &l->both, &w, l->theta, l->small.gram, result->residuals));
    for (int i = 0; i < l->k; i++)
        largest = fmax(largest, fabs(l->theta[i]));
    const double tol = l->options.tol > 0 ? l->options.tol : fmax(sqrt(epsilon) * largest, 10 * epsilon * l->norm);
    result->converged = 0;
    for (int i = 0; i < l->k; i++) {
        l->active[i] = !(result->residuals[i] <= tol);
        result->converged += !l->active[i];
    }
    return MNP_OK;
}

static mnp_status iterate(lobpcg *l, mnp_eigen_result *result)
{
    if (l->options.precond)
        MNP_TRY(mnp__block_precondition(l->options.precond, &l->s[W], &l->s[W], l->active, l->room));
    MNP_TRY(orthonormalise_w(l));
    if (!l->found->finite)
        return MNP_OK;
    result->products += l->k;
    MNP_TRY(mnp__block_apply(l->op, &l->s[W], &l->as[W], l->room));
    MNP_TRY(improve(l, false));
    result->iterations++;
    return MNP_OK;
}

/* Compute the products that were carried along anew; *over_p: what had converged still has. */
static mnp_status look_again(lobpcg *l, mnp_eigen_result *result, bool *over_p)
{
    if (l->options.b)
        MNP_TRY(mnp__block_apply(l->options.b, &l->s[X], &l->bs[X], l->room));
    result->products += l->k;
    MNP_TRY(mnp__block_apply(l->op, &l->s[X], &l->as[X], l->room));
    MNP_TRY(improve(l, true));
    if (!l->found->finite || !l->found->enough)
        return MNP_OK;
    MNP_TRY(find_residuals(l, result));
    *over_p = result->converged == l->k;
    return MNP_OK;
}

/* Iterate from X until the method is over. */
static mnp_status run(lobpcg *l, mnp_eigen_result *result)
{
    const mnp_lobpcg_options *options = &l->options;
    bool over = false;
    MNP_TRY(look_again(l, result, &over));
    if (l->found->finite && !l->found->enough)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_lobpcg(): the columns of x are not linearly independent, or B is not "
                                     "positive definite");
    while (l->found->finite && l->found->enough) {
        if (over) {
            result->reason = MNP_EIGEN_CONVERGED;
            return MNP_OK;
        }
        if (result->iterations >= options->maxiter)
            return MNP_OK;
        MNP_TRY(iterate(l, result));
        if (!l->found->finite || !l->found->enough)
            break;
        MNP_TRY(find_residuals(l, result));
        if (options->progress &&
            options->progress(options->argument, result->iterations, l->k, l->theta, result->residuals)) {
            result->reason = MNP_EIGEN_STOPPED;
            return MNP_OK;
        }
        if (result->converged == l->k || result->iterations >= options->maxiter)
            MNP_TRY(look_again(l, result, &over));
    }
    result->reason = MNP_EIGEN_BREAKDOWN;
    return MNP_OK;
}

/* ---- the call ---- */

static mnp_status check_part(const char *name, const mnp_operator *op, const mnp_ctx *ctx, mnp_dtype dtype,
                             const mnp_layout *layout, const mnp_array *x)
{
    if (ctx != op->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_lobpcg(): %s belongs to another context than the operator", name);
    if (!mnp_layout_equal(layout, op->column_layout))
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_lobpcg(): %s is for vectors of length %" PRId64
                        ", the operator for those of length %" PRId64 ", or they are cut differently",
                        name, mnp_layout_size(layout), mnp_layout_size(op->column_layout));
    if (mnp_dtype_kind(dtype) == 'c' && mnp_dtype_kind(x->dtype) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "mnp_lobpcg(): %s is %s, but x is %s", name, mnp_dtype_name(dtype),
                        mnp_dtype_name(x->dtype));
    return MNP_OK;
}

static mnp_status check(const mnp_operator *op, const mnp_lobpcg_options *options, const mnp_array *x,
                        const double *values)
{
    static const char function[] = "mnp_lobpcg()";
    if (!op || !x || !values)
        return MNP_FAIL(MNP_ERR_ARG, "%s was given no %s", function, !op ? "operator" : !x ? "x" : "values");
    MNP_TRY(mnp__operator_check_square(function, op));
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->ctx != op->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: x belongs to another context than the operator", function);
    const int64_t rows = mnp_layout_size(op->column_layout);
    if (x->dtype != mnp__operator_wider(op->dtype, x->dtype) || x->layout->ndim != 2 || x->layout->shape[0] != rows ||
        x->read_only)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: x must be a %s array, or one of a wider type, of two dimensions, the first of %" PRId64
                        " rows, that can be written",
                        function, mnp_dtype_name(op->dtype), rows);
    const int64_t columns = x->layout->shape[1];
    if (columns < 1 || columns > rows || columns > MOST_COLUMNS)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: x has %" PRId64 " columns; it must have at least 1, at most as many as its %" PRId64
                        " rows, and at most %d",
                        function, columns, rows, MOST_COLUMNS);
    if (!(options->tol >= 0) || options->maxiter < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: tol is %g and maxiter is %" PRId64 "; they cannot be negative", function,
                        options->tol, options->maxiter);
    if (options->b) {
        MNP_TRY(mnp__operator_check_square(function, options->b));
        MNP_TRY(check_part("B", op, options->b->ctx, options->b->dtype, options->b->column_layout, x));
    }
    if (options->precond)
        MNP_TRY(check_part("the preconditioner", op, options->precond->ctx, options->precond->dtype,
                           options->precond->layout, x));
    return MNP_AGREE(op->ctx, mnp__host_need_lapack("mnp_lobpcg"));
}

/* The operators and the preconditioner in the dtype of x. */
static mnp_status bring(lobpcg *l, mnp_dtype dtype)
{
    MNP_TRY(mnp__operator_in_dtype(l->op, dtype, &l->own_op));
    if (l->options.b)
        MNP_TRY(mnp__operator_in_dtype(l->options.b, dtype, &l->own_b));
    if (l->options.precond)
        MNP_TRY(mnp__precond_in_dtype(l->options.precond, dtype, &l->own_precond));
    l->op = l->own_op ? l->own_op : l->op;
    l->options.b = l->own_b ? l->own_b : l->options.b;
    l->options.precond = l->own_precond ? l->own_precond : l->options.precond;
    return MNP_OK;
}

static mnp_status solve(lobpcg *l, mnp_array *x, double *values, mnp_eigen_result *result)
{
    mnp__timer timer = {.ctx = NULL};
    mnp_status st;
    MNP_TRY_OR(bring(l, x->dtype), st, done);
    MNP_TRY_OR(acquire(l), st, done);
    MNP_TRY_OR(mnp__timer_open(l->ctx, &timer), st, done);
    MNP_TRY_OR(mnp__timer_start(&timer), st, done);
    MNP_TRY_OR(mnp__array_copy_to(x, l->s[X].array), st, done);
    MNP_TRY_OR(run(l, result), st, done);
    MNP_TRY_OR(mnp__array_copy_to(l->s[X].array, x), st, done);
    MNP_TRY_OR(mnp__timer_stop(&timer, &result->seconds), st, done);
    memcpy(values, l->theta, (size_t)l->k * sizeof *values);
done:
    mnp__timer_close(&timer);
    release(l);
    mnp_precond_free(l->own_precond);
    mnp_operator_free(l->own_b);
    mnp_operator_free(l->own_op);
    return st;
}

mnp_status mnp_lobpcg(const mnp_operator *op, const mnp_lobpcg_options *given, mnp_array *x, double *values,
                      mnp_eigen_result *result)
{
    MNP_ENTER(op, x, values);
    static const mnp_lobpcg_options defaults = {.smallest = false};
    mnp_eigen_result made = {.residuals = NULL};
    mnp_status st;
    MNP_TRY(check(op, given ? given : &defaults, x, values));
    lobpcg l = {.ctx = op->ctx, .op = op, .options = given ? *given : defaults, .k = (int)x->layout->shape[1]};
    l.options.maxiter = l.options.maxiter ? l.options.maxiter : USUAL_MAXITER;
    MNP_TRY(mnp__ritz_result(op->ctx, l.k, &made));
    st = solve(&l, x, values, &made);
    if (st == MNP_OK && result)
        *result = made;
    else
        mnp_eigen_result_clear(&made);
    return st;
}
