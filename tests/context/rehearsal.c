/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsals: they have the kernels compiled that the calls need, and no others; the calls then give what they give
 * without; and what does not compile is reported by the call that needs it.
 */
#include <maniple.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static char folders[] = "/tmp/maniple-rehearsal-test-XXXXXX";

/* A context with a cache of its own, on all ranks. */
static mnp_ctx *open_on(const char *device, const char *name)
{
    char path[128], options[64];
    mnp_ctx *ctx = NULL;
    snprintf(path, sizeof path, "%s/%s", folders, name);
    setenv("MANIPLE_CACHE_DIR", path, 1);
    snprintf(options, sizeof options, "device=%s threads=2", device);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, options, &ctx));
    return ctx;
}

static mnp_ctx *open_context(const char *name)
{
    return open_on("host", name);
}

static int64_t count_kernels(mnp_ctx *ctx)
{
    mnp_cache_info info;
    int64_t files = mnp_ctx_cache(ctx, &info) == MNP_OK ? info.files : -1;
    MPI_Bcast(&files, 1, MPI_INT64_T, 0, mnp_ctx_comm(ctx));
    return files;
}

/* What the test computes: of an array, three numbers that depend on all of it; of a matrix, a solution. */
typedef struct results {
    double total, least, counted, solved;
} results;

static void solve(mnp_ctx *ctx, int64_t rows, results *r)
{
    static const int64_t offsets[] = {-1, 0, 1};
    static const double values[] = {-1, 4, -1}, one = 1;
    mnp_sparse *a = NULL;
    mnp_operator *op = NULL;
    mnp_array *b = NULL, *x = NULL, *sum = NULL;
    if (mnp_csr_from_stencil(ctx, MNP_FLOAT64, 1, &rows, NULL, 3, offsets, values, &a) == MNP_OK &&
        mnp_operator_from_sparse(a, &op) == MNP_OK && mnp_full(ctx, MNP_FLOAT64, 1, &rows, &one, &b) == MNP_OK &&
        mnp_solve(op, b, MNP_SOLVER_CG, NULL, &x, NULL) == MNP_OK && mnp_sum(x, MNP_ALL_AXES, &sum) == MNP_OK)
        (void)mnp_array_to_host(sum, MNP_ALL_RANKS, &r->solved);
    mnp_free_all(b, x, sum);
    mnp_operator_free(op);
    mnp_sparse_free(a);
}

/* The calls, on an array of that many rows. */
static results work(mnp_ctx *ctx, int64_t rows)
{
    const int64_t shape[] = {rows, 30};
    const float two = 2;
    results r = {0, 0, 0, 0};
    int64_t counts[4] = {0};
    mnp_array *x = NULL, *y = NULL, *total = NULL, *least = NULL, *counted = NULL;
    if (mnp_full(ctx, MNP_FLOAT32, 2, shape, &two, &x) == MNP_OK &&
        mnp_multiply(x, mnp_scalar_float(ctx, 1.5), &y) == MNP_OK && mnp_sum(y, MNP_ALL_AXES, &total) == MNP_OK &&
        mnp_min(y, MNP_ALL_AXES, &least) == MNP_OK &&
        mnp_histogram(x, 4, (const double[]){0, 4}, false, NULL, &counted, NULL) == MNP_OK) {
        float numbers[2] = {0, 0};
        (void)mnp_array_to_host(total, MNP_ALL_RANKS, &numbers[0]);
        (void)mnp_array_to_host(least, MNP_ALL_RANKS, &numbers[1]);
        (void)mnp_array_to_host(counted, MNP_ALL_RANKS, counts);
        r = (results){.total = numbers[0], .least = numbers[1], .counted = (double)counts[2]};
    } else
        printf("# %s\n", mnp_error_message());
    mnp_free_all(x, y, total, least, counted);
    solve(ctx, rows, &r);
    return r;
}

static bool are_equal(results a, results b)
{
    return a.total == b.total && a.least == b.least && a.counted == b.counted && a.solved == b.solved;
}

static void rehearse(mnp_ctx *ctx, int64_t rows)
{
    mnp_ctx *rehearsal = NULL;
    MNP_OR_EXIT(mnp_rehearsal_new(ctx, &rehearsal));
    (void)work(rehearsal, rows);
    mnp_finalize(rehearsal);
}

static void check_kernels(void)
{
    enum { FEW = 50, ROWS = 40000 };
    mnp_ctx *ctx = open_context("plain");
    (void)work(ctx, FEW); /* small blocks have kernels of their own */
    const results plain = work(ctx, ROWS);
    const int64_t needed = count_kernels(ctx);
    ok(plain.total == 3.0 * 30 * ROWS && plain.least == 3 && plain.counted == 30 * ROWS &&
           fabs(plain.solved - (ROWS / 2 - 0.36602540378444)) < 5e-6 * ROWS,
       "without a rehearsal: %g, %g, %g, %g by %d kernels", plain.total, plain.least, plain.counted, plain.solved,
       (int)needed);
    mnp_finalize(ctx);
    ctx = open_context("rehearsed");
    rehearse(ctx, FEW);
    const mnp_status waited = mnp_rehearsal_wait(ctx);
    /* by which ranks join their parts: of a sum, of a least element, of counts, and of a solver's products */
    const int64_t joins = mnp_ctx_size(ctx) == 1 ? 0 : 4, ahead = count_kernels(ctx);
    ok(waited == MNP_OK && ahead >= needed - joins, "a rehearsal has %d kernels compiled", (int)ahead);
    (void)work(ctx, FEW);
    ok(are_equal(work(ctx, ROWS), plain), "the calls give the same after it, of larger arrays too");
    ok(count_kernels(ctx) == ahead + joins,
       "and need no others, but for those that join the parts of ranks: there are %d", (int)count_kernels(ctx));
    mnp_finalize(ctx);
}

