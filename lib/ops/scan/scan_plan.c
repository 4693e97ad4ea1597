/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning a run of a scan: from the operands' strides to the kernel that suits them and to its parameter.
 *
 * The dimensions other than the axis are simplified: those of extent 1 are dropped, the others are ordered by the
 * strides of the input and joined where they can be.  Adjacent threads take adjacent elements along the axis, or
 * adjacent lines where these are closer in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/nest.h"
#include "device/launch.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"
#include "ops/scan/scan_plan.h"

enum {
    VECTOR_BYTES = 16,
    FLIGHT_BYTES = 64,      /* of the input that a thread should have in flight */
    TILE_BYTES = 128,       /* the same where blocks wait for one another: larger tiles mean fewer waits */
    USUAL_BYTES = 16,       /* of an accumulator; threads with larger ones take fewer elements at once */
    SMALL = 1 << 14,        /* blocks of fewer elements share general kernels */
    MANY_LINES = 528,       /* so many lines get a block each */
    SHORT_LINE = 2048,      /* lines of fewer elements do not get a block of threads */
    MANY_COLUMNS = 1 << 17, /* so many threads across lines keep a GPU busy */
    NARROW_BYTES = 128,     /* of so many alternating lines an element each */
    TEAM_ROW_BYTES = 64,    /* least bytes, if not half a line, that a line's threads load at once if each has more */
    LEAST_SHORT = 4,        /* least lines of a block that has several in shared memory */
    SHORT_STRIP = 4,        /* elements that a thread should have of such a line */
    BANKS = 32,             /* of shared memory */
    BANK_BYTES = 4,         /* of each, side by side */
    STRIPS = 4,             /* lengths of strips that are tried against conflicts of banks */
    SHORTEST = 8,           /* elements of a line, or */
    SHORTEST_BYTES = 32,    /* bytes, for which vectors along a line are too few for enough bytes in flight */
    WARP = 32,              /* threads */
    SHORT_PART = 64,        /* least elements of a part of a column */
    BAND_ROW_BYTES = 256,   /* of the elements of a band at one index along the axis */
    LEAST_ROWS = 32,        /* of lines that are divided into bands */
    LONG_STRIP = 23,        /* of 8-byte elements in few columns, whose bands wait most for one another */
    LEAST_STRIP = 7,        /* fewer elements make a strip only where lines are short */
    HOST_SHORT_ROW = 32,    /* on the host shorter rows are scanned across lines */
    HOST_NARROW = 8,        /* on the host fewer lines are scanned one after the other */
    HOST_PARTS = 64,        /* most parts of all lines together */
    HOST_PART = 1 << 15,    /* least elements of a part on the host */
    HOST_COLUMNS = 256      /* lines that count as one on the host */
};

enum { IN, OUT, PLACE, OPERANDS }; /* PLACE: the numbers of lines, in C order, where ranks share these; else 0 */

/* A run while it is being planned. */
typedef struct walk {
    const mnp__reduction_spec *spec;
    const mnp_array *x, *out;
    unsigned repeated; /* bit d: only index 0 along dimension d is scanned */
    int64_t lines, length;
    mnp__nest axis, beside; /* the dimension that is scanned, and the others */
    int64_t along[OPERANDS][MNP_MAX_DIMS], stride[OPERANDS][MNP_MAX_DIMS];
} walk;

/* ---- the dimensions ---- */

static int64_t extent_of(const walk *w, int d)
{
    const int64_t extent = w->x->local_shape[d];
    return w->repeated >> d & 1 ? mnp__min(extent, 1) : extent;
}

static void add_dim(const walk *w, int d, mnp__nest *nest)
{
    nest->extent[nest->ndim] = extent_of(w, d);
    nest->stride[IN][nest->ndim] = w->x->local_strides[d];
    nest->stride[OUT][nest->ndim] = w->out->local_strides[d];
    nest->stride[PLACE][nest->ndim++] = 0;
}

