/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lexer of expressions, and error messages that show a place in the text.
 */
#include "ops/expression/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"

/* ---- messages ---- */

/* Columns are characters of UTF-8, not bytes. */
static int count_characters(const char *from, const char *to)
{
    int count = 0;
    for (; from < to; from++)
        count += ((unsigned char)*from & 0xC0) != 0x80;
    return count;
}

/* Add the line around a place, or as much of it as a terminal shows, with a caret under the place. */
static void add_excerpt(mnp__text *text, const char *line, const char *at)
{
    enum { BEFORE = 60, LENGTH = 100 };
    size_t length = strcspn(line, "\n\r");
    const char *start = at - line > BEFORE ? at - BEFORE : line;
    while (start < at && ((unsigned char)*start & 0xC0) == 0x80)
        start++;
    size_t shown = (size_t)(line + length - start);
    if (shown > LENGTH) {
        shown = LENGTH;
        while (((unsigned char)start[shown] & 0xC0) == 0x80)
            shown--;
    }
    const char *before = start > line ? "..." : "", *after = start + shown < line + length ? "..." : "";
    mnp__text_add(text, "\n    %s%.*s%s\n    %*s", before, (int)shown, start, after, (int)strlen(before), "");
    for (const char *c = start; c < at; c++) {
        if (*c == '\t')
            mnp__text_add_bytes(text, "\t", 1);
        else if (((unsigned char)*c & 0xC0) != 0x80)
            mnp__text_add_bytes(text, " ", 1);
    }
    mnp__text_add_bytes(text, "^", 1);
}

