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

/* What replaces a part of the source, within a line. */
typedef struct mnp__raw_edit {
    const char *begin, *end, *text;
} mnp__raw_edit;

enum { MNP__RAW_MOST_EDITS = 64 };
typedef struct mnp__raw_edits {
    int count;
    mnp__raw_edit edit[MNP__RAW_MOST_EDITS]; /* in the order of the source */
} mnp__raw_edits;

/*
 * The variables of type int in a kernel that are computed from the place of its thread by +, - and * alone, or from
 * other such variables: they become mnp_index (kernels/custom/raw_index.h).  `body` is behind the kernel's first brace.
 */
void mnp__raw_find_indices(const char *body, mnp__raw_edits *edits);

#endif
