/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices between the ways of a transform over ranks, by trying, and the record of them on disk.
 *
 * A choice is timed as a plan: executed once, and twice more, of which the shorter time counts, on the rank that takes
 * longest.  There are five at most, so trying takes as long as fifteen transforms, beside planning.
 *
 * What was found is a line in a file beside the cached kernels: a key, the choice, and a hash of these.  The key is a
 * hash of all that the time depends on: the transform with its layouts, the versions of the libraries, the device, and
 * how many ranks there are on how many nodes.  Rank 0 reads the file when a context makes its first plan, and sends it
 * to the other ranks, which may have other files: so all ranks make the same choice.  Damaged lines are ignored.  Rank
 * 0 adds a line at the end by one write, so two processes that do so at the same time write two whole lines.
 */
#include "fft/choices.h"

#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <maniple/create.h>

#include "array/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "comm/peers.h"
#include "fft/plan.h"
#include "jit/jit.h"

typedef struct record {
    uint64_t key;
    mnp__fft_choice choice;
} record;

enum { MOST_RECORDS = 1 << 16, LINE = 80 };

/* What a context knows. */
struct records {
    uint64_t machine; /* what all keys begin with */
    int count;
    record *items;
};

/* ---- the file ---- */

static void print_record(const record *r, char line[LINE])
{
    const mnp__fft_choice *c = &r->choice;
    const int length = snprintf(line, LINE, "%016" PRIx64 " %d %d %d", r->key, c->one_by_one, c->whole, c->finer);
    snprintf(line + length, (size_t)(LINE - length), " %016" PRIx64 "\n",
             mnp__hash(MNP__HASH_START, line, (size_t)length));
}

static bool parse_record(const char *line, record *r)
{
    int one_by_one, whole, finer;
    char again[LINE];
    if (sscanf(line, "%16" SCNx64 " %1d %1d %2d", &r->key, &one_by_one, &whole, &finer) != 4 || finer * finer > 9)
        return false;
    r->choice = (mnp__fft_choice){.one_by_one = one_by_one == 1, .whole = whole == 1, .finer = finer};
    print_record(r, again);
    return strcmp(line, again) == 0;
}

static mnp_status add(struct records *records, const record *r)
{
    const int count = records->count;
    if (count == MOST_RECORDS)
        return MNP_OK;
    if ((count & (count - 1)) == 0) { /* there is room for a power of two */
        record *items = realloc(records->items, (size_t)(count > 0 ? 2 * count : 1) * sizeof *items);
        if (!items)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for %d records of transforms", count + 1);
        records->items = items;
    }
    records->items[records->count++] = *r;
    return MNP_OK;
}

/* The path of the file, malloc'ed; NULL: there is none. */
static char *path_of(const mnp_ctx *ctx)
{
    mnp__text path = MNP__TEXT_EMPTY;
    char *folder;
    if (mnp__jit_cache_path(&ctx->config, &folder) != MNP_OK)
        return NULL;
    mnp__text_add(&path, "%s/fft.choices", folder);
    free(folder);
    if (mnp__text_status(&path) == MNP_OK)
        return path.data;
    mnp__text_free(&path);
    return NULL;
}

/* A file that cannot be read has no records. */
static mnp_status read_file(const mnp_ctx *ctx, struct records *records)
{
    char *path = path_of(ctx), line[LINE];
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1; /* a pipe must not block the process */
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    mnp_status st = MNP_OK;
    record r;
    while (file && st == MNP_OK && fgets(line, sizeof line, file))
        if (parse_record(line, &r))
            st = add(records, &r);
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    free(path);
    return st;
}

static void append_to_file(const mnp_ctx *ctx, const record *r)
{
    char *path = path_of(ctx), line[LINE];
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600) : -1;
    print_record(r, line);
    if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
        MNP_LOG(&ctx->config.logger, MNP_LOG_INFO, "what was measured of a transform cannot be kept in %s",
                path ? path : "the cache");
    if (fd >= 0)
        close(fd);
    free(path);
}

/* ---- what a context knows ---- */

