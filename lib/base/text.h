/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text: growing strings, kinds of characters, and numbers with a decimal point in every locale that the program may
 * set.
 *
 * If memory runs out, this is remembered, and mnp__text_status() reports it once at the end.  A text that starts in a
 * buffer of the caller's allocates only when it outgrows the buffer.  So a short text cannot fail, which matters where
 * a failure on one rank alone would leave the others waiting.
 */
#ifndef MNP__BASE_TEXT_H
#define MNP__BASE_TEXT_H

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <maniple/base.h>

typedef struct mnp__text {
    char *data; /* NUL-terminated, except if empty: use mnp__text_string() */
    size_t length, capacity;
    bool failed;
    bool borrows; /* data is the caller's buffer */
} mnp__text;

#define MNP__TEXT_EMPTY ((mnp__text){.data = NULL})

/* A text that starts in `room`, an array of char that must live as long as the text. */
#define MNP__TEXT_IN(room) ((mnp__text){.data = (room), .capacity = sizeof(room), .borrows = true})

void mnp__text_add(mnp__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mnp__text_add_bytes(mnp__text *text, const char *bytes, size_t length);
void mnp__text_add_shape(mnp__text *text, int ndim, const int64_t *shape); /* as NumPy prints it: (872, 1000) */
const char *mnp__text_string(const mnp__text *text);                       /* never NULL */
mnp_status mnp__text_status(const mnp__text *text);
bool mnp__text_has_grown(const mnp__text *text); /* it has outgrown its buffer, even if the allocation failed */
void mnp__text_free(mnp__text *text);

static inline bool mnp__is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a character can be part of a name: a letter, a digit or _. */
static inline bool mnp__is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static inline bool mnp__text_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* strtod() in C's locale. */
double mnp__parse_number(const char *text, char **end_p);

/*
 * Between mnp__numbers_begin() and mnp__numbers_end(), printf() and similar functions write numbers with a decimal
 * point on this thread. mnp__text_add() always does; this is for many numbers that are written by other means.
 * MNP_ERR_MEMORY.
 */
typedef struct mnp__numbers {
    void *plain, *before; /* locales */
} mnp__numbers;

mnp_status mnp__numbers_begin(mnp__numbers *numbers);
void mnp__numbers_end(mnp__numbers *numbers);

/* strtod() and strtof() of a text that is a number, between these two. */
double mnp__numbers_double(const char *text);
float mnp__numbers_float(const char *text);

#endif
