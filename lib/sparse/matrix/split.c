/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows with global columns, cut in what this rank has of a vector itself and what it needs of others; and joined again.
 *
 * Ghost columns are numbered by a hash table: as a rule they are far fewer than the entries that have them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "sparse/matrix/part.h"

/* ---- numbering ---- */

/* A set of columns, which come to have numbers in rising order.  Open addressing; a free slot has column -1. */
struct numbering {
    int64_t *slots;
    int32_t *numbers;
    int64_t capacity, count; /* a power of two, at least twice the count */
};

static int64_t slot_of(const struct numbering *numbering, int64_t column)
{
    const uint64_t hash = (uint64_t)column * UINT64_C(0x9e3779b97f4a7c15);
    int64_t slot = (int64_t)(hash >> 20) & (numbering->capacity - 1);
    while (numbering->slots[slot] >= 0 && numbering->slots[slot] != column)
        slot = (slot + 1) & (numbering->capacity - 1);
    return slot;
}

static mnp_status grow(struct numbering *numbering)
{
    struct numbering larger = {.capacity = numbering->capacity ? 2 * numbering->capacity : 64,
                               .count = numbering->count};
    const size_t bytes = (size_t)larger.capacity * sizeof *larger.slots;
    MNP_TRY(mnp__malloc(bytes, &larger.slots));
    memset(larger.slots, 0xff, bytes);
    for (int64_t i = 0; i < numbering->capacity; i++)
        if (numbering->slots[i] >= 0)
            larger.slots[slot_of(&larger, numbering->slots[i])] = numbering->slots[i];
    free(numbering->slots);
    *numbering = larger;
    return MNP_OK;
}

static mnp_status add_column(struct numbering *numbering, int64_t column)
{
    if (2 * numbering->count >= numbering->capacity)
        MNP_TRY(grow(numbering));
    const int64_t slot = slot_of(numbering, column);
    if (numbering->slots[slot] < 0) {
        numbering->slots[slot] = column;
        numbering->count++;
    }
    return MNP_OK;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Number the columns, and list them. */
static mnp_status number_columns(struct numbering *numbering, int64_t **columns_p)
{
    int64_t *columns, count = 0;
    if (numbering->count > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a rank's rows touch %lld columns of others; more than %d are too many",
                        (long long)numbering->count, INT32_MAX);
    MNP_TRY(mnp__malloc((size_t)numbering->capacity * sizeof *numbering->numbers, &numbering->numbers));
    MNP_TRY(mnp__malloc((size_t)numbering->count * sizeof *columns, &columns));
    for (int64_t i = 0; i < numbering->capacity; i++)
        if (numbering->slots[i] >= 0)
            columns[count++] = numbering->slots[i];
    qsort(columns, (size_t)count, sizeof *columns, by_value);
    for (int64_t i = 0; i < count; i++)
        numbering->numbers[slot_of(numbering, columns[i])] = (int32_t)i;
    *columns_p = columns;
    return MNP_OK;
}

static void free_numbering(struct numbering *numbering)
{
    free(numbering->slots);
    free(numbering->numbers);
}

/* ---- splitting ---- */

struct counts {
    int64_t own, ghost, ghost_rows; /* entries, entries, rows that have any */
};

static mnp_status count_entries(const mnp__csr *csr, int64_t lo, int64_t hi, struct counts *counts,
                                struct numbering *numbering)
{
    for (int64_t i = 0; i < csr->rows; i++) {
        const int64_t before = counts->ghost;
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++) {
            if (csr->indices[k] >= lo && csr->indices[k] < hi) {
                counts->own++;
            } else {
                counts->ghost++;
                MNP_TRY(add_column(numbering, csr->indices[k]));
            }
        }
        counts->ghost_rows += counts->ghost > before;
    }
    return MNP_OK;
}

/* A part in CSR with room for so many entries; `listed`: rows_of as well. */
static mnp_status new_part(int64_t rows, int64_t columns, int64_t lines, int64_t count, size_t size, bool listed,
                           mnp__part *part)
{
    *part = (mnp__part){.format = MNP_CSR,
                        .rows = rows,
                        .columns = columns,
                        .lines = lines,
                        .count = count,
                        .offset_size = sizeof(int64_t)};
    MNP_TRY(mnp__calloc((size_t)lines + 1, sizeof(int64_t), &part->offsets));
    MNP_TRY(mnp__malloc((size_t)count * sizeof *part->indices, &part->indices));
    if (listed)
        MNP_TRY(mnp__malloc((size_t)lines * sizeof *part->rows_of, &part->rows_of));
    return mnp__malloc((size_t)count * size, &part->values);
}

