/* SPDX-License-Identifier: BSD-3-Clause */
/* The decompositions of Schur, of one matrix and of pairs, and their orders, by LAPACK on the host. */
#include <stdint.h>

#include "device/host/lapack_job.h"

static void gees_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), ldz = ld_of(&job->b), lwork = lwork_of(t);
    const size_t order = (size_t)n;
    double unused[2];
    int count, flags, info;
    char *rwork = t->asks ? (char *)unused : rwork_of(t, work), *a = at(t, &job->a, b), *z = at(t, &job->b, b);
    char *rest = rwork + (t->asks ? 0 : order * t->element);
    if (!t->asks && !mnp__host_lapack_is_finite(t, &job->a, b, n, 'A')) {
        *info_of(t, b) = n;
        return;
    }
    if (t->is_complex)
        t->f->gees_complex("V", "N", NULL, &n, a, &lda, &count, rwork, z, &ldz, work, &lwork, rest, &flags, &info, 1,
                           1);
    else
        t->f->gees("V", "N", NULL, &n, a, &lda, &count, rwork, rest, z, &ldz, work, &lwork, &flags, &info, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    mnp__host_lapack_note_work(t, work, 3 * (double)n);
    t->rwork_bytes = 2 * order * t->element + t->element;
}
OPERATION(gees, true)

/* The eigenvalues are not wanted: they go to rwork. */
static void trsen_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, ldt = ld_of(&job->a), ldz = ld_of(&job->b), lwork = lwork_of(t), liwork = 1;
    const int32_t *select = job->pivots + b * n;
    double unused[2];
    int count;
    if (t->asks) {
        t->lwork = n;
        t->rwork_bytes = 2 * (size_t)n * t->real;
        t->iwork_bytes = sizeof(int);
        return;
    }
    if (!mnp__host_lapack_is_finite(t, &job->a, b, n, 'A')) { /* of NaN no pivot would be found, but one used */
        *info_of(t, b) = 1;
        return;
    }
    char *a = at(t, &job->a, b), *z = at(t, &job->b, b), *values = rwork_of(t, work);
    if (t->is_complex)
        t->f->trsen_complex("N", "V", select, &n, a, &ldt, z, &ldz, values, &count, unused, unused, work, &lwork,
                            info_of(t, b), 1, 1);
    else
        t->f->trsen("N", "V", select, &n, a, &ldt, z, &ldz, values, values + (size_t)n * t->real, &count, unused,
                    unused, work, &lwork, iwork_of(t, work), &liwork, info_of(t, b), 1, 1);
}
OPERATION(trsen, true)

/* Of both matrices of a pair. */
static bool are_finite(const task *t, int64_t b)
{
    const mnp__lapack_job *job = t->job;
    return mnp__host_lapack_is_finite(t, &job->a, b, job->n, 'A') &&
           mnp__host_lapack_is_finite(t, &job->b, b, job->n, 'A');
}

/* rwork: the eigenvalues, which are not wanted, as three vectors of real numbers or two of complex ones; and then the
   workspace of real numbers. */
static void gges_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), ldb = ld_of(&job->b), ldq = ld_of(&job->c), ldz = ld_of(&job->d),
              lwork = lwork_of(t);
    const size_t vector = t->asks ? 0 : (size_t)n * t->element;
    double unused[2];
    int count, flags, info;
    char *x = at(t, &job->a, b), *y = at(t, &job->b, b), *q = at(t, &job->c, b), *z = at(t, &job->d, b),
         *first = t->asks ? (char *)unused : rwork_of(t, work), *second = first + vector, *third = second + vector;
    if (!t->asks && !are_finite(t, b)) {
        *info_of(t, b) = n;
        return;
    }
    if (t->is_complex)
        t->f->gges_complex("V", "V", "N", NULL, &n, x, &lda, y, &ldb, &count, first, second, q, &ldq, z, &ldz, work,
                           &lwork, third, &flags, &info, 1, 1, 1);
    else
        t->f->gges("V", "V", "N", NULL, &n, x, &lda, y, &ldb, &count, first, second, third, q, &ldq, z, &ldz, work,
                   &lwork, &flags, &info, 1, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    mnp__host_lapack_note_work(t, work, 8 * (double)n + 16);
    t->rwork_bytes = (t->is_complex ? 12 : 3) * (size_t)n * t->real;
}
OPERATION(gges, true)

/* The eigenvalues are not wanted: they go to rwork. */
static void tgsen_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), ldb = ld_of(&job->b), ldq = ld_of(&job->c), ldz = ld_of(&job->d),
              lwork = lwork_of(t), liwork = 1, order_alone = 0, yes = 1;
    const int32_t *select = job->pivots + b * n;
    const size_t vector = (size_t)n * t->element;
    double unused[4];
    int count;
    if (t->asks) {
        t->lwork = 4 * n + 16;
        t->rwork_bytes = 3 * vector;
        t->iwork_bytes = sizeof(int);
        return;
    }
    if (!are_finite(t, b)) {
        *info_of(t, b) = 1;
        return;
    }
    char *x = at(t, &job->a, b), *y = at(t, &job->b, b), *q = at(t, &job->c, b), *z = at(t, &job->d, b),
         *first = rwork_of(t, work), *second = first + vector, *third = second + vector;
    if (t->is_complex)
        t->f->tgsen_complex(&order_alone, &yes, &yes, select, &n, x, &lda, y, &ldb, first, second, q, &ldq, z, &ldz,
                            &count, unused, unused + 1, unused + 2, work, &lwork, iwork_of(t, work), &liwork,
                            info_of(t, b));
    else
        t->f->tgsen(&order_alone, &yes, &yes, select, &n, x, &lda, y, &ldb, first, second, third, q, &ldq, z, &ldz,
                    &count, unused, unused + 1, unused + 2, work, &lwork, iwork_of(t, work), &liwork, info_of(t, b));
}
OPERATION(tgsen, true)
