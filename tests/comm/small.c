/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of sizes around the limit for small ones, at any addresses, thousands in a row, and recorded in a graph.
 * GPUs that share their memory have algorithms of their own for them (lib/comm/collectives/p2p_small.c,
 * p2p_all_to_all.c, p2p_reduce.c).
 */
#include "comm/collectives/collectives_p2p.h"

#include "buffers.h"

enum { LIMIT = MNP_P2P_SMALL_BYTES };

static const int64_t sizes[] = {0,    1,    3,     4,         7,     8,         16,           100,
                                2048, 2056, 65536, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 40001};
enum { SIZES = sizeof sizes / sizeof *sizes, OFFSETS = 4 };
static const int offsets[OFFSETS] = {0, 1, 4, 9}; /* of both buffers, in turn */

/* ---- sizes and addresses ---- */

static bool sums_bytes(mnp_comm *comm, int64_t bytes, int from, int to)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    bool right = true;
    fill(MNP_UINT8, MNP_SUM, rank, bytes, a.image + from);
    put(&a, bytes + from);
    for (int in_place = 0; in_place < 2; in_place++) {
        struct buffer *buffer = in_place ? &a : &b;
        const int at = in_place ? from : to;
        right =
            right && mnp_comm_all_reduce(comm, a.data + from, buffer->data + at, bytes, MNP_UINT8, MNP_SUM) == MNP_OK;
        get(buffer, bytes + at);
        expect(MNP_UINT8, MNP_SUM, ranks, 0, bytes, expected);
        right = right && memcmp(buffer->image + at, expected, (size_t)bytes) == 0;
    }
    return right;
}

/*
 * Reductions to a root, out of place and in place, and to parts, of elements of two bytes at addresses that are aligned
 * to no more.
 */
static bool sums_parts(mnp_comm *comm, int64_t count, int from, int to)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm), root = (int)(count % ranks);
    const int64_t bytes = 2 * count;
    const mnp_dtype dtype = MNP_INT16;
    bool right = true;
    fill(dtype, MNP_SUM, rank, count * ranks, a.image + 2 * from);
    put(&a, bytes * ranks + 2 * from);
    for (int in_place = 0; in_place < 2; in_place++) {
        struct buffer *buffer = in_place ? &a : &b;
        const int at = 2 * (in_place ? from : to);
        void *recv = rank == root ? buffer->data + at : NULL;
        right = right && mnp_comm_reduce(comm, a.data + 2 * from, recv, count, dtype, MNP_SUM, root) == MNP_OK;
        get(buffer, bytes + at);
        expect(dtype, MNP_SUM, ranks, 0, count, expected);
        right = right && (rank != root || memcmp(buffer->image + at, expected, (size_t)bytes) == 0);
    }
    fill(dtype, MNP_SUM, rank, count * ranks, a.image + 2 * from);
    put(&a, bytes * ranks + 2 * from);
    memset(b.image, 0x55, (size_t)(bytes + 2 * to + 16));
    put(&b, bytes + 2 * to + 16);
    right = right && mnp_comm_reduce_scatter(comm, a.data + 2 * from, b.data + 2 * to, count, dtype, MNP_SUM) == MNP_OK;
    get(&b, bytes + 2 * to + 16);
    expect(dtype, MNP_SUM, ranks, rank * count, count, expected);
    right = right && memcmp(b.image + 2 * to, expected, (size_t)bytes) == 0;
    for (int i = 0; i < 16; i++) /* and nothing around it */
        right = right && b.image[2 * to + bytes + i] == 0x55 && (i >= 2 * to || b.image[i] == 0x55);
    return right;
}

