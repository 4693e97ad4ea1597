/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiling ahead: a list of what will be asked for, and threads that compile it in that order.
 *
 * A job is found again by its key, as files of the cache are.  The main thread takes a job's result away; a job that no
 * thread has begun it takes out of the list, and compiles by itself, so that it never waits while there is work.  A
 * thread is started when there is a job and no other thread is idle, and then stays.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/leftovers.h"
#include "base/process/thread.h"
#include "base/status.h"
#include "jit/cache.h"
#include "jit/jit.h"

enum { MOST_THREADS = 32, STACK = 8 << 20 /* of a thread, as NVRTC compiles on it */ };

/* What has become of a job: without a result it is over where the main thread can do it as well as a thread. */
typedef enum job_state { WAITING, UNDER_WAY, READY, OVER } job_state;

typedef struct job {
    struct job *next;
    job_state state;
    bool failed; /* over, as it could not be compiled */
    mnp__request request;
    mnp__kernel_spec spec; /* of the request, with texts of its own */
    const char **name_expressions;
    mnp__binary binary;
} job;

struct mnp__ahead {
    mnp__ahead *next;             /* in the list of all that have not ended */
    pthread_mutex_t mutex;        /* of what follows, but for `threads` and `ends` */
    pthread_cond_t came, changed; /* a job has come, or the end; a job is not under way any more */
    job *jobs;                    /* in the order in which they came */
    int most, started, idle;      /* threads */
    pthread_t threads[MOST_THREADS];
    atomic_bool ends;
};

/* ---- jobs ---- */

static void free_job(job *j)
{
    const char *const texts[] = {j->spec.file, j->spec.function, j->spec.nvrtc_options, j->spec.host_options};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((char *)texts[i]);
    for (const char **name = j->name_expressions; name && *name; name++)
        free((char *)*name);
    free(j->name_expressions);
    mnp__request_close(&j->request);
    mnp__binary_free(&j->binary);
    free(j);
}

/* Copy what a compiler reads of a spec, besides the source. */
static mnp_status copy_spec(const mnp__kernel_spec *spec, job *j)
{
    size_t names = 0;
    j->spec =
        (mnp__kernel_spec){.defines = "", .shared_bytes = spec->shared_bytes, .users = spec->users, .raw = spec->raw};
    MNP_TRY(mnp__copy_text(spec->file, &j->spec.file));
    MNP_TRY(mnp__copy_text(spec->function, &j->spec.function));
    MNP_TRY(mnp__copy_text(spec->nvrtc_options, &j->spec.nvrtc_options));
    MNP_TRY(mnp__copy_text(spec->host_options, &j->spec.host_options));
    if (!spec->name_expressions)
        return MNP_OK;
    while (spec->name_expressions[names])
        names++;
    MNP_TRY(mnp__calloc(names + 1, sizeof *j->name_expressions, &j->name_expressions));
    j->spec.name_expressions = j->name_expressions;
    for (size_t i = 0; i < names; i++)
        MNP_TRY(mnp__copy_text(spec->name_expressions[i], &j->name_expressions[i]));
    return MNP_OK;
}

/* Make a job of a spec; NULL if the cache has it, or it cannot be made. */
static job *make_job(const mnp__compiler *compiler, const mnp__kernel_spec *spec)
{
    job *j;
    if (mnp__calloc(1, sizeof *j, &j) != MNP_OK)
        return NULL;
    j->request = (mnp__request){.compiler = compiler, .spec = spec};
    const bool made = mnp__request_open(&j->request) == MNP_OK && copy_spec(spec, j) == MNP_OK;
    j->request.spec = &j->spec;
    if (made && !(j->request.cached && access(j->request.path.data, F_OK) == 0))
        return j;
    free_job(j);
    return NULL;
}

static job **find(mnp__ahead *ahead, const mnp__text *key)
{
    job **at = &ahead->jobs;
    while (*at &&
           ((*at)->request.key.length != key->length || memcmp((*at)->request.key.data, key->data, key->length) != 0))
        at = &(*at)->next;
    return at;
}

static job *first_waiting(const mnp__ahead *ahead)
{
    job *j = ahead->jobs;
    while (j && j->state != WAITING)
        j = j->next;
    return j;
}

/* ---- threads ---- */

static bool is_over(const mnp__ahead *ahead)
{
    return atomic_load(&ahead->ends) || mnp__leftovers_are_removed();
}

static void *work(void *argument)
{
    mnp__ahead *ahead = argument;
    pthread_mutex_lock(&ahead->mutex);
    while (!is_over(ahead)) {
        job *j = first_waiting(ahead);
        bool left;
        if (!j) {
            ahead->idle++;
            pthread_cond_wait(&ahead->came, &ahead->mutex);
            ahead->idle--;
            continue;
        }
        j->state = UNDER_WAY;
        pthread_mutex_unlock(&ahead->mutex);
        const mnp_status st = mnp__request_compile(&j->request, false, &left, &j->binary);
        pthread_mutex_lock(&ahead->mutex);
        j->state = st == MNP_OK && !left ? READY : OVER;
        j->failed = st != MNP_OK;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->mutex);
    return NULL;
}

/* Start a thread, if there may be one more.  The mutex is held. */
static void start_thread(mnp__ahead *ahead)
{
    if (ahead->started < ahead->most && mnp__thread_start(&ahead->threads[ahead->started], STACK, work, ahead))
        ahead->started++;
}

