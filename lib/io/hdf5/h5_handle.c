/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An open file: opening and closing it, when values come to disk, and reading.  What changes it is in h5_grow.c,
 * h5_attribute.c and h5_objects.c.
 */
#include "io/hdf5/h5_handle.h"

#include <stdlib.h>

#include "base/status.h"
#include "io/hdf5/h5.h"

/* Make an empty file. */
static mnp_status make_file(const char *name, mnp__atomic_file *output)
{
    MNP_TRY(mnp__atomic_file_make(output, 4096, false));
    hid_t file = H5Fcreate(output->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0 || mnp__h5_close_file(file) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", name, mnp__h5_reason());
    MNP_TRY(mnp__atomic_file_sync(output));
    return mnp__atomic_file_commit(output);
}

/* Find out whether the file can be opened; make it if it is to be written and does not exist.  Rank 0. */
static mnp_status open_first(const mnp_h5_file *file)
{
    mnp__atomic_file output = {.descriptor = -1};
    mnp_status st = MNP_OK;
    hid_t opened;
    if (file->writable) {
        MNP_TRY(mnp__atomic_file_find(file->name, &output));
        if (!output.exists || output.replaced.st_size == 0) {
            st = make_file(file->name, &output);
            mnp__atomic_file_close(&output);
            return st;
        }
    }
    MNP_TRY(mnp__h5_open(file->name, &opened));
    mnp__h5_close_file(opened);
    return MNP_OK;
}

mnp_status mnp_h5_file_open(mnp_ctx *ctx, const char *file, bool writable, mnp_h5_file **file_p)
{
    MNP_ENTER(ctx, file, file_p);
    mnp_h5_file *made = NULL;
    mnp__h5_printing printing;
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the HDF5 file is missing");
    mnp_status st = mnp__calloc(1, sizeof *made, &made);
    if (st == MNP_OK) {
        made->tag = MNP__TAG_h5_file;
        made->ctx = ctx;
        made->writable = writable;
        made->values = MNP__PLAIN_FILE_CLOSED;
        mnp__ctx_made(ctx, made);
        st = mnp__strdup(file, &made->name);
    }
    mnp__h5_printing_off(&printing);
    if (st == MNP_OK && ctx->comm.rank == 0)
        st = open_first(made);
    mnp__h5_printing_restore(&printing);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *file_p = made;
    else
        mnp_h5_file_close(made);
    return st;
}

mnp_status mnp_h5_file_set_sync(mnp_h5_file *file, bool sync)
{
    MNP_ENTER(file);
    mnp_status st = MNP_OK;
    file->later = !sync;
    if (sync && file->values.descriptor >= 0)
        st = mnp__plain_file_sync(&file->values);
    if (sync)
        mnp__plain_file_close(&file->values);
    return MNP_AGREE(file->ctx, st);
}

void mnp_h5_file_close(mnp_h5_file *file)
{
    if (!file)
        return;
    MNP_NEED_OR(, file);
    mnp__ctx_gone(file->ctx, file);
    mnp__plain_file_close(&file->values);
    free(file->name);
    mnp__object_free(file);
}

/* ---- reading ---- */

mnp_status mnp_h5_file_inspect(mnp_h5_file *file, const char *dataset, mnp_h5_info *info_p)
{
    MNP_ENTER(file, dataset, info_p);
    return mnp_h5_inspect(file->ctx, file->name, dataset, info_p);
}

mnp_status mnp_h5_file_read(mnp_h5_file *file, const char *dataset, const mnp_selection *selection,
                            const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(file, dataset, array_p);
    MNP_NEED_OR_NULL(layout);
    if (file->later)
        MNP_TRY(MNP_AGREE(file->ctx, mnp__plain_file_catch_up(&file->values)));
    return mnp_h5_read_selection(file->ctx, file->name, dataset, selection, layout, array_p);
}
