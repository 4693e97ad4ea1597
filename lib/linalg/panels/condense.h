/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What reductions of one matrix to two diagonals have in common: passes over panels whose reflectors all ranks find
 * alike, as each has the panel; sums over the ranks of products with vectors; runs of a rank's columns.
 */
#ifndef MNP__LINALG_CONDENSE_H
#define MNP__LINALG_CONDENSE_H

#include "linalg/panels/panel_pass.h"

typedef struct mnp__condense {
    mnp__pass pass;
    mnp_array *work;      /* on every rank */
    mnp_array *identity;  /* of as many rows as panels have columns, on every rank; it begins with a one */
    mnp_array *diagonals; /* the two, one behind the other, each with room for the matrix's columns */
} mnp__condense;

/* Begin with so many elements of work memory; end with mnp__condense_end(), also after a failure.  Collective. */
mnp_status mnp__condense_begin(const mnp__place *place, const mnp__dense *a, int64_t work, mnp__condense *c);
mnp_status mnp__condense_end(mnp__condense *c, mnp_status st);

/* Element (row, column) of a matrix in the work memory. */
static inline char *mnp__at(const mnp__condense *c, char *matrix, int64_t ld, int64_t row, int64_t column)
{
    return matrix + (size_t)(column * ld + row) * c->pass.size;
}

/* The reflector that makes all but the first of x's elements 0: its factor, x, and in v the reflector with its one. */
mnp_status mnp__condense_reflect(const mnp__condense *c, int64_t count, char *x, char *factor, char *v);

/* y -= A (B x), where A is m x k, B is k x n, and t has room for k elements.  With k = 0 nothing is done. */
mnp_status mnp__condense_deflate(const mnp__condense *c, mnp__extents extents, mnp__factor a, mnp__factor b,
                                 const char *x, char *t, char *y);

/* y = tau x */
mnp_status mnp__condense_scale(const mnp__condense *c, int64_t count, const char *tau, const char *x, char *y);

/* The sum over the ranks, in place.  Collective. */
mnp_status mnp__condense_sum(const mnp__condense *c, char *values, int64_t count);

/* Keep `count` elements of one diagonal of a matrix in the work memory, as those of diagonal 0 or 1 of the result. */
mnp_status mnp__condense_keep(const mnp__condense *c, int which, int64_t first, int64_t count, char *from, int64_t ld);

/* Both diagonals, as numbers of the CPU, of so many elements. */
mnp_status mnp__condense_fetch(const mnp__condense *c, double *diagonal, double *other);

/* A run of this rank's columns that are side by side in the matrix too: global ones [first, end), from `own` on. */
typedef struct mnp__run {
    int64_t first, end, own;
} mnp__run;

/* The next run of columns from that one on; false if there is none. */
bool mnp__next_run(const mnp__pass *p, int64_t from, mnp__run *found);

#endif
