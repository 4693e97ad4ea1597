/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of select.cu, shared by the library (C) and the kernel (C++).
 *
 * An element is ordered by the words of its number (sort_keys.h), one or two, and where equal elements have to be told
 * apart by one word more, its index in the line.  A pass looks at one digit, from the most significant on.
 */
#ifndef MNP_KERNELS_SORT_SELECT_PARAMS_H
#define MNP_KERNELS_SORT_SELECT_PARAMS_H

/* The tasks, each a kernel on a GPU, compiled with MNP_TASK.  They are macros, as #if evaluates them. */
#define MNP_SELECT_COUNT 0  /* count a digit of the elements that may still be sought ones */
#define MNP_SELECT_PICK 1   /* find which digit the sought elements have */
#define MNP_SELECT_VALUES 2 /* write the sought elements */
#define MNP_SELECT_SHORT 3  /* on the host: find the sought elements of short lines, without digits, and write them */
#define MNP_SELECT_TEAM 4   /* on a GPU: all of that for lines that no other rank shares */
#define MNP_SELECT_SAMPLE 5 /* on a GPU, before that for long lines: find ranges that are likely to have the sought */
#define MNP_SELECT_SIEVE 6  /* on a GPU: list the elements in these ranges, and count those before each */
#define MNP_SELECT_TASKS 7

enum {
    MNP_SELECT_SHORT_LENGTH = 1 << 13, /* of lines, at most */
    MNP_SELECT_BITS = 11,              /* of a digit */
    MNP_SELECT_DIGITS = 1 << MNP_SELECT_BITS,
    MNP_SELECT_TARGETS = 8, /* the most elements that are sought at a time */
    MNP_SELECT_WORDS = 3,
    MNP_SELECT_PASSES = 18, /* at most: two words of 6 digits, and an index of 6 */
    MNP_SELECT_DRAWN = 2048 /* elements of a sample */
};

/* What is known of a sought element. */
typedef struct mnp_select_state {
    unsigned long long rank;                    /* how many of those that share its known digits come before it */
    unsigned long long words[MNP_SELECT_WORDS]; /* its known digits; the others are 0 */
    long long alike;                            /* how many share its known digits */
    int passes;                                 /* how many digits are known */
    int leader;                                 /* the first target with the same digits, which counts for both */
    int done;   /* it is known; or where indices matter, all that share its known digits come before it, or are it */
    int listed; /* of a line's first: the pass that writes the list, or 0: none yet */
} mnp_select_state;

/* A range of numbers, from the least to the largest, in which some elements are sought; ranges of a line rise. */
typedef struct mnp_select_range {
    unsigned long long low[2], high[2]; /* the words of these numbers */
    unsigned long long below, inside;   /* how many elements of the line are less, and in the range */
    int targets;                        /* how many are sought in it; 0: there are no further ranges */
} mnp_select_range;

/* A list of some elements of each line. */
typedef struct mnp_select_list {
    void *numbers;             /* the words of their numbers, `room` of each line */
    long long *places;         /* their indices in the line, where these matter */
    unsigned long long *count; /* how many each line has; if these are more than `room`, some are missing */
    long long room;
} mnp_select_list;

/* How far a team of blocks has come with a line. */
typedef struct mnp_select_progress {
    long long few;    /* of so many elements a pass makes a list */
    int sieved;       /* whether the sought elements are in the list of the sieve, or known */
    int finished;     /* whether all that is wanted of the line is written */
    unsigned arrived; /* how many members have added what they found in this pass */
} mnp_select_progress;

/* One digit: its word, and the bits of the word from `shift` on that are it. */
typedef struct mnp_select_digit {
    int word, shift, bits;
} mnp_select_digit;

typedef struct mnp_select_params {
    const void *keys;        /* of all lines; element i of line l is number l * length + i */
    long long lines, length; /* of this rank */
    long long chunk;         /* elements of a line that are counted together */
    int descending;
    int targets;
    int pass, passes; /* this one, and all */
    mnp_select_digit digits[MNP_SELECT_PASSES];
    int bits[MNP_SELECT_WORDS]; /* of the words, as many as matter */
    long long ranks[MNP_SELECT_TARGETS];
    mnp_select_state *states;      /* `targets` of each line; 0 at first */
    long long *counts;             /* of each digit, MNP_SELECT_DIGITS for each state; 0 at first */
    int members;                   /* TEAM: how many blocks select from a line together */
    mnp_select_progress *progress; /* TEAM: of each line; 0 at first */
    /* a list of each line, which the first pass writes that finds few elements to be left; later ones read no others */
    long long few; /* at most so many of the whole line */
    mnp_select_list list;
    mnp_select_range *ranges; /* NULL: lines are not sieved.  `targets` of each line */
    mnp_select_list sieved;   /* the elements in the ranges: no pass reads others if the sought ones are there */
    /* what is wanted: */
    void *values; /* `targets` keys of each line, in rows of `row`; or the first `first`, in no order */
    long long row;
    long long *indices; /* of these `first`, to which `number` is added */
    long long number;
    unsigned long long *found; /* of each line: how many of these have been written */
    long long first;
} mnp_select_params;

#endif
