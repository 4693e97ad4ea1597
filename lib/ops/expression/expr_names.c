/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meaning of names in expressions.
 *
 * A name before "(" is a function or a type.  Elsewhere it is the first of these that exists: a variable, an input, a
 * constant, an index.  So an input may be called e, n or even sin.
 */
#include <maniple/eval.h>

#include "ops/expression/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/ufunc_table.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"

static const char *const keywords[] = {"and", "or", "not", "if", "else", "True", "False"};
enum { NUM_KEYWORDS = sizeof keywords / sizeof *keywords };

static const struct constant {
    const char *name;
    double value;
} constants[] = {
    {"pi", 3.14159265358979323846},
    {"e", 2.71828182845904523536},
    {"inf", INFINITY},
    {"nan", NAN},
};
enum { NUM_CONSTANTS = sizeof constants / sizeof *constants };

static mnp__word word_of(const char *name)
{
    return (mnp__word){name, strlen(name)};
}

static bool same_words(mnp__word a, mnp__word b)
{
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

bool mnp__expression_valid_name(const char *name)
{
    for (int i = 0; i < NUM_KEYWORDS; i++) {
        if (strcmp(name, keywords[i]) == 0)
            return false;
    }
    for (const char *c = name; *c; c++) {
        if (!mnp__is_in_name(*c))
            return false;
    }
    return *name && !isdigit((unsigned char)*name);
}

/* ---- variables ---- */

/* The place of a name in the table: that of its variable, or a free one.  The table is never full. */
static int *find_place(const mnp__expression *expression, mnp__word name)
{
    uint64_t hash = mnp__hash(MNP__HASH_START, name.start, name.length);
    for (uint64_t i = hash;; i++) {
        int *place = &expression->places[i % (uint64_t)expression->nplaces];
        if (*place < 0 || same_words(expression->variables[*place].name, name))
            return place;
    }
}

const mnp__variable *mnp__expression_variable(const mnp__expression *expression, mnp__word name)
{
    if (expression->nplaces == 0)
        return NULL;
    int number = *find_place(expression, name);
    return number < 0 ? NULL : &expression->variables[number];
}

/* Make the table larger than twice the number of variables. */
static mnp_status grow_places(mnp__expression *expression)
{
    int count = 4 * (expression->nvariables + 8);
    int *places;
    if (expression->nplaces > 2 * (expression->nvariables + 1))
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)count * sizeof *places, &places));
    for (int i = 0; i < count; i++)
        places[i] = -1;
    free(expression->places);
    expression->places = places;
    expression->nplaces = count;
    for (int v = 0; v < expression->nvariables; v++)
        *find_place(expression, expression->variables[v].name) = v;
    return MNP_OK;
}

mnp_status mnp__expression_assign(mnp__expression *expression, mnp__word name, int node)
{
    MNP_TRY(grow_places(expression));
    int *place = find_place(expression, name);
    if (*place < 0) {
        MNP_TRY(mnp__expression_grow(&expression->variables, sizeof *expression->variables, expression->nvariables,
                                     &expression->variables_capacity));
        *place = expression->nvariables++;
    }
    expression->variables[*place] = (mnp__variable){name, node};
    return MNP_OK;
}

/* ---- misspelt names ---- */

enum { MAX_WORD = 32 };

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* The Levenshtein distance: the number of letters to insert, delete or replace. */
static int distance(mnp__word a, mnp__word b)
{
    int row[MAX_WORD + 1];
    for (size_t j = 0; j <= b.length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a.length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b.length; j++) {
            int above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a.start[i - 1] != b.start[j - 1]));
            diagonal = above;
        }
    }
    return row[b.length];
}

/* The nearest of the words that were tried so far; one letter in three may be wrong, and one letter of two. */
typedef struct search {
    mnp__word wrong, nearest;
    int least;
} search;

static search search_for(mnp__word wrong)
{
    int length = wrong.length <= MAX_WORD ? (int)wrong.length : 0;
    int least = length < 2 ? 0 : length < 4 ? 2 : 1 + (length + 1) / 3;
    return (search){.wrong = wrong, .least = least};
}

static void offer(search *s, mnp__word candidate)
{
    if (s->least == 0 || candidate.length > MAX_WORD)
        return;
    int d = distance(s->wrong, candidate);
    if (d < s->least) {
        s->least = d;
        s->nearest = candidate;
    }
}

static void offer_variables(search *s, const mnp__expression *expression)
{
    for (int i = 0; i < expression->nvariables; i++)
        offer(s, expression->variables[i].name);
}

mnp__word mnp__expression_nearest_variable(const mnp__expression *expression, const char *name)
{
    search s = search_for(word_of(name));
    offer_variables(&s, expression);
    return s.nearest;
}

#define FUNCTION_NAME(name, ...) #name,

static void offer_functions(search *s)
{
    static const char *const names[] = {MNP_UFUNCS(FUNCTION_NAME) MNP_UFUNCS_INTERNAL(FUNCTION_NAME)
                                            MNP_UFUNC_ALIASES(FUNCTION_NAME) "astype"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        offer(s, word_of(names[i]));
    for (int i = 0; mnp__array_function_name(i); i++)
        offer(s, word_of(mnp__array_function_name(i)));
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++)
        offer(s, word_of(mnp_dtype_name((mnp_dtype)i)));
}

