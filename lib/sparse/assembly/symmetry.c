/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far a matrix is from being symmetric: the largest difference from its transpose, and whether both have the same
 * pattern.
 */
#include <inttypes.h>
#include <math.h>

#include "sparse/rows/edit_rows.h"
#include "sparse/rows/matrix_from_rows.h"

/* The largest |a + factor b|, or infinity where that is NaN.  Collective. */
static mnp_status find_largest(const mnp_sparse *a, double factor, const mnp_sparse *b, double *largest_p)
{
    const double beta[2] = {factor, 0};
    mnp_sparse *sum;
    MNP_TRY(mnp_sparse_add(NULL, a, beta, b, &sum));
    const mnp_status st = mnp_sparse_norm(sum, 'm', largest_p);
    mnp_sparse_free(sum);
    if (st == MNP_OK && isnan(*largest_p))
        *largest_p = INFINITY;
    return st;
}

/* A matrix with a 1 for every entry. */
static mnp_status make_pattern(const mnp_sparse *matrix, mnp_sparse **pattern_p)
{
    mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    mnp__rows rows;
    shape.dtype = MNP_FLOAT32;
    MNP_TRY(mnp__rows_changed(matrix, shape.dtype, &(mnp__change){.value = {.ones = true}}, &rows));
    return mnp__sparse_from_rows(&shape, &rows, pattern_p);
}

/* Whether patterns are equal: their union then has as many entries as one of them. */
static mnp_status compare_patterns(const mnp_sparse *a, const mnp_sparse *b, bool *same_p)
{
    mnp_sparse *left = NULL, *right = NULL, *both = NULL;
    mnp_status st;
    MNP_TRY_OR(make_pattern(a, &left), st, done);
    MNP_TRY_OR(make_pattern(b, &right), st, done);
    MNP_TRY_OR(mnp_sparse_add(NULL, left, NULL, right, &both), st, done);
    *same_p = both->nnz == left->nnz;
done:
    mnp_sparse_free(left);
    mnp_sparse_free(right);
    mnp_sparse_free(both);
    return st;
}

/* Compare a matrix in double precision with its transpose, in the same layouts. */
static mnp_status compare(const mnp_sparse *matrix, const mnp_sparse *transposed, mnp_sparse_symmetry *found)
{
    mnp_sparse *conjugate;
    MNP_TRY(compare_patterns(matrix, transposed, &found->pattern));
    MNP_TRY(find_largest(matrix, -1, transposed, &found->symmetric));
    MNP_TRY(find_largest(matrix, 1, transposed, &found->skew_symmetric));
    found->hermitian = found->symmetric;
    if (mnp_dtype_kind(matrix->dtype) != 'c')
        return MNP_OK;
    MNP_TRY(mnp_sparse_conj(transposed, &conjugate));
    const mnp_status st = find_largest(matrix, -1, conjugate, &found->hermitian);
    mnp_sparse_free(conjugate);
    return st;
}

/* The same, given the matrix alone. */
static mnp_status find(const mnp_sparse *matrix, mnp_sparse_symmetry *found)
{
    const mnp_sparse *other;
    mnp_sparse *transposed = NULL, *moved = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_sparse_transpose(matrix, &transposed), st, done);
    MNP_TRY_OR(mnp__sparse_bring(transposed, matrix->dtype, matrix->row_layout, matrix->column_layout, &other, &moved),
               st, done);
    st = compare(matrix, other, found);
done:
    mnp_sparse_free(transposed);
    mnp_sparse_free(moved);
    return st;
}

mnp_status mnp_sparse_find_symmetry(const mnp_sparse *matrix, mnp_sparse_symmetry *symmetry_p)
{
    MNP_ENTER(matrix, symmetry_p);
    static const char function[] = "mnp_sparse_find_symmetry";
    const mnp_sparse *wide;
    mnp_sparse *cast;
    mnp_sparse_symmetry found;
    if (matrix->shape[0] != matrix->shape[1])
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrix is %" PRId64 " x %" PRId64 ", not square", function,
                        matrix->shape[0], matrix->shape[1]);
    MNP_TRY(mnp__sparse_bring(matrix, mnp_dtype_promote(matrix->dtype, MNP_FLOAT64), NULL, NULL, &wide, &cast));
    const mnp_status st = find(wide, &found);
    mnp_sparse_free(cast);
    if (st == MNP_OK)
        *symmetry_p = found;
    return st;
}
