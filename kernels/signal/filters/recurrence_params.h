/* SPDX-License-Identifier: BSD-3-Clause */
/* What recurrence.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_SIGNAL_FILTERS_RECURRENCE_PARAMS_H
#define MNP_KERNELS_SIGNAL_FILTERS_RECURRENCE_PARAMS_H

#define MNP_RECURRENCE_DIMS 8

/*
 * Lines of `length` elements are divided into `parts` of `part` elements, of which the first one may be shorter.  A
 * state has MNP_ORDER numbers.  Number n of the state of item i of a line (a part, or a group of them) is at
 * (i * MNP_ORDER + n) * lines + line; in arrays of the library `place` of the line stands for its number.
 */
enum {
    MNP_RECURRENCE_ENDS,   /* states: where the first `count` parts end that begin with zeros */
    MNP_RECURRENCE_SEED,   /* states: the first part's, if it begins with the state `start`; matrix: of its length */
    MNP_RECURRENCE_FOLD,   /* totals: where groups of `group` items end that begin with zeros; matrix: of an item */
    MNP_RECURRENCE_EXPAND, /* states: where items end; before: where the groups do, or NULL for a single one */
    MNP_RECURRENCE_RANKS,  /* totals: where this rank begins; last: where lines end; states: ranks' ends from zeros */
    MNP_RECURRENCE_VALUES  /* the output */
};

typedef struct mnp_recurrence_operand {
    void *base;                                 /* of the first element */
    long long along, kept[MNP_RECURRENCE_DIMS]; /* strides in real numbers: of the axis, and of the other dimensions */
} mnp_recurrence_operand;

/* The lines of a launch. */
typedef struct mnp_recurrence_over {
    long long lines;
    long long kept[MNP_RECURRENCE_DIMS], place[MNP_RECURRENCE_DIMS]; /* extents, and strides of places */
    mnp_recurrence_operand in, out;
} mnp_recurrence_over;

typedef struct mnp_recurrence_params {
    int task;
    int placed; /* FOLD: totals is an array of the library */
    mnp_recurrence_over over;
    long long length, parts, part;
    const double *coefficients; /* b[0 .. order], a[1 .. order]; or five for each section: b0, b1, b2, a1, a2 */
    const double *matrix;       /* dense in C order; RANKS: one for each rank */
    const double *start;        /* an array of the library: the state in which lines begin; NULL: zeros */
    const double *before;
    double *states, *totals, *last;
    long long count, group;
    long long ranks, mine; /* RANKS: how many share a line, and which of them this one is */
} mnp_recurrence_params;

#endif
