/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of fetch_rows.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_FETCH_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_FETCH_ROWS_PARAMS_H

enum { MNP_ROWS_CSR, MNP_ROWS_CSC, MNP_ROWS_COO, MNP_ROWS_DIA, MNP_ROWS_BSR, MNP_ROWS_SELL }; /* mnp_sparse_format */

/* A part: lib/sparse/matrix/part.h. */
typedef struct mnp_rows_part {
    void *offsets; /* of 8 bytes if `wide`, else of 4 */
    int *rows_of, *indices;
    void *values;
    long long rows, lines;
    int wide, format, block;
} mnp_rows_part;

/* A rank's rows: the own part, and the ghost part, which lists those that have any. */
typedef struct mnp_rows_matrix {
    mnp_rows_part own, ghost;
    long long column_lo;       /* of the own columns */
    const long long *ghosts;   /* the ghosts' columns, which rise */
    long long nghosts, before; /* how many there are; in columns before the own ones */
} mnp_rows_matrix;

/* Rows in CSR with offsets and columns of 64 bits. */
typedef struct mnp_rows_list {
    long long rows;
    long long *offsets, *columns;
    void *values;
} mnp_rows_list;

/* Columns in a hash table. */
typedef struct mnp_rows_table {
    long long *slots, slot_count; /* a free one is -1; a power of two */
    int *numbers;                 /* of the columns in the slots */
} mnp_rows_table;

/* fetch_rows: what is done to `count` things. */
enum {
    MNP_ROWS_SPREAD,  /* the ghost part's offsets, for all rows and one more: to ghost_offsets */
    MNP_ROWS_NAME,    /* indices: the rows that they name have named[row] = 1 */
    MNP_ROWS_LENGTHS, /* of rows, those of `wanted` or all, 0 where they are not named */
    MNP_ROWS_FLAGS,   /* of rows of `made`: 1 as the length of those that have entries */
    MNP_ROWS_TALLY,   /* tiles of lengths: the sums, to `tally` */
    MNP_ROWS_SUM,     /* what is before each of them, and, behind them and behind the lengths, all of them */
    MNP_ROWS_PLACE,   /* and before every one of `total` lengths, in its place, and behind them their sum */
    MNP_ROWS_PICK,    /* columns[i] = lengths[wanted[i]] */
    MNP_ROWS_PACK,    /* entries of the rows whose offsets are in `list`, their columns rising */
    MNP_ROWS_CUT,     /* rows of the list: where entries in own columns begin, to `first`, and how many, to lengths */
    MNP_ROWS_ENTER,   /* entries of the list: other columns go to the table, and become the numbers of their slots */
    MNP_ROWS_COLLECT, /* slots: their columns, in any order, to `columns`; *found counts them */
    MNP_ROWS_NUMBER,  /* columns: their numbers, to the table */
    MNP_ROWS_STACK,   /* entries of the list, to the matrix's parts: the own one's offsets are there, and `first` */
    MNP_ROWS_LINES,   /* rows of the own part: those that have entries, to the ghost part; FLAGS summed up say where */
    MNP_ROWS_NARROW   /* offsets of the own part, to the ghost part's */
};

typedef struct mnp_rows_params {
    int task;
    long long count;
    mnp_rows_matrix matrix;
    long long *ghost_offsets; /* of all rows */
    const int *indices;
    unsigned char *named;                    /* NULL: all rows count as named */
    const long long *wanted;                 /* NULL: rows from 0 on */
    long long *lengths, *tally, total, tile; /* tile: lengths that are summed up together, a multiple of 32 */
    mnp_rows_list list;
    int *local;            /* PACK: NULL, or where the columns go, with this rank's numbers, */
    long long shift;       /* which ghosts have from there on */
    long long columns_end; /* CUT: of the own columns */
    long long *first;
    mnp_rows_table table;
    long long *columns, *found;
} mnp_rows_params;

/* find_diagonal: elements of a diagonal, 0 where no entry is; or their inverses. */
typedef struct mnp_diagonal_params {
    mnp_rows_matrix matrix; /* its own part in any format */
    long long own_columns;
    long long row, column, count; /* the first element's, row of this rank and column of the matrix; elements */
    void *diagonal;
    unsigned long long *replaced; /* NULL; or inverses are wanted, and this counts zeros, whose inverse is 1 */
} mnp_diagonal_params;

#endif
