/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions without arrays: what is wrong is found at its place, types are NumPy's, and the C++ is what the text
 * says.
 */
#include "ops/expression/expression.h"

#include <string.h>

#include "base/status.h"

#include "tests/tap.h"

/* Inputs that every text may use. */
static const char *const input_names[] = {"x", "y", "k", "u", "flag", "c", "count", "real_number", "int16"};
static const mnp__expression_input inputs[] = {
    {{MNP_FLOAT32, 0}, 2, 0},   {{MNP_FLOAT64, 0}, 2, 0},   {{MNP_INT8, 0}, 2, 0},
    {{MNP_UINT64, 0}, 2, 0},    {{MNP_BOOL, 0}, 1, 0},      {{MNP_COMPLEX64, 0}, 1, 0},
    {{MNP_INT64, 'i'}, 0, 300}, {{MNP_FLOAT64, 'f'}, 0, 0}, {{MNP_INT16, 0}, 2, 0},
};
enum { NUM_INPUTS = sizeof inputs / sizeof *inputs };

/* The outcome for one output: its name, the type it is to be stored as, which is filled in, and the body. */
static mnp_status translate(const char *text, const char *output, mnp_dtype *dtype, mnp__text *body)
{
    mnp__expression expression = {
        .text = text, .ninputs = NUM_INPUTS, .input_names = input_names, .noutputs = 1, .output_names = &output};
    mnp_status st = mnp__expression_parse(&expression);
    if (st == MNP_OK)
        st = mnp__expression_type(&expression, inputs, dtype);
    if (st == MNP_OK && body) {
        mnp__need need;
        mnp__expression_need(&expression, 1, expression.outputs, &need);
        mnp__expression_emit(&expression, body);
        mnp__text_add(body, "out_%s = ", output);
        mnp__expression_emit_value(&expression, expression.outputs[0], expression.output_types[0], body);
        mnp__text_add(body, ";\n");
    }
    mnp__expression_free(&expression);
    return st;
}

/* The first line of the message, and a caret in the right column of the last. */
static void refuses(const char *text, int column, const char *sentence)
{
    char wanted[512];
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    mnp_status st = translate(text, "z", &dtype, NULL);
    const char *message = mnp_error_message(), *last = strrchr(message, '\n'), *caret = last ? strchr(last, '^') : NULL;
    snprintf(wanted, sizeof wanted, "column %d: %s\n", column, sentence);
    bool right = st == MNP_ERR_ARG && strncmp(message, wanted, strlen(wanted)) == 0;
    bool marked = (caret && caret - last == 4 + column && !caret[1]);
    ok(right && marked, "%s: %s", text, sentence);
    if (!right || !marked)
        printf("# %s %s\n", mnp_status_name(st), message);
}

static void errors_of_syntax(void)
{
    refuses("z = 3*(x + y", 13, "expected ')', but the text ends here");
    refuses("z = 3*(x y)", 10, "expected ')', but found 'y'");
    refuses("z = x +", 8, "expected a value, but the text ends here");
    refuses("z = x y", 7, "expected an operator or the end of the statement, but found 'y'");
    refuses("z = * x", 5, "expected a value, but found '*'");
    refuses("z = 2x", 6, "expected an operator between the number 2 and 'x'");
    refuses("z = 0x", 7, "a number of base 16 has no digits here");
    refuses("z = 010", 5, "a decimal number does not begin with 0, and an octal one is written 0o17");
    refuses("z = x = y", 7, "unexpected '='; a comparison is written '=='");
    refuses("x + y", 1, "expected 'name =' before an expression");
    refuses("(x) = y", 1, "only a name, or a part of an array such as x[1:], can be assigned to");
    refuses("if = 3", 1, "'if' cannot be assigned to");
    refuses("True = 3", 1, "'True' cannot be assigned to");
    refuses("z = x if y", 11, "expected 'else', but the text ends here");
    refuses("z = x ? y", 10, "expected ':', but the text ends here");
    refuses("z = x && y", 7, "'&&' is written 'and' here");
    refuses("z = !x", 5, "'!' is written 'not' here");
    refuses("z = x[1", 8, "expected ',' or ']', but the text ends here");
    refuses("z = x[]", 7, "expected an index, a slice, None or ..., but found ']'");
    refuses("z = x[1,, 2]", 9, "expected an index, a slice, None or ..., but found ','");
    refuses("z = x[1:2:3:4]", 12, "expected ',' or ']', but found ':'");
    refuses("z = x @", 8, "expected a value, but the text ends here");
    refuses("x @= y", 3, "'x @= y' is written 'x = x @ y' here");
    refuses("z = x $ y", 7, "unexpected character '$'");
    refuses("z = x \xc3\xa4 y", 7, "unexpected character '\xc3\xa4'");
    refuses("z = '\xc3\xa4'", 5, "a string is no value: strings are for options such as method='linear'");
    refuses("z = quantile(x, 0.5, method='low)", 29, "this string has no end on its line");
    refuses("", 1, "the text has no statement");
    refuses(" # nothing", 11, "the text has no statement");
    refuses("z = x.t", 7,
            "expected real, imag, T, or a method such as astype(TYPE), clip(LOW, HIGH) or sum() "
            "after '.', but found 't'");
    refuses("z = 170141183460469231731687303715884105728", 5, "this number is larger than 2**127");
}

