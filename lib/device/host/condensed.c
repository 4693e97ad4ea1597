/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues of tridiagonal and singular values of bidiagonal matrices, by LAPACK on the CPU, in float64.
 *
 * They are what is left of a matrix that all ranks have reduced together: a few vectors, which every rank has.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/blas.h"
#include "device/host/host.h"
#include "device/lapack.h"

typedef void stedc_function(const char *vectors, const int *n, double *d, double *e, double *z, const int *ldz,
                            double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t);
typedef void sterf_function(const int *n, double *d, double *e, int *info);
typedef void stebz_function(const char *range, const char *order, const int *n, const double *vl, const double *vu,
                            const int *il, const int *iu, const double *tolerance, const double *d, const double *e,
                            int *m, int *splits, double *w, int *blocks, int *split, double *work, int *iwork,
                            int *info, size_t, size_t);
typedef void stein_function(const int *n, const double *d, const double *e, const int *m, const double *w,
                            const int *blocks, const int *split, double *z, const int *ldz, double *work, int *iwork,
                            int *failed, int *info);
typedef void bdsdc_function(const char *triangle, const char *vectors, const int *n, double *d, double *e, double *u,
                            const int *ldu, double *vt, const int *ldvt, double *q, int *iq, double *work, int *iwork,
                            int *info, size_t, size_t);

typedef void bdsqr_function(const char *triangle, const int *n, const int *ncvt, const int *nru, const int *ncc,
                            double *d, double *e, double *vt, const int *ldvt, double *u, const int *ldu, double *c,
                            const int *ldc, double *work, int *info, size_t);

/* OpenBLAS uses the threads that this rank has on the host, and its own number of them beside a GPU. */
static int set_threads(const mnp__device *device)
{
    const bool is_host = device->ops->blas == &mnp__host_blas;
    return mnp__host_lapack_set_threads(is_host ? ((const mnp__host_device *)device)->threads : 0);
}

static void restore_threads(int before)
{
    (void)mnp__host_lapack_set_threads(before);
}

/* Workspaces of so many numbers and integers; LAPACK counts them in 32 bits. */
static mnp_status get_work(double numbers, double integers, double **work_p, int **iwork_p)
{
    if (numbers > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "LAPACK's workspace has %.0f numbers, and it counts in 32 bits", numbers);
    MNP_TRY(mnp__malloc((size_t)numbers * sizeof **work_p, work_p));
    const mnp_status st = mnp__malloc((size_t)integers * sizeof **iwork_p, iwork_p);
    if (st != MNP_OK)
        free(*work_p);
    return st;
}

mnp_status mnp__lapack_tridiagonal(mnp__device *device, int64_t order, double *d, double *e, double *z, int *info_p)
{
    const int n = (int)order;
    double *work;
    int *iwork;
    stedc_function *stedc;
    sterf_function *sterf;
    MNP_TRY(mnp__host_need_lapack("mnp__lapack_tridiagonal"));
    MNP_TRY(mnp__host_lapack_function("dsterf_", &sterf));
    MNP_TRY(mnp__host_lapack_function("dstedc_", &stedc));
    if (!z) {
        const int threads = set_threads(device);
        sterf(&n, d, e, info_p);
        restore_threads(threads);
        return MNP_OK;
    }
    const double numbers = 1 + 4 * (double)n + (double)n * n, integers = 3 + 5 * (double)n;
    MNP_TRY(get_work(numbers, integers, &work, &iwork));
    const int lwork = (int)numbers, liwork = (int)integers, before = set_threads(device);
    stedc("I", &n, d, e, z, &n, work, &lwork, iwork, &liwork, info_p, 1);
    restore_threads(before);
    free(iwork);
    free(work);
    return MNP_OK;
}

/* A tridiagonal matrix, room for bisection and inverse iteration, and what the first tells the second. */
typedef struct bisection {
    int n;
    const double *d, *e;
    double *work;
    int *iwork, *blocks, *splits;
} bisection;

static mnp_status get_bisection(int n, const double *d, const double *e, bisection *b)
{
    *b = (bisection){.n = n, .d = d, .e = e};
    MNP_TRY(get_work(5 * (double)n, 5 * (double)n, &b->work, &b->iwork));
    b->blocks = b->iwork + 3 * n;
    b->splits = b->blocks + n;
    return MNP_OK;
}

