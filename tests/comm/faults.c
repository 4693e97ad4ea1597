/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that ends or stops answering in the middle of work, and what its peers report: faults HOW WHERE
 *
 *   HOW      kill: rank 1 is killed; exit: it calls _exit(3); late: it sleeps until all others have found out, and then
 *            goes on; stop: it is stopped for as long.  They make folders of their numbers in FAULTS_FOLDER then.
 *   WHERE    agree, redistribute, sum, take (of elements that others have), all_reduce, small (an all-reduce of one
 *            number), all_to_all, exchange (of messages around), barrier (of MPI, which cannot be left): what all ranks
 *            do again and again, waiting for the device every time; kernel: rank 0 finds what a kernel leaves that has
 *            waited for rank 1 past the deadline
 *
 * Every rank that is left prints a line when a call has failed: its number, the status, after how many seconds, and the
 * sentence.  Then it finalizes and prints another line, so that faults.t misses the line of a rank that hangs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <maniple.h>

#include "comm/heap.h"
#include "comm/pulse.h"
#include "comm/waits.h"
#include "context/context.h"
#include "kernels/comm/p2p_small_params.h"

enum { ROUNDS = 6, EXTENT = 300, BYTES = 5 * MNP_P2P_SMALL_BYTES }; /* a part of 4 is not small */

static mnp_array *rows, *columns, *total, *numbers, *taken;
static mnp_layout *row_layout, *column_layout;
static mnp__exchange *exchange;
static mnp__message to_next = {.bytes = BYTES}, from_last = {.bytes = BYTES};

static mnp_status prepare(mnp_ctx *ctx)
{
    const int mesh[] = {mnp_ctx_size(ctx)};
    const int64_t shape[] = {EXTENT, EXTENT};
    mnp_status st = mnp_layout_new(1, mesh, 2, shape, (const int[]){0, MNP_NO_AXIS}, NULL, &row_layout);
    if (st == MNP_OK)
        st = mnp_layout_new(1, mesh, 2, shape, (const int[]){MNP_NO_AXIS, 0}, NULL, &column_layout);
    if (st == MNP_OK)
        st = mnp_array_new(ctx, MNP_FLOAT64, row_layout, &rows);
    if (st == MNP_OK)
        st = mnp_arange_int(ctx, EXTENT * EXTENT - 1, -1, -1, MNP_INT64, &numbers);
    to_next.peer = (mnp_ctx_rank(ctx) + 1) % mesh[0];
    from_last.peer = (mnp_ctx_rank(ctx) + mesh[0] - 1) % mesh[0];
    if (st == MNP_OK)
        st = mnp__heap_alloc(ctx->comm.heap, BYTES, &to_next.data);
    if (st == MNP_OK)
        st = mnp__heap_alloc(ctx->comm.heap, BYTES, &from_last.data);
    if (st == MNP_OK)
        st = mnp__exchange_new(&ctx->comm, 1, &to_next, 1, &from_last, &exchange);
    return st;
}

static mnp_status run_exchange(mnp_ctx *ctx)
{
    MNP_TRY(mnp__exchange_begin(exchange, ctx->transfer));
    return mnp__exchange_finish(exchange, ctx->transfer);
}

/* The context has a record of kernels' waits where GPUs share the heap; elsewhere this makes one, as it works alike. */
static mnp_status run_kernel(mnp_ctx *ctx)
{
    if (!ctx->comm.waits)
        MNP_TRY(mnp__waits_new(&ctx->comm, &ctx->comm.waits));
    return mnp_agree(ctx, MNP_OK);
}

static mnp_status run_barrier(mnp_ctx *ctx)
{
    mnp__pulse_enter(ctx->comm.pulse, "waiting at", "a barrier");
    MPI_Barrier(ctx->comm.mpi);
    mnp__pulse_leave(ctx->comm.pulse);
    return MNP_OK;
}

static void give_up(mnp_ctx *ctx)
{
    *mnp__waits_params(ctx->comm.waits).fault = 1 + (unsigned)mnp__peers_find(ctx->comm.peers, 1);
}

