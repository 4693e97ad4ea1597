/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations on the host, by the Fortran interface of LAPACK.
 *
 * The library is loaded when it is first needed, and stays loaded.  It is not linked, because OpenBLAS would then start
 * its threads in every program.  One large matrix is left to OpenBLAS's own threads; a batch is divided among the
 * threads of the team, and OpenBLAS then uses one thread in each.
 */
#include <config.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/host/host.h"
#include "device/lapack.h"

enum {
    WORTH_THREADS = 256, /* rows: smaller matrices are faster with one thread */
    WORTH_PARTS = 64     /* reflectors: as many are applied at once */
};

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
       size_t, size_t))

#define FIELD(field, real, complex, parameters) void(*field) parameters;
typedef struct functions {
    FUNCTIONS(FIELD)
} functions;

static struct library {
    bool tried, found;
    functions types[4];       /* float32, float64, complex64, complex128 */
    int (*get_threads)(void); /* functions of OpenBLAS; NULL for another library */
    void (*set_threads)(int count);
    void *library;
} lapack;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Find a function of one dtype; true also if the dtype has none. */
static bool find(void *library, char letter, const char *name, void *pointer_p)
{
    char symbol[16];
    if (!name)
        return true;
    snprintf(symbol, sizeof symbol, "%c%s_", letter, name);
    void *found = dlsym(library, symbol);
    memcpy(pointer_p, &found, sizeof found);
    return found != NULL;
}

static bool find_all(void *library)
{
    bool all = true;
    for (int t = 0; t < 4; t++) {
#define FIND(field, real, complex, parameters)                                                                         \
    all = find(library, "sdcz"[t], t < 2 ? real : complex, &lapack.types[t].field) && all;
        FUNCTIONS(FIND)
    }
    *(void **)&lapack.get_threads = dlsym(library, "openblas_get_num_threads");
    *(void **)&lapack.set_threads = dlsym(library, "openblas_set_num_threads");
    return all;
}

/* Load LAPACK and find its functions; false if there is none.  Later calls cost next to nothing. */
static bool load(void)
{
    static const char *const names[] = {"libopenblas.so.0", "liblapack.so.3"};
    pthread_mutex_lock(&loading);
    for (size_t i = 0; i < sizeof names / sizeof *names && !lapack.tried && !lapack.found; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        lapack.found = library && find_all(library);
        lapack.library = library;
    }
    lapack.tried = true;
    pthread_mutex_unlock(&loading);
    return lapack.found;
}

mnp_status mnp__host_need_lapack(const char *function)
{
    return load() ? MNP_OK
                  : MNP_FAIL(MNP_ERR_UNSUPPORTED,
                             "%s() needs LAPACK, and there is neither libopenblas.so.0 nor "
                             "liblapack.so.3 here: install OpenBLAS (Debian and Ubuntu: libopenblas0)",
                             function);
}

void *mnp__host_lapack_function(const char *symbol)
{
    return dlsym(lapack.library, symbol);
}

static mnp_status need(mnp__device *device, const char *function)
{
    (void)device;
    return mnp__host_need_lapack(function);
}

/* ---- a job ---- */

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

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
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

static void note_lwork(task *t, const char *work, double least)
{
    const double answer = t->real == sizeof(float) ? 1.000001 * (double)*(const float *)(const void *)work
                                                   : *(const double *)(const void *)work;
    const double best = answer < least ? least : answer;
    t->lwork = best < 1 ? 1 : best > INT32_MAX - 1 ? INT32_MAX : (int)best + 1;
}

static void share_of_batch(const void *argument, int share, int shares)
{
    task *t = (task *)(uintptr_t)argument;
    const int64_t batch = t->job->batch, begin = batch * share / shares, end = batch * (share + 1) / shares;
    char *work = malloc(t->memory + 1);
    if (!work) {
        atomic_store(&t->no_memory, true);
        return;
    }
    for (int64_t b = begin; b < end; b++)
        t->one(t, b, work);
    free(work);
}

