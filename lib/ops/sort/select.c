/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Radix selection (M. Blum et al. showed that selecting takes linear time; by digits: T. Alabi et al., Fast k-selection
 * algorithms for graphics processing units, 2012): kernels/sort/select.cu tells how.
 *
 * Short lines on the host are not counted: their elements are moved until the sought ones are in their places.
 *
 * Where ranks share lines, each counts its own elements, and the counts are summed over these ranks, a digit after the
 * other: no element moves.  On a GPU teams of blocks find all digits of lines that no other rank shares.
 */
#include "ops/sort/select.h"

#include <math.h>
#include <stdlib.h>

#include <maniple/comm.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/integer.h"
#include "base/text.h"
#include "comm/collectives/subcomm.h"
#include "kernels/sort/select_params.h"
#include "layout/layout.h"
#include "ops/sort/sort.h"

enum {
    LEAST_PART = 1 << 15,     /* of a rank's part of a shared line, for which the counts of its digits are few */
    LONGEST_SORTED = 1 << 12, /* of lines on a GPU: these are sorted in shared memory; of wide elements half as many */
    MOST_POSITIONS = 16,
    CHUNKS = 1024,          /* on a GPU, about, of all lines */
    MEMBERS = 264,          /* blocks of teams on a GPU, about, of all lines */
    SIEVERS = 264,          /* blocks that sieve, likewise */
    LEAST_CHUNK = 1 << 14,  /* elements */
    LEAST_ROOM = 1 << 8,    /* for elements of a line that are listed */
    LEAST_SIEVED = 1 << 20, /* of the elements of a line that is sieved */
    NEAR = 64,              /* elements are sought together whose positions differ by no more */
    MOST_ROUNDS = 8,
    THREADS = 512
};

typedef struct selection {
    mnp_ctx *ctx;
    mnp_comm *group; /* the ranks that share the lines, or NULL */
    mnp_dtype dtype;
    bool numbered;
    bool sieves; /* whether lines are sieved before teams select from what is left */
    mnp_select_params params;
    mnp__kernel *kernels[MNP_SELECT_TASKS];
    void *scratch;
} selection;

static bool on_host(const mnp_ctx *ctx)
{
    return ctx->device->block_memory == 0;
}

/* Of a thread, as many as its registers hold. */
static int items(const selection *s, int task)
{
    const size_t size = mnp_dtype_size(s->dtype), vector = 16 / size;
    const int most = size > 8 ? 4 : size > 4 ? 8 : 16;
    return task == MNP_SELECT_TEAM && vector < 16 ? most / 2 : most;
}

/* Whether lines of so many elements, which no others share, are done without digits. */
static bool is_short(const mnp_ctx *ctx, int64_t length)
{
    return on_host(ctx) && length <= MNP_SELECT_SHORT_LENGTH;
}

static unsigned threads(int task)
{
    return task == MNP_SELECT_PICK || task == MNP_SELECT_VALUES ? 256 : THREADS;
}

/* ---- kernels ---- */

/* Of counters, of elements that a block sorts, or that its warps have gathered. */
static unsigned shared_bytes(const selection *s, int task)
{
    const size_t warps = THREADS / 32, each = mnp_dtype_size(s->dtype) + sizeof(uint32_t);
    if (on_host(s->ctx))
        return 0;
    if (task == MNP_SELECT_SIEVE)
        return (unsigned)(warps * (s->numbered ? MNP_SELECT_STAGED * each : MNP_SELECT_STAGE));
    return task == MNP_SELECT_COUNT || task == MNP_SELECT_TEAM || task == MNP_SELECT_SAMPLE
               ? MNP_SELECT_TARGETS * MNP_SELECT_DIGITS * sizeof(uint32_t)
               : 0;
}

