/*
 * How far a matrix is from being symmetric: it is compared with its transposed, row by row.
 */
#include <math.h>
#include <string.h>

#include "sparse/sparse.h"

static void larger(double *most, double difference)
{
    if (!(difference <= *most))
        *most = isnan(difference) ? INFINITY : difference;
}

/* One pair of places across the diagonal. */
static void compare(const double a[2], const double b[2], mnp_sparse_symmetry *found)
{
    larger(&found->symmetric, hypot(a[0] - b[0], a[1] - b[1]));
    larger(&found->skew_symmetric, hypot(a[0] + b[0], a[1] + b[1]));
    larger(&found->hermitian, hypot(a[0] - b[0], a[1] + b[1]));
}

/* What this rank's rows of the matrix and of the transposed one say. */
static void compare_rows(const mnp__csr *a, const mnp__csr *b, mnp_sparse_symmetry *found)
{
    for (int64_t row = 0; row < a->rows; row++) {
        int64_t i = a->offsets[row], j = b->offsets[row];
        const int64_t i_end = a->offsets[row + 1], j_end = b->offsets[row + 1];
        while (i < i_end || j < j_end) {
            double left[2] = {0, 0}, right[2] = {0, 0};
            const bool in_a = j == j_end || (i < i_end && a->indices[i] <= b->indices[j]);
            const bool in_b = i == i_end || (j < j_end && b->indices[j] <= a->indices[i]);
            if (in_a)
                mnp__value_get(a->dtype, a->values, i++, left);
            if (in_b)
                mnp__value_get(b->dtype, b->values, j++, right);
            found->pattern = found->pattern && in_a && in_b;
            compare(left, right, found);
        }
    }
}

static mnp_status compare_locally(const mnp_sparse *matrix, const mnp_sparse *transposed, mnp_sparse_symmetry *found)
{
    mnp__csr a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    mnp_status st = mnp__sparse_to_csr(matrix, &a);
    if (st == MNP_OK)
        st = mnp__sparse_to_csr(transposed, &b);
    if (st == MNP_OK)
        compare_rows(&a, &b, found);
    mnp__csr_free(&a);
    mnp__csr_free(&b);
    return st;
}

mnp_status mnp_sparse_find_symmetry(const mnp_sparse *matrix, mnp_sparse_symmetry *symmetry_p)
{
    mnp_sparse *turned = NULL, *transposed = NULL;
    mnp_sparse_symmetry found = {.pattern = true};
    mnp_status st;
    MNP_TRY(mnp__sparse_check("mnp_sparse_find_symmetry", matrix));
    if (matrix->shape[0] != matrix->shape[1])
        return MNP_FAIL(MNP_ERR_ARG, "mnp_sparse_find_symmetry: the matrix is %lld x %lld, not square",
                        (long long)matrix->shape[0], (long long)matrix->shape[1]);
    MNP_TRY_OR(mnp_sparse_transpose(matrix, &turned), st, release);
    MNP_TRY_OR(mnp_sparse_redistribute(turned, matrix->row_layout, matrix->column_layout, &transposed), st, release);
    MNP_TRY_OR(MNP_AGREE(matrix->ctx, compare_locally(matrix, transposed, &found)), st, release);

    double most[] = {found.pattern ? 0 : 1, found.symmetric, found.skew_symmetric, found.hermitian};
    MNP_TRY_OR(mnp__all_reduce(&matrix->ctx->comm, most, 4, MPI_DOUBLE, MPI_MAX), st, release);
    *symmetry_p = (mnp_sparse_symmetry){most[0] == 0, most[1], most[2], most[3]};
release:
    mnp_sparse_free(transposed);
    mnp_sparse_free(turned);
    return st;
}
