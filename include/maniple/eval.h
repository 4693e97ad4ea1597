/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions: statements in NumPy's syntax, given as text, which are computed element by element in one kernel, or
 * reduced.
 *
 *   mnp_eval(ctx, "z = 3*sin(-x)*y", MNP_IN("x", x, "y", y), MNP_OUT("z", &z));
 *   mnp_eval(ctx, "r = hypot(x, y); inside = r < 1; x /= r", MNP_IN("x", x, "y", y), MNP_OUT("inside", &m, "x", &x));
 *
 *   mnp_eval(ctx, "s = sum((x - y)**2)", MNP_IN("x", x, "y", y), MNP_OUT("s", &s));
 *   mnp_eval(ctx, "z = (x - mean(x, axis=0)) / std(x, axis=0)", MNP_IN("x", x), MNP_OUT("z", &z));
 *
 *   mnp_eval(ctx, "u[1:-1] += f * (u[:-2] - 2*u[1:-1] + u[2:])", MNP_IN("f", f), MNP_OUT("u", &u));
 *
 * A text is compiled when it is first used with its names and types; later calls find the kernels within microseconds.
 *
 * Statements    name = expression, separated by semicolons or ends of lines; # begins a comment.  Lines continue inside
 *               parentheses and brackets and after a backslash.  Names that are not outputs are temporaries.  x += y,
 *               and likewise the other binary operators, keep the type of x.  a, b = divmod(x, y) takes both results,
 *               as do modf and frexp, and functions of arrays that have several.
 * Parts         x[1:-1] = y and x[1:-1] += y assign to a part of an array, in any of the forms of brackets; the value
 *               is broadcast, and cast to the type of x unless it is complex and x is not.
 * Operators     Python's, with its precedence, the highest first:  **  unary - + ~  * @ / // %  + -  << >>  &  ^  |
 *               < <= > >= == !=  not  and  or  a if c else b.  Comparisons are chained: 0 <= x < 1.  `and`, `or` and
 *               `not` work on elements and give bools.  c ? a : b is the same as a if c else b.
 * Brackets      x[1:-1, ::-2, None, ..., k]: NumPy's basic indexing, of names and of values in parentheses.  Subscripts
 *               are integers, or integer scalars plus or minus one (x[k], x[k + 1:]), which may change from call to
 *               call.  x[mask] and x[indices] select elements by a single array of bools or integers.
 * Functions     all of maniple/ufunc_table.h, by NumPy's names and aliases, such as where(c, x, y), clip(x, low, high)
 *               and fma(x, y, z).  min(x, y) and max(x, y) are minimum and maximum; round(x, decimals) rounds as
 *               numpy.round.  x.real, x.imag, x.conj() and x.clip(low, high) are the same as real(x), imag(x), conj(x)
 *               and clip(x, low, high).
 * Reductions    those of maniple/reduce.h: sum(x*y), mean(x, axis=0), max(abs(x), axis=(0, -1)), argmax(x),
 *               std(x, axis=1, ddof=1, keepdims=True), sum(k, dtype=float32), sum(x, where=x > 0, initial=5).
 * On arrays     median, percentile, quantile, average, cov, corrcoef, histogram, bincount, digitize, searchsorted;
 *               cumsum, cumprod, diff, ediff1d, gradient, trapezoid, cummax, cummin; sort, argsort, partition, topk;
 *               unique, isin, intersect1d, union1d, setdiff1d, setxor1d; reshape, ravel, transpose, swapaxes, moveaxis,
 *               squeeze, expand_dims, broadcast_to, flip, concatenate((x, y)), stack, vstack, hstack, dstack,
 *               column_stack, append, roll, tile, repeat, pad, tril, triu, diag, zeros_like, ones_like; take, compress,
 *               extract, flatnonzero, argwhere; and those that ignore NaN; fft, fft2, fftn, rfft and the other
 *               transforms and shifts of maniple/fft.h, dct and dst; x @ y, which is matmul(x, y), matvec, vecmat, dot,
 *               inner, vdot, outer, kron and matrix_power of maniple/linalg.h.  They have NumPy's arguments as far as
 *               the functions of this library have them, in NumPy's order or by their names; all but arrays are
 *               constants.  For min and max, the second argument is another value, not an axis.
 * Methods       sum, prod, mean, var, std, min, max, ptp, argmin, argmax, all, any, cumsum, cumprod, argsort, take,
 *               ravel, reshape, repeat, squeeze, swapaxes, transpose, searchsorted, round, clip, astype, conj; and x.T.
 * Casts         float32(x), astype(x, float32) or x.astype(float32), and so for every dtype; int, float and complex are
 *               Python's: int64, float64 and complex128.
 * Numbers       12, 0xff, 0o17, 0b11, 1.5e-3, 2j, True, False, pi, e, inf, nan.
 * Indices       i0 .. i7 are the element's indices along the dimensions of the result, and i is its index in C order:
 *               int64.  n0 .. n7 are the extents, and n is their product; they have types as x.shape[0] and x.size do
 *               in Python.  In what a function of arrays takes, and in an assignment to a part, all of them refer to
 *               the array that it takes, and to the part.
 * Names         of inputs and variables are any except and, or, not, if, else, True and False.  They hide constants
 *               and indices of the same name.  A name before "(" is that of a function.  Given outputs can be read by
 *               their names, as inputs can.  A name stands for values: after y = x[1:], assignments to x do not change
 *               y, nor the other way round, which is where NumPy, whose slices share memory, differs.
 *
 * Types are NumPy 2's.  Numbers, scalars (MNP_SCALAR) and results of operators on these alone are weak: they have a
 * kind, but no size (NEP 50), so 3*x has the type of x. Functions of them give NumPy's scalars, which have a size:
 * sin(2)*x is float64.  A conditional of two numbers, such as 2.5 if c else 0.5, is weak too.  An integer that does not
 * fit the type of the other operand is an error, and so is a division by zero if both numbers are in the text; integers
 * that are computed from scalars wrap around.
 *
 * Values are rounded after every operation, as NumPy's are: no multiply-adds are fused, except by fma().
 *
 * Everything element-wise is one kernel for each group of outputs of equal extents, and reads parts of arrays where
 * they lie, as far as the rank has them.  What other ranks have is fetched first, as for any operand in another layout.
 * Parts that are shifted against each other, as in stencils, are fetched together: the rank's own elements and a margin
 * of its neighbours'.  A reduction reads the values of its expression as they are computed, in one pass over memory.
 * They are stored in an array first only if the expression has indices or more than 15 inputs, for variances in the
 * reproducible mode, and with `where` and `initial`.  Functions of arrays store what they take, unless it is an array.
 * An expression inside two of them is computed twice.  An assignment to a part of a given output is made in place if
 * nothing needs the array's old values afterwards, and otherwise in a copy.  Very long expressions are divided into
 * kernels of up to 1000 operations, so that compilers take time in proportion to the text.
 *
 * An output of the name "" is the value of the last statement, which then may be an expression without a name:
 *
 *   mnp_eval(ctx, "x**2 + y**2", MNP_IN("x", x, "y", y), MNP_OUT("", &r));
 */
