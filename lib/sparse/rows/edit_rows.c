/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows become other rows in three launches: which entries are kept is flagged, flags are summed up to positions, and
 * the entries are written there.  Memory: 8 bytes an entry beside the rows.
 */
#include "sparse/rows/edit_rows.h"

#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

/* ---- sums, products and selections ---- */

/* An edit under way; its flags are freed also after a failure. */
struct edit {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__kernel *kernel;
    mnp__row_runner sums;
    const mnp__rows *a, *b; /* b NULL: none */
    bool takes_from_b;      /* entries of b are kept too */
    mnp_edit_params params;
};

/*
 * Mark the entries that are kept, and compute the prefix sums of the marks.  *count_p receives how many are kept.
 * Waits for the device.
 */
static mnp_status find_kept(struct edit *edit, int64_t *count_p)
{
    mnp_ctx *ctx = edit->ctx;
    const int64_t others = edit->takes_from_b ? edit->b->count : 0;
    const int64_t most = mnp__max(edit->a->count, others);
    int64_t more = 0;
    MNP_TRY(mnp__elements_new(ctx, edit->a->count + 1, sizeof *edit->params.a_kept, &edit->params.a_kept));
    if (edit->takes_from_b)
        MNP_TRY(mnp__elements_new(ctx, others + 1, sizeof *edit->params.b_kept, &edit->params.b_kept));
    edit->params.task = MNP_EDIT_FLAG;
    MNP_TRY(mnp__ctx_launch(ctx, edit->kernel, most, &edit->params, sizeof edit->params));
    MNP_TRY(mnp__rows_sum_up(edit->sums, edit->a->count, (int64_t *)edit->params.a_kept, count_p));
    if (edit->takes_from_b)
        MNP_TRY(mnp__rows_sum_up(edit->sums, others, (int64_t *)edit->params.b_kept, &more));
    *count_p += more;
    return MNP_OK;
}

static mnp_status make(struct edit *edit, mnp__rows *made)
{
    mnp_ctx *ctx = edit->ctx;
    const int64_t others = edit->takes_from_b ? edit->b->count : 0;
    const int64_t most = mnp__max(edit->a->count, others);
    edit->params.made.rows = made->rows;
    MNP_TRY(find_kept(edit, &made->count));
    MNP_TRY(mnp__elements_new(ctx, made->rows + 1, sizeof *made->offsets, &made->offsets));
    MNP_TRY(mnp__elements_new(ctx, made->count, sizeof *made->columns, &made->columns));
    MNP_TRY(mnp__elements_new(ctx, made->count, mnp_dtype_size(edit->dtype), &made->values));
    edit->params.made = mnp__describe_rows(made);
    edit->params.task = MNP_EDIT_OFFSETS;
    MNP_TRY(mnp__ctx_launch(ctx, edit->kernel, made->rows + 1, &edit->params, sizeof edit->params));
    edit->params.task = MNP_EDIT_PLACE;
    return mnp__ctx_launch(ctx, edit->kernel, most, &edit->params, sizeof edit->params);
}

