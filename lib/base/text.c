/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing strings, and numbers in C's locale. */
#include <config.h> /* first: it makes strtod_l() known */

#include "base/text.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

static bool make_room(mnp__text *text, size_t more)
{
    size_t wanted = text->length + more + 1;
    if (text->failed)
        return false;
    if (wanted <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 128;
    while (capacity < wanted)
        capacity *= 2;
    const bool is_there = mnp__memory_check(capacity / 2, false) == MNP_OK; /* capacities double */
    char *data = !is_there ? NULL : realloc(text->borrows ? NULL : text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    if (text->borrows)
        memcpy(data, text->data, text->length);
    text->data = data;
    text->capacity = capacity;
    text->borrows = false;
    return true;
}

void mnp__text_add_bytes(mnp__text *text, const char *bytes, size_t length)
{
    if (!make_room(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void mnp__text_add(mnp__text *text, const char *format, ...)
{
    mnp__numbers numbers = {NULL, NULL};
    va_list arguments, again;
    if (mnp__numbers_begin(&numbers) != MNP_OK) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
    mnp__numbers_end(&numbers);
}

void mnp__text_add_shape(mnp__text *text, int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++)
        mnp__text_add(text, "%s%" PRId64, d ? ", " : "(", shape[d]);
    mnp__text_add(text, ndim == 0 ? "()" : ndim == 1 ? ",)" : ")");
}

const char *mnp__text_string(const mnp__text *text)
{
    return text->length > 0 ? text->data : "";
}

mnp_status mnp__text_status(const mnp__text *text)
{
    if (text->failed)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for a text of more than %zu bytes", text->length);
    return MNP_OK;
}

bool mnp__text_has_grown(const mnp__text *text)
{
    return text->failed || (text->data && !text->borrows);
}

void mnp__text_free(mnp__text *text)
{
    if (!text->borrows)
        free(text->data);
    *text = MNP__TEXT_EMPTY;
}

/* ---- numbers ---- */

/* C's locale.  The C library keeps it, so this allocates nothing and is cheap enough to repeat. */
static locale_t plain_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double mnp__parse_number(const char *text, char **end_p)
{
    locale_t plain = plain_locale();
    *end_p = (char *)text; /* if the text is not a number */
    if (plain == (locale_t)0)
        return 0;
    double value = strtod_l(text, end_p, plain);
    freelocale(plain);
    return value;
}

mnp_status mnp__numbers_begin(mnp__numbers *numbers)
{
    locale_t plain = plain_locale();
    if (plain == (locale_t)0)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for C's locale");
    *numbers = (mnp__numbers){.plain = plain, .before = uselocale(plain)};
    return MNP_OK;
}

void mnp__numbers_end(mnp__numbers *numbers)
{
    uselocale(numbers->before);
    freelocale(numbers->plain);
}

double mnp__numbers_double(const char *text)
{
    return strtod_l(text, NULL, uselocale((locale_t)0));
}

float mnp__numbers_float(const char *text)
{
    return strtof_l(text, NULL, uselocale((locale_t)0));
}
