/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triangular solves with a matrix that is distributed over the ranks.
 *
 * A rank's rows have unknowns of its own and unknowns of ranks on one side of it, its ghosts.  Once the ghosts are
 * known, the rank subtracts their share from b and solves with its own block by levels (level_sweep.h).  The ranks
 * take turns, by levels too: a rank's turn comes after those of the ranks that it depends on, and before every turn
 * but the first all exchange ghosts.  A matrix whose blocks do not depend on each other takes one turn, a band as many
 * as there are ranks.
 *
 * A row's share is summed from the outermost column to the diagonal, ghosts first, so the result equals that of one
 * rank.
 */
#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/indexing/indexed.h"
#include "sparse/precond/own_block.h"
#include "sparse/precond/level_sweep.h"
#include "sparse/matrix/sparse.h"

typedef double _Complex number;

struct mnp_triangular {
    unsigned tag; /* MNP__TAG_triangular: see base/call.h */
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *layout; /* of b and x: that of the rows */
    /* the triangle of this rank's own block; the entries in other ranks' columns, NULL where they are not used */
    mnp__level_sweep *own, *outside;
    mnp__ghosts *ghosts; /* the other ranks' columns */
    int turn, turns;     /* this rank's, and how many there are */
};

/* What a call asks for. */
struct wanted {
    const char *function; /* its name, for messages */
    bool lower, unit_diagonal, own_blocks;
};

/* ---- extracting the triangle ---- */

static mnp_status not_triangular(const struct wanted *wanted, int64_t row, int64_t column)
{
    return MNP_FAIL(MNP_ERR_ARG,
                    "%s: the entry in row %" PRId64 ", column %" PRId64 " is not 0, so the matrix is not "
                    "%s triangular",
                    wanted->function, row, column, wanted->lower ? "lower" : "upper");
}

/*
 * Replace the elements of the diagonal by their inverses, up to the first one that is 0.  Returns the row of that one,
 * or the number of rows if none is 0.
 */
static int64_t invert_diagonal(mnp_dtype dtype, int64_t rows, void *diagonal)
{
    for (int64_t i = 0; i < rows; i++) {
        const number entry = mnp__load_value(dtype, diagonal, i);
        if (entry == 0)
            return i;
        mnp__store_value(dtype, diagonal, i, mnp__divide_by(dtype, 1, entry));
    }
    return rows;
}

/* Invert the diagonal, and check that the own block is triangular. */
static mnp_status check_own(const struct wanted *wanted, const mnp_sparse *matrix,
                            const mnp__level_sweep_source *source, mnp__sweep_kind kind, void *diagonal)
{
    const int64_t singular = diagonal ? invert_diagonal(matrix->dtype, matrix->rows, diagonal) : matrix->rows;
    int64_t other_side;
    MNP_TRY(mnp__level_sweep_find_other_side(source, kind, &other_side));
    const int64_t row = other_side < 0 ? matrix->rows : mnp__pattern_row(source->pattern, other_side);
    if (other_side >= 0 && row <= singular)
        return not_triangular(wanted, matrix->row_lo + row, matrix->column_lo + source->pattern->columns[other_side]);
    if (singular < matrix->rows)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the diagonal of row %" PRId64 " is 0, so the matrix is singular",
                        wanted->function, matrix->row_lo + singular);
    return MNP_OK;
}

/* diagonal: NULL where all of it counts as 1; otherwise it is overwritten. */
static mnp_status take_own(mnp_triangular *plan, const struct wanted *wanted, const mnp_sparse *matrix, void *diagonal,
                           mnp__level_sweep_source source)
{
    const mnp__sweep_kind kind = wanted->lower ? MNP__SWEEP_LOWER : MNP__SWEEP_UPPER;
    mnp__own_block own = {.ctx = NULL};
    mnp_status st = mnp__own_block_open(matrix, &own);
    source.part = &own.csr;
    source.pattern = &own.pattern;
    if (st == MNP_OK)
        st = check_own(wanted, matrix, &source, kind, diagonal);
    if (st == MNP_OK)
        st = mnp__level_sweep_new(&source, diagonal, kind, &plan->own);
    mnp__own_block_close(&own);
    return st;
}