static void errors_of_names(void)
{
    refuses("z = 3*sim(-x)", 7, "there is no function 'sim'; did you mean 'sin'?");
    refuses("z = total(x)", 5, "there is no function 'total'");
    refuses("z = x + reel_number", 9, "there is no variable or input 'reel_number'; did you mean 'real_number'?");
    refuses("velocity = 1; z = velosity", 19, "there is no variable or input 'velosity'; did you mean 'velocity'?");
    refuses("z = q", 5, "there is no variable or input 'q'");
    refuses("z = sin + 1", 5, "'sin' is a function: expected '(' after it");
    refuses("z = x(y + 1)", 6, "'x' is not a function: expected an operator before '('");
    refuses("z = sin(x, y)", 5, "sin takes 1 argument, but is given 2");
    refuses("z = sin()", 5, "sin takes 1 argument, but is given 0");
    refuses("z = where(x, y)", 5, "where takes 3 arguments, but is given 2");
    refuses("z = divmod(x, y)", 5, "divmod has two results; take them as in: a, b = divmod(...)");
    refuses("z, w = sin(x)", 8, "sin has one result, not two");
    refuses("z, w = x", 8, "expected a function of several results, such as divmod");
    refuses("z = astype(x, flat32)", 15, "expected a type such as float32, but found 'flat32'");
    refuses("z += 1", 1, "there is no variable or input 'z'");
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    ok(translate("y = x\nz = y + q # no", "z", &dtype, NULL) == MNP_ERR_ARG &&
           strcmp(mnp_error_message(), "line 2, column 9: there is no variable or input 'q'\n"
                                       "    z = y + q # no\n"
                                       "            ^") == 0,
       "in a text of several lines the line is told and shown");
    ok(translate("zz = x", "zzz", &dtype, NULL) == MNP_ERR_ARG &&
           strcmp(mnp_error_message(), "output 'zzz' is never assigned in 'zz = x'; did you mean 'zz'?") == 0,
       "an output that is never assigned: %s", mnp_error_message());
}

static void errors_of_types(void)
{
    refuses("z = k + 300", 9, "the integer 300 is out of bounds for int8");
    refuses("z = k * -129", 9, "the integer -129 is out of bounds for int8");
    refuses("z = count - k", 5, "the integer 300 is out of bounds for int8");
    refuses("z = u + -1", 9, "the integer -1 is out of bounds for uint64");
    refuses("z = int8(200)", 10, "the integer 200 is out of bounds for int8");
    refuses("z = 2**64 * 2", 11, "the integer 36893488147419103232 is out of bounds for int64");
    refuses("z = x * (1/0)", 11, "division by zero");
    refuses("z = x * (5 % 0)", 12, "division by zero");
    refuses("z = k << (1 << -1)", 13, "negative shift count");
    refuses("z = 2**126*2*2", 11, "the result is larger than 2**127");
    refuses("z = (-2**126 - 2**126) // -1", 24, "the result is larger than 2**127");
    refuses("z = k ** -2", 7, "integers to negative integer powers are not allowed: make one a float");
    refuses("k += 1.5; z = k", 3, "the result is float64, and would not keep the type int8");
}

