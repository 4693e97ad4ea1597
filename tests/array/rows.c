/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of boxes that copy engines take, mnp__boxes_copy_rows(), against the kernel that copies any box: parts of
 * blocks of 1 to 4 dimensions, of every size of element, with rows that follow one another or do not.  And lists that
 * are no rows.  Every rank draws its own.  The seed is printed and may be given as MANIPLE_TEST_SEED.
 */
#include "array/array.h"
#include "array/boxes.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static mnp_ctx *ctx;

enum { CASES = 60, DIMS = 4 };

/* A part of a source and of a target, each dense in C order. */
struct part {
    int ndim;
    int64_t extent[DIMS], src[DIMS], dst[DIMS]; /* the part's; of the memories, not smaller */
    int64_t src_at, dst_at, src_size, dst_size;
};

static int64_t random_below(int64_t end)
{
    return rand() % end;
}

static struct part draw(size_t item)
{
    struct part p = {.ndim = 1 + (int)random_below(DIMS), .src_size = 1, .dst_size = 1};
    for (int d = p.ndim - 1; d >= 0; d--) {
        const bool fastest = d == p.ndim - 1, whole = random_below(2) == 0;
        p.extent[d] = fastest ? 4096 / (int64_t)item + random_below(300) : 1 + random_below(5);
        p.src[d] = p.extent[d] + (whole ? 0 : random_below(4));
        p.dst[d] = p.extent[d] + (whole ? 0 : random_below(4));
        p.src_at += random_below(p.src[d] - p.extent[d] + 1) * p.src_size;
        p.dst_at += random_below(p.dst[d] - p.extent[d] + 1) * p.dst_size;
        p.src_size *= p.src[d];
        p.dst_size *= p.dst[d];
    }
    return p;
}

static mnp__boxes list_of(const struct part *p, size_t item)
{
    mnp__boxes boxes = {.size = item};
    int64_t src[DIMS], dst[DIMS];
    mnp__dense_strides(p->ndim, p->src, src);
    mnp__dense_strides(p->ndim, p->dst, dst);
    MNP_OR_EXIT(mnp__boxes_add(&boxes, p->ndim, p->extent, p->src_at, src, p->dst_at, dst));
    MNP_OR_EXIT(mnp__boxes_commit(ctx, &boxes));
    return boxes;
}

/* What a target of zeros holds after a copy, by rows or by the kernel. */
static unsigned char *copied(const struct part *p, size_t item, bool by_rows, const void *from)
{
    const mnp__device_ops *ops = ctx->device->ops;
    const mnp_dtype dtype = item == 1 ? MNP_UINT8 : item == 4 ? MNP_UINT32 : item == 8 ? MNP_UINT64 : MNP_COMPLEX128;
    const size_t src_bytes = (size_t)p->src_size * item, dst_bytes = (size_t)p->dst_size * item;
    mnp__boxes boxes = list_of(p, item);
    mnp__kernel *kernel;
    void *src, *dst, *result = malloc(dst_bytes);
    MNP_OR_EXIT(mnp__copy_kernel(ctx, dtype, dtype, &kernel));
    MNP_OR_EXIT(ops->alloc(ctx->device, src_bytes, &src));
    MNP_OR_EXIT(ops->alloc(ctx->device, dst_bytes, &dst));
    MNP_OR_EXIT(ops->copy(ctx->device, src, from, src_bytes, ctx->compute));
    MNP_OR_EXIT(ops->fill(ctx->device, dst, 0, dst_bytes, ctx->compute));
    MNP_OR_EXIT(by_rows ? mnp__boxes_copy_rows(ctx, &boxes, src, dst, ctx->compute)
                        : mnp__boxes_run_beside(ctx, kernel, &boxes, 3, src, dst, ctx->compute));
    MNP_OR_EXIT(ops->copy(ctx->device, result, dst, dst_bytes, ctx->compute));
    MNP_OR_EXIT(mnp__ctx_wait(ctx, ctx->compute));
    ops->free(ctx->device, src);
    ops->free(ctx->device, dst);
    mnp__boxes_free(ctx, &boxes);
    return result;
}

static void parts(size_t item)
{
    int wrong = 0, empty = 0;
    for (int i = 0; i < CASES; i++) {
        const struct part p = draw(item);
        const size_t bytes = (size_t)p.src_size * item;
        unsigned char *from = malloc(bytes);
        for (size_t b = 0; b < bytes; b++)
            from[b] = (unsigned char)(1 + random_below(255));
        mnp__boxes boxes = list_of(&p, item);
        unsigned char *rows = copied(&p, item, true, from), *kernel = copied(&p, item, false, from);
        empty += boxes.total == 0;
        wrong += memcmp(rows, kernel, (size_t)p.dst_size * item) != 0;
        mnp__boxes_free(ctx, &boxes);
        free(rows);
        free(kernel);
        free(from);
    }
    ok(wrong == 0 && empty == 0, "%d parts of elements of %zu bytes", CASES, item);
}

static bool are_rows(int ndim, const int64_t *extent, const int64_t *src, const int64_t *dst)
{
    mnp__boxes boxes = {.size = 8};
    MNP_OR_EXIT(mnp__boxes_add(&boxes, ndim, extent, 0, src, 0, dst));
    const bool result = mnp__boxes_are_rows(&boxes);
    mnp__boxes_free(ctx, &boxes);
    return result;
}

static void choices(void)
{
    const int64_t wide[] = {64, 4096}, narrow[] = {4096, 64}, three[] = {100, 2, 1024};
    const int64_t padded[] = {5000, 1}, turned[] = {1, 4096}, near[] = {80, 1}, gaps[] = {8192, 2048, 1},
                  far[] = {(int64_t)1 << 30, 1};
    ok(are_rows(2, wide, padded, padded), "long rows are rows");
    ok(!are_rows(2, narrow, near, near), "short rows are none");
    ok(!are_rows(2, wide, turned, padded), "nor is what is transposed,");
    ok(!are_rows(2, wide, far, padded), "nor rows that are 8 GiB apart,");
    ok(!are_rows(3, three, gaps, gaps), "nor a hundred commands of 16 KiB each");
}

int main(void)
{
    static const size_t items[] = {1, 4, 8, 16};
    MPI_Init(NULL, NULL);
    const char *given = getenv("MANIPLE_TEST_SEED");
    const unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : 1;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    if (mnp_ctx_rank(ctx) == 0)
        printf("# MANIPLE_TEST_SEED=%u\n", seed);
    srand(seed + (unsigned)mnp_ctx_rank(ctx));
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        parts(items[i]);
    choices();
    mnp_finalize(ctx);
    int status = done_testing();
    MPI_Finalize();
    return status;
}
