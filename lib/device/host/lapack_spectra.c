/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues, singular values, and cosines and sines, by LAPACK on the host. */
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "device/host/lapack_job.h"

static void heevd_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), lwork = lwork_of(t);
    const double order = n, real_numbers = 1 + 5 * order + 2 * order * order;
    const int lrwork = t->asks ? -1 : (int)(t->rwork_bytes / t->real), liwork = t->asks ? -1 : 3 + 5 * n;
    const char *vectors = job->vectors ? "V" : "N", *triangle = job->upper ? "U" : "L";
    int answer[4] = {0}, info;
    double real_answer[2];
    char *a = at(t, &job->a, b), *w = values_of(t, b, n, t->real);
    int *iwork = t->asks ? answer : iwork_of(t, work);
    char *rwork = t->asks ? (char *)real_answer : rwork_of(t, work);
    if (!t->asks && !mnp__host_lapack_is_finite(t, &job->a, b, n, job->upper ? 'U' : 'L')) {
        *info_of(t, b) = n;
        return;
    }
    if (t->is_complex)
        t->f->heevd(vectors, triangle, &n, a, &lda, w, work, &lwork, rwork, &lrwork, iwork, &liwork, &info, 1, 1);
    else
        t->f->syevd(vectors, triangle, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    if (!t->is_complex)
        mnp__host_lapack_note_work(t, work, 1 + 6 * order + 2 * order * order);
    else /* LAPACK counts the real numbers in 32 bits too */
        mnp__host_lapack_note_work(t, work, real_numbers > INT32_MAX ? real_numbers : 2 * order + order * order);
    t->rwork_bytes = t->is_complex ? (size_t)real_numbers * t->real : 0;
    t->iwork_bytes = (size_t)(3 + 5 * order) * sizeof(int);
}
OPERATION(heevd, true)

/* A bound of the range, in the type of the job's real numbers. */
static const void *bound_of(const task *t, double value, double *room)
{
    const float rounded = (float)value;
    if (t->real == sizeof(float))
        memcpy(room, &rounded, sizeof rounded);
    else
        *room = value;
    return room;
}

static void heevr_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const mnp__eigen_range *range = job->range;
    const int n = (int)job->n, lda = ld_of(&job->a), ldz = job->vectors ? ld_of(&job->b) : 1, lwork = lwork_of(t),
              lrwork = t->asks ? -1 : (int)(t->rwork_bytes / t->real), liwork = t->asks ? -1 : 10 * n,
              first = (int)range->first + 1, last = (int)range->last + 1;
    const char *vectors = job->vectors ? "V" : "N", *by = range->by_value ? "V" : "I",
               *triangle = job->upper ? "U" : "L";
    int answer[4] = {0}, found = 0, info = 0;
    double low_room, high_room, real_answer[2];
    const double least = 0; /* the default accuracy, in any type */
    const void *low = bound_of(t, range->low, &low_room), *high = bound_of(t, range->high, &high_room);
    char *a = at(t, &job->a, b), *w = values_of(t, b, n, t->real), *z = job->vectors ? at(t, &job->b, b) : NULL;
    int *iwork = t->asks ? answer : iwork_of(t, work), *support = t->asks ? answer : iwork + 10 * n;
    char *rwork = t->asks ? (char *)real_answer : rwork_of(t, work);
    if (!t->asks && !mnp__host_lapack_is_finite(t, &job->a, b, n, job->upper ? 'U' : 'L')) {
        *info_of(t, b) = n;
        return;
    }
    if (t->is_complex)
        t->f->heevr(vectors, by, triangle, &n, a, &lda, low, high, &first, &last, &least, &found, w, z, &ldz, support,
                    work, &lwork, rwork, &lrwork, iwork, &liwork, &info, 1, 1, 1);
    else
        t->f->syevr(vectors, by, triangle, &n, a, &lda, low, high, &first, &last, &least, &found, w, z, &ldz, support,
                    work, &lwork, iwork, &liwork, &info, 1, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        if (range->by_value)
            *range->count_p = found;
        return;
    }
    mnp__host_lapack_note_work(t, work, t->is_complex ? 2 * (double)n : 26 * (double)n);
    t->rwork_bytes = t->is_complex ? (size_t)(24 * (int64_t)n) * t->real : 0;
    t->iwork_bytes = (size_t)(12 * (int64_t)n) * sizeof(int);
}
OPERATION(heevr, true)

