/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing Matrix Market files.  Every rank makes the text of its rows in memory, learns the lengths of the texts of the
 * ranks before it, and writes its text at that offset of a temporary file (atomic_file.h), which is renamed once it is
 * complete.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "array/array.h"
#include "base/dtype.h"
#include "base/value.h"
#include "base/status.h"
#include "base/text.h"
#include "io/market/matrix_market.h"
#include "io/plain_file.h"

enum { LONGEST_LINE = 128 };

struct job {
    const mnp_sparse *matrix;
    mnp_ctx *ctx;
    const char *file;
    mnp_mm_symmetry symmetry;
    int64_t entries; /* number of entries that this rank writes */
    mnp__text text;  /* their text */
    int64_t place;   /* the offset of the text in the file */
};

/* ---- text ---- */

static char *add_integer(char *at, int64_t value)
{
    char digits[24];
    int count = 0;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0)
        *at++ = '-';
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

/* Write the fewest digits that give the same number when read back: 15 to 17 for float64, 6 to 9 for float32. */
static char *add_number(char *at, double value, bool single)
{
    if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value)))
        return add_integer(at, (int64_t)value);
    if (!isfinite(value))
        return at + snprintf(at, LONGEST_LINE / 4, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    for (int digits = single ? 6 : 15;; digits++) {
        double back = 0;
        int length = snprintf(at, LONGEST_LINE / 4, "%.*g", digits, value);
        mnp__mm_scan_float(at, at + length, &back);
        if (digits == (single ? 9 : 17) || (single ? (float)back == (float)value : back == value))
            return at + length;
    }
}

static void add_entry(struct job *job, int64_t row, int64_t column, const double value[2])
{
    char line[LONGEST_LINE], *at = line;
    const mnp_dtype dtype = mnp_sparse_dtype(job->matrix);
    const bool single = mnp__dtype_is_single(dtype);
    at = add_integer(at, row + 1);
    *at++ = ' ';
    at = add_integer(at, column + 1);
    for (int i = 0; i < (mnp_dtype_kind(dtype) == 'c' ? 2 : 1); i++) {
        *at++ = ' ';
        at = add_number(at, value[i], single);
    }
    *at++ = '\n';
    mnp__text_add_bytes(&job->text, line, (size_t)(at - line));
    job->entries++;
}

static mnp_status add_rows(struct job *job, const int64_t *offsets, const int64_t *columns, const void *values)
{
    int64_t first, rows;
    double value[2];
    mnp_layout_box(mnp_sparse_row_layout(job->matrix), job->ctx->comm.rank, &first, &rows);
    for (int64_t i = 0; i < rows && !job->text.failed; i++) {
        const int64_t row = first + i;
        const int64_t end = job->symmetry == MNP_MM_GENERAL          ? INT64_MAX
                            : job->symmetry == MNP_MM_SKEW_SYMMETRIC ? row
                                                                     : row + 1;
        for (int64_t k = offsets[i]; k < offsets[i + 1] && columns[k] < end; k++) {
            mnp__value_get(mnp_sparse_dtype(job->matrix), values, k, value);
            add_entry(job, row, columns[k], value);
        }
    }
    return mnp__text_status(&job->text);
}

/* Make the text of this rank's rows. */
static mnp_status make_text(struct job *job)
{
    int64_t first, rows, *offsets = NULL, *columns = NULL;
    const size_t count = (size_t)mnp_sparse_local_nnz(job->matrix);
    void *values = NULL;
    mnp__numbers numbers = {NULL, NULL};
    mnp_status st;
    mnp_layout_box(mnp_sparse_row_layout(job->matrix), job->ctx->comm.rank, &first, &rows);
    MNP_TRY_OR(mnp__malloc(((size_t)rows + 1) * sizeof *offsets, &offsets), st, release);
    MNP_TRY_OR(mnp__malloc(count * sizeof *columns, &columns), st, release);
    MNP_TRY_OR(mnp__malloc(count * mnp_dtype_size(mnp_sparse_dtype(job->matrix)), &values), st, release);
    MNP_TRY_OR(mnp_sparse_get_local(job->matrix, offsets, columns, values), st, release);

    MNP_TRY_OR(mnp__numbers_begin(&numbers), st, release);
    st = add_rows(job, offsets, columns, values);
    mnp__numbers_end(&numbers);
release:
    free(values);
    free(columns);
    free(offsets);
    return st;
}