/* ---- the end ---- */

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static mnp__ahead *all;
static pid_t owner; /* a process that it forks inherits the list, but not the threads */

/* Let no job begin any more, and wait for those that are under way. */
static void end_threads(mnp__ahead *ahead)
{
    pthread_mutex_lock(&ahead->mutex);
    atomic_store(&ahead->ends, true);
    pthread_cond_broadcast(&ahead->came);
    pthread_mutex_unlock(&ahead->mutex);
    for (int i = 0; i < ahead->started; i++)
        pthread_join(ahead->threads[i], NULL);
    ahead->started = 0;
}

/*
 * At exit() of a program that has not freed its compilers: NVRTC's data are destroyed next, and its threads need them.
 */
static void end_all(void)
{
    if (getpid() != owner)
        return;
    pthread_mutex_lock(&list_mutex);
    for (mnp__ahead *ahead = all; ahead; ahead = ahead->next)
        end_threads(ahead);
    pthread_mutex_unlock(&list_mutex);
}

static void enlist(mnp__ahead *ahead)
{
    static bool at_exit;
    pthread_mutex_lock(&list_mutex);
    if (!at_exit)
        at_exit = atexit(end_all) == 0;
    owner = getpid();
    ahead->next = all;
    all = ahead;
    pthread_mutex_unlock(&list_mutex);
}

static void delist(const mnp__ahead *ahead)
{
    pthread_mutex_lock(&list_mutex);
    mnp__ahead **at = &all;
    while (*at != ahead)
        at = &(*at)->next;
    *at = ahead->next;
    pthread_mutex_unlock(&list_mutex);
}

/* ---- what others call ---- */

static mnp__ahead *make_ahead(int threads)
{
    mnp__ahead *ahead;
    if (mnp__calloc(1, sizeof *ahead, &ahead) != MNP_OK)
        return NULL;
    ahead->most = threads < MOST_THREADS ? threads : MOST_THREADS;
    pthread_mutex_init(&ahead->mutex, NULL);
    pthread_cond_init(&ahead->came, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    enlist(ahead);
    return ahead;
}

void mnp__jit_ahead(mnp__compiler *compiler, int threads, const mnp__kernel_spec *spec)
{
    if (!compiler->ahead && !(compiler->ahead = make_ahead(threads)))
        return;
    mnp__ahead *ahead = compiler->ahead;
    job *j = make_job(compiler, spec);
    if (!j)
        return;
    pthread_mutex_lock(&ahead->mutex);
    job **at = find(ahead, &j->request.key);
    const bool new = !*at;
    if (new) {
        *at = j;
        if (ahead->idle == 0)
            start_thread(ahead);
        pthread_cond_signal(&ahead->came);
    }
    pthread_mutex_unlock(&ahead->mutex);
    if (!new)
        free_job(j);
}

bool mnp__jit_ahead_wait(const mnp__compiler *compiler, int *done_p, int *all_p)
{
    mnp__ahead *ahead = compiler->ahead;
    int done = 0, all_jobs = 0;
    *done_p = *all_p = 0;
    if (!ahead)
        return false;
    pthread_mutex_lock(&ahead->mutex);
    for (const job *j = ahead->jobs; j; j = j->next) {
        all_jobs++;
        done += j->state == READY || j->state == OVER;
    }
    const bool waits =
        done < all_jobs && ahead->started > 0 && !is_over(ahead); /* without threads nothing would come */
    if (waits)
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
    *done_p = done;
    *all_p = all_jobs;
    return waits;
}

/* What does not compile is compiled once more, for the words of the compiler, which its thread has not kept. */
mnp_status mnp__jit_ahead_finish(const mnp__compiler *compiler)
{
    mnp_status first = MNP_OK;
    for (job *j = compiler->ahead ? compiler->ahead->jobs : NULL; j; j = j->next) {
        bool left;
        if (j->state == READY || (j->failed && first != MNP_OK))
            continue;
        const mnp_status st = mnp__request_compile(&j->request, true, &left, &j->binary);
        pthread_mutex_lock(&compiler->ahead->mutex);
        j->state = st == MNP_OK ? READY : OVER;
        j->failed = st != MNP_OK;
        pthread_mutex_unlock(&compiler->ahead->mutex);
        first = first == MNP_OK ? st : first;
    }
    return first;
}

bool mnp__ahead_take(mnp__ahead *ahead, const mnp__request *request, mnp__binary *binary)
{
    if (!ahead)
        return false;
    pthread_mutex_lock(&ahead->mutex);
    job **at = find(ahead, &request->key), *j = *at;
    while (j && j->state == UNDER_WAY)
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    if (j)
        *find(ahead, &request->key) = j->next;
    pthread_mutex_unlock(&ahead->mutex);
    const bool ready = j && j->state == READY;
    if (ready) {
        *binary = j->binary;
        j->binary = (mnp__binary){NULL, 0, NULL, 0};
    }
    if (j)
        free_job(j);
    return ready;
}

bool mnp__ahead_ends(const mnp__ahead *ahead)
{
    return ahead && atomic_load(&ahead->ends);
}

void mnp__ahead_free(mnp__ahead *ahead)
{
    if (!ahead)
        return;
    delist(ahead);
    end_threads(ahead);
    while (ahead->jobs) {
        job *first = ahead->jobs;
        ahead->jobs = first->next;
        free_job(first);
    }
    pthread_cond_destroy(&ahead->came);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->mutex);
    free(ahead);
}
