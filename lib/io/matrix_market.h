/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside Matrix Market files: numbers, the head, and lines of the body, all parsed from memory.
 *
 * A parser does not know which part of a file it has, and so no line's number in the file: what is wrong is described
 * in a mnp__mm_problem, with the line counted from where the parser began.  Not collective, all of it.
 */
#ifndef MNP__IO_MATRIX_MARKET_H
#define MNP__IO_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/matrix_market.h>

/* A line that is wrong, counted from 1, and a sentence about it without the file's name; line 0: nothing is wrong. */
typedef struct mnp__mm_problem {
    int64_t line;
    char text[256];
} mnp__mm_problem;

/* Numbers (mm_number.c): between `at` and `end`.  They give where the number ends, or NULL. */

enum { MNP__MM_LONGEST_NUMBER = 512 }; /* characters */

/* An integer with or without a sign; NULL also if it does not fit. */
const char *mnp__mm_scan_integer(const char *at, const char *end, int64_t *value_p);

/*
 * A decimal number, correctly rounded; exponents may be Fortran's.  Beyond float64 it is infinite.  No "nan", no "inf".
 */
const char *mnp__mm_scan_float(const char *at, const char *end, double *value_p);

/* The head: banner, comments, sizes (mm_parse.c). */

typedef struct mnp__mm_head {
    mnp_mm_info info;
    int64_t lines; /* how many there are up to the sizes, and */
    size_t length; /* characters */
} mnp__mm_head;

typedef enum mnp__mm_progress { MNP__MM_DONE, MNP__MM_NEEDS_MORE, MNP__MM_WRONG } mnp__mm_progress;

/*
 * Parse the head from the beginning of a file, of which `text` holds `length` characters, or all where `whole`.
 * NEEDS_MORE: the head does not end in them.
 */
mnp__mm_progress mnp__mm_parse_head(const char *text, size_t length, bool whole, mnp__mm_head *head,
                                    mnp__mm_problem *problem);

/* The body. */

/*
 * What has been parsed of a body.  Of a coordinate file: entries with those that the symmetry mirrors, by indices from
 * 0.  Of an array file values alone, as they stand there.
 */
typedef struct mnp__mm_body {
    const mnp_mm_info *info;
    mnp_dtype dtype; /* of values: float32, float64, complex64, complex128 */
    int64_t lines;   /* of text, parsed so far */
    int64_t read;    /* entries or values in them */
    int64_t count, capacity;
    int64_t *rows, *columns;
    void *values;
    mnp__mm_problem problem;
} mnp__mm_body;

/*
 * Parse whole lines; the last may lack its end.  MNP_ERR_FORMAT: body->problem has been set, nothing is recorded.
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__mm_parse_lines(mnp__mm_body *body, const char *text, size_t length);

/*
 * Put an entry, of the body's dtype, behind the others, and the one that the symmetry mirrors; there must be room for
 * both.
 */
void mnp__mm_append(mnp__mm_body *body, int64_t row, int64_t column, const void *value);

void mnp__mm_body_free(mnp__mm_body *body);

#endif
