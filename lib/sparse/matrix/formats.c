/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From CSR to DIA, BSR and SELL, and from all formats back, in memory of the CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "sparse/matrix/part.h"

/* A part of that shape, with arrays of these lengths. */
static mnp_status make_part(const mnp__part *shape, int64_t offsets, int64_t rows_of, int64_t indices,
                            size_t value_size, mnp__part *part)
{
    mnp__part made = *shape;
    mnp_status st;
    made.offsets = made.values = NULL;
    made.rows_of = made.indices = NULL;
    made.offset_size = sizeof(int64_t);
    if (offsets > 0)
        MNP_TRY_OR(mnp__calloc((size_t)offsets, sizeof(int64_t), &made.offsets), st, fail);
    if (rows_of > 0)
        MNP_TRY_OR(mnp__malloc((size_t)rows_of * sizeof *made.rows_of, &made.rows_of), st, fail);
    MNP_TRY_OR(mnp__calloc((size_t)indices + 1, sizeof *made.indices, &made.indices), st, fail);
    MNP_TRY_OR(mnp__calloc((size_t)made.count + 1, value_size, &made.values), st, fail);
    *part = made;
    return MNP_OK;
fail:
    mnp__part_free(&made);
    return st;
}

static mnp__part shape_of(const mnp__part *from, mnp_sparse_format format, int64_t lines, int64_t count, int block)
{
    return (mnp__part){
        .format = format, .rows = from->rows, .columns = from->columns, .lines = lines, .count = count, .block = block};
}

static void copy_value(size_t size, mnp__part *to, int64_t to_at, const mnp__part *from, int64_t from_at)
{
    mnp__value_copy(size, to->values, to_at, from->values, from_at);
}

/* ---- COO ---- */

static mnp_status from_coo(const mnp__part *coo, size_t size, mnp__part *csr)
{
    const mnp__part shape = shape_of(coo, MNP_CSR, coo->rows, coo->count, 0);
    MNP_TRY(make_part(&shape, coo->rows + 1, 0, coo->count, size, csr));
    int64_t *offsets = csr->offsets;
    for (int64_t k = 0; k < coo->count; k++)
        offsets[coo->rows_of[k] + 1]++;
    for (int64_t i = 0; i < coo->rows; i++)
        offsets[i + 1] += offsets[i];
    memcpy(csr->indices, coo->indices, (size_t)coo->count * sizeof *coo->indices);
    memcpy(csr->values, coo->values, (size_t)coo->count * size);
    return MNP_OK;
}

/* ---- CSC ---- */

/*
 * Lines of columns become lines of rows: `lines` lines become `others`.  Entries of a new line
 * keep the order of the old lines, so indices rise.
 */
static void turn(const mnp__part *from, int64_t lines, mnp__part *to, int64_t others, size_t size)
{
    const int64_t *offsets = from->offsets;
    int64_t *next = to->offsets;
    for (int64_t k = 0; k < from->count; k++)
        next[from->indices[k] + 1]++;
    for (int64_t i = 0; i < others; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i < lines; i++) {
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            const int64_t at = next[from->indices[k]]++;
            to->indices[at] = (int32_t)i;
            copy_value(size, to, at, from, k);
        }
    }
    memmove(next + 1, next, (size_t)others * sizeof *next);
    next[0] = 0;
}

static mnp_status from_csc(const mnp__part *csc, size_t size, mnp__part *csr)
{
    const mnp__part shape = shape_of(csc, MNP_CSR, csc->rows, csc->count, 0);
    MNP_TRY(make_part(&shape, csc->rows + 1, 0, csc->count, size, csr));
    turn(csc, csc->columns, csr, csc->rows, size);
    return MNP_OK;
}

/* ---- DIA ---- */

/*
 * Number the diagonals that have entries from 1 on, rising: numbers[rows - 1 + diagonal], 0 for the others.  Returns
 * how many there are.
 */
static int64_t number_diagonals(const mnp__part *csr, int32_t *numbers)
{
    const int64_t *offsets = csr->offsets;
    int64_t count = 0;
    for (int64_t i = 0; i < csr->rows; i++)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
            numbers[csr->rows - 1 + csr->indices[k] - i] = 1;
    for (int64_t d = 0; d < csr->rows + csr->columns; d++)
        if (numbers[d] > 0)
            numbers[d] = (int32_t)++count;
    return count;
}

