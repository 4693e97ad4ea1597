/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subscripts: x[2:10:3, -1, None, ...], given as structs or as text.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"

/* Clip a bound of a slice, which may count from the end, to the range that a slice can begin or stop at. */
static int64_t limit(int64_t end, int64_t extent, int64_t least, int64_t most)
{
    if (end < 0)
        end += extent;
    return end < least ? least : end > most ? most : end;
}

int64_t mnp__slice_end(int64_t index, int64_t extent)
{
    return limit(index, extent, 0, extent);
}

/* Python's slice.indices(). */
static mnp_status resolve_slice(const mnp_subscript *slice, int d, int64_t extent, mnp__view_dim *dim)
{
    int64_t step = slice->step == MNP_NONE ? 1 : slice->step;
    if (step == 0)
        return MNP_FAIL(MNP_ERR_ARG, "the step of the slice of dimension %d is 0", d);
    int64_t least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
    int64_t start = step > 0 ? least : most, stop = step > 0 ? most : least;
    if (slice->start != MNP_NONE)
        start = limit(slice->start, extent, least, most);
    if (slice->stop != MNP_NONE)
        stop = limit(slice->stop, extent, least, most);
    *dim = (mnp__view_dim){.from = d, .start = start, .step = step};
    if (step > 0 ? start < stop : start > stop)
        dim->extent = step > 0 ? (stop - start - 1) / step + 1 : (start - stop - 1) / -step + 1;
    if (dim->extent <= 1)
        dim->step = 1; /* any step will do, and a step of 1 cannot overflow in a product */
    return MNP_OK;
}

static mnp_status resolve_index(int64_t index, int d, int64_t extent, int64_t *at)
{
    *at = index < 0 ? index + extent : index;
    if (*at < 0 || *at >= extent)
        return MNP_FAIL(MNP_ERR_ARG, "index %" PRId64 " is out of bounds for dimension %d, which has extent %" PRId64,
                        index, d, extent);
    return MNP_OK;
}

/* The number of dimensions that an ellipsis, or the end of the subscripts, stands for. */
static mnp_status count_rest(int ndim, int count, const mnp_subscript *subscripts, int *rest_p)
{
    int taken = 0, ellipses = 0, made = 0;
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "there are %d subscripts", count);
    for (int i = 0; i < count; i++) {
        int kind = subscripts[i].kind;
        if (kind < MNP_SUBSCRIPT_SLICE || kind > MNP_SUBSCRIPT_ELLIPSIS)
            return MNP_FAIL(MNP_ERR_ARG, "subscript %d has the unknown kind %d", i, kind);
        taken += kind == MNP_SUBSCRIPT_SLICE || kind == MNP_SUBSCRIPT_AT;
        made += kind == MNP_SUBSCRIPT_SLICE || kind == MNP_SUBSCRIPT_NEWAXIS;
        ellipses += kind == MNP_SUBSCRIPT_ELLIPSIS;
    }
    if (ellipses > 1)
        return MNP_FAIL(MNP_ERR_ARG, "there are %d ellipses among the subscripts, and one at most is understood",
                        ellipses);
    if (taken > ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%d indices are too many for an array of %d dimension%s", taken, ndim,
                        ndim == 1 ? "" : "s");
    if (made + ndim - taken > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "the view would have %d dimensions, and an array has at most %d",
                        made + ndim - taken, MNP_MAX_DIMS);
    *rest_p = ndim - taken;
    return MNP_OK;
}

