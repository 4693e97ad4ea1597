/* SPDX-License-Identifier: BSD-3-Clause */
/* Subscripts: from "ij,...jk->i...k" to the labels of all dimensions. */
#include <inttypes.h>
#include <string.h>

#include "array/array.h"
#include "layout/layout.h"
#include "linalg/products/einsum.h"

uint64_t mnp__term_set(const mnp__term *term)
{
    uint64_t set = 0;
    for (int d = 0; d < term->ndim; d++)
        set |= (uint64_t)1 << term->labels[d];
    return set;
}

int mnp__term_find(const mnp__term *term, int label)
{
    for (int d = 0; d < term->ndim; d++)
        if (term->labels[d] == label)
            return d;
    return -1;
}

/* What is read of a text. */
typedef struct reader {
    const char *function, *text, *at;
    int ellipsis; /* dimensions of the longest ellipsis */
    int uses[MNP__LABELS];
} reader;

static mnp_status refuse(const reader *r, const char *why)
{
    return MNP_FAIL(MNP_ERR_ARG, "%s: \"%s\", column %d: %s", r->function, r->text, (int)(r->at - r->text) + 1, why);
}

static int label_of(char c)
{
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26; /* capitals come first, as in the order of characters */
    return c >= 'A' && c <= 'Z' ? c - 'A' : -1;
}

enum { ELLIPSIS = -1 }; /* stands for its dimensions until their number is known */

/* The labels up to a comma, an arrow or the end; at most one is ELLIPSIS. */
static mnp_status read_labels(reader *r, int *labels, int *count_p, int *ellipsis_p)
{
    *count_p = 0;
    *ellipsis_p = -1;
    for (; *r->at && *r->at != ',' && *r->at != '-'; r->at++) {
        int label = label_of(*r->at);
        if (*r->at == ' ')
            continue;
        if (strncmp(r->at, "...", 3) == 0) {
            if (*ellipsis_p >= 0)
                return refuse(r, "there is a second ellipsis");
            *ellipsis_p = *count_p;
            label = ELLIPSIS;
            r->at += 2;
        } else if (label < 0) {
            return refuse(r, "there is neither a letter nor an ellipsis, a comma or an arrow");
        }
        if (*count_p > MNP_MAX_DIMS)
            return refuse(r, "there are more subscripts than an array has dimensions");
        labels[(*count_p)++] = label;
    }
    return MNP_OK;
}

/* Put labels in place of an ellipsis of `ndim` dimensions, the last ones of all. */
static void expand(const int *labels, int count, int ndim, mnp__term *term)
{
    term->ndim = 0;
    for (int i = 0; i < count; i++) {
        if (labels[i] != ELLIPSIS)
            term->labels[term->ndim++] = labels[i];
        for (int d = 0; labels[i] == ELLIPSIS && d < ndim; d++)
            term->labels[term->ndim++] = MNP__LABELS - ndim + d;
    }
}

static mnp_status read_term(reader *r, int number, const mnp_layout *layout, mnp__einsum *e)
{
    int labels[MNP_MAX_DIMS + 1], count, ellipsis;
    MNP_TRY(read_labels(r, labels, &count, &ellipsis));
    const int letters = count - (ellipsis >= 0), rest = layout->ndim - letters;
    if (rest < 0 || (ellipsis < 0 && rest > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: \"%s\" has %d subscripts for operand %d, which has %d dimensions",
                        r->function, r->text, letters, number, layout->ndim);
    expand(labels, count, rest, &e->terms[number]);
    r->ellipsis = rest > r->ellipsis ? rest : r->ellipsis;
    for (int d = 0; d < layout->ndim; d++) {
        const int label = e->terms[number].labels[d];
        const int64_t extent = layout->shape[d], other = e->extent[label];
        const int twin = mnp__term_find(&e->terms[number], label); /* of a diagonal, which is not broadcast */
        if ((r->uses[label]++ > 0 && extent != other && extent != 1 && other != 1) || extent != layout->shape[twin])
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: \"%s\": dimension %d of operand %d has %" PRId64
                            " elements, and its subscript stands for %" PRId64,
                            r->function, r->text, d, number, extent, other);
        if (r->uses[label] == 1 || other == 1)
            e->extent[label] = extent;
    }
    return MNP_OK;
}

/* Without an arrow: the ellipsis, and the letters that are there once, in their order. */
static mnp_status imply_result(reader *r, mnp__einsum *e)
{
    int labels[MNP__LABELS], count = 0;
    labels[count++] = ELLIPSIS;
    for (int label = 0; label < MNP__LETTERS; label++)
        if (r->uses[label] == 1)
            labels[count++] = label;
    if (count - 1 + r->ellipsis > MNP_MAX_DIMS)
        return refuse(r, "the result would have more dimensions than an array can have");
    expand(labels, count, r->ellipsis, &e->result);
    return MNP_OK;
}

static mnp_status read_result(reader *r, mnp__einsum *e)
{
    int labels[MNP_MAX_DIMS + 1], count, ellipsis;
    if (r->at[1] != '>')
        return refuse(r, "an arrow is written ->");
    r->at += 2;
    MNP_TRY(read_labels(r, labels, &count, &ellipsis));
    if (*r->at)
        return refuse(r, "the result is the end of the text");
    if (ellipsis < 0 && r->ellipsis > 0)
        return refuse(r, "the result lacks the ellipsis of the operands");
    if (count - (ellipsis >= 0) + r->ellipsis > MNP_MAX_DIMS)
        return refuse(r, "the result would have more dimensions than an array can have");
    expand(labels, count, ellipsis < 0 ? 0 : r->ellipsis, &e->result);
    for (int d = 0; d < e->result.ndim; d++) {
        if (r->uses[e->result.labels[d]] == 0)
            return refuse(r, "the result has a subscript that no operand has");
        if (mnp__term_find(&e->result, e->result.labels[d]) != d)
            return refuse(r, "the result has a subscript twice");
    }
    return MNP_OK;
}

mnp_status mnp__einsum_read(const char *function, const char *subscripts, int count, const mnp_array *const *arrays,
                            mnp__einsum *e)
{
    reader r = {.function = function, .text = subscripts, .at = subscripts};
    memset(e, 0, sizeof *e);
    if (count < 1 || count > MNP__MOST_TERMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d operands, outside 1..%d", function, count, MNP__MOST_TERMS);
    for (; e->count < count; e->count++) {
        if (e->count > 0 && *r.at++ != ',')
            return MNP_FAIL(MNP_ERR_ARG, "%s: \"%s\" has subscripts for %d operands, and there are %d", function,
                            subscripts, e->count, count);
        MNP_TRY(read_term(&r, e->count, arrays[e->count]->layout, e));
    }
    if (*r.at == ',')
        return MNP_FAIL(MNP_ERR_ARG, "%s: \"%s\" has subscripts for more operands than the %d that there are", function,
                        subscripts, count);
    return *r.at ? read_result(&r, e) : imply_result(&r, e);
}
