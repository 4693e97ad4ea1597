/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lines #if, #ifdef, #ifndef, #elif, #else and #endif of a kernel's text, as far as it is known which branch is
 * taken: a file serves GPUs and the host, and several tasks, of which a kernel has one.  A compiler would only skip
 * the rest, but what stands there names functions and structures, which prune.c would keep and the compiler would read.
 *
 * Known are numbers that the definitions before the text give to names, until a line of the text defines them anew.  An
 * expression of names, numbers, !, &&, ||, comparisons, parentheses and `defined NAME` is decided if that suffices; any
 * other is left to the compiler.
 */
#include <stdlib.h>
#include <string.h>

#include "jit/conditions.h"

/* ---- names ---- */

static size_t name_length(const char *name)
{
    size_t length = 0;
    while (mnp__is_in_name(name[length]))
        length++;
    return length;
}

static mnp__known *find(mnp__conditions *c, const char *name, size_t length)
{
    for (int i = 0; i < c->num_known; i++) {
        if (c->known[i].length == length && memcmp(c->known[i].name, name, length) == 0)
            return &c->known[i];
    }
    return NULL;
}

static const char *after(const char *line, const char *directive)
{
    return mnp__text_begins(line, directive) ? line + strlen(directive) : NULL;
}

void mnp__conditions_begin(mnp__conditions *c, const char *defines, bool cuda)
{
    c->depth = 0;
    c->too_deep = false;
    c->num_known = 1;
    c->known[0] = (mnp__known){.name = "MNP_CUDA", .length = strlen("MNP_CUDA"), .value = cuda};
    for (const char *line = defines; *line && c->num_known < MNP__MOST_NAMES;) {
        const char *name = after(line, "#define "), *end = line + strcspn(line, "\n");
        const size_t length = name ? name_length(name) : 0;
        char *number_end;
        const long value = length > 0 && name[length] == ' ' ? strtol(name + length + 1, &number_end, 10) : 0;
        if (length > 0 && name[length] == ' ' && number_end == end && number_end > name + length + 1)
            c->known[c->num_known++] = (mnp__known){.name = name, .length = length, .value = value};
        line = end + (*end == '\n');
    }
}

/* A line that defines a name, or no longer does: its value is not known from then on.  MNP_CUDA stays what it is. */
static void forget(mnp__conditions *c, const char *line)
{
    const char *name = after(line, "#define ");
    name = name ? name : after(line, "#undef ");
    mnp__known *known = name ? find(c, name, name_length(name)) : NULL;
    if (known && known != c->known)
        known->length = 0;
}

/* ---- expressions ---- */

typedef struct value {
    bool known;
    long is;
} value;

/* An expression is read from `at` on; `failed`: it has something else in it. */
typedef struct reader {
    mnp__conditions *c;
    const char *at;
    bool failed;
} reader;

static const value unknown = {.known = false};

static value known_as(long is)
{
    return (value){.known = true, .is = is};
}

static bool takes(reader *r, const char *token)
{
    while (*r->at == ' ')
        r->at++;
    const char *end = after(r->at, token);
    if (end)
        r->at = end;
    return end != NULL;
}

static value read_any(reader *r);

static value read_defined(reader *r)
{
    const bool enclosed = takes(r, "(");
    while (*r->at == ' ')
        r->at++;
    const size_t length = name_length(r->at);
    const bool found = find(r->c, r->at, length) != NULL;
    r->at += length;
    if (length == 0 || (enclosed && !takes(r, ")")))
        r->failed = true;
    return found ? known_as(1) : unknown;
}

static value read_one(reader *r)
{
    if (takes(r, "!")) {
        const value v = read_one(r);
        return v.known ? known_as(!v.is) : unknown;
    }
    if (takes(r, "(")) {
        const value v = read_any(r);
        r->failed |= !takes(r, ")");
        return v;
    }
    const size_t length = name_length(r->at);
    if (length == 0) {
        r->failed = true;
        return unknown;
    }
    const char *const name = r->at;
    r->at += length;
    if (length == strlen("defined") && mnp__text_begins(name, "defined"))
        return read_defined(r);
    if (mnp__is_digit(*name)) {
        char *end;
        const long number = strtol(name, &end, 10);
        r->failed |= end != name + length;
        return known_as(number);
    }
    const mnp__known *known = find(r->c, name, length);
    return known ? known_as(known->value) : unknown;
}

