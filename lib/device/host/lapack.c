/*
 * LAPACK, by its Fortran names: eigenvalues of small Hermitian matrices.
 */
#include <config.h>

#include <complex.h>
#include <stdlib.h>

#include "base/status.h"
#include "device/device.h"

#ifdef HAVE_LAPACK

/* The last two arguments are the lengths of the texts, which Fortran compilers add. */
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
void zheevd_(const char *job, const char *triangle, const int *n, double _Complex *a, const int *lda, double *w,
             double _Complex *work, const int *lwork, double *rwork, const int *lrwork, int *iwork, const int *liwork,
             int *info, size_t, size_t);

/*
 * OpenBLAS' settings, where LAPACK is part of that: more than one thread slows small matrices down.
 */
int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int count) __attribute__((weak));
enum { WORTH_THREADS = 256 }; /* rows */

/* The workspaces' sizes are what the documentation of both asks for at least. */
static mnp_status solve_real(int n, double *a, double *w, int *info)
{
    const int lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    double *work = NULL;
    int *iwork = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc((size_t)lwork * sizeof *work, &work), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)liwork * sizeof *iwork, &iwork), st, done);
    dsyevd_("V", "U", &n, a, &n, w, work, &lwork, iwork, &liwork, info, 1, 1);
done:
    free(iwork);
    free(work);
    return st;
}

static mnp_status solve_complex(int n, double _Complex *a, double *w, int *info)
{
    const int lwork = 2 * n + n * n, lrwork = 1 + 5 * n + 2 * n * n, liwork = 3 + 5 * n;
    double _Complex *work = NULL;
    double *rwork = NULL;
    int *iwork = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc((size_t)lwork * sizeof *work, &work), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)lrwork * sizeof *rwork, &rwork), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)liwork * sizeof *iwork, &iwork), st, done);
    zheevd_("V", "U", &n, a, &n, w, work, &lwork, rwork, &lrwork, iwork, &liwork, info, 1, 1);
done:
    free(iwork);
    free(rwork);
    free(work);
    return st;
}

mnp_status mnp__host_eigh(int n, bool is_complex, void *a, double *w)
{
    int info = 0;
    const int threads = n < WORTH_THREADS && openblas_get_num_threads && openblas_set_num_threads
                            ? openblas_get_num_threads() : 1;
    if (threads > 1)
        openblas_set_num_threads(1);
    const mnp_status st = is_complex ? solve_complex(n, a, w, &info) : solve_real(n, a, w, &info);
    if (threads > 1)
        openblas_set_num_threads(threads);
    MNP_TRY(st);
    if (info != 0)
        return MNP_FAIL(MNP_ERR_INTERNAL, "LAPACK did not find the eigenvalues of a matrix of %d rows: info is %d", n,
                        info);
    return MNP_OK;
}

mnp_status mnp__host_need_lapack(const char *function)
{
    (void)function;
    return MNP_OK;
}

#else

mnp_status mnp__host_eigh(int n, bool is_complex, void *a, double *w)
{
    (void)n;
    (void)is_complex;
    (void)a;
    (void)w;
    return mnp__host_need_lapack("mnp__host_eigh");
}

mnp_status mnp__host_need_lapack(const char *function)
{
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s() needs LAPACK, which was not there when Maniple was built: install "
                    "OpenBLAS (Debian and Ubuntu: libopenblas-dev) and run configure again", function);
}

#endif
