/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands: what a text names, and how the array comes from a file or goes there.
 */
#include "common/operand.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/generator.h"
#include "common/paths.h"
#include "common/words.h"
#include "picture/png_reader.h"
#include "report/report.h"

/* ---- parsing ---- */

/* The colon between file and dataset: the last one before a slash, as both names may contain colons; else the last. */
static const char *find_colon(const char *text)
{
    const char *found = NULL;
    for (const char *at = strstr(text, ":/"); at; at = strstr(at + 1, ":/"))
        found = at;
    return found ? found : strrchr(text, ':');
}

/* TIFF or FITS by the end of a file's name, of which there are `length` bytes; false if it is neither. */
static bool find_image_kind(const char *name, size_t length, operand_kind *kind_p)
{
    static const struct {
        const char *end;
        operand_kind kind;
    } rows[] = {{".tif", OPERAND_TIFF},
                {".tiff", OPERAND_TIFF},
                {".fits", OPERAND_FITS},
                {".fit", OPERAND_FITS},
                {".fts", OPERAND_FITS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t tail = strlen(rows[i].end);
        if (length > tail && strncasecmp(name + length - tail, rows[i].end, tail) == 0) {
            *kind_p = rows[i].kind;
            return true;
        }
    }
    return false;
}

bool operand_is_image(const char *name, operand_kind *kind_p, size_t *length_p, const char **part_p)
{
    const char *colon = strrchr(name, ':');
    *length_p = strlen(name);
    *part_p = NULL;
    if (strstr(name, ":/"))
        return false;
    if (find_image_kind(name, *length_p, kind_p))
        return true;
    if (!colon || !find_image_kind(name, (size_t)(colon - name), kind_p))
        return false;
    *length_p = (size_t)(colon - name);
    *part_p = colon + 1;
    return true;
}

mnp_status operand_page(const char *text, int64_t *page_p)
{
    *page_p = MNP_TIFF_ALL_PAGES;
    if (!text)
        return MNP_OK;
    if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 9)
        return mnp_fail(MNP_ERR_ARG, "the page '%s' is not a number, from 0 on", text);
    *page_p = atoll(text);
    return MNP_OK;
}

/* Copy a text without the subscripts at its end, which are copied too. */
static mnp_status split_subscripts(operand *op, char **name_p)
{
    const size_t length = strlen(op->text);
    const char *bracket = length > 0 && op->text[length - 1] == ']' ? strrchr(op->text, '[') : NULL;
    *name_p = strndup(op->text, bracket ? (size_t)(bracket - op->text) : length);
    if (bracket)
        op->subscripts = strndup(bracket + 1, length - (size_t)(bracket - op->text) - 2);
    return *name_p && (op->subscripts || !bracket) ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "out of memory");
}

/* Record the failure again, in a sentence that begins with the operand. */
static mnp_status blame(const operand *op, mnp_status status)
{
    return mnp_fail(status, "%s '%s': %s", op->role, op->text, words_message());
}

/* Find the file and the dataset that a name consists of; `forms` is how it may be written. */
static mnp_status split_name(operand *op, const char *name, const char *forms)
{
    const char *colon = find_colon(name), *part;
    size_t length;
    if (operand_is_image(name, &op->kind, &length, &part)) {
        op->file = strndup(name, length);
        op->dataset = part ? strdup(part) : NULL;
        int64_t page;
        if (!op->file || (part && !op->dataset))
            return mnp_fail(MNP_ERR_MEMORY, "out of memory");
        if (op->kind == OPERAND_TIFF && operand_page(part, &page) != MNP_OK)
            return blame(op, MNP_ERR_ARG);
        return part && !*part ? mnp_fail(MNP_ERR_ARG, "%s '%s' names no HDU", op->role, op->text) : MNP_OK;
    }
    op->kind = colon && strncmp(colon, ":/", 2) == 0 ? OPERAND_DATASET
               : path_ends_in(name, ".npy")          ? OPERAND_NPY
               : path_ends_in(name, ".png")          ? OPERAND_PNG
                                                     : OPERAND_DATASET;
    if (op->kind != OPERAND_DATASET) {
        op->file = strdup(name);
        return op->file ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "out of memory");
    }
    if (!colon || colon == name || strspn(colon + 1, "/.") == strlen(colon + 1))
        return mnp_fail(MNP_ERR_ARG, "%s '%s' %s; write %s", op->role, op->text,
                        colon == name ? "names no file" : "names no dataset", forms);
    op->file = strndup(name, (size_t)(colon - name));
    op->dataset = strdup(colon + 1);
    return op->file && op->dataset ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "out of memory");
}

