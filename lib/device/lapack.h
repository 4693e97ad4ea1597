/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations of dense matrices in the memory of one rank, and what follows from them.
 *
 * A table of operations with two implementations: OpenBLAS, or another LAPACK, on the host; cuSOLVER and cuBLAS on
 * GPUs. They are loaded when they are first needed.  All operations have one signature: a job describes a batch of
 * matrices of one size, and each operation says which of the job's fields it uses.  Matrices are in column-major
 * order: element (i, j) of matrix number b is number b * step + j * ld + i.  All memory is the device's.
 *
 * Operations are enqueued on a stream.  They take their workspaces from the device's pool, so they can fail on one
 * rank alone, and cannot be recorded into graphs.  What LAPACK reports of each matrix goes to `info`, as it has it: 0
 * for success.  Extents are at most INT32_MAX: others are MNP_ERR_UNSUPPORTED.
 */
#ifndef MNP__DEVICE_LAPACK_H
#define MNP__DEVICE_LAPACK_H

#include <maniple/dtype.h>

#include "device/device.h"

/* A batch of matrices; step 0 if there is one. */
typedef struct mnp__matrices {
    void *data;
    int64_t ld, step;
} mnp__matrices;

/*
 * A range of the eigenvalues in ascending order: of numbers first to last, both included and counted from 0, or with
 * `by_value` of those above `low` and up to `high`; then there may be one matrix, and count_p, memory of the CPU,
 * receives how many there are.
 */
typedef struct mnp__eigen_range {
    bool by_value;
    int64_t first, last;
    double low, high;
    int64_t *count_p;
} mnp__eigen_range;

typedef struct mnp__lapack_job {
    mnp_dtype dtype; /* float32, float64, complex64 or complex128 */
    int64_t batch, m, n, k;
    mnp__matrices a, b, c, d;
    void *values;    /* a vector for each matrix, one behind the other */
    int32_t *pivots; /* min(m, n) for each matrix, or what the operation says, one behind the other; the first row is
                        number 1 */
    int32_t *info;   /* one for each matrix; NULL where the operation reports nothing */
    bool upper, right, vectors, full, symmetric;
    const mnp__eigen_range *range;
    char op; /* 'N', 'T', or 'C': the matrix as it is, transposed, transposed and conjugated */
} mnp__lapack_job;

typedef mnp_status mnp__lapack_op(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream);

struct mnp__lapack_ops {
    /* Load the library.  MNP_ERR_UNSUPPORTED, in a message that begins with `function`, if this machine has none. */
    mnp_status (*need)(mnp__device *device, const char *function);
    mnp__lapack_op
        *potrf; /* a (n x n) = L L^H, or U^H U with `upper`, in that triangle; info k: minor k is not positive */
    mnp__lapack_op *getrf; /* a (m x n) = P L U, in place, and pivots; info k: U[k, k] is 0 */
    mnp__lapack_op *getrs; /* op(a) X = b by getrf's a and pivots (n x n); X replaces b, which is n x k */
    mnp__lapack_op *getri; /* b = the inverse, by getrf's a and pivots (n x n); a is destroyed */
    mnp__lapack_op *laswp; /* interchange rows i and pivots[i] of a (m x n), i from 0 to k - 1; op T: backwards; one
                              matrix */
    mnp__lapack_op *geqrf; /* a (m x n) = Q R: R, reflectors below it, and their min(m, n) factors in values */
    mnp__lapack_op *orgqr; /* a (m x n), n <= m, from k reflectors and factors to the first n columns of Q */
    mnp__lapack_op *ormqr; /* b (m x n) = op(Q) b by k reflectors in a and their factors; op is N or C */
    mnp__lapack_op
        *hetrf; /* a (n x n), of which one triangle is read: the factors of Bunch and Kaufman in its place, as
                              LAPACK's hetrf has them, or with `symmetric` its sytrf, and n pivots, negative where a
                              block of D is 2 x 2; info k: D[k, k] is 0 */
    mnp__lapack_op *heevd; /* a (n x n), of which one triangle is read: eigenvalues, real, to values; with `vectors` the
                              vectors to a, which is destroyed otherwise */
    mnp__lapack_op *heevr; /* the same for a range of the eigenvalues: so many of n values, and with `vectors` as many
                              columns of b (n x n, or as many columns as the range has); a is destroyed */
    mnp__lapack_op *gesdd; /* a (m x n), m >= n, is destroyed: n singular values, real, to values; with `vectors` U
                              (m x n, or m x m with `full`) to b, and V^H (n x n) to c */
    mnp__lapack_op *geev;  /* a (n x n), which is destroyed: n complex eigenvalues to values; with `vectors` the complex
                              right ones to b, as b.data of the complex type */
    /* NULL where the library has none */
    mnp__lapack_op *gees;  /* a (n x n) = Z T Z^H: T to a, Z to b; real T is quasi-triangular */
    mnp__lapack_op *gehrd; /* a (n x n) = Q H Q^H: H, with one diagonal below the main one, to a, Q to b */
    mnp__lapack_op *trsen; /* a and b as gees has left them: the eigenvalues that n pivots other than 0 select come
                              first; info 1: two are not finite, or too close to each other to change places */
    mnp__lapack_op *gges;  /* a (n x n) = Q S Z^H and b (n x n) = Q T Z^H: S to a, T to b, Q to c, Z to d; real S is
                              quasi-triangular */
    mnp__lapack_op *tgsen; /* the same as trsen of what gges has left */
    mnp__lapack_op *ggev;  /* a and b (n x n), which are destroyed: of the pair's eigenvalues n complex numerators and
                              behind them n denominators to values; with `vectors` the complex left ones to c, and
                              right ones to d, as data of the complex type */
    mnp__lapack_op *geqp3; /* as geqrf, but with columns in another order: n pivots, from 0, say which */
    mnp__lapack_op *gebal; /* a (n x n) balanced, by op: P permuted, S scaled, B both; n scales to values, and which
                              row came where to n pivots, from 0 */
    mnp__lapack_op *orcsd; /* a (n x n), orthogonal, whose first block is k x m, is destroyed: left factors to the two
                              diagonal blocks of b (n x n), right ones to those of c, and min(k, n - k, m, n - m)
                              angles to values; -S is above the diagonal if `upper` */
};