/* The ghosts on the side of the triangle: `count` of the matrix's, from number `first` on. */
static void find_side(const struct wanted *wanted, const mnp_sparse *matrix, int64_t *first_p, int64_t *count_p)
{
    const int64_t all = mnp__ghosts_count(matrix->ghosts), *columns = mnp__ghosts_columns(matrix->ghosts);
    int64_t before = 0;
    while (before < all && columns[before] < matrix->column_lo)
        before++;
    *first_p = wanted->lower ? 0 : before;
    *count_p = wanted->lower ? before : all - before;
}

/* Fail, naming the entry on the other side that is not 0. */
static mnp_status report_other_side(const struct wanted *wanted, const mnp_sparse *matrix, int64_t entry)
{
    mnp__pattern pattern;
    MNP_TRY(mnp__pattern_of(matrix->ctx, &matrix->ghost, &pattern));
    const mnp_status st = not_triangular(wanted, matrix->row_lo + mnp__pattern_row(&pattern, entry),
                                         mnp__ghosts_columns(matrix->ghosts)[pattern.columns[entry]]);
    mnp__pattern_free(&pattern);
    return st;
}

/* The sweep over entries in ghost columns on that side.  On the other side all entries must be 0. */
static mnp_status take_outside(mnp_triangular *plan, const struct wanted *wanted, const mnp_sparse *matrix,
                               mnp__level_sweep_source source)
{
    const mnp__sweep_kind kind = wanted->lower ? MNP__SWEEP_BEFORE : MNP__SWEEP_BEHIND;
    int64_t first, count, other_side;
    find_side(wanted, matrix, &first, &count);
    source.part = &matrix->ghost;
    source.first = first;
    source.end = first + count;
    MNP_TRY(mnp__level_sweep_find_other_side(&source, kind, &other_side));
    if (other_side >= 0)
        return report_other_side(wanted, matrix, other_side);
    MNP_TRY(
        mnp__ghosts_new(plan->ctx, plan->layout, count, mnp__ghosts_columns(matrix->ghosts) + first, &plan->ghosts));
    return mnp__level_sweep_new(&source, NULL, kind, &plan->outside);
}

/* ---- turns ---- */

/*
 * The turn of every rank, one more than those of the ranks that it needs; needs[r * size + s]: whether r needs s.
 */
static int find_turns(bool lower, int size, const char *needs, int *turns)
{
    int most = 0;
    for (int n = 0; n < size; n++) {
        const int r = lower ? n : size - 1 - n;
        turns[r] = 0;
        for (int s = 0; s < size; s++)
            if (needs[(size_t)r * (size_t)size + (size_t)s] && turns[s] >= turns[r])
                turns[r] = turns[s] + 1;
        most = turns[r] > most ? turns[r] : most;
    }
    return most + 1;
}

/* Collective, and agreed upon.  Memory: a byte for every pair of ranks. */
static mnp_status take_turns(mnp_triangular *plan, const struct wanted *wanted)
{
    const mnp__comm *comm = &plan->ctx->comm;
    const size_t size = (size_t)comm->size;
    const int64_t count = mnp__ghosts_count(plan->ghosts), *columns = mnp__ghosts_columns(plan->ghosts);
    char *needs = NULL; /* of this rank, and behind it of all */
    int *turns = NULL;
    mnp_status st = mnp__calloc(size + 1, size, &needs);
    if (st == MNP_OK)
        st = mnp__malloc(size * sizeof *turns, &turns);
    MNP_TRY_OR(MNP_AGREE(plan->ctx, st), st, done);
    for (int64_t i = 0; i < count; i++)
        needs[mnp__sparse_owner(plan->layout, columns[i])] = 1;
    MNP_TRY_OR(mnp__all_gather(comm, needs, needs + size, size), st, done);
    plan->turns = find_turns(wanted->lower, comm->size, needs + size, turns);
    plan->turn = turns[comm->rank];
done:
    free(needs);
    free(turns);
    return st;
}

/* ---- making ---- */

/* This rank's share of making a plan. */
static mnp_status take(mnp_triangular *plan, const struct wanted *wanted, const mnp_sparse *matrix, void *diagonal,
                       const mnp__level_sweep_source *source)
{
    MNP_TRY(take_own(plan, wanted, matrix, diagonal, *source));
    return wanted->own_blocks || !matrix->has_ghosts ? MNP_OK : take_outside(plan, wanted, matrix, *source);
}

