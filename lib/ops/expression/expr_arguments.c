/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments of functions of whole arrays: NumPy's signature of a function says which ones there are, and the name
 * of a parameter says how its argument is read.
 */
#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "ops/expression/expr_parser.h"

enum kind { ARRAY, LIST, AXIS, KEEPDIMS, DTYPE, DDOF, INITIAL, INTEGERS, REALS, WORD, FLAG };

/* Parameters that are no arrays; `detail` is which list of integers, or which flag. */
static const struct known {
    const char *name;
    enum kind kind;
    unsigned detail;
} known[] = {
    {"arrays", LIST, 0},
    {"axis", AXIS, 0},
    {"keepdims", KEEPDIMS, 0},
    {"dtype", DTYPE, 0},
    {"ddof", DDOF, 0},
    {"initial", INITIAL, 0},
    {"q", REALS, 0},
    {"dx", REALS, 0},
    {"range", REALS, 0},
    {"ord", REALS, 0},
    {"method", WORD, 0},
    {"mode", WORD, 0},
    {"side", WORD, 0},
    {"norm", WORD, 0},
    {"n", INTEGERS, 0},
    {"k", INTEGERS, 0},
    {"kth", INTEGERS, 0},
    {"shift", INTEGERS, 0},
    {"shape", INTEGERS, 0},
    {"axes", INTEGERS, 0},
    {"reps", INTEGERS, 0},
    {"repeats", INTEGERS, 0},
    {"bins", INTEGERS, 0},
    {"minlength", INTEGERS, 0},
    {"pad_width", INTEGERS, 0},
    {"decimals", INTEGERS, 0},
    {"edge_order", INTEGERS, 0},
    {"offset", INTEGERS, 0},
    {"source", INTEGERS, 0},
    {"axis1", INTEGERS, 0},
    {"s", INTEGERS, 1},
    {"destination", INTEGERS, 1},
    {"axis2", INTEGERS, 1},
    {"type", INTEGERS, 2},
    {"return_index", FLAG, MNP__FLAG_INDEX},
    {"return_inverse", FLAG, MNP__FLAG_INVERSE},
    {"return_counts", FLAG, MNP__FLAG_COUNTS},
    {"invert", FLAG, MNP__FLAG_INVERT},
    {"largest", FLAG, MNP__FLAG_LARGEST},
    {"density", FLAG, MNP__FLAG_DENSITY},
    {"right", FLAG, MNP__FLAG_RIGHT},
    {"rowvar", FLAG, MNP__FLAG_ROWVAR},
    {"bias", FLAG, MNP__FLAG_BIAS},
};

typedef struct parameter {
    mnp__word name;
    const char *standard; /* its default value in the signature, or NULL: it must be given */
    bool by_name;
    enum kind kind;
    unsigned detail;
} parameter;

enum { MAX_PARAMETERS = 12 };

typedef struct binding {
    mnp__parser *p;
    mnp__array_call *call;
    mnp__node *node;
    int count, positional; /* parameters; how many were given by position */
    parameter parameters[MAX_PARAMETERS];
    bool given[MAX_PARAMETERS];
} binding;

/* ---- signatures ---- */

static void read_signature(binding *b, const char *signature)
{
    bool by_name = false;
    for (const char *c = signature; *c; c += strspn(c, ", ")) {
        size_t length = strcspn(c, ",="), end = strcspn(c, ",");
        if (memchr(c, '(', end)) /* a default value of several numbers */
            end = strcspn(c, ")") + 1;
        if (*c == '*') {
            by_name = true;
        } else {
            parameter *p = &b->parameters[b->count++];
            *p = (parameter){.name = {c, length}, .standard = c[length] == '=' ? c + length + 1 : NULL};
            p->by_name = by_name;
            for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
                if (mnp__word_is(p->name, known[i].name)) {
                    p->kind = known[i].kind;
                    p->detail = known[i].detail;
                }
            }
        }
        c += end;
    }
}

/* The number of a parameter among those that are arrays. */
static int slot_of(const binding *b, int number)
{
    int slot = 0;
    for (int i = 0; i < number; i++)
        slot += b->parameters[i].kind == ARRAY;
    return slot;
}

/* ---- values ---- */

static bool at_none(const mnp__parser *p)
{
    return mnp__parser_at_name(p, "None");
}

/* Advance over the bracket that begins a list, and set what ends it; *list_p is whether there is one. */
static mnp_status open_list(mnp__parser *p, bool *list_p, const char **end_p)
{
    *list_p = mnp__parser_at(p, "(") || mnp__parser_at(p, "[");
    *end_p = mnp__parser_at(p, "(") ? ")" : "]";
    return *list_p ? mnp__parser_advance(p) : MNP_OK;
}