/* The columns of z (n x count) and their values in ascending order: they were found block by block. */
static mnp_status sort_vectors(int64_t n, int64_t count, double *values, double *z)
{
    double *column;
    MNP_TRY(mnp__malloc((size_t)n * sizeof *column, &column));
    for (int64_t i = 0; i < count; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < count; j++)
            least = values[j] < values[least] ? j : least;
        if (least == i)
            continue;
        const double value = values[i];
        values[i] = values[least];
        values[least] = value;
        memcpy(column, z + i * n, (size_t)n * sizeof *column);
        memcpy(z + i * n, z + least * n, (size_t)n * sizeof *column);
        memcpy(z + least * n, column, (size_t)n * sizeof *column);
    }
    free(column);
    return MNP_OK;
}

/* With `vectors` the values are those of T's blocks, one behind the other, as inverse iteration wants them. */
static mnp_status bisect(const bisection *b, const mnp__eigen_range *range, bool vectors, double *values, int *count_p,
                         int *info_p)
{
    const int first = (int)range->first + 1, last = (int)range->last + 1;
    const double tolerance = 0; /* as accurate as sums of this size allow */
    int splits = 0;
    stebz_function *stebz;
    MNP_TRY(mnp__host_lapack_function("dstebz_", &stebz));
    stebz(range->by_value ? "V" : "I", vectors ? "B" : "E", &b->n, &range->low, &range->high, &first, &last, &tolerance,
          b->d, b->e, count_p, &splits, values, b->blocks, b->splits, b->work, b->iwork, info_p, 1, 1);
    return MNP_OK;
}

static mnp_status by_bisection(mnp__device *device, int64_t order, const double *d, const double *e,
                               const mnp__eigen_range *range, double *values, double **z_p, int *info_p)
{
    const int n = (int)order;
    int count = 0, *failed = NULL;
    double *z = NULL;
    bisection b;
    stein_function *stein;
    mnp_status st;
    MNP_TRY(mnp__host_need_lapack("mnp__lapack_tridiagonal_range"));
    MNP_TRY(mnp__host_lapack_function("dstein_", &stein));
    MNP_TRY(get_bisection(n, d, e, &b));
    const int before = set_threads(device);
    MNP_TRY_OR(bisect(&b, range, z_p != NULL, values, &count, info_p), st, done);
    *range->count_p = count;
    if (!z_p || *info_p != 0 || count == 0)
        goto done;
    MNP_TRY_OR(mnp__malloc((size_t)count * (size_t)n * sizeof *z, &z), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)count * sizeof *failed, &failed), st, done);
    stein(&n, d, e, &count, values, b.blocks, b.splits, z, &n, b.work, b.iwork, failed, info_p);
    MNP_TRY_OR(sort_vectors(n, count, values, z), st, done);
    *z_p = z;
    z = NULL;
done:
    restore_threads(before);
    free(failed);
    free(z);
    free(b.iwork);
    free(b.work);
    return st;
}

/* How many eigenvalues of T are below x: as many as T - x has negative pivots (Sturm). */
static int64_t count_below(int64_t n, const double *d, const double *e, double least_pivot, double x)
{
    int64_t count = 0;
    double pivot = d[0] - x;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0)
            pivot = d[i] - x - e[i - 1] * e[i - 1] / pivot;
        if (fabs(pivot) < least_pivot)
            pivot = -least_pivot;
        count += pivot < 0;
    }
    return count;
}

/*
 * Whether values have the numbers that they were asked for by, up to rounding.  Where many eigenvalues are equal,
 * LAPACK's bisection may count them differently before and after it splits T, and then miss those behind a gap.
 */
static bool are_numbered(int64_t n, const double *d, const double *e, const mnp__eigen_range *range,
                         const double *values)
{
    double norm = 0, largest = 0;
    if (*range->count_p != range->last - range->first + 1)
        return false;
    for (int64_t i = 0; i < n; i++) {
        norm = fmax(norm, fabs(d[i]) + (i > 0 ? fabs(e[i - 1]) : 0) + (i < n - 1 ? fabs(e[i]) : 0));
        largest = i > 0 ? fmax(largest, e[i - 1] * e[i - 1]) : 1;
    }
    const double least = DBL_MIN * largest, rounding = 4 * (double)n * DBL_EPSILON * norm;
    for (int64_t i = 0; i < *range->count_p; i++) {
        const int64_t number = range->first + i;
        if (count_below(n, d, e, least, values[i] - rounding) > number ||
            count_below(n, d, e, least, values[i] + rounding) <= number)
            return false;
    }
    return true;
}

