/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernels of a CUDA source do with the places of their threads: threadIdx, blockIdx, blockDim and gridDim.
 */
#ifndef MANIPLE_LIB_JIT_RAW_PLACES_H
#define MANIPLE_LIB_JIT_RAW_PLACES_H

#include <stdbool.h>

#include "base/text.h"
#include "jit/raw_text.h"

/* Keep a word of a source for the questions below; casts between numbers are left out. */
void mnp__raw_keep_word(mnp__text *words, mnp__raw_token t);

/* Whether threads use their place along x only as their number in the row of all blocks. */
bool mnp__raw_has_only_numbers(const char *words);

/* Whether a text names places. */
bool mnp__raw_names_places(const char *text);

/* What replaces a part of the source, within a line; an empty one is in front of a name. */
typedef struct mnp__raw_edit {
    const char *begin, *end, *text;
} mnp__raw_edit;

enum { MNP__RAW_MOST_EDITS = 64 };
typedef struct mnp__raw_edits {
    int count;
    mnp__raw_edit edit[MNP__RAW_MOST_EDITS]; /* in the order of the source */
} mnp__raw_edits;

/* Append an edit; false if there is no room for it. */
bool mnp__raw_add_edit(mnp__raw_edits *edits, const char *begin, const char *end, const char *text);

/*
 * Whether words as those that are kept are the number of a thread in the row of all blocks, or the number of threads.
 */
bool mnp__raw_is_number(const char *words);
bool mnp__raw_is_number_of_threads(const char *words);

/*
 * Append edits for the variables of type int in a kernel that are computed from the place of its thread by +, - and *
 * alone, or from other such variables: they become mnp_index (kernels/custom/raw_index.h).
 *
 *   body     what is searched, behind its first brace
 *   known    a variable that is computed so, or a token of size 0
 *
 * False if variables have to be int; nothing is then appended.
 */
bool mnp__raw_find_indices(const char *body, mnp__raw_token known, mnp__raw_edits *edits);

#endif
