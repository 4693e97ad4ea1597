/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning a run of a reduction on a GPU: how wide vectors are, how many accesses a thread has in flight, how many
 * threads share a row or a column, and into how many parts the elements of a result are divided.
 */
#include "base/integer.h"
#include "device/launch.h"
#include "ops/reduction/reduction_walk.h"

enum {
    VECTOR_BYTES = MNP__REDUCTION_VECTOR,
    LONG_BYTES = 4096,  /* longer rows are reduced from where they are, even if their vectors are not aligned */
    SHORT_BYTES = 512,  /* rows of at most so many bytes are reduced by tiles, even if their vectors are aligned */
    FEW_ROWS = 16,      /* of columns, from which results of small elements and slow ones come by layers */
    WORD_BYTES = 4,     /* smaller elements are slow to read one by one */
    FLIGHT_BYTES = 64,  /* of all operands that a thread should have in flight */
    COLUMN_BYTES = 128, /* of a thread's accumulators for its columns */
    SHARED_BYTES = 384, /* of the same, for which half the threads of a block have shared memory */
    SECTOR_BYTES = 32,  /* that a GPU reads at once */
    MOST_UNROLL = 8,    /* rows of columns that a thread reads at once */
    LARGE = 16,         /* bytes of an accumulator that takes long to join: a thread then has four times as many rows */
    FEW_ACCESSES = 512, /* of rows of columns: by fewer, most threads of a block would have nothing to do */
    USUAL_BYTES = 32,   /* of an accumulator; for users' types more is reserved than most need */
    ENOUGH_BLOCKS = 1056,    /* 8 of 256 threads for each of 132 multiprocessors */
    FEW_BLOCKS = 396,        /* 3 of them, which read at nearly the same rate */
    LEAST_SHARE = 2,         /* batches of a thread if there are few parts */
    SHARE = 4,               /* the same if there are many */
    LARGE_SHARE = 8,         /* the same of large accumulators */
    LARGE_COLUMNS_SHARE = 16 /* and where a thread has one for each of several columns */
};

/* Whether every vector of an input is aligned. */
static bool is_aligned(const mnp__reduction_walk *w, int i, int along, int vector)
{
    size_t size = mnp_dtype_size(w->work->inputs[i]->dtype);
    if (w->base[i] % ((size_t)vector * size))
        return false;
    for (int which = MNP__KEPT; which <= MNP__REDUCED; which++) {
        for (int d = 0; d < w->nests[which].ndim; d++) {
            bool inner = which == along && d == mnp__walk_innermost(w, which);
            if (!inner && w->stride[which][i][d] % vector)
                return false;
        }
    }
    return true;
}

/* Bytes of the accumulators of so many columns, as far as they limit how many a thread has. */
static bool columns_fit(const mnp__reduction_walk *w, size_t columns)
{
    const size_t known = w->spec->accumulator < USUAL_BYTES ? w->spec->accumulator : USUAL_BYTES;
    return columns * known <= COLUMN_BYTES && columns * w->spec->accumulator <= SHARED_BYTES;
}

static int choose_vector(const mnp__reduction_walk *w, int along, const mnp__reduction_signature *signature)
{
    int vector = VECTOR_BYTES;
    bool any = false;
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (signature->reach[i] != MNP_REACH_UNIT)
            continue;
        any = true;
        while (vector > 1 && ((size_t)vector * mnp_dtype_size(w->work->inputs[i]->dtype) > VECTOR_BYTES ||
                              vector > mnp__walk_extent(w, along) || !is_aligned(w, i, along, vector)))
            vector /= 2;
    }
    while (vector > 1 && signature->columns && !columns_fit(w, (size_t)vector))
        vector /= 2;
    return any ? vector : 1;
}

/*
 * Rows that do not begin where vectors are aligned: if one input alone goes along them by stride 1, its vectors are
 * aligned by themselves, and may begin before a row.
 */
static void choose_skew(const mnp__reduction_walk *w, mnp__reduction_signature *signature)
{
    int unit = -1;
    for (int i = 0; i < w->spec->ninputs; i++) {
        /* what lies beyond a row is read of all inputs, and of strided ones it may be far outside of their memory */
        if (signature->reach[i] == MNP_REACH_STRIDED || (signature->reach[i] == MNP_REACH_UNIT && unit >= 0))
            return;
        unit = signature->reach[i] == MNP_REACH_UNIT ? i : unit;
    }
    const int64_t size = unit < 0 ? VECTOR_BYTES : (int64_t)mnp_dtype_size(w->work->inputs[unit]->dtype);
    const int64_t full = VECTOR_BYTES / size;
    if (signature->columns || w->spec->looks || signature->vector >= full ||
        mnp__walk_extent(w, MNP__REDUCED) < 2 * full || w->base[unit] % (uint64_t)size != 0)
        return;
    signature->vector = (unsigned char)full;
    signature->reach[unit] = MNP_REACH_SKEWED;
}

