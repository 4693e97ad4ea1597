/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces against plain loops: every wanted element comes once, from a rank that owns it, and sender and receiver of a
 * message list the same elements in the same order.  Then the pieces of one rank of 4096, whose cost must not grow with
 * the number of ranks.
 */
#include "array/move/pieces.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"

enum { MOST_RANKS = 12, MOST_DIMS = 3, ROOM = 4096 };

static uint64_t state;

static int64_t pick(int64_t n)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* A layout over `nranks` with uneven or dealt-out dimensions, and replicas. */
static mnp_layout *random_layout(int nranks, int ndim, const int64_t *shape)
{
    int mesh[2], axes[MOST_DIMS];
    int64_t blocks[MOST_DIMS], room[MOST_DIMS][MOST_RANKS + 1];
    const int64_t *cuts[MOST_DIMS] = {NULL};
    bool cyclic = pick(2) == 0;
    mnp_layout *layout = NULL;
    do
        mesh[0] = 1 + (int)pick(nranks);
    while (nranks % mesh[0] != 0);
    mesh[1] = nranks / mesh[0];
    int first = (int)pick(2);
    for (int d = 0; d < ndim; d++) {
        axes[d] = d < 2 && pick(4) > 0 ? (first + d) % 2 : MNP_NO_AXIS;
        blocks[d] = axes[d] == MNP_NO_AXIS ? 0 : pick(4);
        if (axes[d] == MNP_NO_AXIS || pick(2) == 0)
            continue;
        int parts = mesh[axes[d]];
        room[d][0] = 0;
        for (int i = 1; i < parts; i++)
            room[d][i] = room[d][i - 1] + pick(shape[d] - room[d][i - 1] + 1);
        room[d][parts] = shape[d];
        cuts[d] = room[d];
    }
    mnp_status st = cyclic ? mnp_layout_new_cyclic(2, mesh, ndim, shape, axes, blocks, &layout)
                           : mnp_layout_new(2, mesh, ndim, shape, axes, cuts, &layout);
    return st == MNP_OK ? layout : NULL;
}

/* What the ranks want: their block of another layout, or some of its indices shifted beyond the borders. */
struct target {
    const mnp_layout *layout;
    int64_t shift[MOST_DIMS];
    int64_t calls;
};

static int wanted(const void *argument, int rank, mnp__want *wants)
{
    struct target *target = (struct target *)argument;
    const mnp_layout *layout = target->layout;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], stride = 1;
    target->calls++;
    if (!mnp__layout_box(layout, rank, lo, extent))
        return 0;
    for (int d = layout->ndim - 1; d >= 0; d--) {
        mnp__part_runs runs = mnp__layout_runs(layout, d, mnp__layout_part(layout, d, rank));
        wants[0].lo[d] = runs.first + target->shift[d];
        wants[0].extent[d] = runs.count;
        wants[0].length[d] = runs.length;
        wants[0].period[d] = runs.period;
        wants[0].strides[d] = stride;
        stride *= runs.count;
    }
    return 1;
}

/* The elements of a message, or of the part that a rank keeps, in order: offsets in both blocks. */
struct list {
    int count;
    int64_t from[ROOM], to[ROOM];
};

struct lists {
    struct list of[MOST_RANKS + 1]; /* by the other rank; MOST_RANKS: the fill value */
    bool by_source;
};

static mnp_status note(void *argument, const mnp__piece *piece)
{
    struct lists *lists = argument;
    int other = lists->by_source ? piece->source : piece->receiver;
    struct list *list = &lists->of[other == MNP__FILL ? MOST_RANKS : other];
    for (int64_t i = 0; i < piece->size; i++) {
        int64_t rest = i, from = piece->src, to = piece->dst;
        for (int d = piece->ndim - 1; d >= 0; d--) {
            from += rest % piece->extent[d] * piece->src_strides[d];
            to += rest % piece->extent[d] * piece->dst_strides[d];
            rest /= piece->extent[d];
        }
        if (list->count < ROOM) {
            list->from[list->count] = from;
            list->to[list->count++] = to;
        }
    }
    return MNP_OK;
}

static void dense(const mnp_layout *layout, int rank, int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;
    mnp_layout_local_shape(layout, rank, shape);
    for (int d = layout->ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape[d];
    }
}