static mnp_status load_kernel(selection *s, int task)
{
    static const char *const names[] = {"select_count", "select_pick",   "select_values", "select_short",
                                        "select_team",  "select_sample", "select_sieve"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_KEY %s\n#define MNP_NUMBERED %d\n", mnp__jit_type(s->dtype), s->numbered);
    if (!on_host(s->ctx))
        mnp__text_add(&defines, "#define MNP_TASK %d\n#define MNP_THREADS %u\n#define MNP_ITEMS %d\n", task,
                      threads(task), items(s, task));
    const mnp__kernel_spec spec = {
        .file = "sort/select.cu", .function = names[task], .shared_bytes = shared_bytes(s, task)};
    return mnp__ctx_kernel_of_text(s->ctx, &spec, &defines, NULL, &s->kernels[task]);
}

/* The kernels for lines that other ranks share, or not. */
static mnp_status load_kernels(selection *s, bool shared, int64_t length)
{
    if (!shared && is_short(s->ctx, length))
        return load_kernel(s, MNP_SELECT_SHORT);
    if (!shared && !on_host(s->ctx)) {
        MNP_TRY(load_kernel(s, MNP_SELECT_SAMPLE));
        MNP_TRY(load_kernel(s, MNP_SELECT_SIEVE));
        return load_kernel(s, MNP_SELECT_TEAM);
    }
    MNP_TRY(load_kernel(s, MNP_SELECT_COUNT));
    MNP_TRY(load_kernel(s, MNP_SELECT_PICK));
    return load_kernel(s, MNP_SELECT_VALUES);
}

static mnp_status run(selection *s, int task, int64_t blocks)
{
    mnp__device *device = s->ctx->device;
    const int64_t most = 0x7fffffff;
    const mnp__launch launch = {.grid = {(unsigned)mnp__min(blocks, most), 1, 1}, .block = {threads(task), 1, 1}};
    if (blocks == 0)
        return MNP_OK;
    return device->ops->launch(device, s->kernels[task], &launch, &s->params, sizeof s->params, s->ctx->compute);
}

/* ---- the sieve ---- */

/* Targets next to each other are sought together where a line is sieved, and all where it is not. */
static void choose_groups(selection *s)
{
    mnp_select_params *p = &s->params;
    p->groups = 0;
    for (int t = 0; t < p->targets; t++)
        if (t == 0 || (s->sieves && p->ranks[t] - p->ranks[p->begins[p->groups - 1]] > NEAR))
            p->begins[p->groups++] = t;
    p->begins[p->groups] = p->targets;
}

/* How far from where it is likely to be in a sorted sample an element may be: as the kernel has it. */
static double spread(double at, double drawn)
{
    return 3.5 * sqrt(at * (1 - at / drawn)) + 2;
}

/*
 * After how many rounds so few elements are likely to be left of a group that one block finds the sought ones.  After a
 * sample the next round lists what is between two numbers of it that are neighbours, unless indices matter.
 */
static int count_rounds(const selection *s, int group)
{
    const mnp_select_params *p = &s->params;
    const double few = p->first > MNP_SELECT_SORTED / 2 ? 0 : 0.7 * MNP_SELECT_ALONE;
    const double neighbours = s->numbered ? 32 / (double)mnp_dtype_size(s->dtype) : 1;
    double size = (double)p->length, first = (double)p->ranks[p->begins[group]];
    const double apart = (double)p->ranks[p->begins[group + 1] - 1] - first;
    for (int rounds = 0; rounds < MOST_ROUNDS; rounds += s->numbered ? 1 : 2) {
        const double drawn = MNP_SELECT_SORTED * (size < neighbours * MNP_SELECT_SORTED ? 1 : neighbours);
        const double at = first * drawn / size, end = (first + apart) * drawn / size;
        const double low = s->numbered ? 0 : fmax(floor(at - spread(at, drawn)), 0);
        const double high = fmin(ceil(end + spread(end, drawn)), drawn), listed = (high - low) / drawn * size;
        if (size < few || listed > size / 2)
            return rounds;
        if (listed < few)
            return rounds + 1;
        first = s->numbered ? first : size / drawn;
        size = s->numbered ? listed : 2 * size / drawn;
    }
    return MOST_ROUNDS;
}

/* Lines are sieved that are long, unless many of their elements are wanted; warps gather indices of 32 bits. */
static void choose_sieve(selection *s)
{
    mnp_select_params *p = &s->params;
    s->sieves =
        p->length >= LEAST_SIEVED && p->first <= p->length / 64 && (!s->numbered || p->length <= (int64_t)UINT32_MAX);
    choose_groups(s);
    p->rounds = 0;
    for (int g = 0; g < p->groups && s->sieves; g++) {
        const int rounds = count_rounds(s, g);
        p->rounds = rounds > p->rounds ? rounds : p->rounds;
    }
}

static int64_t count_sievers(const selection *s, int64_t sources, int64_t size)
{
    const int64_t tile = THREADS * items(s, MNP_SELECT_SIEVE);
    return mnp__clamp(SIEVERS / mnp__max(sources, 1), 1, mnp__divide_up(size, tile));
}

static mnp_status run_sieve(selection *s)
{
    mnp_select_params *p = &s->params;
    for (p->round = 0; p->round <= p->rounds; p->round++) {
        const int64_t sources = p->round == 0 ? p->lines : p->lines * p->groups;
        const int64_t size = p->round == 0 ? p->length : p->sieved[(p->round + 1) % 2].room;
        p->sievers = (int)count_sievers(s, sources, size);
        MNP_TRY(run(s, MNP_SELECT_SAMPLE, p->lines * p->groups));
        if (p->round < p->rounds)
            MNP_TRY(run(s, MNP_SELECT_SIEVE, sources * p->sievers));
    }
    return MNP_OK;
}

/* ---- teams ---- */

/* How many blocks select from a line together. */
static void choose_team(selection *s)
{
    mnp_select_params *p = &s->params;
    const int64_t some = mnp__divide_up(p->length, 2 * THREADS * items(s, MNP_SELECT_TEAM));
    const int64_t all = s->sieves ? MEMBERS / 2 : MEMBERS; /* which find nothing left to do, mostly */
    const int64_t each = p->lines > 0 ? all / p->lines : 1;
    p->members = (int)mnp__clamp(each, 1, mnp__max(some, 1));
}

/* ---- memory ---- */

static void place_list(const selection *s, int64_t lists, int64_t room, char *base, size_t *used, mnp_select_list *list)
{
    const size_t count = (size_t)(lists * room);
    list->room = room;
    list->numbers = mnp__sort_deal(base, used, count * mnp_dtype_size(s->dtype));
    if (s->numbered)
        list->places = mnp__sort_deal(base, used, count * sizeof *list->places);
}

/* Returns how much there is; what must be 0 at first are the first *zeros bytes. */
static size_t place(selection *s, char *base, size_t *zeros)
{
    mnp_select_params *p = &s->params;
    const size_t lines = (size_t)p->lines, states = lines * (size_t)p->targets, teams = lines * (size_t)p->groups;
    const bool passes = !s->kernels[MNP_SELECT_TEAM] || p->members > 1;                        /* each has a launch */
    const int64_t part = mnp__divide_up(mnp__min(p->few, p->length), LEAST_ROOM) * LEAST_ROOM; /* vectors begin there */
    size_t used = 0;
    p->states = mnp__sort_deal(base, &used, passes ? states * sizeof *p->states : 0);
    p->progress = mnp__sort_deal(base, &used, passes ? teams * sizeof *p->progress : 0);
    p->counts = mnp__sort_deal(base, &used, passes ? states * MNP_SELECT_DIGITS * sizeof *p->counts : 0);
    p->list.count = mnp__sort_deal(base, &used, teams * sizeof *p->list.count);
    p->found = mnp__sort_deal(base, &used, lines * sizeof *p->found);
    *zeros = used;
    p->ranges = NULL;
    if (!s->sieves) {
        place_list(s, p->lines, part, base, &used, &p->list);
        return used;
    }
    p->ranges = mnp__sort_deal(base, &used, teams * sizeof *p->ranges);
    if (!s->numbered) {
        p->bounds = mnp__sort_deal(base, &used, teams * MNP_SELECT_BINS * mnp_dtype_size(s->dtype));
        p->tallies = mnp__sort_deal(base, &used, teams * MNP_SELECT_BINS * sizeof *p->tallies);
    }
    place_list(s, (int64_t)teams, part, base, &used, &p->sieved[0]);
    place_list(s, (int64_t)teams, part / LEAST_ROOM / 2 * LEAST_ROOM + LEAST_ROOM, base, &used, &p->sieved[1]);
    return used;
}

static mnp_status make_room(selection *s)
{
    mnp__device *device = s->ctx->device;
    size_t zeros;
    s->params.groups = 1;
    if (s->kernels[MNP_SELECT_TEAM]) {
        choose_sieve(s);
        choose_team(s);
    }
    const size_t bytes = place(s, NULL, &zeros);
    MNP_TRY(device->ops->alloc(device, bytes, &s->scratch));
    (void)place(s, s->scratch, &zeros);
    return device->ops->fill(device, s->scratch, 0, zeros, s->ctx->compute);
}

/* ---- passes ---- */

static int passes_of(int bits)
{
    return (int)mnp__divide_up(bits, MNP_SELECT_BITS);
}

static mnp_select_digit digit_of_pass(const mnp_select_params *p, int pass)
{
    int word = 0;
    while (pass >= passes_of(p->bits[word]))
        pass -= passes_of(p->bits[word++]);
    const int above = p->bits[word] - pass * MNP_SELECT_BITS, bits = above < MNP_SELECT_BITS ? above : MNP_SELECT_BITS;
    return (mnp_select_digit){word, above - bits, bits};
}

/* Describe the words of an element, of its number, and where indices matter, of its index; and their digits. */
static void choose_words(selection *s)
{
    mnp_select_params *p = &s->params;
    const int size = (int)mnp_dtype_size(s->dtype), words = size > 8 ? 2 : 1;
    int bits = 1;
    for (int w = 0; w < words; w++)
        p->bits[w] = size / words * 8;
    while (bits < 62 && (int64_t)1 << bits < p->length)
        bits++;
    if (s->numbered)
        p->bits[words] = bits;
    p->passes = 0;
    for (int w = 0; w < MNP_SELECT_WORDS; w++)
        p->passes += passes_of(p->bits[w]);
    for (int pass = 0; pass < p->passes; pass++)
        p->digits[pass] = digit_of_pass(p, pass);
}

/* Lines have `extent` elements on all ranks that share them. */
static void choose_chunk(selection *s, int64_t extent)
{
    mnp_select_params *p = &s->params;
    const int64_t each = p->lines > 0 ? mnp__divide_up(CHUNKS, p->lines) : 1, part = extent / 8;
    p->chunk = on_host(s->ctx) ? 4 * LEAST_CHUNK : mnp__divide_up(p->length, each);
    p->chunk = mnp__divide_up(p->chunk, LEAST_CHUNK) * LEAST_CHUNK;
    p->few = s->group ? part : mnp__max(part, LEAST_ROOM);
}

static int64_t count_chunks(const mnp_select_params *p)
{
    return p->lines * mnp__divide_up(p->length, p->chunk);
}

/* A team of several has a launch for each pass, and a last one for the elements up to the sought one. */
static mnp_status run_teams(selection *s)
{
    mnp_select_params *p = &s->params;
    const int launches = p->members > 1 ? p->passes + s->numbered : 1;
    if (s->sieves)
        MNP_TRY(run_sieve(s));
    for (p->pass = 0; p->pass < launches; p->pass++)
        MNP_TRY(run(s, MNP_SELECT_TEAM, p->lines * p->groups * p->members));
    return MNP_OK;
}

static mnp_status run_passes(selection *s)
{
    mnp_select_params *p = &s->params;
    const int64_t chunks = count_chunks(p), counts = p->lines * p->targets * MNP_SELECT_DIGITS;
    mnp_status st = MNP_OK;
    if (s->kernels[MNP_SELECT_TEAM])
        return run_teams(s);
    for (p->pass = 0; p->pass < p->passes; p->pass++) {
        if (st == MNP_OK)
            st = run(s, MNP_SELECT_COUNT, chunks);
        if (s->group) /* even after an error here, as the others wait */
            MNP_TRY(mnp_comm_all_reduce(s->group, p->counts, p->counts, counts, MNP_INT64, MNP_SUM));
        if (st == MNP_OK)
            st = run(s, MNP_SELECT_PICK, p->lines);
    }
    MNP_TRY(st);
    return run(s, MNP_SELECT_VALUES, mnp__divide_up(p->lines * p->targets, 256));
}

/* ---- positions of all lines ---- */

bool mnp__select_pays(const mnp_array *x, int axis, int count)
{
    const mnp_layout *layout = x->layout;
    const int parts = mnp_layout_parts(layout, axis);
    const int64_t sorted = mnp_dtype_size(x->dtype) > 8 ? LONGEST_SORTED / 2 : LONGEST_SORTED;
    const int64_t least = parts > 1 ? LEAST_PART : on_host(x->ctx) ? 0 : sorted + 1;
    return count <= MOST_POSITIONS && layout->shape[axis] / parts >= least;
}

/* Select at most MNP_SELECT_TARGETS positions of the lines. */
static mnp_status select_some(selection *s, int count, const int64_t *positions, void *values)
{
    mnp_ctx *ctx = s->ctx;
    s->params.values = values;
    s->params.targets = count;
    for (int t = 0; t < count; t++)
        s->params.ranks[t] = positions[t];
    if (s->kernels[MNP_SELECT_SHORT])
        return MNP_AGREE(ctx, run(s, MNP_SELECT_SHORT, s->params.lines));
    mnp_status st = MNP_AGREE(ctx, make_room(s));
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, run_passes(s));
    ctx->device->ops->free(ctx->device, s->scratch);
    s->scratch = NULL;
    return st;
}

