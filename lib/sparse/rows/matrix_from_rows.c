/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows are cut at the rank's own columns on the device (split_rows.c); the own part then goes to the CPU and back where
 * DIA, BSR or SELL is asked for.
 */
#include "sparse/rows/matrix_from_rows.h"

#include "sparse/rows/edit_rows.h"
#include "sparse/rows/turn_part.h"

/* ---- other formats ---- */

/* The largest side up to 4 of blocks that are 7 tenths full on all ranks together, as SciPy's estimate_blocksize(). */
static mnp_status choose_block(mnp_ctx *ctx, const mnp__part *own, int *block_p)
{
    enum { LARGEST = 4 };
    int64_t counts[LARGEST + 1] = {own->count};
    mnp_status st = MNP_OK;
    for (int block = 1; block <= LARGEST && st == MNP_OK; block++)
        st = mnp__part_count_blocks(own, block, &counts[block]);
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(mnp__all_reduce(&ctx->comm, counts, LARGEST + 1, MPI_INT64_T, MPI_SUM));
    int block = LARGEST;
    while (block > 1 && 10 * counts[0] < 7 * counts[block] * block * block)
        block--;
    *block_p = block;
    return MNP_OK;
}

/* The own part, from CSR to DIA, BSR or SELL.  Collective, and agreed upon. */
static mnp_status convert_own(mnp_ctx *ctx, mnp_dtype dtype, mnp_sparse_format format, int block, mnp__part *own)
{
    mnp__part csr = {.rows = 0}, converted = {.rows = 0}, stored = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(ctx, mnp__part_download(ctx, dtype, own, &csr)), st, done);
    if (format == MNP_BSR && block == 0)
        MNP_TRY_OR(choose_block(ctx, &csr, &block), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, mnp__part_convert(&csr, dtype, format, block, &converted)), st, done);
    int64_t most = converted.count;
    MNP_TRY_OR(mnp__all_reduce(&ctx->comm, &most, 1, MPI_INT64_T, MPI_MAX), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, mnp__part_upload(ctx, dtype, most > INT32_MAX ? 8 : 4, &converted, &stored)), st, done);
    mnp__part_release(ctx, own);
    *own = stored;
    stored = (mnp__part){.rows = 0};
done:
    mnp__part_release(ctx, &stored);
    mnp__part_free(&csr);
    mnp__part_free(&converted);
    return st;
}

/* The same to CSC or COO. */
static mnp_status relist_own(mnp_ctx *ctx, mnp_dtype dtype, mnp_sparse_format format, mnp__part *own)
{
    mnp__part listed = {.rows = 0};
    MNP_TRY(mnp__part_relist(ctx, dtype, own, format, &listed));
    mnp__part_release(ctx, own);
    *own = listed;
    return MNP_OK;
}

/* The rows without entries that are 0, which formats that fill up with zeros cannot tell from their filling. */
static mnp_status drop_zeros(mnp_ctx *ctx, mnp_dtype dtype, mnp__rows *rows)
{
    const mnp__selection selection = {.low = INT64_MIN, .high = INT64_MAX, .drops_zeros = true};
    mnp__rows kept = {.rows = 0};
    const mnp_status st = mnp__rows_select(ctx, dtype, rows, &selection, &kept);
    mnp__rows_release(ctx, rows);
    *rows = kept;
    return st;
}

/* ---- matrices ---- */

mnp_status mnp__sparse_from_rows_as(const mnp__sparse_shape *shape, mnp__rows *rows, mnp_sparse_format format,
                                    int block, mnp_sparse **matrix_p)
{
    mnp_ctx *ctx = shape->ctx;
    const mnp_dtype dtype = shape->dtype;
    mnp__parts parts = {.nghosts = 0};
    mnp_status st;
    if (format == MNP_DIA || format == MNP_BSR)
        MNP_TRY_OR(drop_zeros(ctx, dtype, rows), st, done);
    MNP_TRY_OR(mnp__rows_split(ctx, dtype, shape->column_layout, rows, &parts), st, done);
    mnp__rows_release(ctx, rows);
    MNP_TRY_OR(mnp__rows_list_ghosts(ctx, dtype, &parts), st, done);
    if (format != MNP_CSR && mnp__part_is_listed(format))
        MNP_TRY_OR(relist_own(ctx, dtype, format, &parts.own), st, done);
    else if (format != MNP_CSR)
        MNP_TRY_OR(convert_own(ctx, dtype, format, block, &parts.own), st, done);
    st = mnp__sparse_from_parts(shape, &parts, matrix_p);
done:
    mnp__rows_release(ctx, rows);
    mnp__parts_free(ctx, &parts);
    return st;
}

mnp_status mnp__sparse_from_rows(const mnp__sparse_shape *shape, mnp__rows *rows, mnp_sparse **matrix_p)
{
    return mnp__sparse_from_rows_as(shape, rows, MNP_CSR, 0, matrix_p);
}

mnp_status mnp__sparse_from_csr(const mnp__sparse_shape *shape, const mnp__csr *csr, mnp_sparse_format format,
                                int block, mnp_sparse **matrix_p)
{
    mnp__rows rows = {.rows = 0};
    const mnp_status st = MNP_AGREE(shape->ctx, mnp__rows_upload(shape->ctx, csr, &rows));
    if (st == MNP_OK)
        return mnp__sparse_from_rows_as(shape, &rows, format, block, matrix_p);
    mnp__rows_release(shape->ctx, &rows);
    return st;
}