static mnp_status fail_unknown(const mnp__expression *expression, mnp__word name, const char *what, const search *s)
{
    int length = name.length < 100 ? (int)name.length : 100;
    if (s->nearest.length == 0)
        return mnp__expression_fail(expression, name.start, "there is no %s '%.*s'", what, length, name.start);
    return mnp__expression_fail(expression, name.start, "there is no %s '%.*s'; did you mean '%.*s'?", what, length,
                                name.start, (int)s->nearest.length, s->nearest.start);
}

/* ---- values ---- */

/* Recognise i and n, alone or with the number of a dimension. */
static bool find_index(mnp__word name, mnp__node *node)
{
    char symbol = name.start[0];
    if (symbol != 'i' && symbol != 'n')
        return false;
    if (name.length > 2 || (name.length == 2 && (name.start[1] < '0' || name.start[1] >= '0' + MNP_MAX_DIMS)))
        return false;
    node->kind = MNP__NODE_INDEX;
    node->index = symbol;
    node->dim = name.length == 1 ? -1 : name.start[1] - '0';
    return true;
}

static bool find_constant(mnp__word name, mnp__node *node)
{
    bool truth = mnp__word_is(name, "True");
    node->kind = MNP__NODE_NUMBER;
    if (truth || mnp__word_is(name, "False")) {
        node->number = (mnp__number){.kind = 'b', .integer = truth};
        return true;
    }
    for (int i = 0; i < NUM_CONSTANTS; i++) {
        if (mnp__word_is(name, constants[i].name)) {
            node->number = (mnp__number){.kind = 'f', .real = constants[i].value};
            return true;
        }
    }
    return false;
}

static bool find_input(const mnp__expression *expression, mnp__word name, mnp__node *node)
{
    for (int i = 0; i < expression->ninputs; i++) {
        if (mnp__word_is(name, expression->input_names[i])) {
            node->kind = MNP__NODE_INPUT;
            node->input = i;
            return true;
        }
    }
    return false;
}

static mnp_status fail_name(const mnp__expression *expression, mnp__word name)
{
    mnp__array_call call;
    mnp_dtype dtype;
    if (mnp__ufunc_find(name.start, name.length) || mnp__array_function_find(name, &call) ||
        mnp__expression_dtype(name, &dtype))
        return mnp__expression_fail(expression, name.start, "'%.*s' is a function: expected '(' after it",
                                    (int)name.length, name.start);
    search s = search_for(name);
    offer_variables(&s, expression);
    for (int i = 0; i < expression->ninputs; i++)
        offer(&s, word_of(expression->input_names[i]));
    for (int i = 0; i < NUM_CONSTANTS && name.length > 1; i++)
        offer(&s, word_of(constants[i].name));
    return fail_unknown(expression, name, "variable or input", &s);
}

mnp_status mnp__expression_name(mnp__expression *expression, mnp__word name, int *node_p)
{
    mnp__node node = {.at = name.start};
    const mnp__variable *variable = mnp__expression_variable(expression, name);
    if (variable) {
        *node_p = variable->node;
        return MNP_OK;
    }
    if (find_input(expression, name, &node)) { /* one node, so that a kernel reads it once */
        int *known = &expression->input_nodes[node.input];
        if (*known == 0) {
            MNP_TRY(mnp__expression_add(expression, &node, node_p));
            *known = *node_p + 1;
        }
        *node_p = *known - 1;
        return MNP_OK;
    }
    if (find_constant(name, &node) || find_index(name, &node))
        return mnp__expression_add(expression, &node, node_p);
    return fail_name(expression, name);
}

/* ---- functions and types ---- */

mnp_status mnp__expression_function(const mnp__expression *expression, mnp__word name, const mnp__ufunc **ufunc_p)
{
    const mnp__ufunc *ufunc = mnp__ufunc_find(name.start, name.length);
    if (ufunc) {
        *ufunc_p = ufunc;
        return MNP_OK;
    }
    mnp__node input;
    if (mnp__expression_variable(expression, name) || find_input(expression, name, &input))
        return mnp__expression_fail(expression, name.start + name.length,
                                    "'%.*s' is not a function: expected an operator before '('", (int)name.length,
                                    name.start);
    search s = search_for(name);
    offer_functions(&s);
    return fail_unknown(expression, name, "function", &s);
}

bool mnp_eval_can_call(const char *name)
{
    MNP_NEED_OR(false, name);
    const mnp__word word = word_of(name);
    mnp__array_call call;
    mnp_dtype dtype;
    return mnp__word_is(word, "astype") || mnp__word_is(word, "round") || mnp__word_is(word, "around") ||
           mnp__ufunc_find(name, strlen(name)) || mnp__array_function_find(word, &call) ||
           mnp__expression_dtype(word, &dtype);
}

bool mnp__expression_dtype(mnp__word name, mnp_dtype *dtype_p)
{
    static const struct {
        const char *name;
        mnp_dtype dtype;
    } python[] = {{"int", MNP_INT64}, {"float", MNP_FLOAT64}, {"complex", MNP_COMPLEX128}};
    for (size_t i = 0; i < sizeof python / sizeof *python; i++) {
        if (mnp__word_is(name, python[i].name)) {
            *dtype_p = python[i].dtype;
            return true;
        }
    }
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++) {
        if (mnp__word_is(name, mnp_dtype_name((mnp_dtype)i))) {
            *dtype_p = (mnp_dtype)i;
            return true;
        }
    }
    return false;
}