/* Rank 0's device, the libraries, and how the ranks are spread. */
static mnp_status hash_machine(mnp_ctx *ctx, uint64_t *hash_p)
{
    const mnp__comm *comm = &ctx->comm;
    const int numbers[] = {comm->size,        comm->nodes,          comm->node_size,
                           comm->peers->most, (int)comm->transport, ctx->config.slabs};
    mnp_rank_info info = {.rank = 0};
    MNP_TRY(ctx->device->ops->info(ctx->device, &info));
    uint64_t hash = mnp__hash(MNP__HASH_START, numbers, sizeof numbers);
    hash = mnp__hash(hash, info.device, strlen(info.device));
    hash = mnp__hash(hash, &info.multiprocessors, sizeof info.multiprocessors);
    for (const mnp_version_info *v = mnp_ctx_versions(ctx); v->name; v++)
        hash = mnp__hash(mnp__hash(hash, v->name, strlen(v->name)), v->version, strlen(v->version));
    *hash_p = hash;
    return MNP_OK;
}

static void free_records(mnp_ctx *ctx, void *data)
{
    struct records *records = data;
    (void)ctx;
    if (records)
        free(records->items);
    free(records);
}

static mnp_status open_records(mnp_ctx *ctx, struct records **records_p)
{
    MNP_TRY(mnp__calloc(1, sizeof **records_p, records_p));
    if (ctx->comm.rank != 0)
        return MNP_OK;
    MNP_TRY(hash_machine(ctx, &(*records_p)->machine));
    return read_file(ctx, *records_p);
}

/* Tell the others what rank 0 has read. */
static mnp_status share(mnp_ctx *ctx, struct records *records)
{
    uint64_t head[] = {records->machine, (uint64_t)records->count};
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__broadcast(&ctx->comm, head, sizeof head, 0));
    if (head[1] == 0 || ctx->comm.rank == 0) {
        records->machine = head[0];
    } else {
        record none = {.key = 0};
        records->machine = head[0];
        while (st == MNP_OK && records->count < (int)head[1])
            st = add(records, &none);
    }
    if (head[1] == 0)
        return MNP_OK;
    MNP_TRY(MNP_AGREE(ctx, st));
    return mnp__broadcast(&ctx->comm, records->items, (size_t)head[1] * sizeof *records->items, 0);
}

static mnp_status records_of(mnp_ctx *ctx, struct records **records_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_TRANSFORM_CHOICES];
    struct records *records = NULL;
    if (!attached->data) {
        mnp_status st = MNP_AGREE(ctx, open_records(ctx, &records));
        if (st == MNP_OK)
            st = share(ctx, records);
        if (st != MNP_OK) {
            free_records(ctx, records);
            return st;
        }
        *attached = (mnp__attachment){.data = records, .free = free_records};
    }
    *records_p = attached->data;
    return MNP_OK;
}

static uint64_t key_of(const struct records *records, const mnp__fft_problem *problem, bool is_double)
{
    const mnp_layout *in = problem->in;
    const int numbers[] = {(int)problem->kind, problem->inverse, problem->permuted,
                           is_double,          problem->naxes,   in->ndim};
    uint64_t hash = mnp__hash(records->machine, numbers, sizeof numbers);
    const uint64_t layouts[] = {mnp__layout_hash(in), mnp__layout_hash(problem->out)};
    hash = mnp__hash(hash, problem->axes, (size_t)problem->naxes * sizeof *problem->axes);
    hash = mnp__hash(hash, problem->points, (size_t)in->ndim * sizeof *problem->points);
    return mnp__hash(hash, layouts, sizeof layouts);
}

/* ---- measuring ---- */

static const mnp__fft_choice choices[] = {
    {.finer = 0}, {.whole = true}, {.finer = 1}, {.finer = -1}, {.one_by_one = true}};
enum { CHOICES = sizeof choices / sizeof *choices, RUNS = 3 };

static bool goes_by_slabs(const mnp_fft_plan *plan)
{
    bool found = false;
    for (int i = 0; i < plan->steps.count; i++)
        found = found || plan->steps.steps[i].chain > 0;
    return found;
}

/* Whether a plan does something else than that of the model's choice, which has slabs or not. */
static bool is_another(const mnp_fft_plan *plan, int count, bool by_slabs)
{
    return plan->problem.choice.one_by_one ? plan->steps.count != count : by_slabs;
}

