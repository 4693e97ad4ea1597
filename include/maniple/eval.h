/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions: several statements of NumPy's language, computed element by element in one kernel, or reduced.
 *
 *   mnp_eval(ctx, "z = 3*sin(-x)*y", MNP_IN("x", x, "y", y), MNP_OUT("z", &z));
 *   mnp_eval(ctx, "r = hypot(x, y); inside = r < 1; x /= r", MNP_IN("x", x, "y", y), MNP_OUT("inside", &m, "x", &x));
 *
 *   mnp_eval(ctx, "s = sum((x - y)**2)", MNP_IN("x", x, "y", y), MNP_OUT("s", &s));
 *   mnp_eval(ctx, "z = (x - mean(x, axis=0)) / std(x, axis=0)", MNP_IN("x", x), MNP_OUT("z", &z));
 *
 * A text is compiled when it is first used with these names and types; when it is seen again it costs microseconds.
 *
 * Statements    name = expression, separated by semicolons or ends of lines; # begins a comment.  Lines go on inside
 *               parentheses and after a backslash.  Names that are no outputs are temporary.  x += y, and so on for
 *               other binary operators, keeps x's type.  a, b = divmod(x, y) takes both results; so for modf and frexp.
 * Operators     Python's, with its precedence, from tight to loose:  **  unary - + ~  * / // %  + -  << >>  &  ^  |
 *               < <= > >= == !=  not  and  or  a if c else b.  Comparisons are chained: 0 <= x < 1.  `and`, `or` and
 *               `not` work on elements, and give bools.  c ? a : b is the same as a if c else b.
 * Functions     all of maniple/ufunc_table.h, by NumPy's names and aliases, such as where(c, x, y), clip(x, low, high)
 *               and fma(x, y, z).  min(x, y) and max(x, y) are minimum and maximum, round(x) rounds to integers.
 *               real(x) is also x.real, imag(x) x.imag, conj(x) x.conj(), clip(x, low, high) x.clip(low, high).
 * Reductions    those of maniple/reduce.h, but for average: sum(x*y), mean(x, axis=0), max(abs(x), axis=(0, -1)),
 *               std(x, axis=1, ddof=1, keepdims=True), sum(k, dtype=float32), argmax(x).  The axes, integers, are the
 *               second argument too, but of min and max; dtype is the third where there is one.  sum, prod, mean, var,
 *               std, min, max, argmin, argmax, all and any may also be written (x*y).sum(axis=0)
 * Casts         float32(x) and so on for every dtype, or astype(x, float32), or x.astype(float32); int, float and
 *               complex are Python's: int64, float64 and complex128.
 * Numbers       12, 0xff, 0o17, 0b11, 1.5e-3, 2j, True, False, pi, e, inf, nan.
 * Indices       i0 .. i7, the element's index along each dimension of the result, and i, its place in C order: int64.
 *               n0 .. n7 and n, the extents and their product: numbers as x.shape[0] and x.size are in Python.  Inside
 *               a reduction they are those of what is reduced
 * Names         of inputs and variables are any but and, or, not, if, else, True, False, and come before constants and
 *               indices of the same name.  What stands before "(" is a function.
 *
 * Types are NumPy 2's.  Numbers, scalars (mnp_scalar_float() and its like) and what operators make of them alone have
 * a kind, but no size (NEP 50): 3*x is as x is.  Functions of them give NumPy's scalars: sin(2)*x is float64.  A
 * condition of two numbers is such a number.  An integer that does not fit the type it meets is an error, and so is a
 * division by zero where both numbers are in the text; integers computed from scalars wrap around.
 *
 * Values are rounded after every operation, as NumPy's: nothing is fused to multiply-adds but fma().
 *
 * A reduction takes the values of its expression as they are computed, in one pass over memory: no array is made of
 * them, unless there are indices among them, more than 15 inputs, or in the reproducible mode a variance.  What stands
 * inside two reductions is computed twice.  Its result is a temporary array, which other reductions and the kernel of
 * the statements around it take as an input.  There may be 32 reductions in a text.
 *
 * An output of the name "" is the value of the last statement, which then may be an expression without a name:
 *
 *   mnp_eval(ctx, "x**2 + y**2", MNP_IN("x", x, "y", y), MNP_OUT("", &r));
 */
#ifndef MANIPLE_EVAL_H
#define MANIPLE_EVAL_H

#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_input {
    const char *name;
    const mnp_array *array;
} mnp_input;

typedef struct mnp_output {
    const char *name;
    mnp_array **array_p;
} mnp_output;

/*
 * Lists of names and arrays in a call, up to 16 of them: MNP_IN("x", x, "y", y).  They end with a NULL name.  For more,
 * and in C++, make an array: const mnp_input inputs[] = {{"x", x}, {"y", y}, {NULL, NULL}};
 */
