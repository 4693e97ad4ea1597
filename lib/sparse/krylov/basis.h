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
    char *addresses; /* of their memory, in device memory */
    mnp__kernel *dots, *combine;
} mnp__basis;

/* `size` vectors, all 0, at most as many as the steps were made for.  Collective, and agreed upon.  MNP_ERR_MEMORY. */
mnp_status mnp__basis_new(mnp__steps *steps, const mnp_layout *layout, int size, mnp__basis **basis_p);
void mnp__basis_free(mnp__basis *basis); /* NULL is accepted.  Collective. */

/*
 * How many vectors of a set the device takes, beyond what a call says: all; as many as the state's `again`; or as its
 * `columns`, and then also when the method is over.
 */
typedef enum mnp__limit { MNP__NO_LIMIT, MNP__LIMIT_AGAIN, MNP__LIMIT_COLUMNS } mnp__limit;

/*
 * c[k] = <v[k], x> for k < count; what is beyond the limit stays.  x may be one of them.  `at` is where the
 * coefficients go: bytes into the method's memory, or negative: they are the state's sums.  Collective.
 */
mnp_status mnp__basis_dots(mnp__basis *basis, int count, mnp__limit limit, const mnp_array *x, ptrdiff_t at);

/* How coefficients are applied. */
typedef struct mnp__combination {
    int count; /* vectors */
    size_t at; /* of the coefficients, bytes into the method's memory */
    double sign;
    bool add;    /* to what x is; else x is overwritten */
    bool scaled; /* the result is multiplied with the state's factor */
    mnp__limit limit;
} mnp__combination;

/* x = (x or 0) + sign * sum of c[k] v[k]; x is none of them, and stays if nothing is added to it.  Not collective. */
mnp_status mnp__basis_combine(mnp__basis *basis, const mnp__combination *how, mnp_array *x);

/*
 * x loses its part in the vectors from .. to - 1, which are orthonormal: c[k] = <v[k], x>, which go to `at` and k
 * numbers on, x -= sum of c[k] v[k].  Collective.
 */
mnp_status mnp__basis_remove(mnp__basis *basis, int from, int to, mnp_array *x, size_t at);

/* ---- sets as tall matrices ---- */

/*
 * Vectors of one length, wherever they lie, as the columns of a matrix of which a rank has some rows: a basis' own, or
 * those of arrays (N, width), dense in C order.
 */
typedef struct mnp__columns {
    char *addresses; /* in device memory, of every column's first element */
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

/* The first of a basis; some of a set.  They belong to it. */
mnp__columns mnp__basis_columns(const mnp__basis *basis, int count);
mnp__columns mnp__columns_part(const mnp__columns *columns, int from, int count);

/* Kernels for columns of that dtype, and room for small matrices of so many numbers.  Collective, and agreed upon. */
typedef struct mnp__tall mnp__tall;
mnp_status mnp__tall_new(mnp_ctx *ctx, mnp_dtype dtype, int most, mnp__tall **tall_p);
void mnp__tall_free(mnp__tall *tall); /* NULL is accepted.  Collective. */

/*
 * left^H right, by rows, on the CPU of every rank, but for what all ranks must take for the same rank 0's counts;
 * summed in a fixed order for a given number of ranks.  Waits.  Collective.
 */
mnp_status mnp__tall_inner(mnp__tall *tall, const mnp__columns *left, const mnp__columns *right,
                           double _Complex *matrix);

/*
 * Bring a small matrix of so many numbers, by rows, to the device; imaginary parts have no meaning for real columns.
 * What the compute stream holds is waited for.  Not collective.
 */
mnp_status mnp__tall_put(mnp__tall *tall, int count, const double _Complex *matrix);

/*
 * to = from * what was put last, with from->count rows and to->count columns, enqueued; `to` may be some of the columns
 * `from`.  Not collective.
 */
mnp_status mnp__tall_multiply(mnp__tall *tall, const mnp__columns *from, const mnp__columns *to);

#endif
