/*
 * A string that grows.
 */
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
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
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void mnp__text_add_shape(mnp__text *text, int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++)
        mnp__text_add(text, "%s%" PRId64, d ? ", " : "(", shape[d]);
    mnp__text_add(text, ndim == 0 ? "()" : ndim == 1 ? ",)" : ")");
}

const char *mnp__text_string(const mnp__text *text)
{
    return text->data ? text->data : "";
}

mnp_status mnp__text_status(const mnp__text *text)
{
    if (text->failed)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for a text of more than %zu bytes", text->length);
    return MNP_OK;
}

void mnp__text_free(mnp__text *text)
{
    free(text->data);
    *text = MNP__TEXT_EMPTY;
}
