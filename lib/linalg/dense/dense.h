/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices that a rank has whole, in the order in which LAPACK wants them.
 *
 * Most functions of this folder are about the last two dimensions of an array, and are done once for every index of
 * the others, the batch.  Where these two are not cut, the matrices are factored where they lie.  Otherwise they are
 * first brought together: the longest batch dimension is cut instead, or, if there is one matrix, rank 0 gets it.  A
 * function that has an algorithm for it calls mnp__place_spread() instead: the columns of a large matrix are then dealt
 * out over all ranks (panels.c), while vectors and numbers are on every rank.  One matrix is a batch of one in all that
 * follows.
 *
 * LAPACK overwrites its input, so every input is copied; the copy is in column-major order, which is all that is done
 * about the order of elements.  Results are computed in that order too, and given in the caller's by a second copy.
 * Kernels of our own for small matrices read C order, and write it; that takes no copies where arrays have it.
 */
#ifndef MNP__LINALG_DENSE_H
#define MNP__LINALG_DENSE_H

#include "array/array.h"
#include "array/input.h"
#include "array/output.h"
#include "device/lapack.h"
#include "layout/layout.h"

/* Where a call computes: which matrices of the batch a rank has. */
typedef struct mnp__place {
    const char *function; /* begins the messages: "mnp_inv" */
    mnp_ctx *ctx;
    mnp_layout *batch;      /* of the batch: of the dimensions before the last two, or of one of extent 1 */
    bool single;            /* the caller has one matrix, without a batch */
    const mnp_layout *like; /* the layout of the input that decides; borrowed */
    bool stays;             /* its matrices are not cut */
    bool spread;            /* the one matrix is dealt out over all ranks */
    int64_t widest;         /* its blocks of columns, at most; 0: as suits products of matrices */
} mnp__place;

/* So many matrices of this rank, and the array that they are the block of. */
typedef struct mnp__dense {
    mnp_array *array; /* has the dimensions of the place's batch, and two more */
    int64_t m, n, batch;
    int64_t width, columns; /* of matrices that are spread: of their blocks of columns; of this rank's columns */
    mnp__matrices of;
} mnp__dense;

/*
 * A result of a public function: its name, NULL if there is only one; where the caller wants it, NULL if not at all;
 * its dtype: the one that is computed, that of the real parts, the complex one of that precision, or an integer; and
 * its dimensions after the batch, each a letter: m and n of the input, k for the lesser of them, and 1.  NULL: they
 * follow from values.
 */
enum { MNP__MOST_RESULTS = 4 };
typedef enum mnp__result_type {
    MNP__AS_COMPUTED,
    MNP__AS_REAL,
    MNP__AS_COMPLEX,
    MNP__AS_INT32,
    MNP__AS_INT64
} mnp__result_type;
typedef struct mnp__result {
    const char *name;
    mnp_array **user_p;
    mnp__result_type type;
    const char *dims;
} mnp__result;

/*
 * Before the work of a public function of matrices: check the input and the given outputs, their shapes too, and find
 * the dtype in which is computed.  Not collective.
 */
mnp_status mnp__linalg_check_results(const char *function, const mnp_array *a, bool square, int count,
                                     const mnp__result *results, mnp_dtype *dtype_p);

/* The same of the outputs alone, for a function that has found its dtype. */
mnp_status mnp__linalg_check_outputs(const char *function, const mnp_array *a, mnp_dtype computed, int count,
                                     const mnp__result *results);

/* MNP_ERR_ARG unless two inputs of those names have one shape, and one dtype.  Not collective. */
mnp_status mnp__linalg_check_alike(const char *function, const char *name_a, const mnp_array *a, const char *name_b,
                                   const mnp_array *b);

/* MNP_ERR_ARG unless the given output, if there is one, can take that result.  Not collective. */
mnp_status mnp__linalg_check_output(const char *function, const mnp_array *a, mnp_dtype computed,
                                    const mnp__result *result);

/*
 * The same as mnp__linalg_check_results(), and open the place (see mnp__place_open()), which is to be closed only if
 * this succeeds.  Collective.
 */
mnp_status mnp__linalg_begin(const char *function, const mnp_array *a, bool square, int count,
                             const mnp__result *results, mnp_dtype *dtype_p, mnp__place *place);

/*
 * MNP_ERR_ARG unless the array has two dimensions at least, and, if `square`, as many rows as columns; and its dtype as
 * it is computed: float32, float64, complex64 and complex128 stay, integers and bool become float64, and others are
 * MNP_ERR_ARG, as in NumPy.  Not collective.
 */
mnp_status mnp__linalg_check(const char *function, const mnp_array *a, bool square);
mnp_status mnp__linalg_dtype(const char *function, mnp_dtype dtype, mnp_dtype *computed_p);

/* The dtype in which a function of two arrays is computed.  MNP_ERR_ARG as above.  Not collective. */
mnp_status mnp__linalg_common_dtype(const char *function, const mnp_array *a, const mnp_array *b,
                                    mnp_dtype *computed_p);
