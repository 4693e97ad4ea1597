/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of fetch_rows.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_FETCH_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_FETCH_ROWS_PARAMS_H

enum { MNP_ROWS_CSR, MNP_ROWS_CSC, MNP_ROWS_COO, MNP_ROWS_DIA, MNP_ROWS_BSR, MNP_ROWS_SELL }; /* as mnp_sparse_format */

/* A part of a matrix; see lib/sparse/matrix/part.h. */
typedef struct mnp_rows_part {
    void *offsets; /* of 8 bytes if `wide`, otherwise of 4 */
    int *rows_of, *indices;
    void *values;
    long long rows, lines;
    int wide, format, block;
} mnp_rows_part;

/* A rank's rows: the own part, and the ghost part, which lists only rows that have entries in it. */
typedef struct mnp_rows_matrix {
    mnp_rows_part own, ghost;
    long long column_lo;       /* the first own column */
    const long long *ghosts;   /* the ghosts' columns, ascending */
    long long nghosts, before; /* number of ghosts; of those before the own columns */
} mnp_rows_matrix;

/* Rows in CSR with offsets and columns of 64 bits. */
typedef struct mnp_rows_list {
    long long rows;
    long long *offsets, *columns;
    void *values;
} mnp_rows_list;

/* The ghost columns and their numbers: a hash table, or a bit for every column of the matrix. */
typedef struct mnp_rows_table {
    long long *slots, slot_count; /* a free slot is -1; slot_count is a power of two */
    int *numbers;                 /* the numbers of the columns in the slots */
    unsigned long long *words;    /* NULL: a hash table.  The bits */
    long long *before;            /* ghost columns before each word */
} mnp_rows_table;

/* The tasks of fetch_rows, each for `count` rows, entries, or what the task names first. */
enum {
    MNP_ROWS_SPREAD,  /* all rows and one more: store the ghost part's offsets in ghost_offsets */
    MNP_ROWS_NAME,    /* indices: set named[row] = 1 for the rows that they name */
    MNP_ROWS_LENGTHS, /* rows, those in `wanted` or all: store their lengths, 0 if they are not named */
    MNP_ROWS_FLAGS,   /* rows of `made`: store length 1 for those that have entries, otherwise 0 */
    MNP_ROWS_TALLY,   /* tiles of lengths: store their sums in `tally` */
    MNP_ROWS_SUM,     /* turn `tally` into exclusive prefix sums; store the total after it and after the lengths */
    MNP_ROWS_PLACE,   /* tiles: turn the `total` lengths into exclusive prefix sums in place */
    MNP_ROWS_PICK,    /* columns[i] = lengths[wanted[i]] */
    MNP_ROWS_PACK,    /* copy entries of the rows whose offsets are in `list`, with ascending columns */
    MNP_ROWS_CUT,     /* rows of the list: where own columns begin goes to `first`, their number to `lengths` */
    MNP_ROWS_ENTER,   /* entries of the list: enter ghost columns in the table, and replace them by their slots */
    MNP_ROWS_COLLECT, /* slots: append their columns, in any order, to `columns`; *found counts them */
    MNP_ROWS_NUMBER,  /* columns: store their numbers in the table */
    MNP_ROWS_MARK,    /* entries of the list: set the bits of ghost columns */
    MNP_ROWS_COUNT,   /* words: store the number of their bits in `before` */
    MNP_ROWS_NAMES,   /* words: store their columns; needs the prefix sums of COUNT */
    MNP_ROWS_STACK,   /* copy entries of the list to the matrix's parts; needs the own part's offsets and `first` */
    MNP_ROWS_LINES,   /* rows of the own part: store those with ghosts as lines; needs the prefix sums of FLAGS */
    MNP_ROWS_NARROW   /* copy the own part's offsets to the ghost part's, with its width */
};

typedef struct mnp_rows_params {
    int task;
    long long count;
    mnp_rows_matrix matrix;
    long long *ghost_offsets; /* offsets in the ghost part for all rows */
    const int *indices;
    unsigned char *named;                    /* NULL: all rows are named */
    const long long *wanted;                 /* NULL: rows from 0 on */
    long long *lengths, *tally, total, tile; /* tile: lengths of a tile, a multiple of 32 */
    mnp_rows_list list;
    int *local;            /* PACK: NULL, or where the columns go, in this rank's numbering, */
    long long shift;       /* in which ghosts begin at this number */
    long long columns_end; /* CUT: the end of the own columns */
    long long *first;
    mnp_rows_table table;
    long long *columns, *found;
} mnp_rows_params;

/* The parameter of find_diagonal, which stores the elements of a diagonal, 0 where there is no entry, or inverses. */
typedef struct mnp_diagonal_params {
    mnp_rows_matrix matrix; /* the own part may have any format */
    long long own_columns;
    long long row, column; /* the first element's row on this rank, and its column in the matrix */
    long long count;
    void *diagonal;
    unsigned long long *replaced; /* NULL; or inverses are stored, and this counts zeros, for which 1 is stored */
} mnp_diagonal_params;

#endif
