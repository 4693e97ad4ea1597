/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of what a file holds, for people and programs that look around in it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "io/hdf5/h5_sparse.h"
#include "io/hdf5/h5_walk.h"

enum { MOST_VALUES = 16, MOST_LETTERS = 1000 /* of an attribute that is shown */ };

struct list {
    const char *file;
    mnp_h5_visitor *visit;
    void *argument;
};

/* An attribute, with the memory that its description needs. */
struct attribute {
    char *name, *value;
    char type[MNP__H5_TYPE_TEXT];
    int ndim;
    int64_t shape[H5S_MAX_RANK];
    bool is_string;
};

struct attributes {
    struct attribute *items;
    int count, capacity;
};

/* ---- values of attributes ---- */

/* The fewest digits that give the number again. */
static void add_float(mnp__text *text, double value, bool single)
{
    char digits[40], *end;
    for (int n = single ? 6 : 15; n <= (single ? 9 : 17); n++) {
        snprintf(digits, sizeof digits, "%.*g", n, value);
        const double back = mnp__parse_number(digits, &end);
        if (isnan(value) || (single ? (float)back == (float)value : back == value))
            break;
    }
    mnp__text_add(text, "%s", isnan(value) ? "nan" : digits);
}

/* Add a number that HDF5 has converted to the type in memory for its dtype. */
static void add_number(mnp__text *text, mnp_dtype dtype, const char *at)
{
    double real[2];
    float single[2];
    int64_t integer;
    uint64_t natural;
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        mnp__text_add(text, "%s", *at ? "true" : "false");
        return;
    case 'i':
        memcpy(&integer, at, sizeof integer);
        mnp__text_add(text, "%lld", (long long)integer);
        return;
    case 'u':
        memcpy(&natural, at, sizeof natural);
        mnp__text_add(text, "%llu", (unsigned long long)natural);
        return;
    case 'f':
        memcpy(real, at, sizeof *real);
        add_float(text, real[0], mnp_dtype_size(dtype) < 8);
        return;
    default:
        if (dtype == MNP_COMPLEX64) {
            memcpy(single, at, sizeof single);
            real[0] = (double)single[0];
            real[1] = (double)single[1];
        } else {
            memcpy(real, at, sizeof real);
        }
        add_float(text, real[0], dtype == MNP_COMPLEX64);
        mnp__text_add(text, signbit(real[1]) ? "" : "+");
        add_float(text, real[1], dtype == MNP_COMPLEX64);
        mnp__text_add(text, "j");
    }
}

/* The type as which numbers are read to be shown, and its size; -1 if they are not numbers. */
static hid_t type_shown(mnp_dtype dtype, size_t *size_p)
{
    *size_p = 8;
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        *size_p = 1;
        return mnp__h5_type_new(MNP_BOOL);
    case 'i':
        return H5Tcopy(H5T_NATIVE_INT64);
    case 'u':
        return H5Tcopy(H5T_NATIVE_UINT64);
    case 'f':
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 'c':
        *size_p = mnp_dtype_size(dtype);
        return mnp__h5_type_new(dtype);
    default:
        return H5I_INVALID_HID;
    }
}

/* The numbers of an attribute as text; NULL if they cannot be read. */
static char *numbers_text(hid_t attribute, mnp_dtype dtype, int64_t count, bool is_scalar)
{
    size_t size;
    char values[MOST_VALUES * 16];
    mnp__text text = MNP__TEXT_EMPTY;
    hid_t type = type_shown(dtype, &size);
    const bool good = type >= 0 && H5Aread(attribute, type, values) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (!good)
        return NULL;
    mnp__text_add(&text, is_scalar ? "" : "[");
    for (int64_t i = 0; i < count; i++) {
        mnp__text_add(&text, i > 0 ? ", " : "");
        add_number(&text, dtype, values + (size_t)i * size);
    }
    mnp__text_add(&text, is_scalar ? "" : "]");
    return text.data;
}

