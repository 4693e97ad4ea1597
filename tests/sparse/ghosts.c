/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts: every rank receives the elements that it needs of other ranks' parts, for several patterns of needs and
 * elements of all sizes, in hundreds of exchanges without a wait in between; by messages, and by stores on GPUs that
 * share the heap.  Products recorded in a graph exchange them too.
 */
#include "sparse/matrix/ghosts.h"

#include <maniple.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "layout/layout.h"
#include "sparse/matrix/sparse.h"

enum { VERSIONS = 3, MOST_RANKS = 16, PATTERNS = 6, LAUNCHES = 100 };

/* ---- who wants what ---- */

static unsigned mix(unsigned a, unsigned b, unsigned c)
{
    unsigned h = a * 2654435761u + b * 2246822519u + c * 3266489917u;
    h = (h ^ h >> 15) * 2246822519u;
    return h ^ h >> 13;
}

/* Whether a rank wants a column of `owner`, number `at` of its own. */
typedef bool (*pattern)(int rank, int ranks, int owner, int64_t at, int64_t length);

static bool planes(int rank, int ranks, int owner, int64_t at, int64_t length)
{
    (void)ranks;
    return (owner == rank - 1 && at >= length / 2) || (owner == rank + 1 && at < length / 3);
}
static bool one_sided(int rank, int ranks, int owner, int64_t at, int64_t length)
{
    (void)ranks;
    return owner == rank - 1 && at > length / 3;
}
static bool of_the_first(int rank, int ranks, int owner, int64_t at, int64_t length)
{
    (void)rank, (void)ranks, (void)length;
    return owner == 0 && at % 3 != 1;
}
static bool by_the_last(int rank, int ranks, int owner, int64_t at, int64_t length)
{
    (void)owner, (void)at, (void)length;
    return rank == ranks - 1;
}
static bool all_of_all(int rank, int ranks, int owner, int64_t at, int64_t length)
{
    (void)rank, (void)ranks, (void)owner, (void)at, (void)length;
    return true;
}
static bool scattered(int rank, int ranks, int owner, int64_t at, int64_t length)
{
    (void)length;
    return mix((unsigned)rank, (unsigned)(owner * ranks), (unsigned)at) % 4 == 0;
}

static const struct {
    const char *name;
    pattern wants;
} patterns[PATTERNS] = {{"both neighbours", planes},         {"the rank before", one_sided},
                        {"all the first one", of_the_first}, {"the last one all", by_the_last},
                        {"all everything", all_of_all},      {"at random", scattered}};

/* Columns are cut unevenly; of few columns, ranks have none at all. */
static void cut(int ranks, int64_t columns, int64_t *cuts)
{
    cuts[0] = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t left = columns - cuts[r], share = columns / ranks + (r % 2 ? 37 : -36);
        cuts[r + 1] = cuts[r] + (share < 0 || r % 3 == 1 ? left / 3 : share < left ? share : left);
    }
    cuts[ranks] = columns;
}

/* Ghosts of this rank. */
struct wanted {
    mnp__ghosts *ghosts;
    int64_t count, *columns, first, length; /* its own columns: first .. first + length - 1 */
};

static struct wanted want(mnp_ctx *ctx, pattern wants, int64_t columns)
{
    const int rank = ctx->comm.rank, ranks = ctx->comm.size;
    int64_t cuts[MOST_RANKS + 1];
    mnp_layout *layout = NULL;
    struct wanted w = {.columns = malloc((size_t)columns * sizeof *w.columns)};
    cut(ranks, columns, cuts);
    w.first = cuts[rank];
    w.length = cuts[rank + 1] - cuts[rank];
    for (int owner = 0; owner < ranks; owner++) {
        for (int64_t j = cuts[owner]; owner != rank && j < cuts[owner + 1]; j++) {
            if (wants(rank, ranks, owner, j - cuts[owner], cuts[owner + 1] - cuts[owner]))
                w.columns[w.count++] = j;
        }
    }
    MNP_OR_EXIT(mnp__layout_line(ranks, 1, &columns, cuts, &layout));
    MNP_OR_EXIT(mnp__ghosts_new(ctx, layout, w.count, w.columns, &w.ghosts));
    mnp_layout_free(layout);
    return w;
}

