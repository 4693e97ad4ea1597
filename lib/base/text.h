/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text: a string that grows, and numbers, which have points here in every locale that the program may set.
 *
 * Running out of memory is remembered and reported once, by mnp__text_status().  A text that begins in memory of the
 * caller's cannot run out as long as it stays there: so a short one never fails on one rank alone.
 */
#ifndef MNP__BASE_TEXT_H
#define MNP__BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/base.h>

typedef struct mnp__text {
    char *data; /* NUL-terminated, but not while empty: use mnp__text_string() */
    size_t length, capacity;
    bool failed;
    bool borrows; /* data is the caller's */
} mnp__text;

#define MNP__TEXT_EMPTY ((mnp__text){.data = NULL})

/* A text that begins in `room`, an array of char that must live as long. */
#define MNP__TEXT_IN(room) ((mnp__text){.data = (room), .capacity = sizeof(room), .borrows = true})

void mnp__text_add(mnp__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mnp__text_add_bytes(mnp__text *text, const char *bytes, size_t length);
void mnp__text_add_shape(mnp__text *text, int ndim, const int64_t *shape); /* as NumPy prints it: (872, 1000) */
const char *mnp__text_string(const mnp__text *text);                       /* never NULL */
mnp_status mnp__text_status(const mnp__text *text);
bool mnp__text_has_grown(const mnp__text *text); /* has asked for memory of its own, even if there was none */
void mnp__text_free(mnp__text *text);

/* strtod(), but for the locale. */
double mnp__parse_number(const char *text, char **end_p);

/*
 * From here to mnp__numbers_end() printf() and what is like it write numbers with points, on this thread.
 * mnp__text_add() always does: this is for many numbers that are written otherwise.  MNP_ERR_MEMORY.
 */
typedef struct mnp__numbers {
    void *plain, *before; /* locales */
} mnp__numbers;

mnp_status mnp__numbers_begin(mnp__numbers *numbers);
void mnp__numbers_end(mnp__numbers *numbers);

#endif
