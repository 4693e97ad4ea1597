/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix-free operators: a kernel over a grid, from a C++ body that computes y at a point from x around it.
 *
 * The points of the grid are numbered in C order, and cut evenly by number, not by planes.  A neighbour is at most
 * `width` numbers away, so a rank's ghosts are up to that many points before and after its part, where the last point
 * is before the first one if the first dimension is periodic.  Points that need no ghosts are computed while ghosts
 * travel, then those at both ends of the part.
 *
 * Everything that is found once is found when an operator is made: bodies are compiled, the arrays that they name are
 * redistributed and receive their ghosts, and one exchange is made, so that later ones find their plan.
 */
#include "sparse/operator/operator_kernel.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/view.h>

#include "array/input.h"
#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/operator/operator_kernel_params.h"
#include "layout/layout.h"
#include "ops/custom/custom.h"
#include "sparse/matrix/sparse.h"

enum {
    MOST_ARRAYS = MNP_GRID_ARRAYS - 1,
    WORTH_A_WORKER = 8192, /* points, on the host */
    WORTH_A_LINE =
        1 << 20,        /* points of a rank: below, threads of a GPU compute two each, so that there are more of them */
    MOST_BLOCKS = 65535 /* along a dimension of a launch but the first */
};
_Static_assert(MNP_GRID_DIMS >= MNP_MAX_DIMS, "the kernel's parameter has room for all dimensions");

/* One direction's kernels: for points whose neighbours are all this rank's, and for others; the context's. */
struct kernels {
    mnp__kernel *own, *edges;
    int own_along; /* points of a GPU's thread */
};

enum { EDGES_ALONG = 2 }; /* they are few planes */

struct grid {
    int ndim;
    struct kernels kernels[2];  /* of A, of A^H */
    mnp_grid_params params;     /* complete but for x, y, and what is to be computed */
    int64_t inner_lo, inner_hi; /* points of this rank that need no ghosts */
    mnp__ghosts *ghosts;        /* NULL: no rank has any */
    int narrays;
    mnp_array *arrays[MOST_ARRAYS];
    void *array_ghosts[MOST_ARRAYS]; /* device memory */
};

/* ---- applying ---- */

static void set_range(const struct grid *grid, mnp_grid_params *params, int r, int64_t begin, int64_t end)
{
    const int64_t plane = grid->params.stride[0];
    params->begin[r] = begin;
    params->end[r] = end;
    params->first_plane[r] = begin < end ? begin / plane : 0;
    params->end_plane[r] = begin < end ? (end - 1) / plane + 1 : 0;
}

static unsigned count_blocks(int64_t n, int64_t size, int64_t most)
{
    const int64_t blocks = mnp__divide_up(n, size);
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

/* On a GPU a block for every tile of the larger range, on the host as many workers as are worth it. */
static mnp__launch launch_of(const mnp_ctx *ctx, const struct grid *grid, const mnp_grid_params *params, int along)
{
    const int64_t count[2] = {params->end[0] - params->begin[0], params->end[1] - params->begin[1]};
    mnp__launch launch = {.grid = {1, 1, 1}, .block = {MNP_GRID_THREADS, 1, 1}};
    if (ctx->device->block_memory == 0) {
        launch.grid[0] = count_blocks(count[0] + count[1], WORTH_A_WORKER, INT_MAX);
    } else if (grid->ndim == 1) {
        launch.grid[0] = count_blocks(mnp__max(count[0], count[1]), MNP_GRID_THREADS * along, INT_MAX);
    } else {
        const int64_t planes =
            mnp__max(params->end_plane[0] - params->first_plane[0], params->end_plane[1] - params->first_plane[1]);
        launch.grid[0] = count_blocks(params->shape[grid->ndim - 1], 1 << params->tile_bits, INT_MAX);
        launch.grid[1] = count_blocks(params->rows, MNP_GRID_THREADS >> params->tile_bits, MOST_BLOCKS);
        launch.grid[2] = count_blocks(planes, along, MOST_BLOCKS);
    }
    return launch;
}

static mnp_status run(const mnp_operator *op, mnp__kernel *kernel, int along, const mnp_grid_params *params)
{
    mnp_ctx *ctx = op->ctx;
    if (params->begin[0] >= params->end[0] && params->begin[1] >= params->end[1])
        return MNP_OK;
    const mnp__launch launch = launch_of(ctx, op->data, params, along);
    return ctx->device->ops->launch(ctx->device, kernel, &launch, params, sizeof *params, ctx->compute);
}

static mnp_status apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const struct grid *grid = op->data;
    const struct kernels *kernels = &grid->kernels[adjoint];
    mnp_grid_params params = grid->params;
    params.arrays[0].own = x->data;
    params.y = y->data;
    set_range(grid, &params, 0, grid->inner_lo, grid->inner_hi);
    if (!grid->ghosts)
        return run(op, kernels->own, kernels->own_along, &params);
    MNP_TRY(mnp__ghosts_begin(grid->ghosts, mnp_dtype_size(op->dtype), 1, x->data));
    mnp_status st = run(op, kernels->own, kernels->own_along, &params);
    /* also after a failure of the others */
    const mnp_status finished = mnp__ghosts_finish(grid->ghosts, &params.arrays[0].ghosts);
    if (st == MNP_OK)
        st = finished;
    set_range(grid, &params, 0, params.lo, grid->inner_lo);
    set_range(grid, &params, 1, grid->inner_hi, params.hi);
    return st == MNP_OK ? run(op, kernels->edges, EDGES_ALONG, &params) : st;
}

