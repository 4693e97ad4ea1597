/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of sort_entries.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_SORT_ENTRIES_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_SORT_ENTRIES_PARAMS_H

/* What is done to `count` things. */
enum {
    MNP_ENTRIES_CHECK,   /* numbers that are not from 0 to `end` - 1: the first one's place, to found[0] */
    MNP_ENTRIES_KEYS,    /* numbers, the one at order[i] at place i: to keys */
    MNP_ENTRIES_NUMBERS, /* gathered[i] = numbers[order[i]] */
    MNP_ENTRIES_VALUES,  /* the same of values */
    MNP_ENTRIES_HEADS,   /* entries in order, `numbers` their columns: 1 where a place begins, to heads, else 0 */
    MNP_ENTRIES_ADD,     /* the columns and sums of places, once heads are summed up */
    MNP_ENTRIES_OFFSETS, /* offsets of rows: places before each, from `keys`, which rise and are `total`, and heads */
    MNP_ENTRIES_ROWS     /* entries of `total` rows with offsets: their rows' numbers, from `begin` on, to gathered */
};

typedef struct mnp_entries_params {
    int task;
    long long count, total, begin, end;
    const long long *numbers, *order, *offsets;
    int *keys;
    long long *heads, *found, *gathered;
    const void *values;
    void *made; /* values that are gathered or summed */
} mnp_entries_params;

#endif