/* Advance over the comma after an element; *more_p is whether another one comes. */
static mnp_status next_element(mnp__parser *p, bool list, const char *end, bool *more_p)
{
    *more_p = false;
    if (!list)
        return MNP_OK;
    if (mnp__parser_at(p, ","))
        MNP_TRY(mnp__parser_advance(p));
    else if (!mnp__parser_at(p, end))
        return mnp__parser_fail_expected(p, *end == ')' ? "',' or ')'" : "',' or ']'");
    *more_p = !mnp__parser_at(p, end);
    return *more_p ? MNP_OK : mnp__parser_advance(p);
}

static mnp_status parse_integer(mnp__parser *p, const char *wanted, int64_t *value_p)
{
    bool negative = mnp__parser_at(p, "-");
    if (negative)
        MNP_TRY(mnp__parser_advance(p));
    if (p->token.kind != MNP__TOKEN_NUMBER || p->token.number.kind != 'i')
        return mnp__parser_fail_expected(p, wanted);
    if (!mnp__wide_fits(p->token.number.integer, MNP_INT64))
        return mnp__expression_fail(p->expression, p->token.word.start, "this number does not fit 64 bits");
    *value_p = (int64_t)p->token.number.integer;
    if (negative)
        *value_p = -*value_p;
    return mnp__parser_advance(p);
}

static mnp_status parse_real(mnp__parser *p, double *value_p)
{
    bool negative = mnp__parser_at(p, "-");
    if (negative)
        MNP_TRY(mnp__parser_advance(p));
    const mnp__number *number = &p->token.number;
    if (mnp__parser_at_name(p, "inf"))
        *value_p = __builtin_inf();
    else if (p->token.kind == MNP__TOKEN_NUMBER && number->kind != 'c')
        *value_p = number->kind == 'i' ? (double)number->integer : number->real;
    else
        return mnp__parser_fail_expected(p, "a number");
    if (negative)
        *value_p = -*value_p;
    return mnp__parser_advance(p);
}

static mnp_status parse_integers(mnp__parser *p, mnp__integers *integers)
{
    const char *end;
    if (at_none(p))
        return mnp__parser_advance(p);
    MNP_TRY(open_list(p, &integers->is_list, &end));
    for (bool more = true; more;) {
        if (integers->count == MNP_MAX_DIMS)
            return mnp__expression_fail(p->expression, p->token.word.start, "there are more than %d numbers",
                                        MNP_MAX_DIMS);
        MNP_TRY(parse_integer(p, "an integer", &integers->values[integers->count++]));
        MNP_TRY(next_element(p, integers->is_list, end, &more));
    }
    return MNP_OK;
}

static mnp_status parse_reals(mnp__parser *p, mnp__constants *constants)
{
    const char *end;
    if (at_none(p))
        return mnp__parser_advance(p);
    MNP_TRY(open_list(p, &constants->reals_are_list, &end));
    for (bool more = true; more;) {
        if (constants->nreals == MNP__MAX_REALS)
            return mnp__expression_fail(p->expression, p->token.word.start, "there are more than %d numbers",
                                        MNP__MAX_REALS);
        MNP_TRY(parse_real(p, &constants->reals[constants->nreals++]));
        MNP_TRY(next_element(p, constants->reals_are_list, end, &more));
    }
    return MNP_OK;
}

/* Parse axes: None, 1, or (0, -1). */
static mnp_status parse_axes(mnp__parser *p, mnp__constants *constants)
{
    static const char wanted[] = "an axis: an integer, integers in parentheses, or None";
    mnp_axes *axes = &constants->axes;
    const char *end;
    bool list;
    constants->flat = at_none(p);
    if (constants->flat)
        return mnp__parser_advance(p);
    MNP_TRY(open_list(p, &list, &end));
    for (bool more = true; more;) {
        const char *at = p->token.word.start;
        int64_t axis;
        MNP_TRY(parse_integer(p, wanted, &axis));
        if (axes->count == MNP_MAX_DIMS || axis > INT16_MAX || axis < INT16_MIN)
            return mnp__expression_fail(p->expression, at, "no array has that axis: there are at most %d",
                                        MNP_MAX_DIMS);
        axes->axes[axes->count++] = (int)axis;
        MNP_TRY(next_element(p, list, end, &more));
    }
    return MNP_OK;
}

static mnp_status parse_truth(mnp__parser *p, bool *truth_p)
{
    *truth_p = mnp__parser_at_name(p, "True");
    if (!*truth_p && !mnp__parser_at_name(p, "False"))
        return mnp__parser_fail_expected(p, "True or False");
    return mnp__parser_advance(p);
}

