/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a dataset, or a selection of one, into an array.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "array/output.h"
#include "base/status.h"
#include "io/commit.h"
#include "io/hdf5/h5.h"

/* The layout of the array that is read: the user's, retained, or a new one. */
static mnp_status choose_layout(mnp_ctx *ctx, const mnp__h5_place *place, int ndim, const int64_t *shape,
                                const mnp_layout *given, mnp_layout **layout_p)
{
    if (!given)
        return mnp_layout_block(ctx->comm.size, ndim, shape, layout_p);
    if (mnp_layout_ndim(given) != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s has %d dimensions, the layout %d", place->text, ndim, mnp_layout_ndim(given));
    for (int d = 0; d < ndim; d++)
        if (mnp_layout_shape(given)[d] != shape[d])
            return MNP_FAIL(MNP_ERR_ARG,
                            "in dimension %d of %s %" PRId64 " elements are to be read, but the layout "
                            "has %" PRId64,
                            d, place->text, shape[d], mnp_layout_shape(given)[d]);
    if (mnp_layout_is_cyclic(given))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s cannot be read block-cyclically; read it in a layout of blocks, and "
                        "mnp_redistribute() it",
                        place->text);
    *layout_p = mnp_layout_retain(given);
    return MNP_OK;
}

/*
 * Check that this rank can read the file that rank 0 has found: a rank that failed to open it would leave the others
 * waiting in a collective call of HDF5.
 */
static mnp_status check_visible(const mnp_ctx *ctx, const char *file)
{
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return MNP_FAIL(MNP_ERR_IO,
                        "rank 0 can read '%s' but rank %d cannot: %s; the folder must be one that all "
                        "ranks share",
                        file, ctx->comm.rank, strerror(errno));
    close(descriptor);
    return MNP_OK;
}

/* Open the file on all ranks, and the dataset in it.  The caller closes what has been opened, also on failure. */
static mnp_status open_together(mnp_ctx *ctx, const mnp__h5_place *place, hid_t *file_p, hid_t *dataset_p,
                                mnp__h5_type *type)
{
    MNP_TRY(MNP_AGREE(ctx, check_visible(ctx, place->file)));
    *file_p = mnp__h5_open_parallel(ctx, place->file, place->file, H5F_ACC_RDONLY);
    mnp_status st = *file_p < 0 ? mnp__h5_fail_open(place->file) : MNP_OK;
    if (st == MNP_OK) {
        *dataset_p = H5Dopen2(*file_p, place->dataset, H5P_DEFAULT);
        st = *dataset_p < 0 ? MNP_FAIL(MNP_ERR_IO, "cannot open %s: %s", place->text, mnp__h5_reason())
                            : mnp__h5_type_open(*dataset_p, place->text, type);
    }
    return MNP_AGREE(ctx, st);
}

static mnp_status read_values(mnp_array *array, const mnp__h5_place *place, const mnp__h5_source *source,
                              const mnp__selection *selection)
{
    hid_t file = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
    mnp__h5_type type = {MNP_DTYPE_AUTO, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    mnp_status st = open_together(array->ctx, place, &file, &dataset, &type);
    if (st == MNP_OK)
        st = mnp__h5_transfer_run(&(mnp__h5_transfer){.array = array,
                                                      .selection = selection,
                                                      .place = place,
                                                      .dataset = dataset,
                                                      .type = &type,
                                                      .chunk = source->chunked ? source->chunk : NULL,
                                                      .filtered = source->filtered,
                                                      .collective = source->whole});
    mnp__h5_type_close(&type);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (file >= 0)
        mnp__h5_close_parallel(array->ctx, file, place->file);
    return st;
}

/*
 * Keep those who change the file in place (io/commit.h) from doing so while values are read; rank 0 does it for all.
 * Gives a file to close, or a closed one where that is not possible.
 */
static mnp_status hold(const mnp_ctx *ctx, const char *name, mnp__plain_file *file)
{
    *file = MNP__PLAIN_FILE_CLOSED;
    if (ctx->comm.rank != 0)
        return MNP_OK;
    MNP_TRY(mnp__plain_file_open(name, file));
    return mnp__commit_lock(file, false);
}

static mnp_status read_dataset(mnp_ctx *ctx, const mnp__h5_place *place, const mnp_selection *wanted,
                               const mnp_layout *given, mnp_array **array_p)
{
    mnp_status st;
    mnp__h5_source source;
    mnp__selection selection;
    mnp_layout *layout = NULL;
    mnp__output output;
    mnp__plain_file held;
    MNP_TRY(mnp__h5_inspect(ctx, place, &source));
    MNP_TRY(mnp__selection_new(place->text, source.info.ndim, source.info.shape, wanted, &selection));
    MNP_TRY(choose_layout(ctx, place, selection.ndim, selection.shape, given, &layout));
    const mnp__output_spec spec = {.function = "mnp_h5_read",
                                   .ctx = ctx,
                                   .dtype = source.info.dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    if (wanted && wanted->ahead) {
        st = mnp__h5_read_ahead(ctx, place, &source, &selection, layout);
        goto release;
    }
    MNP_TRY_OR(mnp__output_open(&spec, array_p, &output), st, release);
    st = MNP_AGREE(ctx, hold(ctx, place->file, &held));
    if (st == MNP_OK && mnp_layout_size(layout) > 0)
        st = read_values(output.array, place, &source, &selection);
    mnp__plain_file_close(&held);
    st = mnp__output_close(1, &output, st);
release:
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_h5_read_selection(mnp_ctx *ctx, const char *file, const char *dataset, const mnp_selection *selection,
                                 const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(ctx, file, dataset, array_p);
    MNP_NEED_OR_NULL(layout);
    mnp__h5_place place;
    mnp__h5_printing printing;
    MNP_TRY(mnp__h5_place_new(file, dataset, &place));
    mnp__h5_printing_off(&printing);
    mnp_status st = read_dataset(ctx, &place, selection, layout, array_p);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&place);
    return st;
}

mnp_status mnp_h5_read(mnp_ctx *ctx, const char *file, const char *dataset, const mnp_layout *layout,
                       mnp_array **array_p)
{
    MNP_ENTER(ctx, file, dataset, array_p);
    MNP_NEED_OR_NULL(layout);
    return mnp_h5_read_selection(ctx, file, dataset, NULL, layout, array_p);
}

mnp_status mnp_h5_read_box(mnp_ctx *ctx, const char *file, const char *dataset, const int64_t *start,
                           const int64_t *shape, const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(ctx, file, dataset, array_p);
    MNP_NEED_OR_NULL(layout);
    return mnp_h5_read_selection(ctx, file, dataset, &(mnp_selection){.start = start, .shape = shape}, layout, array_p);
}
