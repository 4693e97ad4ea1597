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
    return is_host ? mnp__host_blas_set_threads(((const mnp__host_device *)device)->threads) : 0;
}

static void restore_threads(int before)
{
    if (before > 0)
        (void)mnp__host_blas_set_threads(before);
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
    MNP_TRY(mnp__host_need_lapack("mnp__lapack_tridiagonal"));
    if (!z) {
        ((sterf_function *)mnp__host_lapack_function("dsterf_"))(&n, d, e, info_p);
        return MNP_OK;
    }
    const double numbers = 1 + 4 * (double)n + (double)n * n, integers = 3 + 5 * (double)n;
    MNP_TRY(get_work(numbers, integers, &work, &iwork));
    const int lwork = (int)numbers, liwork = (int)integers, before = set_threads(device);
    ((stedc_function *)mnp__host_lapack_function("dstedc_"))("I", &n, d, e, z, &n, work, &lwork, iwork, &liwork, info_p,
                                                             1);
    restore_threads(before);
    free(iwork);
    free(work);
    return MNP_OK;
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
static void iterate(int n, double *d, double *e, double *u, double *vt, double *work, int *info_p)
{
    const int none = 0;
    memset(u, 0, (size_t)n * (size_t)n * sizeof *u);
    memset(vt, 0, (size_t)n * (size_t)n * sizeof *vt);
    for (int64_t i = 0; i < n; i++)
        u[i * (n + 1)] = vt[i * (n + 1)] = 1;
    ((bdsqr_function *)mnp__host_lapack_function("dbdsqr_"))("U", &n, &n, &n, &none, d, e, vt, &n, u, &n, NULL, &n,
                                                             work, info_p, 1);
}

mnp_status mnp__lapack_bidiagonal(mnp__device *device, int64_t order, double *d, double *e, double *u, double *vt,
                                  int *info_p)
{
    const int n = (int)order, one = 1, *ld = u ? &n : &one;
    double *work;
    int *iwork;
    MNP_TRY(mnp__host_need_lapack("mnp__lapack_bidiagonal"));
    MNP_TRY(get_work((u ? 3 * (double)n * n + 4 * (double)n : 4 * (double)n) + 2 * (double)n, 8 * (double)n, &work,
                     &iwork));
    double *kept = work + (u ? 3 * (size_t)n * (size_t)n + 4 * (size_t)n : 4 * (size_t)n); /* d and e as given */
    const int before = set_threads(device);
    memcpy(kept, d, (size_t)n * sizeof *d);
    memcpy(kept + n, e, (size_t)n * sizeof *e);
    ((bdsdc_function *)mnp__host_lapack_function("dbdsdc_"))("U", u ? "I" : "N", &n, d, e, u, ld, vt, ld, NULL, NULL,
                                                             work, iwork, info_p, 1, 1);
    /* for values that agree it can leave vectors that are not orthogonal, off by 1e4 eps and more */
    if (u && *info_p == 0 && !(is_orthogonal(n, u, work) && is_orthogonal(n, vt, work))) {
        memcpy(d, kept, (size_t)n * sizeof *d);
        memcpy(e, kept + n, (size_t)n * sizeof *e);
        iterate(n, d, e, u, vt, work, info_p);
    }
    restore_threads(before);
    free(iwork);
    free(work);
    return MNP_OK;
}