static bool gathers_bytes(mnp_comm *comm, int64_t bytes, int from, int to)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm), root = ranks - 1;
    bool right = true;
    write_bytes(a.image + from, rank, 9, bytes);
    put(&a, bytes + from);
    right = right && mnp_comm_all_gather(comm, a.data + from, bytes, b.data + to, MNP_UINT8) == MNP_OK;
    get(&b, bytes * ranks + to);
    for (int r = 0; r < ranks; r++)
        right = right && has_bytes(b.image + to + r * bytes, r, 9, bytes);
    /* gather to the last rank, scatter from there, and broadcast the first rank's part from there */
    right = right && mnp_comm_gather(comm, a.data + from, bytes, b.data + to, MNP_UINT8, root) == MNP_OK;
    right = right && mnp_comm_scatter(comm, b.data + to, a.data + from, bytes, MNP_UINT8, root) == MNP_OK;
    get(&a, bytes + from);
    right = right && has_bytes(a.image + from, rank, 9, bytes);
    right = right && mnp_comm_broadcast(comm, a.data + from, bytes, MNP_UINT8, 0) == MNP_OK;
    get(&a, bytes + from);
    return right && has_bytes(a.image + from, 0, 9, bytes);
}

static bool exchanges_bytes(mnp_comm *comm, int64_t bytes, int from, int to)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    bool right = true;
    for (int r = 0; r < ranks; r++)
        write_bytes(a.image + from + r * bytes, rank, r, bytes);
    put(&a, bytes * ranks + from);
    memset(b.image, 0x55, (size_t)(bytes * ranks + to + 16));
    put(&b, bytes * ranks + to + 16);
    right = right && mnp_comm_all_to_all(comm, a.data + from, b.data + to, bytes, MNP_UINT8) == MNP_OK;
    get(&b, bytes * ranks + to + 16);
    for (int r = 0; r < ranks; r++)
        right = right && has_bytes(b.image + to + r * bytes, r, rank, bytes);
    for (int i = 0; i < 16; i++) /* and nothing around it */
        right = right && b.image[to + bytes * ranks + i] == 0x55 && (i >= to || b.image[i] == 0x55);
    return right;
}

static void check_bytes(mnp_comm *comm, const char *where)
{
    bool sums = true, parts = true, gathers = true, exchanges = true;
    for (int s = 0; s < SIZES; s++) {
        parts = sums_parts(comm, (sizes[s] + 1) / 2, offsets[s % OFFSETS], offsets[s / OFFSETS % OFFSETS]) && parts;
        for (int o = 0; o < OFFSETS; o++) {
            const int from = offsets[o], to = offsets[(o + s) % OFFSETS];
            sums = sums_bytes(comm, sizes[s], from, to) && sums;
            gathers = gathers_bytes(comm, sizes[s], from, to) && gathers;
            exchanges = exchanges_bytes(comm, sizes[s], from, to) && exchanges;
        }
    }
    ok(sums, "%s: sums of all sizes at any addresses", where);
    ok(parts, "%s: to a root, and to parts", where);
    ok(gathers, "%s: gathered, scattered and broadcast", where);
    ok(exchanges, "%s: all to all", where);
}

/* Elements of every size at addresses that are aligned to no more, in numbers that fill the last word only in part. */
static void check_elements(mnp_comm *comm)
{
    static const mnp_dtype dtypes[] = {MNP_INT16,   MNP_FLOAT16,   MNP_BFLOAT16,  MNP_FLOAT32,
                                       MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    bool right = true;
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
        const int64_t size = (int64_t)mnp_dtype_size(dtypes[t]), at = size > 8 ? 8 : size;
        for (int64_t count = LIMIT / size - 3; count <= LIMIT / size + 1; count++) {
            const int64_t bytes = count * size;
            fill(dtypes[t], MNP_PROD, rank, count, a.image + at);
            put(&a, bytes + at);
            right =
                right && mnp_comm_all_reduce(comm, a.data + at, b.data + 3 * at, count, dtypes[t], MNP_PROD) == MNP_OK;
            get(&b, bytes + 3 * at);
            expect(dtypes[t], MNP_PROD, ranks, 0, count, expected);
            right = right && memcmp(b.image + 3 * at, expected, (size_t)bytes) == 0;
        }
    }
    ok(right, "products of elements of all sizes, around the limit");
}

