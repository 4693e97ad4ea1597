/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaving out of a kernel's text the functions and the structures that it does not need.
 *
 * Headers such as math_real.h hold a few hundred functions, of which a kernel calls a few, and those of reductions have
 * a structure for each of them; to parse them takes the compiler longer than the kernel.  One is kept if its name, with
 * or without mnp_, is a word of what is kept.  What is not clearly one stays, as does what the library has generated.
 * One bit for the hash of each word says that it is there; what is kept because of another word with this bit does no
 * harm.
 *
 * This reads the text as clang-format leaves it: a function or a structure begins at the beginning of a line, and ends
 * with a line that begins with a brace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "jit/prune.h"

enum { WORD_BITS = 1 << 16, MOST_MAKERS = 64 };

typedef struct span {
    const char *begin, *end;
} span;

/* A function, a structure, or a call of a macro that defines functions. */
typedef struct piece {
    span text, name;
    bool kept;
} piece;

typedef struct pruning {
    span generated;
    piece *pieces; /* in the order of the text */
    size_t count, room;
    span makers[MOST_MAKERS]; /* macros that define the function which their first argument names */
    int num_makers;
    uint64_t words[WORD_BITS / 64];
} pruning;

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* The word that begins there, without mnp_. */
static span word_at(const char *begin)
{
    span word = {begin, begin};
    while (in_word(*word.end))
        word.end++;
    if (mnp__text_begins(begin, "mnp_"))
        word.begin += 4;
    return word;
}

/* ---- the words of what is kept ---- */

static uint64_t bit_of(span word)
{
    return mnp__hash(MNP__HASH_START, word.begin, (size_t)(word.end - word.begin)) % WORD_BITS;
}

static void add_words(pruning *p, span text)
{
    for (const char *c = text.begin; c < text.end;) {
        if (c[0] == '/' && c[1] == '*') {
            const char *end = strstr(c, "*/");
            c = end && end < text.end ? end + 2 : text.end;
        } else if (in_word(*c)) {
            const span word = word_at(c);
            const uint64_t bit = bit_of(word);
            p->words[bit / 64] |= UINT64_C(1) << bit % 64;
            c = word.end;
        } else {
            c++;
        }
    }
}

static bool has_word(const pruning *p, span word)
{
    const uint64_t bit = bit_of(word);
    return p->words[bit / 64] >> bit % 64 & 1;
}

/* Macros put together the names mnp_real_NAME and mnp_integer_NAME. */
static bool is_wanted(const pruning *p, span name)
{
    static const char *const kinds[] = {"real_", "integer_"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const span rest = {name.begin + strlen(kinds[i]), name.end};
        if (mnp__text_begins(name.begin, kinds[i]) && has_word(p, rest))
            return true;
    }
    return has_word(p, name);
}

/* ---- pieces ---- */

static mnp_status add_piece(pruning *p, const char *begin, const char *end, span name)
{
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 512;
        piece *more = realloc(p->pieces, room * sizeof *more);
        if (!more)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %zu pieces of a kernel's text", room);
        p->pieces = more;
        p->room = room;
    }
    p->pieces[p->count++] = (piece){.text = {begin, end}, .name = name};
    return MNP_OK;
}

/* Whether a macro's text defines a function that is called as its parameter, with or without mnp_ before it. */
static bool names_function(span parameter, const char *text, const char *end)
{
    const size_t length = (size_t)(parameter.end - parameter.begin);
    for (const char *at = text + length; at < end; at++) {
        if (strncmp(at, parameter.begin, length) == 0 && (at[-1] == ' ' || at[-1] == '#') &&
            (at[length] == '(' || mnp__text_begins(at + length, " parameters")))
            return length > 0;
    }
    return false;
}

/* Read a #define, which may be of a maker; its end. */
static const char *read_define(pruning *p, const char *line)
{
    const span name = word_at(line + strlen("#define "));
    const char *end = line;
    do {
        end = next_line(end);
    } while (*end && end - line >= 2 && end[-2] == '\\');
    if (*name.end == '(' && p->num_makers < MOST_MAKERS && names_function(word_at(name.end + 1), name.end + 1, end))
        p->makers[p->num_makers++] = name;
    return end;
}

static bool is_maker(const pruning *p, span name)
{
    const size_t length = (size_t)(name.end - name.begin);
    for (int i = 0; i < p->num_makers; i++) {
        if ((size_t)(p->makers[i].end - p->makers[i].begin) == length &&
            memcmp(p->makers[i].begin, name.begin, length) == 0)
            return true;
    }
    return false;
}

/* The parenthesis that closes the one at c, or the last character before `end`. */
static const char *end_of_parentheses(const char *c, const char *end)
{
    for (int depth = 0; c + 1 < end; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0)
            break;
    }
    return c;
}

/* What follows the parameters of a template, or all of a head that begins with none. */
static const char *after_template(span head)
{
    int depth = 0;
    if (!mnp__text_begins(head.begin, "template <"))
        return head.begin;
    for (const char *c = head.begin; c < head.end; c++) {
        depth += (*c == '<') - (*c == '>');
        if (*c == '>' && depth == 0)
            return c + 1 + (c[1] == ' ' || c[1] == '\n');
    }
    return head.end;
}