static mnp_status to_dia(const mnp__part *csr, size_t size, mnp__part *part)
{
    const int64_t *offsets = csr->offsets;
    int32_t *numbers;
    MNP_TRY(mnp__calloc((size_t)(csr->rows + csr->columns), sizeof *numbers, &numbers));
    const int64_t diagonals = number_diagonals(csr, numbers);
    const mnp__part shape = shape_of(csr, MNP_DIA, diagonals, diagonals * csr->rows, 0);
    mnp_status st;
    if (diagonals > INT32_MAX)
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "a rank's rows are on %lld diagonals; more than %d are too many",
                      (long long)diagonals, INT32_MAX);
    else
        st = make_part(&shape, 0, 0, diagonals, size, part);
    if (st == MNP_OK) {
        for (int64_t d = 0; d < csr->rows + csr->columns; d++)
            if (numbers[d] > 0)
                part->indices[numbers[d] - 1] = (int32_t)(d - (csr->rows - 1));
        for (int64_t i = 0; i < csr->rows; i++)
            for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
                copy_value(size, part, (numbers[csr->rows - 1 + csr->indices[k] - i] - 1) * csr->rows + i, csr, k);
    }
    free(numbers);
    return st;
}

static mnp_status from_dia(const mnp__part *dia, mnp_dtype dtype, mnp__part *csr)
{
    const mnp__part shape = shape_of(dia, MNP_CSR, dia->rows, dia->count, 0);
    MNP_TRY(make_part(&shape, dia->rows + 1, 0, dia->count, mnp_dtype_size(dtype), csr));
    int64_t *offsets = csr->offsets, count = 0;
    for (int64_t i = 0; i < dia->rows; i++) {
        for (int64_t d = 0; d < dia->lines; d++) {
            if (mnp__value_is_zero(dtype, dia->values, d * dia->rows + i))
                continue;
            csr->indices[count] = (int32_t)(i + dia->indices[d]);
            copy_value(mnp_dtype_size(dtype), csr, count++, dia, d * dia->rows + i);
        }
        offsets[i + 1] = count;
    }
    csr->count = count;
    return MNP_OK;
}

/* ---- BSR ---- */

/* The last block row in which a block column was seen, plus 1, and the number of that block. */
struct seen {
    int64_t row, at;
};

static int64_t count_blocks(const mnp__part *csr, int block, struct seen *seen)
{
    const int64_t *offsets = csr->offsets;
    int64_t count = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            struct seen *column = &seen[csr->indices[k] / block];
            count += column->row != i / block + 1;
            column->row = i / block + 1;
        }
    }
    return count;
}

/* Store the block columns of block row `line`, in order, from `at` on; returns where they end. */
static int64_t list_blocks(const mnp__part *csr, int block, int64_t line, struct seen *seen, mnp__part *bsr, int64_t at)
{
    const int64_t *offsets = csr->offsets, first = at;
    const int64_t end_row = (line + 1) * block < csr->rows ? (line + 1) * block : csr->rows;
    for (int64_t k = offsets[line * block]; k < offsets[end_row]; k++) {
        const int32_t column = csr->indices[k] / block;
        if (seen[column].row != line + 1) {
            seen[column].row = line + 1;
            bsr->indices[at++] = column;
        }
    }
    qsort(bsr->indices + first, (size_t)(at - first), sizeof *bsr->indices, mnp__compare_int32);
    for (int64_t b = first; b < at; b++)
        seen[bsr->indices[b]].at = b;
    return at;
}

static void fill_blocks(const mnp__part *csr, int block, size_t size, struct seen *seen, mnp__part *bsr)
{
    const int64_t *offsets = csr->offsets;
    int64_t *starts = bsr->offsets;
    for (int64_t line = 0; line < bsr->lines; line++) {
        starts[line + 1] = list_blocks(csr, block, line, seen, bsr, starts[line]);
        for (int64_t i = line * block; i < (line + 1) * block && i < csr->rows; i++) {
            for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
                const int64_t at = seen[csr->indices[k] / block].at;
                copy_value(size, bsr, (at * block + i % block) * block + csr->indices[k] % block, csr, k);
            }
        }
    }
}

mnp_status mnp__part_count_blocks(const mnp__part *csr, int block, int64_t *count_p)
{
    struct seen *seen;
    MNP_TRY(mnp__calloc((size_t)csr->columns + 1, sizeof *seen, &seen));
    *count_p = count_blocks(csr, block, seen);
    free(seen);
    return MNP_OK;
}

static mnp_status to_bsr(const mnp__part *csr, size_t size, int block, mnp__part *part)
{
    struct seen *seen;
    const size_t room = (size_t)csr->columns + 1;
    const int64_t lines = mnp__divide_up(csr->rows, block);
    MNP_TRY(mnp__calloc(room, sizeof *seen, &seen));
    const int64_t blocks = count_blocks(csr, block, seen);
    const mnp__part shape = shape_of(csr, MNP_BSR, lines, blocks * block * block, block);
    const mnp_status st = make_part(&shape, lines + 1, 0, blocks, size, part);
    memset(seen, 0, room * sizeof *seen);
    if (st == MNP_OK)
        fill_blocks(csr, block, size, seen, part);
    free(seen);
    return st;
}