static void put(mnp__part *part, int64_t at, int32_t index, size_t size, const void *value)
{
    part->indices[at] = index;
    memcpy((char *)part->values + (size_t)at * size, value, size);
}

static void fill(const mnp__csr *csr, int64_t lo, int64_t hi, const struct numbering *numbering, mnp__part *own,
                 mnp__part *ghost)
{
    const size_t size = mnp_dtype_size(csr->dtype);
    int64_t *own_offsets = own->offsets, *ghost_offsets = ghost->offsets, owned = 0, others = 0, line = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        const int64_t before = others;
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++) {
            const int64_t column = csr->indices[k];
            const void *value = (const char *)csr->values + (size_t)k * size;
            if (column >= lo && column < hi)
                put(own, owned++, (int32_t)(column - lo), size, value);
            else
                put(ghost, others++, numbering->numbers[slot_of(numbering, column)], size, value);
        }
        own_offsets[i + 1] = owned;
        if (others > before) {
            ghost->rows_of[line++] = (int32_t)i;
            ghost_offsets[line] = others;
        }
    }
}

mnp_status mnp__part_split(const mnp__csr *csr, int64_t lo, int64_t hi, mnp__part *own, mnp__part *ghost,
                           int64_t **columns_p, int64_t *count_p)
{
    const size_t size = mnp_dtype_size(csr->dtype);
    struct numbering numbering = {.count = 0};
    struct counts counts = {.own = 0};
    int64_t *columns = NULL;
    mnp_status st;
    *own = *ghost = (mnp__part){.rows = 0};
    if (csr->rows > INT32_MAX || hi - lo > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a rank's part of a sparse matrix has %lld rows and %lld columns; more than %d "
                        "are too many",
                        (long long)csr->rows, (long long)(hi - lo), INT32_MAX);
    MNP_TRY_OR(count_entries(csr, lo, hi, &counts, &numbering), st, fail);
    MNP_TRY_OR(number_columns(&numbering, &columns), st, fail);
    MNP_TRY_OR(new_part(csr->rows, hi - lo, csr->rows, counts.own, size, false, own), st, fail);
    MNP_TRY_OR(new_part(csr->rows, numbering.count, counts.ghost_rows, counts.ghost, size, true, ghost), st, fail);
    fill(csr, lo, hi, &numbering, own, ghost);
    *columns_p = columns;
    *count_p = numbering.count;
    free_numbering(&numbering);
    return MNP_OK;
fail:
    free(columns);
    free_numbering(&numbering);
    mnp__part_free(own);
    mnp__part_free(ghost);
    return st;
}

/* ---- joining ---- */

mnp_status mnp__part_join(const mnp__part *own, const mnp__part *ghost, mnp_dtype dtype, int64_t lo,
                          const int64_t *columns, int64_t ncolumns, mnp__csr *csr)
{
    const size_t size = mnp_dtype_size(dtype);
    const int64_t *own_offsets = own->offsets, *ghost_offsets = ghost->offsets;
    int64_t at = 0, line = 0, k = 0;
    MNP_TRY(mnp__csr_new(dtype, own->rows, ncolumns, own->count + ghost->count, csr));
    for (int64_t i = 0; i < own->rows; i++) {
        const bool has_ghosts = line < ghost->lines && ghost->rows_of[line] == i;
        const int64_t end = has_ghosts ? ghost_offsets[++line] : k;
        for (; k < end && columns[ghost->indices[k]] < lo; k++, at++) {
            csr->indices[at] = columns[ghost->indices[k]];
            mnp__value_copy(size, csr->values, at, ghost->values, k);
        }
        for (int64_t j = own_offsets[i]; j < own_offsets[i + 1]; j++, at++) {
            csr->indices[at] = lo + own->indices[j];
            mnp__value_copy(size, csr->values, at, own->values, j);
        }
        for (; k < end; k++, at++) {
            csr->indices[at] = columns[ghost->indices[k]];
            mnp__value_copy(size, csr->values, at, ghost->values, k);
        }
        csr->offsets[i + 1] = at;
    }
    return MNP_OK;
}
