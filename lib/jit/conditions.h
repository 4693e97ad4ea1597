/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions in a kernel's text: what the definitions of a kernel and the kind of its compiler leave out is not written
 * at all; see conditions.c.
 */
#ifndef MNP__JIT_CONDITIONS_H
#define MNP__JIT_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { MNP__MOST_NAMES = 64, MNP__MOST_CONDITIONS = 32 };

typedef struct mnp__known {
    const char *name;
    size_t length;
    long value;
} mnp__known;

/* An #if that is open. */
typedef struct mnp__condition {
    bool written; /* the compiler has its #if */
    bool taken;   /* a branch is known to be taken, so that those after it are not */
    bool out;     /* the present branch is left out */
} mnp__condition;

typedef struct mnp__conditions {
    mnp__known known[MNP__MOST_NAMES];
    int num_known;
    mnp__condition open[MNP__MOST_CONDITIONS];
    int depth;
    bool too_deep; /* there were more, and the text is not what it should be */
} mnp__conditions;

/*
 * Begin with the numbers that the lines "#define NAME NUMBER" of `defines` give, which must outlive the conditions, and
 * with MNP_CUDA.
 */
void mnp__conditions_begin(mnp__conditions *c, const char *defines, bool cuda);

/*
 * Take the next line of a text.  Returns whether it is to be written as it is; what takes its place is written here.
 */
bool mnp__conditions_line(mnp__conditions *c, const char *line, mnp__text *text);

#endif