static void gather(walk *w, int axis)
{
    int64_t place = mnp__is_shared(w->x->layout, 1u << axis) ? 1 : 0;
    w->axis = (mnp__nest){.count = OPERANDS, .stride = w->along};
    w->beside = (mnp__nest){.count = OPERANDS, .stride = w->stride};
    w->lines = 1;
    w->length = w->x->local_shape[axis];
    add_dim(w, axis, &w->axis);
    for (int d = 0; d < w->x->layout->ndim; d++) {
        if (d == axis)
            continue;
        w->lines *= extent_of(w, d);
        add_dim(w, d, &w->beside);
    }
    mnp__nest_drop(&w->beside);
    for (int d = w->beside.ndim - 1; d >= 0; d--) {
        w->stride[PLACE][d] = place;
        place *= w->beside.extent[d];
    }
}

/* ---- both devices ---- */

/* Choose the parts of a line so that all `lines` have about `wanted`, each of at least `shortest` elements. */
static int64_t choose_parts(const walk *w, int64_t lines, int64_t wanted, int64_t shortest)
{
    int64_t most = MNP__REDUCTION_SCRATCH / (int64_t)w->spec->accumulator / w->lines;
    int64_t parts = mnp__clamp(wanted / lines, 1, w->length / shortest);
    return mnp__clamp(parts, 1, most);
}

/* The innermost dimension other than the axis; there is one once the nest is padded. */
static int innermost(const walk *w)
{
    return w->beside.ndim - 1;
}

static void find_units(const walk *w, bool columns, mnp__scan_signature *signature)
{
    const int d = innermost(w);
    signature->unit_in = (columns ? w->stride[IN][d] : w->along[IN][0]) == 1;
    signature->unit_out = (columns ? w->stride[OUT][d] : w->along[OUT][0]) == 1;
}

/* ---- GPUs ---- */

/* The larger size of an element of both operands; 0: they are not aligned to it. */
static int64_t size_in_shared(const walk *w)
{
    const int64_t in = (int64_t)mnp_dtype_size(w->x->dtype), out = (int64_t)mnp_dtype_size(w->out->dtype);
    const bool aligned = (uintptr_t)w->x->data % (uintptr_t)in == 0 && (uintptr_t)w->out->data % (uintptr_t)out == 0;
    return aligned ? mnp__max(in, out) : 0;
}

/* The most adjacent elements that are one access in both operands where that is aligned. */
static int64_t most_of_vector(const walk *w, const mnp__scan_signature *signature)
{
    const int64_t size = size_in_shared(w);
    return signature->unit_in && signature->unit_out && size > 0 ? mnp__max(VECTOR_BYTES / size, 1) : 1;
}

/* Choose how many adjacent elements are one access in both operands; all accesses must be aligned. */
static int choose_vector(walk *w, bool columns, const mnp__scan_signature *signature)
{
    int64_t in = (int64_t)mnp_dtype_size(w->x->dtype), out = (int64_t)mnp_dtype_size(w->out->dtype);
    int64_t vector = most_of_vector(w, signature);
    for (; vector > 1; vector /= 2) {
        bool fits = (uintptr_t)w->x->data % (uintptr_t)(vector * in) == 0 &&
                    (uintptr_t)w->out->data % (uintptr_t)(vector * out) == 0 &&
                    (!columns || (w->beside.extent[innermost(w)] % vector == 0 && w->along[IN][0] % vector == 0 &&
                                  w->along[OUT][0] % vector == 0));
        for (int d = 0; d < w->beside.ndim - columns; d++)
            fits = fits && w->stride[IN][d] % vector == 0 && w->stride[OUT][d] % vector == 0;
        if (fits)
            break;
    }
    return (int)vector;
}

static unsigned char choose_unroll(const walk *w, const mnp__scan_signature *signature, int64_t flight)
{
    int64_t bytes = signature->vector * (int64_t)mnp_dtype_size(w->x->dtype);
    int64_t unroll = mnp__clamp(flight / bytes, 2, 8);
    while (unroll > 2 && (int64_t)w->spec->accumulator * unroll > 8 * USUAL_BYTES)
        unroll /= 2;
    return (unsigned char)unroll;
}