/* Run with one thread of OpenBLAS, or with as many as the rank has. */
static mnp_status run_shares(mnp__device *device, task *t, bool wide)
{
    const mnp__launch launch = {.grid = {t->job->batch < 4096 ? (unsigned)t->job->batch : 4096, 1, 1},
                                .block = {1, 1, 1}};
    const int before = lapack.get_threads && lapack.set_threads ? lapack.get_threads() : 0;
    const int wanted = wide && device ? ((mnp__host_device *)device)->threads : 1;
    mnp_status st = MNP_OK;
    if (before && before != wanted)
        lapack.set_threads(wanted);
    if (device)
        st = mnp__host_run(device, &launch, share_of_batch, t);
    else
        share_of_batch(t, 0, 1);
    if (before && before != wanted)
        lapack.set_threads(before);
    return st;
}

/* Run a job; where the function has no workspaces it is not asked.  device NULL: on one thread. */
static mnp_status run(mnp__device *device, const mnp__lapack_job *job,
                      void (*one)(struct task *task, int64_t b, char *work), bool has_work)
{
    const bool is_complex = mnp_dtype_kind(job->dtype) == 'c';
    const size_t element = mnp_dtype_size(job->dtype), real = is_complex ? element / 2 : element;
    task t = {.job = job, .one = one, .is_complex = is_complex, .element = element, .real = real};
    if (job->batch == 0)
        return MNP_OK;
    MNP_TRY(mnp__host_need_lapack("mnp__host_lapack"));
    if (job->m > INT32_MAX || job->n > INT32_MAX || job->k > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a matrix has more than %d rows or columns, which LAPACK does not take",
                        INT32_MAX);
    t.f = &lapack.types[(is_complex ? 2 : 0) + (real == sizeof(double))];
    if (has_work) {
        double answer[2] = {0, 0};
        t.asks = true;
        one(&t, 0, (char *)answer);
        t.asks = false;
        if (t.lwork == INT32_MAX)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                            "LAPACK's workspace for a matrix of %lld x %lld has more than %d elements, which it cannot "
                            "count",
                            (long long)job->m, (long long)job->n, INT32_MAX);
    }
    t.memory = (size_t)t.lwork * element + t.rwork_bytes + t.iwork_bytes;
    MNP_TRY(run_shares(device, &t, job->batch == 1 && (job->n >= WORTH_THREADS || job->m >= WORTH_THREADS)));
    if (atomic_load(&t.no_memory))
        return MNP_FAIL(MNP_ERR_MEMORY, "there are no %zu bytes for LAPACK to work in", t.memory);
    return MNP_OK;
}

#define OPERATION(name, has_work)                                                                                      \
    static mnp_status name(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)                       \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        return run(device, job, name##_one, has_work);                                                                 \
    }

/* ---- operations ---- */

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
    const int64_t each = t->job->m < t->job->n ? t->job->m : t->job->n;
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
        note_lwork(t, work, n);
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

static inline char *values_of(const task *t, int64_t b, int64_t each, size_t element)
{
    return (char *)t->job->values + (size_t)(b * each) * element;
}

static void geqrf_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = ld_of(&job->a), lwork = lwork_of(t);
    int info;
    t->f->geqrf(&m, &n, at(t, &job->a, b), &lda, values_of(t, b, smaller(m, n), t->element), work, &lwork, &info);
    if (t->asks)
        note_lwork(t, work, n);
}
OPERATION(geqrf, true)

static void orgqr_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = ld_of(&job->a), lwork = lwork_of(t);
    int info;
    t->f->orgqr(&m, &n, &k, at(t, &job->a, b), &lda, values_of(t, b, k, t->element), work, &lwork, &info);
    if (t->asks)
        note_lwork(t, work, n);
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
        note_lwork(t, work, n);
}
OPERATION(ormqr, true)

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
    if (t->is_complex)
        t->f->heevd(vectors, triangle, &n, a, &lda, w, work, &lwork, rwork, &lrwork, iwork, &liwork, &info, 1, 1);
    else
        t->f->syevd(vectors, triangle, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    if (!t->is_complex)
        note_lwork(t, work, 1 + 6 * order + 2 * order * order);
    else /* LAPACK counts the real numbers in 32 bits too */
        note_lwork(t, work, real_numbers > INT32_MAX ? real_numbers : 2 * order + order * order);
    t->rwork_bytes = t->is_complex ? (size_t)real_numbers * t->real : 0;
    t->iwork_bytes = (size_t)(3 + 5 * order) * sizeof(int);
}
OPERATION(heevd, true)