static void gesdd_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = ld_of(&job->a), ldu = ld_of(&job->b), ldv = ld_of(&job->c),
              lwork = lwork_of(t);
    const double most = m > n ? m : n, least = (double)mnp__min(m, n), square = 5 * least * least + 5 * least,
                 tall = 2 * most * least + 2 * least * least + least;
    const char *which = !job->vectors ? "N" : job->full ? "A" : "S";
    int answer[4] = {0}, info;
    double real_answer[2];
    char *a = at(t, &job->a, b), *s = values_of(t, b, n, t->real), *u = job->vectors ? at(t, &job->b, b) : work,
         *v = job->vectors ? at(t, &job->c, b) : work;
    int *iwork = t->asks ? answer : iwork_of(t, work);
    char *rwork = t->asks ? (char *)real_answer : rwork_of(t, work);
    if (!t->asks && !mnp__host_lapack_is_finite(t, &job->a, b, job->m, 'A')) {
        *info_of(t, b) = 1;
        return;
    }
    if (t->is_complex)
        t->f->gesdd_complex(which, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &lwork, rwork, iwork, &info, 1);
    else
        t->f->gesdd(which, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &lwork, iwork, &info, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    mnp__host_lapack_note_work(t, work, 1);
    t->rwork_bytes = t->is_complex ? (size_t)((square > tall ? square : tall) + 7 * least + 1) * t->real : 0;
    t->iwork_bytes = (size_t)(8 * least + 1) * sizeof(int);
}
OPERATION(gesdd, true)

#define UNPACK(real)                                                                                                   \
    static void unpack_##real(int64_t n, const real *values, const real *packed, int64_t ld, real *out, int64_t ldo)   \
    {                                                                                                                  \
        for (int64_t j = 0; j < n; j++) {                                                                              \
            const bool first = values[2 * j + 1] > 0 && j + 1 < n, second = values[2 * j + 1] < 0 && j > 0;            \
            const real *re = packed + (second ? j - 1 : j) * ld, *im = first || second ? re + ld : NULL;               \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                out[2 * (j * ldo + i)] = re[i];                                                                        \
                out[2 * (j * ldo + i) + 1] = !im ? 0 : second ? -im[i] : im[i];                                        \
            }                                                                                                          \
        }                                                                                                              \
    }
UNPACK(float)
UNPACK(double)

void mnp__lapack_unpack_vectors(bool is_double, int64_t n, const void *values, const void *packed, int64_t ld,
                                void *vectors, int64_t ld_vectors)
{
    if (is_double)
        unpack_double(n, values, packed, ld, vectors, ld_vectors);
    else
        unpack_float(n, values, packed, ld, vectors, ld_vectors);
}

/* The values of a real matrix, whose real and imaginary parts LAPACK gives apart. */
static void join_values(const task *t, int64_t n, const char *re, const char *im, char *values)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy(values + (size_t)(2 * i) * t->real, re + (size_t)i * t->real, t->real);
        memcpy(values + (size_t)(2 * i + 1) * t->real, im + (size_t)i * t->real, t->real);
    }
}

/* Complex matrix b of a job of real ones. */
static char *complex_at(const task *t, const mnp__matrices *matrices, int64_t b)
{
    return (char *)matrices->data + (size_t)(b * matrices->step) * 2 * t->real;
}