/* The shortest time of an execution, on the rank that takes longest, after the first one. */
static mnp_status time_plan(mnp_fft_plan *plan, const mnp_array *x, mnp_array **y_p, double *seconds_p)
{
    mnp_ctx *ctx = plan->ctx;
    *seconds_p = DBL_MAX;
    for (int run = 0; run < RUNS; run++) {
        MNP_TRY(MNP_AGREE(ctx, mnp__ctx_wait(ctx, ctx->compute)));
        const double begin = MPI_Wtime();
        mnp_status st = mnp__fft_plan_run(plan, "mnp_fft_plan_new", x, y_p);
        if (st == MNP_OK)
            st = mnp__ctx_wait(ctx, ctx->compute);
        double seconds = MPI_Wtime() - begin;
        MNP_TRY(MNP_AGREE(ctx, st));
        MNP_TRY(mnp__all_reduce(&ctx->comm, &seconds, 1, MPI_DOUBLE, MPI_MAX));
        if (run > 0 && seconds < *seconds_p)
            *seconds_p = seconds;
    }
    return MNP_OK;
}

/* Time the choices and take the best. */
static mnp_status try_choices(mnp_ctx *ctx, bool is_double, const mnp_array *x, mnp__fft_problem *problem)
{
    mnp__fft_problem one = *problem;
    mnp_status st = MNP_OK;
    double least = DBL_MAX, seconds;
    int count = 0;
    bool by_slabs = false;
    for (int i = 0; i < CHOICES && st == MNP_OK; i++) {
        mnp_fft_plan *plan = NULL;
        mnp_array *y = NULL; /* of the plan's own layout, which choices may differ in */
        one.choice = choices[i];
        st = mnp__fft_plan_make(ctx, &one, is_double, false, &plan);
        if (st == MNP_OK && i == 0) {
            count = plan->steps.count;
            by_slabs = goes_by_slabs(plan);
        }
        if (st == MNP_OK && (i == 0 || is_another(plan, count, by_slabs))) {
            st = time_plan(plan, x, &y, &seconds);
            if (st == MNP_OK && seconds < least) {
                least = seconds;
                problem->choice = choices[i];
            }
        }
        mnp__ctx_drain(ctx);
        mnp_array_free(y);
        mnp__fft_plan_release(plan);
    }
    return st;
}

static mnp_status measure(mnp_ctx *ctx, bool is_double, mnp__fft_problem *problem)
{
    const bool is_complex = problem->kind != MNP__FFT_FROM_REAL;
    const mnp_dtype dtype =
        is_double ? (is_complex ? MNP_COMPLEX128 : MNP_FLOAT64) : (is_complex ? MNP_COMPLEX64 : MNP_FLOAT32);
    mnp_array *x;
    MNP_TRY(mnp_array_new(ctx, dtype, problem->in, &x));
    mnp_status st = mnp_copyto(x, MNP_SCALAR(ctx, 1.0), MNP_CASTING_UNSAFE);
    if (st == MNP_OK)
        st = try_choices(ctx, is_double, x, problem);
    mnp_array_free(x);
    return st;
}

mnp_status mnp__fft_choose(mnp_ctx *ctx, bool is_double, bool measures, mnp__fft_problem *problem)
{
    struct records *records;
    if (ctx->comm.size == 1)
        return MNP_OK;
    MNP_TRY(records_of(ctx, &records));
    const uint64_t key = key_of(records, problem, is_double);
    for (int i = records->count - 1; i >= 0; i--) {
        if (records->items[i].key == key) {
            problem->choice = records->items[i].choice;
            problem->basis = "measured before";
            return MNP_OK;
        }
    }
    if (!measures)
        return MNP_OK;
    MNP_TRY(measure(ctx, is_double, problem));
    problem->basis = "measured";
    const record found = {.key = key, .choice = problem->choice};
    const int before = records->count;
    if (ctx->comm.rank == 0)
        append_to_file(ctx, &found);
    const mnp_status st = MNP_AGREE(ctx, add(records, &found));
    if (st != MNP_OK)
        records->count = before; /* on all ranks, as they must know the same */
    return st;
}
