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
 *   Variables of type int that are computed from the place get another type (kernels/custom/raw_index.h).  Grid-stride
 *   loops go through neighbouring elements (lib/jit/raw_grid_loop.h).
 * - Where threads meet, at barriers or in warps, MNP_MEETS is defined, and the threads of kernels run as fibers
 *   (lib/device/host/fibers.h).  A kernel keeps its loop, MNP_RAW_LOOP, if threads meet only in the text of others.
 * - What the host has nothing for, such as the GPU's own instructions, is an error, whose message has the line.
 *
 * Comments, strings, #if branches for CUDA's own compilers, and the files of kernels/ are left unchanged.  The user's
 * text is recognised by the #line directive that has the module's name.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "jit/jit.h"
#include "jit/raw_grid_loop.h"
#include "jit/raw_places.h"
#include "jit/raw_text.h"
#include "kernels/custom/raw_params.h"

typedef mnp__raw_token token;

enum { MAX_DEPTH = 64, MOST_MEETING = 64 };

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

    bool is_survey;       /* what follows is found by a first scan, whose text is thrown away */
    mnp__text words;      /* the user's words, with a space between two of them but no other */
    bool uses_elsewhere;  /* places are, or may be, used outside kernels, or a kernel is declared without a body */
    bool meets;           /* a word lets threads meet */
    uint64_t meeting;     /* kernels that have such words: a bit for each of the first MOST_MEETING */
    bool meets_elsewhere; /* such words are, or may be, elsewhere, where any kernel may use them */
    int kernels;          /* how many have begun */
    size_t words_before;  /* the length of `words` before the kernel's body */
    bool forbids_turns;   /* a macro may have words that change what a loop does */
    bool gives_places;    /* kernels get the place of a thread as a parameter */
    bool has_turns;       /* this kernel is a grid-stride loop */
    mnp__raw_edits edits; /* of the kernel */
    int next_edit;
} scan;

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
    bool positive = !mnp__raw_is(directive, "ifndef");
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
    if ((mnp__raw_is(word, "if") || mnp__raw_is(word, "ifdef") || mnp__raw_is(word, "ifndef")) && s->ifs < MAX_DEPTH) {
        s->braces_at[s->ifs] = s->d.braces;
        s->branches[s->ifs++] = judge(word, text + word.size);
    } else if ((mnp__raw_is(word, "else") || mnp__raw_is(word, "elif")) && last) {
        bool is_else = mnp__raw_is(word, "else");
        s->d.braces = s->braces_at[s->ifs - 1];
        *last = *last == ALWAYS ? NEVER : *last == NEVER && is_else ? ALWAYS : MAYBE;
    } else if (mnp__raw_is(word, "endif") && last) {
        s->ifs--;
    }
    if (mnp__raw_is(word, "line"))
        read_line_directive(s, text + word.size);
    bool is_read = !s->foreign && (mnp__raw_is(word, "define") || mnp__raw_is(word, "include"));
    if (is_read && mnp__raw_is(word, "include") && !is_left_out(s) && may_be_users(s, text + word.size))
        s->uses_elsewhere = s->meets_elsewhere = true;
    go_to(s, is_read ? text + word.size : text + strcspn(text, "\n"));
    if (is_read && mnp__raw_is(word, "define")) {
        s->define_end = mnp__raw_end_of_directive(s->at);
        s->around = s->d;
        s->d = (declaration){.stage = OUTSIDE};
    }
}

