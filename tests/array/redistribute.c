/*
 * Redistribution between random pairs of layouts: uneven cuts, empty blocks, replicas, any mesh.  The seed is printed and
 * may be given as MANIPLE_TEST_SEED.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tap.h"

static mnp_ctx *ctx;
static uint64_t state;

/* The same numbers on every rank (SplitMix64). */
static int64_t pick(int64_t n)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* A random arrangement of all ranks, mapped to the dimensions in a random way, with random cuts. */
static mnp_layout *random_layout(int ndim, const int64_t *shape)
{
    int mesh[3] = {1, 1, 1}, axes[4], left = mnp_ctx_size(ctx);
    int64_t room[4][16];
    const int64_t *cuts[4] = {NULL};
    mnp_layout *layout = NULL;
    for (int a = 0; a < 2; a++) {
        do
            mesh[a] = 1 + (int)pick(left);
        while (left % mesh[a] != 0);
        left /= mesh[a];
    }
    mesh[2] = left;
    int axis = (int)pick(3), step = 1 + (int)pick(2);
    for (int d = 0; d < ndim; d++) {
        axes[d] = d < 3 && pick(4) > 0 ? (axis + d * step) % 3 : MNP_NO_AXIS;
        if (axes[d] == MNP_NO_AXIS || pick(2) == 0)
            continue;
        int parts = mesh[axes[d]];
        room[d][0] = 0;
        for (int i = 1; i < parts; i++)
            room[d][i] = room[d][i - 1] + pick(shape[d] - room[d][i - 1] + 1);
        room[d][parts] = shape[d];
        cuts[d] = room[d];
    }
    if (mnp_layout_new(3, mesh, ndim, shape, axes, cuts, &layout) != MNP_OK)
        mnp_exit(1);
    return layout;
}

static bool one_case(void)
{
    static const mnp_dtype dtypes[] = {MNP_UINT8, MNP_INT16, MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX128};
    int ndim = 1 + (int)pick(4);
    int64_t shape[4], size = 1;
    mnp_dtype dtype = dtypes[pick(5)];
    for (int d = 0; d < ndim; d++) {
        shape[d] = pick(12) == 0 ? 0 : 1 + pick(9);
        size *= shape[d];
    }
    size_t bytes = (size_t)size * mnp_dtype_size(dtype);
    unsigned char *data = malloc(bytes + 1), *back = calloc(bytes + 1, 1);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)pick(256);
    mnp_layout *from = random_layout(ndim, shape), *to = random_layout(ndim, shape);
    mnp_array *a = NULL, *b = NULL, *c = NULL;
    bool good = mnp_array_from_host(ctx, dtype, ndim, shape, data, &a) == MNP_OK &&
                mnp_redistribute(a, from, &b) == MNP_OK && mnp_redistribute(b, to, &c) == MNP_OK &&
                mnp_array_to_host(c, MNP_ALL_RANKS, back) == MNP_OK && memcmp(data, back, bytes) == 0;
    mnp_free_all(a, b, c);
    mnp_layout_free(from);
    mnp_layout_free(to);
    free(data);
    free(back);
    return good;
}

int main(void)
{
    const char *given = getenv("MANIPLE_TEST_SEED");
    if (mnp_init(MPI_COMM_WORLD, NULL, &ctx) != MNP_OK)
        mnp_exit(1);
    long long seed = given ? atoll(given) : (long long)time(NULL);
    MPI_Bcast(&seed, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    state = (uint64_t)seed;
    if (mnp_ctx_rank(ctx) == 0)
        printf("# MANIPLE_TEST_SEED=%lld\n", seed);
    for (int block = 0; block < 10; block++) {
        int wrong = 0;
        for (int i = 0; i < 30; i++)
            wrong += !one_case();
        ok(wrong == 0, "30 random redistributions, %d wrong", wrong);
    }
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
