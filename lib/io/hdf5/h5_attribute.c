/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes: setting and reading one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/h5_file.h>

#include "base/status.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_handle.h"

static void release(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

mnp_status mnp__h5_make_attribute(const mnp_h5_attribute *attribute, hid_t file)
{
    const bool is_scalar = attribute->text || attribute->count < 0, is_empty = !is_scalar && attribute->count == 0;
    const hsize_t count = attribute->count > 0 ? (hsize_t)attribute->count : 0;
    hid_t made = H5I_INVALID_HID, type = attribute->text ? H5Tcopy(H5T_C_S1) : mnp__h5_type_new(attribute->dtype);
    hid_t space = is_scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const void *values = attribute->text ? (const void *)&attribute->text : attribute->values;
    if (attribute->text) {
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
    }
    if (H5Aexists_by_name(file, attribute->object, attribute->name, H5P_DEFAULT) > 0)
        H5Adelete_by_name(file, attribute->object, attribute->name, H5P_DEFAULT);
    made =
        H5Acreate_by_name(file, attribute->object, attribute->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    mnp_status st = MNP_OK;
    if (made < 0 || (!is_empty && H5Awrite(made, type, values) < 0))
        st = MNP_FAIL(MNP_ERR_IO, "cannot set attribute '%s' of '%s': %s", attribute->name, attribute->object,
                      mnp__h5_reason());
    release(made);
    release(space);
    release(type);
    return st;
}

/* ---- reading ---- */

static mnp_status open_attribute(const mnp_h5_file *file, const char *object, const char *name, hid_t *opened_p,
                                 hid_t *attribute_p)
{
    if (!object || !*object || !name || !*name)
        return MNP_FAIL(MNP_ERR_ARG, "the object or the name of an attribute of '%s' is missing", file->name);
    MNP_TRY(mnp__h5_open(file->name, opened_p));
    *attribute_p = H5Aopen_by_name(*opened_p, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*attribute_p < 0)
        return MNP_FAIL(MNP_ERR_IO, "'%s' in '%s' has no attribute '%s', or does not exist", object, file->name, name);
    return MNP_OK;
}

static mnp_status read_numbers(const mnp_h5_file *file, const char *object, const char *name, mnp_dtype dtype,
                               int64_t most, void *values, int64_t *count_p)
{
    hid_t opened = H5I_INVALID_HID, attribute = H5I_INVALID_HID, space = H5I_INVALID_HID;
    mnp__h5_type type = {MNP_DTYPE_AUTO, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    hid_t wanted = mnp__h5_type_new(dtype);
    mnp_status st;
    MNP_TRY_OR(open_attribute(file, object, name, &opened, &attribute), st, close);
    space = H5Aget_space(attribute);
    type.stored = H5Aget_type(attribute);
    mnp__h5_type_find(&type);
    *count_p = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (type.dtype == MNP_DTYPE_AUTO || *count_p < 0)
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "attribute '%s' of '%s' in '%s' has no numbers", name, object, file->name);
    else if (*count_p > most)
        st = MNP_FAIL(MNP_ERR_ARG,
                      "attribute '%s' of '%s' in '%s' has %" PRId64 " numbers, and there is room for %" PRId64, name,
                      object, file->name, *count_p, most);
    else if (wanted < 0 || H5Aread(attribute, wanted, values) < 0)
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "attribute '%s' of '%s' in '%s' cannot be read as %s: %s", name, object,
                      file->name, mnp_dtype_name(dtype), mnp__h5_reason());
close:
    mnp__h5_type_close(&type);
    release(space);
    release(attribute);
    if (opened >= 0)
        mnp__h5_close_file(opened);
    release(wanted);
    return st;
}

mnp_status mnp_h5_file_get_attribute(mnp_h5_file *file, const char *object, const char *name, mnp_dtype dtype,
                                     int64_t most, void *values, int64_t *count_p)
{
    MNP_ENTER(file, object, name, count_p);
    MNP_NEED_IF(most > 0, values);
    mnp_ctx *ctx = file->ctx;
    mnp__h5_printing printing;
    int64_t count = 0;
    if (mnp_dtype_size(dtype) == 0 || most < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_h5_file_get_attribute: there are no %" PRId64 " numbers of that dtype", most);
    mnp__h5_printing_off(&printing);
    mnp_status st =
        MNP_AGREE(ctx, ctx->comm.rank == 0 ? read_numbers(file, object, name, dtype, most, values, &count) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    MNP_TRY(st);
    MNP_TRY(mnp__broadcast(&ctx->comm, &count, sizeof count, 0));
    if (count > 0)
        MNP_TRY(mnp__broadcast(&ctx->comm, values, (size_t)count * mnp_dtype_size(dtype), 0));
    *count_p = count;
    return MNP_OK;
}

/* A string, of fixed or variable length. */
static mnp_status read_string(const mnp_h5_file *file, const char *object, const char *name, size_t size, char *text)
{
    hid_t opened = H5I_INVALID_HID, attribute = H5I_INVALID_HID, type = H5I_INVALID_HID, space = H5I_INVALID_HID;
    char *own = NULL, *string = NULL;
    mnp_status st;
    MNP_TRY_OR(open_attribute(file, object, name, &opened, &attribute), st, close);
    type = H5Aget_type(attribute);
    space = H5Aget_space(attribute);
    if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) {
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "attribute '%s' of '%s' in '%s' is not a string", name, object, file->name);
        goto close;
    }
    const bool variable = H5Tis_variable_str(type) > 0;
    if (!variable)
        MNP_TRY_OR(mnp__calloc(1, H5Tget_size(type) + 1, &own), st, close);
    if (H5Aread(attribute, type, variable ? (void *)&string : own) < 0)
        st = MNP_FAIL(MNP_ERR_IO, "attribute '%s' of '%s' in '%s' cannot be read: %s", name, object, file->name,
                      mnp__h5_reason());
    else
        strncat(text, variable ? (string ? string : "") : own, size - 1);
    if (variable)
        H5free_memory(string);
close:
    free(own);
    release(space);
    release(type);
    release(attribute);
    if (opened >= 0)
        mnp__h5_close_file(opened);
    return st;
}

mnp_status mnp_h5_file_get_text(mnp_h5_file *file, const char *object, const char *name, size_t size, char *text)
{
    MNP_ENTER(file, object, name);
    MNP_NEED_IF(size > 0, text);
    mnp_ctx *ctx = file->ctx;
    mnp__h5_printing printing;
    if (size == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_h5_file_get_text: there is no room for a string");
    memset(text, 0, size);
    mnp__h5_printing_off(&printing);
    mnp_status st = MNP_AGREE(ctx, ctx->comm.rank == 0 ? read_string(file, object, name, size, text) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    MNP_TRY(st);
    return mnp__broadcast(&ctx->comm, text, size, 0);
}