/* The next word or character that the host's compiler may see. */
static token next_token(scan *s)
{
    while (*s->at) {
        const char *comment = mnp__raw_end_of_comment(s->at);
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
    const token t = mnp__raw_token_at(s->at);
    go_to(s, t.text + t.size);
    return t;
}

/* ---- from tokens to the host's source ---- */

/* Functions by which threads meet; the host has them in kernels/custom/raw_meet.h. */
static const char *const meeting[] = {
    "__syncthreads",     "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__syncwarp",
    "__shfl_sync",       "__shfl_up_sync",      "__shfl_down_sync",  "__shfl_xor_sync",  "__ballot_sync",
    "__any_sync",        "__all_sync",          "__match_any_sync",  "__match_all_sync", "__reduce_add_sync",
    "__reduce_min_sync", "__reduce_max_sync",   "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync",
};
enum { NUM_MEETING = sizeof meeting / sizeof *meeting };

static bool is_meeting(token t)
{
    for (int i = 0; i < NUM_MEETING; i++) {
        if (mnp__raw_is(t, meeting[i]))
            return true;
    }
    return false;
}

/* Threads meet here. */
static void keep_meeting(scan *s)
{
    s->meets = true;
    if (s->d.stage == IN_BODY && !s->define_end && s->kernels <= MOST_MEETING)
        s->meeting |= (uint64_t)1 << (s->kernels - 1);
    else
        s->meets_elsewhere = true;
}

/* Whether the threads of the kernel that is read may meet. */
static bool kernel_meets(const scan *s)
{
    return s->meets && (s->meets_elsewhere || (s->kernels <= MOST_MEETING && s->meeting >> (s->kernels - 1) & 1));
}

/* Whether macros of options may let threads meet. */
static bool options_meet(const scan *s)
{
    for (int i = 0; i < NUM_MEETING; i++) {
        if (options_have(s, meeting[i]))
            return true;
    }
    return false;
}

/* MNP_ERR_UNSUPPORTED if the host has nothing for a word. */
static mnp_status check_word(const scan *s, token t)
{
    static const struct {
        const char *prefix, *what;
    } refused[] = {
        {"__barrier_sync", "a barrier of a part of a block"},
        {"__cluster_barrier", "a barrier of several blocks"},
        {"cooperative_groups", "groups of threads"},
        {"__activemask", "a question about the hardware"},
        {"asm", "code of the GPU's"},
        {"__asm", "code of the GPU's"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (mnp__raw_begins(t, refused[i].prefix) && (refused[i].prefix[0] == '_' || mnp__raw_is(t, refused[i].prefix)))
            return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                            "line %ld of module %s has %.*s, %s, which the host device does not have", s->line,
                            s->spec->function, (int)t.size, t.text, refused[i].what);
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

/* Give a kernel another parameter, before the first of its own. */
static void add_parameter(scan *s)
{
    const char *next = s->at + strspn(s->at, " \t\r\n"), *end = next;
    if (strncmp(next, "void", 4) == 0 && !mnp__is_in_name(next[4]))
        end = next + 4 + strspn(next + 4, " \t\r\n");
    copy(s);
    mnp__text_add(s->out, "const %s mnp_here%s", s->has_turns ? "mnp_turns" : "mnp_place", *end == ')' ? "" : ", ");
    if (*end == ')')
        s->copied = end;
}

/* At the parenthesis before a kernel's parameters. */
static void begin_places(scan *s)
{
    s->edits.count = s->next_edit = 0;
    s->has_turns = !s->forbids_turns && mnp__raw_find_grid_loop(s->at, &s->edits);
    add_parameter(s);
}

static void end_kernel(scan *s)
{
    const bool is_loop = s->meets && !kernel_meets(s) && !s->gives_places;
    copy(s);
    if (s->d.c_linkage && !s->d.is_template)
        mnp__text_add(s->out, " %s(%.*s)", is_loop ? "MNP_RAW_LOOP" : "MNP_RAW_KERNEL", (int)s->d.name.size,
                      s->d.name.text);
    if (s->is_survey && kernel_meets(s) && s->words.length > s->words_before)
        s->words.data[s->words.length = s->words_before] = '\0';
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
        s->words_before = s->words.length;
        if (s->gives_places && !kernel_meets(s)) {
            copy(s);
            mnp__text_add(s->out, " MNP_HERE ");
            if (!s->has_turns)
                mnp__raw_find_indices(s->at, (token){0}, &s->edits);
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
    bool attribute = mnp__raw_begins(s->d.word, "__launch_bounds__") || mnp__raw_begins(s->d.word, "__attribute") ||
                     mnp__raw_is(s->d.word, "alignas") || mnp__raw_begins(s->d.word, "__maxnreg__") ||
                     mnp__raw_begins(s->d.word, "__cluster_dims__") || mnp__raw_begins(s->d.word, "__block_size__");
    if (s->d.stage == WANT_NAME && s->d.outer == s->d.parentheses && !attribute) {
        s->d.stage = IN_PARAMETERS;
        s->d.name = s->d.word;
        if (s->d.name.text[-1] == '#') /* a macro makes the name; a name expression gives its entry point */
            s->d.is_template = true;
        s->kernels++;
        if (s->gives_places && !kernel_meets(s))
            begin_places(s);
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
    if (is_meeting(t))
        keep_meeting(s);
    if (s->d.stage != IN_BODY && (mnp__raw_is(t, "threadIdx") || mnp__raw_is(t, "blockIdx") ||
                                  mnp__raw_is(t, "blockDim") || mnp__raw_is(t, "gridDim")))
        s->uses_elsewhere = true;
    if (s->define_end && mnp__raw_forbids_turns(t))
        s->forbids_turns = true;
    if (mnp__raw_is(t, "template") && s->d.stage == OUTSIDE) {
        s->d.is_template = true;
    } else if (mnp__raw_is(t, "__global__") && s->d.stage == OUTSIDE) {
        s->d.stage = WANT_NAME;
        s->d.outer = s->d.parentheses;
    } else if (mnp__raw_is(t, "\"C\"") && mnp__raw_is(s->d.word, "extern")) {
        s->d.c_linkage = true;
    } else if (mnp__raw_is(t, "__shared__") && mnp__raw_is(s->d.word, "extern")) {
        begin_dynamic(s, t);
    }
    s->d.word = t;
    return MNP_OK;
}

/* Make the edit that begins at the token, if there is one; there are others where text is left out. */
static void edit(scan *s, token t)
{
    const mnp__raw_edit *e = s->edits.edit;
    while (s->next_edit < s->edits.count && e[s->next_edit].begin < t.text)
        s->next_edit++;
    if (s->next_edit == s->edits.count || e[s->next_edit].begin != t.text)
        return;
    const bool is_insertion = e[s->next_edit].end == t.text;
    s->at = t.text;
    copy(s);
    mnp__text_add(s->out, "%s", e[s->next_edit].text);
    s->at = s->copied = e[s->next_edit].end;
    if (is_insertion)
        s->at += t.size;
}

static mnp_status read_token(scan *s, token t)
{
    if (s->is_survey)
        mnp__raw_keep_word(&s->words, t);
    edit(s, t);
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

/* Whether macros of options may have words that change what a loop does. */
static bool options_forbid_turns(const char *options)
{
    return options && (strstr(options, "return") || strstr(options, "break") || strstr(options, "goto") ||
                       strstr(options, "static") || strstr(options, "__shared__"));
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
        final.forbids_turns = survey.forbids_turns || options_forbid_turns(spec->host_options);
        const bool any_meets = options_meet(&survey);
        final.meets = survey.meets || any_meets;
        final.meeting = survey.meeting;
        final.meets_elsewhere = survey.meets_elsewhere || any_meets;
        final.gives_places = !survey.uses_elsewhere && mnp__raw_has_only_numbers(mnp__text_string(&survey.words));
        if (spec->host_options && mnp__raw_names_places(spec->host_options))
            final.gives_places = false;
        if (final.meets)
            mnp__text_add(&out, "#define MNP_MEETS\n");
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
