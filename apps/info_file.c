/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a file holds, as text or as JSON.  The list of an HDF5 file is made in another process, and printed when it is
 * complete: a damaged file can crash HDF5, and then there is one sentence.
 */
#include "info_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <maniple.h>

#include "apart.h"
#include "common/command.h"
#include "common/operand.h"
#include "common/paths.h"
#include "report/json.h"
#include "report/report.h"
#include "picture/png_reader.h"

/* ---- HDF5, as text ---- */

enum { PATH_WIDTH = 24 };

typedef struct listing {
    const char *path;
    const char *inside; /* the one object that is listed, with what is in it; NULL: all of the file */
    bool json;
    FILE *out;
    json_writer writer; /* if that is JSON */
    int64_t groups, datasets, matrices, listed;
} listing;

static void put_extents(FILE *out, int ndim, const int64_t *extents)
{
    if (ndim == 0)
        fputs("scalar", out);
    for (int d = 0; d < ndim; d++)
        fprintf(out, "%s%" PRId64, d > 0 ? "x" : "", extents[d]);
}

/* Print a text with letters that a terminal would obey replaced. */
static void put_plain(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, out);
}

static void put_growth(FILE *out, const mnp_h5_entry *entry)
{
    const char *before = ", grows along dimension ";
    for (int d = 0; entry->limit && d < entry->ndim; d++) {
        if (entry->limit[d] == entry->shape[d])
            continue;
        fprintf(out, "%s%d", before, d);
        if (entry->limit[d] >= 0)
            fprintf(out, " to %" PRId64, entry->limit[d]);
        before = ", along dimension ";
    }
}

static void put_dataset(FILE *out, const mnp_h5_entry *entry)
{
    put_extents(out, entry->ndim, entry->shape);
    fprintf(out, " %s", entry->type);
    if (entry->chunk) {
        fputs(", chunks ", out);
        put_extents(out, entry->ndim, entry->chunk);
    } else if (strcmp(entry->storage, "contiguous") != 0) {
        fprintf(out, ", %s", entry->storage);
    }
    if (*entry->filters)
        fprintf(out, ", %s", entry->filters);
    put_growth(out, entry);
}

static void put_attribute(FILE *out, const mnp_h5_attribute_info *attribute)
{
    fputs("    @", out);
    put_plain(out, attribute->name);
    fputs(" = ", out);
    if (attribute->value && attribute->is_string) {
        fputc('"', out);
        put_plain(out, attribute->value);
        fputc('"', out);
    } else if (attribute->value) {
        fputs(attribute->value, out);
    } else {
        put_extents(out, attribute->ndim, attribute->shape);
        fprintf(out, " %s", attribute->type);
    }
    fputc('\n', out);
}

static mnp_status put_entry(const mnp_h5_entry *entry, void *argument)
{
    listing *list = argument;
    FILE *out = list->out;
    put_plain(out, entry->path);
    fprintf(out, "%*s  ", PATH_WIDTH > strlen(entry->path) ? (int)(PATH_WIDTH - strlen(entry->path)) : 0, "");
    switch (entry->kind) {
    case MNP_H5_GROUP:
        list->groups++;
        fputs("group", out);
        break;
    case MNP_H5_DATASET:
        list->datasets++;
        put_dataset(out, entry);
        break;
    case MNP_H5_SPARSE:
        list->matrices++;
        fputs("sparse matrix, ", out);
        put_extents(out, 2, entry->shape);
        fprintf(out, " %s, %s, %" PRId64 " entr%s", entry->type, entry->storage, entry->nnz,
                entry->nnz == 1 ? "y" : "ies");
        break;
    case MNP_H5_TYPE:
        fprintf(out, "type: %s", entry->type);
        break;
    case MNP_H5_LINK:
        fputs("-> ", out);
        put_plain(out, entry->target);
        break;
    }
    fputc('\n', out);
    for (int i = 0; i < entry->nattributes; i++)
        put_attribute(out, &entry->attributes[i]);
    fflush(out); /* a sign of life for the process that waits */
    return MNP_OK;
}

/* ---- HDF5, as JSON ---- */

/* A list of extents; what is not limited is null. */
static void json_extents(json_writer *j, const char *name, int ndim, const int64_t *extents)
{
    json_row(j, name, '[');
    for (int d = 0; d < ndim; d++) {
        if (extents[d] < 0)
            json_null(j, NULL);
        else
            json_integer(j, NULL, extents[d]);
    }
    json_close(j);
}