static mnp_status from_bsr(const mnp__part *bsr, mnp_dtype dtype, mnp__part *csr)
{
    const mnp__part shape = shape_of(bsr, MNP_CSR, bsr->rows, bsr->count, 0);
    const int64_t *starts = bsr->offsets, block = bsr->block;
    MNP_TRY(make_part(&shape, bsr->rows + 1, 0, bsr->count, mnp_dtype_size(dtype), csr));
    int64_t *offsets = csr->offsets, count = 0;
    for (int64_t i = 0; i < bsr->rows; i++) {
        for (int64_t b = starts[i / block]; b < starts[i / block + 1]; b++) {
            for (int64_t c = 0; c < block; c++) {
                const int64_t at = (b * block + i % block) * block + c;
                if (mnp__value_is_zero(dtype, bsr->values, at))
                    continue;
                csr->indices[count] = (int32_t)(bsr->indices[b] * block + c);
                copy_value(mnp_dtype_size(dtype), csr, count++, bsr, at);
            }
        }
        offsets[i + 1] = count;
    }
    csr->count = count;
    return MNP_OK;
}

/* ---- SELL ---- */

static mnp_status to_sell(const mnp__part *csr, size_t size, mnp__part *part)
{
    const int64_t *offsets = csr->offsets, height = MNP__SELL_SLICE, slices = mnp__divide_up(csr->rows, height);
    int64_t *starts, count = 0;
    MNP_TRY(mnp__calloc((size_t)slices + 1, sizeof *starts, &starts));
    for (int64_t s = 0; s < slices; s++) {
        int64_t longest = 0;
        for (int64_t i = s * height; i < (s + 1) * height && i < csr->rows; i++)
            longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
        starts[s + 1] = count += longest * height;
    }
    const mnp__part shape = shape_of(csr, MNP_SELL, slices, count, 0);
    const mnp_status st = make_part(&shape, 0, csr->rows, count, size, part);
    if (st != MNP_OK) {
        free(starts);
        return st;
    }
    part->offsets = starts;
    for (int64_t i = 0; i < csr->rows; i++) {
        part->rows_of[i] = (int32_t)(offsets[i + 1] - offsets[i]);
        for (int64_t k = offsets[i], at = starts[i / height] + i % height; k < offsets[i + 1]; k++, at += height) {
            part->indices[at] = csr->indices[k];
            copy_value(size, part, at, csr, k);
        }
    }
    return MNP_OK;
}

static mnp_status from_sell(const mnp__part *sell, size_t size, mnp__part *csr)
{
    const int64_t *starts = sell->offsets, height = MNP__SELL_SLICE;
    const mnp__part shape = shape_of(sell, MNP_CSR, sell->rows, sell->count, 0);
    MNP_TRY(make_part(&shape, sell->rows + 1, 0, sell->count, size, csr));
    int64_t *offsets = csr->offsets, count = 0;
    for (int64_t i = 0; i < sell->rows; i++) {
        for (int64_t j = 0, at = starts[i / height] + i % height; j < sell->rows_of[i]; j++, at += height) {
            csr->indices[count] = sell->indices[at];
            copy_value(size, csr, count++, sell, at);
        }
        offsets[i + 1] = count;
    }
    csr->count = count;
    return MNP_OK;
}

/* ---- all of them ---- */

static mnp_status copy_csr(const mnp__part *csr, size_t size, mnp__part *part)
{
    MNP_TRY(make_part(csr, csr->lines + 1, 0, csr->count, size, part));
    memcpy(part->offsets, csr->offsets, (size_t)(csr->lines + 1) * sizeof(int64_t));
    memcpy(part->indices, csr->indices, (size_t)csr->count * sizeof *csr->indices);
    memcpy(part->values, csr->values, (size_t)csr->count * size);
    return MNP_OK;
}

mnp_status mnp__part_convert(const mnp__part *csr, mnp_dtype dtype, mnp_sparse_format format, int block,
                             mnp__part *part)
{
    const size_t size = mnp_dtype_size(dtype);
    switch (format) {
    case MNP_DIA:
        return to_dia(csr, size, part);
    case MNP_BSR:
        return to_bsr(csr, size, block, part);
    case MNP_SELL:
        return to_sell(csr, size, part);
    default:
        return copy_csr(csr, size, part);
    }
}

mnp_status mnp__part_to_csr(const mnp__part *part, mnp_dtype dtype, mnp__part *csr)
{
    const size_t size = mnp_dtype_size(dtype);
    switch (part->format) {
    case MNP_CSC:
        return from_csc(part, size, csr);
    case MNP_COO:
        return from_coo(part, size, csr);
    case MNP_DIA:
        return from_dia(part, dtype, csr);
    case MNP_BSR:
        return from_bsr(part, dtype, csr);
    case MNP_SELL:
        return from_sell(part, size, csr);
    default:
        return copy_csr(part, size, csr);
    }
}