/* From all eigenvalues, and eigenvectors. */
static mnp_status from_all(mnp__device *device, int64_t n, const double *d, const double *e,
                           const mnp__eigen_range *range, double *values, double **z_p, int *info_p)
{
    const size_t count = (size_t)(range->last - range->first + 1), order = (size_t)n;
    double *room, *z = NULL;
    MNP_TRY(mnp__malloc(2 * order * sizeof *room, &room));
    mnp_status st = MNP_OK;
    if (z_p)
        st = mnp__malloc(order * order * sizeof *z, &z);
    memcpy(room, d, order * sizeof *room);
    memcpy(room + n, e, (order - 1) * sizeof *room);
    if (st == MNP_OK)
        st = mnp__lapack_tridiagonal(device, n, room, room + n, z, info_p);
    if (st == MNP_OK) {
        memcpy(values, room + range->first, count * sizeof *values);
        *range->count_p = (int64_t)count;
    }
    if (st == MNP_OK && z_p) {
        memmove(z, z + range->first * n, count * order * sizeof *z);
        *z_p = z;
        z = NULL;
    }
    free(z);
    free(room);
    return st;
}

mnp_status mnp__lapack_tridiagonal_range(mnp__device *device, int64_t n, const double *d, const double *e,
                                         const mnp__eigen_range *range, double *values, double **z_p, int *info_p)
{
    MNP_TRY(by_bisection(device, n, d, e, range, values, z_p, info_p));
    if (range->by_value || (*info_p == 0 && are_numbered(n, d, e, range, values)))
        return MNP_OK;
    if (z_p) {
        free(*z_p);
        *z_p = NULL;
    }
    return from_all(device, n, d, e, range, values, z_p, info_p);
}

/*
 * Whether the columns of a matrix are orthonormal up to 2 n eps: the elements of U^T U x - x for one vector x of ones
 * and minus ones, in n^2 operations.  `y` has room for n.
 */
static bool is_orthogonal(int64_t n, const double *u, double *y)
{
    uint32_t drawn = 1;
    for (int64_t i = 0; i < n; i++)
        y[i] = 0;
    for (int64_t j = 0; j < n; j++) {
        drawn = drawn * 1664525 + 1013904223;
        for (int64_t i = 0; i < n; i++)
            y[i] += drawn >> 31 ? u[j * n + i] : -u[j * n + i];
    }
    drawn = 1;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        drawn = drawn * 1664525 + 1013904223;
        for (int64_t i = 0; i < n; i++)
            sum += u[j * n + i] * y[i];
        if (!(fabs(sum - (drawn >> 31 ? 1 : -1)) <= 2 * (double)n * DBL_EPSILON))
            return false;
    }
    return true;
}

/* The vectors by the QR iteration, which takes longer. */
static void iterate(bdsqr_function *bdsqr, int n, double *d, double *e, double *u, double *vt, double *work,
                    int *info_p)
{
    const int none = 0;
    memset(u, 0, (size_t)n * (size_t)n * sizeof *u);
    memset(vt, 0, (size_t)n * (size_t)n * sizeof *vt);
    for (int64_t i = 0; i < n; i++)
        u[i * (n + 1)] = vt[i * (n + 1)] = 1;
    bdsqr("U", &n, &n, &n, &none, d, e, vt, &n, u, &n, NULL, &n, work, info_p, 1);
}

mnp_status mnp__lapack_bidiagonal(mnp__device *device, int64_t order, double *d, double *e, double *u, double *vt,
                                  int *info_p)
{
    const int n = (int)order, one = 1, *ld = u ? &n : &one;
    double *work;
    int *iwork;
    bdsdc_function *bdsdc;
    bdsqr_function *bdsqr;
    MNP_TRY(mnp__host_need_lapack("mnp__lapack_bidiagonal"));
    MNP_TRY(mnp__host_lapack_function("dbdsdc_", &bdsdc));
    MNP_TRY(mnp__host_lapack_function("dbdsqr_", &bdsqr));
    MNP_TRY(get_work((u ? 3 * (double)n * n + 4 * (double)n : 4 * (double)n) + 2 * (double)n, 8 * (double)n, &work,
                     &iwork));
    double *kept = work + (u ? 3 * (size_t)n * (size_t)n + 4 * (size_t)n : 4 * (size_t)n); /* d and e as given */
    const int before = set_threads(device);
    memcpy(kept, d, (size_t)n * sizeof *d);
    memcpy(kept + n, e, (size_t)n * sizeof *e);
    bdsdc("U", u ? "I" : "N", &n, d, e, u, ld, vt, ld, NULL, NULL, work, iwork, info_p, 1, 1);
    /* for values that agree it can leave vectors that are not orthogonal, off by 1e4 eps and more */
    if (u && *info_p == 0 && !(is_orthogonal(n, u, work) && is_orthogonal(n, vt, work))) {
        memcpy(d, kept, (size_t)n * sizeof *d);
        memcpy(e, kept + n, (size_t)n * sizeof *e);
        iterate(bdsqr, n, d, e, u, vt, work, info_p);
    }
    restore_threads(before);
    free(iwork);
    free(work);
    return MNP_OK;
}