static void json_attribute(json_writer *j, const mnp_h5_attribute_info *attribute)
{
    json_row(j, NULL, '{');
    json_text(j, "name", attribute->name);
    json_text(j, "type", attribute->type);
    json_extents(j, "shape", attribute->ndim, attribute->shape);
    /* JSON has no complex numbers and no infinities: these are strings */
    if (attribute->value && (attribute->is_string || strpbrk(attribute->value, "jn")))
        json_text(j, "value", attribute->value);
    else if (attribute->value)
        json_ready(j, "value", attribute->value);
    json_close(j);
}

static mnp_status json_entry(const mnp_h5_entry *entry, void *argument)
{
    static const char *const kinds[] = {"group", "dataset", "sparse", "type", "link"};
    listing *list = argument;
    json_writer *j = &list->writer;
    json_row(j, NULL, '{');
    json_text(j, "path", entry->path);
    json_text(j, "kind", kinds[entry->kind]);
    if (entry->type)
        json_text(j, "type", entry->type);
    if (entry->kind == MNP_H5_DATASET || entry->kind == MNP_H5_SPARSE) {
        json_extents(j, "shape", entry->ndim, entry->shape);
        json_text(j, entry->kind == MNP_H5_SPARSE ? "format" : "storage", entry->storage);
    }
    if (entry->kind == MNP_H5_SPARSE)
        json_integer(j, "nnz", entry->nnz);
    if (entry->limit)
        json_extents(j, "limit", entry->ndim, entry->limit);
    if (entry->chunk)
        json_extents(j, "chunks", entry->ndim, entry->chunk);
    if (*entry->filters)
        json_text(j, "filters", entry->filters);
    if (entry->target)
        json_text(j, "target", entry->target);
    if (entry->nattributes > 0) {
        json_row(j, "attributes", '[');
        for (int i = 0; i < entry->nattributes; i++)
            json_attribute(j, &entry->attributes[i]);
        json_close(j);
    }
    json_close(j);
    fflush(list->out);
    return MNP_OK;
}

/* ---- HDF5 ---- */

static json_writer begin_json(FILE *out, const char *path, const char *format)
{
    json_writer j = json_start(out);
    json_open(&j, NULL, '{');
    json_text(&j, "file", path);
    json_text(&j, "format", format);
    return j;
}

static void put_counts(const listing *list)
{
    fprintf(list->out, "\n%" PRId64 " group%s, %" PRId64 " dataset%s", list->groups, plural(list->groups),
            list->datasets, plural(list->datasets));
    if (list->matrices > 0)
        fprintf(list->out, ", %" PRId64 " sparse matri%s", list->matrices, list->matrices == 1 ? "x" : "ces");
    fputc('\n', list->out);
}

