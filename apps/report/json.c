/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing JSON.
 */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

json_writer json_start(FILE *out)
{
    return (json_writer){.out = out};
}

/* ---- text ---- */

/* The length of the UTF-8 character that a text begins with; 0 if it begins with none.  (RFC 3629, section 4.) */
static int length_of_character(const unsigned char *text)
{
    const int length = *text < 0x80                    ? 1
                       : *text >= 0xc2 && *text < 0xe0 ? 2
                       : *text >= 0xe0 && *text < 0xf0 ? 3
                       : *text >= 0xf0 && *text < 0xf5 ? 4
                                                       : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
    const bool surrogate = *text == 0xed && text[1] >= 0xa0, beyond = *text == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const int length = length_of_character((const unsigned char *)text);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
    fputc('"', out);
}

/* ---- places ---- */

static void begin_line(json_writer *j)
{
    fputc('\n', j->out);
    for (int i = 0; i < j->depth; i++)
        fputs("  ", j->out);
}

/* What stands before a value: a comma, the line's beginning, and the value's name. */
static void begin_value(json_writer *j, const char *name)
{
    if (j->depth > 0) {
        const bool in_row = j->level[j->depth - 1].in_row, any = j->level[j->depth - 1].any;
        fputs(!any ? "" : in_row ? ", " : ",", j->out);
        if (!in_row)
            begin_line(j);
        j->level[j->depth - 1].any = true;
    }
    if (name) {
        put_text(j->out, name);
        fputs(": ", j->out);
    }
}

static void open_level(json_writer *j, const char *name, char bracket, bool in_row)
{
    begin_value(j, name);
    fputc(bracket, j->out);
    in_row = in_row || (j->depth > 0 && j->level[j->depth - 1].in_row);
    j->level[j->depth].bracket = bracket == '{' ? '}' : ']';
    j->level[j->depth].in_row = in_row;
    j->level[j->depth++].any = false;
}

void json_open(json_writer *j, const char *name, char bracket)
{
    open_level(j, name, bracket, false);
}

void json_row(json_writer *j, const char *name, char bracket)
{
    open_level(j, name, bracket, true);
}

void json_close(json_writer *j)
{
    j->depth--;
    if (j->level[j->depth].any && !j->level[j->depth].in_row)
        begin_line(j);
    fputc(j->level[j->depth].bracket, j->out);
    if (j->depth == 0)
        fputc('\n', j->out);
}

/* ---- values ---- */

const char *shortest_number(double value, char text[NUMBER_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void json_number(json_writer *j, const char *name, double value)
{
    char text[NUMBER_TEXT];
    if (isnan(value))
        return json_null(j, name);
    if (isinf(value))
        return json_text(j, name, value > 0 ? "Infinity" : "-Infinity");
    json_ready(j, name, shortest_number(value, text));
}

void json_measured(json_writer *j, const char *name, double value)
{
    char text[NUMBER_TEXT];
    snprintf(text, sizeof text, "%.6g", value);
    json_number(j, name, strtod(text, NULL));
}

void json_integer(json_writer *j, const char *name, int64_t value)
{
    begin_value(j, name);
    fprintf(j->out, "%" PRId64, value);
}

void json_natural(json_writer *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    fprintf(j->out, "%" PRIu64, value);
}

void json_bool(json_writer *j, const char *name, bool value)
{
    json_ready(j, name, value ? "true" : "false");
}

void json_text(json_writer *j, const char *name, const char *text)
{
    if (!text)
        return json_null(j, name);
    begin_value(j, name);
    put_text(j->out, text);
}

void json_null(json_writer *j, const char *name)
{
    json_ready(j, name, "null");
}

void json_ready(json_writer *j, const char *name, const char *value)
{
    begin_value(j, name);
    fputs(value, j->out);
}

void json_integers(json_writer *j, const char *name, int count, const int64_t *values)
{
    json_row(j, name, '[');
    for (int i = 0; i < count; i++)
        json_integer(j, NULL, values[i]);
    json_close(j);
}
