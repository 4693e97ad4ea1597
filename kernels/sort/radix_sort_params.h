/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of radix_sort.cu, shared by the library (C) and the kernel (C++).
 *
 * Elements move between three buffers: the input (GIVEN), the result (WANTED), and scratch memory.
 */
#ifndef MNP_KERNELS_SORT_RADIX_SORT_PARAMS_H
#define MNP_KERNELS_SORT_RADIX_SORT_PARAMS_H

/* The tasks: on a GPU each is a kernel, compiled with MNP_TASK.  They are macros, as #if evaluates them. */
#define MNP_RADIX_SORT_COUNT 0 /* count how often every digit occurs in every line */
#define MNP_RADIX_SORT_OFFSETS                                                                                         \
    1                           /* turn counts into where the elements of a digit begin, and find which digits matter */
#define MNP_RADIX_SORT_PASS 2   /* move all elements by one digit */
#define MNP_RADIX_SORT_FINISH 3 /* copy the elements to the result, if they are not there yet */
#define MNP_RADIX_SORT_SHORT 4  /* sort lines that fit into a block's shared memory */
#define MNP_RADIX_SORT_TASKS 5

enum {
    MNP_RADIX_SORT_DIGITS = 256,    /* values of a digit: a byte of a key */
    MNP_RADIX_SORT_MOST_PASSES = 16 /* bytes of the largest key */
};

enum { MNP_RADIX_SORT_GIVEN, MNP_RADIX_SORT_WANTED, MNP_RADIX_SORT_SCRATCH, MNP_RADIX_SORT_PLACES };

typedef struct mnp_radix_sort_params {
    void *keys[MNP_RADIX_SORT_PLACES];
    void *payload[MNP_RADIX_SORT_PLACES]; /* the input's may be NULL: the elements' numbers in their line */
    long long lines, length;
    int task;
    int descending;
    int keep_keys; /* the keys are wanted, not the payload alone */
    int in_place;  /* the result overwrites the input's keys or payload */
    int pass;      /* the number of the digit, from the least significant on */
    /* For GPUs, in scratch memory: */
    long long tiles;             /* of a line */
    long long chunk;             /* elements of a line that a block counts */
    long long group;             /* short lines that a block sorts */
    unsigned long long *offsets; /* of each digit of each line: its count, and then where its elements go */
    unsigned *needed;            /* of each digit: 1 if elements of any line differ in it */
    unsigned *tickets;           /* of each pass: how many tiles have started */
    void *sums[2];               /* of each digit of each tile: elements in the tile, or up to it; used in turn */
    int wide;                    /* the sums have 64 bits */
    /* For the host: */
    long long first;  /* only so many elements of every line are wanted; 0: all */
    long long room;   /* then scratch memory has two buffers of so many elements */
    long long number; /* the number of the input's first element */
} mnp_radix_sort_params;

#endif