/* rwork: of real matrices the two parts of the values and the packed vectors. */
static void geev_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a),
              ldv = t->is_complex ? ld_of(&job->b)
                    : n < 1       ? 1
                                  : n,
              none = 1, lwork = lwork_of(t);
    const size_t order = (size_t)n;
    double unused[2];
    char *rwork = t->asks ? (char *)unused : rwork_of(t, work), *a = at(t, &job->a, b),
         *values = values_of(t, b, n, 2 * t->real);
    const char *which = job->vectors ? "V" : "N";
    int info;
    if (!t->asks && !mnp__host_lapack_is_finite(t, &job->a, b, job->m, 'A')) {
        *info_of(t, b) = n;
        return;
    }
    if (t->is_complex) {
        t->f->geev_complex("N", which, &n, a, &lda, values, NULL, &none, job->vectors ? at(t, &job->b, b) : NULL, &ldv,
                           work, &lwork, rwork, &info, 1, 1);
    } else {
        char *im = rwork + (t->asks ? 0 : order * t->real), *packed = im + (t->asks ? 0 : order * t->real);
        t->f->geev("N", which, &n, a, &lda, rwork, im, NULL, &none, packed, &ldv, work, &lwork, &info, 1, 1);
        if (!t->asks)
            join_values(t, n, rwork, im, values);
        if (!t->asks && job->vectors)
            mnp__lapack_unpack_vectors(t->real == sizeof(double), n, values, packed, n, complex_at(t, &job->b, b),
                                       job->b.ld);
    }
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    mnp__host_lapack_note_work(t, work, 4 * (double)n);
    t->rwork_bytes = (2 * order + (t->is_complex || !job->vectors ? 0 : order * order) + 1) * t->real;
}
OPERATION(geev, true)

/* rwork: of real pairs the parts of the values and the packed vectors; of complex ones what LAPACK works in. */
static void ggev_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), ldb = ld_of(&job->b), ldl = ld_of(&job->c), ldr = ld_of(&job->d),
              least = n < 1 ? 1 : n, lwork = lwork_of(t);
    const size_t vector = t->asks ? 0 : (size_t)n * t->real;
    double unused[2];
    char *x = at(t, &job->a, b), *y = at(t, &job->b, b), *alpha = values_of(t, b, 2 * job->n, 2 * t->real),
         *beta = alpha + 2 * vector, *rwork = t->asks ? (char *)unused : rwork_of(t, work);
    const char *which = job->vectors ? "V" : "N";
    int info;
    if (!t->asks &&
        !(mnp__host_lapack_is_finite(t, &job->a, b, n, 'A') && mnp__host_lapack_is_finite(t, &job->b, b, n, 'A'))) {
        *info_of(t, b) = n;
        return;
    }
    if (t->is_complex) {
        t->f->ggev_complex(which, which, &n, x, &lda, y, &ldb, alpha, beta, job->vectors ? at(t, &job->c, b) : NULL,
                           job->vectors ? &ldl : &least, job->vectors ? at(t, &job->d, b) : NULL,
                           job->vectors ? &ldr : &least, work, &lwork, rwork, &info, 1, 1);
    } else {
        char *im = rwork + vector, *over = im + vector, *left = over + vector, *right = left + (size_t)n * vector;
        t->f->ggev(which, which, &n, x, &lda, y, &ldb, rwork, im, over, left, &least, right, &least, work, &lwork,
                   &info, 1, 1);
        if (!t->asks) {
            join_values(t, n, rwork, im, alpha);
            memset(im, 0, vector);
            join_values(t, n, over, im, beta);
        }
        if (!t->asks && job->vectors) {
            const bool is_double = t->real == sizeof(double);
            mnp__lapack_unpack_vectors(is_double, n, alpha, left, n, complex_at(t, &job->c, b), job->c.ld);
            mnp__lapack_unpack_vectors(is_double, n, alpha, right, n, complex_at(t, &job->d, b), job->d.ld);
        }
    }
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    mnp__host_lapack_note_work(t, work, 8 * (double)n + 1);
    t->rwork_bytes = (8 * (size_t)n + (t->is_complex ? 0 : 2 * (size_t)n * (size_t)n) + 1) * t->real;
}
OPERATION(ggev, true)

