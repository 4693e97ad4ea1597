/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting lines on this rank: which kernels do it, and the memory that they need.
 */
#include "ops/sort/radix_sort.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/text.h"
#include "device/launch.h"
#include "kernels/sort/radix_sort_params.h"
#include "ops/sort/sort.h"

/* How wide a kernel runs on a GPU. */
typedef struct shape {
    int threads, items; /* of a block, of a thread */
} shape;

typedef struct sort {
    mnp_ctx *ctx;
    const mnp__radix_sort *local_sort;
    mnp_radix_sort_params params;
    size_t key_size, payload_size;
    shape shapes[MNP_RADIX_SORT_TASKS];
    mnp__kernel *kernels[MNP_RADIX_SORT_TASKS]; /* on the host the first does all tasks */
    void *scratch;
} sort;

/* Elements of a thread in a pass over long lines: as many as its registers hold with their payload. */
static int pick_items(const sort *s)
{
    const size_t words = 44, word = sizeof(uint32_t);
    return (int)(words / ((s->key_size + word - 1) / word + 1 + (s->payload_size + word - 1) / word)) / 2 * 2;
}

static void pick_shapes(sort *s)
{
    s->shapes[MNP_RADIX_SORT_COUNT] = (shape){256, 4};
    s->shapes[MNP_RADIX_SORT_OFFSETS] = (shape){MNP_RADIX_SORT_DIGITS, 1};
    s->shapes[MNP_RADIX_SORT_PASS] = (shape){384, pick_items(s)};
    s->shapes[MNP_RADIX_SORT_FINISH] = (shape){256, 1};
    s->shapes[MNP_RADIX_SORT_SHORT] = (shape){256, s->key_size > 8 ? 8 : 16};
}

/* Shared memory of a block: the counters of its warps, and then the elements of its tile. */
static size_t shared_bytes(const sort *s, int task)
{
    const size_t threads = (size_t)s->shapes[task].threads, items = (size_t)s->shapes[task].items;
    const size_t counters = threads / 32 * MNP_RADIX_SORT_DIGITS * sizeof(uint32_t);
    const size_t element = s->key_size + (task == MNP_RADIX_SORT_PASS ? s->payload_size : sizeof(uint16_t));
    const size_t tile = mnp__round_up_bytes(threads * items * element, 16);
    if (task != MNP_RADIX_SORT_PASS && task != MNP_RADIX_SORT_SHORT)
        return 0;
    return counters > tile ? counters : tile;
}

