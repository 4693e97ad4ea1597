/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions are the texts of mnp_eval().  They are parsed, typed as in NumPy, and translated to the bodies of loops
 * and the maps of reductions (eval_program.h).
 *
 *   expr_lex.c        text to tokens            expr_names.c      names to values, and misspelt names
 *   expr_statement.c  statements                expr_number.c     arithmetic of constants, and how C++ writes them
 *   expr_parse.c      operators                 expr_type.c       types, constants folded
 *   expr_call.c       calls, methods            expr_node.c       the list of nodes; C++ statements
 *   expr_arguments.c  arguments of calls        array_run.c       calls of the library's functions
 *   expr_subscript.c  x[1:-1, None]             array_function.h  functions of whole arrays
 *
 * include/maniple/eval.h describes the language.  A text becomes a list of nodes in which a node comes after its
 * arguments.  So typing and emission are loops over that list, and a deeply nested text exhausts neither the stack nor
 * the C++ compiler.  A variable is the number of a node; an assignment makes no node of its own, except one to a part
 * of an array: its node is the array in which that part has other values.
 */
#ifndef MNP__OPS_EXPRESSION_EXPRESSION_H
#define MNP__OPS_EXPRESSION_EXPRESSION_H

#include <maniple/view.h>

#include "base/text.h"
#include "ops/elementwise/loop.h"
#include "ops/elementwise/ufunc.h"
#include "ops/expression/array_function.h"
#include "ops/expression/expr_number.h"

enum {
    MNP__MAX_INPUTS = 64, /* that a caller may list; a loop uses at most MNP__MAX_OPERANDS */
    MNP__MAX_NAMES = MNP__MAX_INPUTS + MNP__MAX_OPERANDS, /* inputs, and given outputs, which may be read too */
    MNP__MAX_NESTED_VIEWS = 32,                           /* x[1:][2:] has two */
    MNP__MAX_NEEDED = 64 /* operands of a kernel, before it is known whether it is possible */
};

/* The function of the table that an operator stands for. */
const char *mnp__operator_ufunc(mnp__operator op);

typedef enum mnp__node_kind {
    MNP__NODE_NUMBER, /* a constant; may have arguments, on whose values it does not depend */
    MNP__NODE_INPUT,
    MNP__NODE_INDEX,  /* i, n, i0 .. i7, n0 .. n7 */
    MNP__NODE_CALL,   /* a function of the table; of two results the first */
    MNP__NODE_SECOND, /* the second result of the call that is its argument */
    MNP__NODE_CAST,   /* its argument as `dtype` */
    MNP__NODE_KEEP,   /* its first argument in the type of the second: x += y */
    MNP__NODE_ROUND,  /* its first argument, rounded to decimals, in the type of the second: an integer stays one */
    MNP__NODE_CHOOSE, /* the second argument where the first is true, the third elsewhere: a if c else b */
    /* These are arrays, which kernels read. */
    MNP__NODE_ARRAYS, /* a function of whole arrays, such as a reduction; of several results the first */
    MNP__NODE_RESULT, /* result number `part` of the function that is its argument */
    MNP__NODE_VIEW,   /* a part of its argument */
    MNP__NODE_STORE,  /* its first argument, in which a part has the values of the second */
} mnp__node_kind;

typedef struct mnp__node {
    mnp__node_kind kind;
    const char *at; /* where in the text, for messages */
    int place; /* among the live nodes: its number in the kernel's source, which is the same for parts that are alike */
    bool live; /* a kernel computes it; see mnp__expression_need() */
    int narguments, arguments[MNP__MAX_ARGUMENTS]; /* earlier nodes */
    mnp__operator op;                              /* of a call */
    const mnp__ufunc *ufunc;                       /* of a call */
    int input;                                     /* number of the input */
    char index;                                    /* 'i' or 'n' */
    int dim;                                       /* of an index, -1: all; in an assignment: dimensions of the part */
    mnp_dtype dtype;                               /* of a cast */
    int part;   /* of a result: its number; of a view: how many there are; of rounding: whether decimals are positive */
    int detail; /* which of the expression's calls or subscripts */
    mnp__number number;
    /* By mnp__expression_type() */
    mnp__type type;                            /* of the value */
    int ndim;                                  /* of the value; indices count as having none */
    mnp_dtype wanted[MNP__MAX_UFUNC_INPUTS];   /* what the arguments are converted to */
    mnp_dtype results[MNP__MAX_UFUNC_OUTPUTS]; /* of a call */
    /* By mnp__program_new() */
    bool indexed; /* it is computed from indices of the array that it is part of */
    int value;    /* the number of the value that is its array, or -1 */
} mnp__node;

/* A bound of a slice, or an index: a number, and an integer scalar that is added or subtracted. */
typedef struct mnp__bound {
    int node;  /* -1: none */
    int input; /* the scalar's number, or -1 */
    int sign;
} mnp__bound;

/* What is in brackets: subscripts whose numbers may be bounds. */
typedef struct mnp__subscripts {
    int count;
    mnp_subscript items[MNP_MAX_SUBSCRIPTS];
    mnp__bound bounds[MNP_MAX_SUBSCRIPTS][3]; /* start, stop, step */
} mnp__subscripts;

/* A name and the node that is its value now. */
typedef struct mnp__variable {
    mnp__word name;
    int node;
} mnp__variable;