static void free_grid(mnp_operator *op)
{
    mnp__device *device = op->ctx->device;
    struct grid *grid = op->data;
    if (!grid)
        return;
    for (int k = 0; k < grid->narrays; k++) {
        mnp_array_free(grid->arrays[k]);
        device->ops->free(device, grid->array_ghosts[k]);
    }
    mnp__ghosts_free(grid->ghosts);
    free(grid);
}

static const mnp__operator_ops kernel_ops = {.what = "a kernel over a grid", .apply = apply, .free = free_grid};

/* ---- the kernels ---- */

static void add_array(mnp__text *text, int k, const char *name)
{
    mnp__text_add(text, "    const auto %s = mnp_at.array(%d);\n", name, k);
}

/* The body as a function of its own, with the names that it knows. */
static void add_body(mnp__text *text, const mnp__grid_request *request, bool adjoint)
{
    const char *called = adjoint ? "adjoint body" : "body";
    mnp__text_add(text, "typedef mnp_value T;\n"
                        "template <typename Point> static MNP_INLINE void mnp_body(const Point &mnp_at, T &mnp_y)\n{\n"
                        "    const int *const i = mnp_at.at.index, *const n = mnp_at.p.shape;\n    T y = T();\n");
    add_array(text, 0, "x");
    for (int k = 0; k < request->narrays; k++)
        add_array(text, k + 1, request->arrays[k].name);
    mnp__text_add(text, "    [&]() {\n#line 1 \"%s\"\n%s\n#line 1 \"behind the %s\"\n    ;}();\n    mnp_y = y;\n}\n",
                  called, request->body[adjoint], called);
}

/*
 * Whether a stencil is so small that the registers suffice with two blocks on a multiprocessor.  A compiler that is
 * told to use all of these loads more before it computes.
 */
static bool is_small(const mnp__grid_request *request)
{
    enum { FEW_POINTS = 9, FEW_BYTES = 8 };
    return request->ndim > 1 && request->points > 0 && request->points <= FEW_POINTS &&
           mnp_dtype_size(request->dtype) <= FEW_BYTES;
}

static void add_defines(mnp__text *text, const mnp__grid_request *request, bool edges, int along)
{
    mnp__text_add(text,
                  "#define MNP_VALUE %s\n#define MNP_NDIM %d\n#define MNP_GHOSTS %d\n#define MNP_ALONG %d\n"
                  "#define MNP_SMALL %d\n#define MNP_REACH {",
                  mnp__body_type(request->dtype), request->ndim, edges, along, is_small(request));
    for (int d = 0; d < request->ndim; d++)
        mnp__text_add(text, "%s%d", d > 0 ? ", " : "", request->reach[d] < INT_MAX ? (int)request->reach[d] : INT_MAX);
    mnp__text_add(text, "}\n#define MNP_BOUNDARIES {");
    for (int d = 0; d < request->ndim; d++)
        mnp__text_add(text, "%s%d", d > 0 ? ", " : "", (int)mnp__boundary_of(request->boundaries, d));
    mnp__text_add(text, "}\n");
}

static mnp_status load(const mnp__grid_request *request, bool adjoint, bool edges, int along, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room), generated = MNP__TEXT_EMPTY;
    add_defines(&defines, request, edges, along);
    add_body(&generated, request, adjoint);
    const mnp__kernel_spec spec = {.file = "sparse/operator/operator_kernel.cu", .function = "operator_kernel"};
    return mnp__ctx_kernel_of_text(request->ctx, &spec, &defines, &generated, kernel_p);
}