/* A kernel compiled for SUM, PRODUCT or SELECT.  Collective. */
static mnp_status load_edit(mnp_ctx *ctx, mnp_dtype dtype, const char *rule, const char *function,
                            mnp__kernel **kernel_p)
{
    const mnp__kernel_spec spec = {.file = "sparse/rows/edit_rows.cu", .function = function};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n#define MNP_%s 1\n", mnp__jit_type(dtype), rule);
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

/* Collective, and agreed upon. */
static mnp_status run_edit(struct edit *edit, const char *rule, int64_t rows, mnp__rows *made_p)
{
    mnp_ctx *ctx = edit->ctx;
    mnp__rows made = {.rows = rows};
    MNP_TRY(load_edit(ctx, edit->dtype, rule, "edit_rows", &edit->kernel));
    MNP_TRY(mnp__row_runner_open(ctx, edit->dtype, &edit->sums));
    edit->params.a = mnp__describe_rows(edit->a);
    if (edit->b)
        edit->params.b = mnp__describe_rows(edit->b);
    const mnp_status st = MNP_AGREE(ctx, make(edit, &made));
    mnp__elements_free(ctx, edit->params.a_kept);
    mnp__elements_free(ctx, edit->params.b_kept);
    if (st == MNP_OK)
        *made_p = made;
    else
        mnp__rows_release(ctx, &made);
    return st;
}

mnp_status mnp__rows_add(mnp_ctx *ctx, mnp_dtype dtype, const double alpha[2], const mnp__rows *a, const double beta[2],
                         const mnp__rows *b, mnp__rows *sum)
{
    struct edit edit = {.ctx = ctx, .dtype = dtype, .a = a, .b = b, .takes_from_b = true};
    memcpy(edit.params.alpha, alpha, sizeof edit.params.alpha);
    memcpy(edit.params.beta, beta, sizeof edit.params.beta);
    return run_edit(&edit, "SUM", a->rows, sum);
}

mnp_status mnp__rows_multiply(mnp_ctx *ctx, mnp_dtype dtype, const mnp__rows *a, const mnp__rows *b, mnp__rows *product)
{
    struct edit edit = {.ctx = ctx, .dtype = dtype, .a = a, .b = b};
    return run_edit(&edit, "PRODUCT", a->rows, product);
}

mnp_status mnp__rows_select(mnp_ctx *ctx, mnp_dtype dtype, const mnp__rows *rows, const mnp__selection *selection,
                            mnp__rows *selected)
{
    struct edit edit = {.ctx = ctx,
                        .dtype = dtype,
                        .a = rows,
                        .params = {.row_lo = selection->row_lo,
                                   .low = selection->low,
                                   .high = selection->high,
                                   .drops_zeros = selection->drops_zeros}};
    return run_edit(&edit, "SELECT", rows->rows, selected);
}

/* ---- sums and products of values ---- */

/* *zeros_p: whether a result is 0 on this rank.  Waits.  Not collective. */
static mnp_status combine_stored(mnp__kernel *kernel, const double *alpha, const mnp_sparse *a, const double *beta,
                                 const mnp_sparse *b, int *zeros_p, mnp_sparse **c_p)
{
    mnp_ctx *ctx = a->ctx;
    MNP_TRY(mnp__sparse_new_like(a, a->dtype, c_p));
    const mnp__part *const parts[][3] = {{&a->own, &b->own, &(*c_p)->own}, {&a->ghost, &b->ghost, &(*c_p)->ghost}};
    int *zeros;
    mnp_status st;
    MNP_TRY(mnp__elements_new(ctx, 1, sizeof *zeros, &zeros));
    MNP_TRY_OR(ctx->device->ops->fill(ctx->device, zeros, 0, sizeof *zeros, ctx->compute), st, done);
    for (int p = 0; p < 2; p++) {
        mnp_stored_params params = {.count = parts[p][0]->count,
                                    .values = parts[p][0]->values,
                                    .others = parts[p][1]->values,
                                    .made = parts[p][2]->values,
                                    .zeros = zeros};
        if (alpha) {
            memcpy(params.alpha, alpha, sizeof params.alpha);
            memcpy(params.beta, beta, sizeof params.beta);
        }
        if (params.count > 0)
            MNP_TRY_OR(mnp__ctx_launch(ctx, kernel, params.count, &params, sizeof params), st, done);
    }
    st = mnp__elements_copy(ctx, zeros_p, zeros, 1, sizeof *zeros);
done:
    mnp__elements_free(ctx, zeros);
    return st;
}

mnp_status mnp__stored_combined(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                                mnp_sparse **c_p)
{
    mnp_ctx *ctx = a->ctx;
    mnp__kernel *kernel;
    mnp_sparse *c = NULL;
    int zeros = 0;
    MNP_TRY(load_edit(ctx, a->dtype, alpha ? "SUM" : "PRODUCT", "combine_stored", &kernel));
    mnp_status st = MNP_AGREE(ctx, combine_stored(kernel, alpha, a, beta, b, &zeros, &c));
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, &zeros, 1, MPI_INT, MPI_MAX);
    *c_p = NULL;
    if (st == MNP_OK && zeros == 0)
        *c_p = c;
    else
        mnp_sparse_free(c);
    return st;
}

/* ---- values ---- */