mnp_dtype mnp__linalg_real(mnp_dtype dtype);    /* of the real parts */
mnp_dtype mnp__linalg_complex(mnp_dtype dtype); /* the complex type of that precision */

static inline int64_t mnp__rows(const mnp_array *a)
{
    return a->layout->shape[a->layout->ndim - 2];
}

static inline int64_t mnp__columns(const mnp_array *a)
{
    return a->layout->shape[a->layout->ndim - 1];
}

/* The conjugate transpose of each matrix: a view, or of complex ones a new array. */
mnp_status mnp__linalg_adjoint(const mnp_array *a, mnp_array **adjoint_p);

/* a^H x, as (x^H a)^H: only x, which is mostly the smaller one, is conjugated.  Collective. */
mnp_status mnp__linalg_adjoint_times(const mnp_array *a, const mnp_array *x, mnp_array **out_p);

/* The largest modulus of the elements of `a`, which has some: NaN if one is.  Waits.  Collective. */
mnp_status mnp__linalg_largest(const mnp_array *a, double *largest_p);

/*
 * Find the place for the matrices of `a`, whose batch is broadcast to nbatch dimensions of those extents; shape NULL:
 * its own.  Loads LAPACK.  Close it with mnp__place_close(), which accepts zeros.  Collective.
 */
mnp_status mnp__place_open(const char *function, const mnp_array *a, int nbatch, const int64_t *shape,
                           mnp__place *place);
void mnp__place_close(mnp__place *place);

/* Spread matrices over the ranks if the place has one matrix that is cut, and that is large.  MNP_ERR_MEMORY. */
mnp_status mnp__place_spread(const mnp_array *a, mnp__place *place);

/* Make new matrices, with undefined values, or new vectors, one for each matrix.  Collective. */
mnp_status mnp__dense_new(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp__dense *dense);
mnp_status mnp__vectors_new(const mnp__place *place, mnp_dtype dtype, int64_t n, mnp_array **vectors_p);
mnp_status mnp__numbers_new(const mnp__place *place, mnp_dtype dtype, mnp_array **numbers_p);

/* Copy an input, whose batch is broadcast, to new matrices or vectors.  Collective. */
mnp_status mnp__dense_read(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense *dense);
mnp_status mnp__vectors_read(const mnp__place *place, const mnp_array *v, mnp_dtype dtype, mnp_array **vectors_p);

/*
 * For kernels that take C order: the matrices of an input, whose batch is broadcast, one behind the other, where they
 * lie if they do so there; and a new array for so many matrices.  Closing accepts zeros.  Collective.
 */
typedef struct mnp__dense_input {
    mnp_array *view; /* of the input, with the place's batch */
    mnp__input input;
} mnp__dense_input;
mnp_status mnp__dense_open(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense_input *input);
void mnp__dense_close(mnp__dense_input *input);
mnp_status mnp__matrices_new(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp_array **matrices_p);

/* New matrices of m x n with ones on the diagonal, and zeros.  Collective. */
mnp_status mnp__dense_identity(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp__dense *dense);

/* Bring spread matrices to a layout of blocks, which is all that other functions take; LAPACK is done with them. */
mnp_status mnp__dense_to_blocks(const mnp__place *place, mnp__dense *dense);

static inline void mnp__dense_free(mnp__dense *dense)
{
    mnp_array_free(dense->array);
    dense->array = NULL;
}

/* A job about matrices `a`; the caller adds what the operation needs. */
mnp__lapack_job mnp__dense_job(const mnp__dense *a);

/* Run it, unless this rank has no elements.  Not collective. */
mnp_status mnp__dense_run(const mnp__place *place, mnp__lapack_op *op, const mnp__lapack_job *job);

/*
 * The end of an operation that reports about each matrix: MNP_ERR_LINALG on all ranks if it failed for any, and
 * otherwise the status, agreed upon.  `problem` says what is wrong with a matrix, and may hold one %d, which is what
 * was reported.  MNP_ERR_INTERNAL for reports below 0, which are about arguments.  Waits.  Collective.
 */
mnp_status mnp__dense_report(const mnp__place *place, const mnp_array *info, const char *problem, mnp_status status);

#define MNP__SINGULAR "is singular: pivot %d is 0"
#define MNP__VALUES_NOT_FOUND "has eigenvalues that were not found: the iteration did not converge for %d of them"
#define MNP__SINGULAR_VALUES_NOT_FOUND "has singular values that were not found: the iteration did not converge"

/* New numbers for reports, 0.  Collective. */
mnp_status mnp__info_new(const mnp__place *place, mnp_array **info_p);

/*
 * Give a result, an array with the place's batch and any number of further dimensions, to the caller of a public
 * function, in C order, cut as the function's input is where that is possible: the array's own memory if it is so and
 * the caller has no array, or a copy.  Collective.
 */
mnp_status mnp__dense_give(const mnp__place *place, mnp_array *result, mnp_array **user_p);

/* The same for several results, of which the caller gets all that are wanted, or none. */
mnp_status mnp__dense_give_all(const mnp__place *place, int count, const mnp__result *results, mnp_array *const *made);

#endif