static mnp_status parse_file(operand *op, const char *forms)
{
    char *name = NULL;
    mnp_status status = split_subscripts(op, &name);
    if (status == MNP_OK)
        status = split_name(op, name, forms);
    free(name);
    if (status == MNP_OK && op->subscripts) { /* whether they fit the array shows when its shape is known */
        mnp_subscript items[MNP_MAX_SUBSCRIPTS];
        int count;
        status = mnp_subscripts_parse(op->subscripts, items, &count);
        if (status != MNP_OK)
            return blame(op, status);
    }
    return status;
}

/* Give the caller the operand, or release it after a failure. */
static mnp_status finish(mnp_status status, operand *op, operand *result)
{
    if (status == MNP_OK)
        *result = *op;
    else
        operand_free(op);
    return status;
}

mnp_status operand_parse(const char *role, const char *text, mnp_dtype dtype, operand *result)
{
    operand op = {.role = role, .text = text, .dtype = dtype};
    mnp_status status = generator_parse(&op);
    if (status == MNP_OK && op.kind == OPERAND_DATASET)
        status = parse_file(
            &op, "FILE:/DATASET, FILE.npy, FILE.png, FILE.tif, FILE.fits or a generator such as hanning:31x31");
    return finish(status, &op, result);
}

mnp_status operand_parse_file(const char *role, const char *text, operand *result)
{
    operand op = {.role = role, .text = text};
    return finish(parse_file(&op, "FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or FILE.fits"), &op, result);
}

/* Refuse subscripts where a whole dataset is meant. */
static mnp_status check_whole(const operand *op)
{
    return op->subscripts ? mnp_fail(MNP_ERR_ARG, "%s '%s' is written as a whole: leave out [%s]", op->role, op->text,
                                     op->subscripts)
                          : MNP_OK;
}

mnp_status operand_parse_output(const char *role, const char *text, operand *result)
{
    operand op = {.role = role, .text = text};
    mnp_status status = parse_file(&op, "FILE:/DATASET, FILE.npy, FILE.tif, FILE.fits or FILE.fits:NAME");
    if (status == MNP_OK)
        status = check_whole(&op);
    if (status == MNP_OK && op.kind == OPERAND_PNG)
        status = mnp_fail(MNP_ERR_ARG, "%s '%s' is a picture; write FILE:/DATASET, FILE.npy, FILE.tif or FILE.fits",
                          role, text);
    if (status == MNP_OK && op.kind == OPERAND_TIFF && op.dataset)
        status = mnp_fail(MNP_ERR_ARG, "%s '%s' names a page, and a TIFF file is written as a whole; leave out :%s",
                          role, text, op.dataset);
    return finish(status, &op, result);
}

mnp_status operand_parse_dataset(const char *role, const char *text, operand *result)
{
    operand op = {.role = role, .text = text};
    mnp_status status = parse_file(&op, "FILE:/DATASET");
    if (status == MNP_OK && op.subscripts)
        status = mnp_fail(MNP_ERR_ARG, "%s '%s' is taken as a whole: leave out [%s]", role, text, op.subscripts);
    if (status == MNP_OK && op.kind != OPERAND_DATASET)
        status = mnp_fail(MNP_ERR_ARG, "%s '%s' is no HDF5 file; write FILE:/DATASET", role, text);
    return finish(status, &op, result);
}

