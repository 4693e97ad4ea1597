/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading Matrix Market files in parallel.
 *
 * Rank 0 parses the head and broadcasts it.  The bytes after it are divided into equal shares, one a rank; every rank
 * moves the ends of its share to the beginning of a line, without communication.  A rank parses its share in blocks of
 * 1 MiB, so that beyond them it needs memory for its entries alone.  The ranks then gather how many lines and entries
 * each has read: from these follow the number of the first bad line in the file, and which values of an array a rank
 * has.
 */
#include <config.h> /* first: it makes memrchr() known */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/redistribute.h>
#include <maniple/view.h>

#include "array/array.h"
#include "array/output.h"
#include "base/integer.h"
#include "base/status.h"
#include "io/market/matrix_market.h"
#include "io/plain_file.h"

enum {
    BLOCK = 1 << 20,
    MOST_HEAD = 1 << 24
}; /* bytes that are read at a time, also the limit of a line; limit of a head */

/* What rank 0 has found and broadcasts. */
struct found {
    mnp__mm_head head;
    mnp__mm_problem problem;
};

struct job {
    mnp_ctx *ctx;
    const char *file;
    mnp__plain_file opened;
    struct found found;
    mnp__mm_body body; /* this rank's share */
    int64_t before;    /* entries or values of the ranks before this one */
};

/* ---- the file ---- */

/* Parse the head, from a part of the file that is enlarged until it holds the head. */
static mnp_status read_head(struct job *job)
{
    MNP_TRY(mnp__plain_file_open(job->file, &job->opened));
    const int64_t bytes = job->opened.bytes, most = mnp__min(bytes, MOST_HEAD);
    mnp_status st = MNP_OK;
    mnp__mm_progress progress = MNP__MM_NEEDS_MORE;
    int64_t size = 1 << 11;
    do {
        char *text;
        size = 8 * size < most ? 8 * size : most;
        MNP_TRY(mnp__malloc((size_t)size + 1, &text));
        st = mnp__plain_file_read(&job->opened, 0, (size_t)size, text);
        if (st == MNP_OK)
            progress = mnp__mm_parse_head(text, (size_t)size, size == bytes, &job->found.head, &job->found.problem);
        free(text);
    } while (st == MNP_OK && progress == MNP__MM_NEEDS_MORE && size < most);
    if (st == MNP_OK && progress == MNP__MM_NEEDS_MORE)
        job->found.problem = (mnp__mm_problem){job->found.head.lines + 1, "the sizes are not within the first 16 MiB"};
    return st;
}

/* Called on all ranks with the same problem, so all fail with the same message. */
static mnp_status fail_format(const struct job *job, const mnp__mm_problem *problem)
{
    return MNP_FAIL(MNP_ERR_FORMAT, "%s, line %" PRId64 ": %s", job->file, problem->line, problem->text);
}

/* Rank 0 reads the head and broadcasts it.  Collective. */
static mnp_status read_head_everywhere(struct job *job)
{
    MNP_TRY(MNP_AGREE(job->ctx, job->ctx->comm.rank == 0 ? read_head(job) : MNP_OK));
    MNP_TRY(mnp__broadcast(&job->ctx->comm, &job->found, sizeof job->found, 0));
    return job->found.problem.line > 0 ? fail_format(job, &job->found.problem) : MNP_OK;
}

/* ---- this rank's share ---- */

/* Find the first beginning of a line at or after `place`, an offset in the body or at its end. */
static mnp_status find_line(const struct job *job, int64_t place, char *block, int64_t *begin_p)
{
    const int64_t end = job->opened.bytes;
    if (place == (int64_t)job->found.head.length) {
        *begin_p = place;
        return MNP_OK;
    }
    for (int64_t at = place - 1; at < end; at += BLOCK) {
        size_t count = (size_t)(end - at < BLOCK ? end - at : BLOCK);
        MNP_TRY(mnp__plain_file_read(&job->opened, at, count, block));
        const char *stop = memchr(block, '\n', count);
        if (stop) {
            *begin_p = at + (stop - block) + 1;
            return MNP_OK;
        }
    }
    *begin_p = end;
    return MNP_OK;
}

