/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing .npy files.
 *
 * Rank 0 reads the head and tells all ranks; then each rank reads or writes the elements of its block.  A file in
 * Fortran order has the transposed array in C order: that is read into a temporary array, which is then transposed in
 * memory, as files are slow in other orders than their own.
 */
#include <stdlib.h>
#include <string.h>

#include <maniple/view.h>

#include "array/output.h"
#include "base/status.h"
#include "io/agree_format.h"
#include "io/file_array.h"
#include "io/numpy/npy.h"
#include "io/plain_file.h"
#include "io/transfer.h"

struct job {
    mnp_ctx *ctx;
    const char *name;
    mnp__plain_file file;
    mnp_npy_info info;
    mnp__plain_array where; /* in a file in Fortran order the transposed array */
};

/* ---- the head ---- */

/* The bytes of the elements; MNP_ERR_FORMAT if their number does not fit 64 bits. */
static mnp_status count_bytes(const struct job *job, int64_t *bytes_p)
{
    int64_t bytes = (int64_t)job->where.item;
    bool empty = false;
    for (int d = 0; d < job->info.ndim; d++)
        empty = empty || job->info.shape[d] == 0;
    for (int d = 0; d < job->info.ndim && !empty; d++)
        if (__builtin_mul_overflow(bytes, job->info.shape[d], &bytes))
            return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its shape has more elements than can be counted",
                            job->name);
    *bytes_p = empty ? 0 : bytes;
    return MNP_OK;
}

static void set_where(struct job *job, int64_t offset)
{
    const mnp_npy_info *info = &job->info;
    job->where = (mnp__plain_array){.offset = offset, .item = mnp_dtype_size(info->dtype), .ndim = info->ndim};
    for (int d = 0; d < info->ndim; d++)
        job->where.shape[d] = info->shape[info->fortran_order ? info->ndim - 1 - d : d];
}

static mnp_status read_head(struct job *job)
{
    unsigned char first[MNP__NPY_FIRST];
    size_t begin = 0, end = 0;
    int64_t bytes = 0;
    char *text;
    MNP_TRY(mnp__plain_file_open(job->name, &job->file));
    const size_t count = job->file.bytes < MNP__NPY_FIRST ? (size_t)job->file.bytes : MNP__NPY_FIRST;
    MNP_TRY(mnp__plain_file_read(&job->file, 0, count, first));
    MNP_TRY(mnp__npy_find_text(job->name, first, count, &begin, &end));
    if ((int64_t)end > job->file.bytes)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is truncated: it ends within its head", job->name);
    MNP_TRY(mnp__malloc(end - begin, &text));
    mnp_status st = mnp__plain_file_read(&job->file, (int64_t)begin, end - begin, text);
    if (st == MNP_OK)
        st = mnp__npy_parse(job->name, text, end - begin, &job->info);
    free(text);
    MNP_TRY(st);
    set_where(job, (int64_t)end);
    MNP_TRY(count_bytes(job, &bytes));
    if (bytes > job->file.bytes - (int64_t)end)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is truncated: it has %lld bytes where it should have %lld", job->name,
                        (long long)job->file.bytes, (long long)bytes + (long long)end);
    return MNP_OK;
}

/* Rank 0 reads the head and broadcasts it.  Collective. */
static mnp_status read_head_everywhere(struct job *job)
{
    MNP_TRY(mnp__agree_format(job->ctx, job->ctx->comm.rank == 0 ? read_head(job) : MNP_OK));
    MNP_TRY(mnp__broadcast(&job->ctx->comm, &job->info, sizeof job->info, 0));
    return mnp__broadcast(&job->ctx->comm, &job->where, sizeof job->where, 0);
}

mnp_status mnp_npy_inspect(mnp_ctx *ctx, const char *file, mnp_npy_info *info_p)
{
    MNP_ENTER(ctx, file, info_p);
    struct job job = {.ctx = ctx, .name = file, .file = MNP__PLAIN_FILE_CLOSED};
    mnp_status st = read_head_everywhere(&job);
    mnp__plain_file_close(&job.file);
    if (st == MNP_OK)
        *info_p = job.info;
    return st;
}

/* ---- elements ---- */

static mnp_status read_box(void *file, const mnp__file_box *box, void *buffer)
{
    const struct job *job = file;
    return mnp__plain_array_read(&job->file, &job->where, box, buffer);
}

static void ahead(void *file, const mnp__file_box *box, mnp__read_ahead *list)
{
    mnp__plain_array_ahead(&((const struct job *)file)->where, box, list);
}

static mnp_status convert(void *file, int64_t count, void *buffer)
{
    const mnp_npy_info *info = &((const struct job *)file)->info;
    const int64_t parts = mnp_dtype_kind(info->dtype) == 'c' ? 2 : 1;
    unsigned char *bytes = buffer;
    for (int64_t i = 0; info->dtype == MNP_BOOL && i < count; i++) /* a damaged file may hold other values */
        bytes[i] = bytes[i] != 0;
    if (info->swapped)
        mnp__swap_bytes(mnp_dtype_size(info->dtype) / (size_t)parts, count * parts, buffer);
    return MNP_OK;
}

static const mnp__transfer_ops ops = {.together = false, .read = read_box, .ahead = ahead, .convert = convert};

/* ---- reading ---- */

static mnp_status read_array(struct job *job, const mnp_array *array, const mnp__selection *selection)
{
    return mnp__transfer_read(
        &(mnp__transfer){.array = array, .selection = selection, .stored = job->where.item, .ops = &ops, .file = job});
}

