/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the element-wise functions, from which their prototypes, definitions, tests and documentation are
 * generated.
 *
 *   X(name, inputs, outputs, loops, results, summary)
 *
 *   loops      the types in which the function is computed, in the order in which they are tried: the first one is used
 *              to which all inputs can be cast safely.  Letters are NumPy's, with l and L for 64 bits on every system
 *              and E for bfloat16; a group of several letters gives a type for each input.  A mark may come first:
 *                !  the function is not defined for bools alone
 *                /  integers and bools are computed in float64
 *                t  every input is taken as true or false
 *                c  the first input is taken as true or false, the others are as above
 *   results    the type of each result: a letter; the number of an input, for the type of this input in the loop; or r,
 *              for the real type of input 0
 */
#ifndef MANIPLE_UFUNC_TABLE_H
#define MANIPLE_UFUNC_TABLE_H

#define MNP_LOOPS_INTEGER "b B h H i I l L "
#define MNP_LOOPS_REAL "e E f d "
#define MNP_LOOPS_COMPLEX "F D "
#define MNP_LOOPS_FLOAT MNP_LOOPS_REAL MNP_LOOPS_COMPLEX
#define MNP_LOOPS_NUMBER MNP_LOOPS_INTEGER MNP_LOOPS_FLOAT
#define MNP_LOOPS_COMPARED "? " MNP_LOOPS_INTEGER "lL Ll " MNP_LOOPS_FLOAT

#define MNP_UFUNCS_ARITHMETIC(X)                                                                                       \
    X(add, 2, 1, "? " MNP_LOOPS_NUMBER, "0", "x + y; of bools x or y")                                                 \
    X(subtract, 2, 1, "! " MNP_LOOPS_NUMBER, "0", "x - y")                                                             \
    X(multiply, 2, 1, "? " MNP_LOOPS_NUMBER, "0", "x * y; of bools x and y")                                           \
    X(divide, 2, 1, "/ " MNP_LOOPS_FLOAT, "0", "x / y, in floats")                                                     \
    X(floor_divide, 2, 1, MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "0",                                                       \
      "x / y, rounded down; integers by 0 give 0; an infinite x gives NaN, as in NumPy")                               \
    X(remainder, 2, 1, MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "0", "what floor_divide leaves, of y's sign")                 \
    X(fmod, 2, 1, MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "0", "what truncated division leaves, of x's sign")                \
    X(divmod, 2, 2, MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "00", "floor_divide and remainder")                              \
    X(power, 2, 1, MNP_LOOPS_NUMBER, "0", "x to the power y; negative powers of integers are truncated")               \
    X(float_power, 2, 1, "d D ", "0", "x to the power y, in float64 or complex128")                                    \
    X(negative, 1, 1, "! " MNP_LOOPS_NUMBER, "0", "-x")                                                                \
    X(positive, 1, 1, "! " MNP_LOOPS_NUMBER, "0", "x")                                                                 \
    X(absolute, 1, 1, "? " MNP_LOOPS_NUMBER, "r", "|x|")                                                               \
    X(fabs, 1, 1, MNP_LOOPS_REAL, "0", "|x| of a float")                                                               \
    X(sign, 1, 1, "! " MNP_LOOPS_NUMBER, "0", "-1, 0 or 1; of complex numbers x / |x|")                                \
    X(heaviside, 2, 1, MNP_LOOPS_REAL, "0", "0 below 0, y at 0, 1 above")                                              \
    X(reciprocal, 1, 1, MNP_LOOPS_NUMBER, "0", "1 / x; integers are truncated, and 0 gives 0")                         \
    X(square, 1, 1, MNP_LOOPS_NUMBER, "0", "x * x")                                                                    \
    X(gcd, 2, 1, "! " MNP_LOOPS_INTEGER, "0", "the greatest common divisor")                                           \
    X(lcm, 2, 1, "! " MNP_LOOPS_INTEGER, "0", "the least common multiple")                                             \
    X(fma, 3, 1, "/ " MNP_LOOPS_REAL, "0", "x * y + z, rounded once")

