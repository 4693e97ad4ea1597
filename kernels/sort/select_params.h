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
#define MNP_SELECT_SAMPLE 5 /* on a GPU, before that for long lines: sort a sample, or all if these are few */
#define MNP_SELECT_SIEVE 6  /* on a GPU: list the elements in the ranges that samples give, count those before each */
#define MNP_SELECT_TASKS 7

enum {
    MNP_SELECT_SHORT_LENGTH = 1 << 13, /* of lines, at most */
    MNP_SELECT_BITS = 11,              /* of a digit */
    MNP_SELECT_DIGITS = 1 << MNP_SELECT_BITS,
    MNP_SELECT_TARGETS = 8, /* the most elements that are sought at a time */
    MNP_SELECT_WORDS = 3,
    MNP_SELECT_PASSES = 18,   /* at most: two words of 6 digits, and an index of 6 */
    MNP_SELECT_SORTED = 2048, /* elements that a block sorts at most: a sample, or all */
    MNP_SELECT_ALONE = 65536, /* elements of which one block finds the sought ones sooner than many */
    MNP_SELECT_BINS = 256,    /* in which the elements of a range are counted */
    MNP_SELECT_STAGE = 4096,  /* bytes of keys that a warp gathers before it adds them to lists */
    MNP_SELECT_STAGED = 256   /* or keys, where they have indices */
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

/* How far the sieve has come with a group of sought elements. */
enum {
    MNP_SELECT_SOUGHT,
    MNP_SELECT_STUCK, /* the sample has misled, or the list had no room: digits tell the rest */
    MNP_SELECT_FOUND  /* what is wanted of them is written */
};

/*
 * Where a group is sought: in `size` elements, those of the line, or if `round` is not 0 of the last list.
 */
typedef struct mnp_select_range {
    unsigned long long low[2], high[2]; /* the words of the least and the largest number that this round lists */
    unsigned long long below, inside;   /* how many of the elements are less, and in the range */
    unsigned long long before, size;    /* how many elements of the line come before these, and how many these are */
    int bounds;                         /* how many numbers of the sample part the range; 0: it has no bins */
    int round, state;
} mnp_select_range;

/* A list of some elements of each line, or for each group of each line. */
typedef struct mnp_select_list {
    void *numbers;             /* the words of their numbers, `room` of each line; in the sieve's lists their keys */
    long long *places;         /* their indices in the line, where these matter */
    unsigned long long *count; /* how many each line has; if these are more than `room`, some are missing */
    long long room;
} mnp_select_list;

/* How far a team of blocks has come with a line. */
typedef struct mnp_select_progress {
    long long few;    /* of so many elements a pass makes a list */
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
    mnp_select_progress *progress; /* TEAM: of each group of each line; 0 at first */
    /* a list of each line, which the first pass writes that finds few elements to be left; later ones read no others */
    long long few; /* at most so many of the whole line */
    mnp_select_list list;
    /* targets next to each other are sought together: group g has the targets begins[g] .. begins[g + 1] - 1 */
    int groups, begins[MNP_SELECT_TARGETS + 1];
    mnp_select_range *ranges;  /* NULL: lines are not sieved.  Of each group of each line */
    void *bounds;              /* where indices do not matter, MNP_SELECT_BINS numbers of each range, which rise, */
    unsigned *tallies;         /* and how many elements have 0, 1, 2 ... of them before or equal to them */
    mnp_select_list sieved[2]; /* what even and odd rounds list; how many is in the ranges */
    int round, rounds;         /* SAMPLE, SIEVE: this one, and how many there are before the last sample */
    int sievers;               /* SIEVE: blocks for each line, or after the first round for each group */
    /* what is wanted: */
    void *values; /* `targets` keys of each line, in rows of `row`; or the first `first`, in no order */
    long long row;
    long long *indices; /* of these `first`, to which `number` is added */
    long long number;
    unsigned long long *found; /* of each line: how many of these have been written */
    int sorts;                 /* TEAM: sort these */
    long long first;
} mnp_select_params;

#endif