/* ---- the file ---- */

struct text_counts {
    int64_t entries, length;
};

static int make_head(const struct job *job, int64_t entries, char *head, size_t size)
{
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    const int64_t *shape = mnp_sparse_shape(job->matrix);
    return snprintf(head, size, "%%%%MatrixMarket matrix coordinate %s %s\n%" PRId64 " %" PRId64 " %" PRId64 "\n",
                    mnp_dtype_kind(mnp_sparse_dtype(job->matrix)) == 'c' ? "complex" : "real",
                    symmetries[job->symmetry], shape[0], shape[1], entries);
}

/* Find the offset of this rank's text and the size of the file, and put the head before rank 0's text.  Collective. */
static mnp_status find_place(struct job *job, int64_t *bytes_p)
{
    const int rank = job->ctx->comm.rank, size = job->ctx->comm.size;
    struct text_counts mine = {job->entries, (int64_t)job->text.length}, *counts, before = {0, 0}, all = {0, 0};
    char head[256];
    mnp_status st = mnp__calloc((size_t)size, sizeof *counts, &counts);
    MNP_TRY(MNP_AGREE(job->ctx, st));
    st = mnp__all_gather(&job->ctx->comm, &mine, counts, sizeof mine);
    for (int r = 0; r < size; r++) {
        before.length += r < rank ? counts[r].length : 0;
        all.entries += counts[r].entries;
        all.length += counts[r].length;
    }
    free(counts);
    MNP_TRY(st);
    const int length = make_head(job, all.entries, head, sizeof head);
    job->place = rank == 0 ? 0 : before.length + length;
    *bytes_p = all.length + length;
    if (rank != 0)
        return MNP_AGREE(job->ctx, MNP_OK);
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_bytes(&text, head, (size_t)length);
    mnp__text_add_bytes(&text, mnp__text_string(&job->text), job->text.length);
    mnp__text_free(&job->text);
    job->text = text;
    return MNP_AGREE(job->ctx, mnp__text_status(&text));
}

static mnp_status write_text(const mnp__plain_file *file, void *argument)
{
    const struct job *job = argument;
    return mnp__plain_file_write(file, job->place, job->text.length, job->text.data);
}

static mnp_status write_file(struct job *job)
{
    int64_t bytes;
    MNP_TRY(find_place(job, &bytes));
    return mnp__plain_file_replace(job->ctx, job->file, bytes, write_text, job);
}

/* MNP_ERR_ARG unless the matrix has exactly the symmetry.  Collective. */
static mnp_status check_symmetry(const struct job *job)
{
    mnp_sparse_symmetry found;
    if ((unsigned)job->symmetry > MNP_MM_HERMITIAN)
        return MNP_FAIL(MNP_ERR_ARG, "symmetry is %d, which is not a mnp_mm_symmetry", (int)job->symmetry);
    if (job->symmetry == MNP_MM_GENERAL)
        return MNP_OK;
    if (job->symmetry == MNP_MM_HERMITIAN && mnp_dtype_kind(mnp_sparse_dtype(job->matrix)) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "a matrix of real numbers is written as symmetric, not as Hermitian");
    MNP_TRY(mnp_sparse_find_symmetry(job->matrix, &found));
    const double differences[] = {0, found.symmetric, found.skew_symmetric, found.hermitian};
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "Hermitian"};
    if (differences[job->symmetry] > 0)
        return MNP_FAIL(MNP_ERR_ARG, "the matrix is not %s: entries differ by up to %g from what they should be",
                        names[job->symmetry], differences[job->symmetry]);
    return MNP_OK;
}

mnp_status mnp_mm_write(const mnp_sparse *matrix, const char *file, mnp_mm_symmetry symmetry)
{
    MNP_ENTER(matrix, file);
    struct job job = {.matrix = matrix, .ctx = mnp_sparse_ctx(matrix), .file = file, .symmetry = symmetry};
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the Matrix Market file is missing");
    MNP_TRY(check_symmetry(&job));
    mnp_status st = MNP_AGREE(job.ctx, make_text(&job));
    if (st == MNP_OK)
        st = write_file(&job);
    mnp__text_free(&job.text);
    return st;
}
