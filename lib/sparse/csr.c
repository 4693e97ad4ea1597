/*
 * Rows in CSR on the CPU: made of entries, and without those that are 0.  One pass each, but for sorting.
 *
 * Values of all dtypes are added as pairs of doubles and rounded when they are stored, so that there is one text for
 * all; sums of float32 come out as those of float32 would.
 */
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

mnp_status mnp__csr_new(mnp_dtype dtype, int64_t rows, int64_t columns, int64_t count, mnp__csr *csr)
{
    mnp__csr made = {.dtype = dtype, .rows = rows, .columns = columns};
    mnp_status st;
    if (rows > INT64_MAX / 64 || count > INT64_MAX / 64)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %lld rows of %lld entries", (long long)rows, (long long)count);
    MNP_TRY_OR(mnp__calloc((size_t)rows + 1, sizeof *made.offsets, &made.offsets), st, fail);
    MNP_TRY_OR(mnp__malloc((size_t)count * sizeof *made.indices, &made.indices), st, fail);
    MNP_TRY_OR(mnp__malloc((size_t)count * mnp_dtype_size(dtype), &made.values), st, fail);
    *csr = made;
    return MNP_OK;
fail:
    mnp__csr_free(&made);
    return st;
}

void mnp__csr_free(mnp__csr *csr)
{
    free(csr->offsets);
    free(csr->indices);
    free(csr->values);
    *csr = (mnp__csr){.rows = 0};
}

/* ---- values ---- */

bool mnp__value_is_zero(mnp_dtype dtype, const void *values, int64_t at)
{
    double value[2];
    mnp__value_get(dtype, values, at, value);
    return value[0] == 0 && value[1] == 0;
}

/* values[to] += values[from] */
static void add_value(mnp_dtype dtype, void *values, int64_t to, const void *others, int64_t from)
{
    double a[2], b[2];
    mnp__value_get(dtype, values, to, a);
    mnp__value_get(dtype, others, from, b);
    a[0] += b[0];
    a[1] += b[1];
    mnp__value_set(dtype, values, to, a);
}

/* ---- from entries ---- */

struct place {
    int64_t column, from; /* where the entry was in its row */
};

static int by_column(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->from < y->from ? -1 : 1;
}

static void sort_places(struct place *places, int64_t count)
{
    enum { FEW = 32 };
    if (count > FEW) {
        qsort(places, (size_t)count, sizeof *places, by_column);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        const struct place moved = places[i];
        int64_t at = i;
        for (; at > 0 && places[at - 1].column > moved.column; at--)
            places[at] = places[at - 1];
        places[at] = moved;
    }
}

static bool rises(const int64_t *columns, int64_t count)
{
    bool rising = true;
    for (int64_t i = 1; i < count; i++)
        rising &= columns[i - 1] < columns[i];
    return rising;
}

/* Sort the row whose entries come from `begin` on, to *end_p, adding duplicates; scratch has room for a row. */
static void tidy_row(mnp__csr *csr, int64_t begin, int64_t count, struct place *places, void *scratch, int64_t *end_p)
{
    const size_t size = mnp_dtype_size(csr->dtype);
    int64_t end = *end_p;
    for (int64_t i = 0; i < count; i++)
        places[i] = (struct place){.column = csr->indices[begin + i], .from = i};
    sort_places(places, count);
    memcpy(scratch, (char *)csr->values + (size_t)begin * size, (size_t)count * size);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && places[i].column == places[i - 1].column) {
            add_value(csr->dtype, csr->values, end - 1, scratch, places[i].from);
        } else {
            csr->indices[end] = places[i].column;
            mnp__value_copy(size, csr->values, end++, scratch, places[i].from);
        }
    }
    *end_p = end;
}

static int64_t longest_row(const mnp__csr *csr)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        const int64_t count = csr->offsets[i + 1] - csr->offsets[i];
        longest = count > longest ? count : longest;
    }
    return longest;
}

/* Let the columns of every row rise, without duplicates. */
static mnp_status tidy(mnp__csr *csr)
{
    const size_t size = mnp_dtype_size(csr->dtype), longest = (size_t)longest_row(csr);
    struct place *places = NULL;
    void *scratch = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(longest * sizeof *places, &places), st, done);
    MNP_TRY_OR(mnp__malloc(longest * size, &scratch), st, done);
    int64_t end = 0, begin = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        const int64_t count = csr->offsets[i + 1] - begin;
        if (!rises(csr->indices + begin, count)) {
            tidy_row(csr, begin, count, places, scratch, &end);
        } else {
            if (end < begin) {
                memmove(csr->indices + end, csr->indices + begin, (size_t)count * sizeof *csr->indices);
                memmove((char *)csr->values + (size_t)end * size, (char *)csr->values + (size_t)begin * size,
                        (size_t)count * size);
            }
            end += count;
        }
        begin = csr->offsets[i + 1];
        csr->offsets[i + 1] = end;
    }
done:
    free(places);
    free(scratch);
    return st;
}

mnp_status mnp__csr_from_entries(mnp_dtype dtype, int64_t nrows, int64_t first_row, int64_t ncolumns, int64_t count,
                                 const int64_t *rows, const int64_t *columns, const void *values, mnp__csr *csr)
{
    const size_t size = mnp_dtype_size(dtype);
    mnp__csr made;
    MNP_TRY(mnp__csr_new(dtype, nrows, ncolumns, count, &made));
    for (int64_t k = 0; k < count; k++)
        made.offsets[rows[k] - first_row + 1]++;
    for (int64_t i = 0; i < nrows; i++)
        made.offsets[i + 1] += made.offsets[i];
    /* an offset is where the row's next entry goes, at last where the next row begins */
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = made.offsets[rows[k] - first_row]++;
        made.indices[at] = columns[k];
        mnp__value_copy(size, made.values, at, values, k);
    }
    memmove(made.offsets + 1, made.offsets, (size_t)nrows * sizeof *made.offsets);
    made.offsets[0] = 0;
    const mnp_status st = tidy(&made);
    if (st == MNP_OK)
        *csr = made;
    else
        mnp__csr_free(&made);
    return st;
}

/* ---- from CSR to CSR ---- */

mnp_status mnp__csr_without_zeros(const mnp__csr *csr, mnp__csr *kept)
{
    const size_t size = mnp_dtype_size(csr->dtype);
    int64_t count = 0;
    MNP_TRY(mnp__csr_new(csr->dtype, csr->rows, csr->columns, mnp__csr_count(csr), kept));
    for (int64_t i = 0; i < csr->rows; i++) {
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++) {
            if (mnp__value_is_zero(csr->dtype, csr->values, k))
                continue;
            kept->indices[count] = csr->indices[k];
            mnp__value_copy(size, kept->values, count++, csr->values, k);
        }
        kept->offsets[i + 1] = count;
    }
    return MNP_OK;
}