/* How many lines of an operand follow one another in memory, the elements of each `inner` in turn; 0: not even so. */
static int64_t count_following(const walk *w, int k, int64_t inner)
{
    const bool groups = inner > 1;
    int64_t lines = inner;
    if (w->along[k][0] != inner || (groups && w->stride[k][innermost(w)] != 1))
        return 0;
    for (int d = innermost(w) - groups; d >= 0; d--) {
        if (w->stride[k][d] != lines * w->length && w->beside.extent[d] > 1)
            break;
        lines *= w->beside.extent[d];
    }
    return lines;
}

/*
 * How the lines of a block lie in shared memory.  Of the threads of a warp as many read it at once as all its banks have
 * bytes for, and those that meet at a bank, in other words of it, wait for one another.
 */
typedef struct short_lines {
    int64_t inner, group; /* lines that alternate, and all their elements */
    int64_t run; /* lines, of which a block's are a part: they follow one another in an operand that is a unit */
    int64_t size[PLACE], gap[PLACE];
    bool unit[PLACE];
    int64_t vector, team; /* elements of one access to shared memory; threads of a line, as the power of two */
} short_lines;

/* Choose how many threads a line gets, if a block has as many lines as fit. */
static int64_t choose_team(int64_t length, int64_t fit)
{
    int64_t team = 0;
    while (team < 5 && fit << (team + 1) <= MNP__SCAN_THREADS && length >> team > SHORT_STRIP)
        ++team;
    if (team < 5 && fit << team < MNP__SCAN_THREADS * 3 / 4 && length >> team > SHORT_STRIP)
        ++team;
    return team;
}

/*
 * The elements to leave free after each group, so that groups begin at different banks: each then has an odd number of
 * pieces, of 16 bytes in a `unit`, which is copied so, else of elements.  Eight threads access 16 bytes each at once;
 * where these have strips of fewer than eight lines, groups are as much further apart, and the strips lie between.  A
 * unit whose groups do not end with a piece has no gaps; these groups are an odd number of smaller pieces anyway.
 */
static int64_t choose_gap(const short_lines *s, int64_t size, bool unit)
{
    const int64_t bytes = s->group * size, lines = mnp__min(8, 32 >> s->team);
    const int64_t piece = unit ? VECTOR_BYTES * (8 / lines) : mnp__max(size, BANK_BYTES);
    if (lines == 1 || (unit && bytes % VECTOR_BYTES != 0))
        return 0;
    return ((mnp__divide_up(bytes, piece) | 1) * piece - bytes) / size;
}

/* Whether the runs of an operand begin where vectors of memory do. */
static bool are_runs_aligned(const walk *w, int k, int64_t run)
{
    const int64_t size = (int64_t)mnp_dtype_size(k == IN ? w->x->dtype : w->out->dtype);
    bool aligned = (uintptr_t)(k == IN ? w->x->data : w->out->data) % VECTOR_BYTES == 0;
    for (int64_t d = 0, runs = w->lines / run; runs > 1; runs /= w->beside.extent[d++])
        aligned = aligned && w->stride[k][d] * size % VECTOR_BYTES == 0;
    return aligned;
}

/*
 * Choose the runs, and which operands are copied by whole vectors, the units: both if that gives a block enough lines.
 * A unit that is not aligned would begin within a group, which thus has no gap.
 */
static void choose_run(const walk *w, short_lines *s)
{
    const int64_t following[PLACE] = {count_following(w, IN, s->inner), count_following(w, OUT, s->inner)};
    const int64_t both = mnp__min(following[IN], following[OUT]), one = mnp__max(following[IN], following[OUT]);
    const int64_t bytes = w->length * mnp__max(s->size[IN], s->size[OUT]),
                  least = MNP__SCAN_SHORT_BYTES / 2 / bytes + 1;
    s->run = both >= least ? both : one >= least ? one : w->lines;
    for (int k = IN; k <= OUT; k++)
        s->unit[k] =
            following[k] >= s->run && (are_runs_aligned(w, k, s->run) || s->group * s->size[k] % VECTOR_BYTES != 0);
}

/* Choose the gaps.  Elements and results of the same size share their memory. */
static void choose_gaps(short_lines *s)
{
    const bool shared = s->size[IN] == s->size[OUT], any = s->unit[IN] || s->unit[OUT];
    for (int k = IN; k <= OUT; k++)
        s->gap[k] = choose_gap(s, s->size[k], shared ? any : s->unit[k]);
}