static mnp_status select_all(const mnp_array *x, int count, const int64_t *positions, mnp_array *selected)
{
    const int last = x->layout->ndim - 1;
    const size_t size = mnp_dtype_size(x->dtype);
    mnp__input input;
    selection s = {.ctx = x->ctx, .dtype = x->dtype, .params = {.lines = 1, .row = count}};
    const bool shared = mnp_layout_parts(x->layout, last) > 1;
    MNP_TRY(load_kernels(&s, shared, x->layout->shape[last]));
    if (shared)
        MNP_TRY(mnp__comm_along(x->ctx->world, x->layout->mesh_ndim, x->layout->mesh, 1U << x->layout->axes[last],
                                &s.group));
    MNP_TRY(mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE, &input));
    for (int d = 0; d < last; d++)
        s.params.lines *= x->local_shape[d];
    if (selected->local_size == 0) /* a line that other ranks have, or share */
        s.params.lines = 0;
    s.params.keys = input.array->data;
    s.params.length = x->local_shape[last];
    choose_words(&s);
    choose_chunk(&s, x->layout->shape[last]);
    mnp_status st = MNP_OK;
    for (int i = 0; i < count && st == MNP_OK; i += MNP_SELECT_TARGETS)
        st = select_some(&s, count - i < MNP_SELECT_TARGETS ? count - i : MNP_SELECT_TARGETS, positions + i,
                         (char *)selected->data + (size_t)i * size);
    mnp__input_close(&input);
    return st;
}