static void gesdd_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = ld_of(&job->a), ldu = ld_of(&job->b), ldv = ld_of(&job->c),
              lwork = lwork_of(t);
    const double most = m > n ? m : n, least = smaller(m, n), square = 5 * least * least + 5 * least,
                 tall = 2 * most * least + 2 * least * least + least;
    const char *which = !job->vectors ? "N" : job->full ? "A" : "S";
    int answer[4] = {0}, info;
    double real_answer[2];
    char *a = at(t, &job->a, b), *s = values_of(t, b, n, t->real), *u = job->vectors ? at(t, &job->b, b) : work,
         *v = job->vectors ? at(t, &job->c, b) : work;
    int *iwork = t->asks ? answer : iwork_of(t, work);
    char *rwork = t->asks ? (char *)real_answer : rwork_of(t, work);
    if (t->is_complex)
        t->f->gesdd_complex(which, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &lwork, rwork, iwork, &info, 1);
    else
        t->f->gesdd(which, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &lwork, iwork, &info, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    note_lwork(t, work, 1);
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
    if (t->is_complex) {
        t->f->geev_complex("N", which, &n, a, &lda, values, NULL, &none, job->vectors ? at(t, &job->b, b) : NULL, &ldv,
                           work, &lwork, rwork, &info, 1, 1);
    } else {
        char *im = rwork + (t->asks ? 0 : order * t->real), *packed = im + (t->asks ? 0 : order * t->real);
        t->f->geev("N", which, &n, a, &lda, rwork, im, NULL, &none, packed, &ldv, work, &lwork, &info, 1, 1);
        if (!t->asks)
            join_values(t, n, rwork, im, values);
        if (!t->asks && job->vectors)
            mnp__lapack_unpack_vectors(t->real == sizeof(double), n, values, packed, n,
                                       (char *)job->b.data + (size_t)(b * job->b.step) * 2 * t->real, job->b.ld);
    }
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    note_lwork(t, work, 4 * (double)n);
    t->rwork_bytes = (2 * order + (t->is_complex || !job->vectors ? 0 : order * order) + 1) * t->real;
}
OPERATION(geev, true)

static void gees_one(task *t, int64_t b, char *work)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, lda = ld_of(&job->a), ldz = ld_of(&job->b), lwork = lwork_of(t);
    const size_t order = (size_t)n;
    double unused[2];
    int count, flags, info;
    char *rwork = t->asks ? (char *)unused : rwork_of(t, work), *a = at(t, &job->a, b), *z = at(t, &job->b, b);
    char *rest = rwork + (t->asks ? 0 : order * t->element);
    if (t->is_complex)
        t->f->gees_complex("V", "N", NULL, &n, a, &lda, &count, rwork, z, &ldz, work, &lwork, rest, &flags, &info, 1,
                           1);
    else
        t->f->gees("V", "N", NULL, &n, a, &lda, &count, rwork, rest, z, &ldz, work, &lwork, &flags, &info, 1, 1);
    if (!t->asks) {
        *info_of(t, b) = info;
        return;
    }
    note_lwork(t, work, 3 * (double)n);
    t->rwork_bytes = 2 * order * t->element + t->element;
}
OPERATION(gees, true)

const mnp__lapack_ops mnp__host_lapack = {
    MNP__LAPACK_OPERATIONS,
    .gees = gees,
};

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
    MNP_TRY(run(NULL, &job, heevd_one, true));
    if (info != 0)
        return MNP_FAIL(MNP_ERR_INTERNAL, "LAPACK did not find the eigenvalues of a matrix of %d rows: info is %d", n,
                        info);
    return MNP_OK;
}