/* How many threads meet at a bank, each at the first vector of its strip. */
static int count_conflicts(const short_lines *s, int64_t strip)
{
    const int k = s->size[IN] > s->size[OUT] ? IN : OUT;
    const int64_t word = mnp__max(s->vector * s->size[k], BANK_BYTES), at_once = BANKS * BANK_BYTES / word;
    const int64_t lines = mnp__min(at_once, 32 >> s->team);
    const int shift = mnp__exponent_above(word / s->size[k], 6); /* from elements to words */
    int met[BANKS] = {0}, most = 0;
    for (int64_t t = 0, begin = 0; t < at_once; t += lines, begin += strip * s->vector * s->inner) {
        for (int64_t line = 0, column = 0, group = begin; line < lines; line++) {
            const int here = ++met[(group + column) >> shift & (at_once - 1)];
            most = here > most ? here : most;
            if (++column == s->inner) {
                column = 0;
                group += s->group + s->gap[k];
            }
        }
    }
    return most;
}

/*
 * The vectors of a line that each of its threads joins: of the least numbers that suffice the one with the fewest
 * conflicts.
 */
static int64_t choose_strip(const short_lines *s, int64_t length)
{
    const int64_t least = mnp__divide_up(length / s->vector, (int64_t)1 << s->team);
    int64_t best = least;
    int fewest = s->team == 0 ? 1 : count_conflicts(s, least);
    for (int64_t strip = least + 1; fewest > 1 && strip < least + STRIPS; strip++) {
        const int conflicts = count_conflicts(s, strip);
        if (conflicts < fewest) {
            fewest = conflicts;
            best = strip;
        }
    }
    return best;
}

/*
 * Plan short lines, or lines that alternate by few elements: a block has several in shared memory.  False: they do not
 * suit, or threads are faster with vectors along a line, as its pieces of memory are copied by vectors only where all
 * follow one another.
 */
static bool plan_short(const walk *w, bool columns, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    short_lines s = {.inner = columns ? w->beside.extent[innermost(w)] : 1,
                     .size = {(int64_t)mnp_dtype_size(w->x->dtype), (int64_t)mnp_dtype_size(w->out->dtype)}};
    const int64_t size = size_in_shared(w);
    s.group = w->length * s.inner;
    if (w->spec->steady || size == 0 || w->length < 2 || s.group * size > MNP__SCAN_SHORT_BYTES ||
        (columns && s.inner * size > NARROW_BYTES))
        return false;
    s.team = choose_team(w->length, MNP__SCAN_SHORT_BYTES / size / s.group * s.inner);
    choose_run(w, &s);
    choose_gaps(&s);
    const bool unit = s.unit[IN] && s.unit[OUT], vectors = !columns && signature->vector * s.size[IN] >= VECTOR_BYTES;
    if (vectors && !unit && w->length > SHORTEST && w->length * size > SHORTEST_BYTES)
        return false;
    s.vector = unit && !columns ? signature->vector : 1;
    while (w->length % s.vector != 0)
        s.vector /= 2;
    const bool shared = s.size[IN] == s.size[OUT];
    const int64_t in = (s.group + s.gap[IN]) * s.size[IN], out = (s.group + s.gap[OUT]) * s.size[OUT];
    int64_t groups = mnp__scan_short_bytes(s.size[IN], s.size[OUT]) / (shared ? out : in + out);
    if (!unit)
        groups = mnp__min(groups, MNP__SCAN_GROUPS);
    const int64_t fit = groups * s.inner;
    if (fit < LEAST_SHORT)
        return false;
    const int64_t at_once = mnp__divide_up(MNP__SCAN_THREADS >> s.team, s.inner) * s.inner;
    const int64_t most = fit > at_once ? fit / at_once * at_once : fit, blocks = mnp__divide_up(s.run, most);
    const int64_t each = s.run < w->lines ? mnp__round_up(mnp__divide_up(s.run, blocks), s.inner) : most;
    *signature = (mnp__scan_signature){.way = MNP_SCAN_SHORT,
                                       .kept = signature->kept,
                                       .vector = (unsigned char)s.vector,
                                       .unroll = 1,
                                       .unit_in = s.unit[IN],
                                       .unit_out = s.unit[OUT]};
    plan->gap[IN] = s.gap[IN];
    plan->gap[OUT] = s.gap[OUT];
    plan->slots[MNP__SCAN_PARTS] = (uint64_t)each;
    plan->slots[MNP__SCAN_TEAM] = (uint64_t)s.team;
    plan->slots[MNP__SCAN_COLUMNS] = (uint64_t)s.inner;
    plan->slots[MNP__SCAN_STRIP] = (uint64_t)choose_strip(&s, w->length);
    plan->slots[MNP__SCAN_RUN] = (uint64_t)s.run;
    plan->launch.grid[0] = (unsigned)(w->lines / s.run * mnp__divide_up(s.run, each));
    return true;
}