/* How many accesses a thread should have in flight: 1, 2, 4, 8 or, of columns, 16. */
static int choose_flight(const mnp__reduction_walk *w, const mnp__reduction_signature *signature)
{
    size_t bytes = 0;
    int flight = 1;
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (signature->reach[i] != MNP_REACH_SCALAR && signature->reach[i] != MNP_REACH_BROADCAST)
            bytes += signature->vector * mnp_dtype_size(w->work->inputs[i]->dtype);
    }
    while (flight < (signature->columns ? 16 : 8) && 2 * (size_t)flight * bytes <= FLIGHT_BYTES)
        flight *= 2;
    return flight;
}

/* Elements that the vectors of a row have at most: those of the row, and some before and after it. */
static int64_t touched(const mnp__reduction_walk *w, const mnp__reduction_signature *signature)
{
    int64_t extent = mnp__walk_extent(w, MNP__REDUCED);
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (signature->reach[i] == MNP_REACH_SKEWED)
            return extent + signature->vector - 1;
    }
    return extent;
}

/*
 * Whether tiles may suit: where vectors along rows or columns are not aligned, rows are short or have small elements
 * with gaps, or columns are narrow or few elements long.  One input, whose elements may be taken in any order.
 */
static bool are_tiles(const mnp__reduction_walk *w, int along, const mnp__reduction_plan *plan)
{
    const int64_t size = (int64_t)mnp_dtype_size(w->spec->operands[0].memory), full = VECTOR_BYTES / size;
    const int64_t width = mnp__walk_extent(w, along);
    if (w->spec->ninputs > 1 || w->spec->steady || plan->general || w->outputs == 0 || w->elements == 0 || full == 0 ||
        mnp__array_is_scalar(w->work->inputs[0]) || w->base[0] % (uint64_t)size != 0)
        return false;
    const bool small = size < WORD_BYTES;
    const bool strided = mnp__walk_stride(w, along) > 1;
    if (along == MNP__REDUCED && width * size > LONG_BYTES)
        return strided && (small || mnp__walk_stride(w, along) == 2);
    const int64_t apart = w->stride[MNP__REDUCED][0][mnp__walk_innermost(w, MNP__REDUCED)] * size; /* rows of columns */
    if (along == MNP__KEPT && ((width * size < SECTOR_BYTES && apart >= SECTOR_BYTES) ||
                               mnp__divide_up(width, full) * w->elements < (w->spec->searches ? 2 : 1) * FEW_ACCESSES))
        return true;
    if (along == MNP__KEPT && w->elements <= FEW_ROWS && (small || w->spec->searches || w->spec->accumulator > LARGE))
        return true;
    return !is_aligned(w, 0, along, (int)full) || width < full ||
           (along == MNP__REDUCED && width * size <= (small ? VECTOR_BYTES : SHORT_BYTES));
}

/*
 * Into how many parts the elements of a result are divided, where there are so few blocks, each of whose threads would
 * have so many batches: as many as give all multiprocessors work, if a thread's share is worth joining what it knows.
 */
static int64_t choose_parts(const mnp__reduction_walk *w, bool columns, int64_t blocks, int64_t batches)
{
    const int64_t share = w->spec->accumulator <= LARGE ? SHARE : columns ? LARGE_COLUMNS_SHARE : LARGE_SHARE;
    const int64_t few = mnp__divide_up(FEW_BLOCKS, blocks), many = 2 * ENOUGH_BLOCKS / blocks;
    const int64_t parts = mnp__min(mnp__clamp(batches / share, few, mnp__max(few, many)), batches / LEAST_SHARE);
    return mnp__clamp(parts, 1, mnp__walk_most_parts(w));
}

/* Whether pieces of so many vectors have at most a quarter more than the row of which they are. */
static bool fills(int64_t vectors, int64_t piece)
{
    return 4 * piece * mnp__divide_up(vectors, piece) <= 5 * vectors;
}

/*
 * The fewer threads share a row, the less is spent on each of them and on joining what they know; so a line of threads
 * is as wide as a sector of memory, unless there are too few rows for all threads; then it is wider, as long as its
 * pieces suit the row.  A row that such a line reads in one batch is short, and a thread then reads several at once,
 * but not where a batch is looked at before it is added.
 */
