/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of scan.cu, which the library (C) and the kernel (C++) share.
 *
 * A scan goes along one dimension, the axis; a line is the elements along it at fixed indices of the others.  There are
 * MNP_KEPT other dimensions, the innermost last.  Strides are in elements.
 */
#ifndef MNP_KERNELS_SCAN_SCAN_PARAMS_H
#define MNP_KERNELS_SCAN_SCAN_PARAMS_H

/* How threads are assigned to elements. */
#define MNP_SCAN_ROWS 0    /* along lines, a team of up to 32 for each; on the host workers have lines, or parts */
#define MNP_SCAN_BLOCKS 1  /* along lines, a block for each */
#define MNP_SCAN_TILES 2   /* along lines, whose tiles are divided among blocks */
#define MNP_SCAN_COLUMNS 3 /* across lines, a thread for each, or for each part of one */
#define MNP_SCAN_SHORT 4   /* along short lines, of which a block copies many to shared memory */
#define MNP_SCAN_BANDS 5   /* along neighbouring lines, of which a block copies some rows to shared memory */

/* What a launch computes. */
enum {
    MNP_SCAN_TOTALS, /* the totals of all but the last part of every line */
    MNP_SCAN_VALUES
};

#ifdef __cplusplus

struct mnp_scan_operand {
    unsigned long long base; /* address of the first element */
    long long along;         /* the axis */
    long long gap;           /* of short lines: elements of shared memory left free after each group of them */
    long long kept[MNP_KEPT];
};

/* The library writes it as a row of 64-bit numbers in this order. */
struct mnp_scan_params {
    long long task;
    long long lines, length;  /* of this rank */
    long long parts;          /* into which a line is divided: also tiles, or bands; of short lines: those of a block */
    long long team;           /* threads of a line, as the power of two */
    long long columns;        /* neighbouring lines whose elements alternate in shared memory */
    long long strip;          /* in bands and short lines, adjacent vectors of a line that a thread has */
    long long run;            /* of short lines, a block has some of so many: see scan_short.h */
    unsigned long long known; /* totals of all lines for each rank that shares them; 0: ranks share none */
    long long first, by, count; /* the ranks before this one: numbers first, first + by, ... */
    unsigned long long totals;  /* of parts: that of a line is number part * lines + its number */
    unsigned long long state;   /* of tiles: see scan_look_back.h */
    unsigned long long run_number;
    long long blocks_before; /* of earlier runs with this state */
    long long kept[MNP_KEPT];
    long long place[MNP_KEPT]; /* strides of the numbers of lines in `known` */
    mnp_scan_operand in, out;
};

#endif
#endif
