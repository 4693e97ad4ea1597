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

    /* on the host, for chunks of lines, or for the `others`, and one more */
    MNP_TURN_COUNT, /* a chunk: how many entries it has with each of the others */
    MNP_TURN_SUM,   /* others: the chunks' counts become those of the chunks before; and the counts of all */
    MNP_TURN_PLACE, /* a chunk: store its entries; needs the prefix sums of SUM */
    MNP_TURN_NARROW /* others: copy these prefix sums, as wide as offsets are */
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
    const int *indices;        /* of the entries */
    /* ghosts, whose numbers are the indices: */
    const int *rows_of;      /* the rows of the lines */
    const long long *ghosts; /* the columns of the ghosts */
    long long row_lo;
    long long *rows, *columns;
} mnp_turn_params;

#endif