typedef struct mnp__expression {
    const char *text;
    int ninputs, noutputs; /* their names belong to the caller */
    const char *const *input_names, *const *output_names;
    mnp__node *nodes;
    int nnodes, nodes_capacity;
    mnp__variable *variables;
    int nvariables, variables_capacity;
    int *places; /* of variables, by the hashes of their names */
    int nplaces;
    mnp__array_call *calls; /* of functions of whole arrays */
    int ncalls, calls_capacity;
    mnp__subscripts *subscripts;
    int nsubscripts, subscripts_capacity;
    int input_nodes[MNP__MAX_NAMES];           /* the node of each input plus 1, or 0 */
    int first_live, end_live;                  /* only nodes of this range are live */
    int last;                                  /* the value of the last statement */
    int outputs[MNP__MAX_OPERANDS];            /* the nodes of the outputs */
    mnp_dtype output_types[MNP__MAX_OPERANDS]; /* of their variables in the body; by mnp__expression_type() */
} mnp__expression;

/*
 * Parse expression->text; names and their numbers are set, the rest is zero.  An output of the name "" is the value of
 * the last statement.  Errors are MNP_ERR_ARG with line, column, and the line of text with a caret.
 */
mnp_status mnp__expression_parse(mnp__expression *expression);

/* An operand's type and dimensions.  `value` is used where the type is weak and of kind 'b' or 'i'. */
typedef struct mnp__expression_input {
    mnp__type type;
    int ndim;
    int64_t value;
} mnp__expression_input;

/* Find the types of all nodes.  output_dtypes are those of stored outputs; MNP_DTYPE_AUTO is replaced. */
mnp_status mnp__expression_type(mnp__expression *expression, const mnp__expression_input *inputs,
                                mnp_dtype *output_dtypes);

/* What a kernel needs to compute some nodes. */
typedef struct mnp__need {
    int count;                     /* of operands */
    int operands[MNP__MAX_NEEDED]; /* nodes whose arrays or scalars it reads, in the order of the list */
    int operations;                /* how many nodes it computes */
    bool indices;                  /* whether it uses any index */
    int dims;                      /* the highest dimension of an index, plus one */
    const char *dims_at;           /* where that index is in the text */
} mnp__need;

/* Find what some nodes need, and mark exactly the nodes that are computed for them as live. */
void mnp__expression_need(mnp__expression *expression, int count, const int *nodes, mnp__need *need);

/* Whether a kernel reads a node's array, or scalar, instead of computing its values. */
bool mnp__node_is_operand(const mnp__node *node);

/* Append the statements that compute the live nodes, in which input x is in_x and the array of node k in_k. */
void mnp__expression_emit(const mnp__expression *expression, mnp__text *body);

/* Append the value of a node in that type, for use after these statements. */
void mnp__expression_emit_value(const mnp__expression *expression, int node, mnp_dtype dtype, mnp__text *body);

void mnp__expression_free(mnp__expression *expression);

/* ---- between the files ---- */

/* Return MNP_ERR_ARG with that sentence, and with the line of a text in which a caret shows the place `at`. */
mnp_status mnp__text_fail_at(const char *text, const char *at, const char *sentence);

/* The same with a place of the expression's text, printf-style. */
mnp_status mnp__expression_fail(const mnp__expression *expression, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The same with the message of the last error, from a function that did not know the place. */
mnp_status mnp__expression_fail_again(const mnp__expression *expression, const char *at);

mnp_status mnp__expression_add(mnp__expression *expression, const mnp__node *node, int *number_p);

/* Make room for one more item in a list that has `count`; *list_p has `size` bytes for each of *capacity_p items. */
mnp_status mnp__expression_grow(void *list_p, size_t size, int count, int *capacity_p);

/* Find the types and dimensions of these nodes, whose arguments are typed already. */
mnp_status mnp__expression_type_arrays(mnp__expression *expression, mnp__node *node);
mnp_status mnp__expression_type_view(mnp__expression *expression, mnp__node *node);
mnp_status mnp__expression_type_store(mnp__expression *expression, mnp__node *node);

typedef enum mnp__token_kind {
    MNP__TOKEN_END,
    MNP__TOKEN_SEPARATOR, /* a semicolon or the end of a line */
    MNP__TOKEN_NUMBER,
    MNP__TOKEN_NAME,
    MNP__TOKEN_STRING, /* its word is without the quotes */
    MNP__TOKEN_SYMBOL
} mnp__token_kind;

typedef struct mnp__token {
    mnp__token_kind kind;
    mnp__word word;
    mnp__number number;
} mnp__token;

typedef struct mnp__lexer {
    const mnp__expression *expression;
    const char *next; /* where the next token begins, or the space before it */
    int depth;        /* of parentheses, in which lines do not end */
} mnp__lexer;

mnp_status mnp__lexer_next(mnp__lexer *lexer, mnp__token *token);

/* Whether a word is these characters. */
bool mnp__word_is(mnp__word word, const char *name);

/* Whether `name` may be that of an input or output. */
bool mnp__expression_valid_name(const char *name);

/* Set the node of a variable, which is added if there is none of that name. */
mnp_status mnp__expression_assign(mnp__expression *expression, mnp__word name, int node);

/* The variable of that name; NULL if there is none. */
const mnp__variable *mnp__expression_variable(const mnp__expression *expression, mnp__word name);

/* The value that a name has in an expression, as a new or an existing node. */
mnp_status mnp__expression_name(mnp__expression *expression, mnp__word name, int *node_p);

/* The element-wise function of that name; MNP_ERR_ARG if there is none. */
mnp_status mnp__expression_function(const mnp__expression *expression, mnp__word name, const mnp__ufunc **ufunc_p);

/* Whether a word is the name of a type; also Python's int, float and complex. */
bool mnp__expression_dtype(mnp__word name, mnp_dtype *dtype_p);

/* Find the assigned name of which `name` is a misspelling, or an empty word. */
mnp__word mnp__expression_nearest_variable(const mnp__expression *expression, const char *name);

#endif