static value read_comparison(reader *r)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    const value left = read_one(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!takes(r, signs[i]))
            continue;
        const value right = read_one(r);
        const bool results[] = {left.is == right.is, left.is != right.is, left.is <= right.is, left.is >= right.is,
                                left.is<right.is, left.is> right.is};
        return left.known && right.known ? known_as(results[i]) : unknown;
    }
    return left;
}

static value read_all(reader *r)
{
    value all = read_comparison(r);
    while (takes(r, "&&")) {
        const value next = read_comparison(r);
        const bool no = (all.known && !all.is) || (next.known && !next.is);
        all = no ? known_as(0) : all.known && next.known ? known_as(1) : unknown;
    }
    return all;
}

static value read_any(reader *r)
{
    value any = read_all(r);
    while (takes(r, "||")) {
        const value next = read_all(r);
        const bool yes = (any.known && any.is) || (next.known && next.is);
        any = yes ? known_as(1) : any.known && next.known ? known_as(0) : unknown;
    }
    return any;
}

static value decide(mnp__conditions *c, const char *expression)
{
    reader r = {.c = c, .at = expression};
    const value v = read_any(&r);
    const bool ends = !r.failed && (takes(&r, "\n") || takes(&r, "/*"));
    return ends ? v : unknown;
}

static value decide_defined(mnp__conditions *c, const char *name, bool wanted)
{
    return find(c, name, name_length(name)) ? known_as(wanted) : unknown;
}

/* What a line that begins with #if, #ifdef or #ifndef says. */
static value decide_line(mnp__conditions *c, const char *line)
{
    const char *rest;
    if ((rest = after(line, "#if ")))
        return decide(c, rest);
    if ((rest = after(line, "#ifdef ")))
        return decide_defined(c, rest, true);
    if ((rest = after(line, "#ifndef ")))
        return decide_defined(c, rest, false);
    return unknown;
}

/* ---- lines ---- */

/* An #if, of which all branches are left out if it stands in one that is; whether the compiler has it. */
static bool begin(mnp__conditions *c, bool out, const char *line)
{
    const value v = out ? unknown : decide_line(c, line);
    const bool written = !out && !v.known;
    c->too_deep |= c->depth == MNP__MOST_CONDITIONS;
    if (c->too_deep)
        return false;
    c->open[c->depth++] = (mnp__condition){.written = written, .taken = out || v.is, .out = out || (v.known && !v.is)};
    return written;
}

/* An #elif; whether it is written as it is.  It is the first #if that the compiler has, or an #else, where it can be. */
static bool go_on(mnp__condition *open, value v, const char *expression, mnp__text *text)
{
    const bool first = !open->written;
    open->out = open->taken || (v.known && !v.is);
    if (open->out)
        return false;
    open->taken = v.known;
    open->written |= !v.known;
    if (v.known && !first)
        mnp__text_add(text, "#else\n");
    else if (!v.known && first)
        mnp__text_add(text, "#if %.*s\n", (int)strcspn(expression, "\n"), expression);
    return !v.known && !first;
}

static bool go_on_else(mnp__condition *open)
{
    open->out = open->taken;
    return open->written && !open->out;
}

bool mnp__conditions_line(mnp__conditions *c, const char *line, mnp__text *text)
{
    mnp__condition *const open = c->depth > 0 ? &c->open[c->depth - 1] : NULL;
    const bool out = open && open->out;
    const char *expression;
    if (*line != '#')
        return !out;
    if (mnp__text_begins(line, "#if"))
        return begin(c, out, line);
    if (open && (expression = after(line, "#elif ")))
        return go_on(open, decide(c, expression), expression, text);
    if (open && mnp__text_begins(line, "#else"))
        return go_on_else(open);
    if (open && mnp__text_begins(line, "#endif")) {
        c->depth--;
        return open->written;
    }
    if (!out)
        forget(c, line);
    return !out;
}