/* All that they depend on is alike on all ranks. */
static mnp_status load_kernels(const mnp__grid_request *request, bool adjoint, const struct grid *grid,
                               struct kernels *kernels)
{
    const bool many = request->n / request->ctx->comm.size >= WORTH_A_LINE;
    kernels->own_along = !many ? EDGES_ALONG : mnp_dtype_size(request->dtype) <= 8 ? 8 : 4;
    MNP_TRY(load(request, adjoint, false, kernels->own_along, &kernels->own));
    return grid->ghosts ? load(request, adjoint, true, EDGES_ALONG, &kernels->edges) : MNP_OK;
}

/* ---- ghosts ---- */

/* Numbers of points, first .. end - 1. */
struct span {
    int64_t first, end;
};

/*
 * The ghosts, in ascending order: points at the beginning of the grid, before this rank's part, after it, and at the
 * end of the grid.  The first and the last are what the others lack of the width where the first dimension is periodic.
 */
static void find_ghosts(const mnp__grid_request *request, int64_t lo, int64_t hi, struct span ghosts[4])
{
    const int64_t n = request->n, width = request->width;
    const bool is_periodic = mnp__boundary_of(request->boundaries, 0) == MNP_BOUNDARY_WRAP;
    const int64_t before = mnp__min(lo, width), after = n - hi < width ? n - hi : width;
    int64_t begin = is_periodic ? mnp__min(width - after, lo) : 0,
            end = is_periodic ? mnp__min(width - before, n - hi) : 0;
    ghosts[1] = (struct span){lo - before, lo};
    ghosts[2] = (struct span){hi, hi + after};
    if (begin >= ghosts[1].first) {
        ghosts[1].first = 0;
        begin = 0;
    }
    if (n - end <= ghosts[2].end) {
        ghosts[2].end = n;
        end = 0;
    }
    ghosts[0] = (struct span){0, begin};
    ghosts[3] = (struct span){n - end, n};
}

/* The ghosts of this rank's part, how they are found, and which points need none of them. */
static mnp_status list_ghosts(const mnp__grid_request *request, struct grid *grid, const mnp_layout *layout)
{
    mnp_grid_params *params = &grid->params;
    const int64_t lo = params->lo, hi = params->hi, width = request->width;
    struct span ghosts[4] = {{0, 0}};
    int64_t *columns, count = 0;
    if (lo < hi)
        find_ghosts(request, lo, hi, ghosts);
    const int64_t begin = ghosts[0].end, before = ghosts[1].end - ghosts[1].first,
                  after = ghosts[2].end - ghosts[2].first, end = ghosts[3].end - ghosts[3].first;
    MNP_TRY(mnp__malloc((size_t)(begin + before + after + end) * sizeof *columns, &columns));
    for (int s = 0; s < 4; s++)
        for (int64_t number = ghosts[s].first; number < ghosts[s].end; number++)
            columns[count++] = number;
    mnp_status st = mnp__ghosts_new(request->ctx, layout, count, columns, &grid->ghosts);
    free(columns);
    params->near_lo = ghosts[1].first;
    params->near_skip = ghosts[1].first - begin;
    params->far_skip = hi - begin - before;
    params->far_lo = ghosts[3].first;
    params->far_gap = ghosts[3].first - ghosts[2].end;
    if (before + end > 0)
        grid->inner_lo = hi - lo < width ? hi : lo + width;
    if (begin + after > 0)
        grid->inner_hi = hi - grid->inner_lo < width ? grid->inner_lo : hi - width;
    return st;
}

/* An exchange of that vector; what comes is kept. */
static mnp_status keep_ghosts(const mnp_operator *op, struct grid *grid, const mnp_array *vector, void *kept)
{
    mnp_ctx *ctx = op->ctx;
    const size_t size = mnp_dtype_size(op->dtype), bytes = size * (size_t)mnp__ghosts_count(grid->ghosts);
    const void *ghosts;
    MNP_TRY(mnp__ghosts_begin(grid->ghosts, size, 1, vector->data));
    MNP_TRY(mnp__ghosts_finish(grid->ghosts, &ghosts));
    return bytes > 0 && kept ? ctx->device->ops->copy(ctx->device, kept, ghosts, bytes, ctx->compute) : MNP_OK;
}

/* A first exchange of undefined values, which makes the plan. */
static mnp_status exchange_once(const mnp_operator *op, struct grid *grid)
{
    mnp_array *vector;
    MNP_TRY(mnp_array_new(op->ctx, op->dtype, op->column_layout, &vector));
    mnp_status st = keep_ghosts(op, grid, vector, NULL);
    mnp_array_free(vector);
    return st;
}