/*
 * Plan bands of neighbouring lines, where these are too few for a thread each, or so narrow that threads across lines
 * would read short pieces of memory.  False: they do not suit.
 */
static bool plan_bands(const walk *w, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    const int64_t size = size_in_shared(w), width = w->beside.extent[innermost(w)];
    const bool wide = width * size >= NARROW_BYTES;
    if (size == 0 || (wide && w->lines / signature->vector >= MANY_COLUMNS) || w->length < LEAST_ROWS)
        return false;
    const int64_t most = mnp__clamp(BAND_ROW_BYTES / size, 16, MNP__SCAN_BAND_COLUMNS);
    int64_t each = mnp__divide_up(width, mnp__divide_up(width, most));
    each = mnp__divide_up(each, signature->vector) * signature->vector;
    const int64_t chains = w->lines / width * mnp__divide_up(width, each);
    const int64_t strips = each <= 16 ? MNP__SCAN_THREADS / 32 * (32 / each) : MNP__SCAN_THREADS / each;
    const int64_t most_strip = size == 8 && each <= 16 ? LONG_STRIP : MNP__SCAN_BAND_BYTES / MNP__SCAN_THREADS / size;
    int64_t strip = most_strip;
    while (strip > LEAST_STRIP && chains * mnp__divide_up(w->length, strips * strip) < MANY_LINES)
        strip /= 2;
    /* An odd stride avoids conflicts of banks. */
    strip = mnp__min((strip - 1) | 1, mnp__divide_up(w->length, strips) | 1);
    const int64_t bands = mnp__divide_up(w->length, strips * strip);
    strip = mnp__min(strip, mnp__divide_up(w->length, strips * bands) | 1); /* bands of nearly the same size */
    if (bands > 1 && w->x->ctx->device->recording) /* a later scan may need more memory for the state of bands */
        return false;
    const bool whole = each == width;
    bool unit[PLACE];
    for (int k = IN; k <= OUT; k++)
        unit[k] = whole && w->along[k][0] == width && w->stride[k][innermost(w)] == 1;
    if (unit[IN] || unit[OUT])
        signature->vector = 1;
    *signature = (mnp__scan_signature){.way = MNP_SCAN_BANDS,
                                       .kept = signature->kept,
                                       .vector = signature->vector,
                                       .unroll = (unsigned char)most_strip,
                                       .unit_in = unit[IN],
                                       .unit_out = unit[OUT]};
    plan->slots[MNP__SCAN_PARTS] = (uint64_t)bands;
    plan->slots[MNP__SCAN_COLUMNS] = (uint64_t)each;
    plan->slots[MNP__SCAN_STRIP] = (uint64_t)strip;
    plan->launch.grid[0] = (unsigned)(chains * bands);
    if (bands > 1)
        plan->state = 16 + (size_t)(chains * bands * each) * ((w->spec->accumulator + 7) / 8) * 16;
    return true;
}

/*
 * Plan threads for lines side by side: for a vector of them or a part of it, or for several vectors if lines have so
 * few elements that a thread would have too few bytes in flight, and nearly all threads of a warp then have some.
 */