/* `matrix` is in the plan's dtype, its columns cut as its rows.  Collective, and agreed upon. */
static mnp_status build(mnp_triangular *plan, const struct wanted *wanted, const mnp_sparse *matrix)
{
    mnp__level_sweep_source source = {.ctx = plan->ctx, .dtype = plan->dtype};
    void *diagonal = NULL;
    MNP_TRY(mnp__level_sweep_load_permutation(&source));
    if (!wanted->unit_diagonal)
        MNP_TRY(mnp__own_diagonal(matrix, &diagonal));
    const mnp_status st = MNP_AGREE(plan->ctx, take(plan, wanted, matrix, diagonal, &source));
    free(diagonal);
    MNP_TRY(st);
    plan->turns = 1;
    if (!wanted->own_blocks && matrix->has_ghosts)
        MNP_TRY(take_turns(plan, wanted));
    return MNP_OK;
}

static mnp_status make(const struct wanted *wanted, const mnp_sparse *matrix, mnp_dtype dtype, mnp_triangular **plan_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp_sparse *brought;
    mnp_sparse *temporary;
    mnp_triangular *plan = NULL;
    MNP_TRY(mnp__sparse_bring(matrix, dtype, NULL, matrix->row_layout, &brought, &temporary));
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *plan, &plan));
    if (st == MNP_OK) {
        *plan = (mnp_triangular){
            .tag = MNP__TAG_triangular, .ctx = ctx, .dtype = dtype, .layout = mnp_layout_retain(matrix->row_layout)};
        mnp__ctx_made(ctx, plan);
        st = build(plan, wanted, brought);
    } else {
        free(plan);
        plan = NULL;
    }
    mnp_sparse_free(temporary);
    if (st == MNP_OK)
        *plan_p = plan;
    else
        mnp_triangular_free(plan);
    return st;
}

void mnp_triangular_free(mnp_triangular *plan)
{
    if (!plan)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, plan);
    mnp__ctx_gone(plan->ctx, plan);
    mnp__level_sweep_free(plan->own);
    mnp__level_sweep_free(plan->outside);
    mnp__ghosts_free(plan->ghosts);
    mnp_layout_free(plan->layout);
    mnp__object_free(plan);
}

static mnp_status check_matrix(const char *function, const mnp_sparse *matrix)
{
    if (matrix->shape[0] != matrix->shape[1])
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrix has the shape (%" PRId64 ", %" PRId64 "); it must be square",
                        function, matrix->shape[0], matrix->shape[1]);
    return MNP_OK;
}

mnp_status mnp_triangular_new(const mnp_sparse *matrix, mnp_dtype dtype, bool lower, bool unit_diagonal,
                              bool own_blocks, mnp_triangular **plan_p)
{
    MNP_ENTER(matrix, plan_p);
    const struct wanted wanted = {"mnp_triangular_new", lower, unit_diagonal, own_blocks};
    MNP_TRY(check_matrix(wanted.function, matrix));
    if (!plan_p)
        return MNP_FAIL(MNP_ERR_ARG, "%s was given no place for the plan", wanted.function);
    if (dtype == MNP_DTYPE_AUTO)
        dtype = matrix->dtype;
    MNP_TRY(mnp__sparse_check_dtype(wanted.function, dtype));
    if (mnp_dtype_promote(matrix->dtype, dtype) != dtype)
        return MNP_FAIL(MNP_ERR_ARG, "%s: vectors of %s do not hold the matrix's values, which are %s", wanted.function,
                        mnp_dtype_name(dtype), mnp_dtype_name(matrix->dtype));
    return make(&wanted, matrix, dtype, plan_p);
}

/* ---- solving ---- */

/* This rank's turn: subtract the share of the ghosts from b, and solve the own block. */
static mnp_status solve_own(const mnp_triangular *plan, int64_t width, const void *b, const void *ghosts, void *x)
{
    const mnp__sweep outside = {.b = b, .from = ghosts, .x = x, .width = width};
    const mnp__sweep own = {.b = plan->turn > 0 ? x : b, .from = x, .x = x, .width = width};
    if (plan->turn > 0)
        MNP_TRY(mnp__level_sweep_run(plan->outside, &outside));
    return mnp__level_sweep_run(plan->own, &own);
}

