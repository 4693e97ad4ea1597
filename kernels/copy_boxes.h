/*
 * The parameter of copy_boxes.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_COPY_BOXES_H
#define MNP_KERNELS_COPY_BOXES_H

enum { MNP_BOX_DIMS = 8 };

/* Element (i0, i1, ...) goes from src + sum(i * src_stride) to dst + sum(i * dst_stride), all in elements. */
typedef struct mnp_box_copy {
    long long first; /* elements of the boxes before this one */
    long long src, dst;
    long long extent[MNP_BOX_DIMS], src_stride[MNP_BOX_DIMS], dst_stride[MNP_BOX_DIMS];
    long long tiled; /* whether it is to be copied by tiles of its last two dimensions; on a GPU only `one` can be */
} mnp_box_copy;

typedef struct mnp_copy_params {
    const void *src; /* NULL: `value` is the source, of strides 0 */
    void *dst;
    const mnp_box_copy *boxes; /* NULL: `one` is the only box */
    long long nboxes, total;   /* total: elements of all boxes */
    int ndim;                  /* of every box, 1 .. MNP_BOX_DIMS; the last is the innermost */
    mnp_box_copy one;
    unsigned long long value[2]; /* bytes of one element */
} mnp_copy_params;

#endif
