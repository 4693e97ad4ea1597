/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slabs of a job.
 */
#include "stream/stream.h"

#include <stdio.h>
#include <string.h>

#include "common/job.h"
#include "stream/slab_file.h"

/* ---- how many ---- */

/*
 * A slab takes this part of the limit: the thread that writes has a copy of the one before, arrays are freed late, and
 * blocks are not equal.
 */
enum { PARTS_OF_LIMIT = 3 };

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smallest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void stream_plan(job *j, const stream_size *size)
{
    const int64_t ranks = mnp_ctx_size(j->ctx), unit = largest(size->unit, 1);
    const bool in_file = j->input.kind < OPERAND_DIRAC && j->input.kind != OPERAND_PNG;
    mnp_heap_info heap;
    stream *s = &j->stream;
    mnp_memory_heap(j->ctx, &heap);
    s->size = *size;
    s->needed = (int64_t)((double)size->row * (double)size->rows / (double)ranks);
    s->limit = heap.limit;
    if (!in_file || heap.limit == 0 || s->needed <= heap.limit || size->rows < 2)
        return;
    const int64_t fitting = heap.limit * ranks / (PARTS_OF_LIMIT * size->row) - size->margin;
    s->rows = largest(fitting, largest(ranks, size->margin / 4)) / unit * unit;
    s->rows = largest(s->rows, unit);
    s->slabs = (size->rows + s->rows - 1) / s->rows;
    j->streams = true;
}

void stream_around(const stream *s, int64_t n, int64_t before, int64_t after, stream_slab *slab)
{
    const int64_t window = smallest(before + after + 1, n);
    slab->from = slab->begin - before;
    slab->to = slab->end + after;
    if (!s->wraps) {
        const bool first = slab->from <= 0, last = slab->to >= n;
        slab->from = largest(slab->from, 0);
        slab->to = smallest(slab->to, n);
        if (first)
            slab->to = largest(slab->to, window);
        if (last)
            slab->from = smallest(slab->from, n - window);
    }
    slab->skip = slab->begin - slab->from;
}

static stream_slab get_slab(const job *j, int64_t index)
{
    stream_slab slab = {.begin = index * j->stream.rows};
    slab.end = smallest(slab.begin + j->stream.rows, j->stream.size.rows);
    j->kind->needs(j, &slab);
    return slab;
}

/* ---- reading ---- */

/* Rows [begin, end) of the input; or, with `ahead`, let them be read ahead. */
static mnp_status load(const job *j, int64_t begin, int64_t end, bool ahead, mnp_array **x_p)
{
    int64_t start[MNP_MAX_DIMS] = {begin}, shape[MNP_MAX_DIMS];
    memcpy(shape, j->input.shape, sizeof shape);
    shape[0] = end - begin;
    return ahead ? operand_read_ahead(j->ctx, &j->input, start, shape)
                 : operand_load_box(j->ctx, &j->input, start, shape, x_p);
}

static mnp_status read_ahead(const job *j, int64_t index)
{
    if (index >= j->stream.slabs)
        return MNP_OK;
    const stream_slab slab = get_slab(j, index);
    return load(j, largest(slab.from, 0), smallest(slab.to, j->input.shape[0]), true, NULL);
}

/* What a slab needs.  Rows that lie beyond both ends come from the other end. */
static mnp_status load_slab(const job *j, const stream_slab *slab, mnp_array **x_p)
{
    const int64_t n = j->input.shape[0], before = largest(-slab->from, 0), after = largest(slab->to - n, 0);
    mnp_array *first = NULL, *middle = NULL, *last = NULL;
    const mnp_array *parts[3];
    int count = 0;
    if (before + after == 0)
        return load(j, slab->from, slab->to, false, x_p);
    mnp_status status = load(j, smallest(slab->from + before, n), slab->to - after, false, &middle);
    if (status == MNP_OK && before > 0)
        status = load(j, n - before, n, false, &first);
    if (status == MNP_OK && after > 0)
        status = load(j, 0, after, false, &last);
    if (first)
        parts[count++] = first;
    parts[count++] = middle;
    if (last)
        parts[count++] = last;
    if (status == MNP_OK)
        status = mnp_concatenate(parts, count, 0, x_p);
    mnp_free_all(first, middle, last);
    return status;
}