mnp_status mnp__subscripts_resolve(int ndim, const int64_t *shape, int count, const mnp_subscript *subscripts,
                                   int *count_p, mnp__view_dim *dims, int64_t *at)
{
    int made = 0, d = 0, rest;
    bool ellipsis = false;
    MNP_TRY(count_rest(ndim, count, subscripts, &rest));
    for (int i = 0; i <= count; i++) {
        const mnp_subscript *s = &subscripts[i];
        if (i == count ? !ellipsis : s->kind == MNP_SUBSCRIPT_ELLIPSIS) {
            ellipsis = true;
            for (int r = 0; r < rest; r++, d++)
                dims[made++] = (mnp__view_dim){.from = d, .start = 0, .step = 1, .extent = shape[d]};
        } else if (i == count) {
            break;
        } else if (s->kind == MNP_SUBSCRIPT_NEWAXIS) {
            dims[made++] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
        } else if (s->kind == MNP_SUBSCRIPT_AT) {
            MNP_TRY(resolve_index(s->start, d, shape[d], &at[d]));
            d++;
        } else {
            MNP_TRY(resolve_slice(s, d, shape[d], &dims[made++]));
            d++;
        }
    }
    *count_p = made;
    return MNP_OK;
}

mnp_status mnp_slice(const mnp_array *x, int count, const mnp_subscript *subscripts, mnp_array **view_p)
{
    MNP_ENTER(x, view_p);
    MNP_NEED_IF(count > 0, subscripts);
    mnp_array *view = NULL;
    mnp__view_dim dims[MNP_MAX_DIMS];
    int64_t at[MNP_MAX_DIMS] = {0};
    int ndim;
    MNP_TRY(mnp__array_check_blocks("mnp_slice", x));
    MNP_TRY(mnp__subscripts_resolve(x->layout->ndim, x->layout->shape, count, subscripts, &ndim, dims, at));
    return mnp__view_give(mnp__view_make(x, ndim, dims, at, &view), &view, view_p);
}

/* The slice of a dimension that begins where the box of that slice does. */
static mnp_subscript slice_of_box(const mnp__view_dim *dim, int64_t *start, int64_t *extent)
{
    int64_t last = dim->start + (dim->extent - 1) * dim->step;
    *start = dim->step > 0 ? dim->start : last;
    *extent = dim->extent == 0 ? 0 : (dim->step > 0 ? last - dim->start : dim->start - last) + 1;
    if (dim->extent == 0)
        *start = 0;
    return MNP_SLICE(MNP_NONE, MNP_NONE, dim->step);
}

mnp_status mnp_subscripts_box(int ndim, const int64_t *shape, int count, mnp_subscript *items, int64_t *start,
                              int64_t *extent)
{
    MNP_ENTER_NAME();
    MNP_NEED_IF(ndim > 0, shape);
    MNP_NEED_IF(count > 0, items);
    MNP_NEED_IF(ndim > 0, start);
    MNP_NEED_IF(ndim > 0, extent);
    mnp__view_dim dims[MNP_MAX_DIMS];
    int64_t at[MNP_MAX_DIMS] = {0};
    int made, next = 0, d = 0, rest;
    MNP_TRY(mnp__subscripts_resolve(ndim, shape, count, items, &made, dims, at));
    MNP_TRY(count_rest(ndim, count, items, &rest));
    for (int i = 0; i < ndim; i++) {
        start[i] = 0;
        extent[i] = shape[i];
    }
    for (int i = 0; i < count; i++) {
        if (items[i].kind == MNP_SUBSCRIPT_ELLIPSIS) {
            next += rest;
            d += rest;
        } else if (items[i].kind == MNP_SUBSCRIPT_AT) {
            start[d] = at[d];
            extent[d++] = 1;
            items[i] = MNP_AT(0);
        } else if (items[i].kind == MNP_SUBSCRIPT_NEWAXIS) {
            next++;
        } else {
            items[i] = slice_of_box(&dims[next++], &start[d], &extent[d]);
            d++;
        }
    }
    return MNP_OK;
}

/* ---- subscripts as text ---- */

struct reader {
    const char *text, *at;
};