static mnp_status parse_option_dtype(mnp__parser *p, mnp_axes *axes)
{
    mnp_dtype dtype;
    if (at_none(p))
        return mnp__parser_advance(p);
    MNP_TRY(mnp__parser_dtype(p, &dtype));
    axes->dtype = mnp_dtype_name(dtype);
    return MNP_OK;
}

static mnp_status parse_word(mnp__parser *p, mnp__constants *constants)
{
    size_t length = p->token.word.length;
    if (at_none(p))
        return mnp__parser_advance(p);
    if (p->token.kind != MNP__TOKEN_STRING)
        return mnp__parser_fail_expected(p, "a string such as 'linear'");
    if (length >= sizeof constants->word)
        return mnp__expression_fail(p->expression, p->token.word.start, "no option has such a long word");
    memcpy(constants->word, p->token.word.start, length);
    constants->word[length] = '\0';
    return mnp__parser_advance(p);
}

static mnp_status parse_initial(mnp__parser *p, mnp__number *initial)
{
    mnp__parser ahead = *p;
    int64_t value;
    if (at_none(p))
        return mnp__parser_advance(p);
    if (mnp__parser_at(p, "-"))
        MNP_TRY(mnp__parser_advance(&ahead));
    if (ahead.token.kind != MNP__TOKEN_NUMBER || ahead.token.number.kind != 'i') {
        *initial = (mnp__number){.kind = 'f'};
        return parse_real(p, &initial->real);
    }
    MNP_TRY(parse_integer(p, "a number", &value));
    *initial = (mnp__number){.kind = 'i', .integer = value};
    return MNP_OK;
}

/* ---- arrays ---- */

static mnp_status add_array(binding *b, int slot)
{
    const char *at = b->p->token.word.start;
    int node;
    if (slot < 0 && b->node->narguments == MNP__MAX_ARGUMENTS)
        return mnp__expression_fail(b->p->expression, at, "%.*s takes at most %d arrays", (int)b->call->name.length,
                                    b->call->name.start, MNP__MAX_ARGUMENTS);
    MNP_TRY(mnp__parser_value(b->p, &node));
    if (slot >= 0)
        b->call->slots[slot] = b->node->narguments;
    b->node->arguments[b->node->narguments++] = node;
    return MNP_OK;
}

/* Parse (x, y, z). */
static mnp_status parse_list(binding *b)
{
    const char *end;
    bool list;
    MNP_TRY(open_list(b->p, &list, &end));
    if (!list)
        return mnp__parser_fail_expected(b->p, "arrays in parentheses");
    for (bool more = true; more;) {
        MNP_TRY(add_array(b, -1));
        MNP_TRY(next_element(b->p, true, end, &more));
    }
    return MNP_OK;
}

/* ---- binding ---- */

static mnp_status parse_argument(binding *b, mnp__parser *p, int number)
{
    const parameter *which = &b->parameters[number];
    mnp__constants *constants = &b->call->constants;
    bool truth;
    switch (which->kind) {
    case ARRAY:
        return at_none(p) && which->standard ? mnp__parser_advance(p) : add_array(b, slot_of(b, number));
    case LIST:
        return parse_list(b);
    case AXIS:
        return parse_axes(p, constants);
    case KEEPDIMS:
        return parse_truth(p, &constants->axes.keepdims);
    case DTYPE:
        return parse_option_dtype(p, &constants->axes);
    case DDOF:
        return parse_real(p, &constants->axes.ddof);
    case INITIAL:
        return parse_initial(p, &constants->initial);
    case INTEGERS:
        return parse_integers(p, &constants->integers[which->detail]);
    case REALS:
        return parse_reals(p, constants);
    case WORD:
        return parse_word(p, constants);
    default:
        MNP_TRY(parse_truth(p, &truth));
        constants->flags |= truth ? which->detail : 0;
        return MNP_OK;
    }
}

/* Take the default values of parameters that were not given; arrays have none. */
static mnp_status take_defaults(binding *b)
{
    for (int i = 0; i < b->count; i++) {
        const parameter *which = &b->parameters[i];
        if (b->given[i])
            continue;
        if (!which->standard)
            return mnp__expression_fail(b->p->expression, b->p->token.word.start, "%.*s lacks its argument %.*s",
                                        (int)b->call->name.length, b->call->name.start, (int)which->name.length,
                                        which->name.start);
        mnp__parser reader = {.expression = b->p->expression,
                              .lexer = {.expression = b->p->expression, .next = which->standard}};
        MNP_TRY(mnp__parser_advance(&reader));
        MNP_TRY(parse_argument(b, &reader, i));
    }
    return MNP_OK;
}