void operand_free(operand *op)
{
    free(op->file);
    free(op->dataset);
    free(op->subscripts);
    op->file = op->dataset = op->subscripts = NULL;
}

/* ---- shapes ---- */

/* The shape of what is taken of an array. */
static mnp_status take_part(operand *op, mnp_dtype dtype, int ndim, const int64_t *shape)
{
    const mnp_selection part = {.subscripts = op->subscripts};
    op->dtype = dtype;
    mnp_status status = mnp_selection_shape(&part, ndim, shape, &op->ndim, op->shape);
    return status == MNP_OK ? status : blame(op, status);
}

static mnp_status look_dataset(mnp_ctx *ctx, operand *op)
{
    mnp_h5_info info;
    mnp_status status = mnp_h5_inspect(ctx, op->file, op->dataset, &info);
    return status == MNP_OK ? take_part(op, info.dtype, info.ndim, info.shape) : status;
}

static mnp_status look_npy(mnp_ctx *ctx, operand *op)
{
    mnp_npy_info info;
    mnp_status status = mnp_npy_inspect(ctx, op->file, &info);
    return status == MNP_OK ? take_part(op, info.dtype, info.ndim, info.shape) : status;
}

static mnp_status look_png(mnp_ctx *ctx, operand *op)
{
    png_head head;
    mnp_status status = png_inspect(ctx, op->file, &head);
    return status == MNP_OK ? take_part(op, head.dtype, head.ndim, head.shape) : status;
}

static mnp_status look_tiff(mnp_ctx *ctx, operand *op)
{
    mnp_tiff_info info;
    int64_t page;
    mnp_status status = operand_page(op->dataset, &page);
    if (status == MNP_OK)
        status = mnp_tiff_inspect(ctx, op->file, page, &info);
    return status == MNP_OK ? take_part(op, info.dtype, info.ndim, info.shape) : status;
}

static mnp_status look_fits(mnp_ctx *ctx, operand *op)
{
    mnp_fits_info info;
    mnp_status status = mnp_fits_inspect(ctx, op->file, op->dataset, &info);
    return status == MNP_OK ? take_part(op, info.dtype, info.ndim, info.shape) : status;
}

mnp_status operand_look(mnp_ctx *ctx, operand *op)
{
    switch (op->kind) {
    case OPERAND_DATASET:
        return look_dataset(ctx, op);
    case OPERAND_NPY:
        return look_npy(ctx, op);
    case OPERAND_PNG:
        return look_png(ctx, op);
    case OPERAND_TIFF:
        return look_tiff(ctx, op);
    case OPERAND_FITS:
        return look_fits(ctx, op);
    default:
        return MNP_OK;
    }
}

mnp_status operand_inspect(mnp_ctx *ctx, operand *op)
{
    mnp_status status = operand_look(ctx, op);
    if (status != MNP_OK)
        return status;
    if (op->ndim < 1 || op->ndim > OPERAND_MAX_DIMS)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' has %d dimensions; 1 to %d are possible", op->role, op->text, op->ndim,
                        OPERAND_MAX_DIMS);
    for (int d = 0; d < op->ndim; d++) {
        if (op->shape[d] == 0)
            return mnp_fail(MNP_ERR_ARG, "%s '%s' is empty: its extent along dimension %d is 0, and must be at least 1",
                            op->role, op->text, d);
    }
    return MNP_OK;
}

mnp_status operand_axes(const operand *op, const char *option, int count, int *axes)
{
    bool given[MNP_MAX_DIMS] = {false};
    for (int i = 0; i < count; i++) {
        const int axis = axes[i] < 0 ? axes[i] + op->ndim : axes[i];
        if (axis < 0 || axis >= op->ndim)
            return mnp_fail(MNP_ERR_ARG, "--%s has dimension %d, but %s '%s' has %d dimension%s", option, axes[i],
                            op->role, op->text, op->ndim, op->ndim == 1 ? "" : "s");
        if (given[axis])
            return mnp_fail(MNP_ERR_ARG, "--%s has dimension %d twice, as %d and %d", option, axis, axis,
                            axis - op->ndim);
        given[axis] = true;
        axes[i] = axis;
    }
    return MNP_OK;
}