mnp_status mnp__select(const mnp_array *x, int axis, int count, const int64_t *positions, mnp_array **selected_p)
{
    const int last = x->layout->ndim - 1;
    mnp_array *turned = NULL, *selected = NULL;
    mnp_layout *layout = NULL;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_status st;
    MNP_TRY(mnp__sort_turn(x, axis, &turned));
    for (int d = 0; d < last; d++)
        dims[d] = mnp__layout_dim_of(turned->layout, d);
    dims[last] = mnp__layout_dim_whole(count);
    MNP_TRY_OR(MNP_AGREE(x->ctx, mnp__layout_derive(turned->layout, last + 1, dims, &layout)), st, done);
    MNP_TRY_OR(mnp_array_new(x->ctx, x->dtype, layout, &selected), st, done);
    MNP_TRY_OR(select_all(turned, count, positions, selected), st, done);
    st = mnp_moveaxis(selected, -1, axis, selected_p);
done:
    mnp_layout_free(layout);
    mnp_free_all(turned, selected);
    return st;
}

/* ---- the first elements of a rank's own lines ---- */

/* Sort what was found, which is in no order where it is much: equal elements by their indices. */
static mnp_status sort_found(mnp_ctx *ctx, const mnp__radix_sort *found)
{
    const mnp__radix_sort by_index = {.dtype = MNP_INT64,
                                      .lines = found->lines,
                                      .length = found->first,
                                      .keys = found->sorted_payload,
                                      .sorted = found->sorted_payload,
                                      .payload_size = mnp_dtype_size(found->dtype),
                                      .payload = found->sorted,
                                      .sorted_payload = found->sorted};
    const mnp__radix_sort by_key = {.dtype = found->dtype,
                                    .descending = found->descending,
                                    .lines = found->lines,
                                    .length = found->first,
                                    .keys = found->sorted,
                                    .sorted = found->sorted,
                                    .payload_size = sizeof(int64_t),
                                    .payload = found->sorted_payload,
                                    .sorted_payload = found->sorted_payload};
    MNP_TRY(mnp__radix_sort_run(ctx, &by_index));
    return mnp__radix_sort_run(ctx, &by_key);
}