/* Ranks whose turn has not come take part in the exchanges too; nobody reads their x yet. */
static mnp_status solve_in_turns(const mnp_triangular *plan, int64_t width, const void *b, void *x)
{
    mnp_status st = MNP_OK;
    for (int turn = 0; turn < plan->turns; turn++) {
        const void *ghosts = NULL;
        if (turn > 0) {
            MNP_TRY(mnp__ghosts_begin(plan->ghosts, mnp_dtype_size(plan->dtype), width, x));
            MNP_TRY(mnp__ghosts_finish(plan->ghosts, &ghosts));
        }
        if (turn == plan->turn) /* after a failure the exchanges go on, as other ranks wait for them */
            st = solve_own(plan, width, b, ghosts, x);
    }
    return st;
}

/* The kernels for one vector, or several.  Collective. */
static mnp_status load(const mnp_triangular *plan, bool wide)
{
    MNP_TRY(wide ? mnp__level_sweep_load_wide(plan->own) : mnp__level_sweep_load(plan->own));
    if (!plan->outside)
        return MNP_OK;
    return wide ? mnp__level_sweep_load_wide(plan->outside) : mnp__level_sweep_load(plan->outside);
}

static mnp_status check_vectors(const char *function, const mnp_ctx *ctx, const mnp_array *b, int64_t rows)
{
    MNP_TRY(mnp__inputs_check(function, 1, &b));
    MNP_TRY(mnp__array_check_blocks(function, b));
    if (b->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrix and b belong to two contexts", function);
    if (b->layout->ndim < 1 || b->layout->ndim > 2 || b->layout->shape[0] != rows)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: b has %d dimensions, the first of extent %" PRId64 "; it should have one or "
                        "two, the first of extent %" PRId64,
                        function, b->layout->ndim, b->layout->ndim > 0 ? b->layout->shape[0] : 1, rows);
    return MNP_OK;
}

/* Solve, with checked vectors in that layout, which is cut as the plan's. */
static mnp_status solve(const char *function, const mnp_triangular *plan, const mnp_layout *layout, const mnp_array *b,
                        mnp_array **x_p)
{
    const int64_t width = layout->ndim == 2 ? layout->shape[1] : 1;
    mnp__input input;
    mnp__output output;
    MNP_TRY(load(plan, width != 1));
    MNP_TRY(mnp__input_open(b, layout, plan->dtype, MNP__INPUT_DENSE, &input));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = b->ctx,
                                   .dtype = plan->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 1,
                                   .inputs = &input.array};
    mnp_status st = mnp__output_open(&spec, x_p, &output);
    if (st == MNP_OK)
        st = solve_in_turns(plan, width, input.array->data, output.array->data);
    st = mnp__output_close(1, &output, st);
    mnp__input_close(&input);
    return st;
}

static mnp_status solve_checked(const char *function, const mnp_triangular *plan, const mnp_array *b, mnp_array **x_p)
{
    mnp_layout *layout;
    MNP_TRY(mnp__vectors_layout(plan->layout, b, &layout));
    const mnp_status st = solve(function, plan, layout, b, x_p);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_triangular_solve(const mnp_triangular *plan, const mnp_array *b, mnp_array **x_p)
{
    MNP_ENTER(plan, b, x_p);
    static const char function[] = "mnp_triangular_solve";
    if (!plan || !x_p)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the %s NULL", function, plan ? "place for x is" : "plan is");
    MNP_TRY(check_vectors(function, plan->ctx, b, plan->layout->shape[0]));
    if (mnp_dtype_promote(plan->dtype, b->dtype) != plan->dtype)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b is %s, whose values the plan's %s does not hold", function,
                        mnp_dtype_name(b->dtype), mnp_dtype_name(plan->dtype));
    return solve_checked(function, plan, b, x_p);
}

mnp_status mnp_sparse_solve_triangular(const mnp_sparse *matrix, bool lower, bool unit_diagonal, const mnp_array *b,
                                       mnp_array **x_p)
{
    MNP_ENTER(matrix, b, x_p);
    const struct wanted wanted = {"mnp_sparse_solve_triangular", lower, unit_diagonal, false};
    mnp_triangular *plan;
    MNP_TRY(check_matrix(wanted.function, matrix));
    MNP_TRY(check_vectors(wanted.function, matrix->ctx, b, matrix->shape[0]));
    MNP_TRY(make(&wanted, matrix, mnp_dtype_promote(matrix->dtype, b->dtype), &plan));
    const mnp_status st = solve_checked(wanted.function, plan, b, x_p);
    mnp_triangular_free(plan);
    return st;
}