/* ---- arrays ---- */

/* Read a picture, and bring what is taken of it to the layout of a new array.  Collective. */
static mnp_status load_png(mnp_ctx *ctx, const operand *op, const mnp_selection *part, mnp_array **array_p)
{
    mnp_array *whole = NULL, *taken = NULL, *box = NULL;
    mnp_layout *layout = NULL;
    mnp_subscript items[MNP_MAX_DIMS];
    mnp_status status = png_read(ctx, op->file, &whole);
    if (status == MNP_OK)
        status = mnp_index(whole, part->subscripts ? part->subscripts : "...", &taken);
    const int ndim = status == MNP_OK ? mnp_array_ndim(taken) : 0;
    for (int d = 0; d < ndim; d++)
        items[d] = part->start ? MNP_RANGE(part->start[d], part->start[d] + part->shape[d]) : MNP_ALL;
    if (status == MNP_OK)
        status = mnp_slice(taken, ndim, items, &box);
    if (status == MNP_OK)
        status = mnp_layout_block(mnp_ctx_size(ctx), ndim, mnp_array_shape(box), &layout);
    if (status == MNP_OK)
        status = mnp_redistribute(box, layout, array_p);
    mnp_layout_free(layout);
    mnp_free_all(box, taken, whole);
    return status;
}

static mnp_status load_tiff(mnp_ctx *ctx, const operand *op, const mnp_selection *part, mnp_array **array_p)
{
    int64_t page;
    mnp_status status = operand_page(op->dataset, &page);
    return status == MNP_OK ? mnp_tiff_read(ctx, op->file, page, part, NULL, array_p) : status;
}

static mnp_status load_part(mnp_ctx *ctx, const operand *op, const mnp_selection *part, mnp_array **array_p)
{
    switch (op->kind) {
    case OPERAND_DATASET:
        return mnp_h5_read_selection(ctx, op->file, op->dataset, part, NULL, array_p);
    case OPERAND_NPY:
        return mnp_npy_read(ctx, op->file, part, NULL, array_p);
    case OPERAND_PNG:
        return load_png(ctx, op, part, array_p);
    case OPERAND_TIFF:
        return load_tiff(ctx, op, part, array_p);
    case OPERAND_FITS:
        return mnp_fits_read(ctx, op->file, op->dataset, part, NULL, array_p);
    default:
        return mnp_fail(MNP_ERR_UNSUPPORTED, "%s '%s' is generated, as a whole", op->role, op->text);
    }
}

mnp_status operand_load_box(mnp_ctx *ctx, const operand *op, const int64_t *start, const int64_t *shape,
                            mnp_array **array_p)
{
    return load_part(ctx, op, &(mnp_selection){.subscripts = op->subscripts, .start = start, .shape = shape}, array_p);
}

mnp_status operand_read_ahead(mnp_ctx *ctx, const operand *op, const int64_t *start, const int64_t *shape)
{
    mnp_array *none = NULL;
    if (op->kind == OPERAND_PNG || op->kind >= OPERAND_DIRAC)
        return MNP_OK;
    return load_part(
        ctx, op, &(mnp_selection){.subscripts = op->subscripts, .start = start, .shape = shape, .ahead = true}, &none);
}

mnp_status operand_load(mnp_ctx *ctx, const operand *op, mnp_array **array_p)
{
    return op->kind >= OPERAND_DIRAC ? generator_load(ctx, op, array_p)
                                     : operand_load_box(ctx, op, NULL, NULL, array_p);
}

/* ---- outputs ---- */

/* What --append says; there is one command line in a program. */
static struct {
    bool given;
    int axis;
} append;