static void plan_columns(const walk *w, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    const int64_t width = w->beside.extent[innermost(w)], vectors = width / signature->vector;
    int64_t beside = 1, wide = 1;
    while (2 * beside * w->length <= signature->unroll &&
           mnp__round_up(vectors, 2 * WARP * beside) <= vectors + vectors / 8)
        beside *= 2;
    if (beside > 1)
        wide = WARP * beside;
    signature->beside = (unsigned char)beside;
    signature->unroll = (unsigned char)(signature->unroll / beside);
    const int64_t threads = w->lines / width * mnp__divide_up(vectors, wide) * (wide / beside);
    plan->parts = choose_parts(w, threads, MANY_COLUMNS, SHORT_PART);
    plan->slots[MNP__SCAN_PARTS] = (uint64_t)plan->parts;
    plan->launch.grid[0] = (unsigned)mnp__divide_up(threads * plan->parts, MNP__SCAN_THREADS);
    plan->totals = plan->launch;
    plan->totals.grid[0] = (unsigned)mnp__divide_up(threads * (plan->parts - 1), MNP__SCAN_THREADS);
}

/* Plan a team of a warp's threads, or a block, for each line, or for tiles of it. */
static void plan_rows(const walk *w, bool general, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    const int64_t vectors = mnp__divide_up(w->length, signature->vector);
    const int64_t size = signature->vector * (int64_t)mnp_dtype_size(w->x->dtype);
    int team = mnp__exponent_above(vectors, 5);
    /* The threads of a short line have as many vectors in flight as they can. */
    const int64_t least = mnp__min(TEAM_ROW_BYTES, w->length * (int64_t)mnp_dtype_size(w->x->dtype) / 2);
    while (team > 0 && size << (team - 1) >= least && vectors <= (int64_t)signature->unroll << (team - 1))
        team--;
    plan->slots[MNP__SCAN_TEAM] = (uint64_t)team;
    if (w->length <= SHORT_LINE || general) {
        plan->launch.grid[0] = (unsigned)mnp__divide_up(w->lines, MNP__SCAN_THREADS >> team);
        return;
    }
    /* Longer lines are divided where the input is aligned, so that tiles may begin before them. */
    const int64_t before = most_of_vector(w, signature) - signature->vector;
    if (before > 0) {
        signature->shifted = 1;
        signature->vector = (unsigned char)most_of_vector(w, signature);
        signature->unroll = choose_unroll(w, signature, FLIGHT_BYTES);
    }
    const int64_t row = (int64_t)signature->vector * MNP__SCAN_THREADS;
    if (w->lines >= MANY_LINES || w->length <= row * signature->unroll) {
        signature->way = MNP_SCAN_BLOCKS;
        plan->launch.grid[0] = (unsigned)w->lines;
    } else {
        signature->way = MNP_SCAN_TILES;
        signature->unroll = choose_unroll(w, signature, TILE_BYTES);
        if (signature->vector == 2 && signature->unroll == 8) /* tiles with as many elements as those of 4 bytes */
            signature->unroll = (unsigned char)(2 * signature->unroll);
        const int64_t tiles = mnp__divide_up(w->length + before, row * signature->unroll);
        plan->slots[MNP__SCAN_PARTS] = (uint64_t)tiles;
        plan->launch.grid[0] = (unsigned)(w->lines * tiles);
        plan->state = 16 + (size_t)(w->lines * tiles) * w->spec->accumulator / 8 * 16;
    }
}

static void plan_cuda(walk *w, bool columns, bool general, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    signature->vector = (unsigned char)choose_vector(w, columns, signature);
    signature->unroll = choose_unroll(w, signature, FLIGHT_BYTES);
    plan->launch = (mnp__launch){.grid = {1, 1, 1}, .block = {MNP__SCAN_THREADS, 1, 1}};
    if (!general && (plan_short(w, columns, plan) || (columns && plan_bands(w, plan))))
        return;
    if (columns)
        plan_columns(w, plan);
    else
        plan_rows(w, general, plan);
}

/* ---- the host ---- */