/* All dtypes and operations, for slightly more elements than the limit for small ones; for fewer on the host. */
static void check_operations(mnp_comm *comm)
{
    static const char *const names[] = {"sums", "products", "minima", "maxima", "averages"};
    for (int op = MNP_SUM; op <= MNP_AVG; op++) {
        bool right = true;
        for (int dtype = MNP_BOOL; dtype < MNP_NUM_DTYPES; dtype++) {
            const int64_t limit = comm->p2p ? LIMIT : LIMIT / 64;
            const int64_t count = limit / (int64_t)mnp_dtype_size((mnp_dtype)dtype) + 13;
            if (allowed((mnp_dtype)dtype, (mnp_op)op))
                right = reduce_once(comm, (mnp_dtype)dtype, (mnp_op)op, count) && right;
        }
        ok(right, "%s of all dtypes", names[op]);
    }
}

/* ---- many of them ---- */

/* Whether ranks share a GPU, where a wait for another rank takes milliseconds.  The same on all ranks. */
static bool is_slow(const mnp_comm *comm)
{
    return comm->base.transport == MNP_TRANSPORT_STAGED;
}

/*
 * Exchange elements between pairs of ranks and of buffers, so that an even number of exchanges restores all; between
 * these, call collectives of other sizes.
 */
static void check_many(mnp_comm *comm)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    /* the algorithms that are told apart by many are those of GPUs */
    const int times = comm->base.device->cpu_memory || is_slow(comm) ? 300 : 10000 / (comm->p2p ? 1 : 5);
    bool right = true;
    for (int r = 0; r < ranks; r++)
        store(MNP_INT64, a.image, r, 100 * rank + r, 0);
    fill(MNP_INT32, MNP_SUM, rank, 3000, a.image + 4096);
    put(&a, 4096 + 12000);
    for (int i = 0; i < times; i++) {
        char *from = i % 2 ? b.data : a.data, *to = i % 2 ? a.data : b.data;
        right = right && mnp_comm_all_to_all(comm, from, to, 1, MNP_INT64) == MNP_OK;
        right = right &&
                mnp_comm_all_reduce(comm, a.data + 4096, b.data + 4096, 1 + i % 3000, MNP_INT32, MNP_SUM) == MNP_OK;
        if (i % 7 == 0)
            right = right && mnp_comm_barrier(comm) == MNP_OK;
        if (i % 5 == 0)
            right = right && mnp_comm_broadcast(comm, b.data + 20000, i % 100, MNP_UINT8, i % ranks) == MNP_OK;
    }
    get(&a, ranks * 8);
    for (int r = 0; r < ranks; r++)
        right = right && ((int64_t *)a.image)[r] == 100 * rank + r;
    get(&b, 4096 + 12000);
    expect(MNP_INT32, MNP_SUM, ranks, 0, (times - 1) % 3000 + 1, expected);
    right = right && memcmp(b.image + 4096, expected, (size_t)((times - 1) % 3000 + 1) * 4) == 0;
    ok(right, "%d rounds", times);
}

/* ---- other memory ---- */

