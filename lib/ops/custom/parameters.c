/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the parameter lists of custom kernels, such as "T x, raw float32 table", and finds their types in a call.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "ops/custom/custom.h"

/* A word of a list, which ends at a space, a comma or the end. */
typedef struct word {
    const char *text;
    int length;
} word;

static word next_word(const char **at)
{
    *at += strspn(*at, " \t\n");
    word w = {*at, (int)strcspn(*at, ", \t\n")};
    *at += w.length;
    return w;
}

static bool is(word w, const char *text)
{
    return w.length == (int)strlen(text) && memcmp(w.text, text, strlen(text)) == 0;
}

/* The position of `at` in the list, counted from 1. */
static int position(const char *list, const char *at)
{
    return (int)(at - list) + 1;
}

static bool is_identifier(word w)
{
    if (w.length == 0 || isdigit((unsigned char)*w.text))
        return false;
    for (int i = 0; i < w.length; i++) {
        if (!mnp__is_in_name(w.text[i]))
            return false;
    }
    return true;
}

static mnp_status read_type(const char *list, const char *what, word type, mnp__parameter *parameter)
{
    char name[32];
    if (type.length == 1 && isalpha((unsigned char)*type.text)) {
        parameter->letter = *type.text;
        return MNP_OK;
    }
    if (type.length < (int)sizeof name) {
        memcpy(name, type.text, (size_t)type.length);
        name[type.length] = '\0';
        for (int dtype = MNP_BOOL; dtype < MNP_NUM_DTYPES; dtype++) {
            if (strcmp(name, mnp_dtype_name((mnp_dtype)dtype)) == 0) {
                parameter->dtype = (mnp_dtype)dtype;
                return MNP_OK;
            }
        }
    }
    return MNP_FAIL(MNP_ERR_ARG,
                    "%s, position %d: '%.*s' is neither NumPy's name of a dtype, such as float32, nor one letter "
                    "that stands for one: %s",
                    what, position(list, type.text), type.length, type.text, list);
}

static mnp_status read_name(const char *list, const char *what, word name, const mnp__parameter *earlier, int count,
                            mnp__parameter *parameter)
{
    int place = position(list, name.text);
    if (!is_identifier(name) || name.length > MNP__MAX_PARAMETER_NAME)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s, position %d: '%.*s' is not the name of a parameter, which is an identifier of at most %d "
                        "characters: %s",
                        what, place, name.length, name.text, MNP__MAX_PARAMETER_NAME, list);
    if (is(name, "i") || is(name, "n") || *name.text == '_' || (name.length > 3 && strncmp(name.text, "mnp_", 4) == 0))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s, position %d: a parameter cannot be called '%.*s': i, n, and what begins with _ or mnp_, "
                        "have another meaning: %s",
                        what, place, name.length, name.text, list);
    for (int k = 0; k < count; k++) {
        if (is(name, earlier[k].name))
            return MNP_FAIL(MNP_ERR_ARG, "%s, position %d: there is a parameter '%.*s' already: %s", what, place,
                            name.length, name.text, list);
    }
    memcpy(parameter->name, name.text, (size_t)name.length);
    parameter->name[name.length] = '\0';
    return MNP_OK;
}

/* Read one parameter, up to the comma or the end. */
static mnp_status read_parameter(const char *list, const char *what, const char **at, const mnp__parameter *earlier,
                                 int count, mnp__parameter *parameter)
{
    word type = next_word(at);
    *parameter = (mnp__parameter){.dtype = MNP_DTYPE_AUTO};
    if (is(type, "raw")) {
        parameter->raw = true;
        type = next_word(at);
    }
    word name = next_word(at);
    if (name.length == 0)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s, position %d: a parameter is a type and a name, such as 'float32 x', 'T x' or 'raw T "
                        "x'"
                        ": %s",
                        what, position(list, type.text), list);
    MNP_TRY(read_type(list, what, type, parameter));
    MNP_TRY(read_name(list, what, name, earlier, count, parameter));
    word rest = next_word(at);
    if (rest.length > 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s, position %d: a comma is missing before '%.*s': %s", what,
                        position(list, rest.text), rest.length, rest.text, list);
    return MNP_OK;
}

mnp_status mnp__parameters_parse(const char *list, const char *what, mnp__parameter *parameters, int *count)
{
    const char *at = list + strspn(list, " \t\n");
    if (!*at)
        return MNP_OK;
    for (;; at++) {
        if (*count == MNP__MAX_OPERANDS)
            return MNP_FAIL(MNP_ERR_ARG, "%s, position %d: a kernel has at most %d parameters: %s", what,
                            position(list, at), MNP__MAX_OPERANDS, list);
        MNP_TRY(read_parameter(list, what, &at, parameters, *count, &parameters[*count]));
        ++*count;
        if (*at != ',')
            return MNP_OK;
    }
}

const char *mnp__body_type(mnp_dtype dtype)
{
    switch (dtype) {
    case MNP_BOOL:
        return "bool";
    case MNP_COMPLEX64:
        return "complex<float>";
    case MNP_COMPLEX128:
        return "complex<double>";
    default:
        return mnp__jit_type(dtype);
    }
}