static int64_t plan_rows(mnp__reduction_walk *w, mnp__reduction_plan *plan, int64_t *team, int64_t *deep)
{
    mnp__reduction_signature *signature = &plan->signature;
    const int threads = MNP__REDUCTION_THREADS, most = mnp__exponent_above(threads, 31),
              flight = choose_flight(w, signature);
    const int64_t width = mnp__walk_extent(w, MNP__REDUCED), rows = width ? w->elements / width : 0;
    const int64_t vectors = mnp__divide_up(touched(w, signature), signature->vector),
                  half = flight > 2 ? flight / 2 : 1;
    const int64_t sector = SECTOR_BYTES / (signature->vector * (int64_t)mnp_dtype_size(w->spec->operands[0].memory));
    const int sector_team = mnp__exponent_above(sector, 5);
    const bool is_short = vectors <= half << sector_team && !plan->general && !w->spec->looks;
    signature->along =
        (unsigned char)(is_short ? 1 << mnp__exponent_above(vectors, mnp__exponent_above(half, 3)) : flight);
    signature->unroll = (unsigned char)(is_short ? mnp__clamp(flight / signature->along, 2, 8) : 1);
    signature->outs = is_short && rows == 1;
    const int64_t lines = mnp__divide_up(vectors, signature->along);
    *team = mnp__exponent_above(lines, sector_team);
    if (signature->outs)
        return mnp__divide_up(w->outputs, (threads >> *team) * signature->unroll);
    while (*team < most && INT64_C(1) << *team < lines && fills(vectors, (int64_t)signature->along << (*team + 1)) &&
           mnp__divide_up(w->outputs, threads >> *team) < 4 * ENOUGH_BLOCKS)
        ++*team;
    const int64_t units = rows * mnp__divide_up(vectors, (int64_t)signature->along << *team);
    while (*team + *deep < most && (int64_t)signature->unroll << *deep < units &&
           mnp__divide_up(w->outputs, threads >> (*team + *deep)) < ENOUGH_BLOCKS)
        ++*deep;
    const int64_t blocks = mnp__divide_up(w->outputs, threads >> (*team + *deep));
    if (blocks > ENOUGH_BLOCKS / 2 || *team + *deep < most)
        return blocks;
    plan->parts = choose_parts(w, false, w->outputs, units / ((int64_t)signature->unroll << *deep));
    return w->outputs * plan->parts;
}

static int64_t plan_columns(mnp__reduction_walk *w, mnp__reduction_plan *plan, int64_t *team)
{
    mnp__reduction_signature *signature = &plan->signature;
    const int threads = MNP__REDUCTION_THREADS, most = mnp__exponent_above(threads, 31),
              flight = choose_flight(w, signature);
    const int64_t width = mnp__walk_extent(w, MNP__KEPT), vectors = mnp__divide_up(width, signature->vector);
    int64_t along = flight > 4 ? flight / 4 : 1;
    while (along > 1 && (w->spec->looks || vectors < 32 * along || !columns_fit(w, (size_t)along * signature->vector)))
        along /= 2;
    signature->along = (unsigned char)along;
    int64_t unroll = mnp__min(flight / along, MOST_UNROLL);
    while (unroll > 1 && unroll / 2 >= w->elements)
        unroll /= 2;
    signature->unroll = (unsigned char)unroll;
    const int64_t lines = mnp__divide_up(vectors, along), share = unroll * (w->spec->accumulator > LARGE ? 4 : 1);
    *team = mnp__exponent_above(lines, 5);
    while (*team < most && INT64_C(1) << *team < lines &&
           (unroll << (most - *team) > w->elements ||
            (share << (most - *team) > w->elements &&
             w->outputs / width * mnp__divide_up(lines, INT64_C(2) << *team) >= ENOUGH_BLOCKS)))
        ++*team;
    const int64_t down = threads >> *team, tiles = mnp__divide_up(width, (along * signature->vector) << *team);
    const int64_t blocks = w->outputs / width * tiles;
    if (blocks <= ENOUGH_BLOCKS / 2)
        plan->parts = choose_parts(w, true, blocks, w->elements / (down * signature->unroll));
    return blocks * plan->parts;
}

void mnp__reduction_plan_cuda(mnp__reduction_walk *w, int along, mnp__reduction_plan *plan, int64_t *team,
                              int64_t *deep)
{
    mnp__reduction_signature *signature = &plan->signature;
    int64_t blocks = 0;
    if (are_tiles(w, along, plan))
        blocks = mnp__reduction_plan_tiles(w->spec, w->nests, mnp__walk_most_parts(w), plan, team, deep);
    if (blocks > 0) {
        signature->columns = false;
        plan->launch = mnp__reduction_cuda_launch(blocks);
        return;
    }
    signature->vector = (unsigned char)choose_vector(w, along, signature);
    choose_skew(w, signature);
    for (int i = 0; i < w->spec->ninputs && signature->vector > 1; i++) {
        if (signature->reach[i] == MNP_REACH_UNIT)
            signature->reach[i] = MNP_REACH_VECTOR;
    }
    signature->along = signature->unroll = 1;
    if (w->outputs > 0)
        blocks = signature->columns ? plan_columns(w, plan, team) : plan_rows(w, plan, team, deep);
    plan->launch = mnp__reduction_cuda_launch(blocks);
}
