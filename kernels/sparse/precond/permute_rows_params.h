/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of permute_rows.cu, shared by the library (C) and the kernel (C++).  It reads a part in CSR
 * (lib/sparse/matrix/part.h) and writes the entries of a sweep (level_sweep_params.h).
 */
#ifndef MNP_KERNELS_SPARSE_PRECOND_PERMUTE_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_PRECOND_PERMUTE_ROWS_PARAMS_H

enum {
    MNP_PERMUTE_ROWS_COUNT, /* lines: how many of a row's entries count, to `lengths` */
    MNP_PERMUTE_ROWS_FILL,  /* positions: the entries that count of the row there, to the slices */
    MNP_PERMUTE_ROWS_FIND /* lines: the first entry that neither counts, nor is on the diagonal, nor is 0, to `found` */
};

/* Which entries count. */
enum {
    MNP_PERMUTE_ROWS_LOWER,   /* those below the diagonal */
    MNP_PERMUTE_ROWS_UPPER,   /* those above it */
    MNP_PERMUTE_ROWS_ALL,     /* all but the diagonal */
    MNP_PERMUTE_ROWS_EARLIER, /* those of columns whose colour comes before the row's */
    MNP_PERMUTE_ROWS_LATER,   /* and after it */
    MNP_PERMUTE_ROWS_BEFORE,  /* those of columns from `first` to `end`, which are numbered from 0 on then */
    MNP_PERMUTE_ROWS_BEHIND   /* the same */
};

struct mnp_permute_rows_params {
    int task, kind;
    int falls; /* whether a row's entries come from the last to the first */
    int wide;  /* whether offsets have 8 bytes, else 4 */
    const void *offsets;
    const int *rows_of, *columns; /* rows_of may be NULL: line i is row i */
    const void *values;
    long long lines, rows;
    const int *colours;      /* of rows: of EARLIER and LATER */
    long long first, end;    /* of BEFORE and BEHIND; else 0 */
    int *lengths;            /* by rows */
    const int *positions;    /* the row at every position */
    const long long *slices; /* where the entries of a slice of `slice` positions begin */
    long long slice;
    int *made_columns;
    void *made_values;
    unsigned long long *found; /* an entry's number; it begins as the largest that there is */
};

#endif
