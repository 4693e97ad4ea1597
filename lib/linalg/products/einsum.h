/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of products with subscripts: what a text means, and the order in which operands are contracted.
 *
 * A label is a number: letters are 0 to 51, capitals first, the dimensions of an ellipsis follow, the last one being
 * the highest.  Sets of labels are bit sets.
 */
#ifndef MNP__LINALG_EINSUM_H
#define MNP__LINALG_EINSUM_H

#include <maniple/linalg.h>

enum {
    MNP__LETTERS = 52,
    MNP__LABELS = MNP__LETTERS + MNP_MAX_DIMS,
    MNP__MOST_TERMS = 32 /* operands */
};

/* The labels of the dimensions of an operand or of the result. */
typedef struct mnp__term {
    int ndim, labels[MNP_MAX_DIMS];
} mnp__term;

typedef struct mnp__einsum {
    int count;
    mnp__term terms[MNP__MOST_TERMS], result;
    int64_t extent[MNP__LABELS]; /* of every label that is used */
} mnp__einsum;

uint64_t mnp__term_set(const mnp__term *term);

/* Where a label is among those of a term, or -1. */
int mnp__term_find(const mnp__term *term, int label);

/* Read subscripts for operands of these shapes.  MNP_ERR_ARG, in a message that begins with `function`. */
mnp_status mnp__einsum_read(const char *function, const char *subscripts, int count, const mnp_array *const *arrays,
                            mnp__einsum *einsum);

/*
 * Find an order: step s contracts numbers path[2 s] and path[2 s + 1] of the list of what is left, and puts the result
 * at its end, as numpy.einsum_path tells it.  Returns the operations: products that are added up, over all steps.
 */
double mnp__einsum_order(const mnp__einsum *einsum, mnp_einsum_order order, int *path);

#endif
