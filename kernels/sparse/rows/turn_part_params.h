/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of turn_part.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_TURN_PART_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_TURN_PART_PARAMS_H

/*
 * The tasks.  A part has lines, each of which lists the others that it has entries with: rows and columns in CSR,
 * columns and rows in CSC.
 */
enum {
    MNP_TURN_LINES,   /* entries: store the number of their line */
    MNP_TURN_OFFSETS, /* lines, and one more: store how many of the `entries` rising `keys` are less */
    MNP_TURN_GHOSTS,  /* entries of a ghost part: store their row and column in the matrix */

    /* on GPUs */
    MNP_TURN_ENTRIES, /* entries: made_indices[i] = lines_of[order[i]], and the same for values */
    MNP_TURN_RANK,    /* entries: count those of each of the others in `sums`, and rank an entry among these, anyhow */
    MNP_TURN_LONGEST, /* others: *longest is at least each of these counts */
    MNP_TURN_SCATTER, /* entries: store line and value of each by its rank; needs the prefix sums of RANK */
    MNP_TURN_ARRANGE, /* entries: store what was scattered, in the order of the lines */

    /* on either, for the `others`, and one more */
    MNP_TURN_NARROW, /* copy prefix sums, as wide as offsets are */

    /* on the host, for chunks of lines, or for the `others` */
    MNP_TURN_COUNT, /* a chunk: how many entries it has with each of the others */
    MNP_TURN_SUM,   /* others: the chunks' counts become those of the chunks before; and the counts of all */
    MNP_TURN_PLACE  /* a chunk: store its entries; needs the prefix sums of SUM */
};

typedef struct mnp_turn_params {
    int task;
    long long count, lines, entries;
    const void *offsets; /* of the lines' entries; 8 bytes each if `wide`, otherwise 4 */
    int wide;
    int *lines_of;     /* of every entry */
    const int *keys;   /* of every entry, which rise */
    const void *order; /* numbers of entries, as wide as offsets */
    const void *values;
    void *made_offsets, *made_values;
    int *made_indices;
    long long others, chunks;
    long long *tallies, *sums; /* a row of tallies for each chunk */
    int *ranks;
    long long *longest;
    void *scattered; /* lines with values: mnp_turned */
    /* ghosts: */
    const int *rows_of, *indices; /* the rows of the lines, and the numbers of the ghosts */
    const long long *ghosts;      /* their columns */
    long long row_lo;
    long long *rows, *columns;
} mnp_turn_params;

/* Bytes of an entry that is scattered, a line's number and a value. */
#define MNP_TURN_BYTES(value_size) ((value_size) <= 4 ? 8 : (value_size) + 8)

#endif
