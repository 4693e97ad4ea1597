/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues of small Hermitian matrices, by the Fortran interface of LAPACK.
 *
 * The library is loaded when it is first needed, and stays loaded.  It is not linked, because OpenBLAS would then start
 * its threads in every program.
 */
#include <config.h>

#include <complex.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "base/status.h"
#include "device/device.h"

enum { WORTH_THREADS = 256 }; /* rows: smaller matrices are faster with one thread */

/* The last two arguments of both functions are the lengths of the strings, which Fortran compilers add. */
typedef struct lapack {
    void (*dsyevd)(const char *job, const char *triangle, const int *n, double *a, const int *lda, double *w,
                   double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
    void (*zheevd)(const char *job, const char *triangle, const int *n, double _Complex *a, const int *lda, double *w,
                   double _Complex *work, const int *lwork, double *rwork, const int *lrwork, int *iwork,
                   const int *liwork, int *info, size_t, size_t);
    int (*get_threads)(void); /* functions of OpenBLAS; NULL for another library */
    void (*set_threads)(int count);
} lapack;

/* Load LAPACK and find its functions; false if there is none.  Later calls cost next to nothing. */
static bool find(lapack *found)
{
    static const char *const names[] = {"libopenblas.so.0", "liblapack.so.3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            continue;
        *(void **)&found->dsyevd = dlsym(library, "dsyevd_");
        *(void **)&found->zheevd = dlsym(library, "zheevd_");
        *(void **)&found->get_threads = dlsym(library, "openblas_get_num_threads");
        *(void **)&found->set_threads = dlsym(library, "openblas_set_num_threads");
        if (found->dsyevd && found->zheevd)
            return true;
    }
    return false;
}

/* The workspaces have the minimum sizes of LAPACK's documentation. */
static mnp_status solve_real(const lapack *found, int n, double *a, double *w, int *info)
{
    const int lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    double *work = NULL;
    int *iwork = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc((size_t)lwork * sizeof *work, &work), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)liwork * sizeof *iwork, &iwork), st, done);
    found->dsyevd("V", "U", &n, a, &n, w, work, &lwork, iwork, &liwork, info, 1, 1);
done:
    free(iwork);
    free(work);
    return st;
}

static mnp_status solve_complex(const lapack *found, int n, double _Complex *a, double *w, int *info)
{
    const int lwork = 2 * n + n * n, lrwork = 1 + 5 * n + 2 * n * n, liwork = 3 + 5 * n;
    double _Complex *work = NULL;
    double *rwork = NULL;
    int *iwork = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc((size_t)lwork * sizeof *work, &work), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)lrwork * sizeof *rwork, &rwork), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)liwork * sizeof *iwork, &iwork), st, done);
    found->zheevd("V", "U", &n, a, &n, w, work, &lwork, rwork, &lrwork, iwork, &liwork, info, 1, 1);
done:
    free(iwork);
    free(rwork);
    free(work);
    return st;
}

mnp_status mnp__host_need_lapack(const char *function)
{
    lapack found;
    return find(&found) ? MNP_OK
                        : MNP_FAIL(MNP_ERR_UNSUPPORTED,
                                   "%s() needs LAPACK, and there is neither libopenblas.so.0 nor "
                                   "liblapack.so.3 here: install OpenBLAS (Debian and Ubuntu: libopenblas0)",
                                   function);
}

mnp_status mnp__host_eigh(int n, bool is_complex, void *a, double *w)
{
    int info = 0;
    lapack found;
    if (!find(&found))
        return mnp__host_need_lapack("mnp__host_eigh");
    const int threads = n < WORTH_THREADS && found.get_threads && found.set_threads ? found.get_threads() : 1;
    if (threads > 1)
        found.set_threads(1);
    const mnp_status st = is_complex ? solve_complex(&found, n, a, w, &info) : solve_real(&found, n, a, w, &info);
    if (threads > 1)
        found.set_threads(threads);
    MNP_TRY(st);
    if (info != 0)
        return MNP_FAIL(MNP_ERR_INTERNAL, "LAPACK did not find the eigenvalues of a matrix of %d rows: info is %d", n,
                        info);
    return MNP_OK;
}
