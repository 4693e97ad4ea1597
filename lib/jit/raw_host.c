/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw modules on the host: rewrites a CUDA source so that a C++ compiler takes it with kernels/custom/raw_host.h, which
 * replaces CUDA's built-in names.
 *
 * The source is read token by token, and little of it changes:
 *
 * - A kernel with C linkage is followed, on the line where it ends, by its entry point, which the library finds by
 *   name.  The entry points of name expressions are at the end of the text.
 * - extern __shared__ T name[] becomes a variable of the thread that runs the block; all of these share one memory.
 * - Where threads use their place along x only as blockIdx.x * blockDim.x + threadIdx.x, kernels get the place as a
 *   parameter, and all blocks of a row are one loop.  Otherwise it is in variables, and a row of a block is a loop.  So
 *   it is where macros of options name the place, or files of the user's are included, which are not read here.
 * - Code that synchronises the threads of a block cannot run on one thread.  It is an error, whose message has the
 *   line.
 *
 * Comments, strings, #if branches for CUDA's own compilers, and the files of kernels/ are left unchanged.  The user's
 * text is recognised by the #line directive that has the module's name.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"
#include "kernels/custom/raw_params.h"

/* A word, or a single other character; size 0 at the end. */
typedef struct token {
    const char *text;
    size_t size;
} token;

enum { MAX_DEPTH = 64 };

/* Whether the host's compiler takes a branch of #if. */
typedef enum branch { MAYBE, NEVER, ALWAYS } branch;

/* The progress within the definition of a kernel. */
typedef enum stage {
    OUTSIDE,
    WANT_NAME, /* __global__ was seen */
    IN_PARAMETERS,
    WANT_BODY,
    IN_BODY
} stage;

/* The current declaration, and the open braces around it. */
typedef struct declaration {
    stage stage;
    token word, name; /* the last word; the kernel's name */
    int body, outer;  /* number of braces open before the body, and of parentheses open before the parameters */
    bool is_template, c_linkage; /* properties of the declaration */
    bool c_block[MAX_DEPTH];     /* for every open brace, whether it is that of extern "C" */
    int braces, parentheses;
    bool dynamic; /* extern __shared__ was seen, and its ] is still to come */
} declaration;

typedef struct scan {
    const mnp__kernel_spec *spec;
    const char *at;     /* the next character */
    const char *copied; /* the source has been copied to `out` up to here */
    long line;          /* the line number, by #line directives */
    bool foreign;       /* the text belongs to one of Maniple's files, by #line directives */
    bool line_start;    /* only spaces so far in this line */
    branch branches[MAX_DEPTH];
    int braces_at[MAX_DEPTH]; /* open braces at each #if: each of its branches begins with as many */
    int ifs;                  /* number of open #ifs */
    mnp__text *out;

    declaration d, around;  /* `around`: the declaration around a #define, whose text is read separately */
    const char *define_end; /* the end of the current #define, or NULL */
    bool any_dynamic;       /* the source has an extern __shared__ */

    bool is_survey;      /* what follows is found by a first scan, whose text is thrown away */
    mnp__text words;     /* the user's words, with a space between two of them but no other */
    bool uses_elsewhere; /* places are, or may be, used outside kernels, or a kernel is declared without a body */
    bool gives_places;   /* kernels get the place of a thread as a parameter */
} scan;

static bool is(token t, const char *word)
{
    return t.size == strlen(word) && memcmp(t.text, word, t.size) == 0;
}

static bool begins(token t, const char *prefix)
{
    return t.size >= strlen(prefix) && memcmp(t.text, prefix, strlen(prefix)) == 0;
}

/* ---- from characters to tokens ---- */

/* Go on to `end`, counting lines. */
static void go_to(scan *s, const char *end)
{
    for (; s->at < end; s->at++) {
        if (*s->at == '\n') {
            s->line++;
            s->line_start = true;
        } else if (!isspace((unsigned char)*s->at)) {
            s->line_start = false;
        }
    }
}

/* The end of the comment that begins here; NULL if none does. */
static const char *end_of_comment(const char *at)
{
    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) != 0)
        return NULL;
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

