/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constants of expressions: arithmetic with Python's rules, and how constants are written in C++.
 *
 * Python's integers have any size; these have 127 bits, and a larger one is an error, never a wrong value.
 */
#include "ops/expression/expression.h"

#include <math.h>
#include <stdlib.h>

/* The result of an operator on integers.  Functions return false if there is a `problem`, or the result is real. */
typedef struct folding {
    mnp__number *result;
    const char *problem;
} folding;

static bool give_integer(folding *f, bool overflow, mnp__wide value)
{
    *f->result = (mnp__number){.kind = 'i', .integer = value};
    f->problem = overflow ? "the result is larger than 2**127" : f->problem;
    return !overflow;
}

static bool give_bool(folding *f, bool value)
{
    *f->result = (mnp__number){.kind = 'b', .integer = value};
    return true;
}

static bool give_real(folding *f, double value)
{
    *f->result = (mnp__number){.kind = 'f', .real = value};
    return true;
}

static bool refuse(folding *f, const char *problem)
{
    f->problem = problem;
    return false;
}

static double real_of(const mnp__number *number)
{
    return number->kind == 'f' ? number->real : (double)number->integer;
}

/* Python's // and %: the quotient is rounded down, and the remainder has the divisor's sign. */
static mnp__wide floor_quotient(mnp__wide a, mnp__wide b)
{
    mnp__wide quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static double floor_remainder(double a, double b)
{
    double remainder = fmod(a, b);
    if (remainder == 0)
        return copysign(0, b);
    return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

static double real_floor_quotient(double a, double b)
{
    double quotient = (a - floor_remainder(a, b)) / b, whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

static bool power_of_integers(folding *f, mnp__wide base, mnp__wide exponent)
{
    mnp__wide value = 1;
    bool overflow = false;
    if (exponent < 0)
        return base == 0 ? refuse(f, "division by zero") : give_real(f, pow((double)base, (double)exponent));
    if (base == 0 || base == 1 || base == -1)
        return give_integer(f, false, exponent == 0 ? 1 : base < 0 && exponent % 2 == 0 ? 1 : base);
    for (; exponent > 0 && !overflow; exponent--)
        overflow = __builtin_mul_overflow(value, base, &value);
    return give_integer(f, overflow, value);
}

static bool shift_of_integers(folding *f, mnp__wide value, mnp__wide count, bool left)
{
    if (count < 0)
        return refuse(f, "negative shift count");
    if (!left)
        return give_integer(f, false, count > 126 ? (value < 0 ? -1 : 0) : value >> count);
    bool overflow = value != 0 && count > 126;
    for (; count > 0 && value != 0 && !overflow; count--)
        overflow = __builtin_mul_overflow(value, 2, &value);
    return give_integer(f, overflow, value);
}

static bool arithmetic_of_integers(folding *f, mnp__operator op, mnp__wide a, mnp__wide b)
{
    mnp__wide value = 0;
    bool overflow = op == MNP__OP_ADD        ? __builtin_add_overflow(a, b, &value)
                    : op == MNP__OP_SUBTRACT ? __builtin_sub_overflow(a, b, &value)
                                             : __builtin_mul_overflow(a, b, &value);
    return give_integer(f, overflow, value);
}

static bool divide_integers(folding *f, bool remainder, mnp__wide a, mnp__wide b)
{
    if (b == 0)
        return refuse(f, "division by zero");
    if (b == -1) /* the least integer has no negative */
        return remainder ? give_integer(f, false, 0) : arithmetic_of_integers(f, MNP__OP_SUBTRACT, 0, a);
    mnp__wide quotient = floor_quotient(a, b);
    return give_integer(f, false, remainder ? a - b * quotient : quotient);
}

/* Fold an operator on bools or integers.  Bitwise operators on two bools give a bool. */
static bool fold_integers(folding *f, mnp__operator op, mnp__wide a, mnp__wide b, bool bools)
{
    switch (op) {
    case MNP__OP_ADD:
    case MNP__OP_SUBTRACT:
    case MNP__OP_MULTIPLY:
        return arithmetic_of_integers(f, op, a, b);
    case MNP__OP_DIVIDE:
        return b == 0 ? refuse(f, "division by zero") : give_real(f, (double)a / (double)b);
    case MNP__OP_FLOOR_DIVIDE:
    case MNP__OP_REMAINDER:
        return divide_integers(f, op == MNP__OP_REMAINDER, a, b);
    case MNP__OP_POWER:
        return power_of_integers(f, a, b);
    case MNP__OP_LEFT_SHIFT:
        return shift_of_integers(f, a, b, true);
    case MNP__OP_RIGHT_SHIFT:
        return shift_of_integers(f, a, b, false);
    case MNP__OP_AND:
        return bools ? give_bool(f, a & b) : give_integer(f, false, a & b);
    case MNP__OP_XOR:
        return bools ? give_bool(f, a ^ b) : give_integer(f, false, a ^ b);
    case MNP__OP_OR:
        return bools ? give_bool(f, a | b) : give_integer(f, false, a | b);
    case MNP__OP_LESS:
        return give_bool(f, a < b);
    case MNP__OP_LESS_EQUAL:
        return give_bool(f, a <= b);
    case MNP__OP_GREATER:
        return give_bool(f, a > b);
    case MNP__OP_GREATER_EQUAL:
        return give_bool(f, a >= b);
    case MNP__OP_EQUAL:
        return give_bool(f, a == b);
    case MNP__OP_NOT_EQUAL:
        return give_bool(f, a != b);
    case MNP__OP_LOGICAL_AND:
        return give_bool(f, a && b);
    case MNP__OP_LOGICAL_OR:
        return give_bool(f, a || b);
    case MNP__OP_NEGATIVE:
        return arithmetic_of_integers(f, MNP__OP_SUBTRACT, 0, a);
    case MNP__OP_POSITIVE:
        return give_integer(f, false, a);
    case MNP__OP_INVERT:
        return give_integer(f, false, ~a);
    case MNP__OP_NOT:
        return give_bool(f, !a);
    default:
        return false;
    }
}

static bool fold_reals(folding *f, mnp__operator op, double a, double b)
{
    switch (op) {
    case MNP__OP_ADD:
        return give_real(f, a + b);
    case MNP__OP_SUBTRACT:
        return give_real(f, a - b);
    case MNP__OP_MULTIPLY:
        return give_real(f, a * b);
    case MNP__OP_DIVIDE:
        return b == 0 ? refuse(f, "division by zero") : give_real(f, a / b);
    case MNP__OP_FLOOR_DIVIDE:
        return b == 0 ? refuse(f, "division by zero") : give_real(f, real_floor_quotient(a, b));
    case MNP__OP_REMAINDER:
        return b == 0 ? refuse(f, "division by zero") : give_real(f, floor_remainder(a, b));
    case MNP__OP_POWER:
        if (a == 0 && b < 0)
            return refuse(f, "division by zero");
        return (a >= 0 || b == floor(b)) && give_real(f, pow(a, b));
    case MNP__OP_LESS:
        return give_bool(f, a < b);
    case MNP__OP_LESS_EQUAL:
        return give_bool(f, a <= b);
    case MNP__OP_GREATER:
        return give_bool(f, a > b);
    case MNP__OP_GREATER_EQUAL:
        return give_bool(f, a >= b);
    case MNP__OP_EQUAL:
        return give_bool(f, a == b);
    case MNP__OP_NOT_EQUAL:
        return give_bool(f, a != b);
    case MNP__OP_LOGICAL_AND:
        return give_bool(f, a != 0 && b != 0);
    case MNP__OP_LOGICAL_OR:
        return give_bool(f, a != 0 || b != 0);
    case MNP__OP_NEGATIVE:
        return give_real(f, -a);
    case MNP__OP_POSITIVE:
        return give_real(f, a);
    case MNP__OP_NOT:
        return give_bool(f, a == 0);
    default:
        return false;
    }
}

bool mnp__number_fold(mnp__operator op, const mnp__number *a, const mnp__number *b, mnp__number *result,
                      const char **problem_p)
{
    folding f = {.result = result};
    bool folded = false;
    if (a->kind == 'c' || (b && b->kind == 'c'))
        folded = false;
    else if (a->kind == 'f' || (b && b->kind == 'f'))
        folded = fold_reals(&f, op, real_of(a), b ? real_of(b) : 0);
    else
        folded = fold_integers(&f, op, a->integer, b ? b->integer : 0, a->kind == 'b' && b && b->kind == 'b');
    *problem_p = f.problem;
    return folded;
}

/* ---- ranges and texts ---- */

bool mnp__wide_fits(mnp__wide value, mnp_dtype dtype)
{
    int bits = 8 * (int)mnp_dtype_size(dtype);
    mnp__wide one = 1;
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        return value == 0 || value == 1;
    case 'i':
        return value >= -(one << (bits - 1)) && value < one << (bits - 1);
    case 'u':
        return value >= 0 && value < one << bits;
    default:
        return true;
    }
}

const char *mnp__wide_text(mnp__wide value, char text[MNP__WIDE_TEXT])
{
    char *c = text + MNP__WIDE_TEXT - 1;
    bool negative = value < 0;
    *c = '\0';
    do {
        int digit = (int)(value % 10);
        *--c = (char)('0' + abs(digit));
        value /= 10;
    } while (value != 0);
    if (negative)
        *--c = '-';
    return c;
}

/* Write a double as a C++ constant; 17 digits give back the same value. */
static void emit_real(double value, mnp__text *text)
{
    if (isnan(value))
        mnp__text_add(text, "mnp_nan<double>()");
    else if (isinf(value))
        mnp__text_add(text, value < 0 ? "-mnp_infinity<double>()" : "mnp_infinity<double>()");
    else if (value == floor(value) && fabs(value) < 1e17) /* of which %.17g would make an integer */
        mnp__text_add(text, "%.1f", value);
    else
        mnp__text_add(text, "%.17g", value);
}

void mnp__number_emit(const mnp__number *number, mnp_dtype dtype, mnp__text *text)
{
    char digits[MNP__WIDE_TEXT];
    const char *type = mnp__jit_type(dtype);
    char kind = mnp_dtype_kind(dtype);
    if (kind == 'b') {
        bool value = number->kind == 'f' || number->kind == 'c' ? number->real != 0 : number->integer != 0;
        mnp__text_add(text, "mnp_bool{%d}", value);
    } else if (number->kind == 'c') {
        mnp__text_add(text, "mnp_to<%s>::from(mnp_complex128{0.0, ", type);
        emit_real(number->real, text);
        mnp__text_add(text, "})");
    } else if ((kind == 'i' || kind == 'u') && number->kind != 'f') {
        mnp__wide value = number->integer;
        if (value == INT64_MIN) /* C++ has no negative literals */
            mnp__text_add(text, "((%s)-9223372036854775807LL - 1)", type);
        else
            mnp__text_add(text, "(%s)%s%s", type, mnp__wide_text(value, digits), kind == 'u' ? "ULL" : "LL");
    } else if (dtype == MNP_FLOAT64) {
        emit_real(real_of(number), text);
    } else {
        mnp__text_add(text, "mnp_to<%s>::from(", type);
        emit_real(real_of(number), text);
        mnp__text_add(text, ")");
    }
}
