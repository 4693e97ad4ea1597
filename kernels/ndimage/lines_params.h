/* SPDX-License-Identifier: BSD-3-Clause */
/* What spline.cu and the kernels of distances are given, shared by the library (C) and the kernels (C++). */
#ifndef MNP_KERNELS_NDIMAGE_LINES_PARAMS_H
#define MNP_KERNELS_NDIMAGE_LINES_PARAMS_H

/*
 * The lines of a block along one of its dimensions, which is not cut; the block is dense in C order.  The `inner`
 * elements behind that dimension lie beside one another: line l begins at element (l / inner) * inner * length +
 * l % inner, and its elements are `inner` apart.
 */
typedef struct mnp_lines {
    long long count, inner, length;
} mnp_lines;

/* Elements of a strip; strips of a tile; threads of a block of a GPU. */
enum { MNP_SPLINE_STRIP = 256, MNP_SPLINE_LANES = 16, MNP_SPLINE_THREADS = 256, MNP_SPLINE_POLES = 2 };

typedef struct mnp_spline_params {
    mnp_lines lines;
    const void *from;
    double *to;
    long long tiles;
    int boundary; /* see kernels/boundary.h */
    double pole[MNP_SPLINE_POLES], weight[MNP_SPLINE_POLES];
} mnp_spline_params;

/* distance_bits.cu: levels at most, as 32^7 is more than a line has elements. */
enum { MNP_DISTANCE_LEVELS = 7 };

typedef struct mnp_bits_params {
    mnp_lines lines;
    const unsigned char *background;            /* for each element, whether it is */
    unsigned *words[MNP_DISTANCE_LEVELS];       /* of each level, in the order that elements of such lines would have */
    long long extents[MNP_DISTANCE_LEVELS + 1]; /* elements of a line, and its words of each level; the last has one */
    int levels, level;                          /* how many there are; which one is made */
    double *to;
    const long long *from_place; /* MNP_PLACES, as below */
    long long *to_place;
    double scale; /* the distance of neighbours */
} mnp_bits_params;

enum { MNP_DISTANCE_RATIO = 8 };

typedef struct mnp_distance_params {
    mnp_lines lines;
    const double *from; /* for each element a distance to the background, squared for MNP_METRIC 0, or infinity */
    double *to;
    const long long *from_place; /* MNP_PLACES: the number in the array of the element of the background, or -1 */
    long long *to_place;
    int *stack;  /* distance.cu, as large as the block: the elements that some part of their line is nearest to */
    int *begins; /* and where that part begins */
    /*
     * distance_search.cu, as large as the block: the best elements; those for every `step`-th element of a line are
     * found, if `between` with the help of those for every (MNP_DISTANCE_RATIO step)-th
     */
    int *nearest;
    long long step;
    int between;
    double scale; /* the distance of neighbours */
} mnp_distance_params;

#endif
