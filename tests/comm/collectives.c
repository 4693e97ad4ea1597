/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives against plain loops: all dtypes and operations, all roots, counts on both sides of every limit, on all
 * ranks and on parts of them; and what is refused.
 */
#include <time.h>

#include "comm/collectives/collectives.h"

#include "buffers.h"

/* ---- reductions ---- */

/* Reductions of every dtype; where `every` is above 1, of one in so many. */
static void check_reductions(mnp_comm *comm, const char *where, int every)
{
    static const int64_t counts[] = {0, 1, 13, 1500};
    static const char *const names[] = {"sum", "product", "minimum", "maximum", "average"};
    for (int op = MNP_SUM; op <= MNP_AVG; op++) {
        bool right = true;
        for (int dtype = MNP_BOOL; dtype < MNP_NUM_DTYPES; dtype += every) {
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                if (allowed((mnp_dtype)dtype, (mnp_op)op))
                    right = reduce_once(comm, (mnp_dtype)dtype, (mnp_op)op, counts[c]) && right;
                else
                    right = mnp_comm_all_reduce(comm, a.data, b.data, counts[c], (mnp_dtype)dtype, (mnp_op)op) ==
                                MNP_ERR_ARG &&
                            right;
            }
        }
        ok(right, "%s: %s of all dtypes that have it", where, names[op]);
    }
    ok(reduce_once(comm, MNP_FLOAT32, MNP_SUM, 20011) && reduce_once(comm, MNP_UINT8, MNP_MAX, (16 << 10) + 1),
       "%s: larger ones, in shares", where);
}

/* More elements than one step takes; in place, and to a root. */
static void check_large(mnp_comm *comm)
{
    int rank = mnp_comm_rank(comm);
    int64_t count = 1300007;
    fill(MNP_FLOAT64, MNP_SUM, rank, count, a.image);
    put(&a, count * 8);
    ok(mnp_comm_reduce(comm, a.data, b.data, count, MNP_FLOAT64, MNP_SUM, 0) == MNP_OK &&
           (rank > 0 || is_reduced(&b, comm, MNP_FLOAT64, MNP_SUM, 0, count)),
       "10 MB to rank 0");
    ok(mnp_comm_all_reduce(comm, a.data, a.data, count, MNP_FLOAT64, MNP_SUM) == MNP_OK &&
           is_reduced(&a, comm, MNP_FLOAT64, MNP_SUM, 0, count),
       "10 MB to all, in place");
    count = count / mnp_comm_size(comm);
    fill(MNP_FLOAT64, MNP_SUM, rank, count * mnp_comm_size(comm), a.image);
    put(&a, count * 8 * mnp_comm_size(comm));
    ok(mnp_comm_reduce_scatter(comm, a.data, a.data + rank * count * 8, count, MNP_FLOAT64, MNP_SUM) == MNP_OK,
       "10 MB in parts, in place");
    get(&a, (rank + 1) * count * 8);
    expect(MNP_FLOAT64, MNP_SUM, mnp_comm_size(comm), rank * count, count, expected);
    ok(memcmp(a.image + rank * count * 8, expected, (size_t)count * 8) == 0, "and right");
}

static void check_special_values(mnp_comm *comm)
{
    int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    float *x = (float *)a.image, *y = (float *)b.image;
    x[0] = rank == ranks - 1 ? NAN : 1;
    x[1] = rank == 0 ? NAN : (float)rank;
    x[2] = (float)rank;
    bool right = true;
    put(&a, 12);
    for (int op = MNP_MIN; op <= MNP_MAX; op++) {
        right = right && mnp_comm_all_reduce(comm, a.data, b.data, 3, MNP_FLOAT32, (mnp_op)op) == MNP_OK;
        get(&b, 12);
        right = right && isnan(y[0]) && isnan(y[1]) && y[2] == (op == MNP_MIN ? 0 : (float)(ranks - 1));
    }
    ok(right, "NaN is the minimum and the maximum");

    int8_t *wraps = (int8_t *)a.image, want = 100;
    for (int r = 1; r < ranks; r++)
        want = (int8_t)(want + 100);
    *wraps = 100;
    put(&a, 1);
    right = mnp_comm_all_reduce(comm, a.data, a.data, 1, MNP_INT8, MNP_SUM) == MNP_OK;
    get(&a, 1);
    ok(right && *wraps == want, "integers wrap");
}