/* The same selection of the transposed array. */
static mnp__selection transpose(const mnp__selection *selection)
{
    mnp__selection turned = *selection;
    for (int d = 0; d < selection->ndim; d++) {
        const mnp__view_dim dim = selection->dims[selection->ndim - 1 - d];
        turned.dims[d] = dim;
        if (dim.from != MNP__NEW_DIM)
            turned.dims[d].from = selection->file_ndim - 1 - dim.from;
        turned.shape[d] = dim.extent;
    }
    for (int f = 0; f < selection->file_ndim; f++) {
        turned.file_shape[f] = selection->file_shape[selection->file_ndim - 1 - f];
        turned.at[f] = selection->at[selection->file_ndim - 1 - f];
    }
    return turned;
}

/* Read a file in Fortran order.  Collective. */
static mnp_status read_transposed(struct job *job, mnp_array *array, const mnp__selection *selection)
{
    static const int c_order[MNP_MAX_DIMS] = {0, 1, 2, 3, 4, 5, 6, 7};
    const mnp__selection turned = transpose(selection);
    mnp_array *view = NULL, *temporary = NULL;
    mnp_layout *layout = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_transpose(array, NULL, &view), st, release);
    MNP_TRY_OR(mnp_layout_with_order(view->layout, c_order, &layout), st, release);
    MNP_TRY_OR(mnp_array_new(job->ctx, array->dtype, layout, &temporary), st, release);
    MNP_TRY_OR(read_array(job, temporary, &turned), st, release);
    st = mnp__array_assign(temporary, view);
release:
    mnp_layout_free(layout);
    mnp_free_all(temporary, view);
    return st;
}

/* Let this rank's block be read ahead. */
static void read_ahead(struct job *job, const mnp_layout *layout, const mnp__selection *selection)
{
    const int n = selection->ndim;
    const mnp__selection turned = transpose(selection);
    const mnp__transfer transfer = {.selection = job->info.fortran_order ? &turned : selection,
                                    .stored = job->where.item,
                                    .ops = &ops,
                                    .file = job};
    int64_t box[2][MNP_MAX_DIMS], other[2][MNP_MAX_DIMS];
    mnp_layout_box(layout, job->ctx->comm.rank, box[0], box[1]);
    for (int d = 0; d < n; d++)
        for (int i = 0; i < 2; i++)
            other[i][d] = box[i][job->info.fortran_order ? n - 1 - d : d];
    mnp__transfer_ahead(job->ctx, &transfer, other[0], other[1], job->name);
}

static mnp_status read_file(struct job *job, const mnp_selection *wanted, const mnp_layout *given, mnp_array **array_p)
{
    mnp__selection selection;
    mnp_layout *layout = NULL;
    mnp__output output;
    mnp_status st;
    MNP_TRY(read_head_everywhere(job));
    MNP_TRY(mnp__selection_new(job->name, job->info.ndim, job->info.shape, wanted, &selection));
    MNP_TRY(mnp__file_array_layout(job->ctx, job->name, &selection, given, &layout));
    const mnp__output_spec spec = {.function = "mnp_npy_read",
                                   .ctx = job->ctx,
                                   .dtype = job->info.dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    MNP_TRY_OR(mnp__plain_file_open_together(job->ctx, job->name, &job->file), st, release);
    if (wanted && wanted->ahead) {
        read_ahead(job, layout, &selection);
        st = MNP_OK;
        goto release;
    }
    MNP_TRY_OR(mnp__output_open(&spec, array_p, &output), st, release);
    st = job->info.fortran_order ? read_transposed(job, output.array, &selection)
                                 : read_array(job, output.array, &selection);
    st = mnp__output_close(1, &output, st);
release:
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_npy_read(mnp_ctx *ctx, const char *file, const mnp_selection *selection, const mnp_layout *layout,
                        mnp_array **array_p)
{
    MNP_ENTER(ctx, file, array_p);
    MNP_NEED_OR_NULL(layout);
    struct job job = {.ctx = ctx, .name = file, .file = MNP__PLAIN_FILE_CLOSED};
    mnp_status st = read_file(&job, selection, layout, array_p);
    mnp__plain_file_close(&job.file);
    return st;
}

/* ---- writing ---- */

struct head {
    size_t bytes;
    char text[MNP__NPY_MOST_HEAD];
};

static mnp_status write_head(const mnp__plain_file *file, void *argument)
{
    const struct head *head = argument;
    return mnp__plain_file_write(file, 0, head->bytes, head->text);
}

mnp_status mnp_npy_write(const mnp_array *array, const char *file)
{
    MNP_ENTER(array, file);
    struct head head;
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the file is missing");
    head.bytes =
        mnp__npy_make_head(array->dtype, mnp_layout_ndim(array->layout), mnp_layout_shape(array->layout), head.text);
    return mnp__file_array_write(array, &(mnp__file_output){.function = "mnp_npy_write",
                                                            .name = file,
                                                            .offset = (int64_t)head.bytes,
                                                            .bytes = (int64_t)head.bytes + mnp__file_array_bytes(array),
                                                            .frame = write_head,
                                                            .argument = &head});
}

mnp_status mnp_npy_check_write(mnp_ctx *ctx, const char *file)
{
    MNP_ENTER(ctx, file);
    return mnp__file_array_check_write(ctx, file);
}
