/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dividing large expressions: which values become arrays, so that compilers need time in proportion to the text.
 *
 * A node's cone is what a kernel computes for it: all nodes below it down to the arrays that are read.  Nodes are
 * visited from the leaves on.  Where a cone has too many operations, or reads too many arrays, the argument with the
 * largest cone becomes an array, until the cone is small enough.  The cones of arguments are small enough already, so
 * this ends.  Cones are bounded by sums over the arguments, and counted only where such a bound is too large, as nodes
 * may be used more than once.
 */
#include <stdlib.h>

#include "base/status.h"
#include "ops/expression/eval_program.h"

enum {
    MOST_OPERATIONS = 1000, /* a kernel compiles in less than a second */
    MOST_OPERANDS = 24      /* arrays and scalars; with the outputs they must not exceed MNP__MAX_OPERANDS */
};

typedef struct size {
    int64_t operations, operands;
} size;

typedef struct division {
    const mnp__expression *expression;
    bool *stored;
    size *sizes; /* bounds of the nodes' cones */
    int *seen;   /* in which count each node was found last */
    int counts;  /* how many there were */
    int *stack;
} division;

static bool is_leaf(const division *d, int k)
{
    const mnp__node *node = &d->expression->nodes[k];
    return d->stored[k] || mnp__node_is_operand(node) || node->kind == MNP__NODE_NUMBER ||
           node->kind == MNP__NODE_INDEX;
}

static bool is_array(const division *d, int k)
{
    return d->stored[k] || mnp__node_is_operand(&d->expression->nodes[k]);
}

static bool fits(size s)
{
    return s.operations <= MOST_OPERATIONS && s.operands <= MOST_OPERANDS;
}

/* Bound the cone of a node by those of its arguments. */
static size bound(const division *d, int k)
{
    const mnp__node *node = &d->expression->nodes[k];
    size sum = {1, 0};
    for (int a = 0; a < node->narguments; a++) {
        int argument = node->arguments[a];
        sum.operations += is_leaf(d, argument) ? 0 : d->sizes[argument].operations;
        sum.operands += is_leaf(d, argument) ? is_array(d, argument) : d->sizes[argument].operands;
    }
    return sum;
}

/* Count the cone of a node. */
static size count(division *d, int root)
{
    size total = {0, 0};
    int depth = 0, this = ++d->counts;
    d->stack[depth++] = root;
    while (depth > 0) {
        int k = d->stack[--depth];
        const mnp__node *node = &d->expression->nodes[k];
        if (k != root && is_leaf(d, k)) {
            total.operands += is_array(d, k);
            continue;
        }
        total.operations++;
        for (int a = 0; a < node->narguments; a++) {
            if (d->seen[node->arguments[a]] != this) {
                d->seen[node->arguments[a]] = this;
                d->stack[depth++] = node->arguments[a];
            }
        }
    }
    return total;
}

/*
 * Whether a node's values can be stored: they do not depend on indices of what they are part of, have a type, and are
 * not one of two results of one call.
 */
static bool can_store(const division *d, int k)
{
    const mnp__node *node = &d->expression->nodes[k];
    bool two = node->kind == MNP__NODE_CALL && node->ufunc->noutputs == 2;
    return !is_leaf(d, k) && !node->indexed && !node->type.weak && !two;
}

/* Store the argument with the largest cone; false if none can be. */
static bool store_largest(const division *d, int k)
{
    const mnp__node *node = &d->expression->nodes[k];
    int largest = -1;
    int64_t most = 0;
    for (int a = 0; a < node->narguments; a++) {
        const size *s = &d->sizes[node->arguments[a]];
        int64_t measure = s->operations * MOST_OPERANDS + s->operands * MOST_OPERATIONS;
        if (can_store(d, node->arguments[a]) && measure > most) {
            largest = node->arguments[a];
            most = measure;
        }
    }
    if (largest >= 0)
        d->stored[largest] = true;
    return largest >= 0;
}

/* Whether an argument has so many operations that the expression will be refused; nothing is to be gained then. */
static bool is_refused(const division *d, int k)
{
    const mnp__node *node = &d->expression->nodes[k];
    bool refused = false;
    for (int a = 0; a < node->narguments; a++)
        refused = refused ||
                  (!is_leaf(d, node->arguments[a]) && d->sizes[node->arguments[a]].operations > MNP__MOST_OPERATIONS);
    return refused;
}

static void divide(division *d, const bool *wanted)
{
    for (int k = 0; k < d->expression->nnodes; k++) {
        if (!wanted[k] || is_leaf(d, k))
            continue;
        if (is_refused(d, k)) {
            d->sizes[k] = (size){MNP__MOST_OPERATIONS + 1, MOST_OPERANDS};
            continue;
        }
        d->sizes[k] = bound(d, k);
        if (!fits(d->sizes[k]))
            d->sizes[k] = count(d, k);
        while (!fits(d->sizes[k]) && store_largest(d, k))
            d->sizes[k] = count(d, k);
    }
}

mnp_status mnp__program_divide(const mnp__expression *expression, const bool *wanted, bool *stored)
{
    division d = {.expression = expression, .stored = stored};
    size_t n = (size_t)expression->nnodes;
    mnp_status st;
    MNP_TRY_OR(mnp__calloc(n, sizeof *d.sizes, &d.sizes), st, done);
    MNP_TRY_OR(mnp__calloc(n, sizeof *d.seen, &d.seen), st, done);
    MNP_TRY_OR(mnp__malloc(n * sizeof *d.stack, &d.stack), st, done);
    divide(&d, wanted);
done:
    free(d.sizes);
    free(d.seen);
    free(d.stack);
    return st;
}
