/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of sort_entries.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_SORT_ENTRIES_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_SORT_ENTRIES_PARAMS_H

/* The tasks.  A place is a row and column that has one or more entries. */
enum {
    MNP_ENTRIES_CHECK,   /* find the first number that is not in 0 .. `end` - 1: found[0] gets its position */
    MNP_ENTRIES_NUMBERS, /* gathered[i] = numbers[order[i]] */
    MNP_ENTRIES_VALUES,  /* the same for values */
    MNP_ENTRIES_ROWS,    /* entries of `total` rows with offsets: gathered[i] is the row's number, from `begin` on */

    /* on GPUs */
    MNP_ENTRIES_KEYS,    /* keys[i] = numbers[order[i]] */
    MNP_ENTRIES_HEADS,   /* sorted entries, whose columns are `numbers`: heads[i] = 1 if a place begins there, or 0 */
    MNP_ENTRIES_ADD,     /* store the columns and sums of places; needs the prefix sums of heads */
    MNP_ENTRIES_OFFSETS, /* offsets of rows: the places before each, from heads and the `total` ascending `keys` */

    /* on the host, for chunks of the `total` entries in `rows`, `numbers` (columns) and `values`, or for buckets */
    MNP_ENTRIES_COUNT,   /* a chunk: tally */
    MNP_ENTRIES_SPREAD,  /* a chunk: `spread`; needs the prefix sums of tally */
    MNP_ENTRIES_ARRANGE, /* a bucket of the `end` rows: `sorted`, without duplicates; gathered[row] is a row's length */
    MNP_ENTRIES_STORE    /* a bucket: its columns and values; needs the rows' offsets */
};

/* On the host: the most buckets, and the bytes of an entry there, from those of its value. */
enum { MNP_ENTRIES_BUCKETS = 256 };
#define MNP_ENTRIES_BYTES(value_size) (((value_size) + 7) / 8 * 8 + 16)

typedef struct mnp_entries_params {
    int task;
    long long count, total, begin, end;
    const long long *numbers, *order, *offsets;
    int *keys;
    long long *heads, *found, *gathered;
    const void *values;
    void *made; /* the values that are gathered or summed */

    const long long *rows;
    int shift, by_columns; /* a bucket has 2^shift rows; whether columns have to be sorted */
    long long chunks, *tally;
    void *spread, *sorted;
} mnp_entries_params;

#endif