static void errors_of_reductions(void)
{
    refuses("z = sum()", 9, "sum lacks its argument x");
    refuses("z = quantile(x)", 15, "quantile lacks its argument q");
    refuses("z = cumsum(x, 0, float64, 1)", 27, "cumsum takes at most 3 arguments");
    refuses("z = sort(x, axs=0)", 13, "sort has no option 'axs': there is axis");
    refuses("z = quantile(x, 'a')", 18, "expected a number, but found 'a'");
    refuses("z = roll(x, 1.5)", 13, "expected an integer, but found '1.5'");
    refuses("z = concatenate(x)", 17, "expected arrays in parentheses, but found 'x'");
    refuses("z = unique(x, return_counts=True)", 5, "unique has two results; take them as in: a, b = unique(...)");
    refuses("a, b, c = unique(x); z = a", 11, "unique has one result, not three");
    refuses("z = cumsun(x)", 5, "there is no function 'cumsun'; did you mean 'cumsum'?");
    refuses("z = sum(x", 10, "expected ',' or ')', but the text ends here");
    refuses("z = sum(x, y)", 12, "expected an axis: an integer, integers in parentheses, or None, but found 'y'");
    refuses("z = sum(x, axis=())", 18, "expected an axis: an integer, integers in parentheses, or None, but found ')'");
    refuses("z = sum(x, axis=1.5)", 17,
            "expected an axis: an integer, integers in parentheses, or None, but found "
            "'1.5'");
    refuses("z = sum(x, axis=(0 1))", 20, "expected ',' or ')', but found '1'");
    refuses("z = sum(x, axis=9999999999)", 17, "no array has that axis: there are at most 8");
    refuses("z = sum(x, axis=2)", 5, "sum: axis 2 is out of bounds for 2 dimensions");
    refuses("z = 1 + x.sum(axis=-3)", 11, "sum: axis -3 is out of bounds for 2 dimensions");
    refuses("z = sum(x, axis=(1, -1))", 5, "sum: axis -1 is given twice");
    refuses("z = argmax(x, axis=(0, 1))", 5, "argmax goes along one axis, or all, and 2 are given");
    refuses("z = sum(x, axes=0)", 12, "sum has no option 'axes': there are axis, dtype, keepdims, initial and where");
    refuses("z = std(x, out=y)", 12, "std has no option 'out': there are axis, dtype, ddof, keepdims and where");
    refuses("z = max(x, dtype=int8)", 12, "max has no option 'dtype': there are axis, keepdims, initial and where");
    refuses("z = sum(x, axis=0, axis=1)", 20, "axis is given twice");
    refuses("z = sum(x, keepdims=1)", 21, "expected True or False, but found '1'");
    refuses("z = var(x, ddof=y)", 17, "expected a number, but found 'y'");
    refuses("z = sum(x, 0, float32, 1)", 24, "expected an option by its name, such as keepdims=True, but found '1'");
    refuses("z = max(x, y, u)", 13, "max takes two values, or one and axis=..., keepdims=...");
    refuses("z = meam(x)", 5, "there is no function 'meam'; did you mean 'mean'?");
    refuses("z = sum * 2", 5, "'sum' is a function: expected '(' after it");
    refuses("z = mean(x, dtype=int8)", 5, "the dtype is 'int8', and must be of floats or complex numbers");
    refuses("z, w = sum(x)", 8, "sum has one result, not two");
    refuses("z = sum(2**64)", 10, "the integer 18446744073709551616 is out of bounds for int64");
}

static void errors_of_subscripts(void)
{
    refuses("z = x[0, 0, 0]", 6, "3 indices are too many for 2 dimensions");
    refuses("z = x[..., ...]", 6, "there are 2 ellipses, and one at most is understood");
    refuses("z = x[1.5]", 7, "a subscript is an integer, or an integer scalar plus or minus one");
    refuses("z = x[1:y]", 9, "a subscript is an integer, or an integer scalar plus or minus one");
    refuses("z = x[count * 2]", 13, "a subscript is an integer, or an integer scalar plus or minus one");
    refuses("z = real_number[0]", 16, "a number has no dimensions to index");
    refuses("z = x[None, None, None, None, None, None, None]", 6,
            "the view would have 9 dimensions, and 8 are possible");
    refuses("x[0] = y; z = x", 2, "a value of 2 dimensions does not broadcast to a part of 1");
    refuses("x[:] = c; z = x", 2, "complex numbers are not stored in an array of float32");
    refuses("k[0] = 200; z = k", 8, "the integer 200 is out of bounds for int8");
    refuses("k[0] += 1.5; z = k", 6, "the result is float64, and would not keep the type int8");
    refuses("w[0] = 1; z = x", 1, "there is no variable or input 'w'");
    refuses("if[0] = 1; z = x", 1, "'if' cannot be assigned to");
    mnp__text many = MNP__TEXT_EMPTY;
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    mnp__text_add(&many, "z = x");
    for (int i = 0; i < 100000; i++)
        mnp__text_add(&many, "[:]");
    ok(translate(mnp__text_string(&many), "z", &dtype, NULL) == MNP_ERR_ARG &&
           strstr(mnp_error_message(), "more than 32 brackets after one another"),
       "100000 brackets are refused");
    mnp__text_free(&many);
}