/*
 * Sums that are rounded, and NaN: the result is the same on all ranks, and is that of adding in the order of the ranks,
 * except where NCCL adds.
 */
static void check_rounding(mnp_comm *comm, int64_t count)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    const int64_t bytes = 4 * count;
    float *x = (float *)a.image, *sums = (float *)expected;
    for (int r = 0; r < ranks; r++) {
        for (int64_t i = 0; i < count; i++) {
            const float term = i % 1000 == r ? NAN : sinf((float)(i + 1000 * r)) * (float)(1 << i % 20);
            sums[i] = r == 0 ? term : sums[i] + term;
            if (r == rank)
                x[i] = term;
        }
    }
    put(&a, bytes);
    bool right = mnp_comm_all_reduce(comm, a.data, b.data, count, MNP_FLOAT32, MNP_SUM) == MNP_OK;
    get(&b, bytes);
    for (int64_t i = 0; i < count && (comm->p2p || !comm->base.nccl); i++)
        right = right && (isnan(sums[i]) ? isnan(((float *)b.image)[i]) : ((float *)b.image)[i] == sums[i]);
    right = right && mnp_comm_all_gather(comm, b.data, count, a.data, MNP_FLOAT32) == MNP_OK;
    get(&a, bytes * ranks);
    for (int r = 1; r < ranks; r++)
        right = right && memcmp(a.image, a.image + bytes * r, (size_t)bytes) == 0;
    ok(right, "sums of %lld numbers have the same bits on all ranks, those of their order", (long long)count);
}

/* ---- moving data ---- */

static bool check_broadcasts(mnp_comm *comm, mnp_dtype dtype, int64_t count)
{
    int64_t bytes = count * (int64_t)mnp_dtype_size(dtype);
    bool right = true;
    for (int root = 0; root < mnp_comm_size(comm); root++) {
        write_bytes(a.image, mnp_comm_rank(comm), 9, bytes);
        put(&a, bytes);
        right = right && mnp_comm_broadcast(comm, a.data, count, dtype, root) == MNP_OK;
        get(&a, bytes);
        right = right && has_bytes(a.image, root, 9, bytes);
    }
    return right;
}

/* Whether b has what every rank gave all. */
static bool is_gathered(mnp_comm *comm, const int64_t *counts, const int64_t *offsets, int64_t size)
{
    int last = mnp_comm_size(comm) - 1;
    bool right = true;
    get(&b, (offsets[last] + counts[last]) * size);
    for (int r = 0; r <= last; r++)
        right = right && has_bytes(b.image + offsets[r] * size, r, 9, counts[r] * size);
    return right;
}

