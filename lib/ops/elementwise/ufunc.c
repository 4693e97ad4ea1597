/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules by which the types of a ufunc are found, which are NumPy's.
 *
 * NumPy searches a function's loops, in their order, for the first to whose types all inputs can be cast safely.  A
 * Python number first becomes the type that it takes beside the other inputs (NEP 50).  The table has the loops in
 * NumPy's order.
 */
#include "ops/elementwise/ufunc.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/status.h"
#include "base/text.h"

#define MNP__ROW(name, inputs, outputs, loops, results, summary) {#name, inputs, outputs, loops, results, summary},

const mnp__ufunc mnp__ufuncs[] = {MNP_UFUNCS(MNP__ROW) MNP_UFUNCS_INTERNAL(MNP__ROW){.name = NULL}};

#define MNP__ALIAS(alias, name, inputs, outputs) {#alias, #name},

static const struct alias {
    const char *alias, *name;
} aliases[] = {MNP_UFUNC_ALIASES(MNP__ALIAS)};

static const char letters[] = "?bhilBHILeEfdFD"; /* in the order of mnp_dtype, from MNP_BOOL on */

static bool same(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

const mnp__ufunc *mnp__ufunc_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (same(aliases[i].alias, name, length)) {
            name = aliases[i].name;
            length = strlen(name);
            break;
        }
    }
    for (const mnp__ufunc *ufunc = mnp__ufuncs; ufunc->name; ufunc++) {
        if (same(ufunc->name, name, length))
            return ufunc;
    }
    return NULL;
}

mnp__type mnp__type_of(const mnp_array *array)
{
    return (mnp__type){array->dtype, array->weak == 'b' ? '\0' : array->weak};
}

static bool is_weak(mnp__type type)
{
    return type.weak == 'i' || type.weak == 'f' || type.weak == 'c';
}

/* Promote the types that are not weak; false if all are weak. */
static bool promote_strong(int count, const mnp__type *types, mnp_dtype *dtype_p)
{
    bool found = false;
    for (int i = 0; i < count; i++) {
        if (is_weak(types[i]))
            continue;
        *dtype_p = found ? mnp_dtype_promote(*dtype_p, types[i].dtype) : types[i].dtype;
        found = true;
    }
    return found;
}

/* The dtype that a Python number takes beside arrays whose types promote to `strong`. */
static mnp_dtype settle(mnp__type type, mnp_dtype strong)
{
    char kind = mnp_dtype_kind(strong);
    bool is_float = kind == 'f' || kind == 'c';
    if (!is_weak(type) || kind == 'b')
        return type.dtype;
    if (type.weak == 'i' || (type.weak == 'f' && is_float))
        return strong;
    return is_float ? mnp_dtype_promote(strong, MNP_COMPLEX64) : type.dtype;
}

mnp__type mnp__result_type(int count, const mnp__type *types)
{
    mnp_dtype strong = MNP_BOOL;
    bool found = promote_strong(count, types, &strong);
    mnp__type result = {found ? strong : types[0].dtype, found ? '\0' : types[0].weak};
    for (int i = 0; i < count; i++) {
        result.dtype = mnp_dtype_promote(result.dtype, settle(types[i], strong));
        if (!found)
            result.weak = mnp_dtype_kind(result.dtype);
    }
    return result;
}

static mnp_dtype dtype_of(char letter)
{
    return (mnp_dtype)(MNP_BOOL + (strchr(letters, letter) - letters));
}

/*
 * Whether all inputs can be cast to the types of one loop, which is one letter for all inputs or one for each.  With
 * one for each, a Python integer takes any type that is there, unless all other inputs are bools.
 */
static bool suits(const char *item, size_t length, int count, const mnp__type *inputs, mnp_dtype strong,
                  const mnp_dtype *settled)
{
    for (int i = 0; i < count; i++) {
        mnp_dtype target = dtype_of(item[length == 1 ? 0 : i]);
        bool takes_any = length > 1 && inputs[i].weak == 'i' && strong != MNP_BOOL;
        if (!takes_any && !mnp_can_cast(settled[i], target, MNP_CASTING_SAFE))
            return false;
    }
    return true;
}

