/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of scan.cu: shared by the library (C) and the kernel (C++).
 *
 * A scan goes along one dimension, the axis; a line is what there is along it.  The other dimensions are MNP_KEPT, the
 * innermost last.  Strides are in elements.
 */
#ifndef MNP_KERNELS_SCAN_SCAN_PARAMS_H
#define MNP_KERNELS_SCAN_SCAN_PARAMS_H

/* Which way threads lie. */
#define MNP_SCAN_ROWS 0    /* along lines, a team of up to 32 for each; on the host workers have lines, or parts */
#define MNP_SCAN_BLOCKS 1  /* along lines, a block for each */
#define MNP_SCAN_TILES 2   /* along lines, whose tiles are dealt out to blocks */
#define MNP_SCAN_COLUMNS 3 /* across lines, a thread for each, or for each part of one */

/* What a launch is to do. */
enum {
    MNP_SCAN_TOTALS, /* the totals of all but the last part of every line */
    MNP_SCAN_VALUES
};

#ifdef __cplusplus

struct mnp_scan_operand {
    unsigned long long base; /* address of the first element */
    long long along;         /* the axis */
    long long kept[MNP_KEPT];
};

/* The library writes it as a row of 64-bit numbers in this order. */
struct mnp_scan_params {
    long long task;
    long long lines, length;    /* of this rank */
    long long parts;            /* that a line is dealt out to; of tiles: how many there are in a line */
    long long team;             /* threads of a line, as the power of two */
    unsigned long long known;   /* what ranks know that share lines, each of all lines; 0: they do not */
    long long first, by, count; /* those before this one: numbers first, first + by, ... */
    unsigned long long totals;  /* of parts: that of a line is number part * lines + its number */
    unsigned long long state;   /* of tiles: see scan_tiles.h */
    long long kept[MNP_KEPT];
    long long place[MNP_KEPT]; /* strides of what ranks know of lines */
    mnp_scan_operand in, out;
};

#endif
#endif
