/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a subcommand, as one table that is both parsed and printed; and suggestions for misspelt words.
 */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

#include <stdint.h>

#include <maniple.h>

enum { OPTION_REPEATS = 1 << 16 }; /* in the key of an option that may be given several times; others may not */

/* A table of options ends with a row whose name is NULL. */
typedef struct option_row {
    int key;              /* the letter of the short option, or a number above UCHAR_MAX if there is none */
    const char *name;     /* the long option, without dashes */
    const char *argument; /* the name of its argument, or NULL if it takes none */
    const char *help;     /* lines are separated by \n; NULL: a former name, which is not shown */
} option_row;

enum { OPTIONS_END = -1, OPTIONS_BAD = -2 };

/*
 * Return the key of the next option, without OPTION_REPEATS, whose argument is in getopt's `optarg`; OPTIONS_END if
 * only operands are left, from `optind` on; OPTIONS_BAD for a mistake, which has been recorded with mnp_fail().  There
 * is one command line in a program: what has been given is remembered.
 */
int options_next(int argc, char **argv, const option_row *table);

void options_print(const option_row *table);

/* The word in a NULL-terminated list that `word` is probably a misspelling of, or NULL. */
const char *nearest_word(const char *word, const char *const *words);

/* Find the number of the option's argument in a NULL-terminated list of what it can be.  MNP_ERR_ARG. */
mnp_status options_choose(const char *option, const char *word, const char *const *names, int *index_p);

/* The same, for the word itself, as it is in the list. */
mnp_status options_word(const char *option, const char *word, const char *const *names, const char **name_p);

/* The same for the name of a dtype. */
mnp_status options_dtype(const char *option, const char *word, mnp_dtype *dtype_p);

/*
 * Read numbers of dimensions, such as 0,-1, of an array with at most that many, none of them twice; `axes` has room for
 * as many.  MNP_ERR_ARG.
 */
mnp_status options_axes(const char *option, const char *list, int most, int *axes, int *count_p);

/* Read the number of one dimension, which may count from the last one, as -1.  MNP_ERR_ARG. */
mnp_status options_axis(const char *option, const char *word, int *axis_p);

/*
 * Read a whole number from `least` to `most`; OPTIONS_ANY_COUNT: to as many elements as an array may have.
 * MNP_ERR_ARG.
 */
#define OPTIONS_ANY_COUNT INT64_MAX
mnp_status options_count(const char *option, const char *word, int64_t least, int64_t most, int64_t *count_p);

/* The same for an int. */
mnp_status options_int(const char *option, const char *word, int least, int most, int *count_p);

/* Read a number from `least` to `most`, which may be INFINITY: a finite number.  MNP_ERR_ARG. */
mnp_status options_number(const char *option, const char *word, double least, double most, double *number_p);

#endif