/* Parse the bytes from `at` to `end`, which are whole lines. */
static mnp_status parse_range(struct job *job, int64_t at, int64_t end, char *block)
{
    for (const int64_t begin = at; at < end;) {
        size_t count = (size_t)(end - at < BLOCK ? end - at : BLOCK);
        MNP_TRY(mnp__plain_file_read(&job->opened, at, count, block));
        if (at + (int64_t)count < end) {
            const char *stop = memrchr(block, '\n', count);
            if (!stop) {
                job->body.problem = (mnp__mm_problem){job->body.lines + 1, "the line is longer than 1 MiB"};
                return MNP_ERR_FORMAT;
            }
            count = (size_t)(stop - block) + 1;
        }
        MNP_TRY(mnp__mm_parse_lines(&job->body, block, count));
        at += (int64_t)count;
        mnp__device_tell(job->ctx->device, (double)(at - begin) / (double)(end - begin));
    }
    return MNP_OK;
}

static mnp_status parse_share(struct job *job)
{
    const int64_t begin = (int64_t)job->found.head.length, bytes = job->opened.bytes - begin;
    const int64_t size = job->ctx->comm.size, rank = job->ctx->comm.rank;
    int64_t share = bytes / size, rest = bytes % size, from, to;
    char *block;
    MNP_TRY(mnp__malloc(BLOCK, &block));
    int64_t first = begin + share * rank + mnp__min(rank, rest);
    mnp_status st = find_line(job, first, block, &from);
    if (st == MNP_OK)
        st = find_line(job, first + share + (rank < rest), block, &to);
    if (st == MNP_OK)
        st = parse_range(job, from, to, block);
    free(block);
    return st;
}

/* ---- what the ranks know together ---- */

struct line_counts {
    int64_t lines, read, bad_line;
};

/* Fail if a line is bad, with the first one's problem, or else if the number of entries is wrong.  Collective. */
static mnp_status check_counts(struct job *job, const struct line_counts *all)
{
    const mnp__mm_head *head = &job->found.head;
    int64_t lines = head->lines, read = 0;
    for (int r = 0; r < job->ctx->comm.size; r++) {
        if (all[r].bad_line > 0) {
            mnp__mm_problem problem = job->body.problem;
            problem.line += lines;
            MNP_TRY(mnp__broadcast(&job->ctx->comm, &problem, sizeof problem, r));
            return fail_format(job, &problem);
        }
        if (r == job->ctx->comm.rank)
            job->before = read;
        lines += all[r].lines;
        read += all[r].read;
    }
    if (read == head->info.nlines)
        return MNP_OK;
    const char *one = head->info.format == MNP_MM_COORDINATE ? "entry" : "value";
    const char *several = head->info.format == MNP_MM_COORDINATE ? "entries" : "values";
    return MNP_FAIL(MNP_ERR_FORMAT, "%s, line %" PRId64 ": the file should have %" PRId64 " %s, but has %" PRId64,
                    job->file, head->lines, head->info.nlines, head->info.nlines == 1 ? one : several, read);
}

static mnp_status exchange_tallies(struct job *job)
{
    struct line_counts mine = {job->body.lines, job->body.read, job->body.problem.line}, *all;
    mnp_status st = mnp__calloc((size_t)job->ctx->comm.size, sizeof *all, &all);
    MNP_TRY(MNP_AGREE(job->ctx, st));
    st = mnp__all_gather(&job->ctx->comm, &mine, all, sizeof mine);
    if (st == MNP_OK)
        st = check_counts(job, all);
    free(all);
    return st;
}

static mnp_status choose_dtype(const struct job *job, mnp_dtype wanted, mnp_dtype *dtype_p)
{
    bool complex_file = job->found.head.info.field == MNP_MM_COMPLEX;
    if (wanted == MNP_DTYPE_AUTO)
        wanted = complex_file ? MNP_COMPLEX128 : MNP_FLOAT64;
    if (wanted != MNP_FLOAT32 && wanted != MNP_FLOAT64 && wanted != MNP_COMPLEX64 && wanted != MNP_COMPLEX128)
        return MNP_FAIL(MNP_ERR_ARG,
                        "dtype is %s; Matrix Market files are read as float32, float64, complex64 or complex128",
                        mnp_dtype_name(wanted));
    if (complex_file && mnp_dtype_kind(wanted) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "'%s' has complex numbers, which %s does not hold", job->file,
                        mnp_dtype_name(wanted));
    *dtype_p = wanted;
    return MNP_OK;
}