static bool check_gathers(mnp_comm *comm, mnp_dtype dtype, int64_t count, bool uneven)
{
    int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    int64_t counts[MOST_RANKS], offsets[MOST_RANKS], size = (int64_t)mnp_dtype_size(dtype), end = 0;
    bool right = true;
    for (int r = 0; r < ranks; r++) {
        counts[r] = uneven ? r % 3 * count : count;
        offsets[r] = end + (uneven ? r : 0);
        end = offsets[r] + counts[r];
    }
    int64_t mine = counts[rank];
    write_bytes(a.image, rank, 9, mine * size);
    put(&a, mine * size);
    right = right && (uneven ? mnp_comm_all_gatherv(comm, a.data, mine, b.data, counts, offsets, dtype)
                             : mnp_comm_all_gather(comm, a.data, mine, b.data, dtype)) == MNP_OK;
    right = right && is_gathered(comm, counts, offsets, size);
    for (int root = 0; root < ranks; root++) {
        bool here = rank == root; /* alone uses the rest */
        memset(b.image, 0, (size_t)(end * size));
        put(&b, end * size);
        right = right && (uneven ? mnp_comm_gatherv(comm, a.data, mine, here ? b.data : NULL, here ? counts : NULL,
                                                    here ? offsets : NULL, dtype, root)
                                 : mnp_comm_gather(comm, a.data, mine, here ? b.data : NULL, dtype, root)) == MNP_OK;
        right = right && (!here || is_gathered(comm, counts, offsets, size));
        /* and back: the root's own part stays where it is */
        void *to = here ? b.data + offsets[rank] * size : a.data;
        memset(a.image, 0, (size_t)(mine * size));
        put(&a, mine * size);
        right = right && (uneven ? mnp_comm_scatterv(comm, here ? b.data : NULL, here ? counts : NULL,
                                                     here ? offsets : NULL, to, mine, dtype, root)
                                 : mnp_comm_scatter(comm, here ? b.data : NULL, to, mine, dtype, root)) == MNP_OK;
        get(here ? &b : &a, here ? end * size : mine * size);
        right = right && has_bytes(here ? b.image + offsets[rank] * size : a.image, rank, 9, mine * size);
        if (here) { /* for the next root */
            write_bytes(a.image, rank, 9, mine * size);
            put(&a, mine * size);
        }
    }
    right = right && (uneven ? mnp_comm_all_gatherv(comm, a.data, mine, b.data, counts, offsets, dtype)
                             : mnp_comm_all_gather(comm, a.data, mine, b.data, dtype)) == MNP_OK;
    const void *own = b.data + offsets[rank] * size;
    right = right && mnp_comm_all_gatherv(comm, own, mine, b.data, counts, offsets, dtype) == MNP_OK;
    return right && is_gathered(comm, counts, offsets, size);
}

static bool check_all_to_all(mnp_comm *comm, mnp_dtype dtype, int64_t count, bool uneven)
{
    int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    int64_t counts[2][MOST_RANKS], offsets[2][MOST_RANKS], ends[2] = {0}, size = (int64_t)mnp_dtype_size(dtype);
    for (int r = 0; r < ranks; r++) {
        counts[0][r] = uneven ? (rank + 2 * r) % 3 * count : count;
        counts[1][r] = uneven ? (r + 2 * rank) % 3 * count : count;
        for (int k = 0; k < 2; k++) {
            offsets[k][r] = ends[k];
            ends[k] += counts[k][r];
        }
        write_bytes(a.image + offsets[0][r] * size, rank, r, counts[0][r] * size);
    }
    put(&a, ends[0] * size);
    bool right =
        (uneven ? mnp_comm_all_to_allv(comm, a.data, counts[0], offsets[0], b.data, counts[1], offsets[1], dtype)
                : mnp_comm_all_to_all(comm, a.data, b.data, count, dtype)) == MNP_OK;
    get(&b, ends[1] * size);
    for (int r = 0; r < ranks; r++)
        right = right && has_bytes(b.image + offsets[1][r] * size, r, rank, counts[1][r] * size);
    return right;
}

/* Around a ring: even ranks send first. */
static bool check_messages(mnp_comm *comm, mnp_dtype dtype, int64_t count)
{
    int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int64_t bytes = count * (int64_t)mnp_dtype_size(dtype);
    bool right = true;
    if (ranks == 1)
        return mnp_comm_send(comm, a.data, count, dtype, 0) == MNP_ERR_ARG;
    write_bytes(a.image, rank, to, bytes);
    put(&a, bytes);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank % 2)
            right = right && mnp_comm_send(comm, a.data, count, dtype, to) == MNP_OK;
        else
            right = right && mnp_comm_recv(comm, b.data, count, dtype, from) == MNP_OK;
    }
    get(&b, bytes);
    return right && has_bytes(b.image, from, rank, bytes);
}

