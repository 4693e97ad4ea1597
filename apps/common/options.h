/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a subcommand, as one table that is both parsed and printed; and the choice of the word that was meant.
 */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

#include <maniple.h>

/* A table of options ends with a row whose name is NULL. */
typedef struct option_row {
    int key;              /* the letter of the short option, or past UCHAR_MAX where there is none */
    const char *name;     /* of the long option, without dashes */
    const char *argument; /* what its argument is called, or NULL if it takes none */
    const char *help;     /* lines end with \n, but the last */
} option_row;

enum { OPTIONS_END = -1, OPTIONS_BAD = -2 };

/*
 * The next option's key, its argument being in getopt's `optarg`; OPTIONS_END when operands alone are left, which begin
 * at `optind`; OPTIONS_BAD when it was not understood, which is recorded with mnp_fail().
 */
int options_next(int argc, char **argv, const option_row *table);

void options_print(const option_row *table);

/* The word of the NULL-terminated list that `word` is a misspelling of, or NULL. */
const char *nearest_word(const char *word, const char *const *words);

#endif