/* Read the numbers of the file, each rank its share.  Collective. */
static mnp_status read_body(struct job *job, mnp_mm_format format, mnp_dtype dtype)
{
    MNP_TRY(read_head_everywhere(job));
    if (job->found.head.info.format != format)
        return MNP_FAIL(
            MNP_ERR_ARG,
            format == MNP_MM_COORDINATE
                ? "'%s' is an array file, which holds a dense matrix and not a sparse one: mnp_mm_read_array() reads it"
                : "'%s' is a coordinate file, which holds a sparse matrix and not a dense one: mnp_mm_read() reads it",
            job->file);
    MNP_TRY(choose_dtype(job, dtype, &dtype));
    MNP_TRY(mnp__plain_file_open_together(job->ctx, job->file, &job->opened));
    job->body = (mnp__mm_body){.info = &job->found.head.info, .dtype = dtype};
    mnp_status st = parse_share(job);
    MNP_TRY(MNP_AGREE(job->ctx, st == MNP_ERR_FORMAT ? MNP_OK : st)); /* an error in the file is reported below */
    return exchange_tallies(job);
}

static void close_job(struct job *job)
{
    mnp__mm_body_free(&job->body);
    mnp__plain_file_close(&job->opened);
}

mnp_status mnp_mm_inspect(mnp_ctx *ctx, const char *file, mnp_mm_info *info_p)
{
    MNP_ENTER(ctx, file, info_p);
    struct job job = {.ctx = ctx, .file = file, .opened = MNP__PLAIN_FILE_CLOSED};
    mnp_status st = read_head_everywhere(&job);
    close_job(&job);
    if (st == MNP_OK)
        *info_p = job.found.head.info;
    return st;
}

mnp_status mnp_mm_read(mnp_ctx *ctx, const char *file, mnp_dtype dtype, mnp_sparse **matrix_p)
{
    MNP_ENTER(ctx, file, matrix_p);
    struct job job = {.ctx = ctx, .file = file, .opened = MNP__PLAIN_FILE_CLOSED};
    const mnp_mm_info *info = &job.found.head.info;
    mnp_status st = read_body(&job, MNP_MM_COORDINATE, dtype);
    if (st == MNP_OK)
        st = mnp_sparse_from_triplets(ctx, job.body.dtype, info->nrows, info->ncolumns, NULL, NULL, job.body.count,
                                      job.body.rows, job.body.columns, job.body.values, matrix_p);
    close_job(&job);
    return st;
}

/* ---- arrays ---- */

/* Make an array of one dimension of the values, column by column, of which each rank has its share.  Collective. */
static mnp_status make_flat(const struct job *job, mnp_array **flat_p)
{
    const int ranks = job->ctx->comm.size, axis = 0;
    const int64_t size = job->found.head.info.nlines;
    int64_t *cuts;
    mnp_layout *layout = NULL;
    mnp_array *flat = NULL;
    mnp_status st = mnp__calloc((size_t)ranks + 1, sizeof *cuts, &cuts);
    MNP_TRY(MNP_AGREE(job->ctx, st));
    MNP_TRY_OR(mnp__all_gather(&job->ctx->comm, &job->before, cuts, sizeof *cuts), st, release);
    cuts[ranks] = size;
    MNP_TRY_OR(mnp_layout_new(1, &ranks, 1, &size, &axis, (const int64_t *const[]){cuts}, &layout), st, release);
    MNP_TRY_OR(mnp_array_new(job->ctx, job->body.dtype, layout, &flat), st, release);
    st = MNP_AGREE(job->ctx, job->body.count > 0 ? mnp_array_set_local(flat, job->body.values) : MNP_OK);
    st = mnp__output_give(flat, st, flat_p);
release:
    mnp_layout_free(layout);
    free(cuts);
    return st;
}

/* Bring a general array to its shape and layout: the file holds the transposed matrix in C order.  Collective. */
static mnp_status unfold(const struct job *job, const mnp_layout *layout, mnp_array **array_p)
{
    const mnp_mm_info *info = &job->found.head.info;
    const int64_t shape[] = {info->ncolumns, info->nrows};
    mnp_array *flat = NULL, *folded = NULL, *turned = NULL;
    mnp_status st;
    MNP_TRY_OR(make_flat(job, &flat), st, release);
    MNP_TRY_OR(mnp_reshape(flat, 2, shape, &folded), st, release);
    MNP_TRY_OR(mnp_transpose(folded, NULL, &turned), st, release);
    st = mnp_redistribute(turned, layout, array_p);
release:
    mnp_free_all(turned, folded, flat);
    return st;
}