/* The name of a function or a structure whose head this is, or an empty span if it is something else, or not clear. */
static span name_of(span head)
{
    const span none = {head.begin, head.begin};
    const char *begin = after_template(head);
    if (mnp__text_begins(begin, "struct ")) {
        const span name = word_at(begin + strlen("struct "));
        return name.end <= head.end && *name.end != '(' ? name : none; /* alignas() may come before it */
    }
    for (const char *c = begin; c < head.end; c++) {
        if (*c == '=' || *c == '#' || mnp__text_begins(c, " struct ") || mnp__text_begins(c, " class ") ||
            mnp__text_begins(c, " union "))
            return none;
        if (*c != '(')
            continue;
        const char *word = c;
        while (word > begin && in_word(word[-1]))
            word--;
        if (mnp__text_begins(word, "decltype(") || mnp__text_begins(word, "sizeof(") ||
            mnp__text_begins(word, "__attribute__(") || mnp__text_begins(word, "alignas(")) {
            c = end_of_parentheses(c, head.end);
            continue;
        }
        return word < c ? word_at(word) : none;
    }
    return none;
}

/*
 * The end of a function or a structure with its head; NULL where that is not clear, or where macros are defined in it,
 * which others may use.
 */
static const char *end_of_piece(const char *head_end)
{
    int depth = 0;
    if (*head_end == ';')
        return head_end[1] == '\n' ? head_end + 2 : NULL;
    if (head_end[0] != '{' || head_end[1] != '\n')
        return NULL;
    for (const char *line = next_line(head_end); *line; line = next_line(line)) {
        depth += mnp__text_begins(line, "#if") - mnp__text_begins(line, "#endif");
        if (mnp__text_begins(line, "#define "))
            return NULL;
        if (*line == '}')
            return depth == 0 && (line[1] == '\n' || mnp__text_begins(line + 1, ";\n")) ? next_line(line) : NULL;
    }
    return NULL;
}

/* Read what begins with a line: a piece, or else the line.  *end_p is where it ends. */
static mnp_status read_piece(pruning *p, const char *line, const char **end_p)
{
    const char *end = next_line(line);
    *end_p = end;
    if (mnp__text_begins(line, "#define ")) {
        *end_p = read_define(p, line);
    } else if (mnp__text_begins(line, "MNP_INLINE ") || mnp__text_begins(line, "MNP_FUNCTION ") ||
               mnp__text_begins(line, "template ") || mnp__text_begins(line, "static ") ||
               mnp__text_begins(line, "struct ")) {
        const char *head_end = line + strcspn(line, "{;");
        const span name = name_of((span){line, head_end});
        end = end_of_piece(head_end);
        if (!end || name.begin == name.end || (line < p->generated.end && end > p->generated.begin))
            return MNP_OK;
        *end_p = end;
        return add_piece(p, line, end, name);
    } else if (mnp__text_begins(line, "MNP_")) {
        const span macro = word_at(line);
        if (*macro.end == '(' && end - line >= 2 && end[-2] == ')' && *end != '{' && is_maker(p, macro))
            return add_piece(p, line, end, word_at(macro.end + 1));
    }
    return MNP_OK;
}

static mnp_status read_text(pruning *p, const char *text)
{
    const char *plain = text, *end;
    for (const char *line = text; *line; line = end) {
        const size_t before = p->count;
        if (line >= p->generated.begin && line < p->generated.end) {
            end = p->generated.end;
            continue;
        }
        MNP_TRY(read_piece(p, line, &end));
        if (p->count > before) {
            add_words(p, (span){plain, line});
            plain = end;
        }
    }
    add_words(p, (span){plain, plain + strlen(plain)});
    return MNP_OK;
}

/* ---- what others call ---- */

static void keep_what_is_wanted(pruning *p)
{
    bool more;
    do {
        more = false;
        for (size_t i = 0; i < p->count; i++) {
            if (p->pieces[i].kept || !is_wanted(p, p->pieces[i].name))
                continue;
            p->pieces[i].kept = more = true;
            add_words(p, p->pieces[i].text);
        }
    } while (more);
}

mnp_status mnp__jit_prune(mnp__text *text, size_t generated_begin, size_t generated_end)
{
    pruning *p;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *p, &p));
    p->generated = (span){text->data + generated_begin, text->data + generated_end};
    MNP_TRY_OR(read_text(p, text->data), st, done);
    keep_what_is_wanted(p);
    char *to = text->data;
    const char *from = text->data, *const end = text->data + text->length;
    for (size_t i = 0; i <= p->count; i++) {
        const bool last = i == p->count;
        if (!last && p->pieces[i].kept)
            continue;
        const char *until = last ? end : p->pieces[i].text.begin;
        memmove(to, from, (size_t)(until - from));
        to += until - from;
        from = last ? end : p->pieces[i].text.end;
    }
    *to = '\0';
    text->length = (size_t)(to - text->data);
done:
    free(p->pieces);
    free(p);
    return st;
}
