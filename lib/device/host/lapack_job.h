/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to LAPACK on the host: its functions for each dtype, and what runs one of them for each matrix of a job.
 */
#ifndef MNP__DEVICE_HOST_LAPACK_JOB_H
#define MNP__DEVICE_HOST_LAPACK_JOB_H

#include <stdatomic.h>

#include "base/integer.h"
#include "device/host/host.h"
#include "device/lapack.h"

typedef const char *text;
typedef const int *size;

/*
 * LAPACK's functions for one dtype.  The last arguments are the lengths of the strings, which Fortran compilers add.
 * X(field, name for real numbers, name for complex ones, parameters)
 */
#define FUNCTIONS(X)                                                                                                   \
    X(potrf, "potrf", "potrf", (text, size, void *, size, int *, size_t))                                              \
    X(getrf, "getrf", "getrf", (size, size, void *, size, int *, int *))                                               \
    X(getrs, "getrs", "getrs", (text, size, size, const void *, size, const int *, void *, size, int *, size_t))       \
    X(getri, "getri", "getri", (size, void *, size, const int *, void *, size, int *))                                 \
    X(laswp, "laswp", "laswp", (size, void *, size, size, size, const int *, size))                                    \
    X(geqp3, "geqp3", NULL, (size, size, void *, size, int *, void *, void *, size, int *))                            \
    X(geqp3_complex, NULL, "geqp3", (size, size, void *, size, int *, void *, void *, size, void *, int *))            \
    X(gebal, "gebal", "gebal", (text, size, void *, size, int *, int *, void *, int *, size_t))                        \
    X(geqrf, "geqrf", "geqrf", (size, size, void *, size, void *, void *, size, int *))                                \
    X(orgqr, "orgqr", "ungqr", (size, size, size, void *, size, const void *, void *, size, int *))                    \
    X(ormqr, "ormqr", "unmqr",                                                                                         \
      (text, text, size, size, size, const void *, size, const void *, void *, size, void *, size, int *, size_t,      \
       size_t))                                                                                                        \
    X(larft, "larft", "larft",                                                                                         \
      (text, text, size, size, const void *, size, const void *, void *, size, size_t, size_t))                        \
    X(larfb, "larfb", "larfb",                                                                                         \
      (text, text, text, text, size, size, size, const void *, size, const void *, size, void *, size, void *, size,   \
       size_t, size_t, size_t, size_t))                                                                                \
    X(syevd, "syevd", NULL,                                                                                            \
      (text, text, size, void *, size, void *, void *, size, int *, size, int *, size_t, size_t))                      \
    X(heevd, NULL, "heevd",                                                                                            \
      (text, text, size, void *, size, void *, void *, size, void *, size, int *, size, int *, size_t, size_t))        \
    X(sytrf, "sytrf", "sytrf", (text, size, void *, size, int *, void *, size, int *, size_t))                         \
    X(gehrd, "gehrd", "gehrd", (size, size, size, void *, size, void *, void *, size, int *))                          \
    X(orghr, "orghr", "unghr", (size, size, size, void *, size, const void *, void *, size, int *))                    \
    X(hetrf, NULL, "hetrf", (text, size, void *, size, int *, void *, size, int *, size_t))                            \
    X(syevr, "syevr", NULL,                                                                                            \
      (text, text, text, size, void *, size, const void *, const void *, size, size, const void *, int *, void *,      \
       void *, size, int *, void *, size, int *, size, int *, size_t, size_t, size_t))                                 \
    X(heevr, NULL, "heevr",                                                                                            \
      (text, text, text, size, void *, size, const void *, const void *, size, size, const void *, int *, void *,      \
       void *, size, int *, void *, size, void *, size, int *, size, int *, size_t, size_t, size_t))                   \
    X(gesdd, "gesdd", NULL,                                                                                            \
      (text, size, size, void *, size, void *, void *, size, void *, size, void *, size, int *, int *, size_t))        \
    X(gesdd_complex, NULL, "gesdd",                                                                                    \
      (text, size, size, void *, size, void *, void *, size, void *, size, void *, size, void *, int *, int *,         \
       size_t))                                                                                                        \
    X(geev, "geev", NULL,                                                                                              \
      (text, text, size, void *, size, void *, void *, void *, size, void *, size, void *, size, int *, size_t,        \
       size_t))                                                                                                        \
    X(geev_complex, NULL, "geev",                                                                                      \
      (text, text, size, void *, size, void *, void *, size, void *, size, void *, size, void *, int *, size_t,        \
       size_t))                                                                                                        \
    X(gees, "gees", NULL,                                                                                              \
      (text, text, void *, size, void *, size, int *, void *, void *, void *, size, void *, size, int *, int *,        \
       size_t, size_t))                                                                                                \
    X(gees_complex, NULL, "gees",                                                                                      \
      (text, text, void *, size, void *, size, int *, void *, void *, size, void *, size, void *, int *, int *,        \
       size_t, size_t))                                                                                                \
    X(trsen, "trsen", NULL,                                                                                            \
      (text, text, const int *, size, void *, size, void *, size, void *, void *, int *, void *, void *, void *, size, \
       int *, size, int *, size_t, size_t))                                                                            \
    X(trsen_complex, NULL, "trsen",                                                                                    \
      (text, text, const int *, size, void *, size, void *, size, void *, int *, void *, void *, void *, size, int *,  \
       size_t, size_t))                                                                                                \
    X(gges, "gges", NULL,                                                                                              \
      (text, text, text, void *, size, void *, size, void *, size, int *, void *, void *, void *, void *, size,        \
       void *, size, void *, size, int *, int *, size_t, size_t, size_t))                                              \
    X(gges_complex, NULL, "gges",                                                                                      \
      (text, text, text, void *, size, void *, size, void *, size, int *, void *, void *, void *, size, void *, size,  \
       void *, size, void *, int *, int *, size_t, size_t, size_t))                                                    \
    X(ggev, "ggev", NULL,                                                                                              \
      (text, text, size, void *, size, void *, size, void *, void *, void *, void *, size, void *, size, void *, size, \
       int *, size_t, size_t))                                                                                         \
    X(ggev_complex, NULL, "ggev",                                                                                      \
      (text, text, size, void *, size, void *, size, void *, void *, void *, size, void *, size, void *, size, void *, \
       int *, size_t, size_t))                                                                                         \
    X(tgsen, "tgsen", NULL,                                                                                            \
      (size, size, size, const int *, size, void *, size, void *, size, void *, void *, void *, void *, size, void *,  \
       size, int *, void *, void *, void *, void *, size, int *, size, int *))                                         \
    X(tgsen_complex, NULL, "tgsen",                                                                                    \
      (size, size, size, const int *, size, void *, size, void *, size, void *, void *, void *, size, void *, size,    \
       int *, void *, void *, void *, void *, size, int *, size, int *))                                               \
    X(orcsd, "orcsd", NULL,                                                                                            \
      (text, text, text, text, text, text, size, size, size, void *, size, void *, size, void *, size, void *, size,   \
       void *, void *, size, void *, size, void *, size, void *, size, void *, size, int *, int *, size_t, size_t,     \
       size_t, size_t, size_t, size_t))                                                                                \
    X(uncsd, NULL, "uncsd",                                                                                            \
      (text, text, text, text, text, text, size, size, size, void *, size, void *, size, void *, size, void *, size,   \
       void *, void *, size, void *, size, void *, size, void *, size, void *, size, void *, size, int *, int *,       \
       size_t, size_t, size_t, size_t, size_t, size_t))

