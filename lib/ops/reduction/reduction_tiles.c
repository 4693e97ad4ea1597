/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning reductions by tiles on a GPU: kernels/reduction/reduce_tiles_cuda.h.
 *
 * From the innermost dimension outwards, kept and reduced ones are taken into a tile in the order of their strides, as
 * long as they follow one another in memory and fit; the last one may be cut.  The other reduced dimensions make
 * several tiles with the same outputs, through which a block goes.  A tile may have no reduced dimension: layers, which
 * suit rows of kept elements that are few, or narrow, or of elements smaller than a word.
 */
#include "base/integer.h"
#include "device/launch.h"
#include "ops/reduction/reduction_plan.h"

enum {
    ENOUGH_BLOCKS = 1056,     /* 8 of 256 threads for each of 132 multiprocessors */
    TILE_BLOCKS = 528,        /* that go through many tiles, 4 for each of 132 multiprocessors */
    LEAST_THREADS = 64,       /* of a block that have something to do */
    LEAST_BYTES = 1024,       /* of a tile where there are several with the same outputs */
    LEAST_LAYER = 512,        /* the same of one without reduced dimensions */
    LEAST_DEPTH_BYTES = 4096, /* of the tiles that a block has at a time */
    MOST_DEPTH = 32,          /* such tiles */
    MOST_TEAM = 7,            /* threads of an output, as the power of two */
    MOST_COUNT = 16,          /* elements of an output for which there are kernels of their own */
    LARGE = 16,               /* bytes of an accumulator that takes long to join */
    LARGE_SHARE = 64,         /* elements that a thread should have then */
    TEAM_SHARE = 4,           /* elements that such a thread should have */
    SECTOR_BYTES = 32,        /* of memory, which a GPU reads as a whole */
    FEW_LAYERS = 64,          /* elements of an output */
    NARROW = 64,              /* kept elements that lie beside one another */
    WORD_BYTES = 4,           /* smaller elements at any address are slow to read one by one */
    LAYER_OUTPUTS = 4,        /* of a thread */
    WARP = 32,                /* threads, and banks of shared memory */
    CONFLICTS = 4,            /* threads that may meet at a bank of shared memory */
    ACCUMULATOR_BYTES = 32    /* of a thread that goes through several tiles */
};

/* Gaps that a tile may have, as parts of what it holds: first few, then as much again, if nothing else suits. */
static const double FEW_GAPS = 0.25, MANY_GAPS = 1;

typedef struct tile {
    const mnp__nest *nests;
    int dims[2]; /* of the kept and of the reduced dimensions in a tile */
    int taken[2 * MNP_MAX_DIMS];
    int cut;                /* MNP__KEPT or MNP__REDUCED: of which the outermost one in the tile is cut */
    int64_t each, fit;      /* indices of that one in a tile, and for how many there is room */
    int64_t size;           /* bytes of an element */
    int64_t outputs, count; /* of a tile: outputs, and elements of one of them */
    int64_t tiles, stripes; /* tiles with the same outputs; indices of the kept dimensions outside */
} tile;

/* The dimension of a nest that is `in` dimensions from the innermost one. */
static int64_t extent_of(const tile *t, int which, int in)
{
    return t->nests[which].extent[t->nests[which].ndim - 1 - in];
}

static int64_t stride_of(const tile *t, int which, int in)
{
    return t->nests[which].stride[0][t->nests[which].ndim - 1 - in];
}

/* The nest whose next dimension outwards comes next in memory, or -1. */
static int next(const tile *t)
{
    int best = -1;
    for (int which = MNP__KEPT; which <= MNP__REDUCED; which++) {
        const int in = t->dims[which];
        if (in == t->nests[which].ndim || extent_of(t, which, in) == 1 || stride_of(t, which, in) <= 0)
            continue;
        if (best < 0 || stride_of(t, which, in) < stride_of(t, best, t->dims[best]))
            best = which;
    }
    return best;
}

/*
 * Take dimensions into the tile.  Gaps between what follows one another may be so much of it, or what a GPU reads with
 * their neighbours in any case.
 */
static void choose_dims(tile *t, double gaps)
{
    const int64_t sector = SECTOR_BYTES / t->size;
    int64_t dense = 1;
    t->dims[MNP__KEPT] = t->dims[MNP__REDUCED] = 0;
    t->cut = MNP__KEPT;
    for (int which = next(t); which >= 0; which = next(t)) {
        const int64_t stride = stride_of(t, which, t->dims[which]), extent = extent_of(t, which, t->dims[which]);
        const int64_t fit = MNP__REDUCTION_TILE / t->size / stride;
        if (stride < dense || stride > dense + mnp__max((int64_t)(gaps * (double)dense), sector - 1) || fit < 2)
            return;
        t->taken[t->dims[MNP__KEPT] + t->dims[MNP__REDUCED]] = which;
        t->dims[which]++;
        t->cut = which;
        t->fit = fit;
        t->each = mnp__min(fit, extent);
        dense = stride * extent;
        if (t->each < extent)
            return;
    }
}