static void plan_host(walk *w, bool columns, int threads, mnp__scan_plan *plan)
{
    enum { WORTH_A_WORKER = 16384, MOST_WORKERS = 4096 };
    int64_t across = w->beside.extent[innermost(w)];
    int64_t lines = columns ? w->lines / across * mnp__divide_up(across, HOST_COLUMNS) : w->lines;
    plan->signature.vector = plan->signature.unroll = 1;
    if (threads > 1 && lines < HOST_PARTS)
        plan->parts = choose_parts(w, lines, HOST_PARTS, HOST_PART);
    int64_t workers = mnp__clamp(w->lines * w->length / WORTH_A_WORKER + 1, 1, MOST_WORKERS);
    plan->launch = plan->totals = (mnp__launch){.grid = {(unsigned)workers, 1, 1}, .block = {1, 1, 1}};
}

/* ---- all together ---- */

static bool choose_columns(const walk *w, bool on_gpu)
{
    if (w->beside.ndim == 0 || w->lines == 1 || w->length == 1)
        return w->lines > 1;
    bool rows_are_inner = mnp__nest_is_outside(&w->beside, innermost(w), &w->axis, 0, IN, PLACE);
    int64_t across = w->beside.extent[innermost(w)];
    if (on_gpu)
        return !rows_are_inner;
    return rows_are_inner ? w->length < HOST_SHORT_ROW && across >= HOST_NARROW : across >= HOST_NARROW;
}

static void fill_slots(const walk *w, mnp__scan_plan *plan)
{
    uint64_t *slot = plan->slots;
    slot[MNP__SCAN_LINES] = (uint64_t)w->lines;
    slot[MNP__SCAN_LENGTH] = (uint64_t)w->length;
    if (plan->parts > 1)
        slot[MNP__SCAN_PARTS] = (uint64_t)plan->parts;
    slot += MNP__SCAN_EXTENTS;
    for (int d = 0; d < w->beside.ndim; d++)
        *slot++ = (uint64_t)w->beside.extent[d];
    for (int d = 0; d < w->beside.ndim; d++)
        *slot++ = (uint64_t)w->stride[PLACE][d];
    for (int k = IN; k <= OUT; k++) {
        *slot++ = (uint64_t)(uintptr_t)(k == IN ? w->x->data : w->out->data);
        *slot++ = (uint64_t)w->along[k][0];
        *slot++ = (uint64_t)plan->gap[k];
        for (int d = 0; d < w->beside.ndim; d++)
            *slot++ = (uint64_t)w->stride[k][d];
    }
    plan->nslots = (int)(slot - plan->slots);
}

/* Whether lines are scanned side by side.  A GPU has one general kernel, for rows, and the host one for columns too. */
static bool are_columns(const walk *w, bool on_gpu, bool general)
{
    if (general && (on_gpu || w->beside.ndim == 0 || w->beside.extent[innermost(w)] < HOST_NARROW))
        return false;
    return choose_columns(w, on_gpu);
}

void mnp__scan_plan_make(const mnp__reduction_spec *spec, const mnp_array *x, const mnp_array *out, int axis,
                         unsigned repeated, int threads, bool general, mnp__scan_plan *plan)
{
    walk w;
    w.spec = spec;
    w.x = x;
    w.out = out;
    w.repeated = repeated;
    *plan = (mnp__scan_plan){.parts = 1, .slots = {[MNP__SCAN_PARTS] = 1}};
    gather(&w, axis);
    mnp__nest_order(&w.beside, IN, PLACE);
    mnp__nest_join(&w.beside);
    bool columns = are_columns(&w, threads == 0, general);
    mnp__nest_pad(&w.beside, general ? MNP_MAX_DIMS : 1, 0);
    plan->lines = w.lines;
    plan->small = w.lines * w.length < SMALL;
    plan->signature =
        (mnp__scan_signature){.way = columns ? MNP_SCAN_COLUMNS : MNP_SCAN_ROWS, .kept = (unsigned char)w.beside.ndim};
    if (w.lines == 0 || w.length == 0)
        return;
    if (!general)
        find_units(&w, columns, &plan->signature);
    if (threads == 0)
        plan_cuda(&w, columns, general, plan);
    else
        plan_host(&w, columns, threads, plan);
    fill_slots(&w, plan);
}
