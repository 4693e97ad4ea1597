/* SPDX-License-Identifier: BSD-3-Clause */
#include "jit/raw_places.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- numbers of threads ---- */

void mnp__raw_keep_word(mnp__text *words, mnp__raw_token t)
{
    static const char *const casts[] = {"(int)",     "(long)",     "(long long)",   "(size_t)",
                                        "(int64_t)", "(unsigned)", "(uint64_t)",    "(unsigned long long)",
                                        "(int32_t)", "(uint32_t)", "(unsigned int)"};
    if (words->length > 0 && mnp__is_in_name(*t.text) && mnp__is_in_name(words->data[words->length - 1]))
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
                 !mnp__is_in_name(at[strlen(what)]);
    return found;
}

static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

static const char *const thread_numbers[] = {"blockIdx.x*blockDim.x+threadIdx.x", "blockDim.x*blockIdx.x+threadIdx.x",
                                             "threadIdx.x+blockIdx.x*blockDim.x", "threadIdx.x+blockDim.x*blockIdx.x"};
static const char *const thread_counts[] = {"blockDim.x*gridDim.x", "gridDim.x*blockDim.x"};

bool mnp__raw_is_number(const char *words)
{
    for (size_t i = 0; i < sizeof thread_numbers / sizeof *thread_numbers; i++) {
        if (strcmp(words, thread_numbers[i]) == 0)
            return true;
    }
    return false;
}

bool mnp__raw_is_number_of_threads(const char *words)
{
    return strcmp(words, thread_counts[0]) == 0 || strcmp(words, thread_counts[1]) == 0;
}

bool mnp__raw_has_only_numbers(const char *words)
{
    int numbers = 0;
    for (size_t i = 0; i < sizeof thread_numbers / sizeof *thread_numbers; i++)
        numbers += count_alone(words, thread_numbers[i]);
    const int steps = count(words, thread_counts[0]) + count(words, thread_counts[1]);
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

bool mnp__raw_add_edit(mnp__raw_edits *edits, const char *begin, const char *end, const char *text)
{
    if (edits->count == MNP__RAW_MOST_EDITS)
        return false;
    edits->edit[edits->count++] = (mnp__raw_edit){begin, end, text};
    return true;
}

/* The search in a body. */
typedef struct search {
    mnp__raw_reader in;
    mnp__raw_token found[32]; /* names of variables */
    int count;
    bool failed; /* something was seen with which no variable can be another type */
} search;

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
        const mnp__raw_token t = mnp__raw_next(&s->in);
        const bool ends = t.size == 1 && strchr(",;", *t.text);
        if (ends || t.size == 0)
            return ends && depth == 0;
        if (mnp__raw_is_name(t)) {
            if (mnp__raw_is(t, "threadIdx") || is_found(s, t))
                *is_index_p = true;
        } else if (*t.text == '(') { /* not that of a call */
            if (mnp__raw_is_name(s->in.before))
                return false;
            depth++;
        } else if (*t.text == '.') {
            if (s->in.before.size == 0 ||
                !(mnp__raw_begins(s->in.before, "threadIdx") || mnp__raw_begins(s->in.before, "block") ||
                  mnp__raw_begins(s->in.before, "gridDim")))
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
    const search start = *s;
    const mnp__raw_token type = s->in.last;
    const int edits_before = edits->count;
    bool is_index = false, all_are_good = mnp__raw_add_edit(edits, type.text, type.text + type.size, "mnp_index");
    do {
        const mnp__raw_token name = mnp__raw_next(&s->in), equals = mnp__raw_next(&s->in);
        all_are_good = all_are_good && mnp__raw_is_name(name) && mnp__raw_is(equals, "=") && *s->in.at != '=' &&
                       s->count < (int)(sizeof s->found / sizeof *s->found) &&
                       mnp__raw_add_edit(edits, equals.text, equals.text + equals.size, "= mnp_to_index <<") &&
                       read_value(s, &is_index);
        if (all_are_good)
            s->found[s->count++] = name;
    } while (all_are_good && mnp__raw_is(s->in.last, ","));
    if (!all_are_good || !is_index) {
        *s = start;
        edits->count = edits_before;
    }
}

/* Whether & behind a token is an operator of two numbers. */
static bool is_value(mnp__raw_token t)
{
    return t.size > 0 && (mnp__is_in_name(*t.text) || strchr(")]", *t.text));
}

/* Whether a declaration may begin with the last token. */
static bool may_declare(const search *s, mnp__raw_token third)
{
    return s->in.before.size == 0 || mnp__raw_is(s->in.before, "const") ||
           (s->in.before.size == 1 && strchr("{};", *s->in.before.text)) ||
           (mnp__raw_is(s->in.before, "(") && mnp__raw_is(third, "for"));
}

bool mnp__raw_find_indices(const char *body, mnp__raw_token known, mnp__raw_edits *edits)
{
    search s = {.in.at = body, .found = {known}, .count = known.size > 0};
    const int edits_before = edits->count;
    for (int braces = 1; braces > 0 && !s.failed;) {
        const mnp__raw_token third = s.in.before, t = mnp__raw_next(&s.in);
        if (t.size == 0)
            break;
        braces += mnp__raw_is(t, "{") - mnp__raw_is(t, "}");
        if (mnp__raw_is(t, "int") && may_declare(&s, third))
            read_declaration(&s, edits);
        /* a variable's size, its type, and who has its address tell what type it is */
        s.failed = mnp__raw_is(t, "sizeof") || mnp__raw_is(t, "decltype") ||
                   (mnp__raw_is(s.in.before, "&") && !mnp__raw_is(third, "&") && !is_value(third) && is_found(&s, t));
    }
    if (s.failed)
        edits->count = edits_before;
    return !s.failed;
}