/* all_to_all where the last rank receives in memory outside the heap. */
static void check_elsewhere(mnp_comm *comm)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    const int64_t bytes = LIMIT + 1;
    mnp__device *device = comm->base.device;
    void *memory = NULL;
    bool right = rank < ranks - 1 || device->ops->alloc(device, (size_t)(bytes * ranks), &memory) == MNP_OK;
    for (int r = 0; r < ranks; r++)
        write_bytes(a.image + r * bytes, rank, r, bytes);
    put(&a, bytes * ranks);
    right = right && mnp_comm_all_to_all(comm, a.data, memory ? memory : b.data, bytes, MNP_UINT8) == MNP_OK;
    if (memory)
        right = right &&
                device->ops->copy(device, b.data, memory, (size_t)(bytes * ranks), device->memory_stream) == MNP_OK;
    get(&b, bytes * ranks);
    for (int r = 0; r < ranks; r++)
        right = right && has_bytes(b.image + r * bytes, r, rank, bytes);
    ok(right, "all to all, where one rank receives in memory of its own");

    fill(MNP_UINT8, MNP_MAX, rank, bytes, a.image);
    put(&a, bytes);
    right = mnp_comm_all_reduce(comm, a.data, memory ? memory : b.data, bytes, MNP_UINT8, MNP_MAX) == MNP_OK;
    if (memory)
        right = right && device->ops->copy(device, b.data, memory, (size_t)bytes, device->memory_stream) == MNP_OK;
    right = right && is_reduced(&b, comm, MNP_UINT8, MNP_MAX, 0, bytes);
    right = right && mnp_comm_broadcast(comm, memory ? memory : b.data, bytes, MNP_UINT8, ranks - 1) == MNP_OK;
    if (memory)
        right = right && device->ops->copy(device, b.data, memory, (size_t)bytes, device->memory_stream) == MNP_OK;
    ok(right && is_reduced(&b, comm, MNP_UINT8, MNP_MAX, 0, bytes), "a reduction and a broadcast there");
    device->ops->free(device, memory);
}

/* ---- sizes that do not match ---- */

static void check_mismatch(mnp_comm *comm)
{
    const int rank = mnp_comm_rank(comm), ranks = mnp_comm_size(comm);
    int64_t counts[MOST_RANKS] = {0}, expects[MOST_RANKS] = {0}, places[MOST_RANKS] = {0};
    if (!comm->p2p) {
        skip("parts of different sizes are an error", "it takes GPUs that share their memory");
        return;
    }
    if (rank == 0)
        counts[1] = 10;
    if (rank == 1)
        expects[0] = 12;
    mnp_status st = mnp_comm_all_to_allv(comm, a.data, counts, places, b.data, expects, places, MNP_INT32);
    ok(rank < 2 ? st == MNP_ERR_ARG && strstr(mnp_error_message(), "40") && strstr(mnp_error_message(), "48")
                : st == MNP_ERR_PEER,
       "parts of different sizes are an error: %s", mnp_error_message());
    expects[0] = rank == 1 ? 10 : 0;
    ok(mnp_comm_all_to_allv(comm, a.data, counts, places, b.data, expects, places, MNP_INT32) == MNP_OK,
       "and nothing remains of it, %d ranks", ranks);
    ok(mnp_comm_all_reduce(comm, a.data, b.data, LIMIT + (rank == 1), MNP_INT32, MNP_SUM) == MNP_ERR_ARG,
       "so are counts that differ: %s", mnp_error_message());
    ok(reduce_once(comm, MNP_INT32, MNP_SUM, LIMIT / 4 + 1), "and nothing remains of that");
}

/* ---- graphs ---- */

enum { PART = LIMIT / 5 * 2 }; /* bytes to each rank: a small message; three times as many are not */

static bool enqueue_all(mnp_comm *comm)
{
    char *x = a.data, *y = b.data;
    const int last = mnp_comm_size(comm) - 1;
    return mnp_comm_all_reduce(comm, x, y, 10, MNP_FLOAT64, MNP_SUM) == MNP_OK &&
           mnp_comm_all_reduce(comm, x, x, 10, MNP_FLOAT64, MNP_MAX) == MNP_OK && mnp_comm_barrier(comm) == MNP_OK &&
           mnp_comm_all_to_all(comm, x + 4096, y + 4096, PART, MNP_UINT8) == MNP_OK &&
           mnp_comm_all_to_all(comm, y + 4096, x + 4096, PART / 3, MNP_UINT8) == MNP_OK &&
           mnp_comm_all_to_all(comm, x + 4096, y + (2 << 20), 3 * PART, MNP_UINT8) == MNP_OK &&
           mnp_comm_broadcast(comm, y + (2 << 20), PART, MNP_UINT8, last) == MNP_OK &&
           mnp_comm_reduce_scatter(comm, y + (2 << 20), x + (2 << 20), 3 * PART, MNP_UINT8, MNP_SUM) == MNP_OK &&
           mnp_comm_all_reduce(comm, x + (2 << 20), y + (2 << 20), 3 * PART / 4, MNP_INT32, MNP_SUM) == MNP_OK &&
           mnp_comm_reduce(comm, y + (2 << 20), y + (2 << 20), 3 * PART / 4, MNP_INT32, MNP_SUM, last) == MNP_OK &&
           mnp_comm_broadcast(comm, y + (2 << 20), 3 * PART, MNP_UINT8, last) == MNP_OK &&
           mnp_comm_all_reduce(comm, y + (2 << 20), y + (2 << 20), 3 * PART / 4, MNP_INT32, MNP_SUM) == MNP_OK;
}