/* A string of fixed or variable length; NULL if it cannot be read. */
static char *string_text(hid_t attribute, hid_t type)
{
    char *string = NULL, *copy = NULL;
    if (H5Tis_variable_str(type) > 0) {
        if (H5Aread(attribute, type, &string) >= 0 && string)
            copy = strndup(string, MOST_LETTERS);
        H5free_memory(string);
        return copy;
    }
    const size_t size = H5Tget_size(type);
    copy = size <= MOST_LETTERS ? calloc(1, size + 1) : NULL;
    if (copy && H5Aread(attribute, type, copy) < 0) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

/* ---- attributes ---- */

static void read_attribute(hid_t attribute, struct attribute *found)
{
    hid_t stored = H5Aget_type(attribute), space = H5Aget_space(attribute);
    mnp__h5_type type = {MNP_DTYPE_AUTO, stored, H5I_INVALID_HID, H5I_INVALID_HID};
    hsize_t extent[H5S_MAX_RANK] = {0};
    if (stored >= 0 && space >= 0) {
        const int64_t count = H5Sget_simple_extent_npoints(space);
        found->ndim = H5Sget_simple_extent_dims(space, extent, NULL);
        for (int d = 0; d < found->ndim; d++)
            found->shape[d] = (int64_t)extent[d];
        mnp__h5_type_text(stored, found->type);
        mnp__h5_type_find(&type);
        found->is_string = H5Tget_class(stored) == H5T_STRING && count == 1;
        if (found->is_string)
            found->value = string_text(attribute, stored);
        else if (type.dtype != MNP_DTYPE_AUTO && count >= 0 && count <= MOST_VALUES && found->ndim <= 1)
            found->value = numbers_text(attribute, type.dtype, count, found->ndim == 0);
    }
    if (type.from >= 0)
        H5Tclose(type.from);
    if (space >= 0)
        H5Sclose(space);
    if (stored >= 0)
        H5Tclose(stored);
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    struct attributes *attributes = context;
    (void)info;
    if (attributes->count == attributes->capacity) {
        const int capacity = attributes->capacity > 0 ? 2 * attributes->capacity : 8;
        struct attribute *items = realloc(attributes->items, (size_t)capacity * sizeof *items);
        if (!items)
            return -1;
        attributes->items = items;
        attributes->capacity = capacity;
    }
    struct attribute *found = &attributes->items[attributes->count];
    memset(found, 0, sizeof *found);
    found->name = strdup(name);
    if (!found->name)
        return -1;
    attributes->count++;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return -1;
    read_attribute(attribute, found);
    H5Aclose(attribute);
    return 0;
}

static void free_attributes(struct attributes *attributes)
{
    for (int i = 0; i < attributes->count; i++) {
        free(attributes->items[i].name);
        free(attributes->items[i].value);
    }
    free(attributes->items);
}

/* Give the entry, with the object's attributes, to the caller. */
static mnp_status give(const struct list *list, hid_t object, mnp_h5_entry *entry)
{
    struct attributes found = {NULL, 0, 0};
    mnp_h5_attribute_info *infos = NULL;
    mnp_status st = MNP_OK;
    if (object >= 0 && H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, &found) < 0)
        st = MNP_FAIL(MNP_ERR_FORMAT, "the attributes of '%s' in '%s' cannot be read: %s", entry->path, list->file,
                      mnp__h5_reason());
    if (st == MNP_OK)
        st = mnp__calloc((size_t)found.count, sizeof *infos, &infos);
    for (int i = 0; st == MNP_OK && i < found.count; i++) {
        const struct attribute *a = &found.items[i];
        infos[i] = (mnp_h5_attribute_info){a->name, a->type, a->ndim, a->shape, a->value, a->is_string};
    }
    entry->nattributes = found.count;
    entry->attributes = infos;
    if (st == MNP_OK)
        st = list->visit(entry, list->argument);
    free(infos);
    free_attributes(&found);
    return st;
}

/* ---- objects ---- */

static const char *storage_of(hid_t properties)
{
    if (H5Pget_external_count(properties) > 0)
        return "external";
    switch (H5Pget_layout(properties)) {
    case H5D_COMPACT:
        return "compact";
    case H5D_CHUNKED:
        return "chunked";
    case H5D_VIRTUAL:
        return "virtual";
    default:
        return "contiguous";
    }
}

static void add_filters(hid_t properties, mnp__text *text)
{
    const int count = H5Pget_nfilters(properties);
    for (int i = 0; i < count; i++) {
        char name[64] = "";
        unsigned flags, config, values[8] = {0};
        size_t nvalues = sizeof values / sizeof *values;
        const H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &nvalues, values, sizeof name, name, &config);
        mnp__text_add(text, "%s", i > 0 ? ", " : "");
        if (filter == H5Z_FILTER_DEFLATE)
            mnp__text_add(text, "gzip %u", values[0]);
        else if (*name)
            mnp__text_add(text, "%s", name);
        else
            mnp__text_add(text, "filter %d", (int)filter);
    }
}