static void check_moves(mnp_comm *comm, const char *where)
{
    static const mnp_dtype dtypes[] = {MNP_BOOL, MNP_FLOAT16, MNP_FLOAT32, MNP_INT64, MNP_COMPLEX128};
    static const int64_t counts[] = {0, 1, 17, 9001, 70000};
    bool broadcasts = true, gathers = true, exchanges = true, messages = true;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
            if (counts[c] > 10000 && dtypes[t] != MNP_FLOAT32)
                continue;
            broadcasts = check_broadcasts(comm, dtypes[t], counts[c]) && broadcasts;
            for (int uneven = 0; uneven < 2; uneven++) {
                gathers = check_gathers(comm, dtypes[t], counts[c], uneven) && gathers;
                exchanges = check_all_to_all(comm, dtypes[t], counts[c], uneven) && exchanges;
            }
            messages = check_messages(comm, dtypes[t], counts[c]) && messages;
        }
    }
    ok(broadcasts, "%s: broadcasts from every root", where);
    ok(gathers, "%s: gathers and scatters, also in parts of different sizes, and in place", where);
    ok(exchanges, "%s: all to all, also in parts of different sizes", where);
    ok(messages, "%s: a ring of messages", where);
}

/* Seconds by the clock of the host, which all ranks share here. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check_barrier(mnp_comm *comm)
{
    int last = mnp_comm_size(comm) - 1;
    if (mnp_comm_rank(comm) == last)
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    double came = now();
    bool right = mnp_comm_barrier(comm) == MNP_OK && mnp_ctx_synchronize(ctx) == MNP_OK;
    double left = now();
    MPI_Bcast(&came, 1, MPI_DOUBLE, last, MPI_COMM_WORLD);
    ok(right && left > came, "a barrier waits for the last rank");
}

static bool refused(mnp_status st, const char *words)
{
    return st == MNP_ERR_ARG && strstr(mnp_error_message(), words);
}

static void check_refusals(mnp_comm *comm)
{
    int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    const int64_t counts[MOST_RANKS] = {0}, wrong[MOST_RANKS] = {-1, -1, -1, -1, -1, -1};
    ok(refused(mnp_comm_all_reduce(comm, a.data, b.data, -2, MNP_INT8, MNP_SUM), "count is -2"), "a negative count");
    ok(refused(mnp_comm_all_reduce(comm, a.data, b.data, INT64_MAX, MNP_INT8, MNP_SUM), "count is 9223372036854775807"),
       "a count beyond memory");
    ok(refused(mnp_comm_all_reduce(comm, a.data, b.data, 2, MNP_NUM_DTYPES, MNP_SUM), "16 is not a dtype"), "no dtype");
    ok(refused(mnp_comm_all_reduce(comm, a.data, b.data, 2, MNP_INT8, (mnp_op)7), "7 is not an operation"),
       "no operation");
    ok(refused(mnp_comm_all_reduce(comm, a.data, b.data, 2, MNP_INT8, MNP_AVG), "no average of int8"), "no average");
    ok(refused(mnp_comm_all_reduce(comm, a.data, b.data, 2, MNP_COMPLEX64, MNP_MAX), "no maximum of complex64"),
       "no maximum");
    ok(refused(mnp_comm_all_reduce(comm, a.data, a.data + 1, 2, MNP_INT8, MNP_SUM), "overlap"), "buffers that overlap");
    ok(refused(mnp_comm_all_reduce(comm, NULL, b.data, 2, MNP_INT8, MNP_SUM), "send is NULL"), "no buffer");
    ok(refused(mnp_comm_reduce(comm, a.data, b.data, 2, MNP_INT8, MNP_SUM, ranks), "root is"), "no such root");
    ok(refused(mnp_comm_broadcast(comm, a.data, 2, MNP_INT8, -1), "root is -1"), "nor one below 0");
    ok(refused(mnp_comm_send(comm, a.data, 2, MNP_INT8, rank), "this rank itself"), "a message to oneself");
    ok(refused(mnp_comm_recv(comm, a.data, 2, MNP_INT8, ranks), "peer is"), "a message from nobody");
    ok(refused(mnp_comm_all_gatherv(comm, a.data, 1, b.data, counts, counts, MNP_INT8), "counts has 0"),
       "another count");
    ok(refused(mnp_comm_all_gatherv(comm, a.data, 0, b.data, wrong, counts, MNP_INT8), "a part is -1"),
       "a negative part");
    ok(refused(mnp_comm_all_gatherv(comm, a.data, 0, b.data, NULL, counts, MNP_INT8), "counts is NULL"), "no counts");
    ok(refused(mnp_comm_all_to_all(comm, a.data, a.data, 2, MNP_INT8), "overlap"), "all to all in place");
}

/* The exchange of blocks with which small reductions over many more ranks begin. */
static void check_blocks(mnp_comm *comm)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm), own[] = {rank, -rank};
    bool right = true;
    if (strcmp(mnp_ctx_device_kind(ctx), "host") != 0) {
        skip("blocks of all ranks are gathered", "that is for the host");
        return;
    }
    MNP_OR_EXIT(mnp__reductions_prepare(comm, MNP_UINT8, MNP_MAX));
    for (int i = 0; i < 20; i++)
        right = right && mnp__gather_blocks(comm, own, sizeof own) == MNP_OK;
    for (int i = 0; i < ranks; i++) {
        const int *block = (const int *)comm->scratch + 2 * i;
        right = right && block[0] == (rank + i) % ranks && block[1] == -block[0];
    }
    ok(right, "blocks of all ranks are gathered");
}