/* ---- the vectors that bodies name ---- */

/* One of them in the operator's dtype and layout, with its ghosts. */
static mnp_status bring_array(const mnp__grid_request *request, const mnp_operator *op, int k)
{
    struct grid *grid = op->data;
    mnp_ctx *ctx = op->ctx;
    const mnp_array *array = request->arrays[k].array;
    mnp_array *line = NULL;
    if (array->layout->ndim > 1) {
        MNP_TRY(mnp_reshape(array, 1, &request->n, &line));
        array = line;
    }
    mnp_status st = mnp__vector_of(request->function, array, op->dtype, op->column_layout, &grid->arrays[k]);
    mnp_array_free(line);
    MNP_TRY(st);
    grid->params.arrays[k + 1].own = grid->arrays[k]->data;
    if (!grid->ghosts)
        return MNP_OK;
    const size_t bytes = mnp_dtype_size(op->dtype) * (size_t)mnp__ghosts_count(grid->ghosts);
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->alloc(ctx->device, bytes, &grid->array_ghosts[k])));
    grid->params.arrays[k + 1].ghosts = grid->array_ghosts[k];
    return keep_ghosts(op, grid, grid->arrays[k], grid->array_ghosts[k]);
}

/* ---- checking ---- */

mnp_status mnp__grid_check(const mnp__grid_request *request)
{
    MNP_TRY(mnp__operator_check_dtype(request->function, request->dtype));
    if (request->ndim < 1 || request->ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: ndim is %d, outside 1..%d", request->function, request->ndim, MNP_MAX_DIMS);
    MNP_TRY(mnp__layout_check_shape(request->ndim, request->shape));
    MNP_TRY(mnp__boundaries_check(request->function, request->ndim, request->boundaries));
    for (int d = 0; d < request->ndim; d++)
        if (request->shape[d] > INT_MAX / 2)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: shape[%d] is %" PRId64 "; it can be %d at most",
                            request->function, d, request->shape[d], INT_MAX / 2);
    return MNP_OK;
}

static mnp_status check_name(const mnp__grid_request *request, int k)
{
    static const char *const taken[] = {"x", "y", "i", "n", "T"};
    const char *name = request->arrays[k].name;
    MNP_TRY(mnp__check_identifier(request->function, "the name of an array", name));
    bool is_free = strncmp(name, "mnp_", 4) != 0;
    for (size_t t = 0; t < sizeof taken / sizeof *taken; t++)
        is_free = is_free && strcmp(name, taken[t]) != 0;
    for (int other = 0; other < k; other++)
        is_free = is_free && strcmp(name, request->arrays[other].name) != 0;
    if (!is_free)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: an array cannot be called '%s': x, y, i, n, T, what begins with mnp_, and "
                        "names of other arrays have a meaning",
                        request->function, name);
    return MNP_OK;
}

static mnp_status check_array(const mnp__grid_request *request, int k)
{
    const mnp_array *array = request->arrays[k].array;
    MNP_TRY(check_name(request, k));
    MNP_TRY(mnp__inputs_check(request->function, 1, &array));
    MNP_TRY(mnp__array_check_blocks(request->function, array));
    const mnp_layout *layout = array->layout;
    const bool is_line = layout->ndim == 1 && layout->shape[0] == request->n;
    if (array->ctx != request->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: array '%s' belongs to another context", request->function,
                        request->arrays[k].name);
    if (!is_line && !mnp__layout_has_shape(layout, request->ndim, request->shape))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: array '%s' has neither the grid's shape nor one dimension of its %" PRId64 " points",
                        request->function, request->arrays[k].name, request->n);
    return MNP_OK;
}

