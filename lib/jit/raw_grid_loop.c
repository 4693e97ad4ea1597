/* SPDX-License-Identifier: BSD-3-Clause */
#include "jit/raw_grid_loop.h"

#include <string.h>

#include "base/text.h"

/* The search in a kernel. */
typedef struct search {
    mnp__raw_reader in;
    mnp__raw_edits *edits;
    mnp__raw_token number, step; /* variables that are a thread's number, and the number of threads */
} search;

static mnp__raw_token next(search *s)
{
    return mnp__raw_next(&s->in);
}

static bool is_same(mnp__raw_token a, mnp__raw_token b)
{
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

static bool is_one_of(mnp__raw_token t, const char *characters)
{
    return t.size == 1 && strchr(characters, *t.text);
}

/* Replace what stands from one token to another, if that is within a line. */
static bool replace(search *s, mnp__raw_token first, mnp__raw_token last, const char *text)
{
    const char *end = last.text + last.size;
    return !memchr(first.text, '\n', (size_t)(end - first.text)) && mnp__raw_add_edit(s->edits, first.text, end, text);
}

bool mnp__raw_forbids_turns(mnp__raw_token t)
{
    static const char *const words[] = {"return", "break", "goto", "static", "extern", "__shared__", "thread_local"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (mnp__raw_is(t, words[i]))
            return true;
    }
    return false;
}

/* Whether three tokens name a place along x that threads of a row do not share. */
static bool is_along_x(mnp__raw_token place, mnp__raw_token dot, mnp__raw_token t)
{
    return mnp__raw_is(t, "x") && mnp__raw_is(dot, ".") &&
           (mnp__raw_is(place, "threadIdx") || mnp__raw_is(place, "blockIdx"));
}

/* ---- what stands before the loop ---- */

/* What has been read of a declaration: the tokens of a type and a name. */
typedef struct declarator {
    int count;
    mnp__raw_token name;
    bool is_pointer, is_const;
} declarator;

/* Take another token of a declaration; false for references, arrays and what is no declaration. */
static bool take(declarator *d, mnp__raw_token t)
{
    if (mnp__raw_is(t, "*")) {
        d->is_pointer = true;
        d->is_const = false;
    } else if (mnp__raw_is(t, "const")) {
        d->is_const = true;
    } else if (!(mnp__is_in_name(*t.text) || is_one_of(t, "<>,:")) || mnp__raw_is(t, "volatile") ||
               mnp__raw_forbids_turns(t)) {
        return false;
    }
    d->name = t;
    d->count++;
    return true;
}

/* Make what was declared const. */
static bool keep(search *s, const declarator *d)
{
    return d->count >= 2 && mnp__raw_is_name(d->name) && !mnp__raw_is(d->name, "const") &&
           (d->is_const || mnp__raw_add_edit(s->edits, d->name.text, d->name.text, "MNP_KEPT "));
}

static bool read_parameters(search *s)
{
    declarator d = {0};
    for (int angles = 0;;) {
        const mnp__raw_token t = next(s);
        angles += mnp__raw_is(t, "<") - mnp__raw_is(t, ">");
        if (t.size == 0)
            return false;
        if (angles == 0 && is_one_of(t, ",)")) {
            const bool is_none = mnp__raw_is(t, ")") && (d.count == 0 || (d.count == 1 && mnp__raw_is(d.name, "void")));
            if (!is_none && !keep(s, &d))
                return false;
            if (mnp__raw_is(t, ")"))
                return true;
            d = (declarator){0};
        } else if (!take(&d, t)) {
            return false;
        }
    }
}

typedef enum value { BAD, OTHER, NUMBER, STEP } value;

static value judge(const search *s, const char *words, int count, bool names_number, mnp__raw_token last)
{
    const bool is_number = count == 1 && names_number, is_step = count == 1 && is_same(last, s->step);
    if (mnp__raw_is_number(words) || is_number)
        return NUMBER;
    if (mnp__raw_is_number_of_threads(words) || is_step)
        return STEP;
    return count == 0 || names_number ? BAD : OTHER;
}

/*
 * Read a value up to the `end` behind it.  It must have no calls, as it is computed for all threads at once, and a
 * thread's number can be all of it alone.
 */
static value read_value(search *s, const char *end)
{
    mnp__text words = MNP__TEXT_EMPTY;
    bool is_good = true, names_number = false;
    int count = 0, depth = 0;
    while (is_good) {
        const mnp__raw_token third = s->in.before, before = s->in.last, t = next(s);
        if (depth == 0 && is_one_of(t, end))
            break;
        depth += is_one_of(t, "([") - is_one_of(t, ")]");
        is_good = t.size > 0 && depth >= 0 && !is_one_of(t, "{};=") && !mnp__raw_forbids_turns(t) &&
                  !(mnp__raw_is(t, "(") && mnp__raw_is_name(before));
        names_number = names_number || is_same(t, s->number) || is_along_x(third, before, t);
        mnp__raw_keep_word(&words, t);
        count++;
    }
    const value v = is_good ? judge(s, mnp__text_string(&words), count, names_number, s->in.before) : BAD;
    mnp__text_free(&words);
    return v;
}

/* Read variables with their values, after the first word of their type. */
static bool read_variables(search *s)
{
    declarator d = {0};
    for (mnp__raw_token t = s->in.last; !mnp__raw_is(t, "="); t = next(s)) {
        if (t.size == 0 || !take(&d, t))
            return false;
    }
    if (!keep(s, &d))
        return false;
    for (;;) {
        const value v = read_value(s, ",;");
        if (v == BAD || (v == NUMBER && s->number.size > 0))
            return false;
        if (v == NUMBER)
            s->number = d.name;
        if (v == STEP)
            s->step = d.name;
        if (mnp__raw_is(s->in.last, ";"))
            return true;
        d.name = next(s);
        if (d.is_pointer || !mnp__raw_is_name(d.name) || !mnp__raw_is(next(s), "="))
            return false;
    }
}

/* ---- the loop ---- */

static bool is_integer_type(mnp__raw_token t)
{
    static const char *const types[] = {"int",     "long",    "unsigned", "size_t",
                                        "int64_t", "int32_t", "uint32_t", "uint64_t"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (mnp__raw_is(t, types[i]))
            return true;
    }
    return false;
}

/* Read the type and the name of the loop's variable, up to the = behind them; the type if it is one word. */
static bool read_loop_variable(search *s, mnp__raw_token *type_p, mnp__raw_token *name_p)
{
    int words = 0;
    for (mnp__raw_token t; !mnp__raw_is(t = next(s), "="); words++) {
        if (!mnp__raw_is_name(t) || (words > 0 && !is_integer_type(*name_p)))
            return false;
        *type_p = words == 1 ? *name_p : (mnp__raw_token){0};
        *name_p = t;
    }
    return words >= 2;
}

/* Read the number of elements, up to the ; behind it: names, numbers and operators, which no turn changes. */
static bool read_bound(search *s, mnp__raw_token variable)
{
    int depth = 0, count = 0;
    for (;; count++) {
        const mnp__raw_token third = s->in.before, before = s->in.last, t = next(s);
        if (depth == 0 && mnp__raw_is(t, ";"))
            return count > 0;
        const bool is_word = t.size > 0 && mnp__is_in_name(*t.text);
        depth += mnp__raw_is(t, "(") - mnp__raw_is(t, ")");
        if (depth < 0 || !(is_word || is_one_of(t, "+-*/%().")) || is_same(t, variable) || is_same(t, s->number) ||
            is_along_x(third, before, t) || (mnp__raw_is(t, "(") && mnp__raw_is_name(before)) ||
            (mnp__raw_is(t, "*") && !mnp__is_in_name(*before.text) && !mnp__raw_is(before, ")")))
            return false;
    }
}

/* Read `= NUMBER; NAME < BOUND; NAME += STEP)` and make `, NAME, BOUND)` of it. */
static bool read_header(search *s, mnp__raw_token name)
{
    const mnp__raw_token equals = s->in.last;
    if (read_value(s, ";") != NUMBER || !replace(s, equals, s->in.last, ","))
        return false;
    if (!is_same(next(s), name) || !mnp__raw_is(next(s), "<") || !replace(s, s->in.last, s->in.last, ","))
        return false;
    if (!read_bound(s, name))
        return false;
    const mnp__raw_token semicolon = s->in.last;
    return is_same(next(s), name) && mnp__raw_is(next(s), "+") && mnp__raw_is(next(s), "=") &&
           read_value(s, ")") == STEP && replace(s, semicolon, s->in.before, "");
}

/* Read the loop's statement, and the brace behind it that ends the kernel. */
static bool read_body(search *s)
{
    static const char *const begins[] = {"if", "for", "while", "do", "switch"};
    int depth = 0, count = 0;
    bool has_braces = false;
    for (;; count++) {
        const mnp__raw_token third = s->in.before, before = s->in.last, t = next(s);
        if (t.size == 0 || mnp__raw_forbids_turns(t) || is_same(t, s->number) || is_along_x(third, before, t))
            return false;
        has_braces = has_braces || (count == 0 && mnp__raw_is(t, "{"));
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
            if (!has_braces && mnp__raw_is(t, begins[i]))
                return false;
        }
        depth += is_one_of(t, "{([") - is_one_of(t, "})]");
        if (depth == 0 && mnp__raw_is(t, has_braces ? "}" : ";"))
            return mnp__raw_is(next(s), "}");
    }
}