/* The diagonal blocks of an n x n matrix of zeros, of which the first has `first` rows: where the second one is. */
static char *open_blocks(const task *t, const mnp__matrices *matrices, int64_t b, int64_t first)
{
    const int64_t n = t->job->n;
    char *whole = at(t, matrices, b);
    for (int64_t j = 0; j < n; j++)
        memset(whole + (size_t)(j * matrices->ld) * t->element, 0, (size_t)n * t->element);
    return whole + (size_t)(first * (matrices->ld + 1)) * t->element;
}

/* rwork: of complex matrices what uncsd asks for. */
static void orcsd_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, p = (int)job->k, q = (int)job->m, lda = ld_of(&job->a), ldu = ld_of(&job->b),
              ldv = ld_of(&job->c), lwork = lwork_of(t), lrwork = t->asks ? -1 : (int)(t->rwork_bytes / t->real);
    const int64_t left = mnp__min(p, n - p), right = mnp__min(q, n - q), angles = mnp__min(left, right);
    const size_t column = (size_t)q * (size_t)job->a.ld * t->element, row = (size_t)p * t->element;
    const char *signs = job->upper ? "D" : "O";
    double real_answer[2] = {0, 0};
    int answer[4] = {0}, info;
    if (!t->asks && !mnp__host_lapack_is_finite(t, &job->a, b, n, 'A')) {
        *info_of(t, b) = n;
        return;
    }
    char *x = at(t, &job->a, b), *u = at(t, &job->b, b), *v = at(t, &job->c, b),
         *u2 = t->asks ? u : open_blocks(t, &job->b, b, p), *v2 = t->asks ? v : open_blocks(t, &job->c, b, q),
         *theta = values_of(t, b, angles, t->real), *rwork = t->asks ? (char *)real_answer : rwork_of(t, work);
    int *iwork = t->asks ? answer : iwork_of(t, work);
    if (t->is_complex)
        t->f->uncsd("Y", "Y", "Y", "Y", "N", signs, &n, &p, &q, x, &lda, x + column, &lda, x + row, &lda,
                    x + column + row, &lda, theta, u, &ldu, u2, &ldu, v, &ldv, v2, &ldv, work, &lwork, rwork, &lrwork,
                    iwork, &info, 1, 1, 1, 1, 1, 1);
    else
        t->f->orcsd("Y", "Y", "Y", "Y", "N", signs, &n, &p, &q, x, &lda, x + column, &lda, x + row, &lda,
                    x + column + row, &lda, theta, u, &ldu, u2, &ldu, v, &ldv, v2, &ldv, work, &lwork, iwork, &info, 1,
                    1, 1, 1, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    mnp__host_lapack_note_work(t, rwork, 1);
    t->rwork_bytes = t->is_complex ? (size_t)t->lwork * t->real : 0;
    mnp__host_lapack_note_work(t, work, 1);
    t->iwork_bytes = (size_t)n * sizeof(int);
}
OPERATION(orcsd, true)

/* ---- small matrices of the CPU ---- */

mnp_status mnp__host_eigh(int n, bool is_complex, void *a, double *w)
{
    int32_t info = 0;
    const mnp__lapack_job job = {.dtype = is_complex ? MNP_COMPLEX128 : MNP_FLOAT64,
                                 .batch = 1,
                                 .n = n,
                                 .a = {a, n, 0},
                                 .values = w,
                                 .info = &info,
                                 .upper = true,
                                 .vectors = true};
    MNP_TRY(mnp__host_lapack_run(NULL, &job, heevd_one, true));
    if (info != 0)
        return MNP_FAIL(MNP_ERR_INTERNAL, "LAPACK did not find the eigenvalues of a matrix of %d rows: info is %d", n,
                        info);
    return MNP_OK;
}