static void is_type(const char *text, mnp_dtype wanted)
{
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    mnp_status st = translate(text, "", &dtype, NULL);
    bool right = ok(st == MNP_OK && dtype == wanted, "%s is %s", text, mnp_dtype_name(wanted));
    if (!right)
        printf("# %s\n", st == MNP_OK ? mnp_dtype_name(dtype) : mnp_error_message());
}

static void types(void)
{
    is_type("x * 2.5", MNP_FLOAT32);
    is_type("x * count", MNP_FLOAT32);
    is_type("x * real_number * pi", MNP_FLOAT32);
    is_type("x * sin(2)", MNP_FLOAT64);
    is_type("x * float64(2)", MNP_FLOAT64);
    is_type("x * 2j", MNP_COMPLEX64);
    is_type("k * 2j", MNP_COMPLEX128);
    is_type("k / 2", MNP_FLOAT64);
    is_type("sqrt(k)", MNP_FLOAT16);
    is_type("k + 1", MNP_INT8);
    is_type("k + int16", MNP_INT16);
    is_type("k + True", MNP_INT8);
    is_type("sum(k)", MNP_INT64);
    is_type("sum(flag + flag)", MNP_INT64);
    is_type("u.sum()", MNP_UINT64);
    is_type("sum(x, dtype=float64) * k", MNP_FLOAT64);
    is_type("x - mean(x, axis=0)", MNP_FLOAT32);
    is_type("mean(k) * x", MNP_FLOAT64);
    is_type("std(c, keepdims=True)", MNP_FLOAT32);
    is_type("max(k, 0) + min(k)", MNP_INT8);
    is_type("argmax(c)", MNP_INT64);
    is_type("all(k)", MNP_BOOL);
    is_type("sum(2.5)", MNP_FLOAT64);
    is_type("flag + 1", MNP_INT64);
    is_type("flag + True", MNP_BOOL);
    is_type("True + True", MNP_INT64);
    is_type("k < 300", MNP_BOOL);
    is_type("k + u", MNP_FLOAT64);
    is_type("k if flag else 1", MNP_INT8);
    is_type("flag ? 1 : 2.5", MNP_FLOAT64);
    is_type("x * (1 if flag else 2.5)", MNP_FLOAT32);
    is_type("x * where(flag, 1, 2.5)", MNP_FLOAT64);
    is_type("c.real", MNP_FLOAT32);
    is_type("abs(c)", MNP_FLOAT32);
    is_type("x / n", MNP_FLOAT32);
    is_type("x / i0", MNP_FLOAT64);
    is_type("x and y", MNP_BOOL);
    is_type("not k", MNP_BOOL);
    is_type("0 < x < 1", MNP_BOOL);
    is_type("k *= 2; k", MNP_INT8);
    is_type("a = 1; a += x; a", MNP_FLOAT32);
    is_type("a = 1; a += 1; k + a", MNP_INT8);
    is_type("astype(x, bool)", MNP_BOOL);
    is_type("y.astype(float16)", MNP_FLOAT16);
    is_type("k[0]", MNP_INT8);
    is_type("x[1:, None] * y", MNP_FLOAT64);
    is_type("x.T", MNP_FLOAT32);
    is_type("round(x, 2)", MNP_FLOAT32);
    is_type("round(k, 2)", MNP_INT8);
    is_type("round(k, -1)", MNP_INT8);
    is_type("cumsum(k)", MNP_INT64);
    is_type("cumsum(k, dtype=float32)", MNP_FLOAT32);
    is_type("argsort(x)", MNP_INT64);
    is_type("median(k)", MNP_FLOAT64);
    is_type("quantile(x, 0.5)", MNP_FLOAT32);
    is_type("quantile(x, [0.5])", MNP_FLOAT64);
    is_type("quantile(k, 0.5, method='lower')", MNP_INT8);
    is_type("x[:] = y; x", MNP_FLOAT32);
    is_type("x[k > 0]", MNP_FLOAT32);
    is_type("18446744073709551615", MNP_UINT64);
    is_type("u + 18446744073709551615", MNP_UINT64);
    is_type("2**63", MNP_UINT64);
    is_type("7 // 2", MNP_INT64);
    is_type("7 / 2", MNP_FLOAT64);
    is_type("min(k, 3)", MNP_INT8);
}