#define FIELD(field, real, complex, parameters) void(*field) parameters;
typedef struct functions {
    FUNCTIONS(FIELD)
} functions;

/*
 * What runs a job: its function for one matrix, and that one's workspaces.  A function is called once with asks set: it
 * then only finds the sizes of its workspaces.
 */
typedef struct task {
    const mnp__lapack_job *job;
    const functions *f;
    void (*one)(struct task *task, int64_t b, char *work);
    bool asks, is_complex;
    size_t real, element;                    /* bytes of a real number, and of one of the dtype */
    int lwork;                               /* elements of work */
    size_t rwork_bytes, iwork_bytes, memory; /* the three workspaces lie one behind the other */
    atomic_bool no_memory;
} task;

static inline char *at(const task *t, const mnp__matrices *matrices, int64_t b)
{
    return (char *)matrices->data + (size_t)(b * matrices->step) * t->element;
}

static inline int ld_of(const mnp__matrices *matrices)
{
    return matrices->ld < 1 ? 1 : (int)matrices->ld;
}

static inline int *info_of(const task *t, int64_t b)
{
    return t->job->info + b;
}

/* The workspaces of real numbers, and of integers, behind that of elements. */
static inline char *rwork_of(const task *t, char *work)
{
    return work + (size_t)t->lwork * t->element;
}

static inline int *iwork_of(const task *t, char *work)
{
    return (int *)(void *)(rwork_of(t, work) + t->rwork_bytes);
}

/*
 * The first argument for workspaces of LAPACK's functions.  They answer with the best size as an element of the dtype,
 * which a float may have rounded down.
 */
static inline int lwork_of(const task *t)
{
    return t->asks ? -1 : t->lwork;
}

/*
 * Whether the elements of matrix b (rows x n) that are read are neither NaN nor infinite: those of the triangle 'L' or
 * 'U', or all, 'A'.  Of others bisection makes values without a report, and LAPACK calls some a wrong argument, for
 * which programs may have handlers: NumPy's raises an exception, on the rank that computes alone.
 */
bool mnp__host_lapack_is_finite(const task *t, const mnp__matrices *matrices, int64_t b, int64_t rows, char part);

/* Keep the answer to a question for the size of a workspace, which is `least` at least. */
void mnp__host_lapack_note_work(task *t, const char *work, double least);

static inline char *values_of(const task *t, int64_t b, int64_t each, size_t element)
{
    return (char *)t->job->values + (size_t)(b * each) * element;
}

/*
 * Run a job; where the function has no workspaces it is not asked.  device NULL: on one thread.
 */
mnp_status mnp__host_lapack_run(mnp__device *device, const mnp__lapack_job *job,
                                void (*one)(task *t, int64_t b, char *work), bool has_work);

#define OPERATION(name, has_work)                                                                                      \
    mnp_status mnp__host_##name(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)                  \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        return mnp__host_lapack_run(device, job, name##_one, has_work);                                                \
    }

/* lapack_factors.c, lapack_schur.c and lapack_spectra.c: the operations of the table. */
mnp__lapack_op mnp__host_potrf, mnp__host_getrf, mnp__host_getrs, mnp__host_getri, mnp__host_laswp, mnp__host_geqrf,
    mnp__host_orgqr, mnp__host_ormqr, mnp__host_hetrf, mnp__host_heevd, mnp__host_heevr, mnp__host_gesdd,
    mnp__host_geev, mnp__host_gees, mnp__host_gehrd, mnp__host_trsen, mnp__host_gges, mnp__host_tgsen, mnp__host_ggev,
    mnp__host_geqp3, mnp__host_gebal, mnp__host_orcsd;

#endif