static void want_no_more(struct wanted *w)
{
    mnp__ghosts_free(w->ghosts);
    free(w->columns);
}

/* ---- vectors ---- */

/* Elements of a size, several of them side by side. */
struct kind {
    size_t size;
    int64_t width;
};

/* Row `column` of a version of the vectors. */
static void write_row(const struct kind *kind, int64_t column, int version, unsigned char *row)
{
    for (size_t b = 0; b < kind->size * (size_t)kind->width; b += 4) {
        const unsigned word = mix((unsigned)column, (unsigned)version, (unsigned)b);
        memcpy(row + b, &word, sizeof word);
    }
}

/* Rounds of exchanges of one kind. */
struct exchanges {
    mnp_ctx *ctx;
    const struct wanted *wanted;
    struct kind kind;
    int rounds;
    size_t part, ghosts; /* bytes */
    /* device memory: parts of all versions, that which is exchanged, ghosts of all rounds */
    char *versions, *x, *found;
};

static char *device_memory(mnp_ctx *ctx, size_t size)
{
    void *memory;
    MNP_OR_EXIT(ctx->device->ops->alloc(ctx->device, size, &memory));
    return memory;
}

/* x does not begin where all accesses are aligned, but for an element's. */
static void open_exchanges(struct exchanges *e)
{
    mnp_ctx *ctx = e->ctx;
    const size_t row = e->kind.size * (size_t)e->kind.width;
    e->part = (size_t)e->wanted->length * row;
    e->ghosts = (size_t)e->wanted->count * row;
    e->versions = device_memory(ctx, VERSIONS * e->part);
    e->x = device_memory(ctx, e->part + e->kind.size);
    e->found = device_memory(ctx, (size_t)e->rounds * e->ghosts);
    unsigned char *rows = malloc(VERSIONS * e->part + 1);
    for (int version = 0; version < VERSIONS; version++) {
        for (int64_t i = 0; i < e->wanted->length; i++)
            write_row(&e->kind, e->wanted->first + i, version, rows + (size_t)version * e->part + (size_t)i * row);
    }
    MNP_OR_EXIT(ctx->device->ops->copy(ctx->device, e->versions, rows, VERSIONS * e->part, ctx->compute));
    MNP_OR_EXIT(mnp__ctx_wait(ctx, ctx->compute));
    free(rows);
}

static void close_exchanges(struct exchanges *e)
{
    e->ctx->device->ops->free(e->ctx->device, e->versions);
    e->ctx->device->ops->free(e->ctx->device, e->x);
    e->ctx->device->ops->free(e->ctx->device, e->found);
}

/* One exchange, enqueued; x is another version from round to round. */
static mnp_status exchange(struct exchanges *e, int round)
{
    mnp_ctx *ctx = e->ctx;
    char *x = e->x + e->kind.size;
    const void *values;
    MNP_TRY(ctx->device->ops->copy(ctx->device, x, e->versions + (size_t)(round % VERSIONS) * e->part, e->part,
                                   ctx->compute));
    MNP_TRY(mnp__ghosts_begin(e->wanted->ghosts, e->kind.size, e->kind.width, x));
    MNP_TRY(mnp__ghosts_finish(e->wanted->ghosts, &values));
    return ctx->device->ops->copy(ctx->device, e->found + (size_t)round * e->ghosts, values, e->ghosts, ctx->compute);
}

/* How many rounds received wrong values. */
static int count_wrong(const struct exchanges *e)
{
    mnp_ctx *ctx = e->ctx;
    const size_t row = e->kind.size * (size_t)e->kind.width, bytes = (size_t)e->rounds * e->ghosts;
    unsigned char *found = malloc(bytes + 1), *right = malloc(VERSIONS * e->ghosts + 1);
    int wrong = 0;
    MNP_OR_EXIT(ctx->device->ops->copy(ctx->device, found, e->found, bytes, ctx->compute));
    MNP_OR_EXIT(mnp__ctx_wait(ctx, ctx->compute));
    for (int version = 0; version < VERSIONS; version++) {
        for (int64_t i = 0; i < e->wanted->count; i++)
            write_row(&e->kind, e->wanted->columns[i], version, right + (size_t)version * e->ghosts + (size_t)i * row);
    }
    for (int round = 0; round < e->rounds; round++) {
        const size_t at = (size_t)round * e->ghosts, version = (size_t)(round % VERSIONS);
        wrong += memcmp(found + at, right + version * e->ghosts, e->ghosts) != 0;
    }
    free(found);
    free(right);
    return wrong;
}