static mnp_status load_kernel(sort *s, int task)
{
    static const char *const names[] = {"order_count", "order_offsets", "order_pass", "order_finish", "order_short"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const bool host = s->ctx->device->block_memory == 0;
    mnp__text_add(&defines, "#define MNP_KEY %s\n#define MNP_PAYLOAD %zu\n", mnp__jit_type(s->local_sort->dtype),
                  s->payload_size);
    if (!host)
        mnp__text_add(&defines,
                      "#define MNP_RADIX_SORT %s\n#define MNP_TASK %d\n#define MNP_THREADS %d\n#define MNP_ITEMS %d\n",
                      names[task], task, s->shapes[task].threads, s->shapes[task].items);
    mnp__kernel_spec spec = {.file = "sort/radix_sort.cu",
                             .function = host ? "radix_sort_lines" : names[task],
                             .shared_bytes = host ? 0 : shared_bytes(s, task)};
    return mnp__ctx_kernel_of_text(s->ctx, &spec, &defines, NULL, &s->kernels[task]);
}

/* All kernels that any rank may need. */
static mnp_status load_kernels(sort *s)
{
    const int tasks = s->ctx->device->block_memory == 0 ? 1 : MNP_RADIX_SORT_TASKS;
    for (int task = 0; task < tasks; task++)
        MNP_TRY(load_kernel(s, task));
    return MNP_OK;
}

static mnp_status run(sort *s, int task, int64_t blocks)
{
    mnp__device *device = s->ctx->device;
    const int64_t most = 0x7fffffff;
    mnp__launch launch = {.grid = {(unsigned)mnp__min(blocks, most), 1, 1},
                          .block = {(unsigned)s->shapes[task].threads, 1, 1}};
    return device->ops->launch(device, s->kernels[task], &launch, &s->params, sizeof s->params, s->ctx->compute);
}

/* Allocate the buffers for elements besides the input and the result; returns how much memory they take. */
static size_t place_elements(sort *s, char *base)
{
    const size_t count = (size_t)(s->params.lines * s->params.length);
    size_t used = 0;
    s->params.keys[MNP_RADIX_SORT_SCRATCH] = mnp__sort_deal(base, &used, count * s->key_size);
    if (!s->local_sort->sorted)
        s->params.keys[MNP_RADIX_SORT_WANTED] = mnp__sort_deal(base, &used, count * s->key_size);
    if (s->payload_size > 0)
        s->params.payload[MNP_RADIX_SORT_SCRATCH] = mnp__sort_deal(base, &used, count * s->payload_size);
    return used;
}

/*
 * Allocate counts and sums for long lines on a GPU; those that must be 0 at first lie from `begin` to `end`.
 */
static size_t place_sums(sort *s, char *base, size_t used, size_t *begin, size_t *end)
{
    mnp_radix_sort_params *p = &s->params;
    const size_t word = p->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    const size_t sums = (size_t)(p->lines * p->tiles) * MNP_RADIX_SORT_DIGITS * word;
    *begin = used;
    p->offsets =
        mnp__sort_deal(base, &used, (size_t)p->lines * s->key_size * MNP_RADIX_SORT_DIGITS * sizeof *p->offsets);
    p->needed = mnp__sort_deal(base, &used, MNP_RADIX_SORT_MOST_PASSES * sizeof *p->needed);
    p->tickets = mnp__sort_deal(base, &used, MNP_RADIX_SORT_MOST_PASSES * sizeof *p->tickets);
    p->sums[0] = mnp__sort_deal(base, &used, sums);
    *end = used;
    p->sums[1] = mnp__sort_deal(base, &used, sums);
    return used;
}

/* Sort long lines by the passes of kernels/sort/radix_sort_cuda.h. */
static mnp_status sort_long(sort *s)
{
    const int64_t tile = (int64_t)s->shapes[MNP_RADIX_SORT_PASS].threads * s->shapes[MNP_RADIX_SORT_PASS].items;
    const int64_t blocks = 4096, least = 16384; /* blocks that count, about; the least elements of one */
    mnp__device *device = s->ctx->device;
    mnp_radix_sort_params *p = &s->params;
    size_t begin, end;
    p->tiles = mnp__divide_up(p->length, tile);
    p->wide = p->length >= (int64_t)1 << 30;
    p->chunk = mnp__divide_up(p->length, mnp__divide_up(blocks, p->lines));
    p->chunk = mnp__max(p->chunk, least);
    const size_t bytes = place_sums(s, NULL, place_elements(s, NULL), &begin, &end);
    MNP_TRY(device->ops->alloc(device, bytes, &s->scratch));
    (void)place_sums(s, s->scratch, place_elements(s, s->scratch), &begin, &end);
    MNP_TRY(device->ops->fill(device, (char *)s->scratch + begin, 0, end - begin, s->ctx->compute));
    MNP_TRY(run(s, MNP_RADIX_SORT_COUNT, p->lines * mnp__divide_up(p->length, p->chunk)));
    MNP_TRY(run(s, MNP_RADIX_SORT_OFFSETS, p->lines * (int64_t)s->key_size));
    for (p->pass = 0; p->pass < (int)s->key_size; p->pass++)
        MNP_TRY(run(s, MNP_RADIX_SORT_PASS, p->lines * p->tiles));
    return run(s, MNP_RADIX_SORT_FINISH, 2048);
}

static mnp_status sort_short(sort *s, int64_t tile)
{
    const int64_t most = 65535; /* the most lines of a tile: their numbers have two digits */
    s->params.group = tile / s->params.length < most ? tile / s->params.length : most;
    return run(s, MNP_RADIX_SORT_SHORT, mnp__divide_up(s->params.lines, s->params.group));
}

/* Allocate two buffers for the elements that may be among the first ones, of which one is for sorting. */
static size_t place_first(sort *s, char *base)
{
    const size_t count = (size_t)(2 * s->params.lines * s->params.room);
    size_t used = 0;
    s->params.keys[MNP_RADIX_SORT_SCRATCH] = mnp__sort_deal(base, &used, count * s->key_size);
    s->params.payload[MNP_RADIX_SORT_SCRATCH] = mnp__sort_deal(base, &used, count * s->payload_size);
    return used;
}

static mnp_status sort_first(sort *s)
{
    const int64_t room = 2 * s->params.first + 64;
    mnp__device *device = s->ctx->device;
    s->params.room = mnp__min(room, s->params.length);
    MNP_TRY(device->ops->alloc(device, place_first(s, NULL), &s->scratch));
    (void)place_first(s, s->scratch);
    return run(s, 0, s->params.lines);
}

static mnp_status sort_on_host(sort *s)
{
    mnp__device *device = s->ctx->device;
    if (s->params.first > 0)
        return sort_first(s);
    MNP_TRY(device->ops->alloc(device, place_elements(s, NULL), &s->scratch));
    (void)place_elements(s, s->scratch);
    return run(s, 0, s->params.lines);
}

static mnp_status sort_lines(sort *s)
{
    const int64_t tile = (int64_t)s->shapes[MNP_RADIX_SORT_SHORT].threads * s->shapes[MNP_RADIX_SORT_SHORT].items;
    if (s->params.lines == 0 || s->params.length == 0)
        return MNP_OK;
    if (s->ctx->device->block_memory == 0)
        return sort_on_host(s);
    return s->params.length <= tile ? sort_short(s, tile) : sort_long(s);
}

mnp_status mnp__radix_sort_run(mnp_ctx *ctx, const mnp__radix_sort *local_sort)
{
    const bool has_payload = local_sort->payload_size > 0;
    sort s = {
        .ctx = ctx,
        .local_sort = local_sort,
        .key_size = mnp_dtype_size(local_sort->dtype),
        .payload_size = local_sort->payload_size,
        .params = {.keys = {(void *)(uintptr_t)local_sort->keys, local_sort->sorted},
                   .payload = {has_payload ? (void *)(uintptr_t)local_sort->payload : NULL, local_sort->sorted_payload},
                   .lines = local_sort->lines,
                   .length = local_sort->length,
                   .descending = local_sort->descending,
                   .first = local_sort->first,
                   .number = local_sort->number,
                   .keep_keys = local_sort->sorted != NULL,
                   .in_place = local_sort->sorted == local_sort->keys ||
                               (has_payload && local_sort->sorted_payload == local_sort->payload)}};
    pick_shapes(&s);
    MNP_TRY(load_kernels(&s));
    mnp_status st = sort_lines(&s);
    ctx->device->ops->free(ctx->device, s.scratch);
    return st;
}