#define MNP_IN(...) ((const mnp_input[]){MNP_PAIRS_(__VA_ARGS__), {0, 0}})
#define MNP_OUT(...) ((const mnp_output[]){MNP_PAIRS_(__VA_ARGS__), {0, 0}})

/*
 * Evaluate statements.
 *
 *   inputs   NULL or a list that ends with a NULL name.  They are broadcast, and brought together from their layouts.
 *            What no output depends on does not count
 *   outputs  a list that ends with a NULL name.  All have one shape, to which all inputs are broadcast; in a text with
 *            reductions each has that of its own value, as in NumPy.  Each is made, or reused where *array_p is not
 *            NULL, as ufuncs' outputs are: of that shape, in any layout, of a type that the value can be cast to under
 *            "same_kind".  An output may be an input or overlap it: all values are as if read before any is written
 *
 * Without arrays among the inputs the shape is that of the outputs that are given, else ().
 *
 * Collective.  MNP_ERR_ARG with line, column and the line with a caret for a text that makes no sense; also for names
 * that are no names, are there twice, or are never assigned, for arrays that do not suit, and for a maximum of nothing:
 * outputs that were given are unchanged then.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_eval(mnp_ctx *ctx, const char *statements, const mnp_input *inputs, const mnp_output *outputs);

/*
 * An array of that shape whose elements are the value of an expression of the indices, "hypot(i0, i1 - n1/2)";
 * statements may come before it.  As numpy.fromfunction, but the indices are int64, not float64.  MNP_DTYPE_AUTO takes
 * the value's type; another must suit it as an output's.  An array that is given must have that dtype and shape.  What
 * is reduced has no indices here.
 * Collective.  Errors as above.
 */
MNP_API mnp_status mnp_fromfunction(mnp_ctx *ctx, const char *expression, mnp_dtype dtype, int ndim,
                                    const int64_t *shape, mnp_array **array_p);

#ifdef __cplusplus
}
#endif

/* {a, b}, {c, d}, ... of a, b, c, d, ...: the number of arguments chooses the macro; an odd one does not compile. */
#define MNP_PAIRS_(...)                                                                                                \
    MNP_CHOOSE_(__VA_ARGS__, MNP_P16_, , MNP_P15_, , MNP_P14_, , MNP_P13_, , MNP_P12_, , MNP_P11_, , MNP_P10_, ,       \
                MNP_P9_, , MNP_P8_, , MNP_P7_, , MNP_P6_, , MNP_P5_, , MNP_P4_, , MNP_P3_, , MNP_P2_, , MNP_P1_, , )   \
    (__VA_ARGS__)
#define MNP_CHOOSE_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd, ee,  \
                    ff, macro, ...)                                                                                    \
    macro
#define MNP_P1_(a, b)                                                                                                  \
    {                                                                                                                  \
        (a), (b)                                                                                                       \
    }
#define MNP_P2_(a, b, ...) {(a), (b)}, MNP_P1_(__VA_ARGS__)
#define MNP_P3_(a, b, ...) {(a), (b)}, MNP_P2_(__VA_ARGS__)
#define MNP_P4_(a, b, ...) {(a), (b)}, MNP_P3_(__VA_ARGS__)
#define MNP_P5_(a, b, ...) {(a), (b)}, MNP_P4_(__VA_ARGS__)
#define MNP_P6_(a, b, ...) {(a), (b)}, MNP_P5_(__VA_ARGS__)
#define MNP_P7_(a, b, ...) {(a), (b)}, MNP_P6_(__VA_ARGS__)
#define MNP_P8_(a, b, ...) {(a), (b)}, MNP_P7_(__VA_ARGS__)
#define MNP_P9_(a, b, ...) {(a), (b)}, MNP_P8_(__VA_ARGS__)
#define MNP_P10_(a, b, ...) {(a), (b)}, MNP_P9_(__VA_ARGS__)
#define MNP_P11_(a, b, ...) {(a), (b)}, MNP_P10_(__VA_ARGS__)
#define MNP_P12_(a, b, ...) {(a), (b)}, MNP_P11_(__VA_ARGS__)
#define MNP_P13_(a, b, ...) {(a), (b)}, MNP_P12_(__VA_ARGS__)
#define MNP_P14_(a, b, ...) {(a), (b)}, MNP_P13_(__VA_ARGS__)
#define MNP_P15_(a, b, ...) {(a), (b)}, MNP_P14_(__VA_ARGS__)
#define MNP_P16_(a, b, ...) {(a), (b)}, MNP_P15_(__VA_ARGS__)

#endif
