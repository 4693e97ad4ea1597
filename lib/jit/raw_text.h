/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA text, read word by word: where the comment, the string, the word or the directive ends that begins here.
 */
#ifndef MANIPLE_LIB_JIT_RAW_TEXT_H
#define MANIPLE_LIB_JIT_RAW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A word, a string, or a single other character; size 0 at the end. */
typedef struct mnp__raw_token {
    const char *text;
    size_t size;
} mnp__raw_token;

bool mnp__raw_is(mnp__raw_token t, const char *word);
bool mnp__raw_begins(mnp__raw_token t, const char *prefix);

/* The end of the comment that begins here; NULL if none does. */
const char *mnp__raw_end_of_comment(const char *at);

/* The end of a directive, whose line continues after each backslash. */
const char *mnp__raw_end_of_directive(const char *at);

/*
 * The token that begins here, where no space and no comment does.  A word has letters, digits, quotes within a number,
 * and a raw string behind its R.
 */
mnp__raw_token mnp__raw_token_at(const char *at);

/* Reads one token after another, without the spaces, comments and directives between them. */
typedef struct mnp__raw_reader {
    const char *at;              /* behind the last token */
    mnp__raw_token before, last; /* the last two tokens */
} mnp__raw_reader;

mnp__raw_token mnp__raw_next(mnp__raw_reader *reader);

/* Whether a token is a name or a keyword. */
bool mnp__raw_is_name(mnp__raw_token t);

#endif