/* ---- all slabs ---- */

static void note_result(stream *s, const mnp_array *y)
{
    s->dtype = mnp_array_dtype(y);
    s->ndim = mnp_array_ndim(y);
    memcpy(s->shape, mnp_array_shape(y), (size_t)s->ndim * sizeof *s->shape);
    s->shape[0] = s->size.rows;
}

/* Read, compute and write a slab.  The times are those in which nothing else went on. */
static mnp_status run_slab(job *j, int64_t index, slab_file *file)
{
    const stream_slab slab = get_slab(j, index);
    mnp_array *rows = NULL;
    mnp_status status = load_slab(j, &slab, &j->x);
    if (status == MNP_OK)
        status = read_ahead(j, index + 1);
    stopwatch_lap(&j->watch, JOB_READ);
    if (status == MNP_OK)
        status = j->kind->compute(j);
    if (status == MNP_OK)
        status = mnp_slice(j->y, 1, (mnp_subscript[]){MNP_RANGE(slab.skip, slab.skip + slab.end - slab.begin)}, &rows);
    mnp_array_free(j->x);
    j->x = NULL;
    stopwatch_lap(&j->watch, JOB_COMPUTE);
    if (status == MNP_OK) {
        note_result(&j->stream, j->y);
        status = slab_file_write(file, slab.begin, rows);
    }
    mnp_free_all(rows, j->y);
    j->y = NULL;
    stopwatch_lap(&j->watch, JOB_WRITE);
    return status;
}

mnp_status stream_begin(job *j)
{
    return read_ahead(j, 0);
}

mnp_status stream_run(job *j)
{
    const stream *s = &j->stream;
    const operand *inputs[JOB_MOST_INPUTS + 1] = {&j->input};
    int count = 1;
    slab_file file;
    for (int i = 0; i < JOB_MOST_INPUTS; i++)
        if (j->more[i])
            inputs[count++] = j->more[i];
    mnp_status status = slab_file_open(j->ctx, &j->result.output, s->size.rows, count, inputs, &file);
    for (int64_t i = 0; i < s->slabs && status == MNP_OK; i++) {
        status = run_slab(j, i, &file);
        progress_at((double)(i + 1) / (double)s->slabs);
    }
    status = slab_file_close(&file, status);
    stopwatch_lap(&j->watch, JOB_WRITE);
    return status;
}

/* ---- reports ---- */

static double total(const double *seconds)
{
    double sum = 0;
    for (int s = FIRST_STAGE; s < JOB_STAGES; s++)
        sum += seconds[s];
    return sum > 0 ? sum : 1;
}

void stream_print(const job *j, const double *seconds)
{
    const stream *s = &j->stream;
    char needed[BYTES_TEXT], limit[BYTES_TEXT];
    printf("output    %s: ", j->result.output.text);
    print_shape(s->ndim, s->shape);
    printf(" %s\nstreamed  %lld slab%s of %lld rows, as all at once needs %s a rank, and the limit is %s\n",
           mnp_dtype_name(s->dtype), (long long)s->slabs, plural(s->slabs), (long long)s->rows,
           bytes_text(s->needed, needed), bytes_text(s->limit, limit));
    printf("overlap   slabs are read and written while others are computed; %.0f %% of the time nothing but reading "
           "went on, %.0f %% nothing but writing\n",
           100 * seconds[JOB_READ] / total(seconds), 100 * seconds[JOB_WRITE] / total(seconds));
}

void stream_json(const job *j, const double *seconds, json_writer *out)
{
    const stream *s = &j->stream;
    json_integer(out, "slabs", s->slabs);
    if (s->slabs == 0)
        return;
    json_integer(out, "rows", s->rows);
    json_bool(out, "overlapped", true);
    json_measured(out, "exposed_reading", seconds[JOB_READ] / total(seconds));
    json_measured(out, "exposed_writing", seconds[JOB_WRITE] / total(seconds));
}

void stream_show_plan(const job *j, plan *p)
{
    const stream *s = &j->stream;
    const double share = (double)(s->rows + s->size.margin) / (double)s->size.rows;
    for (int i = 0; i < p->nmemory && share < 1; i++)
        p->memory[i].bytes *= share;
    p->slabs = s->slabs;
    p->slab_rows = s->rows;
}
