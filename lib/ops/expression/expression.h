/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions are the texts of mnp_eval().  They are parsed, typed as in NumPy, and translated to the bodies of loops
 * and the maps of reductions (eval_program.h).
 *
 *   expr_lex.c    text to tokens              expr_names.c   names to values, and misspelt names
 *   expr_parse.c  tokens to nodes             expr_number.c  arithmetic of constants, and how C++ writes them
 *   expr_call.c   calls                       expr_type.c    types, constants folded
 *   expr_reduce.c reductions                  expr_emit.c    nodes to C++ statements
 *   expr_node.c   the list of nodes
 *
 * include/maniple/eval.h describes the language.  A text becomes a list of nodes in which a node comes after its
 * arguments.  So typing and emission are loops over that list, and a deeply nested text exhausts neither the stack nor
 * the C++ compiler.  A variable is the number of a node; an assignment makes no node of its own.
 */
#ifndef MNP__OPS_EXPRESSION_EXPRESSION_H
#define MNP__OPS_EXPRESSION_EXPRESSION_H

#include "base/text.h"
#include "ops/elementwise/loop.h"
#include "ops/reduction/numpy_reductions.h"
#include "ops/elementwise/ufunc.h"

enum {
    MNP__MAX_NAMES = 64,     /* inputs and outputs that a caller may list; a loop uses at most MNP__MAX_OPERANDS */
    MNP__MAX_REDUCTIONS = 32 /* in a text */
};

/* An integer constant, which is exact, as in Python, within 127 bits. */
__extension__ typedef __int128 mnp__wide;

/* A number in the text: kind 'b' or 'i' (in `integer`), 'f' (in `real`), or 'c', imaginary (`real` times 1j). */
typedef struct mnp__number {
    char kind;
    mnp__wide integer;
    double real;
} mnp__number;

/* A part of the text. */
typedef struct mnp__word {
    const char *start;
    size_t length;
} mnp__word;

typedef enum mnp__operator {
    MNP__OP_NONE, /* a function's call */
    MNP__OP_ADD,
    MNP__OP_SUBTRACT,
    MNP__OP_MULTIPLY,
    MNP__OP_DIVIDE,
    MNP__OP_FLOOR_DIVIDE,
    MNP__OP_REMAINDER,
    MNP__OP_POWER,
    MNP__OP_LEFT_SHIFT,
    MNP__OP_RIGHT_SHIFT,
    MNP__OP_AND,
    MNP__OP_XOR,
    MNP__OP_OR,
    MNP__OP_LESS,
    MNP__OP_LESS_EQUAL,
    MNP__OP_GREATER,
    MNP__OP_GREATER_EQUAL,
    MNP__OP_EQUAL,
    MNP__OP_NOT_EQUAL,
    MNP__OP_LOGICAL_AND,
    MNP__OP_LOGICAL_OR,
    MNP__OP_NEGATIVE,
    MNP__OP_POSITIVE,
    MNP__OP_INVERT,
    MNP__OP_NOT,
    MNP__NUM_OPERATORS
} mnp__operator;

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
    MNP__NODE_CHOOSE, /* the second argument where the first is true, the third elsewhere: a if c else b */
    MNP__NODE_REDUCE, /* a reduction of its argument */
} mnp__node_kind;

typedef struct mnp__node {
    mnp__node_kind kind;
    const char *at;                                   /* where in the text, for messages */
    bool live;                                        /* a kernel computes it; see mnp__expression_need() */
    int narguments, arguments[MNP__MAX_UFUNC_INPUTS]; /* earlier nodes */
    mnp__operator op;                                 /* of a call */
    const mnp__ufunc *ufunc;                          /* of a call */
    int input;                                        /* number of the input */
    char index;                                       /* 'i' or 'n' */
    int dim;                                          /* of an index; -1: all */
    mnp_dtype dtype;                                  /* of a cast */
    int reduction;                                    /* number of the reduction */
    mnp__number number;
    /* By mnp__expression_type() */
    mnp__type type;                            /* of the value */
    int ndim;                                  /* of the value; indices count as having none */
    mnp_dtype wanted[MNP__MAX_UFUNC_INPUTS];   /* what the arguments are converted to */
    mnp_dtype results[MNP__MAX_UFUNC_OUTPUTS]; /* of a call */
} mnp__node;

/* A reduction in the text; those within others come first. */
typedef struct mnp__reducing {
    const mnp__reduce_function *function;
    mnp__word name; /* as it is written */
    mnp_axes axes;
    int node;
    /* By mnp__expression_type() */
    unsigned mask;  /* bit d: dimension d is reduced */
    mnp_dtype type; /* in which elements are taken */
} mnp__reducing;

/* A name and the node that is its value now; for an input its number in the list of inputs, or -1. */
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
    mnp__reducing reductions[MNP__MAX_REDUCTIONS];
    int nreductions;
    int last;                               /* the value of the last statement */
    int outputs[MNP__MAX_NAMES];            /* the nodes of the outputs */
    mnp_dtype output_types[MNP__MAX_NAMES]; /* of their variables in the body; by mnp__expression_type() */
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
    bool inputs[MNP__MAX_NAMES];
    bool reductions[MNP__MAX_REDUCTIONS]; /* whose results it uses */
    bool indices;                         /* whether it uses any index */
    int dims;                             /* the highest dimension of an index, plus one */
    const char *dims_at;                  /* where that index is in the text */
} mnp__need;

/* Find what some nodes need, and mark exactly the nodes that are computed for them as live. */
void mnp__expression_need(mnp__expression *expression, int count, const int *nodes, mnp__need *need);

/* Append the statements that compute the live nodes, in which input x is in_x and the result of reduction r in_r. */
void mnp__expression_emit(const mnp__expression *expression, mnp__text *body);

/* Append the value of a node in that type, for use after these statements. */
void mnp__expression_emit_value(const mnp__expression *expression, int node, mnp_dtype dtype, mnp__text *body);

void mnp__expression_free(mnp__expression *expression);

/* ---- between the files ---- */

/* Return MNP_ERR_ARG with a message that shows a place of the text. */
mnp_status mnp__expression_fail(const mnp__expression *expression, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The same with the message of the last error, from a function that did not know the place. */
mnp_status mnp__expression_fail_again(const mnp__expression *expression, const char *at);

mnp_status mnp__expression_add(mnp__expression *expression, const mnp__node *node, int *number_p);

/* Find the type and dimensions of a reduction, whose argument is typed already. */
mnp_status mnp__expression_type_reduction(mnp__expression *expression, mnp__node *node);

typedef enum mnp__token_kind {
    MNP__TOKEN_END,
    MNP__TOKEN_SEPARATOR, /* a semicolon or the end of a line */
    MNP__TOKEN_NUMBER,
    MNP__TOKEN_NAME,
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

/*
 * Compute `op` on constants as Python does.  Returns false if it was not done: complex numbers and results that are not
 * real are left to run time.  *problem_p is NULL or says what is wrong.
 */
bool mnp__number_fold(mnp__operator op, const mnp__number *a, const mnp__number *b, mnp__number *result,
                      const char **problem_p);

/* Whether an integer type (bool: 0 and 1) can hold an integer; and the integer's decimal digits. */
bool mnp__wide_fits(mnp__wide value, mnp_dtype dtype);
enum { MNP__WIDE_TEXT = 48 };
const char *mnp__wide_text(mnp__wide value, char text[MNP__WIDE_TEXT]);

/* Append a constant of that type in C++; an integer must fit it. */
void mnp__number_emit(const mnp__number *number, mnp_dtype dtype, mnp__text *text);

#endif