/* A message that MPI carries, of other than the expected size. */
static void check_sizes(void)
{
    open_context("");
    mnp_comm *world = mnp_comm_world(ctx);
    int rank = mnp_comm_rank(world);
    const int64_t sent = 100000, expected_bytes = 200000;
    if (mnp_comm_size(world) == 1 || strcmp(mnp_ctx_device_kind(ctx), "host") != 0) {
        skip("a message that is too short is an error", "it takes two ranks, on the host");
    } else {
        mnp_status st = rank == 0   ? mnp_comm_send(world, a.data, sent, MNP_UINT8, 1)
                        : rank == 1 ? mnp_comm_recv(world, b.data, expected_bytes, MNP_UINT8, 0)
                                    : MNP_OK;
        ok(rank == 1 ? st == MNP_ERR_COMM && strstr(mnp_error_message(), "sent 100000 bytes") : st == MNP_OK,
           "a message that is too short is an error: %s", mnp_error_message());
    }
    close_context();
}

/* The last rank comes too late: the others give up at the deadline and name it, or the one that gave up first. */
static void check_absence(void)
{
    open_context("deadline=1");
    mnp_comm *world = mnp_comm_world(ctx);
    int last = mnp_comm_size(world) - 1;
    bool late = mnp_comm_rank(world) == last;
    if (last == 0) {
        skip("a rank that stays away is an error", "there is one rank");
    } else {
        MNP_OR_EXIT(mnp_comm_barrier(world)); /* the first one agrees on memory, which takes as long as it takes */
        double begin = now();
        mnp_status st = late ? MNP_OK : mnp_comm_barrier(world);
        if (st == MNP_OK) /* NCCL's fails where it is waited for */
            st = mnp_ctx_synchronize(ctx);
        ok(late || ((st == MNP_ERR_TIMEOUT || st == MNP_ERR_PEER) && now() - begin < 200),
           "a rank that stays away is an error: %s", mnp_error_message());
        if (late) /* the others have given up, as ok() waits for all ranks */
            mnp_comm_barrier(world);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    close_context();
}

/* Every other rank, in reverse order. */
static void check_part(mnp_comm *world)
{
    const int rank = mnp_comm_rank(world);
    mnp_comm *part = NULL;
    MNP_OR_EXIT(mnp_comm_split(world, 1 - rank % 2, -rank, &part));
    check_reductions(part, "every other rank", 4);
    check_moves(part, "every other rank");
    mnp_comm_free(part);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    open_context(NULL);
    mnp_comm *world = mnp_comm_world(ctx);
    int ranks = mnp_comm_size(world);
    check_reductions(world, "all ranks", 1);
    check_moves(world, "all ranks");
    check_large(world);
    check_special_values(world);
    check_rounding(world, 3000);
    check_rounding(world, 200003);
    check_part(world);
    check_barrier(world);
    check_blocks(world);
    check_refusals(world);
    close_context();

    open_context(ranks > 2 ? "node_size=2" : "node_size=1");
    check_reductions(mnp_comm_world(ctx), "several nodes", 3);
    check_moves(mnp_comm_world(ctx), "several nodes");
    check_blocks(mnp_comm_world(ctx));
    close_context();
    check_sizes();
    check_absence();
    int status = done_testing();
    MPI_Finalize();
    return status;
}
