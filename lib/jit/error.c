/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The message for a kernel that does not compile: the compiler's message, and the source lines that it refers to.
 *
 * A source consists of several texts, and #line directives tell the compiler their names and line numbers.  The lines
 * are found by these names and numbers, so users see the lines that they wrote.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"

enum { MOST_WORDS = 4000 }; /* characters of the compiler's message that are repeated */

/* A line of the source, with the name and number that the compiler gives it. */
typedef struct place {
    const char *text; /* the line; `size` excludes the newline */
    size_t size;
    const char *file; /* the name of its file */
    size_t file_length;
    long number;
    const char *next; /* the begin of the next line */
} place;

static place first_place(const char *source, const char *name)
{
    return (place){.file = name, .file_length = strlen(name), .number = 0, .next = source};
}

/* Read a directive such as: #line 12 "name" */
static bool read_directive(place *at)
{
    static const char directive[] = "#line ";
    char *end;
    if (strncmp(at->text, directive, sizeof directive - 1) != 0)
        return false;
    at->number = strtol(at->text + sizeof directive - 1, &end, 10) - 1;
    if (strncmp(end, " \"", 2) == 0) {
        at->file = end + 2;
        at->file_length = strcspn(at->file, "\"\n");
    }
    return true;
}

/* Go to the next line that is not a directive; false at the end. */
static bool next_place(place *at)
{
    do {
        if (!*at->next)
            return false;
        at->text = at->next;
        at->size = strcspn(at->text, "\n");
        at->next += at->size + (at->text[at->size] == '\n');
        at->number++;
    } while (read_directive(at));
    return true;
}

/* Find the line with the number `number` in the file whose name is at the end of the text from `words` to `end`. */
static bool find_place(const char *source, const char *name, const char *words, const char *end, long number,
                       place *found)
{
    place at = first_place(source, name);
    while (next_place(&at)) {
        size_t length = at.file_length;
        const char *start = end - length;
        if (at.number != number || length == 0 || (size_t)(end - words) < length || memcmp(start, at.file, length) != 0)
            continue;
        if (start > words && mnp__is_in_name(start[-1]))
            continue;
        *found = at;
        return true;
    }
    return false;
}

/* Find the first source line that a line of the compiler's message refers to, as "name:12" or "name(12)". */
static bool place_in_line(const char *words, size_t size, const char *source, const char *name, place *found)
{
    for (size_t i = 1; i + 1 < size; i++) {
        if ((words[i] != ':' && words[i] != '(') || !isdigit((unsigned char)words[i + 1]))
            continue;
        if (find_place(source, name, words, words + i, strtol(words + i + 1, NULL, 10), found))
            return true;
    }
    return false;
}

static bool has_word(const char *line, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(line + i, word, length) == 0)
            return true;
    }
    return false;
}

/* Find the source line of the first error; if there is no error, of the first message that has a source line. */
static bool reported_place(const char *words, const char *source, const char *name, place *found)
{
    for (int errors_only = 1; errors_only >= 0; errors_only--) {
        for (const char *line = words; *line;) {
            size_t size = strcspn(line, "\n");
            if ((!errors_only || has_word(line, size, "error")) && place_in_line(line, size, source, name, found))
                return true;
            line += size + (line[size] == '\n');
        }
    }
    return false;
}

/* Append the lines around `marked` that belong to the same file. */
static void append_lines(mnp__text *text, const char *source, const char *name, const place *marked)
{
    place at = first_place(source, name);
    while (next_place(&at)) {
        if (at.file_length == marked->file_length && memcmp(at.file, marked->file, at.file_length) == 0 &&
            at.number >= marked->number - 4 && at.number <= marked->number + 2)
            mnp__text_add(text, "\n%s%5ld | %.*s", at.text == marked->text ? ">" : " ", at.number, (int)at.size,
                          at.text);
    }
}

mnp_status mnp__jit_compile_error(const char *compiler, const mnp__kernel_spec *spec, const char *words,
                                  const char *source)
{
    const char *name = spec->file, *known_as = spec->raw ? spec->function : spec->file;
    mnp__text text = MNP__TEXT_EMPTY;
    place found = {.file = known_as, .file_length = strlen(known_as)};
    int length = (int)strnlen(words, MOST_WORDS);
    while (length > 0 && words[length - 1] == '\n')
        length--;
    bool known = reported_place(words, source, name, &found);
    mnp__text_add(&text, "kernel %.*s does not compile with %s:\n%.*s", (int)found.file_length, found.file, compiler,
                  length, words);
    if (known)
        append_lines(&text, source, name, &found);
    mnp_status st = MNP_FAIL(MNP_ERR_COMPILE, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}
