/* SPDX-License-Identifier: BSD-3-Clause */
#include "jit/raw_places.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers of threads ---- */

void mnp__raw_keep_word(mnp__text *words, mnp__raw_token t)
{
    static const char *const casts[] = {"(int)",     "(long)",     "(long long)",   "(size_t)",
                                        "(int64_t)", "(unsigned)", "(uint64_t)",    "(unsigned long long)",
                                        "(int32_t)", "(uint32_t)", "(unsigned int)"};
    if (words->length > 0 && mnp__raw_in_word(*t.text) && mnp__raw_in_word(words->data[words->length - 1]))
        mnp__text_add(words, " ");
    mnp__text_add_bytes(words, t.text, t.size);
    for (size_t i = 0; i < sizeof casts / sizeof *casts && mnp__raw_is(t, ")"); i++) {
        const size_t length = strlen(casts[i]);
        if (words->length >= length && memcmp(words->data + words->length - length, casts[i], length) == 0)
            words->data[words->length -= length] = '\0';
    }
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        found++;
    return found;
}

/* How often a sum or product stands in the text that is not part of a longer product, difference or word. */
static int count_alone(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        found += (at == text || !strchr("*/%-.~!", at[-1])) && !strchr("*/%.[", at[strlen(what)]) &&
                 !mnp__raw_in_word(at[strlen(what)]);
    return found;
}

static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

bool mnp__raw_has_only_numbers(const char *words)
{
    const int numbers = count_alone(words, "blockIdx.x*blockDim.x+threadIdx.x") +
                        count_alone(words, "blockDim.x*blockIdx.x+threadIdx.x") +
                        count_alone(words, "threadIdx.x+blockIdx.x*blockDim.x") +
                        count_alone(words, "threadIdx.x+blockDim.x*blockIdx.x");
    const int steps = count(words, "blockDim.x*gridDim.x") + count(words, "gridDim.x*blockDim.x");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char along[3][16];
        for (int d = 0; d < 3; d++)
            snprintf(along[d], sizeof along[d], "%s.%c", names[i], "xyz"[d]);
        const int uses[] = {numbers, numbers, numbers + steps, steps}, along_x = count(words, along[0]);
        if (along_x != uses[i] || count(words, names[i]) != along_x + count(words, along[1]) + count(words, along[2]))
            return false;
    }
    return numbers > 0 && count(words, "[](") == 0 &&
           count(words, "[]{") == 0; /* such lambdas cannot use variables of a kernel */
}

bool mnp__raw_names_places(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(text, names[i]))
            return true;
    }
    return false;
}

/* ---- indices ---- */

/* The search in a body. */
typedef struct search {
    const char *at;              /* behind the last token */
    mnp__raw_token before, last; /* the last two tokens */
    mnp__raw_token found[32];    /* names of variables */
    int count;
    bool failed; /* something was seen with which no variable can be another type */
} search;

static mnp__raw_token next(search *s)
{
    for (const char *end;;) {
        if (isspace((unsigned char)*s->at))
            s->at++;
        else if (*s->at == '#') /* it begins a line, as texts for the host have no other use for it */
            s->at = mnp__raw_end_of_directive(s->at);
        else if ((end = mnp__raw_end_of_comment(s->at)) != NULL)
            s->at = end;
        else
            break;
    }
    s->before = s->last;
    s->last = mnp__raw_token_at(s->at);
    s->at += s->last.size;
    return s->last;
}

static bool is_name(mnp__raw_token t)
{
    return t.size > 0 && mnp__raw_in_word(*t.text) && !isdigit((unsigned char)*t.text);
}

static bool is_found(const search *s, mnp__raw_token name)
{
    for (int i = 0; i < s->count; i++) {
        if (s->found[i].size == name.size && memcmp(s->found[i].text, name.text, name.size) == 0)
            return true;
    }
    return false;
}

/* Read the value of a declared variable, up to , or ; behind it: false if it has more than sums and products. */
static bool read_value(search *s, bool *is_index_p)
{
    for (int depth = 0;;) {
        const mnp__raw_token t = next(s);
        const bool ends = t.size == 1 && strchr(",;", *t.text);
        if (ends || t.size == 0)
            return ends && depth == 0;
        if (is_name(t)) {
            if (mnp__raw_is(t, "threadIdx") || is_found(s, t))
                *is_index_p = true;
        } else if (*t.text == '(') { /* not that of a call */
            if (is_name(s->before))
                return false;
            depth++;
        } else if (*t.text == '.') {
            if (s->before.size == 0 || !(mnp__raw_begins(s->before, "threadIdx") ||
                                         mnp__raw_begins(s->before, "block") || mnp__raw_begins(s->before, "gridDim")))
                return false;
        } else if (*t.text == ')') {
            if (depth-- == 0)
                return false;
        } else if (!isdigit((unsigned char)*t.text) && !strchr("+-*", *t.text)) {
            return false;
        }
    }
}

/* Read the variables of a declaration, which int is in front of. */
static void read_declaration(search *s, mnp__raw_edits *edits)
{
    static const char to_index[] = "= mnp_to_index <<";
    const search start = *s;
    const mnp__raw_token type = s->last;
    const int edits_before = edits->count;
    bool is_index = false, all_are_good = edits->count < MNP__RAW_MOST_EDITS;
    edits->edit[edits->count++] = (mnp__raw_edit){type.text, type.text + type.size, "mnp_index"};
    do {
        const mnp__raw_token name = next(s), equals = next(s);
        all_are_good = is_name(name) && mnp__raw_is(equals, "=") && *s->at != '=' &&
                       edits->count < MNP__RAW_MOST_EDITS && s->count < (int)(sizeof s->found / sizeof *s->found) &&
                       read_value(s, &is_index);
        if (all_are_good) {
            edits->edit[edits->count++] = (mnp__raw_edit){equals.text, equals.text + equals.size, to_index};
            s->found[s->count++] = name;
        }
    } while (all_are_good && mnp__raw_is(s->last, ","));
    if (!all_are_good || !is_index) {
        *s = start;
        edits->count = edits_before;
    }
}

/* Whether & behind a token is an operator of two numbers. */
static bool is_value(mnp__raw_token t)
{
    return t.size > 0 && (mnp__raw_in_word(*t.text) || strchr(")]", *t.text));
}

/* Whether a declaration may begin with the last token. */
static bool may_declare(const search *s, mnp__raw_token third)
{
    return s->before.size == 0 || mnp__raw_is(s->before, "const") ||
           (s->before.size == 1 && strchr("{};", *s->before.text)) ||
           (mnp__raw_is(s->before, "(") && mnp__raw_is(third, "for"));
}

void mnp__raw_find_indices(const char *body, mnp__raw_edits *edits)
{
    search s = {.at = body};
    edits->count = 0;
    for (int braces = 1; braces > 0 && !s.failed;) {
        const mnp__raw_token third = s.before, t = next(&s);
        if (t.size == 0)
            break;
        braces += mnp__raw_is(t, "{") - mnp__raw_is(t, "}");
        if (mnp__raw_is(t, "int") && may_declare(&s, third) && edits->count < MNP__RAW_MOST_EDITS)
            read_declaration(&s, edits);
        /* a variable's size, its type, and who has its address tell what type it is */
        s.failed = mnp__raw_is(t, "sizeof") || mnp__raw_is(t, "decltype") ||
                   (mnp__raw_is(s.before, "&") && !mnp__raw_is(third, "&") && !is_value(third) && is_found(&s, t));
    }
    if (s.failed)
        edits->count = 0;
}