/* ---- the types of a call ---- */

/* What a call needs of a kernel to find its types. */
typedef struct called {
    const char *name;
    const mnp__parameter *parameters;
    int ninputs, noutputs;
} called;

/* Give a parameter, and all others of its letter, the dtype of the array in the call. */
static mnp_status bind(const called *kernel, int k, mnp_dtype dtype, mnp_dtype *dtypes)
{
    const mnp__parameter *parameters = kernel->parameters, *self = &parameters[k];
    if (dtypes[k] != MNP_DTYPE_AUTO) {
        if (dtypes[k] == dtype)
            return MNP_OK;
        if (!self->letter)
            return MNP_FAIL(MNP_ERR_ARG, "kernel %s: %s is a parameter of dtype %s, and was given an array of %s",
                            kernel->name, self->name, mnp_dtype_name(dtypes[k]), mnp_dtype_name(dtype));
        return MNP_FAIL(MNP_ERR_ARG,
                        "kernel %s: %s is of type %c, which is %s in this call, and was given an array of %s",
                        kernel->name, self->name, self->letter, mnp_dtype_name(dtypes[k]), mnp_dtype_name(dtype));
    }
    for (int other = 0; other < kernel->ninputs + kernel->noutputs; other++) {
        if (parameters[other].letter == self->letter)
            dtypes[other] = dtype;
    }
    return MNP_OK;
}

/* Whether a scalar can be converted to the dtype, as NumPy 2 converts a Python number beside an array. */
static bool can_hold(const mnp_array *scalar, mnp_dtype dtype)
{
    static const char order[] = "biufc";
    char kind = mnp_dtype_kind(dtype);
    int64_t value;
    if (scalar->weak != 'i' || (kind != 'i' && kind != 'u'))
        return strchr(order, kind) >= strchr(order, scalar->weak);
    memcpy(&value, mnp__scalar_value(scalar), sizeof value);
    int bits = 8 * (int)mnp_dtype_size(dtype);
    if (kind == 'u')
        return value >= 0 && (bits == 64 || value >> bits == 0);
    return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

static mnp_status check_scalar(const called *kernel, int k, const mnp_array *scalar, mnp_dtype dtype)
{
    static const char *const kinds[] = {
        ['b'] = "a bool", ['i'] = "the integer", ['f'] = "a float", ['c'] = "a complex number"};
    int64_t value = 0;
    if (kernel->parameters[k].raw)
        return MNP_FAIL(MNP_ERR_ARG, "kernel %s: %s is a raw parameter, and was given a scalar", kernel->name,
                        kernel->parameters[k].name);
    if (can_hold(scalar, dtype))
        return MNP_OK;
    if (scalar->weak != 'i')
        return MNP_FAIL(MNP_ERR_ARG, "kernel %s: %s is of dtype %s, and was given %s", kernel->name,
                        kernel->parameters[k].name, mnp_dtype_name(dtype), kinds[(int)scalar->weak]);
    memcpy(&value, mnp__scalar_value(scalar), sizeof value);
    return MNP_FAIL(MNP_ERR_ARG, "kernel %s: %s is of dtype %s, and was given the integer %" PRId64, kernel->name,
                    kernel->parameters[k].name, mnp_dtype_name(dtype), value);
}

/* Input arrays decide first, then given outputs, then scalars. */
mnp_status mnp__parameters_resolve(const char *name, const mnp__parameter *parameters, int ninputs, int noutputs,
                                   const mnp_array *const *inputs, mnp_array **const *outputs_p, mnp_dtype *dtypes)
{
    const called self = {name, parameters, ninputs, noutputs}, *kernel = &self;
    int count = kernel->ninputs + kernel->noutputs;
    for (int k = 0; k < count; k++)
        dtypes[k] = kernel->parameters[k].dtype;
    for (int k = 0; k < count; k++) {
        const mnp_array *array = k < kernel->ninputs ? inputs[k] : *outputs_p[k - kernel->ninputs];
        if (k < kernel->ninputs && !array)
            return MNP_FAIL(MNP_ERR_ARG, "kernel %s: %s was given NULL", kernel->name, kernel->parameters[k].name);
        if (array && !mnp__array_is_scalar(array))
            MNP_TRY(bind(kernel, k, array->dtype, dtypes));
    }
    for (int k = 0; k < kernel->ninputs; k++) {
        if (mnp__array_is_scalar(inputs[k]) && dtypes[k] == MNP_DTYPE_AUTO)
            MNP_TRY(bind(kernel, k, inputs[k]->dtype, dtypes));
    }
    for (int k = 0; k < count; k++) {
        if (dtypes[k] == MNP_DTYPE_AUTO)
            return MNP_FAIL(MNP_ERR_ARG,
                            "kernel %s: nothing tells what type %c is, which output %s alone has: give that output an "
                            "array",
                            kernel->name, kernel->parameters[k].letter, kernel->parameters[k].name);
        if (k < kernel->ninputs && mnp__array_is_scalar(inputs[k]))
            MNP_TRY(check_scalar(kernel, k, inputs[k], dtypes[k]));
    }
    return MNP_OK;
}