static void becomes(const char *text, const char *wanted)
{
    mnp__text body = MNP__TEXT_EMPTY;
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    mnp_status st = translate(text, "z", &dtype, &body);
    char line[64];
    snprintf(line, sizeof line, "%s", text);
    for (char *c = line; (c = strchr(c, '\n'));)
        *c = ' ';
    bool right = ok(st == MNP_OK && strcmp(mnp__text_string(&body), wanted) == 0, "the C++ of %s", line);
    if (!right)
        printf("# %s\n", st == MNP_OK ? mnp__text_string(&body) : mnp_error_message());
    mnp__text_free(&body);
}

static void bodies(void)
{
    becomes("z = 3*sin(-x)*y", "const float t2 = mnp_negative(in_x);\n"
                               "const float t3 = mnp_sin(t2);\n"
                               "const float t4 = mnp_multiply(mnp_to<float>::from(3.0), t3);\n"
                               "const double t6 = mnp_multiply(mnp_to<double>::from(t4), in_y);\n"
                               "out_z = t6;\n");
    becomes("z = -2**2", "out_z = (int64_t)-4LL;\n");
    becomes("z = 2**3**2", "out_z = (int64_t)512LL;\n");
    becomes("z = -7 // 2", "out_z = (int64_t)-4LL;\n");
    becomes("z = -7 % 3", "out_z = (int64_t)2LL;\n");
    becomes("z = 7.5 // -2", "out_z = -4.0;\n");
    becomes("z = 1 + 2 << 3 & 0x1f ^ 1 | 64", "out_z = (int64_t)89LL;\n");
    becomes("z = not 1 == 2 and 3 > 2 > 1", "out_z = mnp_bool{1};\n");
    becomes("z = ~5", "out_z = (int64_t)-6LL;\n");
    becomes("unused = x; z = 1e-3 # text", "out_z = 0.001;\n");
    becomes("z = (1 +\n2); w = \\\n 3", "out_z = (int64_t)3LL;\n");
    becomes("z = .5e1", "out_z = 5.0;\n");
    becomes("z = -9223372036854775808", "out_z = ((int64_t)-9223372036854775807LL - 1);\n");
    becomes("z = k < 300", "out_z = mnp_bool{1};\n");
    becomes("z = 300 <= k", "out_z = mnp_bool{0};\n");
    becomes("z = k != -200", "out_z = mnp_bool{1};\n");
    becomes("z = x**2", "const float t1 = mnp_square(in_x);\nout_z = t1;\n");
    becomes("z = x**0.5", "const float t1 = mnp_sqrt(in_x);\nout_z = t1;\n");
    becomes("e = 2; pi = e; z = pi", "out_z = (int64_t)2LL;\n");
    becomes("z = inf if flag else -nan",
            "const double t4 = in_flag.value ? mnp_infinity<double>() : mnp_nan<double>();\nout_z = t4;\n");
    becomes("z, r = divmod(k, 3)", "int8_t t2; int8_t u2; mnp_divmod(in_k, (int8_t)3LL, t2, u2);\nout_z = t2;\n");
    becomes("x = x + 1; z = x", "const float t2 = mnp_add(in_x, mnp_to<float>::from(1.0));\nout_z = t2;\n");
    becomes("z = i1 + n0", "const int64_t t2 = mnp_add(mnp_index[1], mnp_shape[0]);\nout_z = t2;\n");
}

/* Deeply nested expressions are refused, and long ones are not: neither may exhaust the stack. */
static void depth(void)
{
    enum { LENGTH = 100000 };
    mnp__text deep = MNP__TEXT_EMPTY, signs = MNP__TEXT_EMPTY, sum = MNP__TEXT_EMPTY;
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    mnp__text_add(&deep, "z = ");
    mnp__text_add(&signs, "z = ");
    mnp__text_add(&sum, "z = x");
    for (int i = 0; i < LENGTH; i++) {
        mnp__text_add(&deep, "(");
        mnp__text_add(&signs, "-");
        mnp__text_add(&sum, "+x");
    }
    ok(translate(mnp__text_string(&deep), "z", &dtype, NULL) == MNP_ERR_ARG, "100000 parentheses are refused");
    ok(translate(mnp__text_string(&signs), "z", &dtype, NULL) == MNP_ERR_ARG, "100000 signs are refused");
    ok(strlen(mnp_error_message()) < 500, "of a long line a part is shown");
    ok(translate(mnp__text_string(&sum), "z", &dtype, NULL) == MNP_OK, "100000 terms are not");
    mnp__text_free(&deep);
    mnp__text_free(&signs);
    mnp__text_free(&sum);
}

int main(void)
{
    errors_of_syntax();
    errors_of_names();
    errors_of_types();
    errors_of_reductions();
    errors_of_subscripts();
    types();
    bodies();
    depth();
    return done_testing();
}