/* The index of the source that an extended index stands for, as numpy.pad has it; -1: the fill value. */
static int64_t reflect(mnp_boundary boundary, int64_t extent, int64_t i)
{
    if (i >= 0 && i < extent)
        return i;
    if (extent == 0 || boundary == MNP_BOUNDARY_FILL)
        return -1;
    if (boundary == MNP_BOUNDARY_NEAREST || extent == 1)
        return i < 0 ? 0 : extent - 1;
    if (boundary == MNP_BOUNDARY_WRAP)
        return (i % extent + extent) % extent;
    int64_t period = boundary == MNP_BOUNDARY_SYMM ? 2 * extent : 2 * extent - 2;
    int64_t at = (i % period + period) % period;
    return at < extent ? at : boundary == MNP_BOUNDARY_SYMM ? period - 1 - at : period - at;
}

/* Whether an element of `rank`, number `to` of its block of the target, is that at `from` in the source's block. */
static bool comes_from(const mnp__move_spec *spec, const struct target *target, int rank, int64_t to, int source,
                       int64_t from)
{
    int64_t shape[MNP_MAX_DIMS], strides[MNP_MAX_DIMS], there[MNP_MAX_DIMS], there_strides[MNP_MAX_DIMS], place = 0;
    dense(target->layout, rank, shape, strides);
    for (int d = 0; d < spec->layout->ndim; d++) {
        int64_t index = mnp_layout_global(target->layout, d, rank, to / strides[d] % shape[d]) + target->shift[d];
        index = reflect(spec->boundaries[d], spec->layout->shape[d], index);
        if (index < 0)
            return source == MOST_RANKS;
        if (source == MOST_RANKS)
            continue;
        dense(spec->layout, source, there, there_strides);
        int64_t local = mnp_layout_local(spec->layout, d, source, index);
        if (local < 0)
            return false;
        place += local * there_strides[d];
    }
    return source < MOST_RANKS && (from < 0 || place == from);
}

static bool good_case(struct lists *got, struct lists *sent)
{
    int nranks = 1 + (int)pick(MOST_RANKS), ndim = (int)pick(MOST_DIMS + 1);
    int64_t shape[MOST_DIMS], shifted[MOST_DIMS];
    mnp_boundary boundaries[MNP_MAX_DIMS];
    struct target target = {.shift = {0}};
    for (int d = 0; d < ndim; d++) {
        shape[d] = pick(10) == 0 ? 0 : 1 + pick(11);
        boundaries[d] = (mnp_boundary)pick(5);
        target.shift[d] = pick(2) ? pick(9) - 4 : 0;
        shifted[d] = shape[d] + (pick(2) ? pick(6) : 0);
    }
    mnp_layout *from = random_layout(nranks, ndim, shape), *to = random_layout(nranks, ndim, shifted);
    bool good = from && to;
    target.layout = to;
    for (int rank = 0; rank < nranks && good; rank++) {
        int64_t extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS], size = 1, total = 0;
        mnp__move_spec spec = {
            .layout = from, .strides = strides, .boundaries = boundaries, .wants = wanted, .argument = &target};
        memset(got, 0, sizeof *got);
        got->by_source = true;
        dense(from, rank, extent, strides);
        good = mnp__pieces_wanted(&spec, rank, note, got) == MNP_OK;
        dense(to, rank, extent, strides);
        for (int d = 0; d < ndim; d++)
            size *= extent[d];
        if (!mnp__layout_box(to, rank, extent, strides))
            size = 0;
        bool seen[ROOM] = {false};
        for (int s = 0; s <= MOST_RANKS && good; s++) {
            const struct list *list = &got->of[s];
            total += list->count;
            for (int i = 0; i < list->count && good; i++) {
                int64_t at = list->to[i];
                good = at >= 0 && at < size && !seen[at] &&
                       comes_from(&spec, &target, rank, at, s, s == rank ? list->from[i] : -1);
                seen[at] = true;
            }
        }
        good = good && total == size;
        for (int s = 0; s < nranks && good; s++) { /* what the others send to this rank */
            if (s == rank)
                continue;
            memset(sent, 0, sizeof *sent);
            dense(from, s, extent, strides);
            good = mnp__pieces_sent(&spec, s, note, sent) == MNP_OK && sent->of[rank].count == got->of[s].count;
            for (int i = 0; i < got->of[s].count && good; i++)
                good = sent->of[rank].to[i] == got->of[s].to[i] &&
                       comes_from(&spec, &target, rank, sent->of[rank].to[i], s, sent->of[rank].from[i]);
        }
    }
    mnp_layout_free(from);
    mnp_layout_free(to);
    return good;
}

