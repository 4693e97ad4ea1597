/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of permute_rows.cu, shared by the library (C) and the kernel (C++).  It reads a part in CSR
 * (lib/sparse/matrix/part.h) and writes the entries for a sweep (level_sweep_params.h).
 */
#ifndef MNP_KERNELS_SPARSE_PRECOND_PERMUTE_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_PRECOND_PERMUTE_ROWS_PARAMS_H

enum {
    MNP_PERMUTE_ROWS_COUNT, /* lines: store how many of a row's entries count, in `lengths` */
    MNP_PERMUTE_ROWS_FILL,  /* positions: copy the entries that count to the slices */
    MNP_PERMUTE_ROWS_FIND /* lines: `found` gets the first entry that neither counts nor is on the diagonal nor is 0 */
};

/* Which entries of a row count. */
enum {
    MNP_PERMUTE_ROWS_LOWER,   /* those below the diagonal */
    MNP_PERMUTE_ROWS_UPPER,   /* those above it */
    MNP_PERMUTE_ROWS_ALL,     /* all but the diagonal */
    MNP_PERMUTE_ROWS_EARLIER, /* those of columns whose colour comes before the row's */
    MNP_PERMUTE_ROWS_LATER,   /* those of columns whose colour comes after the row's */
    MNP_PERMUTE_ROWS_BEFORE,  /* those of columns from `first` to `end`, which are renumbered from 0 on */
    MNP_PERMUTE_ROWS_BEHIND   /* the same, with the meaning of the name */
};

struct mnp_permute_rows_params {
    int task, kind;
    int falls; /* whether a row's entries are stored from the last to the first */
    int wide;  /* whether offsets have 8 bytes; otherwise 4 */
    const void *offsets;
    const int *rows_of, *columns; /* rows_of may be NULL: line i is row i */
    const void *values;
    long long lines, rows;
    const int *colours;      /* EARLIER, LATER: the colours of rows */
    long long first, end;    /* BEFORE, BEHIND: the columns; otherwise 0 */
    int *lengths;            /* by rows */
    const int *positions;    /* the row at every position */
    const long long *slices; /* where the entries of each slice of `slice` positions begin */
    long long slice;
    int *made_columns;
    void *made_values;
    unsigned long long *found; /* the number of an entry; the largest integer before the launch */
};

#endif
