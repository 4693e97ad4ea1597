/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing arrays.  Rank 0 prints; the mover brings it the elements.  Only the first and the last few indices of each
 * dimension of a large array are shown, and no other elements travel.  Rows are written inside brackets, with line
 * breaks where a row is longer than a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/move/mover.h"
#include "array/text/numbers.h"
#include "base/hash.h"
#include "base/text.h"
#include "layout/layout.h"

/* ---- the elements that are shown ---- */

typedef struct shown {
    bool summary; /* only the first and last indices of long dimensions are shown */
    int ndim, edge;
    int64_t shape[MNP_MAX_DIMS];  /* of the array */
    int64_t extent[MNP_MAX_DIMS]; /* of what is shown, densely in C order */
    void *elements;               /* on rank 0 */
} shown;

/* Whether the middle of a dimension is left out. */
static bool is_cut(const shown *s, int d)
{
    return s->summary && s->shape[d] > 2 * (int64_t)s->edge;
}

static int want_shown(const void *argument, int rank, mnp__want *want)
{
    const shown *s = argument;
    if (rank != 0)
        return 0;
    memset(want, 0, sizeof *want);
    for (int d = 0; d < s->ndim; d++) {
        want->extent[d] = s->extent[d];
        if (is_cut(s, d)) { /* two runs of indices */
            want->length[d] = s->edge;
            want->period[d] = s->shape[d] - s->edge;
        }
    }
    mnp__dense_strides(s->ndim, s->extent, want->strides);
    return 1;
}

/* Bring the elements to an array that lies on rank 0. */
static mnp_status move_shown(const mnp_array *array, const shown *s, mnp_array **result_p)
{
    mnp_layout *layout;
    mnp__mover *mover;
    MNP_TRY(mnp_layout_on_root(array->layout->nranks, 0, s->ndim, s->extent, &layout));
    mnp_status st = mnp_array_new(array->ctx, array->dtype, layout, result_p);
    mnp_layout_free(layout);
    MNP_TRY(st);
    const mnp__move_spec spec = {.dtype = array->dtype,
                                 .layout = array->layout,
                                 .strides = array->local_strides,
                                 .wants = want_shown,
                                 .argument = s};
    MNP_TRY(mnp__mover_new(array->ctx, &spec, &mover));
    st = mnp__mover_move(mover, array->data, (*result_p)->data);
    mnp__mover_free(mover);
    return st;
}

/* Gather what is shown on rank 0; s->elements is to be freed.  Collective. */
static mnp_status gather(const mnp_array *array, const mnp_print_options *options, shown *s)
{
    mnp_array *moved = NULL;
    const int64_t size = mnp_layout_size(array->layout);
    *s = (shown){.summary = size > options->threshold, .ndim = array->layout->ndim, .edge = options->edge_items};
    for (int d = 0; d < s->ndim; d++) {
        s->shape[d] = array->layout->shape[d];
        s->extent[d] = is_cut(s, d) ? 2 * (int64_t)s->edge : s->shape[d];
    }
    if (size == 0)
        return MNP_OK;
    mnp_status st = move_shown(array, s, &moved);
    if (st == MNP_OK && array->ctx->comm.rank == 0)
        st = mnp__malloc((size_t)moved->local_size * mnp_dtype_size(array->dtype), &s->elements);
    if (st == MNP_OK && array->ctx->comm.rank == 0)
        st = mnp_array_get_local(moved, s->elements);
    st = moved ? MNP_AGREE(array->ctx, st) : st;
    mnp_array_free(moved);
    return st;
}

/* ---- brackets and lines ---- */

typedef struct page {
    const shown *shown;
    mnp__number_format format;
    int line_width;
    mnp__text *text;
    size_t line; /* where the last line begins, in text */
} page;

static void add_spaces(mnp__text *text, int count)
{
    mnp__text_add(text, "%*s", count, "");
}

/* Add a word of a row, on the next line if it is too long for this one; other lines begin with `indent` spaces. */
static void add_word(page *p, const char *word, int indent, int most)
{
    mnp__text *text = p->text;
    const size_t length = text->length - p->line;
    if (length + strlen(word) > (size_t)most && length > (size_t)indent) {
        while (text->length > 0 && text->data[text->length - 1] == ' ')
            text->length--;
        mnp__text_add(text, "\n");
        p->line = text->length;
        add_spaces(text, indent);
    }
    mnp__text_add(text, "%s", word);
}