static bool is_inside(const char *path, const char *object)
{
    const size_t length = strlen(object);
    return strncmp(path, object, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static mnp_status list_entry(const mnp_h5_entry *entry, void *argument)
{
    listing *list = argument;
    if (list->inside && !is_inside(entry->path, list->inside))
        return MNP_OK;
    list->listed++;
    return (list->json ? json_entry : put_entry)(entry, list);
}

/* List the file.  In a process of its own. */
static mnp_status list_file(FILE *out, void *argument)
{
    listing *list = argument;
    struct stat file;
    char size[BYTES_TEXT];
    const int64_t bytes = stat(list->path, &file) == 0 ? (int64_t)file.st_size : 0;
    list->out = out;
    if (list->json) {
        list->writer = begin_json(out, list->path, "HDF5");
        json_integer(&list->writer, "bytes", bytes);
        json_open(&list->writer, "objects", '[');
    } else {
        fprintf(out, "%s: HDF5, %s\n\n", list->path, bytes_text(bytes, size));
    }
    mnp_status status = mnp_h5_list(list->path, list_entry, list);
    if (status == MNP_OK && list->inside && list->listed == 0)
        status = mnp_fail(MNP_ERR_IO, "'%s' in '%s' does not exist", list->inside, list->path);
    if (list->json) {
        json_close(&list->writer);
        json_close(&list->writer);
    } else {
        put_counts(list);
    }
    return status;
}

/* FILE:/OBJECT as its two parts, unless a file has that name; the object gets the "/" that may be missing. */
static const char *split_place(const char *place, char *file, char *object)
{
    struct stat found;
    const char *colon = strrchr(place, ':');
    if (!colon || !colon[1] || strlen(place) >= PATH_MAX || stat(place, &found) == 0)
        return NULL;
    snprintf(file, PATH_MAX, "%.*s", (int)(colon - place), place);
    snprintf(object, PATH_MAX, "/%s", colon[1] == '/' ? colon + 2 : colon + 1);
    for (size_t end = strlen(object); end > 0 && object[end - 1] == '/'; end--)
        object[end - 1] = '\0';
    return *object ? object : NULL;
}

static int info_h5(const char *path, bool json)
{
    char *text = NULL, file[PATH_MAX] = "", object[PATH_MAX];
    listing list = {.path = path, .json = json};
    if (!first_process())
        return EXIT_SUCCESS; /* the job's status is that of the first process */
    list.inside = split_place(path, file, object);
    list.path = *file ? file : path;
    OR_EXIT(apart(list.path, list_file, &list, &text));
    fputs(text, stdout);
    free(text);
    return close_output(EXIT_SUCCESS);
}

/* ---- other files ---- */

/* Prints what a file of some kind holds; on rank 0, but all ranks call it. */
typedef void show_function(mnp_ctx *ctx, const char *path, bool as_json);

/* Print an array's type and shape; JSON goes on with the result. */
static json_writer print_array_head(const char *path, const char *format, mnp_dtype dtype, int ndim,
                                    const int64_t *shape, bool as_json)
{
    if (!as_json) {
        printf("%s: %s, ", path, format);
        put_extents(stdout, ndim, shape);
        printf(" %s", mnp_dtype_name(dtype));
        return json_start(stdout);
    }
    json_writer j = begin_json(stdout, path, format);
    json_text(&j, "type", mnp_dtype_name(dtype));
    json_extents(&j, "shape", ndim, shape);
    return j;
}

static void info_npy(mnp_ctx *ctx, const char *path, bool as_json)
{
    mnp_npy_info info;
    OR_EXIT(mnp_npy_inspect(ctx, path, &info));
    if (mnp_ctx_rank(ctx) != 0)
        return;
    json_writer j = print_array_head(path, "NumPy", info.dtype, info.ndim, info.shape, as_json);
    if (as_json) {
        json_bool(&j, "fortran_order", info.fortran_order);
        json_bool(&j, "swapped", info.swapped);
        json_close(&j);
    } else {
        printf(", %s order%s\n", info.fortran_order ? "Fortran" : "C",
               info.swapped ? ", bytes of numbers in the other order" : "");
    }
}

static void info_png(mnp_ctx *ctx, const char *path, bool as_json)
{
    png_head head;
    OR_EXIT(png_inspect(ctx, path, &head));
    if (mnp_ctx_rank(ctx) != 0)
        return;
    json_writer j = print_array_head(path, "PNG", head.dtype, head.ndim, head.shape, as_json);
    if (as_json) {
        json_bool(&j, "interlaced", head.interlaced);
        json_close(&j);
    } else {
        printf("%s\n", head.interlaced ? ", interlaced" : "");
    }
}

/* The page or HDU that an image's name has; NULL if it has none.  Its kind is that of the name. */
static const char *image_file(const char *name, char *file, size_t room, operand_kind *kind_p)
{
    size_t length = strlen(name);
    const char *part = NULL;
    operand_is_image(name, kind_p, &length, &part);
    snprintf(file, room, "%.*s", (int)length, name);
    return part;
}

static void put_tiff(const mnp_tiff_info *info)
{
    printf(", %s of ", info->tiled ? "tiles" : "strips");
    put_extents(stdout, 2, (const int64_t[]){info->rows, info->columns});
    if (strcmp(info->compression, "none") != 0)
        printf(", %s", info->compression);
    if (info->pages > 1)
        printf(", %" PRId64 " pages", info->pages);
    putchar('\n');
}

static void json_tiff(json_writer *j, const mnp_tiff_info *info)
{
    json_integer(j, "pages", info->pages);
    json_bool(j, "tiled", info->tiled);
    json_extents(j, "segments", 2, (const int64_t[]){info->rows, info->columns});
    json_text(j, "compression", info->compression);
}

static void put_fits(const mnp_fits_info *info)
{
    printf(", HDU %d", info->hdu);
    if (*info->name) {
        fputs(" ", stdout);
        put_plain(stdout, info->name);
    }
    if (strcmp(info->compression, "none") != 0) {
        fputs(", ", stdout);
        put_plain(stdout, info->compression);
    }
    putchar('\n');
}

static void json_fits(json_writer *j, const mnp_fits_info *info)
{
    json_integer(j, "hdu", info->hdu);
    json_text(j, "name", info->name);
    json_integer(j, "bitpix", info->bitpix);
    json_number(j, "scale", info->scale);
    json_number(j, "zero", info->zero);
    json_text(j, "compression", info->compression);
}

/* A TIFF or FITS file, whose name may have a page or an HDU. */
static void info_image(mnp_ctx *ctx, const char *path, bool as_json)
{
    union {
        mnp_tiff_info tiff;
        mnp_fits_info fits;
    } info;
    char file[PATH_MAX];
    int64_t page;
    operand_kind kind = OPERAND_TIFF;
    const char *part = image_file(path, file, sizeof file, &kind);
    const bool tiff = kind == OPERAND_TIFF;
    if (tiff) {
        OR_EXIT(operand_page(part, &page));
        OR_EXIT(mnp_tiff_inspect(ctx, file, page, &info.tiff));
    } else {
        OR_EXIT(mnp_fits_inspect(ctx, file, part, &info.fits));
    }
    if (mnp_ctx_rank(ctx) != 0)
        return;
    json_writer j = tiff ? print_array_head(path, "TIFF", info.tiff.dtype, info.tiff.ndim, info.tiff.shape, as_json)
                         : print_array_head(path, "FITS", info.fits.dtype, info.fits.ndim, info.fits.shape, as_json);
    if (as_json && tiff)
        json_tiff(&j, &info.tiff);
    else if (as_json)
        json_fits(&j, &info.fits);
    else if (tiff)
        put_tiff(&info.tiff);
    else
        put_fits(&info.fits);
    if (as_json)
        json_close(&j);
}

static void info_market(mnp_ctx *ctx, const char *path, bool as_json)
{
    static const char *const formats[] = {"coordinate", "array"},
                             *const fields[] = {"real", "integer", "complex", "pattern"},
                             *const symmetries[] = {"general", "symmetric", "skew-symmetric", "Hermitian"};
    mnp_mm_info info;
    OR_EXIT(mnp_mm_inspect(ctx, path, &info));
    if (mnp_ctx_rank(ctx) != 0)
        return;
    const int64_t shape[] = {info.nrows, info.ncolumns};
    if (as_json) {
        json_writer j = begin_json(stdout, path, "Matrix Market");
        json_extents(&j, "shape", 2, shape);
        json_text(&j, "kind", formats[info.format]);
        json_text(&j, "field", fields[info.field]);
        json_text(&j, "symmetry", symmetries[info.symmetry]);
        json_integer(&j, "lines", info.nlines);
        json_close(&j);
    } else {
        printf("%s: Matrix Market, %s, ", path,
               info.format == MNP_MM_COORDINATE ? "a sparse matrix" : "a dense matrix");
        put_extents(stdout, 2, shape);
        printf(" %s, %s, %" PRId64 " %s\n", fields[info.field], symmetries[info.symmetry], info.nlines,
               info.format == MNP_MM_COORDINATE ? "entries" : "values");
    }
}

/* The function that shows files of such a name; NULL: an HDF5 file. */
static show_function *find_show(const char *path)
{
    static const struct {
        const char *end;
        show_function *show;
    } kinds[] = {{".npy", info_npy}, {".png", info_png}, {".mtx", info_market}};
    operand_kind kind;
    size_t length;
    const char *part;
    if (operand_is_image(path, &kind, &length, &part))
        return info_image;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (path_ends_in(path, kinds[i].end))
            return kinds[i].show;
    return NULL;
}

int info_file(const char *path, bool json)
{
    show_function *show = find_show(path);
    if (!show)
        return info_h5(path, json);
    mnp_ctx *ctx = command_begin(NULL);
    show(ctx, path, json);
    int status = close_output(EXIT_SUCCESS);
    mnp_finalize(ctx);
    return status;
}
