/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The struct of a sparse matrix: its rows on this rank, as two parts in device memory.
 *
 * The own part has the entries in columns that this rank owns, numbered from 0, in the matrix's format.  The ghost
 * part has the entries in columns of other ranks, numbered in rising order of those columns; it is in CSR, and lists
 * only the rows that have entries.  Structural operations work on rows in CSR with global columns, in device memory
 * (rows/rows.h) or in that of the CPU (csr.h), and make a new matrix.
 */
#ifndef MNP__SPARSE_MATRIX_SPARSE_H
#define MNP__SPARSE_MATRIX_SPARSE_H

#include <maniple/sparse.h>

#include "array/array.h"
#include "sparse/matrix/csr.h"
#include "sparse/matrix/ghosts.h"
#include "sparse/matrix/part.h"
#include "sparse/step/step.h"

/* What products make when they first need it: kernels, the format that they read, and the transpose. */
typedef struct mnp__products mnp__products;

/*
 * Where the entries of a matrix are: parts without values, and the ghosts.  It never changes, and matrices that differ
 * in their values alone share it.
 */
typedef struct mnp__structure {
    int holders; /* matrices */
    mnp__part own, ghost;
    mnp__ghosts *ghosts;
} mnp__structure;

struct mnp_sparse {
    unsigned tag; /* MNP__TAG_sparse: see base/call.h */
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_sparse_format format; /* of the own part */
    mnp_layout *row_layout, *column_layout;
    int64_t shape[2], nnz, local_nnz;
    int64_t row_lo, rows, column_lo, columns; /* of this rank */
    mnp__structure *structure;
    mnp__part own, ghost;  /* with the arrays of the structure, and values of its own */
    bool has_ghosts;       /* on any rank */
    double line_length[2]; /* mean entries of a line over all ranks: of the own part, of the ghost part */
    mnp__ghosts *ghosts;   /* of the structure */
    mnp__products *products;
};

/* ---- making ---- */

/* MNP_ERR_ARG where the dtype is not float32, float64, complex64 or complex128. */
mnp_status mnp__sparse_check_dtype(const char *function, mnp_dtype dtype);

/* What a matrix is, without its entries.  The layouts are borrowed. */
typedef struct mnp__sparse_shape {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    int64_t rows, columns; /* of the whole matrix */
    const mnp_layout *row_layout, *column_layout;
} mnp__sparse_shape;

static inline mnp__sparse_shape mnp__sparse_shape_of(const mnp_sparse *matrix)
{
    return (mnp__sparse_shape){.ctx = matrix->ctx,
                               .dtype = matrix->dtype,
                               .rows = matrix->shape[0],
                               .columns = matrix->shape[1],
                               .row_layout = matrix->row_layout,
                               .column_layout = matrix->column_layout};
}

/*
 * The layouts that a caller asks for, checked; even ones where they are NULL, but for the columns of a square matrix,
 * which are cut as its rows.  Both are counted references that the caller frees.  MNP_ERR_ARG: an extent is negative,
 * or a layout does not cut one dimension over all ranks, in their order.  Collective.
 */
mnp_status mnp__sparse_layouts(const char *function, const mnp__sparse_shape *wanted, mnp_layout **row_layout_p,
                               mnp_layout **column_layout_p);

/* The rank that owns index i of such a layout. */
int mnp__sparse_owner(const mnp_layout *layout, int64_t i);

/* A rank's rows, cut at the columns that it owns.  The parts are device memory, the list of columns the CPU's. */
typedef struct mnp__parts {
    mnp__part own, ghost;            /* `own` in any format, `ghost` in CSR, its columns numbered by the list */
    int64_t nghosts, *ghost_columns; /* the columns of others that entries are in, rising; malloc'ed */
    bool has_ghosts;                 /* any rank does; if not, `ghost` may be empty */
    int64_t nnz;                     /* entries of both, without what fills up a format */
} mnp__parts;

void mnp__parts_free(mnp_ctx *ctx, mnp__parts *parts); /* one that is all zeros is accepted */

/*
 * A matrix of that shape from its parts, of which the ghost part lists the rows that have entries.  The parts are used
 * up, also after a failure.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__sparse_from_parts(const mnp__sparse_shape *shape, mnp__parts *parts, mnp_sparse **matrix_p);

/*
 * A matrix of that dtype with the structure of another, whose values, in `own` and `ghost`, the caller stores.  Not
 * collective: the caller agrees, and frees *matrix_p, which is NULL after a failure, if another rank failed.
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__sparse_new_like(const mnp_sparse *matrix, mnp_dtype dtype, mnp_sparse **matrix_p);

/* ---- taking apart ---- */

/*
 * This rank's rows on the CPU, from any format.  Free with mnp__csr_free().  Waits.  to_csr is not collective, and may
 * fail on this rank alone; fetch is collective, and agreed upon.
 */
mnp_status mnp__sparse_to_csr(const mnp_sparse *matrix, mnp__csr *csr);
mnp_status mnp__sparse_fetch(const mnp_sparse *matrix, mnp__csr *csr);

/*
 * b in that dtype and those layouts (NULL: as they are), to be combined with another matrix.  *brought_p is b itself or
 * *temporary_p, which the caller frees (NULL: none).  Collective.
 */
mnp_status mnp__sparse_bring(const mnp_sparse *b, mnp_dtype dtype, const mnp_layout *row_layout,
                             const mnp_layout *column_layout, const mnp_sparse **brought_p, mnp_sparse **temporary_p);

/* ---- products with vectors ---- */

mnp_status mnp__products_new(mnp__products **products_p);
void mnp__products_free(mnp__products *products); /* NULL is accepted.  Collective. */

/*
 * y = A x for `width` vectors side by side in C order, on the compute stream; conjugate: A's values are conjugated.  x
 * and y are device memory of that dtype, which can hold the matrix's values: this rank's columns of x and its rows of
 * y, times `width`.  Collective.  Only the first call with a dtype and width waits and agrees; the first with one
 * vector may run the product several times to choose a kernel (spmv_autotune.h).
 */
mnp_status mnp__sparse_apply(const mnp_sparse *matrix, bool conjugate, mnp_dtype dtype, int64_t width, const void *x,
                             void *y);

/*
 * y = A x for one vector and, in the same kernels, this rank's dot(x, y) as the first sum of a method's state.  Both
 * are skipped once the method is over, but y may be overwritten while a kernel is chosen.  A is square, its rows and
 * columns cut alike.  *done_p is false where the format has no such kernel (CSC, COO); nothing was done then.
 * Collective, as above.
 */
mnp_status mnp__sparse_apply_dot(const mnp_sparse *matrix, mnp_dtype dtype, const void *x, void *y,
                                 const mnp__steps_buffers *buffers, bool *done_p);

/* The transpose, made at the first call and cached with the matrix.  Collective. */
mnp_status mnp__sparse_transposed(const mnp_sparse *matrix, const mnp_sparse **transposed_p);

/* The cached transpose; NULL: there is none.  Not collective. */
const mnp_sparse *mnp__sparse_known_transpose(const mnp_sparse *matrix);

/* A vector's layout for x: as given, or with the columns of x, whole, beside it.  The caller frees it. */
mnp_status mnp__vectors_layout(const mnp_layout *layout, const mnp_array *x, mnp_layout **layout_p);

#endif