/* Say which options there are, after one that is not. */
static mnp_status fail_option(const binding *b, mnp__word name)
{
    char list[256] = "";
    size_t length = 0;
    int options = 0, seen = 0;
    for (int i = 0; i < b->count; i++)
        options += b->parameters[i].standard != NULL;
    for (int i = 0; i < b->count && length < sizeof list; i++) {
        const mnp__word *option = &b->parameters[i].name;
        if (!b->parameters[i].standard)
            continue;
        seen++;
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%.*s",
                                   seen == 1         ? ""
                                   : seen == options ? " and "
                                                     : ", ",
                                   (int)option->length, option->start);
    }
    return mnp__expression_fail(b->p->expression, name.start, "%.*s has no option '%.*s'%s%s",
                                (int)b->call->name.length, b->call->name.start,
                                name.length < 100 ? (int)name.length : 100, name.start,
                                options == 0   ? ""
                                : options == 1 ? ": there is "
                                               : ": there are ",
                                list);
}

/* Find the parameter of name=value if that comes next, and advance to the value; *number_p is -1 if it does not. */
static mnp_status find_named(binding *b, int *number_p)
{
    mnp__parser before = *b->p;
    mnp__word name = b->p->token.word;
    *number_p = -1;
    if (b->p->token.kind != MNP__TOKEN_NAME)
        return MNP_OK;
    MNP_TRY(mnp__parser_advance(b->p));
    if (!mnp__parser_at(b->p, "=")) {
        *b->p = before;
        return MNP_OK;
    }
    for (int i = 0; i < b->count; i++) {
        const mnp__word *known_name = &b->parameters[i].name;
        if (known_name->length == name.length && memcmp(known_name->start, name.start, name.length) == 0)
            *number_p = i;
    }
    if (*number_p < 0)
        return fail_option(b, name);
    if (b->given[*number_p])
        return mnp__expression_fail(b->p->expression, name.start, "%.*s is given twice", (int)name.length, name.start);
    return mnp__parser_advance(b->p);
}

/* Find the parameter of an argument without a name. */
static mnp_status find_positional(binding *b, int *number_p)
{
    int next = b->positional;
    while (next < b->count && !b->parameters[next].by_name && b->given[next])
        next++;
    b->positional = next;
    if (next < b->count && !b->parameters[next].by_name) {
        *number_p = next;
        return MNP_OK;
    }
    if (next < b->count)
        return mnp__parser_fail_expected(b->p, "an option by its name, such as keepdims=True");
    return mnp__expression_fail(b->p->expression, b->p->token.word.start, "%.*s takes at most %d argument%s",
                                (int)b->call->name.length, b->call->name.start, b->count, b->count == 1 ? "" : "s");
}

/* x.reshape(2, 3) is x.reshape((2, 3)): more integers, up to the end, belong to the list that was begun. */
static mnp_status parse_more_integers(binding *b, bool *done_p)
{
    const parameter *last = &b->parameters[b->count - 1];
    mnp__integers *integers = &b->call->constants.integers[last->detail];
    *done_p = b->positional == b->count - 1 && b->given[b->count - 1] && last->kind == INTEGERS && !integers->is_list &&
              integers->count > 0 && integers->count < MNP_MAX_DIMS;
    return *done_p ? parse_integer(b->p, "an integer", &integers->values[integers->count++]) : MNP_OK;
}

mnp_status mnp__parser_arguments(mnp__parser *p, const char *signature, mnp__array_call *call, mnp__node *node)
{
    binding b = {.p = p, .call = call, .node = node};
    bool method = node->narguments > 0, done = false;
    read_signature(&b, signature);
    for (int i = 0; i < MNP__MAX_ARGUMENTS; i++)
        call->slots[i] = -1;
    if (method) {
        call->slots[0] = 0;
        b.given[0] = true;
    }
    while (!mnp__parser_at(p, ")")) {
        int number;
        MNP_TRY(find_named(&b, &number));
        if (number < 0 && method)
            MNP_TRY(parse_more_integers(&b, &done));
        if (number < 0 && !done)
            MNP_TRY(find_positional(&b, &number));
        if (number >= 0) {
            b.given[number] = true;
            MNP_TRY(parse_argument(&b, p, number));
        }
        done = false;
        if (!mnp__parser_at(p, ","))
            break;
        MNP_TRY(mnp__parser_advance(p));
    }
    if (!mnp__parser_at(p, ")"))
        return mnp__parser_fail_expected(p, "',' or ')'");
    MNP_TRY(take_defaults(&b));
    call->narrays = node->narguments;
    return mnp__parser_advance(p);
}
