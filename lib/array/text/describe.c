/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an array is, for a person at a debugger: nothing is allocated, and no other rank is asked.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "array/array.h"
#include "layout/layout.h"

enum { ROOM = 1024 };

/* A text in a buffer that does not grow; what does not fit is left out. */
typedef struct words {
    char *text;
    size_t length;
} words;

static void add(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(w->text + w->length, ROOM - w->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        w->length = w->length + (size_t)length < ROOM ? w->length + (size_t)length : ROOM - 1;
}

static void add_numbers(words *w, int count, const int64_t *numbers)
{
    for (int i = 0; i < count; i++)
        add(w, "%s%lld", i > 0 ? ", " : "(", (long long)numbers[i]);
    add(w, count == 0 ? "()" : count == 1 ? ",)" : ")");
}

/* "layout of 8 ranks, dimension 0 in 4 parts, dimension 1 in 2 parts of blocks of 32" */
static void add_layout(words *w, const mnp_layout *layout)
{
    bool is_cut = false;
    add(w, "layout of %d rank%s, ", layout->nranks, layout->nranks == 1 ? "" : "s");
    for (int d = 0; d < layout->ndim; d++) {
        const int parts = mnp_layout_parts(layout, d);
        if (parts == 1)
            continue;
        add(w, "%sdimension %d in %d parts%s", is_cut ? ", " : "", d, parts, layout->reversed[d] ? " backwards" : "");
        if (layout->blocks[d] > 0)
            add(w, " of blocks of %lld", (long long)layout->blocks[d]);
        is_cut = true;
    }
    add(w, "%s", is_cut ? "" : "not cut");
}

static void add_block(words *w, const mnp_array *array)
{
    const int ndim = array->layout->ndim;
    add(w, "; rank %d has ", array->ctx->comm.rank);
    if (array->local_size == 0) {
        add(w, "no elements");
        return;
    }
    add(w, "%lld element%s, shape ", (long long)array->local_size, array->local_size == 1 ? "" : "s");
    add_numbers(w, ndim, array->local_shape);
    add(w, " from index ");
    add_numbers(w, ndim, array->local_lo);
    add(w, ", strides ");
    add_numbers(w, ndim, array->local_strides);
    add(w, ", at %p", array->data);
}

static void add_scalar(words *w, const mnp_array *array)
{
    double parts[2];
    bool truth;
    memcpy(parts, array->value, sizeof parts);
    memcpy(&truth, array->value, sizeof truth);
    if (array->weak == 'b')
        add(w, "the scalar %s", truth ? "True" : "False");
    else if (array->weak == 'i')
        add(w, "the scalar %lld", (long long)array->value[0]);
    else if (array->weak == 'f')
        add(w, "the scalar %.17g", parts[0]);
    else
        add(w, "the scalar %.17g%+.17gj", parts[0], parts[1]);
}

const char *mnp_array_describe(const mnp_array *array)
{
    static _Thread_local char text[ROOM];
    words w = {text, 0};
    text[0] = '\0';
    if (!array) {
        add(&w, "NULL, no array");
    } else if (!mnp__is_object(array, MNP__TAG_array)) {
        add(&w, "not an array: it was never set, or was freed");
    } else if (mnp__array_is_scalar(array)) {
        add_scalar(&w, array);
    } else {
        add(&w, "%s of shape ", mnp_dtype_name(array->dtype));
        add_numbers(&w, array->layout->ndim, array->layout->shape);
        add(&w, ", ");
        add_layout(&w, array->layout);
        add_block(&w, array);
        add(&w, "%s", array->read_only ? ", a broadcast view" : "");
        add(&w, "%s", array->buffer && array->buffer->home == MNP__BUFFER_WRAPPED ? ", in memory of the program" : "");
    }
    return text;
}
