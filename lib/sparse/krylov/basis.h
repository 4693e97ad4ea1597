/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of vectors, and their products with one: what orthogonalisation needs (kernels/sparse/krylov/basis.cu).
 */
#ifndef MNP__SPARSE_KRYLOV_BASIS_H
#define MNP__SPARSE_KRYLOV_BASIS_H

#include "sparse/step/step.h"

typedef struct mnp__basis {
    mnp__steps *steps;
    int size;
    mnp_array **vectors;
    char *addresses; /* the addresses of their memory, in device memory */
    mnp__kernel *dots, *combine;
} mnp__basis;

/* `size` vectors, all 0, at most as many as the steps were made for.  Collective, and agreed upon.  MNP_ERR_MEMORY. */
mnp_status mnp__basis_new(mnp__steps *steps, const mnp_layout *layout, int size, mnp__basis **basis_p);
void mnp__basis_free(mnp__basis *basis); /* NULL is accepted.  Collective. */

/*
 * A limit in the state to the number of vectors that a call takes: none; `again`; or `columns`, and then also when the
 * method is over.
 */
typedef enum mnp__limit { MNP__NO_LIMIT, MNP__LIMIT_AGAIN, MNP__LIMIT_COLUMNS } mnp__limit;

/*
 * c[k] = <v[k], x> for k < count; coefficients past the limit stay.  x may be one of the vectors.  `at` says where
 * coefficients go: bytes into the method's memory, or negative: the sums of the state.  Collective.
 */
mnp_status mnp__basis_dots(mnp__basis *basis, int count, mnp__limit limit, const mnp_array *x, ptrdiff_t at);

/* How coefficients are applied. */
typedef struct mnp__combination {
    int count; /* vectors */
    size_t at; /* of the coefficients, bytes into the method's memory */
    double sign;
    bool add;    /* added to x, instead of overwriting it */
    bool scaled; /* the result is multiplied by the state's factor */
    mnp__limit limit;
} mnp__combination;

/* x = (x or 0) + sign * sum of c[k] v[k]; x is none of them, and stays if no vector is used.  Not collective. */
mnp_status mnp__basis_combine(mnp__basis *basis, const mnp__combination *how, mnp_array *x);

/*
 * Make x orthogonal to the orthonormal vectors from .. to - 1: c[k] = <v[k], x>, stored k numbers after `at`, and
 * x -= sum of c[k] v[k].  Collective.
 */
mnp_status mnp__basis_remove(mnp__basis *basis, int from, int to, mnp_array *x, size_t at);

/* ---- sets as tall matrices ---- */

/*
 * Vectors of one length as the columns of a tall matrix of which a rank has some rows: those of a basis, or the columns
 * of arrays (N, width) that are dense in C order.
 */
typedef struct mnp__columns {
    char *addresses; /* of every column's first element, in device memory */
    int count;
    int64_t stride; /* elements from one row to the next */
    int64_t rows;   /* on this rank */
} mnp__columns;

/*
 * The columns of `count` arrays of one shape and layout, at least 1, one array after the other.  Waits.  Free with
 * mnp__columns_free(), which takes zeros too.  Collective, and agreed upon.  MNP_ERR_MEMORY.
 */
mnp_status mnp__columns_new(int count, mnp_array *const *arrays, mnp__columns *columns);
void mnp__columns_free(mnp_ctx *ctx, mnp__columns *columns);

/* Some columns: the first of a basis, or a range of a set.  They belong to it. */
mnp__columns mnp__basis_columns(const mnp__basis *basis, int count);
mnp__columns mnp__columns_part(const mnp__columns *columns, int from, int count);

/* Kernels for columns of that dtype, and room for small matrices of so many numbers.  Collective, and agreed upon. */
typedef struct mnp__tall mnp__tall;
mnp_status mnp__tall_new(mnp_ctx *ctx, mnp_dtype dtype, int most, mnp__tall **tall_p);
void mnp__tall_free(mnp__tall *tall); /* NULL is accepted.  Collective. */

/*
 * left^H right, by rows, on the CPU of every rank.  Sums are taken in an order that is fixed for a given number of
 * ranks; decisions that all ranks must share are rank 0's.  Waits.  Collective.
 */
mnp_status mnp__tall_inner(mnp__tall *tall, const mnp__columns *left, const mnp__columns *right,
                           double _Complex *matrix);

/*
 * Copy a small matrix of so many numbers, by rows, to the device; for real columns imaginary parts are ignored.  Waits
 * for the compute stream.  Not collective.
 */
mnp_status mnp__tall_put(mnp__tall *tall, int count, const double _Complex *matrix);

/*
 * to = from * the matrix that was put last, with from->count rows and to->count columns, enqueued; `to` may be some of
 * the columns `from`.  Not collective.
 */
mnp_status mnp__tall_multiply(mnp__tall *tall, const mnp__columns *from, const mnp__columns *to);

#endif