/* Shape, limit of growth and chunks of a dataset. */
struct extents {
    int ndim;
    bool grows, chunked;
    int64_t shape[H5S_MAX_RANK], limit[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
};

static bool find_extents(hid_t dataset, hid_t properties, struct extents *extents)
{
    hsize_t shape[H5S_MAX_RANK] = {0}, limit[H5S_MAX_RANK] = {0}, chunk[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        return false;
    extents->ndim = H5Sget_simple_extent_dims(space, shape, limit);
    H5Sclose(space);
    extents->chunked = extents->ndim > 0 && H5Pget_layout(properties) == H5D_CHUNKED &&
                       H5Pget_chunk(properties, H5S_MAX_RANK, chunk) == extents->ndim;
    for (int d = 0; d < extents->ndim; d++) {
        extents->shape[d] = (int64_t)shape[d];
        extents->limit[d] = limit[d] == H5S_UNLIMITED ? -1 : (int64_t)limit[d];
        extents->chunk[d] = (int64_t)chunk[d];
        extents->grows = extents->grows || extents->limit[d] != extents->shape[d];
    }
    return extents->ndim >= 0;
}

static mnp_status list_dataset(const struct list *list, const mnp__h5_visit *visit)
{
    struct extents extents = {.ndim = 0};
    char type_text[MNP__H5_TYPE_TEXT];
    mnp__text filters = MNP__TEXT_EMPTY;
    hid_t type = H5Dget_type(visit->object), properties = H5Dget_create_plist(visit->object);
    mnp_status st;
    if (type >= 0 && properties >= 0 && find_extents(visit->object, properties, &extents)) {
        mnp__h5_type_text(type, type_text);
        add_filters(properties, &filters);
        mnp_h5_entry entry = {.kind = MNP_H5_DATASET,
                              .path = visit->path,
                              .type = type_text,
                              .storage = storage_of(properties),
                              .filters = mnp__text_string(&filters),
                              .ndim = extents.ndim,
                              .shape = extents.shape,
                              .limit = extents.grows ? extents.limit : NULL,
                              .chunk = extents.chunked ? extents.chunk : NULL};
        st = give(list, visit->object, &entry);
    } else {
        st = MNP_FAIL(MNP_ERR_FORMAT, "'%s' in '%s' cannot be read: %s", visit->path, list->file, mnp__h5_reason());
    }
    mnp__text_free(&filters);
    if (properties >= 0)
        H5Pclose(properties);
    if (type >= 0)
        H5Tclose(type);
    return st;
}

/* The type and the number of the entries of a sparse matrix. */
static void find_entries(hid_t group, char type_text[MNP__H5_TYPE_TEXT], int64_t *count_p)
{
    hid_t data = H5Dopen2(group, "data", H5P_DEFAULT);
    *count_p = 0;
    strcpy(type_text, "elements of an unknown type");
    if (data < 0)
        return;
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    if (type >= 0) {
        mnp__h5_type_text(type, type_text);
        H5Tclose(type);
    }
    if (space >= 0) {
        *count_p = H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
    }
    H5Dclose(data);
}

static mnp_status list_group(const struct list *list, mnp__h5_visit *visit)
{
    static const char *const members[] = {"data", "indices", "indptr", "row", "col", "shape", "format", NULL};
    char type_text[MNP__H5_TYPE_TEXT];
    int64_t shape[2];
    mnp_h5_entry entry = {.kind = MNP_H5_GROUP, .path = visit->path, .filters = ""};
    if (mnp__h5_is_sparse(visit->object, &entry.storage, shape)) {
        find_entries(visit->object, type_text, &entry.nnz);
        entry.kind = MNP_H5_SPARSE;
        entry.type = type_text;
        entry.ndim = 2;
        entry.shape = shape;
        visit->left_out = members;
    }
    return give(list, visit->object, &entry);
}

static mnp_status list_object(mnp__h5_visit *visit, void *argument)
{
    const struct list *list = argument;
    char type_text[MNP__H5_TYPE_TEXT];
    mnp_h5_entry entry = {.kind = MNP_H5_LINK, .path = visit->path, .filters = "", .target = visit->target};
    switch (visit->type) {
    case H5I_GROUP:
        return list_group(list, visit);
    case H5I_DATASET:
        return list_dataset(list, visit);
    case H5I_DATATYPE:
        mnp__h5_type_text(visit->object, type_text);
        entry.kind = MNP_H5_TYPE;
        entry.type = type_text;
        return give(list, visit->object, &entry);
    default:
        return give(list, H5I_INVALID_HID, &entry);
    }
}

mnp_status mnp_h5_list(const char *file, mnp_h5_visitor *visit, void *argument)
{
    MNP_ENTER(file, visit);
    struct list list = {file, visit, argument};
    mnp__h5_printing printing;
    hid_t opened;
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the HDF5 file is missing");
    mnp__h5_printing_off(&printing);
    mnp_status st = mnp__h5_open(file, &opened);
    if (st == MNP_OK) {
        st = mnp__h5_walk(opened, file, list_object, &list);
        mnp__h5_close_file(opened);
    }
    mnp__h5_printing_restore(&printing);
    return st;
}