#ifndef MANIPLE_EVAL_H
#define MANIPLE_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/dtype.h>
#include <maniple/lists.h>

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
 * Lists of up to 16 names and arrays, for the call itself: MNP_IN("x", x, "y", y).  They end with a NULL name.  For
 * longer lists, define an array: const mnp_input inputs[] = {{"x", x}, {"y", y}, {NULL, NULL}};
 */
#define MNP_IN(...) MNP_LIST_OF(const mnp_input, MNP_PAIRS_(__VA_ARGS__), {0, 0})
#define MNP_OUT(...) MNP_LIST_OF(const mnp_output, MNP_PAIRS_(__VA_ARGS__), {0, 0})

/*
 * Evaluate statements.
 *
 *   inputs    NULL, or a list that ends with a NULL name.  Inputs are broadcast and may have any layouts.  Inputs on
 *             which no output depends are ignored
 *   outputs   a list that ends with a NULL name.  All outputs have one shape, to which all inputs are broadcast; in a
 *             text with reductions, brackets or other functions of arrays each has the shape of its own value, as in
 *             NumPy.  Outputs are as in
 *             maniple/array.h.  An output may be an input or overlap it: all values are read, in effect, before any is
 *             written
 *
 * Without arrays among the inputs, the shape is that of the existing outputs, or () if there are none.
 *
 * MNP_ERR_ARG with line, column and the line with a caret for a text that cannot be parsed; also for names that are not
 * valid, occur twice or are never assigned, for arrays that do not fit, and for a maximum or minimum without elements.
 * Existing outputs are unchanged then, except those of which parts were assigned in place before.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_eval(mnp_ctx *ctx, const char *statements, const mnp_input *inputs, const mnp_output *outputs);

/* Whether texts can call a function of that name, such as "fft2".  Not collective. */
MNP_API bool mnp_eval_can_call(const char *name);

/*
 * Find what mnp_eval() would make with these arguments, without computing or compiling anything: the dtype and the
 * number of dimensions of every output, in dtypes[] and ndims[] (NULL: not wanted).  Only the dtype and the number of
 * dimensions of an input matter, and for a scalar its kind and value.  So mistakes in a text are found at once; arrays
 * whose shapes do not fit each other are found by mnp_eval() alone.  Errors as for mnp_eval().  Collective.
 */
MNP_API mnp_status mnp_eval_types(mnp_ctx *ctx, const char *statements, const mnp_input *inputs,
                                  const mnp_output *outputs, mnp_dtype *dtypes, int *ndims);

/*
 * Make an array from an expression of the indices, such as "hypot(i0, i1 - n1/2)"; statements may come before it.  It
 * is numpy.fromfunction, but the indices are int64, not float64.  With MNP_DTYPE_AUTO the array has the value's type;
 * otherwise the value must be castable to `dtype` under "same_kind".  An existing array must have that dtype and shape.
 * Expressions inside reductions cannot use indices here.  Errors as for mnp_eval().  Collective.
 */
MNP_API mnp_status mnp_fromfunction(mnp_ctx *ctx, const char *expression, mnp_dtype dtype, int ndim,
                                    const int64_t *shape, mnp_array **array_p);

#ifdef __cplusplus
}
#endif

/*
 * From a, b, c, d, ... make {a, b}, {c, d}, ...: the number of arguments chooses the macro; an odd number does not
 * compile.
 */
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