#define MNP_UFUNCS_EXPONENTIAL(X)                                                                                      \
    X(exp, 1, 1, MNP_LOOPS_FLOAT, "0", "e to the power x")                                                             \
    X(exp2, 1, 1, MNP_LOOPS_FLOAT, "0", "2 to the power x")                                                            \
    X(expm1, 1, 1, MNP_LOOPS_FLOAT, "0", "exp(x) - 1, exact near 0")                                                   \
    X(log, 1, 1, MNP_LOOPS_FLOAT, "0", "the natural logarithm")                                                        \
    X(log2, 1, 1, MNP_LOOPS_FLOAT, "0", "the logarithm to base 2")                                                     \
    X(log10, 1, 1, MNP_LOOPS_FLOAT, "0", "the logarithm to base 10")                                                   \
    X(log1p, 1, 1, MNP_LOOPS_FLOAT, "0", "log(1 + x), exact near 0")                                                   \
    X(logaddexp, 2, 1, MNP_LOOPS_REAL, "0", "log(exp(x) + exp(y))")                                                    \
    X(logaddexp2, 2, 1, MNP_LOOPS_REAL, "0", "log2(2**x + 2**y)")                                                      \
    X(sqrt, 1, 1, MNP_LOOPS_FLOAT, "0", "the square root")                                                             \
    X(cbrt, 1, 1, MNP_LOOPS_REAL, "0", "the cube root")

#define MNP_UFUNCS_TRIGONOMETRIC(X)                                                                                    \
    X(sin, 1, 1, MNP_LOOPS_FLOAT, "0", "the sine")                                                                     \
    X(cos, 1, 1, MNP_LOOPS_FLOAT, "0", "the cosine")                                                                   \
    X(tan, 1, 1, MNP_LOOPS_FLOAT, "0", "the tangent")                                                                  \
    X(arcsin, 1, 1, MNP_LOOPS_FLOAT, "0", "the inverse sine")                                                          \
    X(arccos, 1, 1, MNP_LOOPS_FLOAT, "0", "the inverse cosine")                                                        \
    X(arctan, 1, 1, MNP_LOOPS_FLOAT, "0", "the inverse tangent")                                                       \
    X(arctan2, 2, 1, MNP_LOOPS_REAL, "0", "the angle of the point (y, x): the first input is the ordinate")            \
    X(hypot, 2, 1, MNP_LOOPS_REAL, "0", "sqrt(x*x + y*y) without overflow")                                            \
    X(sinh, 1, 1, MNP_LOOPS_FLOAT, "0", "the hyperbolic sine")                                                         \
    X(cosh, 1, 1, MNP_LOOPS_FLOAT, "0", "the hyperbolic cosine")                                                       \
    X(tanh, 1, 1, MNP_LOOPS_FLOAT, "0", "the hyperbolic tangent")                                                      \
    X(arcsinh, 1, 1, MNP_LOOPS_FLOAT, "0", "the inverse hyperbolic sine")                                              \
    X(arccosh, 1, 1, MNP_LOOPS_FLOAT, "0", "the inverse hyperbolic cosine")                                            \
    X(arctanh, 1, 1, MNP_LOOPS_FLOAT, "0", "the inverse hyperbolic tangent")                                           \
    X(deg2rad, 1, 1, MNP_LOOPS_REAL, "0", "degrees as radians")                                                        \
    X(rad2deg, 1, 1, MNP_LOOPS_REAL, "0", "radians as degrees")                                                        \
    X(radians, 1, 1, MNP_LOOPS_REAL, "0", "degrees as radians")                                                        \
    X(degrees, 1, 1, MNP_LOOPS_REAL, "0", "radians as degrees")                                                        \
    X(sinc, 1, 1, "/ " MNP_LOOPS_FLOAT, "0", "sin(pi x) / (pi x), and 1 at 0")

