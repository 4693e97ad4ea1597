/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorisations of Cholesky, LU, QR and Bunch and Kaufman, Hessenberg's form, and balancing, by LAPACK on the host. */
#include <stdint.h>
#include <string.h>

#include "base/integer.h"
#include "device/host/lapack_job.h"

enum { WORTH_PARTS = 128 }; /* reflectors: as many are applied at once */

static void potrf_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a);
    (void)work;
    t->f->potrf(job->upper ? "U" : "L", &n, at(t, &job->a, b), &lda, info_of(t, b), 1);
}
OPERATION(potrf, false)

static inline int *pivots_of(const task *t, int64_t b)
{
    const int64_t each = mnp__min(t->job->m, t->job->n);
    return t->job->pivots + b * each;
}

static void getrf_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = ld_of(&job->a);
    (void)work;
    t->f->getrf(&m, &n, at(t, &job->a, b), &lda, pivots_of(t, b), info_of(t, b));
}
OPERATION(getrf, false)

static void getrs_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, k = (int)job->k, lda = ld_of(&job->a), ldb = ld_of(&job->b);
    int info;
    (void)work;
    t->f->getrs(&job->op, &n, &k, at(t, &job->a, b), &lda, job->pivots + b * n, at(t, &job->b, b), &ldb, &info, 1);
}
OPERATION(getrs, false)

static void getri_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, ldb = ld_of(&job->b), lwork = lwork_of(t);
    int info;
    char *to = at(t, &job->b, b);
    const char *from = at(t, &job->a, b);
    for (int j = 0; j < n && !t->asks; j++)
        memcpy(to + (size_t)j * (size_t)job->b.ld * t->element, from + (size_t)j * (size_t)job->a.ld * t->element,
               (size_t)n * t->element);
    t->f->getri(&n, to, &ldb, job->pivots + b * n, work, &lwork, &info);
    if (t->asks)
        mnp__host_lapack_note_work(t, work, n);
}
OPERATION(getri, true)

static void laswp_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), first = 1, last = (int)job->k, step = job->op == 'T' ? -1 : 1;
    (void)work;
    t->f->laswp(&n, at(t, &job->a, b), &lda, &first, &last, job->pivots, &step);
}
OPERATION(laswp, false)

static void geqrf_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = ld_of(&job->a), lwork = lwork_of(t);
    int info;
    t->f->geqrf(&m, &n, at(t, &job->a, b), &lda, values_of(t, b, (int)mnp__min(m, n), t->element), work, &lwork, &info);
    if (t->asks)
        mnp__host_lapack_note_work(t, work, n);
}
OPERATION(geqrf, true)

/* rwork: of complex matrices the norms of columns. */
static void geqp3_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = ld_of(&job->a), lwork = lwork_of(t);
    int *order = job->pivots + b * n, info;
    char *a = at(t, &job->a, b), *factors = values_of(t, b, mnp__min(m, n), t->element);
    for (int j = 0; j < n && !t->asks; j++)
        order[j] = m == 0 ? j + 1 : 0; /* 0: a column that may go anywhere */
    if (t->is_complex)
        t->f->geqp3_complex(&m, &n, a, &lda, order, factors, work, &lwork, rwork_of(t, work), &info);
    else
        t->f->geqp3(&m, &n, a, &lda, order, factors, work, &lwork, &info);
    for (int j = 0; j < n && !t->asks; j++)
        order[j]--;
    if (!t->asks)
        return;
    mnp__host_lapack_note_work(t, work, 3 * (double)n + 1);
    t->rwork_bytes = t->is_complex ? 2 * (size_t)n * t->real : 0;
}
OPERATION(geqp3, true)

static void orgqr_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = ld_of(&job->a), lwork = lwork_of(t);
    int info;
    t->f->orgqr(&m, &n, &k, at(t, &job->a, b), &lda, values_of(t, b, k, t->element), work, &lwork, &info);
    if (t->asks)
        mnp__host_lapack_note_work(t, work, n);
}
OPERATION(orgqr, true)

/*
 * At most WORTH_PARTS reflectors at once, as products of matrices; ormqr applies 32 of them, or fewer, one by one.  Not
 * for a question.
 */
static void apply_reflectors(const task *t, int64_t b, const char *op, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = ld_of(&job->a), ldb = ld_of(&job->b);
    char *triangle = work, *rest = work + (size_t)(k * k) * t->element;
    t->f->larft("F", "C", &m, &k, at(t, &job->a, b), &lda, values_of(t, b, k, t->element), triangle, &k, 1, 1);
    t->f->larfb("L", op, "F", "C", &m, &n, &k, at(t, &job->a, b), &lda, triangle, &k, at(t, &job->b, b), &ldb, rest, &n,
                1, 1, 1, 1);
}

