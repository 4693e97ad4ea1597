/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of radix_sort.cu, shared by the library (C) and the kernel (C++).
 *
 * Elements move between three places: what is given, what is wanted, and scratch memory.
 */
#ifndef MNP_KERNELS_SORT_RADIX_SORT_PARAMS_H
#define MNP_KERNELS_SORT_RADIX_SORT_PARAMS_H

/* What a kernel is for: MNP_TASK on a GPU, where every task is a kernel of its own.  Macros, as #if looks at them. */
#define MNP_RADIX_SORT_COUNT 0 /* how often every digit occurs in every line */
#define MNP_RADIX_SORT_OFFSETS                                                                                         \
    1                           /* from counts to the places where the elements of a digit begin; which digits matter */
#define MNP_RADIX_SORT_PASS 2   /* move all elements by one digit */
#define MNP_RADIX_SORT_FINISH 3 /* bring them to where they are wanted, if they are not there yet */
#define MNP_RADIX_SORT_SHORT 4  /* sort lines that fit into the shared memory of a block */
#define MNP_RADIX_SORT_TASKS 5

enum {
    MNP_RADIX_SORT_DIGITS = 256,    /* values of a digit: a byte of a key */
    MNP_RADIX_SORT_MOST_PASSES = 16 /* of the largest key */
};

enum { MNP_RADIX_SORT_GIVEN, MNP_RADIX_SORT_WANTED, MNP_RADIX_SORT_SCRATCH, MNP_RADIX_SORT_PLACES };

typedef struct mnp_radix_sort_params {
    void *keys[MNP_RADIX_SORT_PLACES];
    void *payload[MNP_RADIX_SORT_PLACES]; /* what is given may be NULL: the numbers of elements in their line */
    long long lines, length;
    int task;
    int descending;
    int keep_keys; /* keys are wanted, not the payload alone */
    int in_place;  /* keys or payload are wanted where they are given */
    int pass;      /* number of the digit, from the least on */
    /* For GPUs, in scratch memory: */
    long long tiles;             /* of a line */
    long long chunk;             /* elements of a line that a block counts */
    long long group;             /* short lines that a block sorts */
    unsigned long long *offsets; /* of each line, of each digit: its counts, and then where its elements go */
    unsigned *needed;            /* of each digit: 1 if it tells any elements of a line apart */
    unsigned *tickets;           /* of each pass: how many tiles were begun */
    void *sums[2];               /* of each tile, of each digit: elements in this tile, or up to it; by turns */
    int wide;                    /* these are 64-bit numbers */
    /* For the host: */
    long long first;  /* of every line only so many elements are wanted; 0: all */
    long long room;   /* elements that scratch memory has for a line then, twice */
    long long number; /* of the first element of what is given */
} mnp_radix_sort_params;

#endif