static mnp_status find_first(selection *s)
{
    mnp_status st = MNP_OK;
    if (s->params.lines == 0 || s->params.length == 0)
        return MNP_OK;
    choose_words(s);
    choose_chunk(s, s->params.length);
    st = make_room(s);
    if (st == MNP_OK)
        st = run_passes(s);
    s->ctx->device->ops->free(s->ctx->device, s->scratch);
    return st;
}

mnp_status mnp__select_first(mnp_ctx *ctx, const mnp__radix_sort *local_sort)
{
    selection s = {.ctx = ctx,
                   .dtype = local_sort->dtype,
                   .numbered = true,
                   .params = {.keys = local_sort->keys,
                              .lines = local_sort->lines,
                              .length = local_sort->length,
                              .descending = local_sort->descending,
                              .targets = 1,
                              .ranks = {local_sort->first - 1},
                              .values = local_sort->sorted,
                              .indices = local_sort->sorted_payload,
                              .number = local_sort->number,
                              .first = local_sort->first}};
    MNP_TRY(load_kernels(&s, false, s.params.length));
    s.params.sorts = s.params.first <= MNP_SELECT_SORTED && s.params.lines <= MEMBERS; /* many are sorted together */
    MNP_TRY(MNP_AGREE(ctx, find_first(&s)));
    return s.params.sorts ? MNP_OK : sort_found(ctx, local_sort);
}