/*
 * Turn this rank's values of a triangle, which begin with number `before`, into entries with a row and a column, and
 * mirror them, as for a coordinate file.  Column j of n has n - j values, or one less if the file has no diagonal.
 */
static mnp_status place_triangle(const struct job *job, mnp__mm_body *entries)
{
    const mnp_mm_info *info = &job->found.head.info;
    const int64_t skip = info->symmetry == MNP_MM_SKEW_SYMMETRIC, n = info->nrows;
    const size_t item = mnp_dtype_size(job->body.dtype), room = 2 * (size_t)job->body.count;
    *entries = (mnp__mm_body){.info = info, .dtype = job->body.dtype};
    MNP_TRY(mnp__malloc(room * sizeof *entries->rows, &entries->rows));
    MNP_TRY(mnp__malloc(room * sizeof *entries->columns, &entries->columns));
    MNP_TRY(mnp__malloc(room * item, &entries->values));
    int64_t column = 0, row = job->before;
    while (column < n && row >= n - skip - column)
        row -= n - skip - column++;
    row += column + skip;
    for (int64_t i = 0; i < job->body.count; i++) {
        mnp__mm_append(entries, row, column, (const char *)job->body.values + (size_t)i * item);
        if (++row == n) {
            column++;
            row = column + skip;
        }
    }
    return MNP_OK;
}

static mnp_status unfold_triangle(const struct job *job, const mnp_layout *layout, mnp_array **array_p)
{
    const mnp_mm_info *info = &job->found.head.info;
    mnp__mm_body entries;
    mnp_sparse *sparse = NULL;
    mnp_array *dense = NULL;
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(job->ctx, place_triangle(job, &entries)), st, release);
    MNP_TRY_OR(mnp_sparse_from_triplets(job->ctx, entries.dtype, info->nrows, info->ncolumns, NULL, NULL, entries.count,
                                        entries.rows, entries.columns, entries.values, &sparse),
               st, release);
    MNP_TRY_OR(mnp_sparse_to_dense(sparse, &dense), st, release);
    st = mnp_redistribute(dense, layout, array_p);
release:
    mnp__mm_body_free(&entries);
    mnp_array_free(dense);
    mnp_sparse_free(sparse);
    return st;
}

/* The layout of the array that is read: the caller's, retained, or a new one. */
static mnp_status choose_layout(const struct job *job, const mnp_layout *given, mnp_layout **layout_p)
{
    const int64_t shape[] = {job->found.head.info.nrows, job->found.head.info.ncolumns};
    if (!given)
        return mnp_layout_block(job->ctx->comm.size, 2, shape, layout_p);
    if (mnp_layout_ndim(given) != 2 || memcmp(mnp_layout_shape(given), shape, sizeof shape) != 0)
        return MNP_FAIL(MNP_ERR_ARG,
                        "'%s' has %" PRId64 " rows and %" PRId64 " columns, but the layout has another shape",
                        job->file, shape[0], shape[1]);
    *layout_p = mnp_layout_retain(given);
    return MNP_OK;
}

mnp_status mnp_mm_read_array(mnp_ctx *ctx, const char *file, mnp_dtype dtype, const mnp_layout *layout,
                             mnp_array **array_p)
{
    MNP_ENTER(ctx, file, array_p);
    MNP_NEED_OR_NULL(layout);
    struct job job = {.ctx = ctx, .file = file, .opened = MNP__PLAIN_FILE_CLOSED};
    mnp_layout *chosen = NULL;
    mnp_status st;
    MNP_TRY_OR(read_body(&job, MNP_MM_ARRAY, dtype), st, release);
    MNP_TRY_OR(choose_layout(&job, layout, &chosen), st, release);
    if (job.found.head.info.symmetry == MNP_MM_GENERAL)
        st = unfold(&job, chosen, array_p);
    else
        st = unfold_triangle(&job, chosen, array_p);
release:
    mnp_layout_free(chosen);
    close_job(&job);
    return st;
}