/* ---- exchanges ---- */

/* Rounds of exchanges by `count` patterns in turn, of those kinds of elements; ranks are late now and then. */
static void check_exchanges(mnp_ctx *ctx, int count, const struct wanted *wanted, const struct kind *kinds, int rounds,
                            const char *what)
{
    struct exchanges all[PATTERNS];
    mnp_status st = MNP_OK;
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        all[i] = (struct exchanges){.ctx = ctx, .wanted = &wanted[i], .kind = kinds[i], .rounds = rounds};
        open_exchanges(&all[i]);
    }
    for (int round = 0; round < rounds && st == MNP_OK; round++) {
        if (mix((unsigned)ctx->comm.rank, (unsigned)round, 0) % 23 == 0)
            usleep(500);
        for (int i = 0; i < count && st == MNP_OK; i++)
            st = exchange(&all[i], round);
    }
    for (int i = 0; i < count; i++) {
        wrong += st == MNP_OK ? count_wrong(&all[i]) : 1;
        close_exchanges(&all[i]);
    }
    ok(st == MNP_OK && wrong == 0, "%s, %lld of %zu bytes, %d rounds: %d wrong%s", what, (long long)kinds[0].width,
       kinds[0].size, rounds, wrong, st == MNP_OK ? "" : mnp_error_message());
}

/* Kinds of elements, more than are cached, so that some are forgotten, and asked for again. */
static void check_patterns(mnp_ctx *ctx, int64_t columns, int kinds)
{
    static const size_t sizes[] = {8, 4, 16};
    for (int p = 0; p < PATTERNS; p++) {
        struct wanted w = want(ctx, patterns[p].wants, columns);
        for (int k = 0; k < kinds; k++) {
            const struct kind kind = {sizes[k % 3], k / 3 % 2 ? 3 : 1};
            check_exchanges(ctx, 1, &w, &kind, k == 0 ? 12 : 4, patterns[p].name);
        }
        want_no_more(&w);
    }
}

/* Several patterns at the same time, in hundreds of exchanges without a wait. */
static void check_turns(mnp_ctx *ctx)
{
    static const struct kind kinds[] = {{8, 1}, {16, 1}, {4, 3}, {4, 1}};
    struct wanted wanted[4];
    for (int i = 0; i < 4; i++)
        wanted[i] = want(ctx, patterns[i + 1].wants, 700 + i);
    check_exchanges(ctx, 4, wanted, kinds, 300, "four take turns");
    for (int i = 0; i < 4; i++)
        want_no_more(&wanted[i]);
}

/* Rows that are large, and not a power of two wide. */
static void check_wide(mnp_ctx *ctx)
{
    struct wanted w = want(ctx, scattered, 30011);
    check_exchanges(ctx, 1, &w, &(struct kind){4, 51}, 4, "wide rows");
    want_no_more(&w);
}

/* ---- graphs ---- */

/* Ones on a few diagonals. */
static mnp_sparse *make_matrix(mnp_ctx *ctx, int64_t n, int npoints, const int64_t *offsets)
{
    const double ones[] = {1, 1, 1, 1};
    mnp_sparse *matrix = NULL;
    MNP_OR_EXIT(mnp_csr_from_stencil(ctx, MNP_FLOAT64, 1, &n, NULL, npoints, offsets, ones, &matrix));
    return matrix;
}

/*
 * y = A x is recorded and launched with x changing, without a wait; so is z = z + y, whose result has them all.  The
 * same is (A (sum of the x)), of integers.
 */
