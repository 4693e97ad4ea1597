/*
 * A rank that ends in the middle of work, and what the others make of it: faults HOW WHERE
 *
 *   HOW      kill: rank 1 is killed; exit: it calls _exit(3)
 *   WHERE    agree, redistribute, sum, all_reduce, exchange (of messages around): what all ranks do again and again
 *
 * Every other rank prints a line when a call has failed: its number, the status, after how many seconds, and the sentence.
 * Then it finalizes and prints another, so that whoever hangs is missed.  faults.t compares.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <maniple.h>

#include "comm/heap.h"
#include "context/context.h"

enum { ROUNDS = 6, EXTENT = 300, BYTES = 100000 };

static mnp_array *rows, *columns, *total;
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
    to_next.peer = (mnp_ctx_rank(ctx) + 1) % mesh[0];
    from_last.peer = (mnp_ctx_rank(ctx) + mesh[0] - 1) % mesh[0];
    if (st == MNP_OK)
        st = ctx->device->ops->alloc(ctx->device, BYTES, &to_next.data);
    if (st == MNP_OK)
        st = ctx->device->ops->alloc(ctx->device, BYTES, &from_last.data);
    if (st == MNP_OK)
        st = mnp__exchange_new(&ctx->comm, 1, &to_next, 1, &from_last, &exchange);
    return st;
}

static mnp_status run_exchange(mnp_ctx *ctx)
{
    MNP_TRY(mnp__exchange_begin(exchange, ctx->transfer));
    return mnp__exchange_finish(exchange, ctx->transfer);
}

static mnp_status work(mnp_ctx *ctx, const char *where)
{
    if (strcmp(where, "agree") == 0)
        return mnp_agree(ctx, MNP_OK);
    if (strcmp(where, "redistribute") == 0)
        return mnp_redistribute(rows, column_layout, &columns);
    if (strcmp(where, "sum") == 0)
        return mnp_sum(rows, MNP_ALL_AXES, &total);
    if (strcmp(where, "exchange") == 0)
        return run_exchange(ctx);
    if (strcmp(where, "all_reduce") == 0)
        return mnp_comm_all_reduce(mnp_comm_world(ctx), to_next.data, from_last.data, BYTES / 8, MNP_FLOAT64, MNP_MAX);
    return mnp_fail(MNP_ERR_ARG, "there is no case '%s'", where);
}

/* A rank that comes late may still write to what was freed: it is not to be had again. */
static bool is_left_alone(mnp_ctx *ctx)
{
    void *first = NULL, *second = NULL;
    MNP_OR_EXIT(mnp__heap_alloc(ctx->comm.heap, 4096, &first));
    mnp__heap_free(ctx->comm.heap, first);
    MNP_OR_EXIT(mnp__heap_alloc(ctx->comm.heap, 4096, &second));
    return first != second;
}

static void end(const char *how)
{
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
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
        end(argv[1]);
    while (st == MNP_OK)
        st = work(ctx, argv[2]);
    printf("rank %d: %s after %.1f s: %s\n", rank, mnp_status_name(st), MPI_Wtime() - begin, mnp_error_message());
    st = mnp_agree(ctx, MNP_OK); /* once is for all */
    printf("rank %d: later %s%s\n", rank, mnp_status_name(st), is_left_alone(ctx) ? ", freed memory left alone" : "");
    bool through = mnp__exchange_free(exchange);
    if (through) {
        ctx->device->ops->free(ctx->device, to_next.data);
        ctx->device->ops->free(ctx->device, from_last.data);
    }
    mnp_free_all(rows, columns, total);
    mnp_layout_free(row_layout);
    mnp_layout_free(column_layout);
    mnp_finalize(ctx);
    printf("rank %d: over\n", rank);
    fflush(stdout);
    return 0;
}