static void ormqr_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = ld_of(&job->a), ldb = ld_of(&job->b),
              lwork = lwork_of(t);
    const char *op = job->op == 'N' ? "N" : t->is_complex ? "C" : "T";
    int info;
    if (k <= WORTH_PARTS && t->asks) {
        const int64_t numbers = ((int64_t)k + n) * k;
        t->lwork = numbers > INT32_MAX ? INT32_MAX : (int)numbers;
        return;
    }
    if (k <= WORTH_PARTS) {
        apply_reflectors(t, b, op, work);
        return;
    }
    t->f->ormqr("L", op, &m, &n, &k, at(t, &job->a, b), &lda, values_of(t, b, k, t->element), at(t, &job->b, b), &ldb,
                work, &lwork, &info, 1, 1);
    if (t->asks)
        mnp__host_lapack_note_work(t, work, n);
}
OPERATION(ormqr, true)

static void hetrf_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), lwork = lwork_of(t);
    int *info = t->asks ? &(int){0} : info_of(t, b), *pivots = t->asks ? NULL : job->pivots + b * n;
    if (t->is_complex && !job->symmetric)
        t->f->hetrf(job->upper ? "U" : "L", &n, at(t, &job->a, b), &lda, pivots, work, &lwork, info, 1);
    else
        t->f->sytrf(job->upper ? "U" : "L", &n, at(t, &job->a, b), &lda, pivots, work, &lwork, info, 1);
    if (t->asks)
        mnp__host_lapack_note_work(t, work, 1);
}
OPERATION(hetrf, true)

/* The factors of the reflectors are in the workspace of real numbers. */
static void gehrd_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, one = 1, lda = ld_of(&job->a), ldq = ld_of(&job->b), lwork = lwork_of(t);
    char *a = at(t, &job->a, b), *q = at(t, &job->b, b), *factors = rwork_of(t, work);
    int info;
    if (t->asks) {
        t->f->gehrd(&n, &one, &n, a, &lda, NULL, work, &lwork, &info);
        mnp__host_lapack_note_work(t, work, n);
        const int first = t->lwork;
        t->f->orghr(&n, &one, &n, q, &ldq, NULL, work, &lwork, &info);
        mnp__host_lapack_note_work(t, work, first);
        t->rwork_bytes = (size_t)n * t->element;
        return;
    }
    t->f->gehrd(&n, &one, &n, a, &lda, factors, work, &lwork, &info);
    for (int64_t j = 0; j < n; j++) {
        char *column = a + (size_t)(j * lda) * t->element;
        const size_t upper = (size_t)mnp__min(j + 2, n) * t->element, all = (size_t)n * t->element;
        memcpy(q + (size_t)(j * ldq) * t->element, column, all);
        memset(column + upper, 0, all - upper);
    }
    t->f->orghr(&n, &one, &n, q, &ldq, factors, work, &lwork, &info);
}
OPERATION(gehrd, true)

/* A number of LAPACK's that counts rows from 1, as one that counts from 0. */
static int64_t row_of(const task *t, const char *numbers, int i)
{
    const char *number = numbers + (size_t)i * t->real;
    return (int64_t)(t->real == sizeof(float) ? (double)*(const float *)(const void *)number
                                              : *(const double *)(const void *)number) -
           1;
}

static void swap(int32_t *order, int64_t i, int64_t j)
{
    const int32_t moved = order[i];
    order[i] = order[j];
    order[j] = moved;
}

/*
 * rwork: what LAPACK calls the scales: of rows that it has moved to an end the rows that they came from, counted from
 * 1.  It moves rows to the end first, the last one before the others, and then to the beginning, the first one before
 * the others.
 */
static void gebal_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a);
    int first, last;
    if (t->asks) {
        t->lwork = 1;
        t->rwork_bytes = (size_t)n * t->real;
        return;
    }
    int32_t *order = job->pivots + b * n;
    char *found = rwork_of(t, work), *scales = values_of(t, b, n, t->real);
    if (!mnp__host_lapack_is_finite(t, &job->a, b, n, 'A')) {
        *info_of(t, b) = n;
        return;
    }
    t->f->gebal(&job->op, &n, at(t, &job->a, b), &lda, &first, &last, found, info_of(t, b), 1);
    for (int i = 0; i < n; i++) {
        const float one = 1;
        const bool moved = i < first - 1 || i >= last;
        order[i] = i;
        if (!moved)
            memcpy(scales + (size_t)i * t->real, found + (size_t)i * t->real, t->real);
        else if (t->real == sizeof one)
            memcpy(scales + (size_t)i * t->real, &one, sizeof one);
        else
            memcpy(scales + (size_t)i * t->real, &(double){1}, sizeof(double));
    }
    for (int i = n - 1; i >= last; i--)
        swap(order, i, row_of(t, found, i));
    for (int i = 0; i < first - 1; i++)
        swap(order, i, row_of(t, found, i));
}
OPERATION(gebal, true)
