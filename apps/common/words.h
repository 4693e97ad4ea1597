/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library speaks to programmers: "mnp_conv_plan_new: fillvalue is 256".  A subcommand lists what such words are
 * called on the command line, and everything that it prints of the library goes through here: function names of C are
 * left out, rows are counted as the file counts them, and one thing is not several.
 */
#ifndef APPS_COMMON_WORDS_H
#define APPS_COMMON_WORDS_H

typedef struct words_row {
    const char *library, *command; /* "fillvalue" and "--fillvalue" */
} words_row;

/* Translate by that table from now on, which ends with {NULL, NULL} and stays where it is. */
void words_set(const words_row *table);

/* From now on rows are counted from 1, as Matrix Market files count them. */
void words_rows_from_one(void);

/*
 * The message of the last error in the words of the command line, or as it is with MANIPLE_LOG=debug; valid until the
 * next call.
 */
const char *words_message(void);

#endif