#define MNP_UFUNCS_BITS(X)                                                                                             \
    X(bitwise_and, 2, 1, "? " MNP_LOOPS_INTEGER, "0", "bits of both")                                                  \
    X(bitwise_or, 2, 1, "? " MNP_LOOPS_INTEGER, "0", "bits of either")                                                 \
    X(bitwise_xor, 2, 1, "? " MNP_LOOPS_INTEGER, "0", "bits of one alone")                                             \
    X(invert, 1, 1, "? " MNP_LOOPS_INTEGER, "0", "every bit the other way; of bools not x")                            \
    X(left_shift, 2, 1, MNP_LOOPS_INTEGER, "0", "x moved left by y bits; 0 where y is negative or too large")          \
    X(right_shift, 2, 1, MNP_LOOPS_INTEGER, "0", "x moved right by y bits, its sign kept; 0 or -1 as above")           \
    X(bitwise_count, 1, 1, MNP_LOOPS_INTEGER, "B", "bits that are set in |x|")

#define MNP_UFUNCS_COMPARISON(X)                                                                                       \
    X(greater, 2, 1, MNP_LOOPS_COMPARED, "?", "x > y; complex numbers by real, then imaginary part")                   \
    X(greater_equal, 2, 1, MNP_LOOPS_COMPARED, "?", "x >= y")                                                          \
    X(less, 2, 1, MNP_LOOPS_COMPARED, "?", "x < y")                                                                    \
    X(less_equal, 2, 1, MNP_LOOPS_COMPARED, "?", "x <= y")                                                             \
    X(equal, 2, 1, MNP_LOOPS_COMPARED, "?", "x == y")                                                                  \
    X(not_equal, 2, 1, MNP_LOOPS_COMPARED, "?", "x != y")                                                              \
    X(logical_and, 2, 1, "t ?", "?", "x and y, by whether they are not 0")                                             \
    X(logical_or, 2, 1, "t ?", "?", "x or y")                                                                          \
    X(logical_xor, 2, 1, "t ?", "?", "either x or y")                                                                  \
    X(logical_not, 1, 1, "t ?", "?", "not x")                                                                          \
    X(maximum, 2, 1, "? " MNP_LOOPS_NUMBER, "0", "the larger; NaN if either is")                                       \
    X(minimum, 2, 1, "? " MNP_LOOPS_NUMBER, "0", "the smaller; NaN if either is")                                      \
    X(fmax, 2, 1, "? " MNP_LOOPS_NUMBER, "0", "the larger; NaN if both are")                                           \
    X(fmin, 2, 1, "? " MNP_LOOPS_NUMBER, "0", "the smaller; NaN if both are")                                          \
    X(clip, 3, 1, "? " MNP_LOOPS_NUMBER, "0", "x, at least y and at most z")                                           \
    X(where, 3, 1, "c ? " MNP_LOOPS_NUMBER, "1", "y where x is true, else z")                                          \
    X(isclose, 4, 1, "/ " MNP_LOOPS_FLOAT, "?", "|x - y| <= atol + rtol |y|, of x, y, rtol, atol; infinities if equal")

#define MNP_UFUNCS_FLOATING(X)                                                                                         \
    X(isfinite, 1, 1, "? " MNP_LOOPS_NUMBER, "?", "neither infinite nor NaN")                                          \
    X(isinf, 1, 1, "? " MNP_LOOPS_NUMBER, "?", "infinite")                                                             \
    X(isnan, 1, 1, "? " MNP_LOOPS_NUMBER, "?", "NaN")                                                                  \
    X(isposinf, 1, 1, "? " MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "?", "plus infinity")                                     \
    X(isneginf, 1, 1, "? " MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "?", "minus infinity")                                    \
    X(nan_to_num, 1, 1, "? " MNP_LOOPS_NUMBER, "0", "NaN as 0, infinities as the largest numbers")                     \
    X(signbit, 1, 1, MNP_LOOPS_REAL, "?", "whether the sign's bit is set, also of -0.0 and NaN")                       \
    X(copysign, 2, 1, MNP_LOOPS_REAL, "0", "|x| with the sign of y")                                                   \
    X(nextafter, 2, 1, MNP_LOOPS_REAL, "0", "the float beside x towards y")                                            \
    X(spacing, 1, 1, MNP_LOOPS_REAL, "0", "how far the next float is, away from 0")                                    \
    X(modf, 1, 2, MNP_LOOPS_REAL, "00", "the fractional and the integral part, both of x's sign")                      \
    X(ldexp, 2, 1, "ei Ei fi el El fl di dl ", "0", "x times 2 to the power y")                                        \
    X(frexp, 1, 2, MNP_LOOPS_REAL, "0i", "m in [0.5, 1) and e, x = m times 2 to the power e")                          \
    X(floor, 1, 1, "? " MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "0", "rounded down")                                         \
    X(ceil, 1, 1, "? " MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "0", "rounded up")                                            \
    X(trunc, 1, 1, "? " MNP_LOOPS_INTEGER MNP_LOOPS_REAL, "0", "rounded towards 0")                                    \
    X(rint, 1, 1, MNP_LOOPS_FLOAT, "0", "rounded to the nearest, halves to even")

