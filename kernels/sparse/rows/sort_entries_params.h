/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of sort_entries.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_SORT_ENTRIES_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_SORT_ENTRIES_PARAMS_H

/* The tasks.  A place is a row and column that has one or more entries. */
enum {
    MNP_ENTRIES_CHECK,   /* find the first number that is not in 0 .. `end` - 1: found[0] gets its position */
    MNP_ENTRIES_KEYS,    /* keys[i] = numbers[order[i]] */
    MNP_ENTRIES_NUMBERS, /* gathered[i] = numbers[order[i]] */
    MNP_ENTRIES_VALUES,  /* the same for values */
    MNP_ENTRIES_HEADS,   /* sorted entries, whose columns are `numbers`: heads[i] = 1 if a place begins there, or 0 */
    MNP_ENTRIES_ADD,     /* store the columns and sums of places; needs the prefix sums of heads */
    MNP_ENTRIES_OFFSETS, /* offsets of rows: the places before each, from heads and the `total` ascending `keys` */
    MNP_ENTRIES_ROWS     /* entries of `total` rows with offsets: gathered[i] is the row's number, from `begin` on */
};

typedef struct mnp_entries_params {
    int task;
    long long count, total, begin, end;
    const long long *numbers, *order, *offsets;
    int *keys;
    long long *heads, *found, *gathered;
    const void *values;
    void *made; /* the values that are gathered or summed */
} mnp_entries_params;

#endif
