/*
 * The parameter of relax.cu: shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_RELAX_H
#define MNP_KERNELS_RELAX_H

struct mnp_relax_params {
    long long count;                     /* rows of this launch */
    unsigned long long list;             /* address of their numbers, int32; 0: all from `first` on, in steps of `step` */
    long long first, step;               /* step: 1 or -1 */
    unsigned long long offsets, columns; /* addresses of the entries off the diagonal: int64; int32 */
    unsigned long long values, inverse;  /* and of their values, and of the inverse diagonal */
    unsigned long long b, x;             /* addresses of the vectors, which may be the same */
    double keep, weight;
};

#endif