static bool read_kernel(search *s)
{
    mnp__raw_token type = {0}, name = {0};
    if (!read_parameters(s) || !mnp__raw_is(next(s), "{"))
        return false;
    while (!mnp__raw_is(next(s), "for")) {
        if (!read_variables(s))
            return false;
    }
    const mnp__raw_token loop = s->in.last;
    if (!mnp__raw_is(next(s), "(") || !replace(s, loop, s->in.last, "MNP_TURNS("))
        return false;
    const int type_edit = s->edits->count;
    if (!read_loop_variable(s, &type, &name) || (mnp__raw_is(type, "int") && !replace(s, type, type, "mnp_index")) ||
        !read_header(s, name))
        return false;
    const search at_body = *s;
    if (!read_body(s))
        return false;
    const bool is_index = mnp__raw_is(type, "int");
    if (!mnp__raw_find_indices(at_body.in.at, is_index ? name : (mnp__raw_token){0}, s->edits) && is_index)
        s->edits->edit[type_edit].text = "int";
    return true;
}

bool mnp__raw_find_grid_loop(const char *parameters, mnp__raw_edits *edits)
{
    search s = {.in.at = parameters, .edits = edits};
    const int edits_before = edits->count;
    const bool is_found = read_kernel(&s);
    if (!is_found)
        edits->count = edits_before;
    return is_found;
}