static int64_t cut_extent(const tile *t)
{
    return extent_of(t, t->cut, t->dims[t->cut] - 1);
}

/* The product of extents in the tile, but for the one that is cut; and of those outside. */
static int64_t inside(const tile *t, int which)
{
    int64_t product = 1;
    for (int in = 0; in < t->dims[which] - (which == t->cut); in++)
        product *= extent_of(t, which, in);
    return product;
}

static int64_t outside(const tile *t, int which)
{
    int64_t product = 1;
    for (int in = t->dims[which]; in < t->nests[which].ndim; in++)
        product *= extent_of(t, which, in);
    return product;
}

static void set_each(tile *t, int64_t each)
{
    t->each = each;
    t->outputs = inside(t, MNP__KEPT) * (t->cut == MNP__KEPT ? each : 1);
    t->count = inside(t, MNP__REDUCED) * (t->cut == MNP__REDUCED ? each : 1);
    t->stripes = outside(t, MNP__KEPT);
    t->tiles = outside(t, MNP__REDUCED) * (t->cut == MNP__REDUCED ? mnp__divide_up(cut_extent(t), each) : 1);
}

/*
 * How many elements a warp reads at most from one bank of shared memory at a time, where an output has 1 << team
 * threads, and each output may begin with another element: mnp_take_staged().
 */
static int conflicts(const tile *t, int team, bool turned)
{
    const int words = t->size > WORD_BYTES ? (int)t->size / WORD_BYTES : 1, threads = WARP / words;
    const int64_t turns = mnp__max(t->count >> team, 1);
    int64_t word[WARP];
    int most = 0;
    for (int thread = 0; thread < threads; thread++) {
        int64_t left = thread >> team, number = left, place = thread & ((1 << team) - 1);
        place = (place + (turned ? number % turns << team : 0)) * stride_of(t, MNP__REDUCED, 0);
        for (int in = 0; in < t->dims[MNP__KEPT]; in++) {
            const bool last = in == t->dims[MNP__KEPT] - 1;
            place += (last ? left : left % extent_of(t, MNP__KEPT, in)) * stride_of(t, MNP__KEPT, in);
            left = last ? 0 : left / extent_of(t, MNP__KEPT, in);
        }
        word[thread] = place * t->size / WORD_BYTES / words;
        int same = 1; /* words of the bank, each once */
        for (int other = 0; other < thread; other++) {
            bool again = word[other] == word[thread] || ((word[other] - word[thread]) & (threads - 1)) != 0;
            for (int before = 0; before < other && !again; before++)
                again = word[before] == word[other];
            same += !again;
        }
        most = same > most ? same : most;
    }
    return most;
}

/* Whether that helps, and elements may be taken in any order. */
static bool are_turned(const mnp__reduction_spec *spec, const tile *t, int team)
{
    if (t->dims[MNP__REDUCED] != 1 || spec->searches)
        return false;
    const int plain = conflicts(t, team, false);
    return plain > 1 && 2 * conflicts(t, team, true) <= plain;
}

/*
 * Threads of an output, as the power of two: few, as joining costs, but all threads of a block should have work.  An
 * output has one element of each layer, and so one thread.
 */
static int choose_team(const mnp__reduction_spec *spec, const tile *t, int64_t share)
{
    int team = 0;
    if (spec->searches && t->dims[MNP__REDUCED] > 0 && stride_of(t, MNP__REDUCED, 0) == 1) {
        while (team < 5 && extent_of(t, MNP__REDUCED, 0) % ((INT64_C(2) << team) * CONFLICTS) == 0)
            team++;
    }
    while (team < MOST_TEAM && t->outputs << (team + 1) <= MNP__REDUCTION_THREADS && t->count >= share << team)
        team++;
    return team;
}

/* Where a quarter of the threads would have no output, twice as many for each, and fewer outputs. */
static void fill_block(tile *t, int64_t share, int *team)
{
    const int64_t threads = MNP__REDUCTION_THREADS, each = (threads >> (*team + 1)) / inside(t, MNP__KEPT);
    if (t->cut != MNP__KEPT || t->outputs << *team > threads * 3 / 4 || *team >= MOST_TEAM ||
        t->count < share << *team || each < 1 || 2 * each < t->each)
        return;
    ++*team;
    set_each(t, mnp__min(each, t->each));
}