/* The end of the string or character in quotes that begins here. */
static const char *end_of_string(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* The end of a raw string, R"-( ... )-", given its first quote. */
static const char *end_of_raw_string(const char *at)
{
    size_t length = strcspn(at + 1, "(");
    for (const char *end = at + 1 + length; (end = strchr(end, ')')) != NULL; end++) {
        if (strncmp(end + 1, at + 1, length) == 0 && end[1 + length] == '"')
            return end + length + 2;
    }
    return at + strlen(at);
}

/*
 * Whether the host's compiler takes the branch of a condition, if the condition only asks for CUDA's compiler; 0 for
 * other conditions.
 */
static branch judge(token directive, const char *condition)
{
    char text[64];
    size_t length = 0;
    for (; *condition && *condition != '\n' && strncmp(condition, "//", 2) != 0; condition++) {
        if (strchr(" \t\r()", *condition))
            continue;
        if (length + 1 == sizeof text)
            return MAYBE;
        text[length++] = *condition;
    }
    text[length] = '\0';
    const char *what = text;
    bool positive = !is(directive, "ifndef");
    if (*what == '!') {
        positive = !positive;
        what++;
    }
    if (strncmp(what, "defined", 7) == 0)
        what += 7;
    if (strcmp(what, "0") == 0)
        return positive ? NEVER : ALWAYS;
    if (strcmp(what, "__CUDACC_RTC__") == 0 || strcmp(what, "__CUDACC__") == 0 || strcmp(what, "__CUDA_ARCH__") == 0)
        return positive ? NEVER : ALWAYS;
    return MAYBE;
}

/* The end of a directive, whose line continues after each backslash. */
static const char *end_of_directive(const char *at)
{
    const char *end = at + strcspn(at, "\n");
    while (*end && (end[-1] == '\\' || (end[-1] == '\r' && end[-2] == '\\')))
        end += 1 + strcspn(end + 1, "\n");
    return end;
}

/* Read the rest of a directive such as: #line 12 "name" */
static void read_line_directive(scan *s, const char *text)
{
    char *end;
    s->line = strtol(text, &end, 10) - 1;
    size_t length = strlen(s->spec->function);
    s->foreign = strncmp(end, " \"", 2) != 0 || strncmp(end + 2, s->spec->function, length) != 0 ||
                 strncmp(end + 2 + length, ".cu\"", 4) != 0;
}

static bool is_left_out(const scan *s)
{
    for (int i = 0; i < s->ifs; i++) {
        if (s->branches[i] == NEVER)
            return true;
    }
    return false;
}

/* Whether options have a word or a part of one, such as -I or what a macro stands for. */
static bool options_have(const scan *s, const char *part)
{
    return s->spec->host_options && strstr(s->spec->host_options, part);
}

/* Whether an #include, whose name is next, may be of a file of the user's. */
static bool may_be_users(const scan *s, const char *name)
{
    return name[strspn(name, " \t")] != '<' || options_have(s, "-I");
}

/* Read a directive, whose # is next.  The contents of #define and #include are then read like other text. */
static void read_directive(scan *s)
{
    const char *text = s->at + 1 + strspn(s->at + 1, " \t");
    token word = {text, strspn(text, "abcdefghijklmnopqrstuvwxyz")};
    branch *last = s->ifs > 0 ? &s->branches[s->ifs - 1] : NULL;
    if ((is(word, "if") || is(word, "ifdef") || is(word, "ifndef")) && s->ifs < MAX_DEPTH) {
        s->braces_at[s->ifs] = s->d.braces;
        s->branches[s->ifs++] = judge(word, text + word.size);
    } else if ((is(word, "else") || is(word, "elif")) && last) {
        bool is_else = is(word, "else");
        s->d.braces = s->braces_at[s->ifs - 1];
        *last = *last == ALWAYS ? NEVER : *last == NEVER && is_else ? ALWAYS : MAYBE;
    } else if (is(word, "endif") && last) {
        s->ifs--;
    }
    if (is(word, "line"))
        read_line_directive(s, text + word.size);
    bool is_read = !s->foreign && (is(word, "define") || is(word, "include"));
    if (is_read && is(word, "include") && !is_left_out(s) && may_be_users(s, text + word.size))
        s->uses_elsewhere = true;
    go_to(s, is_read ? text + word.size : text + strcspn(text, "\n"));
    if (is_read && is(word, "define")) {
        s->define_end = end_of_directive(s->at);
        s->around = s->d;
        s->d = (declaration){.stage = OUTSIDE};
    }
}

/* The end of the word that begins here: letters, digits, quotes within a number, and a raw string behind its R. */
static const char *end_of_word(const char *at)
{
    const char *end = at;
    while (isalnum((unsigned char)*end) || *end == '_' ||
           (*end == '\'' && isdigit((unsigned char)*at) && isalnum((unsigned char)end[1])))
        end++;
    token prefix = {at, (size_t)(end - at)};
    bool is_raw = is(prefix, "R") || is(prefix, "u8R") || is(prefix, "uR") || is(prefix, "UR") || is(prefix, "LR");
    return is_raw && *end == '"' ? end_of_raw_string(end) : end;
}

/* The next word or character that the host's compiler may see. */
static token next_token(scan *s)
{
    while (*s->at) {
        const char *comment = end_of_comment(s->at);
        if (s->define_end && s->at >= s->define_end) {
            s->d = s->around;
            s->define_end = NULL;
        }
        if (comment)
            go_to(s, comment);
        else if (isspace((unsigned char)*s->at))
            go_to(s, s->at + 1);
        else if (*s->at == '#' && s->line_start)
            read_directive(s);
        else if (s->foreign || is_left_out(s))
            go_to(s, s->at + strcspn(s->at, "\n"));
        else
            break;
    }
    token t = {s->at, 0};
    if (*t.text == '"' || *t.text == '\'')
        t.size = (size_t)(end_of_string(t.text) - t.text);
    else
        t.size = (size_t)(end_of_word(t.text) - t.text);
    if (t.size == 0 && *t.text)
        t.size = 1;
    go_to(s, t.text + t.size);
    return t;
}

/* ---- from tokens to the host's source ---- */

/* MNP_ERR_UNSUPPORTED if a word needs several threads. */
static mnp_status check_word(const scan *s, token t)
{
    static const struct {
        const char *prefix, *what;
    } refused[] = {
        {"__syncthreads", "a barrier"},         {"__syncwarp", "a barrier"},
        {"__barrier_sync", "a barrier"},        {"__cluster_barrier", "a barrier"},
        {"cooperative_groups", "a barrier"},    {"__shfl", "an exchange between threads"},
        {"__ballot", "a vote among threads"},   {"__any_sync", "a vote among threads"},
        {"__all_sync", "a vote among threads"}, {"__activemask", "a vote among threads"},
        {"__match_", "a vote among threads"},   {"__reduce_", "an exchange between threads"},
        {"asm", "code of the GPU's"},           {"__asm", "code of the GPU's"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (begins(t, refused[i].prefix) && (refused[i].prefix[0] == '_' || is(t, refused[i].prefix)))
            return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                            "line %ld of module %s has %.*s, %s, which the host device cannot run: there "
                            "the threads of a block run one after the other",
                            s->line, s->spec->function, (int)t.size, t.text, refused[i].what);
    }
    return MNP_OK;
}

/* Copy the source up to the current character. */
static void copy(scan *s)
{
    mnp__text_add_bytes(s->out, s->copied, (size_t)(s->at - s->copied));
    s->copied = s->at;
}

/*
 * Rewrite extern __shared__ T name[]: `extern` is kept, the text after it changes, and the name gets another one for
 * the linker.
 */
static void begin_dynamic(scan *s, token shared)
{
    s->at = shared.text;
    copy(s);
    mnp__text_add(s->out, "MNP_DYNAMIC_SHARED");
    s->at = s->copied = shared.text + shared.size;
    s->d.dynamic = s->any_dynamic = true;
}

static void end_dynamic(scan *s)
{
    copy(s);
    mnp__text_add(s->out, " __asm__(\"mnp_dynamic_shared\")");
    s->d.dynamic = false;
}

/* ---- the places of threads ---- */

static bool is_part_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Keep a word for the survey; casts between numbers are left out. */
static void keep_word(scan *s, token t)
{
    static const char *const casts[] = {"(int)",     "(long)",     "(long long)",   "(size_t)",
                                        "(int64_t)", "(unsigned)", "(uint64_t)",    "(unsigned long long)",
                                        "(int32_t)", "(uint32_t)", "(unsigned int)"};
    mnp__text *words = &s->words;
    if (words->length > 0 && is_part_of_word(*t.text) && is_part_of_word(words->data[words->length - 1]))
        mnp__text_add(words, " ");
    mnp__text_add_bytes(words, t.text, t.size);
    for (size_t i = 0; i < sizeof casts / sizeof *casts && is(t, ")"); i++) {
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
                 !is_part_of_word(at[strlen(what)]);
    return found;
}

static const char *const indices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

/* Whether threads use their place along x only as their number in the row of all blocks. */
static bool has_only_numbers(const char *words)
{
    const int numbers = count_alone(words, "blockIdx.x*blockDim.x+threadIdx.x") +
                        count_alone(words, "blockDim.x*blockIdx.x+threadIdx.x") +
                        count_alone(words, "threadIdx.x+blockIdx.x*blockDim.x") +
                        count_alone(words, "threadIdx.x+blockDim.x*blockIdx.x");
    const int steps = count(words, "blockDim.x*gridDim.x") + count(words, "gridDim.x*blockDim.x");
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        char along[3][16];
        for (int d = 0; d < 3; d++)
            snprintf(along[d], sizeof along[d], "%s.%c", indices[i], "xyz"[d]);
        const int uses[] = {numbers, numbers, numbers + steps, steps}, along_x = count(words, along[0]);
        if (along_x != uses[i] || count(words, indices[i]) != along_x + count(words, along[1]) + count(words, along[2]))
            return false;
    }
    return numbers > 0 && count(words, "[](") == 0 &&
           count(words, "[]{") == 0; /* such lambdas cannot use variables of a kernel */
}

/* Give a kernel another parameter, before the first of its own. */
static void add_parameter(scan *s)
{
    const char *next = s->at + strspn(s->at, " \t\r\n"), *end = next;
    if (strncmp(next, "void", 4) == 0 && !is_part_of_word(next[4]))
        end = next + 4 + strspn(next + 4, " \t\r\n");
    copy(s);
    mnp__text_add(s->out, "const mnp_place mnp_here%s", *end == ')' ? "" : ", ");
    if (*end == ')')
        s->copied = end;
}

static void end_kernel(scan *s)
{
    copy(s);
    if (s->d.c_linkage && !s->d.is_template)
        mnp__text_add(s->out, " MNP_RAW_KERNEL(%.*s)", (int)s->d.name.size, s->d.name.text);
    s->d.stage = OUTSIDE;
}

/* End a declaration. */
static void end_declaration(scan *s)
{
    if (s->d.stage == WANT_BODY)
        s->uses_elsewhere = true;
    if (s->d.stage != IN_BODY)
        s->d.stage = OUTSIDE;
    if (s->d.stage == OUTSIDE) {
        s->d.is_template = false;
        s->d.c_linkage = s->d.braces > 0 && s->d.braces <= MAX_DEPTH && s->d.c_block[s->d.braces - 1];
    }
}

static void open_brace(scan *s)
{
    if (s->d.braces < MAX_DEPTH) /* extern "C" { ... } and the braces inside it, except those of kernels */
        s->d.c_block[s->d.braces] = s->d.stage == OUTSIDE && s->d.c_linkage;
    if (s->d.stage == WANT_BODY) {
        s->d.stage = IN_BODY;
        s->d.body = s->d.braces;
        if (s->gives_places) {
            copy(s);
            mnp__text_add(s->out, " MNP_HERE ");
        }
    }
    s->d.braces++;
    end_declaration(s);
}

static void close_brace(scan *s)
{
    s->d.braces -= s->d.braces > 0;
    if (s->d.stage == IN_BODY && s->d.braces == s->d.body)
        end_kernel(s);
    end_declaration(s);
}

static void open_parenthesis(scan *s)
{
    bool attribute = begins(s->d.word, "__launch_bounds__") || begins(s->d.word, "__attribute") ||
                     is(s->d.word, "alignas") || begins(s->d.word, "__maxnreg__") ||
                     begins(s->d.word, "__cluster_dims__") || begins(s->d.word, "__block_size__");
    if (s->d.stage == WANT_NAME && s->d.outer == s->d.parentheses && !attribute) {
        s->d.stage = IN_PARAMETERS;
        s->d.name = s->d.word;
        if (s->d.name.text[-1] == '#') /* a macro makes the name; a name expression gives its entry point */
            s->d.is_template = true;
        if (s->gives_places)
            add_parameter(s);
    }
    s->d.parentheses++;
}

static void close_parenthesis(scan *s)
{
    s->d.parentheses -= s->d.parentheses > 0;
    if (s->d.stage == IN_PARAMETERS && s->d.parentheses == s->d.outer)
        s->d.stage = WANT_BODY;
}

static mnp_status read_word(scan *s, token t)
{
    MNP_TRY(check_word(s, t));
    if (s->d.stage != IN_BODY && (is(t, "threadIdx") || is(t, "blockIdx") || is(t, "blockDim") || is(t, "gridDim")))
        s->uses_elsewhere = true;
    if (is(t, "template") && s->d.stage == OUTSIDE) {
        s->d.is_template = true;
    } else if (is(t, "__global__") && s->d.stage == OUTSIDE) {
        s->d.stage = WANT_NAME;
        s->d.outer = s->d.parentheses;
    } else if (is(t, "\"C\"") && is(s->d.word, "extern")) {
        s->d.c_linkage = true;
    } else if (is(t, "__shared__") && is(s->d.word, "extern")) {
        begin_dynamic(s, t);
    }
    s->d.word = t;
    return MNP_OK;
}

static mnp_status read_token(scan *s, token t)
{
    if (s->is_survey)
        keep_word(s, t);
    switch (*t.text) {
    case '{':
        open_brace(s);
        break;
    case '}':
        close_brace(s);
        break;
    case '(':
        open_parenthesis(s);
        break;
    case ')':
        close_parenthesis(s);
        break;
    case ';':
        end_declaration(s);
        break;
    case ']':
        if (s->d.dynamic)
            end_dynamic(s);
        break;
    default:
        return read_word(s, t);
    }
    return MNP_OK;
}

/* Append the entry points of name expressions, each with a name of its own, which messages show. */
static void append_expressions(const mnp__kernel_spec *spec, mnp__text *out)
{
    for (int i = 0; spec->name_expressions && spec->name_expressions[i]; i++)
        mnp__text_add(out, "\n#line 1 \"name expression %d\"\nMNP_RAW_EXPORT(mnp_expression_%d, %s)\n", i + 1, i,
                      spec->name_expressions[i]);
}

/* Read all of the source, and write what becomes of it. */
static mnp_status rewrite(scan *s)
{
    mnp_status st = MNP_OK;
    for (token t; st == MNP_OK && (t = next_token(s)).size > 0;)
        st = read_token(s, t);
    copy(s);
    append_expressions(s->spec, s->out);
    if (s->any_dynamic)
        mnp__text_add(s->out, "\nextern \"C\" { __attribute__((aligned(16))) __thread char mnp_dynamic_shared[%d]; }\n",
                      MNP_RAW_SHARED);
    return st == MNP_OK ? mnp__text_status(s->out) : st;
}

mnp_status mnp__jit_rewrite_for_host(const mnp__kernel_spec *spec, const char *source, char **rewritten_p)
{
    mnp__text surveyed = MNP__TEXT_EMPTY, out = MNP__TEXT_EMPTY;
    scan survey = {.spec = spec, .at = source, .copied = source, .foreign = true, .line_start = true, .out = &surveyed};
    scan final = survey;
    survey.is_survey = true;
    final.out = &out;
    mnp_status st = rewrite(&survey);
    if (st == MNP_OK)
        st = mnp__text_status(&survey.words);
    if (st == MNP_OK) {
        final.gives_places = !survey.uses_elsewhere && has_only_numbers(mnp__text_string(&survey.words));
        for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
            final.gives_places = final.gives_places && !options_have(&final, indices[i]);
        st = rewrite(&final);
    }
    mnp__text_free(&survey.words);
    mnp__text_free(&surveyed);
    if (st != MNP_OK) {
        mnp__text_free(&out);
        return st;
    }
    *rewritten_p = out.data;
    return MNP_OK;
}
