/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of merge.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_SORT_MERGE_PARAMS_H
#define MNP_KERNELS_SORT_MERGE_PARAMS_H

typedef struct mnp_merge_params {
    const void *keys, *payload; /* the runs, one after the other; payload: 8 bytes for every key */
    void *out_keys;             /* NULL: the merged keys are not wanted */
    void *out_payload;
    const long long *starts; /* where each of the original nruns runs begins, and the end of the last */
    long long nruns, span;   /* every `span` original runs have been merged into one so far */
    long long total;
} mnp_merge_params;

#endif