/* A kernel that makes values of that dtype from the matrix's.  Collective. */
static mnp_status load(const mnp_sparse *matrix, const char *function, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    const mnp__kernel_spec spec = {.file = "sparse/rows/edit_rows.cu", .function = function};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n#define MNP_FROM %s\n", mnp__jit_type(dtype),
                  mnp__jit_type(matrix->dtype));
    return mnp__ctx_kernel_of_text(matrix->ctx, &spec, &defines, NULL, kernel_p);
}

/* Replace the values of `rows` by values of that dtype; ghosts: the columns of the ghosts, in device memory. */
static mnp_status change_values(const mnp_sparse *matrix, mnp__kernel *kernel, mnp_dtype dtype,
                                const mnp__change *change, const int64_t *ghosts, mnp__rows *rows)
{
    mnp_ctx *ctx = matrix->ctx;
    void *made = NULL;
    MNP_TRY(mnp__elements_new(ctx, rows->count, mnp_dtype_size(dtype), &made));
    const mnp_change_params params = {.rows = mnp__describe_rows(rows),
                                      .made = made,
                                      .change = change->value,
                                      .left = change->left,
                                      .right = change->right,
                                      .right_ghosts = change->right_ghosts,
                                      .column_lo = matrix->column_lo,
                                      .columns = matrix->columns,
                                      .nghosts = mnp__ghosts_count(matrix->ghosts),
                                      .ghosts = (const long long *)ghosts};
    const mnp_status st = mnp__ctx_launch(ctx, kernel, rows->count, &params, sizeof params);
    mnp__elements_free(ctx, rows->values);
    rows->values = made;
    return st;
}

mnp_status mnp__rows_changed(const mnp_sparse *matrix, mnp_dtype dtype, const mnp__change *change, mnp__rows *changed)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__kernel *kernel;
    mnp__rows rows;
    int64_t *ghosts = NULL;
    MNP_TRY(load(matrix, "change_values", dtype, &kernel));
    MNP_TRY(mnp__rows_of(matrix, &rows));
    mnp_status st = mnp__elements_upload(ctx, mnp__ghosts_count(matrix->ghosts), sizeof *ghosts,
                                         mnp__ghosts_columns(matrix->ghosts), &ghosts);
    if (st == MNP_OK)
        st = change_values(matrix, kernel, dtype, change, ghosts, &rows);
    mnp__elements_free(ctx, ghosts);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *changed = rows;
    else
        mnp__rows_release(ctx, &rows);
    return st;
}

/* Not collective. */
static mnp_status change_stored(const mnp_sparse *matrix, mnp__kernel *kernel, mnp_dtype dtype,
                                const mnp_value_change *change, mnp_sparse **changed_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__part *const from[] = {&matrix->own, &matrix->ghost};
    MNP_TRY(mnp__sparse_new_like(matrix, dtype, changed_p));
    const mnp__part *const made[] = {&(*changed_p)->own, &(*changed_p)->ghost};
    for (int p = 0; p < 2; p++) {
        const mnp_stored_params params = {
            .count = from[p]->count, .values = from[p]->values, .made = made[p]->values, .change = *change};
        if (params.count > 0)
            MNP_TRY(mnp__ctx_launch(ctx, kernel, params.count, &params, sizeof params));
    }
    return MNP_OK;
}

mnp_status mnp__stored_changed(const mnp_sparse *matrix, mnp_dtype dtype, const mnp_value_change *change,
                               mnp_sparse **changed_p)
{
    mnp__kernel *kernel;
    mnp_sparse *changed = NULL;
    MNP_TRY(load(matrix, "change_stored", dtype, &kernel));
    const mnp_status st = MNP_AGREE(matrix->ctx, change_stored(matrix, kernel, dtype, change, &changed));
    if (st == MNP_OK)
        *changed_p = changed;
    else
        mnp_sparse_free(changed);
    return st;
}

mnp_status mnp__rows_sum_magnitudes(const mnp_sparse *matrix, double *sums)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__kernel *kernel;
    mnp__rows rows;
    MNP_TRY(load(matrix, "sum_magnitudes", MNP_FLOAT64, &kernel));
    MNP_TRY(mnp__rows_of(matrix, &rows));
    const mnp_change_params params = {.rows = mnp__describe_rows(&rows), .made = sums};
    const mnp_status st = mnp__ctx_launch(ctx, kernel, rows.rows, &params, sizeof params);
    mnp__rows_release(ctx, &rows);
    return MNP_AGREE(ctx, st);
}