/*
 * Outputs of a thread where a block goes through several tiles, or 0 if that does not fit; otherwise it goes through
 * its outputs one after the other.
 */
static int choose_unroll(tile *t, int *team, int64_t accumulator)
{
    const int64_t few = mnp__clamp(ACCUMULATOR_BYTES / accumulator, 1, LAYER_OUTPUTS);
    const bool many = inside(t, MNP__KEPT) > few * MNP__REDUCTION_THREADS;
    const int64_t most = t->dims[MNP__REDUCED] == 0 && accumulator <= ACCUMULATOR_BYTES
                             ? LAYER_OUTPUTS
                             : mnp__clamp((many ? 2 : 1) * ACCUMULATOR_BYTES / accumulator, 1, LAYER_OUTPUTS);
    while (*team > 0 && t->outputs << *team > most * MNP__REDUCTION_THREADS)
        --*team;
    const int64_t room = most * (MNP__REDUCTION_THREADS >> *team);
    if (t->outputs > room && t->cut == MNP__KEPT && inside(t, MNP__KEPT) <= room)
        set_each(t, room / inside(t, MNP__KEPT));
    set_each(t, mnp__divide_up(cut_extent(t), mnp__divide_up(cut_extent(t), t->each)));
    return t->outputs > room ? 0 : (int)mnp__divide_up(t->outputs << *team, MNP__REDUCTION_THREADS);
}

static int64_t span_bytes(const tile *t)
{
    int64_t span = 1 + (t->each - 1) * stride_of(t, t->cut, t->dims[t->cut] - 1);
    for (int which = MNP__KEPT; which <= MNP__REDUCED; which++) {
        for (int in = 0; in < t->dims[which] - (which == t->cut); in++)
            span += (extent_of(t, which, in) - 1) * stride_of(t, which, in);
    }
    return span * t->size;
}

/* Leave out the outermost dimension of a tile. */
static void drop_dim(tile *t)
{
    const int count = t->dims[MNP__KEPT] + t->dims[MNP__REDUCED];
    t->dims[t->taken[count - 1]]--;
    if (count > 1) {
        t->cut = t->taken[count - 2];
        t->each = t->fit = extent_of(t, t->cut, t->dims[t->cut] - 1);
    }
}

/*
 * Leave the reduced dimensions out of a tile, and kept ones while it has too many outputs; it is small where there
 * would be few blocks.
 */
static void make_layers(tile *t)
{
    while (t->dims[MNP__REDUCED] > 0)
        drop_dim(t);
    while (t->dims[MNP__KEPT] > 1 && inside(t, MNP__KEPT) > LAYER_OUTPUTS * MNP__REDUCTION_THREADS)
        drop_dim(t);
    if (t->dims[MNP__KEPT] == 0)
        return;
    const int64_t pieces = mnp__divide_up(ENOUGH_BLOCKS, outside(t, MNP__KEPT)), extent = cut_extent(t),
                  least = mnp__divide_up(LEAST_BYTES, stride_of(t, MNP__KEPT, t->dims[MNP__KEPT] - 1) * t->size);
    t->each = mnp__min(mnp__min(mnp__max(mnp__divide_up(extent, pieces), least), extent), t->fit);
}

/*
 * Whether there is something to reduce in a tile, its elements can be listed where need be, and their indices rise; or
 * it is a layer of those that are fast; or outputs have one element each.
 */
static bool is_suited(const mnp__reduction_spec *spec, const tile *t)
{
    if (t->dims[MNP__REDUCED] == 0)
        return t->dims[MNP__KEPT] > 0 && (t->tiles <= FEW_LAYERS || extent_of(t, MNP__KEPT, 0) < NARROW ||
                                          t->size < WORD_BYTES || spec->accumulator > LARGE);
    return t->dims[MNP__REDUCED] == 1 || (!spec->indices && t->count <= MNP__REDUCTION_PLACES);
}

/* How a tile is reduced: threads of an output, as the power of two, outputs of a thread, tiles at a time, blocks. */
typedef struct shape {
    int team, unroll;
    int64_t deep, blocks;
} shape;