/* What both tables have: operations whose functions are called as the fields are. */
#define MNP__LAPACK_OPERATIONS(prefix)                                                                                 \
    .potrf = prefix##potrf, .getrf = prefix##getrf, .getrs = prefix##getrs, .getri = prefix##getri,                    \
    .laswp = prefix##laswp, .geqrf = prefix##geqrf, .orgqr = prefix##orgqr, .ormqr = prefix##ormqr,                    \
    .hetrf = prefix##hetrf, .heevd = prefix##heevd, .heevr = prefix##heevr, .gesdd = prefix##gesdd,                    \
    .geev = prefix##geev

extern const mnp__lapack_ops mnp__host_lapack;
extern const mnp__lapack_ops mnp__cuda_lapack;

/*
 * On the CPU, in float64, for any device: the eigenvalues d of a tridiagonal matrix with diagonal d (n) and other
 * diagonal e (n - 1), in ascending order, and unless z is NULL its eigenvectors, the columns of z (n x n); the singular
 * values d of an upper bidiagonal one, in descending order, and unless u and vt are NULL its vectors.  e is destroyed.
 * *info_p is what LAPACK reports.  MNP_ERR_UNSUPPORTED, MNP_ERR_MEMORY.
 */
mnp_status mnp__lapack_tridiagonal(mnp__device *device, int64_t n, double *d, double *e, double *z, int *info_p);
mnp_status mnp__lapack_bidiagonal(mnp__device *device, int64_t n, double *d, double *e, double *u, double *vt,
                                  int *info_p);

/*
 * The same for a range of the eigenvalues, by bisection, and unless z_p is NULL its eigenvectors by inverse iteration,
 * n numbers for each, which the caller frees.  `values` has room for n; d and e are kept.  Bisection takes about
 * 50 n operations for each value; inverse iteration 10 n for each vector, and n k^2 for k values that lie together.
 * Where bisection by numbers has miscounted equal values, all of them are found instead, with vectors in n^2 numbers.
 */
mnp_status mnp__lapack_tridiagonal_range(mnp__device *device, int64_t n, const double *d, const double *e,
                                         const mnp__eigen_range *range, double *values, double **z_p, int *info_p);

/*
 * On the CPU, for any device: solve a x = b for `count` right-hand sides (n x count) by LAPACK's gbsv, where ab has
 * l more rows at its top, 2 l + u + 1 in all, or with `positive` by pbsv, where u diagonals of one triangle are given.
 * ab is destroyed.  With the rank's threads on the host, and one beside a GPU.
 */
typedef struct mnp__banded {
    mnp_dtype dtype;
    bool positive, lower;
    int64_t n, l, u, count;
    void *ab, *b;
} mnp__banded;
mnp_status mnp__lapack_banded(mnp__device *device, const mnp__banded *system, int *info_p);

/*
 * The complex vectors of LAPACK's real ones, on the CPU: a complex pair, whose values are conjugates, has its real and
 * imaginary parts in two columns.  `values` are complex, in the type of `vectors`; one matrix.
 */
void mnp__lapack_unpack_vectors(bool is_double, int64_t n, const void *values, const void *packed, int64_t ld,
                                void *vectors, int64_t ld_vectors);

#endif
