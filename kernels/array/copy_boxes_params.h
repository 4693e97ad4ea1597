/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of boxes to copy: what copy_boxes.cu and p2p_boxes.cu are given, shared by the library (C) and the kernels
 * (C++).
 */
#ifndef MNP_KERNELS_ARRAY_COPY_BOXES_PARAMS_H
#define MNP_KERNELS_ARRAY_COPY_BOXES_PARAMS_H

enum {
    MNP_BOX_DIMS = 8,
    MNP_COPY_THREADS = 256, /* of a GPU's block */
    MNP_FEW_BOXES = 9       /* of a list that a kernel's parameter holds: enough for borders in two dimensions */
};

/*
 * Element (i0, i1, ...) goes from src + sum(i * src_stride) to dst + sum(i * dst_stride), all in elements.
 *
 * A GPU works on units, each by one block: about 16 KiB of a box, a tile of it, or several whole boxes that are small.
 * A width is how many elements that lie side by side go by one access, 1, 2, 4, 8 or 16, if the memory begins where
 * that is allowed.  Only tiles can have two different ones.
 */
typedef struct mnp_box_copy {
    long long first;      /* elements of the boxes before this one */
    long long first_unit; /* the unit that this box begins in; boxes of one unit follow one another */
    long long src, dst;
    long long extent[MNP_BOX_DIMS], src_stride[MNP_BOX_DIMS], dst_stride[MNP_BOX_DIMS];
    double inverse[MNP_BOX_DIMS]; /* 1.0 / extent */
    long long unit;               /* elements of a unit, where those are no tiles */
    int tiled;                    /* whether it is to be copied by tiles of its last two dimensions */
    int src_width, dst_width;
} mnp_box_copy;

/* The side of a GPU's tiles: of elements of that size, 0 where elements are converted. */
#define MNP_BOX_TILE(size) ((size) == 1 ? 128 : (size) == 2 || (size) == 4 ? 64 : 32)

typedef struct mnp_box_list {
    const mnp_box_copy *boxes;     /* NULL: there are few, in the parameter itself */
    long long count, total, units; /* total: elements of all boxes */
    int ndim;                      /* of every box, 1 .. MNP_BOX_DIMS; the last is the innermost */
} mnp_box_list;

/* The parameter of copy_boxes.cu. */
typedef struct mnp_copy_params {
    const void *src; /* NULL: `value` is the source, of strides 0 */
    void *dst;
    mnp_box_list list;
    mnp_box_copy few[MNP_FEW_BOXES]; /* those of the list, where it has none */
    unsigned long long value[2];     /* bytes of one element */
} mnp_copy_params;

#endif