/* ---- one of many ranks ---- */

struct tally {
    int64_t pieces, elements;
    size_t most_bytes, before;
};

static size_t bytes_in_use(void)
{
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

static mnp_status add_up(void *argument, const mnp__piece *piece)
{
    struct tally *tally = argument;
    size_t bytes = bytes_in_use() - tally->before;
    tally->pieces++;
    tally->elements += piece->size;
    tally->most_bytes = bytes > tally->most_bytes ? bytes : tally->most_bytes;
    return MNP_OK;
}

/* Whether the pieces of rank 1234 of 4096 are all there, are no more than `pieces`, and cost little. */
static bool frugal(const mnp_layout *from, const mnp_layout *to, int64_t pieces)
{
    enum { RANK = 1234, FEW_BYTES = 1 << 20 };
    struct target target = {.layout = to};
    int64_t shape[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp__move_spec spec = {.layout = from, .strides = strides, .wants = wanted, .argument = &target};
    struct tally got = {.before = bytes_in_use()}, sent = {.before = bytes_in_use()};
    dense(from, RANK, shape, strides);
    bool good = mnp__pieces_wanted(&spec, RANK, add_up, &got) == MNP_OK &&
                mnp__pieces_sent(&spec, RANK, add_up, &sent) == MNP_OK;
    int64_t size = 1, wants = 1;
    for (int d = 0; d < from->ndim; d++)
        size *= shape[d];
    dense(to, RANK, shape, strides);
    for (int d = 0; d < from->ndim; d++)
        wants *= shape[d];
    return good && got.elements == wants && sent.elements <= size && sent.elements >= size / 2 &&
           got.pieces <= pieces && sent.pieces <= pieces && target.calls <= from->nranks &&
           got.most_bytes < FEW_BYTES && sent.most_bytes < FEW_BYTES;
}

static void many_ranks(void)
{
    const int ranks = 4096;
    const int64_t shape[] = {8192, 8192};
    mnp_layout *rows, *columns, *squares, *cyclic, *all[4];
    const int none = MNP_NO_AXIS;
    mnp_layout_new(1, (int[]){ranks}, 2, shape, (int[]){0, none}, NULL, &rows);
    mnp_layout_new(1, (int[]){ranks}, 2, shape, (int[]){none, 0}, NULL, &columns);
    mnp_layout_new(2, (int[]){64, 64}, 2, shape, (int[]){0, 1}, NULL, &squares);
    mnp_layout_new_cyclic(2, (int[]){64, 64}, 2, shape, (int[]){0, 1}, (int64_t[]){32, 32}, &cyclic);
    ok(frugal(rows, columns, ranks), "rows to columns: a piece for each of 4096 ranks");
    ok(frugal(rows, squares, 64) && frugal(squares, columns, 64), "rows to squares to columns: 64 pieces");
    ok(frugal(squares, cyclic, 256) && frugal(cyclic, squares, 256), "squares to dealt-out squares and back: the same");
    ok(frugal(rows, cyclic, 1024) && frugal(cyclic, rows, 1024), "rows to dealt-out squares and back: few pieces");
    all[0] = rows, all[1] = columns, all[2] = squares, all[3] = cyclic;
    for (int i = 0; i < 4; i++)
        mnp_layout_free(all[i]);
}

int main(void)
{
    const char *given = getenv("MANIPLE_TEST_SEED");
    long long seed = given ? atoll(given) : (long long)time(NULL);
    struct lists *got = malloc(sizeof *got), *sent = malloc(sizeof *sent);
    state = (uint64_t)seed;
    printf("# MANIPLE_TEST_SEED=%lld\n", seed);
    for (int block = 0; block < 4; block++) {
        int wrong = 0;
        for (int i = 0; i < 100; i++)
            wrong += !good_case(got, sent);
        ok(wrong == 0, "100 random moves on paper, %d wrong", wrong);
    }
    many_ranks();
    free(got);
    free(sent);
    return done_testing();
}