mnp_status operand_append_option(const char *argument)
{
    append.given = true;
    append.axis = MNP_H5_NEW_AXIS;
    if (strcmp(argument, "new") == 0)
        return MNP_OK;
    append.axis = argument[0] - '0';
    if (append.axis < 0 || append.axis >= MNP_MAX_DIMS || argument[1])
        return mnp_fail(MNP_ERR_ARG, "--append is '%s'; it can be new, or the number of a dimension from 0 on",
                        argument);
    return MNP_OK;
}

bool operand_appends(void)
{
    return append.given;
}

mnp_status operand_check_output(mnp_ctx *ctx, const operand *op)
{
    if (append.given && op->kind != OPERAND_DATASET)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' does not grow: --append is for datasets of HDF5 files", op->role,
                        op->text);
    if (append.given)
        return mnp_h5_check_append(ctx, op->file, op->dataset, append.axis);
    switch (op->kind) {
    case OPERAND_NPY:
        return mnp_npy_check_write(ctx, op->file);
    case OPERAND_TIFF:
        return mnp_tiff_check_write(ctx, op->file);
    case OPERAND_FITS:
        return mnp_fits_check_write(ctx, op->file, op->dataset);
    default:
        return mnp_h5_check_write(ctx, op->file, op->dataset);
    }
}

/* Whether values have the dimension along which they are to be appended. */
static mnp_status check_append_axis(const operand *op, int ndim)
{
    if (append.axis == MNP_H5_NEW_AXIS ? ndim < MNP_MAX_DIMS : append.axis < ndim)
        return MNP_OK;
    if (append.axis == MNP_H5_NEW_AXIS)
        return mnp_fail(MNP_ERR_ARG,
                        "nothing more can be appended to %s '%s' with --append new: %d dimensions are the most",
                        op->role, op->text, MNP_MAX_DIMS);
    return mnp_fail(MNP_ERR_ARG,
                    "what is appended to %s '%s' has %d dimension%s, and --append %d is not one of them; "
                    "--append new makes it an index of a new first dimension",
                    op->role, op->text, ndim, ndim == 1 ? "" : "s", append.axis);
}

static mnp_status append_array(const operand *op, const mnp_array *array)
{
    mnp_h5_file *file = NULL;
    mnp_ctx *ctx = mnp_array_ctx(array);
    mnp_status status = check_append_axis(op, mnp_array_ndim(array));
    if (status != MNP_OK)
        return status;
    const bool is_new = mnp_ctx_rank(ctx) == 0 && access(op->file, F_OK) != 0;
    status = mnp_h5_file_open(ctx, op->file, true, &file);
    if (status == MNP_OK)
        status = mnp_h5_file_append(file, append.axis, 1, &(mnp_h5_item){op->dataset, array}, 0, NULL);
    mnp_h5_file_close(file);
    if (status != MNP_OK && is_new)
        unlink(op->file);
    return status;
}

mnp_status operand_write(const operand *op, const mnp_array *array)
{
    if (append.given)
        return append_array(op, array);
    switch (op->kind) {
    case OPERAND_NPY:
        return mnp_npy_write(array, op->file);
    case OPERAND_TIFF:
        return mnp_tiff_write(array, op->file, NULL);
    case OPERAND_FITS:
        return mnp_fits_write(array, op->file, op->dataset);
    default:
        return mnp_h5_write(array, op->file, op->dataset, NULL);
    }
}

/* ---- reports ---- */

void print_operand(const char *title, const operand *op)
{
    printf("%-10s%s: ", title, op->text);
    print_shape(op->ndim, op->shape);
    printf(" %s\n", mnp_dtype_name(op->dtype));
}

void json_input(json_writer *out, const char *name, const operand *op)
{
    json_row(out, name, '{');
    json_text(out, "operand", op->text);
    json_integers(out, "shape", op->ndim, op->shape);
    json_text(out, "dtype", mnp_dtype_name(op->dtype));
    json_close(out);
}
