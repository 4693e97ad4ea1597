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
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/host/lapack_job.h"

enum { WORTH_THREADS = 256 }; /* rows: smaller matrices are faster with one thread */

static struct library {
    bool tried, found;
    const char *name;         /* of the file that was opened last; NULL: none could be */
    char missing[16];         /* a function that it does not have; "" if it has all */
    functions types[4];       /* float32, float64, complex64, complex128 */
    int (*get_threads)(void); /* functions of OpenBLAS; NULL for another library */
    void (*set_threads)(int count);
    void *library;
} lapack;

#define INSTALL "install OpenBLAS (Debian and Ubuntu: libopenblas0)"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Find a function of one dtype, unless the dtype has none. */
static void find(void *library, char letter, const char *name, void *pointer_p)
{
    char symbol[16];
    if (!name)
        return;
    snprintf(symbol, sizeof symbol, "%c%s_", letter, name);
    void *found = dlsym(library, symbol);
    memcpy(pointer_p, &found, sizeof found);
    if (!found)
        memcpy(lapack.missing, symbol, sizeof symbol);
}

/* Find all functions in the library of that name; false, and which is missing, if it does not have them. */
static bool find_all(void *library, const char *name)
{
    lapack.name = name;
    lapack.missing[0] = '\0';
    for (int t = 0; t < 4; t++) {
#define FIND(field, real, complex, parameters) find(library, "sdcz"[t], t < 2 ? real : complex, &lapack.types[t].field);
        FUNCTIONS(FIND)
    }
    *(void **)&lapack.get_threads = dlsym(library, "openblas_get_num_threads");
    *(void **)&lapack.set_threads = dlsym(library, "openblas_set_num_threads");
    return lapack.missing[0] == '\0';
}

/* Load LAPACK and find its functions; false if there is none.  Later calls cost next to nothing. */
static bool load(void)
{
    static const char *const names[] = {"libopenblas.so.0", "liblapack.so.3"};
    pthread_mutex_lock(&loading);
    for (size_t i = 0; i < sizeof names / sizeof *names && !lapack.tried && !lapack.found; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        lapack.found = library && find_all(library, names[i]);
        lapack.library = library;
    }
    lapack.tried = true;
    pthread_mutex_unlock(&loading);
    return lapack.found;
}

mnp_status mnp__host_need_lapack(const char *function)
{
    if (load())
        return MNP_OK;
    if (lapack.name)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: this needs LAPACK, and %s has no function %s: " INSTALL, function,
                        lapack.name, lapack.missing);
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "%s: this needs LAPACK, and there is neither libopenblas.so.0 nor liblapack.so.3 here: " INSTALL,
                    function);
}

mnp_status mnp__host_lapack_function(const char *symbol, void *function_p)
{
    void *found = dlsym(lapack.library, symbol);
    if (!found)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s has no function %s of LAPACK: " INSTALL, lapack.name, symbol);
    memcpy(function_p, &found, sizeof found);
    return MNP_OK;
}

int mnp__host_lapack_set_threads(int count)
{
    const int before = lapack.get_threads && lapack.set_threads ? lapack.get_threads() : 0;
    if (before > 0 && count > 0 && before != count)
        lapack.set_threads(count);
    return before;
}

static mnp_status need(mnp__device *device, const char *function)
{
    (void)device;
    return mnp__host_need_lapack(function);
}

/* ---- a job ---- */

bool mnp__host_lapack_is_finite(const task *t, const mnp__matrices *matrices, int64_t b, int64_t rows, char part)
{
    const int64_t n = t->job->n, parts = t->is_complex ? 2 : 1;
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = part == 'L' ? j : 0, end = part == 'U' ? j + 1 : rows;
        const char *column = at(t, matrices, b) + (size_t)(j * matrices->ld) * t->element;
        for (int64_t i = parts * first; i < parts * end; i++)
            if (!isfinite(t->real == sizeof(float) ? ((const float *)(const void *)column)[i]
                                                   : ((const double *)(const void *)column)[i]))
                return false;
    }
    return true;
}

void mnp__host_lapack_note_work(task *t, const char *work, double least)
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
    const int before = mnp__host_lapack_set_threads(wide && device ? ((mnp__host_device *)device)->threads : 1);
    mnp_status st = MNP_OK;
    if (device)
        st = mnp__host_run(device, &launch, share_of_batch, t);
    else
        share_of_batch(t, 0, 1);
    (void)mnp__host_lapack_set_threads(before);
    return st;
}

mnp_status mnp__host_lapack_run(mnp__device *device, const mnp__lapack_job *job,
                                void (*one)(task *t, int64_t b, char *work), bool has_work)
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

const mnp__lapack_ops mnp__host_lapack = {
    MNP__LAPACK_OPERATIONS(mnp__host_),
    .need = need,
    .gees = mnp__host_gees,
    .gehrd = mnp__host_gehrd,
    .trsen = mnp__host_trsen,
    .gges = mnp__host_gges,
    .tgsen = mnp__host_tgsen,
    .ggev = mnp__host_ggev,
    .geqp3 = mnp__host_geqp3,
    .gebal = mnp__host_gebal,
    .orcsd = mnp__host_orcsd,
};