static mnp_status enqueue(mnp_ctx *ctx, const char *where)
{
    mnp_comm *world = mnp_comm_world(ctx);
    if (strcmp(where, "agree") == 0)
        return mnp_agree(ctx, MNP_OK);
    if (strcmp(where, "redistribute") == 0)
        return mnp_redistribute(rows, column_layout, &columns);
    if (strcmp(where, "sum") == 0)
        return mnp_sum(rows, MNP_ALL_AXES, &total);
    if (strcmp(where, "take") == 0)
        return mnp_take(rows, numbers, MNP_FLATTENED, MNP_RAISE, &taken);
    if (strcmp(where, "exchange") == 0)
        return run_exchange(ctx);
    if (strcmp(where, "kernel") == 0)
        return run_kernel(ctx);
    if (strcmp(where, "barrier") == 0)
        return run_barrier(ctx);
    if (strcmp(where, "all_reduce") == 0)
        return mnp_comm_all_reduce(world, to_next.data, from_last.data, BYTES / 8, MNP_FLOAT64, MNP_MAX);
    if (strcmp(where, "small") == 0)
        return mnp_comm_all_reduce(world, to_next.data, from_last.data, 1, MNP_FLOAT64, MNP_SUM);
    if (strcmp(where, "all_to_all") == 0)
        return mnp_comm_all_to_all(world, to_next.data, from_last.data, BYTES / mnp_ctx_size(ctx), MNP_INT8);
    return mnp_fail(MNP_ERR_ARG, "there is no case '%s'", where);
}

static mnp_status work(mnp_ctx *ctx, const char *where)
{
    MNP_TRY(enqueue(ctx, where));
    return mnp_ctx_synchronize(ctx);
}

static bool scratch_is_left_alone(mnp__device *device)
{
    void *first = NULL, *second = NULL;
    MNP_OR_EXIT(device->ops->alloc(device, 4096, &first));
    device->ops->free(device, first);
    MNP_OR_EXIT(device->ops->alloc(device, 4096, &second));
    return first != second;
}

/* A late rank may still write to memory that was freed, so the memory must not be allocated again. */
static bool is_left_alone(mnp_ctx *ctx)
{
    void *first = NULL, *second = NULL;
    if (ctx->device->cpu_memory && !scratch_is_left_alone(ctx->device))
        return false;
    if (!ctx->device->cpu_memory && !mnp__heap_shared(ctx->comm.heap))
        return true; /* no peer can write to it */
    MNP_OR_EXIT(mnp__heap_alloc(ctx->comm.heap, 4096, &first));
    mnp__heap_free(ctx->comm.heap, first);
    MNP_OR_EXIT(mnp__heap_alloc(ctx->comm.heap, 4096, &second));
    return first != second;
}

/* A loop of the shell that ends when all other ranks have found out, or after some minutes. */
#define WAIT_FOR_OTHERS                                                                                                \
    "i=0; while [ $(ls '%s' | wc -l) -lt %d ] && [ $i -lt 1000 ] && kill -0 %ld; do sleep 0.1; i=$((i + 1)); done"

static const char *folder(void)
{
    const char *name = getenv("FAULTS_FOLDER");
    return name ? name : ".";
}

static void tell_rank_1(int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder(), rank);
    mkdir(path, 0700);
}

/* What happens to rank 1. */
static void happen(const char *how, int ranks)
{
    char loop[4096], command[4200];
    snprintf(loop, sizeof loop, WAIT_FOR_OTHERS, folder(), ranks - 1, (long)getpid());
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "stop") == 0) {
        snprintf(command, sizeof command, "(%s; kill -CONT %ld) &", loop, (long)getpid());
        if (system(command) == 0)
            raise(SIGSTOP);
        return;
    }
    if (strcmp(how, "late") != 0 || system(loop) != 0)
        _exit(3);
}

int main(int argc, char **argv)
{
    mnp_ctx *ctx;
    if (argc != 3)
        return 2;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(prepare(ctx));
    const int rank = mnp_ctx_rank(ctx);
    mnp_status st = MNP_OK;
    for (int round = 0; round < ROUNDS && st == MNP_OK; round++)
        st = work(ctx, argv[2]);
    MNP_OR_EXIT(st);
    double begin = MPI_Wtime();
    if (rank == 1)
        happen(argv[1], mnp_ctx_size(ctx));
    if (rank == 0 && strcmp(argv[2], "kernel") == 0)
        give_up(ctx);
    while (st == MNP_OK)
        st = work(ctx, argv[2]);
    if (rank != 1)
        tell_rank_1(rank);
    printf("rank %d: %s after %.1f s: %s\n", rank, mnp_status_name(st), MPI_Wtime() - begin, mnp_error_message());
    st = mnp_agree(ctx, MNP_OK); /* one failure makes all later calls fail */
    if (ctx->comm.waits && *mnp__waits_params(ctx->comm.waits).fault == 0)
        printf("rank %d: kernels go on waiting\n", rank);
    printf("rank %d: later %s%s\n", rank, mnp_status_name(st), is_left_alone(ctx) ? ", freed memory left alone" : "");
    mnp__exchange_free(exchange);
    mnp__heap_free(ctx->comm.heap, to_next.data);
    mnp__heap_free(ctx->comm.heap, from_last.data);
    mnp_free_all(rows, columns, total, numbers, taken);
    mnp_layout_free(row_layout);
    mnp_layout_free(column_layout);
    mnp_finalize(ctx);
    printf("rank %d: over\n", rank);
    fflush(stdout);
    return 0;
}
