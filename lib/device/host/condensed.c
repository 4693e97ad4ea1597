/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues of tridiagonal and singular values of bidiagonal matrices, by LAPACK on the CPU, in float64.
 *
 * They are what is left of a matrix that all ranks have reduced together: a few vectors, which every rank has.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

mnp_status mnp__lapack_bidiagonal(mnp__device *device, int64_t order, double *d, double *e, double *u, double *vt,
                                  int *info_p)
{
    const int n = (int)order, one = 1, *ld = u ? &n : &one;
    double *work;
    int *iwork;
    MNP_TRY(mnp__host_need_lapack("mnp__lapack_bidiagonal"));
    MNP_TRY(get_work(u ? 3 * (double)n * n + 4 * (double)n : 4 * (double)n, 8 * (double)n, &work, &iwork));
    const int before = set_threads(device);
    ((bdsdc_function *)mnp__host_lapack_function("dbdsdc_"))("U", u ? "I" : "N", &n, d, e, u, ld, vt, ld, NULL, NULL,
                                                             work, iwork, info_p, 1, 1);
    restore_threads(before);
    free(iwork);
    free(work);
    return MNP_OK;
}