/* Compute in `result` what the graph makes of the inputs of a turn: the contents of both buffers. */
static void run_all(mnp_comm *comm, mnp_graph *graph, int turn, char *result)
{
    const int64_t bytes = (2 << 20) + 3 * PART * (int64_t)mnp_comm_size(comm);
    write_bytes(a.image, mnp_comm_rank(comm), turn, bytes);
    for (int64_t i = 0; i < 10; i++)
        store(MNP_FLOAT64, a.image, i, (double)(turn + i * mnp_comm_rank(comm)), 0);
    memset(b.image, turn, (size_t)bytes);
    put(&a, bytes);
    put(&b, bytes);
    MNP_OR_EXIT(graph ? mnp_graph_launch(graph) : enqueue_all(comm) ? MNP_OK : MNP_ERR_COMM);
    get(&a, bytes);
    get(&b, bytes);
    memcpy(result, a.image, (size_t)bytes);
    memcpy(result + bytes, b.image, (size_t)bytes);
}

static void check_graph(mnp_comm *comm)
{
    const int64_t bytes = 2 * ((2 << 20) + 3 * PART * (int64_t)mnp_comm_size(comm));
    char *plain = malloc((size_t)bytes), *replayed = malloc((size_t)bytes);
    mnp_graph *graph = NULL;
    bool right = true;
    if (!plain || !replayed)
        exit(1);
    run_all(comm, NULL, 0, plain);
    if (strcmp(mnp_ctx_device_kind(ctx), "cuda") != 0 || (mnp_comm_size(comm) > 1 && !comm->p2p)) {
        skip("collectives in a graph", "it takes GPUs that share their memory");
    } else {
        ok(mnp_graph_begin(ctx) == MNP_OK && enqueue_all(comm) && mnp_graph_end(ctx, &graph) == MNP_OK,
           "collectives are recorded");
        for (int turn = 1; turn <= 20 && graph; turn++) {
            run_all(comm, NULL, turn, plain);
            run_all(comm, graph, turn, replayed);
            right = right && memcmp(plain, replayed, (size_t)bytes) == 0;
        }
        ok(graph && right, "and replayed, in turn with others");
        for (int i = 0; i < (is_slow(comm) ? 20 : 500) && graph; i++)
            right = right && mnp_graph_launch(graph) == MNP_OK;
        ok(right && mnp_ctx_synchronize(ctx) == MNP_OK, "many times");
        mnp_graph_free(graph);
    }
    free(plain);
    free(replayed);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    open_context(NULL);
    mnp_comm *world = mnp_comm_world(ctx);
    check_bytes(world, "by the quickest algorithm");
    check_elements(world);
    check_operations(world);
    check_many(world);
    check_elsewhere(world);
    check_mismatch(world);
    check_graph(world);
    MNP_OR_EXIT(mnp_comm_set_algorithm(world, MNP_COMM_LIBRARY));
    check_bytes(world, "by the library");
    if (world->base.device->cpu_memory) { /* as for GPUs that are not connected */
        world->base.transport = MNP_TRANSPORT_STAGED;
        check_bytes(world, "through pinned memory");
        check_operations(world);
        world->base.transport = MNP_TRANSPORT_MPI;
    }
    close_context();
    int status = done_testing();
    MPI_Finalize();
    return status;
}
