/* SPDX-License-Identifier: BSD-3-Clause */
#include "jit/raw_text.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

bool mnp__raw_is(mnp__raw_token t, const char *word)
{
    return t.size == strlen(word) && memcmp(t.text, word, t.size) == 0;
}

bool mnp__raw_begins(mnp__raw_token t, const char *prefix)
{
    return t.size >= strlen(prefix) && memcmp(t.text, prefix, strlen(prefix)) == 0;
}

const char *mnp__raw_end_of_comment(const char *at)
{
    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) != 0)
        return NULL;
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

/* The end of the string or character in quotes that begins here. */
static const char *end_of_string(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* The end of a raw string, R"-( ... )-", given its first quote. */
static const char *end_of_raw_string(const char *at)
{
    size_t length = strcspn(at + 1, "(");
    for (const char *end = at + 1 + length; (end = strchr(end, ')')) != NULL; end++) {
        if (strncmp(end + 1, at + 1, length) == 0 && end[1 + length] == '"')
            return end + length + 2;
    }
    return at + strlen(at);
}

const char *mnp__raw_end_of_directive(const char *at)
{
    const char *end = at + strcspn(at, "\n");
    while (*end && (end[-1] == '\\' || (end[-1] == '\r' && end[-2] == '\\')))
        end += 1 + strcspn(end + 1, "\n");
    return end;
}

/* The end of the word that begins here: letters, digits, quotes within a number, and a raw string behind its R. */
static const char *end_of_word(const char *at)
{
    const char *end = at;
    while (mnp__is_in_name(*end) || (*end == '\'' && isdigit((unsigned char)*at) && isalnum((unsigned char)end[1])))
        end++;
    mnp__raw_token prefix = {at, (size_t)(end - at)};
    bool is_raw = mnp__raw_is(prefix, "R") || mnp__raw_is(prefix, "u8R") || mnp__raw_is(prefix, "uR") ||
                  mnp__raw_is(prefix, "UR") || mnp__raw_is(prefix, "LR");
    return is_raw && *end == '"' ? end_of_raw_string(end) : end;
}

mnp__raw_token mnp__raw_token_at(const char *at)
{
    mnp__raw_token t = {at, 0};
    t.size = (size_t)((*at == '"' || *at == '\'' ? end_of_string(at) : end_of_word(at)) - at);
    if (t.size == 0 && *at)
        t.size = 1;
    return t;
}

mnp__raw_token mnp__raw_next(mnp__raw_reader *r)
{
    for (const char *end;;) {
        if (isspace((unsigned char)*r->at))
            r->at++;
        else if (*r->at == '#') /* it begins a line, as texts for the host have no other use for it */
            r->at = mnp__raw_end_of_directive(r->at);
        else if ((end = mnp__raw_end_of_comment(r->at)) != NULL)
            r->at = end;
        else
            break;
    }
    r->before = r->last;
    r->last = mnp__raw_token_at(r->at);
    r->at += r->last.size;
    return r->last;
}

bool mnp__raw_is_name(mnp__raw_token t)
{
    return t.size > 0 && mnp__is_in_name(*t.text) && !isdigit((unsigned char)*t.text);
}