#define MNP_UFUNCS_COMPLEX(X)                                                                                          \
    X(conjugate, 1, 1, MNP_LOOPS_NUMBER, "0", "the imaginary part's sign changed")                                     \
    X(angle, 1, 1, MNP_LOOPS_FLOAT, "r", "the angle with the real axis, in radians")                                   \
    X(abs2, 1, 1, MNP_LOOPS_NUMBER, "r", "|x| squared")

#define MNP_UFUNCS_SPECIAL(X)                                                                                          \
    X(erf, 1, 1, "/ " MNP_LOOPS_REAL, "0", "the error function")                                                       \
    X(erfc, 1, 1, "/ " MNP_LOOPS_REAL, "0", "1 - erf(x), exact where that is small")                                   \
    X(gamma, 1, 1, "/ " MNP_LOOPS_REAL, "0", "the gamma function")                                                     \
    X(lgamma, 1, 1, "/ " MNP_LOOPS_REAL, "0", "the logarithm of |gamma(x)|")

/* Functions that only expressions have: mnp_real() and mnp_imag() give views, and mnp_round() has decimals. */
#define MNP_UFUNCS_INTERNAL(X)                                                                                         \
    X(real, 1, 1, "? " MNP_LOOPS_NUMBER, "r", "the real part")                                                         \
    X(imag, 1, 1, "? " MNP_LOOPS_NUMBER, "r", "the imaginary part")                                                    \
    X(round, 1, 1, MNP_LOOPS_NUMBER, "0", "rounded to the nearest, halves to even; integers as they are")

/* All functions of the public interface. */
#define MNP_UFUNCS(X)                                                                                                  \
    MNP_UFUNCS_ARITHMETIC(X)                                                                                           \
    MNP_UFUNCS_EXPONENTIAL(X)                                                                                          \
    MNP_UFUNCS_TRIGONOMETRIC(X)                                                                                        \
    MNP_UFUNCS_BITS(X)                                                                                                 \
    MNP_UFUNCS_COMPARISON(X)                                                                                           \
    MNP_UFUNCS_FLOATING(X)                                                                                             \
    MNP_UFUNCS_COMPLEX(X)                                                                                              \
    MNP_UFUNCS_SPECIAL(X)

/* NumPy's other names: X(alias, name, inputs, outputs). */
#define MNP_UFUNC_ALIASES(X)                                                                                           \
    X(abs, absolute, 1, 1)                                                                                             \
    X(acos, arccos, 1, 1)                                                                                              \
    X(acosh, arccosh, 1, 1)                                                                                            \
    X(asin, arcsin, 1, 1)                                                                                              \
    X(asinh, arcsinh, 1, 1)                                                                                            \
    X(atan, arctan, 1, 1)                                                                                              \
    X(atan2, arctan2, 2, 1)                                                                                            \
    X(atanh, arctanh, 1, 1)                                                                                            \
    X(bitwise_invert, invert, 1, 1)                                                                                    \
    X(bitwise_left_shift, left_shift, 2, 1)                                                                            \
    X(bitwise_not, invert, 1, 1)                                                                                       \
    X(bitwise_right_shift, right_shift, 2, 1)                                                                          \
    X(conj, conjugate, 1, 1)                                                                                           \
    X(mod, remainder, 2, 1)                                                                                            \
    X(pow, power, 2, 1)                                                                                                \
    X(true_divide, divide, 2, 1)

#endif