mnp_status mnp__text_fail_at(const char *whole, const char *at, const char *sentence)
{
    mnp__text text = MNP__TEXT_EMPTY;
    const char *line = whole;
    int number = 1;
    for (const char *c = line; c < at; c++) {
        if (*c == '\n') {
            line = c + 1;
            number++;
        }
    }
    if (number > 1)
        mnp__text_add(&text, "line %d, ", number);
    mnp__text_add(&text, "column %d: %s", count_characters(line, at) + 1, sentence);
    add_excerpt(&text, line, at);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

mnp_status mnp__expression_fail(const mnp__expression *expression, const char *at, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return mnp__text_fail_at(expression->text, at, sentence);
}

mnp_status mnp__expression_fail_again(const mnp__expression *expression, const char *at)
{
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", mnp__without_function(mnp_error_message()));
    return mnp__text_fail_at(expression->text, at, sentence);
}

/* ---- tokens ---- */

bool mnp__word_is(mnp__word word, const char *name)
{
    return strlen(name) == word.length && memcmp(word.start, name, word.length) == 0;
}

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

/* Skip spaces, comments, and ends of lines that a backslash or parentheses continue. */
static const char *skip_space(const char *c, bool lines)
{
    for (;;) {
        if (*c == '#')
            c += strcspn(c, "\n");
        else if (*c == '\\' && c[1] == '\n')
            c += 2;
        else if (*c == ' ' || *c == '\t' || *c == '\r' || (*c == '\n' && lines))
            c++;
        else
            return c;
    }
}

static int digit_value(char c)
{
    return mnp__is_digit(c) ? c - '0' : isalpha((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

/* Read the integer of that base at *c, and move *c past it. */
static mnp_status lex_integer(const mnp__lexer *lexer, const char **c, int base, mnp__number *number)
{
    const char *start = *c;
    mnp__wide value = 0;
    for (; digit_value(**c) < base; ++*c) {
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit_value(**c), &value))
            return mnp__expression_fail(lexer->expression, start, "this number is larger than 2**127");
    }
    if (*c == start)
        return mnp__expression_fail(lexer->expression, start, "a number of base %d has no digits here", base);
    *number = (mnp__number){.kind = 'i', .integer = value};
    return MNP_OK;
}

/* Find the end of the decimal number at `c`; *real_p is whether it has a point or an exponent. */
static const char *decimal_end(const char *c, bool *real_p)
{
    *real_p = false;
    while (mnp__is_digit(*c))
        c++;
    if (*c == '.') {
        *real_p = true;
        for (c++; mnp__is_digit(*c); c++)
            continue;
    }
    if (*c == 'e' || *c == 'E') {
        const char *digits = c + 1 + (c[1] == '-' || c[1] == '+');
        if (mnp__is_digit(*digits)) {
            *real_p = true;
            for (c = digits; mnp__is_digit(*c); c++)
                continue;
        }
    }
    return c;
}

static mnp_status lex_number(mnp__lexer *lexer, mnp__token *token)
{
    const char *start = lexer->next, *c = start;
    int base = *c != '0'                    ? 10
               : strchr("xX", c[1]) && c[1] ? 16
               : strchr("oO", c[1]) && c[1] ? 8
               : strchr("bB", c[1]) && c[1] ? 2
                                            : 10;
    bool real;
    const char *end = decimal_end(c, &real);
    if (base != 10) {
        c += 2;
        MNP_TRY(lex_integer(lexer, &c, base, &token->number));
    } else if (real || *end == 'j' || *end == 'J') {
        char *read;
        token->number = (mnp__number){.kind = 'f', .real = mnp__parse_number(c, &read)};
        c = end;
    } else {
        MNP_TRY(lex_integer(lexer, &c, 10, &token->number));
        if (*start == '0' && token->number.integer != 0) /* C's octal numbers, which Python refuses too */
            return mnp__expression_fail(lexer->expression, start,
                                        "a decimal number does not begin with 0, and an "
                                        "octal one is written 0o17");
    }
    if (base == 10 && (*c == 'j' || *c == 'J')) {
        token->number.kind = 'c';
        c++;
    }
    if (mnp__is_in_name(*c)) {
        size_t rest = 1;
        while (mnp__is_in_name(c[rest]))
            rest++;
        return mnp__expression_fail(lexer->expression, c, "expected an operator between the number %.*s and '%.*s'",
                                    (int)(c - start), start, (int)rest, c);
    }
    token->kind = MNP__TOKEN_NUMBER;
    token->word = (mnp__word){start, (size_t)(c - start)};
    lexer->next = c;
    return MNP_OK;
}

/* Symbols of other languages, and what to write instead. */
static const char *const mistaken[][2] = {
    {"&&", "'&&' is written 'and' here"}, {"||", "'||' is written 'or' here"},
    {"!", "'!' is written 'not' here"},   {"@=", "'x @= y' is written 'x = x @ y' here"},
    {"{", "there are no braces here"},
};

/* Read a string, between quotes of one kind, on one line. */
static mnp_status lex_string(mnp__lexer *lexer, mnp__token *token)
{
    const char *start = lexer->next, ends[] = {*start, '\n', '\0'};
    size_t length = strcspn(start + 1, ends);
    if (start[1 + length] != *start)
        return mnp__expression_fail(lexer->expression, start, "this string has no end on its line");
    token->kind = MNP__TOKEN_STRING;
    token->word = (mnp__word){start + 1, length};
    lexer->next = start + length + 2;
    return MNP_OK;
}

static mnp_status lex_symbol(mnp__lexer *lexer, mnp__token *token)
{
    /* Longer ones come first */
    static const char *const symbols[] = {
        "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=",
        "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "+",  "-",  "*",  "/",  "%",  "~",  "&",
        "|",   "^",   "<",   ">",   "=",   "(",  ")",  "[",  "]",  ",",  "?",  ":",  ".",  "@",
    };
    const char *c = lexer->next;
    for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++) {
        bool unequal = c[0] == '!' && c[1] == '=';
        if (!unequal && mnp__text_begins(c, mistaken[i][0]))
            return mnp__expression_fail(lexer->expression, c, "%s", mistaken[i][1]);
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i]);
        if (strncmp(c, symbols[i], length) == 0) {
            token->kind = MNP__TOKEN_SYMBOL;
            token->word = (mnp__word){c, length};
            lexer->next = c + length;
            lexer->depth += *c == '(' || *c == '[' ? 1 : (*c == ')' || *c == ']') && lexer->depth > 0 ? -1 : 0;
            return MNP_OK;
        }
    }
    int length = 1;
    while (((unsigned char)c[length] & 0xC0) == 0x80)
        length++;
    if (isprint((unsigned char)*c) || (unsigned char)*c >= 0x80)
        return mnp__expression_fail(lexer->expression, c, "unexpected character '%.*s'", length, c);
    return mnp__expression_fail(lexer->expression, c, "unexpected character of code %d", (unsigned char)*c);
}

mnp_status mnp__lexer_next(mnp__lexer *lexer, mnp__token *token)
{
    const char *c = lexer->next = skip_space(lexer->next, lexer->depth > 0);
    *token = (mnp__token){.kind = MNP__TOKEN_END, .word = {c, 0}};
    if (!*c)
        return MNP_OK;
    if (*c == ';' || *c == '\n') {
        token->kind = MNP__TOKEN_SEPARATOR;
        token->word.length = 1;
        lexer->next++;
        return MNP_OK;
    }
    if (mnp__is_digit(*c) || (*c == '.' && mnp__is_digit(c[1])))
        return lex_number(lexer, token);
    if (*c == '\'' || *c == '"')
        return lex_string(lexer, token);
    if (!begins_name(*c))
        return lex_symbol(lexer, token);
    token->kind = MNP__TOKEN_NAME;
    while (mnp__is_in_name(c[token->word.length]))
        token->word.length++;
    lexer->next += token->word.length;
    return MNP_OK;
}
