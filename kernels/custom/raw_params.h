/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the library launches the kernels of a raw module on the host, shared by the library (C) and the module (C++).
 */
#ifndef MNP_KERNELS_CUSTOM_RAW_PARAMS_H
#define MNP_KERNELS_CUSTOM_RAW_PARAMS_H

typedef struct mnp_raw_call {
    unsigned grid[3], block[3];
    void *const *arguments; /* addresses of the parameters' values */
} mnp_raw_call;

/* A kernel (run is not NULL), or a variable. */
typedef struct mnp_raw_entry {
    void (*run)(const mnp_raw_call *call, long long worker, long long workers);
    int nparameters;
    const unsigned *sizes; /* bytes of each parameter */
    void *variable;
    unsigned long long variable_size;
} mnp_raw_entry;

/* What entries are called: this and the kernel's name; mnp_expression_0 ... for name expressions. */
#define MNP_RAW_ENTRY "mnp_raw_"

/* Most shared memory of a block on the host, as on GPUs without asking for more. */
#define MNP_RAW_SHARED (48 * 1024)

#endif