static void skip_space(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

/* Skip the given text if it comes next; a name must end there. */
static bool take(struct reader *reader, const char *words)
{
    size_t length = strlen(words);
    skip_space(reader);
    if (strncmp(reader->at, words, length) != 0)
        return false;
    if (isalnum((unsigned char)words[length - 1]) && mnp__is_in_name(reader->at[length]))
        return false;
    reader->at += length;
    return true;
}

static mnp_status fail_at(const struct reader *reader, const char *position, const char *what)
{
    return MNP_FAIL(MNP_ERR_ARG, "cannot read the subscripts '%s' at column %d: %s", reader->text,
                    (int)(position - reader->text) + 1, what);
}

/* Read a number or None, if one of them comes next. */
static mnp_status read_number(struct reader *reader, bool *found_p, int64_t *value_p)
{
    char *end;
    skip_space(reader);
    *value_p = MNP_NONE;
    *found_p = false;
    const char *digit = reader->at + (*reader->at == '-' || *reader->at == '+');
    if (digit > reader->at && !isdigit((unsigned char)*digit))
        return fail_at(reader, digit, "a number should follow the sign");
    if (!isdigit((unsigned char)*digit))
        return MNP_OK;
    errno = 0;
    *value_p = strtoll(reader->at, &end, 10);
    if (errno == ERANGE || *value_p == MNP_NONE)
        return fail_at(reader, reader->at, "this number does not fit 64 bits");
    if (mnp__is_in_name(*end) || *end == '.')
        return fail_at(reader, end, "indices are whole decimal numbers");
    reader->at = end;
    *found_p = true;
    return MNP_OK;
}

static bool at_end(struct reader *reader)
{
    skip_space(reader);
    return *reader->at == ',' || *reader->at == '\0';
}

/* Read what comes before, between or after the colons of a slice: a number, None, or nothing. */
static mnp_status read_end(struct reader *reader, bool *found_p, int64_t *value_p)
{
    MNP_TRY(read_number(reader, found_p, value_p));
    if (!*found_p)
        *found_p = take(reader, "None");
    return MNP_OK;
}

static mnp_status read_subscript(struct reader *reader, mnp_subscript *subscript)
{
    bool found;
    int64_t ends[3] = {MNP_NONE, MNP_NONE, MNP_NONE};
    int colons = 0;
    if (take(reader, "...") || take(reader, "Ellipsis")) {
        *subscript = MNP_ELLIPSIS;
        return MNP_OK;
    }
    if (take(reader, "newaxis")) {
        *subscript = MNP_NEWAXIS;
        return MNP_OK;
    }
    MNP_TRY(read_end(reader, &found, &ends[0]));
    while (colons < 2 && take(reader, ":")) {
        bool ignored;
        MNP_TRY(read_end(reader, &ignored, &ends[++colons]));
    }
    if (colons > 0)
        *subscript = MNP_SLICE(ends[0], ends[1], ends[2]);
    else if (found)
        *subscript = ends[0] == MNP_NONE ? MNP_NEWAXIS : MNP_AT(ends[0]);
    else
        return fail_at(reader, reader->at, "an index, a slice, None or ... should be here");
    return MNP_OK;
}

mnp_status mnp_subscripts_parse(const char *text, mnp_subscript *items, int *count_p)
{
    MNP_ENTER(text, items, count_p);
    struct reader reader = {.text = text, .at = text};
    int count = 0;
    *count_p = 0;
    skip_space(&reader);
    if (strcmp(reader.at, "()") == 0 || *reader.at == '\0')
        return MNP_OK;
    do {
        if (count == MNP_MAX_SUBSCRIPTS)
            return fail_at(&reader, reader.at, "there are more subscripts than any array has dimensions");
        MNP_TRY(read_subscript(&reader, &items[count++]));
        if (!at_end(&reader))
            return fail_at(&reader, reader.at, "a comma should be here");
    } while (take(&reader, ",") && !at_end(&reader));
    if (*reader.at != '\0')
        return fail_at(&reader, reader.at, "an index, a slice, None or ... should be here");
    *count_p = count;
    return MNP_OK;
}

mnp_status mnp_index(const mnp_array *x, const char *subscripts, mnp_array **view_p)
{
    MNP_ENTER(x, subscripts, view_p);
    mnp_subscript items[MNP_MAX_SUBSCRIPTS];
    int count;
    MNP_TRY(mnp_subscripts_parse(subscripts, items, &count));
    return mnp_slice(x, count, items, view_p);
}
