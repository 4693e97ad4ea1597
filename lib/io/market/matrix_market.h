/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of Matrix Market files: numbers, the head, and lines of the body, all from memory.
 *
 * Every rank parses a part of the file without knowing which part it is.  So an error is described by a
 * mnp__mm_problem, whose line is counted from where the parser began; the reader adds the lines of the parts before.
 * Nothing here is collective.
 */
#ifndef MNP__IO_MATRIX_MARKET_H
#define MNP__IO_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/matrix_market.h>

/* The number of a bad line, from 1, and a message about it without the file's name; line 0: there is no error. */
typedef struct mnp__mm_problem {
    int64_t line;
    char text[256];
} mnp__mm_problem;

/* Numbers (mm_number.c), read from the text between `at` and `end`.  They return where the number ends, or NULL. */

enum { MNP__MM_LONGEST_NUMBER = 512 }; /* characters */

/* An integer with or without a sign; NULL also if it does not fit 64 bits. */
const char *mnp__mm_scan_integer(const char *at, const char *end, int64_t *value_p);

/*
 * A decimal number, correctly rounded; its exponent may be written as in Fortran, 1.5D+02.  A number too large for
 * float64 becomes infinite.  "nan" and "inf" are not accepted.
 */
const char *mnp__mm_scan_float(const char *at, const char *end, double *value_p);

/* The head: banner, comments, sizes (mm_parse.c). */

typedef struct mnp__mm_head {
    mnp_mm_info info;
    int64_t lines; /* number of lines, the line with the sizes included */
    size_t length; /* number of characters of these lines */
} mnp__mm_head;

typedef enum mnp__mm_progress { MNP__MM_DONE, MNP__MM_NEEDS_MORE, MNP__MM_WRONG } mnp__mm_progress;

/*
 * Parse the head from the first `length` characters of a file, which are all of it if `whole`.  MNP__MM_NEEDS_MORE: the
 * head does not end within them.
 */
mnp__mm_progress mnp__mm_parse_head(const char *text, size_t length, bool whole, mnp__mm_head *head,
                                    mnp__mm_problem *problem);

/* The body. */

/*
 * What has been parsed of a body.  A coordinate file gives entries with indices from 0, including those that the
 * symmetry mirrors; an array file gives values alone, in the order of the file.
 */
typedef struct mnp__mm_body {
    const mnp_mm_info *info;
    mnp_dtype dtype; /* of values: float32, float64, complex64, complex128 */
    int64_t lines;   /* lines of text parsed so far */
    int64_t read;    /* entries or values in these lines, before mirroring */
    int64_t count, capacity;
    int64_t *rows, *columns;
    void *values;
    mnp__mm_problem problem;
} mnp__mm_body;

/*
 * Parse whole lines; the last one may lack its newline.  MNP_ERR_FORMAT: body->problem describes the error, and no
 * message is recorded.  MNP_ERR_MEMORY.
 */
mnp_status mnp__mm_parse_lines(mnp__mm_body *body, const char *text, size_t length);

/*
 * Append an entry of the body's dtype, and its mirror image if the symmetry has one; there must be room for both.
 */
void mnp__mm_append(mnp__mm_body *body, int64_t row, int64_t column, const void *value);

void mnp__mm_body_free(mnp__mm_body *body);

#endif
