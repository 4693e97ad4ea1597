/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers and operators in the text of an expression.
 */
#ifndef MNP__OPS_EXPRESSION_EXPR_NUMBER_H
#define MNP__OPS_EXPRESSION_EXPR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include <maniple/dtype.h>

#include "base/text.h"

/* An integer constant, which is exact, as in Python, within 127 bits. */
__extension__ typedef __int128 mnp__wide;

/* A number in the text: kind 'b' or 'i' (in `integer`), 'f' (in `real`), or 'c', imaginary (`real` times 1j). */
typedef struct mnp__number {
    char kind;
    mnp__wide integer;
    double real;
} mnp__number;

/* A part of the text. */
typedef struct mnp__word {
    const char *start;
    size_t length;
} mnp__word;

typedef enum mnp__operator {
    MNP__OP_NONE, /* a function's call */
    MNP__OP_ADD,
    MNP__OP_SUBTRACT,
    MNP__OP_MULTIPLY,
    MNP__OP_DIVIDE,
    MNP__OP_FLOOR_DIVIDE,
    MNP__OP_REMAINDER,
    MNP__OP_POWER,
    MNP__OP_LEFT_SHIFT,
    MNP__OP_RIGHT_SHIFT,
    MNP__OP_AND,
    MNP__OP_XOR,
    MNP__OP_OR,
    MNP__OP_LESS,
    MNP__OP_LESS_EQUAL,
    MNP__OP_GREATER,
    MNP__OP_GREATER_EQUAL,
    MNP__OP_EQUAL,
    MNP__OP_NOT_EQUAL,
    MNP__OP_LOGICAL_AND,
    MNP__OP_LOGICAL_OR,
    MNP__OP_NEGATIVE,
    MNP__OP_POSITIVE,
    MNP__OP_INVERT,
    MNP__OP_NOT,
    MNP__NUM_OPERATORS
} mnp__operator;

/*
 * Compute `op` on constants as Python does.  Returns false if it was not done: complex numbers and results that are not
 * real are left to run time.  *problem_p is NULL or says what is wrong.
 */
bool mnp__number_fold(mnp__operator op, const mnp__number *a, const mnp__number *b, mnp__number *result,
                      const char **problem_p);

/* Whether an integer type (bool: 0 and 1) can hold an integer; and the integer's decimal digits. */
bool mnp__wide_fits(mnp__wide value, mnp_dtype dtype);
enum { MNP__WIDE_TEXT = 48 };
const char *mnp__wide_text(mnp__wide value, char text[MNP__WIDE_TEXT]);

/* Append a constant of that type in C++; an integer must fit it. */
void mnp__number_emit(const mnp__number *number, mnp_dtype dtype, mnp__text *text);

#endif
