/*
 * Reading a dataset into an array.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "io/h5.h"

/* The layout to read into, one more count of the user's or a new one. */
static mnp_status choose_layout(mnp_ctx *ctx, const mnp__h5_place *place, const mnp_h5_info *info,
                                const mnp_layout *given, mnp_layout **layout_p)
{
    if (!given)
        return mnp_layout_block(ctx->comm.size, info->ndim, info->shape, layout_p);
    if (mnp_layout_ndim(given) != info->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s has %d dimensions, the layout %d", place->text, info->ndim,
                        mnp_layout_ndim(given));
    for (int d = 0; d < info->ndim; d++)
        if (mnp_layout_shape(given)[d] != info->shape[d])
            return MNP_FAIL(MNP_ERR_ARG, "dimension %d of %s has %" PRId64 " elements, of the layout %" PRId64, d,
                            place->text, info->shape[d], mnp_layout_shape(given)[d]);
    *layout_p = mnp_layout_retain(given);
    return MNP_OK;
}

/* Whether this rank sees the file that rank 0 has found: else it would leave the others alone in a collective call. */
static mnp_status check_visible(const mnp_ctx *ctx, const char *file)
{
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return MNP_FAIL(MNP_ERR_IO, "rank 0 can read '%s' but rank %d cannot: %s; the folder must be one that all "
                        "ranks share", file, ctx->comm.rank, strerror(errno));
    close(descriptor);
    return MNP_OK;
}

/* Open the file together and the dataset in it.  What has been opened is left to the caller also on failure. */
static mnp_status open_together(mnp_ctx *ctx, const mnp__h5_place *place, hid_t *file_p, hid_t *dataset_p,
                                mnp__h5_type *type)
{
    MNP_TRY(MNP_AGREE(ctx, check_visible(ctx, place->file)));
    hid_t access_list = mnp__h5_parallel(ctx);
    *file_p = H5Fopen(place->file, H5F_ACC_RDONLY, access_list);
    mnp_status st = *file_p < 0 ? mnp__h5_fail_open(place->file) : MNP_OK;
    if (access_list >= 0)
        H5Pclose(access_list);
    if (st == MNP_OK) {
        *dataset_p = H5Dopen2(*file_p, place->dataset, H5P_DEFAULT);
        st = *dataset_p < 0 ? MNP_FAIL(MNP_ERR_IO, "cannot open %s: %s", place->text, mnp__h5_reason())
                            : mnp__h5_type_open(*dataset_p, place->text, type);
    }
    return MNP_AGREE(ctx, st);
}

static mnp_status read_values(mnp_array *array, const mnp__h5_place *place, const mnp__h5_source *source)
{
    hid_t file = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
    mnp__h5_type type = {MNP_DTYPE_AUTO, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    mnp_status st = open_together(array->ctx, place, &file, &dataset, &type);
    if (st == MNP_OK)
        st = mnp__h5_transfer_read(&(mnp__h5_transfer){array, place, dataset, &type,
                                                       source->filtered ? source->chunk : NULL, source->whole, NULL});
    mnp__h5_type_close(&type);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (file >= 0)
        H5Fclose(file);
    return st;
}

static mnp_status read_dataset(mnp_ctx *ctx, const mnp__h5_place *place, const mnp_layout *given, mnp_array **array_p)
{
    mnp_status st;
    mnp__h5_source source;
    mnp_layout *layout = NULL;
    mnp_array *array = NULL;
    MNP_TRY(mnp__h5_look(ctx, place, &source));
    MNP_TRY(choose_layout(ctx, place, &source.info, given, &layout));
    MNP_TRY_OR(mnp__array_output_dense(ctx, "array_p", source.info.dtype, layout, *array_p, &array), st, release);
    if (mnp_layout_size(layout) > 0)
        st = read_values(array, place, &source);
    st = mnp__array_deliver(array, st, array_p);
release:
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_h5_read(mnp_ctx *ctx, const char *file, const char *dataset, const mnp_layout *layout,
                       mnp_array **array_p)
{
    mnp__h5_place place;
    mnp__h5_printing printing;
    MNP_TRY(mnp__h5_place_new(file, dataset, &place));
    mnp__h5_printing_off(&printing);
    mnp_status st = read_dataset(ctx, &place, layout, array_p);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&place);
    return st;
}
