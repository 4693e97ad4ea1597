/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading JSON that Maniple has written: a text becomes a sequence of items, which a function takes.
 */
#ifndef APPS_REPORT_JSON_READER_H
#define APPS_REPORT_JSON_READER_H

#include <stdbool.h>

#include <maniple.h>

typedef struct json_item {
    char kind;        /* { or [ that opens; } or ] that closes; " a string; 0 a number; a word: true, false or null */
    int depth;        /* of what it is in, 0 outermost */
    const char *name; /* of a member; "" of others */
    const char *text; /* of a string; characters that \u names are '?' */
    double number;
} json_item;

/* Take an item; what it points to is valid until then.  False: the text is not what was expected. */
typedef bool json_take(void *to, const json_item *item);

/* Read a text, which is one value.  MNP_ERR_FORMAT if it is none, or not taken; MNP_ERR_MEMORY.  Not collective. */
mnp_status json_read(const char *text, json_take *take, void *to);

#endif