static mnp_status check(mnp__grid_request *request)
{
    MNP_TRY(mnp__grid_check(request));
    if (!request->reach || !request->body[0])
        return MNP_FAIL(MNP_ERR_ARG, "%s: the %s NULL", request->function, request->reach ? "body is" : "reach is");
    for (int d = 0; d < request->ndim; d++)
        if (request->reach[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "%s: reach[%d] is %" PRId64 ", negative", request->function, d,
                            request->reach[d]);
    request->n = 1;
    for (int d = 0; d < request->ndim; d++)
        request->n *= request->shape[d];
    while (request->arrays && request->arrays[request->narrays].name) {
        if (request->narrays == MOST_ARRAYS)
            return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d arrays", request->function, MOST_ARRAYS);
        MNP_TRY(check_array(request, request->narrays++));
    }
    return MNP_OK;
}

/* ---- making ---- */

/* The width of a tile: whole lines of the cache, and more where there are too few rows to fill it. */
static int choose_tile_bits(int64_t extent, int64_t rows)
{
    int bits = 0;
    while (1 << bits < MNP_GRID_THREADS && 1 << bits < extent && (1 << bits < 64 || rows < MNP_GRID_THREADS >> bits))
        bits++;
    return bits;
}

/*
 * How far the numbers of neighbours along a dimension can be apart.  Those outside the grid are no ghosts, and those
 * that stand for them are not farther away, but on the other side where a dimension is periodic; along the first one
 * that side is next to this one.
 */
static int64_t width_along(const mnp__grid_request *request, int d)
{
    const int64_t extent = request->shape[d], farthest = extent > 0 ? extent - 1 : 0;
    if (d > 0 && request->reach[d] > 0 && mnp__boundary_of(request->boundaries, d) == MNP_BOUNDARY_WRAP)
        return farthest;
    return mnp__min(request->reach[d], farthest);
}

static void describe_grid(mnp__grid_request *request, struct grid *grid, const mnp_layout *layout)
{
    const int64_t *cuts = mnp_layout_cuts(layout, 0);
    mnp_grid_params *params = &grid->params;
    int64_t stride = 1;
    for (int d = request->ndim - 1; d >= 0; d--) {
        params->shape[d] = (int)request->shape[d];
        params->stride[d] = stride;
        request->width += stride * width_along(request, d);
        stride *= request->shape[d];
    }
    const int64_t extent = request->shape[request->ndim - 1];
    grid->ndim = request->ndim;
    params->rows = extent > 0 ? params->stride[0] / extent : 0;
    params->tile_bits = choose_tile_bits(extent, params->rows);
    params->lo = grid->inner_lo = cuts[request->ctx->comm.rank];
    params->hi = grid->inner_hi = cuts[request->ctx->comm.rank + 1];
}

static mnp_status complete(mnp__grid_request *request, mnp_operator *op)
{
    mnp_ctx *ctx = op->ctx;
    struct grid *grid = NULL;
    const mnp_status made = mnp__calloc(1, sizeof *grid, &grid);
    op->data = grid;
    MNP_TRY(MNP_AGREE(ctx, made));
    describe_grid(request, grid, op->column_layout);
    if (ctx->comm.size > 1 && request->width > 0 && request->n > 0)
        MNP_TRY(MNP_AGREE(ctx, list_ghosts(request, grid, op->column_layout)));
    for (int adjoint = 0; adjoint < 2; adjoint++)
        if (request->body[adjoint])
            MNP_TRY(load_kernels(request, adjoint, grid, &grid->kernels[adjoint]));
    if (grid->ghosts)
        MNP_TRY(exchange_once(op, grid));
    for (grid->narrays = 0; grid->narrays < request->narrays;)
        MNP_TRY(bring_array(request, op, grid->narrays++));
    op->has_adjoint = request->body[1] != NULL;
    op->enqueues = !grid->ghosts || mnp__ghosts_enqueues(grid->ghosts);
    return MNP_OK;
}

mnp_status mnp__grid_operator(mnp__grid_request *request, mnp_operator **operator_p)
{
    mnp_layout *layout = NULL;
    mnp_operator *op;
    MNP_TRY(check(request));
    if (!operator_p)
        return MNP_FAIL(MNP_ERR_ARG, "%s was given no place for the operator", request->function);
    mnp_status st = MNP_AGREE(request->ctx, mnp__layout_line(request->ctx->comm.size, 1, &request->n, NULL, &layout));
    if (st == MNP_OK)
        st = mnp__operator_new(request->ctx, request->dtype, layout, layout, &kernel_ops, &op);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = complete(request, op);
    if (st == MNP_OK)
        *operator_p = op;
    else
        mnp_operator_free(op);
    return st;
}

mnp_status mnp_operator_from_kernel(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                    const mnp_boundary *boundaries, const int64_t *reach, const char *body,
                                    const char *adjoint_body, const mnp_input *arrays, mnp_operator **operator_p)
{
    MNP_ENTER(ctx, body, operator_p);
    MNP_NEED_IF(ndim > 0, shape);
    MNP_NEED_IF(ndim > 0, reach);
    mnp__grid_request request = {.function = "mnp_operator_from_kernel()",
                                 .ctx = ctx,
                                 .dtype = dtype,
                                 .ndim = ndim,
                                 .shape = shape,
                                 .reach = reach,
                                 .boundaries = boundaries,
                                 .body = {body, adjoint_body},
                                 .arrays = arrays};
    return mnp__grid_operator(&request, operator_p);
}