/* Find the first loop that suits `count` inputs. */
static bool search(const char *items, int count, const mnp__type *inputs, mnp_dtype strong, const mnp_dtype *settled,
                   mnp_dtype *loop)
{
    for (const char *item = items; *item;) {
        size_t length = strcspn(item, " ");
        if (length > 0 && suits(item, length, count, inputs, strong, settled)) {
            for (int i = 0; i < count; i++)
                loop[i] = dtype_of(item[length == 1 ? 0 : i]);
            return true;
        }
        item += length + (item[length] == ' ');
    }
    return false;
}

static mnp_dtype result_of(char rule, const mnp_dtype *loop)
{
    if (rule == 'r')
        return mnp__dtype_real(loop[0]);
    return rule >= '0' && rule <= '9' ? loop[rule - '0'] : dtype_of(rule);
}

static mnp_status fail_undefined(const mnp__ufunc *ufunc, const mnp__type *inputs)
{
    mnp__text text = MNP__TEXT_EMPTY;
    for (int i = 0; i < ufunc->ninputs; i++) {
        const char *name = inputs[i].weak == 'i'   ? "an integer"
                           : inputs[i].weak == 'f' ? "a float"
                           : inputs[i].weak == 'c' ? "a complex number"
                                                   : mnp_dtype_name(inputs[i].dtype);
        mnp__text_add(&text, "%s%s", i == 0 ? "" : i + 1 < ufunc->ninputs ? ", " : " and ", name);
    }
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s is not defined for %s", ufunc->name, mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

mnp_status mnp__ufunc_resolve(const mnp__ufunc *ufunc, const mnp__type *inputs, mnp_dtype *loop, mnp_dtype *results)
{
    char mark = ufunc->loops[1] == ' ' && strchr("!/tc", ufunc->loops[0]) ? ufunc->loops[0] : '\0';
    const char *items = mark ? ufunc->loops + 2 : ufunc->loops;
    int first = mark == 'c' ? 1 : mark == 't' ? ufunc->ninputs : 0, count = ufunc->ninputs - first;
    mnp_dtype strong = MNP_BOOL, settled[MNP__MAX_UFUNC_INPUTS], types[MNP__MAX_UFUNC_INPUTS];
    bool floats = false, bools = true;
    promote_strong(count, inputs + first, &strong);
    for (int i = 0; i < count; i++) {
        settled[i] = settle(inputs[first + i], strong);
        floats = floats || mnp__dtype_is_inexact(settled[i]);
        bools = bools && settled[i] == MNP_BOOL;
    }
    for (int i = 0; i < ufunc->ninputs; i++)
        types[i] = i < first ? MNP_BOOL : MNP_FLOAT64;
    bool found = count == 0 || (mark == '/' && !floats);
    if (!found && !(mark == '!' && bools))
        found = search(items, count, inputs + first, strong, settled, types + first);
    if (!found)
        return fail_undefined(ufunc, inputs);
    memcpy(loop, types, (size_t)ufunc->ninputs * sizeof *loop);
    for (int i = 0; i < ufunc->noutputs; i++)
        results[i] = result_of(ufunc->results[i], types);
    return MNP_OK;
}

bool mnp__ufunc_compares(const mnp__ufunc *ufunc)
{
    return strncmp(ufunc->loops, MNP_LOOPS_COMPARED, sizeof MNP_LOOPS_COMPARED - 1) == 0;
}

mnp_status mnp_result_type(int count, const mnp_array *const *arrays, mnp_dtype *dtype_p)
{
    MNP_ENTER(dtype_p);
    MNP_NEED_ALL(count, arrays);
    mnp__type *types;
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_result_type is asked for %d arrays; give one at least", count);
    MNP_TRY(mnp__calloc((size_t)count, sizeof *types, &types));
    for (int i = 0; i < count; i++)
        types[i] = mnp__type_of(arrays[i]);
    *dtype_p = mnp__result_type(count, types).dtype;
    free(types);
    return MNP_OK;
}
