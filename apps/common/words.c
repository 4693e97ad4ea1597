/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sentences of the library in the words of the command line.  A sentence is read from left to right; each rule below
 * takes what it knows and writes what belongs there, and what no rule takes is copied.
 */
#include "common/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple.h>

enum { MOST_TEXT = 8192 };

static const words_row *words;
static bool rows_from_one;

void words_set(const words_row *table)
{
    words = table;
}

void words_rows_from_one(void)
{
    rows_from_one = true;
}

/* A text that is read at `in` and written at `out`, which begins at `start`. */
typedef struct translation {
    const char *in;
    char *start, *out, *end;
} translation;

static void put(translation *t, const char *text, size_t length)
{
    const size_t room = (size_t)(t->end - t->out);
    length = length < room ? length : room;
    memcpy(t->out, text, length);
    t->out += length;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Copy what is in quotes as it is: names of files and the like. */
static bool take_quoted(translation *t)
{
    const char *close = t->in;
    if (*t->in != '\'' || (t->out > t->start && is_word(t->out[-1])))
        return false;
    do
        close = strchr(close + 1, '\'');
    while (close && is_word(close[1]));
    if (!close)
        return false;
    put(t, t->in, (size_t)(close + 1 - t->in));
    t->in = close + 1;
    return true;
}

static const char function_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* Leave out what names a function of C: in front of the sentence, "or mnp_f()", or the clause that recommends it. */
static bool take_function(translation *t)
{
    if (strncmp(t->in, "mnp_", 4) != 0)
        return false;
    const char *behind = t->in + strspn(t->in, function_letters);
    behind += strncmp(behind, "()", 2) == 0 ? 2 : 0;
    if (strncmp(behind, ": ", 2) == 0) {
        t->in = behind + 2;
        return true;
    }
    static const char other[] = " or "; /* of two ways the command has the first */
    const size_t length = sizeof other - 1;
    if ((size_t)(t->out - t->start) > length && strncmp(t->out - length, other, length) == 0) {
        t->out -= length;
        t->in = behind;
        return true;
    }
    for (char *clause = t->out; clause > t->start; clause--) {
        if (strchr(";:,", clause[-1])) {
            t->out = clause - 1;
            break;
        }
    }
    t->in = behind + strcspn(behind, ";\n");
    return true;
}

/* Matrix Market files count rows from 1, the library from 0. */
static bool take_row(translation *t)
{
    static const char remark[] = " (counted from 0)";
    char text[48], *behind;
    if (!rows_from_one || strncmp(t->in, "row ", 4) != 0)
        return false;
    const long long row = strtoll(t->in + 4, &behind, 10);
    if (strncmp(behind, remark, sizeof remark - 1) != 0)
        return false;
    snprintf(text, sizeof text, "row %lld", row + 1);
    put(t, text, strlen(text));
    t->in = behind + sizeof remark - 1;
    return true;
}

static bool take_word(translation *t)
{
    /* functions of the library that texts cannot call: their names are left out of sentences */
    if (strncmp(t->in, "mnp_", 4) == 0) {
        char name[64];
        const size_t length = strspn(t->in + 4, function_letters);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), t->in + 4);
        if (!mnp_eval_can_call(name))
            return false;
    }
    for (const words_row *w = words; w && w->library; w++) {
        const size_t length = strlen(w->library);
        const bool whole = isalnum((unsigned char)w->library[length - 1]);
        if (strncmp(t->in, w->library, length) == 0 && !(whole && is_word(t->in[length]))) {
            put(t, w->command, strlen(w->command));
            t->in += length;
            return true;
        }
    }
    return false;
}

/* One thing is not several: "1 rows" becomes "1 row". */
static bool take_one(translation *t)
{
    static const char *const nouns[][2] = {
        {"rows", "row"},     {"columns", "column"}, {"dimensions", "dimension"}, {"elements", "element"},
        {"values", "value"}, {"entries", "entry"},  {"ranks", "rank"},           {"bytes", "byte"},
    };
    if (strncmp(t->in, "1 ", 2) != 0)
        return false;
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++) {
        const size_t length = strlen(nouns[i][0]);
        if (strncmp(t->in + 2, nouns[i][0], length) == 0 && !is_word(t->in[2 + length])) {
            put(t, "1 ", 2);
            put(t, nouns[i][1], strlen(nouns[i][1]));
            t->in += 2 + length;
            return true;
        }
    }
    return false;
}

static void translate(const char *message, char text[MOST_TEXT])
{
    translation t = {message, text, text, text + MOST_TEXT - 1};
    while (*t.in && *t.in != '\n') {
        const bool begins = t.out == t.start || (!is_word(t.out[-1]) && !strchr("/.-", t.out[-1]));
        if (take_quoted(&t) || (begins && (take_word(&t) || take_function(&t) || take_row(&t) || take_one(&t))))
            continue;
        put(&t, t.in, 1);
        t.in++;
    }
    put(&t, t.in, strlen(t.in)); /* other lines show the place of a mistake */
    *t.out = '\0';
}

const char *words_message(void)
{
    static char text[MOST_TEXT];
    const char *log = getenv("MANIPLE_LOG");
    const bool own = strcmp(mnp_error_origin(), "the program") == 0;
    if (own || (log && strncmp(log, "debug", 5) == 0))
        return mnp_error_message();
    translate(mnp_error_message(), text);
    return text;
}
