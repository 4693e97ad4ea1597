/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the array of a file, and writing a file that has one.
 */
#include "io/file_array.h"

#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/status.h"
#include "io/atomic_file.h"

/* ---- reading ---- */

mnp_status mnp__file_array_layout(mnp_ctx *ctx, const char *name, const mnp__selection *selection,
                                  const mnp_layout *given, mnp_layout **layout_p)
{
    if (!given)
        return mnp_layout_block(ctx->comm.size, selection->ndim, selection->shape, layout_p);
    if (mnp_layout_ndim(given) != selection->ndim ||
        memcmp(mnp_layout_shape(given), selection->shape, (size_t)selection->ndim * sizeof(int64_t)) != 0)
        return MNP_FAIL(MNP_ERR_ARG, "the layout has another shape than what is read of '%s'", name);
    if (mnp_layout_is_cyclic(given))
        return MNP_FAIL(MNP_ERR_ARG,
                        "'%s' cannot be read block-cyclically; read it in a layout of blocks, and "
                        "mnp_redistribute() it",
                        name);
    *layout_p = mnp_layout_retain(given);
    return MNP_OK;
}

mnp_status mnp__file_array_read(mnp_ctx *ctx, const mnp__file_array *source, const mnp_selection *wanted,
                                const mnp_layout *given, mnp_array **array_p)
{
    mnp__selection selection;
    mnp_layout *layout = NULL;
    mnp__output output;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp_status st;
    mnp__transfer transfer = {.selection = &selection,
                              .stored = source->stored,
                              .unit = source->unit,
                              .whole_units = source->unit != NULL,
                              .ops = source->ops,
                              .file = source->file};
    MNP_TRY(mnp__selection_new(source->name, source->ndim, source->shape, wanted, &selection));
    MNP_TRY(mnp__file_array_layout(ctx, source->name, &selection, given, &layout));
    const mnp__output_spec spec = {.function = source->function,
                                   .ctx = ctx,
                                   .dtype = source->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    if (wanted && wanted->ahead) {
        mnp_layout_box(layout, ctx->comm.rank, lo, extent);
        mnp__transfer_ahead(ctx, &transfer, lo, extent, source->name);
        st = MNP_OK;
        goto release;
    }
    MNP_TRY_OR(mnp__output_open(&spec, array_p, &output), st, release);
    transfer.array = output.array;
    st = mnp__transfer_read(&transfer);
    st = mnp__output_close(1, &output, st);
release:
    mnp_layout_free(layout);
    return st;
}

/* ---- writing ---- */

struct writer {
    const mnp__file_output *output;
    const mnp_array *array; /* dense in C order */
    mnp__plain_file file;
    mnp__plain_array where;
    void *room; /* for encoded elements */
    size_t room_bytes;
};

int64_t mnp__file_array_bytes(const mnp_array *array)
{
    const int64_t *shape = mnp_layout_shape(array->layout);
    int64_t bytes = (int64_t)mnp_dtype_size(array->dtype);
    for (int d = 0; d < mnp_layout_ndim(array->layout); d++)
        bytes *= shape[d];
    return bytes;
}

/*
 * A layout in which each rank's block is not scattered over the file in runs of less than 4 KiB, or NULL if the array
 * has such a one.  It is cut along the first dimension.
 */
static mnp_status gather_rows(const mnp_array *array, mnp_layout **layout_p)
{
    enum { SHORT_RUN = 4096 };
    const mnp_layout *given = array->layout;
    const int ndim = mnp_layout_ndim(given), ranks = array->ctx->comm.size;
    const int64_t *shape = mnp_layout_shape(given);
    int axes[MNP_MAX_DIMS] = {0};
    int64_t run = (int64_t)mnp_dtype_size(array->dtype);
    int d = ndim - 1;
    while (d > 0 && mnp_layout_parts(given, d) == 1 && run < SHORT_RUN)
        run *= shape[d--];
    *layout_p = NULL;
    if (d <= 0 || run * shape[d] / mnp_layout_parts(given, d) >= SHORT_RUN)
        return MNP_OK;
    for (int other = 1; other < ndim; other++)
        axes[other] = MNP_NO_AXIS;
    return mnp_layout_new(1, &ranks, ndim, shape, axes, NULL, layout_p);
}

static mnp_status write_box(void *file, const mnp__file_box *box, const void *buffer)
{
    struct writer *writer = file;
    const int64_t count = mnp__file_box_size(box);
    const size_t bytes = (size_t)count * writer->where.item;
    if (!writer->output->encode)
        return mnp__plain_array_write(&writer->file, &writer->where, box, buffer);
    if (bytes > writer->room_bytes) {
        free(writer->room);
        writer->room = NULL;
        writer->room_bytes = 0;
        MNP_TRY(mnp__malloc(bytes, &writer->room));
        writer->room_bytes = bytes;
    }
    memcpy(writer->room, buffer, bytes);
    writer->output->encode(writer->output->argument, count, writer->room);
    return mnp__plain_array_write(&writer->file, &writer->where, box, writer->room);
}

static mnp_status write_frame(const struct writer *writer)
{
    return writer->array->ctx->comm.rank == 0 ? writer->output->frame(&writer->file, writer->output->argument) : MNP_OK;
}

static mnp_status write_file(const mnp__plain_file *file, void *argument)
{
    static const mnp__transfer_ops ops = {.together = false, .write = write_box};
    struct writer *writer = argument;
    mnp__selection all;
    writer->file = *file;
    MNP_TRY(MNP_AGREE(writer->array->ctx, write_frame(writer)));
    MNP_TRY(mnp__selection_new(writer->output->name, writer->where.ndim, writer->where.shape, NULL, &all));
    return mnp__transfer_write(&(mnp__transfer){
        .array = writer->array, .selection = &all, .stored = writer->where.item, .ops = &ops, .file = writer});
}

mnp_status mnp__file_array_write(const mnp_array *array, const mnp__file_output *output)
{
    struct writer writer = {.output = output};
    mnp_layout *layout = NULL;
    mnp__input input = {NULL, NULL};
    mnp_status st;
    MNP_TRY(mnp__array_check_blocks(output->function, array));
    MNP_TRY(gather_rows(array, &layout));
    MNP_TRY_OR(mnp__input_open(array, layout, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &input), st, release);
    writer.array = input.array;
    writer.where = (mnp__plain_array){
        .offset = output->offset, .item = mnp_dtype_size(array->dtype), .ndim = mnp_layout_ndim(array->layout)};
    memcpy(writer.where.shape, mnp_layout_shape(array->layout), (size_t)writer.where.ndim * sizeof(int64_t));
    st = mnp__plain_file_replace(array->ctx, output->name, output->bytes, write_file, &writer);
release:
    free(writer.room);
    mnp__input_close(&input);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__file_array_check_write(mnp_ctx *ctx, const char *name)
{
    mnp__atomic_file output;
    if (!name || !*name)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the file is missing");
    return MNP_AGREE(ctx, ctx->comm.rank == 0 ? mnp__atomic_file_find(name, &output) : MNP_OK);
}