/* Choose the extents of a tile of these dimensions, and its shape.  Returns whether they are good. */
static bool choose_shape(const mnp__reduction_spec *spec, tile *t, shape *s)
{
    const int64_t share = spec->accumulator > LARGE ? LARGE_SHARE : TEAM_SHARE;
    set_each(t, t->each);
    if (t->dims[MNP__REDUCED] > 1 && t->cut == MNP__REDUCED && inside(t, MNP__REDUCED) <= MNP__REDUCTION_PLACES)
        set_each(t, mnp__min(t->each, MNP__REDUCTION_PLACES / inside(t, MNP__REDUCED)));
    if (!is_suited(spec, t))
        return false;
    s->team = choose_team(spec, t, share);
    s->unroll = 1;
    fill_block(t, share, &s->team);
    const int64_t at_once = MNP__REDUCTION_THREADS >> s->team;
    if (t->tiles > 1)
        s->unroll = choose_unroll(t, &s->team, (int64_t)spec->accumulator);
    else if (t->cut == MNP__KEPT && t->outputs == t->each && t->each > at_once)
        set_each(t, t->each / at_once * at_once);
    const int64_t pitch = (span_bytes(t) + 30) / 16 * 16;
    s->deep = mnp__clamp(MNP__REDUCTION_TILE / pitch, 1, mnp__min(t->tiles, MOST_DEPTH));
    s->deep = mnp__divide_up(t->tiles, mnp__divide_up(t->tiles, s->deep));
    s->blocks = t->stripes * (t->cut == MNP__KEPT ? mnp__divide_up(cut_extent(t), t->each) : 1);
    const bool all_at_once = t->dims[MNP__REDUCED] == 0 && s->deep == t->tiles;
    return s->unroll > 0 && s->deep * pitch <= MNP__REDUCTION_TILE + 16 && t->outputs << s->team >= LEAST_THREADS &&
           (s->deep * pitch >= LEAST_DEPTH_BYTES || all_at_once) &&
           (t->tiles == 1 || pitch >= (t->dims[MNP__REDUCED] == 0 ? LEAST_LAYER : LEAST_BYTES));
}

/* Find a tile with such gaps, otherwise layers of at least so many outputs. */
static bool find_tile(const mnp__reduction_spec *spec, tile *t, shape *s, double gaps, int64_t least)
{
    choose_dims(t, gaps);
    if (t->dims[MNP__KEPT] + t->dims[MNP__REDUCED] == 0)
        return false;
    if (t->dims[MNP__REDUCED] > 0 && choose_shape(spec, t, s))
        return true;
    make_layers(t);
    return t->dims[MNP__KEPT] > 0 && choose_shape(spec, t, s) && t->outputs >= least;
}

/* Layers that leave half of a block's threads without outputs come after tiles with larger gaps. */
static bool find(const mnp__reduction_spec *spec, tile *t, shape *s)
{
    return find_tile(spec, t, s, FEW_GAPS, MNP__REDUCTION_THREADS / 2) ||
           find_tile(spec, t, s, MANY_GAPS, MNP__REDUCTION_THREADS / 2) || find_tile(spec, t, s, FEW_GAPS, 1) ||
           find_tile(spec, t, s, MANY_GAPS, 1);
}

int64_t mnp__reduction_plan_tiles(const mnp__reduction_spec *spec, const mnp__nest *nests, int64_t most_parts,
                                  mnp__reduction_plan *plan, int64_t *team_p, int64_t *deep_p)
{
    tile t = {.nests = nests, .size = (int64_t)mnp_dtype_size(spec->operands[0].memory)};
    mnp__reduction_signature *signature = &plan->signature;
    shape s;
    if (!find(spec, &t, &s))
        return 0;
    if (s.blocks < ENOUGH_BLOCKS) { /* where TILE_BLOCKS leaves some multiprocessors less to do, many blocks */
        const int64_t wanted = 2 * s.blocks > TILE_BLOCKS ? 2 * ENOUGH_BLOCKS : TILE_BLOCKS;
        plan->parts = mnp__clamp(mnp__clamp(wanted / s.blocks, 1, mnp__divide_up(t.tiles, s.deep)), 1, most_parts);
    }
    signature->tile_kept = (unsigned char)t.dims[MNP__KEPT];
    signature->tile_reduced = (unsigned char)t.dims[MNP__REDUCED];
    signature->cut_reduced = t.cut == MNP__REDUCED;
    signature->tiled = true;
    signature->tile_loop = t.tiles > 1;
    signature->tile_count =
        t.tiles == 1 && s.team == 0 && t.dims[MNP__REDUCED] <= 1 && t.count <= MOST_COUNT && !spec->searches
            ? (unsigned char)t.count
            : 0;
    signature->tile_turns = are_turned(spec, &t, s.team);
    signature->vector = 1;
    signature->along = (unsigned char)(s.unroll > 1 ? 2 : 4);
    signature->unroll = (unsigned char)s.unroll;
    plan->each = t.each;
    plan->tiles = t.tiles;
    plan->chunks = mnp__divide_up(cut_extent(&t), t.each);
    *team_p = s.team;
    *deep_p = s.deep;
    return s.blocks * plan->parts;
}
