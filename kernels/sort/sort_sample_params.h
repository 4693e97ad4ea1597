/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of sort_sample.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_SORT_SORT_SAMPLE_PARAMS_H
#define MNP_KERNELS_SORT_SORT_SAMPLE_PARAMS_H

/* A window: elements begin .. end - 1 of a run. */
typedef struct mnp_sort_window {
    long long begin, end;
} mnp_sort_window;

typedef struct mnp_sample_params {
    const void *keys;
    const mnp_sort_window *windows;
    void *samples; /* `slots` samples of each window */
    long long nwindows, slots;
} mnp_sample_params;

#endif
