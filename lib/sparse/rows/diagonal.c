/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Diagonals are looked up on the device by binary search, in any format.
 */
#include "sparse/rows/diagonal.h"

#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

/* Device memory that a diagonal needs. */
struct diagonal_room {
    int64_t *ghosts, *replaced;
};

static mnp_status run_diagonal(const mnp_sparse *matrix, mnp__kernel *kernel, mnp_diagonal_params *params,
                               struct diagonal_room *room, int64_t *replaced_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const int64_t own_end = matrix->column_lo + matrix->columns, end = params->column + params->count;
    if (params->count > 0 && (params->column < matrix->column_lo || end > own_end)) {
        const int64_t ghosts = mnp__ghosts_count(matrix->ghosts);
        MNP_TRY(mnp__elements_upload(ctx, ghosts, sizeof *room->ghosts, mnp__ghosts_columns(matrix->ghosts),
                                     &room->ghosts));
        params->matrix.ghosts = (const long long *)room->ghosts;
        params->matrix.nghosts = ghosts;
    }
    if (replaced_p) {
        MNP_TRY(mnp__elements_new(ctx, 1, sizeof *room->replaced, &room->replaced));
        MNP_TRY(ctx->device->ops->fill(ctx->device, room->replaced, 0, sizeof *room->replaced, ctx->compute));
        params->replaced = (unsigned long long *)room->replaced;
    }
    MNP_TRY(mnp__ctx_launch(ctx, kernel, params->count, params, sizeof *params));
    return replaced_p ? mnp__elements_copy(ctx, replaced_p, room->replaced, 1, sizeof *replaced_p) : MNP_OK;
}

mnp_status mnp__find_diagonal(const mnp_sparse *matrix, int64_t row, int64_t column, int64_t count, void *diagonal,
                              int64_t *replaced_p)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__kernel *kernel;
    struct diagonal_room room = {.ghosts = NULL};
    mnp_diagonal_params params = {.matrix = {.own = mnp__describe_part(&matrix->own),
                                             .ghost = mnp__describe_part(&matrix->ghost),
                                             .column_lo = matrix->column_lo},
                                  .own_columns = matrix->columns,
                                  .row = row,
                                  .column = column,
                                  .count = count,
                                  .diagonal = diagonal};
    MNP_TRY(mnp__rows_load(ctx, matrix->dtype, "find_diagonal", &kernel));
    const mnp_status st = run_diagonal(matrix, kernel, &params, &room, replaced_p);
    mnp__elements_free(ctx, room.ghosts);
    mnp__elements_free(ctx, room.replaced);
    return MNP_AGREE(ctx, st);
}