static bool launch_all(mnp_ctx *ctx, const mnp_sparse *matrix, mnp_array *x, mnp_array *step, mnp_array **y_p,
                       mnp_array **z_p)
{
    mnp_graph *graph = NULL;
    bool good = mnp_sparse_matmul(matrix, x, y_p) == MNP_OK && mnp_copy(*y_p, z_p) == MNP_OK &&
                mnp_add(*z_p, *y_p, z_p) == MNP_OK && mnp_subtract(*z_p, *y_p, z_p) == MNP_OK &&
                mnp_add(x, step, &x) == MNP_OK; /* round 0, by plain calls, which also compile */
    good = good && mnp_graph_begin(ctx) == MNP_OK;
    if (good) {
        good = mnp_sparse_matmul(matrix, x, y_p) == MNP_OK && mnp_add(*z_p, *y_p, z_p) == MNP_OK;
        good = mnp_graph_end(ctx, &graph) == MNP_OK && good;
    }
    for (int i = 1; i < LAUNCHES && good; i++) {
        if (mix((unsigned)mnp_ctx_rank(ctx), (unsigned)i, 1) % 23 == 0)
            usleep(500);
        good = mnp_graph_launch(graph) == MNP_OK && mnp_add(x, step, &x) == MNP_OK;
    }
    mnp_graph_free(graph);
    return good;
}

static void check_graph(mnp_ctx *ctx, int64_t n, int npoints, const int64_t *offsets, const char *what)
{
    mnp_sparse *matrix = make_matrix(ctx, n, npoints, offsets);
    mnp_array *x = NULL, *step = NULL, *y = NULL, *z = NULL;
    double *got = malloc((size_t)n * sizeof *got);
    int64_t wrong = 0;
    if (!mnp__ghosts_enqueues(matrix->ghosts)) {
        skip(what, "ghosts travel by messages");
    } else {
        MNP_OR_EXIT(mnp_fromfunction(ctx, "i0 % 1009 + 0.0", MNP_FLOAT64, 1, &n, &x));
        MNP_OR_EXIT(mnp_fromfunction(ctx, "i0 % 31 - 10.0", MNP_FLOAT64, 1, &n, &step));
        const bool good = launch_all(ctx, matrix, x, step, &y, &z);
        MNP_OR_EXIT(mnp_array_to_host(good ? z : x, MNP_ALL_RANKS, got));
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < npoints; k++) {
                const int64_t j = i + offsets[k];
                if (j >= 0 && j < n)
                    sum += LAUNCHES * (double)(j % 1009) + LAUNCHES * (LAUNCHES - 1) / 2 * ((double)(j % 31) - 10);
            }
            wrong += sum != got[i];
        }
        ok(good && wrong == 0, "%s, launched %d times: %lld wrong%s", what, LAUNCHES - 1, (long long)wrong,
           good ? "" : mnp_error_message());
    }
    mnp_free_all(x, step, y, z);
    mnp_sparse_free(matrix);
    free(got);
}

static void check_graphs(mnp_ctx *ctx)
{
    static const int64_t plane[] = {-256, -1, 0, 256}, before[] = {-70, -3, 0}, behind[] = {0, 300000};
    if (!ctx->device->ops->graph_begin) {
        skip("products in graphs", "the host device has none");
        return;
    }
    check_graph(ctx, 1200, 4, plane, "a product in a graph");
    check_graph(ctx, 1000, 3, before, "a lower triangle in a graph");
    check_graph(ctx, 600001, 2, behind, "a long product in a graph");
}

int main(int argc, char **argv)
{
    const bool briefly = argc > 1 && strcmp(argv[1], "briefly") == 0; /* under tools that slow it down */
    mnp_ctx *ctx = NULL;
    MPI_Init(&argc, &argv);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    check_patterns(ctx, 500, 7);
    check_patterns(ctx, 3, 7);
    if (!briefly) {
        check_turns(ctx);
        check_patterns(ctx, 400003, 3); /* too many for words beside numbers (kernels/sparse/matrix/p2p_ghosts.cu) */
        check_wide(ctx);
    }
    check_graphs(ctx);
    const int status = done_testing();
    mnp_finalize(ctx);
    MPI_Finalize();
    return status;
}