/* Add one dimension of what is shown: element number `first` and following. */
static void add_dimension(page *p, int axis, int64_t first)
{
    const shown *s = p->shown;
    const int left = s->ndim - axis - 1, indent = axis + 1;
    int64_t step = 1;
    for (int d = axis + 1; d < s->ndim; d++)
        step *= s->extent[d];
    mnp__text_add(p->text, "[");
    for (int64_t i = 0; i < s->extent[axis]; i++) {
        const bool gap = is_cut(s, axis) && i == s->edge;
        char word[MNP__NUMBER_BYTES];
        if (left == 0) {
            const int most = p->line_width - axis - 1;
            if (i > 0)
                mnp__text_add(p->text, " ");
            if (gap) {
                add_word(p, "...", indent, most);
                mnp__text_add(p->text, " ");
            }
            add_word(p, mnp__number_text(&p->format, s->elements, first + i, word), indent, most);
            continue;
        }
        for (int rows = gap ? 2 : 1; i > 0 && rows > 0; rows--) {
            for (int k = 0; k < left; k++)
                mnp__text_add(p->text, "\n");
            p->line = p->text->length;
            add_spaces(p->text, indent);
            mnp__text_add(p->text, rows == 2 ? "..." : "");
        }
        add_dimension(p, axis + 1, first + i * step);
    }
    mnp__text_add(p->text, "]");
}

static mnp_status write_text(const mnp_array *array, const mnp_print_options *options, const shown *s, FILE *file)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__numbers numbers;
    int64_t count = 1;
    char word[MNP__NUMBER_BYTES];
    MNP_TRY(mnp__numbers_begin(&numbers));
    for (int d = 0; d < s->ndim; d++)
        count *= s->extent[d];
    page p = {.shown = s, .line_width = options->line_width, .text = &text};
    p.format = mnp__number_format_choose(array->dtype, count, s->elements, s->ndim == 0, options->precision,
                                         options->suppress);
    if (count == 0)
        mnp__text_add(&text, "[]");
    else if (s->ndim == 0)
        mnp__text_add(&text, "%s", mnp__number_text(&p.format, s->elements, 0, word));
    else
        add_dimension(&p, 0, 0);
    mnp__text_add(&text, "\n");
    mnp__numbers_end(&numbers);
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK && fputs(mnp__text_string(&text), file) == EOF)
        st = MNP_FAIL(MNP_ERR_IO, "mnp_array_print: the text cannot be written");
    mnp__text_free(&text);
    return st;
}

/* Rank 0 has a file; others need none.  Collective. */
static mnp_status check_file(mnp_ctx *ctx, FILE *file)
{
    const bool missing = ctx->comm.rank == 0 && !file;
    return MNP_AGREE(ctx, missing ? MNP_FAIL(MNP_ERR_ARG, "mnp_array_print: file is NULL") : MNP_OK);
}

static mnp_status check_options(const mnp_print_options *options)
{
    if (options->precision < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_print: precision is %d, below 0", options->precision);
    if (options->edge_items < 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_print: edge_items is %d, below 1", options->edge_items);
    if (options->threshold < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_print: threshold is %lld, below 0", (long long)options->threshold);
    return MNP_OK;
}

mnp_status mnp_array_print(const mnp_array *array, const mnp_print_options *options, FILE *file)
{
    MNP_ENTER(array);
    const mnp_print_options chosen = options ? *options : MNP_PRINT_DEFAULTS;
    shown s;
    MNP_TRY(mnp__array_refuse_scalar("mnp_array_print", array));
    MNP_TRY(check_file(array->ctx, file));
    MNP_TRY(check_options(&chosen));
    const int64_t settings[] = {chosen.precision, chosen.edge_items, chosen.threshold};
    MNP_TRY(
        mnp__check_same(&array->ctx->comm, "mnp_array_print", mnp__hash(MNP__HASH_START, settings, sizeof settings)));
    MNP_TRY(gather(array, &chosen, &s));
    mnp_status st = array->ctx->comm.rank == 0 ? write_text(array, &chosen, &s, file) : MNP_OK;
    free(s.elements);
    return MNP_AGREE(array->ctx, st);
}
