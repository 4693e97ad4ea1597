/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of merge.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_SORT_MERGE_PARAMS_H
#define MNP_KERNELS_SORT_MERGE_PARAMS_H

typedef struct mnp_merge_params {
    const void *keys, *payload; /* runs, one after the other; payload: 8 bytes with every key */
    void *out_keys;             /* NULL: not wanted */
    void *out_payload;
    const long long *starts; /* of the runs at first, nruns of them, and the end of the last */
    long long nruns, span;   /* `span` of them have become one run by now */
    long long total;
} mnp_merge_params;

#endif
