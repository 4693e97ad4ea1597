/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON, read by descent: a value calls itself for the values that it holds.
 */
#include "report/json_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"

typedef struct reader {
    json_take *take;
    void *to;
    char *name, *text; /* room for any string of the text */
} reader;

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Read a string, from its quote on; NULL if it is none. */
static const char *read_string(const char *text, char *string)
{
    static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
    if (*text++ != '"')
        return NULL;
    for (; *text && *text != '"'; text++) {
        if (*text != '\\') {
            *string++ = *text;
            continue;
        }
        const char *letter = *++text ? strchr(letters, *text) : NULL;
        if (!*text || (*text == 'u' && strspn(text + 1, "0123456789abcdefABCDEF") < 4))
            return NULL;
        *string++ = *text == 'u' ? '?' : letter ? meant[letter - letters] : *text;
        text += *text == 'u' ? 4 : 0;
    }
    *string = '\0';
    return *text == '"' ? text + 1 : NULL;
}

static const char *read_value(const char *text, const reader *r, int depth);

/* Read what is between brackets, from the first on. */
static const char *read_members(const char *text, const reader *r, int depth)
{
    const char opens = *text++, closes = opens == '{' ? '}' : ']';
    text = skip_spaces(text);
    for (bool first = true; text && *text != closes; first = false) {
        if (!first && *text++ != ',')
            return NULL;
        *r->name = '\0';
        text = skip_spaces(text);
        if (opens == '{') {
            text = read_string(text, r->name);
            text = text ? skip_spaces(text) : NULL;
            if (!text || *text++ != ':')
                return NULL;
        }
        text = read_value(text, r, depth + 1);
        text = text ? skip_spaces(text) : NULL;
    }
    *r->name = '\0';
    return text && r->take(r->to, &(json_item){.kind = closes, .depth = depth, .name = ""}) ? text + 1 : NULL;
}

/* Read a value and give it away; returns what is behind it, or NULL. */
static const char *read_value(const char *text, const reader *r, int depth)
{
    json_item item = {.kind = '0', .depth = depth, .name = r->name};
    char *end;
    text = skip_spaces(text);
    if (*text == '{' || *text == '[') {
        item.kind = *text;
        return depth < JSON_MAX_DEPTH && r->take(r->to, &item) ? read_members(text, r, depth) : NULL;
    }
    if (*text == '"') {
        item.kind = '"';
        item.text = r->text;
        text = read_string(text, r->text);
        return text && r->take(r->to, &item) ? text : NULL;
    }
    item.number = strtod(text, &end);
    if (end == text || !isfinite(item.number)) {
        item.kind = 'a';
        end = (char *)(uintptr_t)text + strspn(text, "abcdefghijklmnopqrstuvwxyz");
    }
    return end > text && r->take(r->to, &item) ? end : NULL;
}

mnp_status json_read(const char *text, json_take *take, void *to)
{
    const size_t room = strlen(text) + 1;
    char *memory = calloc(2, room);
    if (!memory)
        return mnp_fail(MNP_ERR_MEMORY, "no memory for a text of %zu bytes", room);
    const reader r = {.take = take, .to = to, .name = memory, .text = memory + room};
    const char *end = read_value(text, &r, 0);
    const bool complete = end && !*skip_spaces(end);
    free(memory);
    return complete ? MNP_OK : mnp_fail(MNP_ERR_FORMAT, "it is not the JSON that was expected");
}
