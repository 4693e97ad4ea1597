/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing JSON: commas, indentation and quotes in the right places.  Every report of the command is written through
 * here, so that all are valid: a NaN is null, an infinity is the string "Infinity" or "-Infinity", and bytes that are
 * no UTF-8, as names of files may have, become the replacement character.
 *
 *     json_writer j = json_start(stdout);
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "matrix", name);
 *     json_row(&j, "shape", '[');
 *     json_integer(&j, NULL, rows);
 *     json_close(&j);
 *     json_close(&j);
 */
#ifndef APPS_REPORT_JSON_H
#define APPS_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_MAX_DEPTH = 8 };

typedef struct json_writer {
    FILE *out;
    int depth;
    struct {
        char bracket;     /* that closes it */
        bool in_row, any; /* on one line; something is in it */
    } level[JSON_MAX_DEPTH];
} json_writer;

json_writer json_start(FILE *out);

/*
 * Open an object, '{', or a list, '[', whose members follow one a line, or all in a row on one line; what is in a row
 * is itself in the row.  The name is NULL in lists and outermost, here and below.
 */
void json_open(json_writer *j, const char *name, char bracket);
void json_row(json_writer *j, const char *name, char bracket);

/* Close what was opened last; the line ends after the outermost one. */
void json_close(json_writer *j);

/* The shortest text that gives the same number, which is finite, when it is read. */
enum { NUMBER_TEXT = 32 };
const char *shortest_number(double value, char text[NUMBER_TEXT]);

void json_number(json_writer *j, const char *name, double value);
void json_measured(json_writer *j, const char *name, double value); /* to six digits */
void json_integer(json_writer *j, const char *name, int64_t value);
void json_natural(json_writer *j, const char *name, uint64_t value);
void json_bool(json_writer *j, const char *name, bool value);
void json_text(json_writer *j, const char *name, const char *text); /* NULL: null */
void json_null(json_writer *j, const char *name);

/* A value that is JSON already. */
void json_ready(json_writer *j, const char *name, const char *value);

/* A list of integers in a row. */
void json_integers(json_writer *j, const char *name, int count, const int64_t *values);

#endif