/* A simulated GPU compiles the kernels for GPUs in a frame of its own. */
static void check_simulated(void)
{
    const int64_t shape[] = {100};
    mnp_ctx *ctx = open_on("simulated", "simulated"), *rehearsal = NULL;
    int64_t counts[2] = {0, 0};
    MNP_OR_EXIT(mnp_rehearsal_new(ctx, &rehearsal));
    for (int round = 0; round < 2; round++) {
        mnp_ctx *where = round == 0 ? rehearsal : ctx;
        mnp_array *x = NULL, *y = NULL;
        ok(mnp_zeros(where, MNP_FLOAT32, 1, shape, &x) == MNP_OK && mnp_cos(x, &y) == MNP_OK, "cosines, %d", round);
        mnp_free_all(x, y);
        if (round == 0) {
            mnp_finalize(rehearsal);
            ok(mnp_rehearsal_wait(ctx) == MNP_OK, "their kernel is compiled");
        }
        counts[round] = count_kernels(ctx);
    }
    ok(counts[0] > 0 && counts[1] == counts[0], "a simulated GPU uses it: %d kernels, and %d after the call",
       (int)counts[0], (int)counts[1]);
    mnp_finalize(ctx);
}

/* A function of the user's that does not compile. */
static void check_mistake(void)
{
    mnp_ctx *ctx = open_context("mistaken"), *rehearsal = NULL;
    const int64_t shape[] = {100};
    mnp_status last = MNP_OK;
    MNP_OR_EXIT(mnp_rehearsal_new(ctx, &rehearsal));
    for (int round = 0; round < 2; round++) {
        mnp_ctx *where = round == 0 ? rehearsal : ctx;
        mnp_elementwise *function = NULL;
        mnp_array *x = NULL, *y = NULL;
        MNP_OR_EXIT(mnp_elementwise_new(where, "float64 x", "float64 y", "y = no_such_function(x)", NULL, &function));
        MNP_OR_EXIT(mnp_zeros(where, MNP_FLOAT64, 1, shape, &x));
        last = mnp_elementwise_call(function, MNP_INPUTS(x), MNP_OUTPUTS(&y));
        if (round == 0)
            ok(last == MNP_OK, "in a rehearsal a mistake is not found");
        mnp_free_all(x, y);
        mnp_elementwise_free(function);
        if (round > 0)
            continue;
        mnp_finalize(rehearsal);
        last = mnp_rehearsal_wait(ctx);
        ok(last == MNP_ERR_COMPILE && strstr(mnp_error_message(), "no_such_function"),
           "who waits for it finds it: %.80s", mnp_error_message());
    }
    ok(last != MNP_OK && strstr(mnp_error_message(), "no_such_function"), "but by the call itself: %.80s",
       mnp_error_message());
    mnp_finalize(ctx);
}

/* A folder that others can write to has no kernels that are trusted. */
static void check_cache(int rank)
{
    char name[32], path[128];
    snprintf(name, sizeof name, "open%d", rank);
    snprintf(path, sizeof path, "%s/%s", folders, name);
    ok(mkdir(path, 0700) == 0 && chmod(path, 0777) == 0, "a folder that others can write to");
    mnp_ctx *ctx = open_context(name);
    rehearse(ctx, 50);
    ok(mnp_rehearsal_wait(ctx) == MNP_ERR_IO && strstr(mnp_error_message(), "others cannot write in"),
       "where no kernel can be kept there is nothing to wait for: %.80s", mnp_error_message());
    mnp_finalize(ctx);
}

/* The context ends while there is much to compile. */
static void check_early_end(void)
{
    mnp_ctx *ctx = open_context("ended");
    const double begin = MPI_Wtime();
    rehearse(ctx, 50);
    mnp_finalize(ctx);
    ok(MPI_Wtime() - begin < 300, "a context ends with what it has compiled ahead");
}

int main(int argc, char **argv)
{
    int rank;
    char command[128];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && !mkdtemp(folders))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(folders, sizeof folders, MPI_CHAR, 0, MPI_COMM_WORLD);
    check_kernels();
    check_simulated();
    check_mistake();
    check_cache(rank);
    check_early_end();
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(command, sizeof command, "rm -rf %s", folders);
    const int removed = rank == 0 ? system(command) : 0, status = done_testing();
    MPI_Finalize();
    return removed != 0 ? 1 : status;
}
